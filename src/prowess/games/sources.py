"""Input bytes: files, standard input and streams, compressed or not."""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from prowess.games.errors import BadData, quote

BUFFER = 1 << 20  # bytes
PIECE = 1 << 16  # packed bytes; a thousand times as many may come out of them
PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "lzma",
    b"\x28\xb5\x2f\xfd": "zstd",
}
FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"%PDF": "a PDF",
    b"SQLite format 3\x00": "a database",
    b"\x89PNG": "a picture",
}
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

    def open(self) -> ByteStream:
        """Open the bytes, unpacked; raises BadData, also while they are read."""
        with self.blame():
            file = self._open_file()
        try:
            packed = _RawBytes(self, file, file)
            opened = unpack(self.name, packed)
            return ByteStream(packed if opened is packed else _RawBytes(self, opened, file))
        except BadData:
            if self.path is not None:
                file.close()
            raise

    @contextmanager
    def blame(self) -> Iterator[None]:
        """Turn whatever goes wrong with the file into BadData."""
        try:
            yield
        except BadData:
            raise
        except FileNotFoundError:
            raise BadData("there is no such file", file=self.name, remedy=self._near()) from None
        except IsADirectoryError:
            raise BadData(
                "this is a folder", file=self.name, remedy="name the files in it"
            ) from None
        except PermissionError:
            raise BadData(
                "no permission to read the file", file=self.name, remedy="change its mode"
            ) from None
        except Exception as error:
            if not isinstance(
                error, (OSError, EOFError, ValueError, zlib.error, *unpacking_errors())
            ):
                raise
            reason = " ".join(str(error).split()) or type(error).__name__
            raise BadData(
                f"the file is damaged or incomplete ({reason})",
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

    def _open_file(self) -> BinaryIO:
        if isinstance(self.given, Path):
            try:
                return self.given.open("rb")
            except ValueError as error:  # a name with a NUL in it
                raise BadData(f"{quote(self.name)} is no name of a file: {error}") from None
        if self.given == STDIN:
            return sys.stdin.buffer
        try:
            if isinstance(self.given.read(0), str):
                return io.BytesIO(self.given.read().encode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            raise BadData(
                "the file is not UTF-8", file=self.name, remedy="open it in mode rb"
            ) from None
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


class _RawBytes(io.RawIOBase):
    """A stream that can be looked into, and whose failures are those of its source."""

    def __init__(self, source: Source, stream: BinaryIO, file: BinaryIO) -> None:
        self.source, self.stream, self.file = source, stream, file
        self.head = b""  # that was looked at and is still to be read

    def readable(self) -> bool:
        """As of any stream that is read."""
        return True

    def look(self, count: int) -> bytes:
        """Return the next bytes and leave them to be read; fewer only at the end."""
        parts, missing = [self.head], count - len(self.head)
        with self.source.blame():
            while missing > 0 and (part := self.stream.read(missing)):
                parts.append(part)
                missing -= len(part)
        self.head = b"".join(parts)
        return self.head[:count]

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, first with what was looked at."""
        if self.head:
            content = self.head[: len(buffer)]
            self.head = self.head[len(content) :]
        else:
            with self.source.blame():
                if hasattr(self.stream, "readinto"):
                    return self.stream.readinto(buffer) or 0
                content = self.stream.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        """Close the file; an open stream that the caller gave stays open."""
        if not self.closed and self.source.path is not None:
            self.file.close()
        super().close()


class ByteStream(io.BufferedReader):
    """The bytes of a source, unpacked."""

    def __init__(self, raw: _RawBytes) -> None:
        super().__init__(raw, BUFFER)
        self.look = raw.look  # at the first bytes, before any is read


def unpack(name: str, stream: _RawBytes) -> Any:
    """The bytes before they were packed, whatever the suffix says: the stream itself if plain."""
    head = stream.look(16)
    for mark, what in FOREIGN.items():
        if head.startswith(mark):
            raise BadData(f"the file is {what}, not a table", file=name, remedy="export it as CSV")
    packed = next((how for mark, how in PACKED.items() if head.startswith(mark)), None)
    if packed is None:
        return stream
    buffered = io.BufferedReader(stream, BUFFER)
    if packed == "zstd":
        return _open_zstd(name, buffered)
    module = import_module(packed)
    opener = {"gzip": "GzipFile", "bz2": "BZ2File", "lzma": "LZMAFile"}[packed]
    keywords = {"fileobj": buffered} if packed == "gzip" else {"filename": buffered}
    return getattr(module, opener)(**keywords)


def _open_zstd(name: str, stream: BinaryIO) -> BinaryIO:
    try:
        module = import_module("compression.zstd")
        return cast("BinaryIO", module.open(stream))
    except ImportError:
        pass
    try:
        module = import_module("zstandard")
    except ImportError:
        raise BadData(
            "no package that unpacks zstd is installed",
            file=name,
            remedy="install prowess[files], or unpack it first",
        ) from None
    return cast("BinaryIO", Unzstd(module.ZstdDecompressor(), stream))


class Unzstd(io.RawIOBase):
    """A stream packed with zstd; unlike the package's own reader it notices a cut-off end."""

    def __init__(self, unpacker: Any, packed: BinaryIO) -> None:
        self.unpacker, self.packed = unpacker, packed
        self.frame: Any = None
        self.left = memoryview(b"")

    def readable(self) -> bool:
        """As of any stream that is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; raises EOFError where a frame is not complete."""
        while not self.left:
            content = self.frame.unused_data if self.frame is not None and self.frame.eof else b""
            content = content or self.packed.read(PIECE)
            if not content:
                if self.frame is not None and not self.frame.eof:
                    raise EOFError("it ends too early")
                return 0
            if self.frame is None or self.frame.eof:
                self.frame = self.unpacker.decompressobj()
            self.left = memoryview(self.frame.decompress(content))
        count = min(len(buffer), len(self.left))
        buffer[:count] = self.left[:count]
        self.left = self.left[count:]
        return count


def unpacking_errors() -> tuple[type[Exception], ...]:
    """The errors of the packages that have been used to unpack."""
    named = {"zstandard": "ZstdError", "compression.zstd": "ZstdError", "lzma": "LZMAError"}
    return tuple(
        getattr(sys.modules[module], error)
        for module, error in named.items()
        if module in sys.modules
    )


def decode_text(name: str, data: bytes, encoding: str | None) -> str:
    """Bytes as text; raises BadData. Bytes that are not UTF-8 stay in it, marked as such."""
    if encoding is not None:
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except LookupError:
            raise BadData(
                f"unknown encoding {quote(encoding)}", remedy="for example utf-8 or latin-1"
            ) from None
        except (UnicodeDecodeError, UnicodeError) as error:
            start = getattr(error, "start", 0)
            raise BadData(
                f"the file is not {encoding}",
                file=name,
                line=data.count(b"\n", 0, start) + 1,
                remedy="name another encoding",
            ) from None
    refuse_binary(name, data)
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def refuse_binary(name: str, data: bytes, lines_before: int = 0) -> None:
    """Refuse what is no text: NUL bytes, or UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not lines_before:
        raise BadData("the file is UTF-16", file=name, remedy='give encoding="utf-16" (--encoding)')
    at = data.find(b"\0")
    if at >= 0:
        raise BadData(
            "the file is not text: it has a NUL byte",
            file=name,
            line=lines_before + data.count(b"\n", 0, at) + 1,
            remedy="save it as text in UTF-8",
        )
