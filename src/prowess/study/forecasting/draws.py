"""How often games are drawn where the system does not say: Davidson's shape, its size measured.

With win : draw : loss = s : nu : 1/s the chance of a draw is nu sqrt(win * loss). Given the
system's expected score E = win + draw/2 and v = E (1 - E), that is

    draw = 4 nu v / (nu + sqrt(nu^2 + 4 (4 - nu^2) v)),       nu / (2 + nu) at E = 1/2,

so the expected score is kept. nu is such that as many draws are expected in the latest games of
the table as there were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.rate import DynamicRatings, rate
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games

    Floats = NDArray[np.float64]

LATEST = 5_000  # games from which the share of draws is measured


def drawn(expected: Floats, nu: float) -> Floats:
    """The chance of a draw at an expected score, by Davidson's law."""
    if nu == 0.0:
        return np.zeros_like(expected)
    v = expected * (1.0 - expected)
    chance: Floats = 4.0 * nu * v / (nu + np.sqrt(nu * nu + 4.0 * (4.0 - nu * nu) * v))
    return chance


def nu_of(share: float) -> float:
    """Davidson's nu at which equals draw with this chance, in [0, 1)."""
    return 2.0 * share / (1.0 - share)


def share_of(nu: float) -> float:
    """The chance of a draw between equals."""
    return nu / (2.0 + nu)


def measured(ratings: Ratings) -> float:
    """nu from the latest games of the table; 0 for contests and where nothing was drawn.

    A system that rates game by game is held to its forecasts before each game, one that looks at
    the whole table to what it now says of these games. Where all games were drawn, equals draw
    with the chance 0.999.
    """
    table = ratings.table
    if not table.pairwise or not len(table):
        return 0.0
    first = max(0, len(table) - LATEST)
    share = float((table.score[first:] == 0.5).mean())
    if share == 0.0:
        return 0.0
    expected = _expected(ratings, table, first)
    low, high = 0.0, nu_of(0.999)
    for _ in range(60):
        nu = 0.5 * (low + high)
        if float(drawn(expected, nu).mean()) < share:
            low = nu
        else:
            high = nu
    return 0.5 * (low + high)


def _expected(ratings: Ratings, table: Games, first: int) -> Floats:
    """Expected scores of the games from row `first` on."""
    if isinstance(ratings, DynamicRatings):
        return before(ratings)[first:]
    side = np.zeros(len(table)) if table.side is None else table.side
    rows = zip(table.a.tolist(), table.b.tolist(), side.tolist(), strict=True)
    asked = list(rows)[first:]
    known = {row: ratings.chances(*row).expected for row in set(asked)}
    return np.array([known[row] for row in asked])


def before(ratings: DynamicRatings) -> Floats:
    """The forecasts before each game, in the order of play; made again where nobody kept them."""
    kept = ratings.forecasts
    if kept is not None:
        return kept if ratings.rounds.order is None else kept[ratings.rounds.order]
    start = {ratings.players[k]: values for k, values in ratings.start.items()}
    again = rate(
        ratings.table,
        ratings.system,
        period=ratings.period,
        start=start,
        rules=ratings.rules,
        forecasts=True,
        params=ratings.params,
    )
    assert again.forecasts is not None
    return again.forecasts
