"""CSV and its like, read with care."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from prowess.games.cells import BLANKS, Chunk, Table, Values, lone
from prowess.games.refusal import BadData, Refusal, quoted

DELIMITERS = ",;\t|"
STRAY = "something stands between a closing quote and the end of its value"
UNCLOSED = "a quote is not closed"
HUGE = "a value of more than 131,072 characters"
SAID = {"expected after": STRAY, "unexpected end": UNCLOSED, "field larger": HUGE}
OPEN_QUOTE = "look for a quote that is not closed, or that stands inside a value"


def delimited(name: str, content: str, delimiter: str | None = None) -> Table:
    """A text as a table; raises BadData for what has no rows and columns."""
    delimiter = delimiter or sniffed(content)
    reader = rows_of(content, delimiter)
    try:
        names, heading = header(name, reader)
    except csv.Error as error:
        raise broken(name, error, last_line(rows_of(content, delimiter))) from None

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield _chunk(name, content, delimiter, names, wanted)

    return Table(name, names, chunks, heading=heading)


def header(name: str, reader: Any) -> tuple[list[str], int]:
    """The names of the columns and the line they stand in."""
    row: list[str] = []
    line = 1
    while not row:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            raise BadData("is empty", file=name, remedy="a table begins with headings") from None
    return checked_names(name, row, line), line


def checked_names(name: str, row: Sequence[str], line: int | None) -> list[str]:
    """The headings, unless two are the same or one is no text."""
    names = [heading.strip(BLANKS) for heading in row]
    seen: set[str] = set()
    for heading in names:
        if lone(heading):
            raise BadData(
                f"heading {quoted(heading)} is not UTF-8",
                file=name,
                line=line,
                remedy='say how the file is written with encoding="latin-1" (--encoding)',
            )
        if heading in seen and heading:
            raise BadData(
                f"two columns are called {quoted(heading)}",
                file=name,
                line=line,
                remedy="rename one of them",
            )
        seen.add(heading)
    return names


def sniffed(content: str) -> str:
    """The delimiter: of the usual ones the one that stands most often in the headings."""
    heading = content.lstrip("\r\n")
    ends = [at for at in (heading.find("\n"), heading.find("\r")) if at >= 0]
    outside = "".join(heading[: min(ends, default=len(heading))].split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def rows_of(content: str, delimiter: str) -> Any:
    """Python's own reader of CSV, as strict as it can be."""
    try:
        if delimiter in '"\r\n':
            raise ValueError
        return csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    except (TypeError, ValueError):
        raise BadData(
            f"delimiter {quoted(delimiter)} is not one character other than a quote",
            remedy="for example ;",
        ) from None


def broken(name: str, error: Exception, line: int) -> BadData:
    """What Python's reader of CSV stumbled over, in our words."""
    said = str(error)
    what = next((ours for theirs, ours in SAID.items() if theirs in said), said)
    return BadData(what, file=name, line=line, remedy=OPEN_QUOTE)


def last_line(reader: Any) -> int:
    """The line in which the row begins that a reader cannot read."""
    line = 1
    try:
        for _ in reader:
            line = reader.line_num + 1
    except csv.Error:
        pass
    return line


def _chunk(
    name: str, content: str, delimiter: str, names: list[str], wanted: Sequence[str]
) -> Chunk:
    reader = rows_of(content, delimiter)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise broken(name, error, last_line(rows_of(content, delimiter))) from None
    del rows[0]
    width = len(names)
    if set(map(len, rows)) <= {width}:
        refused = {}
    else:
        refused = {at: ragged(len(row), width) for at, row in enumerate(rows) if len(row) != width}
        for at in refused:
            rows[at] = [""] * width
    columns = {}
    for heading in wanted:
        at = names.index(heading)
        columns[heading] = Values(list(map(itemgetter(at), rows)))
    lines = _Lines(content, delimiter)
    return Chunk(columns, len(rows), lines, refused)


def ragged(count: int, width: int) -> Refusal:
    """A row of the wrong length."""
    return Refusal(
        f"the row has {count} {'value' if count == 1 else 'values'}, the headings are {width}",
        "look for a missing or superfluous delimiter, or skip bad rows with "
        "skip_bad=True (--skip-bad)",
    )


class _Lines:
    """The line in which each row begins, found out when somebody asks."""

    def __init__(self, content: str, delimiter: str) -> None:
        self.content, self.delimiter = content, delimiter
        self.known: list[int] | None = None

    def __call__(self, row: int) -> int:
        if self.known is None:
            reader = rows_of(self.content, self.delimiter)
            self.known = []
            line = 1
            for cells in reader:
                if cells:
                    self.known.append(line)
                line = reader.line_num + 1
        return self.known[row + 1]
