"""Rows that do not count, as a column of theirs says: deleted in an app, cancelled, not valid.

`is_deleted` is true, `deleted_at` has a date, `valid` is no: such rows are left out and counted.
Columns such as `rated` may mean as much; a note asks about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.games.columns import Chunk, InputTable
from prowess.games.errors import NoGame, Suspicion, quote
from prowess.games.roles.evidence import NO_WORDS, ROWS, YES_WORDS
from prowess.games.roles.roles import is_of_kind
from prowess.games.values import fold_text, is_missing
from prowess.games.vocabulary import read_heading
from prowess.games.words import words_for

if TYPE_CHECKING:
    from prowess.games.roles.headings import Headings

KINDS = {
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
        told = words & KINDS.keys()
        if len(told) != 1 or name in asked:
            continue
        if not words <= told | words_for("row", "when_or_who"):
            continue
        rows = table.sample(ROWS) if rows is None else rows
        word, cells = told.pop(), rows[name]
        kind = KINDS[word]
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
    negated = KINDS[word] in {"counted", "played", "open if not"}
    if all(text in YES_WORDS | NO_WORDS | {word} for text in filled):
        if negated:
            return lambda cell: not is_missing(cell) and _plain(cell) in NO_WORDS
        return lambda cell: not is_missing(cell) and _plain(cell) in YES_WORDS | {word}
    if KINDS[word] == "void" and (words & words_for("when_or_who") or len(filled) < len(cells)):
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
