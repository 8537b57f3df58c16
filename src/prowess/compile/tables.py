"""Parts of tuples at places that are known only when it runs. A tuple of more than a few known
floats, or of rows of them, becomes a constant array; of others all parts are tried.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from prowess.compile.builder import Builder
from prowess.compile.flat import Flat
from prowess.compile.numbers import Array, Intrinsic, float_text
from prowess.compile.values import Expr, Known, Parts, Value, name

LONGEST_UNROLLED = 64  # parts of a tuple that a loop or a place not known goes through
MAX_TESTED = 4  # known floats of a tuple whose places are tested in turn


def choose_part(flat: Flat, parts: Parts, at: Expr) -> Value:
    """The part of a tuple at a place."""
    if parts.row is not None:
        table, row = parts.row
        return ast.Subscript(table, ast.Tuple([row, at], ast.Load()), ast.Load())
    place = flat.settle(at, "at")
    assert isinstance(place, ast.expr)
    made = make_table(parts)
    if made is None:
        return choose_by_tests(flat, parts, place)
    table = ast.Call(name(flat.name_callee("table", made)), [], [])
    if not isinstance(parts.items[0], Parts):
        return ast.Subscript(table, place, ast.Load())
    columns = (ast.Constant(k) for k in range(len(parts.items[0].items)))
    items = [
        ast.Subscript(table, ast.Tuple([place, one], ast.Load()), ast.Load()) for one in columns
    ]
    return Parts(parts.items[0].kind, items, (table, place))


def make_table(parts: Parts) -> Intrinsic | None:
    """The constant array of a tuple; None where it is no table of known floats."""
    rows = [one.items if isinstance(one, Parts) else [one] for one in parts.items]
    values = [one.value if isinstance(one, Known) else None for row in rows for one in row]
    forms = {(one.kind, len(one.items)) if isinstance(one, Parts) else None for one in parts.items}
    if {type(value) for value in values} != {float} or len(values) <= MAX_TESTED or len(forms) > 1:
        return None
    shape = (len(rows),) if None in forms else (len(rows), len(rows[0]))
    return Intrinsic(_emit_table, shape, values)


def _emit_table(b: Builder, shape: tuple[int, ...], values: Sequence[float]) -> Array:
    items = ", ".join(f"double {float_text(value)}" for value in values)
    place = b.constant(f"[{len(values)} x double] [{items}]")
    strides = ("8",) if len(shape) == 1 else (str(8 * shape[1]), "8")
    return Array("d", place, tuple(map(str, shape)), strides, contiguous=True)


def choose_by_tests(flat: Flat, parts: Parts, place: Expr) -> Value:
    """The part of a tuple at a place, by a test for each place."""
    settled = flat.settle(parts)
    assert isinstance(settled, Parts)
    if not settled.items or len(settled.items) > LONGEST_UNROLLED:
        raise flat.refuse("an item of a long or empty tuple at a place that is not known")

    def pick(values: Sequence[Value]) -> Value:
        if isinstance(values[0], Parts):
            columns = zip(*(one.items for one in values), strict=True)  # type: ignore[union-attr]
            return Parts(values[0].kind, [pick(column) for column in columns])
        found = flat.as_expression(values[-1])
        for k in reversed(range(len(values) - 1)):
            first, again = (  # a negative place counts from the end
                ast.Compare(place, [ast.Eq()], [ast.Constant(one)]) for one in (k, k - len(values))
            )
            test = ast.BinOp(first, ast.BitOr(), again)
            found = ast.IfExp(test, flat.as_expression(values[k]), found)
        return found

    return pick(settled.items)
