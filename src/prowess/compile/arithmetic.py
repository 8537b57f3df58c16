"""Operators on numbers, by the rules of `numbers`."""

from __future__ import annotations

import ast
from typing import Any

from prowess.compile.builder import Builder, Item
from prowess.compile.numbers import (
    IN_LLVM,
    Array,
    Number,
    common_kind,
    float_text,
    is_signed,
    is_unsigned,
    is_whole_text,
    sum_kind,
)

FLOAT_OPS: dict[Any, str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
WHOLE_OPS: dict[Any, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor",
}  # fmt: skip
OF_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
FLOAT_TESTS: dict[Any, str] = {
    ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge", ast.Eq: "oeq", ast.NotEq: "une",
}  # fmt: skip
WHOLE_TESTS: dict[Any, str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
TURNED: dict[Any, Any] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
    ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}  # fmt: skip
OF_EQUALITY = (ast.Eq, ast.NotEq)


def combine(b: Builder, op: Any, left: Number, right: Number) -> Number:
    """`left op right`."""
    if op is ast.Div:
        return Number(b.value(f"fdiv double {b.cast(left, 'd')}, {b.cast(right, 'd')}"), "d")
    if op is ast.Pow:
        return raise_to_power(b, left, right)
    kind = sum_kind(left.kind, right.kind)
    if op in (ast.LShift, ast.RShift):
        return shift(b, op, left, right)
    if left.kind == right.kind == "?" and op in OF_BITS:
        kind = "?"
    first, second = b.cast(left, kind), b.cast(right, kind)
    if op in (ast.FloorDiv, ast.Mod):
        return divide_whole(b, op, first, second, kind)
    ops = FLOAT_OPS if kind == "d" else WHOLE_OPS
    if op not in ops:
        raise b.refuse(f"the operator {op.__name__} of floats")
    return Number(b.value(f"{ops[op]} {IN_LLVM[kind]} {first}, {second}"), kind)


def shift(b: Builder, op: Any, left: Number, right: Number) -> Number:
    """`left << right`, `left >> right`."""
    if {left.kind, right.kind} & {"d", "f"}:
        raise b.refuse("a shift of floats")
    kind = "Q" if is_unsigned(left.kind) else "q"
    way = "shl" if op is ast.LShift else "lshr" if kind == "Q" else "ashr"
    whole, places = b.cast(left, kind), b.cast(right, kind)
    if places.isdigit() and int(places) < 64:
        return Number(b.value(f"{way} i64 {whole}, {places}"), kind)
    few = b.value(f"icmp ult i64 {places}, 64")  # the processor takes no more
    shifted = b.value(f"{way} i64 {whole}, {b.value(f'select i1 {few}, i64 {places}, i64 63')}")
    if way == "ashr":
        return Number(shifted, kind)
    return Number(b.value(f"select i1 {few}, i64 {shifted}, i64 0"), kind)


def divide_whole(b: Builder, op: Any, left: str, right: str, kind: str) -> Number:
    """`left // right`, `left % right` of whole numbers, rounded down; by 0 they are 0."""
    floor = op is ast.FloorDiv
    if kind == "d":
        return divide_floats(b, floor, left, right)
    by, odd = right, []  # divisors by which the processor must not divide, and what they give
    if not is_whole_text(right) or int(right) == 0:
        odd.append((b.value(f"icmp eq i64 {right}, 0"), "0"))
    if kind == "q" and not (is_whole_text(right) and int(right) != -1):  # the least number by -1
        by_less = b.value(f"icmp eq i64 {right}, -1")
        odd.append((by_less, b.value(f"sub i64 0, {left}") if floor else "0"))
    for test, _ in odd:
        by = b.value(f"select i1 {test}, i64 1, i64 {by}")
    if kind == "Q":
        found = b.value(f"{'udiv' if floor else 'urem'} i64 {left}, {by}")
    else:
        rest = b.value(f"srem i64 {left}, {by}")
        apart = b.value(f"icmp slt i64 {b.value(f'xor i64 {rest}, {by}')}, 0")  # signs differ
        lower = b.value(f"and i1 {b.value(f'icmp ne i64 {rest}, 0')}, {apart}")
        if floor:
            toward_zero = b.value(f"sdiv i64 {left}, {by}")
            found = b.value(f"sub i64 {toward_zero}, {b.value(f'zext i1 {lower} to i64')}")
        else:
            raised = b.value(f"add i64 {rest}, {by}")
            found = b.value(f"select i1 {lower}, i64 {raised}, i64 {rest}")
    for test, result in odd:
        found = b.value(f"select i1 {test}, i64 {result}, i64 {found}")
    return Number(found, kind)


def divide_floats(b: Builder, floor: bool, left: str, right: str) -> Number:
    """`left // right`, `left % right` of floats, in the steps of CPython; by 0 they are nan."""
    zero = float_text(0.0)
    rest = b.call_library("fmod", left, right).text
    whole = b.value(f"fcmp oeq double {rest}, {zero}")
    signs = [b.value(f"fcmp olt double {one}, {zero}") for one in (rest, right)]
    apart = b.value(f"and i1 {b.value(f'xor i1 {signs[0]}, {signs[1]}')}, "
                    f"{b.value(f'xor i1 {whole}, true')}")  # fmt: skip
    if not floor:
        raised = b.value(f"fadd double {rest}, {right}")
        found = b.value(f"select i1 {apart}, double {raised}, double {rest}")
        signed = b.call_library("llvm.copysign.f64", zero, right).text
        return Number(b.value(f"select i1 {whole}, double {signed}, double {found}"), "d")
    quotient = b.value(f"fdiv double {b.value(f'fsub double {left}, {rest}')}, {right}")
    less = b.value(f"fsub double {quotient}, {float_text(1.0)}")
    quotient = b.value(f"select i1 {apart}, double {less}, double {quotient}")
    down = b.call_library("llvm.floor.f64", quotient).text
    over = b.value(f"fcmp ogt double {b.value(f'fsub double {quotient}, {down}')}, "
                   f"{float_text(0.5)}")  # fmt: skip
    up = b.value(f"fadd double {down}, {float_text(1.0)}")
    found = b.value(f"select i1 {over}, double {up}, double {down}")
    ratio = b.value(f"fdiv double {left}, {right}")
    nothing = b.call_library("llvm.copysign.f64", zero, ratio).text
    none = b.value(f"fcmp oeq double {quotient}, {zero}")
    return Number(b.value(f"select i1 {none}, double {nothing}, double {found}"), "d")


def raise_to_power(b: Builder, left: Number, right: Number) -> Number:
    """`left ** right`, as the C library has it."""
    if not {left.kind, right.kind} & {"d", "f"}:
        raise b.refuse("a power of whole numbers")
    return b.call_library("pow", b.cast(left, "d"), b.cast(right, "d"))


def apply_unary(b: Builder, op: ast.unaryop, number: Number) -> Number:
    """`-x`, `+x`, `~x`, `not x`."""
    if isinstance(op, ast.Not):
        return Number(b.value(f"xor i1 {b.cast(number, '?')}, true"), "?")
    if number.kind in "df":
        number = Number(b.cast(number, "d"), "d")
        if isinstance(op, ast.UAdd):
            return number
        if isinstance(op, ast.Invert):
            raise b.refuse("the bits of a float")
        return Number(b.value(f"fneg double {number.text}"), "d")
    kind = "Q" if is_unsigned(number.kind) else "q"
    whole = b.cast(number, kind)
    if isinstance(op, ast.UAdd):
        return Number(whole, kind)
    if isinstance(op, ast.Invert):
        return Number(b.value(f"xor i64 {whole}, -1"), kind)
    if whole.isdigit() and kind == "q":
        return Number(f"-{whole}", kind)
    return Number(b.value(f"sub i64 0, {whole}"), kind)


def compare(b: Builder, op: Any, left: Number, right: Number) -> str:
    """Whether `left op right`, by value."""
    if op not in FLOAT_TESTS:
        raise b.refuse(f"the comparison {op.__name__}")
    kind = common_kind(left.kind, right.kind)
    if kind is None:
        return compare_signs(b, op, left, right)
    both = f"{b.cast(left, kind)}, {b.cast(right, kind)}"
    if kind == "d" and {left.kind, right.kind} & {"q", "Q"}:
        return compare_long_with_float(b, op, left, right)
    if kind in "df":
        return b.value(f"fcmp {FLOAT_TESTS[op]} {IN_LLVM[kind]} {both}")
    sign = "" if op in OF_EQUALITY else "s" if is_signed(kind) else "u"
    return b.value(f"icmp {sign}{WHOLE_TESTS[op]} {IN_LLVM[kind]} {both}")


def compare_long_with_float(b: Builder, op: Any, left: Number, right: Number) -> str:
    """A comparison of a whole number of 64 bits with a float: where the whole number rounds to
    the float, their difference as whole numbers decides.
    """
    if right.kind in "qQ":
        op, left, right = TURNED[op], right, left
    rounded, given = b.cast(left, "d"), b.cast(right, "d")
    plain = b.value(f"fcmp {FLOAT_TESTS[op]} double {rounded}, {given}")
    if is_whole_text(left.text) and abs(int(left.text)) <= 2**53:
        return plain
    kind, signed = left.kind, is_signed(left.kind)
    end = float_text(2.0 ** (63 if signed else 64))
    fits = b.value(f"fcmp olt double {given}, {end}")
    close = b.value(f"and i1 {fits}, {b.value(f'fcmp oeq double {rounded}, {given}')}")
    near = b.value(f"select i1 {close}, double {given}, double 0.0")
    whole = b.cast(Number(near, "d"), kind)
    sign = "" if op in OF_EQUALITY else "s" if signed else "u"
    exact = b.value(f"icmp {sign}{WHOLE_TESTS[op]} i64 {left.text}, {whole}")
    beyond = "true" if op in (ast.Lt, ast.LtE, ast.NotEq) else "false"  # it rounds to the end
    at_end = b.value(f"fcmp oeq double {given}, {end}")
    decided = b.value(f"select i1 {at_end}, i1 {beyond}, i1 {plain}")
    return b.value(f"select i1 {close}, i1 {exact}, i1 {decided}")


def compare_signs(b: Builder, op: Any, left: Number, right: Number) -> str:
    """A comparison of a signed with an unsigned number of 64 bits."""
    if is_unsigned(left.kind):
        op, left, right = TURNED[op], right, left
    signed, unsigned = b.cast(left, "q"), b.cast(right, "Q")
    below = b.value(f"icmp slt i64 {signed}, 0")
    sign = "" if op in OF_EQUALITY else "u"
    plain = b.value(f"icmp {sign}{WHOLE_TESTS[op]} i64 {signed}, {unsigned}")
    decided = "true" if op in (ast.Lt, ast.LtE, ast.NotEq) else "false"
    return b.value(f"select i1 {below}, i1 {decided}, i1 {plain}")


def kind_of_both(b: Builder, first: Number, second: Number) -> str:
    """The kind of a value that is one of two; raises Uncompilable where there is none."""
    kind = common_kind(first.kind, second.kind)
    if kind is None:
        raise b.refuse("numbers of two kinds as one value")
    return kind


def select(b: Builder, test: str, first: Item, second: Item) -> Item:
    """One of two numbers, or of two arrays of one kind."""
    if isinstance(first, Array) and isinstance(second, Array):
        ranks, lists = {len(first.shape), len(second.shape)}, {not first.owners, not second.owners}
        if first.kind != second.kind or len(ranks) > 1 or len(lists) > 1:
            raise b.refuse("arrays of two kinds as one value")
        pairs = zip(first.shape + first.strides, second.shape + second.strides, strict=True)
        sizes = [b.value(f"select i1 {test}, i64 {one}, i64 {other}") for one, other in pairs]
        rank = len(first.shape)
        return Array(
            first.kind,
            b.value(f"select i1 {test}, ptr {first.data}, ptr {second.data}"),
            tuple(sizes[:rank]),
            tuple(sizes[rank:]),
            first.contiguous and second.contiguous,
            first.owners | second.owners,
        )
    one, other = b.number(first), b.number(second)
    kind = kind_of_both(b, one, other)
    both = f"{IN_LLVM[kind]} {b.cast(one, kind)}, {IN_LLVM[kind]} {b.cast(other, kind)}"
    return Number(b.value(f"select i1 {test}, {both}"), kind)
