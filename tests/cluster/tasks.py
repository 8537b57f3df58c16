"""Tasks for workers: functions that other processes find by their name."""

from __future__ import annotations

import os
from time import sleep

import numpy as np
from numpy.typing import NDArray


def draw_sum(table: NDArray[np.float64], k: int) -> float:
    """A random sum of a table, by a seed of the item, and a product of linear algebra."""
    drawn = np.random.default_rng([3, k]).choice(table, 20_000)
    return float(drawn @ table[:20_000])


def slow_sum(table: NDArray[np.float64], k: int) -> float:
    """The same, slowly."""
    sleep(0.02)
    return draw_sum(table, k)


def refuse_five(shared: None, k: int) -> int:
    """The item itself; 5 is refused."""
    if k == 5:
        raise ValueError("leave 5 out: no five")
    return k


def end_at_three(shared: None, k: int) -> int:
    """The item itself; at 3 the process ends."""
    if k == 3:
        os._exit(1)
    return k


def count_letters(word: str, k: int) -> int:
    """The length of what is shared."""
    return len(word) + k
