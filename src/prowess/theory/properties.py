"""Properties of win probability functions and of matches, checked numerically.

Assumptions about wp, checked on a grid of differences:

    symmetric        wp(x) + wp(-x) = 1: two players, no draws, no sides (a BSG)
    rising           wp' > 0: a stronger player always has the better chance
    differentiable   no jump and no corner
    limits           wp(-inf) = 0 and wp(inf) = 1
    concave          for x > 0; required by one bound on h only (EQ 78)

Composition: A's chance against C follows from A against B and B against C,

    wp(x + y) = law(wp(x), wp(y))

and each curve has its own law (Theorems 4 to 6): timesharing  2 (a + b - a b) - 1 for a, b >= 1/2
(EQ 18, 19), logistic  a b / (a b + (1-a)(1-b)), the odds multiply (EQ 23). WM^n of EQ 26 to 31
has the logistic law for every n.

Matches that equal one point between players farther apart:

    n ahead      p^n / (p^n + q^n) (EQ 35). A curve on which that is one point at n times the
                 difference, for every n at once, is logistic (EQ 42, Theorem 8).
    first to n   S_n(p) (EQ 36). A curve for which that is one point at kappa_n times the
                 difference is the Stob curve of that n (EQ 37); none is so for two n at once.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 1 to 3; EQ 40 and 41 after repair, see
          `docs/theory_wp.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from prowess.engine.win_probability import (
    ahead_match,
    first_to_magnification,
    first_to_match,
    rating_difference,
    win_probability,
)
from prowess.games.arguments import BadArgument
from prowess.theory.wp import TAIL, WIDEST, WinProbability, curve_number, grid, reach


@dataclass(frozen=True, slots=True)
class PropertyCheck:
    """The result of checking one property of a function on a grid.

    `at` is the place of the worst violation (x, or x and y), None where there is no such place.
    A property that holds on a grid is not proved; one that fails is refuted.
    """

    name: str
    holds: bool
    says: str
    at: tuple[float, ...] | None = None


def failed_properties(checks: tuple[PropertyCheck, ...]) -> list[str]:
    """Return the names of the properties that fail."""
    return [check.name for check in checks if not check.holds]


SAME_CHANCE = 1e-9  # of sums of two chances, and of two ways to one chance
FLAT = 1e-6  # of the mean slope; smaller ones in the body of the curve count as 0
HALVINGS = 16  # of a cell of the grid in search of a corner
PURSUED = 12  # cells that bend most
CORNER = 1e-3  # of the steepest slope: a change of slope that does not shrink with the cell
ROUNDED = 1.0 - 1e-12  # chances above it may be equal by rounding; their losing side is not
NO_CHANCE = 1e-6  # a chance that counts as 0


def check_assumptions(wp: WinProbability, widest: float | None = None) -> tuple[PropertyCheck, ...]:
    """Check all assumptions, `concave` last, for differences up to `widest`.

    Without `widest`, twice the difference at which the better player wins 999 of 1000 games.
    A function that fails anywhere (an error, nan, not in [0, 1]) has one check, "defined".
    """
    xs = grid(2.0 * reach(wp) if widest is None else widest)
    broken = _check_defined(wp, xs)
    if broken is not None:
        return (broken,)
    ps = [wp(x) for x in xs]
    return (
        check_symmetric(xs, ps),
        check_rising(wp, xs, ps),
        check_differentiable(wp, xs),
        check_limits(wp),
        check_concave(xs, ps),
    )


def _check_defined(wp: WinProbability, xs: list[float]) -> PropertyCheck | None:
    for x in xs:
        try:
            p = wp(x)
        except (ArithmeticError, ValueError) as error:
            says = f"wp({x:.6g}) cannot be evaluated: {type(error).__name__}: {error}"
            return PropertyCheck("defined", False, says, (x,))
        if not (isfinite(p) and 0.0 <= p <= 1.0):
            return PropertyCheck("defined", False, f"wp({x:.6g}) = {p!r} is not a chance", (x,))
    return None


def check_symmetric(xs: list[float], ps: list[float]) -> PropertyCheck:
    """Check wp(x) + wp(-x) = 1; xs are symmetric about 0."""
    totals = [
        (abs(p + other - 1.0), x, p + other) for x, p, other in zip(xs, ps, ps[::-1], strict=True)
    ]
    excess, x, total = max(totals)
    if excess <= SAME_CHANCE:
        return PropertyCheck("symmetric", True, f"wp(x) + wp(-x) = 1 within {excess:.1e}")
    says = f"wp(x) + wp(-x) = {total:.6g} at x = {x:.6g}, not 1"
    return PropertyCheck("symmetric", False, says, (x,))


def check_rising(wp: WinProbability, xs: list[float], ps: list[float]) -> PropertyCheck:
    """Check wp' > 0."""
    for (x, p), (y, above) in pairwise(zip(xs, ps, strict=True)):
        if above < p or (above == p and p < ROUNDED):
            how = "stays at" if above == p else f"falls from {p:.6g} to"
            says = f"wp {how} {above:.6g} between x = {x:.6g} and {y:.6g}"
            return PropertyCheck("rising", False, says, (x, y))
    body = [x for x, p in zip(xs, ps, strict=True) if 1.0 - TAIL < p < TAIL]
    least, x = min(((wp.slope(x), x) for x in body), default=(0.0, 0.0))
    if least <= FLAT / (2.0 * xs[-1]):
        return PropertyCheck(
            "rising", False, f"wp' = {least:.3g} at x = {x:.6g}, not above 0", (x,)
        )
    return PropertyCheck("rising", True, f"wp rises from {ps[0]:.3g} to {ps[-1]:.9g}")


