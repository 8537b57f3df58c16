"""Delimited text (CSV and similar): dialects, headings and rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.fields import Fields, is_text
from prowess.games.cells.loops import loops
from prowess.games.cells.scanner import (
    LF,
    OPEN_QUOTE as QUOTE_LEFT_OPEN,
    PADDING,
    STRAY_QUOTE,
    TOO_LONG,
)
from prowess.games.columns import BLANKS, Chunk, InputTable, Values
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.encodings import (
    SAMPLE_LINES,
    Dialect,
    csv_error,
    csv_rows,
    decode_guessed,
    find_dialect,
    is_usual,
    is_utf8,
    numbered_rows,
    read_headings,
    refuse_binary,
    sample_lines,
)
from prowess.games.formats.heading_rows import (
    QUESTIONED,
    SUMMED,
    check_headings,
    count_questions,
    ragged_row,
)
from prowess.games.formats.sources import FAST_FROM_BYTES, ReaderSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray


FIRST_LINES = 1 << 18  # letters of a long table in which the kinds of its columns show
HEADING_BYTES = 1 << 16  # bytes in which the headings of a large file end


def read_csv(
    stream: ByteStream, settings: ReaderSettings, delimiter: str | None = None
) -> InputTable:
    """A CSV file as a table; a long one is scanned by compiled code, where there is a compiler."""
    delimiter = delimiter or settings.delimiter
    usual = delimiter is None or (len(delimiter) == 1 and delimiter.isascii())
    if settings.compiled is not False and settings.encoding is None and usual:
        at_once = settings.compiled or settings.long
        least = 0 if at_once else FAST_FROM_BYTES
        head = stream.look(least + HEADING_BYTES)
        if at_once or len(head) > least:
            from prowess.compile import kernel

            if kernel.available() and is_utf8(head) and _begins_plain(head, delimiter):
                return scan_csv_table(stream, head, delimiter)
    text, notes = decode_guessed(stream.name, stream.readall(), settings.encoding)
    table = csv_table(stream.name, text, delimiter)
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _begins_plain(head: bytes, delimiter: str | None) -> bool:
    """Whether a file begins with headings and rows that the compiled reader takes."""
    content = head[:HEADING_BYTES].removeprefix(BOM).decode("utf-8", "surrogateescape")
    dialect = find_dialect(content, delimiter)
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(islice(filter(None, csv_rows(content, dialect.delimiter)), SAMPLE_LINES))
    odd = any('"' in name for row in rows[:1] for name in row)  # a quote is missing
    return not dialect.above and is_plain(rows[:1]) and not odd and not count_questions(rows)


def read_tsv(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """A file with tabs between the values as a table."""
    return read_csv(stream, settings, "\t")


def csv_table(name: str, content: str, delimiter: str | None = None) -> InputTable:
    """A text as a table; raises BadData for what has no rows and columns.

    Where the first row is no row of headings, or rows are not alike, it is read as a grid.
    """
    dialect = find_dialect(content, delimiter)
    delimiter = dialect.delimiter
    rows, broken = list[list[str]](), False
    try:
        rows.extend(filter(None, csv_rows(content, delimiter)))
    except csv.Error:  # said when rows are read
        broken = True
    if len(rows) <= dialect.above:
        if broken:
            raise csv_error(name, content, delimiter)
        raise BadData.of("empty_file.headings", file=name)
    width = len(rows[dialect.above])
    # lines of sentences hold the delimiter unequally often
    if width == 1 or len({line.count(delimiter) for line in sample_lines(content)}) > 1:
        from prowess.games.formats.grids import aligned_grid, grid_table
        from prowess.games.formats.transcripts import typed_table

        if (typed := typed_table(name, content, width == 1)) is not None:
            return typed
        aligned = width == 1 and not is_usual(content, delimiter)
        if aligned and (grid := aligned_grid(name, content)) is not None:
            return grid_table(grid)
    if not broken and (dialect.above or not is_plain(rows)):
        return _csv_grid(name, content, dialect)
    first = 1 + count_questions(rows)
    heading = 1 + dialect.above + len(content[: -len(content.lstrip("\r\n"))].splitlines())
    names = check_headings(name, rows[dialect.above], heading)

    @cache
    def lines() -> list[int]:
        """The line in which each row begins."""
        return [line for line, cells in numbered_rows(content, delimiter) if cells][first:]

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        if broken:
            raise csv_error(name, content, delimiter)
        body = rows[first:]
        columns = {
            heading: Values([*map(itemgetter(names.index(heading)), body)]) for heading in wanted
        }
        yield Chunk(columns, len(body), lambda row: lines()[row])

    notes = (QUESTIONED,) if first > 1 else ()
    return InputTable(name, names, chunks, heading=heading, guarded=True, notes=notes)


def begin_table(name: str, content: str, delimiter: str) -> InputTable | None:
    """A text as a table; None if it is no table of its own."""
    try:
        table = csv_table(name, content, delimiter)
        next(iter(table.chunks(())))
    except BadData:
        return None
    return table


def is_plain(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row looks like headings and each other like a row of cells under them."""
    if not rows:
        return True
    head = rows[0]
    width = len(head)
    cells = [cell.strip(BLANKS) for cell in head]
    if (
        width < 2
        or not all(cells[1:])
        or len(set(cells)) < width
        or any(cell[:1].isdigit() for cell in cells)
        or rows.count(head) > 1
    ):
        return False
    few = width - 1 if width > 2 else width
    return (
        not any(row.count("") >= few or len(row) != width for row in rows)
        and not any(
            row[0][:1] in {"(", "["} or row[0][:12].strip(BLANKS).casefold() in SUMMED
            for row in (rows[-1], *rows[1:2])
        )
        and not ("" in rows[-1] and _ends_in_totals(rows))
    )


