"""An urn from which players are drawn by activity: a tree of partial sums (P. M. Fenwick, "A new
data structure for cumulative frequency tables", Software: Practice and Experience 24, 1994).

Weights are whole numbers, so that nothing is lost however often players come and go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def urn_of(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """The urn of players 0, 1, 2 ... with these weights."""
    size = 1
    while size < len(weights):
        size *= 2
    total = np.zeros(size + 1, np.int64)
    total[1 : len(weights) + 1] = weights
    total = np.cumsum(total)
    node = np.arange(size + 1)
    return total - total[node - (node & -node)]


def contents(urn: Any) -> int:
    """The sum of all weights."""
    return urn[len(urn) - 1]  # type: ignore[no-any-return]


def put(urn: Any, player: int, weight: int) -> None:
    """Add weight to a player; a negative weight takes out."""
    node = player + 1
    while node < len(urn):
        urn[node] += weight
        node += node & -node


def below(urn: Any, player: int) -> int:
    """The sum of the weights of all players with smaller numbers."""
    total, node = 0, player
    while node > 0:
        total += urn[node]
        node -= node & -node
    return total


def drawn(urn: Any, ticket: int) -> int:
    """The player who holds a ticket: 0 to the sum of weights, exclusive."""
    node, step = 0, len(urn) - 1
    while step > 0:
        ahead = node + step
        if ahead < len(urn) and urn[ahead] <= ticket:
            node = ahead
            ticket -= urn[ahead]
        step //= 2
    return node


def anyone(urn: Any, u: float) -> int:
    """A player drawn by weight, for a uniform u in [0, 1)."""
    total = contents(urn)
    return drawn(urn, min(int(u * total), total - 1))


def another(urn: Any, u: float, player: int, weight: int) -> int:
    """A player drawn by weight among all others, for a uniform u in [0, 1)."""
    others = contents(urn) - weight
    ticket = min(int(u * others), others - 1)  # the product may round up
    if ticket >= below(urn, player):
        ticket += weight
    return drawn(urn, ticket)
