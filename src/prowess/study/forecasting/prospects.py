"""The chances of every participant of a tournament: places, points, rounds of a bracket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.leaderboard import find_player
from prowess.engine.tabular import Columns, Tabular
from prowess.engine.text_table import format_table
from prowess.games.arguments import BadArgument, check_count, check_given


@dataclass(frozen=True, eq=False, repr=False)
class Prospects(Tabular):
    """Chances of places, [n players, n places]: rows and columns sum to 1.

    `points` and `spread` are mean and standard deviation of the final points (None in a bracket),
    `stages` the chances of reaching each round of a bracket. `runs` is the number of simulated
    tournaments (by `seed`), or of drawn strengths, behind the numbers; 0 where they are exact.
    `errors` are the standard errors of `places`.
    """

    names: tuple[str, ...]
    rating: Floats
    places: Floats
    errors: Floats
    runs: int
    points: Floats | None = None
    spread: Floats | None = None
    stages: Mapping[str, Floats] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seed: int | None = None

    @property
    def headline(self) -> str:
        """How many take part, and how precise the numbers are."""
        return f"{len(self.names)} participants; {self.certainty}"

    def to_columns(self) -> Columns:
        """See Tabular: a row a participant, likeliest winner first, with every place's chance."""
        order = self.order
        found: dict[str, Any] = {
            "player": [self.names[i] for i in order], "rating": self.rating[order],
        }  # fmt: skip
        if self.points is not None and self.spread is not None:
            found |= {"points": self.points[order], "spread": self.spread[order]}
        found |= {name: np.asarray(chance)[order] for name, chance in self.stages.items()}
        found["mean_place"] = self.mean_place[order]
        if not self.stages:
            count = self.places.shape[1]
            found |= {f"place_{k + 1}": self.places[order, k] for k in range(count)}
        return found

    def chance(self, player: str, place: int = 1) -> float:
        """Return the chance of one place, from 1 on; raises UnknownPlayer, BadArgument."""
        if check_count("place", place, 1) > self.places.shape[1]:
            raise BadArgument.of("place_out_of_range", most=self.places.shape[1], place=place)
        return float(self.places[find_player(self.names, player), place - 1])

    def top(self, k: int) -> Floats:
        """Return the chance of a place among the first k (from 1 on), [n]; raises BadArgument."""
        within: Floats = self.places[:, : check_count("k", k, 1)].sum(axis=1)
        return within

    @property
    def mean_place(self) -> Floats:
        """The expected place, [n]."""
        mean: Floats = self.places @ np.arange(1.0, len(self.names) + 1.0, dtype=np.float64)
        return mean

    @property
    def order(self) -> list[int]:
        """Players by the chance of the first place, then the mean place."""
        first = self.places[:, 0].round(12)
        best_first: list[int] = np.lexsort((self.mean_place.round(12), -first)).tolist()
        return best_first

    def cells(self, most: int | None = None) -> list[list[str]]:
        """See Tabular; all rows, whatever `most` says."""
        check_given(check_count, "most", most)
        return self.place_cells()

    def place_cells(self, k: int = 3) -> list[list[str]]:
        """Return formatted rows, the header first, with the chance of the top k."""
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
        """Return plain data at full precision, with the whole matrix of places."""
        players = []
        for i in self.order:
            one: dict[str, Any] = {"player": self.names[i], "rating": float(self.rating[i])}
            if self.points is not None and self.spread is not None:
                one |= {"points": float(self.points[i]), "spread": float(self.spread[i])}
            one |= {name: float(chance[i]) for name, chance in self.stages.items()}
            one |= {"mean_place": float(self.mean_place[i]), "places": self.places[i].tolist()}
            players.append(one)
        error = float(self.errors.max())
        head = {"runs": self.runs, "seed": self.seed, "largest_error": error}
        return head | {"notes": list(self.notes), "players": players}

    @property
    def certainty(self) -> str:
        """The precision of the numbers in one sentence."""
        if not self.runs:
            return "exact, given the ratings"
        runs = f"{self.runs:,} runs" + ("" if self.seed is None else f", seed {self.seed}")
        return f"{runs}; standard errors are at most {100 * self.errors.max():.2g} %"

    def __str__(self) -> str:
        return format_table(self.cells())

    __repr__ = __str__


def percent(chance: float) -> str:
    """Format a chance as a percentage."""
    return f"{100.0 * chance:.1f}%"
