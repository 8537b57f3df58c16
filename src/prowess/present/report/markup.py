"""Pieces of a page: text that is escaped, tables with captions, figures for screen and phone."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from prowess.engine.periods import date_text
from prowess.present.figures.figure import Figure
from prowess.present.figures.marks import escaped

WIDE, NARROW = 720.0, 336.0  # pixels: a screen or a sheet of paper, and a phone
MOST_ROWS = 120  # of the numbers behind a figure


class Markup(str):
    """Text that is markup already: it is not escaped again."""

    __slots__ = ()


Content = str | Markup


def inner(content: Content) -> str:
    """Markup as it is, anything else escaped."""
    return content if isinstance(content, Markup) else escaped(content)


def tag(name: str, /, *children: Content, **attributes: str | None) -> Markup:
    """An element; `class_` stands for class, `_` within a name for `-`, None leaves one out."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{pairs}>{''.join(map(inner, children))}</{name}>")


def joined(*parts: Content, by: str = "") -> Markup:
    """Parts one after another."""
    return Markup(escaped(by).join(map(inner, parts)))


def player(name: str) -> Markup:
    """A name: its direction does not reach beyond it."""
    return tag("bdi", name)


def paragraph(*parts: Content, class_: str | None = None) -> Markup:
    """A paragraph."""
    return tag("p", *parts, class_=class_)


def how(text: str) -> Markup:
    """How the numbers above were made, and how to read them."""
    return paragraph(text, class_="how")


def table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Content]],
    *,
    words: Sequence[str] = ("player",),
    name: str | None = None,
    spare: Sequence[str] = (),
    hidden: bool = False,
) -> Markup:
    """A table that scrolls by itself where it is wider than the page.

    Columns named in `words` are flush left, all others are numbers; those in `spare` are left out
    on narrow screens. The column `name` (the first of words) names the row. `hidden` keeps the
    caption for those who hear the page.
    """
    kinds = [_class(h, words, spare) for h in header]
    main = next((k for k, h in enumerate(header) if h in ((name,) if name else words)), 0)
    head = [tag("th", h, scope="col", class_=kind) for h, kind in zip(header, kinds, strict=True)]
    body = [
        tag(
            "tr",
            *(
                tag("th", cell, scope="row", class_=kinds[k])
                if k == main
                else tag("td", cell, class_=kinds[k])
                for k, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption, class_="heard" if hidden else None),
            tag("thead", tag("tr", *head)),
            tag("tbody", *body),
        ),
        class_="scroll", tabindex="0", role="region", aria_label=caption,
    )  # fmt: skip


def _class(header: str, words: Sequence[str], spare: Sequence[str]) -> str | None:
    """What the style sheet calls a column: day, number, left out where there is little room."""
    kinds = ["day" if header == "date" else "" if header in words else "n"]
    kinds += ["spare"] if header in spare else []
    return " ".join(filter(None, kinds)) or None


def figure(one: Figure, *, told: str | None = None, numbers: bool = True) -> Markup:
    """A figure drawn for a screen and for a phone, what it shows in words, and its numbers.

    `told` stands for its description where a table beside it says the rest.
    """
    return tag(
        "figure",
        tag("figcaption", one.title),
        Markup(one.picture(WIDE, "figure wide")),
        Markup(one.picture(NARROW, "figure narrow")),
        how(one.description if told is None else told),
        behind(one) if numbers else "",
    )


def behind(one: Figure) -> Markup:
    """The numbers of a figure, folded away."""
    data = one.data
    header = list(data[0]) if data else []
    rows = [[shown(row[name]) for name in header] for row in data[:MOST_ROWS]]
    left_out = len(data) - len(rows)
    note = how(f"The first {len(rows)} of {len(data):,} rows.") if left_out else Markup()
    texts = ("player", "opponent", "system", "year", "month", "day", "date")
    return tag(
        "details",
        tag("summary", "The numbers behind this figure"),
        table(f"Numbers: {one.title}", header, rows, words=texts, hidden=True),
        note,
    )


def shown(value: Any) -> Content:
    """A number as people read it, a name as a name."""
    if value is None:
        return ""
    if isinstance(value, str):
        return player(value)
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 100.0 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)


def day_text(day: Any) -> str:
    """A day as a date; nothing where it is not known."""
    return "" if day is None or not isfinite(day) else date_text(float(day))[:10]
