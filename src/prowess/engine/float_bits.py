"""The parts of a float, taken from its bits: one form for plain Python, one for the compiler.

    x = mantissa(x) * 2^exponent(x),  sqrt 1/2 <= mantissa(x) < sqrt 2

The compiled forms have no branch and no call, so a loop over them becomes vector instructions.
"""

from __future__ import annotations

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
        def taken(typing: Any, x: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return made(builder, builder.bitcast(args[0], integer))

            return nb.float64(nb.float64), generate

        return intrinsic(taken)

    def power(builder: Any, bits: Any) -> Any:  # n stands in the lowest bits
        raised = builder.add(builder.shl(bits, word(52)), word(BIAS << 52))
        return builder.bitcast(raised, double)

    def raised(builder: Any, bits: Any) -> Any:  # so that the bits of sqrt 1/2 become those of 1
        return builder.add(bits, word((BIAS << 52) - ROOT_HALF_BITS))

    def exponent_of(builder: Any, bits: Any) -> Any:  # as the lowest bits of 2^52 + e + BIAS
        moved = builder.or_(builder.lshr(raised(builder, bits), word(52)), word(0x433 << 52))
        return builder.fsub(builder.bitcast(moved, double), ir.Constant(double, 2.0**52 + BIAS))

    def mantissa_of(builder: Any, bits: Any) -> Any:
        kept = builder.and_(raised(builder, bits), word(FRACTION))
        return builder.bitcast(builder.add(kept, word(ROOT_HALF_BITS)), double)

    return {
        two_to: of_bits(power),
        exponent: of_bits(exponent_of),
        mantissa: of_bits(mantissa_of),
    }
