"""Documents: one HTML file that loads nothing, made of sections and their parts.

A document is plain values (`Section`, and the parts below); templates/document.html shows them.
The style sheet is in the file, and so is the script of a document that has one. A security policy
allows these two and nothing else; without the script everything stands there too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from prowess.present.drawings import Multiples, Versus
from prowess.present.rendering import PRESENT_FOLDER, render_template, style_sheet
from prowess.present.svg import FORBIDDEN, REPLACED
from prowess.version import __version__

if TYPE_CHECKING:
    from prowess.engine.tabular import Tabular
    from prowess.present.chart import Chart
    from prowess.present.pairs import Square


MAX_CHART_ROWS = 120
PHONE, TABLET = 759, 1159  # pixels of screens without spare columns, and those at the end
FEW_COLUMNS = 7  # of a table that has room for all on the latter
WORD_COLUMNS = ("player", "opponent", "system", "year", "month", "day", "date")


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

    A player is a name with a remark and what stands beneath it on a phone, a rating has the latter,
    too, and a side its change; a change is a text with the class of its colour. Spare columns are
    left out on narrow screens, those at the end of a table of many also on middling ones. The
    column that `leads` names the row.
    """

    name: str
    cells: Sequence[Any]
    kind: str = "number"
    spare: bool = False
    leads: bool = False
    sorts: bool = True  # in a table with a key


@dataclass(frozen=True)
class DocumentTable:
    """Columns of equal length; a `hidden` caption is read by screen readers only.

    In a table with a `key`, led by players, a script finds and sorts; rows beyond the `first` are
    folded.
    """

    kind: ClassVar[str] = "table"
    caption: str
    columns: Sequence[TableColumn]
    hidden: bool = False
    key: str = ""
    first: int = 0
    finds: str = "Find a player"

    def is_quiet(self, row: Sequence[Any]) -> bool:
        """Whether the row is of a player about whom a tag says that little is known."""
        cells = zip(self.columns, row, strict=True)
        return any(column.kind == "player" and cell[1] for column, cell in cells)

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
                    row.get(name, "") if name in WORD_COLUMNS else _format_cell(row.get(name))
                    for row in data[:MAX_CHART_ROWS]
                ],
                _kind_of(name, next(row[name] for row in data if name in row)),
                leads=k == 0,
            )
            for k, name in enumerate(dict.fromkeys(name for row in data for name in row))
        ]
        return DocumentTable(f"Numbers: {self.chart.title}", columns, hidden=True)

    @property
    def left_out(self) -> str:
        """How many rows of the numbers are not shown."""
        count = len(self.chart.data)
        return f"The first {MAX_CHART_ROWS} of {count:,} rows." if count > MAX_CHART_ROWS else ""


@dataclass(frozen=True)
class Download:
    """The numbers of a table as a file that is in the page."""

    kind: ClassVar[str] = "download"
    name: str
    content: str

    @classmethod
    def of(cls, name: str, table: Tabular) -> Download:
        """All numbers of a table as CSV."""
        return cls(f"{name}.csv", table.to_csv())

    @property
    def address(self) -> str:
        """The file as an address that holds it."""
        return f"data:text/csv;base64,{b64encode(self.content.encode()).decode()}"


@dataclass(frozen=True)
class TableChoice:
    """Tables of which a reader chooses one; all of them where a browser knows no such rule."""

    kind: ClassVar[str] = "choice"
    key: str
    legend: str
    names: Sequence[str]
    tables: Sequence[DocumentTable]

    @property
    def rules(self) -> str:
        """The style that leaves the tables out that are not chosen."""
        rules = ""
        for k in range(len(self.names)):
            others = f".of-{self.key}:not(#of-{self.key}-{k})"
            rules += f"body:has(#{self.key}-{k}:checked) {others}{{display:none}}\n"
        return rules


@dataclass(frozen=True)
class Crosstable:
    """Players against one another: percent, or points of games."""

    kind: ClassVar[str] = "crosstable"
    square: Square
    heading: str = "player"
    points: bool = False


Part = (
    Paragraph
    | Heading
    | Facts
    | Formula
    | DocumentTable
    | Figure
    | Download
    | TableChoice
    | Multiples
    | Versus
    | Crosstable
)


