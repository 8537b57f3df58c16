"""Minimatches: does a match of many points look like one point between players farther apart?

n ahead      p^n / (p^n + q^n) (EQ 35). A curve on which that is one point at n times the
             difference, for every n at once, is logistic (EQ 42, Theorem 8).
first to n   S_n(p) (EQ 36). A curve for which that is one point at kappa_n times the difference
             is the Stob curve of that n (EQ 37); none is so for two n at once.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 3; EQ 40 and 41 after repair, see `docs/theory_wp.md`.
"""

from __future__ import annotations

from collections.abc import Callable

from prowess.engine.win_probability import ahead_match, first_to_magnification, first_to_match
from prowess.theory.finding import Finding
from prowess.theory.wp import WinProbability, given, grid, reach

Match = Callable[[float, int], float]

TOLERANCE = 1e-9


def match_of(wp: WinProbability, match: Match, n: int) -> WinProbability:
    """The win probability of a match whose points are won with wp."""
    return given(lambda x: match(wp(x), n), f"{match.__name__}({n}) of {wp.name}", reach(wp))


def ahead_consistent(wp: WinProbability, n: int) -> Finding:
    """wp(n x) = p^n / (p^n + q^n), p = wp(x) (EQ 42)."""
    return _consistent(wp, ahead_match, n, float(n), f"{n} ahead")


def first_to_consistent(wp: WinProbability, n: int) -> Finding:
    """wp(kappa_n x) = S_n(wp(x)) (EQ 37)."""
    return _consistent(wp, first_to_match, n, first_to_magnification(n), f"first to {n}")


def _consistent(wp: WinProbability, match: Match, n: int, kappa: float, name: str) -> Finding:
    # the lower half says all of a symmetric curve, and says it without rounding to 1
    xs = [x for x in grid(reach(wp)) if x < 0.0]
    worst, x = max((abs(match(wp(x), n) - wp(kappa * x)), x) for x in xs)
    if worst <= TOLERANCE:
        return Finding(name, True, f"a match is one point at {kappa:.6g} times the difference")
    says = (
        f"at x = {x:.6g} a match is won with {match(wp(x), n):.6g}, "
        f"one point at {kappa:.6g} x with {wp(kappa * x):.6g}"
    )
    return Finding(name, False, says, (x,))
