"""Borda: a point for each candidate ranked below, on every ballot.

Formula   borda        a candidate gets from each ballot a point for every one placed below
                       on it and half a point for every one placed equal: n - 1, ..., 1, 0
          borda_tally  points = sum over all others of the votes over the other
Source    J.-C. de Borda, "Memoire sur les elections au scrutin", Histoire de l'Academie Royale
          des Sciences (1781, printed 1784); both readings for a league:
          "Darkcanuck/RRServer/Ratings", RoboWiki.
Units     points: ballots times candidates (borda of games: players); time: not used.
Differs   of games, every player is a ballot that ranks the opponents met by their pairing
          score; it says nothing about players never met. borda_tally of games is the sum of
          the pairing scores: (n - 1) times their mean where all players met. On ballots
          the unranked share the points left below the ranked (below), or get none (ignored).
          Where the last is given 1 point instead of 0, as some do, add to each candidate one
          point for every ballot that gives it points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.votes import (
    BELOW,
    Preferences,
    VoteParams,
    preferences,
    result_notes,
    round_votes,
)
from prowess.engine.whole_table import BALLOTS, GAMES, Fit, WholeTable
from prowess.games.games import Games
from prowess.games.runs import repeat_rows


def fit(p: VoteParams, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Points of every ballot, each player being one in a table of games."""
    votes = preferences(table, p.tally, p.unranked)
    if not table.pairwise:
        return _rank(votes, ballot_points(table, p.unranked))
    return _rank(votes, player_points(votes))


def fit_tally(p: VoteParams, table: Games, anchors: Mapping[int, float]) -> Fit:
    """The sum of all votes for a player over others."""
    votes = preferences(table, p.tally, p.unranked)
    return _rank(votes, votes.votes.sum(axis=1))


def ballot_points(ballots: Games, unranked: int) -> Floats:
    """Points of each candidate from all ballots, [n]."""
    n = len(ballots.players)
    size = np.diff(ballots.start)
    weight = np.ones(len(ballots)) if ballots.weight is None else ballots.weight
    ballot = repeat_rows(np.arange(len(ballots), dtype=np.int64), size)
    order = np.lexsort((ballots.place, ballot))
    placed, within = ballots.place[order], ballot[order]
    first = np.append(True, (within[1:] != within[:-1]) | (placed[1:] != placed[:-1]))
    group = np.cumsum(first, dtype=np.int64) - 1  # those equal on one ballot
    begins = np.append(np.flatnonzero(first), len(order))
    to_end = ballots.start[within + 1] - begins[group + 1]  # ranked below on this ballot
    equal = np.diff(begins)[group] - 1
    below = to_end + (n - size)[within]
    points = np.zeros(n)
    points += np.bincount(ballots.player[order], (below + 0.5 * equal) * weight[within], n)
    if unranked == BELOW:
        left = 0.5 * (n - size - 1) * weight  # what each unranked one gets of a ballot
        ranked = np.bincount(ballots.player, left[ballot], n)
        points += left.sum() - ranked
    return points


def player_points(votes: Preferences) -> Floats:
    """Points of each player where every player ranks the opponents met by their score."""
    points = np.zeros(len(votes.votes))
    for voter in votes.candidates.tolist():
        met = np.flatnonzero(votes.compared[voter])
        against = votes.votes[met, voter]
        ascending = np.sort(against)
        under = np.searchsorted(ascending, against, side="left")
        not_over = np.searchsorted(ascending, against, side="right")
        points[met] += under + 0.5 * (not_over - under - 1)
    return points


def _rank(votes: Preferences, sums: Floats) -> Fit:
    points = np.where(votes.standing, round_votes(sums, float(sums.max())), np.nan)
    best = votes.standing & (points == np.max(points, where=votes.standing, initial=-np.inf))
    return Fit({"points": points}, result_notes(votes, best), model=votes)


BORDA = WholeTable(
    name="borda",
    family="votes",
    params=VoteParams(),
    columns=("points",),
    fit=fit,
    reads=(GAMES, BALLOTS),
    breaks=MappingProxyType(
        {"monotone": "a win over one opponent lifts the others on the ballot of that player"}
    ),
)
BORDA_TALLY = replace(
    BORDA,
    name="borda_tally",
    summary="Borda by tally: the sum of the votes over each of the others.",
    fit=fit_tally,
    breaks=MappingProxyType({}),
)
