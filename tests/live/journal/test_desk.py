"""The desk: what is acknowledged is durable, counted once, and rated as the batch program would."""

from __future__ import annotations

from pathlib import Path
from time import sleep

import pytest
import sqlalchemy
from sqlalchemy import Engine

from prowess.live.errors import Conflict, NotAllowed, NotFound, Refused, RefusedMany, Stale
from prowess.live.journal.categories import ChangeMethod, NewCategory, NewSeason, Publish
from prowess.live.journal.corrections import (
    Accept,
    Alias,
    Anonymise,
    Correct,
    Merge,
    Reject,
    Rename,
    Restore,
    RestoreWhere,
    Split,
    Void,
    VoidWhere,
)
from prowess.live.journal.journal import Journal, verify_store
from prowess.live.journal.record import RecordResults
from prowess.live.journal.stored_log import collect_values
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import CommitResult, IdempotencyKey, JournalEvent
from prowess.live.result import DAY
from prowess.live.store import access
from tests.live.journal.books import CONSOLE, NOW, game, opened, recorded


@pytest.fixture
def desk(store_url):
    desk = opened(store_url)
    yield desk
    desk.close()


def shown(desk: Journal) -> dict[str, dict[str, float]]:
    return collect_values(desk.ratings("main"))


def equal(desk: Journal) -> bool:
    """Whether everything shown equals the replay of the log."""
    return not any(
        proof.differences for proof in verify_store(desk.store.address.render_as_string(False))
    )


def test_elo_by_hand(desk):
    """Two equal players: the winner of a game at K = 32 gains 16 points (Elo's formula)."""
    recorded(desk, game("Ada", "Ben"))
    k = 32.0
    assert {p: v["rating"] for p, v in shown(desk).items()} == {
        "Ada": 1500.0 + k / 2, "Ben": 1500.0 - k / 2
    }  # fmt: skip


def test_nothing_is_lost_over_a_restart(desk, store_url):
    """Closed and opened again, a desk shows the same, with its checkpoint or without."""
    recorded(desk, game("Ada", "Ben", day=1), game("Ben", "Cleo", 0.5, day=2))
    before, revision = shown(desk), desk.revision
    desk.close()
    for _ in range(2):
        again = opened(store_url)
        assert (shown(again), again.revision) == (before, revision)
        again.close()


def test_same_external_number_counts_once(desk):
    """Sent again, a result is acknowledged as the same; otherwise filled in, it is a conflict."""
    one = game("Ada", "Ben", external_id="g1", source="club")
    (first,) = desk.commit(RecordResults((one,)), CONSOLE).results
    again = desk.commit(RecordResults((one,)), CONSOLE)
    assert (again.results[0].id, again.results[0].status) == (first.id, "already")
    assert len(desk.ladder("main")) == 1
    with pytest.raises(Conflict, match="said otherwise"):
        desk.commit(
            RecordResults((game("Ada", "Ben", 0.0, external_id="g1", source="club"),)), CONSOLE
        )
    desk.commit(Correct(first.id, game("Ada", "Ben", 0.0)), CONSOLE)
    assert desk.commit(RecordResults((one,)), CONSOLE).results[0].status == "already"


def test_external_number_twice_in_one_bulk(desk):
    """The second of two equal rows of one bulk is acknowledged as the first."""
    one = game("Ada", "Ben", day=3, external_id="g1")
    results = desk.commit(RecordResults((one, one)), CONSOLE).results
    assert [r.status for r in results] == ["recorded", "already"]
    assert results[0].id == results[1].id


def test_bulk_is_all_or_nothing(desk):
    """One bad row and nothing is written, not even a player; the row and field are named."""
    rows = (game("Ada", "Ben"), game("Ada", "Ada"), game("Cleo", "Dan", 1.5))
    revision = desk.revision
    with pytest.raises(RefusedMany) as caught:
        desk.commit(RecordResults(rows), CONSOLE)
    assert [(e.row, e.code, e.field) for e in caught.value.errors] == [
        (1, "self_play", "player_b"), (2, "bad_score", "score")
    ]  # fmt: skip
    assert desk.revision == revision
    with pytest.raises(NotFound):
        desk.registry.people.find("Ada")


