"""Members by role: entries of the roster that are no players.

A column given as `per` adds one for each player and value, such as `Nadal@clay`; a column given as
`with` names one that several players share, such as a car; a family is made of the names of its
players. A member that every side of a contest would have is left out there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.games.errors import BadData, quote
from prowess.games.games import PLAYER, Games, RoleKind
from prowess.games.names import Roster
from prowess.games.numbering import number_by_appearance
from prowess.games.reading import format_count, join_names, list_some
from prowess.games.runs import bounds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

RENAMED_SHOWN = 3  # members with another name that a note tells
MOST_ROLES = 255  # roles of one table
FAMILY = "family"  # the role of families
FAMILIES_SHOWN = 3


class RoleColumn(NamedTuple):
    """A role, the words of its column, and the word of each member, or of some sides."""

    role: str
    words: Sequence[str]
    ids: Rows
    sides: Rows | None = None  # the side of each entry of `ids`; None: one entry a member


class _MemberRoster:
    """The names of a table, to which members by role are added."""

    def __init__(self, players: Sequence[str], roles: Sequence[str]) -> None:
        self.number = {name: at for at, name in enumerate(players)}
        self.names = roles
        self.roles = [0] * len(self.number)
        self.renamed: list[tuple[str, str]] = []

    def members(self, role: int, names: Sequence[str]) -> list[int]:
        """The numbers of new members by role."""
        first, fresh = len(self.number), dict.fromkeys(names)
        if len(fresh) < len(names) or not self.number.keys().isdisjoint(fresh):
            return [self.member(role, name) for name in names]
        numbers = range(first, first + len(names))
        self.number.update(zip(names, numbers, strict=True))
        self.roles += [role] * len(names)
        return [*numbers]

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
    table: Games, per: Sequence[RoleColumn], along: Sequence[RoleColumn], family: bool = False
) -> Games:
    """The table with the members that these columns, and families, add to its sides."""
    if family:
        families = _family_column(table)
        along = [*along, families]
        table = table.replace(notes=(*table.notes, _family_note(families, table)))
    if not (per or along):
        return table
    added = []
    for column in per:  # each player has a member for each of its values but an empty one
        has_value = np.array([word != "" for word in column.words], np.bool_)[column.ids]
        added.append(members_by_word(table, column, has_value))
    added += [_shared_members(table, column) for column in along]
    if not any(len(each.sides) for each in added):
        roles = ", ".join(quote(each.role) for each in added)
        note = f"{roles}: no side has a member that the others have not"
        return table.replace(notes=(*table.notes, note))
    return add_members(table, added)


class AddedMembers(NamedTuple):
    """Members of one role that sides are to have as well."""

    role: str
    kind: RoleKind
    names: Sequence[str]
    which: Rows  # of these names, an entry for each member of a side
    sides: Rows  # the side of each entry
    share: NDArray[np.float64] | None = None  # of each entry; None: 1


def add_members(table: Games, added: Sequence[AddedMembers]) -> Games:
    """The table with further members on its sides, behind those it has."""
    names, known = name_members(table, [(one.role, one.kind, one.names) for one in added])
    entries = [
        (numbers[one.which], one.sides, np.ones(len(one.sides)) if one.share is None else one.share)
        for numbers, one in zip(known, added, strict=True)
    ]
    return names.replace(**place_members(table, table.player, entries))


def name_members(
    table: Games, added: Sequence[tuple[str, RoleKind, Sequence[str]]]
) -> tuple[Games, list[Rows]]:
    """The table with a roster of further members: role, kind, names; and their numbers."""
    roster = _MemberRoster(table.players, (*table.roles, *(role for role, _, _ in added)))
    if table.role is not None:
        roster.roles = table.role.tolist()
    known = [
        np.array(roster.members(at, names), np.int64)
        for at, (_, _, names) in enumerate(added, len(table.roles))
    ]
    named = table.replace(
        players=Roster(roster.number),
        role=np.array(roster.roles, np.uint8),
        roles=tuple(roster.names),
        role_kinds=(*table.role_kinds, *(kind for _, kind, _ in added)),
        notes=(*table.notes, *_notes(roster)),
    )
    return named, known


def place_members(
    table: Games, player: NDArray[Any], entries: Sequence[tuple[Rows, Rows, NDArray[np.float64]]]
) -> dict[str, Any]:
    """The columns of members, of `player` and, behind them, entries of number, side and share."""
    side = np.concatenate((table.side_of_member, *(sides for _, sides, _ in entries)))
    order = np.argsort(side, kind="stable")
    share = np.concatenate((_shares(table), *(shares for _, _, shares in entries)))[order]
    numbers = np.concatenate((player, *(one for one, _, _ in entries))).astype(np.uint32)
    sizes = np.bincount(side, minlength=len(table.contest_of_side))
    return {
        "a": None,
        "b": None,
        "ends": bounds_of(sizes),
        "player": numbers[order],
        "share": None if (share == 1.0).all() else share,
    }


def _shares(table: Games) -> NDArray[np.float64]:
    return np.ones(len(table.player)) if table.share is None else table.share


def members_by_word(table: Games, column: RoleColumn, chosen: NDArray[np.bool_]) -> AddedMembers:
    """A member for each player and word of a column, beside the chosen members of a table."""
    words = len(column.words)
    pairs, which = number_by_appearance(
        table.player[chosen].astype(np.int64) * words + column.ids[chosen]
    )
    names = [
        f"{table.players[pair // words]}@{column.words[pair % words]}" for pair in pairs.tolist()
    ]
    sides, share = table.side_of_member[chosen], _shares(table)[chosen]
    return AddedMembers(column.role, "per", names, which.astype(np.int64), sides, share)


def _shared_members(table: Games, column: RoleColumn) -> AddedMembers:
    """Those that a column names, where not every side has them."""
    at = table.side_of_member if column.sides is None else column.sides
    has_value = np.array([word != "" for word in column.words], np.bool_)[column.ids]
    words = len(column.words)
    both, first = np.unique(at[has_value] * words + column.ids[has_value], return_index=True)
    both = both[np.argsort(first, kind="stable")]
    side, word = both // words, both % words
    contest = table.contest_of_side[side]
    _, group, size = np.unique(contest * words + word, return_inverse=True, return_counts=True)
    partial = size[group] < np.diff(table.start)[contest]
    side, word = side[partial], word[partial]
    distinct, which = number_by_appearance(word)
    names = [column.words[each] for each in distinct.tolist()]
    return AddedMembers(column.role, "with", names, which.astype(np.int64), side)


def _notes(names: _MemberRoster) -> list[str]:
    """Notes on members whose names were taken."""
    shown = list_some(
        [f"{quote(new)} for {quote(old)}" for old, new in names.renamed], RENAMED_SHOWN
    )
    why = "members by role have another name where a name is taken"
    return [f"{why}: {shown}"] if shown else []


def family_name(player: str) -> str:
    """The name up to the first word that holds a digit, at least the first word.

    >>> family_name("Stockfish 17.1"), family_name("Rodent III 0.278"), family_name("chess22k 1.11")
    ('Stockfish', 'Rodent III', 'chess22k')
    """
    first, *words = player.split()
    for at, word in enumerate(words):
        if any(map(str.isdigit, word)):
            return " ".join([first, *words[:at]])
    return player


def _family_column(table: Games) -> RoleColumn:
    """The families of the players of a table, as a column of its members."""
    number: dict[str, int] = {}
    of_player = [number.setdefault(family_name(name), len(number)) for name in table.players]
    return RoleColumn(FAMILY, list(number), np.array(of_player, np.int64)[table.player])


def _family_note(families: RoleColumn, table: Games) -> str:
    """A note on the number of families, and the largest of them."""
    sizes = Counter(map(family_name, table.players)).most_common(FAMILIES_SHOWN)
    largest = join_names([f"{name} ({size:,})" for name, size in sizes])
    count = len(families.words)
    families_of = "1 family" if count == 1 else f"{count:,} families"
    players = format_count(len(table.players), "player")
    return f"{families_of} of the names of {players}, the largest {largest}"


def check_roles(per: Sequence[str], along: Sequence[str]) -> None:
    """Refuse roles that are one another's, or the players'; raises BadData."""
    roles = [*per, *along]
    for role in roles:
        if role == PLAYER:
            raise BadData.of("role_of_players", role=role)
        if roles.count(role) > 1:
            raise BadData.of("role_twice", role=role)
    if len(roles) > MOST_ROLES:
        raise BadData.of("too_many_roles", count=len(roles), limit=MOST_ROLES)
