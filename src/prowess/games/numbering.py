"""Numbers by first appearance: of groups of rows, of words, and of players and their spellings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized

import numpy as np

from prowess.games.columns import Growing, NameIndex
from prowess.games.errors import FallBackToSlowReader
from prowess.games.names import ODD_BLANKS, Roster, normal_name

if TYPE_CHECKING:
    from numpy.typing import NDArray


def number_groups(keys: list[NDArray[Any]]) -> NDArray[np.int64]:
    """Rows with equal keys get equal numbers, in order of first appearance."""
    number = np.zeros(len(keys[0]) if keys else 0, np.int64)
    for key in keys:
        _, code = np.unique(key, return_inverse=True)
        number = number * (int(code.max(initial=0)) + 1) + code
        number = number_by_appearance(number)[1]
    return number


def number_by_appearance(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys in order of first appearance, and the place in it of each that is given."""
    count = len(keys)
    if not count or keys.min() < 0 or keys.max() > count:
        found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(found), np.int64)
        place[order] = np.arange(len(found), dtype=np.int64)
        return found[order], place[inverse]
    first = np.full(int(keys.max()) + 1, count, np.int64)  # small numbers need no sorting
    first[keys[::-1]] = np.arange(count - 1, -1, -1, dtype=np.int64)  # the first is written last
    found = np.flatnonzero(first < count)
    found = found[np.argsort(first[found])].astype(np.int64, copy=False)
    first[found] = np.arange(len(found), dtype=np.int64)
    return found, first[keys]


@dataclass(eq=False)
class GrowingNumbers:
    """Numbers by first appearance of keys that come piece by piece."""

    of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # -1: not yet
    keys: Growing = field(default_factory=Growing)  # by number

    def __len__(self) -> int:
        return self.keys.count

    def number(self, keys: NDArray[Any]) -> NDArray[np.int64]:
        """The numbers of further keys, which are whole and not negative."""
        least = int(keys.max()) + 1 if len(keys) else 0
        if least > len(self.of):
            grown = np.full(max(least, 2 * len(self.of)), -1, np.int64)
            grown[: len(self.of)] = self.of
            self.of = grown
        numbers: NDArray[np.int64] = self.of[keys]
        if (numbers < 0).any():
            found, _ = number_by_appearance(keys[numbers < 0].astype(np.int64))
            self.of[found] = np.arange(len(self), len(self) + len(found), dtype=np.int64)
            self.keys.append(found)
            numbers = self.of[keys]
        return numbers

    def number_pairs(self, a: NDArray[Any], b: NDArray[Any]) -> list[NDArray[np.uint32]]:
        """The numbers of the players of further games."""
        found = self.number(np.stack((a, b), axis=1).ravel())
        return list(np.ascontiguousarray(found.reshape(-1, 2).T, dtype=np.uint32))

    def known_keys(self) -> NDArray[np.int64]:
        """The keys by number."""
        return self.keys.whole() if len(self) else np.empty(0, np.int64)


@dataclass(eq=False)
class GrowingGroups:
    """Numbers of groups of rows with equal keys, in order of first appearance, piece by piece."""

    numbers: GrowingNumbers = field(default_factory=GrowingNumbers)  # where there is one key
    known: dict[tuple[int, ...], int] = field(default_factory=dict)  # where there are several

    def number(self, keys: list[NDArray[Any]]) -> NDArray[np.int64]:
        """The numbers of the groups of further rows."""
        if len(keys) == 1:
            return self.numbers.number(keys[0])
        groups = number_groups(keys)
        first = np.unique(groups, return_index=True)[1]
        rows = zip(*(key[first].tolist() for key in keys), strict=True)
        known = [self.known.setdefault(row, len(self.known)) for row in rows]
        return np.array(known, np.int64)[groups]


