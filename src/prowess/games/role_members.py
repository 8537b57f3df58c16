"""Members of sides by role: Nadal on clay beside Nadal, a car that two drivers share.

A member by role is an entry of the roster that is no player. A column asked for with `per` gives
each player one for each of its values, `Nadal@clay`; a column asked for with `with` names one that
all who have that value share. What every side of a contest would have says nothing of the result
and is left out there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.games.games import PLAYER, Games
from prowess.games.growth import appeared
from prowess.games.refusal import BadData, quoted
from prowess.games.roster import Roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

SHOWN = 3  # members with another name that a note tells
MOST = 255  # roles of one table


class RoleColumn(NamedTuple):
    """A role, the words of its column, and the word of each member, or of some sides."""

    role: str
    words: Sequence[str]
    ids: Rows
    sides: Rows | None = None  # the side of each entry of `ids`; None: one entry a member


class _Roster:
    """The names of a table, to which members by role are added."""

    def __init__(self, players: Sequence[str], roles: Sequence[str]) -> None:
        self.number = {name: at for at, name in enumerate(players)}
        self.names = roles
        self.roles = [0] * len(self.number)
        self.renamed: list[tuple[str, str]] = []

    def member(self, role: int, name: str) -> int:
        """The number of a new member by role; a name that is taken is followed by the role."""
        fresh = name
        while fresh in self.number:
            fresh = f"{fresh} ({self.names[role]})"
        if fresh != name:
            self.renamed.append((name, fresh))
        self.roles.append(role)
        return self.number.setdefault(fresh, len(self.number))


def with_role_members(
    table: Games, per: Sequence[RoleColumn], along: Sequence[RoleColumn]
) -> Games:
    """The table with the members that these columns add to its sides."""
    if not (per or along):
        return table
    roles = (PLAYER, *(each.role for each in (*per, *along)))
    names = _Roster(table.players, roles)
    parts = [_members_of_players(table, names, at, column) for at, column in enumerate(per, 1)]
    parts += [
        _shared_members(table, names, at, column) for at, column in enumerate(along, 1 + len(per))
    ]
    count = len(table.player)
    sides = np.concatenate([table.side_of_member, *(part[0] for part in parts)])
    order = np.argsort(sides, kind="stable")
    if len(sides) == count:
        return table.replace(notes=(*table.notes, _unused(roles)))
    share = np.ones(count) if table.share is None else table.share
    shares = np.concatenate([share, *(part[2] for part in parts)])
    sizes = np.bincount(sides, minlength=len(table.ends) - 1)
    player = np.concatenate([table.player, *(part[1] for part in parts)])
    return table.replace(
        a=None,
        b=None,
        players=Roster(names.number),
        ends=np.concatenate(([0], np.cumsum(sizes))),
        player=player[order].astype(np.uint32),
        share=None if table.share is None else shares[order],
        role=np.array(names.roles, np.uint8),
        roles=roles,
        notes=(*table.notes, *_notes(names)),
    )


def _members_of_players(
    table: Games, names: _Roster, role: int, column: RoleColumn
) -> tuple[Rows, Rows, NDArray[np.float64]]:
    """Side, member and share of those that a column gives each player for each of its values."""
    told = np.array([word != "" for word in column.words], np.bool_)[column.ids]
    words = len(column.words)
    pairs, which = appeared(table.player[told].astype(np.int64) * words + column.ids[told])
    known = [
        names.member(role, f"{table.players[pair // words]}@{column.words[pair % words]}")
        for pair in pairs.tolist()
    ]
    share = np.ones(len(table.player)) if table.share is None else table.share
    return table.side_of_member[told], np.array(known, np.int64)[which], share[told]


def _shared_members(
    table: Games, names: _Roster, role: int, column: RoleColumn
) -> tuple[Rows, Rows, NDArray[np.float64]]:
    """Side, member and share of those that a column names, where not every side has them."""
    at = table.side_of_member if column.sides is None else column.sides
    told = np.array([word != "" for word in column.words], np.bool_)[column.ids]
    words = len(column.words)
    both, first = np.unique(at[told] * words + column.ids[told], return_index=True)
    both = both[np.argsort(first, kind="stable")]
    side, word = both // words, both % words
    contest = table.contest_of_side[side]
    _, group, size = np.unique(contest * words + word, return_inverse=True, return_counts=True)
    partial = size[group] < np.diff(table.start)[contest]
    side, word = side[partial], word[partial]
    distinct, which = appeared(word)
    known = [names.member(role, column.words[each]) for each in distinct.tolist()]
    return side, np.array(known, np.int64)[which], np.ones(len(side))


def _notes(names: _Roster) -> list[str]:
    """What is said of members whose names were taken."""
    shown = ", ".join(f"{quoted(new)} for {quoted(old)}" for old, new in names.renamed[:SHOWN])
    more = f" and {len(names.renamed) - SHOWN:,} more" if len(names.renamed) > SHOWN else ""
    why = "members by role have another name where a name is taken"
    return [f"{why}: {shown}{more}"] if shown else []


def _unused(roles: Sequence[str]) -> str:
    return f"{', '.join(map(quoted, roles[1:]))}: no side has a member that the others have not"


def checked_roles(per: Sequence[str], along: Sequence[str]) -> None:
    """Refuse roles that are one another's, or the players'; raises BadData."""
    roles = [*per, *along]
    for role in roles:
        if role == PLAYER:
            raise BadData(f"{quoted(role)} is the role of the players", remedy="name it otherwise")
        if roles.count(role) > 1:
            raise BadData(f"the role {quoted(role)} is named twice", remedy="name each role once")
    if len(roles) > MOST:
        raise BadData(f"{len(roles)} roles are more than {MOST}", remedy="name fewer columns")
