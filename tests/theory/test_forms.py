"""Exact ratios of forms in X and Y."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.theory.markov import ONE, BadForm, parse_ratio

# text, degree, and the same written for Python's fractions
READABLE = [
    ("X / (X + Y)", 0, lambda x, y: x / (x + y)),
    ("X^2*Y / (X + Y)^3", 0, lambda x, y: x * x * y / (x + y) ** 3),
    ("1 - Y/(X+Y)", 0, lambda x, y: 1 - y / (x + y)),
    (
        "0.9 X / (X + 2 Y)",
        0,
        lambda x, y: Fraction(9, 10) * x / (x + 2 * y),
    ),
    ("X**2 - X*Y + Y**2", 2, lambda x, y: x * x - x * y + y * y),
    ("-X / (Y*Y)", -1, lambda x, y: -x / (y * y)),
    ("0.1", 0, lambda x, y: Fraction(1, 10)),
]
whole = st.integers(1, 50)


@pytest.mark.parametrize(("text", "degree", "plain"), READABLE)
@given(x=whole, y=whole)
def test_values(text, degree, plain, x, y):
    """A form that was read has the exact values of what was written, decimals included."""
    form = parse_ratio(text)
    t = Fraction(x, y)
    value = sum(c * t**k for k, c in enumerate(form.above)) / sum(
        c * t**k for k, c in enumerate(form.below)
    )
    assert form.degree == degree
    assert value * Fraction(y) ** degree == plain(Fraction(x), Fraction(y))


@pytest.mark.parametrize(("text", "degree", "plain"), READABLE)
def test_written_is_read_again(text, degree, plain):
    """What a form is written as is read as the same form."""
    form = parse_ratio(text)
    assert parse_ratio(str(form)) == form


def test_lowest_terms():
    """A common factor is taken out: (X^2 - Y^2) / (X + Y)^2 = (X - Y) / (X + Y)."""
    assert str(parse_ratio("(X^2 - Y^2) / (X + Y)^2")) == "(X - Y) / (X + Y)"
    assert parse_ratio("X/(X+Y) + Y/(X+Y)") == ONE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("X / (X + Y", "cannot be read"),
        ("X + Y^2", "degree 1 and 2"),
        ("1 + X", "degree 0 and 1"),
        ("X / (X + Z)", "holds Z; known are X, Y"),
        ("X / (Y - Y)", "divided by 0"),
        ("X ^ 1000", "power 1000"),
        ("X ^ Y", "more than"),
        ("abs(X)", "more than"),
        ("True", "more than"),
        ("X if Y else X", "cannot be read"),
        ("X and(Y)", "cannot be read"),
        ("[X for X in Y]", "cannot be read"),
        ("[X]", "more than"),
        ("+".join(["X"] * 10_000), "cannot be read"),
        ("X\0", "cannot be read"),
        ("1e999 X", "cannot be read"),
        ("", "cannot be read"),
        ("(" * 500 + "X" + ")" * 500, "cannot be read"),
    ],
)
def test_what_is_no_form(text, told):
    """A text that is no form is refused with what is wrong about it."""
    with pytest.raises(BadForm) as caught:
        parse_ratio(text)
    assert told in str(caught.value)


def test_rise_and_tail():
    """t d/dt of X^2/(X^2+Y^2) is 2 X^2 Y^2/(X^2+Y^2)^2; near t = 0 the form itself is t^2."""
    form = parse_ratio("X^2 / (X^2 + Y^2)")
    assert form.rise() == parse_ratio("2*X^2*Y^2 / (X^2 + Y^2)^2")
    assert (form.order(), form.leading()) == (2, Fraction(1))
    assert form.log_near_0(-1000.0, 0.0) == -2000.0  # e^-1000 is 0 in float64
    assert form.log_near_0(log(0.5), 0.5) == approx(log(0.2), rel=1e-15)
    assert form.mirror() == parse_ratio("Y^2 / (X^2 + Y^2)")
    assert form(exp(-1.0)) == approx(1 / (1 + exp(2.0)), rel=1e-15)
