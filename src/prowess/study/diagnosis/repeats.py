"""Do two players meet far more often than chance would bring them together?

Where opponents are drawn at random, a pair's number of games in a span of time has nearly Poisson's
law with the mean g_1 g_2 / 2 m: g games of each, m games in all in that span. Whether pairs are
drawn at random is asked first: the sum of N (N - 1) over pairs must be near the sum of squared
means, the clearest pairs left out. In leagues with a schedule it is not, and nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.chance import best_of, poisson_tail
from prowess.study.diagnosis.course import SPANS, Course
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SHOWN = 5
LEFT_OUT = 10  # pairs, when it is asked whether the others are drawn at random
RANDOM = 1.5  # times as many repetitions as chance makes, at most
LEAST_REPEATS = 20.0  # expected, to say whether pairs are drawn at random


def repeats(course: Course) -> Observation:
    """The pair whose number of games chance explains least."""
    n, m = len(course.final), len(course.games)
    a, b = course.games.a.astype(np.int64), course.games.b.astype(np.int64)
    span = course.span
    played = np.zeros((n, SPANS))
    np.add.at(played, (a, span), 1.0)
    np.add.at(played, (b, span), 1.0)
    games = np.bincount(span, minlength=SPANS).astype(np.float64)
    code = np.minimum(a, b) * n + np.maximum(a, b)
    codes, pair, count = np.unique(code, return_inverse=True, return_counts=True)
    one, other = codes // n, codes % n
    # nobody meets himself: what that would take is shared out again
    share = played / np.sqrt(np.maximum(2.0 * games, 1.0))
    own = np.divide((played**2).sum(axis=0), (2.0 * games) ** 2, where=games > 0,
                    out=np.zeros(SPANS))  # fmt: skip
    share = share / np.sqrt(np.maximum(1.0 - own, 1e-9))
    mean = (share[one] * share[other]).sum(axis=1)
    _refuse_schedules(course, share, pair, span, len(codes), count / np.maximum(mean, 1e-12))
    tries = n * (n - 1) // 2
    surprising = np.argsort(mean - count * np.log(np.maximum(count / mean, 1.0)) + count - 2 * mean)
    worst: list[dict[str, Any]] = [
        {"player": course.games.players[int(one[k])],
         "opponent": course.games.players[int(other[k])], "games": int(count[k]),
         "expected": float(mean[k]),
         "p": best_of(poisson_tail(int(count[k]), float(mean[k])), tries)}
        for k in surprising[:SHOWN].tolist()
    ]  # fmt: skip
    worst.sort(key=lambda seen: seen["p"])
    first = worst[0]
    return Observation(
        name="repeated pairs",
        calm="No pair meets more often than chance brings together.",
        alarm=(
            f"{first['player']} and {first['opponent']} met {first['games']} times, where chance "
            f"would have brought them together {first['expected']:.1f} times."
        ),
        numbers={"pairs": len(codes), "games": m, "worst": worst},
        method=(
            f"Poisson's law for the games of a pair, given how much each played in {SPANS} spans "
            "of time; Bonferroni over all pairs"
        ),
        p=first["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _refuse_schedules(
    course: Course, share: Floats, pair: Any, span: Any, pairs: int, ratio: Floats
) -> None:
    """Raise TooFew unless pairs repeat within spans about as often as by chance."""
    left_out = LEFT_OUT if pairs > 10 * LEFT_OUT else 0
    odd = np.argsort(-ratio, kind="stable")[:left_out]
    usual = np.ones(pairs, np.bool_)
    usual[odd] = False
    within = np.unique(pair[usual[pair]] * SPANS + span[usual[pair]], return_counts=True)[1]
    seen = float((within * (within - 1.0)).sum())
    squares, fourths = (share**2).sum(axis=0), (share**4).sum(axis=0)
    chance = float((squares * squares - fourths).sum() / 2.0)
    if chance < LEAST_REPEATS:
        raise TooFew("pairs hardly ever meet twice, so nothing can be said of those who do")
    if not 1.0 / RANDOM <= seen / chance <= RANDOM:
        raise TooFew("opponents are not drawn at random here (a schedule, pools, or seeding)")