def test_bulk_may_skip(desk):
    """With on_error=skip the good rows are taken and every bad one is told."""
    rows = (game("Ada", "Ben"), game("Ada", "Ada"), game("Cleo", "Dan"))
    receipt = desk.commit(RecordResults(rows, "skip"), CONSOLE)
    assert [one.status for one in receipt.results] == ["recorded", "refused", "recorded"]
    assert len(desk.ladder("main")) == 2


def test_dry_run_writes_nothing(desk):
    """A dry run says what would be, and leaves store, ladders and names as they were."""
    revision = desk.revision
    receipt = desk.commit(RecordResults((game("Ada", "Ben"),)), CONSOLE, dry_run=True)
    assert receipt.results[0].status == "recorded"
    assert desk.revision == revision
    assert shown(desk) == {}
    assert "Ada" not in desk.registry.people.names


def test_preview_says_exactly_what_happens(desk):
    """Every player whose values change is in the preview with the very numbers, nobody else is."""
    numbers = recorded(desk, *(game("ABCD"[k % 4], "BCDA"[k % 4], k % 3 / 2, k) for k in range(20)))
    recorded(desk, game("Y", "Z", day=30))
    entry = Correct(numbers[4], game("A", "C", 0.0))
    before = shown(desk)
    outlook = desk.preview(entry, CONSOLE)
    assert shown(desk) == before
    desk.commit(entry, CONSOLE, if_revision=outlook.revision)
    after = shown(desk)
    movers = {desk.name(m.player): (m.before, m.after) for m in outlook.previews["main"].movers}
    assert movers == {p: (before[p], after[p]) for p in after if before[p] != after[p]}
    assert set(movers) == set("ABCD")
    assert equal(desk)


def test_void_and_restore(desk):
    """A void result leaves no trace in the ratings; restored, it is as if never void."""
    first, second = recorded(desk, game("Ada", "Ben", day=1), game("Ben", "Cleo", day=2))
    both = shown(desk)
    desk.commit(Void((first,), "wrong board"), CONSOLE)
    assert set(shown(desk)) == {"Ben", "Cleo"}
    with pytest.raises(Conflict, match="cannot be made void"):
        desk.commit(Void((first,)), CONSOLE)
    desk.commit(Restore((first,)), CONSOLE)
    assert shown(desk) == both
    desk.commit(VoidWhere(player="Cleo"), CONSOLE)
    assert set(shown(desk)) == {"Ada", "Ben"}
    assert second == 2


def test_held_results_wait(desk):
    """What a token under review reports counts only when it is accepted."""
    newcomer = access.Actor(None, "newcomer", frozenset({"submit"}), None, review=True)
    first, second = recorded(desk, game("Ada", "Ben"), game("Ada", "Cleo"), actor=newcomer)
    assert shown(desk) == {}
    with pytest.raises(NotAllowed):
        desk.commit(Accept((first,)), newcomer)
    desk.commit(Accept((first,)), CONSOLE)
    desk.commit(Reject((second,), "never played"), CONSOLE)
    assert set(shown(desk)) == {"Ada", "Ben"}


def test_merge_and_split(desk):
    """Merged, two accounts rate as one player would; split, everything is as before."""
    recorded(
        desk, game("Ada", "Ben", day=1), game("Ada2", "Ben", 0.0, day=2), game("Cleo", "Ada", day=3)
    )
    before = shown(desk)
    outlook = desk.preview(Merge("Ada2", "Ada"), CONSOLE)
    desk.commit(Merge("Ada2", "Ada"), CONSOLE)
    merged = shown(desk)
    assert set(merged) == {"Ada", "Ben", "Cleo"}
    movers = {desk.name(m.player) for m in outlook.previews["main"].movers}
    assert movers >= {"Ada", "Ben"}
    assert equal(desk)
    recorded(desk, game("Ada2", "Cleo", day=4))  # the old name leads to the one player
    assert set(shown(desk)) == {"Ada", "Ben", "Cleo"}
    desk.commit(VoidWhere(since=NOW - 996 * DAY), CONSOLE)
    desk.commit(Split("Ada2"), CONSOLE)
    assert shown(desk) == before


