"""Named entries one below another: bars for counts and sums, dots with intervals for estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from prowess.present.figures.axes import Frame, bottom_axis
from prowess.present.figures.figure import Drawing
from prowess.present.figures.marks import box, breadth, dot, line, shortened, words
from prowess.present.figures.scales import bounds, ticks
from prowess.present.figures.theme import SIZE
from prowess.present.findings.told import Told

ROW, DOUBLE = 26.0, 40.0  # pixels of an entry, and of one with words beneath
PIXELS = 75.0  # between ticks


class Entry(NamedTuple):
    """A name, a second line of words, and a value; `mark` is what was to be expected.

    With an interval it is a dot, without one a bar from 0.
    """

    name: str
    beneath: str
    value: float
    hint: str
    low: float | None = None
    high: float | None = None
    mark: float | None = None
    dotted: bool = False


@dataclass(frozen=True, eq=False)
class Entries(Told):
    """Entries on one scale that holds 0."""

    axis: str
    entries: tuple[Entry, ...]

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        room = min(0.42 * width, max(map(_breadth, self.entries)) + 4.0)
        tall = DOUBLE if any(one.beneath for one in self.entries) else ROW
        frame = Frame(room + 10.0, 8.0, width - 14.0, 8.0 + tall * len(self.entries))
        known = [(one.value, one.low, one.high, one.mark) for one in self.entries]
        values = [0.0, *(value for four in known for value in four if value is not None)]
        count = max(2, int((frame.right - frame.left) / PIXELS))
        extent = bounds(min(values), max(values), count)
        x = frame.x(*extent)
        marks = [
            bottom_axis(frame, x, ticks(*extent, count), self.axis, grid=True),
            line(x(0.0), frame.top, x(0.0), frame.bottom, "edge"),
        ]
        for k, one in enumerate(self.entries):
            y = frame.top + tall * (k + 0.5)
            lift = 4.0 if one.beneath else -4.0
            for text, at, class_ in ((one.name, y - lift, "ink"), (one.beneath, y + 12.0, None)):
                short = shortened(text, SIZE, room)
                marks.append(words(short, 0.0, at, class_=class_, full=text) if text else "")
            if one.low is not None and one.high is not None:
                marks.append(line(x(one.low), y, x(one.high), y, "reach"))
            if one.dotted:
                marks.append(dot(x(one.value), y, 4.0, "dot", one.hint))
            else:
                start, end = sorted((x(0.0), x(one.value)))
                marks.append(box(start, y - 7.0, max(end - start, 1.0), 14.0, "bar", one.hint))
            if one.mark is not None:
                # on a ground of its own, so that it shows on a bar too
                marks.append(box(x(one.mark) - 2.5, y - 11.0, 5.0, 22.0, "ground"))
                marks.append(box(x(one.mark) - 1.5, y - 11.0, 3.0, 22.0, "low"))
        return Drawing(width, frame.bottom + 42.0, "".join(marks))


def _breadth(one: Entry) -> float:
    return max(breadth(one.name, SIZE), breadth(one.beneath, SIZE))
