"""SVG elements, their colours, and PNG images rendered from SVG.

Names come from files and may hold anything, so every text is escaped, what XML forbids is
replaced, and words of either direction stand apart from what is beside them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from html import escape
from math import isfinite
from pathlib import Path
from typing import Literal

from prowess.games.arguments import BadArgument
from prowess.games.errors import WordedError


class Undrawable(WordedError, ValueError):
    """A chart cannot be made from these data, or not on this computer."""


FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
DIRECTION_CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
REPLACED = "\N{REPLACEMENT CHARACTER}"
ISOLATE, END_OF_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
AVERAGE = 0.6  # width of a character of a plain sans-serif font, in font sizes
WIDE_LETTER = 1.05  # of an East Asian character or an emoji


def escape_text(text: str) -> str:
    """Escape a text for use between tags or in a quoted attribute."""
    return escape(FORBIDDEN.sub(REPLACED, text), quote=True)


def isolate_name(name: str) -> str:
    """Isolate the direction of a name within a sentence."""
    plain = DIRECTION_CONTROLS.sub("", name)
    return plain if plain.isascii() else f"{ISOLATE}{plain}{END_OF_ISOLATE}"


def coordinate(value: float) -> str:
    """Format a coordinate to a tenth of a pixel."""
    if not isfinite(value):
        raise BadArgument.of("not_finite.coordinate", value=value)
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def element(name: str, /, *children: str, **attributes: str | float | None) -> str:
    """An element; `class_` stands for class, `_` in a name for `-`, None leaves one out.

    Children are markup that was made before; text goes through `escape_text`.
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{escape_text(value) if isinstance(value, str) else coordinate(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{pairs}>{inside}</{name}>" if inside else f"<{name}{pairs}/>"


def text_mark(
    text: str, x: float, y: float, *, anchor: str | None = None, class_: str | None = None,
    full: str | None = None,
) -> str:  # fmt: skip
    """A text on a baseline; `anchor` is None (starts here), middle or end.

    `full` is what a pointer is shown where the text itself was cut.
    """
    was_cut = full is not None and DIRECTION_CONTROLS.sub("", full) != text
    hint = element("title", escape_text(isolate_name(full))) if full is not None and was_cut else ""
    return element("text", escape_text(text), hint, x=x, y=y, text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return element(
        "path",
        d=f"M{coordinate(x1)} {coordinate(y1)}L{coordinate(x2)} {coordinate(y2)}",
        class_=class_,
    )


def polyline(points: Iterable[tuple[float, float]], class_: str, *, closed: bool = False) -> str:
    """A line through points, or the area they enclose; nothing for no points."""
    texts = [f"{coordinate(x)} {coordinate(y)}" for x, y in points]
    if not texts:
        return ""
    return element("path", d="M" + "L".join(texts) + ("Z" if closed else ""), class_=class_)


def dot(x: float, y: float, radius: float, class_: str, hint: str = "") -> str:
    """A dot with what a pointer is shown on it."""
    inside = element("title", escape_text(hint)) if hint else ""
    return element("circle", inside, cx=x, cy=y, r=radius, class_=class_)


def box(
    x: float, y: float, width: float, height: float, class_: str, hint: str = "",
    opacity: float | None = None,
) -> str:  # fmt: skip
    """A rectangle with what a pointer is shown on it."""
    inside = element("title", escape_text(hint)) if hint else ""
    strength = None if opacity is None else f"{opacity:.2f}"
    return element(
        "rect", inside, x=x, y=y, width=width, height=height, class_=class_, fill_opacity=strength
    )


def text_width(text: str, size: float) -> float:
    """The approximate width in pixels of a text at a font size in pixels."""
    return size * sum(
        0.0
        if unicodedata.combining(c)
        else WIDE_LETTER
        if unicodedata.east_asian_width(c) in "WF"
        else AVERAGE
        for c in text
    )


def shorten_text(text: str, size: float, room: float) -> str:
    """The text, ended by an ellipsis where it is wider than the room."""
    text = DIRECTION_CONTROLS.sub("", text)
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap_text(text: str, size: float, room: float, most: int) -> list[str]:
    """The text in at most so many lines; the last ends in an ellipsis where more would follow."""
    lines: list[str] = []
    words = DIRECTION_CONTROLS.sub("", text).split()
    while words and len(lines) < most - 1:
        count = 1
        while count < len(words) and text_width(" ".join(words[: count + 1]), size) <= room:
            count += 1
        lines.append(shorten_text(" ".join(words[:count]), size, room))
        words = words[count:]
    return [*lines, shorten_text(" ".join(words), size, room)] if words else lines


def fit_sentences(text: str, size: float, room: float, most: int) -> list[str]:
    """The first sentences of a text that fit in so many lines; at least one, shortened."""
    sentences = re.split(r"(?<=[.!?])\s+", text.strip())
    for count in range(len(sentences), 1, -1):
        lines = wrap_text(" ".join(sentences[:count]), size, room, most + 1)
        if len(lines) <= most:
            return lines
    return wrap_text(sentences[0], size, room, most)


# Colours: words have a contrast of at least 4.5 to their ground, lines that carry data of 3 (W3C,
# Web Content Accessibility Guidelines 2.2, 1.4.3 and 1.4.11).

Theme = Literal["both", "light", "dark"]

FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
SIZE, TITLE, SUBTITLE = 12.0, 18.0, 13.0  # pixels
PALETTE = {  # name: (light, dark)
    "paper": ("#ffffff", "#151920"),
    "ink": ("#11151b", "#eef1f6"),
    "soft": ("#5d6775", "#939daa"),  # words beside the data
    "rule": ("#e3e6eb", "#272d37"),  # grid
    "edge": ("#7a8493", "#7d8796"),  # axes, and what marks a reference
    "data": ("#3451d1", "#92a6ff"),
    "more": ("#c8590b", "#ff9d57"),  # the second kind of data
    "ghost": ("#cbd0d8", "#3b4350"),  # the others, behind
}
FIGURE_STYLE = Path(__file__).with_name("figure.css").read_text(encoding="utf-8") % {
    "font": FONT, "size": SIZE, "title": TITLE, "subtitle": SUBTITLE,
}  # fmt: skip


def variables(theme: Theme = "both", root: str = ":root") -> str:
    """The colours as variables; `both` follows the reader's device."""
    light, dark = (
        root + "{" + ";".join(f"--{name}:{pair[k]}" for name, pair in PALETTE.items()) + "}"
        for k in (0, 1)
    )
    if theme == "both":
        return f"{light}\n@media (prefers-color-scheme:dark){{{dark}}}\n"
    return light if theme == "light" else dark


def style_sheet(theme: Theme) -> str:
    """The style sheet of a figure that stands alone.

    In a single theme colours stand in the rules themselves, which every program understands.
    """
    if theme == "both":
        return variables(theme, ".figure") + FIGURE_STYLE
    k = ("light", "dark").index(theme)
    return re.sub(r"var\(--(\w+)\)", lambda found: PALETTE[found[1]][k], FIGURE_STYLE)


@cache
def style_properties(style: str) -> dict[str, str]:
    """What the style sheet says of marks with these classes, in the light theme."""
    found: dict[str, str] = {}
    for name in style.split():
        for classes, body in re.findall(r"(?m)^([^{]+)\{([^}]+)\}", style_sheet("light")):
            if f".figure .{name}" in classes.split(","):
                found |= dict(pair.split(":", 1) for pair in body.split(";"))
    return found


def paper(theme: Theme) -> str:
    """The ground of a figure that stands alone."""
    return "var(--paper)" if theme == "both" else PALETTE["paper"][("light", "dark").index(theme)]


FONTS = Path(__file__).parent / "fonts"  # Inter, of which PNG images are made on every computer


def render_png(svg: str, scale: float) -> bytes:
    """SVG as a PNG image of `scale` dots a pixel, by resvg; raises as `Chart.to_png` says.

    Characters that Inter has not (Arabic, Chinese, ...) are drawn in a font of the computer.
    """
    try:
        from resvg_py import svg_to_bytes
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "pip install 'prowess[report]', or write .svg instead: PNG images need resvg"
        ) from None
    files = [str(FONTS / name) for name in ("Inter-Regular.otf", "Inter-SemiBold.otf")]
    return bytes(
        svg_to_bytes(
            svg_string=svg, zoom=scale, font_files=files, font_family="Inter",
            sans_serif_family="Inter",
        )
    )  # fmt: skip


def strip_controls(text: str) -> str:
    """Remove bidirectional control characters, which a name may carry into a text."""
    return DIRECTION_CONTROLS.sub("", text)
