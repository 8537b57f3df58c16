"""Run a scalar loop as plain Python or compiled, whichever is faster; the numbers are equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from prowess import kernel

COMPILED_FROM = (
    300_000  # terms; as plain Python they take as long as loading the compiler and a loop
)
ONCE_LOADED = 3_000  # terms; after the first compiled call only passing the arguments costs time

_loaded: dict[Callable[..., Any], Callable[..., Any]] = {}


def run_loop(function: Callable[..., Any], terms: float, *arguments: Any) -> None:
    """Call a loop that fills arrays among its arguments; `terms` measures its work.

    Plain Python reads lists several times faster than arrays, so a plain loop gets lists, and the
    arrays are filled from them afterwards.
    """
    if kernel.available() and terms >= (ONCE_LOADED if function in _loaded else COMPILED_FROM):
        if function not in _loaded:
            _loaded[function] = kernel.compile_function(function)
        _loaded[function](*arguments)
        return
    lists = [_as_lists(argument) for argument in arguments]
    function(*lists)
    for argument, filled in zip(arguments, lists, strict=True):
        if isinstance(argument, np.ndarray) and argument.size:
            argument[...] = filled


def _as_lists(value: Any) -> Any:
    """Arrays as lists, also inside a NamedTuple."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "_fields"):
        return type(value)(*map(_as_lists, value))
    return value
