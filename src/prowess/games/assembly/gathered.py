"""What is gathered of the rows of a table, chunk by chunk and file by file; its further columns,
categories and forecasts.

A further column is one of numbers where every cell is, and then none may be empty. Others hold
words: they are numbered by first appearance, and an empty cell is a word of its own, "".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.assembly.lineups import CellReader, Lineup, read_lineups, refuse_leftover
from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.cells.validation import CellParsers, RowError, RowValidation, raise_or_report
from prowess.games.columns import (
    EXACT_BELOW,
    Chunk,
    Growing,
    InputColumn,
    InputTable,
    Mask,
    NameIndex,
    PlainNames,
    Values,
    as_name,
    as_text,
    is_not_utf8,
    names_for,
)
from prowess.games.errors import (
    BadData,
    InvalidValue,
    quote,
)
from prowess.games.games import CATEGORIES
from prowess.games.layout import ForecastColumns, Layout, Options
from prowess.games.numbering import GrowingNumbers, normalize_names
from prowess.games.values import parse_decimal, parse_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.layout import Layout


WORDS_SHOWN = 3  # words that a note names


@dataclass(eq=False)
class FactColumns:
    """The facts of a table, once all its rows are gathered.

    `ids` of a fact are the numbers of its words, row by row, in the column `fact NAME`.
    """

    words: dict[str, Sequence[str]] = field(default_factory=dict)
    numbers: dict[str, Floats | None] = field(default_factory=dict)  # of the words, if numbers
    texts: frozenset[str] = frozenset()  # facts that are kept as they are written
    order: dict[str, GrowingNumbers] = field(default_factory=dict)  # of the words of categories
    labels: dict[str, list[str]] = field(default_factory=dict)  # these words in that order

    def settle(
        self, labels: TextColumns, columns: Mapping[str, NDArray[Any]], layout: Layout
    ) -> dict[int, RowError]:
        """Find out which facts are numbers; the rows that lack one are returned as faults."""
        faults: dict[int, RowError] = {}
        self.texts = layout.text_facts
        for name, column in layout.facts:
            words, known = labels.texts[f"fact {name}"], self.words.get(name)
            if words is not known:  # of a stream, each piece of which may bring new words
                self.words[name] = words
                self.numbers[name] = None if name in self.texts else _numbers(words)
            if self.numbers[name] is not None and "" in words:
                lacking = columns[f"fact {name}"] == words.index("")
                for row in np.flatnonzero(lacking).tolist():
                    faults.setdefault(row, RowError(column, InvalidValue.of("number_missing")))
        return faults

    def columns(
        self, columns: dict[str, NDArray[Any]]
    ) -> tuple[dict[str, Floats], dict[str, list[str]]]:
        """The facts as columns of a table, and the words of those that are categories; `columns`
        give up those of facts. Raises BadData for a fact that has the name of another column.
        """
        found, labels = {}, {}
        for name, words in self.words.items():
            ids, numbers = columns.pop(f"fact {name}"), self.numbers[name]
            if name in columns:
                raise BadData.of("fact_is_a_column", name=name)
            if numbers is not None:
                found[name] = numbers[ids]
                continue
            order = self.order.setdefault(name, GrowingNumbers())
            found[name] = order.number(ids).astype(np.float64)
            if len(order) != len(self.labels.get(name, ())) or not len(order):
                self.labels[name] = [words[each] for each in order.known_keys().tolist()]
            labels[name] = self.labels[name]
        return found, labels

    def notes(self) -> list[str]:
        """Notes on columns that hold words and numbers."""
        notes = []
        for name, words in self.words.items():
            if name in self.texts:
                continue
            odd = [word for word in words if word and parse_or_none(parse_decimal, word) is None]
            if 0 < len(odd) < len([word for word in words if word]):
                shown = ", ".join(map(quote, odd[:WORDS_SHOWN]))
                notes.append(f"{quote(name)} holds numbers and words ({shown}): read as words")
        return notes


def _numbers(words: Sequence[str]) -> Floats | None:
    """The numbers of words, nan for an empty one; None if one is no number.

    Whole numbers that float64 cannot tell from their neighbours are words: they name something.
    """
    values = np.array([parse_or_none(parse_decimal, word) for word in words], np.float64)
    if any(word and np.isnan(value) for word, value in zip(words, values, strict=True)):
        return None
    large = np.flatnonzero(np.abs(values) >= EXACT_BELOW).tolist()
    if any(words[k].lstrip("+-").isdigit() for k in large):
        return None
    empty = np.array([word == "" for word in words], np.bool_)
    return None if empty.all() else values


# Columns whose cells tell things apart (rounds, contests, facts), as numbers of their texts.


@dataclass(eq=False)
class TextColumns:
    """The texts of some columns by a key for each, gathered chunk by chunk.

    Several columns of one key, such as the car of each side, share their numbers: the key of each
    has its place behind it.
    """

    known: dict[str, NameIndex] = field(default_factory=dict)
    keys: dict[str, list[str]] = field(default_factory=dict)  # of the columns of a key
    texts: dict[str, list[str]] = field(default_factory=dict)  # by number, once all is gathered
    settled: dict[str, int] = field(default_factory=dict)  # how many texts need no other spelling

    def count(self, key: str) -> int:
        """How many texts the columns of a key have held so far."""
        return len(self.known[key])

    def drop(self, key: str, columns: dict[str, Any]) -> None:
        """Give up what was gathered of a key, and its columns."""
        self.known.pop(key, None)
        for each in self.keys.pop(key, ()):
            columns.pop(each, None)

    def ids(
        self, chunk: Chunk, columns: Iterable[tuple[str, Sequence[str]]]
    ) -> Iterator[tuple[str, NDArray[np.uint32]]]:
        """Keys of columns, each with the numbers of its texts."""
        for key, chosen in columns:
            cells = [as_text_column(chunk.columns[name]) for name in chosen]
            names = self.known.get(key, PlainNames())
            for each in cells:
                names = names_for(names, each)
            self.known[key] = names
            many = len(cells) > 1
            self.keys[key] = [f"{key} {at}" if many else key for at in range(len(cells))]
            yield from zip(self.keys[key], names.ids(*cells), strict=True)

    def empty(self, key: str, ids: NDArray[np.uint32]) -> Mask:
        """The rows in which a column has no text."""
        ends = self.known[key].roster().ends
        none: Mask = np.diff(ends, prepend=0)[ids] == 0
        return none

    def settle(self, columns: dict[str, Any]) -> None:
        """Make spellings of one text one number, in the columns of all rows."""
        for key, names in self.known.items():
            if self.settled.get(key) == len(names):  # as every text is spelt
                continue
            keys, spelt = self.keys[key], names.roster()
            roster, ids = normalize_names(spelt, *(columns[each] for each in keys))
            self.texts[key] = list(roster)
            columns.update(zip(keys, ids, strict=True))
            if roster is spelt:
                self.settled[key] = len(names)

    def refuse(self, rows: RowValidation, columns: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Refuse rows in which one of some columns holds no text."""
        for _, chosen in columns:
            for name in chosen:
                odd = rows_not_utf8(rows.columns[name])
                rows.refuse(name, {row: InvalidValue.of("not_utf_8.value") for row in odd})


