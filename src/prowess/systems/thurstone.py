"""Thurstone's case V: maximum-likelihood ratings; performances are normal with equal variance.

Formula   log L = sum over games of log wp(r_a - r_b + side advantage),
          wp(x) = Phi(q x / sqrt 2), q = 1 / standard deviation of one performance = 2 / scale;
          largest over all ratings with no prior (a flat one). Draws: half, literal as in
          bradley_terry; rao_kupper: P(win) = wp(x - t), P(loss) = wp(-x - t) (Glenn and David).
Source    L. L. Thurstone, Psychological Review 34 (1927) 273; F. Mosteller, Psychometrika 16
          (1951) 3; W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, EQ 26 and 48; W. A. Glenn and H. A. David, Biometrics 16
          (1960) 86.
Units     rating, deviation, mean, advantage, t: points; scale: two standard deviations of one
          performance (400: 200 each, as in chess).
Differs   only differences are known, so the mean of all players is set to `mean` (anchors set
          the zero instead). Deviations are those of the inverse information matrix. Refuses
          tables whose ratings would be infinite, as bradley_terry does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from prowess.engine.fits.likelihood import HALF, LITERAL, RAO_KUPPER, OutcomeModel
from prowess.engine.fits.posterior import FLAT, Prior
from prowess.engine.fits.strengths import NO_PRIORS, Priors, fitted_chances, strengths
from prowess.engine.params import FittedAdvantage, Mean
from prowess.engine.system import Choice, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.engine.win_probability import NORMAL, steepness
from prowess.games.games import Games

DRAW_RULES = {"half": HALF, "literal": LITERAL, "rao_kupper": RAO_KUPPER}


class Params(NamedTuple):
    scale: Annotated[float, Range(1, 10_000, "points"), "spread of performances"] = 400.0
    mean: Mean = 1500.0
    draws: Annotated[int, Choice(*DRAW_RULES), "half a win each, a win and a loss, or forecast"] = 0
    advantage: FittedAdvantage = 0


def fit(p: Params, table: Games, anchors: Mapping[int, float], priors: Priors = NO_PRIORS) -> Fit:
    """Maximum-likelihood ratings. Raises Unidentifiable where they are not finite."""
    model = OutcomeModel(NORMAL, tuple(DRAW_RULES.values())[p.draws], steepness(NORMAL, p.scale))
    return strengths(
        table, anchors, model, Prior(kind=FLAT), mean=p.mean, advantage=bool(p.advantage),
        priors=priors,
    )  # fmt: skip


THURSTONE = WholeTable(
    name="thurstone",
    params=Params(),
    columns=("rating", "deviation"),
    fit=fit,
    chances=fitted_chances,
    normal=True,
    anchored=True,
    priors=True,
    narrow=True,
)
