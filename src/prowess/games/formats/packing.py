"""Packed files, unpacked within limits: gzip, bzip2, xz and zstd."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any, BinaryIO

from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import BUFFER, ByteStream
from prowess.games.limits import check_ratio

PIECE = 1 << 16  # packed bytes; a thousand times as many may come out of them
LONG = 1 << 23  # bytes after which a thread unpacks ahead of the use
PACKERS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "lzma",
    b"\x28\xb5\x2f\xfd": "zstd",
}


def unpack(stream: ByteStream) -> ByteStream:
    """The bytes before they were packed, whatever the suffix says; raises BadData for a bomb."""
    head = stream.look(16)
    packing = next(how for mark, how in PACKERS.items() if head.startswith(mark))
    counted = CountedBytes(stream)
    packed = io.BufferedReader(counted, BUFFER)
    if packing == "zstd":
        blocks = _unpack_zstd(stream.name, packed)
    elif packing == "gzip":
        blocks = _cut_into_blocks(import_module(packing).GzipFile(fileobj=packed))
    else:
        maker = {"bz2": "BZ2Decompressor", "lzma": "LZMADecompressor"}[packing]
        blocks = _unpack_streams(getattr(import_module(packing), maker), packed)
    blocks = _refuse_bombs(stream.name, blocks, counted)
    own = stream.path is not None  # the caller may go on with another stream
    unpacked = BlockStream(_run_ahead(blocks) if own else blocks)
    return ByteStream(stream.name, stream.path, unpacked, stream.file)


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


class BlockStream(io.RawIOBase):
    """The bytes of blocks; an error of theirs is raised again by whoever reads on."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks, self.left = blocks, memoryview(b"")
        self.error: Exception | None = None

    def readable(self) -> bool:
        """True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; raises what making the blocks raises."""
        if self.error is not None:
            raise self.error
        while not self.left:
            try:
                block = next(self.blocks, None)
            except Exception as error:
                self.error = error
                raise
            if block is None:
                return 0
            self.left = memoryview(block)
        count = min(len(buffer), len(self.left))
        buffer[:count] = self.left[:count]
        self.left = self.left[count:]
        return count


def _cut_into_blocks(stream: Any) -> Iterator[bytes]:
    return iter(partial(stream.read, BUFFER), b"")


def _refuse_bombs(name: str, blocks: Iterator[bytes], packed: CountedBytes) -> Iterator[bytes]:
    """The same blocks; raises BadData when they become many times what was packed."""
    count = 0
    for block in blocks:
        count += len(block)
        check_ratio(packed.count, count, name)
        yield block


def _run_ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same blocks, made by a thread ahead of their use once they are found to be many."""
    count = 0
    for block in blocks:
        yield block
        count += len(block)
        if count >= LONG:
            from prowess.games.formats.read_ahead import run_ahead

            yield from chain.from_iterable(run_ahead([lambda: blocks], 1))


def _unpack_streams(make: Callable[[], Any], packed: BinaryIO) -> Iterator[bytes]:
    """The blocks of the streams of bzip2 or xz, one after the other, with zeros between.

    Python's library takes what follows a stream and is none for the end, and rows behind a damaged
    head are lost; here that is an error. Raises EOFError where a stream is not complete.
    """
    content = packed.read(PIECE)
    while content:
        stream = make()
        yield stream.decompress(content, BUFFER)
        while not stream.eof:
            content = packed.read(PIECE) if stream.needs_input else b""
            if stream.needs_input and not content:
                raise EOFError("it ends too early")
            yield stream.decompress(content, BUFFER)
        content = stream.unused_data.lstrip(b"\0")
        while not content and (more := packed.read(PIECE)):
            content = more.lstrip(b"\0")


def _unpack_zstd(name: str, packed: BinaryIO) -> Iterator[bytes]:
    """The blocks of zstd; raises BadData without a package that unpacks it."""
    try:
        return _cut_into_blocks(import_module("compression.zstd").open(packed))
    except ImportError:
        pass
    try:
        return _unpack_frames(import_module("zstandard").ZstdDecompressor(), packed)
    except ImportError:
        raise BadData(
            "no package that unpacks zstd is installed",
            file=name,
            remedy="install prowess[files], or unpack it first",
            code="package_missing",
        ) from None


def _unpack_frames(unpacker: Any, packed: BinaryIO) -> Iterator[bytes]:
    """The blocks of the frames of zstd; raises EOFError where one is not complete, which the
    reader of the package does not notice.
    """
    content = packed.read(PIECE)
    while content:
        frame = unpacker.decompressobj()
        yield frame.decompress(content)
        while not frame.eof:
            if not (content := packed.read(PIECE)):
                raise EOFError("it ends too early")
            yield frame.decompress(content)
        content = frame.unused_data or packed.read(PIECE)
