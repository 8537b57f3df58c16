"""A table of sides as plain lists, to be compared with what a test expects."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from prowess.games import Games


def sides_of(table: Games) -> list[list[list[str]]]:
    """For each contest the names of each side."""
    return [[[name for name, _, _ in side] for side in sides] for sides in members_of(table)]


def members_of(table: Games) -> list[list[list[tuple[str, float, str]]]]:
    """For each contest, and each of its sides, the name, share and role of each member."""
    names = list(table.players)
    roles = [0] * len(names) if table.role is None else table.role.tolist()
    share = [1.0] * len(table.player) if table.share is None else table.share.tolist()
    members = [
        (names[player], share[at], table.roles[roles[player]])
        for at, player in enumerate(table.player.tolist())
    ]
    sides = [members[low:high] for low, high in pairwise(table.ends.tolist())]
    return [sides[low:high] for low, high in pairwise(table.start.tolist())]


def facts_of(table: Games) -> dict[str, list[Any]]:
    """The facts of each contest: numbers, or the words they stand for."""
    told = {}
    for name, values in table.facts.items():
        words = table.labels.get(name)
        told[name] = [words[int(x)] if words else x for x in values.tolist()]
    return told
