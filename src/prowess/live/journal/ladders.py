"""The ladders of a store in memory, one per category: loaded, updated, previewed, saved."""

from __future__ import annotations

from collections import ChainMap, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import ceil
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple

from sqlalchemy import Connection

from prowess.engine.periods import BadRounds
from prowess.engine.system import Unratable
from prowess.live.errors import Busy, NotFound, Refused
from prowess.live.journal.registry import Category, PlayerRegistry, Registry, categories_at
from prowess.live.journal.stored_log import changes_since, read_counted, read_log_columns
from prowess.live.journal.unit_of_work import RatedPlayers, UnitOfWork
from prowess.live.ladder.ladder import (
    Ladder,
    LadderView,
    Preview,
    RevisedResults,
    player_ids,
)
from prowess.live.ladder.loading import LOG_TAG, load_ladder, pack_log, preview_replacement
from prowess.live.store.queries import mergers_at
from prowess.live.store.store import Store, find_saved_log, save_log

BOARD_SECONDS = 2.0  # that a list which is published waits for ratings
FEW_BEHIND, FAR_BEHIND = 1_000, 0.2  # results; share of the log: not worth catching up with


class Ladders:
    """Every category's ladder: the writer's thread enters changes, any thread reads."""

    def __init__(self, connection: Connection, registry: Registry) -> None:
        """Load each ladder from its saved log, or from the results in the store."""
        self.registry = registry
        self._kept: dict[int, int] = {}  # revision of the saved log of each ladder
        self.now = {  # by number of the category: its key may change
            number: self._load(one, connection) for number, one in registry.categories.items()
        }
        self._coming: dict[int, Ladder] = {}  # that replace others once an act is durable
        self._latest = ChainMap(self._coming, self.now)  # after all acts, durable or not yet
        for ladder in self.now.values():
            ladder.publish(registry.revision)

    def of(self, key: str) -> Ladder:
        """The ladder of a category; raises NotFound."""
        return self.now[self.registry.category(key).id]

    def close(self, seconds: float = 0.0) -> None:
        """Stop background work, and wait so long at most for what is being played."""
        ladders, end = (*self.now.values(), *self._coming.values()), monotonic() + seconds
        for ladder in ladders:
            ladder.close()
        for ladder in ladders:
            ladder.join(max(0.0, end - monotonic()))

    def load_compiled(self) -> None:
        """Load the compiled loops."""
        for ladder in self.now.values():
            ladder.load_compiled()

    def board(self, category: Category, day: float | None) -> RatedPlayers | None:
        """The ratings of a category up to a day, and the player's number of each row.

        Raises Busy where they do not know everything that was entered.
        """
        ladder = self._latest[category.id]
        if not ladder.settle(BOARD_SECONDS):
            wait = ceil(BOARD_SECONDS)
            raise Busy.of("not_rated_yet", seconds=wait, category=category.key, wait=wait)
        ratings = ladder.ratings() if day is None else ladder.as_of(day)
        return None if ratings is None else (ratings, player_ids(ratings))

    # -- changing --

    def rate_ahead(self, category: Category, revision: int, connection: Connection) -> RatedAhead:
        """Rate a category otherwise, in any thread, while others write; raises Refused."""
        with refuse_unratable_results():
            ladder = self._rebuild(category, connection)
        return RatedAhead(self.registry.people, revision, category, ladder)

    def check(
        self, unit: UnitOfWork, connection: Connection, ahead: RatedAhead | None = None
    ) -> dict[str, Ladder]:
        """Check the results of a unit of work, and make ladders that are new or rated otherwise.

        One that was made `ahead` is taken, with the results that came since, if it fits. Raises
        Refused for results that no table of the system may have; whatever else keeps some from
        being rated is the trouble of their ladder.
        """
        fresh: dict[str, Ladder] = {}
        for key, category in unit.methods.items():
            if ahead is not None and ahead.catch_up(category, unit, connection):
                fresh[key] = ahead.ladder
            else:
                with refuse_unratable_results():
                    fresh[key] = self._rebuild(category, connection)
        for key, changes in unit.changes.items():
            ladder = fresh[key] if key in fresh else self._latest[self.registry.keys[key]]
            if not ladder.takes_all:
                with refuse_unratable_results():
                    ladder.check(changes)
        return fresh

    def replace(self, fresh: Mapping[str, Ladder]) -> None:
        """Take new ladders of categories: those that are rated otherwise are shown as they are
        until `show`, for the act may not become durable.
        """
        for key, ladder in fresh.items():
            number = self.registry.category(key).id
            if number not in self.now:
                self.now[number] = ladder
                continue
            if number in self._coming:
                self._coming[number].close()
            self._coming[number] = ladder

    def begin_previews(self, unit: UnitOfWork) -> CategoryPreviews:
        """What computes, in any thread, the effect of a unit of work on each ladder."""
        names = {number: called for called, number in unit.newcomers.items()}
        began = {
            key: self._find_or_build(key, unit).begin_preview(changes, names)
            for key, changes in unit.changes.items()
        }
        methods = {
            key: (one, self.now[one.id].view(), len(self.now[one.id]))
            for key, one in unit.methods.items()
            if one.id in self.now
        }
        return CategoryPreviews(unit.registry, unit.revision - 1, began, methods)

    def show(self, unit: UnitOfWork) -> None:
        """Show the new ladders and the other names of a unit of work, which is durable."""
        for key in unit.methods:
            number = self.registry.category(key).id
            if number in self._coming:
                before, self.now[number] = self.now[number], self._coming.pop(number)
                before.close()
            self.now[number].publish(unit.revision)
        if unit.renames:
            for ladder in self.now.values():
                ladder.rename()

    def keep(self, store: Store, now: int) -> None:
        """Save the logs of changed ladders, so that the next start need not read every result."""
        for category in list(self.registry.categories.values()):
            ladder = self.now[category.id]
            # read first: a newer log has the changes since then too
            applied = ladder.applied
            revision = ladder.revision if applied is None else min(applied, ladder.revision)
            if revision > self._kept.get(category.id, 0):
                store.writer.do(
                    partial(
                        save_log,
                        category=category.id,
                        revision=revision,
                        form=LOG_TAG,
                        data=pack_log(ladder.published),
                        now=now,
                    )
                )
                self._kept[category.id] = revision

    def _find_or_build(self, key: str, unit: UnitOfWork) -> Ladder:
        """The ladder of a category, an empty one if the unit of work makes the category."""
        if key not in unit.opened:
            return self._latest[unit.registry.category(key).id]
        return build_ladder(unit.opened[key], unit.registry.people, {})

    def _rebuild(self, category: Category, connection: Connection) -> Ladder:
        """Build a ladder with another rating method from the log."""
        people = self.registry.people
        return build_ladder(category, people, read_log_columns(connection, category, people))

    def _load(self, category: Category, connection: Connection) -> Ladder:
        """Load a ladder from its saved log and later changes, or from the results in the store."""
        people = self.registry.people
        kept = find_saved_log(connection, category.id, LOG_TAG)
        if kept is not None:
            revision, data = kept
            caught = changes_since(connection, category, people, revision)
            if caught is not None:
                try:
                    ladder = build_ladder(category, people, data)
                    if len(caught) <= max(FEW_BEHIND, FAR_BEHIND * len(ladder)):
                        ladder.play([RevisedResults(revision + 1, caught)])
                        self._kept[category.id] = revision
                        return ladder
                except (ValueError, Unratable):
                    pass  # damaged, of other columns, or not ratable at that revision
        found = read_log_columns(connection, category, people)
        try:
            return build_ladder(category, people, found)
        except (Unratable, BadRounds):  # some results: the others are rated
            ladder = build_ladder(category, people, {})
            counted = read_counted(connection, category, people)
            ladder.play([RevisedResults(1, counted)])
            return ladder


