"""Tables whose ratings come from chains of games: whoever is in them must be linked by games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.pairs.pairings import Pairings

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

NAMED = 3  # players of a group, and groups, that an error names


def linked(pairs: Pairings, system: str) -> Ids:
    """The players who have played, by number; raises Unratable where they fall into groups."""
    players = np.flatnonzero(pairs.met.any(axis=1))
    parts = groups(pairs.met[np.ix_(players, players)])
    if len(parts) > 1:
        told = "; ".join(_told(pairs, players[part]) for part in parts[:NAMED])
        more = f"; and {len(parts) - NAMED:,} more groups" if len(parts) > NAMED else ""
        raise Unratable(
            f"{system} compares players through chains of games, and these are {len(parts):,} "
            f"groups that never met: {told}{more}. Rate one group at a time (--where), or take "
            "a system with a prior, such as colley"
        )
    return players


def groups(met: NDArray[np.bool_]) -> list[Ids]:
    """The players of each group linked by games, the largest first; `met` is [n, n]."""
    left = np.ones(len(met), dtype=bool)
    found = []
    while left.any():
        group = np.zeros(len(met), dtype=bool)
        reached = np.zeros(len(met), dtype=bool)
        reached[np.argmax(left)] = True
        while reached.any():
            group |= reached
            reached = met[reached].any(axis=0) & ~group
        left &= ~group
        found.append(np.flatnonzero(group))
    return sorted(found, key=lambda group: (-len(group), group[0]))


def spread(values: NDArray[np.floating[Any]], players: Ids, count: int) -> Floats:
    """Values of some players as a column of all, [count]; nan for the others."""
    column = np.full(count, np.nan)
    column[players] = values
    return column


def _told(pairs: Pairings, group: Ids) -> str:
    named = ", ".join(pairs.players[k] for k in group[:NAMED].tolist())
    more = f" and {len(group) - NAMED:,} more" if len(group) > NAMED else ""
    return f"{named}{more}"
