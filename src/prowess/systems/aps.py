"""Average percentage score: how much of the points a bot takes from each opponent, on average.

Formula   Pair(A,B) = mean over the battles of A and B of a / (a + b)
          aps       APS(A)    = mean over the B that A has met of Pair(A,B)
          pl        points(A) = 2 #{B: Pair(A,B) > 1/2} + #{B: Pair(A,B) = 1/2}
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "APS", "Pairing Score", "PL", which is Copeland's
          method.
Units     aps: a share, 0 to 1; points; pairings, won, tied, lost: opponents.
Differs   1/2 where neither bot scored. Opponents never met are left out. pairing = running is
          the older server's: the first share, then 0.7 old + 0.3 new, so the order of the battles
          counts; scores = result takes who won (1, 1/2, 0) instead of the share of the points.
          A battle of weight w counts as w battles. pl: the source names Copeland only; 2, 1, 0
          order the bots as its 1, 1/2, 0 do. A pairing score within 1e-12 of 1/2 is even.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from prowess.engine.pairings import BattleScore, PairingScore, pairing_notes, pairings
from prowess.engine.whole_table import Fit, WholeTable


class Params(NamedTuple):
    """Settings; the defaults are the server's."""

    pairing: PairingScore = 0
    scores: BattleScore = 0


def fit(p: Params, table: Any, anchors: Any) -> Fit:
    """Average twice; see the module."""
    met = pairings(table, by_points=p.scores == 0, running=p.pairing == 1)
    opponents = met.met.sum(axis=1)
    with np.errstate(invalid="ignore"):
        aps = np.nansum(met.share, axis=1) / opponents
    notes = pairing_notes(table, opponents, by_points=p.scores == 0)
    return Fit({"aps": aps, "pairings": opponents}, notes)


def count_pairings(p: Params, table: Any, anchors: Any) -> Fit:
    """Count pairings won, tied and lost."""
    met = pairings(table, by_points=p.scores == 0, running=p.pairing == 1)
    won, tied, lost = ((met.verdict == worth).sum(axis=1) for worth in (1.0, 0.5, 0.0))
    notes = pairing_notes(table, met.met.sum(axis=1), by_points=p.scores == 0)
    return Fit({"points": 2 * won + tied, "won": won, "tied": tied, "lost": lost}, notes)


APS = WholeTable(name="aps", family="rumble", params=Params(), columns=("aps", "pairings"), fit=fit)
PL = replace(
    APS,
    name="pl",
    summary="Premier league: two points for every opponent one is better than, one if even.",
    columns=("points", "won", "tied", "lost"),
    fit=count_pairings,
)
