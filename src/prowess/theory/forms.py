"""Exact ratios of homogeneous forms in X and Y, such as "X^2 / (X^2 + Y^2)".

A form of degree d is Y^d times a polynomial in t = X / Y, so a ratio is stored as its degree and
two integer polynomials in t without a common factor. Degree 0 means a function of X / Y alone,
which every chance is (Theorem 3).
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from math import gcd, log, prod
from typing import Any

from prowess.compile.refusals import ProwessError

Polynomial = tuple[int, ...]  # in t; coefficients, the constant first; the last is not 0


def add(p: Polynomial, q: Polynomial) -> Polynomial:
    """p + q."""
    return _trim([a + b for a, b in zip_longest(p, q, fillvalue=0)])


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """p q."""
    if not p or not q:
        return ()
    product = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for k, b in enumerate(q):
                product[i + k] += a * b
    return tuple(product)


def common_factor(p: Polynomial, q: Polynomial) -> Polynomial:
    """Return the greatest common divisor without numeric factors, by Euclid's algorithm."""
    p, q = _primitive(p), _primitive(q)
    while q:
        p, q = q, _primitive(_remainder(p, q))
    return p


def divide(p: Polynomial, q: Polynomial) -> Polynomial:
    """p / q for a q that divides p and has no numeric factor."""
    left, quotient = list(p), [0] * (len(p) - len(q) + 1)
    for k in reversed(range(len(quotient))):
        quotient[k] = left[k + len(q) - 1] // q[-1]
        for i, c in enumerate(q):
            left[k + i] -= quotient[k] * c
    return tuple(quotient)


def evaluate(p: Polynomial, t: float) -> float:
    """p(t), by Horner's rule."""
    total = 0.0
    for c in reversed(p):
        total = total * t + c
    return total


def derivative(p: Polynomial) -> Polynomial:
    """dp / dt."""
    return tuple(k * c for k, c in enumerate(p))[1:]


def lowest_power(p: Polynomial) -> int:
    """The power of the first coefficient that is not 0."""
    return next(k for k, c in enumerate(p) if c)


def format_form(p: Polynomial, degree: int) -> str:
    """Format the form Y^degree p(X / Y), highest power of X first."""
    terms = []
    for k in reversed(range(len(p))):
        if p[k]:
            powers = [_power("X", k), _power("Y", degree - k)]
            factor = str(abs(p[k])) if abs(p[k]) != 1 or k == degree == 0 else ""
            sign = "- " if p[k] < 0 else "+ "
            terms.append(sign + " ".join(filter(None, [factor, *powers])))
    text = " ".join(terms)
    return "-" + text[2:] if text.startswith("- ") else text[2:]


def _power(letter: str, exponent: int) -> str:
    return "" if exponent == 0 else letter if exponent == 1 else f"{letter}^{exponent}"


def reverse(p: Polynomial, size: int) -> Polynomial:
    """t^(size - 1) p(1 / t)."""
    return _trim([*[0] * (size - len(p)), *p[::-1]])


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    left = list(p)
    while len(left) >= len(q):
        factor = left[-1]
        left = [c * q[-1] for c in left]
        for i, c in enumerate(q):
            left[len(left) - len(q) + i] -= factor * c
        left = list(_trim(left))
    return tuple(left)


