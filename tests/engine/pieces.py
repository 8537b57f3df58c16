"""A table as a stream of pieces, cut anywhere: the oracle of streams."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from prowess.games.games import Games
from prowess.games.stream import Piece, Position


class Stopped(Exception):
    """A run that is killed."""


class TablePieces:
    """Rows of a table in pieces that end at `cuts`; each knows the players so far and no others."""

    files = ()
    most: int | None = None  # pieces after which the reader dies

    def __init__(self, table: Games, cuts: Sequence[int]) -> None:
        self.table, self.cuts = table, sorted({*cuts, len(table)})
        self.rows: int | None = len(table)
        self.reading = table.reading

    def pieces(self, start: Position = Position()) -> Generator[Piece]:  # noqa: B008 - a tuple
        """The pieces from a row on."""
        row = start.row
        known = self._known(self.table.first(row))
        for end in self.cuts:
            if end > row:
                if self.most is not None:
                    self.most -= 1
                    if self.most < 0:
                        raise Stopped
                games = self.table.select(slice(row, end))
                known = max(known, self._known(games))
                yield Piece(self._cut(games, known), Position(0, end))
                row = end

    def roster(self) -> Any:
        """All names."""
        return self.table.players

    def arrays(self) -> dict[str, Any]:
        """Nothing has to be kept."""
        return {}

    def restore(self, arrays: Any) -> None:
        """Nothing was kept."""

    def _known(self, games: Games) -> int:
        return int(games.player.max(initial=0)) + 1 if len(games) else 0

    def _cut(self, games: Games, known: int) -> Games:
        role = games.role
        return games.replace(
            players=games.players[:known], role=None if role is None else role[:known].copy()
        )


def some_cuts(rows: int, data: Any, st: Any) -> list[int]:
    """Where a table of so many rows is cut."""
    return sorted(data.draw(st.sets(st.integers(0, rows), max_size=6)))
