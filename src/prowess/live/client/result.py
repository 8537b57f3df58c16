"""A result as the server takes it."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Placing(TypedDict):
    """One player's row of a contest; place 1 is best, equal places are ties."""

    player: str
    place: float
    points: NotRequired[float]


class Result(TypedDict, total=False):
    """A game (player_a, player_b, score) or a contest (placings).

    `score` is that of player_a in [0, 1], `time` is ISO 8601 with its zone, `side` is 1 where
    player_a has the side advantage. `external_id` is the reporter's own number: with the source
    it names the result for ever, so that a result sent twice counts once.
    """

    category: str
    player_a: str
    player_b: str
    score: float
    placings: list[Placing]
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
