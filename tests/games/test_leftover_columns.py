"""Columns of further players beside guessed sides: refused where they hold one, with the remedy."""

from __future__ import annotations

import io

import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.games.sides import sides_of
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def read(text: str, **options):
    """A table of games in which nothing is said of dates."""
    options = {"time": "none", "warn": False} | options
    return read_games(io.BytesIO(text.encode()), format="csv", **options)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("headings", "column", "remedy"),
    [
        ("player1,player2,player3,player4,result", "player3",
         "(--player-a player1,player2 --player-b player3,player4)"),
        ("player_1,player_2,player_3,result", "player_3",
         "(--player-a, --player-b)"),
        ("team1,team2,team3,result", "team3", "(--player-a, --player-b)"),
        ("team_a,team_b,team_c,result", "team_c", "(--player-a, --player-b)"),
        ("a1,a2,b1,b2,c1,c2,result", "c1", "(--player-a, --player-b)"),
        ("a1,a2,a4,b1,b2,result", "a4", "(--player-a a1,a2,a4 --player-b b1,b2)"),
        ("a1,a3,b1,b2,result", "a3", "(--player-a a1,a3 --player-b b1,b2)"),
        ("a,b,partner_a,partner_b,result", "partner_a",
         "(--player-a a,partner_a --player-b b,partner_b)"),
        ("player1,player2,player1_partner,player2_partner,result", "player1_partner",
         "(--player-a player1,player1_partner --player-b player2,player2_partner)"),
        ("white,black,White Partner,Black Partner,result", "White Partner",
         "(--player-a 'white,White Partner' --player-b 'black,Black Partner')"),
        ("home,away,home2,away2,result", "home2", "(--player-a home,home2 --player-b away,away2)"),
        ("winner,loser,winner2,loser2", "winner2",
         "(--winner winner,winner2 --loser loser,loser2)"),
        ("winner_name,loser_name,winner2_name,loser2_name", "winner2_name",
         "(--winner winner_name,winner2_name --loser loser_name,loser2_name)"),
    ],
)  # fmt: skip
def test_players_who_would_vanish(headings, column, remedy, compiled):
    """The refusal names the column, and the options that read the table."""
    names = iter(["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"])
    row = ",".join("1" if each == "result" else next(names) for each in headings.split(","))
    with pytest.raises(BadData) as error:
        read(f"{headings}\n{row}\n", compiled=compiled)
    assert (error.value.line, error.value.column) == (2, column)
    assert "would be left out" in error.value.what
    for option in remedy.strip("()").replace(" --", "\n--").splitlines():
        assert f"({option.rstrip(',')}" in place_first(error.value)


def test_who_would_vanish():
    """The message in full; so it is beside a column of winners, whatever is skipped."""
    text = "player1,player2,player3,winner\nAnn,Bob,,Ann\nAnn,Bob,Cid,Bob\n"
    with pytest.raises(BadData) as error:
        read(text, skip_bad=True)
    assert place_first(error.value) == (
        'the stream, line 3, column "player3": "Cid" would be left out: column player3 is on '
        "neither side; name the columns of both sides with player_a= (--player-a) and "
        "player_b= (--player-b)"
    )
    assert len(read(text, exclude={"player3": "Cid"})) == 1
    many = ",".join(f"player{k}" for k in range(1, 41))
    with refused(BadData, "members_left_out", about=("player3", "player40")):
        read(f"{many},score1,score2\n{','.join(f'p{k}' for k in range(40))},1,0\n")


def test_players_who_would_vanish_from_contests():
    """So it is in contests with a second column of players."""
    text = "race,driver,driver2,place\n1,Ann,Bob,1\n1,Cid,,2\n"
    with refused(BadData, "members_left_out", about=("driver2", "--player")):
        read(text)
    assert sides_of(read(text, player=("driver", "driver2"))) == [[["Ann", "Bob"], ["Cid"]]]


@pytest.mark.parametrize(
    "options",
    [{"player_a": ("player1", "player2"), "player_b": ("player3", "player4")},
     {"player_a": "player1", "player_b": "player2"}],
)  # fmt: skip
def test_named_columns(options):
    """Whoever names the columns of the sides is believed."""
    text = "player1,player2,player3,player4,score1,score2\nAnn,Bob,Cid,Dan,1,0\n"
    sides = sides_of(read(text, **options))
    assert sides == ([[["Ann", "Bob"], ["Cid", "Dan"]]] if len(options["player_a"]) == 2
                     else [[["Ann"], ["Bob"]]])  # fmt: skip


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("headings", "row"),
    [
        ("player1,player2,player3,player4,score1,score2", "Ann,Bob,,-,1,0"),
        ("player1,player2,player3,result", "Ann,Bob,bye,1"),
        ("player1,player2,player1_rating,player2_rating,score1,score2", "Ann,Bob,x,y,1,0"),
        ("home,away,home1,away1,home2,away2,result", "Ann,Bob,20,30,10,5,1"),
        ("winner,loser,W1,L1,W2,L2,winner_partner_rank", "Ann,Bob,x,y,z,u,v"),
        ("a,b,w,d,l,result", "Ann,Bob,x,y,z,1"),
        ("white,black,teammates_elo,training_partner,result", "Ann,Bob,x,y,1"),
    ],
)
def test_columns_of_something_else(headings, row, compiled):
    """Empty columns, numbers beside names, and headings that say more than a place are no players.

    The reading says of them that they are not used.
    """
    games = read(f"{headings}\n{row}\n", compiled=compiled)
    assert list(games.players) == ["Ann", "Bob"]
    further = [name for name in headings.split(",")[2:] if not name.startswith(("score", "res"))]
    assert games.reading.unused == tuple(further)


def test_teammates_with_rows_of_their_own():
    """In contests a teammate has a row: the column is a remark; a role is read from columns."""
    text = "race,driver,teammate,place\n1,Ann,Bob,1\n1,Bob,Ann,2\n"
    assert sides_of(read(text)) == [[["Ann"], ["Bob"]]]
    assert len(read("race,name,name2,place\n1,Ann,Lee,1\n1,Bob,Ray,2\n").players) == 2
    pairs = read("a,b,partner_a,partner_b,result\nAnn,Bob,Cid,Dan,1\n", with_="partner")
    assert sides_of(pairs) == [[["Ann", "Cid"], ["Bob", "Dan"]]]
