"""Checkpoints: folders of arrays that are whole or not there, the last two of which are kept.

A checkpoint is written beside the others, brought to the disk, and then gets its name. Two are
kept, so that one is whole whenever the machine stops or the disk is full. Each file has a checksum,
so that one that was changed since is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from errno import EACCES, EAGAIN, EDEADLK, ENOENT, ENOSPC
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray
from prowess.games.errors import WordedError
from prowess.games.whole_files import replace_folder, sync_path

PREFIX = "checkpoint-"
CHECKPOINTS_KEPT = 2
HEADER = "checkpoint.json"
LOCK = "run.lock"  # held by the run that works in the folder, and never removed
BYTES_READ = 1 << 20  # bytes of a file that are read at a time


class BadCheckpoint(WordedError, ValueError):
    """A checkpoint of another run, or one that cannot be written."""


class Checkpoint(NamedTuple):
    """What a run had found when it was saved."""

    header: dict[str, Any]
    arrays: dict[str, AnyArray]


class Checkpoints:
    """The checkpoints of one run in a folder; `marks` are what makes it another run."""

    def __init__(self, folder: str | Path, marks: Mapping[str, Any], every: float) -> None:
        self.folder, self.every = Path(folder), every
        self.marks = json.loads(json.dumps(marks))
        self.saved = monotonic()
        self.number = max(
            (int(one.name.removeprefix(PREFIX)) for one in self.list_all()), default=0
        )

    @property
    def is_due(self) -> bool:
        """Whether the last one was saved long enough ago."""
        return monotonic() - self.saved >= self.every

    def list_whole(self) -> list[Path]:
        """The checkpoints that are whole, oldest first."""
        return [one for one in self.list_all() if (one / HEADER).is_file()]

    def list_all(self) -> list[Path]:
        """The same with those that have lost their header."""
        found = self.folder.glob(f"{PREFIX}*")
        return sorted(one for one in found if one.name.removeprefix(PREFIX).isdecimal())

    def load(self) -> Checkpoint | None:
        """The last one; None where there is none. Raises BadCheckpoint for one of another run."""
        whole = self.list_whole()
        if not whole:
            return None
        newest = whole[-1]
        try:
            header = json.loads((newest / HEADER).read_text(encoding="utf-8"))
            if header.pop("checksum") != header_checksum(header):
                raise OSError(f"{HEADER} was changed")
            for file, checksum in header["checksums"].items():
                if file_checksum(newest / file) != checksum:
                    raise OSError(f"{file} was changed")
            arrays = {
                name: np.load(newest / file, allow_pickle=False)
                for name, file in header["arrays"].items()
            }
            marks = header["marks"]
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            if isinstance(error, OSError) and error.errno not in (None, ENOENT):
                raise BadCheckpoint.of(
                    "unreadable_file.checkpoint", newest=newest, strerror=error.strerror
                ) from None
            again = "go on from the one before" if len(whole) > 1 else "rate from the beginning"
            raise BadCheckpoint.of(
                "damaged_checkpoint.checkpoint", newest=newest, again=again, error=error
            ) from None
        for name, value in self.marks.items():
            if marks.get(name) != value:
                raise BadCheckpoint.of(
                    "another_run",
                    folder=self.folder,
                    difference=describe_difference(name, marks.get(name), value),
                )
        return Checkpoint(header, arrays)

    def save(self, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
        """Save one more, and remove all but the last two; raises BadCheckpoint."""
        self.number += 1
        name = f"{PREFIX}{self.number:08}"
        files = {array: f"{at}.npy" for at, array in enumerate(arrays)}
        checksums: dict[str, int] = {}
        said = {**header, "marks": self.marks, "arrays": files, "checksums": checksums}
        try:
            with replace_folder(self.folder / name) as part:
                for array, file in files.items():
                    np.save(part / file, np.ascontiguousarray(arrays[array]), allow_pickle=False)
                    sync_path(part / file)
                    checksums[file] = file_checksum(part / file)
                said["checksum"] = header_checksum(said)
                (part / HEADER).write_text(json.dumps(said), encoding="utf-8")
                sync_path(part / HEADER)
        except OSError as error:
            full = error.errno is None and "requested and" in str(error)  # so NumPy puts it
            why = os.strerror(ENOSPC) if full else error.strerror or error
            last = "; the last one is whole" if self.list_whole() else ""
            raise BadCheckpoint.of(
                "full_disk.checkpoint", folder=self.folder, why=why, last=last
            ) from None
        kept = self.list_whole()[-CHECKPOINTS_KEPT:]
        for old in self.list_all():
            if old not in kept:
                shutil.rmtree(old, ignore_errors=True)
        self.saved = monotonic()


@contextmanager
def hold_folder(folder: str | Path) -> Iterator[None]:
    """Keep other runs out of a folder, which is made; raises BadCheckpoint where one works there.

    The system lets the folder go when the process ends, however that happens.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = (path / LOCK).open("ab")
    except OSError as error:
        raise BadCheckpoint.of(
            "folder_not_writable", folder=folder, why=error.strerror or error
        ) from None
    with file:
        try:
            lock_file(file.fileno())
        except OSError as error:  # others: the file system has no locks
            if error.errno in (EACCES, EAGAIN, EDEADLK):
                raise BadCheckpoint.of("folder_in_use", folder=folder) from None
        HELD.add(file.fileno())
        try:
            yield
        finally:
            HELD.discard(file.fileno())


HELD: set[int] = set()  # descriptors of locked files


def leave_locks() -> None:
    """Close the locked files in a process that was just forked: its locks would outlive the run."""
    for descriptor in HELD:
        os.close(descriptor)
    HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=leave_locks)


def lock_file(descriptor: int) -> None:
    """Lock an open file for this process alone; raises OSError where another has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        locking: Any = import_module("msvcrt")
        locking.locking(descriptor, locking.LK_NBLCK, 1)
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def file_checksum(file: Path) -> int:
    """The CRC-32 of a file."""
    found = 0
    with file.open("rb") as stream:
        while block := stream.read(BYTES_READ):
            found = zlib.crc32(block, found)
    return found


def header_checksum(header: Mapping[str, Any]) -> int:
    """The CRC-32 of a header as JSON, the same before it is written and after it is read."""
    return zlib.crc32(json.dumps(header).encode())


DIGEST = "#"  # how a mark begins that is a digest of something too long to show


def digest_mark(value: str) -> str:
    """A mark for a text that is too long to be shown."""
    return DIGEST + hashlib.sha256(value.encode()).hexdigest()[:12]


def describe_difference(name: str, then: Any, now: Any) -> str:
    """What a run was begun with, and has not now."""
    if any(isinstance(one, str) and one.startswith(DIGEST) for one in (then, now)):
        return f"other {name}"
    return f"{name} {_show_mark(then)}, not {_show_mark(now)}"


def _show_mark(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items()) or "none"
    return "none" if value is None else str(value)
