"""Win probability curves: the expected score as a function of the rating difference x.

Every curve wp is symmetric, wp(x) + wp(-x) = 1, and strictly rising. It is a function of
z = q x alone, and q carries the unit: points are turned into natural units by q.

    curve        wp for z >= 0                q is                             slope at 0
    logistic     1 / (1 + e^-z)               Q of EQ 24: 1 / points of odds   q / 4
                                              of e to one
    timesharing  1 - 2^-z / 2                 Q of EQ 20: 1 / points that      q ln 2 / 2
                                              halve the chance of losing
    normal       Phi(z / sqrt 2)              1 / standard deviation of one    q / (2 sqrt pi)
                                              player's performance
    stobN        wp(kappa x) = S_N(wp(x))     a of EQ 40: the slope itself     q

stobN is the curve on which a match of first to N points looks like one point, seen from
kappa times as far.

Equation numbers: W. D. Smith, "Rating systems for gameplayers, and learning", technical report
93-104-3-0058-5 (1994), sections 2 to 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb, erfc, exp, factorial, inf, log, log1p, nan, pi, sqrt
from typing import Annotated

from prowess.engine.numeric import LN10, SQRT2, log_logistic, log_normal_below, logistic
from prowess.engine.system import Choice, Range

CURVES = ("logistic", "timesharing", "normal", "stob2", "stob3", "stob4", "stob5")
LOGISTIC, TIMESHARING, NORMAL, STOB2, STOB3, STOB4, STOB5 = range(len(CURVES))
Curve = Annotated[int, Choice(*CURVES), "the form of the win probability"]
CurveScale = Annotated[
    float, Range(50, 2000, "points"), "lead with odds of ten to one; normal: two deviations"
]

LN2 = log(2.0)
SQRT_PI = sqrt(pi)
FAR_APART = 1e9  # natural units; beyond it a curve is 0 or 1, and the loops below must end
STOB_TERMS = 12  # odd terms of the Stob series
NEAR = 0.05  # natural units within which the series holds to the last bit


def _stob_series(n: int) -> Iterator[Fraction]:
    """c_0 = 1, c_1, ...: wp = 1/2 + sum c_k x^(2k+1) for slope 1 at 0 (EQ 38 to 40).

    With y = wp - 1/2 = x u(x^2), the match turns y into P(y) = sum_j P_j y^(2j+1), the integral
    of (1/4 - y^2)^(n-1) / B(n,n), and y(kappa x) = P(y(x)) gives one coefficient after another:
    (kappa^(2k+1) - kappa) c_k = sum_{j>=1} P_j [t^(k-j)] u^(2j+1).
    """
    per_beta = Fraction(factorial(2 * n - 1), factorial(n - 1) ** 2)
    match = [
        per_beta * comb(n - 1, j) * Fraction(-1) ** j / (4 ** (n - 1 - j) * (2 * j + 1))
        for j in range(n)
    ]
    kappa = match[0]
    u = [Fraction(1)]
    powers = {j: [Fraction(1)] for j in range(1, n)}  # of u, to the 2j + 1
    yield u[0]
    for k in range(1, STOB_TERMS):
        terms = (match[j] * powers[j][k - j] for j in range(1, min(n - 1, k) + 1))
        fed_back = sum(terms, Fraction(0))
        u.append(fed_back / (kappa ** (2 * k + 1) - kappa))
        yield u[k]
        for j, power in powers.items():
            # from b = u^m follows u b' = m u' b, solved for the next coefficient of b
            m = 2 * j + 1
            terms = ((m * i - k + i) * u[i] * power[k - i] for i in range(1, k + 1))
            power.append(sum(terms, Fraction(0)) / k)


STOB_SERIES = tuple(tuple(float(c) for c in _stob_series(n)) for n in range(2, 6))


def win_probability(curve: int, x: float, q: float) -> float:
    """wp(x): the expected score of a player who is x points stronger; exact in the lower tail."""
    z = q * x
    if curve == LOGISTIC:
        return logistic(z)
    if curve == NORMAL:
        return 0.5 * erfc(-0.5 * z)
    loss = 0.5 * exp(-LN2 * abs(z)) if curve == TIMESHARING else stob_loss(curve, abs(z))
    return loss if z < 0.0 else 1.0 - loss


def log_win_probability(curve: int, x: float, q: float) -> float:
    """log wp(x), finite however far x is in the lower tail."""
    z = q * x
    if curve == LOGISTIC:
        return log_logistic(z)
    if curve == TIMESHARING:
        log_loss = -LN2 * (abs(z) + 1.0)
    elif curve == NORMAL:
        log_loss = log_normal_tail(abs(z))
    else:
        log_loss = log_stob_loss(curve, abs(z))
    return log_loss if z < 0.0 else log1p(-exp(log_loss))


def slope(curve: int, x: float, q: float) -> float:
    """wp'(x) per point; largest at x = 0 for every curve here."""
    z = abs(q * x)
    if curve == LOGISTIC:
        t = exp(-z)
        return q * t / ((1.0 + t) * (1.0 + t))
    if curve == TIMESHARING:
        return 0.5 * q * LN2 * exp(-LN2 * z)
    if curve == NORMAL:
        return 0.5 * q / SQRT_PI * exp(-0.25 * z * z)
    return q * stob_slope(curve, z)


