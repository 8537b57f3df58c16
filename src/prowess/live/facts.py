"""What the store and the ladders tell each other about results, as plain values.

Times are whole microseconds since 1970-01-01 UTC, players and results are the store's numbers.
"""

from __future__ import annotations

from typing import NamedTuple

DAY = 86_400_000_000  # microseconds
GAMES, CONTESTS = "games", "contests"  # kinds of a category
KEPT = ("side", "weight", "margin", "length", "points_a", "points_b")  # columns of a game
USUAL = {"side": 0.0, "weight": 1.0}  # what a game has that does not say
EXTRA = ("margin", "length", "points")  # what a category may ask of every game


class Pairing(NamedTuple):
    """A game between two players; nan where the category does not keep a column."""

    a: int
    b: int
    score: float  # of a, in [0, 1]
    side: float = 0.0
    margin: float = float("nan")
    length: float = float("nan")
    points_a: float = float("nan")
    points_b: float = float("nan")


class Placing(NamedTuple):
    """One player's row of a contest."""

    player: int
    place: float  # 1 is best, equal places are ties
    points: float = float("nan")


class Fact(NamedTuple):
    """One result that counts. Results are played by time, those of equal time by number."""

    id: int
    time: int
    pairing: Pairing | None  # None: a contest
    placings: tuple[Placing, ...] = ()
    weight: float = 1.0
    round: str | None = None

    @property
    def players(self) -> tuple[int, ...]:
        """Everyone who took part."""
        if self.pairing is not None:
            return self.pairing.a, self.pairing.b
        return tuple(one.player for one in self.placings)


Changes = dict[int, Fact | None]  # by number of the result; None: it counts no longer


def days(time: int) -> float:
    """Microseconds as the days that the engine counts in, rounded as a table's dates are."""
    return time // DAY + time % DAY / DAY
