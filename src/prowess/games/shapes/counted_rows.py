"""Rows that stand for many games: each pair and result stands once, beside how often it occurred.

`model_a, model_b, winner, count` of votes that were grouped: the count is the weight of the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from prowess.games.columns import Chunk, InputTable, as_name, as_text
from prowess.games.errors import BadData, NoGame, quote
from prowess.games.roles.evidence import ColumnEvidence, is_whole
from prowess.games.roles.roles import find_layout
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings

COUNTS = words_for("count")  # they say that rows are counted
MAY_COUNT = words_for("number")  # beside what is counted
COUNTED = words_for("counted_thing")
OFTEN = 2  # rows of a pair, on average, where the heading may say something else


def weigh_counted_rows(table: InputTable, headings: Headings) -> InputTable | None:
    """The table with counts of games as weights; None where no column counts them.

    Raises BadData where a column of counts may count something else.
    """
    evidence = headings.evidence
    told = {name: _how_surely(name) for name in headings.names}
    names = [name for name, sure in told.items() if sure and _are_counts(evidence[name])]
    if len(names) != 1:
        return None
    try:
        layout = find_layout(headings)
    except BadData:
        return None  # said where the table is read
    if layout.kind != "games" or layout.sides or names[0] in layout.columns():
        return None
    name, (rows, pairs) = names[0], _count_rows(headings, layout)
    grouped = max(rows.values()) == 1 and not layout.time
    total = sum(pairs.values())
    if told[name] == "maybe" and (not grouped or total == len(pairs)):
        return None
    if not grouped or (told[name] == "maybe" and total < OFTEN * len(pairs)):
        raise headings.bad(
            f"column {quote(name)} may count the games of each row",
            f'say weight="{name}" if it does, weight="none" if it does not (--weight)',
            code="count_ambiguous",
        )

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks(list(dict.fromkeys([*wanted, name]))):
            cell = chunk.columns[name].cell
            none = [row for row in range(chunk.count) if as_text(cell(row)) in {"0", "0.0"}]
            absent = {row: NoGame(f"column {quote(name)} is 0", "not played") for row in none}
            yield replace(chunk, absent={**absent, **chunk.absent})

    note = f'column {quote(name)} counts the games of each row (weight="none" if it does not)'
    return replace(
        table, chunks=chunks, beginning=None, roles={**table.roles, "weight": (name,)},
        notes=(*table.notes, note),
    )  # fmt: skip


def _how_surely(name: str) -> str:
    """Whether a heading says that rows are counted: "surely", "maybe", or "" for another one."""
    words = {*read_heading(name).words}
    if not words <= COUNTS | MAY_COUNT | COUNTED | {"of", "total", "der"}:
        return ""
    counted = words & COUNTED
    return "surely" if words & COUNTS else "maybe" if counted or words == {"n"} else ""


def _are_counts(column: ColumnEvidence) -> bool:
    """Whether all cells are whole numbers, not all 1 and not those of the rows."""
    if column.filled < column.rows or column.numbers < 1.0 or column.share(is_whole) < 1.0:
        return False
    numbers = [float(text) for text in column.texts]
    numbered = [*range(len(numbers))], [*range(1, len(numbers) + 1)]
    return min(numbers) >= 0.0 and {*numbers} != {1.0} and numbers not in numbered


def _count_rows(headings: Headings, layout: Layout) -> tuple[Counter[object], Counter[object]]:
    """How often each pair stands with one result, and with any."""
    told = [name for name in (layout.result, layout.draw, layout.points_a, layout.points_b) if name]
    columns = [headings.evidence.rows[name] for name in (layout.a, layout.b, *told)]
    rows: Counter[object] = Counter()
    pairs: Counter[object] = Counter()
    for a, b, *result in zip(*columns, strict=True):
        pair = as_name(a), as_name(b)
        rows[pair, tuple(map(as_text, result))] += 1
        pairs[frozenset(pair)] += 1
    return rows, pairs
