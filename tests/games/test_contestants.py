"""Who takes part in contests, and what decides them, where headings are of one sport alone."""

from __future__ import annotations

import io

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused


def read(text, **options):
    """The contests of a text."""
    return read_games(io.StringIO(text), format="csv", warn=False, **options)


def places(games):
    """The players of each contest and their places."""
    names = [games.players[at] for at in games.player]
    return [
        dict(zip(names[start:end], games.place[start:end].tolist(), strict=True))
        for start, end in zip(games.start, games.start[1:], strict=False)
    ]


ROWS = "1,{0}\n1,{1}\n1,{2}\n2,{1}\n2,{0}\n2,{2}\n"
TWO = [{"P": 1.0, "Q": 2.0, "R": 3.0}, {"Q": 1.0, "P": 2.0, "R": 3.0}]


@pytest.mark.parametrize(
    ("headings", "rows"),
    [
        ("Round,Golfer,Club,Pos", ["P,X,1", "Q,Y,2", "R,Z,3", "Q,Y,1", "P,X,T2", "R,Z,MC"]),
        ("Rennen,Reiter,Pferd,Platz", ["P,X,1", "Q,Y,2", "R,Z,3", "Q,Y,1", "P,Z,2", "R,X,E"]),
        ("Course,Pilote,Écurie,Arrivée", ["P,X,1", "Q,X,2", "R,Z,3", "Q,X,1", "P,X,2", "R,Z,Ab."]),
        ("Wettkampf,Schütze,Ringe", ["P,9", "Q,8", "R,7", "Q,9", "P,8", "R,7"]),
        ("Heat,Swimmer,Time", ["P,58.3", "Q,59.2", "R,1:00.2", "Q,57.9", "P,1:00.1", "R,DSQ"]),
        ("Lauf,Läufer,Zeit", ["P,12:03", "Q,12:04", "R,13:00", "Q,12:01", "P,12:03", "R,aufg."]),
        ("Race,Snorkeller,Squad,Rank", ["P,X,1", "Q,X,2", "R,Z,3", "Q,X,1", "P,X,2", "R,Z,3"]),
        ("Event,Team,Snorkeller,Rank", ["X,P,1", "X,Q,2", "Z,R,3", "X,Q,1", "X,P,2", "Z,R,3"]),
    ],
)
def test_words_of_a_sport(headings, rows):
    """Players are told by a word, or by cells: nobody stands twice in a contest."""
    text = "\n".join([headings, *(f"{1 + at // 3},{row}" for at, row in enumerate(rows))])
    assert places(read(text)) == TWO


def test_two_columns_of_names_are_asked():
    """Neither belongs to the other."""
    rows = ROWS.format("P,X,1", "Q,Y,2", "R,Z,3")
    with refused(BadData, "players_ambiguous", about=("Snorkeller", "Squid")):
        read("Race,Snorkeller,Squid,Rank\n" + rows)


def test_an_open_end_is_asked():
    """A number of no known meaning decides once its better end is said."""
    text = "Abend,Koch,Wertung\n" + ROWS.format("P,9", "Q,8", "R,7")
    with refused(BadData, "better_end_unknown"):
        read(text)
    assert places(read(text, points="-Wertung"))[0] == {"P": 3.0, "Q": 2.0, "R": 1.0}


def test_first_and_last_names():
    """Players of one last name are different."""
    text = "Rang,Nachname,Vorname,Zeit\n1,P,A,1:02:33\n2,P,B,1:03:33\n3,Q,A,1:04:33\n"
    assert places(read(text)) == [{"A P": 1.0, "B P": 2.0, "A Q": 3.0}]


def test_ends_of_a_game():
    """Sums of numbered ends, in some of which nothing was scored, count for their side; games of
    one round are told apart by the sheet.
    """
    text = (
        "Draw,Sheet,Team,1,2,3,Total\n1,A,P,0,2,1,3\n1,A,Q,1,0,0,1\n1,B,R,1,0,0,1\n1,B,S,0,2,2,4\n"
    )
    text += "2,A,P,0,0,2,2\n2,A,R,1,1,0,2\n2,B,Q,0,3,0,3\n2,B,S,1,0,1,2\n"
    games = read(text)
    assert games.place.tolist() == [1.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "text",
    [
        "Name,Team,Height,Age\nP,X,180,20\nQ,X,178,22\nR,Y,190,21\n",
        "Player,Hits,Errors\nP,12,3\nQ,15,1\nR,9,0\n",
        "Date,City,Rainfall\n2024-01-01,P,12\n2024-01-01,Q,15\n2024-01-02,P,9\n2024-01-02,Q,8\n",
        "Race,Driver,Laps,Gap\n1,P,50,\n1,Q,50,+12.4\n2,Q,50,\n2,P,49,+1 lap\n",
        "Race,First,Last\n1,Ann,Bob\n2,Cy,Di\n3,Ann,Cy\n",
    ],
)
def test_lists_are_no_contests(text):
    """A number beside a name decides nothing by itself."""
    with refused(BadData, "no_players_found"):
        read(text)
