"""Smith's whole system: newcomers by their posterior, then Elo; the departed leave their points.

Formula   in every period, with R_j the ratings of established players at its beginning:
          newcomer     R_i = E[R_i | own games of the period], R_j fixed (EQ 48, 49), then one
                       constant is added to the period's newcomers (footnote 15; off by default)
          game         R += h (S - wp(x)) / 2, x the difference in points          (EQ 66, 68)
          departure    (R - R_birth) / (N - 1) to each of the other N - 1          (section 8.3)
          no floors, no bonuses; h constant or by games played (EQ 95), below 2 / max wp'
Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 8, with sections 4 to 6.
Units     rating, h, mean, sd, birth, sigma, newcomers_mean: points; period_days, departed_days:
          days; c8: none.
Differs   the report leaves open what a game against a newcomer does. Here all games of a
          newcomer's first period give the rating at once, which then stays: the established
          opponent moves by EQ 66 as always, the newcomer does not move again. What the
          opponent wins is added to the newcomer's R_birth, so the sum of R - R_birth over the
          living stays as it was, as in games between two established players. Games between two
          newcomers move no rating further. Periods are counted from 1970 in `period_days`.
          More than three newcomers connected by games are rated together by `samples`
          draws (see posterior_mean). `prior=histogram` takes the league's own established
          players, and the report's table while they are fewer than 30. Players inactive for
          `departed_days` when a period begins count as departed (0: none do); when they play
          again, the old rating resumes and the shares are taken back. Players who depart at
          the same time do so in the order of their last games, then of their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import run_loop
from prowess.engine.fits.posterior import (
    C8,
    HISTOGRAM,
    NORMAL,
    Birth,
    PriorKind,
    PriorMean,
    PriorSd,
    Seed,
    bins_of,
    prior_of,
)
from prowess.engine.fits.posterior_means import posterior_means
from prowess.engine.fits.posterior_model import posterior_model
from prowess.engine.inflation import Lifetimes
from prowess.engine.params import Advantage, H, HOf, Sigma
from prowess.engine.system import Game, Range, Unratable
from prowess.engine.whole_table import Fit, WholeTable
from prowess.engine.win_probability import LOGISTIC, Curve, CurveScale
from prowess.games.games import Games
from prowess.games.tally import tally
from prowess.systems import iterated_mean, smith
from prowess.systems.smith import evidence  # by its own name, so that the compiler finds it

MIN_ESTABLISHED = 30  # players; fewer make no histogram
WORK_PER_GAME = 20.0  # terms


class Params(NamedTuple):
    period_days: Annotated[float, Range(1, 3650, "days"), "length of a period"] = 30.0
    prior: PriorKind = NORMAL
    mean: PriorMean = 1500.0
    sd: PriorSd = 350.0
    birth: Birth = 1000.0
    c8: C8 = 0.02
    newcomers_mean: Annotated[
        float,
        Range(0, 4000, "points; 0: no shift"),
        "mean to which a period's newcomers are shifted",
    ] = 0.0
    departed_days: Annotated[
        float,
        Range(0, 36500, "days; 0: none depart"),
        "idle time after which a player has departed",
    ] = 730.0
    h: H = 64.0
    h_of: HOf = 0
    sigma: Sigma = 324.0
    curve: Curve = LOGISTIC
    scale: CurveScale = 400.0
    advantage: Advantage = 0.0
    samples: Annotated[float, Range(200, 5000, "draws"), "more draws are more exact"] = 1000.0
    seed: Seed = 0.0


def fit(p: Params, table: Games, anchors: Mapping[int, float]) -> Fit:
    """Play the table period by period; raises Unratable where it has no dates."""
    if table.time is None:
        raise Unratable.of("no_dates.smith_complete")
    players = len(table.players)
    rating, games = np.full(players, np.nan), np.zeros(players)
    population = Lifetimes()
    population.grow(rating)
    by_name = np.argsort(np.argsort(np.array(list(table.players), dtype=object)))
    number = np.floor(table.time / p.period_days)
    bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(table)]
    for low, high in pairwise(bounds):
        now = table.select(slice(low, high))
        begin = float(number[low] * p.period_days)
        met = np.union1d(now.a, now.b).astype(np.int64)
        fresh = met[np.isnan(rating[met])]
        _come_and_go(p, population, rating, met, by_name, begin)
        if len(fresh):
            rating[fresh] = _initial(p, now, rating, fresh, population)
            population.born[fresh] = rating[fresh]
        _play(p, now, rating, games, population.born, fresh)
        sides = np.stack((now.a, now.b), axis=1).ravel().astype(np.int64)
        population.saw(sides, np.repeat(table.time[low:high], 2))
    figures = {"periods": float(len(bounds) - 1), "departed": float(len(population.gone))}
    return Fit({"rating": rating}, (), figures, model=population)


def _come_and_go(
    p: Params, population: Lifetimes, rating: Floats, met: Ids, by_name: Ids, day: float
) -> None:
    """Let idle players depart, except those who play now, and departed players return."""
    if p.departed_days > 0.0:
        idle = population.alive & (population.last <= day - p.departed_days)
        idle[met] = False
        gone = np.flatnonzero(idle)
        gone = gone[np.lexsort((by_name[gone], population.last[gone]))]
        population.depart_all(rating, gone, day)
    back = [player for player in met.tolist() if player in population.gone]
    for player in sorted(back, key=lambda one: population.gone[one].moment):
        population.return_(rating, player, day)


def _initial(p: Params, now: Games, rating: Floats, fresh: Ids, population: Lifetimes) -> Floats:
    """The ratings of newcomers from their games of the period, all others fixed."""
    new = np.zeros(len(rating), dtype=bool)
    new[fresh] = True
    theirs = now.select(new[now.a] | new[now.b])
    met = np.union1d(theirs.a, theirs.b).astype(np.int64)
    a, b = (np.searchsorted(met, side).astype(np.uint32) for side in (theirs.a, theirs.b))
    few = theirs.replace(players=tuple(map(str, met)), a=a, b=b)  # not the whole roster
    merged = tally(few, sides=p.advantage != 0.0)
    known = {k: float(rating[met[k]]) for k in np.flatnonzero(~new[met]).tolist()}
    prior = prior_of(p)
    league = rating[population.alive]
    histogram = bins_of(league) if p.prior == HISTOGRAM and len(league) >= MIN_ESTABLISHED else None
    target = posterior_model(
        merged,
        p.curve,
        prior.q,
        prior,
        advantage=p.advantage,
        known=known,
        histogram=histogram,
    )
    posterior = posterior_means(merged, target, known, int(p.samples), int(p.seed), draw_all=False)
    found = posterior.mean[np.flatnonzero(new[met])]
    if p.newcomers_mean > 0.0:
        found += p.newcomers_mean - found.mean()
    return found


def _play(p: Params, now: Games, rating: Floats, games: Floats, born: Floats, fresh: Ids) -> None:
    """The games of a period, one after another, in place."""
    new = np.zeros(len(rating))
    new[fresh] = 1.0
    nothing, one = np.zeros(len(now)), np.ones(len(now))
    h = smith.Params(
        h=p.h, curve=p.curve, scale=p.scale, h_of=p.h_of, sigma=p.sigma, advantage=p.advantage
    )
    run_loop(
        play_games,
        WORK_PER_GAME * len(now),
        h,
        rating,
        games,
        born,
        new,
        now.a.astype(np.int64),
        now.b.astype(np.int64),
        now.score,
        nothing if now.side is None else now.side,
        one if now.weight is None else now.weight,
    )


def play_games(
    p: smith.Params, rating: Any, games: Any, born: Any, new: Any,
    a: Any, b: Any, score: Any, side: Any, weight: Any,
) -> None:  # fmt: skip
    """EQ 66 and 68 for all but newcomers; wins from a newcomer are added to its birth rating."""
    for row in range(len(a)):
        i, j = a[row], b[row]
        if new[i] == 0.0 or new[j] == 0.0:
            game = Game(score[row], side[row], 0.0, 0.0, 0.0, 0.0)
            me, opponent = smith.Rating(rating[i], games[i]), smith.Rating(rating[j], games[j])
            change = weight[row] * evidence(p, me, opponent, game).change
            if new[i] == 0.0:
                rating[i] += change
            else:
                born[i] -= change
            if new[j] == 0.0:
                rating[j] -= change
            else:
                born[j] += change
        games[i] += weight[row]
        games[j] += weight[row]


SMITH_COMPLETE = WholeTable(
    name="smith_complete",
    family="dynamic",
    params=Params(),
    columns=("rating",),
    fit=fit,
    chances=iterated_mean.chances,
    ordered=True,
    uses=("side",),
    breaks={"names": "players who depart at the same moment do so in the order of their names"},
)
