"""The memory layout of ratings and games: how the loops read and write one row.

Compiled, the state is a C-contiguous float64 matrix `[players, fields]` and games are columns.
As plain Python, state is a list of NamedTuples and games a list of `Game`: a list of tuples is
ten times faster there than a matrix. Both layouts offer the same functions, so the loop is
written once. The functions are generated because compiled code must see every field by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.system import Mirror, mirrors_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]

NO_NAMES: Mapping[str, Any] = MappingProxyType({})


class Scratch(NamedTuple):
    """Access to the sides of one contest while it is judged, held as columns, one a field."""

    access: Callable[[Any], tuple[Callable[..., Any], Callable[..., None]]]  # shape -> load, store
    columns: Callable[[Any], Callable[..., Any]]  # shape -> ((held, count) -> a tuple of columns)
    gather: Callable[[Any], Callable[..., None]]  # shape -> put columns that were filled back


class StateLayout(NamedTuple):
    """The functions by which a loop reads and writes rows."""

    access: Callable[[Any], tuple[Callable[..., Any], Callable[..., None]]]  # shape -> load, store
    view: Callable[[Any], Callable[..., Any]]  # shape of Game -> ((games, row) -> Game)
    sized: Callable[[int], Callable[[Any], Any]]  # width -> (rows -> the same, known to be so wide)
    lanes: Callable[[Any, int], tuple[Callable[..., Any], Callable[..., None]]]  # by row and lane
    scratch: Scratch
    ask: Callable[..., None] | None = None  # (rows, row): prefetch the row


def make_sum(evidence: Any) -> Callable[..., Any]:
    """A function (one, other) -> their sum, for evidence shaped like this."""
    return _fieldwise("added(x, y)", evidence, "x.{0} + y.{0}")


def make_scaling(evidence: Any) -> Callable[..., Any]:
    """A function (one, weight) -> the evidence counted `weight` times."""
    return _fieldwise("scaled(x, weight)", evidence, "weight * x.{0}")


def make_mirror(shape: Any, mirrors: dict[str, Mirror] | None) -> Callable[..., Any]:
    """A function (one) -> the same as the other side sees it; with None, the thing itself."""
    if mirrors is None:
        return _identity
    terms = ", ".join(
        re.sub(r"\bx\b", f"one.{mirror.other or name}", mirror.term)
        for name, mirror in mirrors.items()
    )
    return make_function("mirrored(one)", f"Shape({terms})", shape)


def make_replacement(shape: Any) -> Callable[..., Any]:
    """A function (sum, old, new) -> the sum with one part replaced."""
    return _fieldwise("replaced(x, old, new)", shape, "x.{0} - old.{0} + new.{0}")


class GameRules(NamedTuple):
    """How games are read from columns and mirrored, for one kind of Game."""

    view: Callable[
        ..., Any
    ]  # (columns, row) -> the Game; what a system does not read is not loaded
    mirror: Callable[[Any], Any]  # the same game as the other side sees it
    pair: Callable[[float], Any]  # score -> a Game of which nothing else is known


@lru_cache(maxsize=None, typed=True)  # equal tuples of two kinds are two
def game_rules(shape: Any) -> GameRules:
    """The rules of a Game, made from its fields; raises TypeError where one does not mirror.

    Columns are a tuple: the column of each field, then the step of each; a column of step 0 holds
    one value for all rows.
    """
    names, mirrors = shape._fields, mirrors_of(shape)
    if mirrors is None or names[0] != "score":
        raise TypeError(
            f"{type(shape).__name__}: put the field score first, and annotate each field with how "
            "it mirrors: same, negated, complement or swapped(FIELD)"
        )
    count = len(names)
    terms = ", ".join(f"games[{k}][row * games[{count + k}]]" for k in range(1, count))
    rest = ", ".join(["0.0"] * (count - 1))
    return GameRules(
        make_function("view(games, row)", f"Shape(games[0][row], {terms})", shape),
        make_mirror(shape, mirrors),
        make_function("pair(score)", f"Shape(score, {rest})", shape),
    )


@lru_cache(maxsize=None, typed=True)
def columns_of_game(shape: Any) -> dict[str, str]:
    """Of each field of a Game the column of a table that holds it."""
    return {name: m.column or name for name, m in (mirrors_of(shape) or {}).items()}


def game_columns(games: Games, shape: Any) -> tuple[Any, ...]:
    """Games as compiled code reads them; a missing column is one zero with step 0."""
    given = [_fact(games, name) for name in columns_of_game(shape).values()]
    zero = np.zeros(1)
    return (
        *(zero if column is None else column for column in given),
        *(np.uint64(column is not None) for column in given),
    )


def game_list(games: Games, shape: Any, first: int, last: int) -> list[Any]:
    """Rows `first:last` as a list of Game."""
    given = [_fact(games, name) for name in columns_of_game(shape).values()]
    rows = (
        [0.0] * (last - first) if column is None else column[first:last].tolist()
        for column in given
    )
    return list(map(shape._make, zip(*rows, strict=True)))


def _fact(games: Games, name: str) -> Any:
    """A column of a table, or a further fact of that name."""
    return games.columns.get(name, games.facts.get(name))


def row_load(shape: Any) -> Callable[..., Any]:
    """A function (matrix, row) -> NamedTuple shaped like `shape`."""
    reads = ", ".join(f"matrix[row, {k}]" for k in range(len(shape)))
    return execute_source("load", f"def load(matrix, row):\n    return Shape({reads})", shape)


def row_store(shape: Any) -> Callable[..., None]:
    """A function (matrix, row, value) that writes every field."""
    writes = "\n".join(
        f"    matrix[row, {k}] = value.{name}" for k, name in enumerate(shape._fields)
    )
    return execute_source("store", f"def store(matrix, row, value):\n{writes}", shape)


def matrix_access(shape: Any) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) of a row of a matrix as a NamedTuple shaped like `shape`."""
    return row_load(shape), row_store(shape)


