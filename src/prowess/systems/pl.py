"""Premier league: two points for every opponent one is better than, one for an even pairing.

Formula   points(A) = 2 #{B: Pair(A,B) > 1/2} + #{B: Pair(A,B) = 1/2}
          Pair(A,B) = mean over the battles of A and B of a / (a + b)
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "PL", which is Copeland's method.
Units     points; won, tied, lost: opponents.
Differs   the source names Copeland only; 2, 1, 0 order the bots as its 1, 1/2, 0 do. A pairing
          score within 1e-12 of 1/2 is even. Opponents never met give nothing. pairing = running
          is the older server's: the first share, then 0.7 old + 0.3 new, so the order of the
          battles counts; scores = result takes who won (1, 1/2, 0) instead of the share of the
          points. A battle of weight w counts as w battles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from prowess.engine.pairings import BattleScore, PairingScore, pairing_notes, pairings
from prowess.engine.whole_table import Fit, WholeTable


class Params(NamedTuple):
    """Settings; the defaults are the server's."""

    pairing: PairingScore = 0
    scores: BattleScore = 0


def fit(p: Params, table: Any, anchors: Any) -> Fit:
    """Count pairings won, tied and lost."""
    met = pairings(table, by_points=p.scores == 0, running=p.pairing == 1)
    won, tied, lost = ((met.verdict == worth).sum(axis=1) for worth in (1.0, 0.5, 0.0))
    notes = pairing_notes(table, met.met.sum(axis=1), by_points=p.scores == 0)
    return Fit({"points": 2 * won + tied, "won": won, "tied": tied, "lost": lost}, notes)


PL = WholeTable(
    name="pl", family="rumble", params=Params(), columns=("points", "won", "tied", "lost"), fit=fit
)
