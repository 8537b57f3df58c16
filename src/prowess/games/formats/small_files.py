"""Small files beside the results: anchors, departures, fixtures, names, a column of numbers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from math import isfinite, nan
from typing import Any, NamedTuple

from prowess.games.cells.date_columns import check_day
from prowess.games.columns import is_not_utf8
from prowess.games.dates import DAY_MICROSECONDS, end_of_day, parse_moment
from prowess.games.errors import MEND, BadData, InvalidValue, quote
from prowess.games.formats.encodings import csv_error, decode_text, numbered_rows
from prowess.games.formats.sources import open_bytes
from prowess.games.names import normal_name, unguard_names
from prowess.games.player_facts import ALWAYS, PlayerFacts
from prowess.games.reading import format_count
from prowess.games.roles.headings import AT_HOME, NEUTRAL_PAIRS
from prowess.games.values import Parsed, is_missing, parse_bool, plain_form
from prowess.games.vocabulary import read_heading, words_for

EMPTY_OF_FRAMES = ("nan", "NaT", "<NA>")  # as frames write a cell without a value
LEADERBOARD_ONLY = {"rank", "games"}  # columns of a leaderboard that are no part of a rating
WORDS_OF_BYE = ("bye", "-", "")
NEUTRAL_HEADINGS = words_for("neutral")  # headings that say whether the ground is neutral
# Columns of fixtures that say when or where.
OF_NO_SIDE = words_for("date", "day", "clock", "round", "occasion", "neutral", "venue")


class Row(NamedTuple):
    """A row of a small CSV file, by column, and where it stands."""

    file: str
    line: int
    values: dict[str, str]

    @property
    def player(self) -> str:
        """The name in the column player."""
        return self.values["player"].strip(" \t")

    def number(self, column: str) -> float:
        """A finite number; raises BadData."""
        text = self.values[column]
        try:
            number = float(text)
        except ValueError:
            number = nan
        if not isfinite(number):
            what, remedy = f'"{text}" is not a number', "give a number such as 1500"
            raise self.fault(remedy, what, column, code="not_a_number")
        return number

    def fault(
        self, remedy: str, what: str, column: str | None = None, *, code: str | None = None
    ) -> BadData:
        """The error to raise about this row."""
        return BadData(
            what, file=self.file, line=self.line, column=column, remedy=remedy, code=code
        )


def read_header(
    file: str, check: Callable[[list[str]], tuple[str, str, str | None] | None]
) -> tuple[list[str], Iterator[Row]]:
    """The columns of a CSV file and its rows; raises BadData with line and column.

    `check` returns what is wrong with the columns, the remedy and the column, or None.
    """
    lines = read_lines(file)
    first, header = next(lines, (1, []))
    if fault := check(header):
        what, remedy, column = fault
        raise BadData(
            what, file=file, line=first, column=column, remedy=remedy, code="wrong_columns"
        )

    def rows() -> Iterator[Row]:
        for line, row in lines:
            if len(row) != len(header):
                values = format_count(len(row), "value")
                raise BadData.of(
                    "wrong_row", file=file, line=line, values=values, header=len(header)
                )
            yield Row(file, line, dict(zip(header, row, strict=True)))

    return header, rows()


def read_text(file: str) -> str:
    """The text of a small file, packed or not; raises BadData for one that is not in UTF-8."""
    with open_bytes(file) as stream:
        text = decode_text(stream.name, stream.readall(), None)
    if is_not_utf8(text):
        raise BadData.of("not_utf_8.text", file=file)
    return text


def read_lines(file: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file that are not empty, each with its line; raises BadData."""
    text = read_text(file)
    try:
        yield from ((line, row) for line, row in numbered_rows(text, ",") if row)
    except csv.Error:
        raise csv_error(file, text, ",") from None


