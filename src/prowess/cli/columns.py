"""The options that say which table is read and what its columns mean, stated once for all verbs."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

SKIP_BAD = "--skip-bad"
A_FEW = "a few"  # the value of --skip-bad where none is given


class ColumnOption(click.Option):
    """An option about the table; help texts show these apart."""


class TableCommand(click.Command):
    """A command whose help lists options about the table under a heading of their own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; --skip-bad alone has a value of its own, and takes no file for it."""
        return super().parse_args(ctx, with_values(args))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in two groups."""
        own: list[tuple[str, str]] = []
        table: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                (table if isinstance(parameter, ColumnOption) else own).append(record)
        with formatter.section("Options"):
            formatter.write_dl(own)
        with formatter.section("Options for reading (column names are guessed where possible)"):
            formatter.write_dl(table)


def with_values(args: list[str]) -> list[str]:
    """The arguments, --skip-bad alone with its value."""
    end = args.index("--") if "--" in args else len(args)
    bare = [f"{SKIP_BAD}={A_FEW}" if each == SKIP_BAD else each for each in args[:end]]
    return [*bare, *args[end:]]


def choices(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[str]]:
    """`COLUMN=VALUE,VALUE` as the values of each column; quotes keep a comma in a value."""
    chosen: dict[str, list[str]] = {}
    for text in values:
        column, sign, given = text.partition("=")
        if not sign or not column:
            raise click.BadParameter(f"{text!r} is not COLUMN=VALUE")
        chosen.setdefault(column, []).extend(next(csv.reader([given]), [""]))
    return chosen


