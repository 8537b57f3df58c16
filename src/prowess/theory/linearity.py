"""Can a game be rated on a line? When the chances depend on a difference of ratings only.

A binary symmetric game has h(x, y) = 1 - h(y, x), the chance of a player of quality x against one
of quality y. It is linearisable when h(x, y) = g(f(x) - f(y)): the rating is R = f(x), the win
probability g. Then r(x, y) = h_x / h_y = -f'(x) / f'(y), so r factors (Theorem 2):

    r(x, y) r(x0, y0) = r(x, y0) r(x0, y)

and f' is r along a line. Every ratio of homogeneous forms of the same degree in X and Y is
linear in R = log X (Theorem 3), so all Markov games are.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), sections 1.3 and 2.4; the counter-example is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

from prowess.engine.numeric import logistic
from prowess.theory.finding import Finding

Pair = Callable[[float, float], float]

STEP = 1e-4  # of 1 + |x|: the step of the five-point derivative
TOLERANCE = 1e-6  # relative, what such derivatives can promise of a product of two ratios
BALANCED = 1e-9
PANELS = 200  # of Simpson's rule


def balanced(h: Pair, points: Sequence[float]) -> Finding:
    """h(x, y) + h(y, x) = 1 for all pairs of points: a binary symmetric game."""
    worst, x, y = max((abs(h(x, y) + h(y, x) - 1.0), x, y) for x in points for y in points)
    if worst <= BALANCED:
        return Finding("symmetric", True, f"h(x, y) + h(y, x) = 1 within {worst:.1e}")
    says = f"h({x:.6g}, {y:.6g}) + h({y:.6g}, {x:.6g}) = {h(x, y) + h(y, x):.6g}, not 1"
    return Finding("symmetric", False, says, (x, y))


def linear(h: Pair, points: Sequence[float], shift: float = 1.0) -> Finding:
    """h depends on x - y only: it stays when both players move by the same."""
    worst, x, y = max(
        (abs(h(x + shift, y + shift) - h(x, y)), x, y) for x in points for y in points
    )
    if worst <= BALANCED:
        return Finding("linear", True, "h(x, y) depends on x - y only")
    says = (
        f"h({x:.6g}, {y:.6g}) = {h(x, y):.6g}, but {h(x + shift, y + shift):.6g} "
        f"when both are {shift:.6g} more"
    )
    return Finding("linear", False, says, (x, y))


def linearisable(h: Pair, points: Sequence[float]) -> Finding:
    """Theorem 2: r(x, y) r(x0, y0) = r(x, y0) r(x0, y) for x, y among the points.

    (x0, y0) are the first two points. Raises ValueError where h does not change with a player.
    """
    x0, y0 = points[0], points[1]
    at_0 = ratio(h, x0, y0)
    worst, x, y = max(
        (abs(ratio(h, x, y) * at_0 / (ratio(h, x, y0) * ratio(h, x0, y)) - 1.0), x, y)
        for x in points
        for y in points
    )
    if worst <= TOLERANCE:
        return Finding("linearisable", True, f"h_x / h_y factors within {worst:.1e}")
    says = (
        f"h_x / h_y does not factor: r(x,y) r(x0,y0) and r(x,y0) r(x0,y) differ by {worst:.3g} of "
        f"their size at x = {x:.6g}, y = {y:.6g} (x0 = {x0:.6g}, y0 = {y0:.6g})"
    )
    return Finding("linearisable", False, says, (x, y))


def ratio(h: Pair, x: float, y: float) -> float:
    """r(x, y) = h_x / h_y, by five-point differences."""
    across = _slope(lambda t: h(t, y), x)
    along = _slope(lambda t: h(x, t), y)
    if across == 0.0 or along == 0.0 or not (isfinite(across) and isfinite(along)):
        raise ValueError(
            f"h({x:.6g}, {y:.6g}) does not change with the players there: slopes "
            f"{across:.3g} and {along:.3g}; choose points that lie closer together"
        )
    return across / along


def rating(h: Pair, x: float, start: float) -> float:
    """R = f(x) of a linearisable game, with f(start) = 0 and f'(start) = 1.

    f'(x) = r(x, y) / r(start, y) for any y, here y = start; integrated by Simpson's rule.
    """
    unit = ratio(h, start, start)
    width = (x - start) / PANELS
    total = 0.0
    for k in range(PANELS + 1):
        weight = 1.0 if k in {0, PANELS} else 4.0 if k % 2 else 2.0
        total += weight * ratio(h, start + k * width, start) / unit
    return total * width / 3.0


def not_linearisable(x: float, y: float) -> float:
    """sigma((x - y)(1 + x^2 + y^2)): a monotone symmetric game that no rating makes linear."""
    return logistic((x - y) * (1.0 + x * x + y * y))


def _slope(function: Callable[[float], float], x: float) -> float:
    step = STEP * (1.0 + abs(x)) * 10.0
    near = function(x + step) - function(x - step)
    far = function(x + 2.0 * step) - function(x - 2.0 * step)
    return (8.0 * near - far) / (12.0 * step)
