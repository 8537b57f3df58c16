"""Delimited text (CSV and similar): dialects, headings and rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from prowess.games.columns import BLANKS, Chunk, InputTable, Values, is_not_utf8
from prowess.games.errors import BadData, InvalidValue, quote
from prowess.games.fields import Fields
from prowess.games.loops import loops
from prowess.games.scanner import (
    CR,
    LF,
    OPEN_QUOTE as QUOTE_LEFT_OPEN,
    PADDING,
    STRAY_QUOTE,
    TOO_LONG,
)
from prowess.games.sources import refuse_binary

if TYPE_CHECKING:
    from numpy.typing import NDArray


DELIMITERS = ",;\t|"
STRAY = "something stands between a closing quote and the end of its value"
UNCLOSED = "a quote is not closed"
HUGE = "a value of more than 131,072 characters"
CSV_ERRORS = {"expected after": STRAY, "unexpected end": UNCLOSED, "field larger": HUGE}
OPEN_QUOTE = "look for a quote that is not closed, or that stands inside a value"


def csv_table(name: str, content: str, delimiter: str | None = None) -> InputTable:
    """A text as a table; raises BadData for what has no rows and columns."""
    delimiter = delimiter or sniff_delimiter(content)
    reader = csv_rows(content, delimiter)
    try:
        names, heading = read_headings(name, reader)
    except csv.Error as error:
        raise csv_error(name, error, last_line(csv_rows(content, delimiter))) from None

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield _chunk(name, content, delimiter, names, wanted)

    return InputTable(name, names, chunks, heading=heading)


def read_headings(name: str, reader: Any) -> tuple[list[str], int]:
    """The names of the columns and the line they stand in."""
    row: list[str] = []
    line = 1
    while not row:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            raise BadData(
                "the file is empty", file=name, remedy="begin the table with headings"
            ) from None
    return check_headings(name, row, line), line


def check_headings(name: str, row: Sequence[str], line: int | None) -> list[str]:
    """The headings, unless two are the same or one is no text."""
    names = [heading.strip(BLANKS) for heading in row]
    seen: set[str] = set()
    for heading in names:
        if is_not_utf8(heading):
            raise BadData(
                f"heading {quote(heading)} is not UTF-8",
                file=name,
                line=line,
                remedy='say how the file is written with encoding="latin-1" (--encoding)',
            )
        if heading in seen and heading:
            raise BadData(
                f"two columns are called {quote(heading)}",
                file=name,
                line=line,
                remedy="rename one of them",
            )
        seen.add(heading)
    return names


def sniff_delimiter(content: str) -> str:
    """The delimiter: of the usual ones the one that stands most often in the headings."""
    heading = content.lstrip("\r\n")
    ends = [at for at in (heading.find("\n"), heading.find("\r")) if at >= 0]
    outside = "".join(heading[: min(ends, default=len(heading))].split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def csv_rows(content: str, delimiter: str) -> Any:
    """Python's own reader of CSV, as strict as it can be."""
    try:
        if delimiter in '"\r\n':
            raise ValueError
        return csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    except (TypeError, ValueError):
        raise BadData(
            f"delimiter {quote(delimiter)} is not one character other than a quote",
            remedy="for example ;",
        ) from None


def csv_error(name: str, error: Exception, line: int) -> BadData:
    """The error of Python's CSV reader as BadData."""
    message = str(error)
    what = next((ours for theirs, ours in CSV_ERRORS.items() if theirs in message), message)
    return BadData(what, file=name, line=line, remedy=OPEN_QUOTE)


def last_line(reader: Any) -> int:
    """The line in which the row begins that a reader cannot read."""
    line = 1
    try:
        for _ in reader:
            line = reader.line_num + 1
    except csv.Error:
        pass
    return line


