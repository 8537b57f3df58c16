"""Columns of cells as they are read, names and their ids, and columns that grow by chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress, count, islice
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from prowess.compile.numbers import Floats
from prowess.games.errors import FallBackToSlowReader, InvalidValue
from prowess.games.names import Roster, normal_name
from prowess.games.values import is_missing, parse_or_none

Mask = NDArray[np.bool_]

BLANKS = " \t"
ARRAYS = (list, tuple, np.ndarray)  # cells that hold several names
EXACT_BELOW = 2.0**53  # below it floats hold every whole number

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
        self.doubtful: list[int] = []  # of these names, those that are words for outcomes as well
        self.numbers_met = False  # whether it has met numbers that were not parsed as text
        self.of_type: dict[type, CellParser] = {}  # as 1, True and 1.0 are one key of a dict

    def texts(self) -> list[str]:
        """The cells that were parsed one by one, as texts."""
        return [as_text(cell) for each in (self, *self.of_type.values()) for cell in each]

    def reads_otherwise(self, parse: Callable[[Any], float], cells: Iterable[Any]) -> bool:
        """Whether another function reads one of these cells otherwise."""
        different = {repr(cell): cell for cell in cells}.values()
        return any(
            parse_or_none(self.parse, cell) != parse_or_none(parse, cell) for cell in different
        )

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


@dataclass(eq=False)
class Values:
    """A column of Python values."""

    values: list[Any]

    @cached_property
    def types(self) -> set[type]:
        """The types of the cells."""
        return {*map(type, self.values)}

    @property
    def lists(self) -> bool:
        """Whether a cell holds a list of names."""
        return any(issubclass(each, ARRAYS) for each in self.types)

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
            parsers = {
                kind: lookup if kind is str
                else lookup.of_type.setdefault(kind, CellParser(lookup.parse, lookup.looks))
                for kind in self.types
            }  # fmt: skip
            found: Any = (parsers[type(value)][value] for value in values)
            if len(parsers) == 1:
                (only,) = parsers.values()
                found = map(only.__getitem__, values)
            numbers = np.fromiter(found, np.float64, len(values))
            odd = [(row, values[row]) for row in np.flatnonzero(np.isnan(numbers)).tolist()]
            whys = ((row, parsers[type(cell)].refused.get(cell)) for row, cell in odd)
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
        if not self.types <= {str}:
            return [as_name(value) for value in self.values]
        bare = {value: normal_name(value) for value in set(self.values)}
        clean = all(map(str.__eq__, bare, bare.values()))
        return self.values if clean else [bare[value] for value in self.values]

    def name_errors(self) -> dict[int, InvalidValue]:
        """The rows whose cell cannot be a name, and why."""
        names = self.names
        wrong: dict[int, InvalidValue] = {}
        if "" in names:
            empty = (row for row, name in enumerate(names) if not name)
            wrong.update((row, not_a_name(self.values[row])) for row in empty)
        if is_not_utf8("".join(names)):
            odd = (row for row, name in enumerate(names) if is_not_utf8(name))
            wrong.update((row, InvalidValue.of("not_utf_8.name")) for row in odd)
        return wrong

    def equals(self, other: Any) -> Mask:
        """The rows in which both columns hold the same name."""
        if not isinstance(other, Values):
            return other.equals(self)  # type: ignore[no-any-return]
        pairs = zip(self.names, other.names, strict=True)
        return np.fromiter((a == b for a, b in pairs), np.bool_, len(self.values))


def not_a_name(cell: Any) -> InvalidValue:
    """The error of a cell that is no name of a player."""
    if is_missing(cell):
        return InvalidValue.of("name_missing.player")
    return InvalidValue.of("not_a_name", text=cell)


def as_name(value: Any) -> str:
    """A cell as a name, empty if it cannot be one.

    A float that is whole is the name of that number: columns of numbers with an empty cell hold
    floats in pandas. From 2**53 on a float may stand for several numbers.
    """
    if isinstance(value, str):
        return normal_name(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if abs(number) < EXACT_BELOW and number.is_integer() else ""
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

    are_plain: bool  # whether no name is a word, or has two spellings

    def __len__(self) -> int: ...

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the names of each column, row by row, earlier columns first."""

    def takes(self, *columns: Any) -> bool:
        """Whether it can number these columns."""

    def find(self, name: str) -> int:
        """The id of a name, which is a new one where it was not known."""

    def name(self, index: int) -> str:
        """The name of an id."""

    def roster(self, start: int = 0, stop: int | None = None) -> Roster:
        """The names so far, or those of some ids."""


