"""The loop: three forms of one fold, made from the same functions of a system.

    rounds of one game   nothing is pooled, a game goes from evidence to new ratings in registers
    rounds of many games every game of the round is judged by the ratings before it
    contests             one round of all pairs

Each maker returns a plain function over a layout (see `rows`). The flags are constants in its
closure, so the compiler removes what a run does not need.

Arguments that all three share: `p` parameters; `state` of all players; `seen` the clock at which
each was last seen (nan: never); `league_state` the league's sums; `clock` the time of a game (or
of a round) in the system's unit; `weights` per game (or contest); `forecasts` receives the expected
score of side a before the game; `slots` tells where the ratings before a game are to be kept in
`memory` (negative: nowhere).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from prowess.engine.league import league_rules
from prowess.engine.rows import Layout, added, matrix_access, mirror, negated, row_store, scaled
from prowess.engine.system import Dynamic, Game


@dataclass(frozen=True)
class Flags:
    """What one run of the loop needs beyond the ratings themselves."""

    timed: bool = False  # games have times and the system drifts
    weighted: bool = False
    forecasts: bool = False
    watched: bool = False  # ratings before chosen games are kept
    league: bool = False


class Memory(NamedTuple):
    """What is kept for an explanation."""

    rating: Any  # [2 * slots, fields], of contests [slots, fields]: ratings before the game
    sums: Any  # [slots, sums]: the league's sums before the game


def _untouched(p: Any, me: Any, elapsed: float) -> Any:
    return me


def _unasked(matrix: Any, row: Any) -> None:
    return None


def _aged(drift: Callable[..., Any], takes: float) -> Callable[..., Any]:
    def aged(p: Any, me: Any, seen: float, now: float) -> Any:
        elapsed = now - seen - takes
        if elapsed > 0.0:  # never true for a player nobody has seen: nan compares false
            return drift(p, me, elapsed)
        return me

    return aged


def game_loop(system: Dynamic, flags: Flags, layout: Layout) -> Callable[..., None]:
    """Rounds of one game: `loop(p, state, seen, totals, a, b, games, ..., low, high)`."""
    expected, evidence, absorb = system.expected, system.evidence, system.absorb
    (load, store), view, keep = layout.access(system.rating), layout.view, row_store(system.rating)
    aged = _aged(system.drift or _untouched, system.absorb_takes)
    weigh, negative = scaled(system.evidence_zero), negated(system.evidence_zero)
    standing, league_sums, expire, change, keep_sums = league_rules(system, layout)
    timed, weighted, forecasting = flags.timed, flags.weighted, flags.forecasts
    watched, league, exchange = flags.watched, flags.league, system.exchange
    ahead, ask = layout.ask is not None, layout.ask or _unasked
    sized = layout.sized(len(system.rating))

    def loop(
        p: Any,
        state: Any,
        seen: Any,
        league_state: Any,
        a: Any,
        b: Any,
        games: Any,
        clock: Any,
        weights: Any,
        forecasts: Any,
        slots: Any,
        memory: Memory,
        low: int,
        high: int,
        distance: int,
    ) -> None:
        state = sized(state)
        for row in range(low, high):
            if ahead:
                later = row + distance
                if later >= high:
                    later = row
                ask(state, a[later])
                ask(state, b[later])
            i, j = a[row], b[row]
            if league:
                expire(p, league_state, state, clock[row])
            me, opponent = load(state, i), load(state, j)
            if league:
                old_me, old_opponent = standing(p, me), standing(p, opponent)
            if timed:
                me = aged(p, me, seen[i], clock[row])
                opponent = aged(p, opponent, seen[j], clock[row])
                seen[i] = seen[j] = clock[row]
            game = view(games, row)
            if forecasting:
                forecasts[row] = expected(p, me, opponent, game)
            if watched and slots[row] >= 0:
                keep(memory.rating, 2 * slots[row], me)
                keep(memory.rating, 2 * slots[row] + 1, opponent)
                if league:
                    keep_sums(memory.sums, slots[row], league_sums(league_state))
            mine = evidence(p, me, opponent, game)
            theirs = negative(mine) if exchange else evidence(p, opponent, me, mirror(game))
            if weighted:
                mine, theirs = weigh(mine, weights[row]), weigh(theirs, weights[row])
            if league:
                sums = league_sums(league_state)
                me = absorb(p, me, mine, sums)
                opponent = absorb(p, opponent, theirs, sums)
                change(league_state, i, old_me, standing(p, me), clock[row])
                change(league_state, j, old_opponent, standing(p, opponent), clock[row])
            else:
                me = absorb(p, me, mine)
                opponent = absorb(p, opponent, theirs)
            store(state, i, me)
            store(state, j, opponent)

    return loop


def round_loop(system: Dynamic, flags: Flags, layout: Layout) -> Callable[..., None]:
    """Rounds of many games: round r is the games `bounds[r]:bounds[r + 1]`."""
    expected, evidence, absorb = system.expected, system.evidence, system.absorb
    (load, store), view, keep = layout.access(system.rating), layout.view, row_store(system.rating)
    pool_load, pool_store = layout.access(system.evidence_zero)
    aged = _aged(system.drift or _untouched, system.absorb_takes)
    zero, add = system.evidence_zero, added(system.evidence_zero)
    weigh, negative = scaled(zero), negated(zero)
    standing, league_sums, expire, change, keep_sums = league_rules(system, layout)
    timed, weighted, forecasting = flags.timed, flags.weighted, flags.forecasts
    watched, league, exchange = flags.watched, flags.league, system.exchange
    ahead, ask = layout.ask is not None, layout.ask or _unasked
    sized, pool_sized = layout.sized(len(system.rating)), layout.sized(len(zero))

    def loop(
        p: Any,
        state: Any,
        seen: Any,
        league_state: Any,
        pool: Any,
        stamp: Any,
        present: Any,
        a: Any,
        b: Any,
        games: Any,
        bounds: Any,
        clock: Any,
        weights: Any,
        forecasts: Any,
        slots: Any,
        memory: Memory,
        low: int,
        high: int,
        distance: int,
    ) -> None:
        state, pool = sized(state), pool_sized(pool)
        for r in range(low, high):
            count = 0
            if league:
                expire(p, league_state, state, clock[r])
            for row in range(bounds[r], bounds[r + 1]):
                if ahead and row + distance < bounds[r + 1]:
                    ask(stamp, a[row + distance])
                    ask(stamp, b[row + distance])
                for side in range(2):
                    i = a[row] if side == 0 else b[row]
                    if stamp[i] != r:
                        stamp[i] = r
                        present[count] = i
                        count += 1
                        pool_store(pool, i, zero)
                        if timed:
                            store(state, i, aged(p, load(state, i), seen[i], clock[r]))
                            seen[i] = clock[r]
            for row in range(bounds[r], bounds[r + 1]):
                if ahead and row + distance < bounds[r + 1]:
                    ask(state, a[row + distance])
                    ask(state, b[row + distance])
                    ask(pool, a[row + distance])
                    ask(pool, b[row + distance])
                i, j = a[row], b[row]
                me, opponent = load(state, i), load(state, j)
                game = view(games, row)
                if forecasting:
                    forecasts[row] = expected(p, me, opponent, game)
                if watched and slots[row] >= 0:
                    keep(memory.rating, 2 * slots[row], me)
                    keep(memory.rating, 2 * slots[row] + 1, opponent)
                    if league:
                        keep_sums(memory.sums, slots[row], league_sums(league_state))
                mine = evidence(p, me, opponent, game)
                theirs = negative(mine) if exchange else evidence(p, opponent, me, mirror(game))
                if weighted:
                    mine, theirs = weigh(mine, weights[row]), weigh(theirs, weights[row])
                pool_store(pool, i, add(pool_load(pool, i), mine))
                pool_store(pool, j, add(pool_load(pool, j), theirs))
            if league:
                sums = league_sums(league_state)
            for k in range(count):
                if ahead and k + distance < count:
                    ask(state, present[k + distance])
                    ask(pool, present[k + distance])
                i = present[k]
                me = load(state, i)
                if league:
                    new = absorb(p, me, pool_load(pool, i), sums)
                    change(league_state, i, standing(p, me), standing(p, new), clock[r])
                else:
                    new = absorb(p, me, pool_load(pool, i))
                store(state, i, new)

    return loop


def contest_loop(system: Dynamic, flags: Flags, layout: Layout) -> Callable[..., None]:
    """Contests: everyone meets everyone once; contest c is rows `bounds[c]:bounds[c + 1]`.

    `forecasts` receives, per row, the mean expected score against the rest of the field.
    """
    expected, evidence, absorb = system.expected, system.evidence, system.absorb
    (load, store), keep = layout.access(system.rating), row_store(system.rating)
    pool_load, pool_store = layout.access(system.evidence_zero)
    aged = _aged(system.drift or _untouched, system.absorb_takes)
    zero, add = system.evidence_zero, added(system.evidence_zero)
    weigh, negative = scaled(zero), negated(zero)
    standing, league_sums, expire, change, keep_sums = league_rules(system, layout)
    timed, weighted, forecasting = flags.timed, flags.weighted, flags.forecasts
    watched, league, exchange = flags.watched, flags.league, system.exchange
    shared = system.contest_share
    sized, pool_sized = layout.sized(len(system.rating)), layout.sized(len(zero))

    def loop(
        p: Any,
        state: Any,
        seen: Any,
        league_state: Any,
        pool: Any,
        player: Any,
        place: Any,
        bounds: Any,
        clock: Any,
        weights: Any,
        forecasts: Any,
        slots: Any,
        memory: Memory,
        low: int,
        high: int,
    ) -> None:
        state, pool = sized(state), pool_sized(pool)
        for c in range(low, high):
            first, last = bounds[c], bounds[c + 1]
            if last - first < 2:  # alone: nothing is rated
                continue
            share = 1.0
            if shared:
                share /= last - first - 1
            if weighted:
                share *= weights[c]
            if league:
                expire(p, league_state, state, clock[c])
            for x in range(first, last):
                i = player[x]
                pool_store(pool, x - first, zero)
                if timed:
                    store(state, i, aged(p, load(state, i), seen[i], clock[c]))
                    seen[i] = clock[c]
                if forecasting:
                    forecasts[x] = 0.0
                if watched and slots[x] >= 0:
                    keep(memory.rating, slots[x], load(state, i))
                    if league:
                        keep_sums(memory.sums, slots[x], league_sums(league_state))
            for x in range(first, last):
                me = load(state, player[x])
                for y in range(x + 1, last):
                    opponent = load(state, player[y])
                    score = 0.5
                    if place[x] < place[y]:
                        score = 1.0
                    elif place[x] > place[y]:
                        score = 0.0
                    game = Game(score, 0.0, 0.0, 0.0, 0.0, 0.0)
                    if forecasting:
                        chance = expected(p, me, opponent, game)
                        forecasts[x] += chance / (last - first - 1)
                        forecasts[y] += (1.0 - chance) / (last - first - 1)
                    mine = evidence(p, me, opponent, game)
                    theirs = negative(mine) if exchange else evidence(p, opponent, me, mirror(game))
                    if weighted or shared:
                        mine, theirs = weigh(mine, share), weigh(theirs, share)
                    pool_store(pool, x - first, add(pool_load(pool, x - first), mine))
                    pool_store(pool, y - first, add(pool_load(pool, y - first), theirs))
            if league:
                sums = league_sums(league_state)
            for x in range(first, last):
                me = load(state, player[x])
                if league:
                    new = absorb(p, me, pool_load(pool, x - first), sums)
                    change(league_state, player[x], standing(p, me), standing(p, new), clock[c])
                else:
                    new = absorb(p, me, pool_load(pool, x - first))
                store(state, player[x], new)

    return loop


def ageing_loop(system: Dynamic) -> Callable[..., None]:
    """Time passes for everybody: each row of the state is drifted to `now`."""
    load, store = matrix_access(system.rating)
    aged = _aged(system.drift or _untouched, 0.0)

    def loop(p: Any, state: Any, seen: Any, now: float, players: int) -> None:
        for i in range(players):
            store(state, i, aged(p, load(state, i), seen[i], now))

    return loop
