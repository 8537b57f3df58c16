"""The chances that players are better than one another, as a table with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.leaderboard import find_player
from prowess.engine.system import Unratable
from prowess.engine.tabular import ResultTable
from prowess.games.arguments import check_series

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.whole_table import Uncertainty

    Floats = NDArray[np.float64]


MOST_COMPARED = 5_000  # players who are compared, each with each


def compare_players(ratings: Any, players: Sequence[str] | None, sure: Uncertainty) -> Floats:
    """See `superiority` of ratings; raises UnknownPlayer, and Unratable for too many players."""
    if players is None:
        chosen = np.flatnonzero(ratings.game_counts).tolist()
    else:
        named = check_series("players", players, '["Ann", "Ben"]')
        chosen = [find_player(ratings.players, name) for name in named]
    for player in chosen:
        ratings.refuse_absent(player)
    if (count := len(chosen)) > MOST_COMPARED:
        what = f"for a superiority of each over each, not {count:,}"
        raise Unratable(f"name at most {MOST_COMPARED:,} players {what}", code="too_many_players")
    rating = np.asarray(ratings.fit.columns[ratings.fields[0]], dtype=np.float64)
    return sure.superiority(rating, np.array(chosen, dtype=np.int64))


def name_superiority(ratings: Any, players: Sequence[str] | None) -> ResultTable:
    """A row a player, a column for each player they are beside; None takes all, the best first.

    Raises what `superiority` of the ratings raises.

    >>> import prowess
    >>> games = [("Ann", "Bob", 1), ("Bob", "Ann", 1), ("Ann", "Bob", 1)]
    >>> table = prowess.rate(games, "bradley_terry").superiority_table()
    >>> table["player"], table["Ann"][0], table["Bob"][0] > 0.5
    (['Ann', 'Bob'], 0.5, True)
    """
    if players is None:
        players = ratings.leaderboard().columns["player"]
    names = list(players)
    chances = ratings.superiority(names)
    columns = {name: chances[:, k].tolist() for k, name in enumerate(names)}
    return ResultTable({"player": names} | columns, "Chance that the player is better")
