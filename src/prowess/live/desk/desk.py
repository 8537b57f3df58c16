"""The results desk: takes entries, writes them to the store and tells the ladders.

One writer's thread drafts an entry, writes it, lets the ladders play what changes, and commits;
only then may the change be seen, and only then is it acknowledged. If a commit fails, everything
in memory is read from the store again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection

from prowess.engine.replay import Unratable
from prowess.engine.rounds import BadRounds
from prowess.live import ladder as ladders_room
from prowess.live.desk.books import Books, categories_at
from prowess.live.desk.category import Category
from prowess.live.desk.draft import Board, Draft
from prowess.live.desk.entries import Entry
from prowess.live.desk.log import changes_since, columns, mergers_at
from prowess.live.desk.news import EVENTS
from prowess.live.desk.receipt import AnswerKey, Event, Outlook, Receipt
from prowess.live.desk.refusals import Conflict, NotAllowed, NotFound, Refused, Stale
from prowess.live.desk.submission import check_reason
from prowess.live.ladder import Ladder
from prowess.live.ladder.preview import Preview
from prowess.live.store import answers, checkpoints, webhooks
from prowess.live.store.opening import Store, opened
from prowess.live.store.tokens import Actor

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

PAST = 4  # ladders as known at an earlier revision that are kept in memory
FAR_BEHIND = 0.2  # share of the log; a checkpoint further behind is not worth catching up with


Terms = tuple[str, dict[str, Any], str | None, str, tuple[str, ...], Callable[[int], str]]


class Done(NamedTuple):
    """What a job of the writer did."""

    receipt: Receipt
    draft: Draft | None  # None: nothing was written


class Desk:
    """An open store, its ladders in memory, and the one way to change either."""

    def __init__(self, store: Store, clock: Callable[[], int] | None = None) -> None:
        """`clock` gives microseconds since 1970; None takes the machine's."""
        self.store = store
        self.clock = clock or machine_clock
        self._listeners: list[Callable[[Event], None]] = []
        self._past: OrderedDict[tuple[str, int], Ladder] = OrderedDict()
        self._past_lock = Lock()
        self._ladders: dict[str, Ladder] = {}
        self._kept: dict[str, int] = {}  # revision of the checkpoint of each ladder
        self._still = Lock()  # held while a ladder is packed: its revision stays what it is
        self._revision = 0
        self._load()
        store.writer.on_lost = self._load

    @classmethod
    def opened(
        cls, url: str, *, claim: bool = True, clock: Callable[[], int] | None = None
    ) -> Desk:
        """The desk of a store; with `claim` as its one server, making it. Raises StoreError."""
        store = opened(url, create=claim)
        try:
            if claim:
                store.claim()
            return cls(store, clock)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Finish what is being written, keep checkpoints, and let go of the store."""
        try:
            self.keep_checkpoints()
        finally:
            self.store.close()
            for ladder in self._ladders.values():
                ladder.close()

    # -- reading --

    @property
    def revision(self) -> int:
        """The last entry that is durable and in effect."""
        return self._revision

    def categories(self) -> list[Category]:
        """All categories in the order in which they were made."""
        return list(self.books.categories.values())

    def category(self, key: str | None = None) -> Category:
        """A category by key, or the only one; raises NotFound."""
        return self.books.category(key)

    def ladder(self, key: str) -> Ladder:
        """The ladder of a category; raises NotFound."""
        return self._ladders[self.category(key).key]

    def ratings(
        self, key: str, day: float | None = None, revision: int | None = None
    ) -> Ratings | None:
        """The ratings of a category, None where nobody has played.

        `day` (days since 1970, inclusive) leaves later games out; `revision` leaves out what was
        entered later. Raises NotFound.
        """
        if revision is not None and revision != self.revision:
            past = self.known_at(key, revision)
            return past.ratings() if day is None else past.as_of(day)
        ladder = self.ladder(key)
        return ladder.ratings() if day is None else ladder.as_of(day)

    def known_at(self, key: str, revision: int) -> Ladder:
        """A ladder of its own as it was at a revision; raises NotFound."""
        if not 0 <= revision <= self.revision:
            raise NotFound(
                "no_such_revision", f"revisions run from 0 to {self.revision}", field="revision"
            )
        with self._past_lock:
            place = key, revision
            if place not in self._past:
                self._past[place] = self._past_ladder(key, revision)
                while len(self._past) > PAST:
                    self._past.popitem(last=False)[1].close()
            self._past.move_to_end(place)
            return self._past[place]

    def _past_ladder(self, key: str, revision: int) -> Ladder:
        with self.store.read() as connection:
            then = {one.key: one for one in categories_at(connection, revision)}
            if key not in then:
                self.category(key)  # unknown altogether?
                raise NotFound("no_such_category", f"there was no {key!r} at revision {revision}")
            people = self.books.people.copied(mergers_at(connection, revision))
            found = columns(connection, then[key], people, revision)
        ladder = self._played(then[key], found)
        ladder.publish(revision)
        ladder.settle()
        return ladder

    def name(self, number: int) -> str:
        """What a player is called now."""
        return self.books.people.shown[number]

    # -- writing --

    def commit(
        self,
        entry: Entry,
        actor: Actor,
        *,
        if_revision: int | None = None,
        dry_run: bool = False,
        answer: AnswerKey | None = None,
    ) -> Receipt:
        """Enter something in the books; returns when it is durable and in effect.

        `if_revision` refuses where anything was entered since. `dry_run` says what would be and
        writes nothing. The same `answer` key brings the same receipt again. Raises Refused,
        StoreError.
        """
        allowed(entry, actor)

        def job(connection: Connection) -> Done:
            if answer is not None and actor.token is not None:
                try:
                    earlier = answers.found(connection, actor.token, answer.key, answer.request)
                except answers.KeyReused as error:
                    raise Conflict("key_reused", str(error)) from None
                if earlier is not None:
                    return Done(Receipt.from_data(earlier), None)
            draft = self._drafted(entry, connection, actor, if_revision)
            receipt = self._receipt(draft)
            if dry_run:
                self._previews(draft, connection)
                return Done(receipt, None)
            if not draft.empty:
                draft.write()
                webhooks.announced(connection, draft.revision, EVENTS[draft.kind], draft.now)
            if answer is not None and actor.token is not None:
                answers.kept(
                    connection,
                    actor.token,
                    answer.key,
                    answer.request,
                    receipt.as_data(),
                    now=draft.now,
                )
            if draft.empty:
                return Done(receipt, None)
            self._settled(draft, self._applied(draft, connection))
            return Done(receipt, draft)

        return self.store.writer.do(job, self._publish).receipt

    def preview(self, entry: Entry, actor: Actor, *, if_revision: int | None = None) -> Outlook:
        """Who would move if this were entered, exactly; nothing is written. Raises Refused."""
        allowed(entry, actor)

        def job(connection: Connection) -> Outlook:
            draft = self._drafted(entry, connection, actor, if_revision)
            previews = self._previews(draft, connection)
            return Outlook(entry.kind, self.books.revision, tuple(draft.taken), previews)

        return self.store.writer.do(job)

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Be told of every entry once it is in effect, in the writer's thread; returns the end."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def keep_checkpoints(self) -> None:
        """Keep what the ladders look like now, so that the next start need not play everything."""
        if self._lost:
            return
        for category in self.categories():
            ladder = self._ladders[category.key]
            with self._still:
                revision = ladder.revision
                data = ladder.checkpoint() if revision > self._kept.get(category.key, 0) else None
            if data is not None:
                self.store.writer.do(
                    partial(
                        checkpoints.kept,
                        category=category.id,
                        revision=revision,
                        fingerprint=_fingerprint(category),
                        data=data,
                        now=self.clock(),
                    )
                )
                self._kept[category.key] = revision

    # -- the writer's thread --

    def _drafted(
        self, entry: Entry, connection: Connection, actor: Actor, if_revision: int | None
    ) -> Draft:
        if self._lost:
            self._load()
        books = self.books
        if if_revision is not None and if_revision != books.revision:
            raise Stale(
                "stale",
                f"revision {if_revision} is no longer the present one, which is {books.revision}; "
                "look again",
            )
        draft = Draft(connection, books, actor, max(self.clock(), books.at))
        draft.kind = entry.kind
        draft.board = self._board
        entry.drafted(draft)
        if draft.reason is not None:
            check_reason(draft.reason)
        return draft

    def _board(self, category: Category, day: float | None) -> Board | None:
        ladder = self._ladders[category.key]
        ratings = ladder.ratings() if day is None else ladder.as_of(day)
        return None if ratings is None else (ratings, ladder.ids)

    def _receipt(self, draft: Draft) -> Receipt:
        revision = self.books.revision if draft.empty else draft.revision
        return Receipt(draft.kind, revision, draft.now, tuple(draft.taken), draft.numbers)

    def _applied(self, draft: Draft, connection: Connection) -> dict[str, Ladder]:
        """Let the ladders play a draft, all or none; gives those that are new."""
        done: list[Ladder] = []
        with rating_refused(), self._naming(draft):
            fresh = {
                key: self._rebuilt(category, connection) for key, category in draft.methods.items()
            }
            try:
                for key, changes in draft.changes.items():
                    ladder = fresh[key] if key in fresh else self._ladders[key]
                    ladder.apply(changes)
                    done.append(ladder)
            except BaseException:
                for ladder in done:
                    ladder.undo()
                raise
        return fresh

    def _settled(self, draft: Draft, fresh: Mapping[str, Ladder]) -> None:
        """Nothing can be refused any more."""
        draft.settle()
        for key in fresh.keys() & self._ladders.keys():
            self._ladders[key].close()
        self._ladders.update(fresh)

    def _ladder_of(self, key: str, draft: Draft) -> Ladder:
        """The ladder of a category, an empty one where the draft makes it."""
        return self._begun(draft.opened[key]) if key in draft.opened else self._ladders[key]

    def _rebuilt(self, category: Category, connection: Connection) -> Ladder:
        """A ladder under another method, from the log."""
        if category.key not in self._ladders:
            return self._begun(category)
        return self._played(category, columns(connection, category, self.books.people))

    def _previews(self, draft: Draft, connection: Connection) -> dict[str, Preview]:
        """What a draft would do to each ladder."""
        with rating_refused(), self._naming(draft):
            found = {
                key: self._ladder_of(key, draft).preview(changes)
                for key, changes in draft.changes.items()
            }
            for key, category in draft.methods.items():
                if key in self._ladders:
                    after = self._rebuilt(category, connection)
                    after.publish(self.books.revision)
                    after.settle()
                    found[key] = ladders_room.compared(self._ladders[key], after)
                    after.close()
            return found

    @contextmanager
    def _naming(self, draft: Draft) -> Iterator[None]:
        """Newcomers of a draft have names while ladders look at it."""
        shown = self.books.people.shown
        for called, number in draft.newcomers.items():
            shown[number] = called
        try:
            yield
        finally:
            for number in draft.newcomers.values():
                del shown[number]

    def _publish(self, done: Done) -> None:
        """The commit is durable: what was applied may be seen."""
        draft = done.draft
        if draft is None:
            return
        keys = self._ladders if draft.names else {**draft.changes, **draft.methods}
        with self._still:
            for key in keys:
                self._ladders[key].publish(draft.revision)
        self._revision = draft.revision
        if draft.names:
            with self._past_lock:
                while self._past:
                    self._past.popitem()[1].close()
        results = [one.id for one in draft.taken if one.id is not None]
        event = Event(
            draft.revision,
            draft.now,
            draft.kind,
            None if draft.category is None else draft.category.key,
            tuple(results),
            tuple(sorted(draft.touched)),
        )
        for listener in list(self._listeners):
            listener(event)

    # -- memory --

    def _load(self) -> None:
        """Read everything from the store."""
        self._lost = True  # until it was read
        for ladder in self._ladders.values():
            ladder.close()
        with self.store.read() as connection:
            self.books = Books(connection)
            self._ladders = {
                key: self._restored(category, connection)
                for key, category in self.books.categories.items()
            }
        for ladder in self._ladders.values():
            ladder.publish(self.books.revision)
        self._revision = self.books.revision
        self._lost = False

    def _restored(self, category: Category, connection: Connection) -> Ladder:
        """A ladder from its checkpoint and what came since, or from the whole log."""
        kept = checkpoints.latest(connection, category.id, _fingerprint(category))
        if kept is not None:
            revision, data = kept
            caught = changes_since(connection, category, self.books.people, revision)
            if caught is not None:
                try:
                    ladder = ladders_room.restored(data, *self._terms(category))
                    if len(caught) <= max(1000, FAR_BEHIND * len(ladder)):
                        ladder.apply(caught)
                        self._kept[category.key] = revision
                        return ladder
                except (ValueError, Unratable):
                    pass  # damaged or of another program: play the log
        return self._played(category, columns(connection, category, self.books.people))

    def _begun(self, category: Category) -> Ladder:
        return ladders_room.begun(*self._terms(category))

    def _played(self, category: Category, found: Mapping[str, Any]) -> Ladder:
        return ladders_room.loaded(found, *self._terms(category))

    def _terms(self, category: Category) -> Terms:
        """What a ladder is told of its category."""
        return (
            category.system,
            dict(category.params),
            category.period,
            category.kind,
            category.extra,
            lambda number: self.books.people.shown[number],
        )


@contextmanager
def rating_refused() -> Iterator[None]:
    """What the engine cannot rate is refused, and nothing of it is written."""
    try:
        yield
    except (Unratable, BadRounds) as error:
        raise Refused("unratable", str(error)) from error


def _fingerprint(category: Category) -> str:
    """What a checkpoint depends on besides the log."""
    from prowess.systems.catalogue import find

    return ladders_room.fingerprint(
        find(category.system), category.params, category.period, category.kind, category.extra
    )


def allowed(entry: Entry, actor: Actor) -> None:
    """Raise NotAllowed for an entry beyond what a token may do."""
    if not actor.may(entry.scope):
        raise NotAllowed("scope", f"this needs a token with the scope {entry.scope}")


def machine_clock() -> int:
    """Microseconds since 1970 by the machine's clock."""
    return time.time_ns() // 1000
