"""Games merged by pair, for systems that ignore the order of results.

    row (a, b, side)    wins, draws and losses of a, each a sum of weights; a < b

A score strictly between loss and draw, or draw and win, is that share of a win and the rest of a
loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.compile.numbers import Floats
    from prowess.games.games import Games

    Ids = NDArray[np.uint32]

MOST_CELLS = 1 << 22  # of a dense table of all pairs and sides: 32 MB each


@dataclass(frozen=True, eq=False)
class Tally:
    """Merged results of a roster, one row for every pair of players and side that occurs.

    All columns have one entry per row; rows of one `a` stand together, in ascending order of a.
    """

    players: int  # length of the roster
    a: Ids
    b: Ids  # greater than a
    side: Floats  # +1 a has the side advantage, -1 b has, 0 neutral
    wins: Floats  # of a
    draws: Floats
    losses: Floats

    def __len__(self) -> int:
        return len(self.a)

    @property
    def games(self) -> Floats:
        """The number of games of each row, by weight."""
        total: Floats = self.wins + self.draws + self.losses
        return total


def tally(games: Games, *, sides: bool = True) -> Tally:
    """Merge games by pair and, where `sides` asks for it, by who has the side advantage."""
    side = games.side if sides else None
    n, kinds = len(games.players), 1 if side is None else 3
    if n * n * kinds <= max(MOST_CELLS // 64, min(MOST_CELLS, 64 * len(games))):
        return _count_densely(games, side)
    return _count_by_sorting(games, side)


def share_score(score: Floats) -> Floats:
    """The win, the draw and the loss in each score, [3, games]."""
    drawn = score == 0.5
    return np.stack((np.where(drawn, 0.0, score), drawn, np.where(drawn, 0.0, 1.0 - score)))


def _shares(games: Games) -> Floats:
    """Wins, draws and losses of a in every game, by weight."""
    weight = 1.0 if games.weight is None else games.weight
    return weight * share_score(games.score)


def _count_densely(games: Games, side: Floats | None) -> Tally:
    """By a table of all pairs."""
    n, kinds = len(games.players), 1 if side is None else 3
    cell = games.a.astype(np.int64) * n + games.b
    if side is not None:
        cell = cell * 3 + (side.astype(np.int64) + 1)
    if games.weight is None and not ((double := 2.0 * games.score) % 1.0).any():
        whole = np.bincount(cell * 3 + double.astype(np.int64), minlength=n * n * kinds * 3)
        losses, draws, wins = whole.reshape(n, n, kinds, 3).transpose(3, 0, 1, 2) * 1.0
    else:
        shares = (np.bincount(cell, share, n * n * kinds) for share in _shares(games))
        wins, draws, losses = (share.reshape(n, n, kinds) for share in shares)

    def seen_by(first: Floats, mirrored: Floats) -> Floats:
        both: Floats = first + mirrored.transpose(1, 0, 2)[:, :, ::-1]
        return both

    of_a, drawn, of_b = seen_by(wins, losses), seen_by(draws, draws), seen_by(losses, wins)
    met = of_a + drawn + of_b > 0.0
    met &= np.triu(np.ones((n, n), dtype=bool), 1)[:, :, None]
    a, b, kind = np.nonzero(met)
    has = kind.astype(np.float64) - 1.0 if kinds == 3 else np.zeros(len(a))
    return Tally(n, a.astype(np.uint32), b.astype(np.uint32), has, of_a[met], drawn[met], of_b[met])


def _count_by_sorting(games: Games, side: Floats | None) -> Tally:
    """By sorting pairs, for rosters too large for a table of all."""
    n = len(games.players)
    turned = games.a > games.b
    key = np.minimum(games.a, games.b).astype(np.int64) * n + np.maximum(games.a, games.b)
    if side is not None:
        key = key * 3 + (np.where(turned, -side, side).astype(np.int64) + 1)
    pair, row = np.unique(key, return_inverse=True)
    wins, draws, losses = _shares(games)
    of_low, of_high = np.where(turned, losses, wins), np.where(turned, wins, losses)
    kind = (pair * 0 if side is None else pair % 3 - 1).astype(np.float64)
    pair = pair if side is None else pair // 3
    merged = [np.bincount(row, share).astype(np.float64) for share in (of_low, draws, of_high)]
    low, high = (pair // n).astype(np.uint32), (pair % n).astype(np.uint32)
    return Tally(n, low, high, kind, *merged)