def check_differentiable(wp: WinProbability, xs: list[float]) -> PropertyCheck:
    """Check for jumps and corners: where wp bends most, the bend must vanish with the cell."""
    cells = sorted(
        (
            (abs(wp(a) - 2.0 * wp((a + b) / 2.0) + wp(b)), a, b)
            for a, b in zip(xs, xs[2:], strict=False)
        ),
        reverse=True,
    )
    steepest = max((wp(b) - wp(a)) / (b - a) for a, b in pairwise(xs))
    for _, start, end in cells[:PURSUED]:
        a, b = _narrow(wp, start, end)
        m = (a + b) / 2.0
        left, right = (wp(m) - wp(a)) / (m - a), (wp(b) - wp(m)) / (b - m)
        if abs(right - left) > CORNER * steepest:
            says = f"wp jumps from {wp(a):.6g} to {wp(b):.6g}"
            if max(abs(left), abs(right)) < steepest / CORNER:
                before, after = (
                    (wp(a) - wp(2.0 * a - b)) / (b - a),
                    (wp(2.0 * b - a) - wp(b)) / (b - a),
                )
                says = f"wp has a corner: its slope goes from {before:.6g} to {after:.6g}"
            return PropertyCheck("differentiable", False, f"{says} at x = {m:.6g}", (m,))
    return PropertyCheck("differentiable", True, "no jump and no corner")


def _narrow(wp: WinProbability, a: float, b: float) -> tuple[float, float]:
    """Return the part of [a, b], 2^HALVINGS times smaller, that keeps most of its bend."""
    for _ in range(HALVINGS):
        quarter = (b - a) / 4.0
        parts = [(a + k * quarter, a + (k + 2) * quarter) for k in range(3)]
        a, b = max(parts, key=lambda c: abs(wp(c[0]) - 2.0 * wp((c[0] + c[1]) / 2.0) + wp(c[1])))
    return a, b


def check_limits(wp: WinProbability) -> PropertyCheck:
    """Check wp(-inf) = 0 and wp(inf) = 1 by a search outwards."""
    x, low, high, end = 1.0, 0.5, 0.5, ""
    while x < WIDEST and not (low < NO_CHANCE and high > 1.0 - NO_CHANCE):
        try:
            low, high = wp(-x), wp(x)
        except (ArithmeticError, ValueError) as error:
            end = f" and cannot be evaluated at x = {x:.3g}: {type(error).__name__}: {error}"
            break
        x *= 2.0
    x /= 2.0
    if low < NO_CHANCE and high > 1.0 - NO_CHANCE:
        return PropertyCheck("limits", True, f"wp({-x:.6g}) = {low:.3g}, wp({x:.6g}) = {high:.9g}")
    says = f"wp is still {low:.6g} at x = {-x:.3g} and {high:.6g} at x = {x:.3g}, not 0 and 1{end}"
    return PropertyCheck("limits", False, says, (x,))


