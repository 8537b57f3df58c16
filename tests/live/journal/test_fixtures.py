"""Games to come: added, seen with chances, ended by a result of the two or struck."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import permutations

import pytest
from sqlalchemy import Connection, select, text

from prowess.games.read import read_games
from prowess.games.reading import UnplayedGame
from prowess.live.api.category_view import GameToCome, find_fixtures, find_unplayed, view_category
from prowess.live.errors import Conflict, NotFound, Refused, RefusedMany
from prowess.live.journal.categories import NewCategory
from prowess.live.journal.corrections import (
    Accept,
    AddPlayers,
    Cancel,
    Correct,
    Merge,
    RecordTable,
    Restore,
    Schedule,
    Split,
    Void,
)
from prowess.live.journal.imports import (
    Kept,
    name_error,
    plan_unplayed,
    read_submissions,
    read_table,
)
from prowess.live.journal.journal import Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.submission import PlannedGame, Submission
from prowess.live.journal.unit_of_work import ALREADY, RECORDED, UnitOfWork
from prowess.live.result import DAY_US
from prowess.live.store import migrations
from prowess.live.store.access import Actor
from prowess.live.store.queries import find_reported
from prowess.live.store.tables import fixture
from tests.live.journal.journals import CONSOLE, NOW, game, is_verified, open_journal, record_games
from tests.refusals import refused


def planned(a: str, b: str, day: float = 2.0, side: float = 0.0) -> PlannedGame:
    """A game so many days from now."""
    return PlannedGame(a, b, NOW + round(day * DAY_US), side)


def to_come(journal: Journal, key: str = "main") -> list[GameToCome]:
    """The games to come of a category."""
    view = view_category(journal, key)
    return find_fixtures(journal, view.category, view.ratings)


def pairs(journal: Journal) -> list[tuple[str, str]]:
    """The names of the games to come of `main`."""
    return [one.names for one in to_come(journal)]


def test_games_to_come_are_kept_in_order_of_time(journal):
    """They survive a restart; unknown names are players who have not played."""
    done = journal.commit(
        Schedule((planned("Ada", "Ben", 9), planned("Cleo", "Ada", 3, 1.0))), CONSOLE
    )
    assert done.numbers == {"players": 3, "fixtures": 2}
    assert pairs(journal) == [("Cleo", "Ada"), ("Ada", "Ben")]
    address = journal.store.address.render_as_string(False)
    journal.close()
    with closing(open_journal(address)) as again:
        assert pairs(again) == [("Cleo", "Ada"), ("Ada", "Ben")]
        assert [one.side for one in to_come(again)] == [1.0, 0.0]
        assert len(find_unplayed(again, view_category(again, "main"))) == 3


def test_players_who_are_known_get_games(journal):
    """Nobody is added with them, and a second entry goes on with the numbers."""
    record_games(journal, game("Ada", "Ben"))
    done = journal.commit(Schedule((planned("Ada", "Ben"),)), CONSOLE)
    assert done.numbers == {"players": 0, "fixtures": 1}
    journal.commit(Schedule((planned("Ben", "Ada"),)), CONSOLE)
    assert [one.number for one in to_come(journal)] == [1, 2]


def test_chances_are_those_of_the_ratings(journal):
    """Elo's expected score of the first; nothing for a player without a rating."""
    record_games(journal, game("Ada", "Ben", 1.0, 1.0))
    journal.commit(Schedule((planned("Ben", "Ada"), planned("Ada", "Cleo", 3))), CONSOLE)
    known, unknown = (one.chances for one in to_come(journal))
    values = view_category(journal, "main").require_ratings().columns["rating"]
    apart = float(values.max() - values.min())
    assert known["expected"] == pytest.approx(1.0 / (1.0 + 10.0 ** (apart / 400.0)))
    assert unknown == {}