def labelled_columns(layout: Layout) -> list[tuple[str, Sequence[str]]]:
    """The columns of rounds, contests, teams, facts and roles, by their keys."""
    if layout.kind == "games":
        own = [(f"round {at}", (name,)) for at, name in enumerate(layout.round)]
    else:
        own = [(f"label {at}", (name,)) for at, name in enumerate(layout.contest)]
        own += [("team", (layout.team,))] if layout.team else []
    return [
        *own,
        *((f"fact {name}", (column,)) for name, column in layout.facts),
        *((f"per {role}", (column,)) for role, column in layout.per),
        *((f"with {role}", columns) for role, columns in layout.along),
    ]


def rows_not_utf8(column: InputColumn) -> list[int]:
    """The rows whose cell is not UTF-8."""
    cells = as_text_column(getattr(column, "cells", column))
    if isinstance(cells, Values):
        if is_not_utf8("".join(cells.values)):
            return [row for row, cell in enumerate(cells.values) if is_not_utf8(cell)]
    elif not getattr(cells, "valid", True):
        return [row for row in range(len(cells)) if is_not_utf8(str(cells.cell(row)))]
    return []


def as_text_column(column: InputColumn) -> InputColumn:
    """A column whose cells tell rounds or contests apart: any value is as good as a name.

    A whole number is the same text as an integer and as a float.
    """
    held = getattr(column, "cells", column)  # of an Arrow column
    if isinstance(held, Values) and not held.types <= {str}:
        return Values([
            (isinstance(value, float) and as_name(value)) or as_text(value) for value in held.values
        ])  # fmt: skip
    return column


