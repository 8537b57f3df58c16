"""Functions with a compiled form of their own: parts of a float, and exp and log without branches.

    x = mantissa(x) * 2^exponent(x),  sqrt 1/2 <= mantissa(x) < sqrt 2

The parts are read from the bits when compiled; plain Python and compiled code give the same value.
A bank evaluates exp and log for all its settings. A compiler cannot vectorise calls of `math`, so
these are plain arithmetic without branches.

Formula   e^x  = 2^k e^r,  k = x / ln 2 rounded, r = x - k ln 2,  e^r = 1 + r + r^2 p(r)
          ln x = e ln 2 + 2 artanh s,  x = m 2^e, sqrt 1/2 <= m < sqrt 2, s = (m - 1) / (m + 1),
          artanh s = s + s^3 q(s^2)
Source    W. J. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980), chapters
          5 and 6: ln 2 in two parts. p and q interpolate their functions at Chebyshev points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from math import frexp, isfinite, ldexp, sqrt
from struct import pack
from typing import Any

from prowess import kernel

ROUNDING = 6755399441055744.0  # 1.5 * 2^52: what is added to it is rounded to a whole number
FRACTION = (1 << 52) - 1  # the bits below the exponent
BIAS = 1023  # of the exponent
ROOT_HALF = sqrt(0.5)
ROOT_HALF_BITS = int.from_bytes(pack(">d", ROOT_HALF))


def two_to(moved: float) -> float:
    """2^n of `moved` = ROUNDING + n, for whole n from -1022 to 1023."""
    return ldexp(1.0, int(moved - ROUNDING)) if isfinite(moved) else moved


def exponent(x: float) -> float:
    """The whole e with x = m 2^e, sqrt 1/2 <= m < sqrt 2, of a normal positive x."""
    m, e = frexp(x)
    return e - (m < ROOT_HALF)


def mantissa(x: float) -> float:
    """The m with x = m 2^e, sqrt 1/2 <= m < sqrt 2, of a normal positive x."""
    m = abs(frexp(x)[0])
    return 2.0 * m if m < ROOT_HALF else m


@cache
def compiled_forms() -> dict[Callable[..., Any], Any]:
    """What the compiler is given in place of each of these functions."""
    kernel.load()
    from llvmlite import ir
    from numba.core import types as nb
    from numba.extending import intrinsic

    integer, double = ir.IntType(64), ir.DoubleType()

    def word(bits: int) -> Any:
        return ir.Constant(integer, bits)

    def of_bits(made: Callable[[Any, Any], Any]) -> Any:
        def typing_rule(typing: Any, x: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return made(builder, builder.bitcast(args[0], integer))

            return nb.float64(nb.float64), generate

        return intrinsic(typing_rule)

    def power(builder: Any, bits: Any) -> Any:  # n stands in the lowest bits
        raised = builder.add(builder.shl(bits, word(52)), word(BIAS << 52))
        return builder.bitcast(raised, double)

    def rebase(builder: Any, bits: Any) -> Any:  # so that the bits of sqrt 1/2 become those of 1
        return builder.add(bits, word((BIAS << 52) - ROOT_HALF_BITS))

    def exponent_of(builder: Any, bits: Any) -> Any:  # as the lowest bits of 2^52 + e + BIAS
        moved = builder.or_(builder.lshr(rebase(builder, bits), word(52)), word(0x433 << 52))
        return builder.fsub(builder.bitcast(moved, double), ir.Constant(double, 2.0**52 + BIAS))

    def mantissa_of(builder: Any, bits: Any) -> Any:
        kept = builder.and_(rebase(builder, bits), word(FRACTION))
        return builder.bitcast(builder.add(kept, word(ROOT_HALF_BITS)), double)

    return {
        two_to: of_bits(power),
        exponent: of_bits(exponent_of),
        mantissa: of_bits(mantissa_of),
    }


# --- exp and log ----------------------------------------------------------------------------------


LOG2E = 1.4426950408889634
LN2_HIGH = 6.93145751953125e-1  # ln 2 in two parts: k times the first is exact
LN2_LOW = 1.42860682030941723212e-6
LOWEST = -706.893623549172  # ln 1e-307
HIGHEST = 710.0  # e^x is above all numbers
SMALLEST = 2.2250738585072014e-308  # the least normal number
LIFTED = 18014398509481984.0  # 2^54: makes numbers below it normal


def exp(x: float) -> float:
    """e^x to one unit in the last place; below 1e-307 it is 1e-307, beyond all numbers inf."""
    above = LOWEST if x < LOWEST else x  # nan stays nan
    inside = HIGHEST if above > HIGHEST else above
    moved = inside * LOG2E + ROUNDING
    k = moved - ROUNDING
    r = (inside - k * LN2_HIGH) - k * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    p = (
        (0.5000000000000001 + 0.16666666666666669 * r)
        + (0.04166666666662413 + 0.008333333333330062 * r) * r2
        + (
            (0.0013888888917213717 + 0.00019841269863053618 * r)
            + (2.4801521295954376e-05 + 2.7557268459997064e-06 * r) * r2
            + (2.7620088445409746e-07 + 2.510038549551032e-08 * r) * r4
        )
        * r4
    )
    return (1.0 + (r + r2 * p)) * two_to(moved - 1.0) * 2.0  # 2^1024 is no number, half of it is


def log(x: float) -> float:
    """ln x to two units in the last place; -inf of 0, nan below."""
    tiny = x < SMALLEST
    normal = x * LIFTED if tiny else x
    m, e = mantissa(normal), exponent(normal) - (54.0 if tiny else 0.0)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    z2 = z * z
    q = (
        (0.3333333333333335 + 0.19999999999949722 * z)
        + (0.14285714313001635 + 0.11111105565129939 * z) * z2
        + ((0.09091444727837474 + 0.07665855309105386 * z) + 0.07308292712444311 * z2) * (z2 * z2)
    )
    y = e * LN2_HIGH + (2.0 * s + (2.0 * s * (z * q) + e * LN2_LOW))
    y = y if x < math.inf else x  # of infinity, and nan, itself
    return y if x > 0.0 else (-math.inf if x == 0.0 else math.nan)


def substitutes(compiled: bool) -> dict[Any, Any]:
    """What stands for functions of `math` in the loop over a bank."""
    found: dict[Any, Any] = {math.exp: exp, math.log: log}
    return {**found, **compiled_forms()} if compiled else found
