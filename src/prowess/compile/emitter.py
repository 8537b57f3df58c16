"""The LLVM text of a flat function, written by passes through it.

Every number is a value or, where it is set more than once or read outside of its block, a place in
the stack frame, which LLVM turns into values again. The kind of such a place is found by going
through the function until none has to be made wider.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from prowess.compile import MISTAKES, Uncompilable
from prowess.compile.arithmetic import apply_unary, combine, compare, kind_of_both, select
from prowess.compile.arrays import (
    SliceEnds,
    fill_array,
    find_address,
    load_number,
    make_view,
    write_number,
)
from prowess.compile.builder import Builder, Item, take_parameters
from prowess.compile.calls import emit_call
from prowess.compile.flatten import FlatFunction
from prowess.compile.numbers import (
    IN_LLVM,
    Array,
    Number,
    common_kind,
    float_text,
    is_unsigned,
    kind_of_value,
    sum_kind,
)
from prowess.compile.source import walk


class Wider(Exception):
    """A name needs a wider kind than was taken for it."""


class Emitted(NamedTuple):
    """The LLVM text of a function."""

    text: str
    returns: str  # the kind of its result, "" for none
    writes: list[int]  # the places of the arguments whose items it sets


class Emitter:
    """One pass through a function: what its names are, and where."""

    def __init__(
        self, flat: FlatFunction, arguments: Sequence[Any], kinds: dict[str, str], moving: set[str]
    ) -> None:
        self.flat, self.arguments, self.kinds, self.moving = flat, arguments, kinds, moving
        self.builder = Builder(flat.name)
        self.items: dict[str, Item] = {}  # by name
        self.places: dict[str, str] = {}  # of names in the stack frame
        self.homes: dict[str, tuple[str, ...]] = {}  # of names of arrays: the blocks around them
        self.path: tuple[str, ...] = ()  # the blocks around the statement
        self.exits: list[tuple[str, str]] = []  # of the loops: (continue, break)
        self.returns = ""  # the kind of the result
        self.writes: set[str] = set()  # the parameters whose items it sets

    def emit(self) -> Emitted:
        """The text of the function."""
        parameters, items = take_parameters(self.builder, self.flat.parameters, self.arguments)
        self.items |= items
        self.homes |= dict.fromkeys(items, ())
        self.run(self.flat.body)
        if not self.builder.ended:
            self.builder.end("ret void")
        result = {"": "void", "?": "i8"}.get(self.returns) or IN_LLVM[self.returns]
        text = self.builder.text(f"{result} @{self.flat.name}({', '.join(parameters)})")
        writes = [k for k, one in enumerate(self.flat.parameters) if one in self.writes]
        return Emitted(text, self.returns, writes)

    # --- statements ---------------------------------------------------------------------------

    def run(self, body: Sequence[ast.stmt], label: str = "") -> None:
        """Emit statements, of a block of their own if it has a label."""
        kept = self.path
        if label:
            self.path = (*kept, label)
        for statement in body:
            if self.builder.ended:
                break
            STATEMENTS[type(statement)](self, statement)
        self.path = kept

    def emit_pass(self, statement: ast.Pass) -> None:
        """Emit nothing."""

    def emit_expression(self, statement: ast.Expr) -> None:
        """Emit a call for what it does."""
        self.evaluate(statement.value)

    def emit_assign(self, statement: ast.Assign) -> None:
        """Set a name or an item of an array."""
        b, target, item = self.builder, statement.targets[0], self.evaluate(statement.value)
        if isinstance(target, ast.Name):
            self.store(target.id, item)
            return
        assert isinstance(target, ast.Subscript)
        array = b.array(self.evaluate(target.value))
        nodes = list_places(target.slice)
        self.writes |= array.owners
        if not array.owners and common_kind(array.kind, b.number(item).kind) != array.kind:
            raise b.refuse("a list of numbers of several kinds")
        if len(nodes) < len(array.shape) or any(isinstance(x, ast.Slice) for x in nodes):
            part = make_view(b, array, [self.evaluate_part(one) for one in nodes])
            fill_array(b, part, b.number(item))
            return
        address = find_address(b, array, self.evaluate_places(target.slice))
        write_number(b, array.kind, address, b.number(item))

    def store(self, name: str, item: Item) -> None:
        """Set a name."""
        if isinstance(item, Array):
            self.store_array(name, item)
        elif name not in self.moving:
            self.items[name] = item
        else:
            kind = self.kinds.setdefault(name, item.kind)
            wide = common_kind(kind, item.kind)
            if wide is None:
                raise self.builder.refuse(f"the numbers of two kinds under the name {name}")
            if wide != kind:
                self.kinds[name] = wide
                raise Wider
            if name not in self.places:
                self.places[name] = f"%{name}.v"
                self.builder.stack.append(f"  %{name}.v = alloca {IN_LLVM[kind]}")
            text = self.builder.cast(item, kind)
            self.builder.add(f"store {IN_LLVM[kind]} {text}, ptr {self.places[name]}")

    def store_array(self, name: str, array: Array) -> None:
        """Set a name to an array: which one it is must be known wherever it is read."""
        loops = [label for label in self.path if label.startswith("loop")]
        if name in self.homes and loops and loops[-1] not in self.homes[name]:
            raise self.builder.refuse(f"the arrays that {name} becomes in a loop")
        self.items[name], self.homes[name] = array, self.path

    def emit_if(self, statement: ast.If) -> None:
        """Emit a branch."""
        b = self.builder
        then, otherwise, end = b.new_name("then"), b.new_name("else"), b.new_name("end")
        self.test(statement.test, then, otherwise if statement.orelse else end)
        b.start(then)
        self.run(statement.body, then)
        b.jump(end)
        if statement.orelse:
            b.start(otherwise)
            self.run(statement.orelse, otherwise)
        b.start(end)

    def test(self, node: ast.expr, then: str, otherwise: str, strict: bool = False) -> None:
        """End a block with a test, of which later parts are evaluated only where they decide.

        `strict` refuses parts that are numbers: as a value, `x and y` would be one of them.
        """
        b = self.builder
        if isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                more = b.new_name("more")
                if isinstance(node.op, ast.And):
                    self.test(part, more, otherwise, strict)
                else:
                    self.test(part, then, more, strict)
                b.start(more)
            self.test(node.values[-1], then, otherwise, strict)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.test(node.operand, otherwise, then)
        else:
            number = self.evaluate_number(node)
            if strict and number.kind != "?":
                raise b.refuse("`and` or `or` between numbers")
            b.split(b.cast(number, "?"), then, otherwise)

    def emit_for(self, statement: ast.For) -> None:
        """Emit a loop over a range."""
        b = self.builder
        assert isinstance(statement.iter, ast.Call)
        assert isinstance(statement.target, ast.Name)
        ends = [self.evaluate_number(one) for one in statement.iter.args]
        if any(one.kind in "df" for one in ends) or len(ends) > 3:
            raise b.refuse("a range of floats")
        ends = [Number("0", ends[0].kind), *ends] if len(ends) == 1 else ends
        kind = "Q" if all(is_unsigned(one.kind) for one in ends) else "q"
        low, high = b.cast(ends[0], kind), b.cast(ends[1], kind)
        step = "1" if len(ends) < 3 else b.cast(ends[2], kind)
        down = step.startswith("-")
        if step == "0" or not (down or step.isdigit() or kind == "Q"):
            raise b.refuse("a range whose step is not known")
        test = f"icmp {'u' if kind == 'Q' else 's'}{'gt' if down else 'lt'} i64"
        body, again, end = b.new_name("loop"), b.new_name("next"), b.new_name("end")
        before = b.block
        b.split(b.value(f"{test} {low}, {high}"), body, end)
        b.start(body)
        counter, following = b.new_name(), b.new_name()
        b.add(f"{counter} = phi i64 [ {low}, %{before} ], [ {following}, %{again} ]")
        self.exits.append((again, end))
        kept, self.path = self.path, (*self.path, body)
        self.store(statement.target.id, Number(counter, kind))
        self.run(statement.body)
        self.path = kept
        self.exits.pop()
        b.start(again)
        exact = "" if step not in ("1", "-1") else "nuw " if kind == "Q" else "nsw "
        b.add(f"{following} = add {exact}i64 {counter}, {step}")
        if exact:
            more = b.value(f"{test} {following}, {high}")
        else:  # the next number may be beyond 64 bits
            far, near = (counter, high) if down else (high, counter)
            left = b.value(f"sub i64 {far}, {near}")
            more = b.value(f"icmp ugt i64 {left}, {step.removeprefix('-')}")
        b.split(more, body, end)
        b.start(end)

    def emit_while(self, statement: ast.While) -> None:
        """Emit a loop that a `break` leaves."""
        body, end = self.builder.new_name("loop"), self.builder.new_name("end")
        self.builder.start(body)
        self.exits.append((body, end))
        self.run(statement.body, body)
        self.exits.pop()
        self.builder.jump(body)
        self.builder.start(end)

    def emit_continue(self, statement: ast.Continue) -> None:
        """Go on with the next round."""
        self.builder.jump(self.exits[-1][0])

    def emit_break(self, statement: ast.Break) -> None:
        """Leave the loop."""
        self.builder.jump(self.exits[-1][1])

    def emit_return(self, statement: ast.Return) -> None:
        """End the function, whose last statement this is, with its result."""
        assert statement.value is not None
        b, number = self.builder, self.evaluate_number(statement.value)
        kind = "?" if number.kind == "?" else sum_kind(number.kind, number.kind)
        self.returns, text = kind, b.cast(number, kind)
        if kind == "?":
            b.end(f"ret i8 {b.value(f'zext i1 {text} to i8')}")
        else:
            b.end(f"ret {IN_LLVM[kind]} {text}")

    # --- expressions --------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Item:
        """The value of an expression."""
        item: Item = EXPRESSION_WRITERS[type(node)](self, node)
        return item

    def evaluate_number(self, node: ast.expr) -> Number:
        """The value of an expression that gives a number."""
        return self.builder.number(self.evaluate(node))

    def evaluate_places(self, node: ast.expr) -> list[Number]:
        """The places of an item."""
        return [self.evaluate_number(one) for one in list_places(node)]

    def read_constant(self, node: ast.Constant) -> Number:
        """A number that is known."""
        value: Any = node.value
        if value is None:
            raise self.builder.refuse("None where a number is wanted")
        kind = kind_of_value(value)
        if kind == "?":
            return Number("true" if value else "false", kind)
        if kind in "df":
            return Number(float_text(float(value)), "d")
        if not -(2**63) <= int(value) < 2**64:
            raise self.builder.refuse("a whole number of more than 64 bits")
        return Number(str(int(value)), kind)

    def read_name(self, node: ast.Name) -> Item:
        """The value of a name."""
        if node.id in self.places:
            kind = self.kinds[node.id]
            text = self.builder.value(f"load {IN_LLVM[kind]}, ptr {self.places[node.id]}")
            return Number(text, kind)
        item = self.items.get(node.id)
        if item is None:
            raise self.builder.refuse(f"the name {node.id}, which is not always set")
        if isinstance(item, Array):
            home = self.homes[node.id]
            if self.path[: len(home)] != home:
                raise self.builder.refuse(f"the arrays that {node.id} may be")
        return item

    def combine(self, node: ast.BinOp) -> Number:
        """The result of an operator."""
        left, right = self.evaluate_number(node.left), self.evaluate_number(node.right)
        return combine(self.builder, type(node.op), left, right)

    def apply_unary(self, node: ast.UnaryOp) -> Number:
        """The result of an operator on one number."""
        return apply_unary(self.builder, node.op, self.evaluate_number(node.operand))

    def compare(self, node: ast.Compare) -> Number:
        """Whether comparisons hold, all of them."""
        left, found = self.evaluate_number(node.left), ""
        for op, other in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate_number(other)
            holds = compare(self.builder, type(op), left, right)
            found = self.builder.value(f"and i1 {found}, {holds}") if found else holds
            left = right
        return Number(found, "?")

    def connect(self, node: ast.BoolOp) -> Number:
        """`and`, `or` of tests."""
        b = self.builder
        then, otherwise, end = b.new_name("then"), b.new_name("else"), b.new_name("end")
        self.test(node, then, otherwise, strict=True)
        for label in (then, otherwise):
            b.start(label)
            b.jump(end)
        b.start(end)
        return Number(b.value(f"phi i1 [ true, %{then} ], [ false, %{otherwise} ]"), "?")

    def decide(self, node: ast.IfExp) -> Item:
        """`x if test else y`: by a selection where both are at hand, else by branches."""
        b = self.builder
        if is_at_hand(node):
            test = b.cast(self.evaluate_number(node.test), "?")
            return select(b, test, self.evaluate(node.body), self.evaluate(node.orelse))
        then, otherwise, end = b.new_name("then"), b.new_name("else"), b.new_name("end")
        self.test(node.test, then, otherwise)
        b.start(then)
        first, first_block = self.evaluate_number(node.body), b.block
        lines, b.lines = b.lines, []  # its cast, if any, goes here
        b.ended = True
        b.start(otherwise)
        second = self.evaluate_number(node.orelse)
        kind = kind_of_both(b, first, second)
        other, second_block = b.cast(second, kind), b.block
        b.jump(end)
        late, b.lines, b.ended = b.lines, lines, False
        one = b.cast(first, kind)
        b.jump(end)
        b.lines += late
        b.start(end)
        chosen = f"[ {one}, %{first_block} ], [ {other}, %{second_block} ]"
        return Number(b.value(f"phi {IN_LLVM[kind]} {chosen}"), kind)

    def read_item(self, node: ast.Subscript) -> Item:
        """An item of an array, a part of it, or one of its sizes."""
        b = self.builder
        if isinstance(node.value, ast.Attribute):
            return self.read_size(node.value, node.slice)
        array, nodes = b.array(self.evaluate(node.value)), list_places(node.slice)
        if len(nodes) == len(array.shape) and not any(isinstance(x, ast.Slice) for x in nodes):
            address = find_address(b, array, self.evaluate_places(node.slice))
            return load_number(b, array.kind, address)
        return make_view(b, array, [self.evaluate_part(one) for one in nodes])

    def evaluate_part(self, node: ast.expr) -> Number | SliceEnds:
        """A place or a slice."""
        if not isinstance(node, ast.Slice):
            return self.evaluate_number(node)
        if node.step is not None:
            raise self.builder.refuse("a slice with a step")
        ends = (None if x is None else self.evaluate_number(x) for x in (node.lower, node.upper))
        return SliceEnds(*ends)

    def read_size(self, node: ast.Attribute, at: ast.expr) -> Number:
        """One of `array.shape`."""
        array = self.builder.array(self.evaluate(node.value))
        if node.attr != "shape" or not isinstance(at, ast.Constant):
            raise self.builder.refuse(f"the attribute {node.attr}")
        place: Any = at.value
        return Number(array.shape[place], "q")

    def refuse_attribute(self, node: ast.Attribute) -> Number:
        """Refuse an attribute by itself."""
        raise self.builder.refuse(f"the attribute {node.attr}")

    def call(self, node: ast.Call) -> Item:
        """A call of a function that the tables of `calls` know."""
        assert isinstance(node.func, ast.Name)
        function = self.flat.callees[node.func.id]
        return emit_call(self.builder, function, [self.evaluate(one) for one in node.args])


STATEMENTS: dict[type[ast.stmt], Any] = {
    ast.Pass: Emitter.emit_pass, ast.Assign: Emitter.emit_assign,
    ast.Expr: Emitter.emit_expression, ast.If: Emitter.emit_if, ast.For: Emitter.emit_for,
    ast.While: Emitter.emit_while, ast.Continue: Emitter.emit_continue,
    ast.Break: Emitter.emit_break, ast.Return: Emitter.emit_return,
}  # fmt: skip
EXPRESSION_WRITERS: dict[type[ast.expr], Any] = {
    ast.Constant: Emitter.read_constant, ast.Name: Emitter.read_name,
    ast.Attribute: Emitter.refuse_attribute, ast.BinOp: Emitter.combine,
    ast.UnaryOp: Emitter.apply_unary, ast.Compare: Emitter.compare, ast.BoolOp: Emitter.connect,
    ast.IfExp: Emitter.decide, ast.Subscript: Emitter.read_item, ast.Call: Emitter.call,
}  # fmt: skip


MAX_KIND_PASSES = 20  # of one function until its kinds are wide enough


def emit_function(flat: FlatFunction, arguments: Sequence[Any]) -> Emitted:
    """The LLVM text of a flat function.

    `arguments` are its numbers and arrays, or others of their kinds. Raises Uncompilable.
    """
    kinds: dict[str, str] = {}
    moving = find_moving_names(flat.body)
    for _ in range(MAX_KIND_PASSES):
        emitter = Emitter(flat, arguments, kinds, moving)
        try:
            return emitter.emit()
        except Wider:
            kinds = emitter.kinds
        except Uncompilable:
            raise
        except MISTAKES as error:
            raise emitter.builder.refuse(f"what gives {type(error).__name__}: {error}") from error
    raise Uncompilable(
        f"rewrite {flat.name} with numbers of fewer kinds: they do not settle",
        code="not_compilable",
    )


# names that stand in the stack frame, and what costs little


def find_moving_names(body: list[ast.stmt]) -> set[str]:
    """The names that are set more than once, or read outside of the block that sets them."""
    stores: Counter[str] = Counter()
    homes: dict[str, tuple[int, ...]] = {}
    moving: set[str] = set()
    for node, path in walk_blocks(body, ()):
        if isinstance(node.ctx, ast.Store):
            stores[node.id] += 1
            homes[node.id] = path
        elif node.id in homes and path[: len(homes[node.id])] != homes[node.id]:
            moving.add(node.id)
    return moving | {one for one, count in stores.items() if count > 1}


def walk_blocks(
    body: list[ast.stmt], path: tuple[int, ...]
) -> Iterator[tuple[ast.Name, tuple[int, ...]]]:
    """All names with the blocks around them, in the order in which they are reached."""
    for statement in body:
        inner: list[list[ast.stmt]] = []
        heads: list[ast.AST] = [statement]
        if isinstance(statement, ast.If):
            heads, inner = [statement.test], [statement.body, statement.orelse]
        elif isinstance(statement, ast.While):
            heads, inner = [], [statement.body]
        elif isinstance(statement, ast.For):
            heads, inner = [statement.iter], [statement.body]
        elif isinstance(statement, ast.Assign):
            heads = [statement.value, *statement.targets]
        for head in heads:
            for node in walk(head):
                if isinstance(node, ast.Name):
                    yield node, path
        for block in inner:
            deeper = (*path, id(block))
            if isinstance(statement, ast.For):
                assert isinstance(statement.target, ast.Name)
                yield statement.target, deeper
            yield from walk_blocks(block, deeper)


def is_at_hand(node: ast.expr) -> bool:
    """Whether a value costs so little that it is evaluated even where it is not needed."""
    if isinstance(node, ast.UnaryOp):
        return is_at_hand(node.operand)
    if isinstance(node, ast.IfExp):
        return is_at_hand(node.body) and is_at_hand(node.orelse) and not has_branches(node.test)
    return isinstance(node, ast.Name | ast.Constant)


def has_branches(node: ast.expr) -> bool:
    """Whether a test is evaluated in parts."""
    return any(isinstance(one, ast.BoolOp | ast.IfExp) for one in walk(node))


def list_places(node: ast.expr) -> list[ast.expr]:
    """The places that an item is asked for by."""
    return node.elts if isinstance(node, ast.Tuple) else [node]
