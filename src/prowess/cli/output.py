"""Output of verbs: the answer on stdout or in a file, notes on stderr.

Tables are plain text, aligned by what a terminal shows and cut to its width; JSON and CSV have
every number at full precision.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from errno import EDQUOT, ENOSPC, EPIPE
from pathlib import Path
from textwrap import indent
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.options import Option, name_flag
from prowess.games.whole_files import replace_file

if TYPE_CHECKING:
    from prowess.engine.tabular import Tabular
    from prowess.engine.text_table import Rows
    from prowess.games.reading import Reading

    Part = str | Rows | tuple[str | Rows, ...]

AsJson = Annotated[bool, Option("Print one JSON object.", names=("--json",))]
AsCsv = Annotated[bool, Option("Print CSV at full precision.", names=("--csv",))]
Quiet = Annotated[bool, Option("Print nothing on stderr but errors.", names=("--quiet", "-q"))]
Verbose = Annotated[
    bool,
    Option(
        "Print all notes: columns not used, the system and what it uses.", names=("--verbose", "-v")
    ),
]

TABLE_SUFFIXES = (".csv", ".json", ".parquet", ".xlsx", ".md", ".html")  # as Tabular writes
PAGE_SUFFIXES = (".html", ".htm")
IMAGE_SUFFIXES = (".svg", ".png")
COLORED_WORDS = ("note", "left out", "look at")  # words before a colon that have a colour
SIGNED_COLUMNS = ("change", "surplus")  # columns in which a sign has a colour
MOST_ROWS_NAMED = 20  # of the rows left out
DISK_FULL = (ENOSPC, EDQUOT)  # errors of a disk or a share of it
TEXT_WIDTH = 100  # columns of a text that is broken into lines
TEXT_INDENT = 4  # blanks before it
QUIET_SECONDS = 1.0  # of work before progress is shown


def output_file(suffixes: Sequence[str], text: str, *, folders: bool = False) -> Option:
    """`--output FILE` of these suffixes, which are checked before any work is done.

    With `folders` a name without a suffix is that of a folder.
    """
    return Option(
        text,
        "FILE",
        click.Path(),
        ("--output", "-o"),
        parse=lambda name: (
            name if folders and not Path(name).suffix else check_suffix(name, suffixes)
        ),
    )


def check_suffix(name: str, suffixes: Sequence[str]) -> str:
    """The name of a file to write; raises BadParameter for an unknown suffix or folder."""
    if Path(name).suffix.lower() not in suffixes:
        raise click.BadParameter(f"end the name in {' or '.join(suffixes)}, not {name!r}")
    return check_folder(name)


def check_folder(name: str) -> str:
    """The name of a file to write; raises BadParameter where its folder is missing."""
    folder = Path(name).parent
    if not folder.is_dir():
        raise click.BadParameter(f"make the folder {str(folder)!r} first, or name another")
    return name


def print_text(text: str) -> None:
    """Print on stdout, with a newline; a reader that closed the pipe ends the run with 0."""
    if sys.stdout is None:
        return
    text = text.removesuffix("\n") + "\n"
    out: Any = getattr(sys.stdout, "buffer", sys.stdout)  # that of a notebook takes text alone
    try:
        out.write(text if out is sys.stdout else text.encode(errors="surrogateescape"))
        out.flush()
    except OSError as error:
        if error.errno == EPIPE:
            raise click.exceptions.Exit(0) from None
        raise click.ClickException(
            f"make room or write elsewhere: the answer cannot be written: {error.strerror}"
        ) from None


def format_json(data: Any) -> str:
    """Strictly valid JSON, floats at full precision."""
    import json

    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def format_csv(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, floats at full precision."""
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def refuse_file(file: str | Path, error: OSError) -> click.ClickException:
    """The error to raise for a file that cannot be written."""
    what = f"{file} cannot be written: {error.strerror or error}"
    remedy = "make room, or name another file" if error.errno in DISK_FULL else "name another file"
    return click.ClickException(f"{remedy}: {what}")


def write_file(file: str | Path, content: bytes | str) -> None:
    """Write a file; raises ClickException with its name where that fails."""
    try:
        with replace_file(file) as part:
            part.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise refuse_file(file, error) from None


def write_table(file: str, table: Tabular) -> None:
    """Write a table as the suffix says; raises ClickException with its name where that fails."""
    try:
        table.write(file)
    except OSError as error:
        raise refuse_file(file, error) from None


