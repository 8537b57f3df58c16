"""Losses of forecasts, one number a game, and their means over games that come piece by piece.

Smaller is better (accuracy: larger is better).

    log loss     -(s ln E + (1 - s) ln(1 - E))             E expected score, s score in [0, 1]
    Brier        (s - E)^2
    accuracy     1 if the favourite won, 1/2 if E = 1/2; draws are left out
    three-way    -ln P(outcome);  sum over outcomes of (P - happened)^2;
                 ranked probability (cumulated, for win > draw > loss): mean squared distance

A draw scored as 1/2 never reaches a log loss of 0: the best possible is ln 2. Where a forecast has
a chance of a draw, the three-way losses judge that too; the two kinds are never mixed.

Sources: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
Review 78 (1950); E. S. Epstein, "A scoring system for probability forecasts of ranked categories",
Journal of Applied Meteorology 8 (1969).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids

SUM_GAMES = 1 << 14  # games of a sum; another number changes the last bits of the means
SURE = 1e-15  # limit of certainty, so that one upset costs 34.5 at most


def log_loss(score: Floats, expected: Floats) -> Floats:
    """Return the cross entropy of each score against its forecast, [n]; nats."""
    chance = np.clip(expected, SURE, 1.0 - SURE)
    loss: Floats = -(score * np.log(chance) + (1.0 - score) * np.log1p(-chance))
    return loss


def brier(score: Floats, expected: Floats) -> Floats:
    """Return the squared error of each forecast, [n]."""
    error: Floats = (score - expected) ** 2
    return error


def accuracy(score: Floats, expected: Floats) -> Floats:
    """Return 1 if the favourite won, 0 if not, 1/2 without a favourite, nan for draws, [n]."""
    right = np.where((score > 0.5) == (expected > 0.5), 1.0, 0.0)
    right[expected == 0.5] = 0.5
    right[score == 0.5] = np.nan
    return right


def outcome_chances(expected: Floats, draw: Floats) -> Floats:
    """Return chances of win, draw and loss, [n, 3], from expected score and chance of a draw."""
    win = expected - 0.5 * draw
    return np.stack((win, draw, 1.0 - win - draw), axis=1)


def outcomes(score: Floats) -> Ids:
    """Return 0 for a win, 1 draw, 2 loss, -1 for any other score, [n]."""
    named = np.full(len(score), -1, dtype=np.int64)
    for number, value in enumerate((1.0, 0.5, 0.0)):
        named[score == value] = number
    return named


def three_way_log_loss(score: Floats, expected: Floats, draw: Floats) -> Floats:
    """Return -ln of the chance given to what happened, [n]; nan for other scores."""
    chances = np.clip(outcome_chances(expected, draw), SURE, 1.0)
    happened = outcomes(score)
    loss: Floats = -np.log(chances[np.arange(len(score), dtype=np.int64), happened])
    loss[happened < 0] = np.nan
    return loss


def three_way_brier(score: Floats, expected: Floats, draw: Floats) -> Floats:
    """Return the squared distance of the three chances from what happened, [n], 0 to 2."""
    return _squared_distance(score, outcome_chances(expected, draw), cumulated=False)


def ranked_probability(score: Floats, expected: Floats, draw: Floats) -> Floats:
    """Return half the squared distance of the cumulated chances, [n], 0 to 1."""
    return 0.5 * _squared_distance(score, outcome_chances(expected, draw), cumulated=True)


def _squared_distance(score: Floats, chances: Floats, *, cumulated: bool) -> Floats:
    happened = outcomes(score)
    error = chances - (np.arange(3, dtype=np.int64) == happened[:, None])
    if cumulated:
        error = error.cumsum(axis=1, dtype=np.float64)
    distance: Floats = (error**2).sum(axis=1)
    distance[happened < 0] = np.nan
    return distance


def game_losses(score: Floats, expected: Floats, draw: Floats | None) -> dict[str, Floats]:
    """Return every loss of games of two sides, [n] each; three-way ones with chances of a draw."""
    found = {
        "log_loss": log_loss(score, expected),
        "brier": brier(score, expected),
        "accuracy": accuracy(score, expected),
    }
    if draw is not None:
        three = (score, expected, draw)
        found["log_loss_3"] = three_way_log_loss(*three)
        found["brier_3"] = three_way_brier(*three)
        found["ranked_probability"] = ranked_probability(*three)
    return found


class ForecastScores:
    """The mean losses of forecasts that come piece by piece: the same bits for any pieces.

    Each block of `SUM_GAMES` games, counted from the first, is summed by itself, and its sums are
    added to those of the blocks before it. Games without a forecast are left out.
    """

    def __init__(self) -> None:
        self.blocks = 0  # that are summed
        self.sums: dict[str, Floats] = {}  # of a loss: weight * loss, and weight
        self.rest = np.zeros((3, 0))  # of a begun block score, forecast, weight (, chance of draw)

    def add(
        self, score: Floats, expected: Floats, weight: Floats | None, draw: Floats | None
    ) -> None:
        """Take further games, in their order."""
        weight = np.ones(len(score)) if weight is None else weight
        rows = np.stack((score, expected, weight, *(() if draw is None else (draw,))))
        known = np.isfinite(expected)
        rows = rows if known.all() else rows[:, known]
        if self.rest.shape[1]:
            rows = np.concatenate((self.rest, rows), axis=1)
        end = rows.shape[1] // SUM_GAMES * SUM_GAMES
        for first in range(0, end, SUM_GAMES):
            self.sums = _add_sums(self.sums, _sum_losses(rows[:, first : first + SUM_GAMES]))
            self.blocks += 1
        self.rest = rows[:, end:].copy()

    def means(self) -> dict[str, float]:
        """The number of games, and the mean of every loss that some game has."""
        games = self.blocks * SUM_GAMES + self.rest.shape[1]
        sums = _add_sums(self.sums, _sum_losses(self.rest)) if games else {}
        found = {name: float(total / weight) for name, (total, weight) in sums.items() if weight}
        return {"games": games, **found}

    def arrays(self) -> dict[str, AnyArray]:
        """All that it knows, for a checkpoint."""
        return {"blocks": np.array([self.blocks]), "rest": self.rest, **self.sums}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> ForecastScores:
        """The same again."""
        found = cls()
        found.sums = dict(arrays)
        found.blocks, found.rest = int(found.sums.pop("blocks")[0]), found.sums.pop("rest")
        return found


def _sum_losses(rows: Floats) -> dict[str, Floats]:
    """The sums of weight * loss and of the weights of the games that have the loss."""
    score, expected, weight, *draw = rows
    sums = {}
    for name, loss in game_losses(score, expected, draw[0] if draw else None).items():
        known = np.isfinite(loss)
        kept = weight[known]
        sums[name] = np.array([(loss[known] * kept).sum(), kept.sum()])
    return sums


def _add_sums(before: dict[str, Floats], sums: dict[str, Floats]) -> dict[str, Floats]:
    return {name: before.get(name, np.zeros(2)) + one for name, one in sums.items()}