def _ends_in_totals(rows: Sequence[Sequence[str]]) -> bool:
    from prowess.games.formats.grid_rows import PlacedRow, is_total

    return is_total(rows[-1], [PlacedRow.of(0, row) for row in rows[1:-1]])


def _csv_grid(name: str, content: str, dialect: Dialect) -> InputTable:
    """A text whose first row is no row of headings, or whose rows are not alike, as a table."""
    from prowess.games.formats.grids import Grid, grid_table

    rows = [*numbered_rows(content, dialect.delimiter)][dialect.above :]
    grid = Grid(
        name, [cells for _, cells in rows], [line for line, _ in rows], delimited=True, guarded=True
    )
    return grid_table(grid)


# Large CSV files, read in one pass by compiled code.


CSV_BUFFER = 1 << 22  # bytes; smaller ones cost more calls a row
ROWS_AT_A_TIME = 1 << 18  # rows found at a time
READY = 3  # chunks of rows that are found ahead of their use
LINE_END = re.compile(rb"\r\n|\n|\r")
LARGEST_ROW = 1 << 28  # bytes of one row
BOM = b"\xef\xbb\xbf"
WRONG = {
    STRAY_QUOTE: "broken_quotes.stray",
    QUOTE_LEFT_OPEN: "broken_quotes.unclosed",
    TOO_LONG: "broken_quotes.huge",
}


def scan_csv_table(stream: ByteStream, head: bytes, delimiter: str | None = None) -> InputTable:
    """A stream of bytes as a table, scanned chunk by chunk.

    `head` is how the stream begins; it is still in it.
    """
    name = stream.name
    refuse_binary(name, head)
    content = head.removeprefix(BOM).decode("utf-8", "surrogateescape")
    delimiter = find_dialect(content, delimiter).delimiter
    names, heading, lines = read_headings(name, content, delimiter)
    ends = [found.end() for found in islice(LINE_END.finditer(head), lines)]
    names = check_headings(name, names, heading)
    size = len(head) - len(stream.read(ends[-1] if len(ends) == lines else len(head)))

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        from prowess.games.formats.byte_streams import run_ahead

        scan = _Scan(stream, delimiter, len(names), lines)
        make = partial(scan.chunks, [names.index(column) for column in wanted], wanted)
        own = stream.path is not None  # the caller may go on with another stream
        for found in run_ahead([make], 1, READY) if own else [make()]:
            for chunk in found:
                if not table.expected:
                    table.expected = int(1.03 * stream.size() * scan.rows_a_byte)
                yield chunk

    table = InputTable(name, names, chunks, heading=heading, guarded=True, once=True)
    beginning = content[:FIRST_LINES]  # the table may be held long after the file is read
    if len(beginning) < len(content) or len(stream.look(size + 1)) > size:
        beginning = beginning[: max(map(beginning.rfind, "\r\n")) + 1]
    table.beginning = lambda: begin_table(name, beginning, delimiter)
    return table


