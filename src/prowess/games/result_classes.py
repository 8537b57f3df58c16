"""Results of games as classes: draws, and wins by the size of their margin.

What the classes are is taken from the opening games and from a few facts of all of them; then each
game has its class, in a whole table as in a piece of a stream.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.compile.numbers import Floats


CLASSES = 8  # of margins, at most
GOALS = 5  # classes of margins that are small whole numbers: 1, 2, 3, 4, 5 and more
SMALL_MARGIN = 4.0  # mean margin of decided games up to which whole numbers are goals


class ClassRule(NamedTuple):
    """How results become classes."""

    draws: bool  # whether any game was drawn
    margins: bool  # whether wins have classes
    cut: Floats | None  # where margins are cut; None: small whole numbers, each a class
    share: Floats  # of the opening games in class j or nearer to a draw, j from 0

    def grade(self, table: Games) -> dict[str, Floats]:
        """The class of each result as facts of games; none where there are only scores.

        `result` is 1, -1 or 0, `drawn` whether it could be a draw, `smaller` and `larger` how many
        classes of margins are smaller and larger than that of a decided game.
        """
        if not (self.draws or self.margins):
            return {}
        sign = signs(table.score)
        found = {"result": sign}
        if self.draws:
            found["drawn"] = ((sign != 0.0) | (table.score == 0.5)).astype(np.float64)
        if self.margins:
            assert table.margin is not None
            decided, number = np.abs(sign), self.classes_of(np.abs(table.margin))
            found["smaller"] = decided * (number - 1.0)
            found["larger"] = decided * np.maximum(len(self.share) - number, 0.0)
        return found

    def classes_of(self, margin: Floats) -> Floats:
        """The class of each margin, from 1; of one that is not known the middle class."""
        return np.where(
            np.isnan(margin), (len(self.share) + 1) // 2, self._known_classes_of(margin)
        )

    def _known_classes_of(self, margin: Floats) -> Floats:
        if self.cut is None:
            goals: Floats = np.clip(margin, 1.0, GOALS)
            return goals
        return np.digitize(margin, self.cut).astype(np.float64) + 1.0


def signs(score: Floats) -> Floats:
    """+1 for a win of the first side, -1 for a loss, 0 for all between."""
    found: Floats = np.where(score == 1.0, 1.0, np.where(score == 0.0, -1.0, 0.0))
    return found


@dataclass(eq=False)
class ClassFinder:
    """Finds the classes: `add` looks at all games in order, the first `opening` of them closely."""

    opening: int
    games: int = 0
    draws: bool = False
    has_margins: bool = False
    whole: bool = True  # all margins are whole numbers
    largest: float = 0.0  # of all margins
    undecided: int = 0  # of the opening games
    unknown: int = 0  # of its decided games, those without a margin
    sizes: Floats = field(default_factory=lambda: np.zeros(0))  # of its decided margins
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, table: Games) -> None:
        """Look at further games."""
        score, margin = table.score, table.margin
        self.draws = self.draws or bool((score == 0.5).any())
        early = max(0, min(self.opening - self.games, len(table)))
        self.games += len(table)
        if margin is not None:
            known = margin[~np.isnan(margin)]
            self.has_margins = self.has_margins or bool(len(known))
            self.whole = self.whole and bool((known == np.floor(known)).all())
            self.largest = float(np.abs(known).max(initial=self.largest))
        if not early:
            return
        decided = signs(score[:early]) != 0.0
        self.undecided += early - int(decided.sum())  # those without a known margin are decided
        size = np.zeros(early)
        if margin is not None:
            size = np.abs(margin[:early])
            unknown = decided & np.isnan(size)
            self.unknown += int(unknown.sum())
            decided &= ~unknown
        both = np.concatenate((self.sizes, size[decided]))
        weight = np.concatenate((self.counts, np.ones(int(decided.sum()), np.int64)))
        self.sizes, place = np.unique(both, return_inverse=True)
        self.counts = np.bincount(place, weight, len(self.sizes)).astype(np.int64)

    def rule(self) -> ClassRule:
        """The classes."""
        margins, cut = self._cut_margins() if self.has_margins else (False, None)
        if not margins and not self.draws:
            return ClassRule(False, False, None, np.zeros(1))
        rule = ClassRule(self.draws, margins, cut, np.zeros(1))
        classes = rule.classes_of(self.sizes) if margins else np.ones(len(self.sizes))
        highest = int(rule.classes_of(np.array([self.largest]))[0]) if margins else 1
        opening, middle = min(self.opening, self.games), (highest + 1) // 2
        below = [
            self.undecided + int(self.counts[classes <= j].sum()) + self.unknown * (middle <= j)
            for j in range(highest)
        ]
        return rule._replace(share=np.array(below) / opening)

    def _cut_margins(self) -> tuple[bool, Floats | None]:
        """Whether margins have classes, and where they are cut.

        Small whole numbers are goals: 1, 2, 3, 4, 5 and more. Others are cut at seven quantiles.
        """
        above = self.sizes > 0.0
        size, count = self.sizes[above], self.counts[above]
        if len(size) < 2:
            return False, None
        games = int(count.sum())
        if self.whole and float(size @ count) / games <= SMALL_MARGIN:
            return True, None
        cut = quantiles(size, count, np.arange(1, CLASSES, dtype=np.int64) / CLASSES)
        cut = cut[np.append(True, cut[1:] > cut[:-1])]
        if int(count[0]) / games < 1.0 / CLASSES:
            cut = cut[cut > size[0]]
        return True, cut


def quantiles(values: Floats, counts: NDArray[np.int64], at: Floats) -> Floats:
    """The quantiles of ascending values that occur so many times, as `numpy.quantile` has them."""
    ends = np.cumsum(counts, dtype=np.int64)
    part, low = np.modf((int(ends[-1]) - 1) * at)
    lower = values[np.searchsorted(ends, low, side="right")]
    upper = values[np.searchsorted(ends, np.minimum(low + 1, ends[-1] - 1), side="right")]
    step = upper - lower
    found: Floats = np.where(part < 0.5, lower + step * part, upper - step * (1.0 - part))
    return found


def find_classes(table: Games, opening: int) -> ClassRule:
    """The classes of the results of a table; those of margins are taken from the first games."""
    finder = ClassFinder(opening)
    finder.add(table)
    return finder.rule()
