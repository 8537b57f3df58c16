"""Scores that stand in three cells under one heading: 3, a colon, 1."""

from __future__ import annotations

from collections.abc import Sequence

from prowess.games.formats.heading_rows import Row, heading_text, is_blank, kind_of
from prowess.games.formats.leftovers import PlacedRow

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
