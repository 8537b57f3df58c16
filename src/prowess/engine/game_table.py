"""The games of a rated table as one table: both ratings before each game, forecast and score."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.meetings import PlayedTable
from prowess.engine.tabular import ResultTable, moments
from prowess.engine.watch import watch_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.watch import Watch
    from prowess.games.games import Games

    Floats = NDArray[np.float64]


def all_games(ratings: PlayedTable) -> ResultTable:
    """See `Ratings.games`; from one replay."""
    table, system = ratings.played_table, ratings.system
    expected = np.full(len(table.outcome), np.nan)
    draws = None
    if system.chances is not None and table.pairwise:
        draws = np.full(len(table), np.nan)
    watch = watch_for(system, ratings.p, table)
    ratings.play_again(watch, expected, draws)
    before = _before_of_sides(ratings, watch)
    names = names_of_sides(table)
    columns: dict[str, NDArray[Any]] = {}
    contest = np.arange(len(table)) if table.pairwise else table.contest_of_side
    if table.time is not None:
        columns["date"] = moments(table.time[contest])
    columns["row"] = contest
    if table.pairwise:
        columns |= {"a": names[0::2], "b": names[1::2]}
        columns |= {"rating_a": before[0::2], "rating_b": before[1::2]}
    else:
        columns |= {"side": names, "rating": before, "place": table.place}
    columns["expected"] = expected
    if draws is not None:
        columns["draw"] = draws
    columns["score"] = table.outcome
    return ResultTable(columns, f"Games under {system.name}")


def _before_of_sides(ratings: PlayedTable, watch: Watch) -> Floats:
    """The rating that each side brought, [sides]."""
    table, state = ratings.played_table, ratings.state
    rows = watch.memory.rating
    if state.logs is not None:
        rows = state.mix(rating=rows, logs=watch.memory.sums[:, : state.lanes])
    return ratings_of_sides(table, rows[:, 0])


def ratings_of_sides(table: Games, rating: Floats) -> Floats:
    """The rating of each side, [sides]: of several members the mean by their shares."""
    if table.single:
        return rating
    share = np.ones(len(rating)) if table.share is None else table.share
    share = share * shows_member(table)
    first = table.ends[:-1]
    mean: Floats = np.add.reduceat(share * rating, first) / np.add.reduceat(share, first)
    return mean


def shows_member(table: Games) -> NDArray[np.bool_]:
    """Which members stand for their side, [members]: its players; of a side without one all."""
    if table.role is None:
        return np.ones(len(table.player), dtype=bool)
    is_player = table.role[table.player] == 0
    lonely = np.add.reduceat(is_player.astype(np.int64), table.ends[:-1]) == 0
    shown: NDArray[np.bool_] = is_player | lonely[table.side_of_member]
    return shown


def names_of_sides(table: Games) -> NDArray[Any]:
    """The members of each side as one text, [sides]."""
    names = np.array(list(table.players), dtype=object)[table.player]
    if table.single:
        return names
    shown = shows_member(table)
    sizes = np.bincount(table.side_of_member[shown], minlength=len(table.ends) - 1)
    bounds, names = np.append(0, np.cumsum(sizes)).tolist(), names[shown]
    return np.array([" & ".join(names[a:b]) for a, b in pairwise(bounds)], dtype=object)