def test_a_game_to_come_of_known_players_adds_nobody(journal):
    """Both have played: the act writes rows of games to come alone."""
    record_games(journal, game("Ada", "Ben", 1.0, 1.0))
    done = journal.commit(Schedule((planned("Ben", "Ada"),)), CONSOLE)
    assert (done.numbers.get("players", 0), done.numbers["fixtures"]) == (0, 1)
    assert pairs(journal) == [("Ben", "Ada")]


def test_a_result_of_the_two_ends_one_game(journal):
    """Only one that is entered later, and not dated more than a week before the game."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Ben", "Ada", 30))), CONSOLE)
    record_games(journal, game("Ada", "Cleo"), game("Ada", "Ben", 1.0, 1.0))  # others; long ago
    assert len(to_come(journal)) == 2
    (number,) = record_games(journal, game("Ben", "Ada"))
    assert pairs(journal) == [("Ben", "Ada")]
    journal.commit(Correct(number, Submission(player_a="Ada", player_b="Ben", score=0.5)), CONSOLE)
    record_games(journal, game("Ada", "Ben"))  # three weeks before the second one
    assert pairs(journal) == [("Ben", "Ada")]
    assert is_verified(journal)


def test_a_result_ends_no_game_that_was_given_up(journal):
    """A game that is no longer shown after 30 days leaves the next one of the two its result."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Ben", "Ada", 40))), CONSOLE)
    last = Submission(player_a="Ada", player_b="Ben", score=1.0, time=NOW + 33 * DAY_US)
    journal.clock = lambda: NOW + 33 * DAY_US
    record_games(journal, last)
    assert to_come(journal) == []


def test_results_of_one_entry_end_as_many(journal):
    """Two results of the two in one batch end two games, also under a joined name."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Adele", "Ben", 3))), CONSOLE)
    journal.commit(Merge("Adele", "Ada"), CONSOLE)
    record_games(journal, game("Ada", "Ben"), game("Ben", "Adele"))
    assert to_come(journal) == []


def test_a_result_ends_the_game_nearest_to_it(journal):
    """In whatever order the results of a batch come; of two as near, it ends the earlier one."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Ben", "Ada", 30))), CONSOLE)
    journal.commit(Schedule((planned("Cleo", "Dan", 6), planned("Cleo", "Dan", 2))), CONSOLE)
    journal.clock = lambda: NOW + 30 * DAY_US
    late, _, _ = record_games(
        journal,
        game("Ada", "Ben", day=1030),
        game("Ada", "Ben", day=1002),
        game("Cleo", "Dan", day=1004),
    )
    assert [one.number for one in to_come(journal)] == [3]
    journal.commit(Void((late,)), CONSOLE)
    assert [one.number for one in to_come(journal)] == [3, 2]


def test_a_correction_reads_only_games_that_a_result_settled(journal):
    """Neither those to come nor what a keeper struck."""
    games = tuple(planned("Ada", name, day) for day, name in enumerate(("Ben", "Cleo", "Dan"), 2))
    journal.commit(Schedule(games), CONSOLE)
    (number,) = record_games(journal, game("Ada", "Ben"))
    journal.commit(Cancel(2), CONSOLE)

    def find_settled(connection: Connection) -> dict[int, int]:
        unit = UnitOfWork(connection, journal.registry, CONSOLE, NOW, None)
        return {by: one.id for by, one in unit.settled_fixtures.items()}

    assert journal.store.writer.do(find_settled) == {number: 1}


