"""Rows of one player each, with a column that says how the player fared."""

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

MATCHES = [1, 1, 2, 2]
ANN_WON_TWICE = {"player": ["Ann", "Ben", "Cleo", "Ann"]}


def winners(table):
    """The first of each contest."""
    found = read_games(table, warn=False)
    best = found.place == 1
    assert best.sum() == len(found) == 2
    return [found.players[int(player)] for player in found.player[best]]


@pytest.mark.parametrize(
    ("match", "results"),
    [
        ("match_id", ["W", "L", "L", "W"]),
        ("EpisodeId", [1, 0, 0, 1]),
        ("Spiel-Nr.", ["Sieg", "Niederlage", "Niederlage", "Sieg"]),
    ],
)
def test_two_rows_of_a_match_are_a_game(match, results):
    """Two rows of a match are a game."""
    table = {match: MATCHES, **ANN_WON_TWICE, "result": results}
    assert winners(table) == ["Ann", "Ann"]


def test_a_role_called_position_is_no_place():
    """A role called position is no place."""
    table = {
        "gameid": [1, 1, 2, 2], "position": ["top", "top", "mid", "mid"], **ANN_WON_TWICE,
        "result": [1, 0, 0, 1],
    }  # fmt: skip
    assert winners(table) == ["Ann", "Ann"]


@pytest.mark.parametrize(
    "table",
    [
        {"match": MATCHES, "result": ["W", "W", "L", "W"]},  # two winners of a match
        {"match": MATCHES, "result": ["W", "L", "L", "D"]},  # a draw and a loss
        {"match": [1, 2, 3, 4], "result": ["W", "L", "L", "W"]},  # no other row of a match
        {"matches": MATCHES, "result": ["W", "L", "L", "W"]},  # so many were played
        {"match": MATCHES, "ht_result": ["W", "L", "L", "W"]},  # at half time
    ],
)
def test_results_that_make_no_matches_are_refused(table):
    """Results that make no matches are refused."""
    with pytest.raises(BadData):
        read_games({**ANN_WON_TWICE, **table})


@pytest.mark.parametrize(("flagged", "first"), [([1, 0, 0, 1], "Ann"), ([0, 1, 1, 0], "Ben")])
def test_a_mark_at_the_winner_says_which_end_of_a_score_is_better(flagged, first):
    """A mark at the winner says which end of a score is better."""
    table = {"session": MATCHES, **ANN_WON_TWICE, "score": [70, 60, 50, 55], "winner": flagged}
    assert winners(table)[0] == first


def test_marks_at_both_ends_of_a_score_leave_it_open():
    """Marks at both ends of a score leave it open."""
    table = {"session": MATCHES, **ANN_WON_TWICE, "score": [70, 60, 50, 55]}
    with refused(BadData, "better_end_unknown"):
        read_games({**table, "winner": [1, 0, 1, 0]})


def read_sides(first, second):
    """The scores of the games of a table with the results of both sides."""
    names = {"white": ["Ann", "Ben", "Cleo"], "black": ["Ben", "Cleo", "Ann"]}
    table = {**names, "white_result": first, "black_result": second}
    return read_games(table, warn=False).score.tolist()


def test_words_beside_a_win_say_how_the_other_side_lost():
    """Records of chess servers: who lost has a word for how, a draw stands twice."""
    read = read_sides(["win", "timeout", "agreed"], ["resigned", "win", "agreed"])
    assert read == [1.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("first", "second"),
    [("resigned", "timeout"), ("win", "win"), ("win", "postponed"), ("win", ""), ("win", "draw")],
)
def test_results_of_both_sides_that_do_not_fit_are_refused(first, second):
    """Neither side won, both did, or the other has none."""
    with refused(BadData, "results_contradict"):
        read_sides(["win", "timeout", first], ["resigned", "win", second])


def test_words_of_both_sides_without_a_win_are_no_results():
    """How each game ended says nothing of who won."""
    with refused(BadData, "no_result_found"):
        read_sides(["final", "final", "final"], ["final", "final", "final"])
