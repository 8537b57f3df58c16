"""The replay loops: three forms of one fold, made from the same functions of a system.

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

The sums of a league are numbers over all players that the loops carry along. A sum, such as the
mean of the established ones, is kept up to date: a player's part is replaced when the rating
changes. Where only active players count, the known ones are kept in a ring ordered by when they
were last seen; the next one to become idle is at its front, so each game takes constant time
however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from prowess.engine.rows import (
    StateLayout,
    access_matrix,
    access_matrix_lanes,
    game_rules,
    make_access,
    make_function,
    make_mirror,
    make_replacement,
    make_scaling,
    make_sum,
    no_op,
)
from prowess.engine.system import Dynamic


class Sums(NamedTuple):
    """What the loop carries along for a league.

    `ring[k]` holds the neighbours (earlier, later) of player k - 1; row 0 is the ring's clasp;
    a player outside the ring has (-1, -1).
    """

    totals: Any  # one row: the sum
    ring: Any  # [players + 1, 2] int64
    last: Any  # [players] the clock at which each was last seen


class LeagueRules(NamedTuple):
    """The functions the loop calls; of a system without a league it calls none."""

    enter: Callable[..., Any]  # (p, sums, state, now) -> the sum, without those idle too long
    absorb: Callable[..., Any]  # (p, player, me, total, sums, sum, now) -> the new rating
    read: Callable[..., Any] = no_op  # (sums) -> the sum
    keep: Callable[..., None] = no_op  # (matrix, row, sum): remember the sum for an explanation


NO_RULES = LeagueRules(no_op, no_op)


def league_rules(system: Dynamic, layout: StateLayout) -> LeagueRules:
    """The rules of the league of a system that has one."""
    assert system.league is not None
    absorb, standing, empty = system.absorb, system.league.standing, system.league.empty
    read_row, write_row = layout.access(empty)
    load, _ = layout.access(system.rating)
    moved = make_replacement(empty)
    idle_days = make_function("idle_days(p)", f"return p.{system.league.active_days or 'name'}")
    counts_active = system.league.active_days is not None

    def read(sums: Any) -> Any:
        return read_row(sums.totals, 0)

    def enter(p: Any, sums: Any, state: Any, now: float) -> Any:
        if counts_active:
            limit = idle_days(p)
            if limit > 0.0:
                oldest = sums.ring[0, 1] - 1
                while oldest >= 0 and now - sums.last[oldest] > limit:
                    part = standing(p, load(state, oldest))
                    write_row(sums.totals, 0, moved(read_row(sums.totals, 0), part, empty))
                    unlink(sums.ring, oldest + 1)
                    oldest = sums.ring[0, 1] - 1
        return read_row(sums.totals, 0)

    def absorb_in_league(
        p: Any, player: Any, me: Any, total: Any, sums: Any, at_start: Any, now: float
    ) -> Any:
        new = absorb(p, me, total, at_start)
        old, part = standing(p, me), standing(p, new)
        if counts_active:
            link = player + 1
            if sums.ring[link, 0] < 0:
                old = empty
            else:
                unlink(sums.ring, link)
            append(sums.ring, link)
            sums.last[player] = now
        write_row(sums.totals, 0, moved(read_row(sums.totals, 0), old, part))
        return new

    return LeagueRules(enter, absorb_in_league, read, access_matrix(empty)[1])


def unlink(ring: Any, link: int) -> None:
    """Take a player out of the ring."""
    earlier, later = ring[link, 0], ring[link, 1]
    ring[earlier, 1] = later
    ring[later, 0] = earlier
    ring[link, 0] = -1
    ring[link, 1] = -1


def append(ring: Any, link: int) -> None:
    """Put a player at the ring's end: seen last."""
    earlier = ring[0, 0]
    ring[link, 0] = earlier
    ring[link, 1] = 0
    ring[earlier, 1] = link
    ring[0, 0] = link