def test_a_held_result_ends_none_before_it_is_accepted(journal):
    """What is not confirmed was not played for others."""
    journal.commit(Schedule((planned("Ada", "Ben"),)), CONSOLE)
    reporter = Actor(None, "phone", frozenset({"submit"}), source="phone", review=True)
    done = journal.commit(RecordResults((game("Ada", "Ben"),)), reporter)
    assert len(to_come(journal)) == 1
    journal.commit(Accept((done.results[0].id,)), CONSOLE)
    assert to_come(journal) == []
    journal.commit(Void((done.results[0].id,)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]


def test_a_game_that_is_not_played_is_struck(journal):
    """Its number is free of it; another one is refused."""
    journal.commit(Schedule((planned("Ada", "Ben"), planned("Ada", "Cleo"))), CONSOLE)
    journal.commit(Cancel(to_come(journal)[0].number), CONSOLE)
    assert pairs(journal) == [("Ada", "Cleo")]
    with refused(NotFound, "no_such_fixture"):
        journal.commit(Cancel(1), CONSOLE)


def test_what_cannot_come_is_refused(journal):
    """The past, one player twice, a bad name by its row, a category of contests."""
    journal.commit(NewCategory("races", plays="contests", system="elo"), CONSOLE)
    for one, code in (
        (planned("Ada", "Ben", -2), "not_to_come"),
        (planned("Ada", "Ada"), "self_play"),
    ):
        with pytest.raises(RefusedMany) as caught:
            journal.commit(Schedule((one,), "main"), CONSOLE)
        assert (caught.value.code, caught.value.row) == (code, 0)
    with pytest.raises(RefusedMany) as caught:
        journal.commit(Schedule((planned("Ada", "Ben"), planned("Cleo", " ")), "main"), CONSOLE)
    assert [one.row for one in caught.value.errors] == [1]
    with refused(Refused, "no_pairings"):
        journal.commit(Schedule((planned("Ada", "Ben"),), "races"), CONSOLE)
    journal.commit(AddPlayers(("Ada",), "main"), CONSOLE)
    again = Schedule((planned("Ada", "Ben"),), "main")
    journal.commit(again, CONSOLE)
    with refused(Conflict, "nothing_changes"):
        journal.commit(again, CONSOLE)


def test_a_game_comes_again_when_its_result_is_struck(journal):
    """Restored, the result ends it again; what a keeper struck stays struck, and the game of
    another result, or of another day, ended.
    """
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Ada", "Ben", 4))), CONSOLE)
    done = journal.commit(Schedule((planned("Cleo", "Ada", 3),)), CONSOLE)
    assert done.numbers["fixtures"] == 1
    early = record_games(journal, game("Ada", "Ben", 1.0, 1.0))
    numbers = record_games(journal, game("Ada", "Ben"))
    journal.commit(Cancel(to_come(journal)[0].number), CONSOLE)  # of Cleo and Ada
    assert [one.number for one in to_come(journal)] == [2]
    journal.commit(Void(tuple(early)), CONSOLE)
    assert [one.number for one in to_come(journal)] == [2]
    journal.commit(Void(tuple(numbers), "another evening"), CONSOLE)
    assert [one.number for one in to_come(journal)] == [1, 2]
    address = journal.store.address.render_as_string(False)
    journal.close()
    with closing(open_journal(address)) as again:
        assert [one.number for one in to_come(again)] == [1, 2]
        again.commit(Restore(tuple(numbers)), CONSOLE)
        assert [one.number for one in to_come(again)] == [2]
        struck = record_games(again, game("Cleo", "Ada"))
        again.commit(Void(tuple(struck)), CONSOLE)
        assert [one.number for one in to_come(again)] == [2]
        assert is_verified(again)


def test_a_table_brings_no_game_back(journal):
    """One of it that a result settled or a keeper struck does not come again, also under a joined
    name; other days, sides and categories are other games, and a keeper may add an ended one.
    """
    journal.commit(NewCategory("other", system="elo"), CONSOLE)
    games = planned("Ada", "Ben"), planned("Ada", "Cleo"), planned("Annie", "Dan")

    def take_in(*planned: PlannedGame, key: str = "main") -> int:
        entry = RecordTable((), planned=planned, category=key)
        return int(journal.commit(entry, CONSOLE).numbers.get("fixtures", 0))

    assert take_in(*games) == 3
    assert take_in(*games) == 0
    record_games(journal, game("Ben", "Ada", category="main"))
    journal.commit(Cancel(2), CONSOLE)
    journal.commit(Merge("Annie", "Ada"), CONSOLE)
    assert take_in(*games) == 0
    assert [one.number for one in to_come(journal)] == [3]
    assert take_in(planned("Ada", "Ben", 3), planned("Ada", "Ben", 2, 1.0), *games) == 2
    assert take_in(*games, key="other") == 3
    with refused(Conflict, "nothing_changes"):
        journal.commit(Schedule(games, "main", once=True), CONSOLE)
    assert journal.commit(Schedule(games, "main"), CONSOLE).numbers["fixtures"] == 2
    assert is_verified(journal)


def edition(*games: PlannedGame, results: tuple[Submission, ...] = ()) -> RecordTable:
    """A table of results and games to come."""
    return RecordTable(results, planned=games, category="main")


def days_to_come(journal: Journal) -> dict[int, float]:
    """How many days from now each game is, by its number."""
    return {one.number: (one.time - NOW) / DAY_US for one in to_come(journal)}


def test_a_later_edition_of_a_table_moves_games(journal):
    """The one game of the two that it has no more is their new one, at another hour or day; moved
    back, it is the same game still, and a result about the new day settles it.
    """
    others = planned("Cleo", "Dan", 3), planned("Ben", "Ada", 30)
    journal.commit(edition(planned("Ada", "Ben", 2), *others), CONSOLE)
    for day in (2.5, 20, 2, 20):
        done = journal.commit(edition(planned("Ada", "Ben", day), *others), CONSOLE)
        assert (done.kind, done.numbers) == ("schedule", {"players": 0, "moved": 1})
        assert days_to_come(journal) == {1: day, 2: 3, 3: 30}
    preview = journal.preview(edition(planned("Ada", "Ben", 4), *others), CONSOLE)
    assert [(one.id, one.time) for one in preview.fixtures["moved"]] == [(1, NOW + 4 * DAY_US)]
    address = journal.store.address.render_as_string(False)
    journal.close()
    with closing(open_journal(address)) as again:
        assert days_to_come(again) == {1: 20, 2: 3, 3: 30}
        again.clock = lambda: NOW + 20 * DAY_US
        record_games(again, game("Ada", "Ben", day=1020))
        assert list(days_to_come(again)) == [2, 3]


def test_an_overdue_game_is_moved(journal):
    """It was not played on its day, and the next edition says when it will be."""
    other = planned("Cleo", "Dan", 40)
    journal.commit(edition(planned("Ada", "Ben", 2), other), CONSOLE)
    journal.clock = lambda: NOW + 10 * DAY_US
    journal.commit(edition(planned("Ada", "Ben", 30), other), CONSOLE)
    assert days_to_come(journal) == {1: 30, 2: 40}


@pytest.mark.parametrize("hour", [0.0, 0.3])
def test_a_game_without_a_result_yet_is_not_moved(journal, hour):
    """It stands in the later edition on its own day still, before today, perhaps with an hour; its
    result settles it.
    """
    games = [UnplayedGame("Ada", "Ben", NOW / DAY_US + 1, 0.0)]
    games.append(UnplayedGame("Cleo", "Dan", NOW / DAY_US + 30, 0.0))

    def take_in(*further: UnplayedGame) -> None:
        planned, _, _ = plan_unplayed([*games, *further], journal.clock())
        journal.commit(edition(*planned), CONSOLE)

    take_in()
    journal.clock = lambda: NOW + 3 * DAY_US
    games[0] = games[0]._replace(time=games[0].time + hour)
    unknown = UnplayedGame("Eve", "Fay", NOW / DAY_US + 1, 0.0)
    take_in(unknown, UnplayedGame("Ada", "Ben", NOW / DAY_US + 6, 0.0))
    assert days_to_come(journal) == {1: 1, 2: 30, 3: 6}
    with pytest.raises(NotFound):
        journal.registry.people.find("Eve")
    record_games(journal, game("Ada", "Ben", day=1001))
    assert days_to_come(journal) == {2: 30, 3: 6}


def test_a_moved_game_stays_that_of_the_player_who_was_entered(journal):
    """After a split the moved game is theirs again, before a restart as after it."""
    other = planned("Cleo", "Dan", 3)
    journal.commit(edition(planned("Ada", "Ben", 2), other), CONSOLE)
    journal.commit(AddPlayers(("Zora",), "main"), CONSOLE)
    journal.commit(Merge("Ada", "Zora"), CONSOLE)
    journal.commit(edition(planned("Zora", "Ben", 1), other), CONSOLE)
    assert days_to_come(journal) == {1: 1, 2: 3}
    journal.commit(Split("Ada"), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben"), ("Cleo", "Dan")]
    address = journal.store.address.render_as_string(False)
    kept = journal.registry.fixtures
    journal.close()
    with closing(open_journal(address)) as again:
        assert again.registry.fixtures == kept


def test_an_edition_with_hours_moves_all_games(journal):
    """Of the first one, which had days alone, it repeats the days."""
    days = [(a, b, day) for day, (a, b) in enumerate(permutations(("Ada", "Ben", "Cleo"), 2), 2)]
    journal.commit(edition(*(planned(a, b, day) for a, b, day in days)), CONSOLE)
    done = journal.commit(edition(*(planned(a, b, day + 0.75) for a, b, day in days)), CONSOLE)
    assert done.numbers == {"players": 0, "moved": 6}


@pytest.mark.parametrize(
    "games",
    [
        (planned("Ada", "Ben", 4),),  # nothing of the first table: it may be a cup
        (planned("Ada", "Ben", 4), planned("Ada", "Ben", 5), planned("Eve", "Dan", 1)),
        (planned("Ada", "Ben", 1), planned("Eve", "Dan", 1)),  # ends before the game of the two
    ],
)
def test_a_game_that_may_be_another_stands_beside(journal, games):
    """It is counted, and the one that was there stays; the other way round is another game."""
    first = planned("Ada", "Ben", 2), planned("Ben", "Ada", 1), planned("Eve", "Dan", 1)
    journal.commit(edition(*first), CONSOLE)
    done = journal.commit(edition(*games), CONSOLE)
    assert "moved" not in done.numbers
    assert done.numbers["beside"] == 1
    assert {1: 2.0, 2: 1.0}.items() <= days_to_come(journal).items()


def test_a_keeper_may_plan_two_games_of_a_pair(journal):
    """Games that are not of a table move nothing."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Ada", "Cleo"))), CONSOLE)
    done = journal.commit(Schedule((planned("Ada", "Ben", 4), planned("Ada", "Cleo"))), CONSOLE)
    assert done.numbers == {"players": 0, "fixtures": 1}


def test_results_count_the_games_that_they_settle(journal):
    """Also without a date, as those of a table without days."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Cleo", "Ben", 3))), CONSOLE)
    preview = journal.preview(edition(results=(game("Ben", "Ada"),)), CONSOLE)
    assert [one.id for one in preview.fixtures["settled"]] == [1]
    results = game("Ben", "Ada"), game("Cleo", "Ben"), game("Cleo", "Ada")
    assert journal.commit(RecordResults(results), CONSOLE).numbers == {"settled": 2}


