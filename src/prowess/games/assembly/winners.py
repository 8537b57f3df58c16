"""Who won, where a column names the winner, and what a column of draws says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells.outcome_words import DRAWN
from prowess.games.cells.validation import RowError, RowValidation
from prowess.games.columns import CellParser, InputColumn, ParsedColumn, Values, as_name
from prowess.games.errors import SKIP, InvalidValue, quote
from prowess.games.layout import Layout
from prowess.games.roles.beside_results import explain_missing
from prowess.games.roles.lineups import Lineup, winning_sides
from prowess.games.values import is_missing, plain_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_ROWS_TOLD = 200  # that tell whether results are names
NUMBERED = frozenset({"0", "1", "2"})  # may be players, or say which side won


def scores_of_winners(
    rows: RowValidation, layout: Layout, sides: Sequence[Sequence[Lineup]]
) -> Floats:
    """The score of the first side; `sides` are the members of both, where a side has several."""
    winner = rows.columns[layout.result]
    if sides:
        values, wrong = winning_sides(winner, sides[0], sides[1], rows.parsers["winner", ""])
        if wrong and rows.decide("winner", "", layout.result, wrong):
            values, wrong = winning_sides(winner, sides[0], sides[1], rows.parsers["winner", ""])
    else:
        a, b = rows.columns[layout.a], rows.columns[layout.b]
        given = winner, a, b
        values, wrong = winners(*given, rows.parsers["winner", ""], rows.parsers.outcomes)
        odd = wrong or (rows.parsers.closed and rows.parsers.has_new_words("winner", ""))
        if odd and rows.decide("winner", "", layout.result, wrong):
            values, wrong = winners(*given, rows.parsers["winner", ""], rows.parsers.outcomes)
    if rows.parsers.closed and rows.parsers.outcomes.winner_names.overturned:
        raise rows.error_of_change(layout.result, 0)
    if layout.names_loser:
        values = 1.0 - values
    if layout.draw:
        wrong = _settle_draws(rows, layout, values, wrong)
    elif layout.reasons:
        wrong = explain_missing(rows, layout, values, wrong)
    rows.refuse_cells(layout.result, wrong)
    return values


def as_winners(rows: RowValidation, layout: Layout) -> Layout:
    """The layout with a column of results as one of winners, where each cell names one of the
    row's own players or says that the game was drawn.

    Raises BadData where the cells may be names as well as words for the sides.
    """
    outcomes = rows.parsers.outcomes
    if layout.form != "result" or layout.sides or layout.points_a or outcomes.own:
        return layout
    named: dict[int, bool] = {}  # rows whose cell is a name, and whether it may say otherwise
    only_words = True
    columns = [rows.columns[name] for name in (layout.result, layout.a, layout.b)]
    for row in range(min(rows.chunk.count, MOST_ROWS_TOLD)):
        cell, first, second = (as_name(column.cell(row)).casefold() for column in columns)
        if not cell or (cell not in {first, second} and DRAWN.get(plain_form(cell))):
            continue
        if cell not in {first, second}:
            return layout
        word = outcomes.results.get(plain_form(cell))
        word = 2.0 if word is None and cell in NUMBERED else word
        only_words &= word is not None
        named[row] = word is not None and word != float(cell == first)
    if not named:
        return layout
    if only_words:
        if "result" in rows.parsers.options.roles:
            return layout
        row = next((row for row, doubtful in named.items() if doubtful), -1)
        if row >= 0:
            raise rows.bad(rows.chunk.line(row), RowError(layout.result, InvalidValue(
                f"{quote(columns[0].cell(row))} names a player here, and may also say which side "
                "won",
                f'say winner="{layout.result}" (--winner) if players are named, '
                f'result="{layout.result}" (--result) if sides are', code="player_or_side",
            )))  # fmt: skip
    return replace(layout, form="winner")


def _settle_draws(
    rows: RowValidation,
    layout: Layout,
    values: Floats,
    wrong: Mapping[int, InvalidValue],
) -> Mapping[int, InvalidValue]:
    """Give drawn games without a winner their score; returns what stays wrong with the winners.

    A row whose winner and whose column of draws contradict one another is refused.
    """
    assert layout.draw
    drawn = rows.parse(layout.draw, "draw")
    winner = rows.columns[layout.result]
    without = [row for row in wrong if drawn[row] == 1.0 and is_missing(winner.cell(row))]
    values[without] = 0.5
    rows.refuse_where(
        ((drawn == 1.0) & (np.abs(values - 0.5) == 0.5)) | ((drawn == 0.0) & (values == 0.5)),
        layout.draw,
        lambda row: InvalidValue(
            f"{quote(rows.columns[str(layout.draw)].cell(row))} contradicts the winner "
            f"{quote(winner.cell(row))}",
            'correct the row, or leave the column out with draw="none" (--draw none)',
            code="draw_contradicts",
        ),
    )
    return {row: refusal for row, refusal in wrong.items() if row not in set(without)}


def winners(
    winner: InputColumn, a: InputColumn, b: InputColumn, lookup: CellParser, outcomes: Any
) -> ParsedColumn:
    """The score of the first side where a column names the winner, by name or by side; a name
    counts in any case and with any blanks, where that leaves no doubt.
    """
    scores, wrong = _winners_as_written(winner, a, b, lookup, outcomes)
    doubtful = {}
    for row, refusal in wrong.items():
        name, first, second = (as_name(each.cell(row)).casefold() for each in (winner, a, b))
        if (name == first) is (name == second) or plain_form(name) in outcomes.winners:
            doubtful[row] = refusal
        else:
            scores[row] = float(name == first)
    return ParsedColumn(scores, doubtful)


def _winners_as_written(
    winner: InputColumn, a: InputColumn, b: InputColumn, lookup: CellParser, outcomes: Any
) -> ParsedColumn:
    if not isinstance(winner, Values):
        return winner.winners(a, b, lookup, outcomes)  # type: ignore[attr-defined, no-any-return]
    assert isinstance(a, Values)
    assert isinstance(b, Values)
    scores = np.empty(len(winner))
    wrong: dict[int, InvalidValue] = {}
    doubtful: dict[int, InvalidValue] = {}  # names that are words as well
    by_word = 0
    cells = zip(winner.names, winner.values, a.names, b.names, strict=True)
    for row, (name, cell, first, second) in enumerate(cells):
        by_name = None if not name else 1.0 if name == first else 0.0 if name == second else None
        if by_name is None:
            word = cell if isinstance(cell, str | float) and not is_missing(cell) else name or None
            scores[row] = lookup[word]
            by_word += 1
            if scores[row] != scores[row]:
                wrong[row] = lookup.refused[word]
            continue
        scores[row] = by_name
        if outcomes.winners.get(plain_form(name), by_name) != by_name:
            doubtful[row] = two_meanings(name)
    known = {plain_form(name) for name in winner.names} <= outcomes.winners.keys()
    outcomes.winner_names.note_winners(
        words=bool(by_word), names=not known, doubtful=bool(doubtful)
    )
    if not outcomes.winner_names.prevail:
        wrong |= doubtful
    return ParsedColumn(scores, wrong)


def two_meanings(name: str) -> InvalidValue:
    """A winner's name that is also a word for another outcome."""
    return InvalidValue(
        f"{quote(name)} is a player here and also a word for another outcome",
        f"give results as 1-0 or 0-1, or {SKIP}",
        code="name_is_a_word",
    )
