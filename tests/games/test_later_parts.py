"""Extra time and shoot-outs in columns of their own, beside columns that look like them."""

from __future__ import annotations

from typing import Any

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

TEAMS = {"Home": ["Ayr", "Cork", "Ayr", "Bath"], "Away": ["Bath", "Derby", "Cork", "Derby"]}
LEVEL = {"Score": ["2-1", "1-1", "0-0", "0-3"]}  # the second and the third are level
POINTS = {"Home Goals": [2, 1, 0, 0], "Away Goals": [1, 1, 0, 3]}


def scores(**columns: Any) -> list[float]:
    return [float(score) for score in read_games({**TEAMS, **columns}, warn=False).score]


@pytest.mark.parametrize("heading", [
    "Pens", "n.E.", "Elfmeterschießen", "t.a.b.", "Penaltis", "d.c.r.", "n.V.", "AET",
    "Après prolongation", "Prórroga", "Karne", "Strafschoppen", "Match-Tiebreak", "Decision",
])  # fmt: skip
def test_a_later_part_decides_level_games(heading: str):
    """In every language, and under any heading where only level games have such a score."""
    assert scores(**LEVEL, **{heading: ["", "3-4", "5-4", ""]}) == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("part", [
    {"HP": [None, 3, 5, None], "AP": [None, 4, 4, None]},
    {"Away Pens": [0, 4, 4, 0], "Home Pens": [0, 3, 5, 0]},
    {"shootout_winner": ["", "Derby", "Ayr", ""]},
    {"Notes": ["rain", "Derby won 4-3 on penalties", "5-4 pens", ""]},
])  # fmt: skip
def test_two_columns_names_and_remarks_tell_it_as_well(part: dict[str, Any]):
    """Beside a scoreline and beside the points of both sides."""
    assert scores(**LEVEL, **part) == [1.0, 0.0, 1.0, 0.0]
    assert scores(**POINTS, **part) == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("other", [
    {"Home Penalties": [1, 1, 0, 0], "Away Penalties": [0, 0, 0, 1]},  # in the match
    {"home_penalty_minutes": [6, 8, 4, 2], "away_penalty_minutes": [4, 2, 10, 0]},
    {"HT": ["", "1-0", "", ""]},
    {"First leg": ["", "1-0", "", ""]},  # one row is no evidence
    {"n.V.": ["", "ja", "ja", ""]},
])  # fmt: skip
def test_other_columns_decide_nothing(other: dict[str, Any]):
    """Statistics, half times, and what is filled by chance leave level games drawn."""
    assert scores(**POINTS, **other) == [1.0, 0.5, 0.5, 0.0]


def test_points_of_extra_time_and_of_shoot_outs():
    """Extra time is the score of the match or what was added; a shoot-out adds no points."""
    columns = {"FT": ["2-1", "1-1", "2-2", "0-3"]}
    whole = read_games({**TEAMS, **columns, "ET": ["", "1-2", "2-2", ""],
                        "P": ["", "", "5-4", ""]})  # fmt: skip
    assert [*whole.points_a] == [2, 1, 2, 0]
    assert [*whole.points_b] == [1, 2, 2, 3]
    alone = read_games({**TEAMS, **columns, "ET": ["", "0-1", "1-0", ""]})
    assert ([*alone.points_a], [*alone.points_b]) == ([2, 1, 3, 0], [1, 2, 2, 3])
    held = read_games({**TEAMS, "Score": ["2-1", "4-5", "5-4", "0-3"],
                       "Pens": ["", "3-4", "5-4", ""]})  # fmt: skip
    assert [*held.points_a] == [2, 1, 0, 0]


def test_a_level_shoot_out_is_refused():
    """It tells no winner."""
    with refused(BadData, "parts_contradict", about="3-3"):
        scores(**LEVEL, Pens=["", "3-3", "5-4", ""])


def test_status_beside_a_later_part():
    """A column that says which games were not played counts as it does elsewhere."""
    played = scores(**LEVEL, Pens=["", "3-4", "5-4", ""],
                    Status=["FT", "Pen", "Pen", "postponed"])  # fmt: skip
    assert played == [1.0, 0.0, 1.0]