def test_a_bad_name_of_a_game_to_come_is_told_by_its_row(journal):
    """Rows of games to come count on from those of results; with `skip` they alone are left out."""
    record_games(journal, game("Ada", "Ben"))
    rows = game("Ada", "Ben"), game("Ben", "Ada")
    games = planned("Cleo", "Ada"), planned("Ada", "B\u0435n", 4)
    with refused(RefusedMany, "look_alike") as caught:
        journal.commit(edition(*games, results=rows), CONSOLE)
    said = name_error(caught.value, (*rows, *games))
    assert "1 of 4 rows cannot be taken, the first: Ada, B\u0435n on 2024-10-08: " in said.message
    done = journal.commit(RecordTable(rows, "skip", planned=games, category="main"), CONSOLE)
    assert [(one.row, one.status) for one in done.results] == [
        (0, "recorded"), (1, "recorded"), (3, "refused"),
    ]  # fmt: skip
    assert pairs(journal) == [("Cleo", "Ada")]


def test_numbers_of_others_are_taken_as_they_are(journal):
    """A number that only looks like that of a row with a time is one of its own, tilde and all."""
    row = "0123456789abcdef01234567-1@shop~"
    numbers = [f"{row}a", f"{row}b"]
    games = tuple(
        Submission("main", "Ada", "Ben", score, external_id=number, source="shop")
        for score, number in zip((1.0, 0.0), numbers, strict=True)
    )
    results = journal.commit(RecordResults(games), CONSOLE).results
    assert [one.status for one in results] == [RECORDED] * 2
    with journal.store.read() as connection:
        kept = find_reported(connection, [("shop", number) for number in numbers])
    assert [key[1] for key in kept] == numbers


