"""What the store and the ladders tell each other about results, as plain values.

Times are whole microseconds since 1970-01-01 UTC, players and results are the store's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from types import MappingProxyType
from typing import NamedTuple

DAY = 86_400_000_000  # microseconds
GAMES, CONTESTS = "games", "contests"  # kinds of a category: of two sides, of any number
USUAL = {"side": 0.0, "weight": 1.0, "share": 1.0}  # what a result has that does not say
EXTRA = ("margin", "length", "points")  # what a category may ask of every game
NO_FACTS: Mapping[str, float | str] = MappingProxyType({})


class Member(NamedTuple):
    """A player of a side, and how much of the result the player took part in."""

    player: int
    share: float = 1.0


class Side(NamedTuple):
    """One side of a result; nan where it does not say."""

    members: tuple[Member, ...]
    place: float = nan  # of a contest: 1 is best, equal places are ties
    points: float = nan


class Fact(NamedTuple):
    """One result that counts. Results are played by time, those of equal time by number.

    A game has two sides and the score of the first; a contest has sides with places.
    """

    id: int
    time: int
    sides: tuple[Side, ...]
    score: float = nan  # of the first side, in [0, 1]; nan: a contest
    side: float = 0.0  # +1: the first side has the advantage, -1: the second
    margin: float = nan
    length: float = nan
    weight: float = 1.0
    round: str | None = None
    facts: Mapping[str, float | str] = NO_FACTS  # numbers and categories by name

    @property
    def players(self) -> tuple[int, ...]:
        """Everyone who took part."""
        return tuple(one.player for side in self.sides for one in side.members)


def alone(player: int, place: float = nan, points: float = nan) -> Side:
    """The side of one player."""
    return Side((Member(player),), place, points)


Changes = dict[int, Fact | None]  # by number of the result; None: it counts no longer


def days(time: int) -> float:
    """Microseconds as the days that the engine counts in, rounded as a table's dates are."""
    return time // DAY + time % DAY / DAY