def read_anchors(file: str) -> dict[str, float]:
    """The ratings of a CSV file with the columns player and rating; raises BadData."""

    def check(header: list[str]) -> tuple[str, str, str | None] | None:
        if "deviation" in header:
            return (
                "an anchor is a rating that is known and stays, so it has no deviation",
                "leave the column deviation out",
                "deviation",
            )
        if {"player", "rating"} <= set(header):
            return None
        return "no columns player and rating", "write player,rating in the first line", None

    anchors: dict[str, float] = {}
    for row in read_header(file, check)[1]:
        if row.player in anchors:
            what = f'"{row.player}" stands here twice'
            raise row.fault("keep one row a player", what, "player", code="player_twice")
        anchors[row.player] = row.number("rating")
    return anchors


def read_departures(file: str) -> tuple[tuple[str, float], ...]:
    """(player, day since 1970) of every row; raises BadData with line and column."""

    def check(header: list[str]) -> tuple[str, str, str | None] | None:
        if sorted(header) == ["date", "player"]:
            return None
        return "the columns are not player and date", "write player,date in the first line", None

    departures = []
    for row in read_header(file, check)[1]:
        try:
            departures.append((row.player, end_of_day(row.values["date"])))
        except ValueError as error:
            raise row.fault("write 2024-06-30", str(error), "date", code="not_a_date") from None
    return tuple(departures)


def read_column(file: str, column: str) -> Sequence[float]:
    """One column of a CSV file as numbers; raises BadData with line and column."""

    def check(header: list[str]) -> tuple[str, str, str | None] | None:
        if column in header:
            return None
        known = ", ".join(header) or "there are none"
        return (
            f'there is no column "{column}"', f"name one of its columns with --column: {known}",
            None,
        )  # fmt: skip

    return [row.number(column) for row in read_header(file, check)[1]]


def read_names(file: str) -> list[str]:
    """The lines of a bracket or a list of names; empty ones are byes."""
    return [line.strip() for line in read_text(file).rstrip().split("\n")]


def read_bracket(file: str) -> tuple[list[str], list[int]]:
    """The names in a bracket from top to bottom, and its slots: their numbers, -1 for a bye."""
    lines = ["" if line.lower() in WORDS_OF_BYE else line for line in read_names(file)]
    names = [name for name in lines if name]
    numbers = iter(range(len(names)))
    return names, [next(numbers) if name else -1 for name in lines]


class FixtureList(NamedTuple):
    """Games to come: the names of the sides of each, and the side advantage of the first.

    `note` says which columns were taken for what.
    """

    games: list[tuple[str, ...]]
    sides: list[float]
    note: str = ""


def read_fixtures(file: str, side: float | None = None, *, two: bool = False) -> FixtureList:
    """The games to come of a CSV file, a row each, with a column for every side.

    These are two such as home and away, or all but those that say when or where; an empty cell is
    no side. Where the headings name sides (home and away, White and Black), the first has the
    advantage; `side` says it for all games. A game on neutral ground has none. With `two` headings
    of two players are needed. Raises BadData with file, line and column.
    """

    def check(header: list[str]) -> tuple[str, str, str | None] | None:
        if not two or _find_pair(header) is not None:
            return None
        remedy = "call the columns of the two players home and away, or player_a and player_b"
        return "no two columns of players", remedy, None

    header, rows = read_header(file, check)
    pair = _find_pair(header)
    at_home = pair is not None and tuple(map(plain_form, pair)) in AT_HOME
    columns = _columns_of_sides(header, pair, two or at_home)
    advantage = float(at_home) if side is None else side
    dates = [name for name in header if read_heading(name).subjects & {"date", "day"}]
    ground = next((name for name in header if plain_form(name.strip()) in NEUTRAL_HEADINGS), None)
    games, sides = list[tuple[str, ...]](), list[float]()
    for row in rows:
        names = tuple(name for column in columns if (name := row.values[column].strip()))
        if len(names) < 2:
            raise row.fault("name two sides or more", "a game of fewer", code="too_few_players")
        if len({*names}) < len(names):
            raise row.fault("mend the row", "a game is between different sides", code="self_play")
        for name in dates:
            _parse_cell(row, name, check_day)
        games.append(names)
        sides.append(0.0 if ground is not None and _is_yes(row, ground) else advantage)
    if not games:
        raise BadData.of("no_fixtures", file=file)
    return FixtureList(games, sides, _note_fixtures(columns, sides))


