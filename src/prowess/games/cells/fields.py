"""Columns that are bytes in a buffer, and names numbered by compiled code."""

from __future__ import annotations

import os
from codecs import utf_8_decode
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.cells.loops import NAMES_A_BATCH, loops
from prowess.games.cells.scanner import PADDING
from prowess.games.columns import (
    CellParser,
    Looks,
    Mask,
    ParsedColumn,
    Values,
    is_not_utf8,
    not_a_name,
)
from prowess.games.errors import FallBackToSlowReader, InvalidValue
from prowess.games.names import Roster, normal_name
from prowess.games.values import plain_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Places = NDArray[np.int32]


BLANK_HEADS = (0xC2A0, 0xE19A, 0xE280, 0xE281, 0xE380)  # how blanks begin that are not ASCII


class Fields:
    """A column of cells in a buffer: cell i is `length[i]` bytes from `begin[i]` on."""

    lists = False  # no cell holds several names

    def __init__(
        self,
        data: NDArray[np.uint8],
        begin: Places,
        length: Places,
        valid: bool,
        is_ascii: bool = False,
    ) -> None:
        self.data, self.begin, self.length = data, begin, length
        self.valid = valid  # whether all of it is known to be UTF-8
        self.is_ascii = is_ascii  # and to be ASCII

    def __len__(self) -> int:
        return len(self.begin)

    def select(self, keep: Mask) -> Fields:
        """The column without some rows."""
        return Fields(self.data, self.begin[keep], self.length[keep], self.valid, self.is_ascii)

    def cell(self, row: int) -> str:
        """The cell as text; bytes that are not UTF-8 stay in it, marked as such."""
        start = int(self.begin[row])
        cell = self.data[start : start + int(self.length[row])]
        return cell.tobytes().decode("utf-8", "surrogateescape")

    def parse(self, lookup: CellParser) -> ParsedColumn:
        """Parse the cells into numbers: common forms by compiled code, others by the lookup."""
        values, odd = self._numbers(lookup.looks)
        if lookup.looks not in {"date", "word"}:
            lookup.numbers_met = lookup.numbers_met or not odd.all()
            if lookup.looks == "score":
                odd |= (values < 0.0) | (values > 1.0)
            elif lookup.looks == "positive":
                odd |= values <= 0.0
        if not odd.any():
            return ParsedColumn(values, {})
        rows = np.flatnonzero(odd)
        if lookup.seen is None:
            lookup.seen = Texts()
        texts, ids = lookup.seen.texts(self.select(odd))
        meant = np.array([lookup[text] for text in texts])
        values[rows] = meant[ids]
        wrong = rows[np.isnan(values[rows])].tolist()
        return ParsedColumn(values, {row: lookup.refused[self.cell(row)] for row in wrong})

    def _numbers(self, looks: Looks) -> tuple[Floats, Mask]:
        """The numbers of the cells, and which need a look."""
        values, odd = np.empty(len(self)), np.ones(len(self), np.bool_)
        if looks == "date":
            loops().days(self.data, self.begin, self.length, values, odd)
        elif looks != "word":
            loops().numbers(self.data, self.begin, self.length, values, odd)
        return values, odd

    def plain_numbers(self, looks: Looks) -> Floats | None:
        """The numbers of the cells; None where one needs a look."""
        values, odd = self._numbers(looks)
        return None if odd.any() else values

    def name_errors(self) -> dict[int, InvalidValue]:
        """The rows whose cell cannot be a name, and why."""
        empty = np.flatnonzero(self.length == 0).tolist()
        wrong = dict.fromkeys(empty, not_a_name("")) if empty else {}
        if not self.valid:
            for row in range(len(self)):
                if is_not_utf8(self.cell(row)):
                    wrong[row] = InvalidValue.of("not_utf_8.name")
        if not self.is_ascii:
            head = self.data[self.begin].astype(np.int64) << 8 | self.data[self.begin + 1]
            for row in np.flatnonzero(np.isin(head, BLANK_HEADS)).tolist():
                if row not in wrong and not normal_name(cell := self.cell(row)):
                    wrong[row] = not_a_name(cell)
        return wrong

    def equals(self, other: Any) -> Mask:
        """The rows in which both columns hold the same name."""
        other = as_fields(other)
        equal = np.empty(len(self), np.bool_)
        loops().same(
            self.data, self.begin, self.length, other.data, other.begin, other.length, equal
        )
        return equal

    def winners(self, a: Any, b: Any, lookup: CellParser, outcomes: Any) -> ParsedColumn:
        """The score of the first side, where this column names the winner by name or by side.

        Raises FallBackToSlowReader where a player's name is also a word for an outcome, unless such
        names count as names so far; and where those before would count otherwise.
        """
        won, lost = self.equals(a), self.equals(b)
        named = (won | lost) & (self.length > 0)
        values, all_named = np.where(won, 1.0, 0.0), bool(named.all())
        names = outcomes.winner_names
        if names.judged and names.prevail and all_named:
            return ParsedColumn(values, {})
        if named.any():
            if lookup.names is None:
                lookup.names = Texts()
            known = len(lookup.names)
            texts, ids = lookup.names.texts(self.select(named))
            new = range(known, len(texts))
            lookup.doubtful += [at for at in new if plain_form(texts[at]) in outcomes.winners]
            if lookup.doubtful and np.isin(ids, lookup.doubtful).any():
                raise FallBackToSlowReader
        names.note_winners(words=not all_named, names=bool(named.any()))
        if names.overturned:
            raise FallBackToSlowReader
        if all_named:
            return ParsedColumn(values, {})
        rows = np.flatnonzero(~named)
        by_word, wrong = self.select(~named).parse(lookup)
        values[rows] = by_word
        return ParsedColumn(values, {int(rows[at]): refusal for at, refusal in wrong.items()})

    def interner(self, roster: Roster, other: Any = None) -> HashedNames:
        """Something that numbers such columns and goes on from a roster."""
        return HashedNames(roster)


