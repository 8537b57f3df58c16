"""What is forecast of a table, as entries: of a game the score of its first side, of a contest of
many sides the share of the field that each side beats.

So a table of games has an entry a game, any other table an entry a side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.scores import field_beaten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]


def outcome(table: Games) -> Floats:
    """What happened, [entries]; nan for a side that was alone in its contest."""
    return table.score if table.pairwise else field_beaten(table.place, table.start)


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
