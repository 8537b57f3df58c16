"""Glicko-2 over a whole field of bots: a battle is a rating period against everyone met.

Formula   after a battle of A and B, for X in {A, B}, all from the values before it: one rating
          period of Glicko-2 against every Y that X has met, once each,
          s_j = Pair(X, Y),  mu_j and phi_j those of Y
          (the formulas of one period: see the system glicko2)
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "Glicko-2"; M. E. Glickman, "Example of the
          Glicko-2 system", steps 1 to 8; start volatility 0.06 as there.
Units     rating, deviation: points; volatility, tau: natural units (173.7178 points) a period.
          Time is not used.
Differs   as in rumble_glicko. "Without RD decay" is read so: a bot without a battle is left
          alone, and a bot that is revised takes the step phi*^2 = phi^2 + sigma'^2, which
          belongs to the update itself. The deviation therefore ends at a floor that the
          volatility sets; it is the size of a step, not an uncertainty. The volatility is the
          root of f to the last digits, where the source stops after 20 iterations or at 1e-6.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from prowess.engine.battles import Revision, fit_battles
from prowess.engine.system import Chances, Choice, Game, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.systems import glicko2


class Params(NamedTuple):
    """Settings; the defaults are the server's."""

    tau: Annotated[float, Range(0.1, 2.0, "natural units")] = 0.5
    start: Annotated[float, Range(-10000.0, 10000.0, "points")] = 1500.0
    start_deviation: Annotated[float, Range(10.0, 500.0, "points")] = 350.0
    start_volatility: Annotated[float, Range(0.001, 1.0, "natural units a period")] = 0.06
    mode: Annotated[int, Choice("whole_field", "per_battle")] = 0
    pairing: Annotated[int, Choice("average", "running")] = 0
    scores: Annotated[int, Choice("share", "result")] = 0


part, said = glicko2.part, glicko2.evidence  # compiled code calls functions, not modules


def period(p: Params) -> glicko2.Params:
    """The settings of one rating period: no side has an advantage."""
    return glicko2.Params(
        tau=p.tau,
        advantage=0.0,
        start=p.start,
        start_deviation=p.start_deviation,
        start_volatility=p.start_volatility,
    )


def alone(one: glicko2.Params, bot: glicko2.Rating) -> glicko2.Side:
    """A side of one bot."""
    return part(one, bot, 1.0)


def evidence(
    one: glicko2.Params, me: glicko2.Rating, opponent: glicko2.Rating, game: Game
) -> glicko2.Evidence:
    """What a battle says about a bot."""
    return said(one, alone(one, me), alone(one, opponent), game)


def revision(one: glicko2.Params) -> Revision:
    """How a bot is revised, and what it begins with."""
    return Revision(glicko2.newcomer(one), glicko2.Evidence(), evidence, glicko2.absorb)


def fit(p: Params, table: Any, anchors: Any) -> Fit:
    """Play all battles; see the module."""
    one = period(p)
    return fit_battles(revision(one), one, p, table)


def chances(p: Params, fit: Fit, a: int, b: int, side: float) -> Chances:
    """Glicko-2's forecast, the share of the points to expect."""
    one = period(p)
    me, opponent = (
        alone(one, glicko2.Rating(*(float(column[k]) for column in fit.columns.values())))
        for k in (a, b)
    )
    return Chances(glicko2.expected_score(one, me, opponent, Game()))


RUMBLE_GLICKO2 = WholeTable(
    name="rumble_glicko2",
    family="rumble",
    params=Params(),
    columns=glicko2.Rating._fields,
    fit=fit,
    chances=chances,
    ordered=True,
    weights=False,
)
