"""Find the headings of a table whose first row need not be one: titles may stand above it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from prowess.games.columns import BLANKS, is_not_utf8
from prowess.games.errors import BadData, InvalidValue
from prowess.games.limits import check_columns
from prowess.games.reading import format_count
from prowess.games.roles import headings
from prowess.games.roles.candidates import POINTS_OF_BOTH, POINTS_OF_WINNERS
from prowess.games.values import is_long, plain_form
from prowess.games.vocabulary import CONTEST, words_for, words_of

Row = Sequence[Any]

ROWS_COMPARED = 40  # with a row of headings
LOWEST_HEADING_ROW = 60  # rows that may stand above the headings
FEWEST_NUMBERED = 3  # columns 1, 2, 3, ... of a crosstable
LEAST_FILL = 0.5  # share of the columns that have a heading, else it is a title
BLANK_CHARACTERS = " \t\r\n\f\v\xa0\u2007\u202f\u200b\ufeff"
NUMBER_CELL = re.compile(r"[+\-−]?[\d.,'  ]*\d\s?[%€$£]?")
LOOKS_LIKE_DATE = re.compile(
    r"\d{1,4}[./\-]\d{1,2}[./\-]\d{1,4}\.?([ T].*)?|\d{1,2}\.\d{1,2}\.|\d{1,2}:\d\d.*"
)
SCORE_CELL = re.compile(r"[\d.,½+\-*/]{1,5}\s*[-–—−:]\s*[\d.,½+\-*/]{1,5}.{0,12}|½")
SUMMED = words_for("total", "average")
QUESTIONS = 4  # rows at the top, with the headings, in which a survey site describes its columns
IMPORTED = re.compile(r'\s*\{\s*"ImportId"')
QUESTIONED = "the rows below the headings that describe the questions are left out"
UNIT = re.compile(r"[(\[].{0,20}[)\]]")


class HeadingRows(NamedTuple):
    """The rows that hold the headings, and what they say."""

    first: int
    last: int
    names: list[str]  # one a column, empty where there is no heading


def is_blank(cell: Any) -> bool:
    """Whether a cell holds nothing that can be seen."""
    return cell is None or (isinstance(cell, str) and not cell.strip(BLANK_CHARACTERS))


def is_lone(cells: Row) -> bool:
    """Whether fewer than two cells of a row are filled."""
    filled = False
    for cell in cells:
        if not is_blank(cell):
            if filled:
                return False
            filled = True
    return True


def kind_of(cell: Any) -> str:
    """What a cell looks like: blank, text, number, date or score."""
    if is_blank(cell):
        return "blank"
    if not isinstance(cell, str):
        return "date" if isinstance(cell, date | datetime) else "number"
    if is_long(cell):
        return "text"
    text = cell.strip(BLANK_CHARACTERS)
    if not any(map(str.isdigit, text)) and text != "½":
        return "text"
    if NUMBER_CELL.fullmatch(text):
        return "number"
    if LOOKS_LIKE_DATE.fullmatch(text):
        return "date"
    return "score" if SCORE_CELL.fullmatch(text) else "text"


def heading_text(cell: Any) -> str:
    """A cell as a heading: on one line, without a colon at the end."""
    if is_blank(cell):
        return ""
    return " ".join(str(cell).replace("\xa0", " ").split()).rstrip(":").strip()


KNOWN_PAIRS = (
    *headings.AT_HOME, *headings.NEUTRAL_PAIRS, *POINTS_OF_BOTH, *POINTS_OF_WINNERS,
)  # fmt: skip
KNOWN = frozenset(CONTEST).union(
    *KNOWN_PAIRS, *(role.headings for role in headings.ROLES.values())
) - {
    "a",
    "b",
}


def count_questions(rows: Sequence[Row]) -> int:
    """How many rows below the headings a survey site has for its questions and their ids."""
    for at, row in enumerate(rows[1:QUESTIONS], 1):
        filled = [*filter(None, row)]
        if filled and all(isinstance(cell, str) and IMPORTED.match(cell) for cell in filled):
            return at
    return 0


def is_known(text: str) -> bool:
    """Whether a text is a usual heading of a table of results."""
    if plain_form(text) in KNOWN:
        return True
    words = words_of(text)
    return 0 < len(words) <= 3 and not words.isdisjoint(KNOWN)


def find_heading_rows(rows: Sequence[Row]) -> HeadingRows | None:
    """The headings of a table, None where its first row is one of cells like all others.

    `rows` are the rows that are not blank.
    """
    width = _width(rows)
    best, best_score = -1, -1.0
    for at, row in enumerate(rows[:LOWEST_HEADING_ROW]):
        score = _score(rows, at, row, width)
        if score is not None and (best < 0 or score >= best_score + 2.0):
            best, best_score = at, score
    if best < 0:
        return None
    if best_score <= 0.0 and not _could_head(rows[best]):
        return None
    return _with_neighbours(rows, best)


def _width(rows: Sequence[Row]) -> int:
    """The columns that are filled in a quarter of the rows."""
    sample = rows[: LOWEST_HEADING_ROW + ROWS_COMPARED]
    filled = Counter(at for row in sample for at, cell in enumerate(row) if not is_blank(cell))
    most = max(filled.values(), default=0)
    return sum(count >= most / 4 for count in filled.values())


def _score(rows: Sequence[Row], at: int, row: Row, width: int) -> float | None:
    """How much a row is one of headings, None if it cannot be one."""
    kinds = [kind_of(cell) for cell in row]
    filled = [place for place, kind in enumerate(kinds) if kind != "blank"]
    if len(filled) < min(2, width) or len(filled) < LEAST_FILL * width:
        return None
    texts = [heading_text(cell) for cell in row]
    counted = sum(kinds[place] != "text" for place in filled)
    below = [each for each in rows[at + 1 : at + 1 + ROWS_COMPARED] if list(each) != list(row)]
    numbered = _numbered_places(texts, [*rows[:at], *below])
    counted -= len(numbered)
    contrast = 0
    known = len(numbered)
    for place in filled:
        if place in numbered:
            continue
        column = [each[place] for each in below if place < len(each)]
        if any(heading_text(cell) == texts[place] for cell in column):
            continue  # a value of the column
        known += kinds[place] == "text" and is_known(texts[place])
        others = Counter(kind for cell in column if (kind := kind_of(cell)) != "blank")
        if others and kinds[place] == "text":
            contrast += others.most_common(1)[0][0] != "text"
    if counted > len(filled) / 2 and not known:
        return None
    return 2.0 * known + contrast - 0.5 * counted


def _numbered_places(texts: Sequence[str], others: Sequence[Row]) -> range:
    """The places of headings 1, 2, 3, ... side by side, which number the players or rounds of a
    crosstable; empty where another row counts in the same way.
    """
    if "1" not in texts:
        return range(0)
    first = texts.index("1")
    last = first
    while last < len(texts) and texts[last] == str(last - first + 1):
        last += 1
    numbers = texts[first:last]
    again = any([heading_text(cell) for cell in row[first:last]] == numbers for row in others)
    return range(0) if len(numbers) < FEWEST_NUMBERED or again else range(first, last)


def _could_head(row: Row) -> bool:
    """Whether all cells of a row are different texts, so that it may hold headings."""
    texts = [heading_text(cell) for cell in row if not is_blank(cell)]
    return len(set(texts)) == len(texts) and all(kind_of(cell) in {"text", "blank"} for cell in row)


def _with_neighbours(rows: Sequence[Row], at: int) -> HeadingRows:
    """The headings of a row, joined with those above or below it that belong to them."""
    row = [heading_text(cell) for cell in rows[at]]
    if at and _is_upper_line(rows[at - 1], row):
        return HeadingRows(at - 1, at, _join(rows[at - 1], row))
    if at + 1 < len(rows):
        below = rows[at + 1]
        texts = [heading_text(cell) for cell in below]
        if _is_lower_line(row, below, texts):
            return HeadingRows(at, at + 1, _join(rows[at], texts))
        if _are_units(below) and not (at + 2 < len(rows) and _are_units(rows[at + 2])):
            return HeadingRows(at, at + 1, row)
    return HeadingRows(at, at, row)


def _are_units(row: Row) -> bool:
    """Whether all cells of a row are units such as `(kg)`; lists in each row are none."""
    filled = [text for text in map(heading_text, row) if text]
    return bool(filled) and all(map(UNIT.fullmatch, filled))


def _is_upper_line(above: Row, row: Sequence[str]) -> bool:
    """Whether a row names groups of the headings below it."""
    labels = [(place, cell) for place, cell in enumerate(above) if not is_blank(cell)]
    if len(labels) < 2 or any(kind_of(cell) != "text" for _, cell in labels):
        return False
    over_blank = any(place >= len(row) or not row[place] for place, _ in labels)
    counts = Counter(text for text in row if text)
    return max(counts.values(), default=0) > 1 or (
        over_blank and all(is_known(heading_text(cell)) for _, cell in labels)
    )


def _is_lower_line(row: Sequence[str], below: Row, texts: Sequence[str]) -> bool:
    """Whether the row below a row of headings goes on with it."""
    filled = [(place, text) for place, text in enumerate(texts) if text]
    if len(filled) < 2 or any(kind_of(below[place]) != "text" for place, _ in filled):
        return False
    if not any(place >= len(row) or not row[place] for place, _ in filled):
        return False  # nothing is missing above
    if max(Counter(text for _, text in filled).values()) > 1:
        return True
    alone = sum(bool(name) and not text for name, text in zip(row, texts, strict=False))
    numbered = len({_without_number(text) for _, text in filled}) == 1 and alone > 1
    return numbered or sum(is_known(text) for _, text in filled) >= 2


def _without_number(text: str) -> str:
    """A heading without the number at its end: `Sp. 1` and `Sp. 2` are of one kind."""
    return text.rstrip("0123456789 ") or text


def _join(upper: Row, lower: Sequence[str]) -> list[str]:
    """Two lines of headings as one; a label above reaches over the columns to its right."""
    count = max(len(upper), len(lower))
    above = [heading_text(cell) for cell in upper] + [""] * (count - len(upper))
    below = [*lower] + [""] * (count - len(lower))
    often = Counter(_without_number(text) for text in below if text)
    names, label = [], ""
    for up, low in zip(above, below, strict=True):
        label = up or label
        over = up or (label if low and often[_without_number(low)] > 1 else "")
        names.append(" ".join(filter(None, (over, low))))
        if low and often[_without_number(low)] == 1 and not up:
            label = ""
    return names


def check_headings(name: str, row: Sequence[str], line: int | None) -> list[str]:
    """The headings, unless two are the same or one is no text."""
    check_columns(len(row), name)
    names = [heading.strip(BLANKS) for heading in row]
    seen: set[str] = set()
    for heading in names:
        if not heading.isascii() and is_not_utf8(heading):
            raise BadData.of("not_utf_8.heading", file=name, line=line, heading=heading)
        if heading in seen and heading:
            raise BadData.of("column_twice.heading", file=name, line=line, heading=heading)
        seen.add(heading)
    return names


def ragged_row(count: int, width: int) -> InvalidValue:
    """A row of the wrong length."""
    return InvalidValue.of("ragged_row", values=format_count(count, "value"), width=width)
