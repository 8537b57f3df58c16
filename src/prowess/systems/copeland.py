"""Copeland: a point for each opponent beaten, half a point for each even pairing.

Formula   points  = beaten + 1/2 even
          balance = beaten - lost
Source    A. H. Copeland, "A reasonable social welfare function", University of Michigan seminar
          (1951); as the method behind PL: "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     points, balance: players; time: not used.
Differs   players who were never compared give no point to either.
"""

from __future__ import annotations

from collections.abc import Mapping

from prowess.engine.votes import VoteParams, preferences, result_notes
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games


def fit(p: VoteParams, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Points from pairings won and even."""
    votes = preferences(table, p.tally, p.unranked)
    won, lost = votes.beats.sum(axis=1), votes.beats.sum(axis=0)
    even = votes.compared.sum(axis=1) - won - lost
    points = won + 0.5 * even
    columns = {"points": points, "won": won, "even": even, "lost": lost, "balance": won - lost}
    best = votes.standing & (points == points.max(initial=0.0, where=votes.standing))
    return Fit(columns, result_notes(votes, best), model=votes)


COPELAND = WholeTable(
    name="copeland",
    family="votes",
    params=VoteParams(),
    columns=("points", "won", "even", "lost", "balance"),
    fit=fit,
    reads=(GAMES, BALLOTS),
)
