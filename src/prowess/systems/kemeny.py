"""Kemeny-Young: the ranking that disagrees with the fewest votes.

Formula   disagreement of a ranking = sum of the votes for B over A, over all A ranked above B
          Kemeny's rankings are those with the least; A is above B if all of them say so
          level = 1 for those with none above, then again without them
Source    J. G. Kemeny, "Mathematics without numbers", Daedalus 88 (1959); H. P. Young,
          "Condorcet's theory of voting", American Political Science Review 82 (1988). Sets that
          beat all others come first: M. Truchon, "An extension of the Condorcet criterion and
          Kemeny orders", Universite Laval, cahier 98-15 (1998).
Units     level: places, 1 is best; disagreement, score: votes, or for games pairing scores;
          time: not used.
Differs   all equally good rankings count, so players that they order differently share a
          level. Sets that beat all others are solved one by one. One of more than 16 is searched
          (moving one player at a time, begun in order of their points, equal ones by name) and
          held against a lower bound; a note says so, and whether the ranking is proved best.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Truths
from prowess.engine.votes import (
    ORDER_COLUMNS,
    Preferences,
    VoteParams,
    decimals,
    dominance_sets,
    name_players,
    preferences,
    rank_order,
)
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


def fit(p: VoteParams, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Levels of the order that all rankings of least disagreement share."""
    votes = preferences(table, p.tally, p.unranked)
    units = 10.0 ** decimals(votes.voters)  # in a vote, so that all sums are of whole numbers
    cost = np.rint(votes.votes.T * units)
    players = list(votes.players)
    by_name = np.argsort(sorted(range(len(players)), key=players.__getitem__))
    above = np.zeros(cost.shape, dtype=np.bool_)
    notes, least, bound = [], 0.0, 0.0
    after = votes.candidates
    for group in dominance_sets(votes):
        after = np.setdiff1d(after, group)
        among = np.ix_(group, group)
        if len(group) <= MOST_EXACT:
            part = exact_order(cost[among])
        else:
            part = search_order(cost[among], by_name[group])
            notes.append(_search_note(votes, group, part))
        above[among] = part.above
        above[np.ix_(group, after)] = True
        behind = float(cost[np.ix_(group, after)].sum())
        least, bound = least + part.cost + behind, bound + part.bound + behind
    figures = {
        "disagreement": least / units,
        "disagreement_at_least": bound / units,
        "score": float(votes.votes.sum()) - least / units,
    }
    return rank_order(votes, above, figures, notes)


def _search_note(votes: Preferences, group: NDArray[np.int64], part: OrderResult) -> str:
    found = (
        "the search found a best ranking; others may be as good"
        if part.proved
        else f"the ranking was searched for and may not be the best: its disagreement is at most "
        f"{part.cost / part.bound - 1.0:.2%} above the least"
        if part.bound > 0.0
        else "the ranking was searched for and may not be the best"
    )
    return (
        f"{len(group):,} players beat each other in circles ({name_players(votes, group)}): {found}"
    )


KEMENY = WholeTable(
    name="kemeny",
    family="votes",
    params=VoteParams(),
    columns=ORDER_COLUMNS,
    fit=fit,
    reads=(GAMES, BALLOTS),
    lowest_first=True,
)


# Orders of players that disagree with as few votes as possible.
#
# A cost [k, k] says what it costs to put the row's player before the column's. Costs are whole
# numbers (as floats), so that equal orders cost exactly the same.


MOST_EXACT = 16  # players; 2^16 sets of them, 0.2 s; each further one doubles it
MOST_CIRCLES = 1000  # players among whom circles of three are looked for; 5 s
SUM_ROUNDING = 2.0**-50  # relative


class OrderResult(NamedTuple):
    """An order of k players: who is above whom [k, k], its cost, and a lower bound of any cost."""

    above: Truths
    cost: float
    bound: float

    @property
    def proved(self) -> bool:
        """Whether no order costs less."""
        return self.cost <= self.bound * (1.0 + SUM_ROUNDING)


