"""The bytes of a file or a stream, which can be looked into before they are read, are unpacked
within limits (gzip, bzip2, xz and zstd), and are read ahead of their use by threads.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, BinaryIO, cast

from prowess.games.errors import NAME_FILE, NO_FILE, BadData
from prowess.games.limits import check_ratio

BUFFER = 1 << 20  # bytes
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")


@dataclass(eq=False, repr=False)
class ByteStream(io.RawIOBase):
    """The bytes of a file, standard input or an open stream, with its name for messages.

    It can be looked into before it is read. What goes wrong with it is raised as BadData.
    """

    name: str
    path: Path | None
    stream: Any
    file: Any = None  # what is closed, where `stream` unpacks it
    head: bytes = b""  # that was looked at and is still to be read

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
        file = self.stream if self.file is None else self.file
        if not self.closed and self.path is not None and file is not None:
            file.close()
        super().close()

    @contextmanager
    def blame(self) -> Iterator[None]:
        """Turn whatever goes wrong with the file into BadData."""
        try:
            yield
        except BadData:
            raise
        except FileNotFoundError:
            raise BadData.of(NO_FILE, file=self.name, remedy=self._near()) from None
        except IsADirectoryError:
            raise BadData.of("is_a_folder", file=self.name) from None
        except PermissionError:
            raise BadData.of("no_permission", file=self.name) from None
        except Exception as error:
            if not isinstance(error, (OSError, EOFError, ValueError, *unpacking_errors())):
                raise
            raise damage_error(self.name, "file", error, "copy or download it again") from None

    def _near(self) -> str:
        """The question whether a file of nearly this name was meant; a folder for no file."""
        from difflib import get_close_matches

        path = cast("Path", self.path)
        try:
            there = [one for one in path.parent.iterdir() if not (path.suffix and one.is_dir())]
        except (OSError, ValueError):
            return NAME_FILE
        stems = {one.stem: one.name for one in sorted(there)}  # an ending alone: no name near
        near = [path.stem] if path.stem in stems else get_close_matches(path.stem, stems, n=1)
        return f"did you mean {path.with_name(stems[near[0]])}?" if near else NAME_FILE


def damage_error(
    name: str, what: str, error: object, remedy: str, code: str = "damaged_file"
) -> BadData:
    """The error of a file that its package cannot read; one that says it already stays as it is."""
    if isinstance(error, BadData):
        return error
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return BadData(
        f"the {what} is damaged or incomplete ({reason})", file=name, remedy=remedy, code=code
    )


def package_error(name: str, what: str, remedy: str = "install prowess[files]") -> BadData:
    """The error of a file whose package is not installed; `what` the package does with it."""
    if sys.platform == "emscripten":
        remedy = "save the table as CSV: a browser has no such package"
    return BadData.of("package_missing", file=name, what=what, remedy=remedy)


def unpacking_errors() -> tuple[type[Exception], ...]:
    """The errors of the packages that have been used to unpack."""
    named = {
        "zlib": "error", "zstandard": "ZstdError", "compression.zstd": "ZstdError",
        "lzma": "LZMAError", "zipfile": "BadZipFile",
    }  # fmt: skip
    return tuple(
        getattr(sys.modules[module], error)
        for module, error in named.items()
        if module in sys.modules
    )


# Packed files


PACKED_BYTES = 1 << 16  # that are read at a time; a thousand times as many may come out of them
LONG_STREAM = 1 << 23  # bytes after which a thread unpacks ahead of the use
PACKERS = {  # how packed files begin, and what unpacks them
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "lzma",
    b"\x28\xb5\x2f\xfd": "zstd",
}


def unpack(stream: ByteStream) -> ByteStream:
    """A stream as it is, or the bytes before they were packed, whatever the suffix says; raises
    BadData for a bomb.
    """
    head = stream.look(16)
    packing = next((how for mark, how in PACKERS.items() if head.startswith(mark)), None)
    if packing is None:
        return stream
    counted = CountedBytes(stream)
    packed = io.BufferedReader(counted, BUFFER)
    try:
        blocks = _unpack_blocks(packing, packed)
    except ImportError:
        remedy = "install prowess[files], or unpack it first"
        raise package_error(stream.name, f"unpacks {packing}", remedy) from None
    blocks = _refuse_bombs(stream.name, blocks, counted)
    own = stream.path is not None  # the caller may go on with another stream
    unpacked = BlockStream(_run_ahead(blocks) if own else blocks)
    return ByteStream(stream.name, stream.path, unpacked, stream.stream)


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
    """The bytes of blocks; an error in them is raised again where they are read."""

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
        if count >= LONG_STREAM:
            yield from chain.from_iterable(run_ahead([lambda: blocks], 1))


def _unpack_streams(make: Callable[[], Any], packed: BinaryIO) -> Iterator[bytes]:
    """The blocks of the streams of bzip2 or xz, one after the other, with zeros between.

    Python's library takes what follows a stream and is none for the end, and rows behind a damaged
    head are lost; here that is an error. Raises EOFError where a stream is not complete.
    """
    content = packed.read(PACKED_BYTES)
    while content:
        stream = make()
        yield stream.decompress(content, BUFFER)
        while not stream.eof:
            content = packed.read(PACKED_BYTES) if stream.needs_input else b""
            if stream.needs_input and not content:
                raise EOFError("it ends too early")
            yield stream.decompress(content, BUFFER)
        content = stream.unused_data.lstrip(b"\0")
        while not content and (more := packed.read(PACKED_BYTES)):
            content = more.lstrip(b"\0")


def _unpack_blocks(packing: str, packed: BinaryIO) -> Iterator[bytes]:
    """The blocks of a packed stream; raises ImportError without a package that unpacks it."""
    if packing == "gzip":
        return _cut_into_blocks(import_module(packing).GzipFile(fileobj=packed))
    if packing != "zstd":
        maker = {"bz2": "BZ2Decompressor", "lzma": "LZMADecompressor"}[packing]
        return _unpack_streams(getattr(import_module(packing), maker), packed)
    with suppress(ImportError):
        return _cut_into_blocks(import_module("compression.zstd").open(packed))
    return _unpack_frames(import_module("zstandard").ZstdDecompressor(), packed)


def _unpack_frames(unpacker: Any, packed: BinaryIO) -> Iterator[bytes]:
    """The blocks of the frames of zstd; raises EOFError where one is not complete, which the
    reader of the package does not notice.
    """
    content = packed.read(PACKED_BYTES)
    while content:
        frame = unpacker.decompressobj()
        yield frame.decompress(content)
        while not frame.eof:
            if not (content := packed.read(PACKED_BYTES)):
                raise EOFError("it ends too early")
            yield frame.decompress(content)
        content = frame.unused_data or packed.read(PACKED_BYTES)


# Threads that read ahead of their use, such as those that decode parts of files.


DEPTH = 6  # items that wait to be used
END = object()
THREADS = sys.platform != "emscripten"  # a page in a browser starts none
SECONDS_OF_WAITING = 0.1  # after which a thread looks whether its items are still wanted


def count_cores() -> int:
    """The processors that this process may use."""
    if not THREADS:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_ahead(
    parts: Sequence[Callable[[], Iterator[Any]]], threads: int, depth: int = DEPTH
) -> Generator[Iterator[Any]]:
    """For each part, in order, the items that it makes; so many parts are made at a time.

    What a part raises is raised where its items are read. Without threads each part is made where
    it is read.
    """
    if not THREADS:
        for part in parts:
            yield part()
        return
    stop, waiting = Event(), dict[int, Queue[Any]]()

    def begin(at: int) -> None:
        if at < len(parts):
            queue: Queue[Any] = Queue(depth)
            waiting[at] = queue
            Thread(target=fill, args=(parts[at], queue, stop), daemon=True).start()

    try:
        for at in range(threads):
            begin(at)
        for at in range(len(parts)):
            yield _drain(waiting[at])
            del waiting[at]
            begin(at + threads)
    finally:
        stop.set()


def fill(part: Callable[[], Iterator[Any]], queue: Queue[Any], stop: Event) -> None:
    """Put the items of a part into a queue, and what it raises, until they are not wanted."""
    try:
        items = iter(part())
        while put(queue, next(items, END), stop) is not END:
            pass
    except BaseException as error:
        put(queue, error, stop)


def put(queue: Queue[Any], item: Any, stop: Event) -> Any:
    """Put an item into a queue that may be full; the item, or END where it is not wanted."""
    while not stop.is_set():
        try:
            queue.put(item, timeout=SECONDS_OF_WAITING)
        except Full:
            continue
        return item
    return END


def _drain(queue: Queue[Any]) -> Iterator[Any]:
    while (item := queue.get()) is not END:
        if isinstance(item, BaseException):
            raise item
        yield item
