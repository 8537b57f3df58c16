"""A figure of a finding: what was found, how to read it, and its numbers, told beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prowess.present.figures.figure import Figure
from prowess.present.figures.marks import CONTROLS

INTERVALS = "Bars: the 95% interval of each dot."


@dataclass(frozen=True, eq=False)
class Told(Figure):
    """`says` is the sentence of the finding, `reading` says what the marks are."""

    heading: str
    says: str
    reading: str
    rows: list[dict[str, Any]]

    @property
    def title(self) -> str:
        """See Figure."""
        return self.heading

    @property
    def description(self) -> str:
        """See Figure."""
        return f"{plain(self.says)} {self.reading}"

    @property
    def data(self) -> list[dict[str, Any]]:
        """See Figure."""
        return self.rows


def plain(text: str) -> str:
    """Words without the marks of direction that a name may carry into them."""
    return CONTROLS.sub("", text)
