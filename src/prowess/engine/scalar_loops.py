"""One scalar loop, plainly or compiled: the same numbers, whichever takes less time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from prowess import kernel

COMPILED_FROM = 300_000  # terms; plainly these take as long as loading the compiler and a loop
ONCE_LOADED = 3_000  # terms; from then on only handing over the arguments has to pay

_loaded: dict[Callable[..., None], Callable[..., None]] = {}


def run_loop(function: Callable[..., None], terms: float, *arguments: Any) -> None:
    """Call a loop that fills arrays among its arguments; `terms` is its work.

    Plainly it gets lists, which plain Python reads several times faster, and the arrays are
    filled from them.
    """
    if kernel.available() and terms >= (ONCE_LOADED if function in _loaded else COMPILED_FROM):
        if function not in _loaded:
            _loaded[function] = kernel.compiled(function)
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
