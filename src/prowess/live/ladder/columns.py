"""Columns of results, of their sides and of the members of these; and columns as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.games import Games
from prowess.live.result import CONTESTS, USUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


Arrays = Mapping[str, "NDArray[Any]"]
TYPES = {  # of columns; others are float64
    "id": np.int64, "a": np.uint32, "b": np.uint32, "player": np.uint32, "round": np.int32,
    "start": np.int64, "ends": np.int64,
}  # fmt: skip
EXTRAS = {"margin": ("margin",), "length": ("length",), "points": ("points_a", "points_b")}


class LogForm(NamedTuple):
    """How results are written as columns.

    Games of one player against one have columns `a` and `b`. Where `teams` is true, some side
    has several members or a share other than 1.
    """

    contests: bool
    teams: bool

    @property
    def duels(self) -> bool:
        """Whether every result is a game of one player against one."""
        return not (self.contests or self.teams)


@dataclass(frozen=True, eq=False)
class Columns:
    """Results with nothing implied: each has `size` sides, each of those `width` members."""

    results: Arrays
    size: NDArray[np.int64]
    sides: Arrays  # of contests: place, points where they are kept
    width: NDArray[np.int64]
    members: Arrays  # player, share

    @property
    def teams(self) -> bool:
        """Whether they take the form of teams."""
        return bool((self.width != 1).any() or (self.members["share"] != 1.0).any())

    def select(self, rows: NDArray[np.int64]) -> Columns:
        """These results, in this order."""
        sides = runs(bounds(self.size), rows)
        members = runs(bounds(self.width), sides)
        return Columns(
            {name: column[rows] for name, column in self.results.items()},
            self.size[rows],
            {name: column[sides] for name, column in self.sides.items()},
            self.width[sides],
            {name: column[members] for name, column in self.members.items()},
        )

    def followed_by(self, more: Columns) -> Columns:
        """These results and others behind them."""
        return Columns(
            _join(self.results, more.results),
            np.concatenate((self.size, more.size)),
            _join(self.sides, more.sides),
            np.concatenate((self.width, more.width)),
            _join(self.members, more.members),
        )

    def to_arrays(self, form: LogForm) -> dict[str, dict[str, NDArray[Any]]]:
        """The columns of a form by level; `start` and `ends` begin with the entry after 0."""
        player = self.members["player"]
        if form.duels:
            pair = {"a": player[0::2], "b": player[1::2]}
            return {"results": {**self.results, **pair}}
        found = {"results": dict(self.results), "members": {"player": player}}
        if form.contests:
            found |= {"sides": dict(self.sides), "start": {"start": np.cumsum(self.size)}}
        if form.teams:
            found["members"] = dict(self.members)
            found["ends"] = {"ends": np.cumsum(self.width)}
        return found


def column_names(kind: str, extra: Sequence[str], labelled: bool) -> tuple[list[str], list[str]]:
    """The columns that a category keeps of its results, and of their sides."""
    if kind == CONTESTS:
        return ["id", "time", "weight"], ["place", *(["points"] if "points" in extra else [])]
    asked = [name for word in extra for name in EXTRAS[word]]
    return ["id", "time", "weight", "score", "side", *asked, *(["round"] if labelled else [])], []


def no_results(kind: str, extra: Sequence[str], labelled: bool) -> Columns:
    """The columns of no results."""
    results, sides = (
        {name: np.empty(0, dtype=type_of(name)) for name in names}
        for names in column_names(kind, extra, labelled)
    )
    none = np.empty(0, dtype=np.int64)
    members = {name: np.empty(0, dtype=type_of(name)) for name in ("player", "share")}
    return Columns(results, none, sides, none, members)


def build_table(columns: Arrays, players: Sequence[str], unusual: Mapping[str, int]) -> Games:
    """Columns of all levels as a table: those in which all is usual are left out."""
    silent = {"id", *(name for name, count in unusual.items() if not count)}
    kept: dict[str, Any] = {
        name: np.ascontiguousarray(column) for name, column in columns.items() if name not in silent
    }
    return Games(players=players, **kept)


def count_unusual(columns: Arrays) -> dict[str, int]:
    """How many rows of a column say something else than results usually do."""
    return {
        name: int((columns[name] != value).sum())
        for name, value in USUAL.items()
        if name in columns
    }


def type_of(name: str) -> Any:
    """The type of a column."""
    return TYPES.get(name, np.float64)


def bounds(size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where runs of these sizes begin, and where the last one ends."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(size, dtype=np.int64)))


def runs(start: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """The entries of some runs, given where all of them begin."""
    size = np.diff(start)[chosen]
    fresh = bounds(size)
    return np.arange(fresh[-1]) + np.repeat(start[:-1][chosen] - fresh[:-1], size)


def _join(one: Arrays, other: Arrays) -> Arrays:
    return {name: np.concatenate((column, other[name])) for name, column in one.items()}


# -- buffers --


LEAST_ROOM = 64  # rows


@dataclass(frozen=True, eq=False)
class Splice:
    """Rows taken out of columns and rows put in, as row numbers of the columns before.

    `gone` ascends without repeats; the j-th new row stands before the old row `at[j]`.
    """

    gone: Rows
    at: Rows

    @property
    def first(self) -> int:
        """The first row that is no longer what it was."""
        return int(min(self.gone[:1].tolist() + self.at[:1].tolist()))

    @property
    def growth(self) -> int:
        """How many rows there are more than before."""
        return len(self.at) - len(self.gone)

    def pieces(self, count: int) -> list[tuple[int, int, int]]:
        """The runs of rows that stay, of `count`: (first, last + 1, new place of the first)."""
        cuts = np.unique(np.concatenate(([0, count], self.gone, self.gone + 1, self.at)))
        low, high = cuts[:-1], cuts[1:]
        stays = ~np.isin(low, self.gone)
        low, high = low[stays], high[stays]
        to = low - self.gone.searchsorted(low) + self.at.searchsorted(low, side="right")
        return list(zip(low.tolist(), high.tolist(), to.tolist(), strict=True))

    @property
    def places(self) -> Rows:
        """Where the new rows stand."""
        places: Rows = self.at - self.gone.searchsorted(self.at) + np.arange(len(self.at))
        return places


@dataclass(frozen=True, eq=False)
class ColumnBuffer:
    """Columns of equal length by name; `held` has room behind the `count` rows that are filled.

    Only the newest of the blocks that share memory may be extended.
    """

    held: Mapping[str, NDArray[Any]]
    count: int

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.held[name][: self.count]

    def __contains__(self, name: str) -> bool:
        return name in self.held

    def part(self, first: int, last: int | None = None) -> dict[str, NDArray[Any]]:
        """Some rows of all columns."""
        last = self.count if last is None else last
        return {name: column[first:last] for name, column in self.held.items()}

    def copy(self) -> ColumnBuffer:
        """A copy without room, which nobody else writes to."""
        return ColumnBuffer({name: self[name].copy() for name in self.held}, self.count)

    def extend(self, more: Mapping[str, NDArray[Any]]) -> ColumnBuffer:
        """With more rows at the end, in the same memory where there is room."""
        count = self.count + (len(next(iter(more.values()))) if more else 0)
        held = {}
        for name, column in self.held.items():
            if count > len(column):
                column = enlarge_column(column[: self.count], count + count // 2 + LEAST_ROOM)  # noqa: PLW2901
            column[self.count : count] = more[name]
            held[name] = column
        return ColumnBuffer(held, count)

    def replace_tail(self, kept: int, more: Mapping[str, NDArray[Any]]) -> ColumnBuffer:
        """The first `kept` rows and more behind them."""
        if kept == self.count:
            return self.extend(more)
        return ColumnBuffer(self.part(0, kept), kept).copy().extend(more)

    def splice(self, splice: Splice, more: Mapping[str, NDArray[Any]]) -> ColumnBuffer:
        """With rows taken out and `more` put in, in memory of its own."""
        count = self.count + splice.growth
        pieces, places = splice.pieces(self.count), splice.places
        held = {}
        for name, column in self.held.items():
            new = np.empty((count + count // 8 + LEAST_ROOM, *column.shape[1:]), column.dtype)
            for low, high, to in pieces:
                new[to : to + high - low] = column[low:high]
            new[places] = more[name]
            held[name] = new
        return ColumnBuffer(held, count)


def enlarge_column(column: NDArray[Any], room: int) -> NDArray[Any]:
    """The same rows in memory for `room` of them."""
    wide = np.empty((room, *column.shape[1:]), column.dtype)
    wide[: len(column)] = column
    return wide
