"""Whether work is done sooner by machine code: all callers state it in one unit.

A turn is one round of a loop of plain Python over games, pairs or rows: some 20 µs. Lighter steps,
and what NumPy does for many numbers at once, are counted in hundreds (`LIGHT`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from math import inf
from typing import Any

from prowess.compile import Uncompilable, kernel
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


@cache
def compiled_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled where that can be: the same one whoever asks."""
    return kernel.compile_if_possible(function)


_loaded, _spent = dict[Any, Any](), dict[Any, float]()  # compiled; terms that were taken plainly


def run_loop(
    function: Callable[..., Any], terms: float, *arguments: Any, alone: bool = False
) -> None:
    """Call a loop that fills arrays among its arguments; `terms` measures its work.

    It is compiled once such calls are many together; `alone`: if this one is, so that the same
    arguments always take the same road (in a browser, `exp` of a compiled loop has other last
    digits). A plain loop gets lists, which Python reads
    faster than arrays; the arrays are filled from them afterwards.
    """
    loop, spent = _loaded.get(function), _spent.get(function, 0.0)
    turns = (terms if loop or alone else terms + spent) / LIGHT
    if is_worth_compiling(turns, linked=bool(loop) and not alone):
        try:
            loop = loop or kernel.compile_function(function)
            loop(*arguments)
            _loaded[function] = loop
            return
        except Uncompilable:
            spent = -inf  # it stays plain
    _spent[function] = spent + terms
    lists = [as_lists(argument) for argument in arguments]
    function(*lists)
    for argument, filled in zip(arguments, lists, strict=True):
        if getattr(argument, "size", 0) and argument.flags.writeable:
            argument[...] = filled


def as_lists(value: Any) -> Any:
    """Arrays as lists, also inside tuples."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "_fields"):
        return type(value)(*map(as_lists, value))
    if isinstance(value, tuple):
        return tuple(map(as_lists, value))
    return value
