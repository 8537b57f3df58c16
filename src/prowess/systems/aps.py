"""Average percentage score: how much of the points a bot takes from each opponent, on average.

Formula   Pair(A,B) = mean over the battles of A and B of a / (a + b)
          APS(A)    = mean over the B that A has met of Pair(A,B)
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "APS", "Pairing Score".
Units     aps: a share, 0 to 1; pairings: opponents met.
Differs   1/2 where neither bot scored. Opponents never met are left out. pairing = running is
          the older server's: the first share, then 0.7 old + 0.3 new, so the order of the battles
          counts; scores = result takes who won (1, 1/2, 0) instead of the share of the points.
          A battle of weight w counts as w battles.
"""

from __future__ import annotations

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


APS = WholeTable(name="aps", family="rumble", params=Params(), columns=("aps", "pairings"), fit=fit)
