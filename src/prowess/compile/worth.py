"""Whether work is done sooner by machine code: all callers state it in one unit.

A turn is one round of a loop of plain Python over games, pairs or rows: some 20 µs. Lighter steps,
and what NumPy does for many numbers at once, are counted in hundreds (`LIGHT`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from prowess.compile import kernel
from prowess.compile.cache import ahead, compile_ahead

MIN_TURNS_TO_COMPILE = 2_000  # 40 ms, as long as linking a loop takes, and a third of making one
WITH_KERNELS = 200  # where no compiler is needed: 4 ms, as long as finding a kernel takes
LINKED = 25  # turns, once the loop is linked: 0.5 ms, as long as its arguments take
LIGHT = 100  # light steps that take as long as a turn


def is_worth_compiling(turns: float, *, linked: bool = False) -> bool:
    """Whether so many turns take longer as plain Python than a loop takes to be there; few are
    enough where it is `linked` already, and any number under `compile_ahead`.
    """
    made = MIN_TURNS_TO_COMPILE if kernel.has_compiler() else WITH_KERNELS
    enough = turns >= (LINKED if linked else made)
    return kernel.available() and (enough or ahead.get())


@contextmanager
def part_of(turns: float) -> Iterator[None]:
    """Compile, if it can be, whatever runs here as a part of so many turns that this pays."""
    with compile_ahead() if is_worth_compiling(turns) else nullcontext():
        yield


def call_ahead(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Call a function under `compile_ahead`, also in the process of a worker."""
    with compile_ahead():
        return function(*arguments, **keywords)
