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


def test_a_count_with_a_mark_of_thousands_is_refused():
    """It is one clear error; a mark of thousands may be that of decimals elsewhere."""
    with refused(BadData, "not_a_number", row=1, column="count"):
        prowess.read_games({**GROUPED, "count": ["1,000", "20", "3", "4", "5"]})


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


PAIR = {"a": ["Ann", "Bob"], "b": ["Bob", "Cid"]}


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "scores", "weights"),
    [
        ([3, 1], [0, 1], [0, 0], [1.0, 1.0, 0.5], [3.0, 1.0, 1.0]),
        ([2, 1], [1, 1], [1, 1], [1.0, 0.5, 0.0, 1.0, 0.5, 0.0], [2.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ([0, 0], [1, 0], [0, 3], [0.5, 0.0], [1.0, 3.0]),
        (["1,000", 1], [0, 0], [0, 2], [1.0, 1.0, 0.0], [1000.0, 1.0, 2.0]),
        ([1, 0], [0, 1], [0, 0], [1.0, 0.5], None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("opponent", ["b", "opponent"])
def test_small_counts_are_counts(wins, draws, losses, scores, weights, opponent):
    """Wins, draws and losses of 0 and 1 count games, too; one game in each row has no weight."""
    players = {"player": PAIR["a"], "opponent": PAIR["b"]} if opponent == "opponent" else PAIR
    games = prowess.read_games({**players, "wins": wins, "draws": draws, "losses": losses})
    assert games.score.tolist() == scores
    assert (None if games.weight is None else games.weight.tolist()) == weights


def test_a_count_far_down_is_refused_with_its_row():
    """A cell behind the rows by which columns are known is one clear error."""
    table = {name: cells * 3000 for name, cells in PAIR.items()} | {"losses": [3, 1] * 3000}
    for cell in ("x", "2.5", "-1"):
        with refused(BadData, "not_a_whole_number", row=6000):
            prowess.read_games({**table, "wins": [4] * 5999 + [cell]})
