"""MN's batch Elo: the ratings at which the expected wins of every bot equal its wins.

Formula   sum over j of E(R_i - R_j) = sum over j of W_ij   for every bot i, j met by i
          E(d)  = 1 / (1 + base^(-d / scale)),   base 20, scale 800
          W_ij  = (wins + draws / 2) / battles of i and j
          the mean of R is 1600
Source    "Darkcanuck/RRServer/Ratings", RoboWiki: MN's batch Elo from pairing win rates.
Units     rating, scale: points, as in rumble_elo. Time and the order of battles are not used.
Differs   the source describes the idea; these equations are our reading of it. They are those of
          Bradley and Terry's most likely ratings with every pairing counted once, and have a
          solution, one only, where from every bot a chain of wins leads to every other. A group of
          bots where that is not so gets W = (wins + 1/2) / (battles + 1), and the notes say so.
          Bots never compared, not even through others, form groups of mean 1600 each. Solved by
          Newton's method, at most two natural units a step, to residuals below 1e-9.
          tally = share takes pairing scores, shares of the points, instead of win rates. A
          battle of weight w counts as w battles.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prowess.compile.numbers import Floats
from prowess.engine.fits.connectivity import Groups, groups
from prowess.engine.pairings import pairing_notes, pairings
from prowess.engine.params import Base, BattleScale, Mean
from prowess.engine.system import PointsChoice, Unratable
from prowess.engine.whole_table import Fit, WholeTable
from prowess.games.tally import Tally
from prowess.systems import rumble_elo

Table = NDArray[np.bool_]

MAX_FIT_STEPS = 200
MAX_STEP = 2.0  # natural units
SOLVED = 1e-9  # the largest residual, in wins
LIKELIHOOD_ROUNDING = 1e-12  # part of a likelihood that a sum may lose
MIN_STEP = 1e-13  # natural units; a smaller step no longer changes a rating


class Params(NamedTuple):
    """Settings; the defaults are the server's scale."""

    scale: BattleScale = 800.0
    base: Base = 20.0
    mean: Mean = 1600.0
    tally: Annotated[
        int, PointsChoice("result", "share"), "a battle counts as won, or by its points"
    ] = 0


def fit(p: Params, table: Any, anchors: Any) -> Fit:
    """Solve the equations; see the module."""
    pairs = pairings(table, by_points=p.tally == 1)
    opponents = pairs.met.sum(axis=1)
    there = np.flatnonzero(opponents)
    among = np.ix_(there, there)
    met, battles = pairs.met[among], pairs.battles[among]
    rate = np.where(met, (pairs.share if p.tally == 1 else pairs.win_rate)[among], 0.0)
    found = compare_bots(rate, met)
    loose = [
        k for k in range(found.met.max() + 1) if len(np.unique(found.strong[found.met == k])) > 1
    ]
    smooth = met & np.isin(found.met, loose)[:, None]
    rate[smooth] = (rate[smooth] * battles[smooth] + 0.5) / (battles[smooth] + 1.0)
    rating = np.full(len(opponents), np.nan)
    rating[there] = solve_ratings(rate, met, found.met) / rumble_elo.q(p.base, p.scale) + p.mean
    notes = [*pairing_notes(table, opponents, by_points=p.tally == 1)]
    notes += found.words([table.players[k] for k in there])
    if loose:
        notes.append(
            "(wins + 1/2) / (battles + 1) replaces win rates that no finite ratings explain"
        )
    if found.met.max() > 0:
        notes.append("bots of groups that never met cannot be compared: each group has one mean")
    return Fit({"rating": rating}, tuple(notes))


def compare_bots(rate: Floats, met: Table) -> Groups:
    """Groups of bots compared with one another, and those with chains of wins both ways."""
    a, b = np.nonzero(np.triu(met))
    ids, none = (a.astype(np.uint32), b.astype(np.uint32)), np.zeros(len(a))
    return groups(Tally(len(met), *ids, side=none, wins=rate[a, b], draws=none, losses=rate[b, a]))


def solve_ratings(rate: Floats, met: Table, group: NDArray[np.int64]) -> Floats:
    """The ratings in natural units, of mean 0 in every group; raises Unratable if none is found."""
    x = np.zeros(len(rate))
    same = (group[:, None] == group).astype(np.float64)  # fixes the mean of every group
    for _ in range(MAX_FIT_STEPS):
        e = expected_score(x, met)
        residual = (rate - e).sum(axis=1)
        weight = np.where(met, e * (1.0 - e), 0.0)
        pull = same - weight
        np.fill_diagonal(pull, weight.sum(axis=1) + 1.0)
        try:
            step = np.linalg.solve(pull, residual)
        except np.linalg.LinAlgError:  # some chance is 0 to the last digit
            break
        step *= min(1.0, MAX_STEP / max(float(np.abs(step).max()), MIN_STEP))
        floor = likelihood(x, rate)
        floor -= LIKELIHOOD_ROUNDING * (1.0 + abs(floor))
        while likelihood(x + step, rate) < floor:
            step *= 0.5
        x = x + step
        if np.abs(step).max() < MIN_STEP * max(1.0, float(np.abs(x).max())):
            break
    worst = float(np.abs((rate - expected_score(x, met)).sum(axis=1)).max())
    if not worst < SOLVED:
        raise Unratable.of("no_convergence.batch_elo", worst=worst)
    centred: Floats = x - same @ x / same.sum(axis=1)
    return centred


def expected_score(x: Floats, met: Table) -> Floats:
    """E of every pair that has met, 0 elsewhere, [n, n]."""
    chance: Floats = np.where(met, 0.5 + 0.5 * np.tanh(0.5 * (x[:, None] - x)), 0.0)
    return chance


def likelihood(x: Floats, rate: Floats) -> float:
    """The sum of W ln E, which the solution maximises."""
    return -float((rate * np.logaddexp(0.0, x - x[:, None])).sum())


BATCH_ELO = WholeTable(
    name="batch_elo",
    family="rumble",
    params=Params(),
    columns=("rating",),
    fit=fit,
    chances=rumble_elo.chances,
)
