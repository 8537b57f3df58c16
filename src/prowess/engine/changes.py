"""Changes of all rounds, recomputed from the ratings before each game.

The ratings before a game determine the change, so rounds are independent here (no fold). The
functions are those of the loops and give the same bits, plain or compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile import kernel
from prowess.compile.intrinsics import row_sizer
from prowess.compile.worth import is_worth_compiling
from prowess.engine.league import NO_RULES
from prowess.engine.loops import Flags, make_steps
from prowess.engine.rows import (
    LISTS,
    MATRICES,
    StateLayout,
    game_columns,
    game_list,
    game_rules,
    make_sum,
    rows_as_tuples,
)
from prowess.engine.system import Dynamic, whole_game
from prowess.engine.table import count_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.meetings import PlayedTable
    from prowess.engine.watch import Watch

    Floats = NDArray[np.float64]


class Changes(NamedTuple):
    """The change of every entry of a table: a game has entries 2 row and 2 row + 1, a contest rows.

    A player alone in a contest is not rated: `after` is nan there.
    """

    after: Floats  # [entries, fields] the rating after the whole round
    expected: Floats  # [entries] the player's own; of a contest the mean against the field
    score: Floats  # [entries] likewise
    credit: Floats  # [entries] points of the game alone; 0 where the system has no `credit`


def changes(ratings: PlayedTable, seen: Watch) -> Changes:
    """Compute the change of every entry of a table; `seen` has recorded all games."""
    table, system = ratings.played_table, ratings.system
    bounds = ratings.rounds.bounds
    if bounds is None:
        bounds = np.arange(len(table) + 1)
    in_contests = not table.pairwise
    compiled = is_worth_compiling(count_pairs(table))
    flags = Flags(weighted=table.weight is not None, league=system.league is not None)
    loop = change_loop(in_contests, system, flags, compiled)
    count = len(seen.memory.rating)
    pooled = int(np.diff(bounds).max(initial=0)) if in_contests else len(table.players)
    fields, width = len(system.rating), len(system.evidence_zero)
    nothing = np.zeros(1)
    weights = nothing if table.weight is None else table.weight
    numbers = tuple(np.zeros(count) for _ in range(3))
    if compiled:
        memory: tuple[Any, Any] = (seen.memory.rating, seen.memory.sums)
        after: Any = np.full((count, fields), np.nan)
        pool: Any = np.zeros((pooled, width))
        arrays: tuple[Any, ...] = (bounds, weights)
    else:
        memory = (rows_as_tuples(system.rating, seen.memory.rating), seen.memory.sums.tolist())
        if system.league is not None:
            memory = (memory[0], rows_as_tuples(system.league.empty, seen.memory.sums))
        after = [(np.nan,) * fields] * count
        pool = [None] * pooled
        arrays = (bounds.tolist(), weights.tolist())
    shared = (ratings.p, *memory, *arrays, pool, after, *numbers)
    if not table.pairwise:
        loop(*shared, table.place if compiled else table.place.tolist())
    elif compiled:
        game = system.game
        loop(*shared, table.a, table.b, game_columns(table, game), np.full(pooled, -1))
    else:
        games = game_list(table, system.game, 0, len(table))
        loop(*shared, table.a.tolist(), table.b.tolist(), games, [-1] * pooled)
    if not compiled:
        after = np.array(after, dtype=np.float64).reshape(count, fields)
    return Changes(after, *numbers)


@cache
def change_loop(
    in_contests: bool, system: Dynamic, flags: Flags, compiled: bool
) -> Callable[..., None]:
    """The loop over a table with known ratings before every game."""
    layout = MATRICES._replace(sized=row_sizer) if compiled else LISTS
    loop = (_contest_changes if in_contests else _round_changes)(system, flags, layout)
    return kernel.compile_if_possible(loop) if compiled else loop


def _no_credit(p: Any, me: Any, after: Any, one: Any) -> float:
    return 0.0


def _unread(sums: Any, row: Any) -> float:
    return 0.0


def _absorbing(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., Any]:
    """A function (p, me, total, sums, row) -> the rating after the round."""
    absorb, league = system.absorb, flags.league
    read = _unread if system.league is None else layout.access(system.league.empty)[0]

    def absorb_round(p: Any, me: Any, total: Any, sums: Any, row: Any) -> Any:
        if league:
            return absorb(p, me, total, read(sums, row))
        return absorb(p, me, total)

    return absorb_round


def _round_changes(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Games: round r is the rows `bounds[r]:bounds[r + 1]`."""
    _, expected, judge, *_ = make_steps(system, flags, NO_RULES)
    absorb_round, credit = _absorbing(system, flags, layout), system.credit or _no_credit
    zero, add = system.evidence_zero, make_sum(system.evidence_zero)
    (load, store), view = layout.access(system.rating), layout.view(system.game)
    mirror = game_rules(system.game).mirror
    pool_load, pool_store = layout.access(zero)
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating))
    pool_sized: Any = layout.sized and layout.sized(len(zero))
    weighted = flags.weighted

    def loop(
        p: Any,
        before: Any,
        sums: Any,
        bounds: Any,
        weights: Any,
        pool: Any,
        after: Any,
        expectations: Any,
        scores: Any,
        credits_: Any,
        a: Any,
        b: Any,
        games: Any,
        stamp: Any,
    ) -> None:
        if widened:
            before, after, pool = sized(before), sized(after), pool_sized(pool)
        for r in range(len(bounds) - 1):
            for row in range(bounds[r], bounds[r + 1]):
                i, j = a[row], b[row]
                if stamp[i] != r:
                    stamp[i] = r
                    pool_store(pool, i, zero)
                if stamp[j] != r:
                    stamp[j] = r
                    pool_store(pool, j, zero)
                me, opponent, game = (
                    load(before, 2 * row),
                    load(before, 2 * row + 1),
                    view(games, row),
                )
                mine, theirs = judge(p, me, opponent, game, weights[row] if weighted else 1.0)
                pool_store(pool, i, add(pool_load(pool, i), mine))
                pool_store(pool, j, add(pool_load(pool, j), theirs))
            for row in range(bounds[r], bounds[r + 1]):
                first, second = 2 * row, 2 * row + 1
                me, opponent, game = load(before, first), load(before, second), view(games, row)
                mine, theirs = judge(p, me, opponent, game, weights[row] if weighted else 1.0)
                new = absorb_round(p, me, pool_load(pool, a[row]), sums, row)
                store(after, first, new)
                credits_[first] = credit(p, me, new, mine)
                new = absorb_round(p, opponent, pool_load(pool, b[row]), sums, row)
                store(after, second, new)
                credits_[second] = credit(p, opponent, new, theirs)
                expectations[first] = expected(p, me, opponent, game)
                expectations[second] = expected(p, opponent, me, mirror(game))
                scores[first] = game.score
                scores[second] = 1.0 - game.score

    return loop


