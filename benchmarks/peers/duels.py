"""Games of two players as other programs get them: plain Python lists, in order of time."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf


class OutOfTime(Exception):
    """The seconds that a program had are over."""


@dataclass(frozen=True)
class Duels:
    """Games of one player against one.

    `a` and `b` are numbers of players, `score` is 1, 0.5 or 0 of the first, `day` counts from 0,
    `side` is 1 where the first has the side advantage, -1 where the second, else 0. `draws` is the
    share of draws among the first fifth, `refit` the number of games between two fits of a program
    that fits all of them again, `until` the moment at which a program has to stop.
    """

    players: int
    a: list[int]
    b: list[int]
    score: list[float]
    day: list[float]
    side: list[float]
    draws: float
    refit: int = 50
    until: float = inf

    def __len__(self) -> int:
        return len(self.score)

    def first(self, count: int) -> Duels:
        """The first so many games."""
        return replace(
            self,
            a=self.a[:count],
            b=self.b[:count],
            score=self.score[:count],
            day=self.day[:count],
            side=self.side[:count],
        )

    def check_time(self) -> None:
        """Raise OutOfTime where the time is over."""
        if time.monotonic() > self.until:
            raise OutOfTime


@dataclass(frozen=True)
class Races:
    """Contests of many players: of each contest the numbers of players, their places, its day."""

    players: int
    who: list[list[int]]
    place: list[list[float]]
    day: list[float]
    until: float = inf

    def __len__(self) -> int:
        return len(self.who)

    def first(self, count: int) -> Races:
        """The first so many contests."""
        return replace(self, who=self.who[:count], place=self.place[:count], day=self.day[:count])

    def check_time(self) -> None:
        """Raise OutOfTime where the time is over."""
        if time.monotonic() > self.until:
            raise OutOfTime
