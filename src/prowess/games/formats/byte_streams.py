"""The bytes of a file or a stream, which can be looked into before they are read."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from prowess.games.errors import NAME_FILE, NO_FILE, BadData

BUFFER = 1 << 20  # bytes
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")


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
            raise BadData(
                "there is no such file", file=self.name, remedy=self._near(), code=NO_FILE
            ) from None
        except IsADirectoryError:
            raise BadData(
                "this is a folder",
                file=self.name,
                remedy="name the files in it",
                code="is_a_folder",
            ) from None
        except PermissionError:
            raise BadData(
                "no permission to read the file",
                file=self.name,
                remedy="change its mode",
                code="no_permission",
            ) from None
        except Exception as error:
            if not isinstance(error, (OSError, EOFError, ValueError, *unpacking_errors())):
                raise
            reason = " ".join(str(error).split()) or type(error).__name__
            raise BadData(
                f"the file is damaged or incomplete ({reason})",
                file=self.name,
                remedy="copy or download it again",
                code="damaged_file",
            ) from None

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
