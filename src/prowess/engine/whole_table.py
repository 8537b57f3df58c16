"""The contract of whole-table systems: one function that fits all games at once.

    fit(p, table, anchors) -> Fit      every player's values, from all results together

Static ratings, league tables, voting methods and ratings over a whole field have this form. A
system with a model of a game declares beside it what to expect of one::

    chances(p, fit, a, b, side) -> Chances

Where strengths move with time, `fit` gives their `Path`, the system says `moves=True`, and
`chances` gets the moment as a last argument::

    chances(p, fit, a, b, side, when) -> Chances
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from prowess.engine.system import Declared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.system import Chances
    from prowess.engine.uncertainty import Uncertainty

GAMES, BALLOTS = "games", "ballots"  # what a system can read; a contest is a ballot


@dataclass(frozen=True, eq=False)
class Path:
    """Strengths that move: the values of players at moments, by player and then by time.

    A value holds from its moment to the player's next one.
    """

    player: NDArray[Any]  # [points] numbers, ascending
    time: NDArray[np.float64]  # [points] days since 1970, ascending for each player
    columns: Mapping[str, NDArray[np.float64]]  # [points] by name, as the columns of the fit

    def rows_of(self, player: int) -> slice:
        """The points of one player."""
        low, high = self.player.searchsorted([player, player + 1]).tolist()
        return slice(low, high)

    def value(self, player: int, when: float) -> dict[str, float]:
        """The values of a player at a moment; those of the first point before it."""
        rows = self.rows_of(player)
        if rows.start == rows.stop:
            raise KeyError(f"player {player} has no point")
        at = int(self.time[rows].searchsorted(when, side="right")) - 1
        return {
            name: float(column[rows.start + max(at, 0)]) for name, column in self.columns.items()
        }


@dataclass(frozen=True, eq=False)
class Fit:
    """What a system made of a table.

    `columns` have one entry per player under the names the system declares, in its order; what
    the table says nothing about (goals, say) may be left out, the first may not.
    `order` ranks the players in place of the first column where that alone does not (tie-breaks
    of a league table): higher first, equal ones share a rank.
    `figures` are numbers of the league as a whole (a fitted advantage, the log-likelihood).
    `notes` are sentences that a reader of the numbers must know.
    """

    columns: Mapping[str, NDArray[Any]]
    order: NDArray[Any] | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    uncertainty: Uncertainty | None = None  # of the first column
    # (how many, seed) -> [how many, players]: the first column of fits to resampled results
    resampled: Callable[[int, int], NDArray[np.float64]] | None = None
    model: Any = None  # whatever `chances` wants to find again
    path: Path | None = None  # strengths that move; `columns` are then those of the last moment


@dataclass(frozen=True, eq=False)
class WholeTable(Declared):
    """A system that looks at the whole table at once.

    The first of `columns` ranks the players, the highest first unless `lowest_first` (levels).
    `reads` says which tables it takes: games between two, ballots (contests of many), or both.
    `anchors` are players whose rating is known and stays: {number: rating}; a system that cannot
    hold any says `anchored=False` and never receives one.
    """

    name: str
    params: Any  # a NamedTuple, every field annotated with a Range or a Choice
    columns: tuple[str, ...]
    fit: Callable[[Any, Any, Mapping[int, float]], Fit]
    chances: Callable[..., Chances] | None = None
    family: str = "static"  # under what it is listed: static, rumble, votes, tables, dynamic
    moves: bool = False  # strengths move with time: fits have a path
    reads: tuple[str, ...] = (GAMES,)
    lowest_first: bool = False
    anchored: bool = False
    ordered: bool = False  # the order of the games matters
    weights: bool = True  # a game of weight w counts as w games
    needs: tuple[str, ...] = ()  # columns beside the score without which it cannot work
    uses: tuple[str, ...] = ()  # columns beside the score that it reads where they are
    breaks: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def home(self) -> str:
        """The module that declares it."""
        return self.fit.__module__

    @property
    def doc(self) -> str:
        """The docstring of the module that states the formulas."""
        return sys.modules[self.home].__doc__ or ""
