"""The folder of machine code: where it is, and its files.

The folder is `$PROWESS_CACHE`, else `$XDG_CACHE_HOME/prowess`, else `~/.cache/prowess`;
`PROWESS_CACHE=off` keeps nothing. A file holds the object code of one function for arguments of
some kinds, under the fingerprint of the function, the kinds and the processor. The folder is
emptied, oldest first, above `CACHE_LIMIT` bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from typing import NamedTuple

CACHE_LIMIT = 256 * 1024 * 1024  # bytes; a loop takes 5 to 50 kB
SUFFIX = ".code"
FILES_BETWEEN_CHECKS = 32  # files that a process writes between two looks at the folder's size
OLDER = (".nbi", ".nbc")  # of files that earlier versions kept
files_written = count()
ahead = ContextVar("ahead", default=False)  # whether loops are compiled ahead of their use


class MachineCode(NamedTuple):
    """Object code with one function in it."""

    symbol: str
    returns: str  # the kind of its result, "" for none
    writes: list[int]  # the places of the arguments whose items it sets
    code: bytes


def cache_folder() -> Path | None:
    """Where machine code is kept, or None when nothing is kept."""
    chosen = os.environ.get("PROWESS_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    with suppress(RuntimeError):  # no home folder
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prowess"
    return None


def file_of(folder: Path, name: str, digest: str, machine: str) -> Path:
    """The file of a function with a fingerprint, for some kinds of arguments and a processor."""
    return folder / f"{name}-{digest}-{hashlib.sha256(machine.encode()).hexdigest()[:16]}{SUFFIX}"


def load_code(name: str, digest: str, machine: str) -> MachineCode | None:
    """The code that is kept; None where none is, or a spoilt one."""
    try:
        if (folder := cache_folder()) is None:
            return None
        mark, _, content = file_of(folder, name, digest, machine).read_bytes().partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != mark:
            return None
        head, _, code = content.partition(b"\n")
        symbol, returns, writes = json.loads(head)
    except (OSError, ValueError):
        return None
    return MachineCode(symbol, returns, writes, code)


def save_code(name: str, digest: str, machine: str, made: MachineCode) -> None:
    """Save code for other processes; a folder that cannot be written keeps nothing."""
    from tempfile import NamedTemporaryFile

    if (folder := cache_folder()) is None:
        return
    content = json.dumps([made.symbol, made.returns, made.writes]).encode() + b"\n" + made.code
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            return
        with NamedTemporaryFile(dir=folder, delete=False) as whole:  # never half a file
            whole.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        Path(whole.name).replace(file_of(folder, name, digest, machine))
        if next(files_written) % FILES_BETWEEN_CHECKS == 0:
            _shrink(folder)


@contextmanager
def lock_code(name: str, digest: str, machine: str) -> Iterator[None]:
    """Make code while other processes that need the same code wait for it.

    The lock is on the file of the code, which is empty until the code replaces it. No process waits
    where no code is kept, or where the system or the folder has no such locks.
    """
    with ExitStack() as held:
        with suppress(ImportError, OSError):
            import fcntl

            if (folder := cache_folder()) is not None:
                folder.mkdir(parents=True, exist_ok=True)
                path = file_of(folder, name, digest, machine)
                file = held.enter_context(path.open("ab"))
                held.callback(_drop_empty, path)  # nothing was made
                fcntl.flock(file, fcntl.LOCK_EX)
                held.callback(fcntl.flock, file, fcntl.LOCK_UN)  # of children that were forked, too
        yield


def _drop_empty(path: Path) -> None:
    with suppress(OSError):
        if not path.stat().st_size:
            path.unlink()


def _shrink(folder: Path) -> None:
    """Drop the files written longest ago until the folder is below its limit."""
    with os.scandir(folder) as entries:
        ours = [(one.stat(), one.path) for one in entries if one.name.endswith((SUFFIX, *OLDER))]
    excess = sum(state.st_size for state, _ in ours) - CACHE_LIMIT
    if excess <= 0:
        return
    for state, path in sorted(ours, key=lambda one: one[0].st_mtime):
        if excess <= 0:
            break
        Path(path).unlink(missing_ok=True)
        excess -= state.st_size


def note_done(work: str) -> None:
    """Note in the cache folder that all code for some work has been made on this machine."""
    if (folder := cache_folder()) is not None:
        with suppress(OSError):
            (folder / _mark_name(work)).touch()


def was_done(work: str) -> bool:
    """Whether `note_done` noted it."""
    folder = cache_folder()
    with suppress(OSError):
        return folder is not None and (folder / _mark_name(work)).exists()
    return False


def _mark_name(work: str) -> str:
    from prowess.version import __version__

    return f"mark-{hashlib.sha256(f'{__version__} {work}'.encode()).hexdigest()[:32]}"


@contextmanager
def compile_ahead() -> Iterator[None]:
    """Compile whatever runs, however little work it is: later there may be more of it."""
    before = ahead.set(True)
    try:
        yield
    finally:
        ahead.reset(before)