@dataclass(frozen=True)
class Section:
    """A section of a document; the key is what links lead to, the heading what they say."""

    key: str
    heading: str
    parts: Sequence[Part]
    title: str = ""  # what stands above it, where that is not the heading
    gloss: str = ""  # beside its title
    folded: bool = False  # for statisticians: opens by a click, after the others


def sentence(text: str) -> Paragraph:
    """A paragraph of a sentence that has neither its capital letter nor its full stop."""
    return Paragraph(f"{text[0].upper()}{text[1:]}.")


def made_by(what: str) -> Paragraph:
    """The last paragraph of a page: which version made it, and of what it is the page."""
    return note(f"Made by Prowess {__version__}. The same {what} give the same page.")


def note(text: str) -> Paragraph:
    """A paragraph that explains how numbers were made and how to read them."""
    return Paragraph(text, quiet=True)


@dataclass(frozen=True)
class KeyFact:
    """A name, the value that stands out, and what explains it."""

    name: str
    value: str
    change: tuple[str, str]  # its text and the class of its colour
    gloss: str


@dataclass(frozen=True)
class Headline:
    """The finding above a document, a second sentence, and the values behind them."""

    text: str
    more: str = ""
    facts: Sequence[KeyFact] = ()


def render_document(
    title: str,
    lead: str,
    sections: Sequence[Section],
    skip: str,
    headline: Headline | None = None,
    scripts: Sequence[str] = (),
    tabs: Sequence[tuple[str, str]] = (),
    *,
    made: str = "",
    credit: str = "",
    download: Download | None = None,
) -> str:
    """Render a document; `skip` is the text of the link to its first section.

    `scripts` are files that make one script; `tabs` are the names and addresses of documents
    beside this one, whose own address is empty. The header says when it was `made` and offers
    the `download`, the footer credits the data.
    """
    parts = [part for one in sections for part in one.parts]
    css = style_sheet() + "".join(
        _table_rules(one) for one in parts if isinstance(one, DocumentTable)
    )
    css += "".join(one.rules for one in parts if isinstance(one, TableChoice))
    script = join_scripts(scripts)
    rules = {"default-src": "'none'", "style-src": allow_text(css)}
    if script:
        rules["script-src"] = allow_text(script)
    rules |= {"base-uri": "'none'", "form-action": "'none'"}
    text = render_template(
        "document.html", title=title, lead=lead, sections=sections, skip=skip, css=css,
        script=script, policy="; ".join(map(" ".join, rules.items())),
        headline=headline or Headline(""), tabs=tabs, made=made, credit=credit,
        download=download,
    )  # fmt: skip
    return FORBIDDEN.sub(REPLACED, text)


def join_scripts(names: Sequence[str]) -> str:
    """The script that these files make; empty for none."""
    return "\n".join((PRESENT_FOLDER / name).read_text(encoding="utf-8") for name in names)


def allow_text(text: str) -> str:
    """The source of a security policy that allows this text alone."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _table_rules(table: DocumentTable) -> str:
    """The style of a table with a key: its columns, and the rows that are folded until a tick."""
    if not table.key:
        return ""
    rules = ""
    kept = max((k for k, one in enumerate(table.columns) if not one.spare), default=-1)
    least = PHONE if len(table.columns) <= FEW_COLUMNS else TABLET
    for k, column in enumerate(table.columns):
        cells = f"#{table.key} :is(td,thead th):nth-child({k + 1})"
        if column.kind in ("number", "rating", "change", "day"):
            rules += f"{cells}{{text-align:right}}\n"
            rules += f"#{table.key} td:nth-child({k + 1}){{white-space:nowrap}}\n"
        if column.spare:
            below = PHONE if k < kept else least
            rules += f"@media (max-width:{below}px){{{cells}{{display:none}}}}\n"
        elif k == kept:
            rules += f"@media (max-width:{least}px){{{cells}{{padding-right:12px}}}}\n"
    if 0 < table.first < len(table.rows):
        row = f"#{table.key}:not(.finding) tbody tr:nth-child(n+{table.first + 1})"
        rules += f"body:not(:has(#all-{table.key}:checked)) {row}{{display:none}}\n"
    return rules


def _kind_of(name: str, value: Any) -> str:
    """The kind of a column of numbers, by its name and first cell."""
    if name == "date":
        return "day"
    return "name" if isinstance(value, str) else "words" if name in WORD_COLUMNS else "number"


def _format_cell(value: Any) -> str:
    """Format a cell of a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 100.0 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)
