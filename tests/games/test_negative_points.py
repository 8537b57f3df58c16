"""Negative points beside others are noted: at start.gg -1 is a disqualification."""

from __future__ import annotations

import ast
import json
import re

import pytest

from prowess import read_games

NAMES = {"player1": ["Ann", "Bob", "Cid", "Ann"], "player2": ["Bob", "Cid", "Ann", "Cid"]}


def suspicions_of(first, second):
    """What looks odd about these points."""
    return read_games({**NAMES, "score1": first, "score2": second}, warn=False).reading.briefs


def test_few_games_with_negative_points_are_noted():
    """The note leaves them out where it is obeyed."""
    points = {"score1": [2, 0, -1, 2], "score2": [1, -1, 0, 1]}
    (note,) = suspicions_of(*points.values())
    (told,) = re.findall(r"exclude=(\{.*?\})", note)
    exclude = ast.literal_eval(told)
    games = read_games({**NAMES, **points}, exclude=exclude, warn=False)
    assert games.score.tolist() == [1.0, 1.0]
    assert games.reading.briefs == {}


@pytest.mark.parametrize(
    ("first", "second"), [([2, 3, 1, 2], [1, 0, 0, 1]), ([-12, 5, -4, 20], [7, -3, 9, -7])]
)
def test_points_that_are_often_negative_are_not_noted(first, second):
    """Points of a game of cards are negative in many games, those of others in none."""
    assert suspicions_of(first, second) == {}


def test_a_disqualification_at_startgg_is_a_walkover(tmp_path):
    """A set with -1 is left out as a walkover."""

    def slot(name, score):
        return {"entrant": {"name": name}, "standing": {"stats": {"score": {"value": score}}}}

    sets = [[("Ada", 2), ("Ben", 1)], [("Cleo", 0), ("Ada", -1)]]
    document = [{"slots": [slot(*one), slot(*other)], "completedAt": 1} for one, other in sets]
    file = tmp_path / "sets.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    reading = read_games(file, warn=False).reading
    assert (reading.games, dict(reading.left_out)) == (1, {"walkover": 1})