def _find_pair(header: Sequence[str]) -> tuple[str, str] | None:
    """The headings of the two sides, such as home and away; None where no pair is known."""
    plain = {plain_form(name.strip()): name for name in reversed(header)}
    for a, b in (*sorted(AT_HOME), *sorted(NEUTRAL_PAIRS)):
        if a in plain and b in plain:
            return plain[a], plain[b]
    return None


def _columns_of_sides(header: Sequence[str], pair: tuple[str, str] | None, two: bool) -> list[str]:
    """The columns of the sides: of a pair, with `two` no others; the pair may be numbered on."""
    if pair is None:
        return [name for name in header if plain_form(name.strip()) not in OF_NO_SIDE]
    stems = {plain_form(name.strip())[:-1] for name in pair}
    if two or len(stems) > 1:
        return [*pair]
    return [name for name in header if plain_form(name.strip())[:-1] in stems]


def _is_yes(row: Row, column: str) -> bool:
    """Whether a cell says yes, an empty one not; raises BadData."""
    cell = row.values[column].strip()
    return not is_missing(cell) and bool(_parse_cell(row, column, parse_bool))


def _parse_cell(row: Row, column: str, parse: Callable[[str], Parsed]) -> Parsed:
    """What a cell says; raises BadData with its line."""
    try:
        return parse(row.values[column].strip())
    except InvalidValue as error:
        raise row.fault(error.remedy or MEND, error.what, column, code=error.code) from None


def _note_fixtures(columns: Sequence[str], sides: Sequence[float]) -> str:
    """Which columns were taken for sides, and which of them has the advantage in how many games."""
    names = ", ".join(map(quote, columns))
    held = [(quote(columns[0]), sides.count(1.0)), (quote(columns[-1]), sides.count(-1.0))]
    said = [f"{name} has the advantage in {format_count(n, 'game')}" for name, n in held if n]
    even = sides.count(0.0)
    said += [f"{format_count(even, 'game')} without one"] if said and even else []
    return f"sides are {names}: {', '.join(said) or 'none has the side advantage'}"


class StartingValues(NamedTuple):
    """Values by player with which a system begins, and notes on what the file has beside them."""

    values: dict[str, dict[str, float]]
    notes: list[str]


def read_start(
    file: str, players: Sequence[str] | None, system: str, fields: Sequence[str], inner: set[str]
) -> StartingValues:
    """Starting values by name, from a CSV such as `prowess rate --csv` writes.

    `fields` are the values that the system displays, `inner` those that it keeps. `players` are
    those of the table; None: it is not known which it has. A column `@clay` has the ratings of the
    members `PLAYER@clay`, empty for a newcomer. Raises BadData with line and column.
    """
    known = set(players or ())
    parts = (name.rpartition("@") for name in known if "@" in name)
    contexts = {context for player, _, context in parts if player in known}
    columns = ["player", *fields, *(["@CONTEXT"] if contexts else [])]
    remedy = f"{system} can start from the columns {', '.join(columns)}"
    notes: list[str] = []

    def check(header: list[str]) -> tuple[str, str, str | None] | None:
        if "player" not in header:
            return 'there is no column "player"', remedy, None
        for place, name in enumerate(header):
            if name in header[:place]:
                return f'two columns are called "{name}"', remedy, None
            if contexts and name.startswith("@"):
                if name[1:] not in contexts:
                    notes.append(f"note: no player has games {name} here, as {file} says")
            elif name not in {"player", *LEADERBOARD_ONLY, *fields}:
                what = f"{system} keeps no such value"
                if name.startswith("@"):
                    return what, "give --per COLUMN as in the earlier run, or leave it out", name
                return what, remedy, name
        return None

    header, rows = read_header(file, check)
    values = [name for name in header if name in fields]
    if inner and inner.isdisjoint(header):  # games are then the leaderboard's own column
        values = [name for name in values if name != "games"]
    found: dict[str, Row] = {}
    start: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.player in start:
            what = f'"{row.player}" stands here a second time'
            raise row.fault("keep one row a player", what, "player", code="player_twice")
        found[row.player] = row
        start[row.player] = {column: row.number(column) for column in values}
    names = unguard_names(list(start)) or list(start)
    members = {
        f"{player}{column}": {fields[0]: row.number(column)}
        for player, row in zip(names, found.values(), strict=True)
        for column in header
        if column.startswith("@") and row.values[column].strip()
    }
    start = dict(zip(names, start.values(), strict=True))
    if players is None:
        return StartingValues(start, notes)
    of_members = {name: given for name, given in members.items() if name in known}
    return StartingValues(of_members | start, notes)


