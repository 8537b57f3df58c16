"""Do rows stand twice in the table? The rule is that of the reader (prowess.games.repetition)."""

from __future__ import annotations

from typing import Any

from prowess.games.repetition import USUAL, find_repeated_rows
from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.finding import Observation

SHOWN = 5


def duplicates(course: Course) -> Observation:
    """Count rows that say again what another one says."""
    games = course.games
    if games.time is None:
        raise TooFew("without dates equal rows may be two games")
    found = find_repeated_rows(games)
    again, several = found.rows, found.several
    shown: list[dict[str, Any]] = [
        {"player": games.players[int(games.a[row])],
         "opponent": games.players[int(games.b[row])],
         "score": float(games.score[row]), "when": course.day(row)}
        for row in again[:SHOWN].tolist()
    ]  # fmt: skip
    example = ""
    if shown:
        one_row = shown[0]
        example = f" ({one_row['player']} - {one_row['opponent']}, {one_row['when']})"
    rows = "1 row repeats" if len(again) == 1 else f"{len(again):,} rows repeat"
    calm = "No row stands twice."
    if len(again):
        calm = (
            f"{rows} pair, moment and result of another, which is usual here: {several:.0%} of "
            "the meetings have several different games."
        )
    return Observation(
        name="duplicated rows",
        calm=calm,
        alarm=f"{rows} pair, moment and result of another{example}.",
        numbers={"rows": len(again), "meetings_of_several_games": several, "some": shown},
        method=(
            "rows alike in players, moment, result and whatever else the table says of a game; "
            f"silent where more than {USUAL:.0%} of the meetings have several different games"
        ),
        size=0.0 if found.usual else float(len(again)),
        notice=1.0,
        warning=max(10.0, 1e-3 * len(games)),
    )
