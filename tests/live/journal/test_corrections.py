"""Corrections of results and players: what a preview says happens, and all of it can be undone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep

import pytest
import sqlalchemy
from sqlalchemy import Engine

from prowess.live.errors import Busy, Conflict, NotFound, Refused, Stale
from prowess.live.journal.categories import ChangeMethod, NewCategory, Publish
from prowess.live.journal.corrections import (
    Alias,
    Anonymise,
    Correct,
    Merge,
    Rename,
    Restore,
    RestoreWhere,
    Split,
    Void,
    VoidWhere,
)
from prowess.live.journal.journal import PREVIEWS, PREVIEWS_WAITING, Journal
from prowess.live.journal.ladders import CategoryPreviews
from prowess.live.journal.record import RecordResults
from prowess.live.journal.stored_log import collect_values
from prowess.live.journal.submission import Submission
from prowess.live.journal.unit_of_work import CommitResult
from prowess.live.result import DAY_US
from tests.live.journal.journals import (
    CONSOLE,
    NOW,
    game,
    is_verified,
    open_journal,
    read_values,
    record_games,
)
from tests.refusals import refused


def test_preview_says_exactly_what_happens(journal):
    """Every player whose values change is in the preview with the very numbers, nobody else is."""
    numbers = record_games(
        journal, *(game("ABCD"[k % 4], "BCDA"[k % 4], k % 3 / 2, k) for k in range(20))
    )
    record_games(journal, game("Y", "Z", day=30))
    entry = Correct(numbers[4], game("A", "C", 0.0))
    before = read_values(journal)
    outlook = journal.preview(entry, CONSOLE)
    assert read_values(journal) == before
    journal.commit(entry, CONSOLE, if_revision=outlook.revision)
    after = read_values(journal)
    movers = {journal.name(m.player): (m.before, m.after) for m in outlook.previews["main"].movers}
    assert movers == {p: (before[p], after[p]) for p in after if before[p] != after[p]}
    assert set(movers) == set("ABCD")
    assert is_verified(journal)


def test_few_previews_are_computed_at_a_time(sqlite_url, monkeypatch):
    """Some wait for their turn, more are sent away at once, and who writes waits for nobody."""
    go, begun, compute = Event(), [], CategoryPreviews.__call__

    def wait(previews, connection):
        begun.append(previews)
        assert go.wait(30)
        return compute(previews, connection)

    monkeypatch.setattr(CategoryPreviews, "__call__", wait)
    journal = open_journal(sqlite_url)
    (number,) = record_games(journal, game("Ada", "Ben", day=1))
    asked = 12
    with ThreadPoolExecutor(asked) as pool:
        waiting = {pool.submit(journal.preview, Void((number,)), CONSOLE) for _ in range(asked)}
        while len(waiting) > PREVIEWS + PREVIEWS_WAITING:
            for one in [one for one in waiting if one.done()]:
                waiting.remove(one)
                assert isinstance(one.exception(), Busy)
        while len(begun) < PREVIEWS:
            sleep(0.01)
        record_games(journal, game("Ada", "Ben", day=2))
        assert len(begun) == PREVIEWS
        go.set()
    assert len([one.result() for one in waiting]) == PREVIEWS + PREVIEWS_WAITING
    journal.close()


def test_void_and_restore(journal):
    """A void result leaves no trace in the ratings; restored, it is as if never void."""
    first, second = record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Cleo", day=2))
    both = read_values(journal)
    journal.commit(Void((first,), "wrong board"), CONSOLE)
    assert set(read_values(journal)) == {"Ben", "Cleo"}
    with refused(Conflict, "wrong_state"):
        journal.commit(Void((first,)), CONSOLE)
    journal.commit(Restore((first,)), CONSOLE)
    assert read_values(journal) == both
    journal.commit(VoidWhere(player="Cleo"), CONSOLE)
    assert set(read_values(journal)) == {"Ada", "Ben"}
    assert second == 2


def test_merge_and_split(journal):
    """Merged, two accounts rate as one player would; split, everything is as before."""
    record_games(
        journal,
        game("Ada", "Ben", day=1),
        game("Ada2", "Ben", 0.0, day=2),
        game("Cleo", "Ada", day=3),
    )
    before = read_values(journal)
    outlook = journal.preview(Merge("Ada2", "Ada"), CONSOLE)
    journal.commit(Merge("Ada2", "Ada"), CONSOLE)
    merged = read_values(journal)
    assert set(merged) == {"Ada", "Ben", "Cleo"}
    movers = {journal.name(m.player) for m in outlook.previews["main"].movers}
    assert movers >= {"Ada", "Ben"}
    assert is_verified(journal)
    record_games(journal, game("Ada2", "Cleo", day=4))  # the old name leads to the one player
    assert set(read_values(journal)) == {"Ada", "Ben", "Cleo"}
    journal.commit(VoidWhere(since=NOW - 996 * DAY_US), CONSOLE)
    journal.commit(Split("Ada2"), CONSOLE)
    assert read_values(journal) == before


def test_merging_opponents_is_refused(journal):
    """Two who played each other cannot be one player."""
    record_games(journal, game("Ada", "Ben"))
    with refused(Conflict, "self_play"):
        journal.commit(Merge("Ada", "Ben"), CONSOLE)
    assert set(read_values(journal)) == {"Ada", "Ben"}
    record_games(journal, game("Ada", "Cleo"))


def test_names(journal):
    """Renamed, a player is shown under the new name and found under both; forgotten, under none."""
    record_games(journal, game("Ada", "Ben"))
    journal.commit(Alias("Ada", "ada@site"), CONSOLE)
    journal.commit(Rename("ada@site", "Ada B."), CONSOLE)
    record_games(journal, game("Ada", "Ben"), game("ada@site", "Ben"))
    assert set(read_values(journal)) == {"Ada B.", "Ben"}
    numbers = sorted(v["rating"] for v in read_values(journal).values())
    journal.commit(Anonymise("Ada"), CONSOLE)
    assert set(read_values(journal)) == {"anonymous-1", "Ben"}
    assert sorted(v["rating"] for v in read_values(journal).values()) == numbers
    for name in ("Ada", "Ada B.", "ada@site"):
        with pytest.raises(NotFound):
            journal.registry.people.find(name)
    with refused(Conflict, "name_taken"):
        journal.commit(Rename("Ben", "anonymous-1"), CONSOLE)


def test_forgotten_names_are_nowhere(store_url, tmp_path):
    """After forgetting, no table holds the name."""
    from sqlalchemy import select

    from prowess.live.store.tables import TABLES

    journal = open_journal(store_url)
    record_games(journal, game("Zerubbabel", "Ben"))
    journal.commit(Publish("main", "first", "First list"), CONSOLE)
    journal.commit(Anonymise("Zerubbabel"), CONSOLE)
    with journal.store.read() as connection:
        for table in TABLES.sorted_tables:
            assert "Zerubbabel" not in repr(connection.execute(select(table)).all()), table.name
    journal.close()


def test_as_known_at_a_revision(journal):
    """What was shown at an earlier revision can be shown again, whatever was corrected since."""
    history = []
    numbers = record_games(journal, game("Ada", "Ben", day=1), game("Ben", "Cleo", day=2))
    history.append((journal.revision, read_values(journal)))
    for entry in (
        Correct(numbers[0], game("Ada", "Ben", 0.0)),
        Void((numbers[1],)),
        Restore((numbers[1],)),
        Merge("Cleo", "Ada"),
        ChangeMethod("main", params={"k": 10.0}),
    ):
        journal.commit(entry, CONSOLE)
        history.append((journal.revision, read_values(journal)))
    for revision, then in history:
        assert collect_values(journal.ratings("main", revision=revision)) == then
    day = (NOW - 1000 * DAY_US) / DAY_US + 1.5
    assert set(collect_values(journal.ratings("main", day, revision=history[0][0]))) == {
        "Ada",
        "Ben",
    }
    with pytest.raises(NotFound):
        journal.ratings("main", revision=journal.revision + 1)


def test_stale_edit_is_refused(journal):
    """An edit on an older revision than the present one is refused."""
    (number,) = record_games(journal, game("Ada", "Ben"))
    seen = journal.revision
    record_games(journal, game("Ada", "Ben"))
    with pytest.raises(Stale):
        journal.commit(Void((number,)), CONSOLE, if_revision=seen)


def test_reasons_are_texts(journal):
    """A reason that not every database can keep is refused."""
    (number,) = record_games(journal, game("Ada", "Ben"))
    for reason, code in (
        ("a\x00b", "bad_letter"),
        ("\ud800", "bad_letter"),
        ("x" * 2001, "too_long"),
    ):
        with refused(Refused, code, about="reason"):
            journal.commit(Void((number,), reason), CONSOLE)
    journal.commit(Void((number,), "<b>it's wrong</b>; DROP TABLE result"), CONSOLE)


def test_many_are_voided_and_restored_at_once(journal):
    """A change of many results takes as many statements as one of few, is told by its number
    alone, and what it made void is restored by its revision: that, and nothing else.
    """
    numbers = record_games(journal, *(game("Ada", "Ben", day=day / 2) for day in range(1_002)))
    record_games(journal, game("Ada", "Cleo", day=600))
    journal.commit(Void((numbers[0],)), CONSOLE)
    before, statements = read_values(journal), []

    def counted(*given):
        statements.append(given[2])

    sqlalchemy.event.listen(Engine, "before_cursor_execute", counted)
    done = journal.commit(VoidWhere(player="Ben", reason="the clock stood"), CONSOLE)
    sqlalchemy.event.remove(Engine, "before_cursor_execute", counted)
    assert len(statements) < 30
    assert (done.results, done.count) == ((), 1_001)
    assert CommitResult.from_data(done.as_data()).count == 1_001
    few = journal.commit(Void((1_003,)), CONSOLE)
    assert ([one.status for one in few.results], few.count) == (["void"], 1)
    assert read_values(journal) == {}
    journal.commit(Restore((1_003, numbers[1])), CONSOLE)
    assert journal.commit(RestoreWhere(done.revision), CONSOLE).count == 1_000
    assert read_values(journal) == before
    assert is_verified(journal)
    for revision, error in (
        (done.revision, (Conflict, "nothing_changes")),
        (1, (Conflict, "wrong_kind")),
        (99, (NotFound, "no_such_revision")),
    ):  # fmt: skip
        with refused(*error):
            journal.commit(RestoreWhere(revision), CONSOLE)


def test_forgotten_players_results_come_in_again(journal):
    """A result whose player was forgotten is there already when it is reported again: his name
    does not count, whatever else was said does, and the name is not taken up anew.
    """
    journal.commit(NewCategory("races", plays="contests"), CONSOLE)
    main, races = {"category": "main", "source": "s"}, {"category": "races", "source": "s"}
    placings = (("Zerubbabel", 1.0, None), ("Ben", 2.0, None), ("Cleo", 2.0, 5.0))
    told = (
        game("Zerubbabel", "Ben", day=1, external_id="1", **main),
        Submission(placings=placings, time=NOW, external_id="2", **races),
    )
    numbers = record_games(journal, *told)
    journal.commit(Anonymise("Zerubbabel"), CONSOLE)
    again = journal.commit(RecordResults((*told, game("Ben", "Cleo", category="main"))), CONSOLE)
    assert [one.status for one in again.results] == ["already", "already", "recorded"]
    assert [one.id for one in again.results[:2]] == numbers
    assert "Zerubbabel" not in journal.registry.people.names
    for other in (
        told[0]._replace(score=0.0),
        told[0]._replace(player_b="Cleo"),
        told[1]._replace(placings=(("Zerubbabel", 3.0, None), *placings[1:])),
        told[1]._replace(placings=(*placings[:2], ("Dan", 2.0, 5.0))),
        told[1]._replace(placings=placings[:2]),
    ):
        with refused(Conflict, "duplicate"):
            journal.commit(RecordResults((other,)), CONSOLE)


def test_forgotten_names_are_in_no_file(sqlite_url, tmp_path):
    """Once forgetting is acknowledged, neither the file of the store nor its log holds the name,
    in free space or elsewhere, and readers that are in the way only put that off.
    """
    journal = open_journal(sqlite_url)
    try:
        names = [f"Zerubbabel-{(k * 7919) % 2000:04}" for k in range(2000)]
        record_games(journal, *(game(name, "Ben", day=1) for name in names))
        record_games(journal, *(game("Obadiah", name, day=2) for name in names[:50]))
        journal.commit(Anonymise(names[1000]), CONSOLE)
        assert holding(journal, names[1000]) == []
        with journal.store.read() as connection:
            connection.execute(sqlalchemy.text("SELECT count(*) FROM player")).all()
            journal.commit(Anonymise("Obadiah"), CONSOLE)
        for _ in range(100):
            if not holding(journal, "Obadiah"):
                break
            sleep(0.1)
        assert holding(journal, "Obadiah") == []
    finally:
        journal.close()


def holding(journal: Journal, name: str) -> list[str]:
    """The files of a store that hold a name."""
    path = Path(str(journal.store.address.database))
    files = path.parent.glob(path.name + "*")
    return [one.name for one in files if name.encode() in one.read_bytes()]


def test_preview_of_a_split_names_both(journal):
    """In a preview everybody has his own name: who is split off, who is merged, a newcomer."""
    record_games(journal, game("Ada", "Ben", day=1), game("Ada2", "Ben", 0.0, day=2))
    for entry in (Merge("Ada2", "Ada"), Split("Ada2")):
        outlook = journal.preview(entry, CONSOLE)
        movers = {outlook.names[one.player] for one in outlook.previews["main"].movers}
        assert movers == {"Ada", "Ada2", "Ben"}
        journal.commit(entry, CONSOLE)
    outlook = journal.preview(RecordResults((game("Cleo", "Dan"),)), CONSOLE)
    assert set(outlook.names.values()) == {"Cleo", "Dan"}
