"""Flags that say who won, beside points or alone."""

from __future__ import annotations

import prowess
from prowess.games.errors import BadData
from tests.refusals import refused

GOALS = {
    "home": ["A", "B", "C", "A"], "away": ["B", "C", "A", "C"],
    "home_goals": [1, 2, 0, 2], "away_goals": [1, 1, 3, 2],
}  # fmt: skip


def test_level_games_that_no_flag_decides_are_draws():
    """A flag that never stands at equal goals decides no shoot-outs."""
    assert list(prowess.read_games({**GOALS, "home_win": [0, 1, 0, 0]}).score) == [0.5, 1, 0, 0.5]


def test_flags_decide_shoot_outs():
    """One of the games with equal goals was won: the other was lost."""
    assert list(prowess.read_games({**GOALS, "home_win": [1, 1, 0, 0]}).score) == [1, 1, 0, 0]


def test_one_contradiction_is_refused():
    """2-1 is no defeat."""
    with refused(BadData, "margin_contradicts", row=2):
        prowess.read_games({**GOALS, "home_win": [0, 0, 0, 0]})


def test_flags_of_sides_by_any_word():
    """Both flags say of a game without a winner that it was none."""
    players = {"yellow player": ["A", "B", "C", "A"], "green player": ["B", "C", "A", "C"]}
    table = {**players, "yellow_win": [1, 0, 1, None], "green_win": [0, 1, 0, None]}
    games = prowess.read_games(table)
    assert list(games.score) == [1.0, 0.0, 1.0]
    assert games.left_out == 1
