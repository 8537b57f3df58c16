"""Who won, where a column names the winner, and what a column of draws says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import Column, Judged, Lookup, Values, as_name
from prowess.games.lineups import Lineup, winning_sides
from prowess.games.numbers import missing
from prowess.games.outcomes import plain
from prowess.games.refusal import SKIP, Refusal, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from prowess.games.judgement import Judgement, Lookups
    from prowess.games.layout import Layout

    Floats = NDArray[np.float64]


def scores_of_winners(
    rows: Judgement, layout: Layout, lookups: Lookups, sides: Sequence[Sequence[Lineup]]
) -> Floats:
    """The score of the first side; `sides` are the members of both, where a side has several."""
    winner = rows.column(layout.result)
    if sides:
        values, wrong = winning_sides(winner, sides[0], sides[1], lookups.winner)
    else:
        a, b = rows.column(layout.a), rows.column(layout.b)
        values, wrong = winners(winner, a, b, lookups.winner, lookups.outcomes)
    if layout.draw:
        wrong = _settle_draws(rows, layout, lookups, values, wrong)
    rows.refuse_cells(layout.result, wrong)
    return values


def _settle_draws(
    rows: Judgement,
    layout: Layout,
    lookups: Lookups,
    values: Floats,
    wrong: Mapping[int, Refusal],
) -> Mapping[int, Refusal]:
    """Give drawn games without a winner their score; returns what stays wrong with the winners.

    A row whose winner and whose column of draws contradict one another is refused.
    """
    assert layout.draw
    drawn = rows.judged(layout.draw, lookups.draw)
    winner = rows.column(layout.result)
    nobody = [row for row in wrong if drawn[row] == 1.0 and missing(winner.shown(row))]
    values[nobody] = 0.5
    rows.refuse_where(
        ((drawn == 1.0) & (np.abs(values - 0.5) == 0.5)) | ((drawn == 0.0) & (values == 0.5)),
        layout.draw,
        lambda row: Refusal(
            f"{quoted(rows.column(str(layout.draw)).shown(row))} contradicts the winner "
            f"{quoted(winner.shown(row))}",
            'correct the row, or leave the column out with draw="none" (--draw none)',
        ),
    )
    return {row: refusal for row, refusal in wrong.items() if row not in set(nobody)}


def winners(winner: Column, a: Column, b: Column, lookup: Lookup, outcomes: Any) -> Judged:
    """The score of the first side where a column names the winner, by name or by side; a name
    counts in any case and with any blanks, where that leaves no doubt.
    """
    scores, wrong = _winners_as_written(winner, a, b, lookup, outcomes)
    doubtful = {}
    for row, refusal in wrong.items():
        name, first, second = (_caseless(column.shown(row)) for column in (winner, a, b))
        if (name == first) is (name == second) or plain(name) in outcomes.winners:
            doubtful[row] = refusal
        else:
            scores[row] = float(name == first)
    return Judged(scores, doubtful)


def _caseless(cell: Any) -> str:
    return as_name(cell).casefold()


def _winners_as_written(
    winner: Column, a: Column, b: Column, lookup: Lookup, outcomes: Any
) -> Judged:
    if not isinstance(winner, Values):
        return winner.winners(a, b, lookup, outcomes)  # type: ignore[attr-defined, no-any-return]
    assert isinstance(a, Values)
    assert isinstance(b, Values)
    scores = np.empty(len(winner))
    wrong: dict[int, Refusal] = {}
    cells = zip(winner.names, winner.values, a.names, b.names, strict=True)
    for row, (name, cell, first, second) in enumerate(cells):
        by_name = None if not name else 1.0 if name == first else 0.0 if name == second else None
        if by_name is None:
            scores[row] = lookup[cell if isinstance(cell, str) else name or None]
            if scores[row] != scores[row]:
                wrong[row] = lookup.refused[cell if isinstance(cell, str) else name or None]
            continue
        scores[row] = by_name
        if outcomes.winners.get(plain(name), by_name) != by_name:
            wrong[row] = two_meanings(name)
    return Judged(scores, wrong)


def two_meanings(name: str) -> Refusal:
    """A winner's name that is also a word for another outcome."""
    return Refusal(
        f"{quoted(name)} is a player here and also a word for another outcome",
        f"give results as 1-0 or 0-1, or {SKIP}",
    )
