"""Sides in rows of one player each: a column of teams, and how much each player took part."""

from __future__ import annotations

import io

import pytest

from prowess.compile import kernel
from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.games.sides import members_of, sides_of
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]
TEXT = (
    "match,team,player,points,minutes\n1,Red,Ann,3,90\n1,Blue,Cid,2,90\n1,Red,Bob,3,45\n"
    "2,Blue,Cid,1,60\n2,Red,Ann,1,60\n2,Blue,Dan,1,0\n"
)


def read(text: str, **options):
    """A table of contests in which nothing is said of dates."""
    options = {"time": "none", "warn": False} | options
    return read_games(io.BytesIO(text.encode()), format="csv", **options)


@pytest.mark.parametrize("compiled", READERS)
def test_matches_of_two_teams(compiled):
    """Rows of one team are one side, matches of two of them games; minutes become shares."""
    games = read(TEXT, compiled=compiled)
    assert members_of(games) == [
        [[("Ann", 1.0, "player"), ("Bob", 0.5, "player")], [("Cid", 1.0, "player")]],
        [[("Cid", 1.0, "player")], [("Ann", 1.0, "player")]],
    ]
    assert games.pairwise
    assert games.score.tolist() == [1.0, 0.5]
    assert games.points_a.tolist() == [3, 1]
    assert games.points_b.tolist() == [2, 1]
    assert games.margin.tolist() == [1, 0]
    assert games.players == ["Ann", "Cid", "Bob"]
    each = 'team="none" (--team none) makes each player one'
    assert games.notes == (
        "contests told apart by match: 2 contests of 2 sides",
        f'"team": players of one team are one side of a contest; {each}',
        'shares are the column "minutes" divided by its largest value in each contest',
        '1 player is left out of a contest: a share of 0 in column "minutes"',
        '"points": more is better; points="-points" (--points -points) says that less is',
    )
    said = "match = contest   team   player   minutes = share   points (more is better)"
    assert games.reading.lines()[1] == f"columns   {said}"


def test_contests_of_many_teams():
    """With other numbers of teams it is a table of contests."""
    text = (
        "game,side,player,place\n1,x,Ann,2\n1,y,Bob,1\n1,x,Cid,2\n1,z,Dan,3\n2,x,Ann,1\n2,y,Cid,2\n"
    )
    contests = read(text, team="side")
    assert not contests.pairwise
    assert sides_of(contests) == [[["Ann", "Cid"], ["Bob"], ["Dan"]], [["Ann"], ["Cid"]]]
    assert contests.place.tolist() == [2, 1, 3, 1, 2]
    assert contests.start.tolist() == [0, 3, 5]


def test_dates_and_weights():
    """Games come in order of their dates; a game has one date and one weight."""
    text = (
        "match,team,player,result,date,weight\n1,r,Ann,win,2020-01-02,2\n1,b,Bob,loss,2020-01-02,2\n"
        "2,r,Ann,draw,2020-01-01,1\n2,b,Cid,draw,2020-01-01,1\n2,b,Dan,draw,2020-01-01,1\n"
    )
    games = read(text, time="date")
    assert sides_of(games) == [[["Ann"], ["Cid", "Dan"]], [["Ann"], ["Bob"]]]
    assert games.score.tolist() == [0.5, 1.0]
    assert games.weight.tolist() == [1, 2]
    assert (games.time[1] - games.time[0]) == 1.0
    with refused(BadData, "contest_contradicts", line=6, column="weight"):
        read(text.replace("Dan,draw,2020-01-01,1", "Dan,draw,2020-01-01,3"), time="date",
             contest="match")  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [("win", "loss", 1), ("lost", "won", 0), ("draw", "tie", 0.5), ("yes", "no", 1),
     ("TRUE", "FALSE", 1), ("0", "1", 0), ("0.5", "1/2", 0.5), ("W", "L", 1)],
)  # fmt: skip
def test_results_of_teams(one, other, score):
    """A result is that of the team in the row."""
    text = f"match,team,player,won\n1,r,Ann,{one}\n1,r,Bob,{one}\n1,b,Cid,{other}\n"
    assert read(text).score.tolist() == [score]


def test_results_that_do_not_fit():
    """Both won, or a word that says nothing of the team: refused."""
    text = "match,team,player,won\n1,r,Ann,yes\n1,r,Bob,yes\n1,b,Cid,yes\n"
    with refused(BadData, "results_contradict", line=4, column="won"):
        read(text)
    with refused(BadData, "unknown_own_result", about="red", line=4, column="won"):
        read(text.replace("Cid,yes", "Cid,red"))
    with refused(BadData, "result_missing", line=4, column="won"):
        read(text.replace("Cid,yes", "Cid,"))


