"""Does the win curve have the form of these results? Its rivals, and its residuals by gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.uncertainty import normal_quantile
from prowess.engine.win_probability import LOGISTIC, NORMAL, STOB2, STOB3, TIMESHARING
from prowess.study.compare import RESAMPLINGS, difference
from prowess.study.diagnosis.calibrated import Calibrated, features
from prowess.study.diagnosis.chance import best_of, mean_by_parts, student
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.curve import fitted, name_of
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RIVALS = (LOGISTIC, NORMAL, TIMESHARING, STOB2, STOB3)
BINS = 10
LEVEL = 0.95
MATTERS = 1e-4, 1e-3  # nats a game, for a notice and a warning
MISSES = 0.1, 0.4  # natural units: surplus over p q, so that a tail counts as much as the middle


def form(course: Course, calibration: Calibrated, seed: int) -> Observation:
    """Fit every curve with a scale and a side advantage of its own; compare log-likelihoods."""
    rows, blocks = course.judged, course.blocks
    x, score, weight = features(course)[rows], course.games.score[rows], course.weight[rows]
    count = int(blocks.max()) + 1
    picks = np.random.default_rng(seed).integers(0, count, (RESAMPLINGS, count))
    curves: list[dict[str, Any]] = []
    for curve in RIVALS:
        if curve == course.curve:
            continue
        loss = fitted(curve, x, score, weight).loss
        gain = difference(calibration.fit.loss, loss, weight, blocks, picks, LEVEL)
        spread = (gain.high - gain.mean) / normal_quantile(LEVEL)
        curves.append(
            {"curve": name_of(curve), "better_by": gain.mean, "low": gain.low, "high": gain.high,
             "p": student(gain.mean, spread, count - 1) if gain.mean > 0.0 else 1.0}
        )  # fmt: skip
    best = max(curves, key=lambda one: one["better_by"])
    own = course.curve_name
    return Observation(
        name="form of the curve",
        calm=f"No other win curve fits these results clearly better than the {own} one.",
        alarm=(
            f"The {best['curve']} curve fits these results better than the {own} one, by "
            f"{best['better_by']:.5f} nats a game "
            f"({best['low']:.5f} to {best['high']:.5f})."
        ),
        numbers={"own": own, "scale": calibration.scale, "rivals": curves},
        method=(
            "log-likelihood of each curve with its own scale and side advantage, on games of "
            "established players; interval from resampled blocks of games"
        ),
        p=best_of(min(one["p"] for one in curves), len(curves)),
        size=best["better_by"],
        notice=MATTERS[0],
        warning=MATTERS[1],
    )


def gaps(course: Course, calibration: Calibrated) -> Observation:
    """How favourites fare against the calibrated curve, from even games to the widest gaps."""
    rows, blocks = course.judged, course.blocks
    chance, surplus = calibration.expected[rows], calibration.surplus[rows]
    turned = np.where(chance < 0.5, -1.0, 1.0)
    favourite = np.maximum(chance, 1.0 - chance)
    weight = course.weight[rows]
    deviance = _deviance(course.games.score[rows], chance)
    order = np.argsort(favourite, kind="stable")
    bins: list[dict[str, float]] = []
    for part in np.array_split(order, BINS):
        seen = mean_by_parts((turned * surplus)[part], weight[part], blocks[part])
        bins.append(
            {"expected": float(favourite[part].mean()), "surplus": seen.value,
             "deviation": seen.deviation, "deviance": float(deviance[part].mean()),
             "games": float(len(part)), "p": seen.p}
        )  # fmt: skip
    worst = min(bins, key=lambda one: one["p"])
    place = bins.index(worst)
    where = "in the tail" if place >= 8 else "among near equals" if place <= 2 else "in between"
    more = "more" if worst["surplus"] > 0.0 else "less"
    return Observation(
        name="residuals by gap",
        calm="Favourites score what the curve says, from even games to the widest gaps.",
        alarm=(
            f"Favourites expected to score {worst['expected']:.1%} score "
            f"{abs(worst['surplus']):.1%} {more} ({where} of the curve)."
        ),
        numbers={"bins": bins},
        method=(
            f"{BINS} bins of equal numbers of games by the calibrated forecast for the favourite, "
            "deviations over blocks of games, the worst bin judged by Bonferroni"
        ),
        p=best_of(worst["p"], BINS),
        size=abs(worst["surplus"]) / (worst["expected"] * (1.0 - worst["expected"])),
        notice=MISSES[0],
        warning=MISSES[1],
    )


def _deviance(score: Floats, chance: Floats) -> Floats:
    """2 (s log(s / p) + (1 - s) log((1 - s) / (1 - p))), [n]."""
    sure = np.clip(chance, 1e-12, 1.0 - 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        won = np.where(score > 0.0, score * np.log(score / sure), 0.0)
        lost = np.where(score < 1.0, (1.0 - score) * np.log((1.0 - score) / (1.0 - sure)), 0.0)
    found: Floats = 2.0 * (won + lost)
    return found
