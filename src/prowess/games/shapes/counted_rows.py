"""Rows that stand for many games, and rows that do not count.

Where each pair and result stands once, a column says how often it occurred.

`model_a, model_b, winner, count` of votes that were grouped: the count is the weight of the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.games.columns import Chunk, InputTable, as_name, as_text
from prowess.games.errors import BadData, NoGame, Suspicion, quote
from prowess.games.roles.evidence import (
    MOST_ROWS_SEEN,
    NO_WORDS,
    YES_WORDS,
    ColumnEvidence,
    is_whole,
)
from prowess.games.roles.roles import find_layout, is_of_kind
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.layout import Layout
    from prowess.games.roles.headings import Headings


COUNTS = words_for("count")  # they say that rows are counted
MAY_COUNT = words_for("number")  # beside what is counted
COUNTED_THINGS = words_for("counted_thing")
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
    if not words <= COUNTS | MAY_COUNT | COUNTED_THINGS | {"of", "total", "der"}:
        return ""
    counted = words & COUNTED_THINGS
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


# Rows that do not count, as a column of theirs says: deleted in an app, cancelled, not valid.
#
# `is_deleted` is true, `deleted_at` has a date, `valid` is no: such rows are left out and
# counted. Columns such as `rated` may mean as much; a note asks about them.


VOID_KINDS = {
    **dict.fromkeys(words_for("row_void"), "void"),
    **dict.fromkeys(words_for("row_counted"), "counted"),
    **dict.fromkeys(words_for("row_played"), "played"),
    **dict.fromkeys(words_for("row_open"), "open"),
    **dict.fromkeys(words_for("row_open_if_not"), "open if not"),
}


def leave_out_void(table: InputTable, headings: Headings) -> InputTable | None:
    """The table without the rows that do not count, None where no column says so."""
    options = headings.options
    asked = options.named_columns()
    tests: dict[str, Callable[[Any], bool]] = {}
    reasons: dict[str, str] = {}
    notes: list[str] = []
    rows: Mapping[str, Sequence[Any]] | None = None
    for name in table.names:
        words = {*read_heading(name).words}
        told = words & VOID_KINDS.keys()
        if len(told) != 1 or name in asked:
            continue
        if not words <= told | words_for("row", "when_or_who"):
            continue
        rows = table.sample(MOST_ROWS_SEEN) if rows is None else rows
        word, cells = told.pop(), rows[name]
        kind = VOID_KINDS[word]
        test = _find_test(word, words, cells)
        if test is None or (kind == "played" and not is_of_kind(headings, "games")):
            continue
        if kind.startswith("open"):
            if {test(cell) for cell in cells} == {True, False}:
                notes.append(_ask(name, cells, test))
        else:
            tests[name] = test
            reasons[name] = "not played" if kind == "played" else "void"
    if not tests:
        return replace(table, notes=(*table.notes, *notes)) if notes else None

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for chunk in table.chunks(list(dict.fromkeys([*wanted, *tests]))):
            absent = dict(chunk.absent)
            for name, is_void in tests.items():
                cell = chunk.columns[name].cell
                for row in range(chunk.count):
                    if row not in absent and row not in chunk.refused and is_void(cell(row)):
                        what = f"column {quote(name)} is {quote(cell(row))}"
                        absent[row] = NoGame(what, reasons[name])
            yield replace(chunk, absent=absent)

    return replace(
        table, chunks=chunks, telling=(*table.telling, *tests), notes=(*table.notes, *notes)
    )


def _find_test(word: str, words: set[str], cells: Sequence[Any]) -> Callable[[Any], bool] | None:
    """What tells of a cell whether its row does not count; None where the cells do not tell it."""
    filled = [fold_text(str(cell)).strip() for cell in cells if not is_missing(cell)]
    negated = VOID_KINDS[word] in {"counted", "played", "open if not"}
    if all(text in YES_WORDS | NO_WORDS | {word} for text in filled):
        if negated:
            return lambda cell: not is_missing(cell) and _plain(cell) in NO_WORDS
        return lambda cell: not is_missing(cell) and _plain(cell) in YES_WORDS | {word}
    if VOID_KINDS[word] == "void" and (
        words & words_for("when_or_who") or len(filled) < len(cells)
    ):
        return lambda cell: not is_missing(cell) and _plain(cell) not in NO_WORDS
    return None


def _plain(cell: Any) -> str:
    return fold_text(str(cell)).strip()


def _ask(name: str, cells: Sequence[Any], is_void: Callable[[Any], bool]) -> Suspicion:
    """The note on rows that may not count, though nothing says that they do not."""
    first = next(cell for cell in cells if is_void(cell))
    value = str(first).strip()
    return Suspicion(
        f"rows with {value} in column {quote(name)} count as games: "
        f'exclude={{"{name}": "{value}"}} (--exclude "{name}={value}") leaves them out',
        f"rows with {name} = {value} count",
    )
