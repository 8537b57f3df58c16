"""What all games give each player, and each player against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]


def pair_sums(games: Games, to_a: Floats, to_b: Floats) -> Floats:
    """The weighted sum of what each player (row) got from games against each (column), [n, n].

    `to_a` and `to_b` are what the sides of every game got.
    """
    n = len(games.players)
    a, b = games.a.astype(np.int64), games.b.astype(np.int64)
    weight = _weight(games)
    total = np.zeros(n * n)
    total += np.bincount(a * n + b, weight * to_a, n * n)
    total += np.bincount(b * n + a, weight * to_b, n * n)
    return total.reshape(n, n)


def balance(games: Games, to_a: Floats) -> Floats:
    """The weighted sum of what each player gained, [n], where a gains what b loses."""
    n = len(games.players)
    total = np.zeros(n)
    total += np.bincount(games.a, _weight(games) * to_a, n)
    total -= np.bincount(games.b, _weight(games) * to_a, n)
    return total


def _weight(games: Games) -> Floats:
    return np.ones(len(games)) if games.weight is None else games.weight
