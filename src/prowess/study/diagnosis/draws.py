"""Are there more draws among strong players than among weak ones?"""

from __future__ import annotations

import numpy as np

from prowess.study.diagnosis.calibrated import Calibrated, TooFew
from prowess.study.diagnosis.chance import Estimate, mean_by_parts, summed
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.finding import Observation

STRATA = 20  # of games alike in their forecast: unequal players draw less, whatever they are worth
BINS = 8  # by mean rating, to show the slope
LEAST = 50  # draws, and games that are none


def draws_by_rating(course: Course, calibration: Calibrated) -> Observation:
    """The slope of the share of draws on the mean rating of the two, among games alike in gap."""
    rows = course.judged
    drawn = (course.games.score[rows] == 0.5).astype(np.float64)
    if min(drawn.sum(), len(drawn) - drawn.sum()) < LEAST:
        raise TooFew(f"{int(drawn.sum()):,} draws in {len(drawn):,} judged games")
    level = 0.5 * (course.rating_a[rows] + course.rating_b[rows])
    order = np.argsort(np.abs(calibration.expected[rows] - 0.5), kind="stable")
    stratum = np.empty(len(drawn), np.int64)
    stratum[order] = np.arange(len(drawn)) * STRATA // len(drawn)
    size = np.bincount(stratum)
    x = level - (np.bincount(stratum, level) / size)[stratum]
    y = drawn - (np.bincount(stratum, drawn) / size)[stratum]
    square = float((x * x).sum())
    if not square > 0.0:
        raise TooFew("all pairs have the same mean rating")
    slope = float((x * y).sum()) / square
    around = summed(x * (y - slope * x) / square, course.blocks)
    apart = 2.0 * float(level.std())
    seen = Estimate(slope * apart, around.deviation * apart, around.parts)
    low, high = seen.interval()
    bins: list[dict[str, float]] = []
    for part in np.array_split(np.argsort(level, kind="stable"), BINS):
        share = mean_by_parts(drawn.mean() + y[part], part=course.blocks[part])
        bins.append({"rating": float(level[part].mean()), "games": len(part),
                     "draws": share.value, **share.ends})  # fmt: skip
    told = f"{seen.value:+.1%} ({low:+.1%} to {high:+.1%}) from weak pairs to strong ones"
    return Observation(
        name="draws by rating",
        calm=f"Draws, {drawn.mean():.1%} of the games, do not clearly depend on strength ({told}).",
        alarm=f"The share of draws, {drawn.mean():.1%} in all, depends on strength: {told}, "
        f"{apart:.0f} points apart.",
        numbers={"draws": float(drawn.mean()), "change": seen.value, "low": low, "high": high,
                 "points_apart": apart, "bins": bins},
        method=(
            f"share of draws against the mean rating of the two within {STRATA} strata of games "
            "with like forecasts; from one deviation below the mean to one above"
        ),
        p=seen.p,
        size=abs(seen.value),
        notice=0.02,
    )  # fmt: skip
