"""TrueSkill: Bayesian skills for teams, draws and contests of many sides.

Formula   a member's skill has mean mu and variance v = sigma^2 + tau^2, share w
          a side performs as N(m, s^2),  m = sum w mu,  s^2 = sum w^2 (v + beta^2)
          eps = Phi^-1((1 + draw_probability) / 2) sqrt(members of both sides) beta
          two sides, the winner first:  c^2 = s_1^2 + s_2^2,  t = (m_1 - m_2) / c,  e = eps / c
          won    V = phi(t - e) / Phi(t - e),   W = V (V + t - e)
          drawn  V, W of a normal value around t that lies between -e and e
          mu'    = mu +- w (v / c) V,   sigma'^2 = v (1 - w^2 (v / c^2) W)
          many sides: in order of place, neighbours differ by more than eps (better) or less
          (tied). Each such factor sends both its sides a normal message, made of V and W at what
          all the others say of them; round after round until nothing moves. With m', s'^2 of a
          side's performance in the end
          mu'    = mu + w (v / s^2) (m' - m)
          sigma'^2 = v (1 - w^2 (v / s^2) (1 - s'^2 / s^2))
          forecast  P(win) = Phi((m_1 - m_2 - eps) / c), P(draw) = Phi((eps - d) / c) -
          Phi((-eps - d) / c) with d = m_1 - m_2 and c without tau
Source    R. Herbrich, T. Minka, T. Graepel, "TrueSkill: a Bayesian skill rating system", NIPS
          2006; J. Moser, "The math behind TrueSkill" (2010), for the draw margin of sides.
Units     rating (mu), deviation (sigma), beta, tau, advantage: points, 25 and 25/3 for a newcomer;
          beta is how much one performance scatters; tau: points per square root of a round, and
          tau_per_day: per square root of a day.
Differs   messages go on until none changes by more than a part in 10^12 (of n sides from 500 on n
          times that, since so much of a long chain is rounding), and sides that are equal
          in all values and tied get the mean of their messages, so the order of rows has no effect.
          tau_per_day, off by default, lets idle players become less certain. The advantage of a
          side is added to its mean; 0 gives the paper's system. A draw when draw_probability is 0
          is read as two equal performances, the limit. In a round of many games, and for weights,
          what games say is added as precisions, which for one game is the paper's update; a game of
          weight w counts as w games.
"""

from __future__ import annotations

from math import sqrt
from typing import Annotated, Any, NamedTuple

from prowess.engine.numeric import (
    MIN_SHARE,
    merge_sort,
    normal_below,
    normal_quantile,
    truncated_by_score,
)
from prowess.engine.params import Start
from prowess.engine.system import Chances, Dynamic, Game, Range, negated, same

MAX_CHAIN_PASSES = 100
MESSAGE_TOLERANCE = 1e-12  # change, as a part of its precision and of its deviation
LONG_CHAIN = 500  # sides from which what rounding changes grows with the chain


class Params(NamedTuple):
    """Settings; the defaults are the paper's, a draw in ten games as in its programs."""

    start: Start = 25.0
    start_deviation: Annotated[float, Range(0.1, 1000, "points"), "deviation of a newcomer"] = (
        25.0 / 3.0
    )
    beta: Annotated[float, Range(0.1, 1000.0, "points"), "scatter of one performance"] = 25.0 / 6.0
    tau: Annotated[
        float, Range(0, 100, "points per sqrt(round)"), "uncertainty that a round adds"
    ] = 25.0 / 300.0
    tau_per_day: Annotated[
        float, Range(0, 100, "points per sqrt(day)"), "uncertainty that an idle day adds"
    ] = 0.0
    draw_probability: Annotated[
        float, Range(0, 0.99, "probability"), "how often equal sides draw"
    ] = 0.1
    advantage: Annotated[
        float, Range(-1000, 1000, "points"), "lead of the side with the advantage"
    ] = 0.0


class Rating(NamedTuple):
    """A player's rating mu and deviation sigma."""

    rating: float = 25.0
    deviation: float = 25.0 / 3.0


class Side(NamedTuple):
    """Sums over the members of a side."""

    mean: float = 0.0  # of share x mu
    variance: float = 0.0  # of share^2 x sigma^2
    squares: float = 0.0  # of share^2
    members: float = 0.0


class Evidence(NamedTuple):
    """Evidence of a contest: V / c and W / c^2 of a side; of a member, sums over the round."""

    surplus: Annotated[float, negated] = 0.0  # 1 / points
    precision: Annotated[float, same] = 0.0  # 1 / points^2


class Room(NamedTuple):
    """Columns that a contest works on: the order of its sides, and the messages of its factors."""

    order: float = 0.0  # whole numbers
    up_q: float = 0.0
    up_y: float = 0.0
    down_q: float = 0.0
    down_y: float = 0.0


