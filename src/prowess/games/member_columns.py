"""Columns of the members of sides, by their headings: a1, a2, b1, b2, or winner1, winner2, loser1.

And columns that say something of each side, such as car_a and car_b, by what they have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from prowess.games.headings import NEUTRAL, SIDED
from prowess.games.outcomes import plain

WINNERS = (("winner", "loser"), ("w", "l"))
STEMS = (
    *sorted(SIDED), *sorted(NEUTRAL), ("a", "b"), ("aplayer", "bplayer"), ("sidea", "sideb"),
    ("team1player", "team2player"), ("teamaplayer", "teambplayer"), *WINNERS,
)  # fmt: skip
SHARE = "share"
BEHIND = ("", "name")  # the number
SIDES = (
    ("home", "away"), ("white", "black"), ("left", "right"), ("playera", "playerb"),
    ("player1", "player2"), ("teama", "teamb"), ("team1", "team2"), ("p1", "p2"),
    ("player", "opponent"), ("team", "opponent"), ("a", "b"), ("1", "2"),
)  # fmt: skip


class MemberColumns(NamedTuple):
    """The columns of the members of both sides, and what their headings say of the sides."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    sided: bool  # the first side has White or is at home
    won: bool  # the first side has won


def member_columns(headings: Mapping[str, str]) -> list[MemberColumns]:
    """The columns that may hold members, at least two of one side; `headings` by plain form."""
    found = []
    for stems in STEMS:
        for behind in BEHIND:
            first, second = (tuple(_numbered_headings(headings, stem, behind)) for stem in stems)
            sides = first, second
            several = len(first) + len(second) > 2 or bool(share_columns(headings, sides))
            if first and second and several:
                found.append(MemberColumns(sides, stems in SIDED, stems in WINNERS))
    return found


def share_columns(
    headings: Mapping[str, str], sides: Sequence[Sequence[str]]
) -> tuple[tuple[str | None, ...], ...]:
    """The columns that say how much members took part, such as a1_share; empty without any.

    A member has None where no column says it: the member took part in all of it.
    """
    found = tuple(
        tuple(
            headings.get(plain(name) + SHARE) or headings.get(SHARE + plain(name)) for name in side
        )
        for side in sides
    )
    return found if any(name for side in found for name in side) else ()


def _numbered_headings(headings: Mapping[str, str], stem: str, behind: str) -> Iterator[str]:
    """The headings stem1, stem2, ..."""
    number = 1
    while (name := f"{stem}{number}{behind}") in headings:
        yield headings[name]
        number += 1


def pairs_of(
    name: str, headings: Mapping[str, str], a: str, b: str, winners: bool
) -> list[tuple[str, str]]:
    """Two columns that may say `name` of the sides whose players stand in columns a and b."""
    base, found = plain(name), []
    for first, second in WINNERS if winners else SIDES:
        for one, other in ((first + base, second + base), (base + first, base + second)):
            if one in headings and other in headings:
                pair = headings[one], headings[other]
                turned = _bears(a, second) and _bears(b, first)
                found.append((pair[1], pair[0]) if turned else pair)
    return list(dict.fromkeys(found))


def _bears(heading: str, side: str) -> bool:
    """Whether the heading of a player names this side."""
    bare = plain(heading)
    return bare.startswith(side) or bare.rstrip("0123456789" * side.isalpha()).endswith(side)
