"""Tables of pages and notes: HTML and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import unescape

from prowess.games.columns import InputTable
from prowess.games.errors import BadData
from prowess.games.formats.byte_streams import ByteStream
from prowess.games.formats.encodings import decode_guessed, decode_text, is_encoded, is_utf8
from prowess.games.formats.grids import Grid, grid_table
from prowess.games.formats.opened_tables import Candidate, check_tables, choose_table
from prowess.games.formats.sources import PIPES, ReaderSettings, find_format
from prowess.games.limits import ARCHIVE, SHEET_CELLS, check_columns, check_size

SPAN = 1000  # rows or columns that a cell may reach over
DASHED_LINE = re.compile(PIPES)
CHARSET = re.compile(
    rb"(?i)<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?([\w.-]{1,30})"
)
BLOCKS = frozenset({"br", "p", "div", "li"})
SILENT = {  # what is no text of a cell, and how it ends
    "!--": re.compile("-->"), "script": re.compile(r"(?i)</script\s*>"),
    "style": re.compile(r"(?i)</style\s*>"), "sup": re.compile(r"(?i)</sup\s*>|(?=</?t[dhr]\b)"),
}  # fmt: skip
SILENT_TAG = re.compile(r"(?i)<(!--|(?:script|style|sup)(?![\w-]))")
TAG_PATTERN = re.compile(
    r"""<(/?)([a-zA-Z][\w:-]*)((?:[^<>"']|"[^"]{0,9999}"|'[^']{0,9999}')*+(?=>)|[^<>]*)>"""
    r"|<[!?][^<>]*>"
)
SPANS = {
    name: re.compile(rf"{name}\s*=\s*[\"']?\s*(\d{{1,9}})", re.IGNORECASE)
    for name in ("colspan", "rowspan")
}


class TableParser:
    """Gathers the tables of a page, also those inside of others, each with its lines.

    The parser of the standard library takes hours for some spoilt pages and fails on others; a
    table needs few of its tags.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables: list[PageTable] = []
        self.open: list[PageTable] = []

    def read_content(self, content: str) -> None:
        """Read a page; raises BadData for one of too many cells."""
        at, line, counted = 0, 1, 0
        for found in TAG_PATTERN.finditer(content):
            if self.open and found.start() > at:
                self.open[-1].add(unescape(content[at : found.start()]))
            at = found.end()
            if not found[2]:
                continue
            tag = found[2].lower()
            if found[1]:
                self.end_tag(tag)
                continue
            if tag in {"table", "tr", "td", "th"}:
                line += content.count("\n", counted, found.start())
                counted = found.start()
            self.begin_tag(tag, found[3], line)
        if self.open:
            self.open[-1].add(unescape(content[at:]))
        for table in self.open:
            table.end_cell()

    def begin_tag(self, tag: str, attributes: str, line: int) -> None:
        """Begin a table, a row or a cell."""
        if tag == "table":
            self.tables.append(PageTable(self.name, line))
            self.open.append(self.tables[-1])
        elif self.open and tag == "tr":
            self.open[-1].begin_row(line)
        elif self.open and tag in {"td", "th"}:
            columns, rows = (read_span(SPANS[name].search(attributes)) for name in SPANS)
            self.open[-1].begin_cell(columns, rows)
        elif self.open and tag in BLOCKS:
            self.open[-1].add(" ")
        elif self.open and tag == "caption":
            self.open[-1].end_cell()

    def end_tag(self, tag: str) -> None:
        """End a table or a cell."""
        if self.open and tag in {"td", "th", "tr"}:
            self.open[-1].end_cell()
        elif self.open and tag == "table":
            self.open.pop().end_cell()


def drop_silent(content: str) -> str:
    """A page without comments, programs, styles and footnotes; their lines stay."""
    parts, at = [], 0
    while found := SILENT_TAG.search(content, at):
        parts.append(content[at : found.start()])
        closed = SILENT[found[1].lower()].search(content, found.end())
        at = closed.end() if closed else len(content)
        parts.append("\n" * content.count("\n", found.start(), at))
    return "".join([*parts, content[at:]])


def read_span(found: re.Match[str] | None) -> int:
    """Over how many rows or columns a cell reaches."""
    return min(max(int(found[1]), 1), SPAN) if found else 1


class PageTable:
    """The rows of a table of a page; cells that reach over several rows stand in each."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.cells = 0  # of the rows that are complete
        self.rows: list[list[str]] = []
        self.lines: list[int] = []
        self.below: dict[int, tuple[int, str]] = {}  # by column: for how many rows, and the text
        self.cell: list[str] | None = None
        self.spans = (1, 1)

    def begin_row(self, line: int) -> None:
        """Begin a row."""
        self.end_cell()
        self.cells += len(self.rows[-1]) if self.rows else 0
        if self.cells > SHEET_CELLS:
            raise BadData.of("too_many_cells.page", file=self.name)
        self.rows.append([])
        self.lines.append(line)
        self._fill()

    def begin_cell(self, columns: int, rows: int) -> None:
        """Begin a cell."""
        self.end_cell()
        if not self.rows:
            self.begin_row(self.line)
        self.cell, self.spans = [], (columns, rows)

    def add(self, text: str) -> None:
        """Add text to the cell."""
        if self.cell is not None:
            self.cell.append(text)

    def end_cell(self) -> None:
        """End the cell that is open."""
        if self.cell is None:
            return
        text = " ".join("".join(self.cell).split())
        columns, rows = self.spans
        row = self.rows[-1]
        check_columns(len(row) + columns, self.name)
        for _ in range(columns):
            if rows > 1:
                self.below[len(row)] = (rows - 1, text)
            row.append(text if not _ or columns == 1 else "")
        self.cell = None
        self._fill()

    def _fill(self) -> None:
        """Write cells of rows above that reach down to here."""
        row = self.rows[-1]
        while len(row) in self.below:
            count, text = self.below.pop(len(row))
            if count > 1:
                self.below[len(row)] = (count - 1, text)
            row.append(text)


def read_html(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of an HTML page that holds games; raises BadData."""
    name = stream.name
    content, notes = read_text(stream, settings)
    if "urn:schemas-microsoft-com:office:spreadsheet" in content[:2000] and "<Row" in content:
        raise BadData.of("is_xml_of_excel", file=name)
    parser = TableParser(name)
    parser.read_content(drop_silent(content))
    tables = [table for table in parser.tables if len(table.rows) > 1]
    if not tables:
        if find_format(name) in {None, "html"}:
            raise BadData.of("no_table.page", file=name)
        raise BadData.of("no_table.web_page", file=name)
    check_tables(len(tables), "table", name)
    grids = [Grid(name, table.rows, table.lines, notes=notes) for table in tables]
    return choose_grid(name, grids, settings)


def choose_grid(name: str, grids: Sequence[Grid], settings: ReaderSettings) -> InputTable:
    """The table of a page that is named, or the only one that holds games; raises BadData."""
    candidates = [
        Candidate(f"table {at}", partial(grid_table, grid)) for at, grid in enumerate(grids, 1)
    ]
    return choose_table(name, "table", candidates, settings)


def read_text(stream: ByteStream, settings: ReaderSettings) -> tuple[str, tuple[str, ...]]:
    """All of a page as text, and a note on its encoding; raises BadData.

    The encoding is the one that is named, or that the page declares, or a guess.
    """
    check_size("the page", stream.size(), ARCHIVE, stream.name, "save the table as CSV")
    data = stream.readall()
    declared = None if is_utf8(data) else CHARSET.search(data[:4096])
    if settings.encoding is None and declared is not None:
        encoding = declared[1].decode("ascii")
        if is_encoded(data, encoding):
            return decode_text(stream.name, data, encoding), ()
    return decode_guessed(stream.name, data, settings.encoding)


def read_markdown(stream: ByteStream, settings: ReaderSettings) -> InputTable:
    """The table of a Markdown text that holds games; raises BadData."""
    name = stream.name
    content, notes = read_text(stream, settings)
    grids = list(markdown_grids(name, content))
    if not grids:
        raise BadData.of("no_table.text", file=name)
    table = choose_grid(name, grids, settings)
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def markdown_grids(name: str, content: str) -> Iterator[Grid]:
    """The tables of a Markdown text: headings, a line of dashes, rows."""
    lines = content.splitlines()
    at = 1
    while at < len(lines):
        if "|" in lines[at - 1] and "-" in lines[at] and DASHED_LINE.fullmatch(lines[at]):
            end = at + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            places = [at - 1, *range(at + 1, end)]
            rows = [_split_pipes(lines[place]) for place in places]
            yield Grid(name, rows, [place + 1 for place in places])
            at = end
        at += 1


def _split_pipes(line: str) -> list[str]:
    text = line.strip().removeprefix("|")
    text = text.removesuffix("|") if not text.endswith("\\|") else text
    cells = re.split(r"(?<!\\)\|", text)
    return [cell.replace("\\|", "|").strip().strip("*_`").strip() for cell in cells]
