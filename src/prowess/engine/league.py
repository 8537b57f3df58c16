"""A sum over all players that the loop keeps up to date, such as the mean of the established.

A player's part in the sum is replaced whenever his rating changes. Where a system counts active
players only, those known are kept in a ring ordered by when they were last seen, so that the
next one to fall idle is always at its front: constant time a game, however long the history.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from prowess.engine.rows import Layout, generated, replaced, row_store
from prowess.engine.system import Dynamic


class Sums(NamedTuple):
    """What the loop carries along for a league.

    `ring[k]` holds the neighbours (earlier, later) of player k - 1; row 0 is the ring's clasp;
    a player outside the ring has (-1, -1).
    """

    totals: Any  # one row: the sum
    ring: Any  # [players + 1, 2] int64
    last: Any  # [players] the clock at which each was last seen


class LeagueRules(NamedTuple):
    """The functions the loop calls."""

    standing: Callable[..., Any]  # (p, me) -> what a player adds
    read: Callable[..., Any]  # (sums) -> the sum
    expire: Callable[..., None]  # (p, sums, state, now): those idle too long stop counting
    change: Callable[..., None]  # (sums, player, old, new, now): replace a player's part
    keep: Callable[..., None]  # (matrix, row, sum): remember the sum for an explanation


def league_rules(system: Dynamic, layout: Layout) -> LeagueRules:
    """The rules of this system's league, or empty ones that no loop will call."""
    if system.league is None:
        return LeagueRules(_nothing, _nothing, _nothing, _nothing, _nothing)
    standing, empty = system.league.standing, system.league.empty
    read_row, write_row = layout.access(empty)
    load, _ = layout.access(system.rating)
    moved = replaced(empty)
    idle_days = generated("idle_days(p)", f"p.{system.league.active_days or 'name'}")
    counts_active = system.league.active_days is not None

    def read(sums: Any) -> Any:
        return read_row(sums.totals, 0)

    def expire(p: Any, sums: Any, state: Any, now: float) -> None:
        if counts_active:
            limit = idle_days(p)
            if limit > 0.0:
                oldest = sums.ring[0, 1] - 1
                while oldest >= 0 and now - sums.last[oldest] > limit:
                    part = standing(p, load(state, oldest))
                    write_row(sums.totals, 0, moved(read_row(sums.totals, 0), part, empty))
                    unlink(sums.ring, oldest + 1)
                    oldest = sums.ring[0, 1] - 1

    def change(sums: Any, player: Any, old: Any, new: Any, now: float) -> None:
        if counts_active:
            link = player + 1
            if sums.ring[link, 0] < 0:
                old = empty
            else:
                unlink(sums.ring, link)
            append(sums.ring, link)
            sums.last[player] = now
        write_row(sums.totals, 0, moved(read_row(sums.totals, 0), old, new))

    return LeagueRules(standing, read, expire, change, row_store(empty))


def unlink(ring: Any, link: int) -> None:
    """Take a player out of the ring."""
    earlier, later = ring[link, 0], ring[link, 1]
    ring[earlier, 1] = later
    ring[later, 0] = earlier
    ring[link, 0] = -1
    ring[link, 1] = -1


def append(ring: Any, link: int) -> None:
    """Put a player at the ring's end: seen last."""
    earlier = ring[0, 0]
    ring[link, 0] = earlier
    ring[link, 1] = 0
    ring[earlier, 1] = link
    ring[0, 0] = link


def _nothing(*_: Any) -> None:
    return None
