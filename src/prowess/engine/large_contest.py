"""Contests of hundreds or thousands of sides that are judged in pairs: sums over a field.

Formula   a side learns the sum over the others of f(mine, theirs, score), f smooth in theirs:
          f(mine, theirs) = sum over k of L_k(theirs) f(mine, node_k),   L_k Lagrange's polynomials
          of Chebyshev's nodes between the least and the greatest value of each number of a side.
          So the sum over some of the others is  sum over k of w_k f(mine, node_k),  w_k = the sum
          of their L_k(theirs): a few dozen opponents who play w_k games stand for the field. Those
          who came in behind, level and before have sums of their own, which run down the places.
Source    J.-P. Berrut, L. N. Trefethen, "Barycentric Lagrange interpolation", SIAM Review 46 (2004)
          501; sums over a field by interpolation: W. Fong, E. Darve, "The black-box fast multipole
          method", Journal of Computational Physics 228 (2009) 8712.

With a fixed number of nodes the work is that of the sort, O(n log n). Nodes are added to each
number of a side until interpolation between pairs of sides from all the field errs by less than
INTERPOLATION_ERROR of the largest value. Where the largest of NODE_COUNTS is not enough (a function
that is not smooth, or ratings far apart), or nodes would be more than a quarter of the sides, the
contest is judged pair by pair; below LARGE_FIELD sides it always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile import kernel
from prowess.engine.loops import lone_side, make_age, whole_evidence
from prowess.engine.numeric import pair_loss
from prowess.engine.rows import access_matrix, game_rules, make_scaling, make_sum, no_op
from prowess.engine.system import Dynamic, whole_game
from prowess.games.runs import repeat_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.loops import Flags
    from prowess.games.games import Games

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

LARGE_FIELD = 500  # sides from which a contest is judged by sums over the field
INTERPOLATION_ERROR = 1e-12  # of the largest value of a function
NODE_COUNTS = (1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128)  # of one number of a side
SAMPLED = 9  # of each kind of sides, on either side of the pairs that try the nodes
WEIGHTS_AT_ONCE = 1_000_000  # numbers


def large_contests(system: Dynamic, table: Games, flags: Flags) -> Ids:
    """The contests of a table that may be judged by sums over the field, ascending."""
    by_pairs = vars(system)["evidence"] is not None and system.contest is None
    alone = flags.lanes == 1 and flags.roles == 1 and not flags.repeats and table.single
    shared = system.common is not None or flags.league
    if table.pairwise or not by_pairs or not alone or shared:
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
    sides = np.zeros((count, len(system.rating if system.side is None else system.side)))
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
    if count == 1:
        return np.array([0.5 * (low + high)])
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    nodes: Floats = middle + half * np.cos(np.pi * np.arange(count, dtype=np.int64) / (count - 1))
    return nodes


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
    side_load, side_store = access_matrix(system.rating if system.side is None else system.side)
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
