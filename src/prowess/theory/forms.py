"""Ratios of homogeneous forms in X and Y, exactly: "X^2 / (X^2 + Y^2)" and what is made of them.

A form of degree d is Y^d times a polynomial in t = X / Y, so a ratio is kept as its degree and two
polynomials in t with whole coefficients and no common factor. Degree 0 means: a function of X / Y
alone, which a chance has to be (Theorem 3).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, log

from prowess.theory.polynomials import (
    Polynomial,
    added,
    at,
    common_factor,
    derived,
    divided,
    lowest,
    multiplied,
    turned,
    written,
)

HIGHEST_POWER = 100
BLANK = re.compile(r"(?<=[\w)])\s+(?=[\w(])")  # between two factors


class BadForm(ValueError):
    """A text that is no ratio of homogeneous forms in X and Y."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Y^degree above(t) / below(t), t = X / Y; in lowest terms, made by `ratio`."""

    degree: int
    above: Polynomial
    below: Polynomial

    def __add__(self, other: Ratio) -> Ratio:
        """The sum of two ratios of the same degree; BadForm if it is not the same."""
        if not self.above or not other.above:
            return self if self.above else other
        if self.degree != other.degree:
            raise BadForm(
                f"{self} + {other} adds forms of degree {self.degree} and {other.degree}; "
                "every term needs the same degree"
            )
        above = added(multiplied(self.above, other.below), multiplied(other.above, self.below))
        return ratio(self.degree, above, multiplied(self.below, other.below))

    def __neg__(self) -> Ratio:
        """The ratio with the other sign."""
        return Ratio(self.degree, tuple(-c for c in self.above), self.below)

    def __sub__(self, other: Ratio) -> Ratio:
        """The difference of two ratios of the same degree."""
        return self + -other

    def __mul__(self, other: Ratio) -> Ratio:
        """The product."""
        above, below = multiplied(self.above, other.above), multiplied(self.below, other.below)
        return ratio(self.degree + other.degree, above, below)

    def __truediv__(self, other: Ratio) -> Ratio:
        """The quotient; BadForm for a division by 0."""
        if not other.above:
            raise BadForm(f"{self} is divided by 0")
        above, below = multiplied(self.above, other.below), multiplied(self.below, other.above)
        return ratio(self.degree - other.degree, above, below)

    def __bool__(self) -> bool:
        """Whether it is anything but 0 everywhere."""
        return bool(self.above)

    def __call__(self, t: float) -> float:
        """The value at X / Y = t >= 0, of degree 0."""
        return at(self.above, t) / at(self.below, t)

    def mirrored(self) -> Ratio:
        """The same with X and Y exchanged, of degree 0."""
        size = max(len(self.above), len(self.below))
        return ratio(0, turned(self.above, size), turned(self.below, size))

    def rise(self) -> Ratio:
        """t d/dt, of degree 0: the slope along R = log t."""
        up = added(
            multiplied(derived(self.above), self.below),
            tuple(-c for c in multiplied(self.above, derived(self.below))),
        )
        return ratio(0, multiplied((0, 1), up), multiplied(self.below, self.below))

    def order(self) -> int:
        """m of the tail C t^m for t -> 0."""
        return lowest(self.above) - lowest(self.below)

    def leading(self) -> Fraction:
        """C of the tail C t^m for t -> 0."""
        return Fraction(self.above[lowest(self.above)], self.below[lowest(self.below)])

    def log_near_0(self, log_t: float, t: float) -> float:
        """The logarithm at t = e^log_t, finite however small t is."""
        above, below = self.above[lowest(self.above) :], self.below[lowest(self.below) :]
        return self.order() * log_t + log(at(above, t)) - log(at(below, t))

    def __str__(self) -> str:
        """As a person writes it: X^2 / (X^2 + Y^2)."""
        top = max(len(self.above), len(self.below)) - 1
        if len(self.below) == 1 and self.degree == 0 and len(self.above) <= 1:
            return str(Fraction(self.above[0], self.below[0])) if self.above else "0"
        above, below = written(self.above, top + max(self.degree, 0)), written(self.below, top)
        if self.degree < 0:
            below = written(self.below, top - self.degree)
        if below == "1":
            return above
        return f"{_bracketed(above)} / {_bracketed(below)}"


def ratio(degree: int, above: Polynomial, below: Polynomial) -> Ratio:
    """A ratio in lowest terms, the last coefficient below positive."""
    if not above:
        return Ratio(0, (), (1,))
    factor = common_factor(above, below)
    above, below = divided(above, factor), divided(below, factor)
    content = gcd(*above, *below) * (1 if below[-1] > 0 else -1)
    return Ratio(degree, tuple(c // content for c in above), tuple(c // content for c in below))


X, Y = ratio(1, (0, 1), (1,)), ratio(1, (1,), (1,))
ONE, ZERO = ratio(0, (1,), (1,)), ratio(0, (), (1,))


def number(value: Fraction) -> Ratio:
    """A constant, of degree 0."""
    return ratio(0, (value.numerator,) if value else (), (value.denominator,))


def read(text: str, names: Mapping[str, Ratio] | None = None) -> Ratio:
    """A ratio from a text of X, Y, numbers, + - * / ^ and brackets; `names` may stand in it too.

    A blank multiplies, as in 3 X^2 Y. Decimals are taken as they are written: 0.1 is exactly one
    tenth. Raises BadForm.
    """
    known = {"X": X, "Y": Y, **(names or {})}
    try:
        plain = BLANK.sub("*", text.strip()).replace("^", "**")
        return _meant(ast.parse(plain, mode="eval").body, known, text)
    except BadForm:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadForm(f"{text!r:.80} cannot be read; write it like X^2 / (X^2 + Y^2)") from None


def _meant(node: ast.expr, known: Mapping[str, Ratio], text: str) -> Ratio:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            return number(Fraction(repr(value)))
        case ast.Name(id=name):
            if name in known:
                return known[name]
            raise BadForm(f"{text!r} holds {name}; known are {', '.join(known)}")
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_meant(inner, known, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            if not 0 <= power <= HIGHEST_POWER:
                raise BadForm(f"{text!r} has the power {power}; 0 to {HIGHEST_POWER} are allowed")
            result, factor = ONE, _meant(left, known, text)
            for _ in range(power):
                result = result * factor
            return result
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _meant(left, known, text) + _meant(right, known, text)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _meant(left, known, text) - _meant(right, known, text)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _meant(left, known, text) * _meant(right, known, text)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _meant(left, known, text) / _meant(right, known, text)
    raise BadForm(f"{text!r} is more than X, Y, numbers, + - * / ^ and brackets")


def _bracketed(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text else text