def names(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> str | list[str] | None:
    """`COLUMN` or `COLUMN,COLUMN`, each time the option is given."""
    named = [
        name
        for value in values
        for name in (next(csv.reader([value])) if "," in value else [value])
    ]
    return named[0] if len(named) == 1 else named or None


def along(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[str]]:
    """`ROLE` or `ROLE=COLUMN,COLUMN` as the columns of each role, none where it has none."""
    chosen: dict[str, list[str]] = {}
    for text in values:
        role, _, columns = text.partition("=")
        if not role:
            raise click.BadParameter(f"{text!r} is not ROLE or ROLE=COLUMN,COLUMN")
        chosen[role] = next(csv.reader([columns]), [])
    return chosen


def character(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """The character itself; `tab` is easier to type than a tab."""
    return "\t" if value in ("tab", "\\t") else value


def skipping(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> bool | int | float | str:
    """How many bad rows may be left out, as `read_games` takes it."""
    if value is None or value == A_FEW:
        return value is not None
    number = value.removesuffix("%")
    if value == "all":
        return value
    if number.isascii() and number.isdigit():
        if value == number:
            return int(number)
        if int(number) <= 100:
            return int(number) / 100.0
    raise click.BadParameter(f"{value!r} is no number of rows, such as 40, nor 10% or all")


COLUMNS = {
    "player_a": "The first player, or the members of the first side.",
    "player_b": "The second.",
    "result": "Who won: 1-0, 0-1, 1/2-1/2, a score from 0 to 1, ...",
    "score_a": "Points of the first player.",
    "score_b": "Points of the second.",
    "winner": "The winner, by name or by side.",
    "loser": "The loser.",
    "draw": "Whether a game was drawn, beside a winner.",
    "time": "When: a date, with or without a time.",
    "round": "The rounds of the table's own, for --period round.",
    "neutral": "Whether the ground was neutral.",
    "weight": "How much a game counts.",
    "margin": "By how much the first player won.",
    "length": "How long a game was.",
    "contest": "Which contest a row belongs to.",
    "player": "In a table of contests, the player.",
    "team": "In a table of contests, the side of the player.",
    "share": "How much of a contest the player took part in.",
    "place": "In a table of contests, the place, 1 the best.",
    "points": "In a table of contests, what decides: more is better, -COLUMN: less is.",
    "facts": "Further columns to keep, numbers or words.",
    "per": "Each player gets a member for each value: Nadal@clay.",
}
SEVERAL = {  # of these an option may name several columns
    "player_a", "player_b", "winner", "loser", "round", "contest", "player", "points", "facts",
    "per",
}  # fmt: skip


ONE: dict[str, Any] = {"metavar": "COLUMN"}
LIST: dict[str, Any] = {"metavar": "COLUMN[,COLUMN]", "multiple": True, "callback": names}


def reading_options(function: F) -> F:
    """All options of reading, as keywords of the same names."""
    options: list[tuple[str, dict[str, Any]]] = [
        ("--format", {"help": "Form of a file whose suffix does not say it: csv, jsonl, pgn, ..."}),
        ("--delimiter", {"metavar": "CHARACTER", "callback": character,
                         "help": "What stands between values: , ; | tab."}),
        ("--encoding", {"metavar": "NAME", "help": "Of the text, where it is not UTF-8."}),
        ("--kind", {"type": click.Choice(["games", "contests"]), "help": "What the rows are."}),
        *((f"--{name.replace('_', '-')}", {"help": text, **(LIST if name in SEVERAL else ONE)})
          for name, text in COLUMNS.items()),
        ("--with", {"multiple": True, "metavar": "ROLE[=COLUMN[,COLUMN]]", "callback": along,
                    "help": "Members that players share: car, of columns car_a and car_b."}),
        ("--unplaced", {"type": click.Choice(["last", "skip"]),
                        "help": "In a table of contests, who has no place: DNF and its like."}),
        ("--teams", {"type": click.Choice(["members", "names"]),
                     "help": "Whether 'Ann & Bob' is two members of a side or the name of one."}),
        ("--sides", {"metavar": "a|none|COLUMN", "help": "Who has White, or is at home."}),
        ("--score", {"type": click.Choice(["share"]),
                     "help": "share: the score is the share of the points."}),
        ("--date-format", {"metavar": "FORMAT", "help": "How dates are written: %d/%m/%Y, ..."}),
        ("--byes", {"type": click.Choice(["players"]),
                    "help": "players: a name such as bye or spielfrei is a player's."}),
        ("--where", {"multiple": True, "metavar": "COLUMN=VALUE[,VALUE]", "callback": choices,
                     "help": "Keep only rows with one of these values."}),
        ("--exclude", {"multiple": True, "metavar": "COLUMN=VALUE[,VALUE]", "callback": choices,
                       "help": "Leave such rows out."}),
        (SKIP_BAD, {"metavar": "[=N|N%|all]", "callback": skipping,
                    "help": "Leave out rows that cannot be read, say which: a few, or so many."}),
    ]  # fmt: skip
    for name, settings in reversed(options):
        words = (name, "with_") if name == "--with" else (name,)
        function = click.option(*words, cls=ColumnOption, **settings)(function)
    return function


READING = (
    "format", "delimiter", "encoding", "kind", *COLUMNS, "with_", "unplaced", "teams",
    "score", "date_format", "byes", "where", "exclude",
)  # fmt: skip


def table_of(
    files: tuple[str, ...], options: dict[str, Any], quiet: bool, fact_prefix: str | None = None
) -> Any:
    """Read the games or contests of some files as the options say; raises BadData."""
    from prowess.cli.talk import Omissions, say
    from prowess.games import read_games

    given = {name: options[name] for name in READING if options[name]}
    if options["sides"]:
        given["side"] = options["sides"]
    omissions = Omissions(quiet)
    table = read_games(
        files[0] if len(files) == 1 else list(files),
        skip_bad=options["skip_bad"],
        report=omissions,
        fact_prefix=fact_prefix,
        warn=False,  # the notes say it
        **given,
    )
    omissions.name_rows()
    for note in table.notes:
        say(f"note: {note}", quiet)
    return table
