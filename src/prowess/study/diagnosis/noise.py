"""How much ratings wander, measured, beside what chance alone makes them wander.

Formula   V(L) = mean of (r(g + L) - r(g))^2 over games g of established players
               = 2 (1 - f^L) (s^2 - t^2 (1 - a) / (a (2 - a))) + t^2 L,   f = 1 - a
          for r' = r + a (strength - r) + chance, strength' = strength + walk:
          a = h w / 2, w the mean slope of the curve at the gaps that met
          s: what chance alone makes of a rating; t: points by which strength walks a game
          (s^2, t^2) by least squares, V(L) weighted by (games at lag L) / L^2 (the scatter of
          V(L) grows like L)
Source    the variogram: G. Matheron, "Principles of geostatistics", Economic Geology 58 (1963).
Units     L, g: games; r, s: points; t: points per sqrt(game).
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.win_probability import slope
from prowess.study.diagnosis.calibrated import Calibrated, TooFew
from prowess.study.diagnosis.chance import Estimate, student, summed
from prowess.study.diagnosis.course import ESTABLISHED, Course
from prowess.study.diagnosis.finding import Observation
from prowess.study.diagnosis.step import step_of
from prowess.study.diagnosis.theory import Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAGS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
STILL_SPREADING = 1.2  # scale of the calibrated curve
AT_REST = 3.0  # relaxation times after which ratings are at rest: e^-3 of the start is left
LEAST_PLAYERS = 10  # with games at the longest lag that is used


def wandering(course: Course, calibration: Calibrated, theory: Theory | None) -> Observation:
    """Fit the variogram and compare s with the fluctuation of theory."""
    step = step_of(course)
    if step is None or course.period is not None:
        raise TooFew("the system moves ratings by no constant h, so theory says nothing")
    who = course.appearances
    if calibration.scale > STILL_SPREADING:
        raise TooFew(
            f"gaps are worth {calibration.scale:.2f} times what the system says: ratings have not "
            "yet spread as far as the results do"
        )
    pull = 0.5 * step.h * _mean_slope(course)
    # whoever is still on the way from the start to his strength seems to walk
    old = who.age >= max(ESTABLISHED, AT_REST / pull)
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
        raise TooFew(
            "too few games a player for ratings to come to rest and back to where they were"
        )
    followed = (1.0 - pull) / (pull * (2.0 - pull))
    back = np.array([2.0 * (1.0 - (1.0 - pull) ** lag) for lag in lags])
    x = np.stack((back, np.array(lags) - followed * back), axis=1)
    solve = np.linalg.inv(x.T * weights @ x) @ (x.T * weights)
    played = np.flatnonzero(np.bincount(who.player[old], minlength=len(course.final)))
    by_player = np.array(influences)[:, played]
    around = solve @ by_player
    chance, walk = (
        Estimate(float(value), summed(row, np.arange(len(played))).deviation, len(played))
        for value, row in zip(solve @ values, around, strict=True)
    )
    moments = [summed(row, np.arange(len(played))).deviation for row in by_player]
    measured = sqrt(max(chance.value, 0.0))
    drift = sqrt(max(walk.value, 0.0))
    numbers: dict[str, Any] = {
        "measured": measured, "drift": drift, "h": step.h, "pull": pull,
        "lags": _by_lag(lags, values, x @ [chance.value, walk.value], moments),
    }  # fmt: skip
    low, high = (sqrt(max(bound, 0.0)) for bound in chance.interval())
    numbers |= {"low": low, "high": high}
    told = f"Chance makes ratings wander by {measured:.0f} points ({low:.0f} to {high:.0f})"
    walks = (
        f"; strengths walk by {drift:.1f} points times the root of the games played"
        if walk.p < 0.01 and drift > 0.0
        else "; strengths seem constant"
    )
    p, size, expected = None, 0.0, nan
    if theory is not None:
        models = theory.fluctuation(step.h, float(np.abs(course.gap[course.judged]).mean()))
        # draws and shares spread less than wins and losses, of which the formulas speak
        spread = _spread(course, calibration)
        expected = models["corrected"] * sqrt(spread)
        numbers |= {"theory": dict(models), "spread_of_scores": spread, "expected": expected}
        for one, share in zip(numbers["lags"], back.tolist(), strict=True):
            one["theory"] = expected * sqrt(share)
        told += f", theory expects {expected:.0f}"
        gap = chance.value - expected * expected
        p = student(gap, chance.deviation, chance.parts - 1)
        size = abs(measured / expected - 1.0)
    word = "more" if measured > expected else "less"
    return Observation(
        name="noise of ratings",
        calm=f"{told}{walks}.",
        alarm=f"{told}{walks}: that is {word} than chance makes of independent games.",
        numbers=numbers,
        method=(
            "variogram of the ratings of established players at lags of "
            f"{lags[0]} to {lags[-1]} of their games, against h p q / 4 w with the measured "
            "variance of scores for p q; deviations over players"
        ),
        p=p,
        size=size,
        notice=0.25 if theory is not None else inf,
        warning=1.0 if theory is not None else inf,
    )


def _by_lag(
    lags: list[int], squares: list[float], fitted: Floats, deviations: list[float]
) -> list[dict[str, float]]:
    """The variogram as root mean squares: measured, its interval, and what was fitted."""
    return [
        {"games": lag, "moved": sqrt(square), "low": sqrt(max(square - 1.96 * deviation, 0.0)),
         "high": sqrt(square + 1.96 * deviation), "fitted": sqrt(max(fit, 0.0))}
        for lag, square, fit, deviation in zip(
            lags, squares, fitted.tolist(), deviations, strict=True
        )
    ]  # fmt: skip


def _spread(course: Course, calibration: Calibrated) -> float:
    """The variance of scores about their forecasts, of that of wins and losses alone."""
    surplus, chance = calibration.surplus[course.judged], calibration.expected[course.judged]
    return float((surplus * surplus).sum() / (chance * (1.0 - chance)).sum())


def _mean_slope(course: Course) -> float:
    gap = np.abs(course.gap[course.judged])
    nodes = np.linspace(0.0, float(gap.max(initial=1.0)), 400)
    slopes = np.array([slope(course.curve, x, course.q) for x in nodes.tolist()])
    return float(np.interp(gap, nodes, slopes).mean())
