"""A result as a row of `version`, and that row as a fact for a ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from math import nan
from typing import Any

from prowess.live.desk.submission import Submission
from prowess.live.facts import Fact, Pairing, Placing

COUNTS, HELD, VOID, REJECTED = "counts", "held", "void", "rejected"  # states
GAME = ("a", "b", "score", "side", "margin", "length", "points_a", "points_b")
SAID = (*GAME, "weight", "round", "time")


def said(one: Submission, player: Callable[[str], int]) -> dict[str, Any]:
    """The columns of `version` that a checked submission fills."""
    game: dict[str, Any] = dict.fromkeys(GAME)
    if one.player_a is not None and one.player_b is not None:
        game |= {
            "a": player(one.player_a),
            "b": player(one.player_b),
            "score": one.score,
            "side": one.side,
            "margin": one.margin,
            "length": one.length,
            "points_a": one.points_a,
            "points_b": one.points_b,
        }
    return game | {"time": one.time, "weight": one.weight, "round": one.round}


def placed(one: Submission, player: Callable[[str], int]) -> list[dict[str, Any]]:
    """The rows of `placing` of a checked submission."""
    return [
        {"player_id": player(name), "place": float(place), "points": points}
        for name, place, points in one.placings
    ]


def same(
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    placings: Sequence[Mapping[str, Any]],
    others: Sequence[Mapping[str, Any]],
    timed: bool = True,
) -> bool:
    """Whether two versions say the same; `timed` False leaves the time out of it."""
    columns = SAID if timed else SAID[:-1]
    return all(one[c] == other[c] for c in columns) and _places(placings) == _places(others)


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
    """The placings, those of nobody who is remembered without a name."""
    return [
        {**p, "player_id": p["player_id"] if p["player_id"] in remembered else 0} for p in placings
    ]


def _places(placings: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((p["player_id"], p["place"], p["points"] or 0.0) for p in placings)


def fact(
    number: int,
    row: Mapping[str, Any],
    placings: Sequence[Mapping[str, Any]],
    canonical: Callable[[int], int],
) -> Fact:
    """What a ladder plays."""
    if row["a"] is None:
        places = tuple(
            Placing(canonical(p["player_id"]), p["place"], _number(p["points"]))
            for p in sorted(placings, key=by_player)
        )
        return Fact(number, row["time"], None, places, row["weight"], row["round"])
    pairing = Pairing(
        canonical(row["a"]),
        canonical(row["b"]),
        row["score"],
        row["side"],
        *(_number(row[c]) for c in GAME[4:]),
    )
    return Fact(number, row["time"], pairing, (), row["weight"], row["round"])


def by_player(placing: Mapping[str, Any]) -> int:
    """The order of a contest's rows wherever it is played: sums depend on it in the last bit."""
    number: int = placing["player_id"]
    return number


def _number(value: float | None) -> float:
    return nan if value is None else value
