"""A frame with axes: where data stand in a drawing, grid, ticks and the names of both axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prowess.present.figures.marks import breadth, line, words
from prowess.present.figures.scales import Scale, Tick
from prowess.present.figures.theme import SIZE


@dataclass(frozen=True)
class Frame:
    """The rectangle of the data within a drawing, in pixels from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def x(self, low: float, high: float) -> Scale:
        """Values from left to right."""
        return Scale(low, high, self.left, self.right)

    def y(self, low: float, high: float) -> Scale:
        """Values from the bottom up."""
        return Scale(low, high, self.bottom, self.top)


def room_for(ticks: Sequence[Tick]) -> float:
    """How far from the edge a frame begins whose left ticks are these."""
    return max((breadth(tick.text, SIZE) for tick in ticks), default=0.0) + 8.0


def left_axis(frame: Frame, y: Scale, ticks: Sequence[Tick], name: str = "") -> str:
    """Grid lines with their values to the left, the name of the axis above them."""
    marks = [line(frame.left, y(t.value), frame.right, y(t.value), "rule") for t in ticks]
    marks += [words(t.text, frame.left - 6.0, y(t.value) + 4.0, anchor="end") for t in ticks]
    if name:
        marks.append(words(name, 0.0, frame.top - 14.0))
    return "".join(marks)


def bottom_axis(
    frame: Frame, x: Scale, ticks: Sequence[Tick], name: str = "", *, grid: bool = False
) -> str:
    """The line below the data, its values, and the name of the axis below them.

    The words of the ends are moved inward so that none is cut off.
    """
    marks = [line(frame.left, frame.bottom, frame.right, frame.bottom, "edge")]
    for tick in ticks:
        at = x(tick.value)
        if grid:
            marks.append(line(at, frame.top, at, frame.bottom, "rule"))
        marks.append(line(at, frame.bottom, at, frame.bottom + 4.0, "edge"))
        half = 0.5 * breadth(tick.text, SIZE)
        middle = min(max(at, frame.left + half - 20.0), frame.right - half + 6.0)
        marks.append(words(tick.text, middle, frame.bottom + 17.0, anchor="middle"))
    if name:
        marks.append(words(name, frame.right, frame.bottom + 34.0, anchor="end"))
    return "".join(marks)
