"""The numbers of the games of some rows: scores, points, margins, dates, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.cells import as_name
from prowess.games.judgement import Judgement, Lookups
from prowess.games.layout import Layout
from prowess.games.lineups import Lineup
from prowess.games.refusal import MEND, SKIP, Refusal, quoted
from prowess.games.winners import scores_of_winners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Sides = Sequence[Sequence[Lineup]]


def columns_of_games(
    rows: Judgement, layout: Layout, lookups: Lookups, sides: Sides
) -> dict[str, Floats]:
    """The numbers of the games, with what is wrong noted in `rows`."""
    columns: dict[str, Floats] = {}
    if not sides:
        a, b = rows.column(layout.a), rows.column(layout.b)
        rows.named(layout.a, layout.b)
        rows.refuse_where(a.equals(b), layout.b, lambda row: self_play(a.shown(row)))
    if layout.points_a and layout.points_b:
        columns["points_a"] = rows.judged(layout.points_a, lookups.numbers(layout.points_a))
        columns["points_b"] = rows.judged(layout.points_b, lookups.numbers(layout.points_b))
    columns["score"] = _score(rows, layout, lookups, columns, sides)
    if layout.time:
        columns["time"] = rows.judged(layout.time, lookups.time)
    if layout.side:
        columns["side"] = rows.judged(layout.side, lookups.side)
    elif layout.sided:
        columns["side"] = np.ones(rows.chunk.count)
        if layout.neutral:
            columns["side"] -= rows.judged(layout.neutral, lookups.neutral)
    if layout.weight:
        columns["weight"] = rows.judged(layout.weight, lookups.numbers(layout.weight, True))
    if layout.length:
        columns["length"] = rows.judged(layout.length, lookups.numbers(layout.length, True))
    margin = _margin(rows, layout, lookups, columns)
    if margin is not None:
        columns["margin"] = margin
    return columns


def self_play(name: Any) -> Refusal:
    """Why a row is refused in which both players are one."""
    return Refusal(f"{quoted(as_name(name))} plays against themselves", MEND)


def _score(
    rows: Judgement, layout: Layout, lookups: Lookups, columns: dict[str, Floats], sides: Sides
) -> Floats:
    """The score of the first side."""
    if layout.form == "winner and loser":
        won = np.ones(rows.chunk.count)
        if layout.draw:
            won[rows.judged(layout.draw, lookups.draw) == 1.0] = 0.5
        if layout.level_draws:
            won[columns["points_a"] == columns["points_b"]] = 0.5
        return won
    if layout.form == "winner":
        return scores_of_winners(rows, layout, lookups, sides)
    if layout.form == "result":
        return rows.judged(layout.result, lookups.result)
    a, b = columns["points_a"], columns["points_b"]
    if not layout.share:
        return np.asarray(0.5 * ((a > b) + 1.0 - (a < b)), np.float64)
    for name, values in ((layout.points_a, a), (layout.points_b, b)):
        rows.refuse_where(
            values < 0.0, name, lambda _: Refusal("negative points cannot be shared", MEND)
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = a + b
        halves = np.isinf(total)  # only of numbers near the largest there are
        total = np.where(halves, a / 2.0 + b / 2.0, total)
        share: Floats = np.where(halves, a / 2.0, a)
    return np.divide(share, total, out=np.full_like(a, 0.5), where=total > 0.0)


def _margin(
    rows: Judgement, layout: Layout, lookups: Lookups, columns: dict[str, Floats]
) -> Floats | None:
    """By how much the first side won."""
    score = columns["score"]
    if layout.margin:
        name: str | None = layout.margin
        margin = rows.judged(layout.margin, lookups.numbers(layout.margin))
        if layout.form in {"winner", "winner and loser"}:  # tables of winners write no signs
            margin = np.where((score < 0.5) & (margin > 0.0), -margin, margin)
    elif "points_a" in columns:
        name = layout.points_a
        with np.errstate(over="ignore", invalid="ignore"):
            margin = columns["points_a"] - columns["points_b"]
        rows.refuse_where(
            np.isinf(margin), name, lambda _: Refusal("points too large to be compared", MEND)
        )
        if layout.share:
            return margin
    else:
        return None
    if layout.draw:
        rows.refuse_where(
            (score == 0.5) & (np.abs(margin) > 0.0),
            layout.draw,
            lambda row: Refusal(
                f"a drawn game with a margin of {abs(margin[row]):g}",
                'correct the row, or leave the column out with draw="none" (--draw none)',
            ),
        )
    rows.refuse_where(
        ((score > 0.5) & (margin < 0.0)) | ((score < 0.5) & (margin > 0.0)),
        name,
        lambda row: Refusal(
            f"a margin of {margin[row]:g} contradicts a score of {score[row]:g}",
            f"margins count from the first side, negative when it lost; {SKIP}",
        ),
    )
    return margin
