"""Render HTML pages: templates, and formats of numbers and dates.

Templates escape their values; an undefined value is an error.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from prowess.engine.steps import describe_contrary
from prowess.games.dates import format_date, format_moment
from prowess.games.names import guard_cell
from prowess.present.layers import MONTH_NAMES
from prowess.present.svg import FIGURE_STYLE, PALETTE, element
from prowess.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from prowess.present.chart import Chart


PRESENT_FOLDER = Path(__file__).parent
TEMPLATES = PRESENT_FOLDER / "templates"
POLICY = {  # of every page, as a header of the server
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
STYLE = "pages.css"
FONT_FILE = "vendor/inter.woff2"
PAGE_COLOURS = PALETTE | {  # colours of pages beside those of figures: (light, dark)
    "bg": ("#f6f7f9", "#0d1015"),
    "sunken": ("#eff1f5", "#1d222b"),
    "line-2": ("#cbd0d8", "#3b4350"),  # edges of buttons, what is faint
    "ink-2": ("#434c59", "#b7bfcb"),  # running text
    "accent-ink": ("#2f49bd", "#a5b6ff"),  # links
    "accent-soft": ("#edf0fc", "#1d2440"),
    "on-accent": ("#ffffff", "#0d1015"),
    "up": ("#0b7557", "#4ac79d"),
    "up-soft": ("#e2f4ed", "#12302a"),
    "down": ("#ae3f0c", "#ff9a6e"),
    "down-soft": ("#fcece3", "#38201a"),
    "warn": ("#7a5200", "#e8b44c"),
    "warn-soft": ("#fdf3dc", "#312711"),
    "bad": ("#b3261e", "#ff8a80"),
}
TINTS = (  # grounds and letters of monograms, in light and in dark
    (("#f6e1f0", "#8a2f72"), ("#3a2334", "#e79fd2")),
    (("#dcf0e9", "#0b6a4f"), ("#12302a", "#4ac79d")),
    (("#e3ebfb", "#2f49bd"), ("#1d2744", "#a5b6ff")),
    (("#ebe9d6", "#5c5419"), ("#2e2b17", "#d6c86a")),
    (("#e8e4fa", "#5a3fb0"), ("#2a2442", "#b8a5ff")),
    (("#dceff3", "#125a6e"), ("#12303a", "#6fd0e6")),
    (("#fbe6da", "#96390f"), ("#3a2318", "#ff9a6e")),
    (("#e6e8ec", "#4a535f"), ("#262b33", "#b7bfcb")),
)
CATEGORY_ICONS = tomllib.loads((PRESENT_FOLDER / "category_icons.toml").read_text(encoding="utf-8"))
LATELY, LONG_AGO = 13, 304  # days that are counted, and after which a date has its year
WIDE, NARROW = 720.0, 336.0  # pixels of a chart: a screen or a sheet of paper, and a phone


@cache
def environment() -> Environment:
    """The Jinja environment: values are escaped, an undefined value is an error.

    A template that was compiled ahead, into a module beside it, is taken as it is.
    """
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, ModuleLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([ModuleLoader(TEMPLATES), FileSystemLoader(TEMPLATES)]),
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
        utc,
        as_days,
        score_word,
        plain,
        picture,
        initials,
        to_digits,
        ago,
        goals,
        halves,
        sign_change,
        arithmetic,
        split_text,
        split_links,
        omit_options,
    )
    made.filters |= {one.__name__: one for one in filters}
    made.globals |= {"split": draw_split, "category_icons": CATEGORY_ICONS}
    # pages of a category of the live server have their own
    made.globals |= {"noun": "player", "a_noun": "a player"}
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
    for name in ("script-src", "style-src", "font-src", "img-src"):
        here[name] += " file:"
    return "; ".join(f"{name} {sources}" for name, sources in here.items())


def colour_rules() -> str:
    """The colours of pages as variables."""
    light, dark = (
        ";".join(f"--{name}:{pair[k]}" for name, pair in PAGE_COLOURS.items())
        + "".join(
            f";--tint-{n}:{tint[k][0]};--tint-ink-{n}:{tint[k][1]}" for n, tint in enumerate(TINTS)
        )
        for k in (0, 1)
    )
    return scheme_rules(light, dark)


def scheme_rules(light: str, dark: str) -> str:
    """Variables of pages, as the reader's device has it or `data-theme` says; paper is light."""
    return (
        f"html{{{light}}}\nhtml[data-theme=dark]{{{dark}}}\n"
        f"@media (prefers-color-scheme:dark){{html:not([data-theme=light]){{{dark}}}}}\n"
        f"@media print{{:root:root{{{light}}}}}\n"
    )


