"""What the compiler is given beyond Python: rows asked for ahead, rows of a known width, arrays of
which no other shares memory.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Array, Intrinsic, Number

if TYPE_CHECKING:
    from prowess.compile.builder import Builder

CACHE_LINE = 64  # bytes


@cache
def prefetch(width: int = 0) -> Any:
    """An intrinsic `prefetch(array, row)`: ask for that row of a matrix before it is needed.

    All of a row of `width` float64; of narrower ones the first and the last line of the cache.
    """
    return Intrinsic(_emit_prefetch, width, plain=lambda _array, _row: None)


def _emit_prefetch(b: Builder, width: int, array: Array, row: Number) -> None:
    b.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    stride = array.strides[0]
    offset = b.value(f"mul i64 {stride}, {b.cast(row, 'Q')}")
    base = b.value(f"getelementptr i8, ptr {array.data}, i64 {offset}")
    places = [str(place) for place in range(0, 8 * width or 1, CACHE_LINE)]
    if len(array.shape) > 1:  # a row may reach into the next line of the cache
        places.append(b.value(f"sub i64 {stride}, 1"))
    for place in places:  # for writing, keep, data
        at = b.value(f"getelementptr i8, ptr {base}, i64 {place}")
        b.add(f"call void @llvm.prefetch.p0(ptr {at}, i32 1, i32 3, i32 1)")


@cache
def row_sizer(width: int) -> Any:
    """An intrinsic `sized(matrix)`: the same matrix, its rows known to have this many float64.

    A row's place is then found by an addition where the compiler would have to multiply.
    """
    return Intrinsic(_emit_row_sizer, width, plain=lambda matrix: matrix)


def _emit_row_sizer(b: Builder, width: int, array: Array) -> Array:
    shape, strides = (array.shape[0], str(width)), (str(8 * width), "8")
    return array._replace(shape=shape, strides=strides)


@cache
def isolator() -> Any:
    """An intrinsic `isolate(array)`: the same array, whose memory no other argument has.

    Loops need not test then whether what they write is what they read.
    """
    return Intrinsic(_emit_isolator, plain=lambda array: array)


def _emit_isolator(b: Builder, array: Array) -> Array:
    b.unshared.add(array.data)
    return array


@cache
def byte_finder(comparison: str = "==") -> Any:
    """An intrinsic `find_bytes(data, at, byte)`: which of 64 bytes are this one, as bits.

    With "<" those that are less as signed numbers. The processor compares them all at once.
    """
    compare = {"==": np.equal, "<": np.less}[comparison]

    def find_bytes(data: Any, at: Any, byte: Any) -> np.uint64:
        block, wanted = np.array([*data[at : at + 64]], np.uint8), np.array(byte).astype(np.uint8)
        found = compare(block.view(np.int8), wanted.view(np.int8))
        bits: np.uint64 = np.packbits(found, bitorder="little").view("<u8")[0].astype(np.uint64)
        return bits

    return Intrinsic(_emit_byte_finder, comparison, plain=find_bytes)


def _emit_byte_finder(
    b: Builder, comparison: str, array: Array, at: Number, byte: Number
) -> Number:
    place = b.value(f"getelementptr i8, ptr {array.data}, i64 {b.cast(at, 'q')}")
    block = b.value(f"load <64 x i8>, ptr {place}, align 1")
    small = b.value(f"trunc i64 {b.cast(byte, 'q')} to i8")
    one = b.value(f"insertelement <64 x i8> undef, i8 {small}, i32 0")
    wanted = b.value(f"shufflevector <64 x i8> {one}, <64 x i8> undef, <64 x i32> zeroinitializer")
    test = {"==": "eq", "<": "slt"}[comparison]
    found = b.value(f"icmp {test} <64 x i8> {block}, {wanted}")
    return Number(b.value(f"bitcast <64 x i1> {found} to i64"), "Q")


@cache
def lowest_bit() -> Any:
    """An intrinsic `lowest_bit(bits)`: the place of the lowest bit that is set; there is one."""
    return Intrinsic(_emit_lowest_bit, plain=lambda bits: (int(bits) & -int(bits)).bit_length() - 1)


def _emit_lowest_bit(b: Builder, bits: Number) -> Number:
    b.declarations.add("declare i64 @llvm.cttz.i64(i64, i1)")
    text = b.cast(bits, "Q")
    return Number(b.value(f"call i64 @llvm.cttz.i64(i64 {text}, i1 true)"), "Q")
