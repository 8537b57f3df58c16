"""What flattening knows of a value: all of it, its parts, or an expression that gives it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

Expr = ast.expr


class Known:
    """A value that is known while compiling."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Parts:
    """A tuple, by its parts; `kind` is the class of a NamedTuple, None of a plain tuple. `row` is
    the constant table of which it is a row, and the place there.
    """

    __slots__ = ("items", "kind", "row")

    def __init__(
        self, kind: Any, items: Sequence[Value], row: tuple[Expr, Expr] | None = None
    ) -> None:
        self.kind, self.items, self.row = kind, items, row


class BoundMethod:
    """A function of a NamedTuple, and the tuple that it is called on."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: FunctionType, receiver: Parts) -> None:
        self.function, self.receiver = function, receiver


Value = Known | Parts | BoundMethod | Expr

KNOWN_NONE = Known(None)


class Mixed:
    """What stands for a result that is None in one case and a value in another: it may be left
    unused, no more.
    """

    def __bool__(self) -> bool:
        raise TypeError("a result that may be None")


MIXED = Known(Mixed())
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
    ast.Invert: operator.invert,
}  # fmt: skip


def name(text: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(text, ast.Load())


def negate(test: Expr) -> Expr:
    """The opposite of a test."""
    return ast.UnaryOp(ast.Not(), test)


def truth(value: Value) -> Known | Expr:
    """Whether a value counts as true."""
    if isinstance(value, Known):
        return Known(bool(value.value))
    if isinstance(value, Parts):
        return Known(bool(value.items))
    if isinstance(value, BoundMethod):
        return Known(True)
    return value


def fold_binary(op: type[ast.operator], left: Any, right: Any) -> Known | None:
    """The result for two known numbers of one kind; None where running it decides."""
    if type(left) is not type(right):
        return None
    try:
        return Known(BINARY[op](left, right))
    except (ArithmeticError, ValueError):
        return None


def is_number(value: Any) -> bool:
    """Whether a known value is one that machine code holds."""
    return isinstance(value, bool | int | float | np.generic)


def is_none(value: Value) -> bool:
    """Whether a value is known to be None."""
    return isinstance(value, Known) and value.value is None


def is_plain(node: ast.expr) -> bool:
    """Whether evaluating an expression does no harm where Python would not evaluate it."""
    return isinstance(node, ast.Name | ast.Constant)


def is_made_plainly(kind: type) -> bool:
    """Whether a NamedTuple is made of its fields, by no code of its own."""
    return next(one for one in kind.__mro__ if "__new__" in vars(one)).__bases__ == (tuple,)


def local_array(value: Any, length: int) -> Any:
    """Stand for an array of the function's own, all of whose items are this value at first."""
    return [value] * length
