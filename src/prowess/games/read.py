"""The one door in: results from anywhere, as columns."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, Literal

from prowess.arguments import (
    check_callable,
    check_flag,
    check_given,
    check_text,
)
from prowess.games import ballots, sources
from prowess.games.columns import Table
from prowess.games.delimited import csv_table
from prowess.games.errors import (
    NO_GAME,
    BadData,
    DataWarning,
    FallBackToSlowReader,
    Suspicion,
    quote,
)
from prowess.games.facts import check_roles
from prowess.games.games import Games, players_of
from prowess.games.layout import (
    Columns,
    Layout,
    Options,
    columns_by_role,
    columns_of,
    filters,
    is_share,
    leaves_byes,
    names_once,
)
from prowess.games.look_alikes import checked_teams, look_alike_note, team_name_note
from prowess.games.repetition import repetition_note
from prowess.games.results import GameRows
from prowess.games.roles import find_layout
from prowess.games.roster import Roster, unguard_names
from prowess.games.sources import Source
from prowess.games.standings import ContestRows
from prowess.games.validation import SkipBad, SkippedRows
from prowess.games.values import checked_unplaced

FAST = 8_000_000  # bytes; a longer table is read by compiled code, where there is a compiler
HEADINGS = 1 << 16  # bytes in which the headings of a large file end
HEAD = 512  # bytes in which the format of a file shows


def read_games(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - the word of the option
    kind: Literal["games", "contests"] | None = None,
    player_a: Columns | None = None,
    player_b: Columns | None = None,
    result: str | None = None,
    score_a: str | None = None,
    score_b: str | None = None,
    winner: Columns | None = None,
    loser: Columns | None = None,
    draw: str | None = None,
    time: str | None = None,
    round: Columns | None = None,  # noqa: A002 - the word of the column
    neutral: str | None = None,
    weight: str | None = None,
    margin: str | None = None,
    length: str | None = None,
    contest: Columns | None = None,
    player: Columns | None = None,
    place: str | None = None,
    points: Columns | None = None,
    team: str | None = None,
    share: str | None = None,
    unplaced: Literal["last", "skip"] | None = None,
    teams: Literal["members", "names"] | None = None,
    facts: Columns = (),
    fact_prefix: str | None = None,
    per: Columns = (),
    with_: Columns | Mapping[str, Columns] = (),
    side: str | None = None,
    score: Literal["share"] | None = None,
    date_format: str | None = None,
    byes: Literal["players"] | None = None,
    where: Mapping[str, Any] | None = None,
    exclude: Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    skip_bad: SkipBad = False,
    report: Callable[[BadData], Any] | None = None,
    compiled: bool | None = None,
    warn: bool = True,
) -> Games:
    """Read games between two sides, or contests of many sides; a side is one player or several.

    `source` is a path or a list of paths (one table after the other; `-` is standard input), an
    open file, a dict of columns, a list of dicts, or a DataFrame or Arrow table of any library.
    Files are CSV or TSV (`,` `;` tab `|`), JSON lines or a JSON array, PGN (tags only) or Parquet,
    by suffix or by `format` (csv, tsv, jsonl, pgn, parquet), packed (gzip, bz2, xz, zstd) or not;
    or lines such as `3: Ada > Ben = Cleo` (.ballots, format ballots), each a contest of a weight.

    Columns are found by their headings; a keyword names one where that fails, `round`, `contest`
    and `points` also several, and "none" says that there is none. `points` decide contests
    without places: more is better, less for a name with `-` in front, later columns break ties;
    `unplaced` says what becomes of DNF and its like: `last` (all share the last place) or `skip`.
    `side` is `a` (the first side has the advantage, whatever columns are called; a column "a" that
    says who has it needs another name), `none`, or a column that says who has it.
    Members of sides stand in columns a1, a2, b1, b2, or as named (`player_a=("a1", "a2")`), in
    lists of names, or in texts such as `Ann & Bob`: `teams="members"` splits them, "names" takes
    them for names where they look like teams. Or in rows: those of one contest and one `team` are
    one side, and `share` says how much of the contest each player took part in.
    `facts` names further columns that are kept, as numbers or as categories. Columns whose heading
    begins with `fact_prefix` are kept as well, as texts just as their cells are written, unless
    another option names them; facts="none" keeps no column. `per` names columns
    by which each player gets a member of a role beside them (`per="surface"`: Nadal@clay), `with_`
    columns that name one (`with_="car"`: of car_a and car_b, or of the player's row; {"car":
    ("one", "other")} names the columns).
    `score="share"` makes a score of the points of both sides. `date_format` is a pattern such as
    `%d/%m/%Y`, or excel, days, seconds or milliseconds. `where` keeps only rows in which a column
    has one of some values, `exclude` drops such rows, both compared as text.

    Games and contests come in order of time, if there are dates; players are numbered in the order
    in which the table names them. Raises BadData, with file, line, column and remedy, at the first
    row that cannot be read; with `skip_bad` such rows are left out and handed to `report`, as are
    the unfinished games of a PGN file in any case. Rows in which a player has a bye are left out
    unless `byes` is "players". True leaves out no more than 5 % of the rows
    and no kind of value that stands in more than three; a whole number says how many rows may be
    left out, a float which share, and "all" sets no limit. `notes` of what is returned say what
    was guessed and left out; of what is probably not meant so, such as names that look alike, a
    DataWarning is issued as well, if `warn` is true. `compiled` None chooses the reader by size.
    """
    roles = {
        "player_a": player_a, "player_b": player_b, "result": result, "score_a": score_a,
        "score_b": score_b, "winner": winner, "loser": loser, "draw": draw, "time": time,
        "round": round, "neutral": neutral, "weight": weight, "margin": margin, "length": length,
        "contest": contest, "player": player, "place": place, "points": points, "team": team,
        "share": share,
    }  # fmt: skip
    check_given(check_text, "format", format, "csv")
    check_given(check_text, "kind", kind, "games or contests")
    check_given(check_text, "score", score, "share")
    check_given(check_text, "side", side, "a, none, or the name of a column")
    check_given(check_text, "unplaced", unplaced, "last or skip")
    check_given(check_text, "teams", teams, "members or names")
    check_given(check_text, "byes", byes, "players")
    check_flag("warn", warn)
    check_given(check_text, "fact_prefix", fact_prefix, "fact_")
    check_given(check_text, "date_format", date_format, "%d/%m/%Y")
    check_given(check_text, "delimiter", delimiter, '";"')
    check_given(check_text, "encoding", encoding, "utf-8")
    check_given(check_flag, "compiled", compiled)
    check_given(check_callable, "report", report)
    along = columns_by_role(with_)
    per = names_once("per", per)
    check_roles(per, tuple(along))
    options = Options(
        kind=kind,
        roles={
            role: columns_of(role, chosen) for role, chosen in roles.items() if chosen is not None
        },
        side=side,
        share=is_share(score),
        date_format=date_format,
        unplaced=checked_unplaced(unplaced),
        teams=checked_teams(teams),
        facts=names_once("facts", facts),
        fact_prefix=fact_prefix,
        per=per,
        along=along,
        byes=leaves_byes(byes),
        where=filters("where", where),
        exclude=filters("exclude", exclude),
    )
    if format is not None and format not in sources.FORMATS:
        raise BadData(f"format is one of {', '.join(sources.FORMATS)}, not {quote(format)}")
    if format == "ballots" or (format is None and ballots.named(source)):
        return ballots.from_files(source, options, encoding, skip_bad, report)
    reader = _Reader(options, format, delimiter, encoding, compiled)
    heard = report or (lambda _: None)
    if compiled:
        from prowess import kernel

        if not kernel.available():
            raise BadData("no compiler is installed", remedy="install prowess[fast]")
    told: set[tuple[str | None, int | None]] = set()  # file and line (or row) of what was handed on

    def tell(fault: BadData) -> None:
        place = fault.file, fault.line if fault.line is not None else fault.row
        if place not in told:
            told.add(place)
            heard(fault)

    try:
        table = reader.read(source, tell, skip_bad)
    except FallBackToSlowReader:  # rare: what the fast reader has to leave to the careful one
        reader.rewind()
        reader.compiled = False
        table = reader.read(source, tell, skip_bad)
    if warn:
        warn_of_suspicions(table)
    return table


def warn_of_suspicions(table: Games) -> None:
    """Issue a DataWarning for each suspicion about a table, as of the line outside of Prowess."""
    suspicions = [note for note in table.notes if isinstance(note, Suspicion)]
    if not suspicions:
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("prowess."):
        level, frame = level + 1, frame.f_back
    for suspicion in suspicions:
        warnings.warn(suspicion, DataWarning, stacklevel=level)


class _Reader:
    """Opens sources and gathers what is in them."""

    def __init__(
        self,
        options: Options,
        form: str | None,
        delimiter: str | None,
        encoding: str | None,
        compiled: bool | None,
    ) -> None:
        self.options, self.form = options, form
        self.delimiter, self.encoding = delimiter, encoding
        self.compiled = compiled
        self.streams: list[tuple[Any, int | None]] = []  # open streams, and where they began
        self.texts = 0  # how many of the tables are CSV or TSV

    def rewind(self) -> None:
        """Go back to where the streams began; raises BadData where that cannot be done."""
        for stream, start in self.streams:
            if start is None:
                raise BadData(
                    "a stream that cannot go back has to be read a second time",
                    remedy="save it as a file first",
                )
            stream.seek(start)
        self.streams.clear()

    def read(self, source: Any, report: Callable[[BadData], Any], skip_bad: SkipBad) -> Games:
        """Everything a source holds."""
        left_out = SkippedRows(skip_bad, report)
        gathered: GameRows | ContestRows | None = None
        self.texts = tables = 0
        first: tuple[str, Layout] | None = None
        names: Sequence[str] = ()
        ends: list[tuple[str, int]] = []  # of the files, in rows
        with ExitStack() as files:
            for table in self.tables(source, files):
                tables += 1
                layout = find_layout(table.names, self.options, table.file, table.heading)
                if gathered is None or first is None:
                    first, names = (table.file, layout), table.names
                    kind = GameRows if layout.kind == "games" else ContestRows
                    gathered = kind(self.options, left_out, bool(skip_bad))
                elif layout.kinds() != first[1].kinds():
                    raise BadData(
                        f"the file has other kinds of columns than {first[0]}",
                        file=table.file,
                        line=table.heading,
                        remedy="read the files one by one, or name their columns",
                    )
                gathered.add(table, layout)
                ends.append((table.file, len(gathered)))
                files.close()
        if gathered is None or first is None:
            raise BadData("there is nothing to read", remedy="name a file")
        if not len(gathered):
            raise self.nothing(gathered.seen, first[0], left_out)
        found = gathered.games()
        if not len(found):
            raise self.nothing(gathered.seen, first[0], left_out)
        left_out.check(gathered.rows)
        in_order = () if found.time is not None else self.order_note(found)
        notes = (
            *found.notes, *in_order, *left_out.notes(), *self.suspicions(found, ends)
        )  # fmt: skip
        reading = gathered.layout.describe(names)
        found = found.replace(notes=notes, left_out=left_out.count, reading=reading)
        return remove_guards(found) if self.texts == tables else found

    def suspicions(self, table: Games, files: list[tuple[str, int]]) -> Iterator[str]:
        """What looks wrong about a whole table; raises BadData."""
        file = files[0][0] or None
        if look_alike := look_alike_note(table):
            yield look_alike
        # where rows were left out it is not known at which row a file begins
        if again := repetition_note(table, files if files[-1][1] == len(table) else []):
            yield again
        if self.options.teams is None:
            try:
                note = team_name_note(players_of(table))
            except BadData as bad:
                raise BadData(bad.what, file=file, remedy=bad.remedy) from None
            if note:
                yield note

    def order_note(self, table: Games) -> tuple[str, ...]:
        """What is to be said of the order of a table without dates, unless it was asked for."""
        if "time" in self.options.roles or len(table) < 2:
            return ()
        return (f"no dates: {table.unit}s are taken in the order of the file",)

    def nothing(self, seen: int, file: str, left_out: SkippedRows) -> BadData:
        """Why there is not one game."""
        if not seen:
            return BadData("the file has headings, but no rows", file=file or None)
        if left_out.first:
            first = left_out.first
            return BadData(
                f"no row can be read, the first: {first.what}",
                file=first.file,
                line=first.line,
                row=first.row,
                column=first.column,
                remedy=first.remedy,
            )
        if self.options.where or self.options.exclude:
            what, remedy = "no row is left", "look at the values of where= and exclude="
        else:
            what, remedy = NO_GAME, "name another file"
        return BadData(what, file=file or None, remedy=remedy)

    def tables(self, source: Any, files: ExitStack) -> Iterator[Table]:
        """The tables of a source, opened one after the other."""
        if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
            yield self.file(source, files)
        elif isinstance(source, Mapping):
            from prowess.games.tables import column_table

            yield column_table(source)
        elif isinstance(source, Sequence | Iterator):
            parts = list(source)
            if parts and all(
                isinstance(part, str | os.PathLike) or hasattr(part, "read") for part in parts
            ):
                for part in parts:
                    yield self.file(part, files)
            elif parts:
                from prowess.games.tables import record_table

                yield record_table("", parts, None)
        else:
            yield from self.frame(source)

    def frame(self, source: Any) -> Iterator[Table]:
        """A table that another library holds."""
        from prowess.games.frames import frame_table

        yield frame_table(source)

    def file(self, given: Any, files: ExitStack) -> Table:
        """One file, or an open stream, as a table."""
        source = sources.source_of(given)
        if source.path is None:
            self.streams.append((source.given, source.place()))
        stream = source.open()
        files.callback(stream.close)
        head, stream = sources.peeked(stream, HEAD)
        form = self.form or ("parquet" if head[:4] == b"PAR1" else None)
        form = form or source.suffix_format or sniffed_format(head)
        if form == "pgn":
            from prowess.games.pgn import pgn_table

            return pgn_table(source.name, stream, self.options.named(), self.encoding)
        if form == "parquet":
            return self.parquet(source, stream)
        if form in {"csv", "tsv"}:
            return self.text_table(source, stream, "\t" if form == "tsv" else self.delimiter)
        from prowess.games.tables import json_table

        return json_table(source.name, sources.text(source.name, stream.read(), self.encoding))

    def parquet(self, source: Source, stream: BinaryIO) -> Table:
        """A Parquet file."""
        from prowess.games.frames import parquet_table

        path = source.path
        if path is not None and path.suffix.lower() in {".parquet", ".pq"}:  # read in parts
            return parquet_table(source.name, str(path), self.compiled)
        return parquet_table(source.name, io.BytesIO(stream.read()), self.compiled)

    def text_table(self, source: Source, stream: BinaryIO, delimiter: str | None) -> Table:
        """A CSV or TSV file."""
        self.texts += 1
        usual = delimiter is None or (len(delimiter) == 1 and delimiter.isascii())
        if self.compiled is not False and self.encoding is None and usual:
            least = 0 if self.compiled else FAST
            head, stream = sources.peeked(stream, least + HEADINGS)
            if self.compiled or len(head) > least:
                from prowess import kernel
                from prowess.games.delimited import scan_csv_table

                if kernel.available():
                    return scan_csv_table(source.name, head, stream, delimiter, source.size())
        content = stream.read()
        return csv_table(source.name, sources.text(source.name, content, self.encoding), delimiter)


def remove_guards(table: Games) -> Games:
    """A table with its names as they were meant, where it was written for spreadsheets."""
    names = unguard_names(table.players)
    if names is None:
        return table
    pairs = zip(names, table.players, strict=True)
    new, old = next((new, old) for new, old in pairs if new != old)
    note = f"{quote(old)} is read as {quote(new)}: the quote keeps spreadsheets from running it"
    return table.replace(players=Roster(names), notes=(*table.notes, note))


def sniffed_format(head: bytes) -> str:
    """The format of a file whose name does not say it."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"["):
        return "jsonl" if start[1:].lstrip()[:1] in {b"{", b"]"} else "pgn"
    return "pgn" if start.startswith((b"%", b";")) else "csv"
