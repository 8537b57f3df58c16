"""Packed files, unpacked within limits: gzip, bzip2, xz and zstd."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, BinaryIO, cast

from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import BUFFER, ByteStream
from prowess.games.limits import check_ratio

PIECE = 1 << 16  # packed bytes; a thousand times as many may come out of them
PACKERS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "lzma",
    b"\x28\xb5\x2f\xfd": "zstd",
}


def unpack(stream: ByteStream) -> ByteStream:
    """The bytes before they were packed, whatever the suffix says; raises BadData for a bomb."""
    head = stream.look(16)
    packed = next(how for mark, how in PACKERS.items() if head.startswith(mark))
    counted = CountedBytes(stream)
    buffered = io.BufferedReader(counted, BUFFER)
    if packed == "zstd":
        unpacked: Any = _open_zstd(stream.name, buffered)
    else:
        opener = {"gzip": "GzipFile", "bz2": "BZ2File", "lzma": "LZMAFile"}[packed]
        keyword = "fileobj" if packed == "gzip" else "filename"
        unpacked = getattr(import_module(packed), opener)(**{keyword: buffered})
    return ByteStream(
        stream.name, stream.path, GuardedBytes(stream.name, unpacked, counted), stream.file
    )


class CountedBytes(io.RawIOBase):
    """A stream that counts the bytes that are taken from it."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.count = stream, 0

    def readable(self) -> bool:
        """True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        count = self.stream.readinto(buffer) or 0
        self.count += count
        return count


class GuardedBytes(io.RawIOBase):
    """Unpacked bytes, refused when they become many times those that were packed."""

    def __init__(self, name: str, stream: Any, packed: CountedBytes) -> None:
        self.name, self.stream, self.packed, self.count = name, stream, packed, 0

    def readable(self) -> bool:
        """True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; raises BadData for a bomb."""
        count = self.stream.readinto(buffer) or 0
        self.count += count
        check_ratio(self.packed.count, self.count, self.name)
        return count


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
