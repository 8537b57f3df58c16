"""A system's own curve on the games of established players, with the scale that serves best.

Ratings wander about the truth, so that a gap of 400 points is worth less than the curve says. What
is judged elsewhere (streaks, jumps, farming, draws) is judged against this calibrated curve: that
the ratings are noisy is no fault of a player.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.curve import Fit, expected, fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ENOUGH = 300  # judged games


class TooFew(ValueError):
    """Not enough games of established players for a check."""


@dataclass(frozen=True, eq=False)
class Calibrated:
    """The curve fitted to the judged games; `expected` is its forecast of every game, [n]."""

    fit: Fit
    expected: Floats
    surplus: Floats  # score of a - expected

    @property
    def scale(self) -> float:
        """Below 1: gaps are worth less than the system says."""
        return float(self.fit.theta[0])


def features(course: Course) -> Floats:
    """(gap, side) in natural units, [n, 2]."""
    return np.stack((course.gap / course.unit, course.side), axis=1)


def calibrated(course: Course) -> Calibrated:
    """Fit the system's curve to its judged games. Raises TooFew."""
    rows = course.judged
    if int(rows.sum()) < ENOUGH:
        raise TooFew(f"{int(rows.sum()):,} games of two established players, {ENOUGH} are needed")
    x = features(course)
    fit = fitted(course.curve, x[rows], course.games.score[rows], course.weight[rows])
    chance = expected(course.curve, x @ fit.theta)
    return Calibrated(fit, chance, course.games.score - chance)
