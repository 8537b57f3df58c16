"""What a forecast of a whole tournament says: the chance of every place for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.leaderboard import find_player, format_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Prospects:
    """Chances of places, [n players, n places]: rows and columns sum to 1.

    `points` and `spread` are mean and standard deviation of the final points (None in a bracket),
    `stages` the chances of reaching each round of a bracket. `runs` is the number of simulated
    tournaments, or of drawn strengths, behind the numbers; 0 where they are exact. `errors` are
    the standard errors of `places`.
    """

    names: tuple[str, ...]
    rating: Floats
    places: Floats
    errors: Floats
    runs: int
    points: Floats | None = None
    spread: Floats | None = None
    stages: Mapping[str, Floats] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()

    def chance(self, player: str, place: int = 1) -> float:
        """The chance of one place; raises UnknownPlayer."""
        return float(self.places[find_player(self.names, player), place - 1])

    def top(self, k: int) -> Floats:
        """The chance of a place among the first k, [n]."""
        within: Floats = self.places[:, :k].sum(axis=1)
        return within

    @property
    def mean_place(self) -> Floats:
        """The expected place, [n]."""
        mean: Floats = self.places @ np.arange(1.0, len(self.names) + 1.0)
        return mean

    @property
    def order(self) -> list[int]:
        """Players by what they may hope for: the chance to be first, then the mean place."""
        first = self.places[:, 0].round(12)
        best_first: list[int] = np.lexsort((self.mean_place.round(12), -first)).tolist()
        return best_first

    def cells(self, k: int = 3) -> list[list[str]]:
        """Rows as people read them, the header first."""
        header = ["player", "rating"]
        if self.points is not None:
            header += ["points", "+-"]
        names = list(self.stages) or ["1st", f"top {k}", "mean place"]
        rows = []
        for i in self.order:
            row = [self.names[i], f"{self.rating[i]:.1f}"]
            if self.points is not None and self.spread is not None:
                row += [f"{self.points[i]:.1f}", f"{self.spread[i]:.1f}"]
            if self.stages:
                row += [percent(chance[i]) for chance in self.stages.values()]
            else:
                row += [percent(self.places[i, 0]), percent(self.top(k)[i])]
                row.append(f"{self.mean_place[i]:.1f}")
            rows.append(row)
        return [header + names, *rows]

    def as_dict(self) -> dict[str, Any]:
        """Plain data at full precision, with the whole matrix of places."""
        players = []
        for i in self.order:
            one: dict[str, Any] = {"player": self.names[i], "rating": float(self.rating[i])}
            if self.points is not None and self.spread is not None:
                one |= {"points": float(self.points[i]), "spread": float(self.spread[i])}
            one |= {name: float(chance[i]) for name, chance in self.stages.items()}
            one |= {"mean_place": float(self.mean_place[i]), "places": self.places[i].tolist()}
            players.append(one)
        return {
            "runs": self.runs,
            "largest_error": float(self.errors.max()),
            "notes": list(self.notes),
            "players": players,
        }

    @property
    def certainty(self) -> str:
        """One sentence: how exact the numbers are."""
        if not self.runs:
            return "exact, given the ratings"
        return f"{self.runs:,} runs; standard errors are at most {100 * self.errors.max():.2g} %"

    def __str__(self) -> str:
        return format_table(self.cells())

    __repr__ = __str__


def percent(chance: float) -> str:
    """A chance as people read it."""
    return f"{100.0 * chance:.1f}%"