class AnswerOptions(NamedTuple):
    """The form of an answer: text, or JSON, CSV, or a file whose suffix says its form."""

    as_json: AsJson = False
    as_csv: AsCsv = False
    output: Annotated[
        str | None,
        output_file(TABLE_SUFFIXES, f"Write a file instead: {', '.join(TABLE_SUFFIXES)}."),
    ] = None

    def check(self) -> None:
        """Raise UsageError for two forms at once."""
        if self.as_json and self.as_csv:
            raise click.UsageError("choose --json or --csv")
        if self.output and (self.as_json or self.as_csv):
            form = "--json" if self.as_json else "--csv"
            raise click.UsageError(f"leave {form} or -o out: one prints, the other writes a file")

    @property
    def printed(self) -> bool:
        """Whether the answer is text for people."""
        return not (self.as_json or self.as_csv or self.output)

    def give(
        self,
        data: Callable[[], Any],
        table: Callable[[], Tabular],
        render: Callable[[], Iterable[Part] | None],
        reading: Reading | None = None,
        *,
        notes: Iterable[str] = (),
        page: Callable[[], str] | None = None,
    ) -> None:
        """Print the answer or write it: `data` is all of it, `table` its rows, `render` its parts.

        `reading` says in JSON how the table was understood; `notes` are printed above the parts. A
        `page` is what a file of HTML holds, in place of the table.
        """
        form = Path(self.output).suffix.lower() if self.output else ""
        if self.as_json or form == ".json":
            found = data()
            if reading is not None:
                found = found | {"reading": reading.to_dict()}
            if self.output:
                write_file(self.output, format_json(found) + "\n")
            else:
                print_text(format_json(found))
        elif self.as_csv:
            from prowess.engine.tabular import csv_parts

            for part in csv_parts(table().to_columns()):
                print_text(part)
        elif self.output and page is not None and form in PAGE_SUFFIXES:
            write_file(self.output, page())
        elif self.output:
            write_table(self.output, table())
        else:
            for note in notes:
                print_note(note)
            if parts := render():
                print_text("\n\n".join(map(render_part, parts)))
        if self.output:
            print_note(f"{self.output} is written")

    def give_rows(
        self, data: Any, rows: Sequence[Mapping[str, Any]], render: Callable[[Any], Iterable[Part]]
    ) -> None:
        """Print or write plain data, of which `rows` are the table; `render` makes parts of all."""

        def make_table() -> Tabular:
            from prowess.engine.tabular import ResultTable

            return ResultTable.of_rows(rows, click.get_current_context().command_path)

        self.give(lambda: data, make_table, lambda: render(data))


def write_figure(file: str, figure: Any, **how: Any) -> None:
    """Write a figure as SVG or PNG, and its title and description on stderr."""
    from prowess.games.errors import escape_unprintable
    from prowess.present.svg import Undrawable, strip_controls

    try:
        png = Path(file).suffix.lower() == ".png"
        write_file(file, figure.to_png(**how) if png else figure.to_svg(**how))
    except Undrawable as error:
        raise click.UsageError(str(error)) from None
    said = strip_controls(f"{figure.title}. {figure.description}")
    print_note(f"{file}: {escape_unprintable(said)}")


CALL = re.compile(r"\bwith read_games \((--[\w-]+)\)")
LEFT_OUT = re.compile(r"\bleave \w+ out \((--[\w-]+)\)")
KEYWORDS = re.compile(  # of the library, and the options that are the same
    r"""\b(?:\w+=,?(?: and| or)? )*\w+=("[^"]*"|\{[^{}]*\}|\[[^\[\]]*\]|[^\s()]*) ?"""
    r"""\((--(?:[^()'"]|'[^']*'|"[^"]*")*)\)"""
)
KEYWORD = re.compile(r"(?<!--exclude )\b([a-z_]*[a-z])_?=(?=[ ,:;]|$)")


def name_options(text: str) -> str:
    """A message of the library for a shell: `table="May" (--table)` is --table "May"."""

    def name_option(found: re.Match[str]) -> str:
        value, flag = found[1], found[2]
        bare = value in ("", "...", "True", "true") or " " in flag or "=" in flag
        return flag if bare else f"{flag} {value}"

    def name_bare(found: re.Match[str]) -> str:
        from prowess.verbs.tables import reader_options

        known = {found[1], f"{found[1]}_"} & reader_options()
        return name_flag(known.pop()) if known else found[0]

    if "=" not in text and "(--" not in text:
        return text
    text = LEFT_OUT.sub(r"leave \1 out", CALL.sub(r"with \1", text))
    return KEYWORD.sub(name_bare, KEYWORDS.sub(name_option, text))


def print_note(text: str, quiet: bool | None = None) -> None:
    """Print a line on stderr; the word before its colon has a colour where there are colours.

    `quiet` None: as the verb that runs is asked.
    """
    if read_display("quiet") if quiet is None else quiet:
        return
    text = name_options(text)
    word, colon, rest = text.partition(": ")
    if word in COLORED_WORDS and has_color(sys.stderr):
        text = f"{click.style(word + colon, fg='yellow')}{rest}"
    click.echo(text, err=True)


