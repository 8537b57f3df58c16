"""Validation of rows: their errors, the rows that are left out, and the limit of these."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats
from prowess.games.cells.date_columns import (
    ORDERS,
    decide_form,
    order_in_heading,
    parse_time_of_day,
)
from prowess.games.cells.outcome_words import (
    are_thousands,
    ask_about_all,
    find_marked,
    find_open_marks,
    note_marked,
    parse_draw_flag,
    parse_draw_result,
    parse_side_points,
    parse_whole_points,
    parse_whole_weight,
    tell_count,
)
from prowess.games.cells.outcomes import (
    OutcomeParser,
    decide_outcomes,
    is_read_otherwise,
    letters_in,
)
from prowess.games.cells.places import PlaceParser, is_gap
from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.columns import (
    CellParser,
    Chunk,
    InputColumn,
    Looks,
    Mask,
    ParsedColumn,
    Values,
    as_text,
)
from prowess.games.dates import parse_date, parse_year
from prowess.games.errors import (
    IN_MEMORY,
    MEND,
    BadData,
    FallBackToSlowReader,
    InvalidValue,
    NoGame,
    Question,
    quote,
)
from prowess.games.layout import Layout, Options
from prowess.games.reading import WHOLE_NUMBERS
from prowess.games.values import (
    is_missing,
    parse_bool,
    parse_chance,
    parse_decimal,
    parse_odds,
    parse_positive,
)

# Dates that stand only in the first row of each day, as merged cells leave them.


EMPTY_DATES = 0.3  # of the rows have an empty date there
FEWEST_DAYS = 2  # dates that have to be given


@dataclass
class MergedDates:
    """Whether empty cells of a column have the date above them, as far as its rows were read."""

    one_a_day: bool | None = None  # whether each date of the first rows begins another day
    above: bool = False  # whether empty cells of the first rows may have the date above them

    @property
    def is_open(self) -> bool:
        """Whether rows count that have no empty cell, too."""
        return self.above or self.one_a_day is None

    def fill_dates(
        self, name: str, column: InputColumn, parsed: ParsedColumn, notes: list[str]
    ) -> ParsedColumn:
        """The dates of the first rows with those of rows below the first of each day, as a note
        says. Nothing is filled in where a date may just be missing.
        """
        values, wrong = parsed
        self.one_a_day = begin_days(column, parsed)
        self.above = self.one_a_day and are_many(parsed) and 0 not in wrong
        if not self.above or len(values) - len(wrong) < FEWEST_DAYS:
            return parsed
        above = np.maximum.accumulate(
            np.where(np.isnan(values), 0, np.arange(len(values), dtype=np.int64))
        )
        note = f"empty cells of column {quote(name)} have the date above them"
        if note not in notes:
            notes.append(note)
        return ParsedColumn(values[above], {})

    def needs_all_rows(self, column: InputColumn, parsed: ParsedColumn) -> bool:
        """Whether all rows together may be read otherwise than further rows alone."""
        if self.above:
            return True
        return self.one_a_day is not False and are_many(parsed) and begin_days(column, parsed)


def begin_days(column: InputColumn, parsed: ParsedColumn) -> bool:
    """Whether each date that is given begins a later day than the one before, or an earlier one in
    all rows, and all other cells are empty.
    """
    step = np.diff(parsed.values[~np.isnan(parsed.values)])
    one_way = bool(np.all(step > 0) or np.all(step < 0))
    return one_way and all(is_missing(column.cell(row)) for row in parsed.wrong)


def are_many(parsed: ParsedColumn) -> bool:
    """Whether so many dates are not given that they may be those above."""
    return len(parsed.wrong) >= max(1.0, EMPTY_DATES * len(parsed.values))


# The rows of a chunk while they are judged: which may stay, and why the others may not.


def is_walkover(refusal: InvalidValue) -> bool:
    """Whether a row is no game because one side did not play."""
    return isinstance(refusal, NoGame) and refusal.reason == "walkover"


SIDE_POINTS = "points of a side"
OF_RESULTS = frozenset({"result", "winner", "own result"})
COUNT = "count"
MOST_CELLS_SEEN = 200  # that tell whether counts have marks of thousands
WHOLE_NUMBERS_OF = {SIDE_POINTS: parse_whole_points, COUNT: parse_whole_weight}
BY_COLUMN = OF_RESULTS | {"time", *WHOLE_NUMBERS_OF}  # roles read by column


class RowError(NamedTuple):
    """The error of a row."""

    column: str | None
    refusal: InvalidValue
    row: int | None = None  # of the chunk, where the row is in it
    cell: Any = None  # what stands in the column, where that alone is wrong

    def in_file(self, file: str, unit: str, line: int) -> BadData:
        """The error as the caller sees it; `unit` says whether the number is of a line or a row."""
        return BadData(
            self.refusal.what,
            file=file,
            column=self.column,
            remedy=self.refusal.remedy,
            cell=self.cell,
            code=self.refusal.code,
            **{unit: line},
        )


class CellParsers(dict[tuple[str, str], CellParser]):
    """The parsers of one file's columns by role and column, remembered from chunk to chunk."""

    def __init__(self, layout: Layout, options: Options) -> None:
        super().__init__()
        self.layout, self.options = layout, options
        self.found = layout  # as the rows so far tell it
        self.new_outcomes = partial(
            OutcomeParser, layout.a, layout.b, layout.family, options.outcomes, options.walkovers
        )
        self.outcomes = self.new_outcomes()
        self.outcomes.winner_names.asked = "winner" in options.roles
        self.decided: set[tuple[str, str]] = set()  # columns that were looked at as a whole
        self.words: dict[tuple[str, str], dict[str, None]] = {}  # that were met there
        self.notes: list[str] = []  # what was found there
        self.details: dict[str, str] = {}  # of columns, how their cells are read
        self.coded = False  # whether the words and numbers of results have a meaning of their own
        self.closed = False  # whether the rows before say how columns are read
        self.merged = MergedDates()  # dates that stand once a day
        self.no_clock = False  # whether the column of times of the day holds something else
        self.filters = [
            (column, CellParser(_among(texts, chosen), "word"))
            for chosen, columns in ((True, layout.where), (False, layout.exclude))
            for column, texts in columns.items()
        ]

    @cached_property
    def places(self) -> PlaceParser:
        """The parser of places and points: tables of games need none."""
        return PlaceParser(self.options.unplaced)

    def decide(self, role: str, name: str, column: InputColumn) -> bool:
        """Find a better parser of a column, from all of its cells; whether there is one.

        Where rows before are read already, it is whether a cell would be read otherwise beside all
        others. Raises Question where the column can be read in two ways.
        """
        key, again = (role, name), (role, name) in self.decided
        if role not in BY_COLUMN or (again and not self.closed):
            return False
        whole = WHOLE_NUMBERS_OF.get(role)
        if whole and again and self[key].parse is not whole:
            return False
        self.decided.add(key)
        cells = [column.cell(row) for row in range(len(column))]
        if role == "time":
            order = next((each for each in ORDERS if each == self.options.date_format), None)
            if order is None and self.options.date_format is not None:
                return False
            form = decide_form(cells, order, order_in_heading(name))
            if form is None or self.closed:
                return form is not None and self[key].reads_otherwise(form.parse, cells)
            self[key] = CellParser(form.parse, "word")
            self.notes += [form.note] if form.note else []
            self.details[name] = form.detail
            return True
        if whole:
            return self._decide_thousands(key, cells, whole)
        words = self.words.setdefault(key, {})
        known = len(words)
        words |= dict.fromkeys([*self[key].texts(), *map(as_text, cells)])
        if again and len(words) == known:
            return False
        texts = [*words, *letters_in(name or self.layout.result)]
        if self.closed:
            texts += ["0", "1"] if self[key].numbers_met else []
            return is_read_otherwise(self.outcomes, self.new_outcomes(), role, texts, self.coded)
        found = decide_outcomes(self.outcomes, role, texts)
        if found is None:
            return False
        self.notes.append(f"results of column {quote(name or self.layout.result)}: {found}")
        self.pop(key, None)
        self.coded = True
        return True

    def has_new_words(self, role: str, name: str) -> bool:
        """Whether rows after the first hold words that had no part in what words mean."""
        if not (self.coded and role in OF_RESULTS):
            return False
        return not self.words.get((role, name), {}).keys() >= {*self[role, name].texts()}

    def _decide_thousands(
        self, key: tuple[str, str], cells: list[Any], parse: Callable[[Any], float]
    ) -> bool:
        if self[key].parse is parse:
            return not are_thousands(cells)
        if (marked := find_marked(cells)) is None:
            if are_thousands(cells):
                self.decided.discard(key)  # a later one may have a mark
            return False
        for question in find_open_marks(cells).values() if key[0] == COUNT else ():
            raise question
        self[key] = CellParser(parse, "word")
        self.details[key[1]] = WHOLE_NUMBERS
        self.notes.append(note_marked(key[1], marked))
        return True

    def __missing__(self, key: tuple[str, str]) -> CellParser:
        (role, column), form = key, self.options.date_format
        parse, looks = PARSERS.get(role, (parse_decimal, "number"))
        if isinstance(parse, str):  # where what the table says matters
            parse = attrgetter(parse)(self)
        if role in OF_RESULTS and self.outcomes.own:
            parse = partial(self.outcomes.score_beside_own, parse)
        if role == "result" and self.coded:
            looks = "word"
        elif role == "draw" and self.layout.outcome:
            parse = partial(parse_draw_result, walkovers=self.options.walkovers)
        elif role in WHOLE_NUMBERS_OF and column in self.options.whole_points:
            parse, looks = WHOLE_NUMBERS_OF[role], "word"
        elif role == "time" and form is not None and not form.endswith(" first"):
            parse, looks = partial(parse_date, form=form), "word"
        elif role == "time" and self.layout.years:
            parse, looks = parse_year, "word"
        elif role in SIDES_OF_LINES:
            parse = self.outcomes.points_parser(SIDES_OF_LINES.index(role))
        self[key] = parser = CellParser(parse, looks)
        return parser


