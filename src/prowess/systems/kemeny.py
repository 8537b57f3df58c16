"""Kemeny (Kemeny-Young): the ranking that disagrees with as few votes as possible.

Formula   disagreement of a ranking = sum of the votes for B over A, over all A ranked above B
          Kemeny's rankings are those with the least; A is above B if he is in all of them
          level = 1 for those whom nobody is above, then again without them
Source    J. G. Kemeny, "Mathematics without numbers", Daedalus 88 (1959); H. P. Young,
          "Condorcet's theory of voting", American Political Science Review 82 (1988). Sets that
          beat all others come first: M. Truchon, "An extension of the Condorcet criterion and
          Kemeny orders", Universite Laval, cahier 98-15 (1998).
Units     level: places, 1 is best; disagreement, score: votes, or for games pairing scores;
          time: not used.
Differs   equally good rankings are all counted, so that who is not ordered by them shares a
          level. Sets that beat all others are solved one by one. One of more than 16 is searched
          (moving one player at a time, begun in order of their points, equal ones by name) and
          held against a lower bound; a note says so, and whether the ranking is proved best.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.pairs.levels import condensed, levels, named, told
from prowess.engine.pairs.orders import MOST_EXACT, Ordered, cheapest, searched
from prowess.engine.pairs.preferences import (
    BELOW,
    SHARE,
    Preferences,
    Tally,
    Unranked,
    decimals,
    preferences,
)
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Params(NamedTuple):
    tally: Tally = SHARE
    unranked: Unranked = BELOW


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Levels of what all rankings of least disagreement have in common."""
    votes = preferences(table, p.tally, p.unranked)
    units = 10.0 ** decimals(votes.voters)  # in a vote, so that all sums are of whole numbers
    cost = np.rint(votes.votes.T * units)
    players = list(votes.players)
    by_name = np.argsort(sorted(range(len(players)), key=players.__getitem__))
    above = np.zeros(cost.shape, dtype=np.bool_)
    notes, least, bound = [], 0.0, 0.0
    after = votes.candidates
    for who in condensed(votes):
        after = np.setdiff1d(after, who)
        among = np.ix_(who, who)
        if len(who) <= MOST_EXACT:
            part = cheapest(cost[among])
        else:
            part = searched(cost[among], by_name[who])
            notes.append(_searched(votes, who, part))
        above[among] = part.above
        above[np.ix_(who, after)] = True
        behind = float(cost[np.ix_(who, after)].sum())
        least, bound = least + part.cost + behind, bound + part.bound + behind
    level = levels(above, votes.standing)
    total = float(votes.votes.sum())
    figures = {
        "disagreement": least / units,
        "disagreement_at_least": bound / units,
        "score": total - least / units,
    }
    columns = {"level": level, "above": above.sum(axis=1), "below": above.sum(axis=0)}
    return Fit(columns, (*told(votes, level == 1), *notes), figures, model=votes)


def _searched(votes: Preferences, who: NDArray[np.int64], part: Ordered) -> str:
    found = (
        "the search found a best ranking; others may be as good"
        if part.proved
        else f"the ranking was searched for and may not be the best: its disagreement is at most "
        f"{part.cost / part.bound - 1.0:.2%} above the least"
        if part.bound > 0.0
        else "the ranking was searched for and may not be the best"
    )
    return f"{len(who):,} players beat each other in circles ({named(votes, who)}): {found}"


KEMENY = WholeTable(
    name="kemeny",
    family="votes",
    params=Params(),
    columns=("level", "above", "below"),
    fit=fit,
    reads=(GAMES, BALLOTS),
    lowest_first=True,
)
