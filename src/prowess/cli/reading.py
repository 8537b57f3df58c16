"""The options of reading: which files, and what their columns mean; readers of small CSV files.

The options are the keywords of `prowess.read_games`, under the same names.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.completion import (
    complete_columns,
    complete_files,
    complete_filters,
    complete_formats,
)
from prowess.cli.options import A_FEW, READING, SKIP_BAD, Argument, Option
from prowess.cli.output import Quiet, SkippedRowNotes, print_note, print_notes, terminal_width

NOTHING: Mapping[str, Any] = MappingProxyType({})


def split_csv(text: str) -> list[str]:
    """The values between commas; quotes keep a comma in a value."""
    return next(csv.reader([text]), [])


def parse_columns(values: tuple[str, ...]) -> str | list[str] | None:
    """`COLUMN` or `COLUMN,COLUMN`, each time the option is given."""
    named = [name for value in values for name in (split_csv(value) if "," in value else [value])]
    return named[0] if len(named) == 1 else named or None


def parse_filters(values: tuple[str, ...]) -> dict[str, list[str]]:
    """`COLUMN=VALUE,VALUE` as the values of each column."""
    chosen: dict[str, list[str]] = {}
    for text in values:
        column, sign, given = text.partition("=")
        if not sign or not column:
            raise click.BadParameter(f"write COLUMN=VALUE, not {text!r}")
        chosen.setdefault(column, []).extend(split_csv(given) or [""])
    return chosen


def parse_roles(values: tuple[str, ...]) -> dict[str, list[str]]:
    """`ROLE` or `ROLE=COLUMN,COLUMN` as the columns of each role, none where it has none."""
    chosen: dict[str, list[str]] = {}
    for text in values:
        role, _, columns = text.partition("=")
        if not role:
            raise click.BadParameter(f"write ROLE or ROLE=COLUMN,COLUMN, not {text!r}")
        chosen[role] = split_csv(columns)
    return chosen


def parse_delimiter(value: str) -> str:
    """The character itself; `tab` is easier to type than a tab."""
    return "\t" if value in ("tab", "\\t") else value


def parse_outcomes(values: Sequence[str]) -> dict[str, float | None]:
    """`WORD=SCORE` pairs, `none` for no game; raises BadParameter."""
    outcomes: dict[str, float | None] = {}
    for text in values:
        word, sign, score = text.rpartition("=")
        try:
            number = None if score.strip().casefold() == "none" else float(score)
        except ValueError:
            sign = ""
        if not sign or (number is not None and not 0.0 <= number <= 1.0):
            raise click.BadParameter(f"write WORD=1, WORD=0.5, WORD=0 or WORD=none, not {text!r}")
        outcomes[word] = number
    return outcomes


def parse_skip_bad(value: str) -> bool | int | float | str:
    """How many bad rows may be left out, as `read_games` takes it."""
    if value == A_FEW:
        return True
    if value == "all":
        return value
    number = value.removesuffix("%")
    if number.isascii() and number.isdigit():
        if value == number:
            return int(number)
        if int(number) <= 100:
            return int(number) / 100.0
    raise click.BadParameter(f"write a number of rows such as 40, or 10%, or all, not {value!r}")


Reads = Option(section=READING)
Column = Option(metavar="COLUMN", section=READING, complete=complete_columns)
Name = Annotated[str | None, Column]
Names = Annotated[
    Any, Column, Option(metavar="COLUMN[,COLUMN]", multiple=True, parse=parse_columns)
]
Filter = Annotated[
    Mapping[str, list[str]],
    Reads,
    Option(
        metavar="COLUMN=VALUE[,VALUE]",
        multiple=True,
        parse=parse_filters,
        complete=complete_filters,
    ),
]
Files = Annotated[
    tuple[str, ...],
    Argument(
        "FILE...", click.Path(allow_dash=True, readable=False), -1, complete_files, "continued"
    ),
]


class ReadingOptions(NamedTuple):
    """The files of a table and how they are read."""

    files: Files
    quiet: Quiet = False
    format: Annotated[
        str | None,
        Reads,
        Option(
            "Format of a file whose suffix does not name it: csv, jsonl, pgn, ...",
            complete=complete_formats,
        ),
    ] = None
    table: Annotated[
        str | None,
        Reads,
        Option("The sheet, table or file, if there are several.", "NAME"),
    ] = None
    sql: Annotated[str | None, Reads, Option("A query of a database.", "QUERY")] = None
    delimiter: Annotated[
        str | None,
        Reads,
        Option("The character between values: , ; | tab.", "CHARACTER", parse=parse_delimiter),
    ] = None
    encoding: Annotated[str | None, Reads, Option("Of the text, if it is not UTF-8.", "NAME")] = (
        None
    )
    kind: Annotated[Literal["games", "contests"] | None, Reads, "What the rows are."] = None
    player_a: Annotated[Names, "The first player, or the members of the first side."] = None
    player_b: Annotated[Names, "The second."] = None
    result: Annotated[Name, "The result: 1-0, 0-1, 1/2-1/2, a score from 0 to 1, ..."] = None
    score_a: Annotated[Name, "Points of the first player."] = None
    score_b: Annotated[Name, "Points of the second."] = None
    winner: Annotated[Names, "The winner, by name or by side."] = None
    loser: Annotated[Names, "The loser."] = None
    draw: Annotated[Name, "Whether a game was drawn, beside a winner."] = None
    time: Annotated[Name, "The date, with or without a time."] = None
    round: Annotated[Names, "The table's own rounds, for --period round."] = None
    neutral: Annotated[Name, "Whether the ground was neutral."] = None
    weight: Annotated[Name, "How much a game counts."] = None
    margin: Annotated[Name, "The margin of the first player's win."] = None
    length: Annotated[Name, "How long a game was."] = None
    league: Annotated[Name, "The league of a game."] = None
    context: Annotated[Name, "Where players may be better or worse: surface, map, ..."] = None
    variant: Annotated[Name, "The kind of a game: best of 3 or 5, ..."] = None
    contest: Annotated[Names, "The contest of a row."] = None
    player: Annotated[Names, "In a table of contests, the player."] = None
    team: Annotated[Name, "In a table of contests, the side of the player."] = None
    share: Annotated[Name, "How much of a contest the player took part in."] = None
    place: Annotated[Name, "In a table of contests, the place, 1 the best."] = None
    points: Annotated[
        Names, "In a table of contests, what decides: more is better, -COLUMN: less is."
    ] = None
    facts: Annotated[Names, "Further columns to keep, numbers or words."] = None
    per: Annotated[Names, "Each player gets a member for each value: Nadal@clay."] = None
    with_: Annotated[
        Mapping[str, list[str]],
        Reads,
        Option(
            "Members that players share: car, of columns car_a and car_b.",
            "ROLE[=COLUMN[,COLUMN]]",
            multiple=True,
            parse=parse_roles,
        ),
    ] = NOTHING
    family: Annotated[
        bool, Reads, "Members of families, from names: Stockfish of 'Stockfish 17.1'."
    ] = False
    unplaced: Annotated[
        Literal["last", "skip"] | None,
        Reads,
        "In a table of contests, rows without a place (DNF, ...): last place, or left out.",
    ] = None
    teams: Annotated[
        Literal["members", "commas", "names"] | None,
        Reads,
        "Whether 'Ann & Bob' is two members of a side (with commas: also 'Ann, Bob') or one name.",
    ] = None
    sides: Annotated[
        str | None,
        Reads,
        Option("The side that has White, or is at home.", "a|none|COLUMN"),
    ] = None
    score: Annotated[
        Literal["share"] | None, Reads, "share: the score is the share of the points."
    ] = None
    date_format: Annotated[
        str | None, Reads, Option("How dates are written: %d/%m/%Y, ...", "FORMAT")
    ] = None
    byes: Annotated[
        Literal["players", "names", "wins"] | None,
        Reads,
        "players: a name such as bye or spielfrei is a player's; names: only one such as None is; "
        "wins: a bye is a point in a table of points.",
    ] = None
    walkovers: Annotated[
        Literal["wins"] | None, Reads, "wins: a walkover counts; else it is left out."
    ] = None
    order: Annotated[
        str | None,
        Reads,
        Option("The order of undated rows.", "file|reversed|COLUMN", names=("--row-order",)),
    ] = None
    outcomes: Annotated[
        Mapping[str, float | None],
        Reads,
        Option(
            "What a word of a result means: 1, 0.5 or 0 for the first side, none for no game.",
            "WORD=SCORE",
            names=("--outcome",),
            multiple=True,
            parse=parse_outcomes,
        ),
    ] = NOTHING
    names: Annotated[
        str | None,
        Reads,
        Option("Synonyms: two columns, name in the table and name to use.", "CSV", click.Path()),
    ] = None
    where: Annotated[Filter, "Keep only rows with one of these values."] = NOTHING
    exclude: Annotated[Filter, "Leave such rows out."] = NOTHING
    skip_bad: Annotated[
        bool | int | float | str | None,
        Reads,
        Option(
            "Leave out rows that cannot be read, and name them: a few, or so many.",
            "[=N|N%|all]",
            names=(SKIP_BAD,),
            parse=parse_skip_bad,
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """The options that are given, as keywords of `read_games`."""
        given = {**self._asdict(), "side": self.sides}
        for name in ("files", "quiet", "skip_bad", "sides"):
            del given[name]
        return {name: value for name, value in given.items() if value}


def read_table(reading: ReadingOptions, **further: Any) -> Any:
    """Read the games or contests of some files as the options say; raises BadData.

    `further` keywords of `read_games` are those that are no options of reading.
    """
    from prowess.games import read_games

    files, quiet = reading.files, reading.quiet
    skipped = SkippedRowNotes(quiet)
    table = read_games(
        files[0] if len(files) == 1 else list(files),
        skip_bad=False if reading.skip_bad is None else reading.skip_bad,
        report=skipped,
        warn=False,  # the notes say it
        **further,
        **reading.keywords(),
    )
    skipped.print_rows()
    for line in table.reading.lines(terminal_width(stderr=True)):
        print_note(line, quiet)
    print_notes(table.reading.guesses, quiet)
    return table


def read_shards_or_table(reading: ReadingOptions) -> Any:
    """The games of the files, or the shards of a folder that `prowess shard` wrote."""
    from prowess.verbs.sharding import find_shards

    shards = find_shards(reading.files[0]) if len(reading.files) == 1 else None
    if shards is None:
        return read_table(reading)
    if given := reading.keywords():
        flag = {"side": "sides"}.get(name := next(iter(given)), name).replace("_", "-")
        raise click.UsageError(f"leave --{flag} out: these games are read already")
    for line in shards.reading.lines(terminal_width(stderr=True)):
        print_note(line, reading.quiet)
    return shards
