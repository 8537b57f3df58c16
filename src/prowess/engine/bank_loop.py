"""The loop over contests under all settings of a bank at once.

It is the loop over sides (see `side_loop`), with an inner loop over the settings (lanes) in every
step. The compiled inner loops become vector instructions where the functions of the system have no
call, no loop and no branch that differs between settings. For that

    indices are unsigned (a signed one is tested for being negative),
    the lanes of a field are neighbours, and their number is a constant,
    choices that are the same for all settings stand outside the inner loops,
    sums over the settings are eight partial sums, added in one order,
    exp and log are polynomials (see `numeric`), as plain Python too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.bank import LOGS, Work
from prowess.engine.bank_contest import make_contest_step
from prowess.engine.bank_steps import access_all, blocks_of, make_game_step, make_learning
from prowess.engine.loops import Flags
from prowess.engine.rows import (
    StateLayout,
    access_matrix_lanes,
    game_columns,
    game_list,
    game_rules,
    no_op,
)
from prowess.engine.run import (
    NO_MEMORY,
    NO_OFFSETS,
    NO_ROLES,
    NOTHING,
    TableRun,
    lane_counts,
)
from prowess.engine.state import State, parameters_of, role_keys
from prowess.engine.system import Dynamic
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def bank_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of one contest under all settings.

    Contest c has the sides `start[c]:start[c + 1]` (of a pairwise table 2 c and 2 c + 1), side s
    the members `ends[s]:ends[s + 1]`, or, where `flags.single`, the member s. `p` holds the
    parameters by role, field and lane, `shared` the learnt numbers by row, field and lane, `work`
    is as `Work` and `Blocks` say. Of a bank (`flags.mixed`) `forecasts` and `draws` receive the
    mixture, else [entries, lanes] each. `slots` says for each member where its rating is kept in
    `memory`, where that has room, and beside it the logarithms of the weights.
    """
    blocks, access = blocks_of(system, flags.lanes), access_all(system, flags, layout)
    number, (load, store), param, _, _, role_of = access
    learning = make_learning(system, access, blocks, flags.lanes)
    pairwise, single, by_time = flags.pairwise, flags.single, flags.timed
    learns = system.common is not None
    takes, drift, newcomer = system.absorb_takes, system.drift or no_op, system.newcomer or no_op
    keep = access_matrix_lanes(system.rating, flags.lanes)[1]
    pair = game_rules(system.game).pair
    places_of, read = learning.places, learning.read
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating) * flags.lanes)
    ahead, ask = layout.ask is not None, layout.ask or no_op
    eights = flags.lanes % 8 == 0
    zero, one, two, three = (number(k) for k in range(4))
    logs = number(Work(flags.lanes).place(LOGS))
    if pairwise:
        play = make_game_step(system, flags, layout, access, learning, blocks)
    else:
        play = make_contest_step(system, flags, access, learning, blocks)

    def enter(
        p: Any, role: Any, state: Any, seen: Any, shared: Any, i: Any, now: float, lanes: Any
    ) -> None:
        """Give a member the rating with which the contest begins."""
        at = role_of(role, i)
        if learns and seen[i] != seen[i]:  # nan: the first contest
            places = places_of(p, shared, pair(0.5))
            for k in range(zero, lanes):
                store(state, i, k, newcomer(param(p, at, k), *read(shared, places, k)))
        elif by_time:
            idle = now - seen[i] - takes
            if idle > 0.0:  # never of a member who is new: nan compares false
                for k in range(zero, lanes):
                    store(state, i, k, drift(param(p, at, k), load(state, i, k), idle))

    def loop(
        p: Any,
        role: Any,
        state: Any,
        seen: Any,
        shared: Any,
        work: Any,
        player: Any,
        share: Any,
        ends: Any,
        start: Any,
        place: Any,
        again: Any,
        games: Any,
        clock: Any,
        weights: Any,
        forecasts: Any,
        draws: Any,
        slots: Any,
        memory: Any,
        low: Any,
        high: Any,
        lanes: Any,
        eight: Any,
    ) -> None:
        if widened:
            state = sized(state)
        eight = eight >> three << three  # it is 8, and a loop to 8 would be written out
        if eights:
            lanes = lanes >> three << three
        watched, followed = len(memory.rating) > 0, len(memory.after) > 0
        for c in range(low, high):
            if pairwise:
                first, last = two * number(c), two * number(c) + two
            else:
                first, last = start[c], start[c + one]
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
            now = clock[c] if by_time else 0.0
            for m in range(first, last):
                enter(p, role, state, seen, shared, player[m], now, lanes)
                if by_time or learns:
                    seen[player[m]] = now
            if watched:
                for m in range(first, last):
                    if slots[m] >= 0:
                        at = number(slots[m])
                        for k in range(zero, lanes):
                            keep(memory.rating, at, k, load(state, player[m], k))
                            memory.sums[at, k] = work[logs + k]
            play(
                p, role, state, shared, work, player, share, ends, start, place, again, games,
                weights, forecasts, draws, slots, memory, c, lanes, eight,
            )  # fmt: skip
            if followed:
                for m in range(first, last):
                    if slots[m] >= 0:
                        at = number(slots[m])
                        for k in range(zero, lanes):
                            keep(memory.after, at, k, load(state, player[m], k))

    return loop


