"""A win probability as a value: any function wp(x) of the rating difference, with its tail.

The curves of `prowess.engine.win_probability` come with exact tails and slopes; of any other
function these are taken from the function itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, log

from prowess.engine import win_probability as engine

Function = Callable[[float], float]

STEP = 1e-5  # of the unit: where central differences err by rounding and by bending alike
NEAREST, WIDEST = 2.0**-20, 2.0**40  # differences between which a curve is looked for
SURE = 0.999  # the chance that marks the end of the body of a curve


@dataclass(frozen=True, slots=True)
class WinProbability:
    """wp, log wp and wp' as functions of the rating difference x, in the curve's own unit.

    `value` is all that is needed; see `given`, which makes the others from it.
    """

    name: str
    value: Function
    log_value: Function
    slope: Function

    def __call__(self, x: float) -> float:
        """wp(x)."""
        return self.value(x)


class UnknownCurve(KeyError):
    """A name that no curve has."""

    def __str__(self) -> str:
        return str(self.args[0])


def named(name: str, q: float = 1.0) -> WinProbability:
    """A curve of the engine: logistic, timesharing, normal, stob2 to stob5; q per rating unit.

    Raises UnknownCurve for another name and ValueError for a q that is not above 0.
    """
    curve = curve_number(name)
    if not 0.0 < q < inf:
        raise ValueError(f"q = {q!r}: it has to be a number above 0")
    return WinProbability(
        name,
        lambda x: engine.win_probability(curve, x, q),
        lambda x: engine.log_win_probability(curve, x, q),
        lambda x: engine.slope(curve, x, q),
    )


def curve_number(name: str) -> int:
    """The number of a curve of the engine."""
    if name not in engine.CURVES:
        near = get_close_matches(name, engine.CURVES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UnknownCurve(f"no curve {name!r}{hint} There are: {', '.join(engine.CURVES)}")
    return engine.CURVES.index(name)


def given(value: Function, name: str = "wp", unit: float = 1.0) -> WinProbability:
    """Any function of x as a win probability; `unit` is a difference that matters, for slopes.

    The slope is a central difference, right to about 1e-10 / unit; the logarithm ends where the
    function itself is 0 in float64.
    """
    step = STEP * unit

    def log_value(x: float) -> float:
        p = value(x)
        return log(p) if p > 0.0 else -inf

    def slope(x: float) -> float:
        return (value(x + step) - value(x - step)) / (2.0 * step)

    return WinProbability(name, value, log_value, slope)


def reach(wp: WinProbability) -> float:
    """The least power of 2 at which the better player wins 999 games of 1000.

    Where he never does, the one at which wp has nearly risen as high as it ever does.
    """
    seen: list[tuple[float, float]] = []
    x = NEAREST
    while x <= WIDEST:
        try:
            seen.append((x, wp(x)))
        except (ArithmeticError, ValueError):  # a check of the grid will say so
            break
        if seen[-1][1] >= SURE:
            return x
        x *= 2.0
    most = max((p for _, p in seen), default=0.5)
    enough = 0.5 + 2.0 * (SURE - 0.5) * (most - 0.5)
    return next((x for x, p in seen if p >= enough), 1.0)


def grid(widest: float, points: int = 401) -> list[float]:
    """Equally many differences on both sides of 0 and 0 itself, evenly spaced, as floats."""
    half = points // 2
    return [widest * k / half for k in range(-half, half + 1)]