def variance(p: Params, me: Rating) -> float:
    """v: the variance of a skill as a round begins."""
    return me.deviation * me.deviation + p.tau * p.tau


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    """The rating after `elapsed` idle days: the rating stays, the deviation grows."""
    grown = me.deviation * me.deviation + p.tau_per_day * p.tau_per_day * elapsed
    return Rating(me.rating, max(me.deviation, sqrt(grown)))


def part(p: Params, me: Rating, share: float) -> Side:
    """A member's part of a side."""
    square = share * share
    return Side(share * me.rating, square * me.deviation * me.deviation, square, 1.0)


def spread(p: Params, mine: Side) -> float:
    """s^2: the variance of a side's performance as a round begins."""
    return mine.variance + mine.squares * (p.beta * p.beta + p.tau * p.tau)


def draw_margin(p: Params, members: float) -> float:
    """eps, for so many members of both sides."""
    return normal_quantile(0.5 + 0.5 * p.draw_probability) * sqrt(members) * p.beta


def chances(p: Params, mine: Side, theirs: Side, game: Game) -> Chances:
    """The chances of win and draw, without the uncertainty that the round adds (tau)."""
    squares, members = mine.squares + theirs.squares, mine.members + theirs.members
    c = sqrt(mine.variance + theirs.variance + squares * p.beta * p.beta)
    t = (mine.mean + game.side * p.advantage - theirs.mean) / c
    e = draw_margin(p, members) / c
    return Chances(normal_below(t - e), normal_below(e - abs(t)) - normal_below(-e - abs(t)))


def performance(p: Params, mine: Side) -> tuple[float, float]:
    """What a side shows: its mean and deviation, without tau as in `chances`."""
    return mine.mean, sqrt(mine.variance + mine.squares * p.beta * p.beta)


def game_evidence(p: Params, mine: Side, theirs: Side, gap: float, score: float) -> Evidence:
    """V / c and W / c^2 of a game in which one side's mean is so far ahead."""
    squared = spread(p, mine) + spread(p, theirs)
    c = sqrt(squared)
    result = truncated_by_score(gap / c, draw_margin(p, mine.members + theirs.members) / c, score)
    return Evidence(result.shift / c, result.lost / squared)


