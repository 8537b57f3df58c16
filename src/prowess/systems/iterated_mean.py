"""Smith's iteration for static ratings: conditional means, one player after another.

Formula   R_i := E[R_i | all other R held, T], cyclically, until nothing moves    (section 8.1)
          sd_i = the deviation of that last conditional distribution              (section 4.2)
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4.2 and 8.1; priors as in footnote 10, EQ 60.
Units     rating, deviation, mean, sd, birth, advantage, scale: points; c8: none.
Differs   Erratum: the report takes the end of this iteration for the mean of EQ 49. It is not:
          the others' ratings are put in as if they were known, not averaged over. The two agree
          for a single unknown player (a newcomer among anchors) and for a normal posterior.
          Its deviations are those of one rating with all others known, smaller than the true
          ones, so there are no intervals. `beside=mean` adds the column joint_mean, the true
          mean as posterior_mean gives it. On a logistic curve with a normal prior or EQ 60 there
          is one end from anywhere. It is extrapolated from several rounds (Anderson's mixing).
          A draw counts half; `draws=literal` counts every game twice, as footnote 3 says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np

from prowess.engine.fits.likelihood import StaticDraws
from prowess.engine.fits.posterior import (
    C8,
    NORMAL,
    Birth,
    PriorKind,
    PriorMean,
    PriorSd,
    Seed,
)
from prowess.engine.fits.posterior_means import posterior_means
from prowess.engine.fits.posterior_model import iterate_means
from prowess.engine.params import Advantage
from prowess.engine.system import Chances, Choice, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.engine.win_probability import LOGISTIC, Curve, CurveScale, steepness, win_probability
from prowess.games.games import Games
from prowess.systems import posterior_mean
from prowess.systems.posterior_mean import make_posterior

DEVIATIONS_NOTE = (
    "conditional means, not posterior means (see posterior_mean); deviations "
    "take all other ratings as known"
)


class Params(NamedTuple):
    curve: Curve = LOGISTIC
    scale: CurveScale = 400.0
    prior: PriorKind = NORMAL
    mean: PriorMean = 1500.0
    sd: PriorSd = 350.0
    birth: Birth = 1000.0
    c8: C8 = 0.02
    draws: StaticDraws = 0
    advantage: Advantage = 0.0
    beside: Annotated[
        int, Choice("nothing", "mean"), "whether the true mean is shown beside it"
    ] = 0
    samples: Annotated[float, Range(200, 10000, "draws"), "more draws are more exact"] = 2000.0
    seed: Seed = 0.0


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Conditional means and deviations at the fixed point of the iteration."""
    merged, target = make_posterior(p, table, anchors)
    rating = np.full(merged.players, np.nan)
    rating[list(anchors)] = list(anchors.values())
    met = np.union1d(merged.a, merged.b).astype(np.int64)
    unknown = met[np.isnan(rating[met])]
    found = iterate_means(target, rating, unknown)
    deviation = np.where(np.isnan(found.mean), np.nan, found.deviation)
    columns = {"rating": found.mean, "deviation": deviation}
    notes: tuple[str, ...] = (DEVIATIONS_NOTE,)
    if p.beside:
        joint = posterior_means(merged, target, anchors, int(p.samples), int(p.seed))
        columns["joint_mean"] = joint.mean
        notes = (*notes, *joint.notes)
    return Fit(columns, notes, {"rounds": float(found.rounds)})


def newcomer(p: Any) -> tuple[float, float, float]:
    """The mean and the deviation of the prior, and the mean beside."""
    mean, deviation = posterior_mean.newcomer(p)
    return mean, deviation, mean


def chances(p: Any, fit: Fit, a: int, b: int, side: float) -> Chances:
    """wp of the difference."""
    rating = fit.columns["rating"]
    x = float(rating[a] - rating[b]) + side * p.advantage
    return Chances(win_probability(p.curve, x, steepness(p.curve, p.scale)))


ITERATED_MEAN = WholeTable(
    name="iterated_mean",
    params=Params(),
    columns=("rating", "deviation", "joint_mean"),
    fit=fit,
    chances=chances,
    newcomer=newcomer,
    anchored=True,
    uses=("side",),
)