def _contest_changes(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Contests: contest c is the rows `bounds[c]:bounds[c + 1]`."""
    pair_weight, weighted = system.pair_weight, flags.weighted
    shared = pair_weight is not whole_game
    of_pairs = Flags(weighted=weighted or shared)
    _, expected, judge, *_ = make_steps(system, of_pairs, NO_RULES)
    absorb_round = _absorbing(system, flags, layout)
    mirror, pair = game_rules(system.game).mirror, game_rules(system.game).pair
    zero, add = system.evidence_zero, make_sum(system.evidence_zero)
    load, store = layout.access(system.rating)
    pool_load, pool_store = layout.access(zero)
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating))
    pool_sized: Any = layout.sized and layout.sized(len(zero))

    def loop(
        p: Any,
        before: Any,
        sums: Any,
        bounds: Any,
        weights: Any,
        pool: Any,
        after: Any,
        expectations: Any,
        scores: Any,
        credits_: Any,
        place: Any,
    ) -> None:
        if widened:
            before, after, pool = sized(before), sized(after), pool_sized(pool)
        for c in range(len(bounds) - 1):
            first, last = bounds[c], bounds[c + 1]
            if last - first < 2:
                continue
            others = float(last - first - 1)
            weight = pair_weight(others + 1.0) if shared else 1.0
            if weighted:
                weight *= weights[c]
            for x in range(first, last):
                pool_store(pool, x - first, zero)
            for x in range(first, last):
                me = load(before, x)
                for y in range(x + 1, last):
                    opponent = load(before, y)
                    score = 0.5
                    if place[x] < place[y]:
                        score = 1.0
                    elif place[x] > place[y]:
                        score = 0.0
                    game = pair(score)
                    mine, theirs = judge(p, me, opponent, game, weight)
                    pool_store(pool, x - first, add(pool_load(pool, x - first), mine))
                    pool_store(pool, y - first, add(pool_load(pool, y - first), theirs))
                    expectations[x] += expected(p, me, opponent, game)
                    expectations[y] += expected(p, opponent, me, mirror(game))
                    scores[x] += score
                    scores[y] += 1.0 - score
            for x in range(first, last):
                store(
                    after, x, absorb_round(p, load(before, x), pool_load(pool, x - first), sums, x)
                )
                expectations[x] /= others
                scores[x] /= others

    return loop
