"""One result of a live ladder: the same value in the journal, in the store and in the log.

Times are whole microseconds since 1970-01-01 UTC, players and results are the store's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, NamedTuple

DAY_US = 86_400_000_000
Moment = Annotated[int, "microseconds since 1970-01-01 UTC"]  # JSON has a text
EARLY, OVERDUE = 7 * DAY_US, 30 * DAY_US  # by which a fixture may be played before, after its day
GAMES, CONTESTS = "games", "contests"  # kinds of a category: of two sides, of any number
COUNTS, HELD, VOID, REJECTED = "counts", "held", "void", "rejected"  # states of a result
FIELD_DEFAULTS = {"side": 0.0, "weight": 1.0, "share": 1.0}
EXTRA = ("margin", "length", "points")  # columns that a category may keep of every game


class SideMember(NamedTuple):
    """A player of a side, and how much of the result the player took part in."""

    player: int
    share: float = 1.0


class ResultSide(NamedTuple):
    """One side of a result; None where there is no place or are no points."""

    members: tuple[SideMember, ...]
    place: float | None = None  # of a contest: 1 is best, equal places are ties
    points: float | None = None


class LiveResult(NamedTuple):
    """One result: a game (two sides and the score of the first) or a contest (sides with places).

    Results are played by time, those of equal time by number. What a category does not keep is
    None. The fields from `category` on say where the result and this version of it come from; a
    ladder does not need them.
    """

    id: int
    time: int
    sides: tuple[ResultSide, ...]
    score: float | None = None  # of the first side, in [0, 1]; None: a contest
    side: float | None = 0.0  # +1: the first side has the advantage, -1: the second
    margin: float | None = None
    length: float | None = None
    weight: float = 1.0
    round: str | None = None
    facts: Mapping[str, float | str] | None = None  # numbers and categories by name
    category: int = 0
    source: str = ""
    external_id: str | None = None
    created: int = 0  # revision of the first version
    revision: int = 0  # of this version
    state: str = COUNTS

    @property
    def players(self) -> tuple[int, ...]:
        """All players who took part."""
        return tuple(one.player for side in self.sides for one in side.members)

    @property
    def single(self) -> bool:
        """Whether every side is one player, who played all of it."""
        return all(len(one.members) == 1 and one.members[0].share == 1.0 for one in self.sides)

    @property
    def pair(self) -> tuple[int, int] | None:
        """Both players of a game of one player against one, who played all of it; else None."""
        if self.score is None:
            return None
        first, second = self.sides[0].members, self.sides[1].members
        if len(first) != 1 or len(second) != 1 or not first[0].share == second[0].share == 1.0:
            return None
        return first[0].player, second[0].player

    @property
    def points(self) -> tuple[float | None, ...]:
        """The points of both sides of a game, where they are kept; of a contest none."""
        return (None, None) if self.score is None else tuple(side.points for side in self.sides)

    @property
    def ranked(self) -> list[ResultSide]:
        """The sides of a contest, the best place first."""
        return sorted(self.sides, key=lambda side: (side.place or 0.0, side.members))

    def with_players(self, number: Callable[[int], int]) -> LiveResult:
        """The same result of other players, such as those into whom players were merged."""
        sides = tuple(
            side._replace(members=tuple(SideMember(number(p), share) for p, share in side.members))
            for side in self.sides
        )
        return self._replace(sides=sides)


Changes = dict[int, LiveResult | None]  # by number of the result; None: it counts no longer


def days(time: int) -> float:
    """Microseconds as the days that the engine counts in, rounded as a table's dates are."""
    return time // DAY_US + time % DAY_US / DAY_US


def is_about(planned: int, played: int) -> bool:
    """Whether a game was played about when it was to be."""
    return planned - EARLY <= played <= planned + OVERDUE
