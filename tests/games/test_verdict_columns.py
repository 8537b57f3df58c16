"""Two columns of winners, one of which names one side alone."""

from __future__ import annotations

import pytest

import prowess
from prowess.games.errors import BadData
from tests.refusals import refused

TABLE = {"model_1": ["x", "y", "x"], "model_2": ["y", "z", "z"]}


@pytest.mark.parametrize("names", [("g1_winner", "g2_winner"), ("judge_winner", "human_winner")])
def test_winners_that_differ_are_asked(names):
    """Neither is taken because the other never names the second side."""
    told = [["model_1", "tie", "model_1"], ["model_2", "model_1", "model_1"]]
    for one, other in (told, told[::-1]):
        with refused(BadData, "winner_ambiguous"):
            prowess.read_games({**TABLE, names[0]: one, names[1]: other})


@pytest.mark.parametrize(
    "columns",
    [
        {"step": [0, 100, 200], "loss": [3.0, 1.5, 1.0], "rate": [0.0003, 0.0003, 0.0003]},
        {"petals": [5.1, 4.9, 6.2], "sepals": [3.5, 3.1, 2.9], "leaves": [1.4, 1.3, 4.3]},
    ],
)
def test_columns_of_measures_are_no_players(columns):
    """No remedy reads them: they are no table of games."""
    with refused(BadData, "no_players_found"):
        prowess.read_games(columns)
