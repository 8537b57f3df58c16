"""Items and parts of arrays. No place is tested: the loops stay within their arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from prowess.compile.builder import Builder
from prowess.compile.numbers import IN_LLVM, SIZES, Array, Number, is_signed, is_unsigned

LONGEST_LIST = 4096  # numbers in the stack frame


class SliceEnds(NamedTuple):
    """The ends of a slice, None: those of the array."""

    low: Number | None
    high: Number | None


def find_place(b: Builder, number: Number, size: str) -> str:
    """A place in an array of a size: a negative one counts from the end."""
    if number.kind in "df":
        raise b.refuse("a float as a place in an array")
    signed = is_signed(number.kind)
    text = b.cast(number, "q" if signed else "Q")
    if not signed or text.isdigit():
        return text
    below = b.value(f"icmp slt i64 {text}, 0")
    return b.value(f"select i1 {below}, i64 {b.value(f'add i64 {text}, {size}')}, i64 {text}")


def find_address(b: Builder, array: Array, at: Sequence[Number]) -> str:
    """Where an item is in memory."""
    if len(at) != len(array.shape):
        raise b.refuse("a row of an array where a number is wanted")
    refuse_truths(b, array, at)
    places = [find_place(b, one, size) for one, size in zip(at, array.shape, strict=True)]
    if not array.contiguous:
        return f"{offset_address(b, array, places)}"
    offset = places[0]
    for place, size in zip(places[1:], array.shape[1:], strict=True):
        offset = b.value(f"add i64 {b.value(f'mul i64 {offset}, {size}')}, {place}")
    kind = "i8" if array.kind == "?" else IN_LLVM[array.kind]
    return b.value(f"getelementptr {kind}, ptr {array.data}, i64 {offset}")


def refuse_truths(b: Builder, array: Array, at: Sequence[Number]) -> None:
    """Raise Uncompilable for truths as places: in an array of NumPy they choose all or nothing."""
    if array.owners and any(one.kind == "?" for one in at):
        raise b.refuse("a truth as a place in an array")


def offset_address(b: Builder, array: Array, places: Sequence[str]) -> str:
    """The address at some places, by the strides of the array."""
    offset = "0"
    for place, stride in zip(places, array.strides, strict=True):
        offset = b.value(f"add i64 {offset}, {b.value(f'mul i64 {place}, {stride}')}")
    return b.value(f"getelementptr i8, ptr {array.data}, i64 {offset}")


def load_number(b: Builder, kind: str, address: str) -> Number:
    """Read a number from memory, where a truth takes a byte."""
    if kind == "?":
        byte = b.value(f"load i8, ptr {address}")
        return Number(b.value(f"icmp ne i8 {byte}, 0"), "?")
    return Number(b.value(f"load {IN_LLVM[kind]}, ptr {address}"), kind)


def write_number(b: Builder, kind: str, address: str, number: Number) -> None:
    """Write a number to memory."""
    text = b.cast(number, kind)
    if kind == "?":
        b.add(f"store i8 {b.value(f'zext i1 {text} to i8')}, ptr {address}")
    else:
        b.add(f"store {IN_LLVM[kind]} {text}, ptr {address}")


def make_view(b: Builder, array: Array, given: Sequence[Number | SliceEnds]) -> Array:
    """A part of an array: the same numbers in another shape."""
    refuse_truths(b, array, [part for part in given if isinstance(part, Number)])
    if not array.owners:
        raise b.refuse("a slice of a list, which would be a copy")
    if len(given) > len(array.shape):
        raise b.refuse("more places than an array has dimensions")
    parts = [*given, *[SliceEnds(None, None)] * (len(array.shape) - len(given))]
    places, shape, strides = list[str](), list[str](), list[str]()
    for part, size, stride in zip(parts, array.shape, array.strides, strict=True):
        if isinstance(part, Number):
            places.append(find_place(b, part, size))
            continue
        low = "0" if part.low is None else find_bound(b, part.low, size)
        high = size if part.high is None else find_bound(b, part.high, size)
        length = b.value(f"sub i64 {high}, {low}")
        empty = b.value(f"icmp slt i64 {length}, 0")
        places.append(low)
        shape.append(b.value(f"select i1 {empty}, i64 0, i64 {length}"))
        strides.append(stride)
    first = len(parts) - len(shape)  # contiguous: numbers, one slice, all of the rest
    rest = parts[first + 1 :]
    contiguous = array.contiguous and all(isinstance(one, Number) for one in parts[:first])
    contiguous = contiguous and all(one == SliceEnds(None, None) for one in rest)
    data = offset_address(b, array, places)
    return Array(array.kind, data, tuple(shape), tuple(strides), contiguous, array.owners)


def find_bound(b: Builder, number: Number, size: str) -> str:
    """An end of a slice, within the array."""
    text = find_place(b, number, size)
    if is_signed(number.kind) and not text.isdigit():
        below = b.value(f"icmp slt i64 {text}, 0")
        text = b.value(f"select i1 {below}, i64 0, i64 {text}")
    inside = b.value(f"icmp ult i64 {text}, {size}")
    return b.value(f"select i1 {inside}, i64 {text}, i64 {size}")


def make_local_array(b: Builder, number: Number, length: int) -> Array:
    """An array in the stack frame, all of whose items are this number."""
    if not 0 <= length <= LONGEST_LIST:
        raise b.refuse(f"a list of {length} numbers")
    kind = "d" if number.kind in "df" else "Q" if is_unsigned(number.kind) else "q"
    place = b.new_name("%array")
    b.stack.append(f"  {place} = alloca {IN_LLVM[kind]}, i64 {length}")
    array = Array(kind, place, (str(length),), (str(SIZES[kind]),), contiguous=True)
    fill_array(b, array, number)
    return array


def fill_array(b: Builder, array: Array, number: Number) -> None:
    """Set all items of an array of one dimension."""
    if len(array.shape) != 1:
        raise b.refuse("an assignment to several rows")
    number = Number(b.cast(number, array.kind), array.kind)
    head, body, end = b.new_name("head"), b.new_name("fill"), b.new_name("end")
    b.start(head)
    counter, following = b.new_name(), b.new_name()
    b.split(b.value(f"icmp ult i64 0, {array.shape[0]}"), body, end)
    b.start(body)
    b.add(f"{counter} = phi i64 [ 0, %{head} ], [ {following}, %{body} ]")
    write_number(b, array.kind, find_address(b, array, [Number(counter, "Q")]), number)
    b.add(f"{following} = add nuw i64 {counter}, 1")
    b.split(b.value(f"icmp ult i64 {following}, {array.shape[0]}"), body, end)
    b.start(end)
