"""Mathematics of our own: exp, log, log1p and erfc by plain arithmetic, the same on every machine.

A bank evaluates exp and log for all its settings. A compiler cannot vectorise calls of C's library,
so they are arithmetic without branches, and give the same bits on every processor:

    e^x      = 2^k e^r,  k = x / ln 2 rounded, r = x - k ln 2,  e^r = 1 + r + r^2 p(r)
    ln x     = e ln 2 + 2 artanh s,  x = m 2^e, s = (m - 1) / (m + 1),  artanh s = s + s^3 q(s^2)
    log1p x  = ln u + c / u,  u = 1 + x rounded, c = x - (u - 1): what was rounded off
    erfc x   = 1 - x P(x^2) / Q(x^2) near 0, e^(-x^2) P(x) / Q(x) up to 4, then
               e^(-x^2) (1 / sqrt pi + P(1/x^2) / (x^2 Q(1/x^2))) / x;  of -x it is 2 - erfc x

Where no library of C is at hand, in the browser, all loops use them (`FUNCTIONS`). Elsewhere one
number at a time is faster by the library.

Parts of a float, x = mantissa(x) * 2^exponent(x) with sqrt 1/2 <= mantissa(x) < sqrt 2, are read
from the bits when compiled; plain Python and compiled code give the same value.

Source: W. J. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980), chapters
5 and 6: ln 2 in two parts. p and q interpolate their functions at Chebyshev points. erfc: W. J.
Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23
(1969), 631-637.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from math import frexp, isfinite, ldexp, sqrt
from struct import pack
from typing import TYPE_CHECKING, Any, TypeVar

from prowess.compile.numbers import Floats, Number, float_text

if TYPE_CHECKING:
    from prowess.compile.builder import Builder


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
    from prowess.compile.numbers import Intrinsic

    forms = {two_to: emit_two_to, exponent: emit_exponent, mantissa: emit_mantissa}
    return {one: Intrinsic(emit) for one, emit in forms.items()}


def _bits_of(b: Builder, x: Number) -> str:
    return b.value(f"bitcast double {b.cast(x, 'd')} to i64")


def _float_of(b: Builder, bits: str) -> Number:
    return Number(b.value(f"bitcast i64 {bits} to double"), "d")


def emit_two_to(b: Builder, x: Number) -> Number:
    """`two_to`: n stands in the lowest bits."""
    high = b.value(f"shl i64 {_bits_of(b, x)}, 52")
    return _float_of(b, b.value(f"add i64 {high}, {BIAS << 52}"))


def _rebase(b: Builder, x: Number) -> str:
    """The bits, moved so that those of sqrt 1/2 become those of 1."""
    return b.value(f"add i64 {_bits_of(b, x)}, {(BIAS << 52) - ROOT_HALF_BITS}")


def emit_exponent(b: Builder, x: Number) -> Number:
    """`exponent`, as the lowest bits of 2^52 + e + BIAS."""
    low = b.value(f"lshr i64 {_rebase(b, x)}, 52")
    moved = _float_of(b, b.value(f"or i64 {low}, {0x433 << 52}"))
    return Number(b.value(f"fsub double {moved.text}, {float_text(2.0**52 + BIAS)}"), "d")


def emit_mantissa(b: Builder, x: Number) -> Number:
    """`mantissa`."""
    kept = b.value(f"and i64 {_rebase(b, x)}, {FRACTION}")
    return _float_of(b, b.value(f"add i64 {kept}, {ROOT_HALF_BITS}"))


LOG2E = 1.4426950408889634
LN2_HIGH = 6.93145751953125e-1  # ln 2 in two parts: k times the first is exact
LN2_LOW = 1.42860682030941723212e-6
LOWEST = -706.893623549172  # ln 1e-307
HIGHEST_EXPONENT = 710.0  # e^x is above all numbers
SMALLEST = 2.2250738585072014e-308  # the least normal number
LIFTED = 18014398509481984.0  # 2^54: makes numbers below it normal


Numbers = TypeVar("Numbers", float, "Floats")


def polynomial_exp(x: float) -> float:
    """e^x to one unit in the last place; below 1e-307 it is 1e-307, beyond all numbers inf."""
    above = LOWEST if x < LOWEST else x  # nan stays nan
    inside = HIGHEST_EXPONENT if above > HIGHEST_EXPONENT else above
    moved = inside * LOG2E + ROUNDING
    k = moved - ROUNDING
    r = (inside - k * LN2_HIGH) - k * LN2_LOW
    # 2^1024 is no number, half of it is
    return small_exp(r) * two_to(moved - 1.0) * 2.0


def small_exp(r: Numbers) -> Numbers:
    """e^r of numbers within half of ln 2, or of an array of them."""
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
    return 1.0 + (r + r2 * p)


def exp_of_array(x: Floats) -> Floats:
    """`polynomial_exp` of every number, to the same bits; NumPy's own differs by processor."""
    import numpy as np

    inside = np.clip(x, LOWEST, HIGHEST_EXPONENT)
    k = (inside * LOG2E + ROUNDING) - ROUNDING
    r = (inside - k * LN2_HIGH) - k * LN2_LOW
    with np.errstate(over="ignore"):
        found: Floats = np.ldexp(small_exp(r), k.astype(np.int32) - 1) * 2.0
    return found