def note_left_out(refused: Mapping[str, str]) -> None:
    """Print which systems are left out, and why."""
    from prowess.study.judging import group_refusals

    for label, reason in group_refusals(refused):
        print_note(f"left out {label}: {reason}")


def print_notes(notes: Iterable[str], quiet: bool | None = None) -> None:
    """Print each note on stderr, marked as one; a detail where all are asked for (--verbose)."""
    from prowess.games.errors import Detail

    for text in notes:
        if read_display("verbose") or not isinstance(text, Detail):
            print_note(f"note: {text}", quiet)


@dataclass(eq=False)
class SkippedRowNotes:
    """Counts the rows that are left out and names the first of them."""

    quiet: bool | None = None
    count: int = 0
    first: list[object] = field(default_factory=list)

    def __call__(self, problem: object) -> None:
        """Count one row."""
        self.count += 1
        if self.count <= MOST_ROWS_NAMED:
            self.first.append(problem)

    def print_rows(self) -> None:
        """Name the first of them, each with its reason."""
        from prowess.games import BadData

        for problem in self.first:
            short = problem
            if isinstance(problem, BadData):  # the remedy was to leave the row out
                short = problem.reword(problem.what.partition("; known: ")[0], None)
            print_note(f"left out: {short}", self.quiet)

    def print_summary(self) -> None:
        """Name the first of them and the number of all."""
        self.print_rows()
        if self.count:
            rows = "row was" if self.count == 1 else "rows were"
            print_note(f"{self.count:,} {rows} left out", self.quiet)


class ProgressMeter:
    """A meter on stderr that appears when work takes long; it names the part that is worked on."""

    def __init__(self) -> None:
        self.began, self.visible = monotonic(), False
        self.labels: Sequence[str] = ()

    def name_parts(self, labels: Sequence[str]) -> None:
        """Take the names of all parts of the work."""
        self.labels = labels

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done, or clear the line at the end."""
        if done >= total:
            if self.visible:
                click.echo("\r\x1b[K", nl=False, err=True)
        elif monotonic() - self.began > QUIET_SECONDS:
            self.visible = True
            now = f": {self.labels[done]}" if self.labels else ""
            text = f"{done:,} of {total:,} ({done / total:.0%}){now}"
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)


def make_progress_meter() -> ProgressMeter | Literal[False]:
    """A meter; False, which is no progress, for --quiet and where stderr is no terminal."""
    there = not read_display("quiet") and sys.stderr is not None and sys.stderr.isatty()
    return ProgressMeter() if there else False


def render_table(rows: Rows) -> str:
    """Rows, the header first, as lines that fit the terminal (or --width).

    What does not fit is named on stderr.
    """
    from prowess.engine.text_table import fit_table, format_table, table_width

    width = terminal_width()
    if width is not None:
        whole = table_width(rows)
        rows, gone = fit_table(rows, width)
        if gone:
            names = ", ".join(dict.fromkeys(gone))
            print_note(f"note: --width {whole} also shows {names}")
    return format_table(rows, style_cell if has_color(sys.stdout) else None)


def format_definitions(rows: Sequence[tuple[str, str]]) -> str:
    """Names and what is said of them, whose lines are broken to fit the terminal."""
    width = min(terminal_width() or TEXT_WIDTH, TEXT_WIDTH) - TEXT_INDENT
    formatter = click.HelpFormatter(width=width)
    formatter.write_dl(rows)
    return indent(formatter.getvalue().rstrip(), " " * TEXT_INDENT)


def render_part(part: Part) -> str:
    """A text as it is, a table as it fits the terminal, a tuple of both without a blank line."""
    if isinstance(part, tuple):
        return "\n".join(map(render_part, part))
    return part if isinstance(part, str) else render_table(part)


def read_display(name: str) -> Any:
    """An option of the verb that runs; None where it has none."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.params.get(name)


def is_terminal() -> bool:
    """Whether the answer goes to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def terminal_width(stderr: bool = False) -> int | None:
    """--width, or the columns of the terminal; None for a file or a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    given: int | None = read_display("table_width")
    if given is not None and not stderr:
        return given
    if stream is None or not stream.isatty():
        return None
    import shutil

    return given or shutil.get_terminal_size().columns


def has_color(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colours, and nothing asks for none."""
    none = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not none


def style_cell(column: str, cell: str, row: int) -> str:
    """A cell as a terminal shows it: the header bold, gains green and losses red."""
    if row == 0:
        return click.style(cell, bold=True)
    if column in SIGNED_COLUMNS and cell.strip()[:1] in ("+", "-") and cell.strip(" +-0."):
        return click.style(cell, fg="green" if "+" in cell else "red")
    return cell
