"""Members for contexts: `Nadal@clay` stands beside the player Nadal, `clay` is the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from prowess.games.games import Games

MOST_CONTEXTS = 12  # columns of a leaderboard


class InContext(NamedTuple):
    """A member for a context, and whose it is, both by number."""

    context: str
    player: int
    member: int


def members_in_contexts(table: Games, players: Sequence[str]) -> Iterator[InContext]:
    """The members for contexts: those called PLAYER@CONTEXT, by the names of all members."""
    if table.role is None:
        return
    number = {name: k for k, name in enumerate(players)}
    for k in np.flatnonzero(table.role).tolist():
        player, mark, context = players[k].rpartition("@")
        at = number.get(player)
        if mark and at is not None and not table.role[at]:
            yield InContext(context, at, k)


def context_note(table: Games) -> tuple[str, ...]:
    """Where to look for contexts that are too many for columns, for the notes of ratings."""
    found = list(members_in_contexts(table, table.players))
    count = len({one.context for one in found})
    if table.role is None or count <= MOST_CONTEXTS:
        return ()
    roles = sorted({int(table.role[one.member]) for one in found})
    where = ", ".join(f"--role {table.roles[role]}" for role in roles)
    return (f"{count} contexts, too many for columns: see {where}",)
