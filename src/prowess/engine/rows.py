"""The memory layout of ratings and games: how the loops read and write one row.

Compiled, the state is a C-contiguous float64 matrix `[players, fields]` and games are columns.
As plain Python, state is a list of NamedTuples and games a list of `Game`: a list of tuples is
ten times faster there than a matrix. Both layouts offer the same functions, so the loop is
written once. The functions are generated because compiled code must see every field by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial, reduce
from itertools import product
from math import nan
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.compile.source import remember_source
from prowess.compile.worth import as_lists
from prowess.engine.system import Mirror, mirrors_of

if TYPE_CHECKING:
    from prowess.engine.system import Dynamic
    from prowess.games.games import Games


Access = tuple[Callable[..., Any], Callable[..., None]]  # load, store


def make_function(head: str, body: str, shape: Any = (), **known: Any) -> Callable[..., Any]:
    """The function `head` with this body, in which `Shape` builds such a tuple.

    `known` are functions and numbers that the body names. The text is made of the field names of
    a NamedTuple only.
    """
    scope: dict[str, Any] = {"Shape": type(shape), "__name__": __name__, **known}
    name, text = head.partition("(")[0], f"def {head}:\n    {body}"
    exec(compile(text, remember_source(name, text), "exec"), scope)
    return scope[name]  # type: ignore[no-any-return]


def make_access(arguments: str, places: str | Sequence[str], shape: Any, **known: Any) -> Access:
    """(load, store) of tuples shaped like `shape`; `places` says where field {k}, or each, is."""
    if isinstance(places, str):
        places = [places.format(k=k) for k in range(len(shape))]
    reads, written = ", ".join(places), zip(places, shape._fields, strict=True)
    writes = "\n    ".join(f"{at} = value.{name}" for at, name in written)
    return (
        make_function(f"load({arguments})", f"return Shape({reads})", shape, **known),
        make_function(f"store({arguments}, value)", writes, **known),
    )


# --- arithmetic of tuples -------------------------------------------------------------------------


def make_fieldwise(head: str, term: str, shape: Any) -> Callable[..., Any]:
    """The function `head`, which makes field {0} of a tuple shaped like `shape` by the term."""
    terms = ", ".join(term.format(name) for name in shape._fields)
    return make_function(head, f"return Shape({terms})", shape)


# Of a shape: functions for their sum; for evidence that counts `weight` times; for a sum with one
# part replaced, and without a part.
make_sum = partial(make_fieldwise, "added(x, y)", "x.{0} + y.{0}")
make_scaling = partial(make_fieldwise, "scaled(x, weight)", "weight * x.{0}")
make_replacement = partial(make_fieldwise, "replaced(x, old, new)", "x.{0} - old.{0} + new.{0}")
make_difference = partial(make_fieldwise, "without(x, y)", "x.{0} - y.{0}")


def sum_parts(parts: Sequence[Any]) -> Any:
    """The side that the parts of its members make."""
    if len(parts) == 1:
        return parts[0]
    return type(parts[0])._make(reduce(add, column) for column in zip(*parts, strict=True))


def make_moving(shape: Any) -> tuple[Callable[..., float], Callable[..., Any], Callable[..., Any]]:
    """Three functions: (one, other) -> how far one rating is above another, (me, by) -> me moved,
    (by) -> what is nothing, moved.
    """
    name, *rest = shape._fields
    fields = ", ".join([f"me.{name} + by", *(f"me.{each}" for each in rest)])
    return (
        make_function("distance(one, other)", f"return one.{name} - other.{name}"),
        make_function("moved(me, by)", f"return Shape({fields})", shape),
        make_function("way(by)", f"return Shape({', '.join(['by', *['0.0'] * len(rest)])})", shape),
    )


def make_mirror(shape: Any, mirrors: dict[str, Mirror] | None) -> Callable[..., Any]:
    """A function (one) -> the same as the other side sees it; None: it is never called."""
    if mirrors is None:
        return no_op
    terms = ", ".join(
        re.sub(r"\bx\b", f"one.{mirror.other or name}", mirror.term)
        for name, mirror in mirrors.items()
    )
    return make_function("mirrored(one)", f"return Shape({terms})", shape)


def no_op(*_: Any) -> Any:
    """Stand in a loop for a function that the system does not declare; no run calls it."""
    return None


# --- games ----------------------------------------------------------------------------------------


class GameRules(NamedTuple):
    """How games are mirrored, made of a score and found in tables, for one kind of Game."""

    mirror: Callable[[Any], Any]  # the same game as the other side sees it
    pair: Callable[[float], Any]  # score -> a Game of which nothing else is known
    columns: dict[str, str]  # of each field the column of a table that holds it


@lru_cache(maxsize=None, typed=True)  # equal tuples of two kinds are two
def game_rules(shape: Any) -> GameRules:
    """The rules of a Game, made from its fields; raises TypeError where one does not mirror."""
    names, mirrors = shape._fields, mirrors_of(shape)
    if mirrors is None or names[0] != "score":
        raise TypeError(
            f"{type(shape).__name__}: put the field score first, and annotate each field with how "
            "it mirrors: same, negated, complement or swapped(FIELD)"
        )
    rest = ", ".join(["0.0"] * (len(names) - 1))
    return GameRules(
        make_mirror(shape, mirrors),
        make_function("pair(score)", f"return Shape(score, {rest})", shape),
        {name: mirror.column or name for name, mirror in mirrors.items()},
    )


def view_game(shape: Any, known: tuple[bool, ...]) -> Callable[..., Any]:
    """A function (columns, row) -> the Game; a field that is not known is the constant 0.

    Columns are a tuple: the column of each field, then the step of each; a column of step 0 holds
    one value for all rows. A field that a system does not read is not loaded.
    """
    count = len(shape)
    terms = (
        f"games[{k}][row * games[{count + k}]]" if known[k] else "0.0" for k in range(1, count)
    )
    return make_function(
        "view(games, row)", f"return Shape({', '.join(['games[0][row]', *terms])})", shape
    )


def game_columns(games: Games, shape: Any) -> tuple[Any, ...]:
    """Games as compiled code reads them; a missing column is one zero with step 0."""
    known = {**games.facts, **games.columns}
    given = [known.get(name) for name in game_rules(shape).columns.values()]
    zero = np.zeros(1)
    return (
        *(zero if column is None else column for column in given),
        *(np.uint64(column is not None) for column in given),
    )


def game_list(games: Games, shape: Any) -> list[Any]:
    """Games as a list of Game."""
    known = {**games.facts, **games.columns}
    given = [known.get(name) for name in game_rules(shape).columns.values()]
    rows = ([0.0] * len(games) if column is None else column.tolist() for column in given)
    return list(map(shape._make, zip(*rows, strict=True)))


def rows_as_tuples(shape: Any, matrix: Floats, lanes: int = 1) -> list[Any]:
    """The rows of a matrix as tuples shaped like `shape`; of several lanes a list of them each."""
    if lanes == 1:
        return list(map(shape._make, matrix.tolist()))
    by_lane = matrix.reshape(len(matrix), len(shape), lanes).transpose(0, 2, 1)
    return [list(map(shape._make, row)) for row in by_lane.tolist()]


def tuples_as_rows(rows: list[Any], lanes: int = 1) -> Floats:
    """The matrix of such rows: the inverse of `rows_as_tuples`."""
    values = np.array(rows, dtype=np.float64).reshape(len(rows), lanes, -1)
    return values.transpose(0, 2, 1).reshape(len(rows), -1)


# --- the two layouts ------------------------------------------------------------------------------


class StateLayout(NamedTuple):
    """How rows lie: the functions by which a loop reads and writes them, each made for a shape of
    tuples, and those that make its arguments.
    """

    access: Callable[[Any], Access]  # of a row
    lanes: Callable[[Any, int], Access]  # by row and lane
    items: Callable[[Any], Access]  # of a side while its contest is judged
    columns: Callable[[Any], Callable[..., Any]]  # (held, count) -> such items as columns
    gather: Callable[[Any], Callable[..., None]]  # (columns, held, count): put filled ones back
    view: Callable[[Any], Callable[..., Any]]  # shape of Game -> ((games, row) -> Game)
    games: Callable[[Any, Any], Any]  # (table, shape of Game): what `view` reads
    hold: Callable[[Any, Any, int], Any]  # (shape, matrix, lanes): rows to be read and written
    give: Callable[[Any], Any]  # numbers by themselves: an array, or a tuple of arrays
    count: Callable[[int], Any]  # a number
    blank: Callable[[int, tuple[int, int]], Any]  # (rows, shape as a matrix): rows to be written
    listed: bool  # rows are lists of tuples
    sized: Callable[[int], Any] | None = None  # width -> (rows -> rows known to be so wide)
    ask: Callable[..., None] | None = None  # (rows, row): prefetch the row
    isolate: Callable[[Any], Any] | None = None  # array -> the array, whose memory no other has


def access_matrix(shape: Any) -> Access:
    """(load, store) of a row of a matrix as a NamedTuple shaped like `shape`."""
    return make_access("matrix, row", "matrix[row, {k}]", shape)


def access_matrix_lanes(shape: Any, lanes: int) -> Access:
    """(load, store) by row and lane of a matrix in which the lanes of each field are neighbours."""
    at = "{k}" if lanes == 1 else f"{{k}} * {lanes} + lane"
    return make_access("matrix, row, lane", f"matrix[row, {at}]", shape)


def access_list(shape: Any) -> Access:
    """(load, store) of an item of a list."""
    return list.__getitem__, list.__setitem__


def access_list_lanes(shape: Any, lanes: int) -> Access:
    """(load, store) of a list of tuples, or of a list of lists of them."""
    at = "rows[row]" if lanes == 1 else "rows[row][lane]"
    return (
        make_function("load(rows, row, lane)", f"return {at}"),
        make_function("store(rows, row, lane, value)", f"{at} = value"),
    )


def unsigned_place(place: int) -> Any:
    """A place as the compiler need not test it: a signed one may be negative."""
    return np.uint64(place)


def access_lanes(
    shape: Any,
    apart: int,
    number: Callable[[int], Any],
    place: str = "rows[at + {}]",
    alike: Sequence[bool] = (),
) -> Access:
    """(load, store) by row and lane; the fields of a row are `apart` numbers, of which lanes are
    neighbours.

    `number` makes places. Fields that are `alike` in all lanes are those of the first one.
    """
    known = {f"F{k}": number(k * apart) for k in range(len(shape))}
    same = alike or [False] * len(shape)
    at = [field if one else f"{field} + lane" for field, one in zip(known, same, strict=True)]
    return make_access("rows, at, lane", [place.format(one) for one in at], shape, **known)


MATRICES = StateLayout(  # compiled, and where sums need all players
    access=access_matrix,
    lanes=access_matrix_lanes,
    items=lambda shape: make_access("held, at", "held[{k}, at]", shape),
    columns=lambda shape: make_function(
        "columns(held, count)",
        f"return Shape({', '.join(f'held[{k}, :count]' for k in range(len(shape)))})",
        shape,
    ),
    gather=lambda _: make_function("gather(columns, held, count)", "return None"),
    view=lambda shape: view_game(shape, (True,) * len(shape)),
    games=game_columns,
    hold=lambda _shape, matrix, _lanes: matrix,
    give=lambda arrays: arrays,
    count=np.uint64,  # unsigned: no test for negative indices
    blank=lambda _rows, shape: np.zeros(shape),
    listed=False,
)
LISTS = StateLayout(  # plain Python
    access=access_list,
    lanes=access_list_lanes,
    items=access_list,
    columns=lambda shape: make_function(
        "columns(held, count)", "return Shape(*map(list, zip(*held[:count])))", shape
    ),
    gather=lambda shape: make_function(
        "gather(columns, held, count)",
        "held[:count] = [Shape(*item) for item in zip(*columns)]",
        shape,
    ),
    view=lambda _: list.__getitem__,
    games=game_list,
    hold=rows_as_tuples,
    give=as_lists,
    count=int,
    blank=lambda rows, _shape: [None] * rows,
    listed=True,
)


# --- numbers that all games share and that are learnt ---------------------------------------------
#
# A draw width, cut points, a newcomer's level: rows of one matrix. A game names the rows that it
# reads, and when it is judged it teaches them, one after the other, so that a later one sees what
# an earlier one has learnt.


class LearntRules(NamedTuple):
    """How the loop over sides reads learnt numbers and teaches them."""

    read: Callable[..., Any]  # (p, rows, lane, game) -> what the functions get as last argument
    teach: Callable[..., None]  # (p, rows, lane, game, total, sides, last)


def first_rows(system: Dynamic, parameters: tuple[Any, ...]) -> Floats | None:
    """The rows before the first game, [rows, fields * settings]; None: the system learns none."""
    if system.common is None:
        return None
    by_setting = [system.common.start(p) for p in parameters]
    rows = np.array(by_setting, dtype=np.float64)  # [settings, rows, fields]
    return np.ascontiguousarray(rows.transpose(1, 2, 0).reshape(rows.shape[1], -1))


def common_at(system: Dynamic, p: Any, rows: Floats, game: Any) -> tuple[Any, ...]:
    """What the functions get as a last argument for a game, of [rows, fields]; () for nothing."""
    if system.common is None:
        return ()
    row, places = system.common.row, system.common.named(p, game)
    found = (row if at < 0 else row._make(rows[int(at)].tolist()) for at in places)
    return (type(system.common.shape)(*found),)


def width_kept(system: Dynamic, lanes: int) -> int:
    """How many numbers are kept of what a game of two sides reads, as both sides see it."""
    assert system.common is not None
    return 2 * len(system.common.shape) * len(system.common.row) * lanes


def common_keep(system: Dynamic, lanes: int) -> Callable[..., None]:
    """A function (matrix, row, lane, common, back) that keeps both, behind the bank's weights."""
    if system.common is None:
        return no_op
    names, fields = system.common.shape._fields, system.common.row._fields
    base = 2 * lanes if lanes > 1 else 0
    lines = [
        f"matrix[row, {base + k * lanes} + lane] = {one}.{name}.{field}"
        for k, (one, name, field) in enumerate(product(("common", "back"), names, fields))
    ]
    return make_function("keep(matrix, row, lane, common, back)", "\n    ".join(lines))