# --- the loops ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flags:
    """What one run of the loop needs beyond the ratings themselves."""

    timed: bool = False  # games have times and the system drifts
    weighted: bool = False
    forecasts: bool = False
    watched: bool = False  # ratings before chosen games are kept; a bank's memory says it
    followed: bool = False  # those after them as well
    foreseen: bool = False  # and the own expected score of members of contests
    credited: bool = False  # and what each game of a round of many brought
    learnt: bool = False  # what these games read of the numbers that all share is kept too
    league: bool = False
    draws: bool = False  # the chance of a draw is kept beside the forecast
    losses: bool = False  # of contests: the mean log loss of their pairs is kept, as `draws`
    pairwise: bool = True  # games of two sides; the rest is of the loop over sides alone
    pooled: bool = False  # rounds of many games
    single: bool = True  # all sides are one player who played all; of the loop over a bank alone
    repeats: bool = False  # a member may stand on two sides of a contest
    known: tuple[bool, ...] = ()  # the fields of a Game that the table has; of the loop over a bank
    lanes: int = 1  # of a bank: settings that are played at once
    mixed: bool = True  # the lanes are a bank; else settings that are played apart
    roles: int = 1  # of members that have parameters of their own, crews and company too
    others: int = 1  # roles of the table: 0 and those from here on are of players
    counted: bool = False  # without times a game of a member's own is `untimed` units of the clock
    steered: bool = False  # factors multiply shares
    company: bool = False  # newcomers come towards known opponents; the last role is its own
    fours: bool = False  # in each four settings the first step of `fading` is the same
    alike: tuple[bool, ...] = ()  # parameters that are read once for all settings, see `find_alike`
    owned: bool = False  # rounds of many games move some of the players only
    phase: str = ""  # of a contest under a bank: sides, pairs or members alone; else all three


NO_ROWS, NO_NUMBERS = np.zeros((0, 1)), np.zeros(0)


class Snapshots(NamedTuple):
    """Ratings and sums before each watched game, and what became of the ratings."""

    rating: Any  # [rows, fields] ratings before the game; a slot of a duel has two rows
    sums: Any  # [slots, sums]: the league's sums before the game
    after: Any = NO_ROWS  # as `rating`: the ratings after the round; nan where nothing is rated
    expected: Any = NO_NUMBERS  # [rows] what each member was expected to score, or nothing
    credit: Any = NO_NUMBERS  # [2 * slots] what each game of a round brought, or nothing
    share: Any = NO_ROWS  # [rows, settings] the share of each member with its factor, or nothing
    carried: Any = NO_ROWS  # as `rating`: what opponents saw in the last pass, or nothing


def lone_side(p: Any, me: Any, share: float) -> Any:
    """The side of a member of a system that rates single players: the rating itself."""
    return me


def whole_evidence(p: Any, me: Any, share: float, mine: Any, one: Any) -> Any:
    """A member's part of the side's evidence: all of it, the default of `due`."""
    return one


def carry_after(p: Any, me: Any, after: Any, number: float) -> Any:
    """What opponents see of a player in a further pass: the rating after the pass before."""
    return after


def judges_whole(system: Dynamic, pairwise: bool) -> bool:
    """Whether a system judges the contests of a table at once, and not two sides at a time."""
    return system.contest is not None and not (pairwise and system.evidence is not None)


def make_age(system: Dynamic, takes: float) -> Callable[..., Any]:
    """A function (p, me, seen, now) -> me when the round begins; `takes` units do not count."""
    drift = system.drift or no_op

    def age(p: Any, me: Any, seen: float, now: float) -> Any:
        elapsed = now - seen - takes
        if elapsed > 0.0:  # never true for a new player: nan compares false
            return drift(p, me, elapsed)
        return me

    return age


class Steps(NamedTuple):
    """The steps that the loops share. A flag that is off compiles to nothing."""

    note: Callable[..., None]  # keep the forecast and the ratings before a game
    expected: Callable[..., float]  # (p, me, opponent, game) -> the forecast of two players
    judge: Callable[..., tuple[Any, Any]]  # (p, me, opponent, game, weight) -> evidence of both
    judge_first: Callable[..., Any]  # the same bits, of the first player alone
    judge_second: Callable[..., Any]


