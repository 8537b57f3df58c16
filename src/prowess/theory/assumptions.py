"""What the theory asks of a win probability function, looked at on a grid of differences.

    symmetric        wp(x) + wp(-x) = 1: two players, no draws, no sides (a BSG)
    rising           wp' > 0: a stronger player always has the better chance
    differentiable   no jump and no corner
    limits           wp(-inf) = 0 and wp(inf) = 1
    concave          for x > 0; asked for by one bound on h only (EQ 78)

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 1 and 2.
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite

from prowess.theory.finding import Finding
from prowess.theory.wp import SURE, WIDEST, WinProbability, grid, reach

TOLERANCE = 1e-9  # of sums of two chances
FLAT = 1e-6  # of the mean slope; smaller ones in the body of the curve count as 0
HALVINGS = 16  # of a cell of the grid in search of a corner
PURSUED = 12  # cells that bend most
CORNER = 1e-3  # of the steepest slope: a change of slope that does not shrink with the cell
ROUNDED = 1.0 - 1e-12  # chances above it may be equal by rounding; their losing side is not
TAIL = 1e-6  # a chance that counts as 0


def assumptions(wp: WinProbability, widest: float | None = None) -> tuple[Finding, ...]:
    """Every property above, `concave` last. `widest`: the largest difference looked at.

    Without `widest`, twice the difference at which the better player wins 999 of 1000 games.
    A function that fails anywhere (an error, nan, not in [0, 1]) has one finding, "defined".
    """
    xs = grid(2.0 * reach(wp) if widest is None else widest)
    broken = _undefined(wp, xs)
    if broken is not None:
        return (broken,)
    ps = [wp(x) for x in xs]
    return (
        symmetric(xs, ps),
        rising(wp, xs, ps),
        differentiable(wp, xs),
        limits(wp),
        concave(xs, ps),
    )


def _undefined(wp: WinProbability, xs: list[float]) -> Finding | None:
    for x in xs:
        try:
            p = wp(x)
        except (ArithmeticError, ValueError) as error:
            says = f"wp({x:.6g}) cannot be evaluated: {type(error).__name__}: {error}"
            return Finding("defined", False, says, (x,))
        if not (isfinite(p) and 0.0 <= p <= 1.0):
            return Finding("defined", False, f"wp({x:.6g}) = {p!r} is not a chance", (x,))
    return None


def symmetric(xs: list[float], ps: list[float]) -> Finding:
    """wp(x) + wp(-x) = 1, xs being symmetric to 0."""
    totals = [
        (abs(p + other - 1.0), x, p + other) for x, p, other in zip(xs, ps, ps[::-1], strict=True)
    ]
    excess, x, total = max(totals)
    if excess <= TOLERANCE:
        return Finding("symmetric", True, f"wp(x) + wp(-x) = 1 within {excess:.1e}")
    says = f"wp(x) + wp(-x) = {total:.6g} at x = {x:.6g}, not 1"
    return Finding("symmetric", False, says, (x,))


def rising(wp: WinProbability, xs: list[float], ps: list[float]) -> Finding:
    """wp' > 0."""
    for (x, p), (y, above) in pairwise(zip(xs, ps, strict=True)):
        if above < p or (above == p and p < ROUNDED):
            how = "stays at" if above == p else f"falls from {p:.6g} to"
            says = f"wp {how} {above:.6g} between x = {x:.6g} and {y:.6g}"
            return Finding("rising", False, says, (x, y))
    body = [x for x, p in zip(xs, ps, strict=True) if 1.0 - SURE < p < SURE]
    least, x = min(((wp.slope(x), x) for x in body), default=(0.0, 0.0))
    if least <= FLAT / (2.0 * xs[-1]):
        return Finding("rising", False, f"wp' = {least:.3g} at x = {x:.6g}, not above 0", (x,))
    return Finding("rising", True, f"wp rises from {ps[0]:.3g} to {ps[-1]:.9g}")


def differentiable(wp: WinProbability, xs: list[float]) -> Finding:
    """No jump and no corner: where the curve bends most, the bend vanishes with the cell."""
    cells = sorted(
        (
            (abs(wp(a) - 2.0 * wp((a + b) / 2.0) + wp(b)), a, b)
            for a, b in zip(xs, xs[2:], strict=False)
        ),
        reverse=True,
    )
    steepest = max((wp(b) - wp(a)) / (b - a) for a, b in pairwise(xs))
    for _, start, end in cells[:PURSUED]:
        a, b = _narrowed(wp, start, end)
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
            return Finding("differentiable", False, f"{says} at x = {m:.6g}", (m,))
    return Finding("differentiable", True, "no jump and no corner")


def _narrowed(wp: WinProbability, a: float, b: float) -> tuple[float, float]:
    """The part of [a, b], 2^HALVINGS times smaller, that keeps most of its bend."""
    for _ in range(HALVINGS):
        quarter = (b - a) / 4.0
        parts = [(a + k * quarter, a + (k + 2) * quarter) for k in range(3)]
        a, b = max(parts, key=lambda c: abs(wp(c[0]) - 2.0 * wp((c[0] + c[1]) / 2.0) + wp(c[1])))
    return a, b


def limits(wp: WinProbability) -> Finding:
    """wp(-inf) = 0 and wp(inf) = 1, as far as a search outwards can tell."""
    x, low, high, end = 1.0, 0.5, 0.5, ""
    while x < WIDEST and not (low < TAIL and high > 1.0 - TAIL):
        try:
            low, high = wp(-x), wp(x)
        except (ArithmeticError, ValueError) as error:
            end = f" and cannot be evaluated at x = {x:.3g}: {type(error).__name__}: {error}"
            break
        x *= 2.0
    x /= 2.0
    if low < TAIL and high > 1.0 - TAIL:
        return Finding("limits", True, f"wp({-x:.6g}) = {low:.3g}, wp({x:.6g}) = {high:.9g}")
    says = f"wp is still {low:.6g} at x = {-x:.3g} and {high:.6g} at x = {x:.3g}, not 0 and 1{end}"
    return Finding("limits", False, says, (x,))


def concave(xs: list[float], ps: list[float]) -> Finding:
    """wp lies above its chords for x > 0."""
    half = len(xs) // 2
    worst, x = max(
        (0.5 * (ps[k - 1] + ps[k + 1]) - ps[k], xs[k]) for k in range(half + 1, len(xs) - 1)
    )
    if worst <= TOLERANCE:
        return Finding("concave", True, "wp bends downwards for x > 0")
    return Finding("concave", False, f"wp bends upwards at x = {x:.6g}", (x,))
