"""Columns whose cells are rankings become rows of players and places.

`A > B = C` in any column; lists and texts such as `A, B, C` where the heading says that the best
stands first, or where the order of the names tells something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from prowess.games.columns import InputTable
from prowess.games.errors import quote
from prowess.games.shapes.placed_rows import PlacedRows, other_columns
from prowess.games.shapes.wide_tables import LIST_MARK, WideTable
from prowess.games.vocabulary import split_heading
from prowess.games.words import words_for

RANKED = words_for("ranking")
BALLOTS = words_for("ranking", "ballot")
WORST_FIRST = words_for("worst_first")
MARKS = (LIST_MARK, ";", "|", ",")
COUNTED = re.compile(r"(\d+(?:\.\d+)?)\s*:\s*(.*)")  # 3: A > B
NAMELESS = ({"a", "b"}, {"1", "2"})  # sides of a judgment

Ranking = list[list[str]]  # names by place, the best first


def unfold_rankings(wide: WideTable) -> InputTable | None:
    """The rows of players and places of a table with a column of rankings; None for another."""
    for name in wide.names:
        words = {*split_heading(name)}
        found = [COUNTED.fullmatch(cell) for cell in wide.columns[name]]
        cells = [each[2] if each else cell
                 for each, cell in zip(found, wide.columns[name], strict=True)]  # fmt: skip
        mark = _find_mark([cell for cell in cells if cell], words)
        if mark is None or words & WORST_FIRST:
            continue
        rankings = [_split(cell, mark) for cell in cells]
        if not (words & RANKED or _tells_order(rankings, mark)):
            continue
        made = PlacedRows(wide, other_columns(wide, [name]))
        for row, ranking in enumerate(rankings):
            for place, group in enumerate(ranking, 1):
                for player in group:
                    if not player:
                        shown = quote(cells[row])
                        raise wide.bad(
                            f"{shown} lacks a name",
                            "write A > B = C",
                            row,
                            name,
                            code="ballot_incomplete",
                        )
                    made.add(row, player, place)
        order = "> stands for better, = for equal" if mark == ">" else "the best first"
        counts = [each[1] if each else "1" for each in found] if any(found) else None
        return made.table(f"column {quote(name)} holds rankings: {order}", counts=counts)
    return None


def _find_mark(cells: Sequence[str], words: set[str]) -> str | None:
    """What stands between the names of most cells; None where they are no rankings."""
    if not any(letter.isalpha() for cell in cells for letter in cell):
        return None
    for mark in (">", *(MARKS if words & BALLOTS else ())):
        marked = sum(mark in cell for cell in cells)
        if 2 * marked > len(cells) and (mark != ">" or not any("<" in cell for cell in cells)):
            others = "".join(cell for cell in cells if mark not in cell)
            return None if any(other in others for other in (">", *MARKS)) else mark
    return None


def _split(cell: str, mark: str) -> Ranking:
    parts = filter(None, map(str.strip, cell.split(mark)))
    return [re.split(r"\s*=\s*", part) for part in parts]


def _tells_order(rankings: Sequence[Ranking], mark: str) -> bool:
    """Whether names stand in several orders, which those of a path, or of boxes that were ticked,
    do not; comparisons of A and B alone are judgments of two others.
    """
    names = {name.casefold() for ranking in rankings for group in ranking for name in group}
    if names in NAMELESS:
        return False
    if mark == ">" and all(len(ranking) == 2 for ranking in rankings if ranking):
        firsts, seconds = ({ranking[at][0] for ranking in rankings if ranking} for at in (0, 1))
        return bool(firsts & seconds)
    before = {
        pair
        for ranking in rankings
        for one, other in combinations(ranking, 2)
        for pair in ((x, y) for x in one for y in other)
    }
    return any((second, first) in before for first, second in before)
