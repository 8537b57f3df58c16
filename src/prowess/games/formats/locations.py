"""Where files are: in folders, under patterns, at addresses of the web, and in stores by fsspec."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic  # a pattern may be absolute, which Path.glob refuses
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import parse_qs, urlsplit

from prowess.games.errors import BadData, quote
from prowess.games.formats.byte_streams import BUFFER, package_error
from prowess.games.formats.sources import find_format, is_of_files, is_table_file
from prowess.games.limits import DOWNLOAD, FILE_LIMIT, MB, SECONDS_WITHOUT_ANSWER, WHOLE_DOWNLOAD

WEB = ("http://", "https://")


def find_files(source: Any) -> Iterator[Any]:
    """The files of an address, a store, a folder or a pattern, opened where they are no local ones;
    any other source as it is. Raises BadData.
    """
    if isinstance(source, str) and source.lower().startswith(WEB):
        yield fetch(source)
    elif isinstance(source, str) and is_remote(source):
        yield from map(open_source, list_paths(source))
    else:
        expanded = expand_source(source)
        yield from [source] if expanded is None else expanded


# Folders and patterns


def list_folder(folder: Path) -> list[str]:
    """The tables of a folder, by name; raises BadData where there are none.

    Folders such as year=2024 are looked into.
    """
    from prowess.games.shards import holds_shards

    if holds_shards(folder):
        raise BadData.of("folder_of_shards", file=str(folder))
    parted = any("=" in each.name and each.is_dir() for each in folder.iterdir())
    inside = folder.rglob("*") if parted else folder.iterdir()
    files = sorted(each for each in inside if each.is_file())
    tables = [str(each) for each in files if is_table_file(each.name)]
    return _check_files(tables, f"the folder {quote(str(folder))}")


def list_pattern(pattern: str) -> list[str]:
    """The files that a pattern such as seasons/*.csv fits, by name; raises BadData for none."""
    found = sorted(glob(pattern, recursive=True))  # noqa: PTH207
    return _check_files(found, f"the pattern {quote(pattern)}")


def _check_files(files: list[str], where: str) -> list[str]:
    if not files:
        raise BadData.of("no_table.files", where=where)
    if len(files) > FILE_LIMIT:
        raise BadData.of("too_many_files.folder", where=where, limit=FILE_LIMIT)
    return files


def expand_source(source: Any) -> list[Any] | None:
    """The files of a folder or a pattern; None for what is neither."""
    if not isinstance(source, str | os.PathLike):
        return None
    name = os.fsdecode(source)
    path = Path(name)
    try:
        folder, pattern = path.is_dir(), has_magic(name) and not path.exists()
    except (OSError, ValueError):  # refused where it is opened
        return None
    if folder:
        return list(list_folder(path))
    return list(list_pattern(name)) if pattern else None


# Stores such as s3://


def is_remote(path: str) -> bool:
    """Whether a path is an address of a store, such as s3://bucket/games."""
    return "://" in path and not path.lower().startswith(WEB)


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
        raise BadData.of("no_table.address", file=f"{scheme}://{inner}")
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
        remedy = "pip install fsspec, or copy the files"
        raise package_error(path, "reads such addresses", remedy) from None
    try:
        system, inner = url_to_fs(path)
    except ImportError as error:  # such as s3:// without s3fs
        remedy = "install it with pip, or copy the files"
        raise package_error(path, f"reads such addresses ({error})", remedy) from None
    except ValueError as error:
        raise BadData.of("address_not_opened", file=path, error=error) from None
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
        raise BadData.of("unreadable_file", file=path, reason=reason, remedy=remedy) from None


# Addresses of the web, within limits of size and time


SHEET = re.compile(r"https://docs\.google\.com/spreadsheets/d/((?:e/)?[\w-]+)")
TYPES = {  # of content, and the suffix of such a file
    "text/csv": ".csv", "text/tab-separated-values": ".tsv", "application/json": ".json",
    "application/x-ndjson": ".jsonl", "application/x-chess-pgn": ".pgn", "text/html": ".html",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.apache.parquet": ".parquet", "application/zip": ".zip",
}  # fmt: skip


def export_address(address: str) -> str:
    """The address under which a file can be fetched: of a Google Sheet, that of its CSV export.

    >>> export_address("https://docs.google.com/spreadsheets/d/abc/edit#gid=7")
    'https://docs.google.com/spreadsheets/d/abc/export?format=csv&gid=7'
    """
    found = SHEET.match(address)
    if not found or "/export" in address or "output=csv" in address:
        return address
    parts = urlsplit(address)
    gid = parse_qs(parts.fragment).get("gid") or parse_qs(parts.query).get("gid") or ["0"]
    if found[1].startswith("e/"):
        return f"{found[0]}/pub?output=csv&gid={gid[0]}"
    return f"{found[0]}/export?format=csv&gid={gid[0]}"


def fetch(address: str) -> io.BytesIO:
    """The file at an address, with a name that tells its format; raises BadData."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    target = export_address(address)
    try:
        request = Request(target, headers={"User-Agent": "prowess"})
        with urlopen(request, timeout=SECONDS_WITHOUT_ANSWER) as answer:
            kind = answer.headers.get_content_type()
            if target != address and kind == "text/html":
                raise BadData.of("sheet_not_public", file=address)
            content = _read_content(answer, address)
    except BadData:
        raise
    except (URLError, OSError, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        reason = getattr(error, "reason", None) or error
        raise BadData.of("not_fetched", file=address, reason=reason) from None
    name = address if find_format(urlsplit(address).path) else address + TYPES.get(kind, "")
    if target != address:
        name = address + ".csv"
    file = io.BytesIO(content)
    file.name = name
    return file


def _read_content(answer: Any, address: str) -> bytes:
    parts, size, began = [], 0, monotonic()
    while part := answer.read(BUFFER):
        size += len(part)
        if size > DOWNLOAD:
            what = f"it is larger than {DOWNLOAD // MB} MB"
        elif monotonic() - began > WHOLE_DOWNLOAD:
            what = f"it takes more than {WHOLE_DOWNLOAD:.0f} seconds"
        else:
            parts.append(part)
            continue
        raise BadData(
            what, file=address, remedy="download it, and name the file", code="download_first"
        )
    if getattr(answer, "length", None):  # what is still to come, by its heading
        raise BadData.of("download_incomplete", file=address)
    return b"".join(parts)
