"""How the ratings of chosen players went, from one replay of the whole table.

A career has a row for every game (of contests, for every contest): the rating with which the
player went into it. The last row is the rating now, as the leaderboard has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.fit import NoModel
from prowess.engine.meetings import watch_players
from prowess.engine.rate import DynamicRatings
from prowess.engine.run import Watch, plays_straight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Career:
    """Ratings of one player, [games + 1]: before each game, then now.

    `time` is in days since 1970, None without dates; `deviation` is None for systems without one.
    """

    player: str
    rating: Floats
    deviation: Floats | None
    time: Floats | None

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.rating) - 1


def careers(ratings: Ratings, players: Sequence[str]) -> tuple[Career, ...]:
    """The careers of the players named, in that order; empty for systems without histories.

    Raises NoModel for a system that looks at all games at once, UnknownPlayer.
    """
    if not isinstance(ratings, DynamicRatings):
        raise NoModel(
            f"{ratings.system.name} looks at all games at once, so ratings have no history; "
            "a dynamic system such as elo has one"
        )
    chosen = [ratings.index(player) for player in players]
    table = ratings.table
    wanted = np.zeros(len(ratings.players), dtype=bool)
    wanted[chosen] = True
    entries = np.flatnonzero(wanted[table.player])
    player = table.player[entries]
    time = None if table.time is None else table.time[table.contest_of_member[entries]]
    before = ratings_before(ratings, watch_players(ratings, chosen), entries)
    return tuple(_career(ratings, k, player == k, before, time) for k in chosen)


def ratings_before(ratings: DynamicRatings, seen: Watch, entries: NDArray[np.int64]) -> Floats:
    """The ratings with which members went into their contests, [entries, fields]."""
    slots, kept = seen.slots, np.asarray(seen.memory.rating, dtype=np.float64)
    if plays_straight(ratings.system, ratings.p, ratings.table):
        before: Floats = kept[2 * slots[entries // 2] + entries % 2]
        return before
    logs = None if ratings.state.logs is None else seen.memory.sums[slots[entries]]
    return ratings.state.mixed(rating=kept[slots[entries]], logs=logs)


def _career(
    ratings: DynamicRatings,
    player: int,
    mine: NDArray[np.bool_],
    before: Floats,
    time: Floats | None,
) -> Career:
    """One player out of the entries of all."""
    values = np.concatenate((before[mine], ratings.values[[player]]))
    moments = None
    if time is not None:
        own = time[mine]
        now = own[-1:] if ratings.day is None else np.maximum(own[-1:], ratings.day)
        moments = np.concatenate((own, now))
    sure = ratings.fields.index("deviation") if "deviation" in ratings.fields else None
    deviation = None if sure is None else values[:, sure]
    return Career(ratings.players[player], values[:, 0], deviation, moments)
