"""Dialects of delimited text: what stands between values, and the rows that it makes."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from prowess.games.columns import BLANKS
from prowess.games.errors import BadData, quote

DELIMITERS = ",;\t|"
RARE = "^~:"  # taken only where almost every line has equally many
SAMPLE = 50  # lines that show the delimiter
# as Excel writes it
SAID_DELIMITER = re.compile('[\ufeff]?"?sep=(.)"?[ \\t]*(?=[\r\n]|$)', re.IGNORECASE)
LINE_ENDS = re.compile(r"\r\n|\n|\r")
STRAY = "something stands between a closing quote and the end of its value"
UNCLOSED = "a quote is not closed"
HUGE = "a value of more than 131,072 characters"
CSV_ERRORS = {"expected after": STRAY, "unexpected end": UNCLOSED, "field larger": HUGE}
OPEN_QUOTE = "look for a quote that is not closed, or that stands inside a value"


class Dialect(NamedTuple):
    """What stands between the values of a text."""

    delimiter: str
    above: int = 0  # lines above the table that say only that


def find_dialect(content: str, delimiter: str | None) -> Dialect:
    """The delimiter: as the caller or the first line says, else the most even of the usual ones."""
    if said := SAID_DELIMITER.match(content):
        return Dialect(delimiter or said[1], 1)
    if delimiter:
        return Dialect(delimiter)
    lines = sample_lines(content)
    counts = {each: [line.count(each) for line in lines] for each in DELIMITERS}
    first = max(DELIMITERS, key=lambda each: counts[each][:1])
    if lines and counts[first][0] and len(set(counts[first])) == 1:
        return Dialect(first)
    counts.update((each, [line.count(each) for line in lines]) for each in RARE)

    def evenness(each: str) -> tuple[float, int]:
        usual, often = Counter(counts[each]).most_common(1)[0] if lines else (0, 0)
        usual_of_all = usual and often / len(lines)
        return (usual_of_all, usual) if each in DELIMITERS or usual_of_all > 0.8 else (0.0, 0)

    best = max((*DELIMITERS, *RARE), key=evenness)
    return Dialect(best if evenness(best) > (0.0, 0) else first)


def is_usual(content: str, delimiter: str) -> bool:
    """Whether most of the first lines hold the delimiter, as those below a title do."""
    lines = sample_lines(content)
    return delimiter in DELIMITERS and 2 * sum(delimiter in line for line in lines) > len(lines)


def sample_lines(content: str) -> list[str]:
    """The first lines that are not blank, without what stands in quotes."""
    start = content[: 1 << 14].lstrip("\r\n")
    quoted = '"' in start
    outside = "".join(start.split('"')[::2]) if quoted else start
    blank = " " if quoted else None  # of values that all are quoted only the tabs are left
    lines = [line for line in LINE_ENDS.split(outside) if line.strip(blank)]
    return lines[:SAMPLE] if len(lines) > SAMPLE or len(content) <= 1 << 14 else lines[:-1] or lines


def numbered_rows(content: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text, also empty ones, each with the line in which it begins."""
    reader, line = csv_rows(content, delimiter), 1
    for cells in reader:
        yield line, cells
        line = reader.line_num + 1


def read_headings(name: str, content: str, dialect: Dialect) -> tuple[list[str], int, int]:
    """The names of the columns, the line they stand in, and the lines read."""
    reader = csv_rows(content, dialect.delimiter)
    line = 1
    try:
        for _ in range(dialect.above):
            next(reader)
        row: list[str] = []
        while not row:
            line = reader.line_num + 1
            row = next(reader)
    except StopIteration:
        raise BadData(
            "the file is empty",
            file=name,
            remedy="begin the table with headings",
            code="empty_file",
        ) from None
    except csv.Error as error:
        raise csv_error(name, error, content, dialect.delimiter) from None
    return [heading.strip(BLANKS) for heading in row], line, reader.line_num


def csv_rows(content: str, delimiter: str) -> Any:
    """Python's own reader of CSV, as strict as it can be."""
    try:
        if delimiter in '"\r\n':
            raise ValueError
        return csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    except (TypeError, ValueError):
        raise BadData(
            f"delimiter {quote(delimiter)} is not one character other than a quote",
            remedy="for example ;",
            code="bad_delimiter",
        ) from None


def csv_error(name: str, error: Exception, content: str, delimiter: str) -> BadData:
    """The error of Python's CSV reader as BadData, with the line in which the row begins."""
    reader, line = csv_rows(content, delimiter), 1
    with suppress(csv.Error):
        for _ in reader:
            line = reader.line_num + 1
    message = str(error)
    what = next((ours for theirs, ours in CSV_ERRORS.items() if theirs in message), message)
    return BadData(what, file=name, line=line, remedy=OPEN_QUOTE, code="broken_quotes")
