"""The loop over duels for a bank, or for several settings that are played apart.

It is the loop of games, with an inner loop over the settings (lanes) in every step. Compiled, the
inner loops are vector instructions where the functions of the system allow it: no call, no loop,
no branch that differs between the settings. For that

    places are unsigned (a signed one is tested for being negative),
    the lanes of a field are neighbours, and their number is a constant,
    choices that are the same for all settings stand outside the inner loops,
    sums over the settings are eight partial sums, added in one order,
    exp and log are polynomials (see `vector_numeric`), as plain Python too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from prowess import kernel
from prowess.engine.float_bits import compiled_forms
from prowess.engine.loops import Flags, Memory, alone, steps
from prowess.engine.mixing import CHANCES, DRAWS, LOGS, PARTIAL, Work, mixing_of_games
from prowess.engine.rows import LISTS, Layout, lane_fields, lane_rows, matrix_lanes
from prowess.engine.system import Dynamic
from prowess.engine.vector_numeric import substitutes


def _unasked(*_: Any) -> Any:
    return None


def bank_loop(system: Dynamic, flags: Flags, layout: Layout) -> Callable[..., None]:
    """Rounds of one game under all settings: `loop(p, state, seen, work, a, b, ..., low, high)`.

    `work` is as `Work` says. Of a bank (`flags.mixed`) `forecasts` and `draws` receive the
    mixture, else [games, lanes] each. `slots` says for each member of a game where its rating is
    kept in `memory`, and beside it the logarithms of the weights.
    """
    listed = layout.scratch is LISTS.scratch
    number: Callable[[int], Any] = int if listed else np.uint64
    rules = steps(system, replace(flags, forecasts=False, watched=False), layout)
    expected, due, absorb = rules.expected, rules.due, system.absorb
    takes, part = system.absorb_takes, system.part or alone
    drift, chances = system.drift or _unasked, system.chances or _unasked
    shape = Work(flags.lanes, len(system.params))
    load, store = lane_rows(system.rating, flags.lanes, listed)
    keep = matrix_lanes(system.rating, flags.lanes)[1] if listed else store
    parameters = lane_fields(system.params, shape.width, listed)
    view, sized = layout.view(system.game), layout.sized(len(system.rating) * flags.lanes)
    timed, weighted, watched = flags.timed, flags.weighted, flags.watched
    mixed, drawing, forecasting = flags.mixed, flags.draws, flags.forecasts
    zero, two, three = number(0), number(2), number(3)
    eights = flags.lanes % PARTIAL == 0
    logs, chance, drawn = (number(shape.place(at)) for at in (LOGS, CHANCES, DRAWS))
    share, mix = mixing_of_games(shape, drawing, number)

    def loop(
        p: Any,
        state: Any,
        seen: Any,
        work: Any,
        a: Any,
        b: Any,
        games: Any,
        clock: Any,
        weights: Any,
        forecasts: Any,
        draws: Any,
        slots: Any,
        memory: Memory,
        low: int,
        high: int,
        lanes: Any,
        eight: Any,
    ) -> None:
        state = sized(state)
        eight = eight >> three << three  # it is 8, and a loop to 8 would be written out
        if eights:
            lanes = lanes >> three << three
        if not listed:
            p = work
        for row in range(low, high):
            i, j = a[row], b[row]
            if timed:
                now = clock[row]
                mine_idle, theirs_idle = now - seen[i] - takes, now - seen[j] - takes
                if mine_idle > 0.0:  # never of a player who is new: nan compares false
                    for k in range(zero, lanes):
                        store(state, i, k, drift(parameters(p, k), load(state, i, k), mine_idle))
                if theirs_idle > 0.0:
                    for k in range(zero, lanes):
                        store(state, j, k, drift(parameters(p, k), load(state, j, k), theirs_idle))
                seen[i] = seen[j] = now
            if watched:
                for side in range(zero, two):
                    at = slots[two * number(row) + side]
                    if at >= 0:
                        player = i if side == zero else j
                        for k in range(zero, lanes):
                            keep(memory.rating, number(at), k, load(state, player, k))
                            memory.sums[number(at), k] = work[logs + k]
            game = view(games, row)
            weight = weights[row] if weighted else 1.0
            for k in range(zero, lanes):
                of_lane = parameters(p, k)
                me, opponent = load(state, i, k), load(state, j, k)
                if mixed:
                    share(work, k)
                if forecasting:
                    work[chance + k] = expected(of_lane, me, opponent, game)
                if drawing:
                    mine, theirs = part(of_lane, me, 1.0), part(of_lane, opponent, 1.0)
                    work[drawn + k] = chances(of_lane, mine, theirs, game).draw
                of_me, of_opponent = due(of_lane, me, opponent, game, weight)
                store(state, i, k, absorb(of_lane, me, of_me))
                store(state, j, k, absorb(of_lane, opponent, of_opponent))
            if mixed:
                forecasts[row], draws[row] = mix(work, game.score, weight, lanes, eight)
            else:
                for k in range(zero, lanes):
                    forecasts[row, k] = work[chance + k]

    return loop


def vectorises(system: Dynamic) -> bool:
    """Whether the settings can go through the functions of a system side by side: no loops."""
    functions = (
        system.expected, system.evidence, system.absorb, system.drift,
        system.chances, system.part, system.due,
    )  # fmt: skip
    return not any(kernel.loops(one) for one in functions if one is not None)


def bank_substitutes(system: Dynamic, compiled: bool) -> dict[Any, Any]:
    """What stands for other functions in the loop: polynomials, where they make vectors of it.

    Where the settings have to take their turns one by one, the functions of `math` are faster.
    """
    if vectorises(system):
        return substitutes(compiled)
    return compiled_forms() if compiled else {}
