"""The statements of a flat function while it is made, and the names in them.

A name in `Flat.fixed` is set once; any other may be set again.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from prowess.compile import Uncompilable
from prowess.compile.source import count_reads, place_of
from prowess.compile.values import (
    BoundMethod,
    Expr,
    Known,
    Parts,
    Value,
    is_none,
    is_number,
    name,
    negate,
)

Statements = list[ast.stmt]


class Flat:
    """The statements made so far, and the names in them."""

    def __init__(self, substitutes: Mapping[Any, Any], put_in_place: Callable[..., Value]) -> None:
        self.put_in_place = put_in_place  # (flat, function, arguments, keywords) -> its result
        self.substitutes = {id(one): other for one, other in substitutes.items()}
        self.out: Statements = []
        self.count = 0
        self.fixed: set[str] = set()
        self.callees: dict[str, Any] = {}
        self.open: list[Any] = []  # of the functions that are being put in place

    # names and values

    def new_name(self, stem: str, *, fixed: bool = True) -> str:
        """A name that nothing else has; fixed: it is set once."""
        self.count += 1
        made = f"{stem}_{self.count}"
        if fixed:
            self.fixed.add(made)
        return made

    def name_callee(self, stem: str, function: Any) -> str:
        """The name under which the flat function calls what stays a call."""
        for known, other in self.callees.items():
            if other is function:
                return known
        made = stem if stem not in self.callees else f"{stem}_{len(self.callees)}"
        self.callees[made] = function
        return made

    def refuse(self, what: str) -> Uncompilable:
        """The error that says where the function uses something that is not known here."""
        frame = self.open[-1]
        place = place_of(frame.function, frame.source, frame.node)
        return Uncompilable(
            f"rewrite {what} in {frame.function.__qualname__} ({place}): it is not compiled",
            code="not_compilable",
        )

    def as_expression(self, value: Value) -> Expr:
        """A number or array as an expression."""
        if isinstance(value, Known):
            if value.value is None or is_number(value.value):
                return ast.Constant(value.value)
            raise self.refuse(f"a value of type {type(value.value).__name__}")
        if isinstance(value, Parts | BoundMethod):
            raise self.refuse("a tuple where a number is wanted")
        return value

    def is_settled(self, value: Value) -> bool:
        """Whether a value is the same however late it is read."""
        if isinstance(value, Parts):
            return all(map(self.is_settled, value.items))
        if isinstance(value, BoundMethod):
            return self.is_settled(value.receiver)
        return isinstance(value, Known) or (isinstance(value, ast.Name) and value.id in self.fixed)

    def assign(self, target: str, value: Value) -> None:
        """Set a name."""
        target_name = ast.Name(target, ast.Store())
        self.out.append(ast.Assign([target_name], self.as_expression(value), lineno=0))

    def settle(self, value: Value, stem: str = "t", *, alias: bool = False) -> Value:
        """The value under names that do not change; `alias` allows a variable that nothing sets
        while the value is in use.
        """
        if isinstance(value, Parts):
            return Parts(value.kind, [self.settle(x, stem, alias=alias) for x in value.items])
        if isinstance(value, BoundMethod):
            receiver = self.settle(value.receiver, stem, alias=alias)
            assert isinstance(receiver, Parts)
            return BoundMethod(value.function, receiver)
        if (
            isinstance(value, ast.Constant)
            or self.is_settled(value)
            or (alias and isinstance(value, ast.Name))
        ):
            return value
        made = self.new_name(stem)
        self.assign(made, value)
        return name(made)

    def settle_place(self, at: Expr) -> Expr:
        """A place in an array under names that do not change."""
        if isinstance(at, ast.Tuple):
            return ast.Tuple([self.settle_place(one) for one in at.elts], ast.Load())
        if isinstance(at, ast.Slice):
            ends = (at.lower, at.upper, at.step)
            return ast.Slice(*(None if x is None else self.settle_place(x) for x in ends))
        return self.as_expression(self.settle(at, "at"))

    def new_variable(self, stem: str, value: Value) -> Value:
        """Names that may be set more than once, for a value of this form."""
        if isinstance(value, Parts):
            return Parts(value.kind, [self.new_variable(stem, x) for x in value.items])
        return name(self.new_name(stem, fixed=False))

    def assign_all(self, variable: Value, value: Value) -> None:
        """Set a variable, all parts of a tuple at once."""
        pairs: list[tuple[str, Value]] = []

        def pair(target: Value, given: Value) -> None:
            if isinstance(target, Parts):
                if not isinstance(given, Parts) or len(target.items) != len(given.items):
                    raise self.refuse("tuples of two forms under one name")
                for one, other in zip(target.items, given.items, strict=True):
                    pair(one, other)
            elif isinstance(given, Parts):
                raise self.refuse("a tuple and a number under one name")
            else:
                if not isinstance(target, ast.Name) or is_none(given):
                    raise self.refuse("None and another value under one name")
                if not (isinstance(given, ast.Name) and given.id == target.id):
                    pairs.append((target.id, given))

        pair(variable, value)
        if len(pairs) > 1:
            pairs = [(target, self.settle(given)) for target, given in pairs]
        for target, given in pairs:
            self.assign(target, given)

    def collect(self, make: Callable[[], Any]) -> tuple[Statements, Any]:
        """The statements that `make` adds, apart from the others, and its result."""
        kept, self.out = self.out, []
        try:
            result = make()
            return self.out, result
        finally:
            self.out = kept

    def branch(self, test: Known | Expr, then: Statements, otherwise: Statements) -> None:
        """Add an `if`; nothing where neither side has a statement."""
        condition = self.as_expression(test)
        if then:
            self.out.append(ast.If(condition, then, otherwise))
        elif otherwise:
            self.out.append(ast.If(negate(condition), otherwise, []))

    def as_value(self, value: Any) -> Value:
        """A value of Python that the source names."""
        value = self.substitutes.get(id(value), value)
        if isinstance(value, tuple):
            kind = type(value) if hasattr(value, "_fields") else None
            return Parts(kind, [self.as_value(item) for item in value])
        return Known(value)


def prune(body: Statements) -> Statements:
    """The statements without names that nobody reads, as long as there are some."""
    read = count_reads(body)
    dropped = True
    while dropped:
        before = read.total()
        body = drop_unread(body, read)
        dropped = read.total() < before
    return body


def drop_unread(body: Statements, read: Counter[str]) -> Statements:
    """The statements without assignments to names that are not read, the last ones first; what
    goes is taken from `read`.
    """
    kept: Statements = []
    for statement in reversed(body):
        gone: ast.AST | None = None
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and not read[target.id]:
                gone = statement.value
        elif isinstance(statement, ast.If):
            statement.orelse = drop_unread(statement.orelse, read)
            statement.body = drop_unread(statement.body, read)
            if not statement.body and not statement.orelse:
                gone = statement.test
            elif not statement.body:
                statement.test = negate(statement.test)
                statement.body, statement.orelse = statement.orelse, []
        elif isinstance(statement, ast.For | ast.While):
            statement.body = drop_unread(statement.body, read)
            if isinstance(statement, ast.For) and not statement.body:
                gone = statement.iter
        if gone is None:
            kept.append(statement)
        else:
            read.subtract(count_reads([gone]))
    return kept[::-1]
