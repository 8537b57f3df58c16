"""`prowess teams` and `next`, as a shell runs them."""

from __future__ import annotations

import json
from math import log, pi, sqrt

import pytest

from prowess import balance, next_games, rate
from tests.cli.command import answered, refused

GAMES = """\
date,player_a,player_b,result
2024-01-01,Ann,Bob,1
2024-01-02,Bob,Cid,1
2024-01-03,Cid,Dee,0.5
2024-01-04,Dee,Eve,1
2024-02-04,"Fox, F",Ann,1
2024-02-05,Eve,"Fox, F",0
"""


@pytest.fixture
def games(tmp_path):
    """Six games of six players, one of whom has a comma in the name."""
    file = tmp_path / "games.csv"
    file.write_text(GAMES, encoding="utf-8")
    return file


def test_teams_are_those_of_the_library(games):
    """JSON has the teams, chances and quality that `prowess.balance` finds."""
    names = ["Ann", "Bob", "Cid", "Dee", "Eve", "Fox, F"]
    text = 'Ann, Bob,Cid,Dee,Eve,"Fox, F"'
    options = ("--into", 3, "--apart", "Ann,Bob", "--together", "Cid,Dee", "--json", "-q")
    told = json.loads(answered("teams", games, text, "--system", "elo", *options))
    found = balance(
        rate(games, "elo"), names, into=3, apart=["Ann", "Bob"], together=["Cid", "Dee"]
    )
    assert [one["players"] for one in told["teams"]] == list(map(list, found.teams))
    assert [one["chance"] for one in told["teams"]] == list(found.chances)
    assert (told["quality"], told["worst"]) == (found.quality, found.worst)
    assert (told["exact"], told["splits"], told["system"]) == (True, found.splits, "elo")


def test_the_teams_are_printed(games):
    """A row a team, the chance in percent; captains in their order."""
    lines = answered("teams", games, "Ann,Bob,Cid,Dee", "--captains", "Dee,Ann", "-q").splitlines()
    assert lines[0].split() == ["players", "chance"]
    assert "Dee" in lines[1]
    assert "Ann" in lines[2]
    assert lines[1].endswith("%")


def test_teams_from_a_saved_state(games, tmp_path):
    """Ratings that were saved make teams without the table."""
    state = tmp_path / "state.prowess"
    answered("rate", games, "--system", "trueskill", "--save-state", state, "-q")
    told = json.loads(answered("teams", "Ann,Bob,Cid,Dee", "--continue", state, "--json", "-q"))
    found = balance(rate(games, "trueskill"), ["Ann", "Bob", "Cid", "Dee"])
    assert [one["players"] for one in told["teams"]] == list(map(list, found.teams))


def test_wrong_teams_are_refused(games):
    """Names that are missing or misspelt, and sizes that do not fit, end with one line."""
    assert "NAMES" in refused(2, "teams", games)
    assert "did you mean 'Dee'" in refused(2, "teams", games, "Ann,Bob,Cid,Dea")
    assert "into and size" in refused(2, "teams", games, "Ann,Bob,Cid,Dee", "--size", 3)


def test_wrong_players_of_next_games_are_refused(games):
    """The option is named as the command line has it, and how many players there are."""
    assert "in --among, not 1" in refused(2, "next", games, "--among", "Ann")
    assert "leave --for out" in refused(2, "next", games, "--for", "Ann", "--rounds", 2)


def test_next_games_are_those_of_the_library(games):
    """JSON has the rows of `prowess.next_games`; text has a reason for each."""
    told = json.loads(answered("next", games, "--for", "Ann", "--system", "elo", "--json", "-q"))
    rows = next_games(rate(games, "elo"), "Ann").rows()
    assert (told["games"], told["system"], told["goal"]) == (rows, "elo", "ranking")
    text = answered("next", games, "--goal", "rest", "--top", 3, "--system", "elo", "-q")
    assert text.count("they never met") == 3


def test_rounds_are_planned(games):
    """Rounds of those who are there, from results or from a saved state."""
    options = ("--among", "Ann,Bob,Cid", "--rounds", 3, "--system", "elo", "--json", "-q")
    told = json.loads(answered("next", games, *options))["games"]
    free = [row["player"] for row in told if row["opponent"] is None]
    assert sorted(free) == ["Ann", "Bob", "Cid"]
    assert [row["round"] for row in told] == [1, 1, 2, 2, 3, 3]


def test_a_list_of_ratings_is_enough(tmp_path):
    """A CSV of player, rating and deviation needs no results: Glicko's chances, by its formula."""
    file = tmp_path / "ratings.csv"
    file.write_text(
        "player,rating,deviation\nAnn,1700,50\nBob,1600,150\nCid,1500,200\nDee,1450,80\n"
    )
    told = json.loads(answered("next", file, "--for", "Ann", "--json", "-q"))
    assert told["system"] == "glicko"
    expected = {row["opponent"]: row["expected"] for row in told["games"]}
    q = log(10.0) / 400.0  # Glickman 1999: E of two uncertain ratings
    g = 1.0 / sqrt(1.0 + 3.0 * q * q * (50.0**2 + 150.0**2) / pi**2)
    assert expected["Bob"] == pytest.approx(1.0 / (1.0 + 10.0 ** (-g * 100.0 / 400.0)))
    teams = json.loads(answered("teams", file, "Ann,Bob,Cid,Dee", "--json", "-q"))
    assert teams["splits"] == 3
    file.write_text("player,rating\nAnn,1700\nBob,1600\n")
    told = json.loads(answered("next", file, "--json", "-q"))
    assert (told["system"], len(told["games"])) == ("elo", 1)
    assert told["games"][0]["expected"] == pytest.approx(1.0 / (1.0 + 10.0 ** (-100.0 / 400.0)))
    assert "learns from a table" in refused(3, "next", file, "--system", "prowess")