# --- a run of the loop ----------------------------------------------------------------------------


def play_bank(
    run: TableRun, loop: Callable[..., None], low: int, high: int, layout: StateLayout
) -> None:
    """Contests `low:high` under every setting at once, as a table of these contests alone."""
    state, flags, system, table = run.state, run.flags, run.state.system, run.table
    entries = slice(low, high) if table.pairwise else slice(*table.start[[low, high]])
    watch = run.watch
    slots = np.zeros(1, np.int64)
    if watch is not None:
        slots = watch.slots[slice(*table.ends[table.start[[low, high]]])]
    clock = NOTHING if run.rounds.clock is None else run.rounds.clock[low:high]
    if (low, high) != (0, len(table)):
        table = table.select(slice(low, high))
    count = len(table.outcome)
    shape, blocks = Work(flags.lanes), blocks_of(system, flags.lanes)
    most, members = (2, 2) if table.pairwise else largest_contest(table)
    numbers = shape.fill(state.logs, blocks.room(system, flags.lanes, most, members))
    forecasts, draws = np.full(count, np.nan), np.full(max(count, len(table)), np.nan)
    if not flags.mixed:
        forecasts = np.full((count, flags.lanes), np.nan)
    again = repeated_members(table) if flags.repeats else np.zeros(1, np.int64)
    shared = bordered_rows(state)
    memory = NO_MEMORY if watch is None else watch.memory
    weights = NOTHING if table.weight is None else table.weight
    share = np.ones(1 if flags.single else len(table.player))
    if table.share is not None:
        share = table.share
    role = NO_ROLES if table.role is None or flags.roles == 1 else table.role
    p = parameter_block(run, shape.width)
    ends = NO_OFFSETS if flags.single else table.ends
    start, place = (NO_OFFSETS, NOTHING) if table.pairwise else (table.start, table.place)
    size = lane_counts(flags.lanes, not layout.listed)
    if not layout.listed:
        games = game_columns(table, system.game) if table.pairwise else (NOTHING,)
        loop(
            p, role, state.rating, state.seen, shared, numbers, table.player, share,
            ends.view(np.uint64), start.view(np.uint64), place, again.view(np.uint64), games, clock,
            weights, forecasts, draws, slots, memory, np.uint64(0), np.uint64(len(table)), *size,
        )  # fmt: skip
    else:
        players, local = np.unique(table.player, return_inverse=True)
        rating, seen = state.rating[players].tolist(), state.seen[players].tolist()
        role = role[players] if len(role) > 1 else role
        listed, held = numbers.tolist(), shared.tolist()
        listed_games = game_list(table, system.game, 0, len(table)) if table.pairwise else []
        loop(
            p.tolist(), role.tolist(), rating, seen, held, listed, local.tolist(), share.tolist(),
            ends.tolist(), start.tolist(), place.tolist(), again.tolist(), listed_games,
            clock.tolist(), weights.tolist(), forecasts, draws, slots.tolist(), memory, 0,
            len(table), *size,
        )  # fmt: skip
        state.rating[players], state.seen[players] = rating, seen
        shared[:], numbers = held, np.array(listed)
    if state.common is not None:
        state.common[:] = shared.reshape(-1, state.common.shape[1])[1:-2]
    if state.logs is not None:
        state.logs[:] = shape.logs(numbers)
    if run.forecasts is not None:
        run.forecasts[entries] = forecasts
    if run.draws is not None and flags.draws:
        run.draws[entries] = draws[:count]
    if run.draws is not None and flags.losses:
        run.draws[low:high] = draws[: high - low]


def parameter_block(run: TableRun, width: int) -> Floats:
    """The parameters of all settings, flat: by role, field and setting."""
    state, flags = run.state, run.flags
    roles = role_keys(state.system, run.table)[: flags.roles]
    rows = parameters_of(state.system, state.p, roles)
    block = np.zeros((len(roles), len(state.system.params), width))
    for at, row in enumerate(rows):
        lane, role = divmod(at, len(roles))
        block[role, :, lane] = list(map(float, row))
    return block.reshape(-1)


def bordered_rows(state: State) -> Floats:
    """What all games share, flat, with a row of nothing at both ends and one of nan behind."""
    if state.common is None or state.system.common is None:
        return np.zeros(1)
    nothing = np.repeat(np.array(state.system.common.row, dtype=np.float64), state.lanes)
    unknown = np.full(len(nothing), np.nan)
    return np.concatenate((nothing, state.common.reshape(-1), nothing, unknown))


def largest_contest(table: Games) -> tuple[int, int]:
    """The most sides and the most members of a contest."""
    sides, members = np.diff(table.start), np.diff(table.ends[table.start])
    return int(sides.max(initial=2)), int(members.max(initial=2))


def repeated_members(table: Games) -> NDArray[np.int64]:
    """Where each member stands for the first time in its contest, [members]."""
    keys = table.contest_of_member * len(table.players) + table.player
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    found: NDArray[np.int64] = first[number].astype(np.int64)
    return found
