"""Stacks the slow, obvious way: matrices, plain loops, one setting after another."""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np

from prowess.games.games import Games
from prowess.study.backtest import Backtest
from prowess.study.log_odds import SETTINGS
from tests.engine.tables import START, games


def logit(chance: float) -> float:
    """ln(p / (1 - p)), of chances that no test takes beyond 1e-4."""
    chance = min(max(chance, 1e-4), 1.0 - 1e-4)
    return log(chance) - log(1.0 - chance)


def table_of(score: np.ndarray, side: np.ndarray | None = None) -> Games:
    """Games of two players with these scores, a day each."""
    rows = [("Ada", "Ben", float(one)) for one in score]
    time = START + np.arange(len(score), dtype=np.float64)
    return games(
        rows, ("Ada", "Ben"), time=time, side=np.zeros(len(score)) if side is None else side
    )


def member(
    table: Games, expected: np.ndarray, draw: np.ndarray | None = None, name="m"
) -> Backtest:
    """A backtest with forecasts from elsewhere, the first fifth not judged."""
    judged = np.arange(len(table)) >= 0.2 * len(table)
    return Backtest(name, table, expected, judged, draw)


class SlowBank:
    """The bank in the obvious way: matrices, one setting after another."""

    def __init__(self, centre: list[float], scale: list[float]) -> None:
        self.centre = np.array(centre)
        self.first = [spread**2 * np.diag(scale) for spread, _ in SETTINGS]
        self.mean: list[np.ndarray] = [self.centre.copy() for _ in SETTINGS]
        self.covariance: list[np.ndarray] = [one.copy() for one in self.first]
        self.loss = [0.0 for _ in SETTINGS]

    def age(self) -> None:
        """Let the weights of every setting move towards the centre, once a game."""
        for j, (_, keep) in enumerate(SETTINGS):
            self.mean[j] = self.centre + keep * (self.mean[j] - self.centre)
            aged = keep**2 * (self.covariance[j] - self.first[j])
            self.covariance[j] = self.first[j] + aged

    def ask(self, x: list[float]) -> list[tuple[float, float]]:
        """The chance by each setting, and by how much uncertainty shrinks its log odds."""
        found = []
        for mean, covariance in zip(self.mean, self.covariance, strict=True):
            kappa = 1.0 / sqrt(1.0 + pi * (np.array(x) @ covariance @ np.array(x)) / 8.0)
            found.append((1.0 / (1.0 + exp(-kappa * (np.array(x) @ mean))), kappa))
        return found

    def forecast(self, x: list[float]) -> float:
        """The mean of the settings' chances by their likelihoods."""
        weight = [exp(min(self.loss) - loss) for loss in self.loss]
        return sum(w * p for w, (p, _) in zip(weight, self.ask(x), strict=True)) / sum(weight)

    def learn(self, x: list[float], s: float, n: float = 1.0) -> None:
        """Update every setting by the precision form of Laplace's approximation."""
        for j, (p, kappa) in enumerate(self.ask(x)):
            self.loss[j] -= n * (s * log(p) + (1.0 - s) * log(1.0 - p))
            if SETTINGS[j][0] == 0.0:
                continue
            gain = n * kappa**2 * p * (1.0 - p) * np.outer(x, x)
            self.covariance[j] = np.linalg.inv(np.linalg.inv(self.covariance[j]) + gain)
            self.mean[j] = self.mean[j] + n * self.covariance[j] @ np.array(x) * kappa * (s - p)


def sides(table: Games) -> np.ndarray:
    """The sides of a table that has them."""
    assert table.side is not None
    return table.side


def draws(test: Backtest) -> np.ndarray:
    """The chances of a draw of a backtest that has them."""
    assert test.draw is not None
    return test.draw


def slow_stack(table: Games, members: list[Backtest]) -> list[tuple[float, ...]]:
    """Chances of win, draw and loss of every game, by plain loops, and the banks' losses."""
    m = len(members)
    drawing = [one for one in members if one.draw is not None]
    decisive = SlowBank([0.0, *[1 / m] * m], [1.0, *[1 / m] * m])
    k = len(drawing)
    shares = [0.5, *[0.5 / k] * k] if k else [1.0]
    draw_bank = SlowBank([0.0, 1.0, *shares], [1.0, 1.0, *shares])
    found: list[tuple[float, ...]] = []
    gathered = [0.5, *[0.5 / m] * m]
    for row in range(len(table)):
        side = float(sides(table)[row])
        decisive.age()
        draw_bank.age()
        of_win = [side, *[logit(one.expected[row]) for one in members]]
        q = decisive.forecast(of_win)
        # the base rate, with one imagined win, draw and loss: games with a side apart, one a day
        past = [r for r in range(row) if (sides(table)[r] != 0) == (side != 0)]
        drawn = (1 + sum(table.score[r] == 0.5 for r in past)) / (3 + len(past))
        won = 0.5
        if side:
            mine = [abs(float(table.score[r]) - (sides(table)[r] < 0)) for r in past]
            won = (1.5 + sum(mine)) / (3 + len(past))
        drawn = min(drawn, 2 * min(won, 1 - won))
        even = 0.5 * log(4 * min(max(q, 1e-4), 1 - 1e-4) * (1 - min(max(q, 1e-4), 1 - 1e-4)))
        known = [logit(draws(one)[row]) for one in drawing]
        of_draw = [1.0, even, logit(drawn), *known]
        d = draw_bank.forecast(of_draw)
        score = float(table.score[row])
        mixed = [max(x, 1e-12) for x in ((1 - d) * q, d, (1 - d) * (1 - q))]
        own = [slow_chances(one, row, mixed) for one in members]
        every = [mixed, *own]
        share = [x / sum(gathered) for x in gathered]
        found.append(
            tuple(sum(w * p[k] for w, p in zip(share, every, strict=True)) for k in range(3))
        )
        for k, p in enumerate(every):
            gathered[k] *= p[1] if score == 0.5 else p[0] ** score * p[2] ** (1 - score)
        if score != 0.5:
            decisive.learn(of_win, score)
        draw_bank.learn(of_draw, float(score == 0.5))
    return found


def slow_chances(one: Backtest, row: int, mixed: list[float]) -> list[float]:
    """Win, draw and loss by a member; where it has no draws, found by bisection."""
    expected = min(max(float(one.expected[row]), 1e-4), 1.0 - 1e-4)
    if one.draw is not None:
        d = float(one.draw[row])
        found = [max(x, 1e-4) for x in (expected - d / 2, d, 1 - expected - d / 2)]
        return [x / sum(found) for x in found]
    k = mixed[1] / (2.0 * sqrt(mixed[0] * mixed[2]))
    low, high = -60.0, 60.0
    for _ in range(200):
        x = 0.5 * (low + high)
        total = exp(x) + 2.0 * k + exp(-x)
        low, high = (x, high) if (exp(x) + k) / total < expected else (low, x)
    return [exp(x) / total, 2.0 * k / total, exp(-x) / total]