def test_merging_opponents_is_refused(desk):
    """Two who played each other cannot be one player."""
    recorded(desk, game("Ada", "Ben"))
    with pytest.raises(Conflict, match="both sides"):
        desk.commit(Merge("Ada", "Ben"), CONSOLE)
    assert set(shown(desk)) == {"Ada", "Ben"}
    recorded(desk, game("Ada", "Cleo"))


def test_names(desk):
    """Renamed, a player is shown under the new name and found under both; forgotten, under none."""
    recorded(desk, game("Ada", "Ben"))
    desk.commit(Alias("Ada", "ada@site"), CONSOLE)
    desk.commit(Rename("ada@site", "Ada B."), CONSOLE)
    recorded(desk, game("Ada", "Ben"), game("ada@site", "Ben"))
    assert set(shown(desk)) == {"Ada B.", "Ben"}
    numbers = sorted(v["rating"] for v in shown(desk).values())
    desk.commit(Anonymise("Ada"), CONSOLE)
    assert set(shown(desk)) == {"anonymous-1", "Ben"}
    assert sorted(v["rating"] for v in shown(desk).values()) == numbers
    for name in ("Ada", "Ada B.", "ada@site"):
        with pytest.raises(NotFound):
            desk.registry.people.find(name)
    with pytest.raises(Conflict, match="is in use already"):
        desk.commit(Rename("Ben", "anonymous-1"), CONSOLE)


def test_forgotten_names_are_nowhere(store_url, tmp_path):
    """After forgetting, no table holds the name."""
    from sqlalchemy import select

    from prowess.live.store.tables import TABLES

    desk = opened(store_url)
    recorded(desk, game("Zerubbabel", "Ben"))
    desk.commit(Publish("main", "first", "First list"), CONSOLE)
    desk.commit(Anonymise("Zerubbabel"), CONSOLE)
    with desk.store.read() as connection:
        for table in TABLES.sorted_tables:
            assert "Zerubbabel" not in repr(connection.execute(select(table)).all()), table.name
    desk.close()


def test_change_of_constants(desk):
    """Other constants are a replay: the preview says whom they move, and the ratings follow."""
    recorded(desk, game("Ada", "Ben", day=1), game("Ben", "Ada", day=2))
    change = ChangeMethod("main", params={"k": 10.0})
    outlook = desk.preview(change, CONSOLE)
    before = shown(desk)
    desk.commit(change, CONSOLE)
    after = shown(desk)
    movers = {desk.name(m.player): (m.before, m.after) for m in outlook.previews["main"].movers}
    assert movers == {p: (before[p], after[p]) for p in after}
    assert equal(desk)
    with pytest.raises(Refused, match="no parameter"):
        desk.commit(ChangeMethod("main", params={"kk": 1.0}), CONSOLE)
    with pytest.raises(Refused, match="catalogue"):
        desk.commit(ChangeMethod("main", system="own.py:MINE"), CONSOLE)
    desk.commit(ChangeMethod("main", system="glicko2", period="1mo"), CONSOLE)
    assert "deviation" in shown(desk)["Ada"]
    assert equal(desk)


def test_as_known_at_a_revision(desk):
    """What was shown at an earlier revision can be shown again, whatever was corrected since."""
    history = []
    numbers = recorded(desk, game("Ada", "Ben", day=1), game("Ben", "Cleo", day=2))
    history.append((desk.revision, shown(desk)))
    for entry in (
        Correct(numbers[0], game("Ada", "Ben", 0.0)),
        Void((numbers[1],)),
        Restore((numbers[1],)),
        Merge("Cleo", "Ada"),
        ChangeMethod("main", params={"k": 10.0}),
    ):
        desk.commit(entry, CONSOLE)
        history.append((desk.revision, shown(desk)))
    for revision, then in history:
        assert collect_values(desk.ratings("main", revision=revision)) == then
    day = (NOW - 1000 * DAY) / DAY + 1.5
    assert set(collect_values(desk.ratings("main", day, revision=history[0][0]))) == {"Ada", "Ben"}
    with pytest.raises(NotFound):
        desk.ratings("main", revision=desk.revision + 1)