def style_sheet() -> str:
    """The style sheet of pages and reports: colours, rules of figures, rules of pages."""
    own = (PRESENT_FOLDER / "static" / STYLE).read_text(encoding="utf-8")
    return f"{colour_rules()}{FIGURE_STYLE}{own}"


def font_rule(font: bytes) -> str:
    """The rule that loads the font beside the style sheet; its address changes with the file."""
    mark = sha256(font).hexdigest()[:12]
    return (
        "@font-face{font-family:Inter;font-weight:100 900;font-display:swap;"
        f'src:url({FONT_FILE}?v={mark}) format("woff2")}}\n'
    )


@cache
def static_files() -> dict[str, bytes]:
    """Every file that pages load, by its name below `static/`."""
    found = {
        str(path.relative_to(PRESENT_FOLDER / "static").as_posix()): path.read_bytes()
        for path in sorted((PRESENT_FOLDER / "static").rglob("*"))
        if path.is_file()
    }
    return found | {STYLE: (font_rule(found[FONT_FILE]) + style_sheet()).encode()}


def picture(chart: Chart) -> Markup:
    """A chart for a screen and for a phone, this one without hints for a pointer."""
    from markupsafe import Markup

    narrow = re.sub("<title>[^<]*</title>", "", chart.picture(NARROW, "figure narrow"))
    return Markup(chart.picture(WIDE, "figure wide") + narrow)


# Format numbers, dates and results as text for pages.


LEAST_SURPLUS = 0.01  # of a score beyond the expected, for what a game counts to be told
MINUS = "\N{MINUS SIGN}"
DAY_US = 86_400_000_000
LINK = re.compile(
    r"\[([^\[\]\n]+)\]\(((?:https?://|mailto:)[^\s()<>\"]+)\)|(https?://[^\s<>\"]*[^\s<>\".,;:!?)])"
)


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
    return "" if value is None or not isfinite(value) else f"{100.0 * value:.{digits}f}\xa0%"


def day(value: float | str | None) -> str:
    """Days since 1970, or a moment in ISO form, as a date; nothing where there is none."""
    return moment(value)[:10]


def long_day(value: float) -> str:
    """Days since 1970 as `29 June 2026`, with the time of the day where there is one."""
    written, _, clock = moment(value).partition(" ")
    year, month, number = written.rsplit("-", 2)  # the year may be before Christ
    return f"{int(number)} {MONTH_NAMES[int(month) - 1]} {year}{clock and f', {clock}'}"


OPTION = re.compile(r" \(--[^()]*\)")


def omit_options(text: str) -> str:
    """A message of the library without the options of commands, which a page has not.

    >>> omit_options("take the system map (--system map)")
    'take the system map'
    """
    return OPTION.sub("", text)


def moment(value: float | str | None) -> str:
    """Days since 1970, or a moment in ISO form, as a date with the time where there is one."""
    if isinstance(value, float | int):
        value = format_date(float(value)) if isfinite(value) else None
    return "" if value is None else value.replace("T", " ")[:16]


def utc(value: float | str | None) -> str:
    """Days since 1970, or a moment in ISO form, as `time` elements take it, in UTC."""
    date_, _, clock = moment(value).partition(" ")
    return f"{date_}T{clock}Z" if clock else date_


def to_digits(value: float | None, digits: int) -> str:
    """A number with so many decimals and a true minus; nothing for nan."""
    if value is None or not isfinite(value):
        return ""
    text = f"{abs(value):.{digits}f}"
    return f"{MINUS}{text}" if value < 0.0 and float(text) else text


def sign_change(value: float | None, digits: int) -> str:
    """A change with its sign and so many decimals; nothing for nan."""
    text = to_digits(value, digits)
    return f"+{text}" if text and text[0] != MINUS and float(text) else text


NEAR_DAYS = {-1: "tomorrow", 0: "today", 1: "yesterday"}  # by the days that have passed


