"""Input bytes: files, standard input and streams, compressed or not."""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from prowess.games.errors import BadData, quote
from prowess.games.layout import Options

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
MARKS = (*PACKED, *FOREIGN)
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
STDIN = "-"


class FileFormat(NamedTuple):
    """A format of files of results: how their names end, and what reads them."""

    suffixes: tuple[str, ...]
    reader: str  # a function of a module of this package: takes a ByteStream and ReaderSettings
    is_text: bool = True  # so that its size is that of what it holds


FORMATS = {
    "csv": FileFormat((".csv",), "delimited.read_csv"),
    "tsv": FileFormat((".tsv", ".tab"), "delimited.read_tsv"),
    "jsonl": FileFormat((".jsonl", ".ndjson", ".json"), "documents.read_json"),
    "json": FileFormat((), "documents.read_json"),
    "pgn": FileFormat((".pgn",), "records.read_pgn"),
    "parquet": FileFormat((".parquet", ".pq"), "frames.read_parquet", is_text=False),
    "ballots": FileFormat((".ballots",), ""),  # not of columns: `read_games` reads them
}
ANY_TEXT = ".txt"  # may be of any format
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
TEXT_SUFFIXES = (
    *(suffix for form in FORMATS.values() if form.is_text for suffix in form.suffixes), ANY_TEXT,
)  # fmt: skip


def file_name(given: Any) -> str | None:
    """The name of a path, `-` or an open stream; None for what is no file."""
    if isinstance(given, str | os.PathLike):
        return "standard input" if given == STDIN else os.fsdecode(given)
    if not hasattr(given, "read"):
        return None
    name = getattr(given, "name", None)
    return name if isinstance(name, str) else "the stream"


def find_format(name: str) -> str | None:
    """The format that the name of a file suggests, packed or not."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - a path takes ten times as long
    if suffix in PACKED_SUFFIXES:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    return next((form for form, each in FORMATS.items() if suffix in each.suffixes), None)


@dataclass
class ReaderSettings:
    """The caller's settings for reading, and the streams that were opened."""

    options: Options
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    compiled: bool | None = None
    streams: list[tuple[Any, int | None]] = field(default_factory=list)  # and where they began

    def rewind_streams(self) -> None:
        """Go back to where the streams began, for the slow reader; raises BadData where that
        cannot be done.
        """
        self.compiled = False
        for stream, start in self.streams:
            if start is None:
                raise BadData(
                    "a stream that cannot go back has to be read a second time",
                    remedy="save it as a file first",
                )
            stream.seek(start)
        self.streams.clear()


class ByteStream(io.RawIOBase):
    """The bytes of a file, standard input or an open stream, with its name for messages.

    It can be looked into before it is read. What goes wrong with it is raised as BadData.
    """

    def __init__(self, name: str, path: Path | None, stream: Any, file: Any = None) -> None:
        self.name, self.path, self.stream = name, path, stream
        self.file = file or stream  # what is closed, where `stream` unpacks it
        self.head = b""  # that was looked at and is still to be read

    def readable(self) -> bool:
        """True: the stream can be read."""
        return True

    def look(self, count: int) -> bytes:
        """Return the next bytes and leave them to be read; fewer only at the end."""
        parts, missing = [self.head], count - len(self.head)
        with self.blame():
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
            with self.blame():
                if hasattr(self.stream, "readinto"):
                    return self.stream.readinto(buffer) or 0
                content = self.stream.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def readall(self) -> bytes:
        """All that is left."""
        parts, self.head = [self.head], b""
        with self.blame():
            while part := self.stream.read(BUFFER):
                parts.append(part)
        return b"".join(parts)

    def size(self) -> int:
        """Bytes of the file, 0 if that says nothing of how many rows there are."""
        path = self.path
        if path is None or path.suffix.lower() in PACKED_SUFFIXES or not path.is_file():
            return 0
        return path.stat().st_size

    def close(self) -> None:
        """Close the file; an open stream that the caller gave stays open."""
        if not self.closed and self.path is not None and self.file is not None:
            self.file.close()
        super().close()

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

    def _near(self) -> str | None:
        from difflib import get_close_matches

        path = cast("Path", self.path)
        try:
            near = get_close_matches(path.name, [each.name for each in path.parent.iterdir()], n=1)
        except (OSError, ValueError):
            return None
        return f"did you mean {path.with_name(near[0])}?" if near else None


def open_bytes(given: Any) -> ByteStream:
    """Open a path, `-` or an open stream, and unpack it; raises BadData, also while it is read."""
    name = file_name(given) or ""
    path = Path(name) if isinstance(given, str | os.PathLike) and given != STDIN else None
    stream = ByteStream(name, path, None)
    with stream.blame():
        if path is not None:
            try:
                stream.file = path.open("rb")
            except ValueError as error:  # a name with a NUL in it
                raise BadData(f"{quote(name)} is no name of a file: {error}") from None
        else:
            stream.file = sys.stdin.buffer if given == STDIN else _as_binary(name, given)
    stream.stream = stream.file
    try:
        return unpack(stream) if stream.look(16).startswith(MARKS) else stream
    except BadData:
        stream.close()
        raise


def _as_binary(name: str, stream: Any) -> Any:
    """An open stream of bytes, or the text of one in UTF-8."""
    try:
        if isinstance(stream.read(0), str):
            return io.BytesIO(stream.read().encode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        raise BadData("the file is not UTF-8", file=name, remedy="open it in mode rb") from None
    return stream


def stream_position(stream: Any) -> int | None:
    """The position of an open stream, None if it cannot go back there."""
    try:
        return stream.tell() if stream.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None


def unpack(stream: ByteStream) -> ByteStream:
    """The bytes before they were packed, whatever the suffix says; raises BadData for no table."""
    head = stream.look(16)
    for mark, what in FOREIGN.items():
        if head.startswith(mark):
            raise BadData(
                f"the file is {what}, not a table", file=stream.name, remedy="export it as CSV"
            )
    packed = next(how for mark, how in PACKED.items() if head.startswith(mark))
    buffered = io.BufferedReader(stream, BUFFER)
    if packed == "zstd":
        unpacked: Any = _open_zstd(stream.name, buffered)
    else:
        opener = {"gzip": "GzipFile", "bz2": "BZ2File", "lzma": "LZMAFile"}[packed]
        keyword = "fileobj" if packed == "gzip" else "filename"
        unpacked = getattr(import_module(packed), opener)(**{keyword: buffered})
    return ByteStream(stream.name, stream.path, unpacked, stream.file)


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
        """True: the stream can be read."""
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
    if b"\0" in data or data.startswith(UTF_16):
        refuse_binary(name, data)
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def refuse_binary(name: str, data: bytes, lines_before: int = 0) -> None:
    """Refuse what is no text: NUL bytes, or UTF-16."""
    if data.startswith(UTF_16) and not lines_before:
        raise BadData("the file is UTF-16", file=name, remedy='give encoding="utf-16" (--encoding)')
    at = data.find(b"\0")
    if at >= 0:
        raise BadData(
            "the file is not text: it has a NUL byte",
            file=name,
            line=lines_before + data.count(b"\n", 0, at) + 1,
            remedy="save it as text in UTF-8",
        )
