"""Maximum a posteriori: the ratings of highest density once results and a prior are put together.

Formula   log L + sum over players of log p(r), largest over all ratings (EQ 48), with
          log L = sum over games of log wp(r_a - r_b + side advantage), wp any of the curves.
          Priors: normal, mean and sd; extreme_value, the law of a league where strength grows
          and players leave, p = q c8 exp(c8 + y - c8 e^y), y = q (r - birth) >= 0 (EQ 60).
          Draws: half, literal, davidson (logistic curve), rao_kupper as in bradley_terry.
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 4 (EQ 48, Theorem 9) and EQ 60.
Units     rating, deviation, mean, sd, birth, advantage: points; scale as for the curve
          (logistic: points of odds of ten to one; normal: two standard deviations of one
          performance; the others: the slope at 0 of the logistic); c8: none.
Differs   every player gets a finite rating: unbeaten and winless players, and groups that never
          met, which the prior alone holds together (a note says so). Advantage and draw
          parameter have no prior. Deviations are those of the normal distribution with the
          posterior's curvature at its top; a player who presses against the birth rating of
          extreme_value has deviation 0. A normal prior pulls towards its mean whatever
          the opponents: where opponents are matched by skill, even one with the true sd
          compresses the scale (to three quarters in a simulation), so take a wide one and
          choose it by `prowess compare`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from prowess.engine.fits.likelihood import DAVIDSON, Draws, OutcomeModel
from prowess.engine.fits.posterior import PRIORS, Birth, PriorMean, prior_mode, prior_of
from prowess.engine.fits.strengths import NO_PRIORS, Priors, fitted_chances, strengths
from prowess.engine.params import FittedAdvantage
from prowess.engine.system import Choice, Range, Unratable
from prowess.engine.whole_table import Fit, WholeTable
from prowess.engine.win_probability import CURVES, LOGISTIC, Curve
from prowess.games.games import Games

PRIORS_WITH_DENSITY = PRIORS[:2]  # they end the search


class Params(NamedTuple):
    curve: Curve = LOGISTIC
    scale: Annotated[
        float, Range(1, 10_000, "points"), "lead with odds of ten to one; normal: two deviations"
    ] = 400.0
    prior: Annotated[int, Choice(*PRIORS_WITH_DENSITY), "what is believed before any game"] = 0
    mean: PriorMean = 1500.0
    sd: Annotated[float, Range(1, 10_000, "points"), "standard deviation of the prior (normal)"] = (
        350.0
    )
    birth: Birth = 1000.0
    c8: Annotated[float, Range(1e-6, 100), "share lost per 1/q of strength (extreme_value)"] = 0.02
    draws: Draws = 0
    advantage: FittedAdvantage = 0


def newcomer(p: Params) -> tuple[float, float]:
    """The rating of highest density of a player without games."""
    return prior_mode(prior_of(p))


def fit(p: Params, table: Games, anchors: Mapping[int, float], priors: Priors = NO_PRIORS) -> Fit:
    """The ratings of highest density. Raises Unratable for davidson beside the logistic curve."""
    if p.draws == DAVIDSON and p.curve != LOGISTIC:
        raise Unratable.of("curve_not_logistic", curve=CURVES[p.curve])
    prior = prior_of(p)
    model = OutcomeModel(p.curve, p.draws, prior.q)
    return strengths(
        table, anchors, model, prior, mean=p.mean, advantage=bool(p.advantage), priors=priors
    )


MAP = WholeTable(
    name="map",
    params=Params(),
    columns=("rating", "deviation"),
    fit=fit,
    chances=fitted_chances,
    newcomer=newcomer,
    anchored=True,
    priors=True,
    narrow=True,
)
