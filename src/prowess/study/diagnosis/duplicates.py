"""Do rows stand twice in the table?

A game stands twice where the same two players have the same result at the same moment. Some
leagues let a pair play several games on one day and write the day only: there, equal rows are no
surprise, and nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from prowess.games.games import Games

USUAL = 0.02  # of all meetings of a pair at one moment have several games: then it is usual
SHOWN = 5


def duplicates(course: Course) -> Observation:
    """Count rows that say again what another one says."""
    games = course.games
    if games.time is None:
        raise TooFew("without dates equal rows may be two games")
    a, b = games.a.astype(np.int64), games.b.astype(np.int64)
    swapped = a > b
    moment = np.unique(games.time, return_inverse=True)[1]
    one, other = np.minimum(a, b), np.maximum(a, b)
    meeting = _numbers((moment, one, other))
    count = np.bincount(meeting)
    several = float((count > 1).mean())
    same = _numbers((meeting, *_said(games, swapped)))
    first = np.unique(same, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(games)), first)
    shown: list[dict[str, Any]] = [
        {"player": games.players[int(a[row])], "opponent": games.players[int(b[row])],
         "score": float(games.score[row]), "when": course.day(row)}
        for row in again[:SHOWN].tolist()
    ]  # fmt: skip
    usual = several > USUAL
    example = ""
    if shown:
        one_row = shown[0]
        example = f" ({one_row['player']} - {one_row['opponent']}, {one_row['when']})"
    rows = "1 row repeats" if len(again) == 1 else f"{len(again):,} rows repeat"
    calm = "No row stands twice."
    if len(again):
        calm = (
            f"{rows} pair, moment and result of another, which is usual here: {several:.0%} of "
            "the meetings have several games."
        )
    return Observation(
        name="duplicated rows",
        calm=calm,
        alarm=f"{rows} pair, moment and result of another{example}.",
        numbers={"rows": len(again), "meetings_of_several_games": several, "some": shown},
        method=(
            "rows alike in players, moment, result and whatever else the table says of a game; "
            f"silent where more than {USUAL:.0%} of the meetings have several games"
        ),
        size=0.0 if usual else float(len(again)),
        notice=1.0,
        warning=max(10.0, 1e-3 * len(games)),
    )


def _said(games: Games, swapped: Any) -> list[Any]:
    """All that the table says of a game, seen from the player with the lower number."""
    told = [np.where(swapped, 1.0 - games.score, games.score)]
    turned = (c for c in (games.side, games.margin) if c is not None)
    told += [np.where(swapped, -column, column) for column in turned]
    if games.points_a is not None and games.points_b is not None:
        told.append(np.where(swapped, games.points_b, games.points_a))
        told.append(np.where(swapped, games.points_a, games.points_b))
    return [*told, *(c for c in (games.length, games.round) if c is not None)]


def _numbers(columns: Any) -> Any:
    """A number for each different combination of values, [n]."""
    combined = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values = np.unique(column, return_inverse=True)[1]
        combined = combined * (int(values.max()) + 1) + values
        combined = np.unique(combined, return_inverse=True)[1]
    return combined