def _chunk(
    name: str, content: str, delimiter: str, names: list[str], wanted: Sequence[str]
) -> Chunk:
    reader = csv_rows(content, delimiter)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise csv_error(name, error, last_line(csv_rows(content, delimiter))) from None
    del rows[0]
    width = len(names)
    if set(map(len, rows)) <= {width}:
        refused = {}
    else:
        refused = {
            at: ragged_row(len(row), width) for at, row in enumerate(rows) if len(row) != width
        }
        for at in refused:
            rows[at] = [""] * width
    columns = {}
    for heading in wanted:
        at = names.index(heading)
        columns[heading] = Values(list(map(itemgetter(at), rows)))
    lines = _Lines(content, delimiter)
    return Chunk(columns, len(rows), lines, refused)


def ragged_row(count: int, width: int) -> InvalidValue:
    """A row of the wrong length."""
    return InvalidValue(
        f"the row has {count} {'value' if count == 1 else 'values'}, the headings are {width}",
        "look for a missing or superfluous delimiter, or skip bad rows with "
        "skip_bad=True (--skip-bad)",
    )


class _Lines:
    """The line in which each row begins, computed on first use."""

    def __init__(self, content: str, delimiter: str) -> None:
        self.content, self.delimiter = content, delimiter
        self.known: list[int] | None = None

    def __call__(self, row: int) -> int:
        if self.known is None:
            reader = csv_rows(self.content, self.delimiter)
            self.known = []
            line = 1
            for cells in reader:
                if cells:
                    self.known.append(line)
                line = reader.line_num + 1
        return self.known[row + 1]


# Large CSV files, read in one pass by compiled code.


BUFFER = 1 << 20  # bytes; larger ones leave the fast memory near the core
ROWS = 1 << 16  # rows found at a time
LINE_END = re.compile(rb"\r\n|\n|\r")
CUT = "unexpected end of data"  # in the words of Python's decoder
LARGEST = 1 << 28  # bytes of one row
BOM = b"\xef\xbb\xbf"
WRONG = {STRAY_QUOTE: STRAY, QUOTE_LEFT_OPEN: UNCLOSED, TOO_LONG: HUGE}


def scan_csv_table(
    name: str, head: bytes, stream: BinaryIO, delimiter: str | None = None, size: int = 0
) -> InputTable:
    """A stream of bytes as a table, scanned chunk by chunk.

    `head` is how the stream begins (it is still in it), `size` that of the file, if known.
    """
    refuse_binary(name, head)
    content = head.removeprefix(BOM).decode("utf-8", "surrogateescape")
    delimiter = delimiter or sniff_delimiter(content)
    reader = csv_rows(content, delimiter)
    try:
        names, heading = read_headings(name, reader)
    except csv.Error as error:
        raise csv_error(name, error, last_line(csv_rows(content, delimiter))) from None
    ends = [found.end() for found in islice(LINE_END.finditer(head), reader.line_num)]
    stream.read(ends[-1] if len(ends) == reader.line_num else len(head))
    scan = _Scan(name, stream, delimiter, len(names), reader.line_num)

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in scan.chunks([names.index(column) for column in wanted], wanted):
            if not table.expected:
                table.expected = int(1.03 * size * scan.rows_a_byte)
            yield chunk

    table = InputTable(name, names, chunks, heading=heading)
    return table


