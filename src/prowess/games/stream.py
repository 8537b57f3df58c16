"""A stream of games: tables larger than memory, read once, in order of time, piece by piece.

Its games are those of `read_games` to the bit, and so are the numbers of the players. What
`read_games` finds out from all rows of a table, a stream finds out from the first rows; rows that
say otherwise later are refused.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.arguments import check_count
from prowess.games.assembly.results import GameRows
from prowess.games.assembly.settling import GameSettler
from prowess.games.assembly.stream_state import (
    gather_state,
    pack_notes,
    restore_state,
    unpack_notes,
)
from prowess.games.cells.skipped_rows import Counts, SkippedRows
from prowess.games.cells.validation import CellParsers
from prowess.games.dates import format_date, format_day
from prowess.games.errors import IN_MEMORY, BadData, ChangingTeams, FallBackToSlowReader
from prowess.games.formats.delimited import FAST_FROM_BYTES
from prowess.games.formats.read_ahead import count_cores, run_ahead
from prowess.games.formats.reader_options import parse_settings
from prowess.games.formats.sources import ReaderSettings
from prowess.games.formats.stream_files import (
    StreamFile,
    check_unchanged,
    is_parquet,
    list_stream_files,
    look_at_file,
    order_files,
    order_remedy,
)
from prowess.games.formats.stream_tables import (
    StreamTable,
    TableReader,
    keep_partitions,
    look_into_parquet,
    open_first,
)
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.numbering import GrowingRoster
from prowess.games.read import NO_DATES, nothing_read
from prowess.games.reading import NOT_READ, Reading
from prowess.games.shapes.name_marks import stand_in_note
from prowess.games.team_names import refuse_texts, team_name_note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.columns import Chunk, InputTable

ROWS_A_PIECE = 131_072
READY = 3  # pieces that are made ahead of their use
MOST_DECODERS = 8
MOST_AT_ONCE = 64_000_000  # bytes of a file that may be read as a whole where it has to be


class Position(NamedTuple):
    """How far a stream has been read.

    Args:
        file: the number of the file in `GameStream.files`.
        row: how many games of it are done.
    """

    file: int = 0
    row: int = 0


START_OF_STREAM = Position()


class Piece(NamedTuple):
    """Some games of a stream.

    Args:
        games: in order of time; `players` is the roster so far, whose names are decoded on demand.
        end: the position after them.
    """

    games: Games
    end: Position


LeftOut = tuple[Counts, Counts]  # rows that are left out: in all, before the file
NONE_LEFT_OUT: LeftOut = (SkippedRows(False, None).counts(),) * 2


@dataclass(eq=False)
class GameStream:
    """Games of files that are read once, piece by piece; made by `open_stream`.

    Args:
        files: in the order in which they are read.
        rows: of all files, where their metadata tell; else None.
        notes: what was guessed and left out; complete after the last piece.
        reading: how the files were understood; complete after the last piece.
    """

    files: tuple[StreamFile, ...]
    settings: ReaderSettings
    skipped: SkippedRows
    first: StreamTable
    rows_a_piece: int
    decoders: int
    notes: tuple[str, ...] = ()
    reading: Reading = NOT_READ
    given: int = 0  # games that were handed over
    so_far: LeftOut = NONE_LEFT_OUT

    def __post_init__(self) -> None:
        self.restored: dict[str, NDArray[Any]] | None = None
        self._begin()

    @property
    def rows(self) -> int | None:
        """The rows of all files, None where their metadata do not tell."""
        rows = [file.rows for file in self.files if file.rows is not None]
        return sum(rows) if len(rows) == len(self.files) else None

    def roster(self) -> Roster:
        """The names of all players so far, by number."""
        return GrowingRoster(self.settler.players, self.gathered.names).roster()

    def pieces(self, start: Position = START_OF_STREAM) -> Generator[Piece]:
        """The games from a position on, in pieces of at most `rows_a_piece`.

        Raises BadData, with file, row and remedy, for what cannot be read, for games that are not
        in order of time, and for rows that change what the first rows decided.
        """
        for made in run_ahead([lambda: self._make_pieces(Position(*start))], 1, READY):
            for piece, left_out in made:
                self.given += len(piece.games)
                self.so_far = left_out
                yield piece._replace(games=piece.games.replace(**self.settings.beside))
        self._complete_reading()

    def _count_anew(self) -> SkippedRows:
        return SkippedRows(self.skipped.skip_bad, self.skipped.report)

    def _begin(self) -> None:
        self.skipped = self._count_anew()
        given = self.settings.options, self.skipped, bool(self.skipped.skip_bad), self.first.layout
        self.gathered = GameRows(*given, piecewise=True)
        self.settler = GameSettler(self.gathered, whole=False)
        self.said = [*self.settings.said]
        self.guarded = True
        self.looked_at, self.of_names = 0, list[str]()  # names, and notes on them
        self.began = math.nan  # the time of the first game
        self.ends = -math.inf  # and of the last one so far
        self.gaps: dict[int, int] = {}  # of a file the games before the first row without one
        self.given, self.so_far = 0, NONE_LEFT_OUT
        self.file = self.files[0].path  # that is read

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps of the reader: names and numbers; asked for between two pieces.

        They may hold names of pieces that are made ahead, which then have the same numbers.
        """
        further = {
            "gaps": [*self.gaps.items()], "began": self.began, "compiled": self.settings.compiled,
            "given": self.given, "left_out": self.so_far, "said": pack_notes(self.said),
        }  # fmt: skip
        return gather_state(self.gathered, self.settler, further)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from such arrays; `pieces` are then read from the position that they were of."""
        self.restored = {name: np.array(values) for name, values in arrays.items()}

    def _make_pieces(self, start: Position) -> Iterator[tuple[Piece, LeftOut]]:
        try:
            yield from self._read_from(start)
        except FallBackToSlowReader:
            size = max(file.size for file in self.files)
            if self.settler.taken or self.settings.compiled is False or size > MOST_AT_ONCE:
                raise BadData(
                    "some rows can only be understood beside all others",
                    file=self.file, remedy=IN_MEMORY, code="needs_whole_table",
                ) from None  # fmt: skip
            self.settings.compiled = False
            yield from self._read_from(start)
        except ChangingTeams as found:
            raise BadData(
                str(found), remedy=f'say teams="{found.teams}" (--teams)', code="changing_teams"
            ) from None

    def _read_from(self, start: Position) -> Iterator[tuple[Piece, LeftOut]]:
        self._begin()
        if self.restored is None:
            yield from self._read_files(start, 0)
            return
        further = restore_state(self.restored, self.gathered, self.settler)
        self.settler.taken = self.given = further["given"]
        self.settings.compiled = further["compiled"]
        for _ in self._read_files(
            START_OF_STREAM, 0
        ):  # the first rows decide again what columns hold
            break
        self.settler.taken = self.given
        self.settler.decided = further["decided"]
        self.said = unpack_notes(further["said"])
        self.began = further["began"]
        self.gaps = dict(further["gaps"])
        self.skipped = self.gathered.report = self._count_anew()
        self.ends = -math.inf  # until the last game before `start` is read again
        whole = self.gaps.get(start.file, math.inf) >= start.row  # so that games are rows
        self.so_far = in_all, before = further["left_out"]
        self.skipped.restore(in_all if whole else before)
        yield from self._read_files(start, start.row if whole else 0)

    def _read_files(self, start: Position, row: int) -> Iterator[tuple[Piece, LeftOut]]:
        """The pieces after a position; rows of its file before `row` need not be read again."""
        given = self.files, self.settings, self.first
        with closing(TableReader(*given, self.decoders, start.file, row)) as reader:
            yield from self._read_tables(reader, start)
        if not self.gathered.names.are_plain:
            self._look_at_names()

    def _read_tables(self, reader: TableReader, start: Position) -> Iterator[tuple[Piece, LeftOut]]:
        """The pieces of the files that a reader opens, after the position."""
        for number in range(start.file, len(self.files)):
            file = self.files[number]
            self.file = file.path
            with ExitStack() as opened:
                table = reader.open(number, opened)
                self.said += table.table.notes
                self.guarded = self.guarded and table.table.guarded
                done, skip, parsers = 0, 0, None
                if number == start.file:
                    done, skip = reader.before, start.row
                    self.settler.taken -= skip - done  # the games that are read again
                    parsers = self._parse_beginning(number) if done else None
                seen, before = self.gathered.seen, self.skipped.counts()
                for kept in self.gathered.add_chunks(table.table, table.layout, parsers):
                    games = self._take(table.table, kept) if kept.count else None
                    count = 0 if games is None else len(games)
                    if self.gathered.seen - seen > count:
                        self.gaps.setdefault(number, done)
                    seen = self.gathered.seen
                    for at in range(max(0, skip - done), count, self.rows_a_piece):
                        assert games is not None
                        part = games.select(slice(at, at + self.rows_a_piece))
                        end = Position(number, done + at + len(part))
                        yield Piece(part, end), (self.skipped.counts(), before)
                    done += count
            check_unchanged(file)

    def _parse_beginning(self, number: int) -> CellParsers:
        """The parsers of a file that is read from its middle on, as its first rows decide them."""
        report = SkippedRows(self.skipped.skip_bad, None)
        given = self.settings.options, report, bool(report.skip_bad), self.gathered.layout
        first = GameRows(*given, piecewise=True)
        reader = TableReader(self.files, self.settings, self.first, 1, number, 0)
        with closing(reader), ExitStack() as opened:
            table = reader.open(number, opened)
            parsers = CellParsers(table.layout, self.settings.options)
            next(first.add_chunks(table.table, table.layout, parsers))
        return parsers

    def _look_at_names(self) -> None:
        """Look for names of teams; raises ChangingTeams, and BadData where they may be."""
        self.looked_at = len(names := self.roster())
        note = None
        if self.settings.options.teams is None and names and not self.gathered.members:
            note = team_name_note(names, self.first.table.file)
        self.of_names = [each for each in (note, stand_in_note(names)) if each is not None]

    def _take(self, table: InputTable, kept: Chunk) -> Games:
        """The games of a chunk, which are in order of time; raises BadData."""

        def row(game: int) -> int:
            places = self.settler.places
            return game if places is None else int(places[game])

        def place(game: int) -> dict[str, Any]:
            return {"file": table.file, table.unit: kept.line(row(game))}

        is_first = not self.settler.taken and not self.looked_at
        try:
            games = self.settler.take(place)
        except BadData as error:
            if error.file is None:
                error.file, error.line = table.file, None
            raise
        roster = GrowingRoster(self.settler.players, self.gathered.names)
        if is_first and games.players:
            columns = self.gathered.layout.a, self.gathered.layout.b
            teams = self.settings.options.teams
            refuse_texts(games.players, len(games), columns, teams, table.file)
        if games.players and len(roster) >= 2 * self.looked_at:
            self._look_at_names()
        if games.time is not None and len(games):
            last = self.ends
            falls = games.time[1:] < games.time[:-1]
            if games.time[0] < last or falls.any():
                game = 0 if games.time[0] < last else int(np.argmax(falls)) + 1
                before = float(games.time[game - 1]) if game else last
                now = format_date(float(games.time[game]))
                held = kept.columns.get(self.first.layout.clock or self.first.layout.time or "")
                raise BadData(
                    f"this game is of {now}, and the one before it of {format_date(before)}",
                    remedy=order_remedy(held and held.cell(row(game))), **place(game),
                    code="games_out_of_order",
                )  # fmt: skip
            self.ends = float(games.time[-1])
            if math.isnan(self.began):
                self.began = float(games.time[0])
        return games.replace(players=roster)

    def _complete_reading(self) -> None:
        """Say how the files were understood, once all of them are read."""
        rows, first, options = self.gathered, self.first.table, self.settings.options
        if not self.settler.taken:
            raise nothing_read(rows.seen, first.file, self.skipped, options)
        rows.rows = self.given
        self.skipped.check(rows.rows)
        notes = [*rows.notes(), *self.settler.late_notes(self.roster), *self.of_names]
        self.notes = (*dict.fromkeys(self.said), *notes, NOT_SOUGHT)
        layout = self.settler.used_layout()
        days = [] if math.isnan(self.began) else [*map(format_day, (self.began, self.ends))]
        self.reading = Reading(
            "games of teams" if self.settler.has_teams else "games between two",
            first.shape,
            games=rows.rows,
            rows=rows.rows,
            players=self.settler.players.count(),
            first=days[0] if days else "",
            last=days[1] if days else "",
            order="" if days or rows.rows < 2 else NO_DATES,
            columns=layout.read_columns(first.details | rows.details, first.telling),
            options=self.settings.join_options(rows.decided),
            unused=layout.unused_columns(first),
            left_out=self.skipped.reasons(),
            examples={**self.skipped.examples},
            notes=self.notes,
        )


NOT_SOUGHT = "names that look alike and rows that stand twice are not sought in a stream"


def open_stream(
    source: Any,
    *,
    rows_a_piece: int = ROWS_A_PIECE,
    decoders: int | None = None,
    **options: Any,
) -> GameStream:
    r"""Open files as a stream of games that are read once, in order of time, piece by piece.

    `source` is a path, a folder, a pattern or a list of paths; `options` are those of
    `read_games`. Parquet files are sorted by the times that their metadata tell; others are read in
    the order of their names. `decoders` threads decode Parquet ahead: one a core but one, at most
    8, and 2 on two cores. Raises BadData for files that overlap in time, or that only `read_games`
    can understand, since it sees all rows.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "games.csv").write_text("a,b,score\nAnn,Bob,1\nBob,Cid,0.5\n")
    ...     stream = open_stream(folder)
    ...     [(len(piece.games), piece.end.row) for piece in stream.pieces()]
    [(2, 2)]
    """
    settings, skipped = parse_settings("open_stream", options)
    if decoders is not None:
        check_count("decoders", decoders, 1)
    files = [look_at_file(path) for path in list_stream_files(source)]
    empty = [file.path for file in files if not file.size]
    settings.said += [f"{path} is empty and left out" for path in empty]
    full = [file for file in files if file.size]
    if not full:
        raise BadData("there is nothing to read", remedy="name a file", code="nothing_to_read")
    chosen, (files, settings.options) = settings.options, keep_partitions(full, settings)
    if not files:
        raise nothing_read(1, full[0].path, skipped, chosen)
    settings.long = sum(file.size for file in files) > FAST_FROM_BYTES
    with ExitStack() as opened:
        first = open_first(files[0].path, settings, opened)
    if all(is_parquet(file.path) for file in files):
        files = look_into_parquet(files, settings, first, first.layout.time)
        order, swapped = order_files(files, first.layout.time)
        settings.said += swapped
        files = [files[at] for at in order]
        if order[0] > 0:
            with ExitStack() as opened:
                first = open_first(files[0].path, settings, opened)
    return GameStream(
        tuple(files),
        settings,
        skipped,
        first,
        check_count("rows_a_piece", rows_a_piece, 1),
        decoders or min(MOST_DECODERS, max(2, count_cores() - 1)),
    )