def make_steps(system: Dynamic, flags: Flags, league: LeagueRules) -> Steps:
    """The steps of one system under some flags."""
    evidence, forecast, chances = system.evidence, system.expected, system.chances or no_op
    part, due = system.part or lone_side, system.due or whole_evidence
    derived = system.mirrors is not None
    mirror = game_rules(system.game).mirror
    opposite = make_mirror(system.evidence_zero, system.mirrors)
    weighted, forecasting, drawing = flags.weighted, flags.forecasts, flags.draws
    watched, followed, in_league = flags.watched, flags.followed, flags.league
    weigh = make_scaling(system.evidence_zero) if weighted else no_op
    keep = access_matrix(system.rating)[1] if watched else no_op
    keep_sums, read_sums = league.keep, league.read

    def expected_score(p: Any, me: Any, opponent: Any, game: Any) -> float:
        return forecast(p, part(p, me, 1.0), part(p, opponent, 1.0), game)

    def note(
        p: Any, row: int, me: Any, opponent: Any, game: Any,
        forecasts: Any, draws: Any, slots: Any, memory: Snapshots, league_state: Any,
    ) -> None:  # fmt: skip
        if forecasting:
            forecasts[row] = expected_score(p, me, opponent, game)
        if drawing:
            draws[row] = chances(p, part(p, me, 1.0), part(p, opponent, 1.0), game).draw
        if watched and slots[row] >= 0:
            first, second = 2 * slots[row], 2 * slots[row] + 1
            keep(memory.rating, first, me)
            keep(memory.rating, second, opponent)
            if followed:
                memory.expected[first] = expected_score(p, me, opponent, game)
                memory.expected[second] = expected_score(p, opponent, me, mirror(game))
            if in_league:
                keep_sums(memory.sums, slots[row], read_sums(league_state))

    def judge(p: Any, me: Any, opponent: Any, game: Any, weight: float) -> tuple[Any, Any]:
        mine, theirs = part(p, me, 1.0), part(p, opponent, 1.0)
        one = evidence(p, mine, theirs, game)
        other = opposite(one) if derived else evidence(p, theirs, mine, mirror(game))
        one, other = due(p, me, 1.0, mine, one), due(p, opponent, 1.0, theirs, other)
        if weighted:
            return weigh(one, weight), weigh(other, weight)
        return one, other

    def judge_first(p: Any, me: Any, opponent: Any, game: Any, weight: float) -> Any:
        mine, theirs = part(p, me, 1.0), part(p, opponent, 1.0)
        one = due(p, me, 1.0, mine, evidence(p, mine, theirs, game))
        return weigh(one, weight) if weighted else one

    def judge_second(p: Any, me: Any, opponent: Any, game: Any, weight: float) -> Any:
        mine, theirs = part(p, me, 1.0), part(p, opponent, 1.0)
        if derived:
            other = opposite(evidence(p, mine, theirs, game))
        else:
            other = evidence(p, theirs, mine, mirror(game))
        other = due(p, opponent, 1.0, theirs, other)
        return weigh(other, weight) if weighted else other

    return Steps(note, expected_score, judge, judge_first, judge_second)


