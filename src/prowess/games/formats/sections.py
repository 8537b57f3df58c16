"""Rows with one cell that say of which round or day the rows below them are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from prowess.games.formats.heading_rows import Row, heading_text, is_blank, is_lone
from prowess.games.formats.leftovers import Leftovers, PlacedRow, is_note, row_text
from prowess.games.patterns import lazy_pattern
from prowess.games.roles.headings import MEANINGS
from prowess.games.shapes.row_order import KNOCKOUT
from prowess.games.values import fold_text, plain_form
from prowess.games.words import alternatives

_ROUNDS = alternatives("round", "week")
ROUND = lazy_pattern(
    rf"\b(?:(?:{_ROUNDS})\W{{0,3}}(\d{{1,3}})"
    rf"|(\d{{1,3}})\s?(?:\.|st|nd|rd|th|e|ª|º|a|ème|\.ª)?\s?(?:{_ROUNDS}))\b",
    re.IGNORECASE,
)
DAY = re.compile(
    r"\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)|"
    r"\d{1,2}\.? [^\W\d]{3,12}\.? \d{4}|[^\W\d]{3,12}\.? \d{1,2}, \d{4}"
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
    own = {what for what in ("date", "round") if known & {what, *MEANINGS[what]}}
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
    if match := DAY.search(text):
        found["date"] = match[0]
    return found
