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
from dataclasses import dataclass, replace
from math import ceil, exp, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers.duels import OutOfTime

from prowess.engine.losses import log_loss, three_way_log_loss
from prowess.games.games import Games
from prowess.study.backtest import Backtest
from prowess.study.compare import compare

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

    @property
    def score_name(self) -> str:
        """The score that decides."""
        return "brier" if self.of_many else "log_loss"

    def test(self, expected: Floats, draw: Floats | None = None) -> Backtest:
        """Forecasts of these outcomes, of which the last 40 % are judged."""
        return Backtest("", {}, self.table, None, expected, draw, self.judged, 0.0)

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
        return not self.table.pairwise


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The forecasts of one system for the judged games, and how it was set.

    `tests` has a test by two-way log loss (of contests by the Brier score) and, where there are
    draws and forecasts of them, one by three-way log loss.
    """

    name: str
    setting: str
    tests: Mapping[str, Backtest]
    seconds: float

    def behind(self, best: Forecasts, by: str) -> tuple[float, float]:
        """How far the mean loss is above that of another system, and half its 95 % interval."""
        pair = [replace(one.tests[by], name=one.name) for one in (best, self)]
        worst = compare(pair, metric=by).entries[-1]
        sign = 1.0 if worst.test.name == self.name else -1.0
        return sign * worst.behind.mean, 0.5 * (worst.behind.high - worst.behind.low)


def judge(
    name: str, outcomes: Outcomes, expected: Floats, draw: Floats | None, seconds: float
) -> Forecasts:
    """Judge forecasts as they are."""
    tests = {outcomes.score_name: outcomes.test(expected)}
    if draw is not None and outcomes.draws:
        tests["log_loss_3"] = outcomes.test(expected, draw)
    return Forecasts(name, "untuned", tests, seconds)


def judge_calibrated(
    name: str, setting: str, outcomes: Outcomes, expected: Floats, seconds: float
) -> Forecasts:
    """Judge forecasts with slope, side advantage and draws fitted."""
    tests = {outcomes.score_name: outcomes.test(scale(outcomes, expected))}
    if outcomes.draws:
        tests["log_loss_3"] = outcomes.test(*scale_with_draws(outcomes, expected))
    return Forecasts(name, setting, tests, seconds)


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
