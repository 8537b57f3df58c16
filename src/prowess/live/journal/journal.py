"""The journal: stages write acts, writes them to the store and updates the ladders.

The writer's thread makes facts durable: it stages acts, checks what can be checked without playing,
writes their rows and commits. New results that wait are staged one after the other, each a revision
of its own, and written together. Then each ladder plays what changed, in its own time; who entered
it is answered when that is done, or after a while. If a commit fails, everything in memory is read
from the store again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError

from prowess.live.errors import Busy, NotAllowed, NotFound, Refused, Stale, StoreError
from prowess.live.journal.categories import ChangeMethod
from prowess.live.journal.ladders import EarlierLadders, Ladders, RatedAhead
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import Category, Registry
from prowess.live.journal.stored_log import (
    Served,
    Verification,
    collect_values,
    read_log_columns,
    verify_category,
)
from prowess.live.journal.submission import LONGEST_REASON, SKEW, check_text
from prowess.live.journal.unit_of_work import (
    ACT_EVENTS,
    CommitResult,
    JournalEvent,
    LookedUp,
    PreviewResult,
    UnitOfWork,
    WriteAct,
    may_enter,
    write_units,
)
from prowess.live.ladder.ladder import Ladder, RevisedResults
from prowess.live.result import DAY_US
from prowess.live.store import webhooks
from prowess.live.store.access import Actor, Answers, IdempotencyKey
from prowess.live.store.queries import find_reported
from prowess.live.store.reading import empty_store, open_to_read
from prowess.live.store.store import LOCK_WAIT, Store, forget_address, open_store
from prowess.live.store.tables import revision

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

T = TypeVar("T")
PLAYED_OUT = 10.0  # seconds that the end of a server waits for what its ladders play
PREVIEWS, PREVIEWS_WAITING = 2, 4  # computed at a time; waiting for that
PREVIEW_PATIENCE = 20.0  # seconds that one waits


class Entry(NamedTuple):
    """A write act to commit.

    It is refused (Stale) if a later revision than `if_revision` exists, or a later version of a
    result than `if_version` (its number and revision). `dry_run` writes nothing. The same `answer`
    key returns the first result again. `ahead` is what a change of a rating method leads to.
    `checks` look at the act as it is staged, and may refuse it or add to it.
    """

    act: WriteAct
    actor: Actor
    if_revision: int | None = None
    dry_run: bool = False
    answer: IdempotencyKey | None = None
    ahead: RatedAhead | None = None
    if_version: tuple[int, int] | None = None
    checks: Sequence[Callable[[UnitOfWork], None]] = ()


class Journal:
    """An open store and its ladders in memory; every change goes through `commit`."""

    def __init__(self, store: Store, clock: Callable[[], int] | None = None) -> None:
        """`clock` gives microseconds since 1970; None takes the machine's."""
        self.store = store
        self.clock = clock or machine_clock
        self._listeners: list[Callable[[JournalEvent], None]] = []
        self._earlier = EarlierLadders(store)
        self._previews = BoundedSemaphore(PREVIEWS)
        self._preview_places = BoundedSemaphore(PREVIEWS + PREVIEWS_WAITING)
        self._ahead = Lock()  # of the one category that is being rated otherwise
        self.registry, self.ladders = self._read()
        self.revision = self.registry.revision  # the last one that is durable and in effect
        self._entered: list[UnitOfWork] = []  # not durable yet
        store.writer.on_lost = self._reload

    @classmethod
    def open(
        cls,
        url: str,
        *,
        claim: bool = True,
        patience: float = LOCK_WAIT,
        clock: Callable[[], int] | None = None,
    ) -> Journal:
        """Open the journal of a store; `claim` makes it the only server. Raises StoreError.

        `patience` is how many seconds another program may take to leave the store.
        """
        store = open_store(url, create=claim)
        try:
            if claim:
                store.claim(patience)
                forget_address(store)  # of a server that was killed
            return cls.of(store, clock)
        except BaseException:
            store.close()
            raise

    @classmethod
    def of(cls, store: Store, clock: Callable[[], int] | None = None) -> Journal:
        """The journal of an open store; raises StoreDamaged where damage keeps it from being read.

        What a damaged file holds may be anything, and so may the error.
        """
        try:
            return cls(store, clock)
        except StoreError:
            raise
        except Exception:
            store.check_sound(quick=True)
            raise

    def close(self) -> None:
        """Finish pending writes, save the logs and close the store."""
        try:
            self.save_logs()
        finally:
            self._earlier.close()
            self.store.close()
            self.ladders.close(PLAYED_OUT)

    # -- reading --

    def clock_trouble(self) -> str | None:
        """A warning if the machine's clock is far behind the last revision, else None."""
        ahead = (self.registry.at - self.clock()) / DAY_US
        if ahead <= SKEW / DAY_US:
            return None
        return (
            f"check the machine's clock: it is {ahead:,.0f} days behind revision "
            f"{self.registry.revision}; results that say no time get that of the clock, and those "
            "entered while it was wrong may need another time"
        )

    def categories(self) -> list[Category]:
        """All categories in the order in which they were made."""
        return list(self.registry.categories.values())

    def category(self, key: str | None = None) -> Category:
        """A category by key, or the only one; raises NotFound."""
        return self.registry.category(key)

    def ladder(self, key: str) -> Ladder:
        """The ladder of a category; raises NotFound."""
        return self.ladders.of(key)

    def ratings(
        self, key: str, day: float | None = None, revision: int | None = None
    ) -> Ratings | None:
        """The ratings of a category, None without results.

        `day` (days since 1970, inclusive) leaves later games out; `revision` leaves out what was
        entered later. Raises NotFound.
        """
        if revision is not None and revision != self.revision:
            past = self.known_at(key, revision)
            return past.ratings() if day is None else past.as_of(day)
        ladder = self.ladder(key)
        return ladder.ratings() if day is None else ladder.as_of(day)

    def known_at(self, key: str, revision: int) -> Ladder:
        """A ladder of its own as it was at a revision; raises NotFound, Busy."""
        if not 0 <= revision <= self.revision:
            raise NotFound.of("no_such_revision.run", last=self.revision, field="revision")
        return self._earlier.ladder(self.registry, self.registry.category(key).key, revision)

    def name(self, number: int) -> str:
        """The present name of a player, also by a number that was merged into theirs."""
        people = self.registry.people
        return people.shown.get(people.canonical(number), f"player {number}")

    # -- writing --

    def commit(self, act: WriteAct, actor: Actor, **more: Any) -> CommitResult:
        """Commit an entry of these fields; returns when it is durable and in effect.

        Raises Refused, StoreError.
        """
        self.store.writer.refuse_own_thread()
        entry = Entry(act, actor, **more)
        if act.kind != ChangeMethod.kind:
            return self.submit(entry).result()
        with self._ahead:
            return self.submit(entry._replace(ahead=self._rate_ahead(entry))).result()

    def submit(self, entry: Entry) -> Future[CommitResult]:
        """Commit an entry as `commit` does, without waiting for it."""
        return self.store.writer.enter(entry, self, together=type(entry.act) is RecordResults)

    def preview(self, act: WriteAct, actor: Actor, **more: Any) -> PreviewResult:
        """Compute the effect of such an entry without applying it; raises Refused, Busy."""
        with self._preview_turn(), self._stage_apart(Entry(act, actor, **more)) as unit:
            previews = self.ladders.begin_previews(unit)(unit.connection)
        new = {number: called for called, number in unit.newcomers.items()}
        # also who is merged, under the name of their own; and who came since, as others write
        shown = unit.registry.people.shown
        named = {one.player for preview in previews.values() for one in preview.movers}
        named |= {
            player for some in unit.fixtures.values() for one in some for player in (one.a, one.b)
        }
        return PreviewResult(
            act.kind,
            unit.revision - 1,
            tuple(unit.statuses) if unit.listed else (),
            previews,
            len(unit.statuses),
            {one: new.get(one) or shown.get(one) or self.name(one) for one in named},
            unit.fixtures,
        )

    def _rate_ahead(self, entry: Entry) -> RatedAhead | None:
        """The ladder of a category that an entry rates otherwise, made while others write.

        None where it is refused, or was answered before: that is found when it is entered.
        """
        with ExitStack() as staged:
            try:
                unit = staged.enter_context(self._stage_apart(entry))
            except Refused:
                return None
            if not unit.methods:
                return None
            (category,) = unit.methods.values()
            return self.ladders.rate_ahead(category, unit.revision - 1, unit.connection)

    @contextmanager
    def _stage_apart(self, entry: Entry) -> Iterator[UnitOfWork]:
        """An entry staged on what was durable at one moment, of which nothing is written.

        The writer is needed for that moment alone: others write meanwhile. The connection of the
        unit of work reads the store as it was then.
        """
        with self.store.read() as connection:
            apart: Future[Registry] = Future()

            def take(_: None) -> None:  # what is in memory is durable here
                try:
                    connection.execute(select(revision.c.id).limit(1))
                    apart.set_result(self.registry.apart())
                except Exception as error:
                    apart.set_exception(error)

            self.store.writer.do(lambda _: None, take)
            yield self._stage_act(entry, connection, apart.result())

    @contextmanager
    def _preview_turn(self) -> Iterator[None]:
        """Wait for a turn to compute a preview; raises Busy where too many wait, or for too long.

        Each holds ratings of its own, and takes time from those who write.
        """
        busy = Busy.of("previews_are_busy", wait=5)
        if not self._preview_places.acquire(blocking=False):
            raise busy
        try:
            if not self._previews.acquire(timeout=PREVIEW_PATIENCE):
                raise busy
            try:
                yield
            finally:
                self._previews.release()
        finally:
            self._preview_places.release()

    def listen(self, listener: Callable[[JournalEvent], None]) -> Callable[[], None]:
        """Call `listener` with every event, in the writer's thread; returns what ends it."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def save_logs(self) -> None:
        """Save the log of each ladder, so that the next start need not read every result."""
        if not self.store.writer.lost:
            self.ladders.keep(self.store, self.clock())

    def drop_unasked(self) -> None:
        """Drop ratings of the past that were not requested since the last call."""
        self._earlier.drop_unasked()
        for category in self.categories():
            self.ladder(category.key).drop_days()

    def load_compiled(self) -> None:
        """Load the compiled loops of the ladders, so that the first request need not wait."""
        self.ladders.load_compiled()

    # -- the writer's thread --

    def enter(
        self, connection: Connection, entries: Sequence[Entry]
    ) -> list[CommitResult | Exception]:
        """Write entries that only add results, or one other, with one statement a table.

        See EntryBook.
        """
        answers = Answers(connection, (one.answer for one in entries))
        rows = [
            one.act.identify(one.actor) if isinstance(one.act, RecordResults) else ()
            for one in entries
        ]
        reported = find_reported(
            connection, (key for each in rows for row in each for key in row.keys)
        )
        outcomes: list[CommitResult | Exception] = []
        units: list[UnitOfWork] = []
        for one, each in zip(entries, rows, strict=True):
            try:
                earlier = None if one.answer is None else answers.find(one.answer, one.act.kind)
                if earlier is not None:
                    outcomes.append(CommitResult.from_data(earlier))
                    continue
                looked_up = LookedUp(each, reported) if each else None
                unit = self._stage_act(one, connection, self.registry, looked_up)
                fresh = self.ladders.check(unit, connection, one.ahead)
            except DBAPIError:
                raise
            except Exception as error:  # what is staged changes nothing
                outcomes.append(error)
                continue
            receipt = unit.receipt()
            outcomes.append(receipt)
            if one.dry_run:
                continue
            if one.answer is not None:
                answers.add(one.answer, receipt.as_data(), unit.now)
            if not unit.empty:
                unit.update_registry()
                if fresh:
                    self.ladders.replace(fresh)
                reported |= unit.reports
                units.append(unit)
        if units:
            write_units(connection, units)
            changes = [(unit.revision, ACT_EVENTS[unit.kind]) for unit in units]
            queued = webhooks.queue_deliveries(connection, changes, units[-1].now)
            for unit in units:
                unit.deliveries = queued[unit.revision]
        if answers.rows:
            answers.keep(connection)
        self._entered += units
        return outcomes

    def _stage_act(
        self,
        entry: Entry,
        connection: Connection,
        registry: Registry,
        looked_up: LookedUp | None = None,
    ) -> UnitOfWork:
        act, actor, if_revision = entry.act, entry.actor, entry.if_revision
        if not actor.may(act.scope) and not may_enter(actor, act):
            raise NotAllowed.of("scope.act", scope=act.scope)
        if if_revision is not None and if_revision != registry.revision:
            raise Stale.of("stale.since", revision=registry.revision, if_revision=if_revision)
        unit = UnitOfWork(connection, registry, actor, self.clock(), looked_up)
        unit.kind, unit.reason = act.kind, getattr(act, "reason", None)
        if unit.reason is not None:
            check_text(unit.reason, "reason", LONGEST_REASON, may_be_empty=True)
        unit.board = self.ladders.board
        if entry.if_version is not None:
            number, version = entry.if_version
            (before,) = unit.current([number])
            if before.revision != version:
                raise Stale.of("stale.loaded", result=number, revision=before.revision)
        act.stage(unit)
        for check in entry.checks:
            check(unit)
        return unit

    def publish(self, changed: Sequence[str], call: Callable[[], None]) -> None:
        """Hand what was entered to the ladders and to listeners: it is durable. See EntryBook."""
        entered, self._entered = self._entered, []
        revised = defaultdict[Ladder, list[RevisedResults]](list)  # played together
        for unit in entered:
            if unit.methods or unit.renames:
                self.ladders.show(unit)
            for key, changes in unit.changes.items():
                revised[self.ladders.of(key)].append(RevisedResults(unit.revision, changes))
        for ladder, several in revised.items():
            ladder.enter(several)
        for unit in entered:
            self.revision = unit.revision
            if unit.renames:
                self._earlier.forget()
            if unit.forgets:
                self.store.writer.clean()
            results = (one.id for one in unit.statuses if one.id is not None)
            event = JournalEvent(
                unit.revision,
                unit.at,
                unit.kind,
                None if unit.category is None else unit.category.key,
                tuple(number for number in results if number not in unit.withheld),
                tuple(sorted(unit.touched)),
                unit.deliveries,
            )
            for listener in list(self._listeners):
                listener(event)
        for key in changed:
            if key in self.registry.keys:  # a dry run makes none
                call = partial(self.ladders.of(key).follow, call)
        call()

    # -- memory --

    def _read(self) -> tuple[Registry, Ladders]:
        """Read the registry and the ladders from the store."""
        with self.store.read() as connection:
            registry = Registry(connection)
            return registry, Ladders(connection, registry)

    def _reload(self) -> None:
        """Read everything again after a failed commit: memory may be ahead of the store."""
        self._entered = []
        before = self.ladders
        self.registry, self.ladders = self._read()
        self.revision = self.registry.revision
        before.close()


def machine_clock() -> int:
    """Microseconds since 1970 by the machine's clock."""
    return time.time_ns() // 1000


def verify_store(url: str, served: Served | None = None) -> list[Verification]:
    """Verify every category of a store, while a server may be running on it.

    `served` gives what a server shows of a category and at which revision; None compares what a
    server would show if it were started now. Nothing is written. Raises StoreError: StoreDamaged
    for a file that does not hold together, StoreEmpty for a store without a category.
    """
    with open_to_read(url) as store:
        store.check_sound()
        journal = Journal.of(store)
        if not journal.categories():
            raise empty_store(store)
        found = []
        for category in journal.categories():
            if served is None:
                revision = journal.revision
                ladder = journal.ladder(category.key)
                ladder.settle()
                shown = collect_values(ladder.ratings())
            else:
                revision, shown = served(category.key)
            with journal.store.read() as connection:
                log = read_log_columns(connection, category, journal.registry.people, revision)
            found.append(verify_category(category, log, shown, journal.name))
        return found
