"""`read_games`: results from files, frames and Python values as one table."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.assembly.results import GameRows
from prowess.games.cells.skipped_rows import SkippedRows
from prowess.games.dates import NANOSECONDS_A_DAY
from prowess.games.errors import (
    BadData,
    ChangingTeams,
    DataWarning,
    FallBackToSlowReader,
    NothingPlayed,
    Suspicion,
    quote,
)
from prowess.games.formats.opened_tables import open_tables, read_cells
from prowess.games.formats.reader_options import make_settings, make_signature
from prowess.games.formats.sources import (
    ANY_TEXT,
    MANY,
    ReaderSettings,
    file_name,
    find_format,
)
from prowess.games.games import Games, complete_reading, players_of
from prowess.games.layout import Layout, Options
from prowess.games.names import Roster, normal_name, unguard_names
from prowess.games.reading import Reading, format_count
from prowess.games.repetition import look_alike_note, repetition_note
from prowess.games.roles.roles import find_layout
from prowess.games.shapes.row_order import AS_IN_FILE, REVERSED
from prowess.games.shapes.shapes import shape_table
from prowess.games.team_names import refuse_texts, stand_in_note, team_name_note
from prowess.games.values import plain_form
from prowess.games.vocabulary import words_for

if TYPE_CHECKING:
    from prowess.games.assembly.contests import ContestRows
    from prowess.games.columns import InputTable


def read_games(source: Any, **options: Any) -> Games:
    """Read games between two sides, or contests of many sides; a side is one player or several.

    `source` is a path or a list of paths (one table after the other; `-` is standard input), an
    open file, a dict of columns, a list of dicts or of tuples such as ("Ann", "Ben", 1), or a
    DataFrame or Arrow table of any library. Files are CSV or TSV (`,` `;` tab `|`), JSON lines or a
    JSON array, PGN (tags only), Parquet, Arrow, sheets (xlsx, xls, xlsb, ods), tables of HTML or
    Markdown, SQLite or DuckDB files, by content, suffix or `format` (csv, tsv, jsonl, pgn, parquet,
    sheet, ...), packed (gzip, bz2, xz, zstd, zip) or not; or lines such as `3: Ada > Ben = Cleo`
    (.ballots), each a contest of a weight. A folder or a pattern stands for its files, an address
    is fetched. `table` names one of several sheets or tables, `sql` is a query of a database.

    >>> read_games([("Ann", "Bob", "2-1")]).score.tolist()
    [1.0]

    Columns are found by their headings; a keyword names one where that fails, `round`, `contest`
    and `points` also several, and "none" says that there is none. `points` decide contests without
    places: more is better, less for a name with `-` in front, later columns break ties; `unplaced`
    says what becomes of DNF and its like: `last` (all share the last place) or `skip`. `side` is
    `a` (the first side has the advantage, whatever columns are called; a column "a" that says who
    has it needs another name), `none`, or a column that says who has it. Members of sides stand in
    columns a1, a2, b1, b2, or as named (`player_a=("a1", "a2")`), in lists of names, or in texts
    such as `Ann & Bob`: `teams="members"` splits them, "commas" also at commas, "names" takes them
    for names. Or in rows: those of one contest and one `team` are one side, and `share` says how
    much of the contest each player took part in. `facts` names further columns that are kept, as
    numbers or as categories; NAME stands for NAME_a and NAME_b where only these are there. Columns
    whose heading begins with `fact_prefix` are kept as well, as texts just as their cells are
    written, unless another option names them; facts="none" keeps no column. `forecast` names a
    column with the chance that the first side wins (from 0 to 1 or in percent), or columns of
    expected score and chance of a draw, or of win, draw and loss; `odds` columns of decimal odds of
    win, draw and loss, or win and loss. Both take several forecasts as {label: columns}; they are
    facts of the table, nan where a cell is empty (docs/judging.md).
    `per` names columns by which each player gets a member of a role beside them (`per="surface"`:
    Nadal@clay), `with_` columns that name one (`with_="car"`: of car_a and car_b, or of the
    player's row; {"car": ("one", "other")} names the columns). `family` adds one for the family of
    each player: the name up to the first word that holds a digit (Stockfish of `Stockfish 17.1`).
    `league`, `context` (a surface, a map) and `variant` (best of 3, 5) are categories of a game,
    kept as facts of these names. A column that is guessed, and not named, is kept where it has
    several values, at most 1,000, and ten games a value. `outcomes` says what words of a column of
    results or winners mean: {"Sieg": 1, "offen": None}, as the score of the first side, None for no
    game. Games that were not played are left out, and walkovers unless `walkovers` is "wins".
    `season` is the column that names the season of a game, or the day on which seasons begin, such
    as 07-01. `player_facts` are facts of players: a file, frame or dict with a column player,
    perhaps dates from which on a row holds, and facts such as birth year, K, title. `plan` reads a
    table as an earlier one was read: its `reading`, or the file that `prowess look
    --save-plan` wrote. `names` are synonyms of players: {name in the table: name to use}, or a CSV
    file with these columns. `score="share"` makes a score of the points of both sides.
    `date_format` is "day first" or "month first", a pattern such as `%d/%m/%Y`, or excel, days,
    seconds or milliseconds. `where` keeps only rows in which a column has one of some values,
    `exclude` drops such rows.

    Games and contests come in order of time, if there are dates, and those of one time in the order
    of the rows; `order` says what that is: `file`, `reversed`, or a column of numbers, rounds or
    dates. Where it is not given, columns that fall from row to row tell it. Players are numbered in
    the order in which the table names them. Raises BadData, with file, line, column and remedy, at
    the first row that cannot be read; with `skip_bad` such rows are left out and handed to
    `report`, as are the unfinished games of a PGN file in any case. `skip_bad=True` leaves out no
    more than 5 % of the rows and no kind of value that stands in more than three; a whole number
    says how many rows may be left out, a float which share, and "all" sets no limit. Rows in which
    a player has a bye are left out unless `byes` is "players", "names" for None and other open
    names, or "wins" for points in a table of points. `notes` of what is returned say what was
    guessed and left out; of what is probably not meant so, such as names that look alike, a
    DataWarning is issued as well, if `warn` is true.
    `compiled` None chooses the reader by size.
    """
    given, settings = make_settings("read_games", options)
    first = source[0] if isinstance(source, list | tuple) and source else source
    if (given.format or _find_ballots(first)) == "ballots":
        from prowess.games.formats.ballots import read_ballot_files

        ballots = read_ballot_files(
            source, settings.options, given.encoding, given.skip_bad, given.report
        )
        settings.check_reading(ballots.reading, file_name(first) or "")
        return ballots.replace(**settings.beside)
    if given.compiled:
        from prowess.compile import kernel

        if not kernel.available():
            raise BadData.of("no_compiler")
    if given.names is not None:
        settings.rename = partial(rename_players, synonyms=read_synonyms(given.names))
    found, reported = None, set[tuple[str | None, int | None]]()
    while found is None:  # once more where reading shows that a source is to be read otherwise
        skipped = SkippedRows(given.skip_bad, given.report, reported)
        try:
            found = _gather(source, settings, skipped)
        except FallBackToSlowReader:  # rare
            settings.rewind_streams()
        except ChangingTeams as change:
            settings.said.append(str(change))
            settings.options = replace(settings.options, teams=change.teams)
            settings.rewind_streams()
    if (given.table or given.sql) and not settings.table_used:
        if given.table:
            raise BadData.of("no_tables_to_choose")
        raise BadData.of("query_without_database")
    if given.warn:
        _warn(found)
    return found


read_games.__signature__ = make_signature("Games")  # type: ignore[attr-defined]


def _find_ballots(source: Any) -> str | None:
    """The format that the name of a source suggests, or of a text with ballots its lines."""
    name = file_name(source) or ""
    if isinstance(source, str | os.PathLike) and name.endswith(ANY_TEXT):
        from prowess.games.formats.ballots import holds_ballots

        return "ballots" if holds_ballots(source) else None
    return find_format(name)


def look(source: Any, **options: Any) -> Reading:
    """How a table is understood: its text is three lines, also in a notebook.

    `source` and `options` are those of `read_games`. Raises BadData for what cannot be read; a
    table that can be read in two ways is such a case, and the message shows both.

    >>> print(look({"Heim": ["Ann"], "Gast": ["Ben"], "Ergebnis": ["2:1"]}))
    read as   games between two, 1 row, 2 players
    columns   Heim = home (side advantage)   Gast = away   Ergebnis = result
    """
    return read_games(source, **{"warn": False, **options}).reading


def _warn(table: Games) -> None:
    """Issue a DataWarning for each suspicion about a table, as of the line outside of Prowess."""
    suspicions = [note for note in table.notes if isinstance(note, Suspicion) and note.warns]
    if not suspicions:
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("prowess."):
        level, frame = level + 1, frame.f_back
    for suspicion in suspicions:
        warnings.warn(suspicion, DataWarning, stacklevel=level)


def _gather(source: Any, settings: ReaderSettings, skipped: SkippedRows) -> Games:
    """Read every table of a source into one; raises BadData and FallBackToSlowReader."""
    options, guarded = settings.options, True
    rows: GameRows | ContestRows | None = None
    ends: list[tuple[str, int]] = []  # of the files, in rows
    said = [*settings.said]  # what was done to make tables of them
    with ExitStack() as files:
        for opened in open_tables(source, settings, files):
            try:
                table, headings = shape_table(opened, options)
                layout = find_layout(headings)
                if settings.plan is not None:
                    settings.check_plan(table, layout)
            except BadData:  # the slow reader sees more rows before it decides
                if opened.once and settings.can_rewind:
                    raise FallBackToSlowReader from None
                raise
            if rows is None:
                first, leading = table.file, table
                given = options, skipped, bool(skipped.skip_bad), layout
                if layout.kind == "games":
                    rows = GameRows(*given)
                else:
                    from prowess.games.assembly.contests import ContestRows

                    rows = ContestRows(*given)
            elif layout.kinds() != rows.layout.kinds():
                if opened.once and settings.can_rewind:
                    raise FallBackToSlowReader
                raise BadData.of("other_columns", file=table.file, line=table.heading, first=first)
            try:
                for _ in rows.add_chunks(table, layout):
                    pass
            except BadData as bad:
                if bad.column is not None:  # of a cell, which another reading may explain
                    bad.add_note(str(_attempted_reading(table, layout)))
                raise
            said += table.notes
            ends.append((table.file, rows.count))
            settings.long = rows.count >= MANY
            guarded = guarded and table.guarded
            files.close()
    if rows is None:
        raise BadData.of("nothing_to_read")
    if not rows.count and skipped.unplayed and skipped.first is None:
        names = [name for one in skipped.unplayed for name in (one.player_a, one.player_b)]
        no_ids, no_numbers = np.empty(0, np.uint32), np.empty(0)
        found = Games(Roster(dict.fromkeys(names)), no_ids, no_ids, no_numbers, time=no_numbers)
    elif not rows.count or not len(found := rows.games()):
        raise nothing_read(rows.seen, first, skipped, options)
    of_games = (rows.layout.a, rows.layout.b) if rows.layout.kind == "games" else None
    refuse_texts(found.players, len(found), of_games, options.teams, first)
    found = found.replace(reading=Reading(unplayed=tuple(skipped.unplayed), notes=found.notes))
    if settings.rename is not None:
        found = settings.rename(found)
    notes = [*dict.fromkeys([*said, *found.notes])]
    skipped.check(rows.rows)
    notes += filter(None, (look_alike_note(found), stand_in_note(players_of(found))))
    # where rows were left out it is not known at which row a file begins
    if again := repetition_note(found, ends if ends[-1][1] == len(found) else []):
        notes.append(again)
    if options.teams is None and (note := team_name_note(players_of(found), first)):
        notes.append(note)
    reading = Reading(
        "contests"
        if not found.pairwise
        else "games between two"
        if found.duels
        else "games of teams",
        leading.shape,
        rows=rows.rows,
        order=describe_order(settings.options) if found.time is None and len(found) > 1 else "",
        columns=rows.layout.read_columns(leading.details | rows.details, leading.telling),
        options=settings.join_options(rows.decided),
        unused=rows.layout.unused_columns(leading),
        left_out=skipped.reasons(),
        examples={**skipped.examples},
        unplayed=found.reading.unplayed,
    )
    found = complete_reading(found.replace(notes=tuple(notes), **settings.beside), reading)
    if settings.plan is not None:
        settings.check_reading(reading, first, leading.heading)
    if not len(found):
        games = format_count(len(skipped.unplayed), "game")
        ahead = any(one.time > time_ns() / NANOSECONDS_A_DAY - 1.0 for one in skipped.unplayed)
        sentence = "no_games.to_come" if ahead else "no_games.unplayed"
        error = NothingPlayed.of(sentence, games=games, file=first)
        error.table = found
        raise error
    if guarded and (meant := unguard_names(found.players)):
        return remove_guards(found, meant)
    return found


def _attempted_reading(table: InputTable, layout: Layout) -> Reading:
    """How a table was read of which a cell is refused."""
    sides = "games of teams" if layout.sides else "games between two"
    columns = layout.read_columns(table.details, table.telling)
    what = sides if layout.kind == "games" else "contests"
    return Reading(what, columns=columns, unused=layout.unused_columns(table))


def describe_order(options: Options) -> str:
    """The order of the rows of a table without dates."""
    if options.order in (None, AS_IN_FILE):
        return "no dates: order of the file"
    if options.order == REVERSED:
        return "no dates: order of the file, reversed"
    return f"no dates: order of {options.order}"


def nothing_read(seen: int, file: str, skipped: SkippedRows, options: Options) -> BadData:
    """The error of a source without a game."""
    if seen and (first := skipped.first):
        return first.reword(f"no row can be read, the first: {first.what}", first.remedy)
    chosen = options.where or options.exclude
    sentence = "no_games.rows" if not seen else "no_games.chosen" if chosen else "no_games"
    return BadData.of(sentence, file=file)


def remove_guards(table: Games, names: Sequence[str]) -> Games:
    """A table that was written for spreadsheets, with its names as they were meant."""
    pairs = zip(names, table.players, strict=True)
    new, old = next((new, old) for new, old in pairs if new != old)
    note = f"{quote(old)} is read as {quote(new)}: the quote keeps spreadsheets from running it"
    return table.replace(players=Roster(names), notes=(*table.notes, note))


# Names that stand for one player: a table of synonyms, applied to the players of a table.


class SynonymRow(NamedTuple):
    """Two names of one player, and where they stand."""

    first: str
    second: str
    line: int | None = None


class Synonyms:
    """Pairs of names; which of the two stands in a table may be open until it is read."""

    def __init__(self, rows: Sequence[SynonymRow], file: str | None, order: int | None) -> None:
        self.rows, self.file = rows, file
        self.order = order  # the place of the name in the table, 0 or 1; None: not known

    def find_names(self, players: Sequence[str]) -> dict[str, str]:
        """The name to use for each name in the table; raises BadData for a contradiction."""
        order = self.order
        if order is None:
            known = set(players)
            shares = [sum(row[at] in known for row in self.rows) for at in (0, 1)]
            if shares[0] == shares[1] and shares[0]:
                raise BadData.of("synonyms_ambiguous", file=self.file)
            order = int(shares[1] > shares[0])
        found: dict[str, str] = {}
        for row in self.rows:
            pair = row.first, row.second
            other, name = pair[order], pair[1 - order]
            if found.setdefault(other, name) != name:
                raise BadData.of(
                    "synonym_twice",
                    file=self.file,
                    line=row.line,
                    other=other,
                    known=found[other],
                    name=name,
                )
        return {other: self._end(found, other) for other in found}

    def _end(self, found: Mapping[str, str], name: str) -> str:
        seen = {name}
        while (name := found[name]) in found and found[name] != name:
            if name in seen:
                raise BadData.of("synonym_circle", file=self.file, name=name)
            seen.add(name)
        return name


def read_synonyms(given: Any) -> Synonyms:
    """Synonyms of a dict {name in the table: name to use}, or of a CSV file with two columns.

    A heading such as `also`, `alias` or `id` tells the column of names in the table. Raises
    BadData.
    """
    if isinstance(given, Mapping):
        pairs = [SynonymRow(normal_name(str(a)), normal_name(str(b))) for a, b in given.items()]
        return Synonyms(pairs, None, 0)
    if not isinstance(given, str | os.PathLike):
        raise BadData.of("bad_names", given=given)
    headings, rows, lines, file = read_cells(given)
    if len(headings) != 2:
        raise BadData.of(
            "not_that_many_columns.synonyms", file=file, count=format_count(len(headings), "column")
        )
    plain = [plain_form(heading) for heading in headings]
    of_table, to_use = words_for("other_name"), words_for("name_to_use")
    order = next((at for at in (0, 1) if plain[at] in of_table or plain[1 - at] in to_use), None)
    found = []
    for (first, second), line in zip(rows, lines, strict=True):
        names = normal_name(str(first)), normal_name(str(second))
        if not all(names):
            raise BadData.of("name_missing.synonym", file=file, line=line)
        found.append(SynonymRow(*names, line))
    return Synonyms(found, file, order)


def rename_players(table: Games, synonyms: Synonyms) -> Games:
    """The table with one name for each player; raises BadData where a player would meet
    themselves.
    """
    names = synonyms.find_names(players_of(table))
    roles = [0] * len(table.players) if table.role is None else table.role.tolist()
    used: dict[tuple[str, int], int] = {}
    first_of: list[int] = []
    ids = np.empty(len(table.players), np.uint32)
    count = 0
    for index, (name, role) in enumerate(zip(table.players, roles, strict=True)):
        new = names.get(name, name) if not role else name
        count += new != name
        key = new, role
        if key not in used:
            used[key] = len(used)
            first_of.append(index)
        ids[index] = used[key]
    unknown = [name for name in names if name not in set(table.players)]
    notes = [*table.notes, f"{format_count(count, 'name')} replaced by synonyms"]
    if unknown:
        notes.append(f"{format_count(len(unknown), 'synonym')} of players who have no game here")
    players = Roster(name for name, _ in used)
    unplayed = tuple(
        one._replace(player_a=names.get(one.player_a, one.player_a),
                     player_b=names.get(one.player_b, one.player_b))
        for one in table.reading.unplayed
    )  # fmt: skip
    reading = replace(table.reading, unplayed=unplayed)
    changes: dict[str, Any] = {"players": players, "reading": reading, "notes": tuple(notes)}
    if table.role is not None:
        changes["role"] = table.role[first_of]
    if table.duels:
        a, b = ids[table.a], ids[table.b]
        if (a == b).any():
            at = int(np.flatnonzero(a == b)[0])
            pair = table.players[int(table.a[at])], table.players[int(table.b[at])]
            raise BadData.of("synonyms_play", file=synonyms.file, one=pair[0], other=pair[1])
        return table.replace(a=a, b=b, **changes)
    return table.replace(player=ids[table.player], **changes)