def build_ladder(
    category: Category, people: PlayerRegistry, found: Mapping[str, Any] | bytes
) -> Ladder:
    """A ladder of the columns of a log, or of a saved log."""
    return load_ladder(
        found,
        category.system,
        dict(category.params),
        category.period,
        category.kind,
        category.extra,
        people.shown.__getitem__,
    )


class RatedAhead(NamedTuple):
    """The ladder of a category that is to be rated otherwise.

    It has the results up to a revision, and perhaps later ones.
    """

    people: PlayerRegistry
    revision: int
    category: Category
    ladder: Ladder

    def catch_up(self, category: Category, unit: UnitOfWork, connection: Connection) -> bool:
        """Enter the results that came since; False where the ladder is not that of the category,
        or players were merged or split meanwhile.
        """
        fits = replace(self.category, since=category.since) == category
        if not fits or self.people is not unit.registry.people:
            return False
        later = changes_since(connection, category, self.people, self.revision)
        if later:
            self.ladder.enter([RevisedResults(unit.revision, later)])
        return later is not None


class CategoryPreviews(NamedTuple):
    """The previews of a unit of work: what it starts from at a revision."""

    registry: Registry
    revision: int
    began: Mapping[str, Callable[[], Preview]]  # by key of the category
    methods: Mapping[str, tuple[Category, LadderView, int]]  # rated otherwise: shown now, results

    def __call__(self, connection: Connection) -> dict[str, Preview]:
        """Compute them, by key of the category; the connection reads. Raises Refused."""
        with refuse_unratable_results():
            found = {key: compute() for key, compute in self.began.items()}
            for key, (category, now, count) in self.methods.items():
                after = load_earlier(connection, self.registry, category, self.revision)
                found[key] = preview_replacement(now, count, after)
                after.close()
        return found


