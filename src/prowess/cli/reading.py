"""The options of reading: which files, and what their columns mean; readers of small CSV files.

The options are the keywords of `prowess.read_games`, under the same names.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

import click

from prowess.cli.completion import (
    complete_columns,
    complete_files,
    complete_filters,
    complete_formats,
)
from prowess.cli.options import (
    A_FEW,
    NO_VALUES,
    READING,
    Argument,
    GivenOf,
    Option,
    make_parameter,
    name_flag,
    read_annotation,
)
from prowess.cli.output import (
    Quiet,
    SkippedRowNotes,
    Verbose,
    print_note,
    print_notes,
    terminal_width,
)

if TYPE_CHECKING:
    from prowess.games.games import Games
    from prowess.games.reading import Reading


def split_csv(text: str) -> list[str]:
    """The values between commas; quotes keep a comma in a value."""
    return next(csv.reader([text]), [])


def split_names(text: str) -> list[str]:
    """Names with commas between them; one with a comma stands in quotes."""
    row = next(csv.reader([text], skipinitialspace=True), [])
    return [name for one in row if (name := one.strip())]


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
Several = Option(metavar="COLUMN[,COLUMN]", multiple=True, parse=parse_columns)
Filter = Option(
    metavar="COLUMN=VALUE[,VALUE]", multiple=True, parse=parse_filters, complete=complete_filters
)
TYPED = {  # options of the reader that a shell types in another way than Python
    "format": Option(complete=complete_formats),
    "delimiter": Option(parse=parse_delimiter),
    "with_": Option(metavar="ROLE[=COLUMN[,COLUMN]]", multiple=True, parse=parse_roles),
    "outcomes": Option(metavar="WORD=SCORE", multiple=True, parse=parse_outcomes),
    "names": Option(metavar="CSV", type=click.Path()),
    "player_facts": Option(metavar="FILE", type=click.Path()),
    "plan": Option(metavar="JSON", type=click.Path()),
    "where": Filter,
    "exclude": Filter,
    "skip_bad": Option(metavar="[=N|N%|all]", parse=parse_skip_bad),
}
UNTYPED = {"fact_prefix", "forecast", "odds", "report", "compiled", "warn"}
Files = Annotated[
    tuple[str, ...],
    Argument(
        "FILE...",
        click.Path(allow_dash=True, readable=False),
        -1,
        complete_files,
        ("continued", "counts", "draws", "at"),
    ),
]


@cache
def make_reader_options() -> dict[str, click.Parameter]:
    """The options of the reader, each by its keyword of `read_games`."""
    from prowess.games.formats.reader_options import declare_options

    made = {}
    for keyword, one in declare_options().items():
        several = Sequence[str] in get_args(one.kind) and keyword != "with_"
        columns = (Column, *[Several] * several) if several or one.said.role else (Reads,)
        said = Option(one.said.help, one.said.metavar, names=(name_flag(keyword),))
        name = "sides" if keyword == "side" else keyword
        if keyword not in UNTYPED:
            typed = filter(None, (TYPED.get(keyword),))
            kind, all_said = read_annotation(Annotated[(one.kind, *columns, said, *typed)])
            made[keyword] = make_parameter(name, kind, all_said, {name: None})
    return made


class ReadingOptions(NamedTuple):
    """The files of a table and how they are read: `given` are keywords of `read_games`."""

    files: Files
    quiet: Quiet = False
    verbose: Verbose = False
    given: Annotated[Mapping[str, Any], GivenOf(make_reader_options)] = NO_VALUES


@dataclass
class FileSource:
    """Files that a verb of the library reads once it has checked its other arguments.

    What is found and left out is printed on stderr, as the verb may `retell` it, without suspicions
    that it has `settled`; `table` is what was read.
    """

    reading: ReadingOptions
    settled: tuple[type, ...] = ()
    retell: Callable[[Reading], Reading] | None = None
    table: Games = field(init=False)

    def read_games(self, **options: Any) -> Games:
        """Read the games or contests of the files; raises BadData."""
        self.table = read_files(self.reading, options, self.settled, self.retell)
        return self.table


def print_reading(found: Reading, asked: ReadingOptions) -> None:
    """Print how files were understood; what was not used where all notes are asked for."""
    shown = found if asked.verbose else replace(found, unused=())
    for line in shown.lines(terminal_width(stderr=True)):
        print_note(line, asked.quiet)
    print_notes(found.guesses, asked.quiet)


def read_table(reading: ReadingOptions, **further: Any) -> Games:
    """Read the games or contests of some files as the options say; raises BadData.

    `further` keywords of `read_games` are those that are no options of reading.
    """
    return read_files(reading, {**reading.given, **further})


def read_files(
    reading: ReadingOptions,
    options: Mapping[str, Any],
    settled: tuple[type, ...] = (),
    retell: Callable[[Reading], Reading] | None = None,
) -> Games:
    """Read files with these keywords of `read_games`, and print what is found and left out.

    It is printed as the verb may `retell` it, without suspicions that are `settled`.
    Raises BadData.
    """
    from prowess.games.read import read_games

    files, skipped = reading.files, SkippedRowNotes(reading.quiet)
    source = files[0] if len(files) == 1 else list(files)
    table = read_games(source, report=skipped, warn=False, **options)
    notes = tuple(one for one in table.reading.notes if not isinstance(one, settled))
    table = table.replace(reading=replace(table.reading, notes=notes))
    skipped.print_rows()
    print_reading(retell(table.reading) if retell else table.reading, reading)
    return table


def read_shards_or_table(reading: ReadingOptions) -> Any:
    """The games of the files, or the shards of a folder that `prowess shard` wrote."""
    from prowess.games.shards import holds_shards, read_shards

    if len(reading.files) > 1 or not holds_shards(reading.files[0]):
        return read_files(reading, reading.given)
    if reading.given:
        flag = name_flag(next(iter(reading.given)))
        raise click.UsageError(f"leave {flag} out: these games are read already")
    shards = read_shards(reading.files[0])
    for line in shards.reading.lines(terminal_width(stderr=True)):
        print_note(line, reading.quiet)
    return shards
