"""What the compiler is given beyond Python: rows asked for ahead, rows of a known width."""

from __future__ import annotations

from functools import cache
from typing import Any

from prowess.kernel import Intrinsic

CACHE_LINE = 64  # bytes


@cache
def prefetch(width: int = 0) -> Any:
    """An intrinsic `prefetch(array, row)`: ask for that row of a matrix before it is needed.

    All of a row of `width` float64; of narrower ones the first and the last line of the cache.
    """
    return Intrinsic(_make_prefetch, width)


def _make_prefetch(width: int) -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types as nb
    from numba.extending import intrinsic

    @intrinsic
    def prefetch_row(typing: Any, array: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            matrix = context.make_array(signature.args[0])(context, builder, args[0])
            stride = cgutils.unpack_tuple(builder, matrix.strides)[0]
            offset = builder.mul(stride, builder.zext(args[1], stride.type))
            byte = ir.IntType(8).as_pointer()
            address = builder.gep(builder.bitcast(matrix.data, byte), [offset])
            word = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")

            def fetch(place: Any) -> None:  # for writing, keep, data
                builder.call(ask, [builder.gep(address, [place]), word(1), word(3), word(1)])

            for place in range(0, 8 * width or 1, CACHE_LINE):
                fetch(ir.Constant(stride.type, place))
            if array.ndim > 1:  # a row may reach into the next line of the cache
                fetch(builder.sub(stride, ir.Constant(stride.type, 1)))
            return context.get_dummy_value()

        return nb.void(array, row), generate

    return prefetch_row


@cache
def row_sizer(width: int) -> Any:
    """An intrinsic `sized(matrix)`: the same matrix, its rows known to have this many float64.

    A row's place is then found by an addition where the compiler would have to multiply.
    """
    return Intrinsic(_make_row_sizer, width)


def _make_row_sizer(width: int) -> Any:
    from numba.core import cgutils, types as nb
    from numba.core.imputils import impl_ret_borrowed
    from numba.extending import intrinsic

    @intrinsic
    def sized_matrix(typing: Any, array: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = signature.return_type
            matrix = context.make_array(kind)(context, builder, args[0])
            rows = cgutils.unpack_tuple(builder, matrix.shape)[0]
            fields, eight = (context.get_constant(nb.intp, n) for n in (width, 8))
            step = context.get_constant(nb.intp, 8 * width)
            matrix.shape = cgutils.pack_array(builder, [rows, fields])
            matrix.strides = cgutils.pack_array(builder, [step, eight])
            return impl_ret_borrowed(context, builder, kind, matrix._getvalue())

        return array(array), generate

    return sized_matrix


@cache
def byte_finder(comparison: str = "==") -> Any:
    """An intrinsic `find_bytes(data, at, byte)`: which of 64 bytes are this one, as bits.

    With "<" those that are less as signed numbers. The processor compares them all at once.
    """
    return Intrinsic(_make_byte_finder, comparison)


def _make_byte_finder(comparison: str) -> Any:
    from llvmlite import ir
    from numba.core import types as nb
    from numba.extending import intrinsic

    @intrinsic
    def find_bytes(typing: Any, array: Any, at: Any, byte: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            kind = ir.VectorType(ir.IntType(8), 64)
            place = builder.bitcast(builder.gep(data, [args[1]]), kind.as_pointer())
            block, nothing = builder.load(place, align=1), ir.Constant(kind, ir.Undefined)
            first = ir.IntType(32)(0)
            one = builder.insert_element(nothing, builder.trunc(args[2], ir.IntType(8)), first)
            all_of = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
            wanted = builder.shuffle_vector(one, nothing, all_of)
            found = builder.icmp_signed(comparison, block, wanted)
            return builder.bitcast(found, ir.IntType(64))

        return nb.uint64(array, nb.int64, nb.int64), generate

    return find_bytes


@cache
def lowest_bit() -> Any:
    """An intrinsic `lowest_bit(bits)`: the place of the lowest bit that is set; there is one."""
    return Intrinsic(_make_lowest_bit)


def _make_lowest_bit() -> Any:
    from llvmlite import ir
    from numba.core import types as nb
    from numba.extending import intrinsic

    @intrinsic
    def lowest(typing: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.IntType(1)(1))

        return nb.uint64(nb.uint64), generate

    return lowest