def rating_difference(curve: int, p: float, q: float) -> float:
    """The x with wp(x) = p: the inverse of the curve; infinite at 0 and 1, nan outside."""
    if not 0.0 <= p <= 1.0:
        return nan
    loss = min(p, 1.0 - p)
    if loss == 0.0:
        z = inf
    elif curve == LOGISTIC:
        z = log((1.0 - loss) / loss)
    elif curve == TIMESHARING:
        z = -log(2.0 * loss) / LN2
    else:
        z = _difference_at(curve, log(loss))
    return z / q if p >= 0.5 else -z / q


def steepness(curve: int, scale: float) -> float:
    """The q that belongs to a rating scale in points.

    The scale is 10 to 1 odds on the logistic curve (400 in chess) and two standard deviations
    of one player on the normal one (200 each in chess). The other curves have no tradition:
    they get the slope at 0 of the logistic curve of that scale.
    """
    if curve == LOGISTIC:
        return LN10 / scale
    if curve == NORMAL:
        return 2.0 / scale
    if curve == TIMESHARING:
        return 0.5 * LN10 / LN2 / scale
    return 0.25 * LN10 / scale


def steepest_chord(curve: int, x: float, q: float) -> tuple[float, float]:
    """(largest slope of a chord from x to any other point of the curve, that point).

    For x > 0 the other end y < 0 is where the chord touches the curve: the curve is concave
    above 0 and convex below, so wp'(y) (x - y) - (wp(x) - wp(y)) changes sign once in [-x, 0].
    """
    size = abs(x)
    top = win_probability(curve, size, q)
    low, high = -size, 0.0
    for _ in range(200):
        y = 0.5 * (low + high)
        if slope(curve, y, q) * (size - y) < top - win_probability(curve, y, q):
            low = y
        else:
            high = y
    y = 0.5 * (low + high)
    return slope(curve, y, q), (y if x >= 0.0 else -y)


def wm_probability(first: float, second: float) -> float:
    """P(1-P') / (P(1-P') + P'(1-P)): one errs, the other does not (EQ 21, 22).

    Both are chances of not erring, strictly between 0 and 1.
    """
    better, worse = first * (1.0 - second), second * (1.0 - first)
    return better / (better + worse)


def ahead_match(p: float, n: int) -> float:
    """p^n / (p^n + (1-p)^n): winning a match of n points ahead (EQ 35), also WM^n (EQ 28)."""
    low = min(p, 1.0 - p)
    odds = power(low / (1.0 - low), n)
    return (odds if p < 0.5 else 1.0) / (1.0 + odds)


