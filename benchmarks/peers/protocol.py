"""The protocol of the comparison of forecasts: what is played, fitted and judged.

The first 20 % of the games only play. On those from 20 to 60 % the settings of a program are
searched, and three numbers are fitted that turn its forecasts into chances: a slope of the log odds
z, what the side advantage is worth beside it, and the width of draws:

    expected score   sigma(s z + h side)                       (log loss, a draw counts one half)
    win, loss        sigma(s z + h side - c), sigma(-s z - h side - c); the rest is a draw

The last 40 % are judged. In a contest of many what is forecast is the share of the field that each
side leaves behind, judged by the Brier score; its sides weigh as one game.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, exp, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers.duels import OutOfTime

from prowess.study.scores import brier, log_loss, three_way_log_loss

Floats = NDArray[np.float64]

WARM_UP, UNTIL = 0.2, 0.6
STEP = 0.5  # of the first simplex, in logarithms of settings


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What is forecast, in order of time: the score of the first side of each game, or the share
    of the others that each side of a contest of many leaves behind.

    `game` is the number of the game or contest, `side` +1 where the first has the side advantage.
    """

    score: Floats
    side: Floats
    game: NDArray[np.int64]

    @property
    def games(self) -> int:
        """How many games or contests there are."""
        return int(self.game[-1]) + 1

    @property
    def weight(self) -> Floats:
        """Of each entry: those of a contest weigh as one game."""
        return 1.0 / np.bincount(self.game)[self.game]

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
        return self.games < len(self.score)

    def losses(self, expected: Floats) -> Floats:
        """The loss of each judged game, of contests the mean over the sides."""
        rows, score = self.judged, brier if self.of_many else log_loss
        game = self.game[rows] - self.cut
        return np.bincount(game, score(self.score[rows], expected[rows])) / np.bincount(game)


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The losses of one system on the judged games, and how it was set."""

    name: str
    setting: str
    two_way: Floats
    three_way: Floats | None
    seconds: float


def judge(
    name: str, outcomes: Outcomes, expected: Floats, draw: Floats | None, seconds: float
) -> Forecasts:
    """The losses of forecasts as they are."""
    rows = outcomes.judged
    two = outcomes.losses(expected)
    three = None
    if draw is not None and outcomes.draws:
        three = three_way_log_loss(outcomes.score[rows], expected[rows], draw[rows])
    return Forecasts(name, "untuned", two, three, seconds)


def judge_calibrated(
    name: str, setting: str, outcomes: Outcomes, expected: Floats, seconds: float
) -> Forecasts:
    """The losses of forecasts with slope, side advantage and draws fitted."""
    rows = outcomes.judged
    two = outcomes.losses(scale(outcomes, expected))
    three = None
    if outcomes.draws:
        level, draw = scale_with_draws(outcomes, expected)
        three = three_way_log_loss(outcomes.score[rows], level[rows], draw[rows])
    return Forecasts(name, setting, two, three, seconds)


def scale(outcomes: Outcomes, expected: Floats) -> Floats:
    """The expected scores with slope and side advantage fitted by Newton's method."""
    rows = outcomes.fitted[: len(expected)]
    columns = log_odds(expected)[:, None]
    if outcomes.side[outcomes.fitted].any():
        columns = np.column_stack((columns, outcomes.side[: len(expected)]))
    x, score, weight = (
        columns[rows],
        outcomes.score[: len(rows)][rows],
        outcomes.weight[: len(rows)][rows],
    )
    beta = np.eye(columns.shape[1])[0]
    for _ in range(30):
        chance = sigma(x @ beta)
        slope = x.T @ (weight * (score - chance)) - 1e-6 * beta
        curve = (x * (weight * chance * (1.0 - chance))[:, None]).T @ x + 1e-6 * np.eye(len(beta))
        step = np.linalg.solve(curve, slope)
        beta = beta + step * min(1.0, 2.0 / max(1e-9, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-10:
            break
    return sigma(columns @ beta)


def scale_with_draws(outcomes: Outcomes, expected: Floats) -> tuple[Floats, Floats]:
    """Expected scores and chances of a draw with slope, side and width of draws fitted."""
    from scipy.optimize import minimize

    z, rows = log_odds(expected), outcomes.fitted

    def chances(v: Floats) -> tuple[Floats, Floats]:
        d, c = v[0] * z + v[1] * outcomes.side, exp(v[2])
        win, loss = sigma(d - c), sigma(-d - c)
        return 0.5 + 0.5 * (win - loss), 1.0 - win - loss

    def loss(v: Floats) -> float:
        level, draw = chances(v)
        return float(three_way_log_loss(outcomes.score[rows], level[rows], draw[rows]).mean())

    found = minimize(loss, [1.0, 0.0, -0.5], method="Nelder-Mead", options={"xatol": 1e-4})
    return chances(found.x)


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
    rows = outcomes.fitted[outcomes.game < outcomes.cut]
    score, weight = outcomes.score[: len(rows)][rows], outcomes.weight[: len(rows)][rows]
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
        value = float(np.average(log_loss(score, scale(outcomes, expected)[rows]), weights=weight))
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


def log_odds(expected: Floats) -> Floats:
    """The logarithm of the odds."""
    chance = np.clip(expected, 1e-9, 1.0 - 1e-9)
    return np.log(chance) - np.log1p(-chance)


def sigma(z: Floats) -> Floats:
    """The logistic function."""
    return 0.5 + 0.5 * np.tanh(0.5 * z)
