"""Parts of tuples at places that are known only when it runs. A tuple of more than a few known
numbers, or of rows of them, becomes a constant array; of others all parts are tried.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from prowess.compile.builder import Builder
from prowess.compile.flat import Flat
from prowess.compile.numbers import IN_LLVM, SIZES, Array, Intrinsic, float_text
from prowess.compile.values import Expr, Known, Parts, Value, name

LONGEST_UNROLLED = 64  # parts of a tuple that a loop or a place not known goes through
FEW = 4  # numbers that are chosen from by tests
KINDS = {float: "d", int: "q"}


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
    """The constant array of a tuple; None where it is no table of known numbers of one kind."""
    rows = [one.items if isinstance(one, Parts) else [one] for one in parts.items]
    values = [one.value if isinstance(one, Known) else None for row in rows for one in row]
    kinds = {type(value) for value in values}
    kind = KINDS.get(*kinds) if len(kinds) == 1 else None
    forms = {one.kind if isinstance(one, Parts) else None for one in parts.items}
    lengths = {len(one.items) if isinstance(one, Parts) else -1 for one in parts.items}
    if kind is None or len(values) <= FEW or len(lengths) > 1 or len(forms) > 1:
        return None
    if kind == "q" and not all(-(2**63) <= value < 2**63 for value in values):
        return None
    shape = (len(rows),) if -1 in lengths else (len(rows), *lengths)
    return Intrinsic(_emit_table, kind, shape, tuple(values))


def _emit_table(b: Builder, kind: str, shape: tuple[int, ...], values: Sequence[Any]) -> Array:
    texts = [float_text(value) if kind == "d" else str(value) for value in values]
    items = ", ".join(f"{IN_LLVM[kind]} {text}" for text in texts)
    place = b.constant(f"[{len(values)} x {IN_LLVM[kind]}] [{items}]")
    strides = (SIZES[kind] * shape[1], SIZES[kind]) if len(shape) > 1 else (SIZES[kind],)
    return Array(kind, place, tuple(map(str, shape)), tuple(map(str, strides)), contiguous=True)


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
