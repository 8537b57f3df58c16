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
from typing import Any

from prowess.engine.bank import LOGS, Work
from prowess.engine.bank_contest import make_contest_step
from prowess.engine.bank_steps import access_all, blocks_of, make_game_step, make_learning
from prowess.engine.loops import Flags
from prowess.engine.rows import StateLayout, access_matrix_lanes, game_rules, no_op
from prowess.engine.system import Dynamic


def bank_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of one contest under all settings.

    Contest c has the sides `start[c]:start[c + 1]` (of a pairwise table 2 c and 2 c + 1), side s
    the members `ends[s]:ends[s + 1]`, or, where `flags.single`, the member s. `p` holds the
    parameters by role, field and lane, `shared` the learnt numbers by row, field and lane, `work`
    is as `Work` and `Blocks` say. Of a bank (`flags.mixed`) `forecasts` and `draws` receive the
    mixture, else [entries, lanes] each. `slots` says for each member where its rating is kept in
    `memory`, and beside it the logarithms of the weights.
    """
    blocks, access = blocks_of(system, flags.lanes), access_all(system, flags, layout)
    number, (load, store), param, _, _, role_of = access
    learning = make_learning(system, access, blocks, flags.lanes)
    pairwise, single, by_time = flags.pairwise, flags.single, flags.timed
    learns, watched = system.common is not None, flags.watched
    takes, drift, newcomer = system.absorb_takes, system.drift or no_op, system.newcomer or no_op
    keep = access_matrix_lanes(system.rating, flags.lanes)[1]
    pair = game_rules(system.game).pair
    places_of, read = learning.places, learning.read
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating) * flags.lanes)
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
        for c in range(low, high):
            if pairwise:
                first, last = two * number(c), two * number(c) + two
            else:
                first, last = start[c], start[c + one]
                if last - first < two:  # alone: nothing is rated
                    continue
            if not single:
                first, last = ends[first], ends[last]
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

    return loop
