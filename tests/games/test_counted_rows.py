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


@pytest.mark.parametrize("count", ["1,000", "1.000", "1.234.567", "1 500", "1'500"])
def test_a_count_with_marks_of_thousands(count):
    """Counts are whole, so beside 20 a mark with three digits behind it is one of thousands."""
    games = prowess.read_games({**GROUPED, "count": [count, "20", "3", "4", "5"]})
    digits = "".join(filter(str.isdigit, count))
    assert games.weight.tolist() == [float(digits), 20.0, 3.0, 4.0, 5.0]
    assert any(count in note and "whole number" in note for note in games.notes)


def test_a_mark_in_a_weight_is_asked_about():
    """A weight need not be whole: 1,500 may be 1.5."""
    with refused(BadData, "comma_ambiguous", row=1, column="weight"):
        prowess.read_games({**GROUPED, "weight": ["1,500", "1", "3", "4", "5"]})
    weights = prowess.read_games({**GROUPED, "weight": ["1,5", "1.500", "3", "4", "5"]}).weight
    assert weights.tolist() == [1.5, 1.5, 3.0, 4.0, 5.0]


def test_weights_called_games_keep_their_fractions():
    """0.750 is no number with a mark of thousands, so 1.500 beside it is none either."""
    cells = ["1.500", "0.750", "3", "4", "5"]
    games = prowess.read_games({**GROUPED, "games": cells}, weight="games")
    assert games.weight.tolist() == [1.5, 0.75, 3.0, 4.0, 5.0]


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
        (["1.000", "1"], [0, 0], [0, 2], [1.0, 1.0, 0.0], [1000.0, 1.0, 2.0]),
        (["1.500", "1"], [0, 0], [0, 2], [1.0, 1.0, 0.0], [1500.0, 1.0, 2.0]),
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


PAIRS = {"a": ["Ann", "Bob", "Cid"], "b": ["Bob", "Cid", "Ann"]}
GOALS = {"goals_a": [10, 6, 7], "goals_b": [5, 6, 8]}


@pytest.mark.parametrize("headings", [("wins", "draws", "losses"), ("W", "D", "L"), "SUN"])
def test_goals_beside_counts_are_asked_about(headings):
    """The goals of several games are no score; the caller says whether each row is one game."""
    counts = dict(zip(headings, ([3, 2, 1], [1, 0, 2], [1, 2, 1]), strict=True))
    with refused(BadData, "counts_or_score", about=("goals_a", '"none"', headings[0])):
        prowess.read_games({**PAIRS, **GOALS, **counts})
    counted = prowess.read_games({**PAIRS, **GOALS, **counts}, score_a="none")
    assert counted.weight.tolist() == [3, 1, 1, 2, 2, 1, 2, 1]
    assert counted.score.tolist() == [1.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.5, 0.0]
    single = prowess.read_games({**PAIRS, **GOALS, **counts}, score_a="goals_a", score_b="goals_b")
    assert single.score.tolist() == [1.0, 0.5, 0.0]


def test_letters_beside_the_score_of_each_game_are_no_counts():
    """A log of dated games may have the record of the team so far in W, D and L."""
    record = {"W": [1, 2, 2], "D": [0, 0, 0], "L": [0, 0, 1]}
    games = prowess.read_games({"date": ["2024-01-01"] * 3, **PAIRS, **GOALS, **record})
    assert games.score.tolist() == [1.0, 0.5, 0.0]
