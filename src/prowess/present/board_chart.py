"""The figure of a leaderboard alone: a dot a player, with an interval where the board has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prowess.present.chart import Chart
from prowess.present.layers import Axis, Dots, Label, NameAxis, Panel, bounds, count_decimals
from prowess.present.svg import Undrawable, isolate_name

if TYPE_CHECKING:
    from prowess.engine.leaderboard import Leaderboard

NORMAL_95 = 1.959964  # standard deviations on either side of the middle 95 %
HEADS = ("rank", "player")  # columns before the rating


def board_chart(board: Leaderboard, top: int = 20) -> Chart:
    """The `top` best of a leaderboard; intervals are its own, or 95 % by its deviations.

    Raises Undrawable for a leaderboard without players.
    """
    columns = {name: list(column)[:top] for name, column in board.columns.items()}
    names, ranks = columns["player"], columns["rank"]
    if not names:
        raise Undrawable(
            "ask for fewer games of a player: the leaderboard has none", code="no_players_to_show"
        )
    quantity = next(name for name in columns if name not in HEADS)
    rating = [float(one) for one in columns[quantity]]
    reach: list[tuple[float, float] | None] = [None] * len(names)
    words = "The leaderboard has no intervals."
    if "low" in columns and "high" in columns:
        reach = list(zip(columns["low"], columns["high"], strict=True))
        words = "Bars: the intervals of the leaderboard."
    elif "deviation" in columns:
        widths = [NORMAL_95 * one for one in columns["deviation"]]
        reach = [(x - w, x + w) for x, w in zip(rating, widths, strict=True)]
        words = "Bars: 95 % of each player's rating by its deviation."
    ends = [end for pair in reach if pair for end in pair]
    digits = count_decimals(np.array(rating))
    labels = tuple(
        Label(name, rank=str(rank), value=f"{value:.{digits}f}")
        for name, rank, value in zip(names, ranks, rating, strict=True)
    )
    label = quantity.replace("_", " ")
    axis = Axis(label, *bounds(min([*rating, *ends]), max([*rating, *ends])))
    dots = Dots(rating, np.arange(len(names)) + 0.5, reach, radius=4.0, across=True)
    data = [
        {"rank": rank, "player": name, quantity: value}
        | ({"low": pair[0], "high": pair[1]} if pair else {})
        for rank, name, value, pair in zip(ranks, names, rating, reach, strict=True)
    ]
    says = (
        f"From {isolate_name(names[0])} with {rating[0]:.{digits}f} down to "
        f"{isolate_name(names[-1])} with {rating[-1]:.{digits}f}."
    )
    panel = Panel(axis, NameAxis(labels, 22.0), (dots,))
    return Chart(f"The best {len(names)} by {label}", says, (panel,), data, words, subtitle=words)