def common_kept(system: Dynamic, lanes: int, kept: Any, second: bool) -> list[Any]:
    """What was kept, as a side of the game saw it, by lane: a tuple of the last argument, () for
    nothing.
    """
    if system.common is None:
        return [()] * lanes
    shape, row = system.common.shape, system.common.row
    base = 2 * lanes if lanes > 1 else 0
    numbers = np.asarray(kept[base : base + width_kept(system, lanes)])
    by_lane = numbers.reshape(2, len(shape), len(row), lanes)[int(second)].transpose(2, 0, 1)
    return [(type(shape)(*map(row._make, rows)),) for rows in by_lane.tolist()]


def learnt_rules(system: Dynamic, layout: StateLayout, lanes: int) -> LearntRules:
    """The rules of a system; of one that learns nothing they are never called."""
    if system.common is None:
        return LearntRules(no_op, no_op)
    load, store = layout.lanes(system.common.row, lanes)
    shape, named, learn = system.common.shape, system.common.named, system.common.learn
    names, row = shape._fields, system.common.row
    none = make_function("none()", f"return Shape({', '.join(map(repr, row))})", row)

    unknown = make_function(
        "unknown()", f"return Shape({', '.join(['nan'] * len(row))})", row, nan=nan
    )

    def fetch(rows: Any, at: int, lane: Any) -> Any:
        if 0 <= at < len(rows):
            return load(rows, at, lane)
        if at < -1 or at > len(rows):
            return unknown()  # a rating is not finite, which is reported elsewhere
        return none()

    terms = ", ".join(f"fetch(rows, int(at.{name}), lane)" for name in names)
    gather = make_function("gather(rows, at, lane)", f"return Shape({terms})", shape, fetch=fetch)
    places = [make_function("place(at)", f"return int(at.{name})", shape) for name in names]

    def gather_named(p: Any, rows: Any, lane: Any, game: Any) -> Any:
        return gather(rows, named(p, game), lane)

    def teach_row(
        before: Callable[..., None], which: int, place: Callable[..., int]
    ) -> Callable[..., None]:
        """A function that teaches one more row of a game, after those before it."""

        def teach(
            p: Any, rows: Any, lane: Any, game: Any, total: Any, sides: float, last: Any
        ) -> None:
            before(p, rows, lane, game, total, sides, last)
            at = place(named(p, game))
            if 0 <= at <= last:
                row = load(rows, at, lane)
                below, above = fetch(rows, at - 1, lane), fetch(rows, at + 1, lane)
                store(rows, at, lane, learn(p, which, row, below, above, total, sides))

        return teach

    teach: Callable[..., None] = no_op
    for which, place in enumerate(places):
        if names[which] in system.common.taught:
            teach = teach_row(teach, which, place)
    return LearntRules(gather_named, teach)
