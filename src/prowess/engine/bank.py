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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # NumPy is loaded where it is needed: settings are checked without
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FORGET = 0.9998  # the power of a weight that a game leaves
MOST_SETTINGS = 256


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
        import numpy as np

        return np.array([list(map(float, row)) for row in self.rows])


def rows_of(p: Any) -> tuple[Any, ...]:
    """The rows of parameters: of a bank all, else the one."""
    return p.rows if isinstance(p, Bank) else (p,)


def weights_of(logs: Floats) -> Floats:
    """The weights of the settings, [..., settings], from their logarithms."""
    import numpy as np

    raised = np.exp(logs - logs.max(axis=-1, keepdims=True))
    weights: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return weights


def mixture(fields: Sequence[str], values: Floats, weights: Floats) -> Floats:
    """Ratings under all settings as one, [players, fields] of [players, fields * settings].

    `weights` are [settings], or [players, settings].
    """
    import numpy as np

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
