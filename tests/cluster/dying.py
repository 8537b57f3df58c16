"""What kills the process of a worker that computes with it, once."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from prowess.games.games import Games
from prowess.games.shards import TablePart


class DyingPart(TablePart):
    """Rows of a shard; the first other process that loads one of them kills itself."""

    def __init__(self, table: Games, mark: Path, row: int) -> None:
        super().__init__(table)
        self.mark, self.row, self.home = mark, row, os.getpid()

    def cut(self, low: int, high: int) -> TablePart:
        """See Part."""
        if low <= self.row < high:
            return DyingPart(self.table.select(slice(low, high)), self.mark, self.row - low)
        return super().cut(low, high)

    def load(self, wanted: frozenset[str] | None = None) -> Games:
        """See Part."""
        if os.getpid() != self.home and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().load(wanted)
