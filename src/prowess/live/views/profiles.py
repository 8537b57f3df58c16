"""One player: where he stands, how he came there, and against whom."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.explain import Step
from prowess.engine.fitted import NoModel
from prowess.engine.periods import date_text
from prowess.engine.uncertainty import normal_quantile
from prowess.live.views.boards import LEVEL, Marks, board, place_of, rows, standing
from prowess.live.views.remembered import remembered
from prowess.study.figures.listing import Listing

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


def profile(ratings: Ratings, k: int, marks: Marks) -> dict[str, Any]:
    """Rating, rank among all who played, percentile (of 0 to 100, the best at 100) and peak.

    A player without a game as of the day of the ratings has no rank.
    """
    listed = board(ratings, Listing())
    place = place_of(listed, k)
    if place is None:
        return {"rank": None, "percentile": None, "of": len(listed.order), "peak": None} | standing(
            ratings, k, marks
        )
    row = rows(ratings, listed, marks, place, 1)[0]
    below = int((ratings.strength[listed.order] < ratings.strength[k]).sum())
    others = len(listed.order) - 1
    return row | {
        "percentile": 100.0 if not others else 100.0 * below / others,
        "of": len(listed.order),
        "peak": peak(ratings, k),
    }


def steps(ratings: Ratings, k: int) -> tuple[Step, ...]:
    """Every game of a player in order of play; raises NoModel for a whole-table system."""
    return remembered(ratings, ("steps", k), lambda: ratings.history(ratings.players[k]).steps)


def peak(ratings: Ratings, k: int) -> dict[str, Any] | None:
    """The highest rating after a game, and the highest lower end of its interval where known.

    None for systems that look at the whole table, which have no past ratings.
    """
    try:
        played = steps(ratings, k)
    except NoModel:
        return None
    ends = [
        step for step, later in zip(played, [*played[1:], None], strict=True) if _last(step, later)
    ]
    if not ends:
        return None
    best = max(ends, key=lambda step: step.after)
    found = {"rating": best.after, "date": _date(best.time)}
    if "deviation" in best.values._fields:
        z = normal_quantile(LEVEL)

        def low(step: Step) -> float:
            return float(step.after - z * step.values.deviation)

        surest = max(ends, key=low)
        found |= {"low": low(surest), "low_date": _date(surest.time)}
    return found


def history(played: Sequence[Step], results: Sequence[int]) -> list[dict[str, Any]]:
    """The results of a player in order of play: expected, before, after, and the terms between.

    `results` are the numbers of his results in the same order. A contest is one entry with the
    sum of its terms; `opponents` says against whom.
    """
    entries = []
    for at, some in enumerate(_by_result(played)):
        first, last = some[0], some[-1]
        names = {name for step in some for name in step.terms}
        entries.append(
            {
                "result": results[at] if at < len(results) else None,
                "number": at + 1,
                "date": _date(first.time),
                "opponents": [
                    {"player": step.opponent, "rating": step.opponent_rating} for step in some
                ],
                "score": float(np.mean([step.score for step in some])),
                "expected": float(np.mean([step.expected for step in some])),
                "before": first.before,
                "after": last.after,
                "change": last.after - first.before,
                "terms": {
                    name: fsum(step.terms.get(name, 0.0) for step in some) for name in sorted(names)
                },
                "values": last.values._asdict(),
            }
        )
    return entries


def _by_result(played: Sequence[Step]) -> list[list[Step]]:
    """Steps of one row of the table belong to one result."""
    found: list[list[Step]] = []
    for step in played:
        if found and found[-1][0].row == step.row:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def _last(step: Step, later: Step | None) -> bool:
    """Whether a rating is one that was shown: that after a round, not within it."""
    return later is None or later.round != step.round


def _date(day: float | None) -> str | None:
    return None if day is None else date_text(day)
