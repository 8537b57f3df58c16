"""Is the first side worth what the system says, and is it worth the same all the time?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prowess.study.diagnosis.calibrated import Calibrated, TooFew, features
from prowess.study.diagnosis.chance import Estimate, blocks_of, student, summed
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.curve import fitted
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

ENOUGH = 200  # games with a side
PARTS = 10  # of the judged games, to show how the advantage goes
LEAST = 20  # games with a side, in a part


def advantage(course: Course, calibration: Calibrated) -> Observation:
    """The side advantage of the calibrated curve beside the one set."""
    rows = course.judged
    _refuse_few(course)
    fit = calibration.fit
    # not divided by the scale of the gaps, which noise of ratings makes small: a side has none
    points = float(fit.theta[1]) * course.unit
    around = summed(fit.influence[:, 1] * course.unit, course.blocks)
    given = float(getattr(course.p, "advantage", 0.0))
    reach = 1.96 * around.deviation
    named = f"counts on {given:g}" if hasattr(course.p, "advantage") else "has no such setting"
    return Observation(
        name="side advantage",
        calm=(
            f"The first side is worth {points:.0f} +- {reach:.0f} points; the system {named}."
        ),
        alarm=(
            f"The first side is worth {points:.0f} +- {reach:.0f} points, but the system {named}."
        ),
        numbers={
            "points": points, "low": points - reach, "high": points + reach,
            "set": given, "games": int((course.side[rows] != 0.0).sum()),
        },
        method="likelihood on the system's own curve, deviations over blocks of games",
        p=student(points - given, around.deviation, around.parts - 1),
        size=abs(points - given) / course.unit,
        notice=0.1,
        warning=0.3,
        advice=True,
    )  # fmt: skip


def change_of_side(course: Course, calibration: Calibrated) -> Observation:
    """Whether the side advantage of the first game is that of the last."""
    rows = course.judged
    _refuse_few(course)
    n = len(course.games)
    when = np.linspace(-0.5, 0.5, n) if course.games.time is None else _share(course.games.time)
    x = np.column_stack((features(course), course.side * when))[rows]
    fit = fitted(course.curve, x, course.games.score[rows], course.weight[rows])
    seen: Estimate = fit.estimate(2, course.blocks)
    spread = float(np.ptp(when[rows]))
    points = seen.value * course.unit * spread
    reach = 1.96 * seen.deviation * course.unit * spread
    told = f"by {points:+.0f} +- {reach:.0f} points from the first judged game to the last"
    return Observation(
        name="side advantage over time",
        calm=f"The side advantage does not clearly change ({told}).",
        alarm=f"The side advantage changes {told}.",
        numbers={
            "points": points, "low": points - reach, "high": points + reach,
            "parts": parts_of_time(course),
        },
        method="likelihood with a side advantage that changes evenly; blocks of games",
        p=seen.p,
        size=abs(points) / course.unit,
        notice=0.1,
        warning=0.5,
    )  # fmt: skip


def parts_of_time(course: Course) -> list[dict[str, float]]:
    """The side advantage in parts of equal numbers of judged games, points, with intervals."""
    rows = course.judged
    part = blocks_of(int(rows.sum()), PARTS)
    side = course.side[rows][:, None] * (part[:, None] == np.arange(PARTS))
    told = np.abs(side).sum(axis=0) >= LEAST
    x = np.column_stack((features(course)[rows, 0], side[:, told]))
    fit = fitted(course.curve, x, course.games.score[rows], course.weight[rows])
    found = []
    for k, of in enumerate(np.flatnonzero(told).tolist(), 1):
        here = np.flatnonzero(rows)[part == of]
        seen = fit.estimate(k, course.blocks)
        low, high = (course.unit * end for end in seen.interval())
        found.append(
            _middle(course, here)
            | {"games": len(here), "points": course.unit * seen.value, "low": low, "high": high}
        )
    return found


def _middle(course: Course, rows: Ids) -> dict[str, float]:
    """When the game in the middle was played."""
    time, row = course.games.time, int(rows[len(rows) // 2])
    dated = time is not None and time[-1] > time[0]
    return {"day": float(time[row])} if time is not None and dated else {"game": float(row)}


def _share(
    time: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    width = float(time[-1] - time[0])
    return (time - time[0]) / width - 0.5 if width > 0.0 else np.zeros(len(time))


def _refuse_few(course: Course) -> None:
    seen = int((course.side[course.judged] != 0.0).sum())
    if seen < ENOUGH:
        raise TooFew(f"{seen:,} judged games with a side, {ENOUGH} are needed")