def test_rows_of_a_team_that_differ():
    """A team in two places is one error, with the choices."""
    text = (
        "match,team,player,place\n1,r,Ann,1\n1,r,Bob,1\n1,b,Cid,2\n1,b,Dan,2\n2,r,Ann,1\n"
        "2,r,Bob,3\n2,b,Cid,2\n2,b,Dan,2\n"
    )
    with pytest.raises(BadData) as error:
        read(text)
    assert place_first(error.value) == (
        'the stream, line 7, column "place": the players of team "r" have two values in one '
        "contest, 1 and 3; correct the row, name the columns that tell contests apart with "
        'contest= (--contest), or say team="none" (--team none) if each player has a place'
    )
    assert sides_of(read(text, team="none", contest="match"))[1] == [
        ["Ann"],
        ["Bob"],
        ["Cid"],
        ["Dan"],
    ]
    kept = read(text, skip_bad=True)
    assert sides_of(kept)[1] == [["Ann"], ["Cid", "Dan"]]


def test_teams_that_make_no_sides():
    """A guessed column of teams whose players have places of their own is not used; a note says so.

    Where the caller names it, it is an error.
    """
    text = "match,team,player,place\n1,r,Ann,1\n1,r,Bob,2\n1,b,Cid,3\n1,b,Dan,4\n"
    contests = read(text)
    assert sides_of(contests) == [[["Ann"], ["Bob"], ["Cid"], ["Dan"]]]
    assert '"team" makes no sides: most of its players have places of their own' in contests.notes
    assert contests.reading.unused == ("team",)
    with refused(BadData, "team_contradicts", about="r", line=3, column="place"):
        read(text, team="team")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("1,Red,Bob,3,45", "1,Red,Ann,3,45"),
         'line 4, column "player": "Ann" stands twice in one contest'),
        (("1,Red,Bob,3,45", "1,Blue,Ann,2,45"),
         'line 4, column "player": "Ann" stands twice in one contest'),
        (("1,Red,Bob,3,45", "1,Red,Bob,3,-1"), 'line 4, column "minutes": a share below 0'),
        (("1,Red,Bob,3,45", "1,Red,Bob,3,"), 'line 4, column "minutes": a number is missing'),
        (("2,Red,Ann,1,60", "2,Red,Ann,1,0"),
         'line 6, column "minutes": all players of team "Red" have a share of 0'),
        (("1,Red,Bob,3,45", "1,,Bob,3,45"), 'line 4, column "team": the team is missing'),
        (("1,Red,Bob,3,45", "1,Red,,3,45"), 'line 4, column "player": the name of a player is'),
    ],
)  # fmt: skip
def test_bad_rows(change, said):
    """One clear error, with the line."""
    with pytest.raises(BadData) as error:
        read(TEXT.replace(*change), team="team")
    assert said in place_first(error.value)


def test_shares():
    """Shares of at most 1 stay as they are; a whole share is not stored."""
    text = "match,team,player,won,share\n1,r,Ann,1,0.5\n1,r,Bob,1,1\n1,b,Cid,0,0.25\n"
    assert read(text).share.tolist() == [0.5, 1.0, 0.25]
    assert not any("largest" in note for note in read(text).notes)
    assert read(text.replace("0.5", "1").replace("0.25", "1")).share is None
    named = read(text.replace("share", "part"), share="part")
    assert named.share.tolist() == [0.5, 1.0, 0.25]
    assert read(text, share="none").share is None


def test_a_contest_of_one_side():
    """It stays, as a contest of one player does, and is noted."""
    text = "match,team,player,place\n1,r,Ann,1\n1,b,Bob,2\n2,r,Ann,1\n2,r,Bob,1\n"
    contests = read(text)
    assert sides_of(contests) == [[["Ann"], ["Bob"]], [["Ann", "Bob"]]]
    assert "in 1 of 2 contests there is one side only" in contests.notes


def test_single_players_of_two_teams():
    """Matches of one player a team are duels."""
    games = read("match,team,player,place\n1,white,Ann,1\n1,black,Bob,2\n")
    assert games.duels
    assert games.score.tolist() == [1.0]


@pytest.mark.parametrize("role", ["team", "share"])
def test_games_have_no_rows_of_teams(role):
    """What is said of rows of players says nothing of rows of games, and is refused there."""
    with refused(BadData, "option_of_contests", about=str(role)):
        read("a,b,score,part\nAnn,Bob,1,1\n", kind="games", **{role: "part"})
