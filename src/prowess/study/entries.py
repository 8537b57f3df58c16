"""What is forecast of a table, as entries: a game, or a side of a contest of many.

What happened to each of them is `table.outcome`: the score, or the share of the field beaten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]


def of_entries(table: Games, column: NDArray[Any]) -> NDArray[Any]:
    """A column of contests as one of entries."""
    return column if table.pairwise else column[table.contest_of_side]


def weight(table: Games) -> Floats:
    """How much each entry counts: a game by its weight, a side of a contest of n by 1 / n of it."""
    known = np.ones(len(table)) if table.weight is None else table.weight
    return known if table.pairwise else of_entries(table, known / np.diff(table.start))


def deciding(table: Games) -> str:
    """The score that decides where none is named."""
    return "log_loss" if table.pairwise else "brier"
