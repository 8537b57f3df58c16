"""The lines of one function in LLVM text, and numbers as numbers of other kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from prowess.compile import Uncompilable
from prowess.compile.numbers import (
    IN_LLVM,
    SIZES,
    Array,
    Number,
    float_text,
    is_signed,
    is_unsigned,
    is_whole_text,
    kind_of_char,
    kind_of_value,
)

Item = Number | Array


class Builder:
    """Lines of instructions, block after block."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.lines: list[str] = []
        self.stack: list[str] = []  # places in the stack frame
        self.declarations: set[str] = set()
        self.constants: dict[str, str] = {}  # names by content
        self.unshared: set[str] = set()  # places of arrays whose memory no other argument has
        self.count = 0
        self.block, self.ended = "entry", False

    def refuse(self, what: str) -> Uncompilable:
        """The error that says what is not known here."""
        return Uncompilable(
            f"rewrite {what} in {self.function}: it is not compiled", code="not_compilable"
        )

    def new_name(self, stem: str = "%v") -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{stem}{self.count}"

    def add(self, line: str) -> None:
        """Add an instruction; none after the end of a block."""
        if not self.ended:
            self.lines.append("  " + line)

    def value(self, instruction: str) -> str:
        """Add an instruction that gives a value; returns its name."""
        made = self.new_name()
        self.add(f"{made} = {instruction}")
        return made

    def constant(self, content: str) -> str:
        """Add numbers beside the function; returns their place."""
        self.constants.setdefault(content, f"@constant{len(self.constants)}")
        return self.constants[content]

    def start(self, label: str) -> None:
        """Begin a block; the one before goes on there if it has no end."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.block, self.ended = label, False

    def jump(self, label: str) -> None:
        """End the block."""
        self.end(f"br label %{label}")

    def split(self, test: str, then: str, otherwise: str) -> None:
        """End the block with a test."""
        self.end(f"br i1 {test}, label %{then}, label %{otherwise}")

    def end(self, line: str) -> None:
        """End the block with an instruction."""
        self.add(line)
        self.ended = True

    def text(self, head: str) -> str:
        """The whole function; `head` is its result, name and parameters."""
        for place in self.unshared:
            head = head.replace(f"ptr {place},", f"ptr noalias {place},")
        lines = [f"define {head} nounwind {{", "entry:", *self.stack, *self.lines, "}"]
        kept = [f"{one} = private constant {content}" for content, one in self.constants.items()]
        return "\n".join([*lines, *sorted(self.declarations), *kept])

    # numbers

    def number(self, item: Item) -> Number:
        """An item that is a number; raises Uncompilable for an array."""
        if isinstance(item, Array):
            raise self.refuse("an array where a number is wanted")
        return item

    def array(self, item: Item) -> Array:
        """An item that is an array; raises Uncompilable for a number."""
        if isinstance(item, Number):
            raise self.refuse("a number where an array is wanted")
        return item

    def cast(self, number: Number, kind: str) -> str:
        """The text of a number as one of another kind."""
        text, given = number
        if given == kind:
            return text
        if is_whole_text(text) and kind != "?":
            return float_text(float(int(text))) if kind == "d" else text
        if given == "f":
            wide = self.value(f"fpext float {text} to double")
            return self.cast(Number(wide, "d"), kind)
        if kind == "f":
            return self.value(f"fptrunc double {self.cast(number, 'd')} to float")
        if kind == "d":
            way = "sitofp" if is_signed(given) else "uitofp"
        elif kind == "?":
            zero = f"fcmp une double {text}, 0.0" if given == "d" else None
            return self.value(zero or f"icmp ne {IN_LLVM[given]} {text}, 0")
        elif given == "d":
            way = "fptoui" if is_unsigned(kind) else "fptosi"
        elif given != "?" and SIZES[given] == SIZES[kind]:
            return text
        elif given == "?" or SIZES[given] < SIZES[kind]:
            way = "sext" if is_signed(given) else "zext"
        else:
            way = "trunc"
        return self.value(f"{way} {IN_LLVM[given]} {text} to {IN_LLVM[kind]}")

    def call_library(self, name: str, *floats: str) -> Number:
        """A call of a function of LLVM (`llvm.`) or of the C library on floats."""
        kinds = ", ".join(["double"] * len(floats))
        if name.startswith("llvm."):
            self.declarations.add(f"declare double @{name}({kinds})")
        else:  # `nobuiltin`: LLVM puts no other arithmetic in its place
            exact = "" if name == "sqrt" else " nobuiltin"
            self.declarations.add(f"declare double @{name}({kinds}) nounwind memory(none){exact}")
        given = ", ".join(f"double {one}" for one in floats)
        return Number(self.value(f"call double @{name}({given})"), "d")


def take_parameters(
    b: Builder, names: Sequence[str], arguments: Sequence[Any]
) -> tuple[list[str], dict[str, Item]]:
    """The parameters of a function for such arguments, as text and as what they stand for.

    Those of an array are its place, its shape and its strides.
    """
    texts, items = list[str](), dict[str, Item]()
    for name, value in zip(names, arguments, strict=True):
        if isinstance(value, np.ndarray):
            shape = tuple(f"%{name}.s{k}" for k in range(value.ndim))
            strides = tuple(f"%{name}.t{k}" for k in range(value.ndim))
            texts += [f"ptr %{name}.d", *(f"i64 {one}" for one in (*shape, *strides))]
            kind, contiguous = kind_of_char(value.dtype.char), bool(value.flags.c_contiguous)
            items[name] = Array(kind, f"%{name}.d", shape, strides, contiguous, frozenset([name]))
        elif (kind := kind_of_value(value)) == "?":
            texts.append(f"i8 %{name}.b")
            items[name] = Number(b.value(f"icmp ne i8 %{name}.b, 0"), "?")
        else:
            texts.append(f"{IN_LLVM[kind]} %{name}")
            items[name] = Number(f"%{name}", kind)
    return texts, items