class PlainNames(dict[str, int]):
    """Gives names their ids by a dict."""

    are_plain = False

    def ids(self, *columns: Any) -> list[NDArray[np.uint32]]:
        """The ids of the names of each column, row by row, earlier columns first."""
        named: list[list[str]] = [column.names for column in columns]
        in_order = dict.fromkeys(chain.from_iterable(zip(*named, strict=True)))
        fresh = [name for name in in_order if name not in self]
        self.update(zip(fresh, count(len(self)), strict=False))
        return [np.fromiter(map(self.__getitem__, names), np.uint32, len(names)) for names in named]

    def takes(self, *columns: Any) -> bool:
        """Whether these columns hold Python values."""
        return all(isinstance(column, Values) for column in columns)

    def find(self, name: str) -> int:
        """The id of a name, which is a new one where it was not known."""
        return self.setdefault(name, len(self))

    def name(self, index: int) -> str:
        """The name of an id."""
        return next(islice(self, index, None))

    def roster(self, start: int = 0, stop: int | None = None) -> Roster:
        """The names so far, or those of some ids."""
        return Roster(list(self)[start:stop])


def names_for(names: NameIndex, *columns: InputColumn) -> NameIndex:
    """Something that can number these columns, and goes on from what `names` has."""
    if names.takes(*columns):
        return names
    if isinstance(columns[0], Values):
        return PlainNames({name: at for at, name in enumerate(names.roster())})
    return columns[0].interner(names.roster(), *columns[1:])  # type: ignore[attr-defined, no-any-return]


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
class WholeRows:
    """All rows of a table: the cells of some columns, the lines, and the rows that are none."""

    cells: dict[str, list[Any]]
    lines: list[int] = field(default_factory=list)
    refused: dict[int, InvalidValue] = field(default_factory=dict)
    absent: dict[int, InvalidValue] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.lines)


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
    unread: Sequence[str] = ()  # columns of the file that have no place among `names`
    titles: Sequence[str] = ()  # above it, and the name of its sheet
    footnotes: Mapping[str, str] = field(default_factory=dict)  # below it, by their marks

    def sample(self, count: int) -> dict[str, list[Any]]:
        """The cells of at most `count` first rows by column, none if rows can be read only once.

        Raises FallBackToSlowReader where such rows have been brought into another shape.
        """
        if self.once and self.beginning is None:
            raise FallBackToSlowReader
        table = self.beginning() if self.beginning else self
        if table is not None and not {*self.names} <= {*table.names}:
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

    def gather_rows(self, names: Sequence[str]) -> WholeRows:
        """All rows, with the cells of these columns."""
        rows = WholeRows({name: [] for name in names})
        for chunk in self.chunks(names):
            rows.refused |= {rows.count + row: why for row, why in chunk.refused.items()}
            rows.absent |= {rows.count + row: why for row, why in chunk.absent.items()}
            for name in names:
                rows.cells[name] += map(chunk.columns[name].cell, range(chunk.count))
            rows.lines += map(chunk.line, range(chunk.count))
        return rows


def hold_cells(
    cells: Callable[[str], list[Any]],
    count: int,
    line: Callable[[int], int],
    refused: Mapping[int, InvalidValue] | None = None,
    absent: Mapping[int, InvalidValue] | None = None,
) -> Callable[[Sequence[str]], Iterator[Chunk]]:
    """The only chunk of a table that is held in memory; `cells` are those of a column."""

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        columns = {name: Values(cells(name)) for name in wanted}
        yield Chunk(columns, count, line, refused or {}, absent or {})

    return chunks


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
        """All rows; also while another thread appends."""
        count = self.count  # before the array, which may be replaced by a larger one
        assert self.held is not None
        return self.held[:count]


def is_ascending(values: NDArray[np.float64]) -> bool:
    """Whether values never fall."""
    step = 1 << 20  # so that the comparison stays small beside the column
    return all(
        bool(np.all(values[at : at + step] <= values[at + 1 : at + step + 1][:step]))
        if at + step < len(values)
        else bool(np.all(values[at:-1] <= values[at + 1 :]))
        for at in range(0, max(len(values) - 1, 0), step)
    )
