"""The table of mixed numbers, fuzzed: random expressions, compiled beside a slow evaluation of the
rules that `docs/compiler.md` states.

`MIXED` in the environment is the number of expressions: `MIXED=100000 pytest FILE` takes minutes.
"""

from __future__ import annotations

import math
import os
import struct
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from prowess.compile.kernel import compile_function
from prowess.compile.source import remember_source

pytest.importorskip("llvmlite")

COUNT = int(os.environ.get("MIXED", "4000"))
TOGETHER = 200  # expressions in one function
KINDS = "?bBhHiIqQfd"
BITS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}
EDGES = (0, 1, 2, 3, -1, -2, 7, 63, 64, 127, 128, 255, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1,
         -(2**63), 2**64 - 1)  # fmt: skip
FLOATS = (0.0, -0.0, 0.5, -0.5, 1.0, 2.0, -3.75, 1e-320, 1e300, -1e300, math.inf, -math.inf,
          math.nan, 2.0**53, 2.0**62)  # fmt: skip
COMPARED = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


class Odd(Exception):
    """An expression that the page does not define, or that is refused."""


class Term(NamedTuple):
    """The text of an expression, its value by the rules, and its kind."""

    text: str
    value: bool | int | float
    kind: str


def wrap(value: int, kind: str) -> int:
    """A whole number as one of so many bits."""
    bits = BITS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind.islower() and value >> (bits - 1) else value


def sum_kind(a: str, b: str) -> str:
    """The kind of a sum: a float if one is, else unsigned if both are, else signed."""
    if {a, b} & {"d", "f"}:
        return "d"
    return "Q" if a.isupper() and b.isupper() else "q"


def holding_kind(a: str, b: str) -> str:
    """The kind that holds both."""
    if a == b:
        return a
    if {a, b} & {"d", "f"}:
        return "d"
    a, b = ("q" if one == "?" else one for one in (a, b))
    if a.islower() == b.islower():
        return a if BITS[a] >= BITS[b] else b
    if "Q" in (a, b):
        raise Odd
    return "q"


def as_kind(value: bool | int | float, kind: str) -> bool | int | float:
    """A value as one of another kind."""
    if kind == "d":
        return float(value)
    if kind == "?":
        return bool(value)
    return wrap(int(value), kind) if kind in BITS else value


def divided(a: float, b: float) -> float:
    """a / b, by 0 infinite or nan."""
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def combine(op: str, one: Term, other: Term) -> Term:
    """The value of an operator."""
    text = f"({one.text} {op} {other.text})"
    if op in COMPARED:
        return Term(text, COMPARED[op](one.value, other.value), "?")
    if op == "/":
        return Term(text, divided(float(one.value), float(other.value)), "d")
    kind = sum_kind(one.kind, other.kind)
    if op in "&|^" and kind == "d":
        raise Odd
    if one.kind == other.kind == "?" and op in "&|^":
        kind = "?"
    a, b = as_kind(one.value, kind), as_kind(other.value, kind)
    if op in ("//", "%"):
        if kind == "d":
            raise Odd
        value = 0 if b == 0 else a // b if op == "//" else a % b
    else:
        value = {
            "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
            "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
        }[op]()  # fmt: skip
    return Term(text, as_kind(value, kind), kind)


def change(op: str, one: Term) -> Term:
    """The value of an operator or function of one number."""
    kind = "d" if one.kind in "df" else "Q" if one.kind.isupper() else "q"
    value = as_kind(one.value, kind)
    if op == "not ":
        return Term(f"(not {one.text})", not one.value, "?")
    if op == "float":
        return Term(f"float({one.text})", float(one.value), "d")
    if op == "bool":
        return Term(f"bool({one.text})", bool(one.value), "?")
    if op == "int":
        if kind == "d" and not abs(one.value) < 2.0**62:
            raise Odd
        whole = one.kind if one.kind in BITS else "q"
        return Term(f"int({one.text})", int(one.value), whole)
    if op == "abs":
        return Term(f"abs({one.text})", as_kind(abs(value), kind), kind)
    if op == "~" and kind == "d":
        raise Odd
    result = {"-": lambda: -value, "+": lambda: value, "~": lambda: ~value}[op]()
    return Term(f"({op}{one.text})", as_kind(result, kind), kind)