def first_to_match(p: float, n: int) -> float:
    """S_n(p) = p^n sum_{j<n} C(n+j-1, j) (1-p)^j: winning a match of first to n (EQ 36)."""
    return power(p, n) * lost_points(p, n)


def first_to_magnification(n: int) -> float:
    """kappa_n = S_n'(1/2) = 4^(1-n) / B(n,n): 3/2, 15/8, 35/16 ... for n = 2, 3, 4 ..."""
    kappa = 1.0
    for m in range(1, n):
        kappa *= (2.0 * m + 1.0) / (2.0 * m)
    return kappa


def power(p: float, n: int) -> float:
    """p^n by multiplication, so that compiled and plain Python agree to the last bit."""
    product = 1.0
    for _ in range(n):
        product *= p
    return product


def log_normal_tail(z: float) -> float:
    """log Phi(-z / sqrt 2) for z >= 0, finite where Phi underflows."""
    return log(0.5 * erfc(0.5 * z)) if z < 50.0 else log_normal_below(-z / SQRT2)


def stob_loss(curve: int, z: float) -> float:
    """wp(-z) for z >= 0: the series close to 0, then one match after another outwards."""
    n, steps, near = shrunk(curve, z)
    loss = 0.5 - series(n, near)
    for _ in range(steps):
        loss = first_to_match(loss, n)
    return loss


def log_stob_loss(curve: int, z: float) -> float:
    """log wp(-z) for z >= 0, by the same way in logarithms."""
    n, steps, near = shrunk(curve, z)
    log_loss = log(0.5 - series(n, near))
    for _ in range(steps):
        log_loss = n * log_loss + log(lost_points(exp(log_loss), n))
    return log_loss


def stob_slope(curve: int, z: float) -> float:
    """wp'(z) for z >= 0 and slope 1 at 0: the chain rule along the same way."""
    n, steps, near = shrunk(curve, z)
    loss = 0.5 - series(n, near)
    rise = series_slope(n, near)
    for _ in range(steps):
        # wp'(kappa z) = S_n'(wp(z)) wp'(z) / kappa, and S_n'(p) = kappa (4 p (1-p))^(n-1)
        rise *= power(4.0 * loss * (1.0 - loss), n - 1)
        loss = first_to_match(loss, n)
    return rise


def shrunk(curve: int, z: float) -> tuple[int, int, float]:
    """(n, how often z was divided by kappa, what remained: within reach of the series)."""
    n = int(curve) - STOB2 + 2  # a system's settings arrive as floats
    kappa = first_to_magnification(n)
    steps = 0
    z = FAR_APART if z > FAR_APART else z
    while z >= NEAR:
        z /= kappa
        steps += 1
    return n, steps, z


def series(n: int, z: float) -> float:
    """wp(z) - 1/2 close to 0."""
    total = 0.0
    for k in range(STOB_TERMS):
        total = total * z * z + STOB_SERIES[n - 2][STOB_TERMS - 1 - k]
    return total * z


def series_slope(n: int, z: float) -> float:
    """wp'(z) close to 0."""
    total = 0.0
    for k in range(STOB_TERMS):
        m = STOB_TERMS - 1 - k
        total = total * z * z + (2 * m + 1) * STOB_SERIES[n - 2][m]
    return total


def lost_points(p: float, n: int) -> float:
    """sum_{j<n} C(n+j-1, j) (1-p)^j: over the points the winner of the match loses."""
    total, term = 0.0, 1.0
    for j in range(n):
        total += term
        term *= (1.0 - p) * (n + j) / (j + 1.0)
    return total


def _difference_at(curve: int, log_loss: float) -> float:
    """The z >= 0 with log wp(-z) = log_loss."""
    low, high = 0.0, 1.0
    while log_win_probability(curve, -high, 1.0) > log_loss:
        low, high = high, 2.0 * high
    for _ in range(100):
        z = 0.5 * (low + high)
        if log_win_probability(curve, -z, 1.0) > log_loss:
            low = z
        else:
            high = z
    return 0.5 * (low + high)
