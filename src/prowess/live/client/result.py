"""A result as the server takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class Placing(TypedDict):
    """One player's row of a contest; place 1 is best, equal places are ties."""

    player: str
    place: float
    points: NotRequired[float]


class Member(TypedDict):
    """A player of a side, and how much of the result the player took part in: 0.5 for half."""

    player: str
    share: NotRequired[float]


class Side(TypedDict):
    """A side of one or several players: of a game with a score or points, of a contest a place."""

    players: Sequence[str | Member]
    score: NotRequired[float]
    place: NotRequired[float]
    points: NotRequired[float]


class Result(TypedDict, total=False):
    """A game (player_a, player_b, score), a contest (placings), or either by `sides`.

    `score` is that of player_a in [0, 1], `time` is ISO 8601 with its zone, `side` is 1 where
    the first side has the side advantage. `facts` are numbers and categories by name.
    `external_id` is the reporter's own number: with the source it names the result for ever, so
    that a result sent twice counts once.
    """

    category: str
    player_a: str
    player_b: str
    score: float
    placings: list[Placing]
    sides: list[Side]
    time: str
    side: float
    weight: float
    margin: float
    length: float
    points_a: float
    points_b: float
    round: str
    source: str
    external_id: str
    facts: dict[str, float | str]
