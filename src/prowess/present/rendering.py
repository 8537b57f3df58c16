"""Render HTML pages: templates, and formats of numbers and dates.

Templates escape their values; an undefined value is an error.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.games.dates import format_date, format_moment
from prowess.games.names import guard_cell
from prowess.present.svg import FIGURE_STYLE, variables
from prowess.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from prowess.present.chart import Chart


PRESENT_FOLDER = Path(__file__).parent
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
MONTH_NAMES = ("January", "February", "March", "April", "May", "June", "July", "August",
               "September", "October", "November", "December")  # fmt: skip
WIDE, NARROW = 720.0, 336.0  # pixels of a chart: a screen or a sheet of paper, and a phone


@cache
def environment() -> Environment:
    """The Jinja environment: values are escaped, an undefined value is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(PRESENT_FOLDER / "templates"),
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
        long_day,
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


def policy(**changes: str) -> str:
    """The content security policy of the server, as a header; `changes` are other directives."""
    return "; ".join(f"{name} {sources}" for name, sources in (POLICY | changes).items())


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
    own = (PRESENT_FOLDER / "static" / STYLE).read_text(encoding="utf-8")
    return f"{variables('both')}{FIGURE_STYLE}{own}@media print{{{variables('light')}}}\n"


@cache
def static_files() -> dict[str, bytes]:
    """Every file that pages load, by its name below `static/`."""
    found = {
        str(path.relative_to(PRESENT_FOLDER / "static").as_posix()): path.read_bytes()
        for path in sorted((PRESENT_FOLDER / "static").rglob("*"))
        if path.is_file()
    }
    return found | {STYLE: style_sheet().encode()}


def picture(chart: Chart) -> Markup:
    """A chart for a screen and for a phone, this one without hints for a pointer."""
    from markupsafe import Markup

    narrow = re.sub("<title>[^<]*</title>", "", chart.picture(NARROW, "figure narrow"))
    return Markup(chart.picture(WIDE, "figure wide") + narrow)


# Format numbers, dates and results as text for pages.


MINUS = "\N{MINUS SIGN}"
DAY_US = 86_400_000_000


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


def long_day(value: float) -> str:
    """Days since 1970 as `29 June 2026`, with the time of the day where there is one."""
    written, _, clock = moment(value).partition(" ")
    year, month, number = written.rsplit("-", 2)  # the year may be before Christ
    return f"{int(number)} {MONTH_NAMES[int(month) - 1]} {year}{clock and f', {clock}'}"


def moment(value: float | str | None) -> str:
    """Days since 1970, or a moment in ISO form, as a date with the time where there is one."""
    if isinstance(value, float | int):
        value = format_date(float(value)) if isfinite(value) else None
    return "" if value is None else value.replace("T", " ")[:16]


def as_days(microseconds: int | None) -> float | None:
    """A moment of the store as days since 1970."""
    return None if microseconds is None else microseconds / DAY_US


def iso_text(microseconds: int) -> str:
    """A moment of the store to the last digit, as forms take it: `2024-06-30T17:05:00+00:00`."""
    try:
        return format_moment(microseconds)
    except OverflowError:
        return moment(microseconds / DAY_US)


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