def evidence(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    """The evidence of a game of two sides, seen from the first."""
    return game_evidence(
        p, mine, theirs, mine.mean + game.side * p.advantage - theirs.mean, game.score
    )


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member's part of the evidence, as precisions, so that games add up."""
    lost = share * share * one.precision
    left = 1.0 - variance(p, me) * lost  # sigma'^2 / v
    return Evidence(share * one.surplus / left, lost / left)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """Precisions add; the mean moves by the new variance times the surplus."""
    v = variance(p, me)
    after = v / (1.0 + v * total.precision)
    return Rating(me.rating + after * total.surplus, sqrt(after))


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    """The points that one game contributed: the new variance times its surplus."""
    return after.deviation * after.deviation * one.surplus


# --- contests of many sides ------------------------------------------------------------------
#
# A chain: side k of the order meets side k + 1 in factor k. A factor keeps two messages, to the
# side above it (`up_`) and to the side below it (`down_`), each a precision q and a mean y; q = 0
# carries no information.


def one_side(sides: Any, k: int) -> Side:
    """Side k: one entry of every column."""
    return Side(sides.mean[k], sides.variance[k], sides.squares[k], sides.members[k])


def stands_before(p: Params, sides: Any, place: Any, i: int, j: int) -> bool:
    """Whether side i stands before side j: by place; tied sides in an order of their own."""
    if place[i] != place[j]:
        return bool(place[i] < place[j])
    if sides.mean[i] != sides.mean[j]:
        return bool(sides.mean[i] < sides.mean[j])
    first, second = spread(p, one_side(sides, i)), spread(p, one_side(sides, j))
    if first != second:
        return first < second
    return bool(sides.members[i] < sides.members[j])


sort_sides = merge_sort(stands_before)


def are_alike(p: Params, sides: Any, place: Any, i: int, j: int) -> bool:
    """Whether two sides have equal place and equal values."""
    return not stands_before(p, sides, place, i, j) and not stands_before(p, sides, place, j, i)


def message(gap: float, both: float, eps: float, tied: bool) -> tuple[float, float]:
    """(1 / q, y): a factor's message about a difference with this mean and variance.

    1 / q = both (1 - W) / W, y = gap + c V / W; where W is 0 the result is (0, 0): no information.
    """
    c = sqrt(both)
    result = truncated_by_score(gap / c, eps / c, 0.5 if tied else 1.0)
    if result.lost <= MIN_SHARE:
        return 0.0, 0.0
    return both * (1.0 - result.lost) / result.lost, gap + c * result.shift / result.lost


def contest(p: Params, sides: Any, place: Any, out: Any, room: Any) -> None:
    """Fill the evidence of each side of a contest."""
    n = len(place)
    if n == 2:  # the chain's answer in closed form
        score = 0.5 if place[0] == place[1] else 1.0 if place[0] < place[1] else 0.0
        mine, theirs = one_side(sides, 0), one_side(sides, 1)
        one = game_evidence(p, mine, theirs, mine.mean - theirs.mean, score)
        out.surplus[0], out.precision[0] = one.surplus, one.precision
        out.surplus[1], out.precision[1] = -one.surplus, one.precision
        return
    sort_sides(p, sides, place, room.order, room.up_q)
    run_chain(p, sides, place, room, out)
    average_equal_sides(p, sides, place, room.order, out)


def run_chain(p: Params, sides: Any, place: Any, room: Any, out: Any) -> None:
    """Run the chain in the order of `room` and fill the evidence of each side."""
    n = len(place)
    order, up_q, up_y, down_q, down_y = room.order, room.up_q, room.up_y, room.down_q, room.down_y
    for k in range(n):
        up_q[k], up_y[k], down_q[k], down_y[k] = 0.0, 0.0, 0.0, 0.0
    width, settled = draw_margin(p, 1.0), n == 2
    tolerance = MESSAGE_TOLERANCE * (float(n) if n >= LONG_CHAIN else 1.0)
    for sweep in range(MAX_CHAIN_PASSES + 1):
        final, moved = settled or sweep == MAX_CHAIN_PASSES, 0.0
        for step in range(2 if final else 2 * n - 4):
            if final:
                e = 0 if step == 0 else n - 2
            else:  # 0 .. n - 3 downward, n - 2 .. 1 upward
                e = step if step < n - 2 else 2 * n - 4 - step
            change = update_factor(p, width, sides, place, order, e, up_q, up_y, down_q, down_y)
            moved = max(moved, change)
        if final:
            break
        settled = moved <= tolerance
    for k in range(n):
        i = int(order[k])
        m, v = sides.mean[i], spread(p, one_side(sides, i))
        q, pull = up_q[k], up_q[k] * (up_y[k] - m)
        if k > 0:
            q += down_q[k - 1]
            pull += down_q[k - 1] * (down_y[k - 1] - m)
        out.surplus[i] = pull / (1.0 + q * v)
        out.precision[i] = q / (1.0 + q * v)


def update_factor(
    p: Params,
    width: float,
    sides: Any,
    place: Any,
    order: Any,
    e: int,
    up_q: Any,
    up_y: Any,
    down_q: Any,
    down_y: Any,
) -> float:
    """Send factor e's two messages anew; returns by how much they changed."""
    i, j = int(order[e]), int(order[e + 1])
    # both sides without this factor: priors and the other factors' messages
    first, second = one_side(sides, i), one_side(sides, j)
    a, av, b, bv = first.mean, spread(p, first), second.mean, spread(p, second)
    if e > 0:
        share = down_q[e - 1] * av / (1.0 + down_q[e - 1] * av)
        a, av = a + share * (down_y[e - 1] - a), av / (1.0 + down_q[e - 1] * av)
    if e < len(place) - 2:
        share = up_q[e + 1] * bv / (1.0 + up_q[e + 1] * bv)
        b, bv = b + share * (up_y[e + 1] - b), bv / (1.0 + up_q[e + 1] * bv)
    eps = width * sqrt(first.members + second.members)
    inverse, y = message(a - b, av + bv, eps, bool(place[i] == place[j]))
    if inverse <= 0.0:
        changed = up_q[e] + down_q[e]
        up_q[e], down_q[e] = 0.0, 0.0
        return 1.0 if changed > 0.0 else 0.0
    to_up, to_down = 1.0 / (inverse + bv), 1.0 / (inverse + av)
    moved: float = max(
        abs(to_up - up_q[e]) / to_up,
        abs(to_down - down_q[e]) / to_down,
        abs(y + b - up_y[e]) * sqrt(to_up),
        abs(a - y - down_y[e]) * sqrt(to_down),
    )
    up_q[e], up_y[e], down_q[e], down_y[e] = to_up, y + b, to_down, a - y
    return moved


def average_equal_sides(p: Params, sides: Any, place: Any, order: Any, out: Any) -> None:
    """Give equal sides the mean of their evidence."""
    n, k = len(place), 0
    while k < n:
        first, stop = int(order[k]), k + 1
        surplus, precision = out.surplus[first], out.precision[first]
        while stop < n and are_alike(p, sides, place, first, int(order[stop])):
            surplus += out.surplus[int(order[stop])]
            precision += out.precision[int(order[stop])]
            stop += 1
        for at in range(k, stop):
            out.surplus[int(order[at])] = surplus / (stop - k)
            out.precision[int(order[at])] = precision / (stop - k)
        k = stop


TRUESKILL = Dynamic(
    name="trueskill",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    chances=chances,
    performance=performance,
    normal=True,
    side=Side(),
    part=part,
    evidence=evidence,
    contest=contest,
    room=Room(),
    due=due,
    absorb=absorb,
    drift=drift,
    credit=credit,
    clock="1d",
    follows_period=False,
)
