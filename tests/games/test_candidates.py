"""Columns that are found by the words of their headings together with their cells."""

from __future__ import annotations

import pytest

import prowess
from prowess.games import BadData


def read(**columns):
    """A table of these columns."""
    return prowess.read_games(columns)


@pytest.mark.parametrize(
    ("a", "b", "x", "y"),
    [
        ("Casa", "Fora", "GC", "GF"), ("Home", "Away", "HG", "AG"),
        ("Local", "Visitante", "Goles L", "Goles V"),
        ("Gospodarze", "Goście", "Bramki gosp.", "Bramki gości"),
    ],
)  # fmt: skip
def test_points_under_shortened_names(a, b, x, y):
    """Points stand under headings that shorten those of the players."""
    games = read(**{a: ["A", "B"], b: ["B", "A"], x: [2, 0], y: [1, 1]})
    assert games.points_a.tolist() == [2.0, 0.0]
    assert games.score.tolist() == [1.0, 0.0]


def test_points_between_the_players():
    """Ann | 3 | vs | 0 | Ben: unnamed numbers between two players are their points."""
    games = read(**{
        "Player": ["Ann", "Ben"], "column 2": [3, 1], "column 3": ["vs", "vs"],
        "column 4": [0, 3], "Opponent": ["Ben", "Cid"],
    })  # fmt: skip
    assert games.points_b.tolist() == [0.0, 3.0]


@pytest.mark.parametrize(
    ("a", "b", "winner"),
    [("team0", "team1", "team1"), ("R_fighter", "B_fighter", "Blue"),
     ("radiant_name", "dire_name", "dire"), ("white", "blue", "blue")],
)  # fmt: skip
def test_further_pairs_of_sides(a, b, winner):
    """Sides counted from 0, corners and sides of games are pairs; none has an advantage."""
    games = read(**{a: ["A", "B"], b: ["B", "C"], "winner": [winner, winner]})
    assert games.score.tolist() == [0.0, 0.0]
    assert games.side is None


def test_sets_decide_before_games():
    """Of sets and games of each side sets decide."""
    games = read(player_1=["A"], player_2=["B"], games_1=[14], games_2=[16], sets_1=[2], sets_2=[1])
    assert games.score.tolist() == [1.0]


def test_goals_tell_more_than_points_of_a_match():
    """Of the scorelines 2:0 and 33:27 the goals are kept."""
    games = read(Heim=["A", "B"], Gast=["B", "A"], Punkte=["2:0", "1:1"], Tore=["33:27", "20:20"])
    assert games.points_a.tolist() == [33.0, 20.0]


def test_whose_row_it_is_is_no_winner():
    """A column that names the first player of every row says whose row it is, not who won."""
    with pytest.raises(BadData, match="no column that looks like a result"):
        read(home=["Ann", "Ben"], away=["Ben", "Ann"], log_of=["Ann", "Ben"])


def test_texts_are_no_players():
    """Answers of which one was preferred are not players."""
    text = "This is an answer that goes on and on and names nobody, number {}."
    with pytest.raises(BadData, match="no columns that look like two players"):
        read(chosen=[text.format(1), text.format(2)], rejected=[text.format(3), text.format(4)])


def test_a_draw_contradicts_unequal_points():
    """A result that says draw beside 2:1 is refused."""
    with pytest.raises(BadData, match="contradicts"):
        read(HomeTeam=["A"], AwayTeam=["B"], FTHG=[2], FTAG=[1], result=["D"])
