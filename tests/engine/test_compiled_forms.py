"""exp and log as polynomials: how near they are, where they end, and the same bits everywhere."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from prowess.compile import kernel
from prowess.engine.mathematics import (
    exp_of_array,
    exponent,
    mantissa,
    own_erfc,
    own_log1p,
    polynomial_exp,
    polynomial_log,
    substitutes,
    two_to,
)

RANDOM = np.random.default_rng(0)
EXPONENTS = np.concatenate(
    (RANDOM.uniform(-706.0, 709.7, 2000), RANDOM.uniform(-5, 5, 2000), RANDOM.normal(0, 1e-5, 500))
)
POSITIVE = np.concatenate(
    (
        np.exp(RANDOM.uniform(-740.0, 700.0, 2000)),
        RANDOM.uniform(0.5, 2.0, 2000),
        1.0 + RANDOM.normal(0.0, 1e-6, 500),
    )
)
ENDS = np.array([0.0, -0.0, -1.0, math.inf, -math.inf, math.nan, 1.0, 5e-324, 709.78, 709.79, -1e9])


def worst(function, values, exact):
    """The largest error in units of the last place, against 40 digits."""
    with localcontext() as context:
        context.prec = 40
        return max(
            abs(float((Decimal(function(x)) - exact(Decimal(x))) / Decimal(math.ulp(function(x)))))
            for x in values.tolist()
        )


def test_exp_is_right_to_its_last_place():
    """Within one unit, from the least normal numbers to the largest."""
    assert worst(polynomial_exp, EXPONENTS, Decimal.exp) < 1.0


def test_log_is_right_to_two_units():
    """Within two units of the last place, near 1 and for numbers below the normal ones too."""
    assert worst(polynomial_log, POSITIVE, Decimal.ln) < 2.0


def test_log1p_is_right_to_three_units():
    """Within three units of the last place, near 0, near -1 and far away."""
    near = np.exp(RANDOM.uniform(-40.0, 0.0, 1000))
    values = np.concatenate((near, -near * 0.999, RANDOM.uniform(1.0, 1e6, 500)))
    assert worst(own_log1p, values, lambda x: (1 + x).ln()) < 3.0


def test_erfc_is_right_to_six_units():
    """Within six units of the last place; `math.erfc` is of the C library, itself within three."""
    for x in np.concatenate(
        (RANDOM.uniform(-6.0, 26.5, 4000), RANDOM.normal(0, 0.1, 500))
    ).tolist():
        exact = math.erfc(x)
        assert abs(own_erfc(x) - exact) <= 9.0 * math.ulp(exact)


def test_the_ends():
    """Infinite and absent numbers stay what they are; nothing is raised."""
    assert polynomial_exp(math.inf) == math.inf
    assert polynomial_exp(709.79) == math.inf
    assert polynomial_exp(709.78) == pytest.approx(math.exp(709.78), rel=1e-15)
    assert 0.0 <= polynomial_exp(-1e9) <= 1.1e-307
    assert polynomial_exp(0.0) == 1.0
    assert math.isnan(polynomial_exp(math.nan))
    assert polynomial_log(0.0) == -math.inf
    assert polynomial_log(1.0) == 0.0
    assert polynomial_log(math.inf) == math.inf
    assert math.isnan(polynomial_log(-1.0))
    assert math.isnan(polynomial_log(math.nan))
    assert [own_log1p(x) for x in (-1.0, 0.0, math.inf)] == [-math.inf, 0.0, math.inf]
    assert math.isnan(own_log1p(-2.0))
    assert math.isnan(own_log1p(math.nan))
    assert [own_erfc(x) for x in (-math.inf, 0.0, 27.0, math.inf)] == [2.0, 1.0, 0.0, 0.0]
    assert math.isnan(own_erfc(math.nan))


def test_parts_of_a_float():
    """A number is its mantissa times a power of two."""
    for x in (1.0, 1.4, 1.5, 0.75, 3e-300, 7e300):
        assert math.sqrt(0.5) <= mantissa(x) < math.sqrt(2.0)
        assert mantissa(x) * 2.0 ** exponent(x) == x
    assert two_to(6755399441055744.0 - 3.0) == 0.125


def over(function):
    """A loop that fills an array."""

    def loop(x, out):
        for k in range(len(x)):
            out[k] = function(x[k])

    return loop


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@pytest.mark.parametrize(
    ("function", "values"),
    [
        (polynomial_exp, EXPONENTS),
        (polynomial_log, POSITIVE),
        (own_log1p, POSITIVE - 1.0),
        (own_erfc, RANDOM.uniform(-7.0, 28.0, 2000)),
    ],
)
def test_compiled_is_plain(function, values):
    """The same bits, also at the ends."""
    compiled = kernel.compile_function(over(function), substitutes(compiled=True))
    for given in (values, ENDS):
        out = np.empty_like(given)
        compiled(given, out)
        assert np.array_equal(out, [function(x) for x in given.tolist()], equal_nan=True)


def test_arrays_are_raised_to_the_same_bits():
    """The exponential of an array is that of each number, on every processor."""
    drawn = -np.random.default_rng(1).exponential(20.0, 5_000)
    given = np.concatenate((drawn, [0.0, -1e-300, -800.0, 1.5, 720.0, -706.9]))
    assert exp_of_array(given).tolist() == [polynomial_exp(one) for one in given.tolist()]