def test_published_lists_stay(desk):
    """A published list is what it was, after any correction."""
    from sqlalchemy import select

    from prowess.live.store.tables import published_row

    (number,) = recorded(desk, game("Ada", "Ben", day=1))
    desk.commit(Publish("main", "week-1", "First week"), CONSOLE)
    desk.commit(Void((number,)), CONSOLE)
    with desk.store.read() as connection:
        rows = connection.execute(select(published_row)).mappings().all()
    assert [(row["rank"], row["name"]) for row in rows] == [(1, "Ada"), (2, "Ben")]
    with pytest.raises(Conflict, match="key"):
        desk.commit(Publish("main", "week-1", "Again"), CONSOLE)
    desk.commit(NewSeason("main", "2024", "Season 2024", NOW - 100 * DAY, NOW), CONSOLE)
    with pytest.raises(Refused, match="ends after"):
        desk.commit(NewSeason("main", "2025", "Season 2025", NOW, NOW), CONSOLE)


def test_stale_edit_is_refused(desk):
    """An edit on an older revision than the present one is refused."""
    (number,) = recorded(desk, game("Ada", "Ben"))
    seen = desk.revision
    recorded(desk, game("Ada", "Ben"))
    with pytest.raises(Stale):
        desk.commit(Void((number,)), CONSOLE, if_revision=seen)


def test_request_repeated_is_answered_again(desk):
    """The same Idempotency-Key brings the same receipt and writes nothing."""
    secret, number = desk.store.writer.do(
        lambda c: access.make_token(c, "club", ["submit"], now=NOW)
    )
    with desk.store.read() as connection:
        actor = access.find_actor(connection, secret, NOW)
    entry = RecordResults((game("Ada", "Ben"),))
    key = IdempotencyKey("k1", "POST /results sha")
    first = desk.commit(entry, actor, answer=key)
    again = desk.commit(entry, actor, answer=key)
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.revision, again.results) == (first.revision, first.results)
    assert len(desk.ladder("main")) == 1
    assert number == actor.token


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"player_a": ""}, "empty_name"),
        ({"player_a": "\u00a0 "}, "empty_name"),
        ({"player_a": "\u0301"}, "empty_name"),
        ({"player_a": "A" * 201}, "too_long"),
        ({"player_a": "A\x00B"}, "bad_letter"),
        ({"player_a": "A\ud800"}, "bad_letter"),
        ({"player_a": None}, "missing"),
        ({"score": float("nan")}, "bad_score"),
        ({"score": None}, "missing"),
        ({"weight": 0.0}, "bad_weight"),
        ({"side": 0.5}, "bad_side"),
        ({"margin": 3.0}, "not_kept"),
        ({"time": NOW + 2 * DAY}, "future"),
        ({"external_id": ""}, "empty"),
        ({"category": "chess"}, "no_such_category"),
        ({"placings": (("Ada", 1.0, None),)}, "not_a_game"),
    ],
)
def test_bad_submissions(sqlite_url, given, code):
    """Every kind of bad value is refused under its code, and nothing is written."""
    desk = opened(sqlite_url)
    one = {"player_a": "Ada", "player_b": "Ben", "score": 1.0} | given
    with pytest.raises(Refused) as caught:
        desk.commit(RecordResults((Submission(**one),)), CONSOLE)
    assert caught.value.code == code
    assert shown(desk) == {}
    desk.close()


def test_contests(store_url):
    """A category of contests: recorded, corrected, void, merged, and equal to the batch run."""
    desk = opened(store_url, plays="contests", system="codechef")
    races = [
        Submission(
            placings=tuple((name, float(place + 1), None) for place, name in enumerate(order)),
            time=NOW - (10 - k) * DAY,
        )
        for k, order in enumerate(["ABCD", "DCBA", "BADC", "CAB", "EDA"])
    ]
    numbers = recorded(desk, *races)
    assert equal(desk)
    desk.commit(
        Correct(numbers[1], Submission(placings=(("D", 1.0, None), ("A", 1.0, None)))), CONSOLE
    )
    desk.commit(Void((numbers[0],)), CONSOLE)
    assert equal(desk)
    with pytest.raises(Conflict):
        desk.commit(Merge("A", "B"), CONSOLE)
    desk.commit(Merge("E", "B"), CONSOLE)
    assert equal(desk)
    desk.close()
    again = opened(store_url)
    assert equal(again)
    again.close()


