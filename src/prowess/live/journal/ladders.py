"""The ladders of a store in memory, one per category: loaded, updated, previewed, saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any

from sqlalchemy import Connection

from prowess.engine.periods import BadRounds
from prowess.engine.system import Unratable
from prowess.live.errors import Refused
from prowess.live.journal.log_columns import changes_since, columns
from prowess.live.journal.registry import Category, People, Registry
from prowess.live.journal.unit_of_work import Board, UnitOfWork
from prowess.live.ladder.checkpoint import fingerprint as ladder_fingerprint
from prowess.live.ladder.ladder import Ladder, Preview
from prowess.live.ladder.loading import compare_ladders, load_ladder, new_ladder, restore_ladder
from prowess.live.store import idempotency
from prowess.live.store.store import Store

FEW_BEHIND, FAR_BEHIND = 1_000, 0.2  # results; share of the log: not worth catching up with
Terms = tuple[str, dict[str, Any], str | None, str, tuple[str, ...], Callable[[int], str]]


class Ladders:
    """Every category's ladder; drafts are played in the writer's thread, anybody may read."""

    def __init__(self, connection: Connection, books: Registry) -> None:
        """From checkpoints and the log of a store."""
        self.registry = books
        self._kept: dict[str, int] = {}  # revision of the checkpoint of each ladder
        self._still = Lock()  # held while a ladder is packed: its revision stays what it is
        self.now = {
            key: self._restored(category, connection) for key, category in books.categories.items()
        }
        for ladder in self.now.values():
            ladder.publish(books.revision)

    def close(self) -> None:
        """End what works in the background."""
        for ladder in self.now.values():
            ladder.close()

    def load_compiled(self) -> None:
        """Load what is compiled for them; the largest first, for it decides whether it pays."""
        for ladder in sorted(self.now.values(), key=len, reverse=True):
            ladder.load_compiled()

    def board(self, category: Category, day: float | None) -> Board | None:
        """The ratings of a category up to a day, and the player's number of each row."""
        ladder = self.now[category.key]
        ratings = ladder.ratings() if day is None else ladder.as_of(day)
        return None if ratings is None else (ratings, ladder.ids)

    # -- playing --

    def apply(self, draft: UnitOfWork, connection: Connection) -> dict[str, Ladder]:
        """Let the ladders play a draft, all or none; gives those that are new. Raises Refused."""
        done: list[Ladder] = []
        with rating_refused(), self._naming(draft):
            fresh = {
                key: self._rebuilt(category, connection) for key, category in draft.methods.items()
            }
            try:
                for key, changes in draft.changes.items():
                    ladder = fresh[key] if key in fresh else self.now[key]
                    ladder.apply(changes)
                    done.append(ladder)
            except BaseException:
                for ladder in done:
                    ladder.undo()
                raise
        return fresh

    def replace(self, fresh: Mapping[str, Ladder]) -> None:
        """Put new ladders in the place of old ones."""
        for key in fresh.keys() & self.now.keys():
            self.now[key].close()
        self.now.update(fresh)

    def previews(self, draft: UnitOfWork, connection: Connection) -> dict[str, Preview]:
        """What a draft would do to each ladder. Raises Refused."""
        with rating_refused(), self._naming(draft):
            found = {
                key: self._of(key, draft).preview(changes) for key, changes in draft.changes.items()
            }
            for key, category in draft.methods.items():
                if key in self.now:
                    after = self._rebuilt(category, connection)
                    after.publish(self.registry.revision)
                    after.settle()
                    found[key] = compare_ladders(self.now[key], after)
                    after.close()
            return found

    def publish(self, draft: UnitOfWork) -> None:
        """What a draft did may be seen; where names changed, everywhere."""
        keys = self.now if draft.names else {**draft.changes, **draft.methods}
        with self._still:
            for key in keys:
                self.now[key].publish(draft.revision, draft.names)

    def keep(self, store: Store, now: int) -> None:
        """Keep checkpoints, so that the next start need not play everything."""
        for category in list(self.registry.categories.values()):
            ladder = self.now[category.key]
            with self._still:
                revision = ladder.revision
                data = ladder.checkpoint() if revision > self._kept.get(category.key, 0) else None
            if data is not None:
                store.writer.do(
                    partial(
                        idempotency.keep_checkpoint,
                        category=category.id,
                        revision=revision,
                        fingerprint=fingerprint(category),
                        data=data,
                        now=now,
                    )
                )
                self._kept[category.key] = revision

    def _of(self, key: str, draft: UnitOfWork) -> Ladder:
        """The ladder of a category, an empty one where the draft makes it."""
        people = self.registry.people
        return begun(draft.opened[key], people) if key in draft.opened else self.now[key]

    def _rebuilt(self, category: Category, connection: Connection) -> Ladder:
        """A ladder under another method, from the log."""
        people = self.registry.people
        if category.key not in self.now:
            return begun(category, people)
        return played(category, people, columns(connection, category, people))

    @contextmanager
    def _naming(self, draft: UnitOfWork) -> Iterator[None]:
        """Newcomers of a draft have names while ladders look at it."""
        shown = self.registry.people.shown
        for called, number in draft.newcomers.items():
            shown[number] = called
        try:
            yield
        finally:
            for number in draft.newcomers.values():
                del shown[number]

    def _restored(self, category: Category, connection: Connection) -> Ladder:
        """A ladder from its checkpoint and what came since, or from the whole log."""
        people = self.registry.people
        kept = idempotency.find_checkpoint(connection, category.id, fingerprint(category))
        if kept is not None:
            revision, data = kept
            caught = changes_since(connection, category, people, revision)
            if caught is not None:
                try:
                    ladder = restore_ladder(data, *_terms(category, people))
                    if len(caught) <= max(FEW_BEHIND, FAR_BEHIND * len(ladder)):
                        ladder.apply(caught)
                        self._kept[category.key] = revision
                        return ladder
                except (ValueError, Unratable):
                    pass  # damaged or of another program: play the log
        return played(category, people, columns(connection, category, people))


def begun(category: Category, people: People) -> Ladder:
    """A ladder without results."""
    return new_ladder(*_terms(category, people))


def played(category: Category, people: People, found: Mapping[str, Any]) -> Ladder:
    """A ladder of the columns of a log."""
    return load_ladder(found, *_terms(category, people))


def _terms(category: Category, people: People) -> Terms:
    """What a ladder is told of its category."""
    return (
        category.system,
        dict(category.params),
        category.period,
        category.kind,
        category.extra,
        people.shown.__getitem__,
    )


def fingerprint(category: Category) -> str:
    """What a checkpoint depends on besides the log."""
    from prowess.systems.catalogue import find

    return ladder_fingerprint(
        find(category.system), category.params, category.period, category.kind, category.extra
    )


@contextmanager
def rating_refused() -> Iterator[None]:
    """What the engine cannot rate is refused, and nothing of it is written."""
    try:
        yield
    except (Unratable, BadRounds) as error:
        raise Refused("unratable", str(error)) from error