SIDES_OF_LINES = ("first points", "second points")
# How cells of a role are parsed, and what most of them look like; a name is that of a method.
PARSERS: Mapping[str, tuple[Any, Looks]] = {
    "result": ("outcomes.result", "score"), "winner": ("outcomes.winner", "word"),
    "side": ("outcomes.side", "word"), "own result": ("outcomes.own_result", "word"),
    "neutral": (parse_bool, "word"), "draw": (parse_draw_flag, "word"),
    "place": ("places.place", "positive"), "points": ("places.points", "number"),
    "points or times": ("places.amount", "number"), "behind": (is_gap, "word"),
    SIDE_POINTS: (parse_side_points, "number"), "above 0": (parse_positive, "positive"),
    COUNT: (parse_positive, "positive"),
    "chance": (parse_chance, "word"), "odds": (parse_odds, "word"),
    "time": (parse_date, "date"), "clock": (parse_time_of_day, "word"),
    **dict.fromkeys(SIDES_OF_LINES, (parse_decimal, "word")),
}  # fmt: skip


def _among(texts: frozenset[str], wanted: bool) -> Callable[[Any], float]:
    return lambda value: float((as_text(value) in texts) is wanted)


class RowValidation:
    """A chunk, and what is wrong with its rows: the first fault found in each."""

    def __init__(self, chunk: Chunk, parsers: CellParsers, file: str, unit: str) -> None:
        self.parsers, self.file, self.unit = parsers, file, unit
        self.faults: dict[int, RowError] = {}  # by line
        self.excused: set[int] = set()  # lines of rows that are no games, whatever is wrong there
        self.walkovers: set[int] = set()  # rows that count although one side did not play
        self.absent = [
            (RowError(None, why).in_file(file, unit, chunk.line(row)), getattr(why, "reason", None))
            for row, why in chunk.absent.items()
        ]
        for row, refusal in chunk.refused.items():
            self.faults[chunk.line(row)] = RowError(None, refusal)
        if gone := {*chunk.refused, *chunk.absent}:
            keep = np.ones(chunk.count, np.bool_)
            keep[list(gone)] = False
            chunk = chunk.select(keep)
        for column, lookup in parsers.filters:
            keep = chunk.columns[column].parse(lookup).values > 0.0
            if not keep.all():
                chunk = chunk.select(keep)
        self.chunk, self.columns = chunk, chunk.columns

    def refuse(self, column: str | None, wrong: Mapping[int, InvalidValue]) -> None:
        """Take note of what is wrong with some rows."""
        for row, refusal in wrong.items():
            self.faults.setdefault(self.chunk.line(row), RowError(column, refusal, row))

    def refuse_cells(self, column: str, wrong: Mapping[int, InvalidValue]) -> None:
        """Note cells that cannot be read, whatever else stands in their rows."""
        shown = self.columns[column].cell
        for row, refusal in ask_about_all(wrong, shown).items():
            line, fault = self.chunk.line(row), RowError(column, refusal, row, shown(row))
            if isinstance(refusal, NoGame):  # whatever else is wrong with the row
                self.faults[line] = fault
            else:
                self.faults.setdefault(line, fault)

    def restore_fault(self, row: int, column: str, refusal: InvalidValue) -> None:
        """Refuse a row that looked as if it were no game."""
        self.faults[self.chunk.line(row)] = RowError(column, refusal, row)

    def refuse_where(
        self, mask: Mask, column: str | None, why: Callable[[int], InvalidValue]
    ) -> None:
        """Take note that something is wrong with the rows where the mask is true."""
        if mask.any():
            self.refuse(column, {row: why(row) for row in np.flatnonzero(mask).tolist()})

    def parse(self, name: str, role: str) -> Floats:
        """The numbers that a column means in a role; cells that mean none are refused."""
        column = self.columns[name]
        role = COUNT if role == "above 0" and tell_count(name) else role
        values, wrong = column.parse(self.parsers[role, name])
        odd = bool(wrong)
        if role in WHOLE_NUMBERS_OF:  # a point in them may be one of thousands
            first = [column.cell(row) for row in range(min(len(column), MOST_CELLS_SEEN))]
            odd |= bool(np.any(np.nan_to_num(values) % 1.0))
            odd |= role == COUNT and find_marked(first) is not None
        odd |= self.parsers.closed and self.parsers.has_new_words(role, name)
        if odd and self.decide(role, name, name, wrong):
            values, wrong = column.parse(self.parsers[role, name])
        if role == "time" and (wrong or self.parsers.merged.is_open):
            parsed, parsers = ParsedColumn(values, wrong), self.parsers
            if not parsers.closed:
                values, wrong = parsers.merged.fill_dates(name, column, parsed, parsers.notes)
            elif parsers.merged.needs_all_rows(column, parsed):
                raise self.error_of_change(name, min(wrong, default=0))
        if role == "result" and self.parsers.outcomes.open_bracket:
            self._ask_about_brackets(name)
        if wrong:
            self.refuse_cells(name, self._name_other_dates(wrong) if role == "time" else wrong)
        return values

    def _name_other_dates(self, wrong: Mapping[int, InvalidValue]) -> Mapping[int, InvalidValue]:
        """The refusals of dates; the first also names another column that has dates."""
        row, other = min(wrong), self.parsers.layout.other_dates
        if other is None:
            return wrong
        python, refusal = f"time={quote(other)} (--time {shlex.quote(other)})", wrong[row]
        remedy = f"name another column of dates with {python}, {refusal.remedy or MEND}"
        return {**wrong, row: InvalidValue(refusal.what, remedy, code=refusal.code)}

    def _ask_about_brackets(self, name: str) -> None:
        """Raise BadData where a bracket may be the score at half time or of a shoot-out."""
        text = self.parsers.outcomes.open_bracket
        if not self.parsers.outcomes.half_time:
            cells = map(self.columns[name].cell, range(len(self.columns[name])))
            row = next((row for row, cell in enumerate(cells) if cell == text), None)
            if row is not None:
                what = f"{quote(text)} may be a draw with the score at half time, or a shoot-out"
                outcome = f'outcomes={{"{text}": 0.5}} (--outcome "{text}=0.5"), or 1, or 0'
                question = InvalidValue(what, f"say which with {outcome}", code="bracket_ambiguous")
                raise self.bad(self.chunk.line(row), RowError(name, question, row))

    def decide(self, role: str, key: str, name: str, wrong: Iterable[int] = ()) -> bool:
        """Whether all cells tell a better parser of a column than one by which some are `wrong`;
        raises BadData for a question, and where rows before are read.
        """
        column = self.columns[name]
        if role in BY_COLUMN and not isinstance(column, Values):
            raise FallBackToSlowReader  # which sees the whole column
        try:
            found = self.parsers.decide(role, key, column)
            if found and self.parsers.closed:
                raise self.error_of_change(name, min(wrong, default=0))
            return found
        except Question as question:
            cells = map(column.cell, range(len(column)))
            row = next((row for row, cell in enumerate(cells) if cell == question.cell), 0)
            raise self.bad(self.chunk.line(row), RowError(name, question, row)) from None

    def error_of_change(self, column: str, row: int) -> BadData:
        """The error of rows of a stream that are understood only beside all others."""
        what = "these rows are written in another way than those before them"
        return self.bad(
            self.chunk.line(row),
            RowError(column, InvalidValue(what, IN_MEMORY, code="rows_written_otherwise")),
        )

    def forgive(
        self, is_bye: Callable[[int, bool], bool], award: Callable[[int], bool] | None = None
    ) -> list[int]:
        """Forgive what is wrong with byes, and leave out those not `award`ed; their lines."""
        byes = {
            line: fault.row
            for line, fault in self.faults.items()
            if fault.row is not None and is_bye(fault.row, not is_walkover(fault.refusal))
        }
        for line in byes:
            del self.faults[line]
        left_out = [line for line, row in byes.items() if award is None or not award(row)]
        self.excused.update(left_out)
        return left_out

    def valid_rows(self, report: SkippedRows, skip_bad: bool) -> Mask:
        """The rows that stay; the first fault is raised, or with `skip_bad` all are reported."""
        for absent, reason in self.absent:
            report.note_absent(absent, reason)
        for line, fault in list(self.faults.items()):
            if isinstance(fault.refusal, NoGame):
                report.note_absent(self.bad(line, fault), fault.refusal.reason)
                del self.faults[line]
                self.excused.add(line)
        raise_or_report(
            {line: self.bad(line, fault) for line, fault in self.faults.items()}, report, skip_bad
        )
        line_of = self.chunk.line
        faulty = self.faults.keys() | self.excused
        return np.fromiter(
            (line_of(row) not in faulty for row in range(self.chunk.count)),
            np.bool_,
            self.chunk.count,
        )

    def bad(self, line: int, fault: RowError) -> BadData:
        """A fault as the caller sees it."""
        return fault.in_file(self.file, self.unit, line)


def raise_or_report(errors: Mapping[int, BadData], report: SkippedRows, skip_bad: bool) -> None:
    """Raise the first of some errors by line, or with `skip_bad` hand on all of them."""
    for _, bad in sorted(errors.items(), key=lambda each: each[0]):
        if not skip_bad:
            raise bad
        report(bad)
