"""Columns of the members of two sides, under headings that name side and member in any order."""

from __future__ import annotations

import io

import pytest

from prowess import BadData, read_games
from tests.refusals import refused

NAMES = ["Ann", "Ben", "Cleo", "Dan", "Eve", "Finn"]


def columns(*headings):
    """A table of two games, in which each heading has another player."""
    return {name: [NAMES[at], NAMES[at - 1]] for at, name in enumerate(headings)}


@pytest.mark.parametrize(
    "headings",
    [
        ("Team 1 Spieler 1", "Team 1 Spieler 2", "Team 2 Spieler 1", "Team 2 Spieler 2"),
        ("player1_team1", "player2_team1", "player1_team2", "player2_team2"),
        ("blue_1", "blue_2", "red_1", "red_2"),
        ("Heim Spieler 1", "Heim Spieler 2", "Gast Spieler 1", "Gast Spieler 2"),
        ("Équipe A joueur 1", "Équipe A joueur 2", "Équipe B joueur 1", "Équipe B joueur 2"),
        ("t1p1", "t1p2", "t2p1", "t2p2"),
        ("Red Defense", "Red Offense", "Blue Defense", "Blue Offense"),
    ],
)
def test_members_of_both_sides(headings):
    """Headings that name side and member give the members of both sides."""
    games = read_games({**columns(*headings), "result": ["1-0", "0-1"]}, warn=False)
    names = [games.players[int(member)] for member in games.player[:4]]
    assert (games.ends[:3].tolist(), names) == ([0, 2, 4], ["Ann", "Ben", "Cleo", "Dan"])


def test_winners_of_several_members():
    """The winners of a game may be several members."""
    table = columns("Sieger 1", "Sieger 2", "Verlierer 1", "Verlierer 2")
    assert read_games(table, warn=False).score.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "headings",
    [
        ("Player 1A", "Player 1B", "Player 2A", "Player 2B"),  # 1 or A may be the side
        ("blue_1", "blue_3", "red_1", "red_2"),  # one is missing
        ("Team 1 Spieler 1", "Team 2 Spieler 1", "Team 3 Spieler 1"),  # three sides
    ],
)
def test_headings_that_leave_sides_open_are_refused(headings):
    """Headings that leave sides open are refused."""
    with pytest.raises(BadData):
        read_games({**columns(*headings), "result": ["1-0", "0-1"]})


def test_columns_of_teams_go_before_their_members():
    """Columns of teams go before their members."""
    table = columns("Home team", "Away team", "home player 1", "home player 2", "away player 1")
    games = read_games({**table, "result": ["1-0", "0-1"]}, warn=False)
    assert games.duels
    assert [games.players[int(player)] for player in games.a] == ["Ann", "Finn"]


@pytest.mark.parametrize(
    "headings",
    [
        ("Red Defense", "Red Offense", "Blue Defense", "Blue Keeper"),  # other positions
        ("Red Ban", "Red Pick", "Blue Ban", "Blue Pick"),  # no positions of players
    ],
)
def test_words_that_are_not_the_same_positions_of_players_are_asked(headings):
    """Words that are not the same positions of players are asked."""
    table = {name: [*NAMES[at:], *NAMES[:at]] for at, name in enumerate(headings)}
    with refused(BadData, "players_ambiguous"):
        read_games({**table, "result": ["1-0", "0-1"] * 3})


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("Blue Top,Blue Jng,Blue Mid", "Red Top,Red Jng,Red Mid", ("Blue", "Red")),
        ("t1_top,t1_mid,t1_bot", "t2_mid,t2_bot,t2_top", ("1", "2")),
        ("Home Skip,Home Second,Home Lead", "Away Skip,Away Second,Away Lead", ("Home", "Away")),
        ("Blue Alpha,Blue Bravo,Blue Echo", "Red Alpha,Red Bravo,Red Echo", ("Blue", "Red")),
    ],
)
def test_sides_by_position(first, second, winner):
    """Words for positions, or any words that both sides have, tell the members of a side apart."""
    head = f"{first},{second},Winner,Length"
    rows = f"Ann,Bob,Cid,Dan,Eve,Fay,{winner[0]},22:13\nDan,Eve,Fay,Bob,Cid,Ann,{winner[1]},41:05\n"
    games = read_games(io.StringIO(f"{head}\n{rows}"), format="csv", warn=False)
    assert games.score.tolist() == [1.0, 0.0]
    assert games.ends.tolist() == [0, 3, 6, 9, 12]


def test_unlike_words_are_no_positions():
    """Without the same words on both sides the members are asked for."""
    head = "Blue Alpha,Blue Bravo,Blue Echo,Red Alpha,Red Bravo,Red Golf,Winner"
    with refused(BadData, "players_ambiguous", about="player_a="):
        read_games(io.StringIO(f"{head}\nAnn,Bob,Cid,Dan,Eve,Fay,Blue\n"), format="csv")
