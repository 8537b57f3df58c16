"""The loop over contests under all settings of a bank at once.

It is the loop over sides (see `side_loop`), with an inner loop over the settings (lanes) in every
step. The compiled inner loops become vector instructions where the functions of the system have no
call, no loop and no branch that differs between settings. For that

    indices are unsigned (a signed one is tested for being negative),
    the lanes of a field are neighbours, and their number is a constant,
    choices that are the same for all settings stand outside the inner loops,
    sums over the settings are eight partial sums, added in one order,
    exp and log are polynomials (see `numeric`), as plain Python too.

A contest of many sides is judged by all its pairs. A pair counts `pair_weight(sides)` games, in the
evidence, in what all games share and in the weights of the bank. A member that stands on two sides,
such as a car, takes no part in their pair, and has one update from the evidence of all its sides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.bank import PARTIAL, mixing, work_of
from prowess.engine.bank_steps import (
    BORDERS,
    Blocks,
    Contests,
    Held,
    Lanes,
    Learning,
    Noted,
    Steering,
    access_all,
    blocks_of,
    make_foresight,
    make_game_step,
    make_gather,
    make_learning,
    make_steering,
)
from prowess.engine.loops import NO_NUMBERS, Flags, lone_side, whole_evidence
from prowess.engine.numeric import pair_loss
from prowess.engine.params import rows_of
from prowess.engine.rows import (
    StateLayout,
    access_lanes,
    common_keep,
    first_rows,
    game_rules,
    make_difference,
    make_mirror,
    make_moving,
    make_scaling,
    make_sum,
    no_op,
)
from prowess.engine.run import (
    NO_MEMORY,
    NO_OFFSETS,
    TableRun,
    factor_places,
    number_players,
)
from prowess.engine.state import State, parameter_matrix, parameters_of
from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.games.runs import as_unsigned, repeat_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    multiply, pull, _, teach_factor = steering
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
    weigh, less = make_scaling(zero_one), make_difference(system.side_shape)
    gather = make_gather(system, flags, access, steering, single)
    shape = work_of(flags.lanes)
    share_of, mix, judge, learn_weights = mixing(shape, False, number)
    losing = flags.losses and mixed
    learns, logs_kept = system.common is not None, 2 * flags.lanes
    steered = flags.steered
    keep_common = common_keep(system, flags.lanes)
    zero, one = number(0), number(1)
    chance, wide = number(shape.chances), number(shape.width)
    of_one, of_side = number(blocks.of_one), number(blocks.of_side)
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
                    at, by = of_role * by_role(role, i), steer[by_role(role, i)]
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
            judge(work, score, weight, lanes)
        if losing:
            return pair_loss(score, mix(work, lanes, eight)[0])
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
                kept.forecasts[first + x] = mix(work, lanes, eight)[0]
            else:
                for k in range(zero, lanes):
                    kept.forecasts[first + x, k] = work[chance + k]
        if mixed:
            learn_weights(work, 0.5 * weight * count * (count - 1.0), lanes)
        teach(p, shared, work, places_of(p, shared, pair(0.5)), count, lanes)
        if steered:
            for x in range(zero, size):
                low, high = first + x, first + x + one
                if not single:
                    low, high = ends[low], ends[high]
                for m in range(low, high):
                    taken = 1.0 if single else share[m]
                    pull(held, player[m], taken, ones + of_one * x, 1.0, lanes)
        for x in range(zero, size):
            low, high = first + x, first + x + one
            if not single:
                low, high = ends[low], ends[high]
            for m in range(low, high):
                i, taken = player[m], 1.0
                if not single:
                    taken = share[m]
                at, piece = of_role * by_role(role, i), pieces
                by = steer[by_role(role, i)]
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


# --- the loop -------------------------------------------------------------------------------------


def bank_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of one contest under all settings.

    A contest of a pairwise table has the sides 2 c and 2 c + 1; where `flags.single`, side s has
    the member s. Of a bank (`flags.mixed`) `forecasts` and `draws` receive the mixture, else
    [entries, lanes] each. `memory` keeps the rating of a member, where it has room, and beside it
    the logarithms of the weights.
    """
    blocks = blocks_of(system, flags.lanes, flags.roles)
    access = access_all(system, flags, layout)
    number, (load, store), param, _, _, of_role, by_role, low_of = access
    learning = make_learning(system, access, blocks, flags.lanes)
    steering = make_steering(system, flags, access, blocks)
    multiply, company, by_roles = steering.multiply, flags.company, flags.roles > 1
    others, three_roles = number(flags.others), number(3 * flags.roles)
    of_company, apart = number(flags.roles - 1), number(blocks.apart)
    repeats, counted, untimed = flags.repeats, flags.counted, system.untimed - system.absorb_takes
    distance, moved, _ = make_moving(system.rating)
    pairwise, single, by_time = flags.pairwise, flags.single, flags.timed
    learns = system.common is not None
    takes, drift, newcomer = system.absorb_takes, system.drift or no_op, system.newcomer or no_op
    keep = access_lanes(system.rating, flags.lanes, number, "rows[at, {}]")[1]
    pair = game_rules(system.game).pair
    places_of, read = learning.places, learning.read
    fade, drift_by = system.fading or (no_op, no_op)
    fours, fades, five, thirty_one = flags.fours, number(blocks.fades), number(5), number(31)
    of_fours = number(flags.roles * len(system.params) * work_of(flags.lanes).width)
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating) * flags.lanes)
    several = flags.lanes > 1
    begins, ends_here = flags.phase in ("", "sides"), flags.phase in ("", "members")
    ahead, ask = layout.ask is not None, layout.ask or no_op
    alone, isolate = layout.isolate is not None, layout.isolate or no_op
    eights = flags.lanes % 8 == 0
    zero, one, two, three = (number(k) for k in range(4))
    logs, settings = number(work_of(flags.lanes).logs), number(flags.lanes)
    if pairwise:
        play = make_game_step(system, flags, layout, access, learning, steering, blocks)
    else:
        play = make_contest_step(system, flags, access, learning, steering, blocks)

    def enter(held: Held, i: Any, now: float, lanes: Any) -> None:
        """Give a member the rating with which the contest begins."""
        p, role, state, seen, shared, steer, work = held
        at = of_role * by_role(role, i)
        if learns and seen[i] != seen[i]:  # nan: the first contest
            places = places_of(p, shared, pair(0.5))
            for k in range(zero, lanes):
                store(state, i, k, newcomer(param(p, at, k), *read(shared, places, k)))
        elif by_time or counted:
            idle = now - seen[i] - takes if by_time else untimed
            if counted and seen[i] != seen[i]:
                idle = 0.0
            if by_roles and steer[three_roles + by_role(role, i)] == zero:
                idle = 0.0
            if idle > 0.0:  # never of a member who is new: nan compares false
                low = low_of(steer, by_role(role, i))
                if fours:
                    for k in range(zero, lanes + thirty_one >> five << three):
                        work[fades + k] = fade(param(p, of_fours + at, k), idle)
                    for k in range(low, lanes):
                        faded = work[fades + (k >> two)]
                        me = drift_by(param(p, at, k), load(state, i, k), idle, faded)
                        store(state, i, k, me)
                else:
                    for k in range(low, lanes):
                        store(state, i, k, drift(param(p, at, k), load(state, i, k), idle))

    def is_alone(role: Any, player: Any, first: Any, last: Any) -> bool:
        """Whether a side has one player, who stands before its other members."""
        if last - first == one:
            return True
        return by_roles and zero < number(role[player[first + one]]) < others

    def meet(held: Held, new: Any, known: Any, lanes: Any) -> None:
        """Let a newcomer come towards a known opponent."""
        _, _, state, _, shared, steer, work = held
        at = steer[of_company]
        for k in range(zero, lanes):
            me, further = load(state, new, k), distance(load(state, known, k), load(state, new, k))
            work[apart + k] = further
            store(state, new, k, moved(me, multiply(shared, at, k, further)))

    def loop(
        held: Held, table: Contests, kept: Noted, low: Any, high: Any, lanes: Any, eight: Any
    ) -> None:
        p, role, state, seen, shared, steer, work = held
        if alone:
            state, shared, work = isolate(state), isolate(shared), isolate(work)
        if widened:
            state = sized(state)
        held = Held(p, role, state, seen, shared, steer, work)
        player, ends, slots, memory = table.player, table.ends, kept.slots, kept.memory
        eight = eight >> three << three  # it is 8, and a loop to 8 would be written out
        if eights:
            lanes = lanes >> three << three
        watched, followed = len(memory.rating) > 0, len(memory.after) > 0
        weighed = several and memory.sums.shape[1] > settings  # the weights after contests too
        for c in range(low, high):
            if pairwise:
                first, last = two * number(c), two * number(c) + two
            else:
                first, last = table.start[c], table.start[c + one]
                if last - first < two:  # alone: nothing is rated
                    continue
            last_side = last
            if not single:
                first, last = ends[first], ends[last]
            if ahead and pairwise and c + one < high:
                next_end = last_side + two
                if not single:
                    next_end = ends[next_end]
                for m in range(last, next_end):
                    ask(state, player[m])
            now, newcomer_side = table.clock[c] if by_time else 0.0, zero
            if company:
                middle = first + one if single else ends[two * number(c) + one]
                a, b = player[first], player[middle]
                both_alone = is_alone(role, player, first, middle)
                both_alone = both_alone and is_alone(role, player, middle, last)
                if both_alone and seen[a] != seen[a] and seen[b] == seen[b]:
                    newcomer_side = one
                elif both_alone and seen[b] != seen[b] and seen[a] == seen[a]:
                    newcomer_side = two
            if begins:
                for m in range(first, last):
                    if repeats and table.again[m] != m:
                        continue
                    enter(held, player[m], now, lanes)
                    if by_time or learns or counted:
                        seen[player[m]] = now
            if company:
                if newcomer_side == one:
                    meet(held, a, b, lanes)
                elif newcomer_side == two:
                    meet(held, b, a, lanes)
            if watched and begins:
                for m in range(first, last):
                    if slots[m] >= 0:
                        at = number(slots[m])
                        for k in range(zero, lanes):
                            keep(memory.rating, at, k, load(state, player[m], k))
                            if several:
                                memory.sums[at, k] = work[logs + k]
                        if len(memory.share) > 0:
                            taken = 1.0 if single else table.share[m]
                            by = steer[by_role(role, player[m])]
                            for k in range(zero, lanes):
                                memory.share[at, k] = multiply(shared, by, k, taken)
            play(held, table, kept, newcomer_side, c, lanes, eight)
            if ends_here and (followed or weighed):
                for m in range(first, last):
                    if slots[m] >= 0:
                        at = number(slots[m])
                        for k in range(zero, lanes):
                            if followed:
                                keep(memory.after, at, k, load(state, player[m], k))
                            if weighed:
                                memory.sums[at, settings + k] = work[logs + k]

    return loop


