"""Line-ups: the sides of a reported result by the names of their players, and their checks."""

from __future__ import annotations

from math import isclose, isfinite
from typing import NamedTuple

from prowess.live.errors import Refused
from prowess.live.journal.registry import Category

LARGEST = 1e9  # of margins, points, lengths, places and weights; beyond, sums lose digits


MOST_MEMBERS = 10_000  # of all sides of a result


class LineUp(NamedTuple):
    """A side by the names of its players, each with a share of the result."""

    players: tuple[tuple[str, float], ...]
    score: float | None = None
    place: float | None = None
    points: float | None = None


def check_line_ups(sides: tuple[LineUp, ...], category: Category) -> None:
    """Raise Refused for an empty or too large side, a repeated player or a bad share."""
    seen: dict[str, int] = {}
    for at, side in enumerate(sides):
        if not side.players:
            raise Refused(
                "empty_side",
                "name the players of this side, or leave the side out",
                field=f"sides.{at}.players",
            )
        if len(side.players) > category.side_size:
            raise Refused(
                "too_many_players",
                f"leave players out, or make side_size larger (PATCH /categories/{category.key}): "
                f"{category.key} has sides of at most {_players(category.side_size)}, and this one "
                f"has {len(side.players):,}",
                field=f"sides.{at}.players",
            )
        for seat, (name, share) in enumerate(side.players):
            path = f"sides.{at}.players.{seat}"
            if name in seen:
                raise named_again(name, seen[name] != at, path)
            seen[name] = at
            _check_share(share, category, path)
    if len(seen) > MOST_MEMBERS:
        raise Refused(
            "too_many_players",
            f"a result has at most {MOST_MEMBERS:,} players, not {len(seen):,}",
            field="sides",
        )


def named_again(name: str, on_two_sides: bool, field: str) -> Refused:
    """The error for a player who is named twice, by the same name or two names."""
    if on_two_sides:
        message = f"take {name!r} off one of the sides: two of their names are this player's"
        return Refused("self_play", message, field=field)
    message = f"name {name!r} once on this side, with the whole share: two of its names are this"
    return Refused("twice", f"{message} player's", field=field)


def score_of_sides(first: LineUp, second: LineUp) -> tuple[float | None, str]:
    """The score of the first side from scores or places (None without), and its field.

    Raises Refused where they contradict one another.
    """
    given: list[tuple[float, str]] = []
    if first.score is not None:
        given.append((first.score, "sides.0.score"))
    if second.score is not None:
        given.append((1.0 - second.score, "sides.1.score"))
    places = first.place, second.place
    if places[0] is not None and places[1] is not None:
        for at, place in enumerate(places):
            check_place(place, f"sides.{at}.place")
        by_place = 0.5 * ((places[0] < places[1]) + 1.0 - (places[0] > places[1]))
        if given and _order(given[0][0]) != _order(by_place):
            raise Refused(
                "bad_place",
                "correct the places or the score, or leave one out: they contradict each other",
                field="sides.0.place",
            )
        given.append((by_place, "sides.0.place"))
    elif places != (None, None):
        at = places.index(None)
        raise Refused("missing", "give both sides a place, or neither", field=f"sides.{at}.place")
    if first.score is not None and second.score is not None:
        one, other = first.score, second.score
        if not isclose(one + other, 1.0, rel_tol=1e-12):
            raise Refused(
                "bad_score",
                f"the scores of both sides add up to 1, {one!r} and {other!r} do not: leave one "
                "out, or give what was scored as points",
                field="sides.1.score",
            )
    return given[0] if given else (None, "sides.0.score")


def check_place(place: float | None, field: str) -> None:
    """Raise Refused for a missing or bad place."""
    if place is None:
        raise Refused("missing", "give a place for each side, 1 the best", field=field)
    if not (isfinite(place) and 1.0 <= place <= LARGEST):
        raise Refused("bad_place", f"{place!r}: places count from 1, the best", field=field)


def check_points(points: float | None, field: str) -> None:
    if points is not None and not (isfinite(points) and abs(points) <= LARGEST):
        raise Refused("bad_number", f"{points!r}: a finite number", field=field)


def _check_share(share: float, category: Category, path: str) -> None:
    if not 0.0 < share <= 1.0:
        raise Refused(
            "bad_share",
            f"{share!r}: a share is above 0 and at most 1; leave out a player who took no part",
            field=f"{path}.share",
        )
    if share != 1.0 and category.side_size == 1:
        raise Refused(
            "bad_share",
            f"leave the share out: {category.key} has sides of one player, who plays all of it",
            field=f"{path}.share",
        )


def _order(score: float) -> int:
    """Whether the first side won (1), drew (0) or lost (-1)."""
    return (score > 0.5) - (score < 0.5)


def _players(count: int) -> str:
    return "one player" if count == 1 else f"{count:,} players"
