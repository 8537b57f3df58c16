"""Columns of cells as they are read, names and their ids, and columns that grow by chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol
from unicodedata import is_normalized

import numpy as np

from prowess.games.errors import MEND, FallBackToSlowReader, InvalidValue, quote
from prowess.games.names import ODD_BLANKS, Roster, normal_name
from prowess.games.values import is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]


BLANKS = " \t"
LISTS = (list, tuple, np.ndarray)  # cells that hold several names
EXACT = 2.0**53  # below it floats hold every whole number
NO_NAME = InvalidValue("the name of a player is missing", MEND)
NOT_UNICODE = InvalidValue(
    "a name is not UTF-8", 'say how the file is written with encoding="latin-1" (--encoding)'
)

Looks = Literal["word", "number", "positive", "score", "date"]
REMEMBERED = {str, int, float, bool, type(None)}  # types of cells of which each is parsed once
MOST_REMEMBERED = 1_000_000  # cells of a column; 100 MB


class ParsedColumn(NamedTuple):
    """The numbers of a column, nan where `wrong` says why."""

    values: Floats
    wrong: Mapping[int, InvalidValue]


class CellParser(dict[Any, float]):
    """The numbers of the texts of one column: each text is parsed once, refusals are remembered."""

    def __init__(self, parse: Callable[[Any], float], looks: Looks) -> None:
        super().__init__()
        self.parse, self.looks = parse, looks  # what most texts of the column look like
        self.refused: dict[Any, InvalidValue] = {}
        self.seen: Any = None  # texts that a compiled reader has met, with their numbers
        self.names: Any = None  # and those of them that were names of players
        self.numbers_met = False  # whether it has met numbers that were not parsed as text
        self.of_type: dict[type, CellParser] = {}  # as 1, True and 1.0 are one key of a dict

    def for_type(self, kind: type) -> CellParser:
        """What remembers the cells of one type."""
        apart = CellParser(self.parse, self.looks)
        return self if kind is str else self.of_type.setdefault(kind, apart)

    def __missing__(self, text: Any) -> float:
        try:
            value = self.parse(text.strip(BLANKS) if isinstance(text, str) else text)
        except InvalidValue as refusal:
            self.refused[text] = refusal
            value = float("nan")
        if len(self) < MOST_REMEMBERED:
            self[text] = value
        return value


class InputColumn(Protocol):
    """One column of a chunk."""

    @property
    def lists(self) -> bool:
        """Whether a cell holds a list of names."""

    def __len__(self) -> int: ...

    def select(self, keep: Mask) -> InputColumn:
        """The column without some rows."""

    def cell(self, row: int) -> Any:
        """The cell, for a message."""

    def parse(self, lookup: CellParser) -> ParsedColumn:
        """Parse the cells into numbers."""

    def name_errors(self) -> Mapping[int, InvalidValue]:
        """The rows whose cell cannot be a name, and why."""

    def equals(self, other: Any) -> Mask:
        """The rows in which both columns hold the same name."""


class Values:
    """A column of Python values."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        types = set(map(type, values))
        self.types, self.text = types, types <= {str}
        self.lists = any(issubclass(each, LISTS) for each in types)

    def __len__(self) -> int:
        return len(self.values)

    def select(self, keep: Mask) -> Values:
        """The column without some rows."""
        return Values(list(compress(self.values, keep.tolist())))

    def cell(self, row: int) -> Any:
        """The cell, for a message."""
        value = self.values[row]
        return value.strip(BLANKS) if isinstance(value, str) else value

    def parse(self, lookup: CellParser) -> ParsedColumn:
        """Parse the cells into numbers."""
        values = self.values
        if self.types <= REMEMBERED:
            parsers = {kind: lookup.for_type(kind) for kind in self.types}
            found: Any = (parsers[type(value)][value] for value in values)
            if len(parsers) == 1:
                found = map(parsers.popitem()[1].__getitem__, values)
            numbers = np.fromiter(found, np.float64, len(values))
            odd = [(row, values[row]) for row in np.flatnonzero(np.isnan(numbers)).tolist()]
            whys = ((row, lookup.for_type(type(cell)).refused.get(cell)) for row, cell in odd)
            return ParsedColumn(numbers, {row: why for row, why in whys if why is not None})
        numbers, wrong = np.empty(len(values)), dict[int, InvalidValue]()
        for row in range(len(values)):
            try:
                numbers[row] = lookup.parse(self.cell(row))
            except InvalidValue as refusal:
                numbers[row] = np.nan
                wrong[row] = refusal
        return ParsedColumn(numbers, wrong)

    @cached_property
    def names(self) -> list[str]:
        """The cells as names of players, empty where a cell is none."""
        if not self.text:
            return [as_name(value) for value in self.values]
        bare = {value: normal_name(value) for value in set(self.values)}
        clean = all(map(str.__eq__, bare, bare.values()))
        return self.values if clean else [bare[value] for value in self.values]

    def name_errors(self) -> dict[int, InvalidValue]:
        """The rows whose cell cannot be a name, and why."""
        names = self.names
        wrong: dict[int, InvalidValue] = {}
        if "" in names:
            for row, name in enumerate(names):
                if not name:
                    value = self.values[row]
                    wrong[row] = NO_NAME if is_missing(value) else not_a_name(value)
        try:
            "".join(names).encode()
        except UnicodeEncodeError:
            wrong.update((row, NOT_UNICODE) for row, name in enumerate(names) if is_not_utf8(name))
        return wrong

    def equals(self, other: Any) -> Mask:
        """The rows in which both columns hold the same name."""
        if not isinstance(other, Values):
            return other.equals(self)  # type: ignore[no-any-return]
        pairs = zip(self.names, other.names, strict=True)
        return np.fromiter((a == b for a, b in pairs), np.bool_, len(self.values))