# --- a run of the loop ----------------------------------------------------------------------------


LAID_OUT_AT_ONCE = 32_768  # contests, where fewer are played at once


class LaidOut(NamedTuple):
    """Contests of a run as the loop takes them, with room for what it says of them."""

    low: int
    high: int
    contests: Contests
    held: Held
    forecasts: Floats  # [entries], or, where they are not mixed, [entries, settings]
    draws: Floats


def lay_out(run: TableRun, low: int, high: int, layout: StateLayout) -> LaidOut:
    """Contests `low:high` of a run, as a table of these alone."""
    state, flags, system = run.state, run.flags, run.state.system
    table = run.select(low, high)
    count = len(table) if table.pairwise else len(table.place)
    blocks = blocks_of(system, flags.lanes, flags.roles)
    most, members = (2, 2) if table.pairwise else largest_contest(table)
    per_side = blocks.of_one + blocks.of_side + work_of(flags.lanes).width
    room = blocks.end + most * per_side + members * blocks.of_one
    share = np.ones(1 if flags.single else len(table.player))
    contests = Contests(
        table.player,
        share if table.share is None else table.share,
        as_unsigned(NO_OFFSETS if flags.single else table.ends),
        as_unsigned(NO_OFFSETS if table.pairwise else table.start),
        NO_NUMBERS if table.pairwise else table.place,
        as_unsigned(repeated_members(table) if flags.repeats else np.zeros(1, np.int64)),
        layout.games(table, system.game) if table.pairwise else (NO_NUMBERS,),
        run.clock[low:high],
        NO_NUMBERS if table.weight is None else table.weight,
    )
    held = Held(
        parameter_block(system, state.p, run.role_keys, flags.fours),
        run.role,
        state.rating,
        state.seen,
        bordered_rows(state),
        steering_places(system, state.p, run.role_keys, flags),
        np.zeros(room),
    )
    forecasts = np.full(count if flags.mixed else (count, flags.lanes), np.nan)
    return LaidOut(low, high, contests, held, forecasts, np.full(max(count, len(table)), np.nan))


