"""Glicko over a whole field of bots: a battle is a rating period against everyone met.

Formula   after a battle of A and B, for X in {A, B}, all from the values before it: one rating
          period of Glicko against every Y that X has met, once each,
          s_j = Pair(X, Y),  r_j and RD_j those of Y
          (the formulas of one period: see the system glicko)
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "Glicko-1"; M. E. Glickman, "Parameter
          estimation in large dynamic paired comparison experiments", Applied Statistics 48 (1999).
Units     rating, deviation: points (400 = odds of ten to one). Time is not used: no decay.
Differs   "same method, different expectation and delta" is all that the source says; this is the
          reading of it. Old pairings are counted again at each battle, so the deviation falls
          like 1 / sqrt(battles) for ever: it is the size of a step, not an uncertainty, and
          nothing is derived from it. Ratings still settle, as steps shrink like 1 / n.
          mode = per_battle plays one period against the one opponent with the share of the one
          battle. pairing = running keeps 0.7 of the pairing score at each battle; scores =
          result takes who won instead of the share of the points. A forecast allows for both
          deviations, as Glicko's does.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from prowess.engine.battles import Revision, fit_battles
from prowess.engine.system import Chances, Choice, Game, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.systems import glicko


class Params(NamedTuple):
    """Settings; the defaults are the server's."""

    start: Annotated[float, Range(-10000.0, 10000.0, "points")] = 1500.0
    start_deviation: Annotated[float, Range(10.0, 500.0, "points")] = 350.0
    mode: Annotated[int, Choice("whole_field", "per_battle")] = 0
    pairing: Annotated[int, Choice("average", "running")] = 0
    scores: Annotated[int, Choice("share", "result")] = 0


part, said = glicko.part, glicko.evidence  # compiled code calls functions, not modules


def period(p: Params) -> glicko.Params:
    """The settings of one rating period: no side has an advantage."""
    return glicko.Params(advantage=0.0, start=p.start, start_deviation=p.start_deviation)


def alone(one: glicko.Params, bot: glicko.Rating) -> glicko.Side:
    """A side of one bot."""
    return part(one, bot, 1.0)


def evidence(
    one: glicko.Params, me: glicko.Rating, opponent: glicko.Rating, game: Game
) -> glicko.Evidence:
    """What a battle says about a bot."""
    return said(one, alone(one, me), alone(one, opponent), game)


def revision(one: glicko.Params) -> Revision:
    """How a bot is revised, and what it begins with."""
    return Revision(glicko.newcomer(one), glicko.Evidence(), evidence, glicko.absorb)


def fit(p: Params, table: Any, anchors: Any) -> Fit:
    """Play all battles; see the module."""
    one = period(p)
    return fit_battles(revision(one), one, p, table)


def chances(p: Params, fit: Fit, a: int, b: int, side: float) -> Chances:
    """Glicko's forecast, the share of the points to expect."""
    one = period(p)
    me, opponent = (
        alone(one, glicko.Rating(*(float(column[k]) for column in fit.columns.values())))
        for k in (a, b)
    )
    return Chances(glicko.expected_score(one, me, opponent, Game()))


RUMBLE_GLICKO = WholeTable(
    name="rumble_glicko",
    family="rumble",
    params=Params(),
    columns=glicko.Rating._fields,
    fit=fit,
    chances=chances,
    ordered=True,
    weights=False,
)
