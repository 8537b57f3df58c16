"""Several games between two players: best of so many, or first to so many. Exact.

Games are independent given the strengths. The chances of every score are carried from game to
game; a series ends as soon as it is decided. Drawn games count half a point each, or are replayed
(the chance of winning is then win / (win + loss)) until somebody wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.params import BadSetting
from prowess.study.forecasting.contenders import Odds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SIDES = {"a": 1.0, "b": -1.0, "n": 0.0}  # who has the side advantage


class Course(NamedTuple):
    """When a series is over. Halves are half points: two for a win, one each for a draw."""

    most: int  # games
    target: int  # halves of the winner
    replayed: bool  # whether drawn games are played again
    order: str  # who has the side, game by game, over and over: letters of SIDES

    def side(self, game: int) -> float:
        """+1 where the first player has the side in this game, counted from 0."""
        return SIDES[self.order[game % len(self.order)]]


@dataclass(frozen=True, eq=False)
class Series:
    """Chances of the final scores (points of a, points of b), arrays of one shape."""

    scores: Mapping[tuple[float, float], Floats]

    @property
    def win(self) -> Floats:
        """The chance that a wins the series."""
        return self._sum(1)

    @property
    def level(self) -> Floats:
        """The chance that it ends level."""
        return self._sum(0)

    @property
    def loss(self) -> Floats:
        """The chance that b wins the series."""
        return self._sum(-1)

    @property
    def length(self) -> Floats:
        """The expected number of games (of decided ones, where draws are replayed)."""
        return sum((a + b) * chance for (a, b), chance in self.scores.items())  # type: ignore[return-value]

    def _sum(self, sign: int) -> Floats:
        zero = np.zeros_like(next(iter(self.scores.values())))
        return sum((c for (a, b), c in self.scores.items() if np.sign(a - b) == sign), zero)


def best_of(games: int, replayed: bool = False, order: str = "n") -> Course:
    """At most so many games; over when one has more than half of the points."""
    return _checked(Course(games, games + 1, replayed, order))


def first_to(points: int, replayed: bool = False, order: str = "n") -> Course:
    """Until one has so many points; both may have them after a draw."""
    most = 2 * points - 1 if replayed else 2 * points
    return _checked(Course(most, 2 * points, replayed, order))


def _checked(course: Course) -> Course:
    if course.most < 1:
        raise BadSetting("a series has at least one game")
    if not course.order or set(course.order) - SIDES.keys():
        raise BadSetting(
            f"order {course.order!r}: write a letter a game, a or b for who has the side, n for "
            "nobody, such as ab or aabba"
        )
    return course


def series(odds: Sequence[Odds], course: Course, score: tuple[float, float] = (0, 0)) -> Series:
    """The series from a score on; `odds` of the games to come, at least as many as can be."""
    state = {(round(2 * score[0]), round(2 * score[1])): np.ones_like(odds[0].win)}
    ended: dict[tuple[int, int], Floats] = {}
    played = (sum(next(iter(state)))) // 2
    for game in range(course.most - played + 1):
        later: dict[tuple[int, int], Floats] = {}
        for (a, b), chance in state.items():
            if max(a, b) >= course.target or played + game >= course.most:
                ended[a, b] = ended.get((a, b), 0.0) + chance
                continue
            win, draw, loss = _game(odds[game], course.replayed)
            for mine, theirs, part in ((2, 0, win), (1, 1, draw), (0, 2, loss)):
                if part is not None and np.any(part):
                    key = a + mine, b + theirs
                    later[key] = later.get(key, 0.0) + chance * part
        state = later
    return Series({(a / 2, b / 2): ended[a, b] for a, b in sorted(ended, reverse=True)})


def _game(odds: Odds, replayed: bool) -> tuple[Floats, Floats | None, Floats]:
    if not replayed:
        return odds.win, odds.draw, odds.loss
    won = decisive(odds)
    return won, None, 1.0 - won


def decisive(odds: Odds) -> Floats:
    """The chance of winning the first game that is not drawn; 1/2 where none can be."""
    decided = odds.win + odds.loss
    return np.where(decided > 0.0, odds.win / np.where(decided > 0.0, decided, 1.0), 0.5)
