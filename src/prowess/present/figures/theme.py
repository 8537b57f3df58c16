"""Colours and type of the figures: one style sheet, light, dark, or as the reader's device is set.

All words have a contrast of at least 4.5 to their ground, all lines that carry data of at least 3
(W3C, Web Content Accessibility Guidelines 2.2, 1.4.3 and 1.4.11).
"""

from __future__ import annotations

import re
from typing import Literal

Theme = Literal["both", "light", "dark"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
SIZE = 12.0  # pixels
COLOURS = {  # name: (light, dark)
    "paper": ("#ffffff", "#12171d"),
    "ink": ("#17212b", "#e7ecf1"),
    "soft": ("#51606f", "#a9b5c1"),  # words beside the data
    "rule": ("#e3e8ed", "#28313a"),  # grid
    "edge": ("#7b8894", "#75828f"),  # axes, and what marks a reference
    "data": ("#0a5f9e", "#6db7f2"),
    "more": ("#b4530a", "#f0a35e"),  # the second kind of data
    "ghost": ("#c9d1d9", "#37424d"),  # the others, behind
}
RULES = """\
.figure text{font-family:%(font)s;font-size:%(size)gpx;fill:var(--soft)}
.figure .strong{fill:var(--ink);font-weight:600}
.figure .ink{fill:var(--ink)}
.figure .cell{fill:var(--ink);font-size:11px}
.figure path,.figure .hollow{fill:none}
.figure .rule{stroke:var(--rule)}
.figure .edge{stroke:var(--edge)}
.figure .other{stroke:var(--more);stroke-width:1.6;stroke-linejoin:round}
.figure .dashed{stroke:var(--edge);stroke-dasharray:4 4}
.figure .ghost{stroke:var(--ghost);stroke-linejoin:round}
.figure .curve{stroke:var(--data);stroke-width:1.6;stroke-linejoin:round}
.figure .gap{stroke:var(--data);stroke-width:1.2;stroke-dasharray:1.5 4}
.figure .band{fill:var(--data);fill-opacity:.2}
.figure .bin{fill:var(--data);fill-opacity:.2;stroke:var(--data)}
.figure .bar,.figure .dot,.figure .high{fill:var(--data)}
.figure .ground{fill:var(--paper)}
.figure .low{fill:var(--more)}
.figure .reach{stroke:var(--data);stroke-width:2}
.figure .hollow{stroke:var(--data);stroke-width:1.5}
.figure .empty{fill:var(--rule)}
.figure .second{stroke:var(--more)}
.figure .third{stroke:var(--ink)}
.figure .dash{stroke-dasharray:7 3}
.figure .dots{stroke-dasharray:2 3}
""" % {"font": FONT, "size": SIZE}  # noqa: UP031 - braces belong to the style sheet


def variables(theme: Theme = "both", root: str = ":root") -> str:
    """The colours as variables; `both` follows the reader's device."""
    light, dark = (
        root + "{" + ";".join(f"--{name}:{pair[k]}" for name, pair in COLOURS.items()) + "}"
        for k in (0, 1)
    )
    if theme == "both":
        return f"{light}\n@media (prefers-color-scheme:dark){{{dark}}}\n"
    return light if theme == "light" else dark


def style(theme: Theme) -> str:
    """The style sheet of a figure that stands alone.

    In a single theme colours stand in the rules themselves, which every program understands.
    """
    if theme == "both":
        return variables(theme, ".figure") + RULES
    k = ("light", "dark").index(theme)
    return re.sub(r"var\(--(\w+)\)", lambda found: COLOURS[found[1]][k], RULES)


def paper(theme: Theme) -> str:
    """The ground of a figure that stands alone."""
    return "var(--paper)" if theme == "both" else COLOURS["paper"][("light", "dark").index(theme)]
