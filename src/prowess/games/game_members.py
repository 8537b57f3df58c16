"""Members that stand beside the players of a game: the side advantage, days of rest, contexts."""

from __future__ import annotations

import numpy as np

from prowess.games.games import Games
from prowess.games.role_members import AddedMembers, RoleColumn, members_by_word


def members_of_games(table: Games) -> tuple[list[AddedMembers], list[str]]:
    """The members of sides beside the players, and what they are made of."""
    added: list[AddedMembers] = []
    used: list[str] = []
    if table.side is not None and table.side.any():
        added += side_members(table)
        used.append(f"side advantage{' of each league' * ('league' in table.facts)}")
        if table.time is not None and (rest := rest_members(table)):
            added += rest
            used.append("rest")
    if "context" in table.facts:
        added.append(context_members(table))
        used.append("context")
    return added, used


def has_single_players(table: Games) -> bool:
    """Whether every side has one player, who stands before the other members of the side."""
    if table.role is None:
        return table.single
    players = np.add.reduceat((table.role[table.player] == 0).astype(np.int64), table.ends[:-1])
    return bool((players == 1).all())


def side_members(table: Games) -> list[AddedMembers]:
    """The side advantage of each league, and a little of each player's own."""
    assert table.side is not None
    sided = np.flatnonzero(table.side)
    sides = 2 * sided + (table.side[sided] < 0.0)
    leagues, which = ["side advantage"], np.zeros(len(sided), np.int64)
    if "league" in table.facts:
        leagues = [f"side advantage: {name}" for name in table.labels["league"]]
        which = table.facts["league"][sided].astype(np.int64)
    found = [AddedMembers("side", "side", leagues, which, sides)]
    if has_single_players(table):
        player = table.player[table.ends[sides]].astype(np.int64)
        known = np.flatnonzero(np.bincount(player, minlength=len(table.players)))
        own = np.cumsum(np.bincount(known, minlength=len(table.players)))[player] - 1
        names = [f"{table.players[each]}, own side advantage" for each in known.tolist()]
        found.append(AddedMembers("own side", "own side", names, own, sides))
    return found


def rest_members(table: Games) -> list[AddedMembers]:
    """One member that stands beside a player who did not play the day before, unlike the other.

    Its clock begins with the table: it stands in the first game with a share of 0.
    """
    assert table.time is not None
    if not has_single_players(table):
        return []
    player = table.player[table.ends[:-1]]
    day = np.repeat(np.floor(table.time), 2)
    order = np.argsort(player, kind="stable")
    same = np.zeros(len(order), np.bool_)
    same[1:] = player[order][1:] == player[order][:-1]
    before = np.full(len(order), -np.inf)
    before[1:] = day[order][:-1]
    tired = np.empty(len(order), np.bool_)
    tired[order] = same & (day[order] - before == 1.0)
    fresh = np.flatnonzero(tired[1::2].astype(np.int64) - tired[0::2])
    if not len(fresh):
        return []
    sides = 2 * fresh + tired[0::2][fresh]
    share = np.ones(len(sides))
    if fresh[0] > 0:
        sides, share = np.append(0, sides), np.append(0.0, share)
    return [AddedMembers("rest", "rest", ["rest"], np.zeros(len(sides), np.int64), sides, share)]


def context_members(table: Games) -> AddedMembers:
    """A member for each player and value of the context."""
    ids = table.facts["context"].astype(np.int64)[table.contest_of_member]
    chosen = np.ones(len(ids), np.bool_) if table.role is None else table.role[table.player] == 0
    column = RoleColumn("context", table.labels["context"], ids)
    return members_by_word(table, column, chosen)
