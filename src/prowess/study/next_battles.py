"""Which battles are worth playing next, and why.

Where ratings know how sure they are, a battle is worth E (1 - E) v: the chance of a surprise
either way times the variance v of the difference of the two, to which what a battle teaches is
proportional (the Fisher information of a logistic model times v). Elsewhere the pairs that met
least often come first, and among them the closest. Each battle planned for a player divides the
worth of his others by one more, so that a budget is spread over the league.

That serves the goal `ranking`. For `coverage` the pairs that met least often come first in any
case, for `balance` everyone plays once before anyone plays twice, and the most open games first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.rate import DynamicRatings
from prowess.study.forecasting.law import law_of
from prowess.study.pairing_table import merged_pairs, standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

Goal = Literal["coverage", "ranking", "balance"]
MOST_PAIRS = 100_000  # that are looked at; beyond, only neighbours in the leaderboard


class Battle(NamedTuple):
    """A battle worth playing; `worth` is None where ratings do not say how sure they are."""

    player: str
    opponent: str
    battles: float  # so far
    expected: float | None
    worth: float | None
    why: str


def next_battles(
    ratings: Ratings, budget: int, player: str | None = None, goal: Goal = "ranking"
) -> list[Battle]:
    """The `budget` battles worth playing next (of one player if named), the best first.

    No pair stands there twice. Raises Unratable unless games are between two, UnknownPlayer.
    """
    merged = merged_pairs(ratings)
    own = None if player is None else ratings.index(player)
    i, j = _candidates(standing(ratings), own)
    battles = merged.battles[i, j]
    expected = _expected(ratings, i, j)
    spread = _spread(ratings, i, j)
    apart = np.abs(expected - 0.5) if expected is not None else _places_apart(ratings, i, j)
    worth = None if spread is None or expected is None else expected * (1 - expected) * spread**2
    planned = np.zeros(len(ratings))
    open_pairs = np.ones(len(i), dtype=bool)
    chosen: list[Battle] = []
    while open_pairs.any() and len(chosen) < budget:
        crowd = planned[i] + planned[j]
        keys: tuple[Floats, ...]  # the last one decides first
        if goal == "balance":
            keys = (battles, apart, crowd)
        elif goal == "ranking" and worth is not None:
            keys = (battles, -worth / (1.0 + crowd))
        elif worth is not None:
            keys = (-worth, crowd, battles)
        else:
            keys = (apart, crowd, battles)
        best = _first(open_pairs, keys)
        open_pairs[best] = False
        planned[i[best]] += 1.0
        planned[j[best]] += 1.0
        chance = None if expected is None else float(expected[best])
        gain = None if worth is None else float(worth[best])
        doubt = None if spread is None else float(spread[best])
        why = _why(float(battles[best]), chance, doubt)
        names = ratings.players[int(i[best])], ratings.players[int(j[best])]
        chosen.append(Battle(*names, float(battles[best]), chance, gain, why))
    return chosen


def _first(chosen: NDArray[np.bool_], keys: tuple[Floats, ...]) -> int:
    """The first of the chosen in the order that `np.lexsort` gives, without sorting the others."""
    left = np.flatnonzero(chosen)
    for key in reversed(keys):
        own = key[left]
        left = left[own == own.min()]
    return int(left[0])


def _candidates(order: list[int], own: int | None) -> tuple[Ids, Ids]:
    """All pairs, the higher one first, or as many neighbours in the leaderboard as can be done."""
    ranked = np.array(order, dtype=np.int64)
    n = len(ranked)
    if own is not None:
        others = ranked[ranked != own]
        return np.full(len(others), own, dtype=np.int64), others
    reach = min(n - 1, max(1, MOST_PAIRS // n))
    first = np.concatenate([np.arange(n - d) for d in range(1, reach + 1)] or [ranked[:0]])
    gap = np.concatenate([np.full(n - d, d) for d in range(1, reach + 1)] or [ranked[:0]])
    return ranked[first], ranked[first + gap]


def _expected(ratings: Ratings, i: Ids, j: Ids) -> Floats | None:
    """Expected scores on neutral ground; None without a model of a game."""
    if isinstance(ratings, DynamicRatings) and (law := law_of(ratings)) is not None:
        return law.ask(law.parts(ratings.values), i, j, np.zeros(len(i)))[0]
    try:
        pairs = zip(i.tolist(), j.tolist(), strict=True)
        return np.array([ratings.chances(a, b, 0.0).expected for a, b in pairs])
    except NoModel:
        return None


def _spread(ratings: Ratings, i: Ids, j: Ids) -> Floats | None:
    """How sure the difference of two ratings is, in points; None where nothing says."""
    if isinstance(ratings, WholeTableRatings) and ratings.fit.uncertainty is not None:
        sure = ratings.fit.uncertainty
        spread = np.empty(len(i))
        for one in np.unique(i):
            rows = i == one
            spread[rows] = sure.deviations(int(one))[j[rows]]
        return spread
    if "deviation" in ratings.columns:
        deviation = ratings.column("deviation").astype(np.float64)
        total: Floats = np.hypot(deviation[i], deviation[j])
        return total
    return None


def _places_apart(ratings: Ratings, i: Ids, j: Ids) -> Floats:
    place = np.zeros(len(ratings))
    order = standing(ratings)
    place[order] = np.arange(len(order))
    apart: Floats = np.abs(place[i] - place[j])
    return apart


def _why(battles: float, expected: float | None, doubt: float | None) -> str:
    """One sentence."""
    met = "they never met" if not battles else f"they met {battles:g} times"
    if battles == 1.0:
        met = "they met once"
    if expected is None:
        return f"{met}, and they stand close to each other"
    open_end = "the result is open" if abs(expected - 0.5) < 0.15 else "a surprise would tell much"
    if doubt is None:
        return f"{met}, and {open_end} ({expected:.0%})"
    return f"{open_end} ({expected:.0%}), and their difference is known to {doubt:.3g}; {met}"
