"""Tables as plain text: aligned by what a terminal shows, and fitted to its width.

A table that is too wide loses columns, the least needed first, and its words are cut; the column
of names always stays.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from prowess.games.errors import escape_unprintable

Rows = Sequence[Sequence[str]]  # the header first

LEFT = frozenset({  # columns of words; numbers stand to the right
    "player", "opponent", "partners", "with", "date", "name", "system", "side", "a", "b", "rates",
    "formula", "parameter", "unit", "range", "value", "claim", "what", "verdict", "why", "chance",
    "of which", "severity", "says", "league", "division", "category", "variant", "context",
    "season", "event", "ladder", "country",
})  # fmt: skip
NEEDED = (  # columns that a narrow table keeps longest, the last to go first
    "player", "opponent", "name", "parameter", "rating", "score", "change", "expected", "log loss",
    "best", "performance", "after", "rank", "date", "behind", "before", "games",
)  # fmt: skip
COMFORTABLE = 16  # width of words that is kept before columns are left out
NARROWEST = 8  # width that cut words keep at least
GAP = 2  # between columns


def format_table(rows: Rows, style: Callable[[str, str, int], str] | None = None) -> str:
    """Rows as lines: words to the left, numbers to the right.

    `style` makes the text to print of (name of the column, cell, number of the row).
    """
    texts = [[escape_unprintable(cell) for cell in row] for row in rows]
    widths = measure_columns(texts)
    head = texts[0]
    lines = []
    for number, row in enumerate(texts):
        spaced = [
            (cell, " " * (size - display_width(cell)), name in LEFT)
            for cell, size, name in zip(row, widths, head, strict=True)
        ]
        cells = [cell + space if left else space + cell for cell, space, left in spaced]
        if cells:
            cells[-1] = cells[-1].rstrip()
        if style is not None:
            cells = [style(name, cell, number) for name, cell in zip(head, cells, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join(lines)


def format_signed(value: float, form: str = "+.1f") -> str:
    """A number with its sign; nothing lost and nothing won has none: `0.0`, never `-0.0`.

    >>> format_signed(1.25), format_signed(-0.04), format_signed(0.0, "+g")
    ('+1.2', '0.0', '0')
    """
    text = format(value, form)
    return text if text.strip("+-0.") else text.lstrip("+-")


def fit_table(rows: Rows, columns: int) -> tuple[list[list[str]], list[str]]:
    """The rows as they fit in so many columns of a terminal, and the names of what was left out.

    Columns without any value go first, unnamed. Then columns are left out from the right, those of
    `NEEDED` last, until the others fit beside words of a comfortable width; words are cut to fit.
    """
    kept = [list(row) for row in drop_empty(rows)]
    gone: list[str] = []
    while table_width(kept, COMFORTABLE) > columns and (place := least_needed(kept[0])) is not None:
        gone.insert(0, kept[0][place])
        first = place - 1 if place and kept[0][place - 1] == "#" else place  # ranks of that column
        for row in kept:
            del row[first : place + 1]
    cut_words(kept, columns)
    return kept, gone


def drop_empty(rows: Rows) -> Rows:
    """The table without the columns in which no row has a value, but with that of the names."""
    names = place_of_names(rows[0])
    places = range(len(rows[0]))
    kept = [k for k in places if k == names or not rows[1:] or any(row[k] for row in rows[1:])]
    return rows if len(kept) == len(rows[0]) else [[row[k] for k in kept] for row in rows]


def place_of_names(header: Sequence[str]) -> int:
    """The first column of words; of numbers alone, the first."""
    return next((k for k, name in enumerate(header) if name in LEFT), 0)


def least_needed(header: Sequence[str]) -> int | None:
    """The place of the column to leave out next; None where only the names are left."""
    names = place_of_names(header)
    rank = {name: k for k, name in enumerate(NEEDED)}
    return max(
        (k for k in range(len(header)) if k != names),
        key=lambda k: (rank.get(header[k], len(NEEDED)), k),
        default=None,
    )


def cut_words(rows: list[list[str]], columns: int) -> None:
    """Cut the widest columns of words, in place, until the table fits or none can be cut."""
    while (excess := table_width(rows) - columns) > 0:
        widths = measure_columns(rows)
        words = [k for k, name in enumerate(rows[0]) if name in LEFT and widths[k] > NARROWEST]
        if not words:
            return
        widest = max(words, key=widths.__getitem__)
        second = max((widths[k] for k in words if k != widest), default=0)
        size = max(NARROWEST, widths[widest] - excess, second - 1)
        for row in rows:
            row[widest] = cut_text(row[widest], size)


def measure_columns(rows: Rows) -> list[int]:
    """The width of each column."""
    return [max(map(display_width, column)) for column in zip(*rows, strict=True)]


def table_width(rows: Rows, words: int | None = None) -> int:
    """The width of the table on a terminal, with columns of words cut to `words`."""
    widths = measure_columns(rows)
    if words is not None:
        pairs = zip(rows[0], widths, strict=True)
        widths = [min(words, width) if name in LEFT else width for name, width in pairs]
    return sum(widths) + GAP * (len(widths) - 1)


def display_width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def cut_text(text: str, columns: int) -> str:
    """The text, ended by an ellipsis where it is wider than that."""
    if display_width(text) <= columns:
        return text
    while text and display_width(text) > columns - 1:
        text = text[:-1]
    return text + "…"
