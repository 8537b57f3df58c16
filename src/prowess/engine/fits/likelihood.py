"""What one merged row of results says about a rating difference and about draws.

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

from prowess.engine.fits.hazard import both_terms, curve_terms, win_terms
from prowess.engine.system import Chances
from prowess.engine.win_probability import win_probability

DRAWS = ("half", "literal", "davidson", "rao_kupper")
HALF, LITERAL, DAVIDSON, RAO_KUPPER = range(len(DRAWS))


class Model(NamedTuple):
    """What is believed of one game."""

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


def terms(model: Model, x: float, t: float, wins: float, draws: float, losses: float) -> Terms:
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
    model: Model, x: float, t: float, wins: float, draws: float, losses: float
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
    model: Model, unknown: Any, a: Any, b: Any, side: Any, wins: Any, draws: Any, losses: Any,
    c: Any, d: Any, gradient: Any, diagonal: Any,
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
    model: Model, unknown: Any, a: Any, b: Any, side: Any, wins: Any, draws: Any, losses: Any
) -> float:
    """The log-likelihood of all rows at a point."""
    value = 0.0
    advantage, t = unknown[len(unknown) - 2], unknown[len(unknown) - 1]
    for row in range(len(a)):
        x = unknown[a[row]] - unknown[b[row]] + advantage * side[row]
        value += terms(model, x, t, wins[row], draws[row], losses[row]).value
    return value


def outcome_slopes(
    model: Model, unknown: Any, a: Any, b: Any, side: Any, by_x: Any, by_t: Any
) -> None:
    """Fill the slopes of one win, one draw and one loss in every row, each [3][m]."""
    advantage, t = unknown[len(unknown) - 2], unknown[len(unknown) - 1]
    for row in range(len(a)):
        x = unknown[a[row]] - unknown[b[row]] + advantage * side[row]
        for k in range(3):
            win, draw = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0
            one = terms(model, x, t, win, draw, 1.0 - win - draw)
            by_x[k][row], by_t[k][row] = one.x, one.t


def chances(model: Model, x: float, t: float) -> Chances:
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
