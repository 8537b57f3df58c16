"""Careers: the ratings of players before each of their games."""

from __future__ import annotations

import pytest
from pytest import approx

import prowess
from prowess.present.histories import careers


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
