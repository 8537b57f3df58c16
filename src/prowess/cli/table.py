"""Tables as plain text: aligned by what a terminal shows, cut to its width, safe to print."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence

LEFT = {
    "player",
    "opponent",
    "with",
    "date",
    "name",
    "rates",
    "formula",
    "parameter",
    "unit",
    "range",
    "value",
    "claim",
    "what",
    "verdict",
    "why",
}
NARROWEST = 8  # columns that a cut name keeps at least


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def safe(text: str) -> str:
    """The text with control characters written out: a name must not steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def cut(text: str, columns: int) -> str:
    """The text, ended by an ellipsis where it is wider than that."""
    if width(text) <= columns:
        return text
    while text and width(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def screen() -> int | None:
    """Columns of the terminal that stdout is, None if it is a file or a pipe."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def drawn(rows: Sequence[Sequence[str]], columns: int | None = None) -> str:
    """Rows, the header first, as lines: words to the left, numbers to the right.

    Where `columns` are given and too few, the column of the widest words is cut.
    """
    texts = [[safe(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    to_left = [name in LEFT for name in rows[0]]
    excess = sum(widths) + 2 * (len(widths) - 1) - (columns or sys.maxsize)
    words = [k for k, left in enumerate(to_left) if left]
    if excess > 0 and words:
        widest = max(words, key=widths.__getitem__)
        widths[widest] = max(NARROWEST, widths[widest] - excess)
        for row in texts:
            row[widest] = cut(row[widest], widths[widest])
    return "\n".join(
        "  ".join(
            padded(cell, size, left) for cell, size, left in zip(row, widths, to_left, strict=True)
        ).rstrip()
        for row in texts
    )


def padded(text: str, size: int, left: bool) -> str:
    """The text in a cell of that many columns."""
    space = " " * (size - width(text))
    return text + space if left else space + text
