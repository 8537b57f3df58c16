"""Whether results can tell the advantage of a side from the ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Ids
from prowess.compile.worth import run_loop

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SideForest:
    """Whether ratings can replace an advantage: side = p_a - p_b in every row, for some p.

    The advantage is then not identifiable. Players are joined row by row (union-find), each with
    the difference of p to the player it was joined to, until a row contradicts.
    """

    def __init__(self, players: int) -> None:
        self.joined: Ids = np.arange(players, dtype=np.int64)
        self.above = np.zeros(players)
        self.size = np.ones(players, dtype=np.int64)
        self.seen = False  # whether any row has a side
        self.pinned = True  # whether no row contradicts

    def add(self, a: NDArray[Any], b: NDArray[Any], side: NDArray[Any]) -> None:
        """Add rows, [rows] each."""
        self.seen |= bool(side.any())
        if not self.pinned:
            return
        contradicts = np.zeros(1)
        forest = self.joined, self.above, self.size
        run_loop(join_sides, len(a), a, b, side, *forest, contradicts)
        self.pinned = not contradicts[0]

    def join(self, other: SideForest) -> None:
        """Add the rows of another forest of the same players."""
        self.add(np.arange(len(other.joined), dtype=np.int64), other.joined, other.above)
        self.seen, self.pinned = self.seen | other.seen, self.pinned & other.pinned


def find_root(joined: Any, above: Any, node: int) -> tuple[int, float]:
    """The root of a player's tree, and p of the player over that of the root."""
    over = 0.0
    while joined[node] != node:
        over += above[node]
        node = joined[node]
    return node, over


def join_sides(
    a: Any, b: Any, side: Any, joined: Any, above: Any, size: Any, contradicts: Any
) -> None:
    """Join the trees of the players of each row, until a row contradicts."""
    for row in range(len(a)):
        one, over_one = find_root(joined, above, a[row])
        other, over_other = find_root(joined, above, b[row])
        apart = side[row] - over_one + over_other  # p of one root over that of the other
        if one == other:
            if apart != 0.0:
                contradicts[0] = 1.0
                return
        elif size[one] <= size[other]:
            joined[one], above[one] = other, apart
            size[other] += size[one]
        else:
            joined[other], above[other] = one, -apart
            size[one] += size[other]
