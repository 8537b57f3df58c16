"""Systems by how much worse than the best one they forecast, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prowess.present.figures.axes import Frame, bottom_axis
from prowess.present.figures.figure import Drawing, Figure
from prowess.present.figures.marks import breadth, dot, isolated, line, shortened, words
from prowess.present.figures.scales import bounds, ticks
from prowess.present.figures.theme import SIZE
from prowess.study.compare import Comparison

ROW = 26.0  # pixels a system


@dataclass(frozen=True, eq=False)
class BehindTheBest(Figure):
    """A comparison as distances from its first entry."""

    comparison: Comparison

    @property
    def title(self) -> str:
        """See Figure."""
        return "Systems by their forecasts"

    @property
    def description(self) -> str:
        """See Figure."""
        one = self.comparison
        best, *others = one.entries
        name = _spoken(one.by)
        judged = (
            f"{one.count:,} forecasts judged by {name}; {isolated(best.test.name)} is best with "
            f"{best.scores[one.by]:.4f}."
        )
        if not others:
            return judged
        return (
            f"{judged} Dots: how much worse the mean {name} of a system is, bars: the "
            f"{one.level:.0%} interval of that difference. A system whose bar reaches 0 cannot be "
            "told from the best."
        )

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        return self.comparison.rows()

    def drawn(self, width: float) -> Drawing:
        """See Figure."""
        entries = self.comparison.entries
        room = min(0.4 * width, max(breadth(one.test.name, SIZE) for one in entries) + 4.0)
        frame = Frame(room + 10.0, 8.0, width - 14.0, 8.0 + ROW * len(entries))
        gaps = [one.behind for one in entries]
        ends = [0.0, *(gap.low for gap in gaps), *(gap.high for gap in gaps)]
        count = max(2, int((frame.right - frame.left) / 75.0))
        extent = bounds(min(ends), max(ends), count)
        x = frame.x(*extent)
        axis = f"behind the best ({_spoken(self.comparison.by)})"
        marks = [
            bottom_axis(frame, x, ticks(*extent, count), axis, grid=True),
            line(x(0.0), frame.top, x(0.0), frame.bottom, "edge"),
        ]
        for k, one in enumerate(entries):
            y = frame.top + ROW * (k + 0.5)
            name = shortened(one.test.name, SIZE, room)
            marks.append(words(name, 0.0, y + 4.0, class_="ink", full=one.test.name))
            if k:
                marks.append(line(x(one.behind.low), y, x(one.behind.high), y, "reach"))
            hint = f"{_spoken(self.comparison.by)} {one.scores[self.comparison.by]:.4f}"
            marks.append(dot(x(one.behind.mean), y, 4.0, "dot", hint))
        return Drawing(width, frame.bottom + 42.0, "".join(marks))


def behind_the_best(comparison: Comparison) -> BehindTheBest:
    """The figure of a comparison."""
    return BehindTheBest(comparison)


def _spoken(name: str) -> str:
    return name.replace("_", " ")
