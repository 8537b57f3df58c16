"""Progress of what takes long: a function of the caller, or a bar of tqdm after two seconds.

And its end before time: what takes long asks now and then whether it is still wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from time import monotonic
from typing import Any

from prowess.games.arguments import BadArgument

PATIENCE = 2.0  # seconds before a bar that was not asked for is shown


@contextmanager
def follow(
    progress: bool | Callable[[int, int], None] | None, name: str, labels: Sequence[str] = ()
) -> Iterator[Callable[[int, int], None]]:
    """A function (done, all) to call: the caller's own, or one that moves a bar.

    True shows a bar at once, None after two seconds, False none. Without tqdm there is no bar.
    A caller's function that has a method `name_parts` is told by it what is worked on.
    """
    if callable(progress):
        if name_parts := getattr(progress, "name_parts", None):
            name_parts(labels)
        yield progress
        return
    if progress is not None and not isinstance(progress, bool):
        raise BadArgument.of("not_progress", progress=progress)
    begun = monotonic()
    bar: Any = None
    make = None if progress is False else find_bar()

    def tell(done: int, total: int) -> None:
        nonlocal bar
        waited = progress is True or monotonic() - begun >= PATIENCE
        if bar is None and make is not None and waited:
            bar = make(total=total, desc=name, leave=False)
        if bar is not None:
            bar.total = total
            bar.update(done - bar.n)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()


def find_bar() -> Any:
    """The bar of tqdm; None where it is not installed."""
    try:
        return import_module("tqdm.auto").tqdm
    except ModuleNotFoundError:
        return None


_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def stop_when(check: Callable[[], None]) -> Iterator[None]:
    """Let `check` end what runs inside, also in threads that take over the context, by raising."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def stop_if_unwanted() -> None:
    """Raise what the check of `stop_when` raises, if the result is not wanted any more."""
    check = _check.get()
    if check is not None:
        check()
