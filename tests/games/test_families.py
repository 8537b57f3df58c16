"""Families: members by role that are made of the names of players."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

from prowess.engine.system import Unratable
from prowess.engine.table import join_tables
from prowess.games import BadData, read_games
from prowess.games.role_members import family_name
from tests.games.sides import sides_of
from tests.refusals import refused

OPTIONS = {"format": "csv", "time": "none", "warn": False}


def read(text: str, **options):
    """A table of games or contests in which nothing is said of dates."""
    return read_games(io.BytesIO(text.encode()), **OPTIONS | options)


@pytest.mark.parametrize(
    ("player", "family"),
    [
        ("Stockfish 17.1", "Stockfish"), ("Stockfish dev16_2022051413", "Stockfish"),
        ("LCZero v0.26.3_T60", "LCZero"), ("LCZero 0.30-dag-dcb4ece9-BT2-3250000", "LCZero"),
        ("Komodo 9.3x", "Komodo"), ("KomodoMCTS 2205.00", "KomodoMCTS"),
        ("KomodoDragon 3", "KomodoDragon"), ("LCZeroCPU v0.24-n591215", "LCZeroCPU"),
        ("Toga II 4.01", "Toga II"), ("The Baron 3.41", "The Baron"), ("Gull II", "Gull II"),
        ("4ku 5.0", "4ku"), ("chess22k 1.11", "chess22k"), ("Sjeng c't 2010", "Sjeng c't"),
        ("SlowChess Blitz 2.83 avx2", "SlowChess Blitz"), ("Chat", "Chat"),
        ("Arasan v23.3.0-8-g99fb1f6", "Arasan"), ("Houdini 3 Sufi 4", "Houdini"),
    ],
)  # fmt: skip
def test_family_name(player, family):
    """Names of the computer chess championship TCEC, judged by hand."""
    assert family_name(player) == family


def test_families_play_beside_their_members():
    """Each side has the family of its player, but none where both sides have the same."""
    games = read(
        "white,black,result\nStockfish 16,LCZero v0.30,1-0\nStockfish 17,Stockfish 16,1-0\n"
        "LCZero v0.31,Crafty,0-1\n",
        family=True,
    )
    assert sides_of(games) == [
        [["Stockfish 16", "Stockfish"], ["LCZero v0.30", "LCZero"]],
        [["Stockfish 17"], ["Stockfish 16"]],
        [["LCZero v0.31", "LCZero"], ["Crafty", "Crafty (family)"]],
    ]
    assert games.roles == ("player", "family")
    assert games.role_kinds == ("player", "with")
    assert games.notes[0] == (
        "3 families of the names of 5 players, the largest Stockfish (2), LCZero (2) and Crafty (1)"
    )


def test_families_of_contests_and_teams():
    """A family stands once on a side of several of its players."""
    text = "race,player,place\n1,Ada 1,1\n1,Ada 2,2\n1,Bob 1,3\n2,Ada 1,1\n2,Bob 1,2\n"
    assert sides_of(read(text, family=True)) == [
        [["Ada 1", "Ada"], ["Ada 2", "Ada"], ["Bob 1", "Bob"]],
        [["Ada 1", "Ada"], ["Bob 1", "Bob"]],
    ]
    doubles = read("a1,a2,b1,b2,score\nAda 1,Ada 2,Bob 1,Cid 1,1\n", family=True)
    assert sides_of(doubles) == [[["Ada 1", "Ada 2", "Ada"], ["Bob 1", "Cid 1", "Bob", "Cid"]]]


def test_families_beside_other_roles():
    """Roles of players, of columns and of names come in this order, each of its kind."""
    text = "a,b,surface,car_a,car_b,score\nAda 1,Bob 2,clay,Red,Blue,1\n"
    games = read(text, per="surface", with_="car", family=True)
    assert sides_of(games) == [
        [["Ada 1", "Ada 1@clay", "Red", "Ada"], ["Bob 2", "Bob 2@clay", "Blue", "Bob"]]
    ]
    assert games.roles == ("player", "surface", "car", "family")
    assert games.role_kinds == ("player", "per", "with", "with")
    with refused(BadData, "role_twice", about="family"):
        read("a,b,family_a,family_b,score\nAda,Bob,X,Y,1\n", with_="family", family=True)


def test_ballots_have_no_families(tmp_path):
    """Ballots have no further members."""
    file = tmp_path / "votes.ballots"
    file.write_text("3: Ada > Bob\n")
    with refused(BadData, "ballots_without_columns"):
        read_games(file, family=True)


def test_kinds_of_roles_stay_with_the_table():
    """Copies, parts and joined tables know of each role what its members are."""
    text = "a,b,surface,car_a,car_b,score\nAda,Bob,clay,Red,Blue,1\nAda,Bob,grass,Red,Blue,0\n"
    games = read(text, per="surface", with_="car")
    kinds = ("player", "per", "with")
    assert games.role_kinds == kinds
    assert pickle.loads(pickle.dumps(games)).role_kinds == kinds
    assert games.replace(notes=()).role_kinds == kinds
    assert games.select(np.array([1])).role_kinds == kinds
    plain = read("a,b,score\nAda,Bob,1\n")
    assert plain.role_kinds == ("player",)
    cars = read(text, with_="car")
    assert cars.role_kinds == ("player", "with")
    assert join_tables(plain, cars).role_kinds == ("player", "with")
    joined = join_tables(cars, read(text, per="surface"))
    assert joined.roles == ("player", "car", "surface")
    assert joined.role_kinds == ("player", "with", "per")
    with refused(Unratable, "roles_not_joined", about="surface"):
        join_tables(
            read(text, per="surface"), read(text, with_={"surface": ("car_a", "car_b")})
        )  # fmt: skip
