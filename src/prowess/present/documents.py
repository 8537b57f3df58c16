"""Documents: one HTML file without scripts that loads nothing, made of sections and their parts.

A document is plain values (`Section`, and the parts below); templates/document.html shows them. The
style sheet stands in the file, and a security policy allows that style sheet and nothing else.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar

from prowess.present.chart import Chart
from prowess.present.rendering import render_template, style_sheet
from prowess.present.svg import FORBIDDEN, REPLACED
from prowess.present.wording import day

MOST_ROWS = 120  # of the numbers behind a chart
NAMED = ("player", "opponent", "system", "year", "month", "day", "date")  # columns of words


@dataclass(frozen=True)
class Paragraph:
    """Words; `quiet` ones say how numbers were made and how to read them."""

    kind: ClassVar[str] = "paragraph"
    text: str
    quiet: bool = False
    strong: str = ""  # in front


@dataclass(frozen=True)
class Heading:
    """A heading within a section; links lead to its key."""

    kind: ClassVar[str] = "heading"
    text: str
    key: str = ""


@dataclass(frozen=True)
class Facts:
    """Names with their values; `words` are terms with their meanings."""

    kind: ClassVar[str] = "facts"
    pairs: Sequence[tuple[str, str]]
    words: bool = False


@dataclass(frozen=True)
class Formula:
    """Text in which every character keeps its place."""

    kind: ClassVar[str] = "formula"
    label: str
    text: str


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: of numbers, words, names, days, drawings or (words, key) of links.

    Spare columns are left out on narrow screens. The column that `leads` names the row.
    """

    name: str
    cells: Sequence[Any]
    kind: str = "number"
    spare: bool = False
    leads: bool = False


@dataclass(frozen=True)
class DocumentTable:
    """Columns of equal length; a `hidden` caption is read by screen readers only."""

    kind: ClassVar[str] = "table"
    caption: str
    columns: Sequence[TableColumn]
    hidden: bool = False

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The cells row by row."""
        return list(zip(*(one.cells for one in self.columns), strict=True))


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart for screen and phone, with words and numbers.

    `reading` stands for its description where a table beside it says the rest.
    """

    kind: ClassVar[str] = "figure"
    chart: Chart
    reading: str = ""
    numbers: bool = True

    @property
    def table(self) -> DocumentTable | None:
        """The first numbers of the chart."""
        data = self.chart.data if self.numbers else []
        if not data:
            return None
        columns = [
            TableColumn(
                name,
                [
                    row[name] if name in NAMED else _format_cell(row[name])
                    for row in data[:MOST_ROWS]
                ],
                _kind_of(name, data[0][name]),
                leads=k == 0,
            )
            for k, name in enumerate(data[0])
        ]
        return DocumentTable(f"Numbers: {self.chart.title}", columns, hidden=True)

    @property
    def left_out(self) -> str:
        """How many rows of the numbers are not shown."""
        count = len(self.chart.data)
        return f"The first {MOST_ROWS} of {count:,} rows." if count > MOST_ROWS else ""


@dataclass(frozen=True)
class Fold:
    """Parts that open at a click."""

    kind: ClassVar[str] = "fold"
    summary: str
    parts: Sequence[Part]


Part = Paragraph | Heading | Facts | Formula | DocumentTable | Figure | Fold


@dataclass(frozen=True)
class Section:
    """A section of a document; the key is what links lead to."""

    key: str
    heading: str
    parts: Sequence[Part]


def note(text: str) -> Paragraph:
    """How numbers were made, and how to read them."""
    return Paragraph(text, quiet=True)


def format_day(value: Any) -> str:
    """Days since 1970 as a date; nothing where it is not known."""
    return day(None if value is None else float(value))


def render_document(title: str, lead: str, sections: Sequence[Section], skip: str) -> str:
    """The whole file; `skip` names the link to the first section for keyboard users."""
    css = style_sheet()
    digest = b64encode(sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    text = render_template(
        "document.html", title=title, lead=lead, sections=sections, skip=skip, css=css,
        policy=policy,
    )  # fmt: skip
    return FORBIDDEN.sub(REPLACED, text)


def _kind_of(name: str, value: Any) -> str:
    """What a column of numbers holds, by its name and first cell."""
    if name == "date":
        return "day"
    return "name" if isinstance(value, str) else "words" if name in NAMED else "number"


def _format_cell(value: Any) -> str:
    """A number as people read it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 100.0 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)
