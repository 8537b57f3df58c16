"""Columns of Arrow record batches, numbers as names, and rows that are games as they stand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.fields import Fields, HashedNames, as_fields, is_text, pad_bytes
from prowess.games.cells.loops import BATCH, LETTER_BYTE, loops
from prowess.games.columns import BLANKS, CellParser, Chunk, NameIndex, ParsedColumn, Values
from prowess.games.dates import MILLISECONDS, SECONDS, UNIT_OF
from prowess.games.errors import InvalidValue
from prowess.games.names import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.cells.validation import CellParsers
    from prowess.games.layout import Layout

    Texts = tuple[NDArray[np.uint8], NDArray[Any], NDArray[Any]]

# Whole numbers as the names of players: they are numbered as they are, and written on demand.


SMALL_NUMBERS = 1 << 24  # numbers below it are looked up in a row, whatever the players
SPREAD = 4  # and those below so many times the players
SLOTS = 1 << 12


class IntegerNames:
    """Gives whole numbers their ids, in order of first appearance."""

    are_plain = True

    def __init__(self, numbers: NDArray[np.int64] | None = None) -> None:
        keys = np.frombuffer(os.urandom(16), np.uint64).copy()
        keys[1] |= np.uint64(1)
        self.keys = keys
        self.place = np.zeros(SLOTS, np.uint32)  # empty: the numbers are not small
        self.table = np.zeros((2, 2), np.int64)
        self.known = np.empty(SLOTS, np.int64)
        self.state = np.zeros(1, np.int64)
        self.marks = np.empty(2 * BATCH, np.uint64)
        if numbers is not None and len(numbers):
            self.number(numbers[None, :])

    def __len__(self) -> int:
        return int(self.state[0])

    def takes(self, *columns: Any) -> bool:
        """Whether these columns hold whole numbers."""
        return all(getattr(column, "is_whole", False) for column in columns)

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the numbers of each column, row by row, earlier columns first."""
        numbers = [column.whole_numbers() for column in columns]
        return list(self.number(np.stack(numbers, dtype=np.int64)))

    def number(self, values: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The ids of numbers [columns, rows], row by row."""
        ids = np.empty(values.shape, np.uint32)
        row, rows = 0, values.shape[1]
        while True:
            row = loops().number(
                values, ids, row, self.keys, self.place, self.table, self.known, self.state,
                self.marks,
            )  # fmt: skip
            if row == rows:
                return ids
            self._grow(values[:, row : row + BATCH])

    def _grow(self, values: NDArray[np.int64]) -> None:
        count = len(self)
        if count + values.size > len(self.known):
            grown = np.empty(2 * len(self.known), np.int64)
            grown[:count] = self.known[:count]
            self.known = grown
        low, high = int(values.min()), int(values.max())
        if len(self.place) and not 0 <= low <= high < len(self.place):
            if low < 0 or high >= max(SMALL_NUMBERS, SPREAD * count):
                self.place = np.zeros(0, np.uint32)
            else:
                place = np.zeros(1 << (2 * high).bit_length(), np.uint32)
                place[: len(self.place)] = self.place
                self.place = place
        if not len(self.place) and 2 * (count + values.size) > len(self.table):
            size = max(SLOTS, 1 << (2 * (count + values.size)).bit_length())
            self.table = np.zeros((size, 2), np.int64)
            loops().place_again(self.known, count, self.keys, self.table)

    def find(self, name: str) -> int:
        """The id of a number, which is a new one where it was not known."""
        return int(self.number(np.array([[int(name)]]))[0, 0])

    def name(self, index: int) -> str:
        """The number of an id as text."""
        return str(self.known[index])

    def roster(self, start: int = 0, stop: int | None = None) -> Roster:
        """The numbers so far as texts, or those of some ids."""
        import pyarrow as pa

        stop = len(self) if stop is None else stop  # before the array: see `stream_state`
        known = self.known[start:stop]
        parts = [None, pa.py_buffer(known)]  # pa.array would import pandas
        texts = pa.Array.from_buffers(pa.int64(), len(known), parts).cast(pa.string())
        _, ends, content = texts.buffers()
        last = np.frombuffer(ends, np.int32)[1 : len(texts) + 1].astype(np.int64)
        held = b"" if content is None else content.to_pybytes()
        return Roster.from_buffer(held[: int(last[-1]) if len(last) else 0], last)


# Columns of Arrow record batches.


UNITS_A_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def arrow_chunks(batches: Iterable[Any], names: Sequence[str], before: int = 0) -> Iterator[Chunk]:
    """Record batches, whose columns are called `names`, as chunks; so many rows stand `before`."""
    for batch in batches:
        columns = {name: ArrowColumn(batch.column(at)) for at, name in enumerate(names)}
        yield Chunk(columns, batch.num_rows, lambda row, before=before: before + row + 1)  # type: ignore[misc]
        before += batch.num_rows


class ArrowColumn:
    """A column as Arrow holds it, converted to text or numbers on first use."""

    def __init__(self, array: Any) -> None:
        import pyarrow as pa

        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @property
    def lists(self) -> bool:
        """Whether a cell holds a list of names."""
        return self.cells.lists

    def select(self, keep: Any) -> ArrowColumn:
        """The column without some rows."""
        import pyarrow as pa

        bits = pa.py_buffer(np.packbits(keep, bitorder="little"))  # pa.array would import pandas
        return ArrowColumn(
            self.array.filter(pa.Array.from_buffers(pa.bool_(), len(keep), [None, bits]))
        )

    def cell(self, row: int) -> Any:
        """The cell, for a message."""
        try:
            value = self.array[row].as_py()
        except UnicodeDecodeError:
            return self.cells.cell(row)
        return value.strip(BLANKS) if isinstance(value, str) else value

    def parse(self, lookup: CellParser) -> ParsedColumn:
        """Parse the cells into numbers."""
        import pyarrow as pa

        kind, types = self.array.type, pa.types
        if types.is_string(kind) or types.is_large_string(kind):
            return self.cells.parse(lookup)
        missing: Any = np.zeros(len(self), np.bool_)
        if self.array.null_count:
            missing = self.array.is_null().to_numpy(zero_copy_only=False)
        if types.is_boolean(kind):
            values, odd = np.empty(len(self)), missing
            held = self.array.fill_null(False).to_numpy(zero_copy_only=False)
            for value in (False, True):
                try:
                    values[held == value] = lookup.parse(value)
                except InvalidValue:
                    odd = odd | (held == value)
        elif (types.is_date(kind) or types.is_timestamp(kind)) and lookup.looks == "date":
            values, odd = self._days(), missing
        elif (types.is_integer(kind) or types.is_floating(kind)) and lookup.looks != "word":
            return self._parse_numbers(lookup, missing)
        else:
            return self.values.parse(lookup)
        return self._parse_odd(
            lookup, values, np.flatnonzero(odd), np.arange(odd.sum(), dtype=np.int64)
        )

    def _parse_numbers(self, lookup: CellParser, missing: Any) -> ParsedColumn:
        held = self._numbers()
        held[missing] = np.nan
        lookup.numbers_met = True
        odd = np.flatnonzero(_unusual(held, lookup))
        values = held
        if lookup.looks == "date":
            seconds = held < SECONDS[1]
            values = held / np.where(seconds, UNIT_OF["seconds"], UNIT_OF["milliseconds"])
        _, group = np.unique(held[odd], return_inverse=True)
        return self._parse_odd(lookup, values, odd, group)

    def _parse_odd(self, lookup: CellParser, values: Any, odd: Any, group: Any) -> ParsedColumn:
        """Look with care at the `odd` rows, once at each `group` of equal cells."""
        _, first = np.unique(group, return_index=True)
        meant = np.empty(len(first))
        refused: dict[int, InvalidValue] = {}
        for at, row in enumerate(odd[first].tolist()):
            try:
                meant[at] = lookup.parse(self.cell(row))
            except InvalidValue as refusal:
                meant[at] = np.nan
                refused[at] = refusal
        values[odd] = meant[group]
        if not refused:
            return ParsedColumn(values, {})
        pairs = zip(odd.tolist(), group.tolist(), strict=True)
        return ParsedColumn(values, {row: refused[at] for row, at in pairs if at in refused})

    def name_errors(self) -> Mapping[int, InvalidValue]:
        """The rows whose cell cannot be a name, and why."""
        return self.cells.name_errors()

    def equals(self, other: Any) -> Any:
        """The rows in which both columns hold the same name."""
        return self.fields().equals(other)

    def winners(self, a: Any, b: Any, lookup: CellParser, outcomes: Any) -> ParsedColumn:
        """The score of the first side, where this column names the winner."""
        return self.fields().winners(a, b, lookup, outcomes)

    def interner(self, roster: Roster, other: Any = None) -> HashedNames | IntegerNames:
        """Something that numbers such columns and goes on from a roster.

        Whole numbers stay numbers where the `other` column of players holds such as well.
        """
        if not len(roster) and self.is_whole and getattr(other, "is_whole", False):
            return IntegerNames()
        return HashedNames(roster)

    @property
    def is_whole(self) -> bool:
        """Whether the cells are whole numbers of at most 64 bits with a sign."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.array.type) and self.array.type != pa.uint64())

    def whole_numbers(self) -> NDArray[np.integer[Any]]:
        """The cells of a column of whole numbers, none of them missing."""
        return view_numbers(self.array)

    def plain_floats(self) -> NDArray[np.float64] | None:
        """The numbers of a column of floats without gaps; None for another."""
        import pyarrow as pa

        if self.array.null_count or not pa.types.is_floating(self.array.type):
            return None
        return view_numbers(self.array).astype(np.float64, copy=False)

    def plain_days(self) -> NDArray[np.float64] | None:
        """The days of a column of dates or moments without gaps; None for another."""
        import pyarrow as pa

        kind, types = self.array.type, pa.types
        if self.array.null_count or not (types.is_date(kind) or types.is_timestamp(kind)):
            return None
        return self._days()

    def texts(self) -> tuple[NDArray[Any], NDArray[np.uint8]] | None:
        """Where the cells of a column of texts end in a buffer, and the buffer; None for another.

        The first end is where the first cell begins.
        """
        import pyarrow as pa

        array, types = self.array, pa.types
        large = types.is_large_string(array.type)
        if not (large or types.is_string(array.type)):
            return None
        _, ends, content = array.buffers()
        places = np.frombuffer(ends, np.int64 if large else np.int32)
        held = np.empty(0, np.uint8) if content is None else np.frombuffer(content, np.uint8)
        return places[array.offset : array.offset + len(array) + 1], held

    def fields(self) -> Fields:
        """The cells as bytes; what cannot be a name is empty."""
        return as_fields(self.cells)

    def _numbers(self) -> Any:
        array = self.array.fill_null(0) if self.array.null_count else self.array
        return np.array(view_numbers(array), np.float64)

    def _days(self) -> NDArray[np.float64]:
        """Days since 1970 of dates and moments; a moment with a zone is held as UTC."""
        import pyarrow as pa

        kind = self.array.type
        array = self.array.fill_null(0) if self.array.null_count else self.array
        if pa.types.is_date32(kind):
            whole = view_numbers(array.view(pa.int32()))
            return whole.astype(np.float64)
        unit = UNITS_A_DAY["ms"] if pa.types.is_date64(kind) else UNITS_A_DAY[kind.unit]
        count = view_numbers(array.view(pa.int64()))
        day = count // unit
        return np.asarray(day + (count - day * unit) / unit, np.float64)

    @cached_property
    def values(self) -> Values:
        """The cells as Python values."""
        return Values(self.array.to_pylist())

    @cached_property
    def cells(self) -> Fields | Values:
        """The cells as bytes, where they are text or whole numbers; else as Python values."""
        import pyarrow as pa

        array, types = self.array, pa.types
        if types.is_integer(array.type):
            array = array.cast(pa.string())
        large = types.is_large_string(array.type)
        if not (large or types.is_string(array.type)):
            return self.values
        array = array.fill_null("") if array.null_count else array
        _, ends, content = array.buffers()
        places = np.frombuffer(ends, np.int64 if large else np.int32)
        places = places[array.offset : array.offset + len(array) + 1]
        low, high = (int(places[0]), int(places[-1])) if len(places) else (0, 0)
        text = b"" if content is None else content[low:high].to_pybytes()
        begin = (places[:-1] - low).astype(np.int32)
        length = np.diff(places).astype(np.int32)
        data = pad_bytes(text)
        loops().trim(data, begin, length)
        return Fields(data, begin, length, valid=text.isascii(), is_ascii=text.isascii())


def view_numbers(array: Any) -> NDArray[Any]:
    """The numbers of a column without gaps as they stand in memory.

    The `to_numpy` of Arrow imports pandas, which takes longer than a small file.
    """
    return np.from_dlpack(array)


def _unusual(values: Any, lookup: CellParser) -> Any:
    """The numbers that have to be looked at with more care."""
    if lookup.looks == "score":
        return ~((values >= 0.0) & (values <= 1.0))
    if lookup.looks == "positive":
        return ~((values > 0.0) & np.isfinite(values))
    if lookup.looks == "date":
        seconds = (values >= SECONDS[0]) & (values < SECONDS[1])
        return ~(seconds | ((values >= MILLISECONDS[0]) & (values < MILLISECONDS[1])))
    return ~np.isfinite(values)


# Rows that are games as they stand: two names, a score from 0 to 1, a moment.


def read_plain_scores(
    columns: Mapping[str, Any], layout: Layout, parsers: CellParsers
) -> dict[str, NDArray[np.float64]] | None:
    """The scores of rows, and their times where there are any; None where a cell needs a look."""
    found: dict[str, NDArray[np.float64]] = {}
    for name, role, looks in (("score", "result", "score"), ("time", "time", "date")):
        if (heading := getattr(layout, role)) is None:
            continue
        column, values = columns[heading], None
        if isinstance(column, ArrowColumn):
            values = column.plain_days() if role == "time" else column.plain_floats()
        elif isinstance(column, Fields) and parsers[role, heading].looks == looks:
            values = column.plain_numbers(looks)
        if values is None:
            return None
        found[name] = values
    score = found["score"]
    return found if bool(np.all((score >= 0.0) & (score <= 1.0))) else None


def number_plain_names(names: NameIndex, a: Any, b: Any) -> Sequence[NDArray[np.uint32]] | None:
    """The ids [2, rows] of the players of rows; None where a name needs a look."""
    columns = a, b
    if isinstance(names, IntegerNames):
        whole = all(isinstance(each, ArrowColumn) and not each.array.null_count for each in columns)
        return names.ids(a, b) if whole else None
    if not isinstance(names, HashedNames):
        return None
    texts = [found for each in columns if (found := find_plain_texts(each)) is not None]
    if len(texts) < len(columns):
        return None
    content, begins, stops = zip(*texts, strict=True)
    places = np.result_type(*stops)  # a column of large strings has wider ones
    begins = tuple(each.astype(places, copy=False) for each in begins)
    stops = tuple(each.astype(places, copy=False) for each in stops)
    return list(names.number(content, begins, stops))


def find_plain_texts(column: Any) -> Texts | None:
    """The bytes of a column of texts, where its cells begin and where they end; None where a text
    is no name as it stands.
    """
    if isinstance(column, Fields):
        begin, stop = column.begin, column.begin + column.length
        fine = column.valid and loops().are_names(column.data, begin, stop)
        return (column.data, begin, stop) if fine else None
    if not isinstance(column, ArrowColumn) or column.array.null_count:
        return None
    if (texts := column.texts()) is None:
        return None
    ends, content = texts
    if not loops().are_names(content, ends[:-1], ends[1:]):
        return None
    own = content[int(ends[0]) : int(ends[-1])] if len(ends) else content[:0]
    if own.max(initial=0) >= LETTER_BYTE and not is_text(own):
        return None
    return content, ends[:-1], ends[1:]
