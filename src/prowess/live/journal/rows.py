"""A result as a row of `version`, and that row as a fact for a ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from math import nan
from typing import Any

from prowess.live.facts import NO_FACTS, Fact, Member, Side, alone
from prowess.live.journal.submission import Submission

COUNTS, HELD, VOID, REJECTED = "counts", "held", "void", "rejected"  # states
GAME = ("a", "b", "score", "side", "margin", "length", "points_a", "points_b")
SAID = (*GAME, "weight", "round", "facts", "time")
SEAT = ("player_id", "side", "share", "place", "points")  # columns of `placing`


def said(one: Submission, player: Callable[[str], int]) -> dict[str, Any]:
    """The columns of `version` that a checked submission fills."""
    found: dict[str, Any] = dict.fromkeys(GAME)
    if one.score is not None:
        first, second = one.line_ups
        found |= {
            "score": one.score,
            "side": one.side,
            "margin": one.margin,
            "length": one.length,
            "points_a": first.points,
            "points_b": second.points,
        }
        if _of_two_players(one):
            found |= {"a": player(first.players[0][0]), "b": player(second.players[0][0])}
    return found | {
        "time": one.time, "weight": one.weight, "round": one.round, "facts": one.facts
    }  # fmt: skip


def placed(one: Submission, player: Callable[[str], int]) -> list[dict[str, Any]]:
    """The rows of `placing` of a checked submission: of a game of two players there are none.

    The sides of a contest are numbered by the lowest numbers of their players, so that the order
    in which they are reported means nothing.
    """
    if one.score is not None and _of_two_players(one):
        return []
    sides = []
    for at, side in enumerate(one.line_ups):
        place, points = side.place, side.points
        if one.score is not None:
            lost = one.score < 0.5 if at == 0 else one.score > 0.5
            place, points = 1.0 + lost, None
        assert place is not None
        members = sorted((player(name), float(share)) for name, share in side.players)
        sides.append((members, float(place), points))
    if one.score is None:
        sides.sort(key=lambda side: side[0][0])
    return [
        {"player_id": number, "side": at, "share": share, "place": place, "points": points}
        for at, (members, place, points) in enumerate(sides)
        for number, share in members
    ]


def _of_two_players(one: Submission) -> bool:
    """Whether a game is one of a player against another, who both played all of it."""
    return all(len(side.players) == 1 and side.players[0][1] == 1.0 for side in one.line_ups)


def same(
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    placings: Sequence[Mapping[str, Any]],
    others: Sequence[Mapping[str, Any]],
    timed: bool = True,
) -> bool:
    """Whether two versions say the same; `timed` False leaves the time out of it."""
    columns = SAID if timed else SAID[:-1]
    return all(one[c] == other[c] for c in columns) and (
        _sides(one, placings) == _sides(other, others)
    )


def same_but_for(
    forgotten: AbstractSet[int],
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    placings: Sequence[Mapping[str, Any]],
    others: Sequence[Mapping[str, Any]],
    timed: bool = True,
) -> bool:
    """Whether they say the same if the first one's forgotten players may have had any name."""
    if not forgotten:
        return False
    seats = {side: one[side] for side in ("a", "b") if one[side] in forgotten}
    remembered = {p["player_id"] for p in placings} - forgotten
    return same(
        one, {**other, **seats}, _unnamed(placings, remembered), _unnamed(others, remembered), timed
    )


def _unnamed(
    placings: Sequence[Mapping[str, Any]], remembered: AbstractSet[int]
) -> list[dict[str, Any]]:
    """The placings, those of players who are not remembered without a name."""
    return [
        {**p, "player_id": p["player_id"] if p["player_id"] in remembered else 0} for p in placings
    ]


def _sides(row: Mapping[str, Any], placings: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The sides to be compared; those of a contest have no order."""
    found = []
    for members in by_side(placings):
        first = members[0]
        who = sorted((p["player_id"], p["share"]) for p in members)
        found.append((first["place"], first["points"] or 0.0, who))
    return found if row["score"] is not None else sorted(found)


def by_side(placings: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The members of each side in the order in which they are played wherever they are: sums
    depend on it in the last bit.
    """
    found: dict[int, list[Mapping[str, Any]]] = {}
    for one in sorted(placings, key=lambda p: (p["side"], p["player_id"])):
        found.setdefault(one["side"], []).append(one)
    return list(found.values())


def fact(
    number: int,
    row: Mapping[str, Any],
    placings: Sequence[Mapping[str, Any]],
    canonical: Callable[[int], int],
) -> Fact:
    """What a ladder plays."""
    a, b = _number(row["points_a"]), _number(row["points_b"])
    if row["a"] is not None:
        sides: tuple[Side, ...] = (
            alone(canonical(row["a"]), points=a),
            alone(canonical(row["b"]), points=b),
        )
    else:
        points = iter((a, b))
        sides = tuple(
            Side(
                tuple(Member(canonical(p["player_id"]), p["share"]) for p in members),
                members[0]["place"],
                _number(members[0]["points"]) if row["score"] is None else next(points),
            )
            for members in by_side(placings)
        )
    return Fact(
        number, row["time"], sides, _number(row["score"]), row["side"] or 0.0,
        _number(row["margin"]), _number(row["length"]), row["weight"], row["round"],
        row["facts"] or NO_FACTS,
    )  # fmt: skip


def _number(value: float | None) -> float:
    return nan if value is None else value
