"""Columns of Arrow record batches, for the fast reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from prowess.games.cells import BLANKS, Chunk, Judged, Lookup, Values
from prowess.games.dates import MILLISECONDS, SECONDS, UNITS
from prowess.games.fields import Fields, HashedNames, as_fields, padded
from prowess.games.loops import loops
from prowess.games.refusal import Refusal
from prowess.games.roster import Roster

DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def arrow_chunks(batches: Iterable[Any], names: Sequence[str]) -> Iterator[Chunk]:
    """Record batches, whose columns are called `names`, as chunks."""
    before = 0
    for batch in ahead(iter(batches)):
        columns = {name: ArrowColumn(batch.column(at)) for at, name in enumerate(names)}
        yield Chunk(columns, batch.num_rows, lambda row, before=before: before + row + 1)  # type: ignore[misc]
        before += batch.num_rows


def ahead(items: Iterator[Any]) -> Iterator[Any]:
    """The same items, each made while the one before it is used."""
    with ThreadPoolExecutor(1) as worker:
        following = worker.submit(next, items, None)
        while (item := following.result()) is not None:
            following = worker.submit(next, items, None)
            yield item


class ArrowColumn:
    """A column as Arrow holds it, looked at as text or as numbers when somebody asks."""

    def __init__(self, array: Any) -> None:
        import pyarrow as pa

        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def taken(self, keep: Any) -> ArrowColumn:
        """The same column, some rows left out."""
        import pyarrow as pa

        return ArrowColumn(self.array.filter(pa.array(keep)))

    def shown(self, row: int) -> Any:
        """The cell, for a message."""
        try:
            value = self.array[row].as_py()
        except UnicodeDecodeError:
            return self.cells.shown(row)
        return value.strip(BLANKS) if isinstance(value, str) else value

    def judged(self, lookup: Lookup) -> Judged:
        """What the cells mean."""
        import pyarrow as pa

        kind, types = self.array.type, pa.types
        if types.is_string(kind) or types.is_large_string(kind):
            return self.cells.judged(lookup)
        missing: Any = np.zeros(len(self), np.bool_)
        if self.array.null_count:
            missing = self.array.is_null().to_numpy(zero_copy_only=False)
        if types.is_boolean(kind):
            values, odd = np.empty(len(self)), missing
            held = self.array.fill_null(False).to_numpy(zero_copy_only=False)
            for value in (False, True):
                try:
                    values[held == value] = lookup.parse(value)
                except Refusal:
                    odd = odd | (held == value)
        elif (types.is_date(kind) or types.is_timestamp(kind)) and lookup.looks == "date":
            values, odd = self._days(), missing
        elif (types.is_integer(kind) or types.is_floating(kind)) and lookup.looks != "word":
            return self._judged_numbers(lookup, missing)
        else:
            return self.values.judged(lookup)
        return self._parsed(lookup, values, np.flatnonzero(odd), np.arange(odd.sum()))

    def _judged_numbers(self, lookup: Lookup, missing: Any) -> Judged:
        held = self._numbers()
        held[missing] = np.nan
        lookup.numbers_met = True
        odd = np.flatnonzero(_unusual(held, lookup))
        values = held
        if lookup.looks == "date":
            seconds = held < SECONDS[1]
            values = held / np.where(seconds, UNITS["seconds"], UNITS["milliseconds"])
        _, group = np.unique(held[odd], return_inverse=True)
        return self._parsed(lookup, values, odd, group)

    def _parsed(self, lookup: Lookup, values: Any, odd: Any, group: Any) -> Judged:
        """Look with care at the `odd` rows, once at each `group` of equal cells."""
        _, first = np.unique(group, return_index=True)
        meant = np.empty(len(first))
        refused: dict[int, Refusal] = {}
        for at, row in enumerate(odd[first].tolist()):
            try:
                meant[at] = lookup.parse(self.shown(row))
            except Refusal as refusal:
                meant[at] = np.nan
                refused[at] = refusal
        values[odd] = meant[group]
        if not refused:
            return Judged(values, {})
        pairs = zip(odd.tolist(), group.tolist(), strict=True)
        return Judged(values, {row: refused[at] for row, at in pairs if at in refused})

    def unnamed(self) -> Mapping[int, Refusal]:
        """The rows whose cell cannot be a name, and why."""
        return self.cells.unnamed()

    def equals(self, other: Any) -> Any:
        """The rows in which both columns hold the same name."""
        return self.fields().equals(other)

    def winners(self, a: Any, b: Any, lookup: Lookup, outcomes: Any) -> Judged:
        """As of `Fields`."""
        return self.fields().winners(a, b, lookup, outcomes)

    def interner(self, roster: Roster) -> HashedNames:
        """Something that numbers such columns and goes on from a roster."""
        return HashedNames(roster)

    def fields(self) -> Fields:
        """The cells as bytes; what cannot be a name is empty."""
        return as_fields(self.cells)

    def _numbers(self) -> Any:
        array = self.array.fill_null(0) if self.array.null_count else self.array
        return np.array(array.to_numpy(zero_copy_only=False), np.float64)

    def _days(self) -> Any:
        """Days since 1970 of dates and moments; a moment with a zone is held as UTC."""
        import pyarrow as pa

        kind = self.array.type
        if pa.types.is_date32(kind):
            whole = self.array.fill_null(0).cast(pa.int32()).to_numpy(zero_copy_only=False)
            return whole.astype(np.float64)
        unit = DAY["ms"] if pa.types.is_date64(kind) else DAY[kind.unit]
        count = self.array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        day, rest = np.divmod(count, unit)
        return day + rest / unit

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
        data = padded(text)
        loops().trim(data, begin, length)
        return Fields(data, begin, length, valid=text.isascii(), is_ascii=text.isascii())


def _unusual(values: Any, lookup: Lookup) -> Any:
    """The numbers that have to be looked at with more care."""
    if lookup.looks == "score":
        return ~((values >= 0.0) & (values <= 1.0))
    if lookup.looks == "positive":
        return ~((values > 0.0) & np.isfinite(values))
    if lookup.looks == "date":
        seconds = (values >= SECONDS[0]) & (values < SECONDS[1])
        return ~(seconds | ((values >= MILLISECONDS[0]) & (values < MILLISECONDS[1])))
    return ~np.isfinite(values)
