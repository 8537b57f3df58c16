"""The step of a contest of many sides under all settings of a bank: all its pairs.

A pair counts `pair_weight(sides)` games, in the evidence, in what all games share and in the
weights of the bank. A member that stands on two sides, such as a car, takes no part in their pair,
and has one update from the evidence of all its sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prowess.engine.bank import CHANCES, GAINS, LOG_FORGET, LOGS, SEEN, Work, mixing
from prowess.engine.bank_steps import (
    Blocks,
    Contests,
    Held,
    Lanes,
    Learning,
    Noted,
    Steering,
    make_foresight,
    make_gather,
    make_keeping,
    side_shape,
)
from prowess.engine.loops import Flags, lone_side, whole_evidence
from prowess.engine.mathematics import polynomial_exp
from prowess.engine.numeric import pair_loss
from prowess.engine.rows import (
    common_keep,
    game_rules,
    make_difference,
    make_mirror,
    make_scaling,
    make_sum,
)
from prowess.engine.system import Dynamic


def make_contest_step(
    system: Dynamic,
    flags: Flags,
    access: Lanes,
    learning: Learning,
    steering: Steering,
    blocks: Blocks,
) -> Callable[..., None]:
    """The step: its arguments are those of the step of a game, see `bank_steps`."""
    number, (load, store), param, (load_side, store_side), (load_one, store_one), *of_roles = access
    of_role, by_role, _ = of_roles
    factor_at, multiply, pull, _, teach_factor = steering
    places_of, read, gradient, _, add_gradient, clear, teach = learning
    single, weighted, mixed, repeats = flags.single, flags.weighted, flags.mixed, flags.repeats
    derived, zero_one = system.mirrors is not None, system.evidence_zero
    evidence, absorb, foresee = system.evidence, system.absorb, make_foresight(system, False)
    part, due, pair_weight = (
        system.part or lone_side,
        system.due or whole_evidence,
        system.pair_weight,
    )
    mirror, pair = game_rules(system.game).mirror, game_rules(system.game).pair
    opposite, add = make_mirror(zero_one, system.mirrors), make_sum(zero_one)
    weigh, less = make_scaling(zero_one), make_difference(side_shape(system))
    gather = make_gather(system, flags, access, steering, single)
    shape = Work(flags.lanes)
    share_of, weigh_lanes, mean, judge = mixing(shape, False, number)
    losing = flags.losses and mixed
    learns, logs_kept = system.common is not None, 2 * flags.lanes
    steered = flags.steered
    keep_common = common_keep(system, flags.lanes, flags.lanes > 1)
    keep_logs = make_keeping(flags.lanes, number)
    zero, one = number(0), number(1)
    logs, chance, seen_by, gain = (number(shape.place(at)) for at in (LOGS, CHANCES, SEEN, GAINS))
    wide = number(shape.width)
    of_one, of_side = (number(n * shape.width) for n in (len(zero_one), len(side_shape(system))))
    sides_too, pairs_too = flags.phase in ("", "sides"), flags.phase in ("", "pairs")
    members_too = flags.phase in ("", "members")
    begin, first_apart = number(blocks.end), number(blocks.sides)
    second_apart = number(blocks.sides) + of_side

    def set_apart(
        held: Held, table: Contests, x: Any, y: Any, x_at: Any, y_at: Any, lanes: Any
    ) -> None:
        """Two sides without the members that both have equally, in the room for two sides."""
        p, role, state, _, shared, steer, work = held
        player, share, ends = table.player, table.share, table.ends
        for k in range(zero, lanes):
            store_side(work, first_apart, k, load_side(work, x_at, k))
            store_side(work, second_apart, k, load_side(work, y_at, k))
        for m in range(ends[x], ends[x + one]):
            for other in range(ends[y], ends[y + one]):
                i = player[m]
                taken = share[m]
                if player[other] == i and share[other] == taken:
                    at, by = of_role * by_role(role, i), factor_at(steer, by_role(role, i))
                    for k in range(zero, lanes):
                        own = multiply(shared, by, k, taken)
                        both = part(param(p, at, k), load(state, i, k), own)
                        rest = less(load_side(work, first_apart, k), both)
                        store_side(work, first_apart, k, rest)
                        rest = less(load_side(work, second_apart, k), both)
                        store_side(work, second_apart, k, rest)

    def judge_pair(
        p: Any, shared: Any, work: Any, places: Any, score: float, weight: float, x_at: Any,
        y_at: Any, x_one: Any, y_one: Any, x_field: Any, y_field: Any, lanes: Any, eight: Any,
    ) -> float:  # fmt: skip
        """Add what a pair says to both sides, to what all share and to the gains of settings.

        Returns the log loss of the pair, where it is wanted.
        """
        game, turned = pair(score), mirror(pair(score))
        for k in range(zero, lanes):  # all is computed before the first number is written
            of_game, learnt = param(p, zero, k), read(shared, places, k)
            mine, theirs = load_side(work, x_at, k), load_side(work, y_at, k)
            win, of = foresee(of_game, mine, theirs, game, learnt)
            found = evidence(of_game, mine, theirs, game, *learnt)
            back = opposite(found) if derived else evidence(of_game, theirs, mine, turned, *learnt)
            said = gradient(of_game, mine, theirs, game, weight, learnt, of, found)
            found = add(load_one(work, x_one, k), weigh(found, weight))
            back = add(load_one(work, y_one, k), weigh(back, weight))
            work[chance + k] = win
            work[x_field + k] += win
            work[y_field + k] += 1.0 - win
            store_one(work, x_one, k, found)
            store_one(work, y_one, k, back)
            add_gradient(work, k, said)
        if mixed:
            judge(work, score, lanes)
            for k in range(zero, lanes):
                work[gain + k] += weight * work[seen_by + k]
        if losing:
            mixed_win = mean(work, weigh_lanes(work, lanes, eight), 0)
            return pair_loss(score, mixed_win)
        return 0.0

    def prepare(held: Held, table: Contests, kept: Noted, c: Any, lanes: Any) -> None:
        """Add up the members of the sides, of whom no pair has said anything yet."""
        p, shared, work, ends = held.p, held.shared, held.work, table.ends
        first, last = table.start[c], table.start[c + one]
        size = last - first
        ones, sides = begin, begin + of_one * size
        fields = sides + of_side * size
        for x in range(zero, size):
            low, high = first + x, first + x + one
            if not single:
                low, high = ends[low], ends[high]
            gather(held, table, sides + of_side * x, low, high, lanes)
            for k in range(zero, lanes):
                store_one(work, ones + of_one * x, k, zero_one)
                work[fields + wide * x + k] = 0.0
        if learns and kept.memory.sums.shape[1] > logs_kept:
            places = places_of(p, shared, pair(0.5))
            low, high = first, last
            if not single:
                low, high = ends[first], ends[last]
            for m in range(low, high):
                if kept.slots[m] >= 0:
                    for k in range(zero, lanes):
                        (here,) = read(shared, places, k)
                        keep_common(kept.memory.sums, number(kept.slots[m]), k, here, here)
        clear(work, lanes)
        for k in range(zero, lanes):
            work[gain + k] = 0.0
        if mixed:
            for k in range(zero, lanes):
                share_of(work, k)

    def judge_pairs(
        held: Held, table: Contests, draws: Any, weight: float, c: Any, lanes: Any, eight: Any
    ) -> None:
        """Add up what the pairs say."""
        p, shared, work, place = held.p, held.shared, held.work, table.place
        first, last = table.start[c], table.start[c + one]
        size = last - first
        count, lost = float(size), 0.0
        ones, sides = begin, begin + of_one * size
        fields = sides + of_side * size
        places = places_of(p, shared, pair(0.5))
        for x in range(zero, size):
            for y in range(x + one, size):
                score = 0.5
                if place[first + x] < place[first + y]:
                    score = 1.0
                elif place[first + x] > place[first + y]:
                    score = 0.0
                x_at, y_at = sides + of_side * x, sides + of_side * y
                if repeats:
                    set_apart(held, table, first + x, first + y, x_at, y_at, lanes)
                    x_at, y_at = first_apart, second_apart
                lost += judge_pair(
                    p, shared, work, places, score, weight, x_at, y_at, ones + of_one * x,
                    ones + of_one * y, fields + wide * x, fields + wide * y, lanes, eight,
                )  # fmt: skip
        if losing:
            draws[c] = lost / (0.5 * count * (count - 1.0))

    def settle(
        held: Held, table: Contests, kept: Noted, weight: float, c: Any, lanes: Any, eight: Any
    ) -> None:
        """Mix the forecasts, and let members, what all share and the weights learn."""
        p, role, state, _, shared, steer, work = held
        player, share, ends = table.player, table.share, table.ends
        first, last = table.start[c], table.start[c + one]
        size = last - first
        count = float(size)
        ones, sides = begin, begin + of_one * size
        fields = sides + of_side * size
        pieces = fields + wide * size
        low, high = first, last
        if not single:
            low, high = ends[first], ends[last]
        low_member, high_member = low, high
        for x in range(zero, size):
            for k in range(zero, lanes):
                work[chance + k] = work[fields + wide * x + k] / (count - 1.0)
            if mixed:
                kept.forecasts[first + x] = mean(work, weigh_lanes(work, lanes, eight), 0)
            else:
                for k in range(zero, lanes):
                    kept.forecasts[first + x, k] = work[chance + k]
        if mixed:
            forgotten = polynomial_exp(0.5 * weight * count * (count - 1.0) * LOG_FORGET)
            for k in range(zero, lanes):
                work[logs + k] = forgotten * work[logs + k] + work[gain + k]
        keep_logs(work, kept, low, high, lanes)
        teach(p, shared, work, places_of(p, shared, pair(0.5)), count, lanes)
        if steered:
            for x in range(zero, size):
                low, high = first + x, first + x + one
                if not single:
                    low, high = ends[low], ends[high]
                for m in range(low, high):
                    taken = 1.0 if single else share[m]
                    pull(held, player[m], taken, ones + of_one * x, False, 1.0, lanes)
        for x in range(zero, size):
            low, high = first + x, first + x + one
            if not single:
                low, high = ends[low], ends[high]
            for m in range(low, high):
                i, taken = player[m], 1.0
                if not single:
                    taken = share[m]
                at, piece = of_role * by_role(role, i), pieces
                by = factor_at(steer, by_role(role, i))
                if repeats:
                    piece = pieces + of_one * (m - ends[first])
                for k in range(zero, lanes):
                    of_me, me = param(p, at, k), load(state, i, k)
                    mine = load_side(work, sides + of_side * x, k)
                    own = multiply(shared, by, k, taken)
                    found = due(of_me, me, own, mine, load_one(work, ones + of_one * x, k))
                    if repeats:
                        store_one(work, piece, k, found)
                    else:
                        store(state, i, k, absorb(of_me, me, found))
        if repeats:
            settle_repeated(held, table, pieces, ends[first], ends[last], lanes)
        if steered:
            for m in range(low_member, high_member):
                teach_factor(held, by_role(role, player[m]), lanes)

    def settle_repeated(
        held: Held, table: Contests, pieces: Any, low: Any, high: Any, lanes: Any
    ) -> None:
        """Give each member the rating after the pieces of all its sides."""
        p, role, state, work, again = held.p, held.role, held.state, held.work, table.again
        for m in range(low, high):
            if again[m] != m:
                at, piece = pieces + of_one * (again[m] - low), pieces + of_one * (m - low)
                for k in range(zero, lanes):
                    total = add(load_one(work, at, k), load_one(work, piece, k))
                    store_one(work, at, k, total)
        for m in range(low, high):
            if again[m] == m:
                i, piece = table.player[m], pieces + of_one * (m - low)
                at = of_role * by_role(role, i)
                for k in range(zero, lanes):
                    found = load_one(work, piece, k)
                    store(state, i, k, absorb(param(p, at, k), load(state, i, k), found))

    def play(
        held: Held, table: Contests, kept: Noted, newcomer: Any, c: Any, lanes: Any, eight: Any
    ) -> None:
        weight = pair_weight(float(table.start[c + one] - table.start[c]))
        if weighted:
            weight *= table.weights[c]
        if sides_too:
            prepare(held, table, kept, c, lanes)
        if pairs_too:
            judge_pairs(held, table, kept.draws, weight, c, lanes, eight)
        if members_too:
            settle(held, table, kept, weight, c, lanes, eight)

    return play
