"""The log-likelihood of merged rows of results, by rating difference and draw parameter.

With x the difference of a pair in points (side advantage included) and t the draw parameter:

    half, literal   log L = (W + D/2) log wp(x) + (L + D/2) log wp(-x); literal: twice that
    davidson        W : D : L = e^(qx/2) : e^(qt) : e^(-qx/2), so nu = e^(qt) (logistic only)
    rao_kupper      P(win) = wp(x - t), P(loss) = wp(-x - t), P(draw) = the rest; t > 0

All are concave in (x, t) for the curves of `win_probability`. Sources: draws as half or as one
win and one loss, W. D. Smith, "Rating systems for gameplayers, and learning", technical report
93-104-3-0058-5 (1994), footnote 3 and EQ 48; R. R. Davidson, JASA 65 (1970) 317; P. V. Rao and
L. L. Kupper, JASA 62 (1967) 194; with the normal curve W. A. Glenn and H. A. David, Biometrics
16 (1960) 86.
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import Any, NamedTuple

from prowess.engine.system import Chances
from prowess.engine.win_probability import (
    LN2,
    LOGISTIC,
    NORMAL,
    SQRT_PI,
    STOB_SERIES,
    TERMS,
    TIMESHARING,
    first_to_magnification,
    log_normal_tail,
    lost_points,
    series,
    series_slope,
    shrunk,
    win_probability,
)

DRAWS = ("half", "literal", "davidson", "rao_kupper")
HALF, LITERAL, DAVIDSON, RAO_KUPPER = range(len(DRAWS))


class OutcomeModel(NamedTuple):
    """The outcome model of one game."""

    curve: int  # number of a curve of `win_probability`
    draws: int  # number of a word of DRAWS
    q: float  # steepness, 1 / points


class Terms(NamedTuple):
    """A log-likelihood and its derivatives by x and t, per point."""

    value: float
    x: float
    t: float
    xx: float  # never positive
    xt: float
    tt: float


def terms(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> Terms:
    """What so many wins, draws and losses (sums of weights) say at (x, t)."""
    if model.draws == DAVIDSON:
        return davidson_terms(model.q, x, t, wins, draws, losses)
    if model.draws == RAO_KUPPER:
        return rao_kupper_terms(model, x, t, wins, draws, losses)
    each = 2.0 if model.draws == LITERAL else 1.0
    up, down = each * (wins + 0.5 * draws), each * (losses + 0.5 * draws)
    both = both_terms(model.curve, x, model.q)
    return Terms(
        up * both.won + down * both.lost,
        up * both.won_slope - down * both.lost_slope,
        0.0,
        up * both.won_bend + down * both.lost_bend,
        0.0,
        0.0,
    )


def davidson_terms(q: float, x: float, t: float, wins: float, draws: float, losses: float) -> Terms:
    """A softmax of qx/2, qt, -qx/2; its curvature is minus a covariance."""
    win, draw, loss = davidson_chances(q, x, t)
    top = max(0.5 * q * abs(x), q * t)
    log_sum = top + log(exp(0.5 * q * x - top) + exp(q * t - top) + exp(-0.5 * q * x - top))
    count = wins + draws + losses
    lead = 0.5 * (win - loss)
    return Terms(
        0.5 * q * x * (wins - losses) + q * t * draws - count * log_sum,
        q * (0.5 * (wins - losses) - count * lead),
        q * (draws - count * draw),
        -q * q * count * (0.25 * (win + loss) - lead * lead),
        q * q * count * draw * lead,
        -q * q * count * draw * (1.0 - draw),
    )


def davidson_chances(q: float, x: float, t: float) -> tuple[float, float, float]:
    """Chances of winning, drawing, losing."""
    top = max(0.5 * q * abs(x), q * t)
    win, draw, loss = exp(0.5 * q * x - top), exp(q * t - top), exp(-0.5 * q * x - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def rao_kupper_terms(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> Terms:
    """Wins beyond a threshold t, losses beyond the opposite one, draws in between."""
    value, by_x, by_t, xx, xt, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if wins > 0.0:
        won, first, second = win_terms(model.curve, x - t, model.q)
        value, by_x, by_t = wins * won, wins * first, -wins * first
        xx, xt, tt = wins * second, -wins * second, wins * second
    if losses > 0.0:
        lost, first, second = win_terms(model.curve, -x - t, model.q)
        value, by_x, by_t = value + losses * lost, by_x - losses * first, by_t - losses * first
        xx, xt, tt = xx + losses * second, xt + losses * second, tt + losses * second
    if draws > 0.0:
        one = draw_terms(model.curve, x, t, model.q)
        value, by_x, by_t = value + draws * one.value, by_x + draws * one.x, by_t + draws * one.t
        xx, xt, tt = xx + draws * one.xx, xt + draws * one.xt, tt + draws * one.tt
    return Terms(value, by_x, by_t, xx, xt, tt)


def draw_terms(curve: int, x: float, t: float, q: float) -> Terms:
    """log P with P = wp(t - y) - wp(-t - y), y = |x|: both in the lower tail where it is far."""
    y = abs(x)
    log_high, log_near, near_bend = curve_terms(curve, t - y, q)
    log_low, log_far, far_bend = curve_terms(curve, -t - y, q)
    log_draw = log_high + log1p(-exp(log_low - log_high))
    near, far = exp(log_near - log_draw), exp(log_far - log_draw)  # wp' at t - y, t + y, over P
    by_t, by_y = far + near, far - near
    near_bend, far_bend = near * near_bend, -far * far_bend  # wp'' there, over P
    sign = 1.0 if x >= 0.0 else -1.0
    return Terms(
        log_draw,
        sign * by_y,
        by_t,
        min(far_bend + near_bend - by_y * by_y, 0.0),
        sign * (far_bend - near_bend - by_y * by_t),
        min(far_bend + near_bend - by_t * by_t, 0.0),
    )


def row_terms(
    model: OutcomeModel, unknown: Any, a: Any, b: Any, side: Any, wins: Any, draws: Any,
    losses: Any, c: Any, d: Any, gradient: Any, diagonal: Any,
) -> None:  # fmt: skip
    """Add up the slopes of all rows at a point; without their value, which would cost as much.

    `unknown`, `gradient` and `diagonal` [n + 2] are of the ratings, the advantage and t; c and d
    [m] are minus xx and xt of every row. Nothing is said about t where d is empty.
    """
    n = len(gradient) - 2
    advantage, t = unknown[n], unknown[n + 1]
    for row in range(len(a)):
        x = unknown[a[row]] - unknown[b[row]] + advantage * side[row]
        one = terms(model, x, t, wins[row], draws[row], losses[row])
        c[row] = -one.xx
        gradient[a[row]] += one.x
        gradient[b[row]] -= one.x
        gradient[n] += side[row] * one.x
        diagonal[a[row]] -= one.xx
        diagonal[b[row]] -= one.xx
        diagonal[n] -= side[row] * side[row] * one.xx
        if len(d) > 0:
            d[row] = -one.xt
            gradient[n + 1] += one.t
            diagonal[n + 1] -= one.tt


def row_values(
    model: OutcomeModel, unknown: Any, a: Any, b: Any, side: Any, wins: Any, draws: Any, losses: Any
) -> float:
    """The log-likelihood of all rows at a point."""
    value = 0.0
    advantage, t = unknown[len(unknown) - 2], unknown[len(unknown) - 1]
    for row in range(len(a)):
        x = unknown[a[row]] - unknown[b[row]] + advantage * side[row]
        value += terms(model, x, t, wins[row], draws[row], losses[row]).value
    return value


def outcome_slopes(
    model: OutcomeModel, unknown: Any, a: Any, b: Any, side: Any, by_x: Any, by_t: Any
) -> None:
    """Fill the slopes of one win, one draw and one loss in every row, each [3][m]."""
    advantage, t = unknown[len(unknown) - 2], unknown[len(unknown) - 1]
    for row in range(len(a)):
        x = unknown[a[row]] - unknown[b[row]] + advantage * side[row]
        for k in range(3):
            win, draw = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0
            one = terms(model, x, t, win, draw, 1.0 - win - draw)
            by_x[k][row], by_t[k][row] = one.x, one.t


def chances(model: OutcomeModel, x: float, t: float) -> Chances:
    """What to expect of a game at a difference of x points."""
    if model.draws == DAVIDSON:
        win, draw, _ = davidson_chances(model.q, x, t)
        return Chances(win, draw)
    if model.draws == RAO_KUPPER:
        win = win_probability(model.curve, x - t, model.q)
        loss = win_probability(model.curve, -x - t, model.q)
        draw = max(0.0, 1.0 - win - loss)
        return Chances(win, draw)
    return Chances(win_probability(model.curve, x, model.q))


# --- derivatives of the log-likelihood of one game ------------------------------------------------
#
#     score      s(x)  = (log wp)'  = wp' / wp
#     curvature  s'(x) = (log wp)'' = s (b - s),  with the bend  b = (log wp')' = wp'' / wp'
#
# All terms are logarithms, so nothing underflows however far x is in a tail. Every curve here has a
# falling score: log wp is concave. Curves as in `win_probability`; the bend of a Stob curve follows
# from wp'(kappa z) = S_n'(wp(z)) wp'(z) / kappa (EQ 38 to 40 of W. D. Smith, "Rating systems for
# gameplayers, and learning", technical report 93-104-3-0058-5, 1994), differentiated once more.


LN4 = 2.0 * LN2
LOG_LN2 = log(LN2)
LOG_NORMAL_TOP = -log(2.0 * SQRT_PI)  # of the normal curve's slope at 0


class OutcomeTerms(NamedTuple):
    """log wp(x) and log wp(-x) with their first and second derivatives by their own argument."""

    won: float
    won_slope: float
    won_bend: float
    lost: float
    lost_slope: float
    lost_bend: float


def both_terms(curve: int, x: float, q: float) -> OutcomeTerms:
    """What a win and a loss say about a difference of x points, per point."""
    if curve == LOGISTIC:  # one exponential and one logarithm serve all six
        z = q * x
        t = exp(-abs(z))
        part = 1.0 / (1.0 + t)
        up, down = (part, t * part) if z >= 0.0 else (t * part, part)
        log_sum, bend = log1p(t), -q * q * t * part * part
        return OutcomeTerms(
            min(z, 0.0) - log_sum, q * down, bend, min(-z, 0.0) - log_sum, q * up, bend
        )
    won, won_slope, won_bend = win_terms(curve, x, q)
    lost, lost_slope, lost_bend = win_terms(curve, -x, q)
    return OutcomeTerms(won, won_slope, won_bend, lost, lost_slope, lost_bend)


def win_terms(curve: int, x: float, q: float) -> tuple[float, float, float]:
    """(log wp, its first, its second derivative) at x points, per point."""
    log_win, log_slope, bend = curve_terms(curve, x, q)
    hazard = exp(log_slope - log_win)
    return log_win, hazard, hazard * min(bend - hazard, 0.0)


def curve_terms(curve: int, x: float, q: float) -> tuple[float, float, float]:
    """(log wp, log wp', (log wp')') at x points, per point."""
    z = q * x
    far = abs(z)
    if curve == LOGISTIC:
        t = exp(-far)
        log_slope = -far - 2.0 * log1p(t)
        bend = (t - 1.0) / (t + 1.0)
        log_loss = -far - log1p(t)
    elif curve == NORMAL:
        log_loss, log_slope, bend = log_normal_tail(far), LOG_NORMAL_TOP - 0.25 * z * z, -0.5 * far
    elif curve == TIMESHARING:
        log_loss = -LN2 * (far + 1.0)
        log_slope, bend = LOG_LN2 + log_loss, -LN2
    else:
        log_loss, log_slope, bend = stob_terms(curve, far)
    if z < 0.0:
        return log_loss, log_slope + log(q), -q * bend
    return log1p(-exp(log_loss)), log_slope + log(q), q * bend


