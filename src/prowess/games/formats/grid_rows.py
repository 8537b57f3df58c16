"""Rows of a grid that are no rows of its table: notes and totals, headings of sections; and scores
that stand in three cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain, takewhile
from typing import Any, NamedTuple

from prowess.games.cells.date_columns import MONTHS, split_cell
from prowess.games.dates import is_season
from prowess.games.errors import quote
from prowess.games.formats.heading_rows import SUMMED, Row, heading_text, is_blank, is_lone, kind_of
from prowess.games.reading import list_some
from prowess.games.roles.headings import ROLES
from prowess.games.shapes.row_order import KNOCKOUT
from prowess.games.values import fold_text, lazy_pattern, parse_decimal, parse_or_none, plain_form
from prowess.games.vocabulary import alternatives, words_for

AT_END = 30  # rows that may be notes below a table
NOTED = 3  # rows left out that a note shows

SUM_COLUMNS = words_for("sum_column")
FEWEST_ROWS = 2  # above a row of sums


class PlacedRow(NamedTuple):
    """A row and where it stands."""

    line: int
    cells: Row
    filled: int  # how many of the cells hold something that can be seen

    @classmethod
    def of(cls, line: int, cells: Row) -> PlacedRow:
        """A row whose filled cells are counted."""
        return cls(line, cells, sum(not is_blank(cell) for cell in cells))


def place_rows(lines: Iterable[int], rows: Sequence[Row]) -> list[PlacedRow]:
    """The rows that are not blank; each different cell is looked at once."""
    different = {*chain.from_iterable(rows)}
    blank = {each for each in different if isinstance(each, str | None) and is_blank(each)}
    counts = (len(cells) - sum(map(cells.count, blank)) for cells in rows)
    return [
        PlacedRow(line, cells, filled)
        for line, cells, filled in zip(lines, rows, counts, strict=True)
        if filled
    ]


@dataclass
class Leftovers:
    """What is left out of a grid, for notes."""

    unit: str
    rows: dict[str, list[PlacedRow]] = field(default_factory=dict)

    def add(self, what: str, row: PlacedRow) -> None:
        """Take note of a row."""
        self.rows.setdefault(what, []).append(row)

    def notes(self) -> list[str]:
        """A note for each kind of row."""
        return [f"{what} left out: {self.describe(rows)}" for what, rows in self.rows.items()]

    def texts(self, what: str) -> list[str]:
        """The rows of one kind as texts."""
        return [row_text(row.cells) for row in self.rows.get(what, ())]

    def describe(self, rows: Sequence[PlacedRow]) -> str:
        """The first of the rows, and how many more there are."""
        shown = [f"{quote(row_text(row.cells))} ({self.unit} {row.line})" for row in rows]
        return list_some(shown, NOTED)


def row_text(cells: Row) -> str:
    """The cells of a row as one text."""
    return " ".join(heading_text(cell) for cell in cells if not is_blank(cell))


RESULT_POINTS = re.compile(r"([0-9]*[.,½]?[05]?)\s*[:–-]\s*([0-9]*[.,½]?[05]?)")
FORFEIT_POINTS = {"+:-": (1.0, 0.0), "-:+": (0.0, 1.0), "-:-": (0.0, 0.0)}


def without_matches(body: list[PlacedRow], left: Leftovers) -> list[PlacedRow]:
    """The rows but those of matches of teams above their numbered boards, of which they hold the
    sums.
    """
    titles = sum(1 for _ in takewhile(lambda row: row.filled < 2, body))  # above the first match
    if len(body) == titles or _begins_with_number(body[titles]):
        return body
    heads = [at for at in range(titles, len(body)) if not _begins_with_number(body[at])]
    if len(heads) * (FEWEST_ROWS + 1) > len(body):
        return body
    blocks = [body[at:end] for at, end in zip(heads, [*heads[1:], len(body)], strict=True)]
    width = min(len(row.cells) for row in body)
    if not any(all(_is_sum_of(block, at) for block in blocks) for at in range(1, width)):
        return body
    for at in heads:
        left.add("matches of teams above their boards", body[at])
    return [row for at, row in enumerate(body) if at not in heads]


def _begins_with_number(row: PlacedRow) -> bool:
    return bool(row.cells) and kind_of(row.cells[0]) == "number"


def _is_sum_of(block: Sequence[PlacedRow], column: int) -> bool:
    """Whether the result in the first row of a block is the sum of those below."""
    points = [_points_of(row.cells[column]) for row in block]
    known = [pair for pair in points if pair is not None]
    if len(known) < len(points) or len(points) <= FEWEST_ROWS:
        return False
    return all(known[0][side] == sum(pair[side] for pair in known[1:]) for side in (0, 1))


def _points_of(cell: Any) -> tuple[float, float] | None:
    """Both numbers of a result such as 2½:1½, or of a forfeit."""
    text = str(cell).replace(" ", "").replace("–", ":").strip()
    if text in FORFEIT_POINTS:
        return FORFEIT_POINTS[text]
    found = RESULT_POINTS.fullmatch(text)
    if found is None or not all(found.groups()):
        return None
    first, second = (float(each.replace("½", ".5").replace(",", ".")) for each in found.groups())
    return first, second


def without_end(
    body: list[PlacedRow], names: Sequence[str], left: Leftovers, delimited: bool
) -> list[PlacedRow]:
    """The rows but the notes and totals below them."""
    end = len(body)
    for at in range(len(body) - 1, max(len(body) - AT_END, 0) - 1, -1):
        before = body[at - 1].line if at else body[0].line
        apart = body[at].line > before + 1
        cells = body[at].cells
        if (
            is_note(cells, names, apart or not delimited)
            or is_total(cells, body[:at])
            or (apart and at and _is_aside(body[at:end], body[:at]))
        ):
            end = at
        elif body[at].filled > 2:
            break
    for row in body[end:]:
        left.add("below the table", row)
    return body[:end]


def is_note(cells: Row, names: Sequence[str], apart: bool) -> bool:
    """Whether a row is a remark: one text in a table of several columns, and no player of half a
    crosstable, who has a column, too.
    """
    filled = [cell for cell in cells if not is_blank(cell)]
    if len(filled) != 1 or len(names) < 2:
        return False
    text = heading_text(filled[0])
    if text in names:
        return False
    return (
        apart
        or len(cells) >= len(names)
        or bool(re.search(r"[\s:*]", text))
        or kind_of(text) != "text"
    )


def is_total(cells: Row, body: Sequence[PlacedRow]) -> bool:
    """Whether a row holds sums or means: it begins with a word for them, or it has fewer texts
    than each row above, and a word for them or the sums of the numbers above.
    """
    texts = texts_of(cells)
    filled = [heading_text(cell) for cell in cells if not is_blank(cell)]
    if filled and texts[:1] == filled[:1] and len(texts) == 1 and _first_word(filled[0]) in SUMMED:
        return True
    if len(texts) > 1 or not body or min(len(texts_of(row.cells)) for row in body) <= len(texts):
        return False
    above = [row.cells for row in body]
    return len(filled) > len(texts) and (
        any(map(names_total, texts)) or _are_sums(cells, above) or _are_counts(cells, texts, above)
    )


def texts_of(cells: Row) -> list[str]:
    """The texts of a row that are no numbers, dates or scores."""
    return [heading_text(cell) for cell in cells if kind_of(cell) == "text"]


def names_total(text: str) -> bool:
    """Whether a label has a word for sums: `Tore gesamt`, `Total goals`, `Gesamtpunkte`."""
    words = [word.casefold() for word in re.split(r"[^\w]+", text) if word]
    return any(word in SUMMED or word.startswith(("gesamt", "summe")) for word in words)


def _first_word(text: str) -> str:
    return re.split(r"[\s:(]", text, maxsplit=1)[0].casefold()


def _are_counts(cells: Row, texts: Sequence[str], body: Sequence[Row]) -> bool:
    """Whether a row counts what its label says, wins or points, and has no date beside it where
    all rows above have one.
    """
    if len(texts) != 1 or not SUM_COLUMNS & {*texts[0].casefold().split()}:
        return False
    return any(
        is_blank(cell) and all(at < len(row) and kind_of(row[at]) == "date" for row in body)
        for at, cell in enumerate(cells)
    )


def _are_sums(cells: Row, body: Sequence[Row]) -> bool:
    """Whether numbers of a row are the sums of those above them, in two columns or more."""
    found = 0
    for place, cell in enumerate(cells):
        if (total := _number(cell)) is None:
            continue
        above = [number for row in body if place < len(row)
                 and (number := _number(row[place])) is not None]  # fmt: skip
        if len(above) < FEWEST_ROWS or abs(sum(above) - total) > 1e-9:
            return False
        found += 1
    return found > 1


def _number(cell: Any) -> float | None:
    return parse_or_none(parse_decimal, cell) if kind_of(cell) == "number" else None


def _is_aside(rows: Sequence[PlacedRow], body: Sequence[PlacedRow]) -> bool:
    """Whether rows below a blank one are no part of the table: a legend, a key."""
    least = min(row.filled for row in body)
    return all(row.filled < min(least, 3) for row in rows)


# Rows with one cell that say of which round or day the rows below them are


_ROUNDS = alternatives("round", "week")
ROUND = lazy_pattern(
    rf"\b(?:(?:{_ROUNDS})\W{{0,3}}(\d{{1,3}})"
    rf"|(\d{{1,3}})\s?(?:\.|st|nd|rd|th|e|ª|º|a|ème|\.ª)?\s?(?:{_ROUNDS}))\b",
    re.IGNORECASE,
)
DAY_HEADING = re.compile(
    r"\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)|"
    r"\d{1,2}\.? [^\W\d]{3,12}\.? \d{4}|[^\W\d]{3,12}\.? \d{1,2}, \d{4}|"
    rf"\b(?i:{'|'.join(MONTHS)})\.? \d{{1,2}} \d{{4}}"
)

AS_OF = lazy_pattern(  # before the day on which a list was written, which is none of its games
    rf"\W*(?:{alternatives('as_of')})\b"
)


def take_sections(
    body: Sequence[PlacedRow],
    above: Sequence[PlacedRow],
    names: Sequence[str],
    left: Leftovers,
    delimited: bool,
) -> tuple[list[PlacedRow], dict[str, list[Any]]]:
    """The rows but headings of sections, and the columns which those make."""
    known = {plain_form(name) for name in names}
    own = {what for what in ("date", "round") if known & {what, *ROLES[what].headings}}
    current: dict[str, Any] = {}
    kept: list[PlacedRow] = []
    said: list[dict[str, Any]] = []
    alone = [row.filled < 2 and len(names) > 2 for row in body]
    if not any(alone):
        return [*body], {}
    sections = [
        read_section(row.cells) if lone else None for row, lone in zip(body, alone, strict=True)
    ]
    if any(sections):
        for row in above:
            if not AS_OF.match(fold_text(row_text(row.cells))):
                current.update(read_section(row.cells) or {})
    for row, section in zip(body, sections, strict=True):
        if section is None or not (section or is_note(row.cells, names, not delimited)):
            kept.append(row)
            said.append(dict(current))
            continue
        current.update(section)
        if not section:
            left.add("rows of one cell", row)
    taken = {key for each in said for key in each} - own
    columns = {key: [each.get(key) for each in said] for key in sorted(taken)}
    return kept, columns


def read_section(cells: Row) -> dict[str, Any] | None:
    """What a row with one cell says of the rows below it: a round, a day, nothing.

    None if it is a row of cells.
    """
    if not is_lone(cells):
        return None
    cell = next((cell for cell in cells if not is_blank(cell)), None)
    if cell is None:
        return None
    if isinstance(cell, date | datetime):
        return {"date": cell}
    text = heading_text(cell)
    found: dict[str, Any] = {}
    if match := ROUND.search(text):
        found["round"] = match[1] or match[2]
    elif KNOCKOUT.get(fold_text(text).replace(" ", "").replace("-", "")) is not None:
        found["round"] = text
    if match := DAY_HEADING.search(text):
        found["date"] = match[0]
    elif (day := parse_or_none(split_cell, text)) and day.has_month and not is_season(text):
        found["date"] = text
    return found


# Scores that stand in three cells under one heading: 3, a colon, 1


JOINTS = frozenset({":", "-", "–", "—", "x", "/"})


def join_scores(names: Sequence[str], body: Sequence[PlacedRow]) -> list[PlacedRow]:
    """The rows with one cell for the points of both sides that stand beside a colon or a dash,
    where only the first of the three cells has a heading.
    """
    found = [
        at for at, name in enumerate(names)
        if name and [*names[at + 1 : at + 3], "", ""][:2] == ["", ""] and _is_joint(body, at + 1)
    ]  # fmt: skip
    if not found:
        return [*body]
    return [PlacedRow.of(row.line, _join(row.cells, found)) for row in body]


def _is_joint(body: Sequence[PlacedRow], at: int) -> bool:
    """Whether a column holds nothing but a colon, between numbers."""
    joined = 0
    for row in body:
        cells = [*row.cells[at - 1 : at + 2]]
        if len(cells) < 3 or is_blank(cells[1]):
            continue
        if heading_text(cells[1]) not in JOINTS and cells[1] != ":":
            return False
        kinds = {kind_of(cells[0]), kind_of(cells[2])}
        if not kinds <= {"number", "blank"}:
            return False
        joined += kinds == {"number"}
    return joined > 0


def _join(cells: Row, places: Sequence[int]) -> list[object]:
    joined = [*cells]
    for at in places:
        parts = [heading_text(cell) for cell in joined[at : at + 3 : 2] if not is_blank(cell)]
        if len(joined) > at + 2:
            joined[at] = ":".join(parts) or None
            joined[at + 1 : at + 3] = [None, None]
    return joined
