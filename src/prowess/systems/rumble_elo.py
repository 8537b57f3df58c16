"""RoboRumble Elo: after a battle both bots are revised against all opponents met so far.

Formula   E(A,B) = 1 / (1 + base^((R_B - R_A) / scale)),   base 20, scale 800
          after a battle of A and B, for X in {A, B}, all from the ratings before it:
          R_X'   = R_X + sum over Y met by X of K (Pair(X,Y) - E(X,Y)),   K = 3
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "Elo". Start 1600.
Units     rating, scale, K: points. 20^(d/800) = 10^(d/614.897): 0.650515 d is the difference on
          the scale of classic Elo, which is scale = 400, base = 10. Time is not used.
Differs   the source prints the exponent as R_A - R_B: then a bot is expected to score less the
          higher it is rated, and ratings diverge; the sign is corrected here. "All ranked
          bots" are those that X has met, since no other pairing score exists. The pairing score
          is brought up to date first, then both bots move at once. Only these two move, so the
          sum of the ratings is not kept. Near equality one step takes 1 - K n Q / 4, Q = ln 20 /
          800, of the error of a bot with n opponents: beyond n = 4 / (K Q) = 356 it overshoots,
          beyond 712 it never settles; the ratings say so when a field is that large.
          pairing = running keeps 0.7 of the pairing score at each battle, as the older server
          did; scores = result takes who won instead of the share of the points; mode =
          per_battle is classic Elo on the share of one battle.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Annotated, Any, NamedTuple

from prowess.engine.battles import FieldMode, Revision, fit_battles
from prowess.engine.numeric import logistic
from prowess.engine.pairings import BattleScore, PairingScore
from prowess.engine.params import Base, BattleScale, Start
from prowess.engine.system import Chances, Game, Range
from prowess.engine.whole_table import Fit, WholeTable


class Params(NamedTuple):
    """Settings; the defaults are the server's."""

    k: Annotated[
        float, Range(0, 200, "points", (0, 10_000)), "most that one opponent moves a rating"
    ] = 3.0
    scale: BattleScale = 800.0
    base: Base = 20.0
    start: Start = 1600.0
    mode: FieldMode = 0
    pairing: PairingScore = 0
    scores: BattleScore = 0


class Rating(NamedTuple):
    """A bot's rating."""

    rating: float = 1600.0


class Evidence(NamedTuple):
    """The sum over a bot's pairings."""

    surplus: float = 0.0  # sum of Pair - E


class EloConstants(NamedTuple):
    """The constants of the update."""

    k: float
    q: float  # natural units per point, ln(base) / scale


def q(base: float, scale: float) -> float:
    """Natural units per point, Q = ln(base) / scale."""
    return log(base) / scale


def expected_score(p: EloConstants, me: Rating, opponent: Rating) -> float:
    """E = 1 / (1 + e^(-Q d))."""
    return logistic(p.q * (me.rating - opponent.rating))


def evidence(p: EloConstants, me: Rating, opponent: Rating, game: Game) -> Evidence:
    """Pair - E."""
    return Evidence(game.score - expected_score(p, me, opponent))


def absorb(p: EloConstants, me: Rating, total: Evidence) -> Rating:
    """R' = R + K sum (Pair - E)."""
    return Rating(me.rating + p.k * total.surplus)


def make_revision(start: float) -> Revision:
    """How a bot is revised, and the rating it begins with."""
    return Revision(Rating(start), Evidence(), evidence, absorb)


def overshoots_beyond(p: Params) -> float:
    """The number of equal opponents beyond which one step overshoots, 4 / (K Q)."""
    # K Q is 0 also of a K below 1e-321
    return 4.0 / step if (step := p.k * q(p.base, p.scale)) > 0.0 else float("inf")


def fit(p: Params, table: Any, anchors: Any) -> Fit:
    """Play all battles; see the module."""
    fit = fit_battles(make_revision(p.start), EloConstants(p.k, q(p.base, p.scale)), p, table)
    return replace(fit, notes=(*fit.notes, *find_overshoots(p, int(fit.model.opponents.max()))))


def find_overshoots(p: Params, opponents: int) -> tuple[str, ...]:
    """Notes that K is too large, where a bot has so many opponents."""
    limit = overshoots_beyond(p)
    if p.mode != 0 or opponents <= limit:
        return ()
    if opponents <= 2.0 * limit:
        what = f"beyond {limit:.0f} a step overshoots"
    else:
        what = f"beyond {2.0 * limit:.0f} ratings of equal bots never settle"
    enough = 4.0 / (opponents * q(p.base, p.scale))
    return (f"take k={enough:.2g}: k = {p.k:g} is too large for {opponents:,} opponents, {what}",)


def chances(p: Any, fit: Fit, a: int, b: int, side: float) -> Chances:
    """E: the expected share of the points, or of the score."""
    rating = fit.columns["rating"]
    return Chances(logistic(q(p.base, p.scale) * (float(rating[a]) - float(rating[b]))))


RUMBLE_ELO = WholeTable(
    name="rumble_elo",
    family="rumble",
    params=Params(),
    columns=("rating",),
    fit=fit,
    chances=chances,
    newcomer=lambda p: (p.start,),
    ordered=True,
    weights=False,
)
