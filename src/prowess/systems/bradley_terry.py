"""Bradley-Terry: maximum-likelihood ratings from all games at once; a draw is half a win.

Formula   log L = sum over games of log wp(r_a - r_b + side advantage),  wp(x) = 1 / (1 + e^(-qx)),
          q = ln 10 / scale; largest over all ratings with no prior (a flat one). Draws:
          half         half a win and half a loss each
          literal      a win and a loss, and every other game twice: same ratings, smaller errors
          davidson     win : draw : loss = e^(qx/2) : nu : e^(-qx/2)
          rao_kupper   P(win) = wp(x - t), P(loss) = wp(-x - t), the rest is drawn
          davidson and rao_kupper are this system with these draws.
Source    E. Zermelo, Math. Zeitschrift 29 (1929) 436; R. A. Bradley and M. E. Terry, Biometrika 39
          (1952) 324; W. D. Smith, "Rating systems for gameplayers, and learning", technical
          report 93-104-3-0058-5, 28 July 1994, section 4 (EQ 48) and footnote 3; R. R. Davidson,
          JASA 65 (1970) 317; P. V. Rao and L. L. Kupper, JASA 62 (1967) 194.
Units     rating, deviation, mean, advantage, t: points; scale: points of odds of ten to one;
          nu: none.
Differs   only differences are known, so the mean of all players is set to `mean` (anchors set
          the zero instead). Deviations are those of the inverse information matrix. Refuses
          tables whose ratings would be infinite: unbeaten or winless players, groups that never
          met or where one only ever beat the other. An advantage and the draw parameter are
          fitted together with the ratings. A table without a draw has draw parameter 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, NamedTuple

from prowess.engine.fits.likelihood import DAVIDSON, RAO_KUPPER, Draws, OutcomeModel
from prowess.engine.fits.posterior import FLAT, Prior
from prowess.engine.fits.strengths import NO_PRIORS, Priors, fitted_chances, strengths
from prowess.engine.params import FittedAdvantage, Mean
from prowess.engine.system import Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.engine.win_probability import LOGISTIC, steepness
from prowess.games.games import Games


class Params(NamedTuple):
    scale: Annotated[float, Range(1, 10_000, "points"), "lead at which the odds are 10 to 1"] = (
        400.0
    )
    mean: Mean = 1500.0
    draws: Draws = 0
    advantage: FittedAdvantage = 0


def fit(p: Params, table: Games, anchors: Mapping[int, float], priors: Priors = NO_PRIORS) -> Fit:
    """Maximum-likelihood ratings. Raises Unidentifiable where they are not finite."""
    model = OutcomeModel(LOGISTIC, p.draws, steepness(LOGISTIC, p.scale))
    return strengths(
        table, anchors, model, Prior(kind=FLAT), mean=p.mean, advantage=bool(p.advantage),
        priors=priors,
    )  # fmt: skip


BRADLEY_TERRY = WholeTable(
    name="bradley_terry",
    params=Params(),
    columns=("rating", "deviation"),
    fit=fit,
    chances=fitted_chances,
    anchored=True,
    priors=True,
    narrow=True,
)
DAVIDSON_TIES = replace(
    BRADLEY_TERRY,
    name="davidson",
    summary="Davidson: Bradley-Terry with forecasts of draws, which equals share most often.",
    params=Params(draws=DAVIDSON),
)
RAO_KUPPER_TIES = replace(
    BRADLEY_TERRY,
    name="rao_kupper",
    summary="Rao-Kupper: Bradley-Terry with forecasts of draws, which are leads below a threshold.",
    params=Params(draws=RAO_KUPPER),
)
