"""Files and folders that are written whole or not at all: beside their place, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode, rmtree

PART_SUFFIX = ".part"  # how the name of a file or a folder ends until it is whole


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """The path to write to; it gets the name `path` at the end of the block.

    After an error a file of that name is as it was. What is no plain file, such as /dev/stdout, is
    written to directly, and so is a file that is read-only or in a folder in which no other can be
    made.
    """
    file = Path(path)
    if file.exists() and not _is_plain(file):  # before links are followed, which end in /proc
        yield file
        return
    if file.is_symlink():
        file = Path(os.path.realpath(file))
    if file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        yield file
        return
    part = file.with_name(f".{os.urandom(4).hex()}{PART_SUFFIX}")  # of this process alone
    try:
        yield part
        rename_whole(part, file)
    except OSError as error:
        if error.filename is not None and str(error.filename) == str(part):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """A new folder to write to, which gets the name `folder` at the end of the block.

    After an error it is removed. `folder` is not there, or empty.
    """
    part = path_beside(folder)
    rmtree(part, ignore_errors=True)  # of a process that was killed
    part.mkdir(parents=True)
    try:
        yield part
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
        sync_path(folder.parent)
    except BaseException:
        rmtree(part, ignore_errors=True)
        raise


def _is_plain(file: Path) -> bool:
    """Whether it is a file by its own name, not one that a process has open, such as stdout."""
    folder = file.parent.resolve()
    if folder == Path("/dev") or folder.is_relative_to("/proc"):
        return False
    return file.is_file() and file.stat().st_nlink == 1  # else another name has it too


def rename_whole(part: Path, file: Path) -> None:
    """Give a file that is whole its name, and the mode of the one that has it."""
    if file.exists():
        copymode(file, part)
    sync_path(part)
    part.replace(file)


def path_beside(path: Path) -> Path:
    """Where a file or a folder stands until it is whole."""
    return path.with_name(path.name + PART_SUFFIX)


def sync_path(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut, where the system can."""
    folder = path.is_dir()
    with suppress(OSError if folder else PermissionError):  # Windows opens no folder
        descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_lines(file: str | Path, lines: Iterable[str]) -> None:
    """Write a file, compressed where it ends in .gz; the same lines give the same bytes."""
    import gzip

    with replace_file(file) as part, part.open("wb") as raw:
        if str(file).lower().endswith(".gz"):
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                packed.writelines(text.encode() for text in lines)
        else:
            raw.writelines(text.encode() for text in lines)
