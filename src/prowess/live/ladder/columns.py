"""Columns of results, of their sides and of the members of these; and columns as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.games import Games
from prowess.live.facts import CONTESTS, USUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Arrays = Mapping[str, "NDArray[Any]"]
TYPES = {  # of columns; others are float64
    "id": np.int64, "a": np.uint32, "b": np.uint32, "player": np.uint32, "round": np.int32,
    "start": np.int64, "ends": np.int64,
}  # fmt: skip
EXTRAS = {"margin": ("margin",), "length": ("length",), "points": ("points_a", "points_b")}


class Form(NamedTuple):
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

    def taken(self, rows: NDArray[np.int64]) -> Columns:
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
            _joined(self.results, more.results),
            np.concatenate((self.size, more.size)),
            _joined(self.sides, more.sides),
            np.concatenate((self.width, more.width)),
            _joined(self.members, more.members),
        )

    def written(self, form: Form) -> dict[str, dict[str, NDArray[Any]]]:
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

    def tabled(self, form: Form, players: Sequence[str], unusual: Mapping[str, int]) -> Games:
        """The results as a table; `unusual` says which columns say more than the usual."""
        found = self.written(form)
        flat = {name: column for level in found.values() for name, column in level.items()}
        for name in ("start", "ends"):
            if name in flat:
                flat[name] = np.concatenate(([0], flat[name]))
        return tabled(flat, players, unusual)


def names_of(kind: str, extra: Sequence[str], labelled: bool) -> tuple[list[str], list[str]]:
    """The columns that a category keeps of its results, and of their sides."""
    if kind == CONTESTS:
        return ["id", "time", "weight"], ["place", *(["points"] if "points" in extra else [])]
    asked = [name for word in extra for name in EXTRAS[word]]
    return ["id", "time", "weight", "score", "side", *asked, *(["round"] if labelled else [])], []


def nothing(kind: str, extra: Sequence[str], labelled: bool) -> Columns:
    """The columns of no results."""
    results, sides = (
        {name: np.empty(0, dtype=typed(name)) for name in names}
        for names in names_of(kind, extra, labelled)
    )
    none = np.empty(0, dtype=np.int64)
    members = {name: np.empty(0, dtype=typed(name)) for name in ("player", "share")}
    return Columns(results, none, sides, none, members)


def tabled(columns: Arrays, players: Sequence[str], unusual: Mapping[str, int]) -> Games:
    """Columns of all levels as a table: those in which all is usual are left out."""
    silent = {"id", *(name for name, count in unusual.items() if not count)}
    kept: dict[str, Any] = {
        name: np.ascontiguousarray(column) for name, column in columns.items() if name not in silent
    }
    return Games(players=players, **kept)


def unusual(columns: Arrays) -> dict[str, int]:
    """How many rows of a column say something else than results usually do."""
    return {
        name: int((columns[name] != value).sum())
        for name, value in USUAL.items()
        if name in columns
    }


def typed(name: str) -> Any:
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


def _joined(one: Arrays, other: Arrays) -> Arrays:
    return {name: np.concatenate((column, other[name])) for name, column in one.items()}
