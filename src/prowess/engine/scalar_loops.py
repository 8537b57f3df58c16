"""One scalar loop, plainly or compiled: the same numbers, whichever takes less time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from prowess import kernel

COMPILED_FROM = 300_000  # terms; plainly these take as long as loading the compiler and a loop


def run(function: Callable[..., None], terms: float, *arguments: Any) -> None:
    """Call a loop that fills arrays among its arguments; `terms` is its work.

    Plainly it gets lists, which plain Python reads several times faster, and the arrays are
    filled from them.
    """
    if kernel.available() and terms >= COMPILED_FROM:
        _compiled(function)(*arguments)
        return
    lists = [_listed(argument) for argument in arguments]
    function(*lists)
    for argument, filled in zip(arguments, lists, strict=True):
        if isinstance(argument, np.ndarray) and argument.size:
            argument[...] = filled


@cache
def _compiled(function: Callable[..., None]) -> Callable[..., None]:
    return kernel.compiled(function)


def _listed(value: Any) -> Any:
    """Arrays as lists, also inside a NamedTuple."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "_fields"):
        return type(value)(*map(_listed, value))
    return value
