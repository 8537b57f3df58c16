"""Members by role: of a player and a value, and members that players share."""

from __future__ import annotations

import csv
import gzip
import io
from typing import Any

import numpy as np
import pytest

from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.games.sides import members_of, sides_of
from tests.games.test_real_tables import EXAMPLES


def read(text: str, **options):
    """A table of games in which nothing is said of dates."""
    options = {"time": "none", "warn": False} | options
    return read_games(io.BytesIO(text.encode()), format="csv", **options)


def test_per():
    """Each player has a member for each value; none where the value is empty."""
    games = read("a,b,score,surface\nAnn,Bob,1,clay\nBob,Ann,0,\nAnn,Bob,1,grass\n", per="surface")
    assert members_of(games) == [
        [[("Ann", 1, "player"), ("Ann@clay", 1, "surface")],
         [("Bob", 1, "player"), ("Bob@clay", 1, "surface")]],
        [[("Bob", 1, "player")], [("Ann", 1, "player")]],
        [[("Ann", 1, "player"), ("Ann@grass", 1, "surface")],
         [("Bob", 1, "player"), ("Bob@grass", 1, "surface")]],
    ]  # fmt: skip
    assert games.pairwise
    assert not games.duels
    assert games.roles == ("player", "surface")
    assert games.role.tolist() == [0, 0, 1, 1, 1, 1]
    assert games.role.dtype == np.uint8
    assert games.score.tolist() == [1, 0, 1]
    assert "surface = per" in str(games.reading)
    assert "2 players and 4 members by role" in repr(games)


@pytest.mark.parametrize(
    "headings",
    [
        "a,b,car_a,car_b", "home,away,home_car,away_car", "white,black,white_car,black_car",
        "player_a,player_b,a_car,b_car", "player1,player2,car1,car2", "winner,loser,w_car,l_car",
        "winner,loser,winner_car,loser_car", "home_team,away_team,car_home,car_away",
    ],
)  # fmt: skip
def test_with_of_two_columns(headings):
    """The two columns are found by the name that they have in common."""
    games = read(f"{headings},score\nAnn,Bob,Red,Blue,1\n", with_="car")
    assert sides_of(games) == [[["Ann", "Red"], ["Bob", "Blue"]]]
    assert games.roles == ("player", "car")


def test_with_of_turned_columns():
    """The columns go with the players' headings, whoever is named first."""
    text = "home,away,score,home_car,away_car\nAnn,Bob,1,Red,Blue\n"
    games = read(text, player_a="away", player_b="home", result="score", with_="car")
    assert sides_of(games) == [[["Bob", "Blue"], ["Ann", "Red"]]]


def test_with_of_named_columns():
    """The caller names the columns of a role."""
    text = "a,b,score,x,y\nAnn,Bob,1,Red,Blue\nAnn,Cid,1,,Red\n"
    games = read(text, with_={"car": ("x", "y")})
    assert sides_of(games) == [[["Ann", "Red"], ["Bob", "Blue"]], [["Ann"], ["Cid", "Red"]]]
    assert "x and y = with car" in str(games.reading)


@pytest.mark.parametrize(
    ("headings", "options", "said"),
    [
        ("car,n", {"with_": "car"}, 'column "car" says the same of both sides'),
        ("m,n", {"with_": "car"}, "there are no two columns of car, one for each side"),
        ("car_a,car_b", {"with_": {"car": "car_a"}}, "with_= names 1 column of car"),
        ("car_a,x", {"with_": {"car": ("car_a", "q")}}, 'names column "q", which is not there'),
        ("car_a,car_b", {"with_": "player"}, '"player" is the role of the players'),
        ("car_a,car_b", {"with_": "car", "per": "car"}, 'the role "car" is named twice'),
        ("car_a,car_b", {"per": "ground"}, 'per= names column "ground", which is not there'),
        ("car_a,car_b", {"with_": 7}, "with_= names a column, and 7 is no name"),
    ],
)  # fmt: skip
def test_columns_that_are_not_there(headings, options, said):
    """One clear error, with the remedy."""
    with pytest.raises(BadData) as error:
        read(f"a,b,score,{headings}\nAnn,Bob,1,x,y\n", **options)
    assert said in place_first(error.value)


