"""The steps of a contest under all settings of a bank: members, what all share, a game of two.

Every step is a loop over the settings (lanes), see `bank_loop`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from prowess.engine.bank import mixing, work_of
from prowess.engine.loops import Flags, lone_side, whole_evidence
from prowess.engine.rows import (
    Access,
    StateLayout,
    access_lanes,
    common_keep,
    game_rules,
    make_function,
    make_mirror,
    make_moving,
    make_scaling,
    make_sum,
    no_op,
    unsigned_place,
    view_game,
)
from prowess.engine.system import Chances, Dynamic


class Blocks(NamedTuple):
    """Where further numbers of a contest stand in the array of a bank, behind its `Work`."""

    total: int  # the gradient of the learnt rows
    ones: int  # the evidence of the two sides of a game
    sides: int  # the two sides of a game
    apart: int  # how far the opponent of a newcomer is above them
    fades: int  # the first step of `fading`, of each four settings
    pulls: int  # what a game says about factors, and which of them it says something about
    end: int  # behind it stand the sides and members of a contest, see `bank_loop`
    of_one: int  # the room of a piece of evidence
    of_side: int  # and of a side


class Held(NamedTuple):
    """What a loop over all settings changes, and what tells it how; see `bank_loop`."""

    p: Any  # parameters, flat by role, field and lane
    role: Any
    state: Any
    seen: Any
    shared: Any  # learnt numbers, flat by row, field and lane
    steer: Any  # as `Steering` says
    work: Any  # as `Work` and `Blocks` say


class Contests(NamedTuple):
    """The contests that it plays, by side and member."""

    player: Any
    share: Any
    ends: Any  # side s has the members `ends[s]:ends[s + 1]`
    start: Any  # contest c has the sides `start[c]:start[c + 1]`
    place: Any
    again: Any
    games: Any
    clock: Any
    weights: Any


class Noted(NamedTuple):
    """What is noted of each contest."""

    forecasts: Any
    draws: Any
    slots: Any  # of each member, where ratings stand in `memory`
    memory: Any


BORDERS = 4  # rows beside those that all games share: of nothing before and behind, of nan, of ones


def blocks_of(system: Dynamic, lanes: int, roles: int) -> Blocks:
    """The places for a system under so many settings, whose members have so many roles."""
    shape, common = work_of(lanes), system.common
    gradient = 0 if common is None else len(common.gradient_zero)
    one, side = len(system.evidence_zero), len(system.side_shape)
    at = [shape.end]
    steered = 0 if common is None or common.factor is None else roles
    for fields in (0, gradient, 2 * one, 2 * side, bool(steered), 1, 2 * steered):
        at.append(at[-1] + fields * shape.width)
    return Blocks._make((*at[1:], one * shape.width, side * shape.width))


class Lanes(NamedTuple):
    """How the loop reads and writes the numbers of a setting."""

    number: Callable[[int], Any]  # a place
    rating: Access  # (state, row, lane)
    param: Callable[..., Any]  # (p, at, lane)
    side: Access  # (work, at, lane), as all below
    one: Access
    of_role: Any  # how many numbers the parameters of a role are
    number_of_role: Callable[..., Any]  # (role, member)
    low: Callable[..., Any]  # (steer, by) -> the first setting in which a role takes part


def access_all(system: Dynamic, flags: Flags, layout: StateLayout) -> Lanes:
    """The access to everything that a system declares."""
    number: Callable[[int], Any] = int if layout.listed else unsigned_place
    width = work_of(flags.lanes).width
    zero, by_role = number(0), flags.roles > 1
    behind, three = number(2 * flags.roles), number(3)

    def number_of_role(role: Any, i: Any) -> Any:
        return number(role[i]) if by_role else zero

    def low(steer: Any, by: Any) -> Any:  # a multiple of 8
        return steer[behind + by] >> three << three

    return Lanes(
        number,
        access_lanes(
            system.rating, flags.lanes, number, "rows[at][{}]" if layout.listed else "rows[at, {}]"
        ),
        access_lanes(system.params, width, number, alike=flags.alike)[0],
        access_lanes(system.side_shape, width, number),
        access_lanes(system.evidence_zero, width, number),
        number(len(system.params) * width),
        number_of_role,
        low if by_role else make_function("low(steer, by)", "return zero", zero=zero),
    )


class Learning(NamedTuple):
    """How learnt numbers are read and taught, for all settings; nothing of it without `common`."""

    places: Callable[..., Any]  # (p, shared, game) -> where the rows it names begin
    read: Callable[..., tuple[Any, ...]]  # (shared, places, k) -> the last argument, () for none
    gradient: Callable[..., Any]  # (p, mine, theirs, game, weight, learnt, of, one)
    store: Callable[..., None]  # (work, k, gradient)
    add: Callable[..., None]  # the same, added to what other pairs say
    clear: Callable[..., None]  # (work, lanes): forget the gradient
    teach: Callable[..., None]  # (p, shared, work, places, sides, lanes)


def make_learning(system: Dynamic, lanes: Lanes, blocks: Blocks, settings: int) -> Learning:
    """The steps of what a system learns."""
    common, number = system.common, lanes.number
    if common is None:
        return Learning(no_op, make_function("read(shared, places, k)", "return ()"), *[no_op] * 5)
    shape, named, learn, gradient = common.shape, common.named, common.learn, common.gradient
    width, size = work_of(settings).width, number(len(common.row) * settings)
    load_row, store_row = access_lanes(common.row, settings, number)
    load_total, store_total = access_lanes(common.gradient_zero, width, number)
    add, weigh, nothing = (
        make_sum(common.gradient_zero),
        make_scaling(common.gradient_zero),
        common.gradient_zero,
    )
    zero, behind, total_at, param = number(0), number(BORDERS), number(blocks.total), lanes.param

    def place(at: Any, end: Any) -> Any:
        """Where a row begins: one of nothing is the first, one of nan behind the others."""
        if at < -1 or number(at + 1) * size > end:
            return end + size
        return number(at + 1) * size

    begin = ", ".join(f"place(at.{name}, end)" for name in shape._fields)
    begins = make_function("begins(at, end)", f"return Shape({begin})", shape, place=place)
    rows = ", ".join(f"load(shared, at.{name}, k)" for name in shape._fields)
    read = make_function("read(shared, at, k)", f"return (Shape({rows}),)", shape, load=load_row)

    def places(p: Any, shared: Any, game: Any) -> Any:
        return begins(named(param(p, zero, zero), game), number(len(shared)) - behind * size)

    def weigh_gradient(
        p: Any, mine: Any, theirs: Any, game: Any, weight: float, learnt: Any, of: Any, one: Any
    ) -> Any:
        return weigh(gradient(p, mine, theirs, game, *learnt, of, one), weight)

    def store(work: Any, k: Any, found: Any) -> None:
        store_total(work, total_at, k, found)

    def add_to(work: Any, k: Any, found: Any) -> None:
        store_total(work, total_at, k, add(load_total(work, total_at, k), found))

    def clear(work: Any, count: Any) -> None:
        for k in range(zero, count):
            store_total(work, total_at, k, nothing)

    def teach_row(
        p: Any, shared: Any, work: Any, which: int, here: Any, sides: float, count: Any
    ) -> None:
        if here > zero:  # the row before the first is none that is taught
            for k in range(zero, count):
                below = load_row(shared, here - size, k)
                above = load_row(shared, here + size, k)
                row, total = load_row(shared, here, k), load_total(work, total_at, k)
                new = learn(param(p, zero, k), which, row, below, above, total, sides)
                store_row(shared, here, k, new)

    steps = [
        f"teach_row(p, shared, work, {which}, at.{name}, sides, count)"
        for which, name in enumerate(shape._fields)
        if name in common.taught
    ]
    head = "teach(p, shared, work, at, sides, count)"
    teach = make_function(head, "\n    ".join(steps), teach_row=teach_row)
    return Learning(places, read, weigh_gradient, store, add_to, clear, teach)


def make_foresight(system: Dynamic, drawing: bool) -> Callable[..., Any]:
    """A function (p, mine, theirs, game, learnt) -> (expected score, Chances)."""
    expected, chances = system.expected, system.chances or no_op
    made = hasattr(expected, "made_of_chances")  # the same number, which need not be asked twice
    asks = system.chances is not None and (drawing or system.common is not None)

    def foresee(p: Any, mine: Any, theirs: Any, game: Any, learnt: Any) -> Any:
        if asks:
            of = chances(p, mine, theirs, game, *learnt)
            if made:
                return of.win + 0.5 * of.draw, of  # type: ignore[operator]
            return expected(p, mine, theirs, game, *learnt), of
        score = expected(p, mine, theirs, game, *learnt)
        return score, Chances(score, 0.0)

    return foresee


class Steering(NamedTuple):
    """How learnt factors multiply shares, and learn; nothing of it without `factor`.

    `steer` has for each role the place of its factor in `shared`, then the place in `work` of what
    a game says about it, the first setting in which its members take part, and whether they drift.
    """

    multiply: Callable[..., float]  # (shared, place, k, share) -> the share with its factor
    pull: Callable[..., None]  # a member adds what the evidence about their side says
    pull_newcomer: Callable[..., None]  # a newcomer, of how far they came towards their opponent
    teach: Callable[..., None]  # (held, by, lanes): a factor learns, once all have added


def make_steering(system: Dynamic, flags: Flags, lanes: Lanes, blocks: Blocks) -> Steering:
    """The steps of factors."""
    common, number = system.common, lanes.number
    if common is None or common.factor is None:
        unchanged = make_function("multiply(shared, place, k, share)", "return share")
        return Steering(unchanged, no_op, no_op, no_op)
    pull, learn = common.pull or no_op, common.learn_factor or no_op
    width = work_of(flags.lanes).width
    param, load, load_one, by_role = (
        lanes.param, lanes.rating[0], lanes.one[0], lanes.number_of_role
    )  # fmt: skip
    value = make_function("value(row)", f"return row.{common.row._fields[0]}")
    load_row, store_row = access_lanes(common.row, flags.lanes, number)
    size, roles = number(len(common.row) * flags.lanes), number(flags.roles)
    of_role, low_of = lanes.of_role, lanes.low
    zero, apart, touched = number(0), number(blocks.apart), number(flags.roles * width)
    *_, as_rating = make_moving(system.rating)

    def multiply(shared: Any, at: Any, k: Any, share: float) -> float:
        return share * value(load_row(shared, at, k))  # type: ignore[no-any-return]

    def pull_member(
        held: Held, i: Any, taken: float, one_at: Any, weight: float, count: Any
    ) -> None:
        p, role, state, _, shared, steer, work = held
        by = by_role(role, i)
        if steer[by] + size < number(len(shared)):  # not the row of ones behind all
            to, of_me = steer[roles + by], of_role * by
            work[to + touched] = 1.0
            for k in range(low_of(steer, by), count):
                one = load_one(work, one_at, k)
                said = pull(param(p, of_me, k), load(state, i, k), taken, one)
                work[to + k] += weight * said

    def pull_newcomer(held: Held, by: Any, one_at: Any, weight: float, count: Any) -> None:
        p, steer, work = held.p, held.steer, held.work
        to, of_me = steer[roles + by], of_role * by
        work[to + touched] = 1.0
        for k in range(zero, count):
            one = load_one(work, one_at, k)
            said = pull(param(p, of_me, k), as_rating(work[apart + k]), 1.0, one)
            work[to + k] += weight * said

    def teach(held: Held, by: Any, count: Any) -> None:
        p, _, _, _, shared, steer, work = held
        to, of_me = steer[roles + by], of_role * by
        if work[to + touched] != 0.0:
            work[to + touched] = 0.0
            at = steer[by]
            for k in range(low_of(steer, by), count):
                row = load_row(shared, at, k)
                store_row(shared, at, k, learn(param(p, of_me, k), row, work[to + k]))
                work[to + k] = 0.0  # for the next game

    return Steering(multiply, pull_member, pull_newcomer, teach)


def make_gather(
    system: Dynamic, flags: Flags, lanes: Lanes, steering: Steering, single: bool
) -> Callable[..., None]:
    """A step: add up the members of a side."""
    number, (load, _), param, (load_side, store_side), _, of_role, by_role, low_of = lanes
    part, multiply = system.part or lone_side, steering.multiply
    add = make_sum(system.side_shape)
    zero, one = number(0), number(1)

    def gather(held: Held, table: Contests, at: Any, first: Any, last: Any, lanes: Any) -> None:
        (p, role, state, _, shared, steer, work), player, share = held, table.player, table.share
        i = player[first]
        taken = 1.0 if single else share[first]
        mine_p, by = of_role * by_role(role, i), steer[by_role(role, i)]
        for k in range(zero, lanes):
            own = multiply(shared, by, k, taken)
            store_side(work, at, k, part(param(p, mine_p, k), load(state, i, k), own))
        if not single:
            for m in range(first + one, last):
                i, taken = player[m], share[m]
                mine_p, by = of_role * by_role(role, i), steer[by_role(role, i)]
                for k in range(low_of(steer, by_role(role, i)), lanes):
                    own = multiply(shared, by, k, taken)
                    more = part(param(p, mine_p, k), load(state, i, k), own)
                    store_side(work, at, k, add(load_side(work, at, k), more))

    return gather


def make_game_step(
    system: Dynamic,
    flags: Flags,
    layout: StateLayout,
    access: Lanes,
    learning: Learning,
    steering: Steering,
    blocks: Blocks,
) -> Callable[..., None]:
    """The step of a game of two sides, whose members are as they stand before it."""
    number, (load, store), param, (load_side, _), (load_one, store_one), *of_roles = access
    of_role, by_role, low_of = of_roles
    multiply, pull, pull_newcomer, teach_factor = steering
    steered, company = flags.steered, number(flags.roles - 1)
    places_of, read, gradient, store_gradient, _, _, teach = learning
    shape = work_of(flags.lanes)
    single, weighted, mixed, drawing = flags.single, flags.weighted, flags.mixed, flags.draws
    learns, logs_kept = system.common is not None, 2 * flags.lanes
    derived = system.mirrors is not None
    evidence = system.evidence
    foresee = make_foresight(system, drawing)
    due, absorb = system.due or whole_evidence, system.absorb
    keep_common = common_keep(system, flags.lanes)
    mirror = game_rules(system.game).mirror
    view = layout.view(system.game) if layout.listed else view_game(system.game, flags.known)
    opposite = make_mirror(system.evidence_zero, system.mirrors)
    weigh = make_scaling(system.evidence_zero)
    gather = make_gather(system, flags, access, steering, single)
    share_of, mix, judge, learn_weights = mixing(shape, drawing, number)
    zero, one, two = (number(k) for k in range(3))
    chance, drawn = number(shape.chances), number(shape.draws)
    mine_at, theirs_at = number(blocks.sides), number(blocks.sides + blocks.of_side)
    mine_one, theirs_one = number(blocks.ones), number(blocks.ones + blocks.of_one)

    def settle(
        held: Held, table: Contests, m: Any, side_at: Any, one_at: Any, weight: float, lanes: Any
    ) -> None:
        """Give a member the rating after the game."""
        p, role, state, _, shared, steer, work = held
        i = table.player[m]
        taken, mine_p = 1.0 if single else table.share[m], of_role * by_role(role, i)
        by = steer[by_role(role, i)]
        for k in range(low_of(steer, by_role(role, i)), lanes):
            of_me, me, found = param(p, mine_p, k), load(state, i, k), load_one(work, one_at, k)
            own = multiply(shared, by, k, taken)
            found = due(of_me, me, own, load_side(work, side_at, k), found)
            if weighted:
                found = weigh(found, weight)
            store(state, i, k, absorb(of_me, me, found))

    def play(
        held: Held, table: Contests, kept: Noted, newcomer: Any, c: Any, lanes: Any, eight: Any
    ) -> None:
        p, role, _, _, shared, _, work = held
        game, weight = view(table.games, c), 1.0
        if weighted:
            weight = table.weights[c]
        first = two * number(c)
        middle, last = first + one, first + two
        if not single:
            first, middle, last = table.ends[first], table.ends[middle], table.ends[last]
        gather(held, table, mine_at, first, middle, lanes)
        gather(held, table, theirs_at, middle, last, lanes)
        at, back = places_of(p, shared, game), places_of(p, shared, mirror(game))
        if learns and kept.memory.sums.shape[1] > logs_kept:
            for m in range(first, last):
                if kept.slots[m] >= 0:
                    for k in range(zero, lanes):
                        (here,), (there,) = read(shared, at, k), read(shared, back, k)
                        keep_common(kept.memory.sums, number(kept.slots[m]), k, here, there)
        for k in range(zero, lanes):  # all is computed before the first number is written
            of_game, learnt = param(p, zero, k), read(shared, at, k)
            mine, theirs = load_side(work, mine_at, k), load_side(work, theirs_at, k)
            score, of = foresee(of_game, mine, theirs, game, learnt)
            found = evidence(of_game, mine, theirs, game, *learnt)
            if derived:
                back_found = opposite(found)
            else:
                back_learnt = read(shared, back, k)
                back_found = evidence(of_game, theirs, mine, mirror(game), *back_learnt)
            said = gradient(of_game, mine, theirs, game, weight, learnt, of, found)
            if mixed:
                share_of(work, k)
            work[chance + k] = score
            if drawing:
                work[drawn + k] = of.draw
            store_one(work, mine_one, k, found)
            store_one(work, theirs_one, k, back_found)
            store_gradient(work, k, said)
        if mixed:
            kept.forecasts[c], kept.draws[c] = mix(work, lanes, eight)
            judge(work, game.score, weight, lanes)
            learn_weights(work, weight, lanes)
        else:
            for k in range(zero, lanes):
                kept.forecasts[c, k] = work[chance + k]
        teach(p, shared, work, at, 2.0, lanes)
        if steered:  # as the members are before the game
            for m in range(first, last):
                taken, one_at = 1.0 if single else table.share[m], mine_one
                if m >= middle:
                    one_at = theirs_one
                pull(held, table.player[m], taken, one_at, weight, lanes)
            if newcomer == one:
                pull_newcomer(held, company, mine_one, weight, lanes)
            elif newcomer == two:
                pull_newcomer(held, company, theirs_one, weight, lanes)
        for m in range(first, middle):
            settle(held, table, m, mine_at, mine_one, weight, lanes)
        for m in range(middle, last):
            settle(held, table, m, theirs_at, theirs_one, weight, lanes)
        if steered:
            for m in range(first, last):
                teach_factor(held, by_role(role, table.player[m]), lanes)
            teach_factor(held, company, lanes)

    return play
