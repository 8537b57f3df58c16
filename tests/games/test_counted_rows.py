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


@pytest.mark.parametrize("count", ["1,234,567", "1.234.567", "1 500", "1'500"])
def test_a_count_with_marks_of_thousands(count):
    """A mark that no decimals have, or that stands twice in a number, is one of thousands."""
    games = prowess.read_games({**GROUPED, "count": [count, "20", "3", "4", "5"]})
    digits = "".join(filter(str.isdigit, count))
    assert games.weight.tolist() == [float(digits), 20.0, 3.0, 4.0, 5.0]
    assert any(count in note and "whole number" in note for note in games.notes)


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        (["1.500", "2.000", "1.250", "4.000", "5.000"], 1),  # decimals of a database
        (["20", "1,500", "3", "4", "5"], 2),
        (["1,234,567", "2.500", "3", "4", "5"], 2),
        (["1'500", "3", "2.500", "4", "5"], 3),
    ],
)
@pytest.mark.parametrize("options", [{}, {"weight": "count"}])
def test_a_count_with_a_mark_of_decimals_is_asked_about(cells, row, options):
    """1.500 is 1500 in German and 1.5 in English, where no other number tells which."""
    with refused(BadData, "comma_ambiguous", row=row, column="count", about=cells[row - 1]):
        prowess.read_games({**GROUPED, "count": cells}, **options)


def test_the_remedy_of_a_mark_is_read():
    """It is another text than the one that is asked about."""
    cells = ["1.125", "2.250", "1", "1", "1"]
    with refused(BadData, "comma_ambiguous", about="write 1125 or 1.1250:"):
        prowess.read_games({**GROUPED, "count": cells}, weight="count")
    games = prowess.read_games({**GROUPED, "count": ["1.1250", *cells[1:]]}, weight="count")
    assert games.weight.tolist() == [1.125, 2.25, 1.0, 1.0, 1.0]


def test_a_mark_that_is_proven_once_is_known():
    """1,500 beside 1,234,567 is a number of thousands."""
    games = prowess.read_games({**GROUPED, "count": ["1,500", "1,234,567", "3", "4", "5"]})
    assert games.weight.tolist() == [1500.0, 1234567.0, 3.0, 4.0, 5.0]


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
        (["1'000", 1], [0, 0], [0, 2], [1.0, 1.0, 0.0], [1000.0, 1.0, 2.0]),
        (["1.234.567", "1"], [0, 0], [0, 2], [1.0, 1.0, 0.0], [1234567.0, 1.0, 2.0]),
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


@pytest.mark.parametrize("headings", [("wins", "draws", "losses"), "WDL"])
@pytest.mark.parametrize("cells", [["1.000", "2.000"], ["2", "1,500"]])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_counts_with_a_mark_of_decimals_are_asked_about(headings, cells, at):
    """They are counts, whose unit is open; nothing else is made of the columns."""
    counts = [cells if each == at else [1, 2] for each in range(3)]
    with refused(BadData, "comma_ambiguous", row=2 if "2" in cells else 1):
        prowess.read_games({**PAIR, **dict(zip(headings, counts, strict=True))})


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


@pytest.mark.parametrize("headings", [("wins", "draws", "losses"), "WDL"])
def test_a_weight_beside_counts(headings):
    """The counts are the weights: another one is refused, and a column of it has a note."""
    counts = dict(zip(headings, ([10, 3, 1], [2, 1, 0], [3, 1, 2]), strict=True))
    table = {**PAIRS, **counts, "weight": [2, 1, 1]}
    with refused(BadData, "counts_or_score", about=("weight=", headings[0])):
        prowess.read_games(table, weight="weight")
    games = prowess.read_games(table)
    assert games.weight.tolist() == [10, 2, 3, 3, 1, 1, 1, 2]
    assert 'column "weight" is not used' in games.notes


def test_letters_beside_the_score_of_each_game_are_no_counts():
    """A log of dated games may have the record of the team so far in W, D and L."""
    record = {"W": [1, 2, 2], "D": [0, 0, 0], "L": [0, 0, 1]}
    games = prowess.read_games({"date": ["2024-01-01"] * 3, **PAIRS, **GOALS, **record})
    assert games.score.tolist() == [1.0, 0.5, 0.0]


def test_a_number_beside_letters_of_counts_is_asked_about():
    """A score beside W, D and L may be that of all games, or of one."""
    counts = {"W": [2, 0, 1], "D": [0, 1, 0], "L": [1, 2, 0], "score": [0.67, 0.17, 1]}
    with refused(BadData, "counts_or_score", about=('"score"', 'score_a="none"')):
        prowess.read_games({**PAIRS, **counts})
    counted = prowess.read_games({**PAIRS, **counts}, score_a="none")
    assert counted.weight.tolist() == [2, 1, 1, 2, 1]
    assert prowess.read_games({**PAIRS, **counts}, result="score").score.tolist() == [0.67, 0.17, 1]


DATES = {"date": ["2024-01-01", "2024-01-02", "2024-01-03"]}


