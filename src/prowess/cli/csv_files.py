"""Small CSV files beside the results: anchors, departures, starting values, a column of numbers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.games import BadData


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
            raise self.fault(
                "give a number such as 1500",
                f'"{text}" is not a number',
                column,
                code="not_a_number",
            )
        return number

    def fault(
        self, remedy: str, what: str, column: str | None = None, *, code: str | None = None
    ) -> BadData:
        """The error to raise about this row."""
        from prowess.games import BadData

        return BadData(
            what, file=self.file, line=self.line, column=column, remedy=remedy, code=code
        )


def read_header(
    file: str, check: Callable[[list[str]], tuple[str, str, str | None] | None]
) -> tuple[list[str], Iterator[Row]]:
    """The columns of a CSV file and its rows; raises BadData with line and column.

    `check` returns what is wrong with the columns, the remedy and the column, or None.
    """
    from prowess.games import BadData

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
                what = f"{format_count(len(row), 'value')} where the header has {len(header)}"
                raise BadData(what, file=file, line=line, remedy="mend the row", code="wrong_row")
            yield Row(file, line, dict(zip(header, row, strict=True)))

    return header, rows()


def read_lines(file: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file that are not empty, each with its line; raises BadData."""
    from prowess.games import BadData

    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, strict=True)
            for row in rows:
                if row:
                    yield rows.line_num, row
    except OSError as error:
        what = error.strerror or str(error)
        raise BadData(
            what, file=file, remedy="name a file that can be read", code="unreadable_file"
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadData(
            f"not CSV in UTF-8: {error}", file=file, remedy="save it as such", code="not_csv"
        ) from None


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
            raise row.fault(
                "keep one row a player",
                f'"{row.player}" stands here twice',
                "player",
                code="player_twice",
            )
        anchors[row.player] = row.number("rating")
    return anchors


def read_departures(file: str) -> tuple[tuple[str, float], ...]:
    """(player, day since 1970) of every row; raises BadData with line and column."""
    from prowess.verbs.tables import end_of_day

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


NOT_SIDES = ("date", "day", "time", "round", "event", "stage", "neutral", "venue")


def read_contests(file: str) -> list[list[str]]:
    """The sides of every game of a CSV file: a row each, a column for every side.

    Columns that say when or where are left out; an empty cell is no side. Raises BadData.
    """
    from prowess.games import BadData

    games = []

    def check(header: list[str]) -> None:
        """Take any columns."""

    header, rows = read_header(file, check)
    columns = [name for name in header if name.strip().casefold() not in NOT_SIDES]
    for row in rows:
        sides = [name for column in columns if (name := row.values[column].strip())]
        if len(sides) < 2:
            raise row.fault("name two sides or more", "a game of fewer", code="too_few_players")
        games.append(sides)
    if not games:
        raise BadData("no fixtures", file=file, remedy="write one a row", code="no_fixtures")
    return games


def read_column(file: str, column: str) -> Sequence[float]:
    """One column of a CSV file as numbers; raises BadData with line and column."""
    from prowess.games import BadData

    lines = read_lines(file)
    first, header = next(lines, (1, []))
    if column not in header:
        remedy = f"name one of its columns with --column: {', '.join(header) or 'there are none'}"
        raise BadData(
            f'there is no column "{column}"',
            file=file,
            line=first,
            remedy=remedy,
            code="no_such_column",
        )
    place = header.index(column)
    values = []
    for line, row in lines:
        text = row[place] if place < len(row) else ""
        try:
            values.append(float(text))
        except ValueError:
            raise BadData(
                f"{text!r} is not a number", file=file, line=line, column=column,
                remedy="mend the row", code="not_a_number",
            ) from None  # fmt: skip
    return values
