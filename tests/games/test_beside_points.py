"""Columns beside points and winners: whether they agree decides what they are."""

from __future__ import annotations

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

PAIRS = {"player 1": ["Ann", "Ben", "Cleo"], "player 2": ["Ben", "Cleo", "Ann"]}
POINTS = {"score 1": [84, 69, 70], "score 2": [66, 77, 84]}


def test_a_result_that_is_the_difference_of_the_points():
    """A result that is the difference of the points is taken as the margin, not as a score."""
    teams = {"away_team": ["KC", "DAL"], "home_team": ["MIA", "DET"]}
    points = {"away_score": [17, 10], "home_score": [7, 14]}
    games = read_games({**teams, **points, "result": [-10, 4]}, warn=False)
    assert games.score.tolist() == [0.0, 1.0]
    with pytest.raises(BadData):
        read_games({**teams, **points, "result": [-10, 5]})


def test_the_winner_with_fewer_points():
    """The column of winners decides where each of them has fewer points."""
    games = read_games({**PAIRS, **POINTS, "winner": ["Ben", "Ben", "Cleo"]}, warn=False)
    assert games.score.tolist() == [0.0, 1.0, 1.0]
    assert games.points_a is None
    with refused(BadData, "margin_contradicts"):
        read_games({**PAIRS, **POINTS, "winner": ["Ann", "Ben", "Cleo"]})


def test_the_winner_of_the_row_is_the_one_that_agrees_with_the_points():
    """Of two columns of winners the one that agrees with the points is the winner of the game."""
    points = {"score 1": [16, 9, 16], "score 2": [9, 16, 4]}
    winners = {"match_winner": [2, 2, 2], "map_winner": [1, 2, 1]}
    games = read_games({**PAIRS, **points, **winners}, warn=False)
    assert games.score.tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("status", "left"),
    [(["ok", "draw", "ok"], 0), (["", "remis", ""], 0), (["ok", "error", "ok"], 1)],
)
@pytest.mark.parametrize("nobody", ["", "-"])
def test_a_status_says_why_nobody_won(nobody, status, left):
    """A status says why nobody won."""
    games = read_games({**PAIRS, "winner": ["Ann", nobody, "Cleo"], "status": status}, warn=False)
    assert games.left_out == left
    assert games.score.tolist() == ([1.0, 1.0] if left else [1.0, 0.5, 1.0])


@pytest.mark.parametrize(
    "status", [["ok", "D", "ok"], ["ok", "late", "ok"], ["draw", "draw", "draw"]]
)
def test_what_does_not_say_why_nobody_won_is_asked(status):
    """What does not say why nobody won is asked."""
    with refused(BadData, "winner_missing"):
        read_games({**PAIRS, "winner": ["Ann", "", "Cleo"], "status": status})


def test_a_result_in_other_words_beside_the_winner():
    """A result in other words beside a winner is no contradiction."""
    table = {**PAIRS, "toss_winner": ["Ben", "Ben", "Cleo"], "winner": ["Ann", "", "Ann"]}
    games = read_games({**table, "result": ["normal", "no result", "normal"]}, warn=False)
    assert (games.score.tolist(), games.left_out) == ([1.0, 0.0], 1)


def test_games_on_neutral_ground():
    """Games on neutral ground give neither side the advantage."""
    teams = {"home": ["Ann", "Ben"], "away": ["Ben", "Cleo"], "result": ["1-0", "2-1"]}
    games = read_games({**teams, "location": ["Home", "Neutral"]}, warn=False)
    assert games.side.tolist() == [1.0, 0.0]
    games = read_games({**teams, "location": ["North", "Neutral"]}, warn=False)
    assert games.side.tolist() == [1.0, 1.0]


def test_columns_of_one_side_that_are_the_same_are_one():
    """Columns of one side that are the same are one."""
    teams = {"HOME_TEAM_ID": [7, 8], "VISITOR_TEAM_ID": [8, 9], "TEAM_ID_home": [7, 8]}
    points = {"PTS_home": [101, 99], "PTS_away": [100, 102]}
    games = read_games({**teams, **points, "TEAM_ID_away": [8, 9]}, warn=False)
    assert games.score.tolist() == [1.0, 0.0]
    with refused(BadData, "players_ambiguous"):
        read_games({**teams, **points, "TEAM_ID_away": [8, 7]})


def test_letters_of_sides_in_headings_that_are_else_the_same():
    """Headings that differ by a letter of the side are columns of the two sides."""
    teams = {"h_title": ["Ann", "Ben"], "a_title": ["Ben", "Cleo"]}
    games = read_games({**teams, "goals_h": [2, 0], "goals_a": [1, 3]}, warn=False)
    assert (games.score.tolist(), games.side.tolist()) == ([1.0, 0.0], [1.0, 1.0])
    with pytest.raises(BadData):
        read_games({"h_title": ["Ann"], "a_name": ["Ben"], "goals_h": [2], "goals_a": [1]})


def test_sets_go_before_points_of_a_ranking():
    """Sets go before points of a ranking."""
    table = {"Winner": ["Ann", "Ben"], "Loser": ["Ben", "Cleo"], "WPts": [800, 90]}
    games = read_games({**table, "LPts": [90, 800], "Wsets": [2, 2], "Lsets": [0, 1]}, warn=False)
    assert (games.points_a.tolist(), games.points_b.tolist()) == ([2.0, 2.0], [0.0, 1.0])


@pytest.mark.parametrize(
    ("winner", "scores"), [((0, 1, 0), [1.0, 0.0, 1.0]), ((1, 0, 1), [1.0, 0.0, 1.0])]
)
def test_points_tell_how_winners_are_counted(winner, scores):
    """Where 0 and 1 may number the players or tell whether the first won, the points say which."""
    players = {"white": PAIRS["player 1"], "black": PAIRS["player 2"]}
    points = {"score white": [7, 3, 9], "score black": [6, 5, 2]}
    games = read_games({**players, **points, "winner": winner}, warn=False)
    assert games.score.tolist() == scores
    points["score black"][2] = 9
    games = read_games({**players, **points, "winner": [*winner[:2], None]}, warn=False)
    assert games.score.tolist() == [*scores[:2], 0.5]
    with refused(BadData, "winners_ambiguous"):
        read_games({**players, **points, "winner": winner})
