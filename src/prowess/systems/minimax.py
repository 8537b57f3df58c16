"""Minimax (Simpson, Kramer, Condorcet's least reversal): whose worst defeat is the least bad.

Formula   defeat(A) = max over all B compared with A of
          winning_votes  the votes for B over A where they are the majority, else 0
          margins        the votes for B over A less those for A over B
          opposition     the votes for B over A
Source    P. B. Simpson, "On defining areas of voter choice", Quarterly Journal of Economics 83
          (1969); G. H. Kramer, "A dynamical model of political equilibrium", Journal of Economic
          Theory 16 (1977).
Units     defeat: ballots, or for games the pairing score; lowest is best; time: not used.
Differs   players who were never compared count for nothing; a single candidate has defeat 0. A
          margin is below 0 for a player who beats all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from prowess.engine.system import Choice
from prowess.engine.votes import BELOW, SHARE, TallyChoice, Unranked, preferences, result_notes
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games

WINNING_VOTES, MARGINS, OPPOSITION = range(3)


class Params(NamedTuple):
    defeat: Annotated[
        int, Choice("winning_votes", "margins", "opposition"), "what measures a defeat"
    ] = WINNING_VOTES
    tally: TallyChoice = SHARE
    unranked: Unranked = BELOW


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The worst defeat of each."""
    votes = preferences(table, p.tally, p.unranked)
    if p.defeat == WINNING_VOTES:
        against = np.where(votes.beats, votes.votes, 0.0).T
    elif p.defeat == MARGINS:
        against = votes.margin.T
    else:
        against = votes.votes.T
    worst = np.max(against, axis=1, where=votes.compared, initial=-np.inf)
    defeat = np.where(votes.compared.any(axis=1), worst, np.where(votes.standing, 0.0, np.nan))
    best = votes.standing & (defeat == np.min(defeat, where=votes.standing, initial=np.inf))
    return Fit({"defeat": defeat}, result_notes(votes, best), model=votes)


MINIMAX = WholeTable(
    name="minimax",
    family="votes",
    params=Params(),
    columns=("defeat",),
    fit=fit,
    reads=(GAMES, BALLOTS),
    lowest_first=True,
)
