"""Large CSV files, read in one pass by compiled code."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from prowess.games.cells import Chunk, Table
from prowess.games.delimited import (
    HUGE,
    OPEN_QUOTE,
    STRAY,
    UNCLOSED,
    broken,
    header,
    ragged,
    rows_of,
    sniffed,
)
from prowess.games.fields import Fields
from prowess.games.refusal import BadData
from prowess.games.scanner import (
    LF,
    OPEN_QUOTE as QUOTE_LEFT_OPEN,
    PADDING,
    STRAY_QUOTE,
    TOO_LONG,
    loops,
)
from prowess.games.sources import refuse_binary

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUFFER = 4 << 20  # bytes; larger ones leave the fast memory near the core
ROWS = 1 << 16  # rows found at a time
CUT = "unexpected end of data"  # in the words of Python's decoder
LARGEST = 1 << 28  # bytes of one row
BOM = b"\xef\xbb\xbf"
WRONG = {STRAY_QUOTE: STRAY, QUOTE_LEFT_OPEN: UNCLOSED, TOO_LONG: HUGE}


def scanned(
    name: str, head: bytes, stream: BinaryIO, delimiter: str | None = None, size: int = 0
) -> Table:
    """A stream of bytes as a table, scanned chunk by chunk.

    `head` is how the stream begins (it is still in it), `size` that of the file, if known.
    """
    refuse_binary(name, head)
    content = head.removeprefix(BOM).decode("utf-8", "surrogateescape")
    delimiter = delimiter or sniffed(content)
    reader = rows_of(content, delimiter)
    try:
        names, heading = header(name, reader)
    except csv.Error as error:
        raise broken(name, error, reader.line_num) from None
    scan = _Scan(name, stream, delimiter, len(names), size)

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in scan.chunks([names.index(column) for column in wanted], wanted):
            table.expected = scan.expected
            yield chunk

    table = Table(name, names, chunks, heading=heading)
    return table


class _Scan:
    """One pass over a file."""

    def __init__(self, name: str, stream: BinaryIO, delimiter: str, width: int, size: int) -> None:
        self.name, self.stream, self.width, self.size = name, stream, width, size
        self.delimiter = ord(delimiter)
        self.data = np.zeros(BUFFER + PADDING, np.uint8)
        self.low = self.high = 0  # what is in the buffer and not yet taken
        self.final = self.begun = False
        self.lines = 0  # lines taken
        self.expected = 0  # rows in the file, about

    def chunks(self, wanted: Sequence[int], names: Sequence[str]) -> Iterator[Chunk]:
        """The rows after the headings."""
        slots = np.full(self.width, -1, np.int64)
        for slot, column in enumerate(wanted):
            slots[column] = slot
        begin = np.zeros((max(len(wanted), 1), ROWS), np.int32)
        length = np.zeros_like(begin)
        line, wrong = np.zeros(ROWS, np.int64), np.zeros(ROWS, np.int64)
        state = np.zeros(4, np.int64)
        headed = False
        while True:
            valid = self._fill()
            while True:
                loops().scan(
                    self.data, self.low, self.high, self.final, self.delimiter, slots,
                    begin, length, line, wrong, state,
                )  # fmt: skip
                rows, taken, lines, fault = state.tolist()
                before = self.lines
                if not self.expected and rows:
                    self.expected = int(1.03 * self.size * rows / max(taken - self.low, 1))
                self.low, self.lines = taken, before + lines
                skipped = int(rows > 0 and not headed)
                headed = headed or rows > 0
                if rows > skipped:
                    cells = (begin[:, skipped:rows], length[:, skipped:rows])
                    yield self._chunk(
                        names, cells, line[skipped:rows] + before + 1, wrong[skipped:rows], valid
                    )
                if fault:
                    raise BadData(
                        WRONG[fault], file=self.name, line=self.lines + 1, remedy=OPEN_QUOTE
                    )
                if rows < ROWS:
                    break
            if self.final:
                return

    def _chunk(
        self,
        names: Sequence[str],
        cells: tuple[NDArray[np.int32], NDArray[np.int32]],
        line: NDArray[np.int64],
        wrong: NDArray[np.int64],
        valid: bool,
    ) -> Chunk:
        begin, length = cells
        refused = {
            row: ragged(int(wrong[row]), self.width) for row in np.flatnonzero(wrong >= 0).tolist()
        }
        columns = {
            name: Fields(self.data, begin[slot], length[slot], valid)
            for slot, name in enumerate(names)
        }
        return Chunk(columns, len(line), lambda row: int(line[row]), refused)

    def _fill(self) -> bool:
        """Take in more bytes after those that are left; returns whether all of it is UTF-8."""
        left = self.high - self.low
        room = len(self.data) - PADDING
        if left == room:  # not one row fits
            if room >= LARGEST:
                raise BadData(
                    "a row of more than 256 MB", file=self.name, line=self.lines + 1,
                    remedy=OPEN_QUOTE,
                )  # fmt: skip
            room *= 2
            data = np.zeros(room + PADDING, np.uint8)
        else:
            data = self.data
        data[:left] = self.data[self.low : self.high].copy()
        self.data, self.low, self.high = data, 0, left
        view = memoryview(data)  # type: ignore[arg-type]
        while self.high < room:
            count = self.stream.readinto(view[self.high : room])  # type: ignore[attr-defined]
            if not count:
                self.final = True
                break
            self.high += count
            if not self.begun and self.high >= len(BOM):
                self.begun = True
                if bytes(view[: len(BOM)]) == BOM:
                    data[: self.high - len(BOM)] = data[len(BOM) : self.high].copy()
                    self.high -= len(BOM)
        data[self.high] = LF
        content = view[: self.high].tobytes()
        refuse_binary(self.name, content, self.lines)
        if content.isascii():
            return True
        try:
            content.decode()
        except UnicodeDecodeError as error:
            return not self.final and error.reason == CUT  # a letter whose rest is yet to come
        return True
