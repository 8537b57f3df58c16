"""How the ratings of chosen players went, from one replay of the whole table.

A career has a row for every game (of contests, for every contest): the rating with which the
player went into it. The last row is the rating now, as the leaderboard has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.fitted import NoModel
from prowess.engine.loops import Memory
from prowess.engine.replay import Watch
from prowess.engine.replayed import Replayed

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
    if not isinstance(ratings, Replayed):
        raise NoModel(
            f"{ratings.system.name} looks at all games at once, so ratings have no history; "
            "a dynamic system such as elo has one"
        )
    chosen = [ratings.index(player) for player in players]
    table = ratings.table
    wanted = np.zeros(len(ratings.players), dtype=bool)
    wanted[chosen] = True
    if not table.pairwise:
        rows = np.flatnonzero(wanted[table.player])
        sides = [table.player[rows]]
        when = np.repeat(np.arange(len(table)), np.diff(table.start))[rows]
    else:
        rows = np.flatnonzero(wanted[table.a] | wanted[table.b])
        sides = [table.a[rows], table.b[rows]]
        when = rows
    time = None if table.time is None else table.time[when]
    before = _before(ratings, rows, len(sides))
    return tuple(_career(ratings, k, sides, before, time) for k in chosen)


def _before(ratings: Replayed, rows: NDArray[np.int64], sides: int) -> Floats:
    """The ratings before every row, [rows, sides, fields], from a replay."""
    table, system = ratings.table, ratings.system
    count = len(table.player) if not table.pairwise else len(table)
    slots = np.full(count, -1, dtype=np.int64)
    slots[rows] = np.arange(len(rows))
    width = 1 if system.league is None else len(system.league.empty)
    fields = len(system.rating)
    memory = Memory(np.zeros((sides * len(rows), fields)), np.zeros((len(rows), width)))
    ratings.replayed(Watch(slots, memory))
    return np.asarray(memory.rating).reshape(len(rows), sides, fields)


def _career(
    ratings: Replayed, player: int, sides: list[NDArray[np.uint32]], before: Floats,
    time: Floats | None,
) -> Career:  # fmt: skip
    """One player out of the rows of all."""
    mine = np.stack([side == player for side in sides], axis=1)
    played = mine.any(axis=1)
    values = np.concatenate((before[mine], ratings.values[[player]]))
    moments = None
    if time is not None:
        own = time[played]
        now = own[-1:] if ratings.day is None else np.maximum(own[-1:], ratings.day)
        moments = np.concatenate((own, now))
    sure = ratings.fields.index("deviation") if "deviation" in ratings.fields else None
    deviation = None if sure is None else values[:, sure]
    return Career(ratings.players[player], values[:, 0], deviation, moments)