@pytest.mark.parametrize("beside", [{}, {"D": [0, 1, 0]}])
@pytest.mark.parametrize("wins", [[2, 0, 1], [5, 0, 3], [1.5, 0.5, 1]])
def test_letters_of_dated_games_are_asked_about(beside, wins):
    """They may count the games of a row or of a season, or be the score of a match."""
    table = {**DATES, **PAIRS, "W": wins, **beside, "L": [1, 2, 0]}
    with refused(BadData, "wins_or_score", about=('score_a="W"', 'score_a="none"')):
        prowess.read_games(table)
    match = prowess.read_games(table, score_a="W", score_b="L")
    assert match.score.tolist() == [1.0, 0.0, 1.0]
    if 1.5 not in wins:
        games = prowess.read_games(table, score_a="none")
        assert games.weight.sum() == sum(wins) + sum(table["L"]) + sum(beside.get("D", []))


@pytest.mark.parametrize("dates", [{}, DATES])
@pytest.mark.parametrize("names", ["WDL", "SUN"])
def test_counts_of_several_games_beside_scorelines_are_said_to_be_unused(dates, names):
    """A scoreline tells one game: that the row counts several is said, not passed over."""
    counts = zip(names, ([2, 0, 1], [0, 1, 0], [1, 2, 0]), strict=True)
    table = {**dates, **PAIRS, **dict(counts), "score": ["2-1", "1-2", "1-0"]}
    games = prowess.read_games(table)
    assert "count several games in a row and are not used" in " ".join(games.reading.notes)
    assert games.score.tolist() == [1.0, 0.0, 1.0]
    assert games.weight is None


def test_letters_of_single_games_are_their_results():
    """Where each row has one game of W, D and L, it is the game of the row, dated or not."""
    table = {**PAIRS, "W": [1, 0, 0], "D": [0, 1, 0], "L": [0, 0, 1]}
    for dates in ({}, DATES):
        assert prowess.read_games({**dates, **table}).score.tolist() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("wins", "losses"), [([3, 1, 2], [2, 3, 3]), ([2, 0, 1], [1, 2, 0]), ([1, 0, 0], [0, 0, 1])]
)
def test_wins_and_losses_by_their_letters_are_asked_about(wins, losses):
    """W and L of pairs may count games, or be the score of a match, without a column of draws."""
    with refused(BadData, "wins_or_score", about=('score_a="W"', 'score_a="none"')):
        prowess.read_games({**PAIRS, "W": wins, "L": losses})
    match = prowess.read_games({**PAIRS, "W": wins, "L": losses}, score_a="W", score_b="L")
    assert match.points_a.tolist() == wins
    for games in (
        prowess.read_games({**PAIRS, "wins": wins, "losses": losses}),
        prowess.read_games({**PAIRS, "W": wins, "L": losses}, score_a="none"),
    ):
        assert games.weight.sum() == sum(wins) + sum(losses)


def test_counts_are_not_left_out():
    """Without their weights the rows of counts would all be one game."""
    counts = {"W": [2, 0, 1], "D": [0, 1, 0], "L": [1, 2, 0]}
    with refused(BadData, "counts_or_score", about="weight="):
        prowess.read_games({**PAIRS, **counts}, weight="none")


@pytest.mark.parametrize("cells", [[3, None, 5], [3.0, float("nan"), 5.0], ["1,500", "2.5", "3"]])
def test_a_count_with_an_odd_cell_is_asked_about(cells):
    """A column called count is not left out for one cell."""
    table = {**PAIRS, "winner": ["Ann", "Cid", "Cid"], "count": cells}
    with refused(BadData, "count_ambiguous", about=('weight="count"', 'weight="none"')):
        prowess.read_games(table)
    assert prowess.read_games(table, weight="none").weight is None


@pytest.mark.parametrize("losses", ["losses", "L"])
def test_a_row_without_any_count_is_counted_as_left_out(losses):
    """A row of 0 wins and 0 losses may be a draw: it is counted among the rows left out."""
    wins = {"losses": "wins", "L": "W"}[losses]
    draws = {"D": [0, 0, 0]} if wins == "W" else {}
    games = prowess.read_games({**PAIRS, wins: [1, 0, 0], **draws, losses: [0, 0, 1]})
    assert games.score.tolist() == [1.0, 0.0]
    assert games.reading.left_out == {"not played": 1}


@pytest.mark.parametrize("headings", [("wins", "draws", "losses"), ("won", "drawn", "lost"), "WDL"])
@pytest.mark.parametrize("dates", [{}, DATES])
def test_a_draw_beside_a_score_is_no_win(headings, dates):
    """No loss is no win beside a column of draws: the score is read, or asked about."""
    counts = dict(zip(headings, ([1, 0, 0], [0, 1, 0], [0, 0, 1]), strict=True))
    for score in ([1, 0.5, 0], ["2-1", "1-1", "0-2"]):
        games = prowess.read_games({**dates, **PAIRS, **counts, "score": score})
        assert games.score.tolist() == [1.0, 0.5, 0.0]
    table = {**dates, **PAIRS, **counts, "score": [3, 1, 0]}
    with refused(BadData, "counts_or_score", about='score_a="none"'):
        prowess.read_games(table)
    assert prowess.read_games(table, score_a="none").score.tolist() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("dates", [{}, DATES])
def test_flags_of_wins_that_fit_the_scorelines(dates):
    """W and L of 0 in a draw do not hide the scorelines, by which the games are read."""
    table = {**dates, **PAIRS, "W": [1, 0, 0], "L": [0, 0, 1], "score": ["1-0", "1-1", "0-1"]}
    assert prowess.read_games(table).score.tolist() == [1.0, 0.5, 0.0]