def test_categories_are_ladders_of_their_own(desk):
    """A result belongs to one category; where there are several, it has to say which."""
    desk.commit(NewCategory("blitz", system="glicko2"), CONSOLE)
    with pytest.raises(Refused, match="give a category"):
        recorded(desk, game("Ada", "Ben"))
    recorded(desk, game("Ada", "Ben", category="blitz"))
    assert shown(desk) == {}
    assert set(collect_values(desk.ratings("blitz"))) == {"Ada", "Ben"}
    with pytest.raises(Conflict):
        desk.commit(NewCategory("blitz"), CONSOLE)


def test_events_follow_commits(desk):
    """Every entry that took effect is told, in order, and a refused one is not."""
    told: list[JournalEvent] = []
    stop = desk.listen(told.append)
    (number,) = recorded(desk, game("Ada", "Ben"))
    with pytest.raises(Refused):
        recorded(desk, game("Ada", "Ada"))
    desk.commit(Void((number,)), CONSOLE)
    stop()
    recorded(desk, game("Ada", "Ben"))
    assert [(e.kind, e.results, e.category) for e in told] == [
        ("record", (number,), "main"), ("void", (number,), "main")
    ]  # fmt: skip
    assert [e.revision for e in told] == [desk.revision - 2, desk.revision - 1]


def test_wall_clock_that_goes_back(store_url):
    """Revisions keep their order in time when the machine's clock is set back."""
    times = iter([NOW, NOW, NOW - DAY, NOW - 2 * DAY])
    desk = Journal.open(store_url, clock=lambda: next(times, NOW - 3 * DAY))
    desk.commit(NewCategory("main"), CONSOLE)
    receipts = [desk.commit(RecordResults((game("Ada", "Ben"),)), CONSOLE) for _ in range(3)]
    assert [r.at for r in receipts] == sorted(r.at for r in receipts)
    desk.close()


def test_reasons_are_texts(desk):
    """A reason that not every database can keep is refused."""
    (number,) = recorded(desk, game("Ada", "Ben"))
    for reason in ("a\x00b", "\ud800", "x" * 2001):
        with pytest.raises(Refused, match="reason"):
            desk.commit(Void((number,), reason), CONSOLE)
    desk.commit(Void((number,), "<b>it's wrong</b>; DROP TABLE result"), CONSOLE)


def test_many_are_voided_and_restored_at_once(desk):
    """A change of many results takes as many statements as one of few, is told by its number
    alone, and what it made void is restored by its revision: that, and nothing else.
    """
    numbers = recorded(desk, *(game("Ada", "Ben", day=day / 2) for day in range(1_002)))
    recorded(desk, game("Ada", "Cleo", day=600))
    desk.commit(Void((numbers[0],)), CONSOLE)
    before, statements = shown(desk), []

    def counted(*given):
        statements.append(given[2])

    sqlalchemy.event.listen(Engine, "before_cursor_execute", counted)
    done = desk.commit(VoidWhere(player="Ben", reason="the clock stood"), CONSOLE)
    sqlalchemy.event.remove(Engine, "before_cursor_execute", counted)
    assert len(statements) < 30
    assert (done.results, done.count) == ((), 1_001)
    assert CommitResult.from_data(done.as_data()).count == 1_001
    few = desk.commit(Void((1_003,)), CONSOLE)
    assert ([one.status for one in few.results], few.count) == (["void"], 1)
    assert shown(desk) == {}
    desk.commit(Restore((1_003, numbers[1])), CONSOLE)
    assert desk.commit(RestoreWhere(done.revision), CONSOLE).count == 1_000
    assert shown(desk) == before
    assert equal(desk)
    for revision, error in (
        (done.revision, "still void"), (1, "no result void"), (99, "no revision"),
    ):  # fmt: skip
        with pytest.raises(Refused, match=error):
            desk.commit(RestoreWhere(revision), CONSOLE)


def test_receipts_say_what_became_of_results(desk):
    """A correction's receipt says corrected, a restoration's restored, and so on."""
    newcomer = access.Actor(None, "newcomer", frozenset({"submit"}), None, review=True)
    first, second = recorded(desk, game("Ada", "Ben"), game("Ada", "Cleo"), actor=newcomer)
    for entry, word in (
        (Accept((first,)), "accepted"),
        (Reject((second,)), "rejected"),
        (Correct(first, game("Ada", "Ben", 0.5)), "corrected"),
        (Void((first,)), "void"),
        (Restore((first,)), "restored"),
    ):
        assert [one.status for one in desk.commit(entry, CONSOLE).results] == [word]