def play_bank(
    run: TableRun, loop: Callable[..., None], low: int, high: int, layout: StateLayout,
    *, alone: bool = False,
) -> None:  # fmt: skip
    """Contests `low:high` under every setting at once, laid out `alone` or with later ones."""
    state, flags, table, watch = run.state, run.flags, run.table, run.watch
    laid: LaidOut | None = run.laid
    if alone or layout.listed:
        laid = lay_out(run, low, high, layout)
    elif laid is None or low < laid.low or high > laid.high:
        last = min(len(table), max(high, low + LAID_OUT_AT_ONCE))
        laid = run.laid = lay_out(run, low, last, layout)
    held, contests, first_log = laid.held, laid.contests, work_of(flags.lanes).logs
    logs = slice(first_log, first_log + flags.lanes)
    slots = np.zeros(1, np.int64)
    if watch is not None:
        slots = watch.slots[slice(*table.ends[table.start[[laid.low, laid.high]]])]
    memory = NO_MEMORY if watch is None else watch.memory
    kept = Noted(laid.forecasts, laid.draws, layout.give(slots), memory)
    first, last = low - laid.low, high - laid.low
    # as arguments: the compiler then does not unroll the loops
    size = map(layout.count, (flags.lanes, PARTIAL))
    if state.common is not None:
        inner = held.shared.reshape(-1, state.common.shape[1])[1 : 1 - BORDERS]
        inner[:] = state.common
    if state.logs is not None:
        held.work[logs] = state.logs
    players, (local,) = number_players(layout, contests.player)
    role = held.role[players] if len(held.role) > 1 else held.role
    rows = state.rating[players], state.seen[players], held.shared, held.steer, held.work
    given = Held(*layout.give((held.p, role, *rows)))
    bounds, times = layout.give(contests[1:6]), layout.give(contests[7:])
    contests = Contests._make((local, *bounds, contests.games, *times))
    loop(given, contests, kept, layout.count(first), layout.count(last), *size)
    if layout.listed:
        state.rating[players], state.seen[players] = given.state, given.seen
        held.shared[:], held.work[:] = given.shared, given.work
    if state.common is not None:
        state.common[:] = inner
    if state.logs is not None:
        state.logs[:] = held.work[logs]
    entries, at = slice(low, high), slice(first, last)
    if not table.pairwise:
        begin = int(table.start[laid.low])
        entries = slice(*table.start[[low, high]].tolist())
        at = slice(entries.start - begin, entries.stop - begin)
    if run.forecasts is not None:
        run.forecasts[entries] = laid.forecasts[at]
    if run.draws is not None and flags.draws:
        run.draws[entries] = laid.draws[at]
    if run.draws is not None and flags.losses:
        run.draws[low:high] = laid.draws[first:last]


