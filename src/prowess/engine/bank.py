"""A bank: one system under several settings at once, mixed by how well each foresaw the games.

Formula   forecast  = sum of w_k x forecast of setting k
          w_k       <- w_k^forget x P_k(result), scaled to a sum of 1
          rating    = sum of w_k x rating r_k under k
          deviation = root of the sum of w_k (d_k^2 + (r_k - rating)^2)
Source    A. E. Raftery, M. Karny and P. Ettler, "Online prediction under model uncertainty via
          dynamic model averaging", Technometrics 52 (2010), section 2.2: weights that forget.
Units     weights are without unit; a contest of many sides counts as one game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FORGET = 0.9998  # the power of a weight that a game leaves
MOST_SETTINGS = 256
LEAST = 1e-12  # of a chance, so that no setting is out of the game for ever


@dataclass(frozen=True)
class Bank:
    """The settings of a bank: a row of parameters each. It stands where parameters stand."""

    grid: tuple[tuple[str, tuple[float, ...]], ...]  # the parameters that differ, and their values
    rows: tuple[Any, ...]  # of parameters, one a setting

    @classmethod
    def of(cls, p: Any, grid: Mapping[str, Sequence[Any]]) -> Bank:
        """All combinations of the values, the last parameter changing fastest."""
        names = tuple(grid)
        rows = tuple(
            p._replace(**dict(zip(names, values, strict=True)))
            for values in product(*grid.values())
        )
        return cls(tuple((name, tuple(values)) for name, values in grid.items()), rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def lanes(self) -> int:
        """How many settings there are."""
        return len(self.rows)

    def matrix(self) -> Floats:
        """The parameters, [settings, parameters]."""
        return np.array([list(map(float, row)) for row in self.rows])


def rows_of(p: Any) -> tuple[Any, ...]:
    """The rows of parameters: of a bank all, else the one."""
    return p.rows if isinstance(p, Bank) else (p,)


def weights_of(logs: Floats) -> Floats:
    """The weights of the settings, [..., settings], from their logarithms."""
    raised = np.exp(logs - logs.max(axis=-1, keepdims=True))
    weights: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return weights


def mixture(fields: Sequence[str], values: Floats, weights: Floats) -> Floats:
    """Ratings under all settings as one, [players, fields] of [players, fields * settings].

    `weights` are [settings], or [players, settings].
    """
    lanes = weights.shape[-1]
    by_lane = values.reshape(len(values), len(fields), lanes)
    weights = np.broadcast_to(weights, (len(values), lanes))[:, None, :]
    mean: Floats = (weights * by_lane).sum(axis=2)
    for k, name in enumerate(fields):
        if name == "deviation":
            apart = by_lane[:, 0, :] - mean[:, :1]
            square = by_lane[:, k, :] ** 2 + apart**2
            mean[:, k] = np.sqrt((weights[:, 0, :] * square).sum(axis=1))
    return mean


def log_decided(won: bool, expected: float, half_draw: float) -> float:
    """The logarithm of the chance that a forecast gave a win, or a loss."""
    return log(max((expected if won else 1.0 - expected) - half_draw, LEAST))


def log_chance(score: float, expected: float, draw: float) -> float:
    """The logarithm of the chance that a forecast gave a result; `draw` nan: no model of draws."""
    half = 0.5 * draw if draw >= 0.0 else 0.0
    if draw >= 0.0 and score == 0.5:
        return log(max(draw, LEAST))
    won, lost = log_decided(True, expected, half), log_decided(False, expected, half)
    return score * won + (1.0 - score) * lost


def mix(
    logs: Any,
    by_setting: Any,
    draws_by_setting: Any,
    scores: Any,
    counts: Any,
    bounds: Any,
    forget: float,
    forecasts: Any,
    draws: Any,
    before: Any,
) -> None:
    """Mix the forecasts of rounds and learn the weights from their results, in place.

    Round r has the entries `bounds[r]:bounds[r + 1]`; an entry counts `counts[e]` games. `logs`
    are the logarithms of the weights; `before` receives them as they were before each round.
    """
    lanes = len(logs)
    for r in range(len(bounds) - 1):
        top = logs[0]
        for k in range(lanes):
            before[r, k] = logs[k]
            top = max(top, logs[k])
        total = 0.0
        for k in range(lanes):
            total += exp(logs[k] - top)
        played = 0.0
        for e in range(bounds[r], bounds[r + 1]):
            expected, draw = 0.0, 0.0
            for k in range(lanes):
                weight = exp(before[r, k] - top) / total
                expected += weight * by_setting[e, k]
                draw += weight * draws_by_setting[e, k]
                seen = log_chance(scores[e], by_setting[e, k], draws_by_setting[e, k])
                logs[k] += counts[e] * seen
            forecasts[e] = expected
            draws[e] = draw
            played += counts[e]
        for k in range(lanes):  # what was known before is forgotten, the games themselves are not
            logs[k] += (exp(played * log(forget)) - 1.0) * before[r, k]
        top = logs[0]
        for k in range(lanes):
            top = max(top, logs[k])
        for k in range(lanes):
            logs[k] -= top