def ago(value: float | str | None, today: float | None = None) -> str:
    """A day as people say it: `yesterday`, `3 days ago`, `7 Mar`, with its year if not of late.

    `today` is in days since 1970, None where a page is read at any time; the value as for `day`.
    """
    text = day(value)
    if not text:
        return ""
    try:
        then = date.fromisoformat(text)
    except ValueError:  # before Christ, or far ahead
        return text
    passed = LONG_AGO if today is None else date(1970, 1, 1).toordinal() + int(today)
    passed -= then.toordinal() if today is not None else 0
    if -1 <= passed <= LATELY:
        return NEAR_DAYS.get(passed, f"{passed} days ago")
    short = f"{then.day} {MONTH_NAMES[then.month - 1][:3]}"
    return short if -LONG_AGO < passed < LONG_AGO else f"{short} {then.year}"


def draw_split(shares: Sequence[float], label: str, *styles: str, wide: bool = False) -> Markup:
    """Shares that make up one bar, each in a style: first, rest, second or none."""
    from markupsafe import Markup

    total, at, marks = sum(shares) or 1.0, 0.0, ""
    for share, style in zip(shares, styles, strict=True):
        width = 100.0 * share / total
        if width > 0.0:
            marks += element("rect", class_=f"share-{style}", x=f"{at:.1f}%", y="0",
                             width=f"{max(width - 0.4, 0.2):.1f}%", height="100%")  # fmt: skip
        at += width
    return Markup(
        element(
            "svg", marks, class_=f"split-bar{' long' if wide else ''}", role="img", aria_label=label
        )
    )


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
    """One sentence: the result, its expected score and the terms of the change, and why it was a
    fall after a win, or a rise after a loss.
    """
    text = f"{score_word(entry['score'])}, {percent(entry['expected'])} expected"
    known = (entry[name] for name in ("score", "expected", "change", "terms"))
    contrary = describe_contrary(*known)
    told = format_signed(entry["change"])
    if len(entry["terms"]) > 1:
        terms = (f"{name} {format_signed(value)}" for name, value in entry["terms"].items())
        told = ", ".join(terms)
    return "; ".join(filter(None, (text, told, contrary)))


def initials(name: str) -> tuple[str, int]:
    """Up to three letters that stand for a name, and the number of their tint."""
    words = re.findall(r"[^\W_]+", name)
    letters = "".join(word[0] for word in words[:3]) if len(words) > 1 else "".join(words)[:2]
    return letters.upper(), crc32(name.encode("utf-8", "replace")) % len(TINTS)


def goals(points: Sequence[float]) -> str:
    """Points of both sides, `2–3`, halves as in `½–½`."""
    return "–".join(map(halves, points))


def halves(points: float) -> str:
    """Points with a half as ½: `2½`.

    >>> halves(10.5), halves(0.5), halves(-0.5), halves(3.0), halves(1.2)
    ('10½', '½', '-½', '3', '1.2')
    """
    whole, _, rest = f"{points:g}".partition(".")
    return {"0": "", "-0": "-"}.get(whole, whole) + "½" if rest == "5" else f"{points:g}"


def arithmetic(entry: Mapping[str, Any]) -> str:
    """The change of a rating as (score − expected) × what a game counts; "" where it is not that.

    >>> arithmetic({"score": 1.0, "expected": 0.68, "change": 7.68})
    '(1.00 − 0.68) × 24.0 = +7.68'
    """
    if entry["expected"] is None or entry["change"] is None:
        return ""
    surplus = entry["score"] - entry["expected"]
    if abs(surplus) < LEAST_SURPLUS or entry["change"] / surplus <= 0.0:
        return ""
    parts = f"({entry['score']:.2f} {MINUS} {entry['expected']:.2f})"
    return f"{parts} × {entry['change'] / surplus:.1f} = {format_signed(entry['change'])}"


def split_text(text: str) -> list[list[tuple[str, str]]]:
    """The paragraphs of a text as parts: words with an address, "" where they are no link.

    >>> split_text("We meet at [the mill](https://mill.example).")
    [[('We meet at ', ''), ('the mill', 'https://mill.example'), ('.', '')]]
    """
    found = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        parts, at = [], 0
        for one in LINK.finditer(paragraph):
            parts.append((paragraph[at : one.start()], ""))
            parts.append((one[1] or one[3], one[2] or one[3]))
            at = one.end()
        parts.append((paragraph[at:], ""))
        found.append([part for part in parts if part[0]])
    return [parts for parts in found if parts]


def split_links(links: str) -> list[tuple[str, str]]:
    """The links of a foot: words and address."""
    rows = [line.strip().rpartition(" ") for line in links.splitlines() if line.strip()]
    return [(words.strip(), address) for words, _, address in rows]


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
