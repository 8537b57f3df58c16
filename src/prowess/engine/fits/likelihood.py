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

from collections.abc import Callable
from math import exp, log, log1p
from typing import Annotated, NamedTuple

from prowess.engine.system import Chances, Choice
from prowess.engine.win_probability import (
    LN2,
    LOGISTIC,
    NORMAL,
    SQRT_PI,
    STOB_SERIES,
    STOB_TERMS,
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
FITTED_DRAWS = (DAVIDSON, RAO_KUPPER)  # those with a parameter
StaticDraws = Annotated[
    int, Choice("half", "literal"), "half a win each, or a win and a loss while others count twice"
]
Draws = Annotated[int, Choice(*DRAWS), "half a win each, a win and a loss, or forecast"]


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


class TermSlopes(NamedTuple):
    """The derivatives of a log-likelihood by x and t, per point."""

    x: float
    t: float
    xx: float  # never positive
    xt: float
    tt: float


def terms(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> Terms:
    """What so many wins, draws and losses (sums of weights) say at (x, t)."""
    if model.draws == RAO_KUPPER:
        return rao_kupper_terms(model, x, t, wins, draws, losses)
    value = term_value(model, x, t, wins, draws, losses)
    slopes = term_slopes(model, x, t, wins, draws, losses)
    return Terms(value, slopes.x, slopes.t, slopes.xx, slopes.xt, slopes.tt)


def term_value(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> float:
    """The log-likelihood of `terms` alone."""
    if model.draws == DAVIDSON:
        return davidson_value(model.q, x, t, wins, draws, losses)
    if model.draws == RAO_KUPPER:
        return rao_kupper_terms(model, x, t, wins, draws, losses).value
    up, down = halve_draws(model, wins, draws, losses)
    won, lost = both_values(model.curve, x, model.q)
    return up * won + down * lost


def term_slopes(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> TermSlopes:
    """The slopes of `terms` alone: without its logarithms they cost a quarter."""
    if model.draws == DAVIDSON:
        return davidson_slopes(model, x, t, wins, draws, losses)
    if model.draws == RAO_KUPPER:
        return rao_kupper_slopes(model, x, t, wins, draws, losses)
    return half_slopes(model, x, t, wins, draws, losses)


def slopes_of_model(draws: int) -> Callable[..., TermSlopes]:
    """The part of `term_slopes` for a number of DRAWS: a loop that has it alone is faster."""
    return {DAVIDSON: davidson_slopes, RAO_KUPPER: rao_kupper_slopes}.get(draws, half_slopes)


def half_slopes(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> TermSlopes:
    """Those where a draw is a win and a loss, or half of each."""
    up, down = halve_draws(model, wins, draws, losses)
    both = both_slopes(model.curve, x, model.q)
    return TermSlopes(
        up * both.won - down * both.lost,
        0.0,
        up * both.won_bend + down * both.lost_bend,
        0.0,
        0.0,
    )


def rao_kupper_slopes(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> TermSlopes:
    """Those of thresholds."""
    one = rao_kupper_terms(model, x, t, wins, draws, losses)
    return TermSlopes(one.x, one.t, one.xx, one.xt, one.tt)


def halve_draws(
    model: OutcomeModel, wins: float, draws: float, losses: float
) -> tuple[float, float]:
    """Wins and losses, a draw being half of each."""
    each = 2.0 if model.draws == LITERAL else 1.0
    return each * (wins + 0.5 * draws), each * (losses + 0.5 * draws)


def davidson_value(q: float, x: float, t: float, wins: float, draws: float, losses: float) -> float:
    """The logarithm of a softmax of qx/2, qt, -qx/2."""
    top = max(0.5 * q * abs(x), q * t)
    log_sum = top + log(exp(0.5 * q * x - top) + exp(q * t - top) + exp(-0.5 * q * x - top))
    return 0.5 * q * x * (wins - losses) + q * t * draws - (wins + draws + losses) * log_sum


def davidson_slopes(
    model: OutcomeModel, x: float, t: float, wins: float, draws: float, losses: float
) -> TermSlopes:
    """Those of the softmax; its curvature is minus a covariance."""
    q = model.q
    win, draw, loss = davidson_chances(q, x, t)
    count = wins + draws + losses
    lead = 0.5 * (win - loss)
    return TermSlopes(
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


def win_and_draw(model: OutcomeModel, x: float, t: float) -> tuple[float, float]:
    """The chances of a win and of a draw; of draws as halves the expected score and 0."""
    if model.draws == DAVIDSON:
        win, draw, _ = davidson_chances(model.q, x, t)
        return win, draw
    if model.draws == RAO_KUPPER:
        win = win_probability(model.curve, x - t, model.q)
        loss = win_probability(model.curve, -x - t, model.q)
        return win, max(0.0, 1.0 - win - loss)
    return win_probability(model.curve, x, model.q), 0.0


def chances(model: OutcomeModel, x: float, t: float) -> Chances:
    """What to expect of a game at a difference of x points."""
    win, draw = win_and_draw(model, x, t)
    return Chances(win, draw if model.draws in FITTED_DRAWS else None)


# --- derivatives of the log-likelihood of one game ------------------------------------------------
#
#     score      s(x)  = (log wp)'  = wp' / wp
#     curvature  s'(x) = (log wp)'' = s (b - s),  with the bend  b = (log wp')' = wp'' / wp'
#
# All terms are logarithms, so nothing underflows however far x is in a tail. Every curve here has a
# falling score: log wp is concave. Curves as in `win_probability`; the bend of a Stob curve follows
# from wp'(kappa z) = S_n'(wp(z)) wp'(z) / kappa (EQ 38 to 40 of W. D. Smith, "Rating systems for
# gameplayers, and learning", technical report 93-104-3-0058-5, 1994), differentiated once more.


LN4 = log(4.0)
LOG_LN2 = log(LN2)
LOG_NORMAL_TOP = -log(2.0 * SQRT_PI)  # of the normal curve's slope at 0


class OutcomeSlopes(NamedTuple):
    """First and second derivatives of log wp(x) and log wp(-x) by their own argument."""

    won: float
    won_bend: float
    lost: float
    lost_bend: float


def both_values(curve: int, x: float, q: float) -> tuple[float, float]:
    """log wp(x) and log wp(-x) at x points."""
    if curve == LOGISTIC:  # one exponential and one logarithm serve both
        z = q * x
        log_sum = log1p(exp(-abs(z)))
        return min(z, 0.0) - log_sum, min(-z, 0.0) - log_sum
    return win_terms(curve, x, q)[0], win_terms(curve, -x, q)[0]


def both_slopes(curve: int, x: float, q: float) -> OutcomeSlopes:
    """What a win and a loss say about a difference of x points, per point."""
    if curve == LOGISTIC:
        z = q * x
        t = exp(-abs(z))
        part = 1.0 / (1.0 + t)
        up = part if z >= 0.0 else t * part
        down = t * part if z >= 0.0 else part
        bend = -q * q * t * part * part
        return OutcomeSlopes(q * down, bend, q * up, bend)
    _, won_slope, won_bend = win_terms(curve, x, q)
    _, lost_slope, lost_bend = win_terms(curve, -x, q)
    return OutcomeSlopes(won_slope, won_bend, lost_slope, lost_bend)


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
    for k in range(STOB_TERMS - 1):
        m = STOB_TERMS - 1 - k
        total = total * z * z + (2 * m + 1) * (2 * m) * STOB_SERIES[n - 2][m]
    return total * z / series_slope(n, z)
