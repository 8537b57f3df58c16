"""The sides of a game to come, with the members that a system puts beside the players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.games import Games

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.system import LineUp

Members = list[tuple[int, float]]


def upcoming_sides(
    ratings: DynamicRatings, sides: tuple[LineUp, LineUp], side: float
) -> tuple[tuple[Members, Members], dict[str, float]]:
    """Both sides with all their members, and the facts of the game.

    What the system puts beside the players of a table it puts beside them here. A member that
    players share, such as an engine family, is that of the player's last game.
    """
    system, table = ratings.system, ratings.table
    assert system.prepare is not None
    line_ups = [[(one, 1.0)] if isinstance(one, int) else list(one) for one in sides]
    line_ups = [[(int(player), share) for player, share in one] for one in line_ups]
    shared = [_shared_members(ratings, one) for one in line_ups]
    single = all(len(one) == 1 for one in line_ups)
    both = np.array([player for one in line_ups for player, _ in one], np.uint32)
    game = Games(
        table.players,
        player=both,
        ends=np.array([0, len(line_ups[0]), len(both)]),
        score=np.array([np.nan]),
        side=np.array([float(side)]),
    )
    del single
    _, played = system.prepare(ratings.asked, game)
    number = {name: at for at, name in enumerate(ratings.players)}
    found: list[Members] = []
    for at, line_up in enumerate(line_ups):
        low, high = (int(end) for end in played.ends[at : at + 2])
        members = dict(line_up)
        for member in played.player[low:high].tolist():
            known = number.get(played.players[member])
            if known is not None:
                members.setdefault(known, 1.0)
        members |= {one: 1.0 for one in shared[at] if one not in shared[1 - at]}
        found.append(list(members.items()))
    return (found[0], found[1]), {}


def _shared_members(ratings: DynamicRatings, line_up: Members) -> list[int]:
    """The members that players share on the side of each player's last contest."""
    table = ratings.table
    if "with" not in table.role_kinds or table.role is None:
        return []
    shared = np.array([kind == "with" for kind in table.role_kinds])[table.role]
    found: dict[int, None] = {}
    for player, _ in line_up:
        places = np.flatnonzero(table.player == player)
        for place in places[::-1].tolist():
            side = int(table.side_of_member[place])
            members = table.player[int(table.ends[side]) : int(table.ends[side + 1])]
            beside = [int(each) for each in members.tolist() if shared[each]]
            if beside:
                found |= dict.fromkeys(beside)
                break
    return list(found)


__all__ = ["upcoming_sides"]
_ = Any