def as_fields(column: Any) -> Fields:
    """Any column as bytes in a buffer."""
    if isinstance(column, Fields):
        return column
    if not isinstance(column, Values):
        return column.fields()  # type: ignore[no-any-return]
    cells = [name.encode("utf-8", "surrogateescape") for name in column.names]
    return join_cells(cells)


def join_cells(cells: list[bytes]) -> Fields:
    """Cells one after the other in a buffer."""
    length = np.fromiter(map(len, cells), np.int32, len(cells))
    begin = np.zeros(len(cells), np.int32)
    np.cumsum(length[:-1], out=begin[1:], dtype=np.int32)
    return Fields(pad_bytes(b"".join(cells)), begin, length, True)


def pad_bytes(content: bytes) -> NDArray[np.uint8]:
    """Bytes that the loops may read a little beyond."""
    data = np.zeros(len(content) + PADDING, np.uint8)
    data[: len(content)] = np.frombuffer(content, np.uint8)
    return data


LARGE = 1 << 22  # slots of a table, which from here on grows by 2 and not by 4


class HashedNames:
    """Gives names their ids by a table of hashes; the names stand in one buffer."""

    are_plain = False

    def __init__(self, roster: Roster | None = None, slots: int = 1 << 16) -> None:
        keys = np.frombuffer(os.urandom(32), np.uint64).copy()
        keys[2:] |= np.uint64(1)  # odd numbers can be divided by again: nothing is lost
        self.keys = keys
        self.table = np.zeros((slots, 2), np.uint64)
        self.names = np.empty(1 << 16, np.uint8)
        self.ends = np.empty(1 << 12, np.int64)
        self.state = np.zeros(2, np.int64)
        self.marks = np.empty((NAMES_A_BATCH * 2, 2), np.uint64)
        if roster is not None and len(roster):
            ends = roster.ends.astype(np.int32)
            begin = np.concatenate((np.zeros(1, np.int32), ends[:-1]))
            self.ids(Fields(pad_bytes(roster.buffer), begin, ends - begin, True))

    def __len__(self) -> int:
        return int(self.state[0])

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the names of each column, row by row, earlier columns first."""
        fields = [as_fields(column) for column in columns]
        places = [(each.begin, each.begin + each.length) for each in fields]
        return list(self.number([each.data for each in fields], *zip(*places, strict=True)))

    def number(
        self, data: Sequence[NDArray[np.uint8]], begin: Sequence[Places], stop: Sequence[Places]
    ) -> NDArray[np.uint32]:
        """The ids [columns, rows] of cells, row by row, each column of a buffer of its own."""
        ids = np.empty((len(data), len(begin[0])), np.uint32)
        columns = tuple(data), tuple(begin), tuple(stop)
        row = 0
        while True:
            row = loops().intern(
                *columns, ids, row, self.keys, self.table, self.names, self.ends, self.state,
                self.marks,
            )  # fmt: skip
            if row == ids.shape[1]:
                return ids
            batch = slice(row, row + NAMES_A_BATCH)
            sizes = (b[batch] - a[batch] for a, b in zip(begin, stop, strict=True))
            self._grow(sum(int(each.sum()) for each in sizes))

    def _grow(self, size: int) -> None:
        known, used = self.state.tolist()
        batch = len(self.marks)
        if 2 * (known + batch) > len(self.table):
            by = 4 if len(self.table) < LARGE else 2
            table = np.zeros((len(self.table) * by, 2), np.uint64)
            loops().rehash(self.table, table)
            self.table = table
        if known + batch > len(self.ends):
            self.ends = grow_array(self.ends, known, known + batch)
        if used + size + 8 > len(self.names):
            self.names = grow_array(self.names, used, used + size + 8)

    def takes(self, *columns: Any) -> bool:
        """True: any columns can be numbered."""
        return True

    def find(self, name: str) -> int:
        """The id of a name, which is a new one where it was not known."""
        return int(self.ids(join_cells([name.encode()]))[0][0])

    def name(self, index: int) -> str:
        """The name of an id."""
        return self.roster(index, index + 1)[0]

    def roster(self, start: int = 0, stop: int | None = None) -> Roster:
        """The names so far, or those of some ids."""
        known = int(self.state[0]) if stop is None else stop
        low, high = (int(self.ends[at - 1]) if at else 0 for at in (start, max(known, start)))
        return Roster.from_buffer(self.names[low:high].tobytes(), self.ends[start:known] - low)


class Texts(HashedNames):
    """The different texts of a column, decoded once."""

    def __init__(self) -> None:
        super().__init__(slots=1 << 10)
        self.decoded: list[str] = []

    def texts(self, fields: Fields) -> tuple[list[str], NDArray[np.uint32]]:
        """All texts so far, and which of them each cell is."""
        (ids,) = self.ids(fields)
        start = int(self.ends[len(self.decoded) - 1]) if self.decoded else 0
        for end in self.ends[len(self.decoded) : len(self)].tolist():
            cell = self.names[start:end].tobytes()
            self.decoded.append(cell.decode("utf-8", "surrogateescape"))
            start = end
        return self.decoded, ids


def is_text(content: NDArray[np.uint8], final: bool = True) -> bool:
    """Whether bytes are UTF-8; unless they are the `final` ones, the last letter may be cut off."""
    try:
        utf_8_decode(content.data, "strict", final)
    except UnicodeDecodeError:
        return False
    return True


def grow_array(values: NDArray[Any], used: int, least: int) -> NDArray[Any]:
    """An array with more room at its end."""
    larger = np.empty(max(least, 2 * len(values)), values.dtype)
    larger[:used] = values[:used]
    return larger
