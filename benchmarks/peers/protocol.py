"""The protocol of the comparison of forecasts: what is played, fitted and judged.

The first 20 % of the games only play. On those from 20 to 60 % the settings of a program are
searched, and `prowess.study.judging.calibrate` fits the numbers that turn its forecasts into
chances. The last 40 % are judged. In a contest of many what is forecast is the share of the field
that each side leaves behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil, exp, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers.duels import OutOfTime

from prowess.games.games import Games
from prowess.study.backtest import Backtest
from prowess.study.judging import calibrate
from prowess.study.scores import default_metric

Floats = NDArray[np.float64]

WARM_UP, UNTIL = 0.2, 0.6
STEP = 0.5  # of the first simplex, in logarithms of settings


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What is forecast, in order of time: the score of the first side of each game, or the share
    of the others that each side of a contest of many leaves behind.

    `game` is the number of the game or contest, `side` +1 where the first has the side advantage.
    """

    table: Games
    score: Floats
    side: Floats
    game: NDArray[np.int64]

    def calibrate(self, expected: Floats) -> Backtest:
        """Calibrated forecasts, of which the last 40 % are judged; the first ones may be all."""
        whole = np.concatenate((expected, np.full(len(self.score) - len(expected), 0.5)))
        made = Backtest("", self.table, whole, self.judged)
        return calibrate(made, self.fitted)

    @property
    def games(self) -> int:
        """How many games or contests there are."""
        return int(self.game[-1]) + 1

    @property
    def draws(self) -> bool:
        """Whether draws occur among the games that are fitted."""
        return bool((self.score[self.fitted] == 0.5).any()) and not self.of_many

    @property
    def fitted(self) -> NDArray[np.bool_]:
        """The entries of the games from 20 to 60 %."""
        return (self.game >= ceil(WARM_UP * self.games)) & (self.game < self.cut)

    @property
    def judged(self) -> NDArray[np.bool_]:
        """The entries of the games that are judged."""
        return self.game >= self.cut

    @property
    def cut(self) -> int:
        """The first game that is judged."""
        return ceil(UNTIL * self.games)

    @property
    def of_many(self) -> bool:
        """Whether these are contests of many sides."""
        return not self.table.pairwise


def search(
    run: Callable[[Mapping[str, float], float], Floats],
    start: Mapping[str, float],
    outcomes: Outcomes,
    seconds: float,
    tries: int,
) -> dict[str, float]:
    """The setting with the lowest loss on the games from 20 to 60 %, by Nelder and Mead.

    `run(setting, until)` forecasts the games before those that are judged. Settings are searched on
    a logarithmic scale, for so many tries or seconds. Raises OutOfTime if not one try ends well.
    """
    from scipy.optimize import minimize

    names, until = list(start), time.monotonic() + seconds
    best: tuple[float, dict[str, float]] = (inf, {})

    def loss(v: Any) -> float:
        nonlocal best
        setting = {name: exp(x) for name, x in zip(names, v, strict=True)}
        try:
            expected = run(setting, until)
        except ArithmeticError:  # an extreme setting
            return inf
        if not np.isfinite(expected).all():
            return inf
        test = replace(outcomes.calibrate(expected), judged=outcomes.fitted)
        value = test.scores[default_metric(outcomes.table)]
        best = min(best, (value, setting), key=lambda one: one[0])
        return value

    first = np.array([log(value) for value in start.values()])
    simplex = np.vstack((first, first + STEP * np.eye(len(first))))
    with suppress(OutOfTime):
        minimize(
            loss,
            first,
            method="Nelder-Mead",
            options={"initial_simplex": simplex, "maxfev": tries, "xatol": 0.02, "fatol": 1e-5},
        )
    if not best[1]:
        raise OutOfTime
    return best[1]