# What is wrong with rows that only shows once all are gathered: where they stand, and refusal.


@dataclass
class RowLocations:
    """The places of rows: the files of a table, and the columns `line` and `file` of its rows."""

    tables: list[InputTable] = field(default_factory=list)

    def columns(
        self, chunk: Chunk, table: InputTable, some: Mask | None = None
    ) -> dict[str, NDArray[Any]]:
        """The two columns for the rows of a chunk; lines only of `some`, where that is given."""
        if not (self.tables and self.tables[-1] is table):
            self.tables.append(table)
        wanted = np.arange(chunk.count, dtype=np.int64) if some is None else np.flatnonzero(some)
        line = np.zeros(chunk.count, np.int64)
        line[wanted] = [*map(chunk.line, wanted.tolist())]
        return {
            "line": line,
            "file": np.full(chunk.count, len(self.tables) - 1, np.int32),
        }

    def refuse_rows(
        self,
        faults: Mapping[int, RowError],
        columns: Mapping[str, NDArray[Any]],
        report: SkippedRows,
        skip_bad: bool,
    ) -> Mask | None:
        """The rows that stay, None for all; the first fault is raised, or all are reported."""
        if not faults:
            return None
        errors = {}
        for row, fault in faults.items():
            table = self.tables[int(columns["file"][row])]
            errors[row] = fault.in_file(table.file, table.unit, int(columns["line"][row]))
        raise_or_report(errors, report, skip_bad)
        keep = np.ones(len(columns["line"]), np.bool_)
        keep[list(faults)] = False
        return keep


@dataclass(eq=False)
class GatheredRows:
    """Rows of a table that are being gathered, chunk by chunk and file by file."""

    options: Options
    report: SkippedRows
    skip_bad: bool
    layout: Layout  # of the first file
    seen: int = 0  # rows read, with those filtered out
    count: int = 0  # rows gathered so far
    rows: int = 0  # rows that are kept
    names: NameIndex = field(default_factory=PlainNames)
    columns: dict[str, Growing] = field(default_factory=dict)
    facts: FactColumns = field(default_factory=FactColumns)
    labels: TextColumns = field(default_factory=TextColumns)
    lines: RowLocations = field(default_factory=RowLocations)
    details: dict[str, str] = field(default_factory=dict)  # of columns, how cells were read
    decisions: dict[str, None] = field(default_factory=dict)  # notes on columns read as a whole
    decided: dict[str, Any] = field(default_factory=dict)  # options that cells decide
    met: set[str] = field(default_factory=set)  # words of `outcomes` that stood in a cell
    file: str = ""  # the first

    def add_chunks(
        self, table: InputTable, layout: Layout, parsers: CellParsers | None = None
    ) -> Iterator[Chunk]:
        """Validate and add the rows of a table chunk by chunk: those of each chunk that are kept.

        `parsers` are those of the first chunk of the file, where others follow. Raises BadData.
        """
        self.file = self.file or table.file
        parsers = CellParsers(layout, self.options) if parsers is None else parsers
        for chunk in table.chunks(layout.columns()):
            self.seen += chunk.count
            yield self.take_chunk(chunk, parsers, table)
        # how the cells of the file were read, and the options by which a further table is
        self.decisions |= dict.fromkeys((*parsers.found.said, *parsers.notes))
        self.details |= parsers.details
        self.met |= parsers.outcomes.met
        orders = {*parsers.details.values()}
        if len(orders) == 1 and (order := orders.pop()).endswith(" first"):
            self.decided["date_format"] = order
        numbers = {f"{number:g}": score for number, score in parsers.outcomes.numbers.items()}
        if words := {**parsers.outcomes.letters, **numbers}:
            self.decided["outcomes"] = words

    def take_chunk(self, chunk: Chunk, parsers: CellParsers, table: InputTable) -> Chunk:
        """Validate and add some rows; those that are kept."""
        raise NotImplementedError

    def read_members(
        self, rows: RowValidation, layout: Layout, earlier: bool
    ) -> tuple[Layout, list[list[Lineup]]]:
        """The layout, with sides where cells hold lists of names or `earlier` ones did, and the
        members of the sides; raises BadData for a player on neither side, and for lists behind
        single names.
        """
        if layout.leftover:
            refuse_leftover(rows, layout, self.options.byes)
        if not layout.sides:
            players = (layout.player,) if layout.kind == "contests" else (layout.a, layout.b)
            lists = [name for name in players if rows.columns[name].lists]
            if lists and self.count and not earlier:
                what = InvalidValue.of("lists_from_here")
                raise rows.bad(rows.chunk.line(0), RowError(lists[0], what))
            if not (lists or earlier):
                return layout, []
            layout = replace(layout, sides=tuple((name,) for name in players))
        return layout, read_lineups(rows, layout.sides, self.cells)

    def append(self, columns: Mapping[str, NDArray[Any]], table: InputTable) -> None:
        """Add the columns of rows that are kept."""
        before = next(iter(self.columns.values())).count if self.columns else 0
        for name, values in columns.items():
            if before and name not in self.columns:  # no time stood before this chunk
                self.columns[name] = Growing(held=np.zeros(before, np.bool_))
                self.columns[name].count = before
            self.columns.setdefault(name, Growing(table.expected)).append(values)
        self.count += len(next(iter(columns.values())))

    @cached_property
    def cells(self) -> CellReader:
        """The reader of cells of sides that may have several members."""
        commas = self.options.teams == "commas"
        return CellReader(self.options.splits_teams, self.options.byes, commas)


