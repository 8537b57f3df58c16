"""All games with the ratings before them and the forecast, as one table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.fit import NoModel, fit_table
from prowess.engine.rate import rate
from prowess.systems.catalogue import find
from tests.engine.tables import contests, games
from tests.engine.team_tables import ROSTER, team_games
from tests.refusals import refused

ROWS = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 0.0)]


@pytest.mark.parametrize("name", ["elo", "glicko2", "trueskill"])
@given(order=st.permutations(ROWS * 3))
def test_rows_are_those_of_histories(name, order):
    """Ratings before and forecasts are what each player's history says."""
    table = games(order, time=[18_000.0 + k for k in range(len(order))])
    ratings = rate(table, find(name), forecasts=True)
    found = ratings.games().columns
    assert found["expected"].tolist() == ratings.forecasts.tolist()
    assert found["score"].tolist() == table.score.tolist()
    for player in ratings.players:
        for step in ratings.history(player):
            side = "a" if found["a"][step.row] == player else "b"
            other = "b" if side == "a" else "a"
            assert found[f"rating_{other}"][step.row] == step.opponent_rating
            assert found[other][step.row] == step.opponent
    assert ("draw" in found) is (name == "trueskill")


def test_sides_of_several_members():
    """A side is named by its members, its rating is their mean by shares."""
    table = team_games([[[0, 1], [2, 3]], [[0, 2], [1]]], [1.0, 1.0])
    found = rate(table, find("elo")).games().columns
    assert found["a"].tolist() == [f"{ROSTER[0]} & {ROSTER[1]}", f"{ROSTER[0]} & {ROSTER[2]}"]
    assert found["rating_a"].tolist() == [1500.0, 1500.0]  # 1516 and 1484 after the first game
    assert found["rating_b"].tolist() == [1500.0, 1516.0]


def test_contests_have_a_row_a_side():
    """The forecast of a side is its mean against the others."""
    table = contests([[("Ada", 1), ("Ben", 2), ("Cleo", 3)], [("Ben", 1), ("Ada", 2)]])
    found = rate(table, find("elo")).games().columns
    assert found["side"].tolist() == ["Ada", "Ben", "Cleo", "Ben", "Ada"]
    assert found["expected"][:3].tolist() == [0.5, 0.5, 0.5]
    assert found["score"].tolist() == [1.0, 0.5, 0.0, 1.0, 0.0]
    assert found["expected"][3] + found["expected"][4] == pytest.approx(1.0)


def test_a_bank_brings_its_mean():
    """Ratings before a game are mixed by the weights before it."""
    ratings = rate(games(ROWS * 2), find("elo"), bank={"k": (8.0, 32.0)}, forecasts=True)
    found = ratings.games().columns
    assert found["expected"].tolist() == ratings.forecasts.tolist()
    first = ratings.history("Ada")[0]
    assert found["rating_a"][first.row] == first.before
    assert np.isfinite(found["rating_b"]).all()


def test_whole_tables_bring_nothing():
    """A system that looks at all games at once says so."""
    with refused(NoModel, "no_history"):
        fit_table(games(ROWS), find("colley")).games()


def test_the_table_is_shown_and_counted():
    """Its length is that of any column, and a look says what it is."""
    of_games = rate(games(ROWS), find("elo")).games()
    assert len(of_games) == 3
    first, header, row, *_ = repr(of_games).splitlines()
    assert first == "<Games under elo: 3 rows>"
    assert header.split() == ["row", "a", "b", "rating_a", "rating_b", "expected", "score"]
    assert row.split() == ["0", "Ada", "Ben", "1500.0", "1500.0", "0.500", "1"]
    of_sides = rate(contests([[("Ada", 1), ("Ben", 2), ("Cleo", 3)]]), find("elo")).games()
    assert len(of_sides) == 3
    assert repr(of_sides).startswith("<Games under elo: 3 rows>\n")