def check_concave(xs: list[float], ps: list[float]) -> PropertyCheck:
    """Check that wp lies above its chords for x > 0."""
    half = len(xs) // 2
    worst, x = max(
        (0.5 * (ps[k - 1] + ps[k + 1]) - ps[k], xs[k]) for k in range(half + 1, len(xs) - 1)
    )
    if worst <= SAME_CHANCE:
        return PropertyCheck("concave", True, "wp bends downwards for x > 0")
    return PropertyCheck("concave", False, f"wp bends upwards at x = {x:.6g}", (x,))


CompositionLaw = Callable[[float, float], float]

COMPOSITION_POINTS = 41
COMPOSITION_TOLERANCE = 1e-10


def timesharing_law(a: float, b: float) -> float:
    """EQ 18, 19: twice the chances of losing multiply; for a and b of at least 1/2."""
    return 2.0 * (a + b - a * b) - 1.0


def logistic_law(a: float, b: float) -> float:
    """EQ 23: the odds multiply."""
    won, lost = a * b, (1.0 - a) * (1.0 - b)
    return won / (won + lost)


COMPOSITION_LAWS: dict[str, CompositionLaw] = {
    "logistic": logistic_law,
    "timesharing": timesharing_law,
}


def chain_chances(curve: str, a: float, b: float) -> float:
    """A's chance against C when A beats B with chance a and B beats C with chance b.

    By the curve itself, whatever its law; chances strictly between 0 and 1.
    """
    for chance in (a, b):
        if not 0.0 < chance < 1.0:
            raise BadArgument.of("not_a_chance.properties", chance=chance)
    number = curve_number(curve)
    x = rating_difference(number, a, 1.0) + rating_difference(number, b, 1.0)
    return win_probability(number, x, 1.0)


def check_composition(wp: WinProbability, law: CompositionLaw, name: str = "law") -> PropertyCheck:
    """Check wp(x + y) = law(wp(x), wp(y)) for all x, y >= 0 of a grid."""
    xs = [x for x in grid(reach(wp) / 2.0, 2 * COMPOSITION_POINTS - 1) if x >= 0.0]
    worst, x, y = max((abs(wp(x + y) - law(wp(x), wp(y))), x, y) for x in xs for y in xs)
    if worst <= COMPOSITION_TOLERANCE:
        return PropertyCheck(
            name, True, f"wp(x + y) follows from wp(x) and wp(y) within {worst:.1e}"
        )
    a, b = wp(x), wp(y)
    says = f"{a:.6g} and {b:.6g} give {law(a, b):.6g}, wp({x + y:.6g}) is {wp(x + y):.6g}"
    return PropertyCheck(name, False, says, (x, y))


Match = Callable[[float, int], float]


def check_ahead_match(wp: WinProbability, n: int) -> PropertyCheck:
    """Check wp(n x) = p^n / (p^n + q^n), p = wp(x) (EQ 42)."""
    return _check_match(wp, ahead_match, n, float(n), f"{n} ahead")


def check_first_to_match(wp: WinProbability, n: int) -> PropertyCheck:
    """Check wp(kappa_n x) = S_n(wp(x)) (EQ 37)."""
    return _check_match(wp, first_to_match, n, first_to_magnification(n), f"first to {n}")


def _check_match(
    wp: WinProbability, match: Match, n: int, kappa: float, name: str
) -> PropertyCheck:
    # the lower half determines a symmetric curve, and chances there do not round to 1
    xs = [x for x in grid(reach(wp)) if x < 0.0]
    worst, x = max((abs(match(wp(x), n) - wp(kappa * x)), x) for x in xs)
    if worst <= SAME_CHANCE:
        return PropertyCheck(
            name, True, f"a match is one point at {kappa:.6g} times the difference"
        )
    says = (
        f"at x = {x:.6g} a match is won with {match(wp(x), n):.6g}, "
        f"one point at {kappa:.6g} x with {wp(kappa * x):.6g}"
    )
    return PropertyCheck(name, False, says, (x,))