def choose(name: str, one: Term, other: Term) -> Term:
    """`min`, `max`, or a choice."""
    kind = holding_kind(one.kind, other.kind)
    if name == "if":
        text, value = f"({one.text} if p[0] > 0.5 else {other.text})", one.value
    else:
        beyond = other.value < one.value if name == "min" else other.value > one.value
        text, value = f"{name}({one.text}, {other.text})", other.value if beyond else one.value
    return Term(text, as_kind(value, kind), kind)


def leaf(chance: Random, numbers: dict[str, list[Any]]) -> Term:
    """A number of a random kind, as an item of the array of its kind."""
    kind = chance.choice(KINDS)
    value: bool | int | float
    if kind == "?":
        value = chance.random() < 0.5
    elif kind in BITS:
        value = wrap(chance.choice((*EDGES, chance.randrange(-1000, 1000))), kind)
    else:
        value = chance.choice((*FLOATS, chance.uniform(-100, 100)))
        if kind == "f":
            with np.errstate(all="ignore"):
                value = float(np.float32(value))
    if kind == "q" and chance.random() < 0.3:
        return Term(f"({value})", value, "q")
    if kind == "d" and chance.random() < 0.3 and math.isfinite(value):
        return Term(f"({value!r})", value, "d")
    return leaf_of(kind, value, numbers)


def leaf_of(kind: str, value: bool | int | float, numbers: dict[str, list[Any]]) -> Term:
    """A number as the next item of the array of its kind."""
    numbers[kind].append(value)
    return Term(f"n{KINDS.index(kind)}[{len(numbers[kind]) - 1}]", value, kind)


def grow(chance: Random, numbers: dict[str, list[Any]], depth: int) -> Term:
    """A random expression."""
    if depth == 0 or chance.random() < 0.15:
        return leaf(chance, numbers)
    way = chance.random()
    one = grow(chance, numbers, depth - 1)
    if "[" not in one.text:  # of constants alone Python makes numbers of any size
        one = leaf_of("q", chance.randrange(-9, 9), numbers)
    if way < 0.2:
        return change(chance.choice(("-", "+", "~", "not ", "abs", "int", "float", "bool")), one)
    if way < 0.3:
        places = chance.randrange(64)
        if one.kind in "df":
            raise Odd
        kind, op = "Q" if one.kind.isupper() else "q", chance.choice(("<<", ">>"))
        value = one.value << places if op == "<<" else as_kind(one.value, kind) >> places
        return Term(f"({one.text} {op} {places})", as_kind(value, kind), kind)
    other = grow(chance, numbers, depth - 1)
    if way < 0.45:
        return choose(chance.choice(("min", "max", "if")), one, other)
    ops = ("+", "-", "*", "/", "//", "%", "&", "|", "^", *COMPARED)
    return combine(chance.choice(ops), one, other)


def bits(value: bool | int | float) -> str:
    """A value to the bit; all nans are one."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack(">d", value).hex()
    return str(int(value))


@pytest.mark.parametrize("seed", range(max(1, COUNT // TOGETHER)))
def test_mixed_numbers_are_as_the_page_says(seed):
    """Sums, shifts, comparisons, choices and conversions of all kinds of numbers, nested."""
    chance = Random(seed)
    numbers: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    terms: list[Term] = []
    while len(terms) < TOGETHER:
        try:
            terms.append(grow(chance, numbers, 4))
        except Odd:
            continue
    outs = {kind: np.zeros(TOGETHER, kind if kind != "f" else "d") for kind in KINDS}
    lines = [f"o{KINDS.index(term.kind)}[{k}] = {term.text}" for k, term in enumerate(terms)]
    names = ", ".join([f"n{k}" for k in range(len(KINDS))] + [f"o{k}" for k in range(len(KINDS))])
    text = f"def mixed({names}, p):\n    " + "\n    ".join(lines) + "\n"
    scope: dict[str, Any] = {}
    exec(compile(text, remember_source("mixed", text), "exec"), scope)
    with np.errstate(all="ignore"):
        given = [np.array(numbers[kind], kind) if numbers[kind] else np.zeros(1, kind)
                 for kind in KINDS]  # fmt: skip
    compile_function(scope["mixed"])(*given, *outs.values(), np.ones(1))
    for k, term in enumerate(terms):
        found = outs[term.kind][k].item()
        assert bits(found) == bits(term.value), (term, found)