def list_access(shape: Any) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) of an item of a list."""
    return list.__getitem__, list.__setitem__


def keep_width(width: int) -> Callable[[Any], Any]:
    """A function (rows) -> the same rows: plain Python does not need the width."""
    return _identity


def _identity(rows: Any) -> Any:
    return rows


def no_op(*_: Any) -> Any:
    """Stand in a loop for a function that the system does not declare; no run calls it."""
    return None


def column_view(shape: Any) -> Callable[..., Any]:
    """The function (columns, row) -> Game."""
    return game_rules(shape).view


def list_view(shape: Any) -> Callable[..., Any]:
    """The function (games, row) -> Game of a list of them."""
    return list.__getitem__


def matrix_lanes(shape: Any, lanes: int) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) by row and lane of a matrix in which the lanes of each field are neighbours."""
    if lanes == 1:
        places = [str(k) for k in range(len(shape))]
    else:
        places = [f"{k * lanes} + lane" for k in range(len(shape))]
    reads = ", ".join(f"matrix[row, {at}]" for at in places)
    writes = "\n".join(
        f"    matrix[row, {at}] = value.{name}"
        for at, name in zip(places, shape._fields, strict=True)
    )
    return (
        make_function("load(matrix, row, lane)", f"Shape({reads})", shape),
        execute_source("store", f"def store(matrix, row, lane, value):\n{writes}", shape),
    )


