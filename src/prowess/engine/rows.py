"""How the loop reads and writes one player: the only place that knows how state is laid out.

Compiled, the state is a C-contiguous float64 matrix `[players, fields]` and games are columns.
As plain Python, state is a list of NamedTuples and games a list of `Game`: a list of tuples is
ten times faster there than a matrix. Both layouts offer the same functions, so the loop is
written once. The functions are generated because compiled code must see every field by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from prowess.engine.system import Game


class Layout(NamedTuple):
    """How memory is touched."""

    access: Callable[[Any], tuple[Callable[..., Any], Callable[..., None]]]  # shape -> load, store
    view: Callable[..., Game]  # (games, row) -> Game
    sized: Callable[[int], Callable[[Any], Any]]  # width -> (rows -> the same, known to be so wide)
    ask: Callable[..., None] | None = None  # (rows, row): it will be needed soon


def added(evidence: Any) -> Callable[..., Any]:
    """A function (one, other) -> their sum, for evidence shaped like this."""
    return _fieldwise("added(x, y)", evidence, "x.{0} + y.{0}")


def scaled(evidence: Any) -> Callable[..., Any]:
    """A function (one, weight) -> the evidence counted `weight` times."""
    return _fieldwise("scaled(x, weight)", evidence, "weight * x.{0}")


def negated(evidence: Any) -> Callable[..., Any]:
    """A function (one) -> minus the evidence: what the opponent gets in an exchange."""
    return _fieldwise("negated(x)", evidence, "-x.{0}")


def replaced(shape: Any) -> Callable[..., Any]:
    """A function (sum, old, new) -> the sum with one part replaced."""
    return _fieldwise("replaced(x, old, new)", shape, "x.{0} - old.{0} + new.{0}")


class Columns(NamedTuple):
    """Games as columns. A column of step 0 holds one value for all rows."""

    score: Any
    side: Any
    margin: Any
    length: Any
    mine: Any
    theirs: Any
    side_step: int
    margin_step: int
    length_step: int
    mine_step: int
    theirs_step: int


def column_view(games: Columns, row: int) -> Game:
    """Row of the columns as a Game; what a system does not read is never loaded."""
    return Game(
        games.score[row],
        games.side[row * games.side_step],
        games.margin[row * games.margin_step],
        games.length[row * games.length_step],
        games.mine[row * games.mine_step],
        games.theirs[row * games.theirs_step],
    )


def mirror(game: Game) -> Game:
    """The same game as the opponent sees it."""
    return Game(1.0 - game.score, -game.side, -game.margin, game.length, game.theirs, game.mine)


def row_load(shape: Any) -> Callable[..., Any]:
    """A function (matrix, row) -> NamedTuple shaped like `shape`."""
    reads = ", ".join(f"matrix[row, {k}]" for k in range(len(shape)))
    return _executed("load", f"def load(matrix, row):\n    return Shape({reads})", shape)


def row_store(shape: Any) -> Callable[..., None]:
    """A function (matrix, row, value) that writes every field."""
    writes = "\n".join(
        f"    matrix[row, {k}] = value.{name}" for k, name in enumerate(shape._fields)
    )
    return _executed("store", f"def store(matrix, row, value):\n{writes}", shape)


def matrix_access(shape: Any) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) of a row of a matrix as a NamedTuple shaped like `shape`."""
    return row_load(shape), row_store(shape)


def list_access(shape: Any) -> tuple[Callable[..., Any], Callable[..., None]]:
    """(load, store) of an item of a list."""
    return list.__getitem__, list.__setitem__


def unsized(width: int) -> Callable[[Any], Any]:
    """A function (rows) -> the same rows: plain Python need not know how wide they are."""
    return _unchanged


def _unchanged(rows: Any) -> Any:
    return rows


MATRICES = Layout(matrix_access, column_view, unsized)  # compiled, and where sums need everybody
LISTS = Layout(list_access, list.__getitem__, unsized)  # plain Python


def generated(head: str, expression: str, shape: Any = ()) -> Callable[..., Any]:
    """The function `head` that returns `expression`, in which `Shape` builds such a tuple."""
    return _executed(head.partition("(")[0], f"def {head}:\n    return {expression}", shape)


def _fieldwise(head: str, shape: Any, term: str) -> Callable[..., Any]:
    terms = ", ".join(term.format(name) for name in shape._fields)
    return generated(head, f"Shape({terms})", shape)


def _executed(name: str, source: str, shape: Any) -> Callable[..., Any]:
    scope: dict[str, Any] = {"Shape": type(shape), "__name__": __name__}
    exec(source, scope)  # made from the field names of a NamedTuple only
    return scope[name]  # type: ignore[no-any-return]