def stob_terms(curve: int, z: float) -> tuple[float, float, float]:
    """(log wp(-z), log wp'(z), (log wp')'(z)) for z >= 0 and slope 1 at 0.

    Close to 0 by the series, then one match after another outwards; with l = wp(-z)

        b(kappa z) = [ b(z) - (n - 1) (1 - 2 l) / (1 - l)  wp'(z) / l ] / kappa
    """
    n, steps, near = shrunk(curve, z)
    kappa = first_to_magnification(n)
    log_loss = log(0.5 - series(n, near))
    log_slope = log(series_slope(n, near))
    bend = _series_bend(n, near)
    for _ in range(steps):
        loss = exp(log_loss)
        hazard = exp(log_slope - log_loss)
        bend = (bend - (n - 1.0) * (1.0 - 2.0 * loss) / (1.0 - loss) * hazard) / kappa
        log_slope += (n - 1.0) * (LN4 + log_loss + log1p(-loss))
        log_loss = n * log_loss + log(lost_points(loss, n))
    return log_loss, log_slope, bend


def _series_bend(n: int, z: float) -> float:
    """wp'' / wp' close to 0."""
    total = 0.0
    for k in range(TERMS - 1):
        m = TERMS - 1 - k
        total = total * z * z + (2 * m + 1) * (2 * m) * STOB_SERIES[n - 2][m]
    return total * z / series_slope(n, z)
