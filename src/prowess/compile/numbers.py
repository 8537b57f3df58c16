"""Types of arrays, the kinds of numbers in machine code, and what arithmetic of mixed kinds gives.

A kind is the letter that NumPy has for it, with 64 bits always `q` and `Q`. The rules are those of
plain Python on the values that loops have:

    float of 32 bits            read as one of 64, rounded where it is written to an array
    sum, difference, product    a float if one is, else a whole number of 64 bits that wraps round:
                                unsigned if both are, else signed
    x / y                       a float; x / 0 is infinite or nan
    x // y, x % y               as sums; rounded down; of whole numbers by 0: 0
    x ** y                      a float, by the C library, of which one is a float
    and, or, xor of bits        as sums; of two truths a truth
    x << n, x >> n              a whole number as x; by 64 and more all bits are shifted out
    -x, ~x, abs(x)              of the kind of x, whole numbers of 64 bits
    <, <=, ==, ...              by value, a negative number below all unsigned ones
    min, max                    the first, unless a later one is less (greater); nan never is
    one name for two kinds      a float if one is, else 64 bits, signed unless both are unsigned;
                                a signed and an unsigned number of 64 bits are refused
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
Floats = NDArray[np.float64]
Ids = NDArray[np.int64]  # numbers of players, places of rows, counts
Truths = NDArray[np.bool_]

IN_LLVM = {
    "d": "double", "f": "float", "?": "i1", "b": "i8", "B": "i8", "h": "i16", "H": "i16",
    "i": "i32", "I": "i32", "q": "i64", "Q": "i64",
}  # fmt: skip
SIZES = {kind: np.dtype(kind).itemsize for kind in IN_LLVM}
LONG_CODE = {4: "i", 8: "q"}[np.dtype("l").itemsize]


class Number(NamedTuple):
    """A number in LLVM text, and its kind."""

    text: str
    kind: str


class Array(NamedTuple):
    """An array: where its first item is, its shape and its strides in bytes, as LLVM text."""

    kind: str
    data: str
    shape: tuple[str, ...]
    strides: tuple[str, ...]
    contiguous: bool  # rows one after the other, as C has them
    owners: frozenset[str] = frozenset()  # the parameters it may be of; none: a list of its own


class Intrinsic:
    """A function whose machine code is given: `emit(b, *constants, *arguments)`; plain Python calls
    `plain(*arguments)`.
    """

    def __init__(
        self, emit: Callable[..., Any], *constants: Any, plain: Callable[..., Any] | None = None
    ) -> None:
        self.emit, self.constants, self.plain = emit, constants, plain

    def __call__(self, *arguments: Any) -> Any:
        return self.plain(*arguments)  # type: ignore[misc] # those in its place have the same name


def kind_of_char(char: str) -> str:
    """The kind for NumPy's letter."""
    if char in "lL":
        return LONG_CODE if char == "l" else LONG_CODE.upper()
    return char


def kind_of_value(value: Any) -> str:
    """The kind of a number of Python or NumPy."""
    if isinstance(value, np.generic):
        return kind_of_char(value.dtype.char)
    if type(value) is int and value >= 2**63:
        return "Q"
    return {bool: "?", int: "q", float: "d"}[type(value)]


def is_signed(kind: str) -> bool:
    """Whether a kind of whole numbers has negative ones."""
    return kind in "bhiq"


def is_unsigned(kind: str) -> bool:
    """Whether a kind of whole numbers has none below 0."""
    return kind in "BHIQ"


def common_kind(left: str, right: str) -> str | None:
    """The kind that holds both; None where there is none."""
    if left == right:
        return left
    if "d" in (left, right) or "f" in (left, right):
        return "d"
    left, right = ("q" if kind == "?" else kind for kind in (left, right))
    if is_signed(left) == is_signed(right):
        return left if SIZES[left] >= SIZES[right] else right
    return None if "Q" in (left, right) else "q"


def sum_kind(left: str, right: str) -> str:
    """The kind of a sum, difference or product."""
    if "d" in (left, right) or "f" in (left, right):
        return "d"
    return "Q" if is_unsigned(left) and is_unsigned(right) else "q"


def float_text(value: float) -> str:
    """A float as LLVM text, to the bit."""
    return "0x" + struct.pack(">d", value).hex().upper()


def is_whole_text(text: str) -> bool:
    """Whether a number's text is a whole number that is known."""
    return text.removeprefix("-").isdigit()
