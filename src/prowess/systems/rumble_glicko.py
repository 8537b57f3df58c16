"""Rumble Glicko: after each battle a period of Glicko against all opponents met so far.

Formula   after a battle of A and B, for X in {A, B}, all from the values before it: one rating
          period of Glicko (rumble_glicko) or of Glicko-2 (rumble_glicko2) against every Y that X
          has met, once each,
          s_j = Pair(X, Y),  r_j and RD_j (mu_j and phi_j) those of Y
          (the formulas of one period: see the systems glicko and glicko2)
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: "Glicko-1" and "Glicko-2"; M. E. Glickman,
          "Parameter estimation in large dynamic paired comparison experiments", Applied Statistics
          48 (1999), and "Example of the Glicko-2 system", steps 1 to 8; start volatility 0.06 as
          there.
Units     rating, deviation: points (400 = odds of ten to one); volatility, tau: natural units
          (173.7178 points) a period. Time is not used: no decay.
Differs   "same method, different expectation and delta" is all that the source says; this is the
          reading of it. Old pairings are counted again at each battle, so the deviation of
          rumble_glicko falls like 1 / sqrt(battles) for ever: it is the size of a step, not an
          uncertainty, and nothing is derived from it. Ratings still settle, as steps shrink like
          1 / n. In rumble_glicko2 "without RD decay" is read so: the deviation of a bot grows
          only in its own battles, by the step phi*^2 = phi^2 + sigma'^2, which belongs to
          the update itself; it ends at a floor that the volatility sets. The volatility is the
          root of f to the last digits, where the source stops after 20 iterations or at 1e-6.
          mode = per_battle plays one period against the one opponent with the share of the one
          battle. pairing = running keeps 0.7 of the pairing score at each battle; scores =
          result takes who won instead of the share of the points. A forecast allows for both
          deviations, as Glicko's does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, NamedTuple

from prowess.engine.battles import FieldMode, Revision, fit_battles
from prowess.engine.pairings import BattleScore, PairingScore
from prowess.engine.params import StartVolatility, VolatilityChange
from prowess.engine.state import newcomer
from prowess.engine.system import Chances, Dynamic, Game, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.systems.glicko import GLICKO
from prowess.systems.glicko2 import GLICKO2

Start = Annotated[float, Range(-10000.0, 10000.0, "points"), "rating of a newcomer"]
Deviation = Annotated[float, Range(10.0, 500.0, "points"), "deviation of a newcomer"]


class Params(NamedTuple):
    """Settings of rumble_glicko; the defaults are the server's."""

    start: Start = 1500.0
    start_deviation: Deviation = 350.0
    mode: FieldMode = 0
    pairing: PairingScore = 0
    scores: BattleScore = 0


class VolatilityParams(NamedTuple):
    """Settings of rumble_glicko2; the defaults are the server's."""

    tau: VolatilityChange = 0.5
    start: Start = 1500.0
    start_deviation: Deviation = 350.0
    start_volatility: StartVolatility = 0.06
    mode: FieldMode = 0
    pairing: PairingScore = 0
    scores: BattleScore = 0


@cache
def period_params(system: Dynamic, p: Any) -> Any:
    """The parameters of one rating period: neither side has an advantage."""
    shared = {name: getattr(p, name) for name in p._fields if name in system.params._fields}
    return system.params._replace(advantage=0.0, **shared)


@cache
def make_evidence(system: Dynamic) -> Callable[..., Any]:
    """The function (p, me, opponent, game) -> evidence of a game between two single players."""
    part, evidence_of_sides = system.part, system.evidence
    assert part is not None

    def evidence(p: Any, me: Any, opponent: Any, game: Any) -> Any:
        return evidence_of_sides(p, part(p, me, 1.0), part(p, opponent, 1.0), game)

    return evidence


def make_revision(system: Dynamic, p: Any) -> Revision:
    """How a bot is revised by a system under its parameters, and the rating it begins with."""
    return Revision(newcomer(system, p), system.evidence_zero, make_evidence(system), system.absorb)


def over_whole_field(name: str, system: Dynamic, params: Any, summary: str = "") -> WholeTable:
    """A system that plays a rating period of a dynamic system over the whole field."""

    def fit(p: Any, table: Any, anchors: Any) -> Fit:
        of_period = period_params(system, p)
        return fit_battles(make_revision(system, of_period), of_period, p, table)

    def chances(p: Any, fit: Fit, a: int, b: int, side: float) -> Chances:
        of_period = period_params(system, p)
        me, opponent = (
            system.alone(
                of_period,
                system.rating._make(float(column[k]) for column in fit.columns.values()),
            )
            for k in (a, b)
        )
        return Chances(system.expected(of_period, me, opponent, Game()))

    return WholeTable(
        name=name,
        summary=summary,
        family="rumble",
        params=params,
        columns=system.rating._fields,
        fit=fit,
        chances=chances,
        newcomer=lambda p: newcomer(system, period_params(system, p)),
        ordered=True,
        weights=False,
    )


RUMBLE_GLICKO = over_whole_field("rumble_glicko", GLICKO, Params())
RUMBLE_GLICKO2 = over_whole_field(
    "rumble_glicko2",
    GLICKO2,
    VolatilityParams(),
    "Rumble Glicko-2: after each battle a period of Glicko-2 against all opponents met so far.",
)