def not_a_name(cell: Any) -> InvalidValue:
    """The error of a cell that is neither empty nor a name."""
    return InvalidValue(f"{quote(cell)} is not a name", "names are texts or whole numbers")


def as_name(value: Any) -> str:
    """A cell as a name, empty if it cannot be one.

    A float that is whole is the name of that number: columns of numbers with an empty cell hold
    floats in pandas. From 2**53 on a float may stand for several numbers.
    """
    if isinstance(value, str):
        return normal_name(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if abs(number) < EXACT and number.is_integer() else ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        return ""
    try:
        return str(int(value))
    except ValueError:  # more digits than Python writes
        return ""


def as_text(value: Any) -> str:
    """A cell as text, for comparison with a value of where= or exclude=."""
    return "" if is_missing(value) else str(value).strip(BLANKS)


def is_not_utf8(text: str) -> bool:
    """Whether a text holds what no UTF-8 can say: half a character, or a byte that is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


class NameIndex(Protocol):
    """Gives names their ids, in order of first appearance."""

    def __len__(self) -> int: ...

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the names of each column, row by row, earlier columns first."""

    def roster(self) -> Roster:
        """All names so far."""


class PlainNames(dict[str, int]):
    """Gives names their ids by a dict."""

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the names of each column, row by row, earlier columns first."""
        named: list[list[str]] = [column.names for column in columns]
        for row in zip(*named, strict=True):
            for name in row:
                if name not in self:
                    self[name] = len(self)
        return [np.fromiter(map(self.__getitem__, names), np.uint32, len(names)) for names in named]

    def roster(self) -> Roster:
        """All names so far."""
        return Roster(self)


def names_for(names: NameIndex, column: InputColumn) -> NameIndex:
    """Something that can number this kind of column, and goes on from what `names` has."""
    if isinstance(column, Values) or not isinstance(names, PlainNames):
        return names
    return column.interner(names.roster())  # type: ignore[attr-defined, no-any-return]


def normalize_names(
    roster: Roster, *ids: NDArray[np.uint32]
) -> tuple[Roster, list[NDArray[np.uint32]]]:
    """The names in their normal form, spellings of one name as one, and the ids made to fit.

    Raises FallBackToSlowReader where a name is empty; the slow reader reports its row.
    """
    buffer = roster.buffer
    if buffer.isascii():
        normal = b"  " not in buffer and b"\t" not in buffer
    else:
        normal = not ODD_BLANKS.search(text := buffer.decode()) and is_normalized("NFC", text)
    if normal:
        return roster, list(ids)
    number: dict[str, int] = {}
    new = [number.setdefault(normal_name(name), len(number)) for name in roster]
    if "" in number:
        raise FallBackToSlowReader
    fresh = np.array(new, np.uint32)
    return Roster(number), [fresh[each] for each in ids]


@dataclass
class Chunk:
    """Some rows of a table, its columns by name."""

    columns: Mapping[str, InputColumn]
    count: int
    line: Callable[[int], int]  # where a row stands, counted from 1
    refused: Mapping[int, InvalidValue] = field(default_factory=dict)  # rows that are no rows
    absent: Mapping[int, InvalidValue] = field(default_factory=dict)  # rows that never count

    def select(self, keep: Mask) -> Chunk:
        """The chunk without some rows."""
        rows = np.flatnonzero(keep)
        line = self.line
        return Chunk(
            {name: column.select(keep) for name, column in self.columns.items()},
            len(rows),
            lambda row: line(int(rows[row])),
        )


@dataclass
class InputTable:
    """A table that is being read: `chunks(wanted)` gives its rows, for the wanted columns."""

    file: str  # for messages
    names: Sequence[str]
    chunks: Callable[[Sequence[str]], Iterable[Chunk]]
    heading: int | None = None  # the line of the headings
    unit: Literal["line", "row"] = "line"
    guarded: bool = False  # whether it may be written so that spreadsheets do not run its cells
    expected: int = 0  # about how many rows, 0 if unknown
    once: bool = False  # whether rows can be read only once
    beginning: Callable[[], InputTable | None] | None = None  # its first rows, if read only once
    notes: Sequence[str] = ()  # what was guessed and left out to make a table of it
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # that its shape tells
    side: str | None = None  # the column of who has the advantage, or `a`, as its shape tells
    telling: tuple[str, ...] = ()  # columns that say which rows count
    shape: str = ""  # how its games stood in the file, such as "each game stood twice"
    details: dict[str, str] = field(default_factory=dict)  # of columns, how cells were read
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of derived columns
    titles: Sequence[str] = ()  # above it, and the name of its sheet
    footnotes: Mapping[str, str] = field(default_factory=dict)  # below it, by their marks

    def sample(self, count: int) -> dict[str, list[Any]]:
        """The cells of at most `count` first rows by column, none if rows can be read only once.

        Raises FallBackToSlowReader where such rows have been brought into another shape.
        """
        if self.once and self.beginning is None:
            raise FallBackToSlowReader
        table = self.beginning() if self.beginning else self
        if table is not None and list(table.names) != list(self.names):
            table = None  # its first rows alone are understood otherwise
        cells: dict[str, list[Any]] = {name: [] for name in self.names}
        seen = 0
        for chunk in table.chunks(self.names) if table else ():
            rows = range(min(chunk.count, count - seen))
            for name in self.names:
                cell = chunk.columns[name].cell
                cells[name] += [cell(row) for row in rows if row not in chunk.refused]
            seen += len(rows)
            if seen >= count:
                break
        return cells


# Columns that grow chunk by chunk.


@dataclass(eq=False)
class Growing:
    """A column that grows; memory that is not yet filled is not yet taken from the system."""

    expected: int = 0
    held: NDArray[Any] | None = None
    count: int = 0

    def append(self, values: NDArray[Any]) -> None:
        """Add rows at the end."""
        if self.held is None:
            self.held, self.count = values, len(values)
            return
        size = self.count + len(values)
        if size > len(self.held):
            grown = np.empty(max(size, self.expected, 2 * self.count), values.dtype)
            grown[: self.count] = self.held[: self.count]
            self.held = grown
        self.held[self.count : size] = values
        self.count = size

    def whole(self) -> NDArray[Any]:
        """All rows."""
        assert self.held is not None
        return self.held[: self.count]


def number_groups(keys: list[NDArray[Any]]) -> NDArray[np.int64]:
    """Rows with equal keys get equal numbers, in order of first appearance."""
    number = np.zeros(len(keys[0]) if keys else 0, np.int64)
    for key in keys:
        _, code = np.unique(key, return_inverse=True)
        number = number * (int(code.max(initial=0)) + 1) + code
        number = number_by_appearance(number)[1]
    return number


def number_by_appearance(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys in order of first appearance, and the place in it of each that is given."""
    count = len(keys)
    if not count or keys.min() < 0 or keys.max() > count:
        found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(found), np.int64)
        place[order] = np.arange(len(found))
        return found[order], place[inverse]
    first = np.full(int(keys.max()) + 1, count)  # small numbers need no sorting
    first[keys[::-1]] = np.arange(count - 1, -1, -1)  # the first is written last
    found = np.flatnonzero(first < count)
    found = found[np.argsort(first[found])]
    first[found] = np.arange(len(found))
    return found, first[keys]


def is_ascending(values: NDArray[np.float64]) -> bool:
    """Whether values never fall."""
    step = 1 << 20  # so that the comparison stays small beside the column
    return all(
        bool(np.all(values[at : at + step] <= values[at + 1 : at + step + 1][:step]))
        if at + step < len(values)
        else bool(np.all(values[at:-1] <= values[at + 1 :]))
        for at in range(0, max(len(values) - 1, 0), step)
    )