def test_a_table_may_have_many_games_to_come(journal):
    """A season of several divisions; those that are there already are counted against nothing."""
    names = [f"player {number}" for number in range(40)]
    unplayed = [
        UnplayedGame(a, b, (NOW + DAY_US) / DAY_US + number, 1.0)
        for number, (a, b) in enumerate(permutations(names, 2))
    ]
    games, ahead, notes = plan_unplayed(unplayed, NOW)
    assert (len(games), ahead, notes) == (1560, 1560, [])
    assert journal.commit(edition(*games[:600]), CONSOLE).numbers["fixtures"] == 600
    assert journal.commit(edition(*games), CONSOLE).numbers["fixtures"] == 960


def test_a_later_edition_with_times_of_day_records_no_game_again(journal):
    """Each game of a day settles to one recorded with the day alone; a further one is recorded."""

    def enter(*rows):
        a, b, dates = zip(*rows, strict=True)
        table = read_games(
            {"home": a, "away": b, "date": dates, "score": [1.0] * len(rows)}, warn=False
        )
        kept = Kept("main", "games", (), None)
        entry = RecordTable(tuple(read_submissions(table, kept, "plan")), category="main")
        return [(one.status, one.id) for one in journal.commit(entry, CONSOLE).results]

    first = enter(
        ("Ada", "Ben", "2024-05-01"), ("Ada", "Ben", "2024-05-01"), ("Ben", "Ada", "2024-05-02")
    )
    assert [status for status, _ in first] == [RECORDED] * 3
    later = (
        ("Ada", "Ben", "2024-05-01 18:00"),
        ("Ada", "Ben", "2024-05-01 19:30"),
        ("Ada", "Ben", "2024-05-01 21:00"),
        ("Ben", "Ada", "2024-05-02 19:30"),
    )
    same = [(ALREADY, number) for _, number in first]
    numbers = enter(*later)
    assert [*numbers[:2], numbers[3]] == same
    assert numbers[2][0] == RECORDED
    assert enter(*later) == [*same[:2], (ALREADY, numbers[2][1]), same[2]]


