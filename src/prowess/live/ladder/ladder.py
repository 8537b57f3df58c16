"""Ladder: the counted results of a category and their ratings; views of them, and previews."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.system import Unratable
from prowess.live.ladder.players import Players
from prowess.live.ladder.state import LadderState, advance, load_compiled, state_as_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.live.ladder.ratings import LadderRatings
    from prowess.live.result import Changes

DAYS_KEPT = 8  # ratings as of other days that are kept for the next request


class LadderView(NamedTuple):
    """The ratings of a ladder to show, with their state."""

    ratings: Ratings | None  # None where nothing counts
    applied: int | None = None  # the revision they hold for; None: everything that is published
    waiting: int = 0  # results that changed and that the system's own ratings do not know
    trouble: str | None = None  # why the last fit failed
    interim: bool = False  # whether they are the interim's, as nothing could be fitted yet


class Ladder:
    """The results that count and their ratings, changed by one thread and read by many.

    `apply` changes the next version, `publish` makes it visible: until then readers see the
    version published before. Ratings handed out never change.
    """

    def __init__(self, state: LadderState) -> None:
        self.revision = 0  # of what is published
        self.fits = 0  # attempts to fit the table; they change what is shown between revisions
        self._state = self.published = state
        self._undo: list[LadderState] = []  # those before what is applied and not published
        self._ratings: LadderRatings | None = None  # of what is published
        self._days: OrderedDict[float, Any] = OrderedDict()  # ratings as of earlier days
        self._days_asked = False  # since the last `drop_days`
        self._lock = RLock()

    def __len__(self) -> int:
        """How many results count, as published."""
        return len(self.published.log)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """Apply changes; if it raises Unratable, the ladder is unchanged."""
        after = advance(self._state, changes)
        self._undo.append(self._state)
        self._state = after

    def undo(self) -> None:
        """Take back the last `apply` that is not published yet."""
        self._state = self._undo.pop()

    def publish(self, revision: int, renamed: bool = False) -> None:
        """Make applied changes visible; `renamed` says that names of players may have changed."""
        with self._lock:
            if renamed:
                self._state = self._state.with_names()
            self.published = self._state
            self.revision = revision  # last: see `Ladders.keep`
            self._ratings = None
            self._days.clear()
            self._undo.clear()

    # -- reading --

    def ratings(self) -> Ratings | None:
        """The ratings as published, the same object until the next `publish`.

        None where nothing counts, as nothing is no table, or where nothing is fitted yet.
        """
        with self._lock:
            if self._ratings is None:
                self._ratings = self.published.ratings()
            return self._ratings

    def as_of(self, day: float) -> Ratings | None:
        """The ratings after the results up to a day (days since 1970, inclusive).

        None where there are none. Raises Unratable for a day that is no number.
        """
        if not isfinite(day):
            raise Unratable(f"as of {day}: not a day", code="not_a_day")
        with self._lock:
            state = self.published
            self._days_asked = True
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]  # type: ignore[no-any-return]
        ratings = self._rate_as_of(state, day)
        with self._lock:
            if state is self.published:
                self._days[day] = ratings
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return ratings

    def drop_days(self) -> None:
        """Drop the ratings as of earlier days, unless one was asked for since the last call."""
        with self._lock:
            if not self._days_asked:
                self._days.clear()
            self._days_asked = False

    def _rate_as_of(self, state: LadderState, day: float) -> Ratings | None:
        """The ratings after the results of a state up to a day."""
        return state_as_of(state, day).ratings(day)

    def view(self, day: float | None = None) -> LadderView:
        """The ratings with their state, now or as of a day; raises Unratable for a bad day."""
        return LadderView(self.ratings() if day is None else self.as_of(day))

    @property
    def waiting(self) -> int:
        """How many results count that `ratings` do not know yet."""
        return 0

    def preview(self, changes: Changes) -> Preview:
        """Compute the effect of changes without applying them; raises as `apply` would."""
        return self.begin_preview(changes, {})()

    def begin_preview(self, changes: Changes, names: Mapping[int, str]) -> Callable[[], Preview]:
        """What computes a preview in any thread, from the state of this moment.

        For the thread that changes the ladder; `names` are those of newcomers, by number.
        """
        return partial(self._preview, self._state.apart(names), changes)

    def _preview(self, state: LadderState, changes: Changes) -> Preview:
        """The effect of changes of a state that is apart."""
        after = advance(state, changes, keep_prior=False)
        counts = len(state.log), len(after.log), after.replayed
        return build_preview(state.ratings(), after.ratings(), *counts)

    # -- for a server --

    def load_compiled(self) -> None:
        """Load the compiled loops ahead of requests."""
        ratings = self.published.ratings()
        if ratings is not None:
            load_compiled(ratings)

    def settle(self) -> None:
        """Wait until `ratings` are those of all results that are published."""

    def close(self) -> None:
        """Stop background work."""


# -- previews --


class Mover(NamedTuple):
    """A player whose values change; None where the player has no game, before or after."""

    player: int  # the store's number
    before: dict[str, float] | None
    after: dict[str, float] | None
    rank_before: int | None
    rank_after: int | None


class Preview(NamedTuple):
    """The effect of changes: players who move, by size of the change, and results replayed."""

    movers: tuple[Mover, ...]
    games_before: int
    games_after: int
    replayed: int  # results
    leader_changed: bool
    trouble: str | None = None  # why the fit would fail: the present ratings stay
    interim: bool = False  # whether interim ratings would be shown instead


@dataclass(frozen=True, eq=False)
class Standings:
    """Players with at least one game, by the store's number, with their values and ranks."""

    ids: NDArray[np.int64]  # ascending
    columns: Mapping[str, NDArray[Any]]
    rank: NDArray[np.int64]

    @classmethod
    def of(cls, ratings: Ratings | None) -> Standings:
        """The players of a ladder's ratings."""
        if ratings is None:
            no_rows = np.empty(0, dtype=np.int64)
            return cls(no_rows, {}, no_rows)
        ids, rows = player_ids(ratings), np.flatnonzero(ratings.has_played())
        rows = rows[np.argsort(ids[rows])]
        strength = ratings.strength[rows]
        better = np.sort(strength)
        rank = 1 + len(rows) - better.searchsorted(strength, side="right")
        columns = {name: column[rows] for name, column in ratings.columns.items()}
        return cls(ids[rows], columns, rank)

    def rows(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of players, -1 where they are not."""
        if not len(self.ids):
            return np.full(len(wanted), -1, dtype=np.int64)
        row = np.minimum(self.ids.searchsorted(wanted), len(self.ids) - 1)
        return np.where(self.ids[row] == wanted, row, -1)

    def values(self, rows: NDArray[np.int64]) -> list[dict[str, float] | None]:
        """All values of the players in some rows; None for a row of -1."""
        known = rows >= 0
        columns = [column[rows[known]].tolist() for column in self.columns.values()]
        found = (dict(zip(self.columns, one, strict=True)) for one in zip(*columns, strict=True))
        return [next(found) if one else None for one in known.tolist()]

    def ranks(self, rows: NDArray[np.int64]) -> list[int | None]:
        """The ranks of the players in some rows; None for a row of -1."""
        found = iter(self.rank[rows[rows >= 0]].tolist())
        return [next(found) if row >= 0 else None for row in rows.tolist()]


def player_ids(ratings: Ratings) -> NDArray[np.int64]:
    """The store's number of the player in each row of a ladder's ratings."""
    assert isinstance(ratings.players, Players)
    return ratings.players.ids


def build_preview(
    before: Ratings | None,
    after: Ratings | None,
    games_before: int,
    games_after: int,
    replayed: int,
) -> Preview:
    """The preview of a change that leads from some ratings to others."""
    old, new = Standings.of(before), Standings.of(after)
    return Preview(
        movers=find_movers(old, new),
        games_before=games_before,
        games_after=games_after,
        replayed=replayed,
        leader_changed=not np.array_equal(old.ids[old.rank == 1], new.ids[new.rank == 1]),
    )


def find_movers(before: Standings, after: Standings) -> tuple[Mover, ...]:
    """Players any of whose values changes by one bit, by size of the change of the first value.

    Players who appear or disappear come first; changes of equal size are ordered by number.
    """
    ids = np.union1d(before.ids, after.ids)
    old, new = before.rows(ids), after.rows(ids)
    both = (old >= 0) & (new >= 0)
    same = both.copy()
    size = np.full(len(ids), np.inf)
    if before.columns.keys() != after.columns.keys():
        same[:] = False
    elif before.columns:
        for name, column in after.columns.items():
            same[both] &= equal_bits(before.columns[name][old[both]], column[new[both]])
        first = next(iter(after.columns))
        change = after.columns[first][new[both]] - before.columns[first][old[both]]
        size[both] = np.abs(change)
    chosen = np.flatnonzero(~same)
    chosen = chosen[np.argsort(-size[chosen], kind="stable")]
    old, new = old[chosen], new[chosen]
    fields = before.values(old), after.values(new), before.ranks(old), after.ranks(new)
    return tuple(map(Mover, ids[chosen].tolist(), *fields))


def equal_bits(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two columns hold the same bits."""
    if one.dtype != other.dtype:
        return np.zeros(len(one), dtype=bool)
    pair = (np.ascontiguousarray(column) for column in (one, other))
    one, other = (column.view(np.uint8).reshape(len(column), column.itemsize) for column in pair)
    return np.asarray((one == other).all(axis=1))
