"""Every pair of players: how often they met, with what score, and what the ratings expected.

The score of a pair is the mean of its games (a draw 1/2), the surplus what it is more than the
expected one. The interval is Wilson's: E. B. Wilson, "Probable Inference, the Law of Succession,
and Statistical Inference", J. Amer. Stat. Assoc. 22 (1927). It takes every game for all or
nothing, so that with draws or shares of points it is wider than it need be.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.fit import NoModel
from prowess.engine.pairings import Pairings, pairings
from prowess.engine.uncertainty import normal_quantile
from prowess.study.duels import check_duels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Ids = NDArray[np.int64]


class Pair(NamedTuple):
    """Two players and their games, seen from the one rated higher (or the one asked about).

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
    """All pairs that met, and those that never did; `level` is that of the intervals."""

    pairs: list[Pair]
    holes: list[tuple[str, str]]
    level: float


def pairing_table(ratings: Ratings, player: str | None = None, level: float = 0.95) -> PairingTable:
    """The pairs of a rated table in the order of its leaderboard, of one player if named.

    Raises Unratable unless games are between two, and for too many players, UnknownPlayer.
    """
    merged = merged_pairs(ratings)
    order = standing(ratings)
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
            chance = expected.get((i, j))
            surplus = None if chance is None else score - chance
            low, high = wilson(score, battles, level)
            pairs.append(Pair(*names, battles, score, low, high, chance, surplus))
    return PairingTable(pairs, holes, level)


def merged_pairs(ratings: Ratings) -> Pairings:
    """The games behind ratings merged by pair; raises Unratable unless two players meet in each."""
    check_duels(ratings.table, "a table of pairings")
    return pairings(ratings.table, by_points=False)


def standing(ratings: Ratings) -> list[int]:
    """The numbers of those who have played, the best first; of equals the first seen."""
    played = np.flatnonzero(ratings.played())
    best = np.argsort(-ratings.strength[played], kind="stable")
    return [int(k) for k in played[best]]


def wilson(score: float, battles: float, level: float) -> tuple[float, float]:
    """(p + z^2/2n -+ z sqrt(p (1-p) / n + z^2 / 4n^2)) / (1 + z^2/n), with probability `level`."""
    z = normal_quantile(level)
    part = z * z / battles
    reach = z * sqrt(score * (1.0 - score) / battles + part / (4.0 * battles))
    middle = score + 0.5 * part
    return max(0.0, (middle - reach) / (1.0 + part)), min(1.0, (middle + reach) / (1.0 + part))


def _expected_by_pair(ratings: Ratings) -> dict[tuple[int, int], float]:
    """The mean expected score of each pair over the sides they really had; both ways round."""
    table = ratings.table
    assert table.duels
    count = len(table)
    side = np.zeros(count) if table.side is None else table.side
    weight = np.ones(count) if table.weight is None else table.weight
    flip = table.a > table.b
    first, second = np.where(flip, table.b, table.a), np.where(flip, table.a, table.b)
    kinds = np.stack((first, second, np.where(flip, -side, side)), axis=1)
    rows, kind = np.unique(kinds, axis=0, return_inverse=True)
    share = np.bincount(kind.ravel(), weight)
    total: dict[tuple[int, int], list[float]] = {}
    try:
        for (i, j, venue), w in zip(rows.tolist(), share.tolist(), strict=True):
            pair = total.setdefault((int(i), int(j)), [0.0, 0.0])
            pair[0] += w * ratings.chances(int(i), int(j), venue).expected
            pair[1] += w
    except NoModel:
        return {}
    one = {pair: chance / w for pair, (chance, w) in total.items()}
    return one | {(j, i): 1.0 - chance for (i, j), chance in one.items()}
