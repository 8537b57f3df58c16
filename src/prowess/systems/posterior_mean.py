"""Posterior mean: static ratings under a prior, finite for every player with a game.

Formula   R_i  = E[R_i | T] = integral of R_i post(R) dR / integral of post(R) dR      (EQ 49)
          sd_i = sqrt(E[R_i^2 | T] - R_i^2)                                            (EQ 50)
          post(R) = prod wp(R_i - R_j + A)^T_ij prod p(R_k)                            (EQ 48)
          p: normal(mean, sd); EQ 60, the law of players who learn, above `birth`; or the
          mid-points of the bins of the report's population table
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, sections 4 and 5, footnotes 3 and 10. Q of EQ 60
          is the curve's own steepness.
Units     rating, deviation, mean, sd, birth, advantage, scale: points; c8: none.
Differs   up to three players connected by games are integrated exactly; more by Gibbs sampling,
          `samples` joint draws by `seed`, with the standard error and the number of independent
          draws stated. Draws do not depend on names or on the order of rows; players whom no
          result distinguishes get the same numbers, and their order in the draws is that of
          the roster. Intervals, ranks and superiority are those of the draws. A draw
          counts as half a win and half a loss; `draws=literal` as one of each and so every game
          twice, as footnote 3 says, which makes deviations too small. A rating of a histogram
          is a bin's mid-point until it is averaged: meant for few games. With a flat prior there
          is no posterior mean. Anchors are the report's established players: a newcomer among
          them is the case of section 4.1. `advantage` is given, not fitted; 0 gives the report's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from prowess.compile.worth import run_loop
from prowess.engine.fits.likelihood import StaticDraws
from prowess.engine.fits.posterior import (
    C8,
    NORMAL,
    Birth,
    PriorKind,
    PriorMean,
    PriorSd,
    Seed,
    draw_prior,
    prior_of,
)
from prowess.engine.fits.posterior_means import Sampled, posterior_means
from prowess.engine.fits.posterior_model import PosteriorModel, posterior_model
from prowess.engine.params import Advantage
from prowess.engine.system import Chances, Range
from prowess.engine.whole_table import Fit, WholeTable
from prowess.engine.win_probability import LOGISTIC, Curve, CurveScale, steepness, win_probability
from prowess.games.games import Games
from prowess.games.tally import Tally, tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALF, LITERAL = range(2)  # of draws
NUMBERS_COMPARED = 1 << 20  # of the draws of pairs that are held at a time: 8 MB
CURVE_STEPS = 20.0  # light steps that a win probability takes as plain Python


class Params(NamedTuple):
    curve: Curve = LOGISTIC
    scale: CurveScale = 400.0
    prior: PriorKind = NORMAL
    mean: PriorMean = 1500.0
    sd: PriorSd = 350.0
    birth: Birth = 1000.0
    c8: C8 = 0.02
    draws: StaticDraws = HALF
    advantage: Advantage = 0.0
    samples: Annotated[float, Range(200, 20000, "draws"), "more draws are more exact"] = 2000.0
    seed: Seed = 0.0


def newcomer(p: Any) -> tuple[float, float]:
    """The mean and the deviation of the prior."""
    drawn = draw_newcomer(p)
    return float(drawn.mean()), float(drawn.std())


def draw_newcomer(p: Any) -> NDArray[np.float64]:
    """The ratings of a player without games in the joint draws: the prior in equal steps."""
    return draw_prior(prior_of(p), (np.arange(int(p.samples), dtype=np.int64) + 0.5) / p.samples)


def make_posterior(
    p: Any, table: Games, anchors: Mapping[int, float]
) -> tuple[Tally, PosteriorModel]:
    """The merged games and the posterior density of all ratings (EQ 48)."""
    merged, prior = tally(table, sides=p.advantage != 0.0), prior_of(p)
    literal = p.draws == LITERAL
    return merged, posterior_model(
        merged, p.curve, prior.q, prior, advantage=p.advantage, literal=literal, known=anchors
    )


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Posterior means and deviations of all players."""
    merged, target = make_posterior(p, table, anchors)
    found = posterior_means(merged, target, anchors, int(p.samples), int(p.seed))
    return Fit(
        {"rating": found.mean, "deviation": found.deviation},
        found.notes,
        found.figures,
        Sampled(found.draws, found.deviation),
        model=found.draws,
    )


def chances(p: Params, fit: Fit, a: int, b: int, side: float) -> Chances:
    """The mean of wp over the joint draws; uncertain ratings move it towards 1/2."""
    one = chances_of_pairs(p, fit, np.array([a]), np.array([b]), np.array([side]))
    return Chances(float(one[0]))


def chances_of_pairs(p: Params, fit: Fit, a: Any, b: Any, side: Any) -> NDArray[np.float64]:
    """The same of many pairs, [pairs]. Newcomers have the same draws, in one order, but against
    one another: there each draw meets another one, and that one meets it.
    """
    known, found = fit.model.shape[1], np.empty(len(a))
    players, place = np.unique(np.minimum(np.concatenate((a, b)), known), return_inverse=True)
    draws, order = fit.model[:, players[players < known]].T, None
    if known in players:
        order = np.random.default_rng(int(p.seed)).permutation(len(fit.model))
        of_new = draw_newcomer(p)[order]
        draws = np.vstack((draws, of_new))
    first, second = place.reshape(2, -1)
    draws = np.ascontiguousarray(draws)
    step = max(1, NUMBERS_COMPARED // draws.shape[1])
    for low in range(0, len(first), step):
        at = slice(low, low + step)
        apart = draws[first[at]] - draws[second[at]]
        if order is not None:
            both = (players[first[at]] == known) & (first[at] == second[at])
            apart[both] = of_new - of_new[::-1]
        apart += p.advantage * side[at, None]
        found[at] = mean_chances(p.curve, steepness(p.curve, p.scale), apart)
    return found


def mean_chances(curve: int, q: float, apart: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean win probability at the differences of points in each row; they are overwritten."""
    if curve == LOGISTIC:
        from scipy.special import expit

        expit(np.multiply(apart, q, out=apart), out=apart)
    else:
        run_loop(fill_chances, CURVE_STEPS * apart.size, curve, q, apart.ravel(), apart.ravel())
    return np.asarray(apart.mean(axis=1))


def fill_chances(curve: int, q: float, apart: Any, chance: Any) -> None:
    """Fill in the win probability at every difference of points."""
    for k in range(len(apart)):
        chance[k] = win_probability(curve, apart[k], q)


POSTERIOR_MEAN = WholeTable(
    name="posterior_mean",
    params=Params(),
    columns=("rating", "deviation"),
    fit=fit,
    chances=chances,
    chances_of_pairs=chances_of_pairs,
    newcomer=newcomer,
    anchored=True,
    uses=("side",),
)
