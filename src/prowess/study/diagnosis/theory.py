"""What theory says of a league, as functions: the room of theory is handed in, not imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Law(Protocol):
    """A distribution of ratings (EQ 60)."""

    def cdf(self, rating: Floats) -> Floats:
        """The share of players at or below a rating."""

    def quantile(self, share: Floats) -> Floats:
        """The rating with that share of players below."""

    def log_density(self, rating: Floats) -> Floats:
        """Per point."""


class Theory(NamedTuple):
    """Formulas of the report, for the curve and scale of the system that is diagnosed.

    Units: points, games. Equation numbers: W. D. Smith, "Rating systems for gameplayers, and
    learning", technical report 93-104-3-0058-5 (1994).
    """

    fluctuation: Callable[[float, float], Mapping[str, float]]
    """(h, typical difference) -> deviation of a player's rating under each model (EQ 91)."""

    best_h: Callable[[float, float], Mapping[str, float]]
    """(games of a life, typical difference) -> best h under each model (EQ 95)."""

    learning: Callable[[Floats, float], tuple[Floats, Floats]]
    """(ratings, width of bins) -> middles of bins, L / D in points (EQ 54)."""

    law: Callable[[float, float, float], Law]
    """(c8, Q, birth) -> the law of EQ 60."""