class _Scan:
    """One pass over a file, which a thread makes while the cells before are used."""

    def __init__(self, stream: ByteStream, delimiter: str, width: int, lines: int) -> None:
        self.name, self.stream, self.width = stream.name, stream, width
        self.delimiter = ord(delimiter)
        self.lines = lines  # taken so far
        self.rows_a_byte = 0.0
        self.data = np.empty(PADDING, np.uint8)
        self.ends = np.empty(CSV_BUFFER, np.int32)
        self.low = self.high = 0  # what is in the buffer and not yet taken
        self.final = False
        self.count = self.used = 0  # cells that end in the buffer, and those of them taken
        self.odd = False  # whether quotes stand elsewhere than around whole cells
        self.valid = True  # whether all in the buffer is UTF-8
        self.is_ascii = True

    def chunks(self, wanted: Sequence[int], names: Sequence[str]) -> Iterator[Chunk]:
        """The rows after the headings."""
        slots = np.full(self.width, -1, np.int64)
        for slot, column in enumerate(wanted):
            slots[column] = slot
        begin = np.zeros((max(len(wanted), 1), ROWS_AT_A_TIME), np.int32)
        length = np.zeros_like(begin)
        line, wrong = np.zeros(ROWS_AT_A_TIME, np.int64), np.zeros(ROWS_AT_A_TIME, np.int64)
        while not self.final:
            self._fill()
            rows = ROWS_AT_A_TIME
            while rows == ROWS_AT_A_TIME:
                before = self.lines
                rows, fault = self._scan(slots, begin, length, line, wrong)
                if rows:
                    cells = begin[:, :rows].copy(), length[:, :rows].copy()
                    yield self._chunk(names, cells, line[:rows] + before + 1, wrong[:rows])
                if fault:
                    raise BadData.of(WRONG[fault], file=self.name, line=self.lines + 1)

    def _scan(self, slots: Any, begin: Any, length: Any, line: Any, wrong: Any) -> tuple[int, int]:
        """Find rows; returns how many, and what is wrong with the one after them."""
        state = np.zeros(5, np.int64)
        found = (slots, begin, length, line, wrong, state)
        window = (self.data, self.low, self.high, self.final)
        if not self.odd:
            ends = self.ends[self.used :]
            loops().split(*window, ends, self.count - self.used, self.delimiter, *found)
            rows, taken, lines, fault, used = state.tolist()
            self.used += used
        else:
            loops().scan(*window, self.delimiter, *found)
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
        left, room = self.high - self.low, len(self.ends)
        if left == room:  # not one row fits
            if room >= LARGEST_ROW:
                raise BadData.of("row_too_long", file=self.name, line=self.lines + 1)
            room *= 2
            self.ends = np.empty(room, np.int32)
        data = np.empty(room + PADDING, np.uint8)  # cells of chunks before are in the other one
        data[:left] = self.data[self.low : self.high]
        self.data, self.low, self.high = data, 0, left
        view = memoryview(data)  # type: ignore[arg-type]
        while self.high < room:
            count = self.stream.readinto(view[self.high : room])
            self.high += count
            if not count:
                self.final = True
                break
        data[self.high] = LF
        state = np.zeros(4, np.int64)
        loops().mark(data, self.high, self.delimiter, self.final, self.ends, state)
        self.count, self.used = int(state[0]), 0
        self.odd, self.is_ascii, has_nul = map(bool, state[1:].tolist())
        if has_nul:
            refuse_binary(self.name, view[: self.high].tobytes(), self.lines)
        self.valid = self.is_ascii or is_text(data[: self.high], self.final)