def test_what_both_sides_have():
    """A member that both sides would have is left out of both; one without others leaves duels."""
    text = "a,b,score,car_a,car_b\nAnn,Bob,1,Red,Red\nAnn,Bob,1,Red,Blue\n"
    assert sides_of(read(text, with_="car")) == [
        [["Ann"], ["Bob"]], [["Ann", "Red"], ["Bob", "Blue"]],
    ]  # fmt: skip
    same = read(text.replace("Blue", "Red"), with_="car")
    assert same.duels
    assert '"car": no side has a member that the others have not' in same.notes


def test_names_that_are_taken():
    """A member by role has a name of its own; a note says which. Columns of a role are no players,
    though engines may be.
    """
    text = "a,b,score,car_a,car_b,engine_a,engine_b\nAnn,Bob,1,Bob,Red,Red,Blue\n"
    games = read(text, with_=("car", "engine"))
    assert sides_of(games) == [
        [["Ann", "Bob (car)", "Red (engine)"], ["Bob", "Red", "Blue"]],
    ]  # fmt: skip
    assert games.roles == ("player", "car", "engine")
    note = (
        'have another name where a name is taken: "Bob (car)" for "Bob", "Red (engine)" for "Red"'
    )
    assert any(note in each for each in games.notes)
    other = read("a,b,score,x\nAnn@u,Ann,1,u\n", per="x")
    assert sides_of(other) == [[["Ann@u", "Ann@u@u"], ["Ann", "Ann@u (x)"]]]


def test_shares_of_members():
    """A player's own members take part as the player does, shared members take part in full."""
    text = (
        "match,team,player,won,share,car,map\n1,r,Ann,1,0.5,Red,x\n1,r,Bob,1,1,Red,x\n"
        "1,b,Cid,0,1,Blue,x\n"
    )
    games = read(text, per="map", with_="car")
    assert members_of(games) == [[
        [("Ann", 0.5, "player"), ("Bob", 1, "player"), ("Ann@x", 0.5, "map"), ("Bob@x", 1, "map"),
         ("Red", 1, "car")],
        [("Cid", 1, "player"), ("Cid@x", 1, "map"), ("Blue", 1, "car")],
    ]]  # fmt: skip


def test_teams_as_members():
    """The team may be a member of its side, too."""
    text = "match,team,player,won\n1,r,Ann,1\n1,r,Bob,1\n1,b,Cid,0\n"
    assert sides_of(read(text, with_="team")) == [[["Ann", "Bob", "r"], ["Cid", "b"]]]


def test_races_with_constructors():
    """Formula 1: each driver's side has the driver and the car, as the table has them."""
    options: dict[str, Any] = {"exclude": {"position": ["DNQ", "DNPQ", "DNS"]}}
    options |= {"unplaced": "last", "skip_bad": True, "warn": False}
    path = EXAMPLES / "f1_race_results.csv.gz"
    races = read_games(path, with_="constructor", **options)
    plain = read_games(path, **options)
    cars: dict[tuple[str, str], str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cars.setdefault((row["date"], row["driver"]), row["constructor"])
    assert len(races) == len(plain)
    assert races.place.tolist() == plain.place.tolist()
    assert races.time is not None
    day = (np.datetime64("1970-01-01") + races.time.astype(int)).astype(str)
    for at, sides in enumerate(sides_of(races)):
        had = [cars[day[at], side[0]] for side in sides]
        told = [side[1:] for side in sides]
        assert told == ([[] for _ in had] if len(set(had)) == 1 else [[car] for car in had])
    assert not any("look alike" in note for note in plain.notes)


def test_members_that_look_alike():
    """Values in two spellings are named; the members of players who look alike are not, again."""
    text = "a,b,score,ground\nAnders,Bob,1,clay\nAndres,Bob,1,clay\nAnders,Bob,1,Clay\n"
    (note,) = (note for note in read(text, per="ground").notes if "look alike" in note)
    assert '"Anders@clay"/"Anders@Clay"' in note
    assert '"Anders@clay"/"Andres@clay"' not in note
