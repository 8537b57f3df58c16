"""The players of a ladder: which row is whose, and names that are looked up one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from prowess.live.ladder.columns import ColumnBuffer

if TYPE_CHECKING:
    from numpy.typing import NDArray


Names = Callable[[int], str]


class Players(Sequence[str]):
    """Names of players that are only asked for one by one; `ids` are their numbers."""

    __slots__ = ("ids", "names")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, ids: NDArray[np.int64], names: Names) -> None:
        self.ids, self.names = ids, names

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


@dataclass(frozen=True, eq=False)
class LadderRoster:
    """The rows of a ladder's players, in order of first appearance; a row is never given away.

    `rows` is shared by all rosters that grew from one, so it may know players this one does not.
    """

    block: ColumnBuffer  # of id
    rows: dict[int, int]

    @classmethod
    def of(cls, ids: NDArray[np.int64]) -> LadderRoster:
        """The roster with these players."""
        return cls(
            ColumnBuffer({"id": ids}, len(ids)),
            dict(zip(ids.tolist(), range(len(ids)), strict=True)),
        )

    def __len__(self) -> int:
        return self.block.count

    @property
    def ids(self) -> NDArray[np.int64]:
        """The store's number of each row."""
        return self.block["id"]

    def row(self, player: int) -> int | None:
        """The row of a player, None if this roster does not have the player."""
        row = self.rows.get(player)
        known = row is not None and row < len(self) and self.block.held["id"][row] == player
        return row if known else None

    def add_players(self, newcomers: Sequence[int]) -> LadderRoster:
        """The roster with more players at its end."""
        self.rows.update(zip(newcomers, range(len(self), len(self) + len(newcomers)), strict=True))
        block = self.block.extend({"id": np.array(newcomers, dtype=np.int64)})
        return LadderRoster(block, self.rows)


class Numbering:
    """The rows of players, those of newcomers given on the way."""

    def __init__(self, roster: LadderRoster) -> None:
        self.roster, self.newcomers = roster, dict[int, int]()

    def row(self, player: int) -> int:
        """The row of a player, a new one if the roster does not have the player."""
        row = self.roster.row(player)
        if row is not None:
            return row
        return self.newcomers.setdefault(player, len(self.roster) + len(self.newcomers))
