"""Versions of results: from a submission, as rows of the store, and compared."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from prowess.live.journal.submission import Submission
from prowess.live.result import LiveResult, ResultSide, SideMember, optional

GAME = ("a", "b", "score", "side", "margin", "length", "points_a", "points_b")
SEAT = ("player_id", "side", "share", "place", "points")  # columns of `placing`


def number_players(one: Submission, player: Callable[[str], int], **reference: Any) -> LiveResult:
    """The LiveResult of a checked submission; `reference` has the id, the category, ...

    Members of a side stand in order of their numbers. The sides of a contest are ordered by the
    lowest numbers of their players, so that the order of reporting does not matter.
    """
    assert one.time is not None
    assert one.weight is not None
    sides = []
    for at, given in enumerate(one.line_ups):
        members = sorted(SideMember(player(name), float(share)) for name, share in given.players)
        side = ResultSide(tuple(members))
        if one.score is None:
            assert given.place is not None
            side = side._replace(place=float(given.place))
        elif not _is_duel(one):
            lost = one.score < 0.5 if at == 0 else one.score > 0.5
            side = side._replace(place=1.0 + lost)
        sides.append(side if given.points is None else side._replace(points=given.points))
    content: dict[str, Any] = {"side": None}
    if one.score is None:
        sides.sort(key=lambda side: side.members[0].player)
    else:
        content = {name: getattr(one, name) for name in ("score", "side", "margin", "length")}
    content |= {"weight": one.weight, "round": one.round, "facts": one.facts}
    content |= {"id": 0, "time": one.time, "sides": tuple(sides)}
    return LiveResult(**content | reference)


def _is_duel(one: Submission) -> bool:
    """Whether a game is one of a player against another, who both played all of it."""
    return all(len(side.players) == 1 and side.players[0][1] == 1.0 for side in one.line_ups)


def version_row(one: LiveResult) -> dict[str, Any]:
    """The row of the table `version`."""
    names = (*GAME, "weight", "round", "facts", "time", "state", "revision")
    return {"result_id": one.id} | {name: getattr(one, name) for name in names}


def placing_rows(one: LiveResult) -> list[dict[str, Any]]:
    """The rows of the table `placing`: of a game of one player against one there are none."""
    if one.is_duel:
        return []
    return [
        {
            "result_id": one.id,
            "revision": one.revision,
            "player_id": player,
            "side": at,
            "share": share,
            "place": side.place,
            "points": optional(side.points) if one.score is None else None,
        }
        for at, side in enumerate(one.sides)
        for player, share in side.members
    ]


def is_same(one: LiveResult, other: LiveResult, *, with_time: bool = True) -> bool:
    """Whether two versions have the same content, in any order of a contest's sides."""
    return bool(_content(one, with_time) == _content(other, with_time))


def is_same_but_for(
    forgotten: Collection[int], one: LiveResult, other: LiveResult, *, with_time: bool = True
) -> bool:
    """Whether they have the same content but for anonymised players of the first one."""
    if not forgotten:
        return False
    remembered = set(one.players).difference(forgotten)

    def mask(player: int) -> int:
        return player if player in remembered else 0

    return is_same(one.with_players(mask), other.with_players(mask), with_time=with_time)


def _content(one: LiveResult, with_time: bool) -> Any:
    """The content of a result as comparable values."""
    sides = [
        (optional(side.place) or 0.0, optional(side.points) or 0.0, sorted(side.members))
        for side in one.sides
    ]
    if one.score is None:
        sides.sort()
    points = one.points_a, one.points_b
    more = one.score, one.side, one.margin, one.length, one.weight, one.round, one.facts
    return sides, points, more, one.time if with_time else None
