"""Forecasts of a tournament: the chance of every place for every player, with tie-breaks.

The player with more points stands higher; equals are separated by tie-break rules in the order
given:

    wins          games won
    head_to_head  points from the games among those still level
    berger        Sonneborn-Berger: the points of those beaten and half of those drawn with
    buchholz      the points of all opponents

Players still level share the places: two on places 3 and 4 have half of each, as if drawn by lot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.leaderboard import find_player, format_table
from prowess.engine.params import BadSetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.study.forecasting.contenders import Contenders

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]


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
        """Return the chance of one place; raises UnknownPlayer."""
        return float(self.places[find_player(self.names, player), place - 1])

    def top(self, k: int) -> Floats:
        """Return the chance of a place among the first k, [n]."""
        within: Floats = self.places[:, :k].sum(axis=1)
        return within

    @property
    def mean_place(self) -> Floats:
        """The expected place, [n]."""
        mean: Floats = self.places @ np.arange(1.0, len(self.names) + 1.0)
        return mean

    @property
    def order(self) -> list[int]:
        """Players by the chance of the first place, then the mean place."""
        first = self.places[:, 0].round(12)
        best_first: list[int] = np.lexsort((self.mean_place.round(12), -first)).tolist()
        return best_first

    def cells(self, k: int = 3) -> list[list[str]]:
        """Return formatted rows, the header first."""
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
        return {
            "runs": self.runs,
            "largest_error": float(self.errors.max()),
            "notes": list(self.notes),
            "players": players,
        }

    @property
    def certainty(self) -> str:
        """The precision of the numbers in one sentence."""
        if not self.runs:
            return "exact, given the ratings"
        return f"{self.runs:,} runs; standard errors are at most {100 * self.errors.max():.2g} %"

    def __str__(self) -> str:
        return format_table(self.cells())

    __repr__ = __str__


def percent(chance: float) -> str:
    """Format a chance as a percentage."""
    return f"{100.0 * chance:.1f}%"


RULES = ("wins", "head_to_head", "berger", "buchholz")
DIGITS = 9  # decimals; sums of the same games in another order are equal


@dataclass(frozen=True)
class PointScale:
    """Points for a win, a draw, a loss."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0

    def points(self, score: Floats) -> Floats:
        """Return the points of each game; a score above 1/2 is a win, 1/2 a draw."""
        return np.where(score > 0.5, self.win, np.where(score == 0.5, self.draw, self.loss))


@dataclass(frozen=True, eq=False)
class Tables:
    """Final tables of many runs: points and wins [runs, n], and pair by pair [runs, n, n].

    `brought` are the points that i made against j, `share` the wins and half the draws, `met` the
    games; all three are None if no rule needs them.
    """

    points: Floats
    wins: Floats
    brought: Floats | None = None
    share: Floats | None = None
    met: Floats | None = None


def pairwise(rules: Sequence[str]) -> bool:
    """Return whether the rules use games pair by pair. Raises BadSetting for unknown ones."""
    for rule in rules:
        if rule not in RULES:
            raise BadSetting(f"give tie-breaks of {', '.join(RULES)}, not {rule!r}")
    return bool(set(rules) - {"wins"})


def rank_levels(tables: Tables, rules: Sequence[str]) -> Ids:
    """Return a level per player, [runs, n]: 0 is the best, equal numbers are tied."""
    level = _refine(np.zeros(tables.points.shape, dtype=np.int64), tables.points)
    for rule in rules:
        level = _refine(level, _value(tables, rule, level))
    return level


def _value(tables: Tables, rule: str, level: Ids) -> Floats:
    """Return what a rule compares, [runs, n], more is better."""
    if rule == "wins":
        return tables.wins
    assert tables.brought is not None
    assert tables.share is not None
    assert tables.met is not None
    if rule == "head_to_head":
        tied = level[:, :, None] == level[:, None, :]
        value: Floats = np.where(tied, tables.brought, 0.0).sum(axis=2)
        return value
    weight = tables.share if rule == "berger" else tables.met
    total: Floats = np.matmul(weight, tables.points[:, :, None])[:, :, 0]
    return total


def _refine(level: Ids, value: Floats) -> Ids:
    """Refine levels by a value, more is better."""
    value = -value.round(DIGITS)
    order = np.lexsort((value, level), axis=-1)
    first, then = np.take_along_axis(level, order, 1), np.take_along_axis(value, order, 1)
    step = np.zeros(order.shape, dtype=np.int64)
    step[:, 1:] = (np.diff(first) != 0) | (np.diff(then) != 0.0)
    finer = np.empty_like(level)
    np.put_along_axis(finer, order, np.cumsum(step, axis=1), 1)
    return finer


def place_counts(level: Ids) -> Floats:
    """Count how often each player had each place, over all runs, [n players, n places]."""
    n = level.shape[1]
    ordered = np.sort(level, axis=1)
    begins = np.concatenate((np.ones((len(level), 1), dtype=bool), np.diff(ordered) != 0), axis=1)
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    order = np.argsort(level, axis=1, kind="stable")
    better = np.empty_like(level)
    np.put_along_axis(better, order, first, 1)
    tied = np.zeros_like(level)
    np.put_along_axis(tied, order, _sizes(first), 1)
    count = np.zeros((n, n + 1))
    row = np.broadcast_to(place, level.shape) * (n + 1)
    part = (1.0 / tied).ravel()
    count += np.bincount((row + better).ravel(), part, n * (n + 1)).reshape(n, n + 1)
    count -= np.bincount((row + better + tied).ravel(), part, n * (n + 1)).reshape(n, n + 1)
    return np.cumsum(count, axis=1)[:, :n]


def _sizes(first: Ids) -> Ids:
    """Return the size of the group that begins at `first`, in the order of the table."""
    runs, n = first.shape
    flat = (np.arange(runs)[:, None] * n + first).ravel()
    sizes: Ids = np.bincount(flat, minlength=runs * n)[flat].reshape(runs, n)
    return sizes


class TableCounter:
    """Sums of places and points over the final tables of many runs."""

    def __init__(self, players: int) -> None:
        self.places = np.zeros((players, players))
        self.points, self.squares = np.zeros(players), np.zeros(players)
        self.runs = 0

    def add(self, tables: Tables, ties: Sequence[str]) -> None:
        """Count the tables of some runs, equals separated by the rules `ties`."""
        self.places += place_counts(rank_levels(tables, ties))
        self.points += tables.points.sum(axis=0)
        self.squares += (tables.points**2).sum(axis=0)
        self.runs += len(tables.points)

    def prospects(
        self, field: Contenders, note: str, *, exact: bool, order: Ids | None = None
    ) -> Prospects:
        """Return the mean tables; `order` are the rows of the players of `field`."""
        rows: Any = slice(None) if order is None else order
        places, points = (self.places / self.runs)[rows], (self.points / self.runs)[rows]
        variance = (self.squares / self.runs)[rows] - points**2
        return Prospects(
            names=field.names,
            rating=field.rating,
            places=places,
            errors=np.sqrt(np.maximum(places * (1.0 - places), 0.0) / self.runs),
            runs=0 if exact else self.runs,
            points=points,
            spread=np.sqrt(np.maximum(variance, 0.0)),
            notes=(*field.notes, note) if note else field.notes,
        )
