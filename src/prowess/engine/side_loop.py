"""The replay loop over sides: contests of any number of sides, sides of any number of members.

The fold of the loops of duels over the offsets contest -> side -> member. It also plays banks (one
lane a setting), members by role, numbers that all games share, and systems that judge a whole
contest at once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from prowess.engine.loops import (
    NO_RULES,
    Flags,
    Snapshots,
    carry_after,
    judges_whole,
    league_rules,
    lone_side,
    make_age,
    whole_evidence,
)
from prowess.engine.numeric import pair_loss
from prowess.engine.rows import (
    StateLayout,
    access_matrix_lanes,
    common_keep,
    game_rules,
    learnt_rules,
    make_difference,
    make_function,
    make_mirror,
    make_moving,
    make_scaling,
    make_sum,
    no_op,
)
from prowess.engine.system import Dynamic, whole_game


def side_loop(system: Dynamic, flags: Flags, layout: StateLayout) -> Callable[..., None]:
    """Rounds of contests: round r is contest r, or the games `bounds[r]:bounds[r + 1]`.

    Contest c has the sides `start[c]:start[c + 1]` (of a pairwise table 2 c and 2 c + 1), side s
    the members `ends[s]:ends[s + 1]`. `p` is one tuple of parameters, or rows of them by lane and
    role. `sides` have room for the sides of one contest, `ones` for its members, `room` for what
    `contest` works on; `pool`, `stamp` and `present` are used where a round holds several games,
    and `carried`, ratings as opponents see them, where these are judged in several passes.
    `forecasts` and `draws` are [entries, lanes]: an entry is a game of a pairwise table, else a
    side. `slots` says for each member where its rating is kept in `memory`.
    """
    pairwise, pooled, pair_weight = flags.pairwise, flags.pooled, system.pair_weight
    passes, carry = system.passes, system.carry or carry_after
    again = passes > 1
    shared = pair_weight is not whole_game
    lanes, roles, timed, own_weights = flags.lanes, flags.roles, flags.timed, flags.weighted
    others = flags.others
    age = make_age(system, system.absorb_takes)
    read, teach = learnt_rules(system, layout, lanes)
    learning, keep_common = system.common is not None, common_keep(system, lanes)
    gradient, gradient_zero, grow, lessen = no_op, 0.0, no_op, no_op
    steered, company, of_company = flags.steered, flags.company, flags.roles - 1
    pull, learn_factor, load_factor, store_factor = no_op, no_op, no_op, no_op
    value, (distance, moved, as_rating) = no_op, (no_op, no_op, no_op)
    if system.common is not None:
        value = make_function("value(row)", f"return row.{system.common.row._fields[0]}")
        pull, learn_factor = system.common.pull or no_op, system.common.learn_factor or no_op
        load_factor, store_factor = layout.lanes(system.common.row, lanes)
        distance, moved, as_rating = make_moving(system.rating)
        gradient, gradient_zero = system.common.gradient, system.common.gradient_zero
        grow, lessen = make_sum(gradient_zero), make_scaling(gradient_zero)
    in_league = league_rules(system, layout) if flags.league else NO_RULES
    enter_league, absorb_in_league, league_sums, keep_sums = in_league
    newcomer, chances = system.newcomer or no_op, system.chances or no_op
    expected, evidence, absorb = system.expected, system.evidence, system.absorb
    derived = system.mirrors is not None
    opposite = make_mirror(system.evidence_zero, system.mirrors)
    due, part, zero = system.due or whole_evidence, system.part or lone_side, system.evidence_zero
    side = system.side_shape
    whole, contest = judges_whole(system, pairwise), system.contest or no_op
    works = system.room is not None
    summed, weighted = not (pairwise or whole), flags.weighted or (shared and not pairwise)
    load, store = layout.lanes(system.rating, lanes)
    pool_load, pool_store = layout.lanes(zero, 1)
    side_load, side_store = layout.items(side)
    one_load, one_store = layout.items(zero)
    side_columns, one_columns = layout.columns(side), layout.columns(zero)
    gather, (_, keep) = layout.gather(zero), access_matrix_lanes(system.rating, lanes)
    add, plus, weigh = make_sum(side), make_sum(zero), make_scaling(zero)
    less, repeats, losing = make_difference(side), flags.repeats, flags.losses
    view, (mirror, pair, _) = layout.view(system.game), game_rules(system.game)
    many, league = lanes > 1 or roles > 1, flags.league
    parameters = layout.access(system.params)[0] if many else no_op
    forecasting, drawing, watched = flags.forecasts, flags.draws, flags.watched
    followed, foreseen, learnt = flags.followed, flags.foreseen, flags.learnt
    widened = layout.sized is not None
    sized: Any = layout.sized and layout.sized(len(system.rating) * lanes)
    clocked = timed or league
    drift, untimed = system.drift or no_op, system.untimed - system.absorb_takes
    counted = flags.counted and untimed > 0.0

    def param(p: Any, lane: Any, role: Any, player: Any) -> Any:
        if many:
            if roles > 1:
                return parameters(p, lane * roles + role[player])
            return parameters(p, lane)
        return p

    def take(rows: Any, steer: Any, lane: Any, by: Any, share: float) -> float:
        """A share with the factor of its role."""
        if steered and steer[by] >= 0:
            return share * value(load_factor(rows, steer[by], lane))  # type: ignore[no-any-return]
        return share

    def role_of(role: Any, player: Any) -> Any:
        if roles > 1:
            return role[player]
        return 0

    def add_pull(p: Any, steer: Any, pulls: Any, by: Any, me: Any, share: Any, one: Any) -> None:
        """Add what the evidence about a side says about the factor of a member's role."""
        if steer[by] >= 0:
            pulls[steer[roles + by]] += pull(p, me, share, one)

    def teach_factor(p: Any, rows: Any, steer: Any, pulls: Any, lane: Any, by: Any) -> None:
        at = steer[by]
        if at >= 0:
            to = steer[roles + by]
            if pulls[to] == pulls[to]:  # nan: it has learnt already
                row = load_factor(rows, at, lane)
                store_factor(rows, at, lane, learn_factor(p, row, pulls[to]))
                pulls[to] = nan

    def is_alone(role: Any, player: Any, first: Any, last: Any) -> bool:
        """Whether a side has one player, who stands before its other members."""
        return last - first == 1 or (roles > 1 and 0 < role[player[first + 1]] < others)

    def read_both(p: Any, rows: Any, lane: Any, game: Any) -> tuple[Any, Any]:
        if learning:
            return (read(p, rows, lane, game),), (read(p, rows, lane, mirror(game)),)
        return (), ()

    def judge(p: Any, mine: Any, theirs: Any, game: Any, common: Any, back: Any) -> tuple[Any, Any]:
        one = evidence(p, mine, theirs, game, *common)
        return one, opposite(one) if derived else evidence(p, theirs, mine, mirror(game), *back)

    def add_members(p: Any, lane: Any, held: Any, first: Any, last: Any) -> Any:
        """The side of some members, of the rows that hold their ratings."""
        role, rows, shared_rows, steer, player, share = held
        i = player[first]
        own = take(shared_rows, steer, lane, role_of(role, i), share[first])
        found = part(param(p, lane, role, i), load(rows, i, lane), own)
        for m in range(first + 1, last):
            i = player[m]
            own = take(shared_rows, steer, lane, role_of(role, i), share[m])
            found = add(found, part(param(p, lane, role, i), load(rows, i, lane), own))
        return found

    def piece_of(p: Any, lane: Any, held: Any, m: Any, mine: Any, one: Any, weight: float) -> Any:
        """A member's part of the evidence about their side."""
        role, rows, shared_rows, steer, player, share = held
        i = player[m]
        own = take(shared_rows, steer, lane, role_of(role, i), share[m])
        piece = due(param(p, lane, role, i), load(rows, i, lane), own, mine, one)
        if weighted:
            piece = weigh(piece, weight)
        return piece

    def add_up(
        p: Any, lane: Any, held: Any, into: Any, first: Any, last: Any, mine: Any, one: Any,
        weight: float,
    ) -> None:  # fmt: skip
        """Add the evidence about a side of a pair to what its members and their factors have."""
        role, rows, _, steer, player, share = held
        pulls, ones, begin = into
        for m in range(first, last):
            if steered:
                i, whole_one = player[m], one
                if weighted:
                    whole_one = weigh(one, weight)
                mine_p, me, by = param(p, lane, role, i), load(rows, i, lane), role_of(role, i)
                add_pull(mine_p, steer, pulls, by, me, share[m], whole_one)
            piece = piece_of(p, lane, held, m, mine, one, weight)
            one_store(ones, m - begin, plus(one_load(ones, m - begin), piece))

    def settle(
        p: Any, state: Any, player: Any, lane: Any, me: Any, total: Any,
        league_state: Any, sums: Any, now: float,
    ) -> None:  # fmt: skip
        if league:
            new = absorb_in_league(p, player, me, total, league_state, sums, now)
            store(state, player, lane, new)
        else:
            store(state, player, lane, absorb(p, me, total))

    def loop(
        p: Any,
        role: Any,
        state: Any,
        seen: Any,
        league_state: Any,
        pool: Any,
        stamp: Any,
        present: Any,
        carried: Any,
        sides: Any,
        ones: Any,
        places: Any,
        room: Any,
        player: Any,
        share: Any,
        ends: Any,
        start: Any,
        place: Any,
        games: Any,
        bounds: Any,
        clock: Any,
        weights: Any,
        shared_rows: Any,
        steer: Any,
        pulls: Any,
        forecasts: Any,
        draws: Any,
        slots: Any,
        memory: Snapshots,
        low: int,
        high: int,
    ) -> None:
        if widened:
            state = sized(state)
        for r in range(low, high):
            if pooled:
                first, last = bounds[r], bounds[r + 1]
            else:
                first, last = r, r + 1
            if pairwise:
                first_side, last_side = 2 * first, 2 * last
            else:
                first_side, last_side = start[first], start[last]
                if last_side - first_side < 2:  # alone: nothing is rated
                    continue
            first_member, last_member = ends[first_side], ends[last_side]
            now = clock[r] if clocked else 0.0
            count = 0
            if pooled:
                for m in range(first_member, last_member):
                    i = player[m]
                    if stamp[i] != r:
                        stamp[i] = r
                        present[count] = i
                        count += 1
            sums = enter_league(p, league_state, state, now) if league else 0.0
            newcomer_side = 0
            if company:
                middle = ends[first_side + 1]
                a, b = player[first_member], player[middle]
                both_alone = is_alone(role, player, first_member, middle)
                if both_alone and is_alone(role, player, middle, last_member):
                    if seen[a] != seen[a] and seen[b] == seen[b]:
                        newcomer_side = 1
                    elif seen[b] != seen[b] and seen[a] == seen[a]:
                        newcomer_side = 2
            for lane in range(lanes):
                further = 0.0
                of_game = parameters(p, lane * roles) if many else p
                if steered:
                    for m in range(first_member, last_member):
                        by = role_of(role, player[m])
                        if steer[by] >= 0:
                            pulls[steer[roles + by]] = 0.0
                    if company:
                        pulls[steer[roles + of_company]] = nan
                if learning:
                    for m in range(first_member, last_member):
                        i = player[m]
                        if seen[i] != seen[i]:  # nan: the first contest
                            first_common = read(of_game, shared_rows, lane, pair(0.5))
                            store(state, i, lane, newcomer(param(p, lane, role, i), first_common))
                if pooled:
                    for k in range(count):
                        i = present[k]
                        pool_store(pool, i, 0, zero)
                        if timed:
                            mine_p, me = param(p, lane, role, i), load(state, i, lane)
                            store(state, i, lane, age(mine_p, me, seen[i], now))
                        elif counted and seen[i] == seen[i]:
                            mine_p, me = param(p, lane, role, i), load(state, i, lane)
                            store(state, i, lane, drift(mine_p, me, untimed))
                elif timed:
                    for m in range(first_member, last_member):
                        i = player[m]
                        mine_p, me = param(p, lane, role, i), load(state, i, lane)
                        store(state, i, lane, age(mine_p, me, seen[i], now))
                elif counted:
                    for m in range(first_member, last_member):
                        i = player[m]
                        if seen[i] == seen[i]:
                            mine_p, me = param(p, lane, role, i), load(state, i, lane)
                            store(state, i, lane, drift(mine_p, me, untimed))
                if company and newcomer_side > 0:
                    new, known = a, b
                    if newcomer_side == 2:
                        new, known = b, a
                    me = load(state, new, lane)
                    further = distance(load(state, known, lane), me)
                    pulls[steer[roles + of_company]] = 0.0
                    come = take(shared_rows, steer, lane, of_company, further)
                    store(state, new, lane, moved(me, come))
                if watched:
                    for m in range(first_member, last_member):
                        if slots[m] >= 0:
                            keep(memory.rating, slots[m], lane, load(state, player[m], lane))
                            if len(memory.share) > 0:
                                by = role_of(role, player[m])
                                own = take(shared_rows, steer, lane, by, share[m])
                                memory.share[slots[m], lane] = own
                            if league:
                                keep_sums(memory.sums, slots[m], league_sums(league_state))
                for c in range(first, last):
                    if pairwise:
                        a, b = 2 * c, 2 * c + 2
                    else:
                        a, b = start[c], start[c + 1]
                    others = float(b - a - 1)
                    weight = pair_weight(others + 1.0) if shared and summed else 1.0
                    if own_weights:
                        weight *= weights[c]
                    held = (role, state, shared_rows, steer, player, share)
                    for s in range(a, b):
                        side_store(sides, s - a, add_members(p, lane, held, ends[s], ends[s + 1]))
                        if summed:
                            for m in range(ends[s], ends[s + 1]):
                                one_store(ones, m - first_member, zero)
                        else:
                            one_store(ones, s - a, zero)
                        if forecasting and not pairwise:
                            forecasts[s, lane] = 0.0
                    if pairwise:
                        mine, theirs, game = (
                            side_load(sides, 0),
                            side_load(sides, 1),
                            view(games, c),
                        )
                        common, back = read_both(of_game, shared_rows, lane, game)
                        if learnt:
                            for m in range(first_member, last_member):
                                if slots[m] >= 0:
                                    keep_common(memory.sums, slots[m], lane, common[0], back[0])
                        if forecasting:
                            forecasts[c, lane] = expected(of_game, mine, theirs, game, *common)
                        if drawing:
                            draws[c, lane] = chances(of_game, mine, theirs, game, *common).draw
                        if whole:
                            places[0] = 2.0 if game.score < 0.5 else 1.0
                            places[1] = 2.0 if game.score > 0.5 else 1.0
                        else:
                            one, two = judge(of_game, mine, theirs, game, common, back)
                            one_store(ones, 0, one)
                            one_store(ones, 1, two)
                            if learning:
                                of = chances(of_game, mine, theirs, game, *common)
                                total = gradient(of_game, mine, theirs, game, *common, of, one)
                                if own_weights:
                                    total = lessen(total, weight)
                                rows = len(shared_rows) - 1
                                teach(of_game, shared_rows, lane, game, total, 2.0, rows)
                    else:
                        total = gradient_zero
                        if losing:
                            draws[c, lane] = 0.0
                        common, back = read_both(of_game, shared_rows, lane, pair(0.5))
                        if learnt:
                            for m in range(first_member, last_member):
                                if slots[m] >= 0:
                                    keep_common(memory.sums, slots[m], lane, common[0], back[0])
                        for x in range(a, b):
                            if whole:
                                places[x - a] = place[x]
                            if whole and not forecasting:
                                continue
                            mine = side_load(sides, x - a)
                            for y in range(x + 1, b):
                                theirs = side_load(sides, y - a)
                                score = 0.5
                                if place[x] < place[y]:
                                    score = 1.0
                                elif place[x] > place[y]:
                                    score = 0.0
                                game = pair(score)
                                if repeats:
                                    mine, theirs = side_load(sides, x - a), side_load(sides, y - a)
                                    for m in range(ends[x], ends[x + 1]):
                                        for m2 in range(ends[y], ends[y + 1]):
                                            i = player[m]
                                            if player[m2] == i and share[m2] == share[m]:
                                                me, mine_p = (
                                                    load(state, i, lane),
                                                    param(p, lane, role, i),
                                                )
                                                by = role_of(role, i)
                                                own = take(shared_rows, steer, lane, by, share[m])
                                                both = part(mine_p, me, own)
                                                mine, theirs = less(mine, both), less(theirs, both)
                                if forecasting:
                                    chance = expected(of_game, mine, theirs, game, *common)
                                    forecasts[x, lane] += chance / others
                                    forecasts[y, lane] += (1.0 - chance) / others
                                    if losing:
                                        pairs = 0.5 * others * (others + 1.0)
                                        draws[c, lane] += pair_loss(score, chance) / pairs
                                if foreseen:
                                    slot, other = slots[ends[x]], slots[ends[y]]
                                    if slot >= 0:
                                        chance = expected(of_game, mine, theirs, game)
                                        memory.expected[slot] += chance
                                    if other >= 0:
                                        chance = expected(of_game, theirs, mine, mirror(game))
                                        memory.expected[other] += chance
                                if not whole:
                                    one, two = judge(of_game, mine, theirs, game, common, back)
                                    if learning:
                                        of = chances(of_game, mine, theirs, game, *common)
                                        more = gradient(
                                            of_game, mine, theirs, game, *common, of, one
                                        )
                                        total = grow(total, lessen(more, weight))
                                    into = (pulls, ones, first_member)
                                    low_x, high_x = ends[x], ends[x + 1]
                                    low_y, high_y = ends[y], ends[y + 1]
                                    add_up(p, lane, held, into, low_x, high_x, mine, one, weight)
                                    add_up(p, lane, held, into, low_y, high_y, theirs, two, weight)
                    if foreseen:
                        for s in range(a, b):
                            if slots[ends[s]] >= 0:
                                memory.expected[slots[ends[s]]] /= others
                    if learning and not pairwise:
                        rows, game = len(shared_rows) - 1, pair(0.5)
                        teach(of_game, shared_rows, lane, game, total, others + 1.0, rows)
                    if whole:
                        out = one_columns(ones, b - a)
                        judged, placed = side_columns(sides, b - a), places[: b - a]
                        if works:
                            contest(of_game, judged, placed, out, room)
                        else:
                            contest(of_game, judged, placed, out)
                        gather(out, ones, b - a)
                    for s in range(a, b):
                        mine = side_load(sides, s - a)
                        for m in range(ends[s], ends[s + 1]):
                            i = player[m]
                            mine_p, me = param(p, lane, role, i), load(state, i, lane)
                            if summed:
                                mine_due = one_load(ones, m - first_member)
                            else:
                                by, of_side = role_of(role, i), one_load(ones, s - a)
                                mine_due = piece_of(p, lane, held, m, mine, of_side, weight)
                                if steered:
                                    if own_weights:
                                        of_side = weigh(of_side, weight)
                                    add_pull(mine_p, steer, pulls, by, me, share[m], of_side)
                                    if newcomer_side == s - a + 1 and m == ends[s]:
                                        way = as_rating(further)
                                        its_p = parameters(p, lane * roles + of_company)
                                        add_pull(its_p, steer, pulls, of_company, way, 1.0, of_side)
                            if pooled:
                                pool_store(pool, i, 0, plus(pool_load(pool, i, 0), mine_due))
                            else:
                                settle(
                                    mine_p, state, i, lane, me, mine_due, league_state, sums, now
                                )
                if again:
                    before = (role, state, shared_rows, steer, player, share)
                    for number in range(1, passes):
                        for k in range(count):
                            i = present[k]
                            mine_p, me = param(p, lane, role, i), load(state, i, lane)
                            after = absorb(mine_p, me, pool_load(pool, i, 0))
                            store(carried, i, lane, carry(mine_p, me, after, number + 1.0))
                            pool_store(pool, i, 0, zero)
                        for c in range(first, last):
                            begin, half, end = ends[2 * c], ends[2 * c + 1], ends[2 * c + 2]
                            shown = (role, carried, shared_rows, steer, player, share)
                            mine = add_members(p, lane, before, begin, half)
                            theirs = add_members(p, lane, shown, half, end)
                            one = evidence(of_game, mine, theirs, view(games, c))
                            other = add_members(p, lane, before, half, end)
                            theirs = add_members(p, lane, shown, begin, half)
                            two = evidence(of_game, other, theirs, mirror(view(games, c)))
                            weight = weights[c] if own_weights else 1.0
                            for m in range(begin, half):
                                piece = piece_of(p, lane, before, m, mine, one, weight)
                                piece = plus(pool_load(pool, player[m], 0), piece)
                                pool_store(pool, player[m], 0, piece)
                            for m in range(half, end):
                                piece = piece_of(p, lane, before, m, other, two, weight)
                                piece = plus(pool_load(pool, player[m], 0), piece)
                                pool_store(pool, player[m], 0, piece)
                    if watched:
                        for m in range(first_member, last_member):
                            if slots[m] >= 0:
                                keep(memory.carried, slots[m], lane, load(carried, player[m], lane))
                if pooled:
                    for k in range(count):
                        i = present[k]
                        mine_p, me, mine_due = (
                            param(p, lane, role, i),
                            load(state, i, lane),
                            pool_load(pool, i, 0),
                        )
                        settle(mine_p, state, i, lane, me, mine_due, league_state, sums, now)
                if steered:
                    for m in range(first_member, last_member):
                        i = player[m]
                        mine_p, by = param(p, lane, role, i), role_of(role, i)
                        teach_factor(mine_p, shared_rows, steer, pulls, lane, by)
                    if company:
                        mine_p = parameters(p, lane * roles + of_company)
                        teach_factor(mine_p, shared_rows, steer, pulls, lane, of_company)
                if followed:
                    for m in range(first_member, last_member):
                        if slots[m] >= 0:
                            keep(memory.after, slots[m], lane, load(state, player[m], lane))
            if timed or learning or counted:
                for m in range(first_member, last_member):
                    seen[player[m]] = now

    return loop
