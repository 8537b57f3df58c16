"""States on the way, from which a log is played on: dense near the end, where corrections are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from prowess.engine.state import State

MOST = 32
BYTES = 64 * 1024 * 1024
SPACING = 512  # results; fewer are played as quickly as a state is copied


class Checkpoint(NamedTuple):
    """The state before a row of the log, with which a round begins; nobody writes to it."""

    row: int
    state: State

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        state = self.state
        league = sum(array.nbytes for array in state.league) if state.league else 0
        return int(state.rating.nbytes + state.seen.nbytes + league)


def thinned(checkpoints: Sequence[Checkpoint], count: int) -> tuple[Checkpoint, ...]:
    """Few enough of them for a log of `count` results.

    Playing from a checkpoint to the end should take little longer than from a row that lies
    between it and the next, so the one goes whose neighbours' distances from the end differ least.
    The last stays.
    """
    kept = list(checkpoints)
    while len(kept) > 1 and (len(kept) > MOST or sum(one.bytes for one in kept) > BYTES):
        distance = [count - one.row + 1 for one in (Checkpoint(0, kept[0].state), *kept)]
        ratio = [distance[k] / distance[k + 2] for k in range(len(kept) - 1)]
        del kept[ratio.index(min(ratio))]
    return tuple(kept)


def stations(first: int, count: int) -> list[int]:
    """Rows between `first` and the end where a state is worth keeping: half way, and so on."""
    rows, left = [], count - first
    while left > 2 * SPACING:
        left //= 2
        rows.append(count - left)
    return rows


def due(checkpoints: Sequence[Checkpoint], count: int, players: int) -> bool:
    """Whether a state is worth copying: so seldom that it costs a result next to nothing."""
    last = checkpoints[-1].row if checkpoints else 0
    return count - last >= max(2 * SPACING, players)
