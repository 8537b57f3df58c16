"""Claim 12's second half and EQ 17: which curves have exponential tails."""

from __future__ import annotations

from math import comb, exp, log

import pytest
from pytest import approx

from prowess.engine.win_probability import CURVES, first_to_magnification
from prowess.games.arguments import BadArgument
from prowess.theory.markov import MODELS
from prowess.theory.wp import find_curve, tail, wrap_function
from tests.refusals import refused


def stob_exponent(n: int) -> float:
    """Return alpha = log n / log kappa: on Stob curves log wp(-x) ~ -A (a x)^alpha (EQ 41).

    n: points of the match, 2 or more. alpha tends to 2, the normal curve's exponent.
    """
    return log(n) / log(first_to_magnification(n))


def stob_constant(n: int) -> float:
    """Return the constant term of EQ 41: -log C(2n-1, n) / (n - 1), from the leading term of S_n.

    log wp(-x) = -A (a x)^alpha - log C(2n-1, n) / (n - 1) + o(1): -log 3 for n = 2 and
    -(log 10) / 2 for n = 3. The report has it for n = 2 only, and has A constant, which it is not:
    it ripples with the period log kappa of log x.
    """
    return -log(comb(2 * n - 1, n)) / (n - 1)


@pytest.mark.parametrize("q", [0.0058, 1.0, 4.0])
@pytest.mark.parametrize(
    ("curve", "m", "c"), [("logistic", 1.0, 1.0), ("timesharing", log(2), 0.5)]
)
def test_exponential_curves(curve, m, c, q):
    """Logistic: slope Q, C = 1; timesharing: slope Q ln 2, C = 1/2."""
    found = tail(find_curve(curve, q))
    assert found.exponential
    assert found.slope == approx(m * q, rel=1e-9)
    assert found.constant == approx(c, rel=1e-6)


def test_normal_tail_steepens():
    """The local slope of the normal curve grows like |x| / 2: no exponential tail."""
    found = tail(find_curve("normal"))
    assert not found.exponential
    assert found.constant is None
    # between x and 2x the mean of |x| / 2 is 3 |x| / 4; each stretch is twice as far out
    assert found.slopes[-1] / found.slopes[-2] == approx(2.0, abs=0.02)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_stob_tails_steepen(n):
    """The local slope of Stob's curve grows like |x|^(alpha - 1) (EQ 41): no exponential tail."""
    found = tail(find_curve(f"stob{n}"))
    assert not found.exponential
    # doubling x multiplies the local slope by 2^(alpha - 1), up to the constant in log wp
    assert found.slopes[-1] / found.slopes[-2] == approx(2 ** (stob_exponent(n) - 1), rel=0.03)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_stob_constant(n):
    """EQ 41 as repaired: (log wp(-kappa x) - c) / (log wp(-x) - c) = n, with n = kappa^alpha."""
    curve, kappa = find_curve(f"stob{n}"), n ** (1 / stob_exponent(n))
    c, x = stob_constant(n), 9.0
    far, near = curve.log_value(-kappa * x) - c, curve.log_value(-x) - c
    assert far / near == approx(n, rel=1e-9)


def test_stob_numbers():
    """-log 3 and -(log 10) / 2 by hand (C(3,2) = 3, C(5,3) = 10); alpha from the specification."""
    assert stob_constant(2) == approx(-log(3), rel=1e-15)
    assert stob_constant(3) == approx(-log(10) / 2, rel=1e-15)
    # W. D. Smith's alpha_n, recomputed at high precision
    assert [stob_exponent(n) for n in (2, 3, 4)] == approx([1.709511291, 1.747688760, 1.771035223])


@pytest.mark.parametrize("game", MODELS)
def test_searched_and_exact_tails_agree(game):
    """Claim 12: the tail that a search along log wp finds is the exact one of the formula."""
    model = MODELS[game]()
    found, exact = tail(model.win_probability(0.01)), model.tail(0.01)
    assert found.exponential
    assert found.slope == approx(exact.slope, rel=1e-9)
    assert found.constant == approx(exact.constant, rel=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 0.5 / (1.0 - x) if x < 0 else 1.0 - 0.5 / (1.0 + x),  # like 1 / |x|
        lambda x: (1 - x) * exp(x) / 2 if x < 0 else 1 - (1 + x) * exp(-x) / 2,  # |x| e^x
    ],
)
def test_near_misses(function):
    """A power, and a power times an exponential, are not C e^(m x)."""
    assert not tail(wrap_function(function)).exponential


def test_tails_that_cannot_be_seen():
    """A function that is 0 too early is refused with what would help."""
    with refused(BadArgument, "log_value_inexact", about="log_value"):
        tail(wrap_function(lambda x: min(1.0, max(0.0, 0.5 + x / 8)), "line"))


def test_every_curve_is_judged():
    """Of the engine's curves logistic and timesharing alone have exponential tails."""
    judged = {curve for curve in CURVES if tail(find_curve(curve)).exponential}
    assert judged == {"logistic", "timesharing"}
