"""Careers: the ratings of players before each of their games."""

from __future__ import annotations

import pytest
from pytest import approx

import prowess
from prowess.present.histories import careers, histories
from prowess.present.history_paths import HistoryGrid


@pytest.mark.parametrize("system", ["elo", "prowess"])
def test_a_career_is_what_the_history_says(system):
    """Members beside the players and settings of a bank change no entry."""
    games = prowess.read_games({
        "white": ["Ada", "Ben", "Cleo", "Ada"], "black": ["Ben", "Cleo", "Ada", "Ben"],
        "result": ["1-0", "1/2-1/2", "0-1", "0-1"],
        "date": ["2024-01-05", "2024-01-06", "2024-02-03", "2024-02-04"],
    })  # fmt: skip
    ratings = prowess.rate(games, system)
    for career in careers(ratings, ["Ada", "Ben", "Cleo"]):
        steps = ratings.history(career.player).steps
        before = [step.before + step.terms.get("between games", 0.0) for step in steps]
        assert career.rating.tolist() == approx([*before, ratings[career.player].rating])


@pytest.mark.parametrize(
    ("days", "against"),
    [("01 02 03 04 05 06", "date"), ("01 01 01 02 03 04", "game"), ("01 01 01 01 01 01", "game")],
)
def test_games_of_one_day_are_drawn_by_number(days, against):
    """Where half of the games are of one day, no axis of dates draws them as one upright line."""
    games = prowess.read_games({
        "white": ["Ada", "Ben"] * 3, "black": ["Ben", "Ada"] * 3, "result": ["1-0"] * 6,
        "date": [f"2024-01-{day}" for day in days.split()],
    })  # fmt: skip
    ratings = prowess.rate(games, "elo")
    assert (
        f"by {against if against == 'date' else 'number of the game'}" in histories(ratings).title
    )
    assert "by date" in histories(ratings, against="date").title
    grid = HistoryGrid.around(careers(ratings, ["Ada", "Ben"]))
    assert grid.against == against
    assert (
        grid.ends
        == {"date": ("1 Jan 2024", "6 Jan 2024"), "game": ("first game", "game 6")}[against]
    )