class _Scan:
    """One pass over a file."""

    def __init__(self, name: str, stream: BinaryIO, delimiter: str, width: int, lines: int) -> None:
        self.name, self.stream, self.width = name, stream, width
        self.delimiter = ord(delimiter)
        self.kinds = np.zeros(256, np.uint8)
        self.kinds[[self.delimiter, LF, CR]] = 1
        self.lines = lines  # taken so far
        self.rows_a_byte = 0.0
        self.data = np.zeros(BUFFER + PADDING, np.uint8)
        self.ends = np.empty(BUFFER, np.int32)
        self.low = self.high = 0  # what is in the buffer and not yet taken
        self.final = False
        self.valid = True  # whether all in the buffer is UTF-8
        self.is_ascii = True
        self.last_quote = -1

    def chunks(self, wanted: Sequence[int], names: Sequence[str]) -> Iterator[Chunk]:
        """The rows after the headings."""
        slots = np.full(self.width, -1, np.int64)
        for slot, column in enumerate(wanted):
            slots[column] = slot
        begin = np.zeros((max(len(wanted), 1), ROWS), np.int32)
        length = np.zeros_like(begin)
        line, wrong = np.zeros(ROWS, np.int64), np.zeros(ROWS, np.int64)
        while not self.final:
            self._fill()
            rows = ROWS
            while rows == ROWS:
                before = self.lines
                rows, fault = self._scan(slots, begin, length, line, wrong)
                if rows:
                    cells = (begin[:, :rows], length[:, :rows])
                    yield self._chunk(names, cells, line[:rows] + before + 1, wrong[:rows])
                if fault:
                    raise BadData(
                        WRONG[fault], file=self.name, line=self.lines + 1, remedy=OPEN_QUOTE
                    )

    def _scan(self, slots: Any, begin: Any, length: Any, line: Any, wrong: Any) -> tuple[int, int]:
        """Find rows; returns how many, and what is wrong with the one after them."""
        state = np.zeros(5, np.int64)
        found = (slots, begin, length, line, wrong, state)
        window = (self.data, self.low, self.high)
        if self.last_quote < self.low:
            count = loops().mark(*window, self.kinds, self.ends)
            loops().split(*window, self.final, self.ends, count, self.delimiter, *found)
        else:
            loops().scan(*window, self.final, self.delimiter, *found)
        rows, taken, lines, fault, escapes = state.tolist()
        for slot in range(len(begin)):
            if escapes:
                loops().unescape(self.data, begin[slot, :rows], length[slot, :rows])
            loops().trim(self.data, begin[slot, :rows], length[slot, :rows])
        if not self.rows_a_byte and rows:
            self.rows_a_byte = rows / (taken - self.low)
        self.low, self.lines = taken, self.lines + lines
        return rows, fault

    def _chunk(
        self,
        names: Sequence[str],
        cells: tuple[NDArray[np.int32], NDArray[np.int32]],
        line: NDArray[np.int64],
        wrong: NDArray[np.int64],
    ) -> Chunk:
        begin, length = cells
        refused = {
            row: ragged_row(int(wrong[row]), self.width)
            for row in np.flatnonzero(wrong >= 0).tolist()
        }
        columns = {
            name: Fields(self.data, begin[slot], length[slot], self.valid, self.is_ascii)
            for slot, name in enumerate(names)
        }
        return Chunk(columns, len(line), lambda row: int(line[row]), refused)

    def _fill(self) -> None:
        """Take in more bytes after those that are left."""
        left = self.high - self.low
        room = len(self.data) - PADDING
        data = self.data
        if left == room:  # not one row fits
            if room >= LARGEST:
                raise BadData(
                    "a row of more than 256 MB", file=self.name, line=self.lines + 1,
                    remedy=OPEN_QUOTE,
                )  # fmt: skip
            room *= 2
            data = np.zeros(room + PADDING, np.uint8)
            self.ends = np.empty(room, np.int32)
        data[:left] = self.data[self.low : self.high].copy()
        self.data, self.low, self.high = data, 0, left
        view = memoryview(data)  # type: ignore[arg-type]
        while self.high < room:
            count = self.stream.readinto(view[self.high : room])  # type: ignore[attr-defined]
            self.high += count
            if not count:
                self.final = True
                break
        data[self.high] = LF
        content = view[: self.high].tobytes()
        refuse_binary(self.name, content, self.lines)
        self.last_quote = content.rfind(b'"')
        self.is_ascii = content.isascii()
        self.valid = self.is_ascii or self._decodes(content)

    def _decodes(self, content: bytes) -> bool:
        try:
            content.decode()
        except UnicodeDecodeError as error:
            return not self.final and error.reason == CUT  # a letter whose rest is yet to come
        return True
