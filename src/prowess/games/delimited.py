"""Delimited text (CSV and similar): dialects, headings and rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

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
from prowess.games.sources import ByteStream, ReaderSettings, decode_text, refuse_binary

if TYPE_CHECKING:
    from numpy.typing import NDArray


DELIMITERS = ",;\t|"
FAST = 8_000_000  # bytes; a longer table is scanned by compiled code
FIRST_LINES = 1 << 18  # letters of a long table in which the kinds of its columns show
HEADINGS = 1 << 16  # bytes in which the headings of a large file end
STRAY = "something stands between a closing quote and the end of its value"
UNCLOSED = "a quote is not closed"
HUGE = "a value of more than 131,072 characters"
CSV_ERRORS = {"expected after": STRAY, "unexpected end": UNCLOSED, "field larger": HUGE}
OPEN_QUOTE = "look for a quote that is not closed, or that stands inside a value"


def read_csv(
    stream: ByteStream, settings: ReaderSettings, delimiter: str | None = None
) -> InputTable:
    """A CSV file as a table; a long one is scanned by compiled code, where there is a compiler."""
    delimiter = delimiter or settings.delimiter
    usual = delimiter is None or (len(delimiter) == 1 and delimiter.isascii())
    if settings.compiled is not False and settings.encoding is None and usual:
        least = 0 if settings.compiled else FAST
        head = stream.look(least + HEADINGS)
        if settings.compiled or len(head) > least:
            from prowess import kernel

            if kernel.available():
                return scan_csv_table(stream, head, delimiter)
    return csv_table(
        stream.name, decode_text(stream.name, stream.readall(), settings.encoding), delimiter
    )


def read_tsv(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """A file with tabs between the values as a table."""
    return read_csv(stream, settings, "\t")


def csv_table(name: str, content: str, delimiter: str | None = None) -> InputTable:
    """A text as a table; raises BadData for what has no rows and columns."""
    names, heading, delimiter, _ = read_headings(name, content, delimiter)
    width = len(names)

    @cache
    def lines() -> list[int]:
        """The line in which each row begins."""
        reader, line, known = csv_rows(content, delimiter), 1, []
        for cells in reader:
            if cells:
                known.append(line)
            line = reader.line_num + 1
        return known[1:]

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        try:
            rows = [row for row in csv_rows(content, delimiter) if row]
        except csv.Error as error:
            raise csv_error(name, error, content, delimiter) from None
        del rows[0]
        refused = {}
        if not set(map(len, rows)) <= {width}:
            refused = {
                at: ragged_row(len(row), width) for at, row in enumerate(rows) if len(row) != width
            }
            for at in refused:
                rows[at] = [""] * width
        columns = {
            heading: Values(list(map(itemgetter(names.index(heading)), rows))) for heading in wanted
        }
        yield Chunk(columns, len(rows), lambda row: lines()[row], refused)

    table = InputTable(name, names, chunks, heading=heading, guarded=True)
    if len(content) > FIRST_LINES:
        table.beginning = lambda: begin_table(name, content, delimiter)
    return table


def begin_table(name: str, content: str, delimiter: str) -> InputTable | None:
    """The first lines of a text as a table; None if they are no table of their own."""
    end = content.rfind("\n", 0, FIRST_LINES) + 1
    try:
        table = csv_table(name, content[:end], delimiter)
        next(iter(table.chunks(())))
    except BadData:
        return None
    return table


def read_headings(
    name: str, content: str, delimiter: str | None
) -> tuple[list[str], int, str, int]:
    """The names of the columns, the line they stand in, the delimiter, and the lines read.

    The delimiter is, of the usual ones, the one that stands most often in the headings.
    """
    if not delimiter:
        start = content.lstrip("\r\n")
        ends = [at for at in (start.find("\n"), start.find("\r")) if at >= 0]
        outside = "".join(start[: min(ends, default=len(start))].split('"')[::2])
        delimiter = max(DELIMITERS, key=outside.count)
    reader = csv_rows(content, delimiter)
    row: list[str] = []
    line = 1
    try:
        while not row:
            line = reader.line_num + 1
            row = next(reader)
    except StopIteration:
        raise BadData(
            "the file is empty", file=name, remedy="begin the table with headings"
        ) from None
    except csv.Error as error:
        raise csv_error(name, error, content, delimiter) from None
    return check_headings(name, row, line), line, delimiter, reader.line_num


def check_headings(name: str, row: Sequence[str], line: int | None) -> list[str]:
    """The headings, unless two are the same or one is no text."""
    names = [heading.strip(BLANKS) for heading in row]
    seen: set[str] = set()
    for heading in names:
        if not heading.isascii() and is_not_utf8(heading):
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


def csv_error(name: str, error: Exception, content: str, delimiter: str) -> BadData:
    """The error of Python's CSV reader as BadData, with the line in which the row begins."""
    reader, line = csv_rows(content, delimiter), 1
    with suppress(csv.Error):
        for _ in reader:
            line = reader.line_num + 1
    message = str(error)
    what = next((ours for theirs, ours in CSV_ERRORS.items() if theirs in message), message)
    return BadData(what, file=name, line=line, remedy=OPEN_QUOTE)


def ragged_row(count: int, width: int) -> InvalidValue:
    """A row of the wrong length."""
    return InvalidValue(
        f"the row has {count} {'value' if count == 1 else 'values'}, the headings are {width}",
        "look for a missing or superfluous delimiter, or skip bad rows with "
        "skip_bad=True (--skip-bad)",
    )


# Large CSV files, read in one pass by compiled code.


BUFFER = 1 << 20  # bytes; larger ones leave the fast memory near the core
ROWS = 1 << 16  # rows found at a time
LINE_END = re.compile(rb"\r\n|\n|\r")
CUT = "unexpected end of data"  # in the words of Python's decoder
LARGEST = 1 << 28  # bytes of one row
BOM = b"\xef\xbb\xbf"
WRONG = {STRAY_QUOTE: STRAY, QUOTE_LEFT_OPEN: UNCLOSED, TOO_LONG: HUGE}


def scan_csv_table(stream: ByteStream, head: bytes, delimiter: str | None = None) -> InputTable:
    """A stream of bytes as a table, scanned chunk by chunk.

    `head` is how the stream begins; it is still in it.
    """
    name = stream.name
    refuse_binary(name, head)
    content = head.removeprefix(BOM).decode("utf-8", "surrogateescape")
    names, heading, delimiter, lines = read_headings(name, content, delimiter)
    ends = [found.end() for found in islice(LINE_END.finditer(head), lines)]
    stream.read(ends[-1] if len(ends) == lines else len(head))
    scan = _Scan(stream, delimiter, len(names), lines)

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in scan.chunks([names.index(column) for column in wanted], wanted):
            if not table.expected:
                table.expected = int(1.03 * stream.size() * scan.rows_a_byte)
            yield chunk

    table = InputTable(name, names, chunks, heading=heading, guarded=True)
    table.beginning = lambda: begin_table(name, content, delimiter)
    return table


class _Scan:
    """One pass over a file."""

    def __init__(self, stream: ByteStream, delimiter: str, width: int, lines: int) -> None:
        self.name, self.stream, self.width = stream.name, stream, width
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
            count = self.stream.readinto(view[self.high : room])
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
