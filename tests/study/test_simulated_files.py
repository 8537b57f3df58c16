"""A simulated league as a file."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from prowess.games.read import read_games
from prowess.study.simulation.league import (
    LEAGUE_FORMS,
    game_lines,
    player_lines,
    simulate,
    true_game_lines,
)
from prowess.study.simulation.settings import league_settings


@pytest.mark.parametrize("form", LEAGUE_FORMS)
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"neutral": 1},
        {"neutral": 0.3, "margins": "yes"},
        {"matchmaking": "swiss"},
        {"matchmaking": "round_robin", "first_day": -3000, "days": 0.5},
    ],
)
def test_reading_gives_the_same_table(form, asked, tmp_path):
    """A written league is read unasked as the same table, bit for bit."""
    league = simulate(league_settings(games=2000, draws=0.4, births=0.2, life=200, **asked), 1)
    file = tmp_path / f"games.{form}"
    file.write_text("".join(game_lines(league, form)), encoding="utf-8")
    read = read_games(file)
    assert read.players == league.games.players
    mine, theirs = league.games.columns, read.columns
    assert mine.keys() == theirs.keys()
    for name, column in mine.items():
        assert np.array_equal(column, theirs[name]), name


def test_truth_of_players(tmp_path):
    """One row a player: strengths at full precision, no death for who lives, and his games."""
    league = simulate(league_settings(games=2000, learning=1, births=0.2, life=200), 2)
    rows = list(csv.DictReader("".join(player_lines(league)).splitlines()))
    assert [row["player"] for row in rows] == list(league.games.players)
    assert [float(row["strength"]) for row in rows] == league.truth.strength.tolist()
    lives = [row["died"] == "" for row in rows]
    assert lives == np.isnan(league.truth.died).tolist()
    assert 0 < sum(lives) < len(rows)
    assert sum(int(row["games"]) for row in rows) == 4000


def test_truth_of_games():
    """One row a game, whose expected score is the curve at the difference of its strengths."""
    league = simulate(league_settings(games=500, drift=5), 3)
    rows = list(csv.DictReader("".join(true_game_lines(league)).splitlines()))
    assert len(rows) == 500
    for row in rows:
        x = float(row["strength_a"]) - float(row["strength_b"])
        assert float(row["expected"]) == pytest.approx(1 / (1 + 10 ** (-x / 400)), abs=1e-12)
