"""The expressions of a function that is put in place: what they give, and the statements that they
need before that.

Parts of tuples at places that are known only when it runs. A tuple of more than a few known
floats, or of rows of them, becomes a constant array; of others all parts are tried.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from functools import partial
from inspect import getattr_static
from types import FunctionType
from typing import Any

import numpy as np

from prowess.compile.builder import Builder
from prowess.compile.calls import is_known
from prowess.compile.flat import Flat, Statements
from prowess.compile.numbers import Array, Intrinsic, float_text
from prowess.compile.source import Source
from prowess.compile.values import (
    COMPARISONS,
    MIXED,
    UNARY,
    BoundMethod,
    Expr,
    Known,
    Parts,
    Value,
    fold_binary,
    is_made_plainly,
    is_none,
    is_plain,
    local_array,
    name,
    negate,
    truth,
)

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


# --- expressions ----------------------------------------------------------------------------------


CASTS = (float, int, bool)


class Expressions:
    """One call that is put in place: what its names stand for."""

    def __init__(self, flat: Flat, function: FunctionType, source: Source) -> None:
        self.flat, self.function, self.source = flat, function, source
        self.names: dict[str, Value] = {}
        self.node: Any = source.tree  # the statement that is being read, for refusals
        cells = function.__closure__ or ()
        self.cells = dict(zip(function.__code__.co_freevars, cells, strict=True))

    def evaluate_all(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """The values of expressions from left to right: where a later one needs statements, what
        stands left of it is settled before them.
        """
        flat = self.flat
        found: list[tuple[int, Value]] = []
        for node in nodes:
            before = len(flat.out)
            value = self.evaluate(node)
            if len(flat.out) > before:
                for k, (at, old) in reversed(list(enumerate(found))):
                    if not flat.is_settled(old):
                        made, flat.out = flat.out[at:], flat.out[:at]
                        found[k] = at, flat.settle(old, "e")
                        flat.out += made
            found.append((len(flat.out), value))
        return [value for _, value in found]

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression; statements that it needs are added before it."""
        make = EXPRESSION_READERS.get(type(node))
        if make is None:
            raise self.flat.refuse(f"the expression {ast.unparse(node)}")
        return make(self, node)

    def read_constant(self, node: ast.Constant) -> Value:
        return Known(node.value)

    def read_name(self, node: ast.Name) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.source.stores:
            raise self.flat.refuse(f"the name {node.id}, which is not always set,")
        for scope in (self.cells, self.function.__globals__):
            if node.id in scope:
                found = scope[node.id]
                return self.flat.as_value(found.cell_contents if scope is self.cells else found)
        if hasattr(builtins, node.id):
            return self.flat.as_value(getattr(builtins, node.id))
        raise self.flat.refuse(f"the name {node.id}")

    def make_tuple(self, node: ast.Tuple) -> Value:
        return Parts(None, self.expand(node.elts, self.evaluate_all(list(map(unstar, node.elts)))))

    def expand(self, nodes: Sequence[ast.expr], values: Sequence[Value]) -> list[Value]:
        """The values of arguments or items, those of `*tuple` by its parts."""
        found: list[Value] = []
        for node, value in zip(nodes, values, strict=True):
            if not isinstance(node, ast.Starred):
                found.append(value)
            elif isinstance(value, Parts):
                found += value.items
            else:
                raise self.flat.refuse("a star before no tuple")
        return found

    def read_attribute(self, node: ast.Attribute) -> Value:
        value = self.evaluate(node.value)
        if isinstance(value, Parts) and value.kind is not None:
            if node.attr in value.kind._fields:
                place: int = value.kind._fields.index(node.attr)
                return value.items[place]
            method = getattr_static(value.kind, node.attr)
            if not isinstance(method, FunctionType):
                raise self.flat.refuse(f"the attribute {node.attr}")
            return BoundMethod(method, value)
        if isinstance(value, Known) and not isinstance(value.value, FunctionType):
            return self.flat.as_value(getattr(value.value, node.attr))
        if isinstance(value, Known | Parts | BoundMethod):
            raise self.flat.refuse(f"the attribute {node.attr}")
        return ast.Attribute(value, node.attr, ast.Load())

    def index(self, node: ast.expr) -> Value | ast.Slice:
        """A place in an array or a tuple."""
        if isinstance(node, ast.Tuple):
            if any(isinstance(one, ast.Slice) for one in node.elts):
                parts = [self.as_place(self.index(one)) for one in node.elts]
            else:
                parts = [self.flat.as_expression(x) for x in self.evaluate_all(node.elts)]
            return ast.Tuple(parts, ast.Load())
        if isinstance(node, ast.Slice):
            given = (node.lower, node.upper, node.step)
            found = iter(self.evaluate_all([x for x in given if x is not None]))
            ends = (None if x is None else self.flat.as_expression(next(found)) for x in given)
            return ast.Slice(*ends)
        return self.evaluate(node)

    def as_place(self, at: Value | ast.Slice) -> Expr:
        if isinstance(at, Parts):
            return ast.Tuple([self.flat.as_expression(x) for x in at.items], ast.Load())
        return at if isinstance(at, ast.Slice) else self.flat.as_expression(at)

    def read_item(self, node: ast.Subscript) -> Value:
        value, at = self.evaluate_item(node)
        if isinstance(value, Parts):
            if isinstance(at, ast.Slice):
                ends = [at.lower, at.upper, at.step]
                if not all(x is None or isinstance(x, ast.Constant) for x in ends):
                    raise self.flat.refuse("a slice of a tuple by places that are not known")
                known: list[Any] = [getattr(x, "value", None) for x in ends]
                return Parts(None, value.items[slice(*known)])
            if isinstance(at, Known):
                index: int = at.value
                return value.items[index]
            return choose_part(self.flat, value, self.flat.as_expression(at))
        if isinstance(value, Known) and isinstance(at, Known):
            return self.flat.as_value(value.value[at.value])
        return ast.Subscript(self.flat.as_expression(value), self.as_place(at), ast.Load())

    def evaluate_item(self, node: ast.Subscript) -> tuple[Value, Value | ast.Slice]:
        """The value and the place of an item, in this order."""
        if isinstance(node.slice, ast.Tuple | ast.Slice):
            value = self.evaluate(node.value)
            return value, self.index(node.slice)
        value, at = self.evaluate_all([node.value, node.slice])
        return value, at

    def combine(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return self.make_array(node)
        return self.binary(node.op, *self.evaluate_all([node.left, node.right]))

    def make_array(self, node: ast.BinOp) -> Value:
        """`[value] * length` of a known length: an array of the function's own."""
        assert isinstance(node.left, ast.List)
        if len(node.left.elts) != 1:
            raise self.flat.refuse("a list of several items")
        value, length = self.evaluate_all([node.left.elts[0], node.right])
        if not isinstance(length, Known):
            raise self.flat.refuse("a list of a length that is not known")
        self.flat.callees["local_array"] = local_array
        made = ast.Call(
            name("local_array"),
            [self.flat.as_expression(value), ast.Constant(int(length.value))], [],
        )  # fmt: skip
        return self.flat.settle(made, "array")

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        """The result of an operator."""
        if isinstance(left, Known) and isinstance(right, Known):
            folded = fold_binary(type(op), left.value, right.value)
            if folded is not None:
                return folded
        if isinstance(left, Parts) and isinstance(right, Parts) and isinstance(op, ast.Add):
            return Parts(None, [*left.items, *right.items])
        if isinstance(left, Parts) and isinstance(right, Known) and isinstance(op, ast.Mult):
            return Parts(None, [*left.items] * right.value)
        return ast.BinOp(self.flat.as_expression(left), op, self.flat.as_expression(right))

    def unary(self, node: ast.UnaryOp) -> Value:
        value = self.evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            value = truth(value)
        if isinstance(value, Known) and not isinstance(value.value, np.unsignedinteger):
            return Known(UNARY[type(node.op)](value.value))
        return ast.UnaryOp(node.op, self.flat.as_expression(value))

    def compare(self, node: ast.Compare) -> Value:
        if len(node.ops) > 1 and not all(map(is_plain, node.comparators[1:])):
            return self.compare_in_turn(node)
        values = self.evaluate_all([node.left, *node.comparators])
        if any(isinstance(one, Known) and one.value is MIXED.value for one in values):
            raise self.flat.refuse("a result that may be None")
        if all(isinstance(one, Known) for one in values):
            pairs = zip(node.ops, values, values[1:], strict=False)
            return Known(all(COMPARISONS[type(op)](a.value, b.value) for op, a, b in pairs))  # type: ignore[union-attr]
        ops = node.ops
        if len(ops) == 1 and isinstance(ops[0], ast.In | ast.NotIn):
            return self.find(ops[0], *values)
        if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            if len(ops) > 1 or not any(map(is_none, values)):
                raise self.flat.refuse("`is` between values that are not None")
            return Known(isinstance(ops[0], ast.IsNot))  # what is not known now is a value
        inner = range(1, len(values) - 1)
        values = [self.flat.settle(x) if k in inner else x for k, x in enumerate(values)]
        first, *others = map(self.flat.as_expression, values)
        return ast.Compare(first, ops, others)

    def compare_in_turn(self, node: ast.Compare) -> Value:
        """`a < b < c()`: c is called only where a < b."""
        middle = f"middle {self.flat.count}"  # no name of the source has a space
        left, right = self.evaluate_all([node.left, node.comparators[0]])
        self.names[f"first {middle}"] = self.flat.settle(left)
        self.names[middle] = self.flat.settle(right)
        tests: list[ast.expr] = [
            ast.Compare(name(f"first {middle}"), node.ops[:1], [name(middle)]),
            ast.Compare(name(middle), node.ops[1:], node.comparators[1:]),
        ]
        return self.connect(ast.BoolOp(ast.And(), tests))

    def find(self, op: ast.cmpop, value: Value, among: Value) -> Value:
        """`x in (a, b)`: whether it equals one of them."""
        if not isinstance(among, Parts) or not among.items:
            raise self.flat.refuse("a search in what is no tuple")
        wanted = self.flat.as_expression(self.flat.settle(value, "wanted"))
        equal: list[Expr] = [
            ast.Compare(wanted, [ast.Eq()], [self.flat.as_expression(item)]) for item in among.items
        ]
        found: Expr = ast.BoolOp(ast.Or(), equal) if len(equal) > 1 else equal[0]
        return found if isinstance(op, ast.In) else negate(found)

    def connect(self, node: ast.BoolOp) -> Value:
        """`and`, `or`: the right side is evaluated only where the left one does not decide."""
        flat, is_and = self.flat, isinstance(node.op, ast.And)
        left = self.evaluate(node.values[0])
        for operand in node.values[1:]:
            test = truth(left)
            if isinstance(test, Known):
                if test.value != is_and:
                    return left
                left = self.evaluate(operand)
                continue
            added, right = flat.collect(partial(self.evaluate, operand))
            if added:  # the right side needs statements of its own
                variable = flat.new_variable("both", Known(True))
                flat.assign_all(variable, test)

                late = self.finish(added, variable, right)
                asked = truth(variable)
                assert not isinstance(asked, Known)
                flat.branch(asked if is_and else negate(asked), late, [])
                left = variable
                continue
            left = ast.BoolOp(node.op, [test, flat.as_expression(right)])
        return left

    def decide(self, node: ast.IfExp) -> Value:
        """`x if test else y`."""
        flat = self.flat
        test = truth(self.evaluate(node.test))
        if isinstance(test, Known):
            return self.evaluate(node.body if test.value else node.orelse)
        then, first = flat.collect(partial(self.evaluate, node.body))
        otherwise, second = flat.collect(partial(self.evaluate, node.orelse))
        if not (then or otherwise or isinstance(first, Parts) or isinstance(second, Parts)):
            return ast.IfExp(test, flat.as_expression(first), flat.as_expression(second))
        variable = flat.new_variable("either", first)
        flat.branch(
            test, self.finish(then, variable, first), self.finish(otherwise, variable, second)
        )
        return variable

    def finish(self, statements: Statements, variable: Value, value: Value) -> Statements:
        """Statements, and the assignment of the value that they were made for."""

        def add() -> None:
            self.flat.out += statements
            self.flat.assign_all(variable, value)

        return self.flat.collect(add)[0]

    def call(self, node: ast.Call) -> Value:
        """A call: of a plain function it is put in place, of the others it stays."""
        flat = self.flat
        count = len(node.args)
        if any(x.arg is None for x in node.keywords):
            raise flat.refuse("a call with **")
        given = [node.func, *map(unstar, node.args), *(x.value for x in node.keywords)]
        called, *values = self.evaluate_all(given)
        arguments = self.expand(node.args, values[:count])
        keywords = {str(x.arg): v for x, v in zip(node.keywords, values[count:], strict=True)}
        if isinstance(called, BoundMethod):
            return flat.put_in_place(flat, called.function, [called.receiver, *arguments], keywords)
        if not isinstance(called, Known):
            raise flat.refuse("a call of what is not known")
        return self.call_known(called.value, arguments, keywords)

    def call_known(
        self, function: Any, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """A call of a value of Python."""
        flat = self.flat
        if isinstance(function, FunctionType):
            return flat.put_in_place(flat, function, arguments, keywords)
        if isinstance(function, type) and hasattr(function, "_fields"):
            given = dict(zip(function._fields, arguments, strict=False)) | keywords
            for field, default in function._field_defaults.items():  # type: ignore[attr-defined]
                given.setdefault(field, flat.as_value(default))
            twice = set(function._fields[: len(arguments)]) & set(keywords)
            counts = {len(given), len(function._fields), max(len(given), len(arguments))}
            if twice or len(counts) > 1 or not is_made_plainly(function):
                raise flat.refuse(f"a {function.__name__} without all of its fields")
            return Parts(function, [given[field] for field in function._fields])
        if function is len and isinstance(arguments[0], Parts):
            return Known(len(arguments[0].items))
        if keywords:
            raise flat.refuse("a call with names of arguments")
        known = [one.value for one in arguments if isinstance(one, Known)]
        casts = function in CASTS or (
            isinstance(function, type) and issubclass(function, np.generic)
        )
        if casts and len(known) == len(arguments):
            return Known(function(*known))
        stem = getattr(function, "__name__", type(function).__name__)
        if not is_known(function):
            raise flat.refuse(f"the call of {stem}")
        called = flat.name_callee(stem, function)
        return ast.Call(name(called), [flat.as_expression(x) for x in arguments], [])


def unstar(node: ast.expr) -> ast.expr:
    """An argument or item without the star before it."""
    return node.value if isinstance(node, ast.Starred) else node


EXPRESSION_READERS: dict[type[ast.expr], Callable[[Expressions, Any], Value]] = {
    ast.Constant: Expressions.read_constant, ast.Name: Expressions.read_name,
    ast.Tuple: Expressions.make_tuple,
    ast.Attribute: Expressions.read_attribute, ast.Subscript: Expressions.read_item,
    ast.BinOp: Expressions.combine, ast.UnaryOp: Expressions.unary,
    ast.Compare: Expressions.compare, ast.BoolOp: Expressions.connect,
    ast.IfExp: Expressions.decide, ast.Call: Expressions.call,
}  # fmt: skip
