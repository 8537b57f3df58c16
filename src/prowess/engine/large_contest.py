"""Contests of hundreds or thousands of sides that are judged in pairs: sums over a field.

Formula   a side learns the sum over the others of f(mine, theirs, score), f smooth in theirs:
          f(mine, theirs) = sum over k of L_k(theirs) f(mine, node_k),   L_k Lagrange's polynomials
          of Chebyshev's nodes between the least and the greatest value of each number of a side.
          So the sum over some of the others is  sum over k of w_k f(mine, node_k),  w_k = the sum
          of their L_k(theirs): a few dozen opponents who play w_k games stand for the field. Those
          who came in behind, level and before have sums of their own, which run down the places.
Source    J.-P. Berrut, L. N. Trefethen, "Barycentric Lagrange interpolation", SIAM Review 46 (2004)
          501; sums over a field by interpolation: W. Fong, E. Darve, "The black-box fast multipole
          method", Journal of Computational Physics 228 (2009) 8712; of losses under a mixture:
          M. Bebendorf, "Approximation of boundary element matrices", Numerische Mathematik 86
          (2000) 565.

With a fixed number of nodes the work is that of the sort, O(n log n). Under all settings of a bank
(second half of this file) f is interpolated in both sides. Nodes are added to each number of a side
until interpolation between pairs of sides from all the field errs by less than
INTERPOLATION_ERROR of the largest value. Where the largest of NODE_COUNTS is not enough (a function
that is not smooth, or ratings far apart), or nodes would be more than a quarter of the sides, the
contest is judged pair by pair; below LARGE_FIELD sides it always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from math import cos, pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.compile.numbers import Floats, Ids
from prowess.compile.tree import rebuild
from prowess.engine.bank import PARTIAL, bank_substitutes, mixing, work_of
from prowess.engine.bank_steps import (
    Contests,
    Held,
    Noted,
    access_all,
    blocks_of,
    make_foresight,
    make_learning,
)
from prowess.engine.loops import lone_side, make_age, whole_evidence
from prowess.engine.numeric import pair_loss
from prowess.engine.rows import (
    LISTS,
    MATRICES,
    access_lanes,
    access_matrix,
    game_rules,
    make_scaling,
    make_sum,
    no_op,
)
from prowess.engine.system import Dynamic, whole_game
from prowess.games.runs import as_unsigned, repeat_rows

if TYPE_CHECKING:
    from prowess.engine.loops import Flags
    from prowess.engine.rows import StateLayout
    from prowess.games.games import Games


LARGE_FIELD = 500  # sides from which a contest is judged by sums over the field
INTERPOLATION_ERROR = 1e-12  # of the largest value of a function
NODE_COUNTS = (1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128)  # of one number of a side
SAMPLED = 9  # of each kind of sides, on either side of the pairs that try the nodes
WEIGHTS_AT_ONCE = 1_000_000  # numbers
NEARBY = 1.0 + 2.0**-48  # by as much numbers of sides may be off
LOSS_ERROR = 1e-11  # of the log loss of a pair
MOST_PRODUCTS = 100  # of which the log loss of a pair is the sum
MOST_COMMON = 8  # members on several sides whose parts are tried
LINE_ERROR = 1e-13  # of a number of a side, which is a straight line of another


def large_contests(system: Dynamic, table: Games, flags: Flags, kind: str) -> Ids:
    """The contests of a table that may be judged by sums over the field, ascending."""
    by_pairs = vars(system)["evidence"] is not None and system.contest is None
    alone = flags.roles == 1 and not flags.repeats and table.single and system.common is None
    learns = system.common is not None  # under one setting too
    if table.pairwise or not by_pairs or flags.league or not (alone or learns or kind == "bank"):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.diff(table.start) >= LARGE_FIELD)


def play_large(run: Any, contest: int, compiled: bool) -> bool:
    """Play one contest of single players in a `TableRun` onto its state; returns whether it was.

    Where it was not, it is to be played pair by pair.
    """
    state, table, system, flags = run.state, run.table, run.state.system, run.flags
    first, last = int(table.start[contest]), int(table.start[contest + 1])
    count, order = last - first, np.argsort(table.place[first:last], kind="stable")
    members = int(table.ends[first]) + order
    who, place = table.player[members], table.place[first:last][order]
    share = np.ones(count) if table.share is None else table.share[members].astype(np.float64)
    foreseeing = flags.forecasts or flags.foreseen
    loops = field_loops(system, flags.timed, foreseeing, flags.losses, compiled)
    prepare, judge, sample = loops
    now = 0.0 if run.rounds.clock is None else float(run.rounds.clock[contest])
    rating = state.rating[who]
    sides = np.zeros((count, len(system.side_shape)))
    prepare(state.p, rating, state.seen[who], now, share, sides)

    def evaluate(mine: Ids, theirs: Floats) -> Floats:
        found = np.zeros((3, len(mine), len(system.evidence_zero) + 2))
        for score, out in zip((0.0, 0.5, 1.0), found, strict=True):
            sample(state.p, rating, share, mine, theirs, np.full(len(mine), score), out)
        return np.concatenate(list(found), axis=1)

    nodes = choose_nodes(sides, evaluate)
    if nodes is None:
        return False
    weight = 1.0 if system.pair_weight is whole_game else system.pair_weight(float(count))
    if table.weight is not None:
        weight *= float(table.weight[contest])
    before = rating.copy()
    chance, loss = np.zeros(count), np.zeros(count)
    for part, weights in field_weights(sides, nodes, place):
        out = chance[part], loss[part]
        judge(state.p, rating[part], share[part], grid_of(nodes), *weights, weight, *out)
    state.rating[who] = rating
    if flags.timed:
        state.seen[who] = now
    chance /= count - 1
    if run.watch is not None:
        slots, memory = run.watch.slots[members], run.watch.memory
        kept = slots >= 0
        memory.rating[slots[kept]] = before[kept]
        if flags.followed:
            memory.after[slots[kept]] = rating[kept]
        if flags.foreseen:
            memory.expected[slots[kept]] = chance[kept]
    if run.forecasts is not None:
        run.forecasts[first + order] = chance
    if run.draws is not None:
        run.draws[contest] = loss.sum() / (0.5 * count * (count - 1))
    return True


# --- opponents who stand for a field --------------------------------------------------------------


def choose_nodes(sides: Floats, evaluate: Callable[[Ids, Floats], Floats]) -> list[Floats] | None:
    """The nodes of each number of a side; None where too many would be needed.

    `sides` [n, numbers] are the sides, by place. `evaluate(mine, theirs)` gives values of functions
    [pairs, functions] of pairs of a side by number and of another's numbers [pairs, numbers].
    """
    count, evenly = len(sides), np.linspace(0.0, 1.0, SAMPLED)
    least, most = sides.min(axis=0), sides.max(axis=0)
    # Where most of a field are newcomers, sides by rank are all alike: points between the extremes
    # try the nodes as well, and the sides nearest to evenly spaced values.
    spread = least + (most - least) * np.random.default_rng(0).random((SAMPLED, sides.shape[1]))
    found: list[Floats] = []
    for column, values in enumerate(sides.T):
        low, high = float(least[column]), float(most[column])
        by_rank = np.argsort(values, kind="stable")[(evenly * (count - 1)).astype(np.int64)]
        by_value = [int(np.abs(values - low - share * (high - low)).argmin()) for share in evenly]
        mine = np.unique(np.append(by_rank, by_value))
        theirs = np.concatenate((sides[mine], spread))
        one, other = repeat_rows(mine, len(theirs)), np.tile(theirs, (len(mine), 1))
        exact = evaluate(one, other)
        for number in NODE_COUNTS if high > low else (1,):
            nodes = chebyshev_nodes(low, high, number)
            at = repeat_rows(other, number, axis=0)
            at[:, column] = np.tile(nodes, len(other))
            by_node = evaluate(repeat_rows(one, number), at).reshape(len(one), number, -1)
            basis = lagrange_basis(nodes, other[:, column])
            apart = np.abs(np.einsum("pk,pkf->pf", basis, by_node) - exact).max(axis=0)
            if (apart <= INTERPOLATION_ERROR * np.abs(by_node).max(axis=(0, 1))).all():
                break
        else:
            return None
        found.append(nodes)
    return found if np.prod([len(nodes) for nodes in found]) <= count // 4 else None


def chebyshev_nodes(low: float, high: float, count: int) -> Floats:
    """Chebyshev's nodes between two numbers, both of them nodes, or the middle, [count]."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    return middle + half * unit_nodes(count)