@dataclass(eq=False)
class PlayerNumbers:
    """Numbers of players: spellings of one name are one player, and players are numbered in the
    order of their first games.

    While the index of names says the same, its numbers are taken as they are.
    """

    seen: int = 0  # names of the index that were looked at
    spelt: NDArray[np.uint32] | None = None  # of each name the number of its normal spelling
    by_game: GrowingNumbers | None = None  # of the numbers of the index

    def look_at_names(self, names: NameIndex) -> Roster:
        """The names that are new since the last time; those of other spellings are put right.
        Plain ones are not looked at.

        Raises FallBackToSlowReader where a name is empty; the slow reader reports its row.
        """
        start = self.seen
        if names.are_plain and self.spelt is None:
            self.seen = len(names)
            return Roster()
        fresh = names.roster(start)
        if not is_normal(fresh):
            odd = {
                start + at: normal
                for at, name in enumerate(fresh)
                if (normal := normal_name(name)) != name
            }
            if not all(odd.values()):
                raise FallBackToSlowReader
            if self.by_game is None:
                self.count_games(start)
            meant = np.array([names.find(name) for name in odd.values()], np.uint32)
            spelt = np.arange(len(names), dtype=np.uint32)
            if self.spelt is not None:
                spelt[: len(self.spelt)] = self.spelt
            spelt[list(odd)] = meant
            self.spelt = spelt
            fresh = names.roster(start)
        elif self.spelt is not None:
            further = np.arange(len(self.spelt), len(names), dtype=np.uint32)
            self.spelt = np.concatenate((self.spelt, further))
        self.seen = len(names)
        return fresh

    def count_games(self, known: int) -> None:
        """Number players by their games from here on, where `known` have had one."""
        if self.by_game is None:
            numbers = GrowingNumbers()
            numbers.number(np.arange(known, dtype=np.int64))
            self.by_game = numbers  # complete, as another thread may read names by it

    def count(self) -> int:
        """How many players there are so far."""
        return self.seen if self.by_game is None else len(self.by_game)


class GrowingRoster(Sequence[str]):
    """The names of the players so far, which are decoded when they are read."""

    def __init__(self, players: PlayerNumbers, names: NameIndex) -> None:
        self.players, self.names = players, names
        self.size = players.count()

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        """The name of a player, or a list of names."""
        if isinstance(index, slice):
            return self.roster()[index]
        if not -self.size <= index < self.size:
            raise IndexError(f"there are {self.size:,} players, none with the id {index}")
        index %= self.size
        order = self.players.by_game
        return self.names.name(index if order is None else int(order.keys.whole()[index]))

    def __arrow_array__(self, type: Any = None) -> Any:  # noqa: A002  Arrow names it so
        """See Roster."""
        return self.roster().__arrow_array__(type)

    def roster(self) -> Roster:
        """All of them."""
        order = self.players.by_game
        if order is None or not self.size:
            return self.names.roster(0, self.size)
        used = order.keys.whole()[: self.size].tolist()
        names = self.names.roster(0, max(used) + 1)
        return Roster(names[at] for at in used)


def is_normal(names: Roster) -> bool:
    """Whether all names are in their normal form."""
    buffer = names.buffer
    if buffer.isascii():
        return b"  " not in buffer and b"\t" not in buffer
    return not ODD_BLANKS.search(text := buffer.decode()) and is_normalized("NFC", text)


def normalize_names(
    roster: Roster, *ids: NDArray[np.uint32]
) -> tuple[Roster, list[NDArray[np.uint32]]]:
    """The names in their normal form, spellings of one name as one, and the ids made to fit.

    Raises FallBackToSlowReader where a name is empty; the slow reader reports its row.
    """
    if is_normal(roster):
        return roster, list(ids)
    number: dict[str, int] = {}
    new = [number.setdefault(normal_name(name), len(number)) for name in roster]
    if "" in number:
        raise FallBackToSlowReader
    fresh = np.array(new, np.uint32)
    return Roster(number), [fresh[each] for each in ids]
