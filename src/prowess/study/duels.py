"""What is said of pairs of players needs games between two players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from prowess.games.games import Games


def unpaired(table: Games) -> str:
    """Why a table says nothing of pairs of players; empty for games between two players."""
    if table.duels:
        return ""
    if table.pairwise:
        return "in these sides have several members"
    return "these are contests of many"


def check_duels(table: Games, what: str) -> None:
    """Raise Unratable, naming what cannot be done, unless all games are between two players."""
    if reason := unpaired(table):
        raise Unratable(f"{what} needs games between two players, and {reason}")
