"""Do the results of two players follow a pattern: by turns, or always drawn?

Winning by turns is how two players lift each other in leagues that count wins. Within the games of
a pair in which the same one had the side, or nobody, the order of wins and losses is judged by
its number of runs, exactly. Draws are held against the share among games with like forecasts.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.diagnosis.calibrated import Calibrated, TooFew
from prowess.study.diagnosis.chance import best_of, grouped, log_chernoff, log_cumulants, runs_tail
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

LEAST = 8  # decided games of a pair
STRATA = 20
LEAST_DRAWS = 50
SHOWN = 5


def turns(course: Course) -> Observation:
    """Pairs who win by turns."""
    games = course.games
    decided = np.flatnonzero((games.score == 1.0) | (games.score == 0.0))
    n = len(course.final)
    a, b = games.a[decided].astype(np.int64), games.b[decided].astype(np.int64)
    swapped = a > b
    side = np.where(swapped, -course.side[decided], course.side[decided])
    won = np.where(swapped, 1.0 - games.score[decided], games.score[decided]) == 1.0
    code = (np.minimum(a, b) * n + np.maximum(a, b)) * 3 + side.astype(np.int64) + 1
    order = np.argsort(code, kind="stable")
    edges = np.flatnonzero(np.diff(code[order])) + 1
    series = [part for part in np.split(order, edges) if len(part) >= LEAST]
    if not series:
        raise TooFew(f"no pair has {LEAST} decided games under like conditions")
    found = []
    for part in series:
        wins = won[part]
        first, second = int(wins.sum()), int((~wins).sum())
        if first and second:
            runs = 1 + int((wins[1:] != wins[:-1]).sum())
            if runs > 1 + len(wins) // 2:  # fewer are no pattern, and cost time
                found.append((runs_tail(first, second, runs), runs, part))
    found.sort(key=lambda one: one[0])
    worst: list[dict[str, Any]] = [
        {"player": games.players[int(min(a[part[0]], b[part[0]]))],
         "opponent": games.players[int(max(a[part[0]], b[part[0]]))], "games": len(part),
         "runs": runs, "expected": 1.0 + 2.0 * float(won[part].mean() * (~won[part]).sum()),
         "p": best_of(p, len(series))}
        for p, runs, part in found[:SHOWN]
    ]  # fmt: skip
    told = ""
    if worst:
        one = worst[0]
        told = (
            f"{one['player']} and {one['opponent']} win by turns: {one['runs']} changes in "
            f"{one['games']} decided games."
        )
    return Observation(
        name="wins by turns",
        calm="No two players win by turns more than chance does.",
        alarm=told,
        numbers={"series": len(series), "worst": worst},
        method=(
            f"runs test of pairs with {LEAST} decided games or more, apart by who had the side; "
            "Bonferroni over pairs"
        ),
        p=worst[0]["p"] if worst else 1.0,
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def draws_of_a_pair(course: Course, calibration: Calibrated) -> Observation:
    """Pairs who draw more than others with like forecasts."""
    drawn = (course.games.score == 0.5).astype(np.float64)
    if min(drawn.sum(), len(drawn) - drawn.sum()) < LEAST_DRAWS:
        raise TooFew(f"{int(drawn.sum()):,} draws in {len(drawn):,} games")
    level = 0.5 * (course.rating_a + course.rating_b)
    share = _usual_share(drawn, np.abs(calibration.expected - 0.5), level)
    n = len(course.final)
    a, b = course.games.a.astype(np.int64), course.games.b.astype(np.int64)
    codes, pair, count = np.unique(
        np.minimum(a, b) * n + np.maximum(a, b), return_inverse=True, return_counts=True
    )
    many = np.flatnonzero(count >= LEAST)
    if not len(many):
        raise TooFew(f"no pair has {LEAST} games")
    total = np.bincount(pair, drawn - share, len(codes)).astype(np.float64)
    bound = log_chernoff(grouped(log_cumulants(share), pair, len(codes)), total)[many]
    worst: list[dict[str, Any]] = [
        {"player": course.games.players[int(codes[many[k]] // n)],
         "opponent": course.games.players[int(codes[many[k]] % n)], "games": int(count[many[k]]),
         "draws": int(np.bincount(pair, drawn, len(codes))[many[k]]),
         "expected": float(np.bincount(pair, share, len(codes))[many[k]]),
         "p": exp(min(0.0, float(bound[k]) + log(len(many))))}
        for k in np.argsort(bound, kind="stable")[:SHOWN].tolist()
    ]  # fmt: skip
    one = worst[0]
    return Observation(
        name="draws of a pair",
        calm="No pair draws more often than its ratings and chance explain.",
        alarm=(
            f"{one['player']} and {one['opponent']} drew {one['draws']} of {one['games']} games, "
            f"where {one['expected']:.1f} draws were expected."
        ),
        numbers={"pairs": len(many), "worst": worst},
        method=(
            f"share of draws among {STRATA} times 4 strata of games with like forecasts and mean "
            "ratings; a Chernoff bound and Bonferroni over pairs"
        ),
        p=one["p"],
        size=1.0,
        notice=0.0,
        warning=1.0,
    )


def _usual_share(drawn: Any, gap: Any, level: Any) -> Any:
    """The share of draws among games alike in gap, and of those in mean rating, [n]."""
    n = len(drawn)
    stratum = np.empty(n, np.int64)
    stratum[np.argsort(gap, kind="stable")] = np.arange(n) * STRATA // n
    order = np.lexsort((level, stratum))
    cell = np.empty(n, np.int64)
    cell[order] = np.arange(n) * (4 * STRATA) // n
    return (np.bincount(cell, drawn) / np.bincount(cell))[cell]
