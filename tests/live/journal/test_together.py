"""Entries that wait are written together, as if each had come alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy import event, select

from prowess.engine.system import Unratable
from prowess.live.errors import Refused, StoreError
from prowess.live.journal.corrections import Void
from prowess.live.journal.journal import Entry, Journal
from prowess.live.journal.record import RecordResults
from prowess.live.ladder.ladder import Ladder
from prowess.live.store import access
from prowess.live.store.access import Actor, IdempotencyKey
from prowess.live.store.tables import TABLES
from tests.live.journal.journals import CONSOLE, NOW, game, is_verified, open_journal, read_values

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
    with journal.store.read() as connection:
        actor = access.find_actor(connection, secret, NOW)
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


def test_a_result_that_cannot_be_rated_is_refused_alone(journal, monkeypatch):
    """Of entries that wait, only the one that no system can rate is refused; nothing is left of it,
    not even its new players.
    """
    apply = Ladder.apply

    def refuse_fay(ladder: Ladder, changes: Any) -> None:
        names = journal.registry.people.shown
        if any("Fay" in map(names.get, one.players) for one in changes.values()):
            raise Unratable("leave Fay out", code="not_playable")
        apply(ladder, changes)

    monkeypatch.setattr(Ladder, "apply", refuse_fay)
    actor = make_actor(journal)
    pairs = [("Ada", "Ben"), ("Cleo", "Fay"), ("Cleo", "Dan")]
    with busy(journal):
        entries = [(RecordResults((game(*pair),)), None) for pair in pairs]
        waiting = list(submit(journal, entries, actor))
    assert [outcome(one) for one in waiting] == ["recorded", "unratable", "recorded"]
    monkeypatch.undo()
    assert set(read_values(journal)) == {"Ada", "Ben", "Cleo", "Dan"}
    assert journal.registry.people.number_of("Fay") is None
    assert journal.revision == 3  # the category, and two results
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
