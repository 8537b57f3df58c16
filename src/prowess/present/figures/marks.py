"""The marks of a drawing as SVG text: lines, areas, dots, bars and words.

Names come from files and may hold anything, so every text is escaped, what XML forbids is
replaced, and words of either direction stand apart from what is beside them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape
from math import isfinite

FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
REPLACED = "\N{REPLACEMENT CHARACTER}"
ISOLATE, END_OF_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
AVERAGE = 0.6  # width of a character of a plain sans-serif font, in font sizes
WIDE = 1.05  # of an East Asian character or an emoji


def escaped(text: str) -> str:
    """The text as it may stand between tags or in a quoted attribute."""
    return escape(FORBIDDEN.sub(REPLACED, text), quote=True)


def isolated(name: str) -> str:
    """A name within a sentence: its direction does not reach beyond it."""
    plain = CONTROLS.sub("", name)
    return plain if plain.isascii() else f"{ISOLATE}{plain}{END_OF_ISOLATE}"


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough."""
    if not isfinite(value):
        raise ValueError(f"a coordinate of {value}: nothing can be drawn there")
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def element(name: str, /, *children: str, **attributes: str | float | None) -> str:
    """An element; `class_` stands for class, `_` in a name for `-`, None leaves one out.

    Children are markup that was made before; text goes through `escaped`.
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{escaped(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{pairs}>{inside}</{name}>" if inside else f"<{name}{pairs}/>"


def words(
    text: str, x: float, y: float, *, anchor: str | None = None, class_: str | None = None,
    full: str | None = None,
) -> str:  # fmt: skip
    """A text on a baseline; `anchor` is None (starts here), middle or end.

    `full` is what a pointer is shown where the text itself was cut.
    """
    was_cut = full is not None and CONTROLS.sub("", full) != text
    hint = element("title", escaped(isolated(full))) if full is not None and was_cut else ""
    return element("text", escaped(text), hint, x=x, y=y, text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return element("path", d=f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", class_=class_)


def polyline(points: Iterable[tuple[float, float]], class_: str, *, closed: bool = False) -> str:
    """A line through points, or the area they enclose; nothing for no points."""
    texts = [f"{number(x)} {number(y)}" for x, y in points]
    if not texts:
        return ""
    return element("path", d="M" + "L".join(texts) + ("Z" if closed else ""), class_=class_)


def dot(x: float, y: float, radius: float, class_: str, hint: str = "") -> str:
    """A dot with what a pointer is shown on it."""
    inside = element("title", escaped(hint)) if hint else ""
    return element("circle", inside, cx=x, cy=y, r=radius, class_=class_)


def box(
    x: float, y: float, width: float, height: float, class_: str, hint: str = "",
    opacity: float | None = None,
) -> str:  # fmt: skip
    """A rectangle with what a pointer is shown on it."""
    inside = element("title", escaped(hint)) if hint else ""
    strength = None if opacity is None else f"{opacity:.2f}"
    return element(
        "rect", inside, x=x, y=y, width=width, height=height, class_=class_, fill_opacity=strength
    )


def breadth(text: str, size: float) -> float:
    """About how many pixels a text takes at a font size in pixels."""
    return size * sum(
        0.0
        if unicodedata.combining(c)
        else WIDE
        if unicodedata.east_asian_width(c) in "WF"
        else AVERAGE
        for c in text
    )


def shortened(text: str, size: float, room: float) -> str:
    """The text, ended by an ellipsis where it is wider than the room."""
    text = CONTROLS.sub("", text)
    if breadth(text, size) <= room:
        return text
    while text and breadth(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"
