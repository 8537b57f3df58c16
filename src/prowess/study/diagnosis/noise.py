"""How much ratings wander, measured, beside what chance alone makes them wander.

Formula   V(L) = mean of (r(g + L) - r(g))^2 over games g of established players
               = 2 s^2 (1 - f^L) + t^2 L
          s: what chance makes of a constant strength; f = 1 - h w / 2 brings it back, w the mean
          slope of the curve; t: points by which strength itself wanders a game
          (s^2, t^2) by least squares, V(L) weighted by (games at lag L) / L^2 (the scatter of
          V(L) grows like L)
Source    the variogram: G. Matheron, "Principles of geostatistics", Economic Geology 58 (1963).
Units     L, g: games; r, s: points; t: points per sqrt(game).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.win_probability import slope
from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.chance import Estimate, student, summed
from prowess.study.diagnosis.course import ESTABLISHED, Course
from prowess.study.diagnosis.finding import Observation
from prowess.study.diagnosis.step import step_of
from prowess.study.diagnosis.theory import Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAGS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LEAST_PLAYERS = 10  # with games at the longest lag that is used


def wandering(course: Course, theory: Theory | None) -> Observation:
    """Fit the variogram and compare s with the fluctuation of theory."""
    step = step_of(course)
    if step is None or course.period is not None:
        raise TooFew("the system moves ratings by no constant h, so theory says nothing")
    who = course.appearances
    old = who.age >= ESTABLISHED
    pull = 0.5 * step.h * _mean_slope(course)
    lags, values, weights, influences = [], [], [], []
    for lag in LAGS:
        here = np.flatnonzero(old[:-lag] & (who.player[lag:] == who.player[:-lag]))
        if len(np.unique(who.player[here])) < LEAST_PLAYERS or lag * pull > 8.0:
            break
        square = (who.before[here + lag] - who.before[here]) ** 2
        mean = float(square.mean())
        lags.append(lag)
        values.append(mean)
        weights.append(len(here) / (lag * lag))
        influences.append(np.bincount(
            who.player[here], (square - mean) / len(here), len(course.final)
        ))  # fmt: skip
    if len(lags) < 4 or lags[-1] * pull < 1.0:
        raise TooFew("too few games a player to see ratings come back to where they were")
    x = np.array([[2.0 * (1.0 - (1.0 - pull) ** lag), lag] for lag in lags])
    solve = np.linalg.inv(x.T * weights @ x) @ (x.T * weights)
    played = np.flatnonzero(np.bincount(who.player[old], minlength=len(course.final)))
    around = solve @ np.array(influences)[:, played]
    chance, walk = (
        Estimate(float(value), summed(row, np.arange(len(played))).deviation, len(played))
        for value, row in zip(solve @ values, around, strict=True)
    )
    measured = sqrt(max(chance.value, 0.0))
    drift = sqrt(max(walk.value, 0.0))
    numbers = {
        "measured": measured, "drift": drift, "h": step.h, "pull": pull,
        "lags": [{"games": a, "moved": sqrt(b)} for a, b in zip(lags, values, strict=True)],
    }  # fmt: skip
    told = f"Chance makes ratings wander by {measured:.0f} points"
    if theory is not None:
        expected = theory.fluctuation(step.h, float(np.abs(course.gap[course.judged]).mean()))
        numbers["theory"] = dict(expected)
        told += f" (theory: {expected['corrected']:.0f})"
    # a walk that within the games it takes to come back outweighs chance
    size = walk.value / pull / max(chance.value, 1e-9) if walk.value > 0.0 else 0.0
    return Observation(
        name="noise of ratings",
        calm=f"{told}, and strengths seem constant (walk {drift:.1f} points a game).",
        alarm=(
            f"{told}; beside it strengths themselves walk, by {drift:.1f} points times the root "
            "of the games played: too much for chance."
        ),
        numbers=numbers,
        method=(
            "variogram of the ratings of established players at lags of "
            f"{lags[0]} to {lags[-1]} of their games; deviations over players"
        ),
        p=student(walk.value, walk.deviation, walk.parts - 1) if walk.value > 0.0 else 1.0,
        size=size,
        notice=0.25,
    )


def _mean_slope(course: Course) -> float:
    gap = np.abs(course.gap[course.judged])
    nodes = np.linspace(0.0, float(gap.max(initial=1.0)), 400)
    slopes = np.array([slope(course.curve, x, course.q) for x in nodes.tolist()])
    return float(np.interp(gap, nodes, slopes).mean())