@pytest.mark.parametrize(
    ("day", "told"), [("2027-02-30", ', "2027-02-30"'), ("soon", ', "soon"'), ("", "")]
)
def test_a_game_without_a_day_that_can_be_read_is_told(tmp_path, day, told):
    """It stands beside others that are taken in, and is no game to come of any day; its line in
    the file and what stands there as a day are named.
    """
    path = tmp_path / "plan.csv"
    path.write_text(f"home,away,date\nBen,Cleo,{day}\nAda,Ben,2100-12-05\n", encoding="utf-8")
    table = read_table(partial(read_games, path))
    games, ahead, notes = plan_unplayed(table.reading.unplayed, NOW)
    assert ([(one.player_a, one.player_b) for one in games], ahead) == ([("Ada", "Ben")], 1)
    assert notes == [
        f"1 game without a result left out, for which no day can be read: line 2, Ben – Cleo{told}"
    ]


def test_the_result_that_settled_a_game_lets_it_come_again(journal):
    """Of two results of one pair in a batch one settled the game; the other one's end is nothing
    to it.
    """
    journal.commit(Schedule((planned("Ada", "Ben"),)), CONSOLE)
    first, second = record_games(journal, game("Ada", "Ben"), game("Ben", "Ada"))
    journal.commit(Void((second,)), CONSOLE)
    assert to_come(journal) == []
    journal.commit(Void((first,)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]
    journal.commit(Restore((second,)), CONSOLE)
    assert to_come(journal) == []
    journal.commit(Restore((first,)), CONSOLE)
    journal.commit(Void((first,)), CONSOLE)
    assert to_come(journal) == []


def test_a_result_from_before_a_game_was_planned_ends_it_not(journal):
    """Neither when it is restored nor when it is corrected."""
    (number,) = record_games(journal, game("Ada", "Ben"))
    journal.commit(Void((number,)), CONSOLE)
    journal.commit(Schedule((planned("Ada", "Ben"),)), CONSOLE)
    journal.commit(Restore((number,)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]
    journal.commit(Correct(number, Submission(player_a="Ada", player_b="Ben", score=0.5)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]


def test_a_corrected_result_settles_the_game_that_it_fits(journal):
    """Entered under the wrong name, it gives one game back and ends the other."""
    journal.commit(Schedule((planned("Ada", "Ben"), planned("Ada", "Cleo", 3))), CONSOLE)
    (number,) = record_games(journal, game("Ada", "Ben"))
    assert pairs(journal) == [("Ada", "Cleo")]
    journal.commit(Correct(number, Submission(player_a="Ada", player_b="Cleo", score=1.0)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]
    journal.commit(Correct(number, Submission(player_a="Cleo", player_b="Ada", score=1.0)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]


def test_a_late_correction_ends_no_other_game(journal):
    """The result of a game of long ago settled that one, and goes on to do so."""
    journal.commit(Schedule((planned("Ada", "Ben", 1), planned("Ada", "Ben", 7))), CONSOLE)
    (number,) = record_games(journal, game("Ada", "Ben"))
    assert [one.number for one in to_come(journal)] == [2]
    journal.clock = lambda: NOW + 33 * DAY_US
    journal.commit(Correct(number, Submission(player_a="Ada", player_b="Ben", score=0.5)), CONSOLE)
    assert [one.number for one in to_come(journal)] == [2]
    journal.commit(Void((number,)), CONSOLE)
    assert [one.number for one in to_come(journal)] == [2]


def migrate_again(journal: Journal) -> list[int | None]:
    """The result that settled each game, as a store learns it that does not know them."""
    settled = select(fixture.c.result_id).order_by(fixture.c.id)

    def migrate(connection: Connection) -> list[int | None]:
        connection.execute(text("ALTER TABLE fixture DROP COLUMN result_id"))
        migrations.add_settling(connection)
        return [*connection.scalars(settled)]

    return journal.store.writer.do(migrate)


def test_older_stores_learn_which_result_settled_a_game(journal):
    """By the players, the revision and the days; a game that was struck has none."""
    days = ("Ben", 2), ("Ben", 12), ("Cleo", 2)
    journal.commit(Schedule(tuple(planned("Ada", name, day) for name, day in days)), CONSOLE)
    journal.clock = lambda: NOW + 13 * DAY_US
    _, late, early, _ = record_games(
        journal,
        game("Ada", "Ben", day=900),
        game("Ben", "Ada", day=1012),
        game("Ada", "Ben", day=1006),
        game("Ada", "Dan"),
    )
    journal.commit(Cancel(3), CONSOLE)
    assert migrate_again(journal) == [early, late, None]


def test_older_stores_learn_what_a_joined_name_settled(journal):
    """By the mergers in force when the result was entered; then it lets the game come again."""
    journal.commit(Schedule((planned("Ada", "Ben", 2), planned("Annie", "Cleo", 2))), CONSOLE)
    journal.commit(Merge("Annie", "Ada"), CONSOLE)
    settling = record_games(journal, game("Annie", "Ben"), game("Cleo", "Ada"))
    assert migrate_again(journal) == settling
    journal.commit(Split("Annie"), CONSOLE)
    assert migrate_again(journal) == settling
    journal.commit(Void((settling[0],)), CONSOLE)
    assert pairs(journal) == [("Ada", "Ben")]