def polynomial_log(x: float) -> float:
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


def library_exp(x: float) -> float:
    """e^x as C's library has it: 0 where it is below all normal numbers."""
    return 0.0 if x < LOWEST else polynomial_exp(x)


def own_log1p(x: float) -> float:
    """ln(1 + x) to three units in the last place; -inf of -1, nan below."""
    u = 1.0 + x
    if u == 1.0:
        return x
    rest = x - (u - 1.0) if x < 1.0 else 1.0 - (u - x)
    return polynomial_log(u) + (rest / u if 0.0 < u < math.inf else 0.0)


NEAR, MIDDLE_END, END = 0.46875, 4.0, 26.6  # of the three functions of erfc; beyond it is 0
ROOT_PI_INVERSE = 0.5641895835477563


def own_erfc(x: float) -> float:
    """The complement of the error function to six units in the last place."""
    y = abs(x)
    if y <= NEAR:
        return 1.0 - x * _erf_ratio(y * y)
    tail = 0.0
    if y < END:
        steps = math.floor(y * 16.0) / 16.0  # its square is exact
        rest = (y - steps) * (y + steps)
        tail = polynomial_exp(-steps * steps) * polynomial_exp(-rest)
        tail *= _erfc_ratio(y) if y <= MIDDLE_END else _far_erfc_ratio(y)
    elif math.isnan(x):
        return x
    return 2.0 - tail if x < 0.0 else tail


def _erf_ratio(z: float) -> float:
    """erf(x) / x of z = x^2."""
    up = 1.85777706184603153e-1 * z + 3.16112374387056560
    up = ((up * z + 1.13864154151050156e2) * z + 3.77485237685302021e2) * z
    down = ((z + 2.36012909523441209e1) * z + 2.44024637934444173e2) * z
    down = (down + 1.28261652607737228e3) * z + 2.84423683343917062e3
    return (up + 3.20937758913846947e3) / down


def _erfc_ratio(y: float) -> float:
    """e^(y^2) erfc y, up to 4."""
    up = (2.15311535474403846e-8 * y + 5.64188496988670089e-1) * y + 8.88314979438837594
    up = ((up * y + 6.61191906371416295e1) * y + 2.98635138197400131e2) * y + 8.81952221241769090e2
    up = ((up * y + 1.71204761263407058e3) * y + 2.05107837782607147e3) * y + 1.23033935479799725e3
    down = ((y + 1.57449261107098347e1) * y + 1.17693950891312499e2) * y + 5.37181101862009858e2
    down = ((down * y + 1.62138957456669019e3) * y + 3.29079923573345963e3) * y
    down = ((down + 4.36261909014324716e3) * y + 3.43936767414372164e3) * y
    return up / (down + 1.23033935480374942e3)


def _far_erfc_ratio(y: float) -> float:
    """e^(y^2) erfc y, from 4 on."""
    z = 1.0 / (y * y)
    up = (1.63153871373020978e-2 * z + 3.05326634961232344e-1) * z + 3.60344899949804439e-1
    up = ((up * z + 1.25781726111229246e-1) * z + 1.60837851487422766e-2) * z
    down = ((z + 2.56852019228982242) * z + 1.87295284992346725) * z + 5.27905102951428412e-1
    down = (down * z + 6.05183413124413191e-2) * z + 2.33520497626869185e-3
    return (ROOT_PI_INVERSE - z * (up + 6.58749161529837803e-4) / down) / y


FUNCTIONS: dict[str, Callable[[float], float]] = {  # by their names in C's library
    "exp": library_exp, "log": polynomial_log, "log1p": own_log1p, "erfc": own_erfc,
}  # fmt: skip


def substitutes(compiled: bool) -> dict[Any, Any]:
    """What stands for functions of `math` in the loop over a bank."""
    found: dict[Any, Any] = {
        math.exp: polynomial_exp, math.log: polynomial_log, math.log1p: own_log1p,
    }  # fmt: skip
    return {**found, **compiled_forms()} if compiled else found
