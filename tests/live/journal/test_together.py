"""Entries that wait are written together, as if each had come alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy import event, select

from prowess.engine.system import Unratable
from prowess.live.errors import Busy, Refused, StoreError
from prowess.live.journal.categories import NewCategory, Publish
from prowess.live.journal.corrections import Void
from prowess.live.journal.journal import Entry, Journal
from prowess.live.journal.record import RecordResults
from prowess.live.journal.unit_of_work import UnitOfWork
from prowess.live.ladder import ladder
from prowess.live.ladder.ladder import Ladder
from prowess.live.ladder.state import LadderState, advance
from prowess.live.store import access
from prowess.live.store.access import Actor, IdempotencyKey
from prowess.live.store.tables import TABLES
from tests.live.journal.journals import (
    CONSOLE,
    NOW,
    game,
    is_verified,
    open_journal,
    read_values,
    record_games,
)

ENTRIES = [  # acts, with the Idempotency-Key of some
    (RecordResults((game("Ada", "Ben", external_id="1"),)), None),
    (RecordResults((game("Cleo", "Ada", 0.5),)), "k1"),
    (RecordResults((game("Ada", "Ada"),)), None),
    (RecordResults((game("Ada", "Ben", external_id="1"),)), "k2"),
    (RecordResults((game("Ada", "Ben", 0.0, external_id="1"),)), None),
    (RecordResults((game("Cleo", "Ada", 0.5),)), "k1"),
    (RecordResults((game("Cleo", "Dan", external_id="9"), game("Dan", "Dan"))), None),
    (RecordResults((game("Dan", "Ben", 0.0, day=3, external_id="9"), game("Dan", "Eve"))), None),
    (Void((1,), "a mistake"), None),
    (RecordResults((game("\u0410da", "Ben"),)), None),  # a Cyrillic A
    (RecordResults((game("Eve", "Fay", external_id="2"),)), None),
]
OUTCOMES = [
    "recorded", "recorded", "self_play", "already", "duplicate", "recorded", "self_play",
    "recorded", "void", "look_alike", "recorded",
]  # fmt: skip


@dataclass(frozen=True)
class Slow(RecordResults):
    """Results that are staged for as long as a test says."""

    begun: Event = field(default_factory=Event)
    go_on: Event = field(default_factory=Event)

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        self.begun.set()
        assert self.go_on.wait(30)
        super().stage(unit)


def test_others_write_while_a_preview_is_staged(journal):
    """What they enter meanwhile gets the next numbers, and the preview shows the effect of its own
    results, new players among them.
    """
    record_games(journal, game("Ada", "Ben"))
    before, slow = journal.revision, Slow((game("Ada", "Cleo"), game("Ada", "Ben")))
    with ThreadPoolExecutor(1) as pool:
        preview = pool.submit(journal.preview, slow, CONSOLE)
        assert slow.begun.wait(30)
        assert record_games(journal, game("Dan", "Eve"), game("Ada", "Dan")) == [2, 3]
        slow.go_on.set()
        found = preview.result(30)
    assert (found.revision, [one.status for one in found.results]) == (before, ["recorded"] * 2)
    (shown,) = found.previews.values()
    assert shown.games_after - shown.games_before == 2
    assert {found.names[one.player] for one in shown.movers} >= {"Ada", "Ben", "Cleo"}
    assert record_games(journal, game("Cleo", "Dan")) == [4]
    assert is_verified(journal)


def test_a_preview_holds_nobody_up(tmp_path, monkeypatch):
    """While a slow preview is computed, results are recorded; it still holds for its revision."""
    begun, ready = Event(), Event()
    compute = Ladder._preview

    def wait(*given: Any) -> Any:
        begun.set()
        assert ready.wait(30)
        return compute(*given)

    with closing(open_journal(str(tmp_path / "ladder.db"))) as journal:
        journal.commit(RecordResults((game("Ada", "Ben"), game("Ben", "Cleo"))), CONSOLE)
        asked = RecordResults((game("Cleo", "Newcomer", 0.5, day=2),))
        expected = journal.preview(asked, CONSOLE)
        monkeypatch.setattr(Ladder, "_preview", wait)
        found: list[Any] = []
        thread = Thread(target=lambda: found.append(journal.preview(asked, CONSOLE)))
        thread.start()
        assert begun.wait(30)
        late = RecordResults((game("Dan", "Ada", day=1), game("Eve", "Cleo", day=3)))
        assert journal.commit(late, CONSOLE).revision == journal.revision  # nobody waits
        ready.set()
        thread.join(30)
        assert found == [expected]
        assert is_verified(journal)


@contextmanager
def busy(journal: Journal) -> Iterator[None]:
    """The writer does nothing until the end of the block: what is entered there waits."""
    blocked, ready = Event(), Event()

    def gate(_: Any) -> None:
        blocked.set()
        assert ready.wait(30)

    def block() -> None:
        with suppress(StoreError):  # of a commit that is lost on purpose
            journal.store.writer.do(gate)

    thread = Thread(target=block)
    thread.start()
    assert blocked.wait(30)
    try:
        yield
    finally:
        ready.set()
        thread.join()


def make_actor(journal: Journal) -> Actor:
    """Somebody who may do everything, with a token."""
    secret, _ = journal.store.writer.do(
        lambda connection: access.make_token(connection, "Zoe", ["admin"], now=NOW)
    )
    actor = journal.store.actors.find(secret, NOW)
    assert actor is not None
    return actor


def outcome(waiting: Any) -> str:
    """How an entry ended: its status, or the code of its refusal."""
    try:
        return str(waiting.result(30).results[0].status)
    except Refused as error:
        return error.code


def submit(journal: Journal, entries: Sequence[Any], actor: Actor) -> Iterator[Any]:
    """Submit entries; what each ends with."""
    for act, key in entries:
        assert actor.token is not None
        answer = None if key is None else IdempotencyKey(actor.token, key, f"bytes:{key}")
        yield journal.submit(Entry(act, actor, answer=answer))


def read_tables(journal: Journal) -> dict[str, list[Any]]:
    """Every row of the store but those of tokens, whose secrets are drawn."""
    with journal.store.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table))))
            for table in TABLES.sorted_tables
            if table.name != "token"
        }


def test_together_as_alone(tmp_path):
    """Whether entries are written in one commit or one by one: the same rows, receipts, ratings."""
    alone, together = (open_journal(str(tmp_path / f"{name}.db")) for name in ("alone", "together"))
    actor = make_actor(alone)
    assert [outcome(one) for one in submit(alone, ENTRIES, actor)] == OUTCOMES

    actor = make_actor(together)
    commits: list[object] = []
    with busy(together):
        event.listen(together.store.writer._engine, "commit", commits.append)
        waiting = list(submit(together, ENTRIES, actor))
    assert [outcome(one) for one in waiting] == OUTCOMES
    assert len(commits) == 1
    assert read_tables(together) == read_tables(alone)
    assert read_values(together) == read_values(alone)
    assert is_verified(together)
    for journal in (alone, together):
        journal.close()


def test_a_result_that_no_table_may_have_is_refused_alone(journal, monkeypatch):
    """Of entries that wait, only the one that the system cannot take is refused; nothing is left of
    it, not even its new players.
    """
    check = Ladder.check

    def refuse_weights(ladder: Ladder, changes: Any) -> None:
        if any(one.weight != 1.0 for one in changes.values()):
            raise Unratable("leave the weights out", code="weights_not_taken")
        check(ladder, changes)

    monkeypatch.setattr(Ladder, "check", refuse_weights)
    actor = make_actor(journal)
    games = [game("Ada", "Ben"), game("Cleo", "Fay", weight=2.0), game("Cleo", "Dan")]
    with busy(journal):
        waiting = list(submit(journal, [(RecordResults((one,)), None) for one in games], actor))
    assert [outcome(one) for one in waiting] == ["recorded", "unratable", "recorded"]
    assert set(read_values(journal)) == {"Ada", "Ben", "Cleo", "Dan"}
    assert journal.registry.people.number_of("Fay") is None
    assert journal.revision == 3  # the category, and two results
    assert is_verified(journal)


def refuse_fay(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """No ladder plays a game of Fay, as if her rating were no finite number."""

    def refuse(state: LadderState, changes: Any, **how: Any) -> LadderState:
        names = journal.registry.people.shown
        if any(one and "Fay" in map(names.get, one.players) for one in changes.values()):
            raise Unratable("leave Fay out", code="not_playable")
        return advance(state, changes, **how)

    monkeypatch.setattr(ladder, "advance", refuse)


def test_what_cannot_be_played_waits_alone(tmp_path, monkeypatch):
    """A durable result that cannot be rated waits, and tells why, while others are rated; the
    server starts with it, and once it is void nothing waits.
    """
    url = str(tmp_path / "ladder.db")
    for start in range(2):  # the second time from a saved log
        with closing(open_journal(url)) as journal:
            refuse_fay(journal, monkeypatch)
            if not start:
                actor = make_actor(journal)
                with busy(journal):
                    pairs = [("Ada", "Ben"), ("Cleo", "Fay"), ("Cleo", "Dan")]
                    entries = [(RecordResults((game(*pair),)), None) for pair in pairs]
                    waiting = list(submit(journal, entries, actor))
                assert [outcome(one) for one in waiting] == ["recorded"] * 3
            journal.commit(RecordResults((game("Dan", "Ada", 0.5),)), CONSOLE)
            view = journal.ladder("main").view()
            assert (view.waiting, view.trouble) == (1, "leave Fay out")
            assert view.applied is not None
            assert view.applied < journal.revision
            assert set(read_values(journal)) == {"Ada", "Ben", "Cleo", "Dan"}
            preview = journal.preview(RecordResults((game("Ada", "Eve"),)), CONSOLE)
            assert preview.previews["main"].games_before == 3 + start
    with closing(open_journal(url)) as journal:
        refuse_fay(journal, monkeypatch)
        assert journal.ladder("main").waiting == 1  # also where the last server began with it
        journal.commit(Void((2,)), CONSOLE)
        assert journal.ladder("main").view()[1:4] == (None, 0, None)
        monkeypatch.undo()
        assert is_verified(journal)


def test_a_slow_category_holds_nobody_up(tmp_path, monkeypatch):
    """While a category plays, results of others are rated, and its own are durable and wait: a
    caller without patience is answered, one with patience gets the ratings.
    """
    begun, ready = Event(), Event()

    def wait(state: LadderState, changes: Any, **how: Any) -> LadderState:
        if any(one and one.round == "slow" for one in changes.values()):
            begun.set()
            assert ready.wait(60)
        return advance(state, changes, **how)

    with closing(open_journal(str(tmp_path / "ladder.db"))) as journal:
        journal.commit(NewCategory("slow", system="elo"), CONSOLE)
        monkeypatch.setattr(ladder, "advance", wait)
        slow = [RecordResults((game("Ada", "Ben", category="slow", round="slow"),))] * 2
        journal.store.writer.patience = 0.0
        assert [journal.commit(act, CONSOLE).revision for act in slow] == [3, 4]
        assert begun.wait(30)
        fast = game("Ada", "Ben", category="main")
        assert journal.commit(RecordResults((fast,)), CONSOLE).revision == journal.revision == 5
        assert journal.ladder("main").view().waiting == 0
        view = journal.ladder("slow").view()
        assert (view.ratings, view.applied, view.waiting) == (None, 2, 2)
        with pytest.raises(Busy):
            journal.commit(Publish("slow", "spring", "Spring"), CONSOLE)
        journal.store.writer.patience = inf
        late = journal.submit(Entry(slow[0], CONSOLE))
        assert journal.commit(RecordResults((fast,)), CONSOLE).revision == 7
        assert not late.done()
        ready.set()
        assert late.result(30).revision == 6
        assert journal.ladder("slow").settle(30)
        assert len(journal.ladder("slow")) == 3
        assert is_verified(journal)


def test_a_lost_commit_is_lost_for_all(journal, monkeypatch):
    """Where the rows of entries cannot be written, all are told, and memory is read again."""
    actor = make_actor(journal)

    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("prowess.live.journal.journal.write_units", fail)
    with busy(journal):
        entries = [(RecordResults((game(*pair),)), None) for pair in ("AB", "CD")]
        waiting = list(submit(journal, entries, actor))
    for one in waiting:
        with pytest.raises(Exception, match="no room"):
            one.result(30)
    monkeypatch.undo()
    assert journal.registry.people.number_of("A") is None
    assert [outcome(one) for one in submit(journal, entries, actor)] == ["recorded", "recorded"]
    assert is_verified(journal)
