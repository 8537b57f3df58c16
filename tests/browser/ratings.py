"""Ratings of every kind of table, computed on a computer and in a browser to be compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import prowess
from prowess.compile.refusals import ProwessError
from wheels.roads import list_tables


def rate_tables(systems: Sequence[str]) -> dict[str, list[float]]:
    """All values of the ratings, by system and table."""
    found = {}
    for number, table in enumerate(list_tables()):
        for name in systems:
            try:
                ratings = prowess.rate(table, name)
            except ProwessError:  # some systems rate games alone
                continue
            found[f"{name} {number}"] = [
                float(value) for column in ratings.columns.values() for value in np.asarray(column)
            ]
    return found
