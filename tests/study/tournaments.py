"""Fields whose chances are written down, and tournaments by enumeration: slow and obvious."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from prowess.study.forecasting.contenders import Contenders, GameModel
from prowess.study.forecasting.prospects import Prospects

Odds3 = tuple[float, float, float]  # win, draw, loss
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "F", "G", "H")


def field(*worlds: np.ndarray, draw: float = 0.0, sided: bool = False) -> Contenders:
    """Players of whom i beats j with chance worlds[w][i, j] (1 - draw), and draws with `draw`.

    A side is worth nothing.
    """
    tables = np.array(worlds)
    n = tables.shape[1]
    strength = np.arange(len(tables) * n, dtype=np.float64).reshape(len(tables), n, 1)

    def ask(values, mine, theirs, side):
        world, a = np.divmod(values[mine, 0].astype(int), n)
        b = values[theirs, 0].astype(int) % n
        chance = np.where(a == b, 0.5, tables[world, a, b])
        drawn = np.full(len(chance), draw)
        return chance * (1.0 - draw) + 0.5 * draw, drawn

    rating = -np.arange(n, dtype=np.float64)
    return Contenders(NAMES[:n], rating, strength, GameModel(("number",), ask), 0.0, sided)


def chances(n: int, seed: int) -> np.ndarray:
    """A table of chances without any rule: what i has against j, j has not against i."""
    table = np.random.default_rng(seed).uniform(0.1, 0.9, (n, n))
    upper = np.triu(table, 1)
    return upper + np.tril(1.0 - table.T, -1)


def odds(table: np.ndarray, draw: float) -> Callable[[int, int], Odds3]:
    """Win, draw and loss of i against j."""
    return lambda i, j: (table[i, j] * (1 - draw), draw, (1 - table[i, j]) * (1 - draw))


def outcomes(games: Sequence[Odds3]) -> Iterator[tuple[tuple[float, ...], float]]:
    """Every way in which some games can end, with its chance."""
    for results in product(range(3), repeat=len(games)):
        chance = 1.0
        for game, result in zip(games, results, strict=True):
            chance *= game[result]
        yield tuple((1.0, 0.5, 0.0)[result] for result in results), chance


def points_of(told: Prospects) -> tuple[np.ndarray, np.ndarray]:
    """Mean and spread of the points."""
    assert told.points is not None
    assert told.spread is not None
    return told.points, told.spread


def shared(keys: Sequence[tuple[float, ...]]) -> np.ndarray:
    """Places [n, n] of players with these keys, more is better; equals share their places."""
    places = np.zeros((len(keys), len(keys)))
    for i, key in enumerate(keys):
        better = sum(other > key for other in keys)
        tied = sum(other == key for other in keys)
        places[i, better : better + tied] = 1.0 / tied
    return places
