"""Where bytes come from: files, standard input, streams; compressed or not."""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from prowess.games.packing import BUFFER, read_into, unpacked, unpacking_errors
from prowess.games.refusal import BadData, quoted

STDIN = "-"
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": None,
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".pgn": "pgn",
    ".parquet": "parquet",
    ".pq": "parquet",
}
FORMATS = ("csv", "tsv", "jsonl", "json", "pgn", "parquet", "ballots")
PACKED_SUFFIXES = {".gz", ".bz2", ".xz", ".zst", ".zstd"}


@dataclass
class Source:
    """Bytes with a name for messages."""

    name: str
    given: Any  # a path, an open stream, or "-"

    @property
    def path(self) -> Path | None:
        """The file, if it is one and not standard input."""
        return self.given if isinstance(self.given, Path) else None

    @property
    def suffix_format(self) -> str | None:
        """The format that the name suggests."""
        suffixes = [suffix.lower() for suffix in Path(self.name).suffixes]
        if suffixes and suffixes[-1] in PACKED_SUFFIXES:
            suffixes.pop()
        return SUFFIXES.get(suffixes[-1]) if suffixes else None

    def open(self) -> BinaryIO:
        """The bytes, unpacked; whatever goes wrong while they are read becomes BadData."""
        with self.blamed():
            raw = self._raw()
        try:
            with self.blamed():
                return io.BufferedReader(Watched(self, raw, unpacked(self.name, raw)), BUFFER)
        except BadData:
            if self.path is not None:
                raw.close()
            raise

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Whatever goes wrong with the file becomes BadData."""
        try:
            yield
        except BadData:
            raise
        except FileNotFoundError:
            raise BadData("there is no such file", file=self.name, remedy=self._near()) from None
        except IsADirectoryError:
            raise BadData("is a folder", file=self.name, remedy="name the files in it") from None
        except PermissionError:
            raise BadData("may not be read", file=self.name, remedy="ask for permission") from None
        except Exception as error:
            if not isinstance(
                error, (OSError, EOFError, ValueError, zlib.error, *unpacking_errors())
            ):
                raise
            reason = " ".join(str(error).split()) or type(error).__name__
            raise BadData(
                f"is damaged or incomplete ({reason})",
                file=self.name,
                remedy="copy or download it again",
            ) from None

    def size(self) -> int:
        """Bytes of the file, 0 if that says nothing of how many rows there are."""
        path = self.path
        if path is None or path.suffix.lower() in PACKED_SUFFIXES or not path.is_file():
            return 0
        return path.stat().st_size

    def place(self) -> int | None:
        """Where an open stream stands, if it can go back there."""
        try:
            return self.given.tell() if self.given.seekable() else None
        except (AttributeError, OSError, ValueError):
            return None

    def _raw(self) -> BinaryIO:
        if isinstance(self.given, Path):
            try:
                return self.given.open("rb")
            except ValueError as error:  # a name with a NUL in it
                raise BadData(f"is no name of a file: {error}", file=quoted(self.name)) from None
        if self.given == STDIN:
            return sys.stdin.buffer
        try:
            if isinstance(self.given.read(0), str):
                return io.BytesIO(self.given.read().encode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            raise BadData("is not UTF-8", file=self.name, remedy="open it in mode rb") from None
        return cast("BinaryIO", self.given)

    def _near(self) -> str | None:
        from difflib import get_close_matches

        path = cast("Path", self.given)
        try:
            near = get_close_matches(path.name, [each.name for each in path.parent.iterdir()], n=1)
        except (OSError, ValueError):
            return None
        return f"did you mean {path.with_name(near[0])}?" if near else None


def source_of(given: Any) -> Source:
    """A path, `-` or an open stream, with its name."""
    if given == STDIN:
        return Source("standard input", given)
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        return Source(os.fsdecode(path), Path(os.fsdecode(path)))
    name = getattr(given, "name", None)
    return Source(name if isinstance(name, str) else "the stream", given)


class Watched(io.RawIOBase):
    """A stream whose failures are told as those of its source."""

    def __init__(self, source: Source, raw: BinaryIO, stream: BinaryIO) -> None:
        self.source, self.raw, self.stream = source, raw, stream

    def readable(self) -> bool:
        """As of any stream that is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        with self.source.blamed():
            return read_into(self.stream, buffer)

    def close(self) -> None:
        """Close the file; a stream that somebody else opened stays open."""
        if not self.closed and self.source.path is not None:
            self.raw.close()
        super().close()


def text(name: str, data: bytes, encoding: str | None) -> str:
    """Bytes as text; raises BadData. Bytes that are not UTF-8 stay in it, marked as such."""
    if encoding is not None:
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except LookupError:
            raise BadData(
                f"unknown encoding {quoted(encoding)}", remedy="for example utf-8 or latin-1"
            ) from None
        except (UnicodeDecodeError, UnicodeError) as error:
            start = getattr(error, "start", 0)
            raise BadData(
                f"is not {encoding}",
                file=name,
                line=data.count(b"\n", 0, start) + 1,
                remedy="name another encoding",
            ) from None
    refuse_binary(name, data)
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def refuse_binary(name: str, data: bytes, lines_before: int = 0) -> None:
    """Refuse what is no text: NUL bytes, or UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not lines_before:
        raise BadData("is UTF-16", file=name, remedy='give encoding="utf-16" (--encoding)')
    at = data.find(b"\0")
    if at >= 0:
        raise BadData(
            "is not text: there is a NUL byte",
            file=name,
            line=lines_before + data.count(b"\n", 0, at) + 1,
            remedy="save it as text in UTF-8",
        )