def game_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of one game: `loop(p, state, seen, league_state, a, b, games, ..., low, high)`."""
    rules = league_rules(system, layout) if flags.league else NO_RULES
    note, _, judge, *_ = make_steps(system, flags, rules)
    age = make_age(system, system.absorb_takes) if flags.timed else no_op
    absorb, noting = system.absorb, flags.forecasts or flags.draws or flags.watched
    followed, keep = flags.followed, access_matrix(system.rating)[1] if flags.followed else no_op
    league, enter_league, absorb_in_league = flags.league, rules.enter, rules.absorb
    (load, store), view = layout.access(system.rating), layout.view(system.game)
    timed, weighted, clocked = flags.timed, flags.weighted, flags.timed or flags.league
    ahead, ask = layout.ask is not None, layout.ask or no_op
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating))

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
        draws: Any,
        slots: Any,
        memory: Snapshots,
        low: int,
        high: int,
        distance: int,
    ) -> None:
        if widened:
            state = sized(state)
        for row in range(low, high):
            if ahead:
                later = row + distance
                if later >= high:
                    later = row
                ask(state, a[later])
                ask(state, b[later])
            i, j = a[row], b[row]
            now = clock[row] if clocked else 0.0
            sums = enter_league(p, league_state, state, now) if league else 0.0
            me, opponent = load(state, i), load(state, j)
            if timed:
                me, opponent = age(p, me, seen[i], now), age(p, opponent, seen[j], now)
                seen[i] = seen[j] = now
            game = view(games, row)
            if noting:
                note(p, row, me, opponent, game, forecasts, draws, slots, memory, league_state)
            weight = weights[row] if weighted else 1.0
            mine, theirs = judge(p, me, opponent, game, weight)
            if league:
                me = absorb_in_league(p, i, me, mine, league_state, sums, now)
                opponent = absorb_in_league(p, j, opponent, theirs, league_state, sums, now)
            else:
                me, opponent = absorb(p, me, mine), absorb(p, opponent, theirs)
            store(state, i, me)
            store(state, j, opponent)
            if followed and slots[row] >= 0:
                keep(memory.after, 2 * slots[row], me)
                keep(memory.after, 2 * slots[row] + 1, opponent)

    return loop


def round_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of many games: round r is the games `bounds[r]:bounds[r + 1]`.

    Owned, only the players `first:last` move, and the table has all their games. The others are
    aged, which concerns nobody else; what they learn from other games is not known here.
    """
    rules = league_rules(system, layout) if flags.league else NO_RULES
    note, _, judge, judge_first, judge_second = make_steps(system, flags, rules)
    age = make_age(system, system.absorb_takes) if flags.timed else no_op
    absorb, noting = system.absorb, flags.forecasts or flags.draws or flags.watched
    followed, credited, credit = flags.followed, flags.credited, system.credit or no_op
    read_kept, keep = access_matrix(system.rating)
    league, enter_league, absorb_in_league = flags.league, rules.enter, rules.absorb
    zero, add = system.evidence_zero, make_sum(system.evidence_zero)
    (load, store), view = layout.access(system.rating), layout.view(system.game)
    pool_load, pool_store = layout.access(zero)
    owned, timed, weighted = flags.owned, flags.timed, flags.weighted
    clocked = flags.timed or flags.league
    ahead, ask = layout.ask is not None, layout.ask or no_op
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating))
    pool_sized: Any = layout.sized and layout.sized(len(zero))

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
        draws: Any,
        slots: Any,
        memory: Snapshots,
        low: int,
        high: int,
        distance: int,
        first: int,
        last: int,
    ) -> None:
        if widened:
            state, pool = sized(state), pool_sized(pool)
        for r in range(low, high):
            count = 0
            now = clock[r] if clocked else 0.0
            sums = enter_league(p, league_state, state, now) if league else 0.0
            for row in range(bounds[r], bounds[r + 1]):
                if ahead and row + distance < bounds[r + 1]:
                    ask(stamp, a[row + distance])
                    ask(stamp, b[row + distance])
                for side in range(2):
                    i = a[row] if side == 0 else b[row]
                    if stamp[i] != r:
                        stamp[i] = r
                        if timed:
                            store(state, i, age(p, load(state, i), seen[i], now))
                            seen[i] = now
                        if owned and not first <= i < last:
                            continue
                        present[count] = i
                        count += 1
                        pool_store(pool, i, zero)
            for row in range(bounds[r], bounds[r + 1]):
                if ahead and row + distance < bounds[r + 1]:
                    ask(state, a[row + distance])
                    ask(state, b[row + distance])
                    ask(pool, a[row + distance])
                    ask(pool, b[row + distance])
                i, j = a[row], b[row]
                me, opponent, game = load(state, i), load(state, j), view(games, row)
                if noting:
                    note(p, row, me, opponent, game, forecasts, draws, slots, memory, league_state)
                weight = weights[row] if weighted else 1.0
                if owned:
                    if first <= i < last:
                        one = judge_first(p, me, opponent, game, weight)
                        pool_store(pool, i, add(pool_load(pool, i), one))
                    if first <= j < last:
                        one = judge_second(p, me, opponent, game, weight)
                        pool_store(pool, j, add(pool_load(pool, j), one))
                else:
                    mine, theirs = judge(p, me, opponent, game, weight)
                    pool_store(pool, i, add(pool_load(pool, i), mine))
                    pool_store(pool, j, add(pool_load(pool, j), theirs))
            for k in range(count):
                if ahead and k + distance < count:
                    ask(state, present[k + distance])
                    ask(pool, present[k + distance])
                i = present[k]
                me, total = load(state, i), pool_load(pool, i)
                if league:
                    store(state, i, absorb_in_league(p, i, me, total, league_state, sums, now))
                else:
                    store(state, i, absorb(p, me, total))
            if followed:
                for row in range(bounds[r], bounds[r + 1]):
                    if slots[row] >= 0:
                        first_row, second_row = 2 * slots[row], 2 * slots[row] + 1
                        new, others = load(state, a[row]), load(state, b[row])
                        keep(memory.after, first_row, new)
                        keep(memory.after, second_row, others)
                        if credited:
                            me = read_kept(memory.rating, first_row)
                            opponent = read_kept(memory.rating, second_row)
                            weight = weights[row] if weighted else 1.0
                            mine, theirs = judge(p, me, opponent, view(games, row), weight)
                            memory.credit[first_row] = credit(p, me, new, mine)
                            memory.credit[second_row] = credit(p, opponent, others, theirs)

    return loop


def ageing_loop(system: Dynamic, lanes: int, *, seasonal: bool) -> Callable[..., None]:
    """The loop that ages all players: each row of the state is drifted to `now`.

    Where it is `seasonal`, a season begins instead for all who have played; `field` is a row of the
    means of their ratings. `rows` are the parameters by setting (lane) and role, as lists or a
    matrix.
    """
    load, store = access_matrix_lanes(system.rating, lanes)
    parameters, _ = make_access("rows, row", "rows[row][{k}]", system.params)
    age, begin = make_age(system, 0.0), system.season or no_op

    def loop(
        rows: Any, roles: int, state: Any, seen: Any, role: Any, now: float, field: Any,
        players: int,
    ) -> None:  # fmt: skip
        for i in range(players):
            for lane in range(lanes):
                p, me = parameters(rows, lane * roles + role[i]), load(state, i, lane)
                if not seasonal:
                    store(state, i, lane, age(p, me, seen[i], now))
                elif seen[i] == seen[i]:  # nan: never seen
                    store(state, i, lane, begin(p, me, load(field, 0, lane)))

    return loop
