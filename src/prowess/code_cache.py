"""The folder of compiled code: where it is, which loops were compiled on this machine, who is told
when one is compiled, and whether that is done ahead of use.

The folder is `$PROWESS_CACHE`, else `$XDG_CACHE_HOME/prowess`, else `~/.cache/prowess`;
`PROWESS_CACHE=off` keeps nothing. It is emptied, oldest first, above `machine_code.CACHE_LIMIT`
bytes.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from math import isnan, nan
from pathlib import Path

announcements: list[Callable[[str], None]] = []  # told what is compiled, before it takes seconds
ahead = ContextVar("ahead", default=False)  # whether loops are compiled ahead of their use


def announce(what: str) -> None:
    """Say what is being compiled: to all who asked, else on stderr of an interactive session."""
    if not what:
        return
    for tell in announcements:
        tell(what)
    if not announcements and hasattr(sys, "ps1") and sys.stderr is not None:
        sys.stderr.write(f"{what}\n")
        sys.stderr.flush()


def cache_folder() -> Path | None:
    """Where compiled functions are kept, or None when nothing is kept."""
    chosen = os.environ.get("PROWESS_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    with suppress(RuntimeError):  # no home folder
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prowess"
    return None


def mark_compiled(loop: str, seconds: float = nan) -> None:
    """Note in the cache folder that a loop has been compiled on this machine.

    `seconds` is what a pair takes as plain Python; nan: not measured.
    """
    known = compiled_before(loop)
    news = known is None or (isnan(known) and not isnan(seconds))
    if news and (folder := cache_folder()) is not None:
        with suppress(OSError):
            (folder / _mark_name(loop)).write_text(str(seconds))


def compiled_before(loop: str) -> float | None:
    """The seconds that `mark_compiled` noted of a loop; None: not compiled on this machine."""
    folder = cache_folder()
    with suppress(OSError, ValueError):
        return None if folder is None else float((folder / _mark_name(loop)).read_text() or nan)
    return None


def _mark_name(loop: str) -> str:
    from prowess import __version__

    return f"mark-{hashlib.sha256(f'{__version__} {loop}'.encode()).hexdigest()[:32]}"


@contextmanager
def compile_ahead() -> Iterator[None]:
    """Compile whatever runs, however little work it is: later there may be more of it."""
    before = ahead.set(True)
    try:
        yield
    finally:
        ahead.reset(before)