# Categories: what tells kinds of games apart, such as contexts and variants.


MOST_VALUES = 1_000  # of a category that is guessed
LEAST_GAMES_A_VALUE = 10  # a value, on average; fewer tell games apart rather than kinds of games


def is_category(values: int, games: int) -> bool:
    """Whether a column of so many values in so many games tells kinds of games apart."""
    return 1 < values <= min(MOST_VALUES, games // LEAST_GAMES_A_VALUE)


def category_notes(layout: Layout, labels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Notes on categories that the caller names and that tell nothing apart."""
    for name, column in layout.facts:
        if name in CATEGORIES and name in layout.text_facts and len(labels[name]) == 1:
            yield f"{name} = {column} has one value only and tells no games apart"


# Forecasts from elsewhere: the numbers of their columns, as chances or odds.
#
# A forecast becomes two facts of a table: under its label the expected score of the first side and,
# where draws have a chance, under `LABEL draw` that chance. Both are nan where a cell is empty. The
# chances behind odds o are 1/o; they add up to more than 1, by the overround, and are divided by
# their sum (proportional normalisation; E. Strumbelj, "On determining probability forecasts from
# betting odds", International Journal of Forecasting 30 (2014), section 2.1).


CHANCE_ROUNDING = 1e-6  # chances may exceed their bounds by so much, through rounding
LEAST_PERCENT = 10.0  # mean chance of a column in percent; odds are less
ROUNDED_CHANCES = 0.02  # three chances may miss 1 by so much
UNDER, OVER = 0.8, 2.0  # the sums of 1 / odds that all outcomes of a game may have


def parse_forecasts(rows: RowValidation, layout: Layout) -> dict[str, Floats]:
    """The numbers of the forecasts of some rows, with what is wrong noted in `rows`."""
    return {
        key: rows.parse(column, one.kind)
        for one in layout.forecasts
        for key, column in zip(one.keys, one.columns, strict=True)
    }


def settle_forecasts(
    columns: dict[str, NDArray[Any]], layout: Layout
) -> tuple[dict[int, RowError], list[str]]:
    """Turn the numbers of all rows into expected scores and chances of a draw, as columns.

    Returns the rows whose numbers contradict one another as faults, and notes on what was assumed.
    """
    faults: dict[int, RowError] = {}
    notes = []
    for one in layout.forecasts:
        numbers = np.stack([columns.pop(key) for key in one.keys], axis=1)
        known = np.asarray((numbers >= 0.0).all(axis=1), np.bool_)
        numbers[~known] = np.nan
        found = _settle_odds(numbers) if one.kind == "odds" else _settle_chances(one, numbers)
        for row, refusal in found.refused.items():
            faults.setdefault(row, RowError(one.columns[0], refusal))
        columns[f"forecast {one.label}"] = found.expected
        if found.draw is not None:
            columns[f"forecast {one.label} draw"] = found.draw
        empty = len(known) - int(known.sum())
        notes.append(
            f"forecast {quote(one.label)} of {layout.sides_in_words()}: {found.note}"
            + (f"; {empty:,} of {len(known):,} rows are empty" if empty else "")
        )
    return faults, notes


def pop_forecasts(columns: dict[str, NDArray[Any]], layout: Layout) -> dict[str, Floats]:
    """The forecasts as facts by label; `columns` give them up. Raises BadData for a name twice."""
    found = {}
    for one in layout.forecasts:
        for name in (one.label, f"{one.label} draw"):
            values = columns.pop(f"forecast {name}", None)
            if values is None:
                continue
            if name in columns or name in found or name in dict(layout.facts):
                raise BadData.of("label_is_a_column", label=one.label)
            found[name] = values
    return found


class _Settled(NamedTuple):
    """The expected scores of a forecast, and the rows whose numbers contradict one another."""

    expected: Floats
    draw: Floats | None
    refused: Mapping[int, InvalidValue]
    note: str


def _divide(chances: Floats) -> tuple[Floats, Floats, Floats | None]:
    """The sums of chances of win and loss, or win, draw and loss; and, of the chances divided by
    them, expected score and chance of a draw.
    """
    total = chances.sum(axis=1)
    shares = chances / total[:, None]
    if shares.shape[1] == 2:
        return total, shares[:, 0], None
    return total, shares[:, 0] + 0.5 * shares[:, 1], shares[:, 1]


def _settle_odds(odds: Floats) -> _Settled:
    """Divide the chances 1 / odds of each game by their sum."""
    total, expected, draw = _divide(1.0 / odds)
    wrong = (total < UNDER) | (total > OVER)
    refused = {
        row: InvalidValue.of("odds_add_up_wrong", total=total[row])
        for row in np.flatnonzero(wrong).tolist()
    }
    over = 100.0 * (total[~wrong & np.isfinite(total)] - 1.0)
    size = "none"
    if len(over):
        size = f"{over.mean():.1f} % on average, {over.min():.1f} to {over.max():.1f} %"
    outcomes = "win and loss" if draw is None else "win, draw and loss"
    note = f"decimal odds of {outcomes}; their overround ({size}) is removed proportionally"
    return _Settled(expected, draw, refused, note)


def _settle_chances(one: ForecastColumns, numbers: Floats) -> _Settled:
    """Divide percentages by 100, and check that chances fit together."""
    known = np.asarray(np.isfinite(numbers).all(axis=1), np.bool_)
    above = np.asarray((numbers > 1.0).any(axis=1), np.bool_)
    percent = bool(above.any())
    if percent and above.sum() < 0.5 * known.sum():
        refused = {
            row: InvalidValue.of("percent_and_shares", most=numbers[row].max())
            for row in np.flatnonzero(above).tolist()
        }
        return _Settled(numbers[:, 0], None, refused, "")
    if percent and (mean := numbers[known].max(axis=1).mean()) < LEAST_PERCENT:
        raise BadData.of("not_percent", first=one.columns[0], mean=mean)
    chances = numbers / 100.0 if percent else numbers
    scale = "in percent" if percent else "from 0 to 1"
    if len(one.columns) == 1:
        return _Settled(chances[:, 0], None, {}, f"chance of a win, or expected score, {scale}")
    if len(one.columns) == 2:
        return _settle_expected_and_draw(one, chances[known.nonzero()], chances, scale)
    total, expected, draw = _divide(chances)
    refused = {
        row: InvalidValue.of("chances_add_up_wrong", total=total[row])
        for row in np.flatnonzero(np.abs(total - 1.0) > ROUNDED_CHANCES).tolist()
    }
    off = float(np.nanmax(np.abs(total - 1.0), initial=0.0))
    divided = f", divided by their sum (off by up to {off:.2g})" if off > CHANCE_ROUNDING else ""
    return _Settled(expected, draw, refused, f"chances of win, draw and loss, {scale}{divided}")


def _settle_expected_and_draw(
    one: ForecastColumns, known: Floats, chances: Floats, scale: str
) -> _Settled:
    """Check that chances of a draw fit expected scores."""
    if len(known) > 1 and (np.abs(known.sum(axis=1) - 1.0) < CHANCE_ROUNDING).all():
        raise BadData.of(
            "win_and_loss_not_draw",
            columns=" and ".join(map(quote, one.columns)),
            first=one.columns[0],
        )
    expected, draw = chances[:, 0], chances[:, 1]
    wrong = draw > 2.0 * np.minimum(expected, 1.0 - expected) + CHANCE_ROUNDING
    refused = {
        row: InvalidValue.of("draw_does_not_fit", draw=draw[row], expected=expected[row])
        for row in np.flatnonzero(wrong).tolist()
    }
    return _Settled(expected, draw, refused, f"expected score and chance of a draw, {scale}")
