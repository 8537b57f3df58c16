"""A stream of games: tables larger than memory, read once, in order of time, piece by piece.

Its games are those of `read_games` to the bit, and so are the numbers of the players. What
`read_games` finds out from all rows of a table, a stream finds out from the first rows; rows that
say otherwise later are refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.arguments import check_count
from prowess.games.assembly.results import GameRows, GameSettler
from prowess.games.by_league import League, RenamedRoster, number_leagues
from prowess.games.cells.arrow_columns import IntegerNames
from prowess.games.cells.skipped_rows import Counts, SkippedRows
from prowess.games.cells.validation import CellParsers
from prowess.games.columns import Chunk, InputTable, NameIndex, PlainNames
from prowess.games.dates import format_date, format_day
from prowess.games.errors import BadData, ChangingTeams, FallBackToSlowReader, Suspicion
from prowess.games.formats.byte_streams import count_cores, run_ahead
from prowess.games.formats.reader_options import parse_settings
from prowess.games.formats.sources import FAST_FROM_BYTES, ReaderSettings
from prowess.games.formats.stream_files import (
    StreamFile,
    StreamTable,
    TableReader,
    check_unchanged,
    is_parquet,
    keep_partitions,
    list_stream_files,
    look_at_file,
    look_into_parquet,
    open_first,
    order_files,
    order_remedy,
)
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.numbering import GrowingNumbers, GrowingRoster
from prowess.games.read import describe_order, nothing_read
from prowess.games.reading import NOT_READ, Reading
from prowess.games.team_names import refuse_texts, stand_in_note, team_name_note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

# What a checkpoint keeps of the reader of a stream: names, words, and how games were numbered.


def gather_state(rows: GameRows, settler: GameSettler, further: Mapping[str, Any]) -> Arrays:
    """The state as arrays, while a thread may go on reading; `further` is plain data.

    The order of players and words is taken before their texts, so that none is missing.
    """
    found: Arrays = {}
    if settler.players.by_game is not None:
        found["players"] = settler.players.by_game.known_keys().copy()
    for name, order in list(rows.facts.order.items()):
        found[f"order {name}"] = order.known_keys().copy()
    found["order of rounds"] = settler.rounds.numbers.known_keys().copy()
    further = {
        **further, "rounds": [*settler.rounds.known], "kind": type(rows.names).__name__,
        "decided": {**settler.decided}, "decisions": [*rows.decisions], "details": {**rows.details},
        "options": {**rows.decided},
        "joined": rows.cells.joined,
    }  # fmt: skip
    found |= _index_arrays("names", rows.names)
    for key, index in list(rows.labels.known.items()):
        found |= _index_arrays(f"label {key}", index)
    found["further"] = np.frombuffer(json.dumps(further).encode(), np.uint8)
    return found


def restore_state(
    arrays: Mapping[str, NDArray[Any]], rows: GameRows, settler: GameSettler
) -> dict[str, Any]:
    """Go on from such arrays; the further data, and what is `decided`."""
    further: dict[str, Any] = json.loads(arrays["further"].tobytes())
    rows.decisions, rows.details = dict.fromkeys(further["decisions"]), further["details"]
    rows.decided = further["options"]
    rows.cells.joined = further["joined"]
    rows.names = _index_of("names", arrays, further["kind"] == PlainNames.__name__)
    if "players" in arrays:
        settler.players.by_game = _numbers_of(arrays["players"])
    settler.rounds.numbers = _numbers_of(arrays["order of rounds"])
    settler.rounds.known = {tuple(row): at for at, row in enumerate(further["rounds"])}
    for name in arrays:
        if name.startswith("order ") and name != "order of rounds":
            rows.facts.order[name.removeprefix("order ")] = _numbers_of(arrays[name])
        if name.startswith("label ") and name.endswith(" ends"):
            key = name.removeprefix("label ").removesuffix(" ends")
            rows.labels.known[key] = _index_of(f"label {key}", arrays, True)
    return further


def pack_notes(notes: Sequence[str]) -> list[list[Any]]:
    """Notes as plain data: texts, and what else a suspicion has."""
    return [
        [note, note.brief, note.warns] if isinstance(note, Suspicion) else [note] for note in notes
    ]


def unpack_notes(packed: Sequence[Sequence[Any]]) -> list[str]:
    """Such notes again."""
    return [Suspicion(text, more[0], warns=more[1]) if more else text for text, *more in packed]


def add_prefix(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays with longer names, so that several parts of a run stand side by side."""
    return {f"{prefix}{name}": one for name, one in arrays.items()}


