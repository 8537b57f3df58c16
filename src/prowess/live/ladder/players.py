"""Players: the rows of a ladder's players, with names that are looked up one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Names = Callable[[int], str]


class Players(Sequence[str]):
    """The players of a ladder in order of first appearance; a row once given stays.

    `ids` are the store's numbers. `rows` is shared by all that grew from one, so it may know
    players that this one does not have.
    """

    __slots__ = ("ids", "names", "rows")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, ids: NDArray[np.int64], names: Names, rows: dict[int, int] | None = None
    ) -> None:
        if rows is None:
            rows = dict(zip(ids.tolist(), range(len(ids)), strict=True))
        self.ids, self.names, self.rows = ids, names, rows

    def find_rows(self, players: Iterable[int]) -> dict[int, int]:
        """The rows of those of some players who are there, by the store's number."""
        rows = {one: row for one in players if (row := self.rows.get(one)) is not None}
        return {
            one: row for one, row in rows.items() if row < len(self.ids) and self.ids[row] == one
        }

    def add(self, players: Sequence[int]) -> Players:
        """With those of these players who are new, at the end."""
        known = self.find_rows(players)
        newcomers = [player for player in dict.fromkeys(players) if player not in known]
        if not newcomers:
            return self
        ids = np.append(self.ids, np.array(newcomers, dtype=np.int64))
        self.rows.update(zip(newcomers, range(len(self), len(ids)), strict=True))
        return Players(ids, self.names, self.rows)

    def apart(self, more: Mapping[int, str]) -> Players:
        """The same players, to be added to in another thread; `more` has names by number."""
        names = self.names

        def name(number: int) -> str:
            return more[number] if number in more else names(number)

        return Players(self.ids, name)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """The name of a player, or a list of names."""
        if isinstance(index, slice):
            return [self.names(player) for player in self.ids[index].tolist()]
        return self.names(int(self.ids[index]))

    def __iter__(self) -> Iterator[str]:
        return map(self.names, self.ids.tolist())

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """The row of a player by name, or ValueError."""
        for row, known in enumerate(self[start:stop], start):
            if known == name:
                return row
        raise ValueError(f"{name!r} is not in the roster")
