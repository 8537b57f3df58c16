"""Does somebody live off a few weak opponents, or off newcomers, or meet one of them too often?

Where ratings are right, nobody gains from anybody in the long run: scores above expectation
against one opponent (or against newcomers, beyond what all gain from newcomers) are sums that
chance bounds, see `chance.log_chernoff`.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.diagnosis.calibrated import Calibrated, TooFew
from prowess.study.diagnosis.chance import grouped, log_chernoff, log_cumulants
from prowess.study.diagnosis.course import ESTABLISHED, Course
from prowess.study.diagnosis.curve import expected, fitted
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

SHOWN = 5
LEAST = 5  # games of a pair, or of a player against newcomers
NEWCOMERS_NEEDED = 200


def one_opponent(course: Course, calibration: Calibrated) -> Observation:
    """Who takes more from one opponent than both ratings say, whether or not he is new."""
    n = len(course.final)
    a, b = course.games.a.astype(np.int64), course.games.b.astype(np.int64)
    chance = calibration.expected
    winner = np.concatenate((a, b))
    loser = np.concatenate((b, a))
    up = np.concatenate((chance, 1.0 - chance))
    surplus = np.concatenate((calibration.surplus, -calibration.surplus))
    old = course.ages
    settled = np.concatenate((old[0], old[1])) >= ESTABLISHED  # whoever gains is no newcomer
    codes, pair, count = np.unique(
        (winner * n + loser)[settled], return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST)
    if not len(many):
        raise TooFew(f"nobody met an opponent {LEAST} times")
    total = np.bincount(pair, surplus[settled], len(codes)).astype(np.float64)
    bound = log_chernoff(grouped(log_cumulants(up[settled]), pair, len(codes)), total)[many]
    points = 0.5 * course.unit_step * total
    worst: list[dict[str, Any]] = [
        {
            "player": course.games.players[int(codes[k] // n)],
            "opponent": course.games.players[int(codes[k] % n)],
            "games": int(count[k]), "surplus": float(total[k]), "points": float(points[k]),
            "p": exp(min(0.0, float(value) + log(len(many)))),
        }
        for k, value in _least(bound, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="points from one opponent",
        calm="Nobody takes more from one opponent than both ratings and chance allow.",
        alarm=(
            f"{one['player']} scored {one['surplus']:.1f} points more than expected in "
            f"{one['games']} games against {one['opponent']}: farming, a style that suits, or a "
            "rating that is wrong."
        ),
        numbers={"pairs": len(many), "worst": worst},
        method=(
            f"pairs with {LEAST} games or more; calibrated forecasts, a Chernoff bound and "
            "Bonferroni over pairs"
        ),
        p=worst[0]["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def newcomers(course: Course, calibration: Calibrated) -> Observation:
    """Who takes more from newcomers than established players usually do."""
    old_a, old_b = (age >= ESTABLISHED for age in course.ages)
    met = np.flatnonzero(old_a != old_b)
    if len(met) < NEWCOMERS_NEEDED:
        raise TooFew(f"{len(met):,} games against newcomers, {NEWCOMERS_NEEDED} are needed")
    sign = np.where(old_a[met], 1.0, -1.0)
    player = np.where(old_a[met], course.games.a[met], course.games.b[met]).astype(np.int64)
    score = np.where(sign > 0.0, course.games.score[met], 1.0 - course.games.score[met])
    chance = np.where(sign > 0.0, calibration.expected[met], 1.0 - calibration.expected[met])
    odds = np.log(chance / (1.0 - chance))
    usual = fitted(0, np.column_stack((odds, np.ones(len(met)))), score, course.weight[met])
    fair = expected(0, np.column_stack((odds, np.ones(len(met)))) @ usual.theta)
    n = len(course.final)
    count = np.bincount(player, minlength=n)
    many = np.flatnonzero(count >= LEAST)
    total = np.bincount(player, score - fair, n).astype(np.float64)
    bound = log_chernoff(grouped(log_cumulants(fair), player, n), total)[many]
    worst: list[dict[str, Any]] = [
        {
            "player": course.games.players[k], "games": int(count[k]),
            "of": int((course.appearances.player == k).sum()), "surplus": float(total[k]),
            "points": float(0.5 * course.unit_step * total[k]),
            "p": exp(min(0.0, float(value) + log(len(many)))),
        }
        for k, value in _least(bound, many)
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="points from newcomers",
        calm="Nobody takes more from newcomers than others do.",
        alarm=(
            f"{one['player']} scored {one['surplus']:.1f} points more than others would have in "
            f"{one['games']} games against newcomers ({one['games'] / one['of']:.0%} of all his)."
        ),
        numbers={"players": len(many), "worst": worst},
        method=(
            f"established players against opponents with fewer than {ESTABLISHED} games; forecasts "
            "calibrated on such games, a Chernoff bound and Bonferroni over players"
        ),
        p=worst[0]["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _least(bound: Floats, many: Ids) -> list[tuple[int, float]]:
    """The numbers with the smallest bounds, and those."""
    order = np.argsort(bound, kind="stable")[:SHOWN]
    return [(int(many[k]), float(bound[k])) for k in order]