def exact_order(cost: Floats) -> OrderResult:
    """The pairs that every cheapest order has in common; at most MOST_EXACT players.

    Over sets of players: the cheapest way to put a set first, and the cheapest way to put the
    rest after it (M. Held and R. M. Karp, "A dynamic programming approach to sequencing
    problems", Journal of SIAM 10 (1962)). A step on a cheapest way puts a player after the set
    and before all others.
    """
    k = len(cost)
    sets = np.arange(1 << k, dtype=np.int64)
    added = [
        _sums(cost[:, player]) for player in range(k)
    ]  # cost of putting the player after a set
    before, after = np.full(1 << k, np.inf), np.full(1 << k, np.inf)
    before[0] = after[-1] = 0.0
    size = _sums(np.ones(k))
    by_size = [sets[size == count] for count in range(k + 1)]
    for some in by_size[:-1]:
        for player in range(k):
            free = some[some >> player & 1 == 0]
            larger = free | 1 << player
            before[larger] = np.minimum(before[larger], before[free] + added[player][free])
    for some in by_size[-2::-1]:
        for player in range(k):
            free = some[some >> player & 1 == 0]
            way = after[free | 1 << player] + added[player][free]
            after[free] = np.minimum(after[free], way)
    least = before[-1]
    can_precede = np.zeros((k, k), dtype=np.bool_)
    for player in range(k):
        free = sets[sets >> player & 1 == 0]
        way = before[free] + added[player][free] + after[free | 1 << player]
        later = np.bitwise_or.reduce(~free[way == least])
        can_precede[player] = later >> np.arange(k, dtype=np.int64) & 1 == 1
    np.fill_diagonal(can_precede, False)
    return OrderResult(can_precede & ~can_precede.T, float(least), float(least))


def _sums(terms: Floats) -> Floats:
    """The sum of the terms of every set, [2^k], bit i of its number for term i."""
    sums = np.zeros(1)
    for term in terms:
        sums = np.concatenate((sums, sums + term))
    return sums


def search_order(cost: Floats, name: Integers) -> OrderResult:
    """Search an order that no move of one player makes cheaper, with a lower bound.

    Begins with the players by their points over all others, equal ones by `name` [k].
    """
    k = len(cost)
    gain = cost.T - cost  # the saving of the row's player before the column's
    noise = SUM_ROUNDING * float(np.abs(gain).sum(axis=1).max())  # or the search might not end
    order = np.lexsort((name, -gain.sum(axis=1)))
    moved = True
    while moved:
        moved = False
        for player in order.tolist():
            at = int(np.flatnonzero(order == player)[0])
            others = np.delete(order, at)
            # saved[i]: by standing before others[i:] rather than after all
            saved = np.append(np.cumsum(gain[player, others][::-1], dtype=np.float64)[::-1], 0.0)
            best = int(saved.argmax())
            if saved[best] > saved[at] + noise:
                order = np.insert(others, best, player)
                moved = True
    place = np.empty(k, dtype=np.int64)
    place[order] = np.arange(k, dtype=np.int64)
    above = place[:, None] < place
    return OrderResult(above, float(cost[above].sum()), lower_bound(cost))


def lower_bound(cost: Floats) -> float:
    """A lower bound of the cost of any order.

    The cheaper way of each pair; and for circles of three that share no majority, the weakest
    majority of each (an order cannot keep all three).
    """
    k = len(cost)
    least = float(np.triu(np.minimum(cost, cost.T), 1).sum())
    if k > MOST_CIRCLES:
        return least
    left = np.maximum(cost.T - cost, 0.0)  # of each majority
    for a, b in zip(*np.nonzero(left), strict=True):
        while left[a, b] > 0.0:
            weakest = np.minimum(left[b], left[:, a])
            c = int(weakest.argmax())
            if weakest[c] <= 0.0:
                break
            taken = min(left[a, b], weakest[c])
            for i, j in ((a, b), (b, c), (c, a)):
                left[i, j] -= taken
            least += float(taken)
    return least