def lagrange_basis(nodes: Floats, values: Floats) -> Floats:
    """What Lagrange's polynomials of Chebyshev's nodes are at some values, [values, nodes]."""
    if len(nodes) == 1:
        return np.ones((len(values), 1))
    signs = np.where(np.arange(len(nodes), dtype=np.int64) % 2 == 0, 1.0, -1.0)
    signs[[0, -1]] *= 0.5
    apart = values[:, None] - nodes
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = signs / apart
        basis: Floats = terms / terms.sum(axis=1, keepdims=True)
    at_node = apart == 0.0
    basis[at_node.any(axis=1)] = at_node[at_node.any(axis=1)]
    return basis


def grid_of(nodes: list[Floats]) -> Floats:
    """The numbers of the sides that stand for the field, one for each choice of nodes."""
    grid = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1)
    return np.ascontiguousarray(grid.reshape(-1, len(nodes)))


def field_weights(
    sides: Floats, nodes: list[Floats], place: Floats
) -> Iterator[tuple[slice, tuple[Floats, Floats, Floats, Floats]]]:
    """Some of the sides, and how many games each plays with those who stand for the field.

    `place` ascends. Of `count` sides: games won, drawn, lost, each [count, grid], and how many
    sides share the place, [count].
    """
    low = place.searchsorted(place)
    high = place.searchsorted(place, side="right")
    bases = [lagrange_basis(one, sides[:, k]) for k, one in enumerate(nodes)]
    size = int(np.prod([len(one) for one in nodes]))
    everyone = np.zeros(size)
    ends = _cut_between_places(high, max(1, WEIGHTS_AT_ONCE // size))
    for first, last in pairwise(ends):
        everyone += _products([one[first:last] for one in bases]).sum(axis=0)
    before = np.zeros(size)
    for first, last in pairwise(ends):
        own = _products([one[first:last] for one in bases])
        running = before + np.concatenate(
            (np.zeros((1, size)), np.cumsum(own, axis=0, dtype=np.float64))
        )
        lost, until = running[low[first:last] - first], running[high[first:last] - first]
        yield (
            slice(first, last),
            (everyone - until, until - lost - own, lost, (high - low)[first:last].astype(float)),
        )
        before = running[-1]


def _cut_between_places(high: Ids, most: int) -> list[int]:
    """Where sides are cut in parts of about `most`, none of them between sides that are level."""
    ends = [0]
    while ends[-1] < len(high):
        ends.append(int(high[min(ends[-1] + most, len(high)) - 1]))
    return ends


def _products(bases: list[Floats]) -> Floats:
    """The products of one number of each basis, [sides, grid]."""
    found = bases[0]
    for one in bases[1:]:
        found = (found[:, :, None] * one[:, None, :]).reshape(len(one), -1)
    return found


@cache
def field_loops(
    system: Dynamic, timed: bool, foreseeing: bool, losing: bool, compiled: bool
) -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """The loops over the sides of a contest: see `prepare`, `judge` and `sample` there."""
    evidence, expected, absorb = system.evidence, system.expected, system.absorb
    due, part, zero = system.due or whole_evidence, system.part or lone_side, system.evidence_zero
    age = make_age(system, system.absorb_takes) if timed else no_op
    load, store = access_matrix(system.rating)
    side_load, side_store = access_matrix(system.side_shape)
    _, keep = access_matrix(zero)
    plus, weigh, pair = make_sum(zero), make_scaling(zero), game_rules(system.game).pair
    width = len(zero)

    def prepare(p: Any, rating: Any, seen: Any, now: float, share: Any, sides: Any) -> None:
        for i in range(len(rating)):
            me = load(rating, i)
            if timed:
                me = age(p, me, seen[i], now)
                store(rating, i, me)
            side_store(sides, i, part(p, me, share[i]))

    def judge(
        p: Any, rating: Any, share: Any, nodes: Any, won: Any, level: Any, lost: Any, tied: Any,
        weight: float, chances: Any, losses: Any,
    ) -> None:  # fmt: skip
        for i in range(len(rating)):
            me = load(rating, i)
            mine, total, chance, loss = part(p, me, share[i]), zero, 0.0, 0.0
            for k in range(len(nodes)):
                theirs = side_load(nodes, k)
                one = due(p, me, share[i], mine, evidence(p, mine, theirs, pair(1.0)))
                total = plus(total, weigh(one, won[i, k]))
                one = due(p, me, share[i], mine, evidence(p, mine, theirs, pair(0.0)))
                total = plus(total, weigh(one, lost[i, k]))
                if tied[i] > 1.0:
                    one = due(p, me, share[i], mine, evidence(p, mine, theirs, pair(0.5)))
                    total = plus(total, weigh(one, level[i, k]))
                if foreseeing:
                    ahead = expected(p, mine, theirs, pair(0.5))
                    chance += (won[i, k] + level[i, k] + lost[i, k]) * ahead
                    if losing:
                        loss += won[i, k] * pair_loss(1.0, ahead)
                        loss += 0.5 * level[i, k] * pair_loss(0.5, ahead)
            store(rating, i, absorb(p, me, weigh(total, weight)))
            chances[i], losses[i] = chance, loss

    def sample(
        p: Any, rating: Any, share: Any, who: Any, theirs: Any, scores: Any, out: Any
    ) -> None:
        for row in range(len(who)):
            i = who[row]
            me, other, game = load(rating, i), side_load(theirs, row), pair(scores[row])
            mine = part(p, me, share[i])
            keep(out, row, due(p, me, share[i], mine, evidence(p, mine, other, game)))
            if foreseeing:
                ahead = expected(p, mine, other, game)
                out[row, width] = ahead
                if losing:
                    out[row, width + 1] = pair_loss(scores[row], ahead)

    if compiled:
        made = kernel.compile_function
        return made(prepare), made(judge), made(sample)
    return prepare, judge, sample


# --- a contest under all settings of a bank -------------------------------------------------------
#
# Where evidence is a straight line in the score s, as it is in pairs of a contest,
#     f(x, y, s) = f(x, y, 1/2) + (2 s - 1) o(x, y),    o = (f(x, y, 1) - f(x, y, 0)) / 2
# and both are sums of products of Chebyshev's polynomials of the numbers of x and of y. The first
# needs the sums of the polynomials over all sides; o, which needs few of them, those over the sides
# behind less those before. So a side takes as many steps as there are polynomials.


class Box(NamedTuple):
    """Between which values the numbers of the sides lie, in each setting, [numbers, settings]."""

    middle: Floats
    half: Floats
    free: list[int]  # the numbers that are not a straight line of an earlier one
    lines: dict[int, int]  # the others that vary, and of which one each is a line

    @classmethod
    def around(cls, sides: Floats) -> Box:
        """The box of sides, [sides, numbers, settings]."""
        low, high = sides.min(axis=0), sides.max(axis=0)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        free, lines = list[int](), dict[int, int]()
        for k in range(sides.shape[1]):
            if not half[k].any():
                continue
            for j in free:
                slope = half[k] / np.where(half[j] > 0.0, half[j], 1.0)
                apart = sides[:, k] - middle[k] - slope * (sides[:, j] - middle[j])
                if (np.abs(apart) <= LINE_ERROR * (np.abs(middle[k]) + half[k])).all():
                    lines[k] = j
                    break
            else:
                free.append(k)
        return cls(middle, half, free, lines)

    def place(self, units: Floats) -> Floats:
        """Sides in the box, [sides, numbers, settings]; `units` [sides, free], from -1 to 1."""
        at = np.zeros((len(units), len(self.middle)))
        at[:, self.free] = units
        for k, j in self.lines.items():
            at[:, k] = at[:, j]
        return self.middle + self.half * at[:, :, None]


class PolynomialGrid(NamedTuple):
    """How many polynomials of each free number of a side there are."""

    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many products of them there are: the first number changes fastest."""
        return int(np.prod(self.counts, dtype=np.int64))

    def units(self) -> Floats:
        """The nodes, [size, free], from -1 to 1."""
        mesh = np.meshgrid(*map(unit_nodes, self.counts[::-1]), indexing="ij")
        return np.stack([one.ravel() for one in mesh[::-1]], axis=1) if mesh else np.zeros((1, 0))

    def coefficients(self) -> Floats:
        """What turns values at the nodes into the weights of polynomials, [size, size]."""
        found: Floats = np.ones((1, 1))
        for count in self.counts:
            found = np.asarray(np.kron(_to_polynomials(count), found), np.float64)
        return found


def unit_nodes(count: int) -> Floats:
    """Chebyshev's nodes between -1 and 1, both of them nodes, or 0, [count]."""
    return np.array([cos(pi * k / (count - 1)) for k in range(count)] if count > 1 else [0.0])


def _to_polynomials(count: int) -> Floats:
    """Row m has the share of each node in the weight of Chebyshev's polynomial m."""
    if count == 1:
        return np.ones((1, 1))
    last = count - 1
    ends = np.array([1.0 if 0 < k < last else 0.5 for k in range(count)])
    angles = [[cos(pi * (m * k % (2 * last)) / last) for k in range(count)] for m in range(count)]
    found: Floats = 2.0 / last * ends[:, None] * np.array(angles) * ends
    return found


def error_allowed(values: Floats, near: Floats) -> Floats:
    """Of each function, [pairs, functions, settings]; `near` are of sides that are rounded."""
    found = np.maximum(INTERPOLATION_ERROR * np.abs(values), np.abs(near - values)).max(axis=0)
    return np.asarray(found)


def multiply_rows(matrix: Floats, rows: Floats) -> Floats:
    """The product of a matrix and [rows, ...], with the same bits on every machine."""
    found = np.zeros((len(matrix), *rows.shape[1:]))
    shape = (len(matrix), *(1,) * (rows.ndim - 1))
    for k in range(len(rows)):
        found += matrix[:, k].reshape(shape) * rows[k]
    return found


def make_bank_field_loops(
    system: Dynamic, flags: Flags, layout: StateLayout
) -> tuple[Callable[..., None], ...]:
    """The loops of a contest under all settings, over flat arrays.

    `judge` judges a pair of sides in each row, [rows, numbers, settings] flat, and writes what
    `FieldShape` says, [rows, fields, settings]. `add_up` sums the products of polynomials over
    sides. `spread_out` gives each side its sums of some fields, from the weights of polynomials.
    """
    access, blocks = access_all(system, flags, layout), blocks_of(system, flags.lanes, flags.roles)
    learning = make_learning(system, access, blocks, flags.lanes)
    number, param, load_side = access.number, access.param, access.side[0]
    shape, places_of, read, gradient = work_of(flags.lanes), *learning[:3]
    fields, wide = FieldShape.of(system), shape.width
    evidence, foresee = system.evidence, make_foresight(system, False)
    pair = game_rules(system.game).pair
    _, mix, judge_score, _ = mixing(shape, False, number)
    store_one = access.one[1]
    store_said = no_op
    if system.common is not None:
        store_said = access_lanes(system.common.gradient_zero, wide, number)[1]
    zero, one, three = (number(k) for k in (0, 1, 3))
    chance, gain = number(shape.chances), number(shape.gains)
    of_side, of_row = number(len(system.side_shape) * wide), number(fields.numbers * wide)
    win_at, said_at, gain_at = (
        number(at * wide) for at in (fields.chance, fields.gradient, fields.gain)
    )

    def judge(
        p: Any, shared: Any, work: Any, mine: Any, theirs: Any, scores: Any, out: Any, rows: Any,
        lanes: Any,
    ) -> None:  # fmt: skip
        places = places_of(p, shared, pair(0.5))
        for row in range(zero, rows):
            game, at, to = pair(scores[row]), of_side * row, of_row * row
            for k in range(zero, lanes):
                of_game, learnt = param(p, zero, k), read(shared, places, k)
                x, y = load_side(mine, at, k), load_side(theirs, at, k)
                win, of = foresee(of_game, x, y, game, learnt)
                found = evidence(of_game, x, y, game, *learnt)
                said = gradient(of_game, x, y, game, 1.0, learnt, of, found)
                work[chance + k] = win
                work[gain + k] = 0.0
                store_one(out, to, k, found)
                out[to + win_at + k] = win
                store_said(out, to + said_at, k, said)
            judge_score(work, scores[row], 1.0, lanes)
            for k in range(zero, lanes):
                out[to + gain_at + k] = work[gain + k]

    def lose(
        p: Any, shared: Any, work: Any, sides: Any, i: Any, lost: Any, won: Any, rows: Any,
        lanes: Any, eight: Any,
    ) -> None:  # fmt: skip
        places, game = places_of(p, shared, pair(0.5)), pair(0.5)
        for row in range(zero, rows):
            for k in range(zero, lanes):
                x, y = load_side(sides, of_side * i, k), load_side(sides, of_side * row, k)
                of_game, learnt = param(p, zero, k), read(shared, places, k)
                work[chance + k] = foresee(of_game, x, y, game, learnt)[0]
            mixed_win = mix(work, lanes, eight)[0]
            won[row], lost[row] = pair_loss(1.0, mixed_win), pair_loss(0.0, mixed_win)

    def multiply_out(units: Any, at: Any, counts: Any, own: Any, poly: Any, eights: Any) -> None:
        """The products of polynomials of the numbers of a side."""
        size, wide = one, eights >> three << three
        for k in range(zero, wide):
            own[k] = 1.0
        for j in range(zero, number(len(counts))):
            here, count = at + wide * j, counts[j]
            for k in range(zero, wide):
                poly[k] = 1.0
                poly[wide + k] = units[here + k]
            for a in range(one, count):
                block = wide * size * a
                for g in range(zero, size):
                    row = wide * g
                    for k in range(zero, wide):
                        own[block + row + k] = poly[wide + k] * own[row + k]
                for k in range(zero, wide):
                    further = 2.0 * units[here + k] * poly[wide + k] - poly[k]
                    poly[k] = poly[wide + k]
                    poly[wide + k] = further
            size = size * count

    def add_up(
        units: Any, counts: Any, sides: Any, own: Any, poly: Any, sums: Any, eights: Any
    ) -> None:
        of_units, total = eights * number(len(counts)), number(len(sums))
        for i in range(zero, sides):
            multiply_out(units, of_units * i, counts, own, poly, eights)
            for at in range(zero, total):
                sums[at] += own[at]

    def spread_out(
        units: Any, order: Any, ends: Any, counts: Any, weights: Any, few: Any, everyone: Any,
        leaning: Any, which: Any, out: Any, meetings: Any, own: Any, own_few: Any, poly: Any,
        before: Any, level: Any, ahead: Any, turned: Any, eights: Any,
    ) -> None:  # fmt: skip
        wide = eights >> three << three
        of_units, many, some = wide * number(len(counts)), number(len(own)), number(len(before))
        of_out, begin = number(len(weights)), zero
        of_out = of_out // many * wide
        for group in range(zero, number(len(ends))):
            end = ends[group]
            for at in range(zero, some):
                level[at] = 0.0
            for place in range(begin, end):
                multiply_out(units, of_units * order[place], few, own_few, poly, eights)
                for at in range(zero, some):
                    level[at] += own_few[at]
            for at in range(zero, some):
                ahead[at] = everyone[at] - before[at] - before[at] - level[at]
            for field in range(zero, number(len(which))):
                for row in range(zero, some // wide):
                    to, at = some * field + wide * row, some * some // wide * field + some * row
                    for k in range(zero, wide):
                        turned[to + k] = 0.0
                    for step in range(zero, some // wide):
                        by = wide * step
                        for k in range(zero, wide):
                            turned[to + k] += leaning[at + by + k] * ahead[by + k]
            for place in range(begin, end):
                i = order[place]
                multiply_out(units, of_units * i, few, own_few, poly, eights)
                for field in range(zero, number(len(which))):
                    to = of_out * i + wide * which[field]
                    for row in range(zero, some // wide):
                        at = wide * row
                        for k in range(zero, wide):
                            out[to + k] += own_few[at + k] * turned[some * field + at + k]
                for row in range(zero, some // wide):
                    to, at = some * row, wide * row
                    for step in range(zero, some // wide):
                        by = wide * step
                        for k in range(zero, wide):
                            meetings[to + by + k] += own_few[at + k] * ahead[by + k]
                multiply_out(units, of_units * i, counts, own, poly, eights)
                for field in range(zero, of_out // wide):
                    to = of_out * i + wide * field
                    for row in range(zero, many // wide):
                        at = wide * row
                        for k in range(zero, wide):
                            out[to + k] += own[at + k] * weights[many * field + at + k]
            for at in range(zero, some):
                before[at] += level[at]
            begin = end

    return judge, lose, add_up, spread_out


class FieldShape(NamedTuple):
    """Where each number of a pair stands: first the evidence about one side."""

    chance: int  # expected score of the side
    gradient: int
    gain: int  # of the weights
    numbers: int  # of all of them

    @classmethod
    def of(cls, system: Dynamic) -> FieldShape:
        """The places for a system."""
        one, common = len(system.evidence_zero), system.common
        said = 0 if common is None else len(common.gradient_zero)
        return cls(one, one + 1, one + 1 + said, one + 2 + said)


@cache
def bank_field_loops(
    system: Dynamic, flags: Flags, compiled: bool
) -> tuple[Callable[..., Any], ...]:
    """The loops, compiled or as plain Python."""
    loops = make_bank_field_loops(system, flags, MATRICES if compiled else LISTS)
    change = bank_substitutes(system, compiled)
    make = kernel.compile_function if compiled else rebuild
    return tuple(make(one, change) for one in loops)


class FieldOfSides:
    """A contest under all settings of a bank, its sides as they stand before it."""

    def __init__(
        self, loops: Any, system: Dynamic, flags: Flags, judging: tuple[Any, ...], sides: Floats,
        compiled: bool,
    ) -> None:  # fmt: skip
        self.judge_rows, self.lose, self.add_up, self.spread_out = loops
        self.judging, self.sides = judging, sides
        self.lanes, self.width = flags.lanes, sides.shape[2]
        self.shape = FieldShape.of(system)
        self.number: Callable[[int], Any] = np.uint64 if compiled else int
        self.work = np.zeros(work_of(flags.lanes).end)
        self.box = Box.around(sides)
        half = np.where(self.box.half > 0.0, self.box.half, 1.0)
        units = (sides - self.box.middle) / half
        self.units = np.ascontiguousarray(units[:, self.box.free])

    def judge(self, mine: Floats, theirs: Floats, score: float) -> Floats:
        """What pairs say, [pairs, fields, settings]; sides are [pairs, numbers, settings]."""
        found = np.zeros((len(mine), self.shape.numbers, self.width))
        rows, lanes = self.number(len(mine)), self.number(self.lanes)
        p, shared = self.judging
        self.judge_rows(
            p, shared, self.work, mine.reshape(-1), theirs.reshape(-1), np.full(len(mine), score),
            found.reshape(-1), rows, lanes,
        )  # fmt: skip
        return found

    def halves(self, mine: Floats, theirs: Floats) -> tuple[Floats, Floats, Floats]:
        """What pairs say at 1/2, what a win adds to it, and how far that is no line."""
        lost, level, won = (self.judge(mine, theirs, score) for score in (0.0, 0.5, 1.0))
        return level, 0.5 * (won - lost), 0.5 * (won + lost) - level

    def choose_grids(self) -> tuple[PolynomialGrid, PolynomialGrid] | None:
        """How many polynomials what is said at 1/2 needs, and what a win adds to it.

        None where many are not enough, or where that is no straight line in the score.
        """
        free = len(self.box.free)
        tried = np.random.default_rng(0).uniform(-1.0, 1.0, (2 * SAMPLED, free))
        tried[:2] = np.ones((2, free)) * np.array([[1.0], [-1.0]])
        one, other = (
            repeat_rows(tried[:SAMPLED], SAMPLED, axis=0),
            np.tile(tried[SAMPLED:], (SAMPLED, 1)),
        )
        place = self.box.place
        *exact, bent = self.halves(place(one), place(other))
        near = self.halves(place(one) * NEARBY, place(other))
        allowed = [error_allowed(*both) for both in zip(exact, near, strict=False)]
        if (np.abs(bent) > allowed[0]).any():
            return None
        counts: list[list[int]] = [[], []]
        for column in range(free):
            chosen: list[int | None] = [None, None]
            for count in NODE_COUNTS:
                nodes, wrong = unit_nodes(count), [False, False]
                for moved, fixed, mine in ((one, other, True), (other, one, False)):
                    at = repeat_rows(moved, count, axis=0)
                    at[:, column] = np.tile(nodes, len(moved))
                    pairs = place(at), place(repeat_rows(fixed, count, axis=0))
                    basis = lagrange_basis(nodes, moved[:, column])[:, :, None, None]
                    for k, values in enumerate(self.halves(*(pairs if mine else pairs[::-1]))[:2]):
                        by_node = values.reshape(len(moved), count, *values.shape[1:])
                        apart = np.abs((basis * by_node).sum(axis=1) - exact[k]).max(axis=0)
                        wrong[k] |= bool((apart > allowed[k]).any())
                chosen = [
                    count if before is None and not failed else before
                    for before, failed in zip(chosen, wrong, strict=True)
                ]
                if None not in chosen:
                    break
            for k, number in enumerate(chosen):
                if number is None:
                    return None
                counts[k].append(number)
        found = PolynomialGrid(tuple(counts[0])), PolynomialGrid(tuple(counts[1]))
        return found if max(one.size for one in found) <= len(self.sides) // 4 else None

    def bears(self, parts: Floats | None) -> bool:
        """Whether pairs say the same where both sides have one of some parts, [parts, numbers,
        settings], as without it; None: there are too many to try.
        """
        if parts is None:
            return False
        units = np.random.default_rng(0).uniform(-1.0, 1.0, (2 * SAMPLED, len(self.box.free)))
        mine, theirs = np.split(self.box.place(units), 2)
        without = self.judge(mine, theirs, 0.5)
        allowed = error_allowed(without, self.judge(mine * NEARBY, theirs, 0.5))
        return all(
            (np.abs(self.judge(mine + one, theirs + one, 0.5) - without) <= allowed).all()
            for one in parts
        )

    def sum_up(self, place: Floats) -> tuple[Floats, Floats] | None:
        """What all pairs say of each side, [sides, fields of a side, settings], and what they say
        to all, [further fields, settings]; None where pairs have to be asked one by one.

        `place` are the places of the sides, [sides].
        """
        grids = self.choose_grids()
        if grids is None:
            return None
        whole, lean = grids
        eights, count = self.number(self.width), len(self.sides)
        counts = [np.array(one.counts, np.uint64) for one in grids]
        sums = []
        for grid, some in zip(grids, counts, strict=True):
            own, poly = np.zeros(grid.size * self.width), np.zeros(2 * self.width)
            added = np.zeros(grid.size * self.width)
            self.add_up(self.units.reshape(-1), some, self.number(count), own, poly, added, eights)
            sums.append(added.reshape(grid.size, self.width))
        nodes = self.box.place(whole.units())
        played = multiply_rows(whole.coefficients().T, sums[0])  # how often each node is played
        said = np.stack(
            [
                (played[:, None, :] * self.judge(self._all(one, nodes), nodes, 0.5)).sum(axis=0)
                for one in nodes
            ]
        )
        itself = self.judge(self.sides, self.sides, 0.5)
        to_all = 0.5 * ((played[:, None, :] * said).sum(axis=0) - itself.sum(axis=0))
        first = self.shape.chance + 1  # of the fields that are not about a side
        weights = multiply_rows(whole.coefficients(), said[:, :first])
        few = self.box.place(lean.units())
        added = np.stack([self.halves(self._all(one, few), few)[1] for one in few])
        for _ in range(2):  # values at the nodes of both sides become weights of polynomials
            added = multiply_rows(lean.coefficients(), added).swapaxes(0, 1)
        which = np.flatnonzero(added[:, :, :first].any(axis=(0, 1, 3)))
        found, meetings = -itself[:, :first], np.zeros((lean.size, lean.size, self.width))
        order = np.argsort(place, kind="stable")
        ends = np.flatnonzero(np.diff(place[order], append=np.inf)) + 1
        room = [np.zeros(lean.size * self.width) for _ in range(4)]
        self.spread_out(
            self.units.reshape(-1), as_unsigned(order), as_unsigned(ends), counts[0],
            np.ascontiguousarray(weights.transpose(1, 0, 2)).reshape(-1), counts[1],
            sums[1].reshape(-1),
            np.ascontiguousarray(added[:, :, which].transpose(2, 0, 1, 3)).reshape(-1),
            as_unsigned(which), found.reshape(-1), meetings.reshape(-1),
            np.zeros(whole.size * self.width), room[0], np.zeros(2 * self.width), *room[1:],
            np.zeros(lean.size * self.width * max(1, len(which))), eights,
        )  # fmt: skip
        leaning = (added * meetings[:, :, None, :]).sum(axis=(0, 1))
        return found, (to_all + 0.5 * leaning)[first:]

    def mean_loss(self, place: Floats, work: Any) -> float | None:
        """The mean log loss of all pairs under the mixture; None: it is to be added up by pairs.

        The loss of a pair is the sum of products of a number of its winner and one of its loser,
        found by adaptive cross approximation: each product takes away what is left of a row and a
        column of the losses of all pairs.
        """
        count = len(place)
        kept: dict[int, tuple[Floats, Floats]] = {}
        flat, eight = self.sides.reshape(-1), self.number(PARTIAL)
        p, shared = self.judging

        def losses_of(i: int) -> tuple[Floats, Floats]:
            """What is lost where a side is beaten by each, and where it beats them."""
            if i not in kept:
                kept[i] = np.zeros(count), np.zeros(count)
                rows, lanes = self.number(count), self.number(self.lanes)
                self.lose(p, shared, work, flat, self.number(i), *kept[i], rows, lanes, eight)
            return kept[i]

        order = np.argsort(place, kind="stable")
        evenly = np.linspace(0, count - 1, SAMPLED).astype(np.int64)
        outer = self.units[:, :, [0, self.lanes - 1]]
        ends = [outer.argmin(axis=0).ravel(), outer.argmax(axis=0).ravel()]
        tried = np.unique(np.concatenate((order[evenly], *ends)))
        left = np.stack([losses_of(int(i))[1] for i in tried])
        ranked = place[order]
        low, high = ranked.searchsorted(ranked), ranked.searchsorted(ranked, side="right")
        winners: list[Floats] = []
        losers: list[Floats] = []
        total = 0.0
        while (worst := np.abs(left)).max() > LOSS_ERROR:
            if len(winners) == MOST_PRODUCTS:
                return None
            row = int(tried[worst.max(axis=1).argmax()])
            of_loser = losses_of(row)[1] - sum(
                a[row] * b for a, b in zip(winners, losers, strict=True)
            )
            column = int(np.abs(of_loser).argmax())
            of_winner = losses_of(column)[0] - sum(
                b[column] * a for a, b in zip(winners, losers, strict=True)
            )
            of_winner = of_winner / of_loser[column]
            left -= of_winner[tried][:, None] * of_loser
            winners.append(of_winner)
            losers.append(of_loser)
            sums = np.append(0.0, np.cumsum(of_loser[order], dtype=np.float64))
            met = (sums[-1] - sums[high]) + 0.5 * (sums[high] - sums[low])
            total += float((of_winner[order] * met).sum())
        return (total - 0.5 * count * pair_loss(1.0, 0.5)) / (0.5 * count * (count - 1.0))

    def _all(self, one: Floats, others: Floats) -> Floats:
        """One side beside each of others."""
        return np.broadcast_to(one, others.shape)


def common_parts(system: Dynamic, flags: Flags, held: Held, table: Contests) -> Floats | None:
    """The parts of members who stand on several sides, [members, numbers, settings].

    None where there are many, or where learnt factors multiply them.
    """
    p, role, state, _, shared, steer, _ = held
    player, again, share, role = (
        np.asarray(one) for one in (table.player, table.again, table.share, role)
    )
    members = np.flatnonzero(again != np.arange(len(again), dtype=np.int64))
    who = np.unique(player[members].astype(np.int64))
    by = role[who].tolist() if flags.roles > 1 else [0] * len(who)
    size = len(system.common.row) * flags.lanes if system.common is not None else 0
    if flags.steered and any(steer[one] + size < len(shared) for one in set(by)):
        return None
    if len(who) > MOST_COMMON:
        return None
    wide, part = work_of(flags.lanes).width, system.part or lone_side
    block = np.asarray(p)[: flags.roles * len(system.params) * wide]
    block = block.reshape(flags.roles, len(system.params), wide)
    found = np.zeros((len(who), len(system.side_shape), wide))
    for row, i, of_role in zip(found, who.tolist(), by, strict=True):
        ratings = np.asarray(state[i]).reshape(len(system.rating), flags.lanes)
        taken = float(np.abs(share[player == i]).max())
        for k in range(flags.lanes):
            of_me = system.params._make(block[of_role, :, k].tolist())
            row[:, k] = part(of_me, system.rating._make(ratings[:, k].tolist()), taken)
    return found


def sum_pairs(
    system: Dynamic, flags: Flags, compiled: bool, held: Held, table: Contests, kept: Noted
) -> bool:
    """Do what the phase `pairs` of the loop over a bank does, for one contest; whether it could."""
    work, numbers, place = held.work, np.asarray(held.work), np.asarray(table.place)
    shape, count = FieldShape.of(system), len(place)
    one, side, wide = shape.chance, len(system.side_shape), work_of(flags.lanes).width
    blocks = blocks_of(system, flags.lanes, flags.roles)
    at = np.cumsum(
        [blocks.end, *(count * wide * fields for fields in (one, side, 1))], dtype=np.int64
    )
    ones, sides, chances = (
        numbers[low:high].reshape(count, -1, wide) for low, high in pairwise(at.tolist())
    )
    loops = bank_field_loops(system, flags, compiled)
    field = FieldOfSides(loops, system, flags, (held.p, held.shared), sides, compiled)
    if flags.repeats and not field.bears(common_parts(system, flags, held, table)):
        return False
    found = field.sum_up(place)
    if found is None:
        return False
    if flags.losses and flags.mixed:
        lost = field.mean_loss(place, work)
        if lost is None:
            return False
        kept.draws[0] = lost
    weight = system.pair_weight(float(count)) * (float(table.weights[0]) if flags.weighted else 1.0)
    of_sides, of_all = found
    ones[:] = weight * of_sides[:, :one]
    chances[:] = of_sides[:, one:]
    total = numbers[blocks.total : blocks.total + wide * (len(of_all) - 1)]
    total.reshape(-1, wide)[:] = weight * of_all[:-1]
    gains = work_of(flags.lanes).gains
    numbers[gains : gains + wide] = weight * of_all[-1]
    if isinstance(work, list):
        work[:] = numbers.tolist()
    return True
