"""Pairs of players: their games against expectation, and the battles worth playing next.

The score of a pair is the mean of its games (a draw 1/2), the surplus is the score minus the
expected one. The interval is Wilson's (`scores.wilson_interval`); it treats every game as won or
lost, so with draws or shares of points it is wider than necessary.

Next battles: if ratings have deviations, a battle is worth E (1 - E) v: the variance of its result
times the variance v of the difference of the two, which is proportional to the information gained
(the Fisher information of a logistic model times v). Otherwise the pairs that met least often come
first, and among them the closest. Each battle planned for a player divides the worth of their
others by one more, so that a budget is spread over the league.

That is the goal `ranking`. For `coverage` the pairs that met least often always come first, for
`balance` every player plays once before any plays twice, and the most open games come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.pairings import Pairings, pairings
from prowess.engine.progress import stop_if_unwanted
from prowess.study.forecasting.game_model import expected_scores
from prowess.study.lineups import check_duels
from prowess.study.scores import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Ids = NDArray[np.int64]
    Floats = NDArray[np.float64]


class PairRecord(NamedTuple):
    """Two players and their games, seen from the higher rated one (or the one requested).

    `expected` and `surplus` are None where the system has no model of a game.
    """

    player: str
    opponent: str
    battles: float  # the sum of the weights
    score: float
    low: float
    high: float
    expected: float | None
    surplus: float | None

    @property
    def surprising(self) -> bool:
        """Whether the expected score lies outside the interval of the score."""
        return self.expected is not None and not self.low <= self.expected <= self.high


@dataclass(frozen=True, eq=False)
class PairingTable:
    """All pairs that met, and those that never met; `level` is that of the intervals."""

    pairs: list[PairRecord]
    holes: list[tuple[str, str]]
    level: float


def pairing_table(ratings: Ratings, player: str | None = None, level: float = 0.95) -> PairingTable:
    """Return the pairs of a rated table in the order of its leaderboard, of one player if named.

    Raises Unratable unless games are between two, and for too many players, UnknownPlayer.
    """
    merged = merge_pairs(ratings)
    order = standing_order(ratings)
    own = None if player is None else ratings.index(player)
    expected = _expected_by_pair(ratings)
    pairs, holes = [], []
    for place, i in enumerate(order):
        if own is not None and i != own:
            continue
        for j in order if own is not None else order[place + 1 :]:
            names = ratings.players[i], ratings.players[j]
            if i == j:
                continue
            if not merged.met[i, j]:
                holes.append(names)
                continue
            battles, score = float(merged.battles[i, j]), float(merged.share[i, j])
            chance = float(expected[i, j]) if np.isfinite(expected[i, j]) else None
            surplus = None if chance is None else score - chance
            low, high = wilson_interval(score, battles, level)
            pairs.append(PairRecord(*names, battles, score, low, high, chance, surplus))
    return PairingTable(pairs, holes, level)


def merge_pairs(ratings: Ratings) -> Pairings:
    """Merge the games behind ratings by pair; raises Unratable unless between two players."""
    check_duels(ratings.table, "a table of pairings")
    return pairings(ratings.table, by_points=False)


def standing_order(ratings: Ratings) -> list[int]:
    """Return the numbers of players with games, the best first; of equals the first seen."""
    played = np.flatnonzero(ratings.has_played())
    best = np.argsort(-ratings.strength[played], kind="stable")
    return [int(k) for k in played[best]]


def _try_expected_scores(ratings: Ratings, i: Ids, j: Ids, side: Floats) -> Floats | None:
    """Return expected scores of i against j; None without a model of a game."""
    try:
        return expected_scores(ratings, i, j, side)
    except NoModel:
        return None


def _expected_by_pair(ratings: Ratings) -> Floats:
    """Return the mean expected score of each pair over their actual sides, [n, n], else nan."""
    table, n = ratings.table, len(ratings)
    side = np.zeros(len(table)) if table.side is None else table.side
    weight = np.ones(len(table)) if table.weight is None else table.weight
    flip = table.a > table.b
    first, second = np.where(flip, table.b, table.a), np.where(flip, table.a, table.b)
    kinds = np.stack((first, second, np.where(flip, -side, side)), axis=1)
    rows, kind = np.unique(kinds, axis=0, return_inverse=True)
    share = np.bincount(kind.ravel(), weight)
    i, j = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    mean = np.full((n, n), np.nan)
    expected = _try_expected_scores(ratings, i, j, rows[:, 2])
    if expected is not None:
        pair, place = np.unique(i * n + j, return_inverse=True)
        of = np.bincount(place, share * expected) / np.bincount(place, share)
        mean[pair // n, pair % n], mean[pair % n, pair // n] = of, 1.0 - of
    return mean


Goal = Literal["coverage", "ranking", "balance"]
MOST_PAIRS = 100_000  # that are examined; beyond, only neighbours in the leaderboard


class SuggestedGame(NamedTuple):
    """A battle worth playing; `worth` is None if ratings have no deviations."""

    player: str
    opponent: str
    battles: float  # so far
    expected: float | None
    worth: float | None
    why: str


def next_battles(
    ratings: Ratings, budget: int, player: str | None = None, goal: Goal = "ranking"
) -> list[SuggestedGame]:
    """Return the `budget` battles worth playing next (of one player if named), the best first.

    No pair appears twice. Raises Unratable unless games are between two, UnknownPlayer.
    """
    check_duels(ratings.table, "a list of games to play")
    own = None if player is None else ratings.index(player)
    i, j = _candidates(standing_order(ratings), own)
    battles = _battles_so_far(ratings, i, j)
    expected = _try_expected_scores(ratings, i, j, np.zeros(len(i)))
    spread = _rating_spread(ratings, i, j)
    apart = np.abs(expected - 0.5) if expected is not None else _places_apart(ratings, i, j)
    worth = None if spread is None or expected is None else expected * (1 - expected) * spread**2
    planned = np.zeros(len(ratings))
    open_pairs = np.ones(len(i), dtype=bool)
    chosen: list[SuggestedGame] = []
    while open_pairs.any() and len(chosen) < budget:
        stop_if_unwanted()
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
        chosen.append(SuggestedGame(*names, float(battles[best]), chance, gain, why))
    return chosen


def _battles_so_far(ratings: Ratings, i: Ids, j: Ids) -> Floats:
    """Return the sums of the weights of the games of some pairs."""
    table, n = ratings.table, len(ratings.players)
    low, high = np.minimum(table.a, table.b), np.maximum(table.a, table.b)
    pairs, place = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
    battles = np.bincount(place.ravel(), table.weight, len(pairs))
    wanted = np.minimum(i, j) * n + np.maximum(i, j)
    at = np.minimum(pairs.searchsorted(wanted), len(pairs) - 1)
    return np.where(pairs[at] == wanted, battles[at], 0.0)


def _first(chosen: NDArray[np.bool_], keys: tuple[Floats, ...]) -> int:
    """Return the first of the chosen in the order of `np.lexsort`, without sorting all."""
    left = np.flatnonzero(chosen)
    for key in reversed(keys):
        own = key[left]
        left = left[own == own.min()]
    return int(left[0])


def _candidates(order: list[int], own: int | None) -> tuple[Ids, Ids]:
    """Return all pairs, the higher one first, or near neighbours if there are too many."""
    ranked = np.array(order, dtype=np.int64)
    n = len(ranked)
    if own is not None:
        others = ranked[ranked != own]
        return np.full(len(others), own, dtype=np.int64), others
    reach = min(n - 1, max(1, MOST_PAIRS // n))
    first = np.concatenate([np.arange(n - d) for d in range(1, reach + 1)] or [ranked[:0]])
    gap = np.concatenate([np.full(n - d, d) for d in range(1, reach + 1)] or [ranked[:0]])
    return ranked[first], ranked[first + gap]


def _rating_spread(ratings: Ratings, i: Ids, j: Ids) -> Floats | None:
    """Return the deviation of the difference of two ratings, points; None if unknown."""
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
    order = standing_order(ratings)
    place[order] = np.arange(len(order))
    apart: Floats = np.abs(place[i] - place[j])
    return apart


def _why(battles: float, expected: float | None, doubt: float | None) -> str:
    """Return the reason for a battle in one sentence."""
    met = "they never met" if not battles else f"they met {battles:g} times"
    if battles == 1.0:
        met = "they met once"
    if expected is None:
        return f"{met}, and they stand close to each other"
    open_end = "the result is open" if abs(expected - 0.5) < 0.15 else "a surprise would tell much"
    if doubt is None:
        return f"{met}, and {open_end} ({expected:.0%})"
    return f"{open_end} ({expected:.0%}), and their difference is known to {doubt:.3g}; {met}"
