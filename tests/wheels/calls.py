"""Calls of kernels on other machines: what they are given, and what they have to give."""

from __future__ import annotations

import ctypes
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.link import flatten_arguments, flatten_types, flatten_values
from wheels.kernels import Text

SYSTEMS = ("elo", "trueskill", "prowess", "bradley_terry")
LIBRARY = ("llvm.exp", "llvm.log", "log1p", "erfc")  # what a machine may compute otherwise


class Outcome(NamedTuple):
    """What a call leaves in its arrays, and its result."""

    arrays: list[Any]
    result: Any


def arguments_of(given: Any) -> list[tuple[Any, Any]]:
    """The values that the code takes and their C types; of an array itself for its place."""
    laid = tuple(lay_out(one) for one in given)
    flat = flatten_arguments(laid)
    arrays = iter([one for one in flat if isinstance(one, np.ndarray)])
    return [
        (next(arrays) if kind is ctypes.c_void_p else value, kind)
        for value, kind in zip(flatten_values(flat), flatten_types(flat), strict=True)
    ]


def lay_out(value: Any) -> Any:
    """An argument with its arrays one item after the other."""
    if isinstance(value, tuple):
        items = [lay_out(one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value


def list_arrays(given: Any) -> list[Any]:
    """The arrays among arguments, one item after the other."""
    return [one for one, kind in arguments_of(given) if kind is ctypes.c_void_p]


def call_natively(text: Text) -> Outcome:
    """The arrays after a call of this machine's code, and its result."""
    given = tuple(lay_out(one) for one in deepcopy(text.given))
    result = text.native(*given)
    return Outcome(list_arrays(given), result)


def read_arrays(text: Text, parts: list[bytes]) -> list[Any]:
    """The arrays that came back, as bytes."""
    return [
        np.frombuffer(part, one.dtype).reshape(one.shape)
        for part, one in zip(parts, list_arrays(text.given), strict=True)
    ]


def check_outcomes(texts: dict[str, Text], outcomes: list[Outcome]) -> None:
    """Whole numbers are equal, floats to 1e-13 of the largest; bits where no library is asked."""
    banks = 0
    for (mark, text), (arrays, result) in zip(texts.items(), outcomes, strict=True):
        native = call_natively(text)
        exact = not any(f"@{name}" in text.text for name in LIBRARY)
        banks += exact and len(arrays) > 20
        for one, other in zip(native.arrays, arrays, strict=True):
            if exact or one.dtype.kind != "f":
                np.testing.assert_array_equal(other, one, err_msg=mark)
            else:
                scale = np.abs(one[np.isfinite(one)]).max(initial=1e-300)
                np.testing.assert_allclose(other, one, rtol=1e-13, atol=1e-13 * scale, err_msg=mark)
        if result is not None:
            np.testing.assert_allclose(float(result), float(native.result), rtol=1e-13)
    assert banks >= 10
