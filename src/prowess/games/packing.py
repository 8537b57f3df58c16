"""Packed bytes, and streams that have been looked into."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Any, BinaryIO, cast

from prowess.games.refusal import BadData

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


class Peeked(io.RawIOBase):
    """A stream of which the first bytes have been looked at."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        """As of any stream that is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, first from what was looked at."""
        if self.head:
            taken = self.head[: len(buffer)]
            self.head = self.head[len(taken) :]
            buffer[: len(taken)] = taken
            return len(taken)
        return read_into(self.rest, buffer)


def read_into(stream: BinaryIO, buffer: Any) -> int:
    """Fill a buffer from any kind of stream; returns how many bytes it got."""
    if hasattr(stream, "readinto"):
        return stream.readinto(buffer) or 0
    content = stream.read(len(buffer))
    buffer[: len(content)] = content
    return len(content)


def peeked(stream: BinaryIO, count: int) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and the stream with them still in it."""
    head = filled(stream, count)
    return head, io.BufferedReader(Peeked(head, stream), BUFFER)


def filled(stream: BinaryIO, count: int) -> bytes:
    """That many bytes of a stream, fewer only at its end."""
    parts = []
    while count > 0:
        part = stream.read(count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def unpacked(name: str, raw: BinaryIO) -> BinaryIO:
    """The bytes as they were before they were packed, whatever the suffix says."""
    head, stream = peeked(raw, 16)
    for mark, what in FOREIGN.items():
        if head.startswith(mark):
            raise BadData(f"is {what}, not a table", file=name, remedy="export it as CSV")
    packed = next((how for mark, how in PACKED.items() if head.startswith(mark)), None)
    if packed is None:
        return stream
    if packed == "zstd":
        return _zstd(name, stream)
    module = import_module(packed)
    opened = {"gzip": "GzipFile", "bz2": "BZ2File", "lzma": "LZMAFile"}[packed]
    keywords = {"fileobj": stream} if packed == "gzip" else {"filename": stream}
    return io.BufferedReader(getattr(module, opened)(**keywords), BUFFER)


def _zstd(name: str, stream: BinaryIO) -> BinaryIO:
    try:
        module = import_module("compression.zstd")
        return cast("BinaryIO", module.open(stream))
    except ImportError:
        pass
    try:
        module = import_module("zstandard")
    except ImportError:
        raise BadData(
            "is packed with zstd, and no package to unpack it is installed",
            file=name,
            remedy="install prowess[files], or unpack it first",
        ) from None
    return io.BufferedReader(Unzstd(module.ZstdDecompressor(), stream), BUFFER)


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