def list_lanes(shape: Any, lanes: int) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) of a list of tuples, or of a list of lists of them."""
    at = "rows[row]" if lanes == 1 else "rows[row][lane]"
    return (
        make_function("load(rows, row, lane)", at),
        execute_source("store", f"def store(rows, row, lane, value):\n    {at} = value", ()),
    )


def lane_rows(
    shape: Any, lanes: int, listed: bool
) -> tuple[Callable[..., Any], Callable[..., None]]:
    """As `matrix_lanes` or `list_lanes`, by unsigned places where compiled."""
    if listed:
        return list_lanes(shape, 2)
    reads = ", ".join(f"matrix[row, F{k} + lane]" for k in range(len(shape)))
    writes = "\n".join(
        f"    matrix[row, F{k} + lane] = value.{name}" for k, name in enumerate(shape._fields)
    )
    load = make_function("load(matrix, row, lane)", f"Shape({reads})", shape)
    store = execute_source("store", f"def store(matrix, row, lane, value):\n{writes}", shape)
    return _at_places(load, len(shape), lanes), _at_places(store, len(shape), lanes)


def lane_fields(shape: Any, width: int, listed: bool) -> Callable[..., Any]:
    """A function (numbers, lane) -> the tuple of a lane, each field `width` numbers apart."""
    if listed:
        return list.__getitem__
    reads = ", ".join(f"numbers[F{k} + lane]" for k in range(len(shape)))
    load = make_function("load(numbers, lane)", f"Shape({reads})", shape)
    return _at_places(load, len(shape), width)


def _at_places(function: Callable[..., Any], count: int, apart: int) -> Callable[..., Any]:
    """Name the places of fields as unsigned constants, which the compiler need not test."""
    function.__globals__.update((f"F{k}", np.uint64(k * apart)) for k in range(count))
    return function


def column_scratch(shape: Any) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) of an item of columns that are the rows of a matrix."""
    reads = ", ".join(f"held[{k}, at]" for k in range(len(shape)))
    writes = "\n".join(f"    held[{k}, at] = value.{name}" for k, name in enumerate(shape._fields))
    return (
        make_function("load(held, at)", f"Shape({reads})", shape),
        execute_source("store", f"def store(held, at, value):\n{writes}", shape),
    )


def scratch_columns(shape: Any) -> Callable[..., Any]:
    """A function (held, count) -> the columns as a tuple shaped like `shape`."""
    reads = ", ".join(f"held[{k}, :count]" for k in range(len(shape)))
    return make_function("columns(held, count)", f"Shape({reads})", shape)


def scratch_kept(shape: Any) -> Callable[..., None]:
    """A function (columns, held, count) that does nothing: the columns are what is held."""
    return make_function("gather(columns, held, count)", "None")


def list_columns(shape: Any) -> Callable[..., Any]:
    """A function (held, count) -> the items as lists, one a field."""
    return make_function("columns(held, count)", "Shape(*map(list, zip(*held[:count])))", shape)


def list_gather(shape: Any) -> Callable[..., None]:
    """A function (columns, held, count) that makes items of the columns."""
    body = "    held[:count] = [Shape(*item) for item in zip(*columns)]"
    return execute_source("gather", f"def gather(columns, held, count):\n{body}", shape)


MATRICES = StateLayout(  # compiled, and where sums need all players
    matrix_access, column_view, keep_width, matrix_lanes,
    Scratch(column_scratch, scratch_columns, scratch_kept),
)  # fmt: skip
LISTS = StateLayout(  # plain Python
    list_access, list_view, keep_width, list_lanes,
    Scratch(list_access, list_columns, list_gather),
)  # fmt: skip


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


def make_function(head: str, expression: str, shape: Any = (), **known: Any) -> Callable[..., Any]:
    """The function `head` that returns `expression`, in which `Shape` builds such a tuple.

    `known` are functions and numbers that the expression names.
    """
    body = f"def {head}:\n    return {expression}"
    return execute_source(head.partition("(")[0], body, shape, known)


def _fieldwise(head: str, shape: Any, term: str) -> Callable[..., Any]:
    terms = ", ".join(term.format(name) for name in shape._fields)
    return make_function(head, f"Shape({terms})", shape)


def execute_source(
    name: str, source: str, shape: Any = (), known: Mapping[str, Any] = NO_NAMES
) -> Callable[..., Any]:
    """The function of that name in a source text made of field names."""
    scope: dict[str, Any] = {"Shape": type(shape), "__name__": __name__, **known}
    exec(source, scope)  # made from the field names of a NamedTuple only
    return scope[name]  # type: ignore[no-any-return]
