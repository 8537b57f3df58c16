"""Rows of a table as games between two sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.assembly.byes import award_bye, find_walkovers, finder_of_byes
from prowess.games.assembly.gathered import (
    GameSettler,
    GatheredGames,
    labelled_columns,
    rows_not_utf8,
)
from prowess.games.assembly.scores import as_winners, columns_of_games, self_play
from prowess.games.cells.validation import CellParsers, RowError, RowValidation
from prowess.games.columns import (
    Chunk,
    Growing,
    InputTable,
    Mask,
    PlainNames,
    Values,
    as_name,
    names_for,
)
from prowess.games.dates import is_date_like, is_year
from prowess.games.errors import IN_MEMORY, BadData, FallBackToSlowReader, InvalidValue
from prowess.games.games import UNPLAYED, Games
from prowess.games.layout import Layout
from prowess.games.numbering import normalize_names
from prowess.games.roles.evidence import is_date
from prowess.games.roles.forecasts import MOST_VALUES, parse_forecasts
from prowess.games.roles.lineups import (
    GrowingLineups,
    Lineup,
    Shares,
    read_lineups,
    read_shares,
    with_lists,
)
from prowess.games.roles.member_columns import refuse_leftover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Sides = Sequence[Sequence[Lineup]]


NIL = InvalidValue(
    '"0-0" may be a draw or a game without points, and no result such as 1-1 or 2-1 says which',
    "write draws as 1/2-1/2, or leave these rows out with exclude= (--exclude COLUMN=0-0)",
    code="nil_nil",
)


FIRST_ROWS = 1_000  # whose places are known when all games are
DATES_TRIED = 20  # cells that tell whether a column holds dates


@dataclass(eq=False)
class GameRows(GatheredGames):
    """Rows that are games between two sides."""

    def add(self, table: InputTable, layout: Layout) -> None:
        """Validate and add all rows of a table; raises BadData."""
        for _ in self.add_chunks(table, layout):
            pass

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
            kept, plain = chunk, self._read_plain(chunk, parsers) if self.count else None
            if plain is not None:
                self._append(plain, table)
            else:
                try:
                    kept = self._read_chunk(chunk, parsers, table)
                except FallBackToSlowReader:
                    if not self.piecewise:
                        raise
                    held = hold_values(chunk)  # of a stream, by the slow reader
                    if table.once:
                        refuse_lines_between(held, table)
                    kept = self._read_chunk(held, parsers, table)
            parsers.closed = self.piecewise
            yield kept
        self.keep_decisions(parsers)
        self.no_clock |= parsers.no_clock

    def _read_chunk(self, chunk: Chunk, parsers: CellParsers, table: InputTable) -> Chunk:
        """Validate and add some rows; those that are kept."""
        rows, layout = RowValidation(chunk, parsers, table.file, table.unit), parsers.found
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
        if layout.forecasts:
            columns |= parse_forecasts(rows, layout)
        if self.options.walkovers:
            columns[UNPLAYED] = find_walkovers(rows, layout)
        labelled = labelled_columns(layout) if self.layout.has_labels else []
        if labelled:
            self.labels.refuse(rows, labelled)
        if self.options.byes and rows.faults:
            is_bye = finder_of_byes(rows, layout, sides, self.cells, self.options.nobody)
            award = None
            if self.options.bye_wins and not sides:
                award = partial(award_bye, rows, layout, columns)
            byes = rows.forgive(is_bye, award)
            self.report.note_byes(len(byes), f"{rows.unit} {min(byes, default=0)}")
        kept, keep = rows.chunk, None
        if rows.faults or rows.excused or rows.absent:
            keep = self._keep_valid(rows, layout, bool(sides))
            kept = kept.select(keep)
            columns = {name: values[keep] for name, values in columns.items()}
        if not self.count:
            self.place = partial(_say_place, table.unit, kept.line, min(kept.count, FIRST_ROWS))
        if layout.level_draws or layout.outcome:
            self.level += int((columns["score"] == 0.5).sum())
        if sides:
            self.members = self.members or GrowingLineups()
            assert isinstance(self.names, PlainNames)
            self.members.add(sides, shares, keep, self.names)
        else:
            players = kept.columns[layout.a], kept.columns[layout.b]
            self.names = names_for(self.names, *players)
            columns["a"], columns["b"] = self.names.ids(*players)
        if labelled:
            columns.update(self.labels.ids(kept, labelled))
        facts = [name for name, _ in layout.facts if name not in layout.text_facts]
        if facts or layout.forecasts:
            empty = [self.labels.empty(f"fact {name}", columns[f"fact {name}"]) for name in facts]
            some = None if layout.forecasts else np.logical_or.reduce(empty)
            columns.update(self.lines.columns(kept, table, some))
        if layout.form == "result" and not (layout.points_a or layout.line):
            self.scorelines.add(
                kept,
                layout.result,
                parsers,
                self.columns.get("score"),
                lambda line, rows=rows, column=layout.result: rows.bad(line, RowError(column, NIL)),
            )
        self._append(columns, table)
        parsers.found = layout
        return kept

    def _append(self, columns: Mapping[str, NDArray[Any]], table: InputTable) -> None:
        for name, values in columns.items():
            self.columns.setdefault(name, Growing(table.expected)).append(values)
        self.count += len(columns["score"])

    def _read_plain(self, chunk: Chunk, parsers: CellParsers) -> dict[str, NDArray[Any]] | None:
        """The columns of rows that are games as they stand; None where rows need a look, or the
        first ones have not decided yet what the columns hold.
        """
        layout = parsers.found
        if not is_plain(layout) or not is_plain(self.layout) or self.members:
            return None
        if chunk.refused or chunk.absent or not self.scorelines.mixed:
            return None
        if parsers.coded or parsers.merged.above or self.options.outcomes:
            return None
        if self.options.walkovers:
            return None
        if layout.maybe_time and not self.dated:
            return None
        from prowess.games.cells.arrow_columns import number_plain_names, read_plain_scores
        from prowess.games.cells.loops import loops

        columns: dict[str, NDArray[Any]] | None = read_plain_scores(chunk.columns, layout, parsers)
        if columns is None:
            return None
        ids = number_plain_names(self.names, chunk.columns[layout.a], chunk.columns[layout.b])
        if ids is None:
            return None
        columns["a"], columns["b"] = ids
        if not loops().are_games(*ids):
            self.strays = True
            return None
        if layout.sided:
            columns["side"] = np.ones(chunk.count)
        parsers["result", layout.result].numbers_met = True
        return columns

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
            cells = [self.first_date, *map(column.cell, range(min(rows.chunk.count, DATES_TRIED)))]
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
        if self.count and not self.piecewise:
            _, (one, other) = normalize_names(
                self.names.roster(), self.columns["a"].whole(), self.columns["b"].whole()
            )
            if (one == other).any():
                raise FallBackToSlowReader

    def games(self) -> Games:
        """All games, in order of time; what was gathered is given up."""
        return GameSettler(self).take()


def _say_place(unit: str, line: Callable[[int], int], count: int, row: int) -> str:
    """Where a row stands that is one of the first `count`: `line 2`; empty for another."""
    return f"{unit} {line(row)}" if row < count else ""


def hold_values(chunk: Chunk) -> Chunk:
    """The chunk with Python values in place of bytes, as the slow reader has it."""
    rows = range(chunk.count)
    columns = {
        name: Values([column.cell(row) for row in rows]) for name, column in chunk.columns.items()
    }
    return replace(chunk, columns=columns)


def refuse_lines_between(chunk: Chunk, table: InputTable) -> None:
    """Raise BadData for a line with one cell at most, such as a heading of the games below it."""
    cells = [column.cell for column in chunk.columns.values()]
    for row in range(chunk.count if len(cells) > 2 else 0):
        if sum(cell(row) != "" for cell in cells) <= 1:
            raise BadData(
                "a line between the games may tell something of them",
                file=table.file, line=chunk.line(row), remedy=IN_MEMORY, code="lines_between",
            )  # fmt: skip


def is_plain(layout: Layout) -> bool:
    """Whether rows are two players, a result and perhaps a time, and nothing else."""
    kept = {
        name: getattr(layout, name)
        for name in ("a", "b", "result", "time", "maybe_time", "dates_by_cells", "said", "family",
                     "turned", "sided")
    }  # fmt: skip
    return not layout.years and layout == Layout("games", **kept)


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
