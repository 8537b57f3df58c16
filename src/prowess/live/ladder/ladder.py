"""Ladder: the interface to the counted results of a category and their ratings; previews."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.live.result import Changes


class Ladder(ABC):
    """The results that count and their ratings, changed by one thread and read by many.

    `apply` changes the next version, `publish` makes it visible: until then readers see the
    version published before. Ratings handed out never change.
    """

    revision: int = 0  # of what is published
    waiting: int = 0  # results that count and that `ratings` do not know yet

    @abstractmethod
    def __len__(self) -> int:
        """How many results count, as published."""

    @abstractmethod
    def preview(self, changes: Changes) -> Preview:
        """Compute the effect of changes without applying them; raises as `apply` would."""

    @abstractmethod
    def apply(self, changes: Changes) -> None:
        """Apply changes; if it raises Unratable, the ladder is unchanged."""

    @abstractmethod
    def undo(self) -> None:
        """Take back the last `apply` that is not published yet."""

    @abstractmethod
    def publish(self, revision: int, renamed: bool = False) -> None:
        """Make applied changes visible; `renamed` says that names of players may have changed."""

    @abstractmethod
    def ratings(self) -> Ratings | None:
        """The ratings as published, the same object until the next `publish`.

        None where nothing counts, as nothing is no table, or where nothing is fitted yet.
        """

    @abstractmethod
    def as_of(self, day: float) -> Ratings | None:
        """The ratings after the results up to a day (days since 1970, inclusive).

        None where there are none. Raises Unratable for a day that is no number.
        """

    @abstractmethod
    def checkpoint(self) -> bytes:
        """The published state as bytes, from which `restore_ladder` makes the ladder again."""

    @property
    @abstractmethod
    def ids(self) -> NDArray[np.int64]:
        """The store's number of the player in each row of `ratings()`."""

    @abstractmethod
    def row_of(self, player: int) -> int | None:
        """The row of a player (by the store's number) in `ratings()`; None without one."""

    def load_compiled(self) -> None:  # noqa: B027 - most have nothing to compile
        """Load the compiled loops, where the number of results pays for it, ahead of requests."""

    def settle(self) -> None:  # noqa: B027 - most have nothing to wait for
        """Wait until `ratings` are those of all results that are published."""

    def close(self) -> None:  # noqa: B027
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
    def of(cls, ratings: Ratings | None, ids: NDArray[np.int64]) -> Standings:
        """The players of ratings."""
        if ratings is None:
            nobody = np.empty(0, dtype=np.int64)
            return cls(nobody, {}, nobody)
        rows = np.flatnonzero(ratings.game_counts > 0)
        rows = rows[np.argsort(ids[rows])]
        strength = ratings.strength[rows]
        better = np.sort(strength)
        rank = 1 + len(rows) - better.searchsorted(strength, side="right")
        columns = {name: column[rows] for name, column in ratings.columns.items()}
        return cls(ids[rows], columns, rank)

    def values(self, rows: NDArray[np.int64]) -> list[dict[str, float] | None]:
        """All values of the players in some rows; None for a row of -1."""
        known = rows >= 0
        columns = [column[rows[known]].tolist() for column in self.columns.values()]
        found = (
            dict(zip(self.columns, values, strict=True)) for values in zip(*columns, strict=True)
        )
        return [next(found) if one else None for one in known.tolist()]

    def ranks(self, rows: NDArray[np.int64]) -> list[int | None]:
        """The ranks of the players in some rows; None for a row of -1."""
        found = iter(self.rank[rows[rows >= 0]].tolist())
        return [next(found) if row >= 0 else None for row in rows.tolist()]


def build_preview(
    before: Standings, after: Standings, games_before: int, games_after: int, replayed: int
) -> Preview:
    """The preview of a change that leads from some standings to others."""
    return Preview(
        movers=find_movers(before, after),
        games_before=games_before,
        games_after=games_after,
        replayed=replayed,
        leader_changed=not np.array_equal(before.ids[before.rank == 1], after.ids[after.rank == 1]),
    )


def find_movers(before: Standings, after: Standings) -> tuple[Mover, ...]:
    """Players any of whose values changes by one bit, by size of the change of the first value.

    Players who appear or disappear come first; changes of equal size are ordered by number.
    """
    ids = np.union1d(before.ids, after.ids)
    old, new = _find_rows(before.ids, ids), _find_rows(after.ids, ids)
    both = (old >= 0) & (new >= 0)
    same = both.copy()
    size = np.full(len(ids), np.inf)
    if before.columns.keys() != after.columns.keys():
        same[:] = False
    elif before.columns:
        for name, column in after.columns.items():
            same[both] &= _equal(before.columns[name][old[both]], column[new[both]])
        first = next(iter(after.columns))
        change = after.columns[first][new[both]] - before.columns[first][old[both]]
        size[both] = np.abs(change)
    chosen = np.flatnonzero(~same)
    chosen = chosen[np.argsort(-size[chosen], kind="stable")]
    old, new = old[chosen], new[chosen]
    fields = before.values(old), after.values(new), before.ranks(old), after.ranks(new)
    return tuple(map(Mover, ids[chosen].tolist(), *fields))


def _find_rows(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of players in ascending ids, -1 where they are not."""
    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    row = np.minimum(ids.searchsorted(wanted), len(ids) - 1)
    return np.where(ids[row] == wanted, row, -1)


def _equal(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two columns hold the same bits."""
    if one.dtype != other.dtype:
        return np.zeros(len(one), dtype=bool)
    pair = (np.ascontiguousarray(column) for column in (one, other))
    one, other = (column.view(np.uint8).reshape(len(column), column.itemsize) for column in pair)
    return np.asarray((one == other).all(axis=1))