def _primitive(p: Polynomial) -> Polynomial:
    content = gcd(*p)
    return tuple(c // content for c in p) if content > 1 else p


def _trim(p: list[int]) -> Polynomial:
    size = len(p)
    while size and p[size - 1] == 0:
        size -= 1
    return tuple(p[:size])


HIGHEST_POWER = 100
OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
BLANK = re.compile(r"(?<=[\w)])\s+(?=[\w(])")  # between two factors


class BadForm(ProwessError, ValueError):
    """The text is not a ratio of homogeneous forms in X and Y."""


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
                "every term needs the same degree",
                code="unequal_degrees",
            )
        above = add(multiply(self.above, other.below), multiply(other.above, self.below))
        return ratio(self.degree, above, multiply(self.below, other.below))

    def __neg__(self) -> Ratio:
        """The ratio with the other sign."""
        return Ratio(self.degree, tuple(-c for c in self.above), self.below)

    def __sub__(self, other: Ratio) -> Ratio:
        """The difference of two ratios of the same degree."""
        return self + -other

    def __mul__(self, other: Ratio) -> Ratio:
        """The product."""
        above, below = multiply(self.above, other.above), multiply(self.below, other.below)
        return ratio(self.degree + other.degree, above, below)

    def __truediv__(self, other: Ratio) -> Ratio:
        """The quotient; BadForm for a division by 0."""
        if not other.above:
            raise BadForm(f"{self} is divided by 0", code="divided_by_zero")
        above, below = multiply(self.above, other.below), multiply(self.below, other.above)
        return ratio(self.degree - other.degree, above, below)

    def __bool__(self) -> bool:
        """Whether it is not 0 everywhere."""
        return bool(self.above)

    def __call__(self, t: float) -> float:
        """The value at X / Y = t >= 0, of degree 0."""
        return evaluate(self.above, t) / evaluate(self.below, t)

    def mirror(self) -> Ratio:
        """The same with X and Y exchanged, of degree 0."""
        size = max(len(self.above), len(self.below))
        return ratio(0, reverse(self.above, size), reverse(self.below, size))

    def rise(self) -> Ratio:
        """t d/dt, of degree 0: the slope along R = log t."""
        up = add(
            multiply(derivative(self.above), self.below),
            tuple(-c for c in multiply(self.above, derivative(self.below))),
        )
        return ratio(0, multiply((0, 1), up), multiply(self.below, self.below))

    def order(self) -> int:
        """m of the tail C t^m for t -> 0."""
        return lowest_power(self.above) - lowest_power(self.below)

    def leading(self) -> Fraction:
        """C of the tail C t^m for t -> 0."""
        return Fraction(self.above[lowest_power(self.above)], self.below[lowest_power(self.below)])

    def log_near_0(self, log_t: float, t: float) -> float:
        """The logarithm at t = e^log_t, finite however small t is."""
        above, below = (p[lowest_power(p) :] for p in (self.above, self.below))
        return self.order() * log_t + log(evaluate(above, t)) - log(evaluate(below, t))

    def __str__(self) -> str:
        """Format it as X^2 / (X^2 + Y^2)."""
        top = max(len(self.above), len(self.below)) - 1
        if len(self.below) == 1 and self.degree == 0 and len(self.above) <= 1:
            return str(Fraction(self.above[0], self.below[0])) if self.above else "0"
        above = format_form(self.above, top + max(self.degree, 0))
        below = format_form(self.below, top + max(-self.degree, 0))
        if below == "1":
            return above
        return f"{_bracket(above)} / {_bracket(below)}"


def ratio(degree: int, above: Polynomial, below: Polynomial) -> Ratio:
    """Return a ratio in lowest terms, the last coefficient below positive."""
    if not above:
        return Ratio(0, (), (1,))
    factor = common_factor(above, below)
    above, below = divide(above, factor), divide(below, factor)
    content = gcd(*above, *below) * (1 if below[-1] > 0 else -1)
    return Ratio(degree, tuple(c // content for c in above), tuple(c // content for c in below))


X, Y = ratio(1, (0, 1), (1,)), ratio(1, (1,), (1,))
ONE, ZERO = ratio(0, (1,), (1,)), ratio(0, (), (1,))


def constant(value: Fraction) -> Ratio:
    """A constant, of degree 0."""
    return ratio(0, (value.numerator,) if value else (), (value.denominator,))


def parse_ratio(text: str, names: Mapping[str, Ratio] | None = None) -> Ratio:
    """Parse a ratio of X, Y, `names`, numbers, + - * / ^ and brackets.

    A blank multiplies, as in 3 X^2 Y. Decimals are exact: 0.1 is one tenth. Raises BadForm.
    """
    known = {"X": X, "Y": Y, **(names or {})}
    try:
        plain = BLANK.sub("*", text.strip()).replace("^", "**")
        return _evaluate_node(ast.parse(plain, mode="eval").body, known, text)
    except BadForm:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadForm(
            f"write it like X^2 / (X^2 + Y^2): {text!r:.80} cannot be read",
            code="not_an_expression",
        ) from None


def _evaluate_node(node: ast.expr, known: Mapping[str, Ratio], text: str) -> Ratio:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            return constant(Fraction(repr(value)))
        case ast.Name(id=name):
            if name in known:
                return known[name]
            raise BadForm(
                f"{text!r} holds {name}; known are {', '.join(known)}", code="unknown_symbol"
            )
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_evaluate_node(inner, known, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            if not 0 <= power <= HIGHEST_POWER:
                raise BadForm(
                    f"{text!r} has the power {power}; 0 to {HIGHEST_POWER} are allowed",
                    code="power_out_of_range",
                )
            return prod([_evaluate_node(left, known, text)] * power, start=ONE)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            first, second = (_evaluate_node(one, known, text) for one in (left, right))
            result: Ratio = OPERATORS[type(op)](first, second)
            return result
    raise BadForm(
        f"{text!r} is more than X, Y, numbers, + - * / ^ and brackets", code="not_an_expression"
    )


def _bracket(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text else text