@lru_cache(maxsize=32)
def parameter_block(system: Dynamic, p: Any, keys: tuple[str | int, ...], fours: bool) -> Floats:
    """The parameters of all settings, flat: by role, field and setting; then of every fourth."""
    rows = parameter_matrix(system, p, keys)
    block = rows.reshape(-1, len(keys), rows.shape[1]).transpose(1, 2, 0)
    room = work_of(block.shape[2]).width - block.shape[2]
    block = np.pad(block, ((0, 0), (0, 0), (0, room)))
    if not fours:
        return block.reshape(-1)
    every_fourth = np.zeros_like(block)
    every_fourth[:, :, : block.shape[2] // 4] = block[:, :, ::4]
    return np.concatenate((block.reshape(-1), every_fourth.reshape(-1)))


@lru_cache(maxsize=32)
def settings_of_roles(
    system: Dynamic, p: Any, keys: tuple[str | int, ...]
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """The first setting in which each role takes part, a multiple of 8, and whether it drifts."""
    by_role = [parameters_of(system, p, keys)[role :: len(keys)] for role in range(len(keys))]
    there = [[not (system.absent and system.absent(one)) for one in rows] for rows in by_role]
    low = (rows.index(True) // 8 * 8 if True in rows else len(rows) for rows in there)
    drifts = (not (system.still and all(map(system.still, rows))) for rows in by_role)
    return tuple(low), tuple(drifts)


def bordered_rows(state: State) -> Floats:
    """What all games share, flat, between rows of nothing, and then one of nan and one of ones."""
    if state.common is None or state.system.common is None:
        return np.zeros(1)
    nothing = repeat_rows(np.array(state.system.common.row, dtype=np.float64), state.lanes)
    unknown = np.full(len(nothing), np.nan)
    rows = (nothing, state.common.reshape(-1), nothing, unknown, np.ones(len(nothing)))
    return np.concatenate(rows)


@lru_cache(maxsize=32)
def steering_places(
    system: Dynamic, p: Any, keys: tuple[str | int, ...], flags: Flags
) -> NDArray[np.uint64]:
    """What the steps know of each role, see `Steering`; not to be written."""
    first_settings, drifts = settings_of_roles(system, p, keys)
    low = np.array(first_settings)
    places, pulls = np.zeros((2, flags.roles), np.int64)
    common = first_rows(system, rows_of(p))
    if common is not None and flags.steered:
        blocks, wide = blocks_of(system, flags.lanes, flags.roles), work_of(flags.lanes).width
        rows, first = np.split(factor_places(system, p, keys, flags), 2)
        places = common.shape[1] * np.where(rows < 0, len(common) + BORDERS - 1, rows + 1)
        pulls = blocks.pulls + wide * first
        for row in np.unique(rows[rows >= 0]):  # who share a factor begin with the same setting
            low[rows == row] = low[rows == row].min()
    return np.concatenate((places, pulls, low, drifts)).astype(np.uint64)


def largest_contest(table: Games) -> tuple[int, int]:
    """The most sides and the most members of a contest."""
    sides, members = np.diff(table.start), np.diff(table.ends[table.start])
    return int(sides.max(initial=2)), int(members.max(initial=2))


def repeated_members(table: Games) -> Ids:
    """Where each member stands for the first time in its contest, [members]."""
    keys = table.contest_of_member * len(table.players) + table.player
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    found: Ids = first[number].astype(np.int64)
    return found
