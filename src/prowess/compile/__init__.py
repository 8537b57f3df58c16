"""A compiler for the loops of this library: plain Python functions become machine code.

    source    the tree of a function's text
    flatten   a tree of functions as one flat function of numbers and arrays
    numbers   the kinds of numbers, and what arithmetic of mixed kinds gives
    emitter   the LLVM text of a flat function; `calls` has the functions it may call
    link      object code of LLVM text, and its call

It knows a subset of Python: numbers, NumPy's arrays, tuples and NamedTuples by places that are
known, loops over ranges, `while`, `if`, calls of plain functions, the functions of `math`. What is
outside of it is refused with file and line, and the function runs as plain Python.
"""

from prowess.compile.refusals import ProwessError

MISTAKES = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
# what a function that Python does not run either, or a very deep one, gives while it is compiled


class Uncompilable(ProwessError, TypeError):
    """A function that uses more of Python than can be compiled."""