def test_forgotten_players_results_come_in_again(desk):
    """A result whose player was forgotten is there already when it is reported again: his name
    does not count, whatever else was said does, and the name is not taken up anew.
    """
    desk.commit(NewCategory("races", plays="contests"), CONSOLE)
    main, races = {"category": "main", "source": "s"}, {"category": "races", "source": "s"}
    placings = (("Zerubbabel", 1.0, None), ("Ben", 2.0, None), ("Cleo", 2.0, 5.0))
    told = (
        game("Zerubbabel", "Ben", day=1, external_id="1", **main),
        Submission(placings=placings, time=NOW, external_id="2", **races),
    )
    numbers = recorded(desk, *told)
    desk.commit(Anonymise("Zerubbabel"), CONSOLE)
    again = desk.commit(RecordResults((*told, game("Ben", "Cleo", category="main"))), CONSOLE)
    assert [one.status for one in again.results] == ["already", "already", "recorded"]
    assert [one.id for one in again.results[:2]] == numbers
    assert "Zerubbabel" not in desk.registry.people.names
    for other in (
        told[0]._replace(score=0.0),
        told[0]._replace(player_b="Cleo"),
        told[1]._replace(placings=(("Zerubbabel", 3.0, None), *placings[1:])),
        told[1]._replace(placings=(*placings[:2], ("Dan", 2.0, 5.0))),
        told[1]._replace(placings=placings[:2]),
    ):
        with pytest.raises(Conflict, match="said otherwise"):
            desk.commit(RecordResults((other,)), CONSOLE)


def test_forgotten_names_are_in_no_file(sqlite_url, tmp_path):
    """Once forgetting is acknowledged, neither the file of the store nor its log holds the name,
    in free space or elsewhere, and readers that are in the way only put that off.
    """
    desk = opened(sqlite_url)
    try:
        names = [f"Zerubbabel-{(k * 7919) % 2000:04}" for k in range(2000)]
        recorded(desk, *(game(name, "Ben", day=1) for name in names))
        recorded(desk, *(game("Obadiah", name, day=2) for name in names[:50]))
        desk.commit(Anonymise(names[1000]), CONSOLE)
        assert holding(desk, names[1000]) == []
        with desk.store.read() as connection:
            connection.execute(sqlalchemy.text("SELECT count(*) FROM player")).all()
            desk.commit(Anonymise("Obadiah"), CONSOLE)
        for _ in range(100):
            if not holding(desk, "Obadiah"):
                break
            sleep(0.1)
        assert holding(desk, "Obadiah") == []
    finally:
        desk.close()


def holding(desk: Journal, name: str) -> list[str]:
    """The files of a store that hold a name."""
    path = Path(str(desk.store.address.database))
    files = path.parent.glob(path.name + "*")
    return [one.name for one in files if name.encode() in one.read_bytes()]


def test_preview_of_a_split_names_both(desk):
    """In a preview everybody has his own name: who is split off, who is merged, a newcomer."""
    recorded(desk, game("Ada", "Ben", day=1), game("Ada2", "Ben", 0.0, day=2))
    for entry in (Merge("Ada2", "Ada"), Split("Ada2")):
        outlook = desk.preview(entry, CONSOLE)
        movers = {outlook.names[one.player] for one in outlook.previews["main"].movers}
        assert movers == {"Ada", "Ada2", "Ben"}
        desk.commit(entry, CONSOLE)
    outlook = desk.preview(RecordResults((game("Cleo", "Dan"),)), CONSOLE)
    assert set(outlook.names.values()) == {"Cleo", "Dan"}


def test_all_bad_rows_are_counted(desk):
    """A refusal of many rows says how many they are, and names the first hundred."""
    bad = [game("Ada", "Ada")] * 150
    with pytest.raises(RefusedMany, match="150 of 151 rows") as refused:
        recorded(desk, game("Ada", "Ben"), *bad)
    assert [one.row for one in refused.value.errors] == list(range(1, 101))