def take_prefixed(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose names begin so, without it."""
    return {
        name.removeprefix(prefix): one for name, one in arrays.items() if name.startswith(prefix)
    }


def _numbers_of(keys: NDArray[np.int64]) -> GrowingNumbers:
    found = GrowingNumbers()
    found.number(keys)
    return found


def _index_arrays(name: str, index: NameIndex) -> Arrays:
    count = len(index)  # before the array, which the reading thread may replace by a larger one
    if (whole := getattr(index, "known", None)) is not None:
        return {f"{name} whole": whole[:count].copy()}
    roster = index.roster()
    return {f"{name} bytes": np.frombuffer(roster.buffer, np.uint8), f"{name} ends": roster.ends}


def _index_of(name: str, arrays: Mapping[str, NDArray[Any]], plain: bool) -> NameIndex:
    if f"{name} whole" in arrays:
        from prowess.games.cells.arrow_columns import IntegerNames

        return IntegerNames(arrays[f"{name} whole"])
    roster = Roster.from_buffer(arrays[f"{name} bytes"].tobytes(), arrays[f"{name} ends"])
    if plain:
        return PlainNames({text: at for at, text in enumerate(roster)})
    from prowess.games.cells.fields import HashedNames

    return HashedNames(roster)


# The stream: where it stands, and the pieces that it gives.


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
                raise BadData.of("needs_whole_table.rows", file=self.file) from None
            self.settings.compiled = False
            yield from self._read_from(start)
        except ChangingTeams as found:
            raise BadData.of("changing_teams.stream", what=found, teams=found.teams) from None

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
                raise BadData.of(
                    "games_out_of_order",
                    now=now,
                    before=format_date(before),
                    remedy=order_remedy(held and held.cell(row(game))),
                    **place(game),
                )
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
        notes = [*self.settler.notes(self.roster), *self.of_names]
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
            order="" if days or rows.rows < 2 else describe_order(options),
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
        raise BadData.of("nothing_to_read")
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


# A stream of games whose players are numbered in each league by itself.


PLAYER_BITS = np.int64(32)  # of a key: the league stands above, the player below
PLAYER_MASK = (1 << 32) - 1
STREAM, LEAGUES = "stream_", "leagues_"  # before the names of arrays of a checkpoint


@dataclass(eq=False)
class LeagueStream:
    """The games of a stream; each player of a league is a player of their own.

    `by` are the facts that tell leagues apart, `until` the last day that is played. Days are since
    1970-01-01, UTC; those of `later` are of the first games of leagues that have none until then.
    """

    stream: GameStream
    by: tuple[str, ...]
    until: float | None = None
    only: League | None = None  # the league whose games alone are played
    leagues: dict[League, int] = field(default_factory=dict)  # in order of their first games
    games: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # of each
    keys: IntegerNames = field(default_factory=IntegerNames)  # of players of leagues
    later: dict[League, float] = field(default_factory=dict)
    words: Sequence[str] = ()  # of the last pieces, all of them leagues that are known
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # of each

    @property
    def rows(self) -> int | None:
        """See GameStream."""
        return self.stream.rows

    @property
    def reading(self) -> Reading:
        """See GameStream."""
        return self.stream.reading

    @property
    def files(self) -> tuple[StreamFile, ...]:
        """See GameStream."""
        return self.stream.files

    def pieces(self, start: Position = START_OF_STREAM) -> Generator[Piece]:
        """The pieces of the stream, with other numbers and names of players."""
        for piece in self.stream.pieces(start):
            found = piece.games if self.only is None else self._select_only(piece.games)
            games = found if self.until is None else found.before(self.until)
            numbered = self._number(games) if len(games) else games
            if len(games) < len(found):
                self._note_later(found.select(slice(len(games), None)))
            yield Piece(numbered, piece.end)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See GameStream; with the leagues and their players."""
        said = {"leagues": list(self.leagues), "later": list(self.later.items())}
        own: dict[str, NDArray[Any]] = {
            "said": np.frombuffer(json.dumps(said).encode(), np.uint8),
            "games": self.games, "keys": self.keys.known[: len(self.keys)],
        }  # fmt: skip
        return add_prefix(STREAM, self.stream.arrays()) | add_prefix(LEAGUES, own)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from such arrays."""
        self.stream.restore(take_prefixed(arrays, STREAM))
        said = json.loads(arrays[f"{LEAGUES}said"].tobytes())
        self.leagues = {_league_of(name): at for at, name in enumerate(said["leagues"])}
        self.later = {_league_of(name): day for name, day in said["later"]}
        self.games = arrays[f"{LEAGUES}games"]
        self.keys = IntegerNames(arrays[f"{LEAGUES}keys"])

    def _select_only(self, table: Games) -> Games:
        here, names = number_leagues(table, self.by)
        return table.select(np.array([name == self.only for name in names], np.bool_)[here])

    def _note_later(self, table: Games) -> None:
        """Note the first days of leagues that have no game until then."""
        here, names = number_leagues(table, self.by)
        assert table.time is not None
        _, first = np.unique(here, return_index=True)
        for name, day in zip(names, table.time[first].tolist(), strict=True):
            if name not in self.leagues:
                self.later.setdefault(name, day)

    def _number(self, table: Games) -> Games:
        league = self._find_leagues(table)
        counts = np.bincount(league, minlength=len(self.leagues))
        counts[: len(self.games)] += self.games
        self.games = counts
        facts = {name: column for name, column in table.facts.items() if name not in self.by}
        labels = {name: words for name, words in table.labels.items() if name in facts}
        above = league << PLAYER_BITS
        changes: dict[str, Any]
        if table.duels:
            numbers = self.keys.number(np.stack((above | table.a, above | table.b)))
            changes = {"a": numbers[0].copy(), "b": numbers[1].copy()}
        else:
            members = above[table.contest_of_member] | table.player
            changes = {"player": self.keys.number(members[None, :])[0].copy()}
        players = RenamedRoster(table.players, PlayersOfKeys(self.keys.known[: len(self.keys)]))
        return table.replace(players=players, facts=facts, labels=labels, **changes)

    def _find_leagues(self, table: Games) -> NDArray[np.int64]:
        """The number of the league of each contest."""
        words = table.labels.get(self.by[0]) if len(self.by) == 1 else None
        if words is not None and words is self.words and self.until is None:
            return self.numbers[table.facts[self.by[0]].astype(np.int64)]
        here, names = number_leagues(table, self.by)
        known = [self.leagues.setdefault(name, len(self.leagues)) for name in names]
        if words is not None and set(words) <= self.leagues.keys():
            self.words = words
            self.numbers = np.array([self.leagues[word] for word in words], np.int64)
        return np.array(known, np.int64)[here]

    def roster(self) -> Roster:
        """The name of each player of a league, by number."""
        return self.stream.roster().take(self.keys.known[: len(self.keys)] & PLAYER_MASK)

    def find_leagues(self) -> NDArray[np.int64]:
        """The league of each player."""
        return self.keys.known[: len(self.keys)] >> PLAYER_BITS


def _league_of(name: Any) -> League:
    """The name of a league as JSON gives it."""
    return tuple(name) if isinstance(name, list) else name


class PlayersOfKeys(Sequence[int]):
    """The numbers of the players in keys; most pieces ask for none of them."""

    def __init__(self, keys: NDArray[np.int64]) -> None:
        self.keys = keys

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: Any) -> Any:
        found = self.keys[index] & PLAYER_MASK
        return found.tolist() if isinstance(index, slice) else int(found)
