"""How fast do players gain, by their rating, and is that what the spread of ratings says?

Whoever is rated high by luck falls back, which looks like unlearning. So players are put into bins
by their rating at one game, and the gain is counted from GAP games later on, when luck has gone.

The fluid equation (EQ 54) wants a league in balance: what players gain at a rating is the death
rate D times how many are above. Its shape, L / D, comes from the histogram of ratings, D from the
best fit of the gains to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting
from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.chance import Estimate, mean_by_parts, student
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.finding import Observation
from prowess.study.diagnosis.theory import Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GAP = 60  # games until luck has gone: at h = 64 in chess all but e^-2.7 of it
STRETCH = 60  # games over which the gain is counted
STRIDE = 20  # games between two looks at a player
LEAST_LOOKS = 100
BINS = 6


def gain_by_rating(course: Course, theory: Theory | None) -> Observation:
    """Mean gain in points per 100 games by rating, beside L / D."""
    who = course.appearances
    n, reach = len(who.player), GAP + STRETCH
    here = np.flatnonzero(
        (who.player[: n - reach] == who.player[reach:]) & (who.age[: n - reach] % STRIDE == 0)
    ) if n > reach else np.zeros(0, np.int64)  # fmt: skip
    if len(here) < LEAST_LOOKS:
        raise TooFew(f"hardly anybody has {reach} games: too few to see anyone learn")
    gain = (who.before[here + reach] - who.before[here + GAP]) * (100.0 / STRETCH)
    rating, player = who.before[here], who.player[here]
    edges = np.quantile(rating, np.linspace(0.0, 1.0, BINS + 1)[1:-1])
    place = np.searchsorted(edges, rating, side="right")
    ones = np.ones(len(here))
    bins: list[dict[str, Any]] = []
    for k in range(BINS):
        part = place == k
        if part.sum() < 10:
            continue
        seen = mean_by_parts(gain[part], ones[part], player[part])
        bins.append({"rating": float(rating[part].mean()), "gain": seen.value,
                     "deviation": seen.deviation, "looks": int(part.sum())})  # fmt: skip
    if len(bins) < 3:
        raise TooFew("ratings differ too little to see who learns")
    mean = mean_by_parts(gain, ones, player)
    numbers: dict[str, Any] = {
        "gain": mean.value, "deviation": mean.deviation, "unit": "points per 100 games",
        "bins": bins,
    }  # fmt: skip
    steady = student(mean.value, mean.deviation, mean.parts - 1) > 0.05
    fluid = _fluid(course, theory, bins, numbers)
    fluid = "" if steady else fluid
    low, high = mean.interval()
    told = "No learning is seen" if steady else "Players gain" if low > 0.0 else "Players lose"
    return Observation(
        name="learning by rating",
        calm=(
            f"{told}: {mean.value:+.1f} points per 100 games ({low:+.1f} to {high:+.1f}), "
            f"{bins[0]['gain']:+.0f} at {bins[0]['rating']:.0f} and {bins[-1]['gain']:+.0f} at "
            f"{bins[-1]['rating']:.0f}{fluid}."
        ),
        alarm="",
        numbers=numbers,
        method=(
            f"gain over {STRETCH} games, from {GAP} games after the one whose rating chose the "
            "bin; deviations over players"
        ),
    )


def _fluid(
    course: Course, theory: Theory | None, bins: list[dict[str, Any]], numbers: dict[str, Any]
) -> str:
    """Fit D to the gains of the bins by EQ 54; adds to the numbers, returns words."""
    if theory is None:
        return ""
    ratings = course.final[course.established]
    low, high = np.quantile(ratings, [0.05, 0.95])
    width = float(high - low) / 8.0
    if not width > 0.0:
        return ""
    try:
        middle, shape = theory.learning(ratings[(ratings >= low) & (ratings <= high)], width)
    except BadSetting:  # an empty bin
        return ""
    at = np.interp([one["rating"] for one in bins], middle, shape)
    gains = np.array([one["gain"] for one in bins])
    certain = np.array([1.0 / max(one["deviation"], 1e-9) ** 2 for one in bins])
    square = float((certain * at * at).sum())
    rate = Estimate(float((certain * at * gains).sum()) / square, square**-0.5, len(bins))
    left = float((certain * (gains - rate.value * at) ** 2).sum()) / (len(bins) - 1)
    for one, value in zip(bins, at.tolist(), strict=True):
        one["fluid"] = rate.value * value
    numbers |= {"death_rate": rate.value, "death_rate_deviation": rate.deviation,
                "misfit": left}  # fmt: skip
    if rate.value < 2.0 * rate.deviation:
        return "; the fluid equation would need players to gain, and they do not"
    fits = "fits" if left < 2.5 else "does not fit"
    return f"; the fluid equation {fits} with a death rate of {rate.value:.2g} per 100 games"
