"""Rows of a table as games between two sides."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.assembly.byes import find_games_to_come, find_nobody, finder_of_byes
from prowess.games.assembly.facts import FactColumns, TextColumns, labelled_columns, rows_not_utf8
from prowess.games.assembly.game_order import (
    keep_games,
    note_far_dates,
    note_newest_first,
    note_nil_end,
    order_by_time,
    players_among,
)
from prowess.games.assembly.result_column import Scorelines
from prowess.games.assembly.scores import columns_of_games, self_play
from prowess.games.assembly.winners import as_winners
from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.cells.validation import CellParsers, RowError, RowLocations, RowValidation
from prowess.games.columns import (
    Growing,
    InputTable,
    NameIndex,
    PlainNames,
    Values,
    as_name,
    is_ascending,
    names_for,
    normalize_names,
    number_groups,
)
from prowess.games.dates import is_date_like, is_year
from prowess.games.errors import BadData, FallBackToSlowReader, InvalidValue, quote
from prowess.games.games import Games
from prowess.games.layout import Layout, Options
from prowess.games.names import byes_in
from prowess.games.reading import format_count
from prowess.games.role_members import RoleColumn, with_role_members
from prowess.games.roles.categories import MOST_VALUES, category_notes, is_category
from prowess.games.roles.evidence import is_date
from prowess.games.roles.forecasts import parse_forecasts, pop_forecasts, settle_forecasts
from prowess.games.roles.lineups import (
    CellReader,
    GrowingLineups,
    Lineup,
    Shares,
    read_lineups,
    read_shares,
    with_lists,
)
from prowess.games.roles.member_columns import refuse_leftover
from prowess.games.team_names import split_notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Sides = Sequence[Sequence[Lineup]]


NIL = InvalidValue(
    '"0-0" may be a draw or a game without points, and no result such as 1-1 or 2-1 says which',
    "write draws as 1/2-1/2, or leave these rows out with exclude= (--exclude COLUMN=0-0)",
)


FIRST = 20  # cells that tell whether a column holds dates


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

    @cached_property
    def cells(self) -> CellReader:
        """The reader of cells of sides that may have several members."""
        commas = self.options.teams == "commas"
        return CellReader(self.options.splits_teams, self.options.byes, commas)


@dataclass(eq=False)
class GameRows(GatheredRows):
    """Rows that are games between two sides."""

    members: GrowingLineups | None = None  # where sides may have several
    scorelines: Scorelines = field(default_factory=Scorelines)
    dated: bool | None = None  # whether a column that may hold dates does, once known
    first_date: Any = None  # the first cell of one that does not
    file: str = ""  # the first
    no_clock: bool = False  # whether times of the day are not read
    level: int = 0  # games of a winner with as many points as the loser

    def add(self, table: InputTable, layout: Layout) -> None:
        """Validate and add all rows of a table; raises BadData."""
        self.file = self.file or table.file
        parsers = CellParsers(layout, self.options)
        for chunk in table.chunks(layout.columns()):
            self.seen += chunk.count
            rows = RowValidation(chunk, parsers, table.file, table.unit)
            if layout.guessed_facts or self.layout.guessed_facts:
                layout = self._keep_guessed_facts(layout, rows)
            if (by_name := as_winners(rows, layout)) is not layout:
                layout, self.layout = by_name, replace(self.layout, form="winner")
            if layout.leftover:
                refuse_leftover(rows, layout, self.options.byes)
            if self.members or rows.columns[layout.a].lists or rows.columns[layout.b].lists:
                layout = with_lists(layout, rows, bool(self.members), self.count > 0)
            sides = read_lineups(rows, layout.sides, self.cells) if layout.sides else []
            shares: Sequence[Sequence[Shares]] = []
            if layout.shares:
                shares = read_shares(rows, layout.sides, layout.shares, sides, self.cells)
            dated = self._with_dates(layout, rows) if layout.maybe_time else layout
            columns: dict[str, NDArray[Any]] = dict(columns_of_games(rows, dated, sides))
            columns |= parse_forecasts(rows, layout)
            labelled = labelled_columns(layout) if self.layout.has_labels else []
            if labelled:
                self.labels.refuse(rows, labelled)
            if self.options.byes and rows.faults:
                is_bye = finder_of_byes(rows, layout, sides, self.cells, self.options.nobody)
                self.report.byes += rows.forgive(is_bye)
            kept, keep = rows.chunk, None
            if rows.faults or rows.excused or rows.absent:
                keep = self._keep_valid(rows, layout, bool(sides))
                kept = kept.select(keep)
                columns = {name: values[keep] for name, values in columns.items()}
            if layout.level_draws or layout.outcome:
                self.level += int((columns["score"] == 0.5).sum())
            if sides:
                self.members = self.members or GrowingLineups()
                assert isinstance(self.names, PlainNames)
                self.members.add(sides, shares, keep, self.names)
            else:
                players = kept.columns[layout.a], kept.columns[layout.b]
                if not isinstance(players[0], Values):
                    self.names = names_for(self.names, players[0])
                columns["a"], columns["b"] = self.names.ids(*players)
            if labelled:
                columns.update(self.labels.ids(kept, labelled))
            if (facts := layout.number_facts) or layout.forecasts:
                empty = [
                    self.labels.empty(f"fact {name}", columns[f"fact {name}"]) for name in facts
                ]
                some = None if layout.forecasts else np.logical_or.reduce(empty)
                columns.update(self.lines.columns(kept, table, some))
            if layout.form == "result" and not (layout.points_a or layout.line):
                self.scorelines.add(
                    kept,
                    layout.result,
                    parsers,
                    self.columns.get("score"),
                    lambda line, rows=rows, column=layout.result: rows.bad(
                        line, RowError(column, NIL)
                    ),
                )
            for name, values in columns.items():
                self.columns.setdefault(name, Growing(table.expected)).append(values)
            self.count += len(columns["score"])
        self.decisions |= dict.fromkeys((*layout.said, *parsers.notes))
        self.details |= parsers.details
        self.no_clock |= parsers.no_clock

    def _keep_guessed_facts(self, layout: Layout, rows: RowValidation) -> Layout:
        """The layout with those guessed facts that all files have as texts of few values."""
        columns = dict(layout.facts)
        keep = [
            name
            for name in layout.guessed_facts & self.layout.guessed_facts
            if (not self.count or self.labels.count(f"fact {name}") <= MOST_VALUES)
            and not rows_not_utf8(rows.columns[columns[name]])
        ]
        for name in self.layout.guessed_facts.difference(keep):
            self.labels.drop(f"fact {name}", self.columns)
        self.layout = self.layout.with_guessed_facts(keep)
        return layout.with_guessed_facts(keep)

    def _keep_valid(self, rows: RowValidation, layout: Layout, sides: bool) -> Mask:
        """The rows that stay; raises BadData for the others, or reports them."""
        if rows.faults and not sides:
            _refuse_two_spellings(rows, layout)
        try:
            return rows.valid_rows(self.report, self.skip_bad)
        except BadData:
            if not sides:
                self._look_for_two_spellings(rows, layout)
            raise

    def _with_dates(self, layout: Layout, rows: RowValidation) -> Layout:
        """The layout, without a column of dates whose first cell is none, nor most others."""
        if self.dated is None and rows.chunk.count:
            self.first_date = rows.columns[str(layout.time)].cell(0)
            form = self.options.date_format
            column = rows.columns[str(layout.time)]
            cells = [self.first_date, *map(column.cell, range(min(rows.chunk.count, FIRST)))]
            dates = [
                is_year(cell) if layout.years and form is None
                else is_date_like(cell, form) or is_date(cell)
                for cell in cells
            ]  # fmt: skip
            self.dated = dates[0] or 2 * sum(dates) > len(dates)
        return layout if self.dated else replace(layout, time=None)

    def _look_for_two_spellings(self, rows: RowValidation, layout: Layout) -> None:
        """Raise FallBackToSlowReader where, before the first error, a player meets another
        spelling of their own name, which the fast reader finds only at the end.
        """
        a, b = rows.columns[layout.a], rows.columns[layout.b]
        if isinstance(a, Values):
            return
        first = min(rows.faults)
        for row in range(rows.chunk.count):
            if rows.chunk.line(row) >= first:
                break
            if as_name(a.cell(row)) == as_name(b.cell(row)):
                raise FallBackToSlowReader
        if self.count:
            _, (one, other) = normalize_names(
                self.names.roster(), self.columns["a"].whole(), self.columns["b"].whole()
            )
            if (one == other).any():
                raise FallBackToSlowReader

    def games(self) -> Games:
        """All games, in order of time; what was gathered is given up."""
        columns: dict[str, Any] = {}
        for name in list(self.columns):
            columns[name] = self.columns.pop(name).whole()
        players = self.names.roster()
        self.names = PlainNames()  # gives up what is no longer needed
        if self.layout.has_labels:
            self.labels.settle(columns)
        if self.members is None:
            spelt = players
            players, (columns["a"], columns["b"]) = normalize_names(
                players, columns["a"], columns["b"]
            )
            if players is not spelt and (columns["a"] == columns["b"]).any():
                raise FallBackToSlowReader  # two spellings of one name in one game
        else:
            columns["row"] = np.arange(len(columns["score"]))
        if self.scorelines.points or self.scorelines.nil:
            columns.update(self.scorelines.columns())
        if "points_a" in columns and "margin" not in columns:
            columns["margin"] = columns["points_a"] - columns["points_b"]
        lineups = self.members.members() if self.members else None
        assumed: list[str] = []
        if self.layout.facts or self.layout.forecasts:
            faults, assumed = settle_forecasts(columns, self.layout)
            faults |= self.facts.settle(self.labels, columns, self.layout)
            keep = self.lines.refuse_rows(faults, columns, self.report, self.skip_bad)
            for name in ("line", "file"):
                columns.pop(name, None)
            if keep is not None:
                players = keep_games(columns, players, keep, lineups)
        if self.options.byes:
            byes = {*byes_in(players).tolist()}
            byes |= {players.index(name) for name in self.cells.byes if name in players}
            if lineups is None and self.options.nobody:
                nobody, said = find_nobody(
                    players, columns, (self.layout.a, self.layout.b), self.file
                )
                byes |= {*nobody}
                assumed = [*assumed, *said]
            if byes:
                keep = ~players_among(np.array(sorted(byes)), columns, players, lineups)
                self.report.byes += len(keep) - int(keep.sum())
                players = keep_games(columns, players, keep, lineups)
            if lineups is None and (to_come := find_games_to_come(players, columns)) is not None:
                self.report.absent["not played"] += int(to_come.sum())
                players = keep_games(columns, players, ~to_come, lineups)
        rounds = [columns.pop(f"round {at}") for at in range(len(self.layout.round))]
        if rounds:
            columns["round"] = number_groups(rounds).astype(np.int32)
        time = columns.get("time")
        if time is not None and (far := note_far_dates(time)):
            assumed = [*assumed, far]
        if "points_a" in columns and (
            nil := note_nil_end(columns["points_a"], columns["points_b"])
        ):
            assumed = [*assumed, nil]
        if time is not None and not is_ascending(time):
            newest = note_newest_first(columns) if self.options.order is None else None
            assumed = [*assumed, *([newest] if newest else [])]
            del time
            order_by_time(columns)
        self.rows = len(columns["score"])
        if lineups is not None:
            columns.update(lineups.columns(columns.pop("row")))
        facts, words = self._facts(columns) if self.layout.facts else ({}, {})
        layout = self.layout
        facts |= pop_forecasts(columns, layout)
        notes = [*self.notes(), *assumed]
        if layout.maybe_time and not self.dated:
            self.layout = replace(self.layout, time=None)
        if layout.facts:
            notes += [*self.facts.notes(), *category_notes(layout, words)]
        if self.options.splits_teams:
            notes += split_notes(self.cells.joined, players)
        keys = [*(f"per {role}" for role, _ in layout.per)]
        keys += [key for role, _ in layout.along for key in self.labels.keys[f"with {role}"]]
        of_roles = {key: columns.pop(key) for key in keys}
        table = Games(players=players, notes=tuple(notes), facts=facts, labels=words, **columns)
        return self._add_roles(table, of_roles) if of_roles or self.options.family else table

    def _facts(self, columns: dict[str, Any]) -> tuple[dict[str, Floats], dict[str, list[str]]]:
        """The facts and their words, without guessed ones that tell no kinds of games apart."""
        facts, words = self.facts.columns(columns)
        guessed = self.layout.guessed_facts
        keep = [name for name in guessed if is_category(len(words[name]), self.rows)]
        for name in guessed.difference(keep):
            del facts[name], words[name]
        self.layout = self.layout.with_guessed_facts(keep)
        return facts, words

    def _add_roles(self, table: Games, columns: dict[str, Any]) -> Games:
        """The table with its members by role, which `columns` give for each game."""
        texts, keys, sides = self.labels.texts, self.labels.keys, np.arange(2 * len(table))
        per = [
            RoleColumn(role, texts[f"per {role}"], columns[f"per {role}"][table.contest_of_member])
            for role, _ in self.layout.per
        ]
        along = []
        for role, _ in self.layout.along:
            ids = np.stack([columns[key] for key in keys[f"with {role}"]], axis=1).ravel()
            along.append(RoleColumn(role, texts[f"with {role}"], ids, sides))
        return with_role_members(table, per, along, self.options.family)

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
                "games of one year are taken in the order of the file"
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


def _refuse_two_spellings(rows: RowValidation, layout: Layout) -> None:
    """Put first what is wrong first with a faulty row: that both players are one, in two spellings.

    The fast reader compares names as they are written.
    """
    a, b = rows.columns[layout.a], rows.columns[layout.b]
    for line, fault in rows.faults.items():
        if (row := fault.row) is None or fault.column in {layout.a, layout.b}:
            continue
        name = as_name(a.cell(row))
        if name and name == as_name(b.cell(row)):
            rows.faults[line] = RowError(layout.b, self_play(name), row)
