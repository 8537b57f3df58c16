"""Games that count, in order of play."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.replay import Unratable
from prowess.games.games import Games
from prowess.live.facts import USUAL, Changes, Fact, days
from prowess.live.ladder.block import Block
from prowess.live.ladder.edit import Edit, Numbering, placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from prowess.live.ladder.players import Roster

TYPES = {"id": np.int64, "a": np.uint32, "b": np.uint32, "round": np.int32}  # others are float64
ALWAYS = ("id", "time", "a", "b", "score", "side", "weight")
EXTRAS = {"margin": ("margin",), "length": ("length",), "points": ("points_a", "points_b")}


@dataclass(frozen=True, eq=False)
class Labels:
    """Numbers for the labels of rounds; a number once given stays."""

    numbers: dict[str, int] = field(default_factory=dict)
    next: Any = field(default_factory=itertools.count)

    def number(self, label: str | None) -> int:
        """The number of a label; raises Unratable where there is none."""
        if label is None:
            raise Unratable("rounds by label need the round of every result")
        return self.numbers.setdefault(label, next(self.next))

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> Labels:
        """Labels that have numbers already."""
        return cls(dict(numbers), itertools.count(max(numbers.values(), default=-1) + 1))


@dataclass(frozen=True, eq=False)
class GameLog:
    """Columns of games by (time, number); `unusual` counts the rows that say more than the usual.

    A column in which every row is usual is left out of the tables: the numbers are the same.
    """

    results: Block
    unusual: Mapping[str, int]
    highest: int = -1  # no number of a result is above it
    labels: Labels | None = None  # where rounds are kept

    @classmethod
    def of(cls, columns: Mapping[str, Any], extra: Sequence[str], labels: Labels | None) -> GameLog:
        """A log of columns in order of play, players by row, times in days."""
        names = [*ALWAYS, *(name for word in extra for name in EXTRAS[word])]
        names += ["round"] * (labels is not None)
        held = {name: np.asarray(columns[name], dtype=typed(name)) for name in names}
        block = Block(held, len(held["id"]))
        return cls(block, unusual(held), int(held["id"].max(initial=-1)), labels)

    def __len__(self) -> int:
        return self.results.count

    @property
    def time(self) -> NDArray[np.float64]:
        """Days since 1970 of every game."""
        return self.results["time"]

    def who(self, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The players of some games."""
        return np.concatenate((self.results["a"][rows], self.results["b"][rows]))

    def trail_row(self, row: int) -> int:
        """The row of the trail that belongs to a game."""
        return row

    def rows_with(self, player: int) -> NDArray[np.int64]:
        """The games of a player."""
        return np.flatnonzero((self.results["a"] == player) | (self.results["b"] == player))

    def edited(self, changes: Changes, roster: Roster) -> Edit | None:
        """The edit that makes changes; None: nothing changes. Raises Unratable."""
        found = placed(self.results, self.highest, changes)
        if found is None:
            return None
        splice, facts = found
        numbering = Numbering(roster)
        columns = {
            name: np.array([self.cell(name, fact, numbering) for fact in facts], dtype=typed(name))
            for name in self.results.held
        }
        return Edit(splice, columns, tuple(numbering.newcomers))

    def cell(self, name: str, fact: Fact, numbering: Numbering) -> Any:
        """What a column holds of a result."""
        if name == "time":
            return days(fact.time)
        if name == "round":
            assert self.labels is not None
            return self.labels.number(fact.round)
        if name in ("id", "weight"):
            return getattr(fact, name)
        value = getattr(fact.pairing, name)
        return numbering.row(value) if name in ("a", "b") else value

    def changed(self, edit: Edit) -> GameLog:
        """The log after an edit."""
        if edit.appends(len(self)):
            results = self.results.extended(edit.results)
            left = dict.fromkeys(self.unusual, 0)
        else:
            results = self.results.spliced(edit.splice, edit.results)
            left = unusual({name: self.results[name][edit.splice.gone] for name in self.unusual})
        came = unusual(edit.results)
        total = {name: count - left[name] + came[name] for name, count in self.unusual.items()}
        highest = max(self.highest, int(edit.results["id"].max(initial=-1)))
        return GameLog(results, total, highest, self.labels)

    def table(self, players: Sequence[str], first: int = 0, last: int | None = None) -> Games:
        """Some rows as a table of games."""
        return tabled(self.results.part(first, len(self) if last is None else last), players,
                      self.unusual)  # fmt: skip

    def table_on(self, first: int, edit: Edit, players: Sequence[str]) -> Games:
        """The rows from `first` on and those that an edit appends, as a table."""
        came, rows = unusual(edit.results), edit.results
        if first < len(self):
            part = self.results.part(first, len(self))
            rows = {name: np.concatenate((part[name], edit.results[name])) for name in part}
        return tabled(rows, players, {n: self.unusual[n] + came[n] for n in self.unusual})


def typed(name: str) -> Any:
    """The type of a column."""
    return TYPES.get(name, np.float64)


def unusual(columns: Mapping[str, NDArray[Any]]) -> dict[str, int]:
    """How many rows of a column say something else than games usually do."""
    return {name: int((columns[name] != value).sum()) for name, value in USUAL.items()}


def tabled(
    columns: Mapping[str, NDArray[Any]], players: Sequence[str], unusual: Mapping[str, int]
) -> Games:
    """Columns of a log as a table."""
    usual = {name for name, count in unusual.items() if not count}
    kept: dict[str, Any] = {n: c for n, c in columns.items() if n not in {"id", *usual}}
    return Games(players=players, **kept)
