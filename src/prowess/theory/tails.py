"""The exponential tail property (EQ 17): wp(x) ~ C e^(m x) for x -> -inf.

With it every further rating point takes the same share of the remaining chance, however far
behind a player is. Logistic, timesharing and every finite Markov game have it; the normal curve's
local slope d log wp / dx grows like |x| / 2 and the Stob curves' like |x|^(alpha - 1).

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5 (1994), section 2; for EQ 41 see `docs/theory_wp.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log

from prowess.engine.win_probability import first_to_magnification
from prowess.theory.wp import WinProbability

FIRST = -7.0  # log wp from which on the tail is looked at
LAST = -300.0  # and to which; float64 ends at -745
SETTLED = 1e-6  # relative change of C between two stretches


@dataclass(frozen=True, slots=True)
class Tail:
    """What the lower tail of a curve looks like.

    `slope` is m per rating unit and `constant` C where the tail is exponential, else the last
    local slope met and None. `slopes` are local slopes, each twice as far out as the one before.
    """

    exponential: bool
    slope: float
    constant: float | None
    slopes: tuple[float, ...]
    says: str


def tail(wp: WinProbability) -> Tail:
    """Follow log wp outwards by doublings and say whether slope and constant settle.

    A function that leaves float64 before three stretches are seen cannot be judged: ValueError.
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
        raise ValueError(
            f"{wp.name}: log wp is {known} at x = {x:.6g}; "
            "give a log_value that is exact farther out"
        )
    starts = [x / 2.0 ** (len(logs) - 1 - k) for k in range(len(logs))]
    slopes = [(logs[k + 1] - logs[k]) / starts[k] for k in range(len(logs) - 1)]
    m = slopes[-1]
    # the two constants that m gives from different places: steady only if m is
    log_c, inner = (logs[k] - m * starts[k] for k in (-2, -3))
    if m > 0.0 and abs(log_c - inner) <= SETTLED:
        c = exp(log_c)
        return Tail(True, m, c, tuple(slopes), f"wp(x) ~ {c:.6g} e^({m:.6g} x)")
    trend = "grows" if m > slopes[0] else "shrinks"
    says = f"no: d log wp / dx {trend} outwards, from {slopes[0]:.6g} to {m:.6g} at x = {x:.6g}"
    return Tail(False, m, None, tuple(slopes), says)


def stob_exponent(n: int) -> float:
    """alpha = log n / log kappa: log wp(-x) falls like -A (a x)^alpha on the Stob curves (EQ 41).

    n: points of the match, 2 or more. alpha tends to 2, the normal curve's exponent.
    """
    if n < 2:
        raise ValueError(f"n = {n}: a match of first to n has 2 points or more")
    return log(n) / log(first_to_magnification(n))


def stob_constant(n: int) -> float:
    """The constant that EQ 41 adds: (n-1)-th root of what the leading terms of S_n leave, in logs.

    log wp(-x) = -A (a x)^alpha - log C(2n-1, n) / (n - 1) + o(1): -log 3 for n = 2 and
    -(log 10) / 2 for n = 3. The report has it for n = 2 only, and has A constant, which it is not:
    it ripples with the period log kappa of log x.
    """
    return -log(_ways(n)) / (n - 1)


def _ways(n: int) -> float:
    ways = 1.0
    for k in range(n):
        ways = ways * (2 * n - 1 - k) / (k + 1)
    return ways
