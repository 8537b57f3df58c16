"""Win probability functions wp(x) of the rating difference x, and their lower tails.

The curves of `prowess.engine.win_probability` come with exact logarithms and slopes; for any other
function these are computed from the function itself.

The exponential tail property (EQ 17) is wp(x) ~ C e^(m x) for x -> -inf: every further rating point
takes the same share of the remaining chance, however far behind a player is. Logistic, timesharing
and every finite Markov game have it; the normal curve's local slope d log wp / dx grows like
|x| / 2 and the Stob curves' like |x|^(alpha - 1).

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 2; for EQ 41 see `docs/theory_wp.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from math import exp, inf, isfinite, log

from prowess.engine import win_probability as engine
from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError

Function = Callable[[float], float]

DIFFERENCE_STEP = 1e-5  # of the unit: balances rounding and truncation of central differences
NEAREST, WIDEST = 2.0**-20, 2.0**40  # smallest and largest difference examined
TAIL = 0.999  # the chance at which the body of a curve ends


@dataclass(frozen=True, slots=True)
class WinProbability:
    """wp, log wp and wp' as functions of the rating difference x, in the curve's own unit.

    `wrap_function` derives the last two from `value`.
    """

    name: str
    value: Function
    log_value: Function
    slope: Function

    def __call__(self, x: float) -> float:
        """wp(x)."""
        return self.value(x)


class UnknownCurve(WordedError, KeyError):
    """The engine has no curve of this name."""

    def __str__(self) -> str:
        return str(self.args[0])


def find_curve(name: str, q: float = 1.0) -> WinProbability:
    """Return an engine curve: logistic, timesharing, normal, stob2 to stob5; q per rating unit.

    Raises UnknownCurve for another name and ValueError for a q that is not above 0.
    """
    curve = curve_number(name)
    if not 0.0 < q < inf:
        raise BadArgument.of("not_above_zero.wp", q=q)
    return WinProbability(
        name,
        lambda x: engine.win_probability(curve, x, q),
        lambda x: engine.log_win_probability(curve, x, q),
        lambda x: engine.slope(curve, x, q),
    )


def curve_number(name: str) -> int:
    """Return the engine's number of a curve; raises UnknownCurve."""
    if name not in engine.CURVES:
        near = get_close_matches(name, engine.CURVES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"name one of {', '.join(engine.CURVES)}:"
        raise UnknownCurve.of("unknown_curve", hint=hint, name=name)
    return engine.CURVES.index(name)


def wrap_function(value: Function, name: str = "wp", unit: float = 1.0) -> WinProbability:
    """Wrap any function of x as a win probability; `unit` is a typical difference, for slopes.

    The slope is a central difference with an error of about 1e-10 / unit; the logarithm is -inf
    where the function is 0 in float64.
    """
    step = DIFFERENCE_STEP * unit

    def log_value(x: float) -> float:
        p = value(x)
        return log(p) if p > 0.0 else -inf

    def slope(x: float) -> float:
        return (value(x + step) - value(x - step)) / (2.0 * step)

    return WinProbability(name, value, log_value, slope)


def reach(wp: WinProbability) -> float:
    """Return the least power of 2 at which the better player wins 999 games of 1000.

    If wp never gets that high, the power of 2 at which it is close to its largest value.
    """
    seen: list[tuple[float, float]] = []
    x = NEAREST
    while x <= WIDEST:
        try:
            seen.append((x, wp(x)))
        except (ArithmeticError, ValueError):  # the check "defined" reports it
            break
        if seen[-1][1] >= TAIL:
            return x
        x *= 2.0
    most = max((p for _, p in seen), default=0.5)
    enough = 0.5 + 2.0 * (TAIL - 0.5) * (most - 0.5)
    return next((x for x, p in seen if p >= enough), 1.0)


def grid(widest: float, points: int = 401) -> list[float]:
    """Return `points` (odd) evenly spaced differences, symmetric about 0 and including it."""
    half = points // 2
    return [widest * k / half for k in range(-half, half + 1)]


FIRST = -7.0  # log wp where the tail begins
LAST = -300.0  # log wp where the search ends; float64 ends at -745
SETTLED_C = 1e-6  # relative change of C between two stretches


@dataclass(frozen=True, slots=True)
class Tail:
    """The lower tail of a curve.

    `slope` is m per rating unit and `constant` C where the tail is exponential, else the last
    local slope and None. `slopes` are local slopes, each twice as far out as the one before.
    """

    exponential: bool
    slope: float
    constant: float | None
    slopes: tuple[float, ...]
    says: str


def tail(wp: WinProbability) -> Tail:
    """Follow log wp outwards by doublings and decide whether slope and constant converge.

    Raises ValueError if log wp leaves float64 before four points are known.
    """
    x = -(2.0**-20)
    while wp.log_value(x) > FIRST and x > -1e30:
        x *= 2.0
    logs = [wp.log_value(x)]
    while logs[-1] > LAST and len(logs) < 64:
        x *= 2.0
        logs.append(wp.log_value(x))
    if not isfinite(logs[-1]):
        logs.pop()
        x /= 2.0
    if len(logs) < 4:
        known = f"known to {logs[-1]:.4g} only" if logs else "-inf"
        raise BadArgument.of("log_value_inexact", wp=wp.name, known=known, x=x)
    starts = [x / 2.0 ** (len(logs) - 1 - k) for k in range(len(logs))]
    slopes = [(logs[k + 1] - logs[k]) / starts[k] for k in range(len(logs) - 1)]
    m = slopes[-1]
    # two estimates of log C from different places agree only if m has converged
    log_c, inner = (logs[k] - m * starts[k] for k in (-2, -3))
    if m > 0.0 and abs(log_c - inner) <= SETTLED_C:
        c = exp(log_c)
        return Tail(True, m, c, tuple(slopes), f"wp(x) ~ {c:.6g} e^({m:.6g} x)")
    trend = "grows" if m > slopes[0] else "shrinks"
    says = f"no: d log wp / dx {trend} outwards, from {slopes[0]:.6g} to {m:.6g} at x = {x:.6g}"
    return Tail(False, m, None, tuple(slopes), says)
