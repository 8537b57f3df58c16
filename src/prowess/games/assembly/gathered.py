"""What is gathered of the rows of a table, chunk by chunk and file by file; its further columns.

A further column is one of numbers where every cell is, and then none may be empty. Others hold
words: they are numbered by first appearance, and an empty cell is a word of its own, "".
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.assembly.byes import (
    GamesToCome,
    ask_about_nobody,
    find_nobody,
    find_played,
    with_byes,
)
from prowess.games.assembly.scores import Scorelines
from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.cells.validation import CellParsers, RowError, RowValidation, raise_or_report
from prowess.games.columns import (
    EXACT_BELOW,
    NOT_UNICODE,
    Chunk,
    Floats,
    Growing,
    InputColumn,
    InputTable,
    Mask,
    NameIndex,
    PlainNames,
    Values,
    as_name,
    as_text,
    is_ascending,
    is_not_utf8,
    names_for,
)
from prowess.games.dates import format_day
from prowess.games.errors import (
    IN_MEMORY,
    MEND,
    BadData,
    FallBackToSlowReader,
    InvalidValue,
    Suspicion,
    quote,
)
from prowess.games.games import UNPLAYED, Games
from prowess.games.layout import Layout, Options
from prowess.games.names import Roster, byes_in
from prowess.games.numbering import GrowingGroups, GrowingNumbers, PlayerNumbers, normalize_names
from prowess.games.reading import format_count
from prowess.games.role_members import RoleColumn, with_role_members
from prowess.games.roles.forecasts import (
    category_notes,
    is_category,
    pop_forecasts,
    settle_forecasts,
)
from prowess.games.roles.lineups import CellReader, GrowingLineups
from prowess.games.team_names import split_notes
from prowess.games.values import parse_decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.layout import Layout
    from prowess.games.roles.lineups import Members


WORDS_SHOWN = 3  # words that a note names
NO_NUMBER = InvalidValue("a number is missing", MEND, code="number_missing")


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
                    faults.setdefault(row, RowError(column, NO_NUMBER))
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
                raise BadData(
                    f"facts= names {quote(name)}, which the table has as a column of its own",
                    remedy=f'leave it out, or say {name}="none" (--{name} none)',
                    code="fact_is_a_column",
                )
            if numbers is not None:
                found[name] = numbers[ids]
                continue
            order = self.order.setdefault(name, GrowingNumbers())
            found[name] = order.number(ids).astype(np.float64)
            if len(order) != len(self.labels.get(name, ())) or not len(order):
                known = order.keys.whole().tolist() if len(order) else []
                self.labels[name] = [words[each] for each in known]
            labels[name] = self.labels[name]
        return found, labels

    def notes(self) -> list[str]:
        """Notes on columns that hold words and numbers."""
        notes = []
        for name, words in self.words.items():
            if name in self.texts:
                continue
            odd = [word for word in words if word and np.isnan(_number(word))]
            if 0 < len(odd) < len([word for word in words if word]):
                shown = ", ".join(map(quote, odd[:WORDS_SHOWN]))
                notes.append(f"{quote(name)} holds numbers and words ({shown}): read as words")
        return notes


def _numbers(words: Sequence[str]) -> Floats | None:
    """The numbers of words, nan for an empty one; None if one is no number.

    Whole numbers that float64 cannot tell from their neighbours are words: they name something.
    """
    values = np.array([_number(word) for word in words])
    if any(word and np.isnan(value) for word, value in zip(words, values, strict=True)):
        return None
    large = np.flatnonzero(np.abs(values) >= EXACT_BELOW).tolist()
    if any(words[k].lstrip("+-").isdigit() for k in large):
        return None
    empty = np.array([word == "" for word in words], np.bool_)
    return None if empty.all() else values


def _number(word: str) -> float:
    try:
        return parse_decimal(word)
    except InvalidValue:
        return nan


# Columns whose cells tell things apart (rounds, contests, facts), as numbers of their texts.


NO_TEXT = InvalidValue("a value is not UTF-8", NOT_UNICODE.remedy, code="not_utf_8")


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
                rows.refuse(name, dict.fromkeys(rows_not_utf8(rows.columns[name]), NO_TEXT))


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
        try:
            "".join(cells.values).encode()
        except UnicodeEncodeError:
            return [row for row, cell in enumerate(cells.values) if is_not_utf8(cell)]
    elif not getattr(cells, "valid", True):
        return [row for row in range(len(cells)) if is_not_utf8(str(cells.cell(row)))]
    return []


def as_text_column(column: InputColumn) -> InputColumn:
    """A column whose cells tell rounds or contests apart: any value is as good as a name.

    A whole number is the same text as an integer and as a float.
    """
    held = getattr(column, "cells", column)  # of an Arrow column
    if isinstance(held, Values) and not held.text:
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

    def keep_decisions(self, parsers: CellParsers) -> None:
        """Keep how the cells of a file were read, and the options by which a further table is."""
        self.decisions |= dict.fromkeys((*parsers.found.said, *parsers.notes))
        self.details |= parsers.details
        orders = {*parsers.details.values()}
        if len(orders) == 1 and (order := orders.pop()).endswith(" first"):
            self.decided["date_format"] = order
        numbers = {f"{number:g}": score for number, score in parsers.outcomes.numbers.items()}
        if words := {**parsers.outcomes.letters, **numbers}:
            self.decided["outcomes"] = words

    @cached_property
    def cells(self) -> CellReader:
        """The reader of cells of sides that may have several members."""
        commas = self.options.teams == "commas"
        return CellReader(self.options.splits_teams, self.options.byes, commas)


@dataclass(eq=False)
class GatheredGames(GatheredRows):
    """Rows of games between two sides that are being gathered."""

    members: GrowingLineups | None = None  # where sides may have several
    scorelines: Scorelines = field(default_factory=Scorelines)
    dated: bool | None = None  # whether a column that may hold dates does, once known
    first_date: Any = None  # the first cell of one that does not
    file: str = ""  # the first
    place: Callable[[int], str] | None = None  # of a game of the first rows: `line 2`
    no_clock: bool = False  # whether times of the day are not read
    piecewise: bool = False  # whether games are taken before all rows are read
    strays: bool = False  # whether names were numbered of which no row is kept
    level: int = 0  # games of a winner with as many points as the loser

    def notes(self) -> Iterator[str]:
        """Notes on what was guessed and left out."""
        layout = self.layout
        yield from self.decisions
        if layout.maybe_time and not self.dated:
            yield (
                f"column {quote(layout.time)} is not used, as its first cell is no date: "
                f"{quote(self.first_date)}"
            )
        elif layout.dates_by_cells:
            yield f"the dates are those of column {quote(layout.time)}, as its cells tell"
        elif layout.time and layout.years and self.options.date_format is None:
            yield (
                f"the dates are the years of column {quote(layout.time)}; "
                "games of one year are taken in the order of the rows"
            )
        if layout.clock and self.no_clock:
            yield (
                f"column {quote(layout.clock)} is not used: games of one day are taken in the "
                "order of the file"
            )
        if layout.turned and layout.form == "result":
            yield (
                f"column {quote(layout.b)} stands before {quote(layout.a)}: results are read as "
                f"those of {quote(layout.a)} first"
            )
        if self.level:
            by_column = (
                f"that column {quote(layout.draw)} calls a draw, or" if layout.outcome else ""
            )
            yield (
                f"{format_count(self.level, 'game')} {by_column + ' ' if by_column else ''}"
                "with equal points of winner and loser: a draw "
                '(draw="none", --draw none, makes each a win)'
            )


# Gathered rows become games: all at once, or piece by piece as they are read.
#
# What only all rows of a table tell, such as whether a further column holds numbers, is decided by
# the first piece that is taken. A later piece that says otherwise is refused.


COLUMNS_OF_PIECE = "the columns of the games"


@dataclass(eq=False)
class GameSettler:
    """Makes games of gathered rows; `whole` says that they are all rows of the table."""

    rows: GatheredGames
    whole: bool = True
    players: PlayerNumbers = field(default_factory=PlayerNumbers)
    rounds: GrowingGroups = field(default_factory=GrowingGroups)
    to_come: GamesToCome = field(default_factory=GamesToCome)
    byes: list[int] = field(default_factory=list)  # numbers of names that are words for a bye
    names_of_byes: set[str] = field(default_factory=set)  # of those whose games are kept
    decided: dict[str, object] = field(default_factory=dict)  # by what the first piece says
    taken: int = 0  # games so far
    places: NDArray[np.int64] | None = None  # of the games in the last piece; None: as gathered

    def take(self, place: Callable[[int], Mapping[str, Any]] | None = None) -> Games:
        """What was gathered since the last time, as games; raises BadData.

        A whole table is put in order of time, the games of a piece stay as they stand. The
        `players` of a piece are the names that are new in it, and `place` says where a row of it
        stands.
        """
        rows, known = self.rows, self.players.seen
        columns: dict[str, Any] = {}
        for name in list(rows.columns):
            columns[name] = rows.columns.pop(name).whole()
        fresh = self.players.look_at_names(rows.names)
        whole = fresh
        if self.whole:
            if rows.names.are_plain:
                whole = rows.names.roster()
            rows.names = PlainNames()  # gives up what is no longer needed
        if rows.layout.has_labels:
            rows.labels.settle(columns)
        lineups = rows.members.take() if rows.members else None
        if lineups is not None:
            columns["row"] = np.arange(len(columns["score"]), dtype=np.int64)
        elif (spelt := self.players.spelt) is not None:
            columns["a"], columns["b"] = spelt[columns["a"]], spelt[columns["b"]]
            if (columns["a"] == columns["b"]).any():
                raise FallBackToSlowReader  # two spellings of one name in one game
        if rows.scorelines.points or rows.scorelines.nil:
            columns |= rows.scorelines.take()
        if "points_a" in columns and "margin" not in columns:
            columns["margin"] = columns["points_a"] - columns["points_b"]
        self.places = None
        assumed: list[str] = []
        if rows.layout.facts or rows.layout.forecasts:
            faults, assumed = settle_forecasts(columns, rows.layout)
            faults |= rows.facts.settle(rows.labels, columns, rows.layout)
            keep = rows.lines.refuse_rows(faults, columns, rows.report, rows.skip_bad)
            for name in ("line", "file"):
                columns.pop(name, None)
            if keep is not None:
                self._keep(columns, keep, known)
        if rows.options.byes:
            assumed = [*assumed, *self._leave_out_byes(columns, lineups, fresh, known, place)]
        if rows.strays:
            self.players.count_games(known)
        if lineups is None:
            columns["a"], columns["b"] = self.players.number(columns["a"], columns["b"])
        elif self.players.by_game is not None:
            lineups.renumber(columns["row"], self.players.by_game)
        groups = [columns.pop(f"round {at}") for at in range(len(rows.layout.round))]
        if groups:
            columns["round"] = self.rounds.number(groups).astype(np.int32)
        self.taken += len(columns["score"])
        if self.whole:
            return self._finish(columns, lineups, self.players.roster(whole), assumed)
        return self._make_piece(columns, lineups, fresh)

    def _keep(self, columns: dict[str, Any], keep: Mask, known: int) -> None:
        """Keep some games only; players are then numbered by those, after the `known` ones."""
        for name, values in columns.items():
            columns[name] = values[keep]
        self.places = np.flatnonzero(keep) if self.places is None else self.places[keep]
        self.players.count_games(known)

    def _leave_out_byes(
        self, columns: dict[str, Any], lineups: Members | None, fresh: Roster, known: int,
        place: Callable[[int], Mapping[str, Any]] | None,
    ) -> list[Suspicion]:  # fmt: skip
        """Leave out games against nobody, and those of places to come; notes on them."""
        rows, said = self.rows, list[Suspicion]()
        self.byes += (byes_in(fresh) + known).tolist()
        if lineups is not None:
            self.byes += [known + fresh.index(name) for name in rows.cells.byes if name in fresh]
        if lineups is None and rows.options.nobody:
            names = (rows.layout.a, rows.layout.b)
            if place is not None:
                ask_about_nobody(fresh, known, columns, names, place)
            else:
                nobody, said = find_nobody(fresh, columns, names, rows.file)
                self.byes += nobody
        if self.byes and lineups is None:
            name_of = fresh.__getitem__ if self.whole else rows.names.name
            played = find_played(self.byes, name_of, columns)
            if not self.whole:
                for who in self.byes:
                    if ((columns["a"] == who) | (columns["b"] == who)).any():
                        self._decide(f"whether {quote(name_of(who))} is a bye", who not in played)
            self.byes = [who for who in self.byes if who not in played]
        if self.byes:
            some = np.array(sorted({*self.byes}))
            keep = ~players_among(some, columns, self.players.seen, lineups)
            if rows.options.bye_wins and lineups is None:
                if not self.whole:
                    raise BadData(
                        "byes count as wins in a whole table only",
                        remedy=IN_MEMORY, code="byes_in_stream",
                    )  # fmt: skip
                self.names_of_byes = {name_of(who) for who in self.byes}
                byes = [np.isin(columns[side], some) for side in ("a", "b")]
                keep = ~(byes[0] & byes[1])
            if not keep.all():
                example = self._describe_place(int(np.argmin(keep)), place)
                rows.report.note_byes(len(keep) - int(keep.sum()), example)
                self._keep(columns, keep, known)
        if lineups is None:
            name_of = fresh.__getitem__ if self.whole else rows.names.name
            to_come = self.to_come.find(fresh, self.players.seen, name_of, columns)
            if to_come is not None:
                rows.report.absent["not played"] += int(to_come.sum())
                self._keep(columns, ~to_come, known)
        return said

    def _describe_place(self, row: int, place: Callable[[int], Mapping[str, Any]] | None) -> str:
        """Where a game stands in its source: `line 7`; empty where that is not known."""
        at = row if self.places is None else int(self.places[row])
        if place is not None:
            return next((f"{unit} {line}" for unit, line in place(at).items()
                         if unit in {"line", "row"}), "")  # fmt: skip
        return self.rows.place(at) if self.rows.place else ""

    def _finish(
        self, columns: dict[str, Any], lineups: Members | None, players: Roster, assumed: list[str]
    ) -> Games:
        """The games of a whole table, in order of time."""
        rows = self.rows
        time = columns.get("time")
        if time is not None and (far := note_far_dates(time)):
            assumed = [*assumed, far]
        if "points_a" in columns:
            points = columns["points_a"], columns["points_b"]
            found = note_nil_end(*points), _note_negative(*points, rows.layout)
            assumed = [*assumed, *filter(None, found)]
        if time is not None and not is_ascending(time):
            newest = note_newest_first(columns) if rows.options.order is None else None
            assumed = [*assumed, *([newest] if newest else [])]
            del time
            order_by_time(columns)
        rows.rows = self.taken
        if lineups is not None:
            columns.update(lineups.columns(columns.pop("row")))
        facts, words = self._facts(columns) if rows.layout.facts else ({}, {})
        layout = rows.layout
        if layout.forecasts:
            facts |= pop_forecasts(columns, layout)
        if UNPLAYED in columns:
            facts.setdefault(UNPLAYED, columns.pop(UNPLAYED))
        notes = [*rows.notes(), *assumed, *self.late_notes(lambda: players)]
        rows.layout = self.used_layout()
        keys = [*(f"per {role}" for role, _ in layout.per)]
        keys += [key for role, _ in layout.along for key in rows.labels.keys[f"with {role}"]]
        of_roles = {key: columns.pop(key) for key in keys}
        table = Games(players=players, notes=tuple(notes), facts=facts, labels=words, **columns)
        table = self._add_roles(table, of_roles) if of_roles or rows.options.family else table
        return with_byes(table, self.names_of_byes) if self.names_of_byes else table

    def _facts(self, columns: dict[str, Any]) -> tuple[dict[str, Floats], dict[str, list[str]]]:
        """The facts and their words, without guessed ones that tell no kinds of games apart."""
        facts, words = self.rows.facts.columns(columns)
        for name in self.rows.layout.guessed_facts.difference(self._categories()):
            del facts[name], words[name]
        return facts, words

    def _categories(self) -> list[str]:
        """The guessed facts that tell kinds of games apart, in all games so far."""
        labels, guessed = self.rows.facts.labels, self.rows.layout.guessed_facts
        return [name for name in guessed if is_category(len(labels[name]), self.taken)]

    def used_layout(self) -> Layout:
        """The layout without columns that headings suggest, and that the cells show to be others:
        guessed facts, and dates.
        """
        layout = self.rows.layout
        if layout.guessed_facts:
            layout = layout.with_guessed_facts(self._categories())
        unused = layout.maybe_time and not self.rows.dated
        return replace(layout, time=None) if unused else layout

    def late_notes(self, roster: Callable[[], Roster]) -> Iterator[str]:
        """Notes on what only all games tell: on facts, and on names that were to be split.

        The `roster` of all players is asked for where it is looked into.
        """
        rows = self.rows
        if rows.layout.facts:
            yield from rows.facts.notes()
            yield from category_notes(self.used_layout(), rows.facts.labels)
        if rows.options.splits_teams:
            yield from split_notes(rows.cells.joined, roster())

    def _add_roles(self, table: Games, columns: dict[str, Any]) -> Games:
        """The table with its members by role, which `columns` give for each game."""
        rows, sides = self.rows, np.arange(2 * len(table), dtype=np.int64)
        texts, keys = rows.labels.texts, rows.labels.keys
        per = [
            RoleColumn(role, texts[f"per {role}"], columns[f"per {role}"][table.contest_of_member])
            for role, _ in rows.layout.per
        ]
        along = []
        for role, _ in rows.layout.along:
            ids = np.stack([columns[key] for key in keys[f"with {role}"]], axis=1).ravel()
            along.append(RoleColumn(role, texts[f"with {role}"], ids, sides))
        return with_role_members(table, per, along, rows.options.family)

    # -- pieces --

    def _make_piece(self, columns: dict[str, Any], lineups: Members | None, fresh: Roster) -> Games:
        """Some games of a table, whose first piece decided what their columns are."""
        rows = self.rows
        if lineups is not None:
            columns |= lineups.columns(columns.pop("row"))
        facts, words = rows.facts.columns(columns) if rows.layout.facts else ({}, {})
        if UNPLAYED in columns:
            facts.setdefault(UNPLAYED, columns.pop(UNPLAYED))
        categories = self._categories()
        for name in rows.layout.guessed_facts:
            used = name in categories
            option = f'{name}="{name}" or {name}="none" (--{name})'
            self._decide(f"whether {name} tells kinds of games apart", used, f"say {option}")
            if not used:
                del facts[name], words[name]
        for name, _ in rows.layout.facts:
            kind = "numbers" if rows.facts.numbers[name] is not None else "words"
            self._decide(f"whether {quote(name)} holds numbers", kind)
        self._decide(COLUMNS_OF_PIECE, sorted(columns))
        return Games(players=fresh, facts=facts, labels=words, **columns)

    @property
    def has_teams(self) -> bool:
        """Whether the games of the pieces are between sides of several members."""
        columns = self.decided[COLUMNS_OF_PIECE]
        return isinstance(columns, list) and "ends" in columns

    def _decide(self, what: str, found: object, remedy: str = IN_MEMORY) -> None:
        """Refuse what the first piece said otherwise."""
        if self.decided.setdefault(what, found) != found:
            raise BadData(
                f"these rows change {what}, and the rows before them are rated",
                remedy=remedy,
                code="rows_change_reading",
            )


def _note_negative(a: Floats, b: Floats, layout: Layout) -> Suspicion | None:
    """The note on few games with negative points among others: they may be disqualifications."""
    below = (a < 0.0) | (b < 0.0)
    count = int(below.sum())
    if not 0 < 2 * count <= len(below):
        return None
    games = "1 game has" if count == 1 else f"{count:,} games have"
    remedy = ""
    if layout.points_a and layout.points_b:
        names = (layout.points_a, layout.points_b)
        python = ", ".join(f'"{name}": "-1"' for name in names)
        shell = " ".join(f"--exclude {shlex.quote(f'{name}=-1')}" for name in names)
        remedy = (
            f": if -1 is a disqualification, leave them out with exclude={{{python}}} ({shell})"
        )
    return Suspicion(
        f"{games} negative points beside games without{remedy}", f"{games} negative points"
    )


# Columns of gathered games: which games stay, and their order in time.


FEWEST_DATES = 3  # different ones, of which one may lie far from the others
FAR = 5.0 * 365.25  # days
MANY_ROWS = 1_000_000  # rows; from here on sorting is compiled
FEWEST_NIL, SHARE_NIL = 3, 0.2  # games 0:0 in a row at one end, and their share of the others


def players_among(
    some: NDArray[np.int64], columns: dict[str, Any], players: int, lineups: Members | None
) -> Mask:
    """The games in which one of some of so many players stands."""
    among = np.zeros(players, np.bool_)
    among[some] = True
    found: Mask = (
        among[columns["a"]] | among[columns["b"]]
        if lineups is None
        else lineups.having(among)[columns["row"]]
    )
    return found


def note_newest_first(columns: dict[str, NDArray[Any]]) -> Suspicion | None:
    """The note on a table whose times fall from row to row, and in which a player has several
    games of one time: it is open which of these was the first.
    """
    time = columns["time"]
    if "a" not in columns or not is_ascending(-time) or len(time) > MANY_ROWS:
        return None
    players = np.concatenate((columns["a"], columns["b"])).astype(np.int64)
    same = np.concatenate((time, time))
    order = np.lexsort((same, players))
    twice = (players[order][1:] == players[order][:-1]) & (same[order][1:] == same[order][:-1])
    if not twice.any():
        return None
    return Suspicion(
        "the newest games stand first, and a player has several of one time, which are taken in "
        'the order of the file: say order="reversed" (--row-order reversed) or order="file"',
        'newest first: games of one time as in the file (order="reversed", --row-order reversed?)',
    )


def note_far_dates(time: Floats) -> Suspicion | None:
    """The note on a first or last date that lies years from all others: a slip, or no date."""
    days = np.sort(time)
    days = days[np.diff(days, prepend=-np.inf) > 0.0]  # np.unique imports masked arrays
    if len(days) < FEWEST_DATES:
        return None
    for at, gap, span in (
        (0, days[1] - days[0], days[-1] - days[1]), (-1, days[-1] - days[-2], days[-2] - days[0]),
    ):  # fmt: skip
        if gap > max(FAR, 2.0 * span):
            day = format_day(float(days[at]))
            return Suspicion(
                f"the date {day} lies {gap / 365.25:.0f} years from all others", f"the date {day}"
            )
    return None


def note_nil_end(a: Floats, b: Floats) -> Suspicion | None:
    """The note on games at the end, or the beginning, that are all 0:0, as fixtures are."""
    nil = (a == 0.0) & (b == 0.0)
    for rows in (nil, nil[::-1]):
        decided = np.flatnonzero(~rows)
        count = int(decided[0]) if len(decided) else 0
        others = rows[count:]
        if count >= FEWEST_NIL and len(others) > count and others.mean() < SHARE_NIL:
            return Suspicion(
                f"{count:,} games in a row are 0:0, as if they were not played yet: clear the "
                "scores of those that were not",
                f"{count:,} games in a row are 0:0",
            )
    return None


def order_by_time(columns: dict[str, NDArray[Any]]) -> None:
    """Put the rows of all columns in order of time, rows of equal time as they stand."""
    if len(columns["time"]) >= MANY_ROWS:
        from prowess.compile import kernel
        from prowess.games.cells.loops import reorder, sort_by_time

        if kernel.available():
            order = sort_by_time(columns["time"])
            for name in list(columns):  # one at a time: the old one is given up at once
                columns[name] = reorder(columns[name], order)
            return
    order = np.argsort(columns["time"], kind="stable")
    for name, values in columns.items():
        columns[name] = values[order]
