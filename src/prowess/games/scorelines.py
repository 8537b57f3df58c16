"""Results such as 2-1: the points of both sides, where a column holds nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.growth import Growing
from prowess.games.refusal import BadData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.cells import Chunk
    from prowess.games.judgement import Lookups

    Floats = NDArray[np.float64]


class Scorelines:
    """The points of both sides that are being gathered from a column of results.

    1-0 and 0-1 alone are results as of chess, and 0-0 beside them may be a draw as well as a game
    without points; a column with a scoreline that no game of chess has (2-1, 1-1) counts points.
    """

    def __init__(self) -> None:
        self.points: tuple[Growing, Growing] | None = None  # from the first such scoreline on
        self.mixed = False  # whether the column holds other results as well
        self.scored = False  # whether it holds a scoreline that no game of chess has
        self.nil: BadData | None = None  # the first 0-0

    def add(
        self, chunk: Chunk, column: str, lookups: Lookups, scores: Growing | None, place: Any
    ) -> None:
        """Take the points of further rows; `scores` are those of all rows before them, and
        `place` says of a line where it stands.
        """
        outcomes = lookups.outcomes
        self.scored |= outcomes.scored
        self.mixed |= outcomes.mixed or lookups.result.numbers_met
        cells = chunk.columns[column]
        if outcomes.nil and self.nil is None:
            a, b = (cells.judged(lookup).values for lookup in lookups.points)
            nils = np.flatnonzero((a == 0.0) & (b == 0.0))
            if len(nils):
                self.nil = place(chunk.line(int(nils[0])))
        if self.mixed:
            self.points = None
        elif self.scored:
            if self.points is None:
                self.points = _points_before(scores)
            for points, lookup in zip(self.points, lookups.points, strict=True):
                points.append(cells.judged(lookup).values)

    def columns(self) -> dict[str, Floats]:
        """The points of both sides, where the column tells them; raises BadData for a 0-0 that
        may be a draw as well as a game without points.
        """
        if self.nil is not None and not self.scored:
            raise self.nil
        if self.points is None:
            return {}
        a, b = (points.whole() for points in self.points)
        return {"points_a": a, "points_b": b}


def _points_before(scores: Growing | None) -> tuple[Growing, Growing]:
    """The points of rows that hold nothing but 1-0, 0-1 and 0-0, by their scores."""
    a, b = Growing(), Growing()
    if scores is not None:
        before = scores.whole()
        a.append((before == 1.0).astype(np.float64))
        b.append((before == 0.0).astype(np.float64))
    return a, b
