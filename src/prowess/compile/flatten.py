"""A tree of functions as one flat function: every call of a plain function is put in its place,
every tuple is taken apart, what is known is folded, what nobody reads is left out.

The flat function is Python of numbers and arrays alone, an `ast` that can be printed. Its names are
those of the source with a number; a name in `Flat.fixed` is set once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from types import FunctionType
from typing import Any, NamedTuple

from prowess.compile import MISTAKES, Uncompilable
from prowess.compile.expressions import LONGEST_UNROLLED, Expressions
from prowess.compile.flat import Flat, Statements, prune
from prowess.compile.source import Source, is_endless, source_of, walk
from prowess.compile.values import (
    KNOWN_NONE,
    MIXED,
    Expr,
    Known,
    Parts,
    Value,
    is_none,
    name,
    negate,
    truth,
)


class FlatFunction(NamedTuple):
    """A flat function: its parameters are the numbers and arrays of the arguments, in order."""

    name: str
    parameters: list[str]
    body: Statements
    callees: dict[str, Any]  # what the names that it calls stand for

    def __str__(self) -> str:
        head = f"def {self.name}({', '.join(self.parameters)}):\n"
        return head + "\n".join("    " + x for x in ast.unparse(_module(self.body)).split("\n"))


def _module(body: Statements) -> ast.Module:
    return ast.fix_missing_locations(ast.Module(body, []))


def flatten_function(
    function: Any, substitutes: Mapping[Any, Any], arguments: Sequence[Any]
) -> FlatFunction:
    """The flat function for arguments of the kinds of these; raises Uncompilable."""
    flat = Flat(substitutes, put_in_place)
    parameters: list[str] = []

    def take_apart(stem: str, value: Any) -> Value:
        if isinstance(value, tuple):
            kind = type(value) if hasattr(value, "_fields") else None
            return Parts(kind, [take_apart(stem, item) for item in value])
        parameters.append(flat.new_name(stem))
        return name(parameters[-1])

    names = (*function.__code__.co_varnames, *repeat("argument", len(arguments)))
    given = [take_apart(*pair) for pair in zip(names, arguments, strict=False)]
    try:
        result = put_in_place(flat, function, given)
    except Uncompilable:
        raise
    except MISTAKES as error:
        raise flat.refuse(f"what gives {type(error).__name__}: {error}") from error
    if not is_none(result):
        flat.out.append(ast.Return(flat.as_expression(result)))
    body = prune(flat.out) or [ast.Pass()]
    return FlatFunction(function.__name__, parameters, body, flat.callees)


def put_in_place(
    flat: Flat,
    function: FunctionType,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value] | None = None,
) -> Value:
    """Put a call in place; returns its result."""
    for frame in flat.open:
        same = frame.function.__code__ is function.__code__
        if same and frame.function.__closure__ == function.__closure__:
            raise Uncompilable(
                f"write {function.__qualname__} without a call of itself", code="recursive_function"
            )
    frame = CallSite(flat, function, source_of(function))
    flat.open.append(frame)
    frame.bind_arguments(arguments, keywords or {})
    tree = frame.source.tree
    if isinstance(tree, ast.Lambda):
        frame.result = frame.evaluate(tree.body)
    else:
        frame.run([*tree.body, ast.copy_location(ast.Return(), tree.body[-1])])
    if len(flat.open) > 1:  # the outermost is left to refuse its result
        flat.open.pop()
    if frame.result is None:
        return KNOWN_NONE
    return MIXED if frame.returns_none else frame.result


class CallSite(Expressions):
    """One call that is put in place: its statements and its result."""

    def __init__(self, flat: Flat, function: FunctionType, source: Source) -> None:
        super().__init__(flat, function, source)
        self.result: Value | None = None
        self.returns_none = False  # in some case
        self.depth = 0  # of branches that return
        self.done: Value | None = None  # of a loop that returns: whether it has
        self.nesting = 0  # of the blocks of this function around a statement

    def collect(self, make: Callable[[], Any]) -> Statements:
        """The statements of a block, apart from the others."""
        self.nesting += 1
        made, _ = self.flat.collect(make)
        self.nesting -= 1
        return made

    def collect_body(self, body: Sequence[ast.stmt]) -> Statements:
        """The statements of a block of the source."""
        return self.collect(partial(self.run, body))

    def bind_arguments(self, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> None:
        """Give the parameters their values; those that the function sets become variables."""
        flat, wanted = self.flat, self.source.tree.args
        parameters = [one.arg for one in (*wanted.posonlyargs, *wanted.args)]
        given = dict(zip(parameters, arguments, strict=False)) | dict(keywords)
        rest = arguments[len(parameters) :]
        if wanted.vararg is not None:
            given[wanted.vararg.arg] = Parts(None, list(rest))
        elif rest:
            raise flat.refuse("a call with more arguments than parameters")
        defaults = self.function.__defaults__ or ()
        places = parameters[len(parameters) - len(defaults) :]
        by_name = dict(zip(places, defaults, strict=True)) | (self.function.__kwdefaults__ or {})
        for parameter, default in by_name.items():
            if parameter not in given:
                given[parameter] = flat.as_value(default)
        by_place, by_word = set(parameters[: len(arguments)]), set(keywords)
        words = {one.arg for one in (*wanted.args, *wanted.kwonlyargs)}
        if wanted.kwarg is not None or by_word - words or by_word & by_place:
            raise flat.refuse("a call with other names than those of the parameters")
        missing = {*parameters, *(one.arg for one in wanted.kwonlyargs)} - set(given)
        if missing:
            raise flat.refuse(f"a call without {min(missing)}")
        for parameter, value in given.items():
            settled = flat.settle(value, parameter, alias=True)
            if self.source.stores[parameter] > 1 and not is_none(settled):
                variable = flat.new_variable(parameter, settled)
                flat.assign_all(variable, settled)
                settled = variable
            self.names[parameter] = settled

    # --- statements ---------------------------------------------------------------------------

    def run(self, body: Sequence[ast.stmt]) -> bool:
        """Put statements in place; returns whether they always end with a `return`."""
        for place, statement in enumerate(body):
            self.node = statement
            rest = body[place + 1 :]
            if isinstance(statement, ast.Return):
                self.put_return(statement)
                return True
            if isinstance(statement, ast.If):
                test = truth(self.evaluate(statement.test))
                if isinstance(test, Known):
                    chosen = statement.body if test.value else statement.orelse
                    return self.run([*chosen, *rest])
                if id(statement) in self.source.returning:
                    self.put_returning_if(test, statement, rest)
                    return True
                then, otherwise = (
                    self.collect_body(statement.body),
                    self.collect_body(statement.orelse),
                )
                self.flat.branch(test, then, otherwise)
            elif isinstance(statement, ast.For | ast.While):
                if id(statement) in self.source.returning and self.done is None:
                    self.put_returning_loop(statement, rest)
                    return True
                self.put_loop(statement)
                if is_endless(statement) and self.done is None:
                    return True
                if id(statement) in self.source.returning:
                    assert self.done is not None
                    self.flat.branch(truth(self.done), [ast.Break()], [])
            elif isinstance(statement, ast.Continue | ast.Break):
                self.flat.out.append(statement)
                return False
            else:
                self.put_simple(statement)
        return False

    def put_simple(self, statement: ast.stmt) -> None:
        """Put a statement in place that holds no others."""
        if isinstance(statement, ast.Assign):
            value = self.evaluate(statement.value)
            if len(statement.targets) > 1:
                value = self.flat.settle(value)
            for target in statement.targets:
                self.store(target, value)
        elif isinstance(statement, ast.AnnAssign):
            if statement.value is not None:
                self.store(statement.target, self.evaluate(statement.value))
        elif isinstance(statement, ast.AugAssign):
            self.put_augmented(statement)
        elif isinstance(statement, ast.Expr):
            value = self.evaluate(statement.value)
            if isinstance(value, ast.Call):
                self.flat.out.append(ast.Expr(value))
        elif not isinstance(statement, ast.Pass):
            raise self.flat.refuse(f"the statement {type(statement).__name__.lower()}")

    def put_return(self, statement: ast.Return) -> None:
        """Keep the result; out of a loop all loops of this function are left."""
        flat = self.flat
        value = KNOWN_NONE if statement.value is None else self.evaluate(statement.value)
        if is_none(value):
            self.returns_none = True
        elif self.depth == 0:
            self.result = value
        else:
            if self.result is None:
                self.result = flat.new_variable("result", value)
            flat.assign_all(self.result, value)
        if self.done is not None:
            flat.assign_all(self.done, Known(True))
            flat.out.append(ast.Break())

    def put_returning_if(self, test: Expr, statement: ast.If, rest: Sequence[ast.stmt]) -> None:
        """An `if` one side of which returns: what follows belongs to the sides that do not."""
        self.depth += 1
        then = self.collect_body([*statement.body, *rest])
        otherwise = self.collect_body([*statement.orelse, *rest])
        self.depth -= 1
        self.flat.branch(test, then, otherwise)

    def put_returning_loop(self, statement: ast.For | ast.While, rest: Sequence[ast.stmt]) -> None:
        """A loop that may return: a flag says whether it has, and what follows asks for it."""
        flat = self.flat
        self.depth += 1
        self.done = flat.new_variable("done", Known(False))
        flat.assign_all(self.done, Known(False))
        self.put_loop(statement)
        done, self.done = truth(self.done), None
        following = [] if is_endless(statement) else self.collect_body(rest)
        self.depth -= 1
        assert not isinstance(done, Known)
        flat.branch(negate(done), following, [])

    def put_loop(self, statement: ast.For | ast.While) -> None:
        """Put a loop in place."""
        flat = self.flat
        if statement.orelse:
            raise flat.refuse("the else of a loop")
        if isinstance(statement, ast.While):

            def make_while() -> None:
                test = truth(self.evaluate(statement.test))
                if not (isinstance(test, Known) and test.value):
                    flat.branch(negate(flat.as_expression(test)), [ast.Break()], [])
                self.run(statement.body)

            flat.out.append(ast.While(ast.Constant(True), self.collect(make_while), []))
            return
        items = self.evaluate(statement.iter)
        if isinstance(items, Parts):
            self.unroll(statement, items)
            return
        is_range = isinstance(items, ast.Call) and flat.callees[items.func.id] is range  # type: ignore[attr-defined]
        if not is_range or not isinstance(statement.target, ast.Name):
            raise flat.refuse("a loop over no range")
        counter = flat.new_name(statement.target.id)
        if statement.target.id in self.source.within:  # it may be of another kind in each loop
            self.names.pop(statement.target.id, None)

        def make_round() -> None:
            self.store(statement.target, name(counter))
            self.run(statement.body)

        target_name = ast.Name(counter, ast.Store())
        steps = self.collect(make_round) or [ast.Pass()]
        flat.out.append(ast.For(target_name, flat.as_expression(items), steps, [], lineno=0))

    def unroll(self, statement: ast.For, items: Parts) -> None:
        """A loop over the parts of a tuple: its body once a part."""
        leaves = (ast.Break, ast.Continue, ast.Return)
        if len(items.items) > LONGEST_UNROLLED or any(
            isinstance(node, leaves) for one in statement.body for node in walk(one)
        ):
            raise self.flat.refuse("a loop over a tuple that is long or is left early")
        for item in self.flat.settle(items).items:  # type: ignore[union-attr]
            self.store(statement.target, item)
            self.run(statement.body)

    def put_augmented(self, statement: ast.AugAssign) -> None:
        """Put `x += y` in place."""
        flat, target = self.flat, statement.target
        if isinstance(target, ast.Name):
            both = [ast.Name(target.id, ast.Load()), statement.value]
            left, right = self.evaluate_all(both)
            self.store(target, self.binary(statement.op, left, right))
        elif isinstance(target, ast.Subscript):
            base, at = self.place(target)
            item: Value = ast.Subscript(base, at, ast.Load())
            late, other = flat.collect(lambda: self.evaluate(statement.value))
            if late:  # the place and the item are read before them
                at = flat.settle_place(at)
                item = flat.settle(ast.Subscript(base, at, ast.Load()), "item")
                flat.out += late
            self.put_item(base, at, self.binary(statement.op, item, other))
        else:
            raise flat.refuse("an assignment to an attribute")

    def put_item(self, base: Expr, at: Expr, value: Value) -> None:
        target = ast.Subscript(base, at, ast.Store())
        self.flat.out.append(ast.Assign([target], self.flat.as_expression(value), lineno=0))

    def store(self, target: ast.expr, value: Value) -> None:
        """Set a name, an item of an array, or the names of a tuple."""
        flat = self.flat
        if isinstance(target, ast.Name):
            if self.source.stores[target.id] <= 1:
                self.names[target.id] = flat.settle(value, target.id)
                return
            if is_none(value) and not self.nesting:
                self.names[target.id] = value
                return
            if target.id not in self.names or not self.nesting:  # no block may need the old name
                self.names[target.id] = flat.new_variable(target.id, value)
            flat.assign_all(self.names[target.id], value)
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Attribute) and value.attr == "shape":
                sizes = range(len(target.elts))
                value = Parts(None, [ast.Subscript(value, ast.Constant(k)) for k in sizes])
            if not isinstance(value, Parts) or len(value.items) != len(target.elts):
                raise flat.refuse("an assignment to several names")
            settled = flat.settle(value)
            assert isinstance(settled, Parts)
            for one, item in zip(target.elts, settled.items, strict=True):
                self.store(one, item)
        elif isinstance(target, ast.Subscript):
            before = len(flat.out)
            base, at = self.place(target)
            if len(flat.out) > before and not flat.is_settled(value):  # the value comes first
                made, late = flat.out[before:], flat.out
                flat.out = late[:before]
                value = flat.settle(value)
                flat.out += made
            self.put_item(base, at, value)
        else:
            raise flat.refuse("an assignment to an attribute")

    def place(self, target: ast.Subscript) -> tuple[Expr, Expr]:
        """The array and the place of an item."""
        base = self.evaluate(target.value)
        return self.flat.as_expression(base), self.as_place(self.index(target.slice))
