"""Who is meant by the players of a table: members of the role that leaderboards show.

A table may have others: the clay of a player, the constructor of a driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.games.games import PLAYER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings


def players_of(ratings: Ratings, min_games: int = 1, role: str = PLAYER) -> NDArray[np.bool_]:
    """Who is a player (or of another role) and has so many games (at least one), [roster]."""
    wanted: NDArray[np.bool_] = ratings.games >= max(min_games, 1)
    table = ratings.table
    return wanted if table.role is None else wanted & (table.role == table.roles.index(role))