@contextmanager
def refuse_unratable_results() -> Iterator[None]:
    """Turn the engine's errors about results into Refused."""
    try:
        yield
    except (Unratable, BadRounds) as error:
        raise Refused("unratable", str(error)) from error


# -- ladders of earlier revisions: built from the log on request, one at a time, in one thread --


MOST_EARLIER = 4  # ladders kept in memory
MOST_WAITING = 4  # requests that wait for one; more are sent away


class EarlierLadders:
    """A cache of the last few ladders of earlier revisions that were requested."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ladders: OrderedDict[tuple[str, int], Future[Ladder]] = OrderedDict()
        self._asked: set[tuple[str, int]] = set()  # since the last `drop_unasked`
        self._lock = Lock()  # held for moments
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="prowess-past")
        self._waiting = 0
        self._took = 0.0  # seconds, the last one

    def ladder(self, registry: Registry, key: str, revision: int) -> Ladder:
        """A ladder of its own as it was at a revision; raises NotFound, Busy."""
        place = key, revision
        with self._lock:
            self._asked.add(place)
            made = self._ladders.get(place)
            if made is not None and made.done():
                self._ladders.move_to_end(place)
                return made.result()
            if self._waiting >= MOST_WAITING:
                wait = max(1, ceil(self._took * self._waiting))
                raise Busy.of("past_is_busy", seconds=wait, wait=wait)
            if made is None:
                made = self._maker.submit(self._make, registry, key, revision)
                self._ladders[place] = made
            self._waiting += 1
        try:
            return made.result()
        except BaseException:
            with self._lock:
                if self._ladders.get(place) is made:
                    del self._ladders[place]
            raise
        finally:
            with self._lock:
                self._waiting -= 1
                self._drop_oldest()

    def drop_unasked(self) -> None:
        """Drop the ladders that were not requested since the last call."""
        with self._lock:
            for place in [one for one in self._ladders if one not in self._asked]:
                close_when_made(self._ladders.pop(place))
            self._asked.clear()

    def forget(self) -> None:
        """Drop all ladders, because names of players have changed."""
        with self._lock:
            while self._ladders:
                close_when_made(self._ladders.popitem()[1])

    def close(self) -> None:
        """Stop the thread and drop all ladders."""
        self._maker.shutdown(cancel_futures=True)
        self.forget()

    def _drop_oldest(self) -> None:
        """Drop all but the last few finished ladders."""
        made = [place for place, one in self._ladders.items() if one.done()]
        for place in made[: max(0, len(made) - MOST_EARLIER)]:
            close_when_made(self._ladders.pop(place))

    def _make(self, registry: Registry, key: str, revision: int) -> Ladder:
        began = monotonic()
        ladder = self._load(registry, key, revision)
        self._took = monotonic() - began
        return ladder

    def _load(self, registry: Registry, key: str, revision: int) -> Ladder:
        with self.store.read() as connection:
            then = {one.key: one for one in categories_at(connection, revision)}
            if key not in then:
                registry.category(key)  # unknown altogether?
                raise NotFound.of("no_such_category.past", key=key, revision=revision)
            return load_earlier(connection, registry, then[key], revision)


def load_earlier(
    connection: Connection, registry: Registry, category: Category, revision: int
) -> Ladder:
    """A ladder of the results of a category that were known at a revision."""
    people = registry.people.with_mergers(mergers_at(connection, revision))
    found = read_log_columns(connection, category, people, revision)
    ladder = build_ladder(category, people, found)
    ladder.publish(revision)
    ladder.settle()
    return ladder


def close_when_made(made: Future[Ladder]) -> None:
    """Close a ladder as soon as it is finished."""

    def close(one: Future[Ladder]) -> None:
        if not one.cancelled() and one.exception() is None:
            one.result().close()

    made.add_done_callback(close)
