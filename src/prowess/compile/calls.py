"""The functions that compiled code may call, besides those that are put in place.

Of `math` they are those of the C library, which plain Python calls as well, so the bits are equal.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from prowess.compile.arrays import make_local_array
from prowess.compile.builder import Builder, Item
from prowess.compile.numbers import (
    IN_LLVM,
    Array,
    Intrinsic,
    Number,
    common_kind,
    float_text,
    is_signed,
    is_unsigned,
    kind_of_char,
)
from prowess.compile.values import local_array

LLVM_FUNCTIONS = {
    math.exp: "llvm.exp.f64", math.log: "llvm.log.f64", math.fabs: "llvm.fabs.f64",
    math.log10: "llvm.log10.f64", math.log2: "llvm.log2.f64", math.sin: "llvm.sin.f64",
    math.cos: "llvm.cos.f64", math.copysign: "llvm.copysign.f64",
}  # fmt: skip
LIBRARY_FUNCTIONS = {  # `sqrt` too: as an instruction it made one loop 1.6 times as slow
    math.sqrt: "sqrt", math.erf: "erf", math.erfc: "erfc", math.log1p: "log1p",
    math.expm1: "expm1", math.tanh: "tanh", math.atan: "atan",
    math.tan: "tan", math.asin: "asin", math.acos: "acos",
    math.sinh: "sinh", math.cosh: "cosh", math.atan2: "atan2",
    math.fmod: "fmod", math.pow: "pow", math.cbrt: "cbrt", math.exp2: "exp2",
}  # fmt: skip
OF_TWO = (math.copysign, math.atan2, math.fmod, math.pow)
ROUNDINGS = {math.floor: "floor", math.ceil: "ceil", math.trunc: "trunc"}


def emit_call(b: Builder, function: Any, arguments: Sequence[Item]) -> Item:
    """The result of a call; raises Uncompilable for a function that is not known."""
    if isinstance(function, Intrinsic):
        result: Item = function.emit(b, *function.constants, *arguments)
        return result
    if isinstance(function, type) and issubclass(function, np.generic) and len(arguments) == 1:
        kind = kind_of_char(np.dtype(function).char)
        return Number(b.cast(b.number(arguments[0]), kind), kind)
    special = SPECIAL.get(function)
    if special is not None:
        return special(b, *arguments)
    numbers = [b.number(one) for one in arguments]
    if len(numbers) != 1 + (function in OF_TWO):
        raise b.refuse(f"the call of {getattr(function, '__name__', function)}")
    if function in ROUNDINGS:
        return round_number(b, ROUNDINGS[function], *numbers)
    named = LLVM_FUNCTIONS.get(function) or LIBRARY_FUNCTIONS.get(function)
    if named is None:
        raise b.refuse(f"the call of {getattr(function, '__name__', function)}")
    return b.call_library(named, *(b.cast(one, "d") for one in numbers))


def round_number(b: Builder, way: str, number: Number) -> Number:
    """A float as a whole number; a whole number is itself."""
    if number.kind not in "df":
        return number
    rounded = b.call_library(f"llvm.{way}.f64", b.cast(number, "d"))
    return Number(b.cast(rounded, "q"), "q")


def choose_extreme(test: str) -> Callable[..., Number]:
    """`min` (`lt`) or `max` (`gt`) of numbers: the first, unless a later one is beyond it."""

    def choose(b: Builder, *arguments: Item) -> Number:
        chosen = b.number(arguments[0])
        if len(arguments) < 2:
            raise b.refuse("the least or greatest of one number")
        for item in arguments[1:]:
            other = b.number(item)
            kind = common_kind(chosen.kind, other.kind)
            if kind is None:
                raise b.refuse("the least of numbers of two kinds")
            first, second = b.cast(chosen, kind), b.cast(other, kind)
            compare = f"fcmp o{test}" if kind in "df" else (
                f"icmp {'s' if is_signed(kind) else 'u'}{test}"
            )  # fmt: skip
            type_ = IN_LLVM[kind]
            beyond = b.value(f"{compare} {type_} {second}, {first}")
            text = b.value(f"select i1 {beyond}, {type_} {second}, {type_} {first}")
            chosen = Number(text, kind)
        return chosen

    return choose


def to_int(b: Builder, item: Item) -> Number:
    number = b.number(item)
    if number.kind in "df?":
        return Number(b.cast(number, "q"), "q")
    return number


def to_kind(kind: str) -> Callable[..., Number]:
    """`float`, `bool`."""

    def convert(b: Builder, item: Item) -> Number:
        return Number(b.cast(b.number(item), kind), kind)

    return convert


def absolute(b: Builder, item: Item) -> Number:
    number = b.number(item)
    if number.kind in "df":
        return b.call_library("llvm.fabs.f64", b.cast(number, "d"))
    if is_unsigned(number.kind):
        return number
    whole = b.cast(number, "q")
    below = b.value(f"icmp slt i64 {whole}, 0")
    turned = b.value(f"sub i64 0, {whole}")
    return Number(b.value(f"select i1 {below}, i64 {turned}, i64 {whole}"), "q")


def is_finite(b: Builder, item: Item) -> Number:
    size = b.call_library("llvm.fabs.f64", b.cast(b.number(item), "d"))
    return Number(b.value(f"fcmp one double {size.text}, {float_text(math.inf)}"), "?")


def is_infinite(b: Builder, item: Item) -> Number:
    size = b.call_library("llvm.fabs.f64", b.cast(b.number(item), "d"))
    return Number(b.value(f"fcmp oeq double {size.text}, {float_text(math.inf)}"), "?")


def is_nan(b: Builder, item: Item) -> Number:
    text = b.cast(b.number(item), "d")
    return Number(b.value(f"fcmp uno double {text}, {text}"), "?")


def length(b: Builder, item: Item) -> Number:
    if not isinstance(item, Array):
        raise b.refuse("the length of a number")
    return Number(item.shape[0], "q")


def own_array(b: Builder, value: Item, size: Item) -> Array:
    return make_local_array(b, b.number(value), int(b.number(size).text))


SPECIAL: dict[Any, Callable[..., Item]] = {
    builtins.min: choose_extreme("lt"), builtins.max: choose_extreme("gt"),
    builtins.int: to_int, builtins.float: to_kind("d"), builtins.bool: to_kind("?"),
    builtins.abs: absolute, builtins.len: length, math.isfinite: is_finite,
    math.isinf: is_infinite, math.isnan: is_nan, local_array: own_array,
}  # fmt: skip


def is_known(function: Any) -> bool:
    """Whether compiled code may call a function that is not put in its place."""
    if isinstance(function, Intrinsic) or function is range:
        return True
    if isinstance(function, type) and issubclass(function, np.generic):
        return True
    return any(
        function in known for known in (SPECIAL, ROUNDINGS, LLVM_FUNCTIONS, LIBRARY_FUNCTIONS)
    )
