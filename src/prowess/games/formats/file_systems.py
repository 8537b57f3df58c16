"""Files of a stream wherever they are: in folders, and in stores such as s3:// by fsspec."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prowess.games.errors import BadData
from prowess.games.formats.archives import expand_source, is_table_file
from prowess.games.formats.byte_streams import BUFFER
from prowess.games.formats.sources import is_of_files

NAME_FILES = "name files, such as season.parquet"


def is_remote(path: str) -> bool:
    """Whether a path is an address of a store, such as s3://bucket/games."""
    return "://" in path and not path.lower().startswith(("http://", "https://"))


def whole_path(path: str) -> str:
    """An address as it is, a local path from the root on, without links being followed."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 - without a/..


def open_source(path: str) -> Any:
    """A local path as it is, a file of a store opened; raises BadData."""
    if not is_remote(path):
        return path
    system, inner = _system_of(path)
    with _blame(path):
        return io.BufferedReader(StoreFile(path, system.open(inner, "rb")), BUFFER)


class StoreFile(io.RawIOBase):
    """A file of a store: what goes wrong there while it is read becomes BadData."""

    def __init__(self, path: str, file: Any) -> None:
        self.name, self.file = path, file

    def readable(self) -> bool:
        """True: the file can be read."""
        return True

    def seekable(self) -> bool:
        """True: the file can be read from any place."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        with _blame(self.name):
            return int(self.file.readinto(buffer))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        return int(self.file.seek(offset, whence))

    def tell(self) -> int:
        """The place."""
        return int(self.file.tell())

    def close(self) -> None:
        """Close it."""
        self.file.close()
        super().close()


def list_paths(source: str | os.PathLike[str]) -> list[str]:
    """The files of a path, a folder or a pattern, by name; raises BadData where there are none."""
    path = os.fsdecode(source)
    if is_remote(path):
        return _list_remote(path)
    expanded = expand_source(source) if is_of_files(source) else None
    return [path] if expanded is None else [os.fsdecode(each) for each in expanded]


def _list_remote(path: str) -> list[str]:
    system, inner = _system_of(path)
    scheme = path.split("://", 1)[0]
    with _blame(path):
        if any(mark in inner for mark in "*?["):
            found = system.glob(inner)
        else:
            found = system.find(inner) if system.isdir(inner) else [inner]
    tables = sorted(each for each in found if is_table_file(each.rsplit("/", 1)[-1]))
    if not tables:
        raise BadData(
            "there is no table", file=f"{scheme}://{inner}", remedy=NAME_FILES, code="no_table"
        )
    return [system.unstrip_protocol(each) for each in tables]


def measure_file(path: str) -> tuple[int, int]:
    """The size of a file in bytes and when it was changed, in nanoseconds; raises BadData."""
    with _blame(path):
        if not is_remote(path):
            found = Path(path).stat()
            return found.st_size, found.st_mtime_ns
        system, inner = _system_of(path)
        size = int(system.info(inner)["size"])
        try:
            return size, int(1e9 * system.modified(inner).timestamp())
        except NotImplementedError:  # a store without times
            return size, 0


def _system_of(path: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it; raises BadData."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise BadData(
            "no package that reads such addresses is installed",
            file=path,
            remedy="pip install fsspec, or copy the files",
            code="package_missing",
        ) from None
    try:
        system, inner = url_to_fs(path)
    except ImportError as error:  # such as s3:// without s3fs
        raise BadData(
            f"a package that reads such addresses is missing ({error})",
            file=path,
            remedy="install it with pip, or copy the files",
            code="package_missing",
        ) from None
    except ValueError as error:
        raise BadData(
            f"the address cannot be opened ({error})",
            file=path,
            remedy="copy the files",
            code="address_not_opened",
        ) from None
    return system, str(inner)


@contextmanager
def _blame(path: str) -> Iterator[None]:
    """Turn whatever goes wrong with a file into BadData: stores raise errors of their own."""
    try:
        yield
    except BadData:
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split()) or "no such file"
        remedy = "look at its name"
        if is_remote(path) and not isinstance(error, FileNotFoundError):
            remedy = "look at the address, your rights to read it and the network"
        raise BadData(
            f"the file cannot be read ({reason})", file=path, remedy=remedy, code="unreadable_file"
        ) from None