def read_player_facts(given: Any) -> PlayerFacts:
    """The facts of a file or table of any form, or of a dict {player: {fact: value}}.

    Raises BadData with file, line and column for a table without players, a date that cannot be
    read, and two rows of one player and day.
    """
    import numpy as np

    from prowess.games.formats.opened_tables import read_cells

    if isinstance(given, PlayerFacts):
        return given
    if isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values()):
        given = [{"player": player, **facts} for player, facts in given.items()]
    headings, rows, lines, file = read_cells(given)
    plain = [plain_form(heading) for heading in headings]
    who = _find_heading(plain, "player")
    when = _find_heading(plain, "date", "day")
    if who is None or len(headings) < 2 + (when is not None):
        kind = "players" if who is None else "facts"
        raise BadData.of("wrong_columns", file=file, kind=kind)
    found: dict[tuple[str, float], int] = {}
    for number, row in enumerate(rows):
        name = normal_name(str(row[who] if row[who] is not None else ""))
        if not name:
            raise BadData.of(
                "name_missing.fact", file=file, line=lines[number], column=headings[who]
            )
        day = ALWAYS if when is None else _read_day(row[when], file, lines[number], headings[when])
        if (name, day) in found:
            once = (
                "one row a player and date" if day > ALWAYS else "one row a player, or give dates"
            )
            raise BadData.of(
                "player_twice.fact",
                file=file,
                line=lines[number],
                name=name,
                of_one_date=" of one date" * (day > ALWAYS),
                once=once,
            )
        found[name, day] = number
    if not found:
        raise BadData.of("no_players.facts", file=file)
    days = np.array([day for _, day in found])
    order = np.argsort(days, kind="stable").tolist()
    names = [name for name, _ in found]
    return PlayerFacts(
        tuple(names[at] for at in order),
        days[order],
        {
            heading: tuple(_read_cell(rows[at][place]) for at in order)
            for place, heading in enumerate(headings)
            if place not in (who, when)
        },
        tuple(lines[at] for at in order),
        file,
    )


def _find_heading(plain: Sequence[str], *meanings: str) -> int | None:
    """The place of the first heading that means this."""
    words = words_for(*meanings)
    return next((at for at, heading in enumerate(plain) if heading in words), None)


def _read_cell(cell: Any) -> Any:
    """A cell as a text; None where it is empty."""
    text = "" if cell is None or str(cell) in EMPTY_OF_FRAMES else str(cell).strip()
    return text or None


def _read_day(cell: Any, file: str, line: int, heading: str) -> float:
    """The first moment of a date, ALWAYS of an empty cell; raises BadData."""
    if _read_cell(cell) is None:
        return ALWAYS
    text = cell.isoformat() if isinstance(cell, date | datetime) else str(cell).strip()
    try:
        return parse_moment(text) / DAY_MICROSECONDS
    except ValueError:
        raise BadData.of("not_a_date", file=file, line=line, column=heading, text=text) from None
