"""The sums of a league: numbers over all players that the loops carry along.

A sum over all players, such as the mean of the established ones, is kept up to date: a player's
part is replaced when the rating changes. Where only active players count, the known ones are kept
in a ring ordered by when they were last seen; the next one to become idle is at its front, so
each game takes constant time however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from prowess.engine.rows import (
    StateLayout,
    access_matrix,
    make_function,
    make_replacement,
    no_op,
)
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
    """The functions the loop calls; of a system without a league it calls none."""

    enter: Callable[..., Any]  # (p, sums, state, now) -> the sum, without those idle too long
    absorb: Callable[..., Any]  # (p, player, me, total, sums, sum, now) -> the new rating
    read: Callable[..., Any] = no_op  # (sums) -> the sum
    keep: Callable[..., None] = no_op  # (matrix, row, sum): remember the sum for an explanation


NO_RULES = LeagueRules(no_op, no_op)


def league_rules(system: Dynamic, layout: StateLayout) -> LeagueRules:
    """The rules of the league of a system that has one."""
    assert system.league is not None
    absorb, standing, empty = system.absorb, system.league.standing, system.league.empty
    read_row, write_row = layout.access(empty)
    load, _ = layout.access(system.rating)
    moved = make_replacement(empty)
    idle_days = make_function("idle_days(p)", f"return p.{system.league.active_days or 'name'}")
    counts_active = system.league.active_days is not None

    def read(sums: Any) -> Any:
        return read_row(sums.totals, 0)

    def enter(p: Any, sums: Any, state: Any, now: float) -> Any:
        if counts_active:
            limit = idle_days(p)
            if limit > 0.0:
                oldest = sums.ring[0, 1] - 1
                while oldest >= 0 and now - sums.last[oldest] > limit:
                    part = standing(p, load(state, oldest))
                    write_row(sums.totals, 0, moved(read_row(sums.totals, 0), part, empty))
                    unlink(sums.ring, oldest + 1)
                    oldest = sums.ring[0, 1] - 1
        return read_row(sums.totals, 0)

    def absorb_in_league(
        p: Any, player: Any, me: Any, total: Any, sums: Any, at_start: Any, now: float
    ) -> Any:
        new = absorb(p, me, total, at_start)
        old, part = standing(p, me), standing(p, new)
        if counts_active:
            link = player + 1
            if sums.ring[link, 0] < 0:
                old = empty
            else:
                unlink(sums.ring, link)
            append(sums.ring, link)
            sums.last[player] = now
        write_row(sums.totals, 0, moved(read_row(sums.totals, 0), old, part))
        return new

    return LeagueRules(enter, absorb_in_league, read, access_matrix(empty)[1])


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
