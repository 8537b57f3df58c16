"""Rows that count how often a result of a pair occurred."""

from __future__ import annotations

import pytest

import prowess
from prowess.games.errors import BadData
from tests.refusals import refused

GROUPED = {
    "model_a": ["x", "x", "x", "y", "y"],
    "model_b": ["y", "y", "y", "z", "z"],
    "winner": ["model_a", "model_b", "tie", "model_a", "model_b"],
}
COUNTS = [43, 32, 46, 21, 0]


@pytest.mark.parametrize("heading", ["count", "n", "votes", "num_games", "freq", "Anzahl"])
def test_counts_of_grouped_results_are_weights(heading):
    """The weight is the count, however large, and a result that never occurred is no game."""
    games = prowess.read_games({**GROUPED, heading: COUNTS})
    assert list(games.weight) == COUNTS[:-1]
    assert games.left_out == 1
    assert f'column "{heading}" counts the games of each row' in games.notes[0]


@pytest.mark.parametrize("rows", [2, 3])
def test_counts_of_single_games_are_asked(rows):
    """The same pair and result twice: the count may be of anything."""
    table = {name: cells * rows for name, cells in GROUPED.items()}
    with refused(BadData, "count_ambiguous"):
        prowess.read_games({**table, "count": COUNTS * rows})


def test_games_of_a_series_are_no_weights():
    """Beside dates `games` may be the games of a series."""
    games = prowess.read_games({**GROUPED, "date": ["2024-01-02"] * 5, "games": [3, 4, 5, 3, 4]})
    assert games.weight is None
