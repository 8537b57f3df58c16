"""Render HTML pages: templates, formats of numbers and dates, and documents in one file.

Templates escape their values; an undefined value is an error.
"""

from __future__ import annotations

import csv
import io
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from prowess import __version__
from prowess.games.dates import format_date, format_moment
from prowess.games.names import guard_cell
from prowess.present.svg import FORBIDDEN, REPLACED, RULES, variables

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from prowess.present.chart import Chart


ROOM = Path(__file__).parent
POLICY = {  # of every page, as a header of the server
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
STYLE = "pages.css"
WIDE, NARROW = 720.0, 336.0  # pixels of a chart: a screen or a sheet of paper, and a phone


@cache
def environment() -> Environment:
    """The Jinja environment: values are escaped, an undefined value is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(ROOM / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        number,
        format_signed,
        count,
        percent,
        day,
        moment,
        as_days,
        score_word,
        plain,
        picture,
    )
    made.filters |= {one.__name__: one for one in filters}
    made.globals |= {"version": __version__, "file_policy": file_policy()}
    return made


def render_template(template: str, **values: Any) -> str:
    """Render a template with its values as HTML."""
    return environment().get_template(template).render(**values)


def policy() -> str:
    """The content security policy of the server, as a header."""
    return "; ".join(f"{name} {sources}" for name, sources in POLICY.items())


def file_policy() -> str:
    """The content security policy of pages in a folder, where 'self' is the scheme of files.

    A page cannot forbid frames by itself, and has no server to send a form to.
    """
    left_out = ("frame-ancestors", "connect-src", "form-action")
    here = {name: sources for name, sources in POLICY.items() if name not in left_out}
    here |= {"form-action": "'none'"}
    for name in ("script-src", "style-src", "img-src"):
        here[name] += " file:"
    return "; ".join(f"{name} {sources}" for name, sources in here.items())


def style_sheet() -> str:
    """The style sheet of pages: colours, rules of figures, rules of pages."""
    own = (ROOM / "static" / STYLE).read_text(encoding="utf-8")
    return f"{variables('both')}{RULES}{own}@media print{{{variables('light')}}}\n"


@cache
def static_files() -> dict[str, bytes]:
    """Every file that pages load, by its name below `static/`."""
    found = {
        str(path.relative_to(ROOM / "static").as_posix()): path.read_bytes()
        for path in sorted((ROOM / "static").rglob("*"))
        if path.is_file()
    }
    return found | {STYLE: style_sheet().encode()}


def picture(chart: Chart) -> Markup:
    """A chart for a screen and for a phone."""
    from markupsafe import Markup

    return Markup(chart.picture(WIDE, "figure wide") + chart.picture(NARROW, "figure narrow"))


# Format numbers, dates and results as text for pages.


MINUS = "\N{MINUS SIGN}"
DAY = 86_400_000_000  # microseconds


def number(value: float | None) -> str:
    """One decimal from 100 on, two below, four digits below 1; nothing for nan."""
    if value is None or not isfinite(value):
        return ""
    size = abs(value)
    text = f"{size:.1f}" if size >= 100.0 else f"{size:.2f}" if size >= 1.0 else f"{size:.4g}"
    return f"{MINUS}{text}" if value < 0.0 else text


def format_signed(value: float | None) -> str:
    """A change with its sign; as many digits as `number`, at least two decimals."""
    if value is None or not isfinite(value):
        return ""
    size = abs(value)
    text = f"{size:.1f}" if size >= 9.95 else f"{size:.2f}" if size >= 0.01 else f"{size:.3g}"
    return f"{MINUS if value < 0.0 else '+'}{text}"


def count(value: float) -> str:
    """A count; with a fraction where weights make one."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def percent(value: float | None, digits: int = 0) -> str:
    """A share of 1 as percent."""
    return "" if value is None or not isfinite(value) else f"{100.0 * value:.{digits}f} %"


def day(value: float | str | None) -> str:
    """Days since 1970, or a moment in ISO form, as a date; nothing where there is none."""
    return moment(value)[:10]


def moment(value: float | str | None) -> str:
    """Days since 1970, or a moment in ISO form, as a date with the time where there is one."""
    if isinstance(value, float | int):
        value = format_date(float(value)) if isfinite(value) else None
    return "" if value is None else value.replace("T", " ")[:16]


def as_days(microseconds: int | None) -> float | None:
    """A moment of the store as days since 1970."""
    return None if microseconds is None else microseconds / DAY


def iso_text(microseconds: int) -> str:
    """A moment of the store to the last digit, as forms take it: `2024-06-30T17:05:00+00:00`."""
    try:
        return format_moment(microseconds)
    except OverflowError:
        return moment(microseconds / DAY)


def score_word(score: float) -> str:
    """The word for a score: won, drew, lost."""
    known = {1.0: "won", 0.5: "drew", 0.0: "lost"}
    return known.get(score, f"scored {score:.3g}")


def why(entry: Mapping[str, Any]) -> str:
    """One sentence: the result, its expected score and the terms of the change."""
    text = f"{score_word(entry['score'])}, {percent(entry['expected'])} expected"
    if len(entry["terms"]) > 1:
        terms = (f"{name} {format_signed(value)}" for name, value in entry["terms"].items())
        return f"{text}; {', '.join(terms)}"
    return f"{text}; {format_signed(entry['change'])}"


def plain(value: Any) -> str:
    """Any cell of a column: a number as a number, words as they are."""
    if isinstance(value, float):
        return number(value)
    return count(value) if isinstance(value, int) else str(value)


def format_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A header and rows; what is absent is empty, and no text is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [["" if (v := row.get(c)) is None else guard_cell(v) for c in columns] for row in rows]
    )
    return text.getvalue()


# Documents: one HTML file without scripts that loads nothing, made of sections and their parts.
#
# A document is plain values (`Section`, and the parts below); templates/document.html shows them.
# The style sheet is in the file, and a security policy allows that style sheet and nothing else.


MOST_ROWS = 120  # of the numbers behind a chart
NAMED = ("player", "opponent", "system", "year", "month", "day", "date")  # columns of words


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a `quiet` one explains how numbers were made and how to read them."""

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
    """A paragraph that explains how numbers were made and how to read them."""
    return Paragraph(text, quiet=True)


def render_document(title: str, lead: str, sections: Sequence[Section], skip: str) -> str:
    """Render a document; `skip` is the text of the link to its first section."""
    css = style_sheet()
    digest = b64encode(sha256(css.encode()).digest()).decode()
    allowed = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    text = render_template(
        "document.html", title=title, lead=lead, sections=sections, skip=skip, css=css,
        policy=allowed,
    )  # fmt: skip
    return FORBIDDEN.sub(REPLACED, text)


def _kind_of(name: str, value: Any) -> str:
    """The kind of a column of numbers, by its name and first cell."""
    if name == "date":
        return "day"
    return "name" if isinstance(value, str) else "words" if name in NAMED else "number"


def _format_cell(value: Any) -> str:
    """Format a cell of a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 100.0 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)
