"""The steps of a contest under all settings of a bank: members, what all share, a game of two.

Every step is a loop over the settings (lanes), see `bank_loop`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from prowess.engine.bank import CHANCES, DRAWS, LOGS, Work, mixing_of_games
from prowess.engine.loops import Flags, lone_side, whole_evidence
from prowess.engine.rows import (
    Access,
    StateLayout,
    access_block,
    access_lane_rows,
    common_keep,
    game_rules,
    make_function,
    make_mirror,
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
    end: int  # behind it stand the sides and members of a contest, see `bank_contest`

    def room(self, system: Dynamic, lanes: int, sides: int, members: int) -> int:
        """How many numbers stand behind those of `Work`, for contests of at most that size."""
        one, side = len(system.evidence_zero), len(side_shape(system))
        fields = sides * (one + side + 1) + members * one
        return self.end + fields * Work(lanes).width - Work(lanes).end


def side_shape(system: Dynamic) -> Any:
    """The shape of a side: of a system that rates single players that of the rating."""
    return system.rating if system.side is None else system.side


def blocks_of(system: Dynamic, lanes: int) -> Blocks:
    """The places for a system under so many settings."""
    shape, common = Work(lanes), system.common
    side = side_shape(system)
    gradient = 0 if common is None else len(common.gradient_zero)
    one = len(system.evidence_zero)
    at = [shape.end]
    for fields in (0, gradient, 2 * one, 2 * len(side)):
        at.append(at[-1] + fields * shape.width)
    return Blocks(at[1], at[2], at[3], at[4])


class Lanes(NamedTuple):
    """How the loop reads and writes the numbers of a setting."""

    number: Callable[[int], Any]  # a place
    rating: Access  # (state, row, lane)
    param: Callable[..., Any]  # (p, at, lane)
    side: Access  # (work, at, lane), as all below
    one: Access
    role: Callable[..., Any]  # (role, member) -> where the member's parameters begin


def access_all(system: Dynamic, flags: Flags, layout: StateLayout) -> Lanes:
    """The access to everything that a system declares."""
    number: Callable[[int], Any] = int if layout.listed else unsigned_place
    width = Work(flags.lanes).width
    of_role, zero, by_role = number(len(system.params) * width), number(0), flags.roles > 1

    def place_of_role(role: Any, i: Any) -> Any:
        return of_role * number(role[i]) if by_role else zero

    return Lanes(
        number,
        access_lane_rows(system.rating, flags.lanes, number, layout.listed),
        access_block(system.params, width, number)[0],
        access_block(side_shape(system), width, number),
        access_block(system.evidence_zero, width, number),
        place_of_role,
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
    width, size = Work(settings).width, number(len(common.row) * settings)
    load_row, store_row = access_block(common.row, settings, number)
    load_total, store_total = access_block(common.gradient_zero, width, number)
    add, weigh, nothing = (
        make_sum(common.gradient_zero),
        make_scaling(common.gradient_zero),
        common.gradient_zero,
    )
    zero, three, total_at, param = number(0), number(3), number(blocks.total), lanes.param

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
        return begins(named(param(p, zero, zero), game), number(len(shared)) - three * size)

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

    def teach_none(p: Any, shared: Any, work: Any, at: Any, sides: float, count: Any) -> None:
        return None

    def teach_row(
        before: Callable[..., None], which: int, place: Callable[..., Any]
    ) -> Callable[..., None]:
        """A function that teaches one more row, after those before it."""

        def teach_one(p: Any, shared: Any, work: Any, at: Any, sides: float, count: Any) -> None:
            before(p, shared, work, at, sides, count)
            here = place(at)
            if here > zero:  # the row before the first is none that is taught
                for k in range(zero, count):
                    below = load_row(shared, here - size, k)
                    above = load_row(shared, here + size, k)
                    row, total = load_row(shared, here, k), load_total(work, total_at, k)
                    new = learn(param(p, zero, k), which, row, below, above, total, sides)
                    store_row(shared, here, k, new)

        return teach_one

    teach = teach_none
    for which, name in enumerate(shape._fields):
        if name in common.taught:
            teach = teach_row(teach, which, make_function("at(at)", f"return at.{name}"))
    return Learning(places, read, weigh_gradient, store, add_to, clear, teach)


def make_keeping(lanes: int, number: Callable[[int], Any]) -> Callable[..., None]:
    """A step: keep the logarithms of the weights after a contest beside those before it."""
    zero, wide, logs = number(0), number(lanes), number(Work(lanes).place(LOGS))

    def keep_logs(work: Any, slots: Any, memory: Any, first: Any, last: Any, count: Any) -> None:
        if len(memory.rating) > 0:
            for m in range(first, last):
                if slots[m] >= 0:
                    for k in range(zero, count):
                        memory.sums[number(slots[m]), wide + k] = work[logs + k]

    return keep_logs


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


def make_gather(system: Dynamic, lanes: Lanes, single: bool) -> Callable[..., None]:
    """A step: (p, role, state, work, at, player, share, first, last, lanes): add up a side."""
    number, (load, _), param, (load_side, store_side), _, role_of = lanes
    part = system.part or lone_side
    add = make_sum(side_shape(system))
    zero, one = number(0), number(1)

    def gather(
        p: Any, role: Any, state: Any, work: Any, at: Any, player: Any, share: Any, first: Any,
        last: Any, lanes: Any,
    ) -> None:  # fmt: skip
        i = player[first]
        taken, mine_p = 1.0 if single else share[first], role_of(role, i)
        for k in range(zero, lanes):
            store_side(work, at, k, part(param(p, mine_p, k), load(state, i, k), taken))
        if not single:
            for m in range(first + one, last):
                i, taken = player[m], share[m]
                mine_p = role_of(role, i)
                for k in range(zero, lanes):
                    more = part(param(p, mine_p, k), load(state, i, k), taken)
                    store_side(work, at, k, add(load_side(work, at, k), more))

    return gather


def make_game_step(
    system: Dynamic,
    flags: Flags,
    layout: StateLayout,
    access: Lanes,
    learning: Learning,
    blocks: Blocks,
) -> Callable[..., None]:
    """The step of a game of two sides, whose members are as they stand before it."""
    number, (load, store), param, (load_side, _), (load_one, store_one), role_of = access
    places_of, read, gradient, store_gradient, _, _, teach = learning
    shape, width = Work(flags.lanes), Work(flags.lanes).width
    single, weighted, mixed, drawing = flags.single, flags.weighted, flags.mixed, flags.draws
    learns, logs_kept = system.common is not None, 2 * flags.lanes
    derived = system.mirrors is not None
    evidence = system.evidence
    foresee = make_foresight(system, drawing)
    due, absorb = system.due or whole_evidence, system.absorb
    keep_common = common_keep(system, flags.lanes, True)
    mirror = game_rules(system.game).mirror
    view = layout.view(system.game) if layout.listed else view_game(system.game, flags.known)
    opposite = make_mirror(system.evidence_zero, system.mirrors)
    weigh, gather = make_scaling(system.evidence_zero), make_gather(system, access, single)
    share_of, mix = mixing_of_games(shape, drawing, number)
    keep_logs = make_keeping(flags.lanes, number)
    zero, one, two = (number(k) for k in range(3))
    chance, drawn = number(shape.place(CHANCES)), number(shape.place(DRAWS))
    mine_at, mine_one = number(blocks.sides), number(blocks.ones)
    fields = len(side_shape(system))
    theirs_at = number(blocks.sides + fields * width)
    theirs_one = mine_one if derived else number(blocks.ones + len(system.evidence_zero) * width)

    def settle(
        p: Any, role: Any, state: Any, work: Any, player: Any, share: Any, m: Any, second: bool,
        weight: float, lanes: Any,
    ) -> None:  # fmt: skip
        """Give a member the rating after the game."""
        i = player[m]
        taken, mine_p = 1.0 if single else share[m], role_of(role, i)
        side_at, one_at = (theirs_at, theirs_one) if second else (mine_at, mine_one)
        for k in range(zero, lanes):
            of_me, me, found = param(p, mine_p, k), load(state, i, k), load_one(work, one_at, k)
            if derived and second:
                found = opposite(found)
            found = due(of_me, me, taken, load_side(work, side_at, k), found)
            if weighted:
                found = weigh(found, weight)
            store(state, i, k, absorb(of_me, me, found))

    def play(
        p: Any, role: Any, state: Any, shared: Any, work: Any, player: Any, share: Any, ends: Any,
        start: Any, place: Any, again: Any, games: Any, weights: Any, forecasts: Any, draws: Any,
        slots: Any, memory: Any, c: Any, lanes: Any, eight: Any,
    ) -> None:  # fmt: skip
        game, weight = view(games, c), 1.0
        if weighted:
            weight = weights[c]
        first = two * number(c)
        middle, last = first + one, first + two
        if not single:
            first, middle, last = ends[first], ends[middle], ends[last]
        gather(p, role, state, work, mine_at, player, share, first, middle, lanes)
        gather(p, role, state, work, theirs_at, player, share, middle, last, lanes)
        at, back = places_of(p, shared, game), places_of(p, shared, mirror(game))
        if learns and memory.sums.shape[1] > logs_kept:
            for m in range(first, last):
                if slots[m] >= 0:
                    for k in range(zero, lanes):
                        (here,), (there,) = read(shared, at, k), read(shared, back, k)
                        keep_common(memory.sums, number(slots[m]), k, here, there)
        for k in range(zero, lanes):  # all is computed before the first number is written
            of_game, learnt = param(p, zero, k), read(shared, at, k)
            mine, theirs = load_side(work, mine_at, k), load_side(work, theirs_at, k)
            score, of = foresee(of_game, mine, theirs, game, learnt)
            found = evidence(of_game, mine, theirs, game, *learnt)
            back_found = found
            if not derived:
                back_learnt = read(shared, back, k)
                back_found = evidence(of_game, theirs, mine, mirror(game), *back_learnt)
            said = gradient(of_game, mine, theirs, game, weight, learnt, of, found)
            if mixed:
                share_of(work, k)
            work[chance + k] = score
            if drawing:
                work[drawn + k] = of.draw
            store_one(work, mine_one, k, found)
            if not derived:
                store_one(work, theirs_one, k, back_found)
            store_gradient(work, k, said)
        if mixed:
            forecasts[c], draws[c] = mix(work, game.score, weight, lanes, eight)
        else:
            for k in range(zero, lanes):
                forecasts[c, k] = work[chance + k]
        keep_logs(work, slots, memory, first, last, lanes)
        teach(p, shared, work, at, 2.0, lanes)
        for m in range(first, middle):
            settle(p, role, state, work, player, share, m, False, weight, lanes)
        for m in range(middle, last):
            settle(p, role, state, work, player, share, m, True, weight, lanes)

    return play
