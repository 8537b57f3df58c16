"""The column that people see as the rating, its name, and its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prowess.engine.params import parameters
from prowess.engine.system import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

SPOKEN_OF = ("start", "mean", "scale")  # settings in the unit of the rating


def shown_column(ratings: Ratings) -> NDArray[Any]:
    """The first column, [players]."""
    return next(iter(ratings.columns.values()))


def named_with_unit(ratings: Ratings) -> str:
    """The name of that column, with the unit where the system's settings say it."""
    name = next(iter(ratings.columns)).replace("_", " ")
    known = parameters(ratings.system)
    for setting in SPOKEN_OF:
        domain = known[setting].domain if setting in known else None
        if isinstance(domain, Range) and domain.unit:
            return f"{name} ({domain.unit})"
    return name
