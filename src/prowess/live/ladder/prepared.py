"""Ladders of a system that prepares its table: play on where the prepared games stay the same.

Such a system takes settings from the table and puts further members, such as a side advantage,
behind the players of its roster. So a further result may change any earlier one, and the row of
a member moves when a player joins. The log is prepared anew after every change; what is played
already stays where the prepared games are the same but for the numbers of their members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.state import State, initial_state
from prowess.games.games import Games
from prowess.live.ladder.players import Players

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


class PreparedGames(NamedTuple):
    """A log as its system plays it."""

    asked: Any  # the settings before the system looked at the log
    p: Any
    table: Games

    def shares(self, other: PreparedGames, count: int) -> bool:
        """Whether the first games of both are the same but for the numbers of their members."""
        one, two = self.table, other.table
        if self.p != other.p or one.facts.keys() != two.facts.keys():
            return False
        sides = int(one.start[count])
        if int(two.start[count]) != sides:
            return False
        if not np.array_equal(one.ends[: sides + 1], two.ends[: sides + 1]):
            return False
        members = int(one.ends[sides])
        facts = all(np.array_equal(one.facts[n][:count], two.facts[n][:count]) for n in one.facts)
        shares = np.array_equal(shares_of(one, members), shares_of(two, members))
        return facts and shares and are_renumbered(one, two, members)

    def first_entries(self, count: int) -> Rows:
        """Where each member first appears among the members of the first games; -1: nowhere."""
        player = self.table.player[: int(self.table.ends[self.table.start[count]])]
        found = np.full(len(self.table.players), -1, dtype=np.int64)
        found[player[::-1]] = np.arange(len(player) - 1, -1, -1)  # the first is written last
        return found

    def continue_from(self, engine: State, entries: Rows) -> State:
        """The state of these members after the games that an engine state has played.

        Its rows have another order: `entries` says where each first appears; empty: nothing is
        played.
        """
        state = initial_state(engine.system, self.p, len(self.table.players), {}, self.table)
        if not len(entries):
            return state
        known = np.flatnonzero(entries >= 0)
        row = self.table.player[entries[known]]
        state.rating[row], state.seen[row] = engine.rating[known], engine.seen[known]
        state.logs = None if engine.logs is None else engine.logs.copy()
        state.common = None if engine.common is None else engine.common.copy()
        return state

    def roster(self, players: Players) -> Players:
        """The players and, behind them, the members by role, who have numbers below 0."""
        names, called, count = self.table.players, players.names, len(players)
        if len(names) == count:
            return players
        ids = np.concatenate((players.ids, np.arange(-1, count - len(names) - 1, -1)))

        def name(one: int) -> str:
            return names[count - 1 - one] if one < 0 else called(one)

        return Players(ids, name, players.rows)


def prepare_log(asked: Any, system: Any, table: Games) -> PreparedGames:
    """The games of a log as a system plays them."""
    return PreparedGames(asked, *system.prepare(asked, table))


def shares_of(table: Games, members: int) -> Any:
    """The shares of the first members."""
    return np.ones(members) if table.share is None else table.share[:members]


def are_renumbered(one: Games, two: Games, members: int) -> bool:
    """Whether the first members of two tables are the same, whatever their numbers."""
    here, there = one.player[:members], two.player[:members]
    to = np.full(len(one.players), -1, dtype=np.int64)
    to[here] = there
    if not np.array_equal(to[here], there):
        return False
    known = to >= 0
    if len(np.unique(to[known])) < int(known.sum()):
        return False
    return np.array_equal(role_names(one)[known], role_names(two)[to[known]])


def role_names(table: Games) -> Any:
    """The name of the role of each member of the roster."""
    if table.role is None:
        return np.full(len(table.players), table.roles[0])
    return np.array(table.roles)[table.role]
