"""One player: where he stands, how he came there, and against whom."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.explain import Step
from prowess.engine.fit import NoModel
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.engine.uncertainty import normal_quantile
from prowess.games.dates import format_date
from prowess.present.listing import Listing
from prowess.present.views.boards import LEVEL, board, place_of, standing
from prowess.present.views.remembered import has_lineage, keep_for_player
from prowess.study.forecasting.performance import Performance, performances

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

LATELY = 20  # games


def profile(
    ratings: Ratings,
    k: int,
    rule: Listing,
    among: Listing,
    played: Sequence[Step],
) -> dict[str, Any]:
    """Rating, rank and percentile (of 0 to 100, the best at 100) among those listed, and peak.

    Who is not among them has no rank; without steps there is no peak.
    """
    listed = board(ratings, among)
    place = place_of(listed, k)
    others = len(listed.order) - 1
    below = int((ratings.strength[listed.order] < ratings.strength[k]).sum())
    found: dict[str, Any] = {"rank": None, "percentile": None}
    if place is not None:
        found["rank"] = int(listed.rank[place])
        found["percentile"] = 100.0 * below / others if others else 100.0
    return (
        found | standing(ratings, k, rule, listed) | {"of": len(listed.order), "peak": peak(played)}
    )


def steps(ratings: Ratings, k: int) -> tuple[Step, ...]:
    """Every game of a player in order of play; raises NoModel for a whole-table system."""

    def work(earlier: tuple[Step, ...] | None) -> tuple[Step, ...]:
        if has_lineage(ratings):
            extended: tuple[Step, ...] = ratings.extend_steps(k, earlier or ())  # type: ignore[attr-defined]
            return extended
        return ratings.history(ratings.players[k]).steps

    return keep_for_player(ratings, k, "steps", work)


def moves(ratings: Ratings, players: Sequence[int]) -> dict[int, tuple[Step, ...]]:
    """The same of several players by number, from one replay.

    They are empty for a system that looks at the whole table, which has no past ratings.
    """
    if not isinstance(ratings, DynamicRatings):
        return dict.fromkeys(players, ())
    if has_lineage(ratings):
        return {k: steps(ratings, k) for k in players}
    found = (one.steps for one in ratings.histories(players))
    return dict(zip(players, found, strict=True))


def peak(played: Sequence[Step]) -> dict[str, Any] | None:
    """The highest rating after a game, and the highest lower end of its interval where known."""
    ends = [
        step for step, later in zip(played, [*played[1:], None], strict=False) if _last(step, later)
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


def lately(ratings: Ratings, players: Sequence[int]) -> dict[int, Performance]:
    """What players showed in their last `LATELY` games, by number; from one replay.

    Who showed nothing finite is left out, and everybody where the system cannot be asked.
    """
    if not has_lineage(ratings):
        return _performances(ratings, players)
    found = {
        k: keep_for_player(ratings, k, "lately", lambda _, k=k: _performances(ratings, [k]).get(k))  # type: ignore[misc]
        for k in players
    }
    return {k: one for k, one in found.items() if one is not None}


def _performances(ratings: Ratings, players: Sequence[int]) -> dict[int, Performance]:
    names = {ratings.players[k]: k for k in players}
    if not ratings.table.duels:  # a performance is one against players
        return {}
    try:
        found = performances(ratings, last=LATELY, player=list(names))
    except (NoModel, Unratable):
        return {}
    return {names[one.player]: one for one in found if one.exact is not None}


def history(
    ratings: Ratings, k: int, played: Sequence[Step], results: Sequence[int]
) -> list[dict[str, Any]]:
    """The results of a player in order of play: expected, before, after, and the terms between.

    `results` are the numbers of the player's results in the same order. A contest is one entry
    with the sum of its terms; `opponents` says against which sides, `partners` with whom.
    """
    return [
        {"result": results[at] if at < len(results) else None}
        | entry(at + 1, some)
        | company(ratings, k, some)
        for at, some in enumerate(by_result(played))
    ]


def company(ratings: Ratings, k: int, some: Sequence[Step]) -> dict[str, Any]:
    """Against which sides and with whom player k played the result of some steps.

    A member of a side is a name, with a share where it is not the whole, as in results; a side of
    one player is also that `player`.
    """
    table = ratings.table
    if table.duels:
        alone = some[0].opponent
        opponent = {"player": alone, "players": [alone], "rating": some[0].opponent_rating}
        return {"opponents": [opponent], "partners": []}
    row = some[0].row
    if not table.pairwise:  # the steps of a contest have the number of the member
        side = int(np.searchsorted(table.ends, row, side="right")) - 1
        row = int(np.searchsorted(table.start, side, side="right")) - 1
    partners: list[Any] = []
    sides: list[list[Any]] = []
    for side in range(int(table.start[row]), int(table.start[row + 1])):
        members = range(int(table.ends[side]), int(table.ends[side + 1]))
        if k in table.player[members.start : members.stop]:
            partners = [_seat(ratings, one) for one in members if table.player[one] != k]
        else:
            sides.append([_seat(ratings, one) for one in members])
    opponents = [
        ({"player": side[0]} if len(side) == 1 and isinstance(side[0], str) else {})
        | {"players": side, "rating": step.opponent_rating}
        for side, step in zip(sides, some, strict=True)  # both in the order of the sides
    ]
    return {"opponents": opponents, "partners": partners}


def _seat(ratings: Ratings, member: int) -> Any:
    """A member of a side as results tell it."""
    table = ratings.table
    name = ratings.players[int(table.player[member])]
    share = 1.0 if table.share is None else float(table.share[member])
    return name if share == 1.0 else {"player": name, "share": share}


def entry(number: int, some: Sequence[Step]) -> dict[str, Any]:
    """The steps of one result, the player's `number`th, as one."""
    first, last = some[0], some[-1]
    names = sorted({name for step in some for name in step.terms})
    return {
        "number": number,
        "date": _date(first.time),
        "score": float(np.mean([step.score for step in some])),
        "expected": float(np.mean([step.expected for step in some])),
        "before": first.before,
        "after": last.after,
        "change": last.after - first.before,
        "terms": {name: fsum(step.terms.get(name, 0.0) for step in some) for name in names},
        "values": last.values._asdict(),
    }


def by_result(played: Sequence[Step]) -> list[list[Step]]:
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
    return None if day is None else format_date(day)
