"""Several tables on one sheet, beside and below one another, and totals below a table."""

from __future__ import annotations

import io

import pytest

from prowess.games import BadData, read_games
from tests.refusals import refused

GAMES = "Date,Home,Away,H,A\n2024-01-13,P,Q,2,1\n2024-01-14,R,S,0,2\n2024-01-15,P,R,2,0\n"
FINALS = "Date,Home,Away,H,A,Venue\n2024-01-20,Q,S,1,2,X\n2024-01-21,P,S,1,2,Y\n"
STANDINGS = "Team,P,W,D,L,GF,GA,Pts\nP,2,2,0,0,4,1,6\nS,1,1,0,0,2,0,3\nQ,1,0,0,1,1,2,0\n"
SCORERS = "Scorer,Team,Goals\nZ,P,4\nK,S,2\nL,Q,1\n"


def read(text):
    """The games of a text with tables."""
    return read_games(io.StringIO(text), format="csv", warn=False)


@pytest.mark.parametrize(
    "text",
    [
        GAMES + "\nTable\n" + STANDINGS,
        "Standings\n" + STANDINGS + "\nResults\n" + GAMES,
        STANDINGS + "\n" + GAMES + "\n" + SCORERS,
        "Games\n" + GAMES + "Table\n" + STANDINGS,
    ],
)
def test_the_table_with_games_is_read(text):
    """Of tables below one another only one holds games."""
    games = read(text)
    assert games.score.tolist() == [1.0, 0.0, 1.0]
    assert any("other tables left out" in note for note in games.notes)


def test_tables_of_games_below_one_another():
    """Those of the same columns are one, also with one more column; others are refused."""
    games = read("Group\n" + GAMES + "\nFinals\n" + FINALS)
    assert games.score.tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert read("Group\n" + GAMES + "Finals\n" + GAMES).score.tolist() == [
        1.0,
        1.0,
        0.0,
        0.0,
        1.0,
        1.0,
    ]
    with refused(BadData, "several_tables"):
        read(GAMES + "\n" + FINALS.replace("Date", "Round").replace("2024-01-2", "R"))


def test_tables_beside_one_another():
    """Rounds, days or groups stand above tables of the same headings."""
    text = "Round 1,,,{0}Round 2,,\nWhite,Black,Result,{0}White,Black,Result\n"
    rows = "P,Q,1-0,{0}Q,R,0-1\nR,S,0-1,{0}S,P,½-½\n"
    for gap in ("", ","):
        games = read((text + rows).format(gap))
        assert games.score.tolist() == [1.0, 0.0, 0.0, 0.5]
    races = "Race 1,,Race 2,\nPos,Driver,Pos,Driver\n1,P,1,Q\n2,Q,2,R\n3,R,DNF,P\n"
    assert read(races).place.tolist() == [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]


def test_both_players_under_one_heading():
    """Names and scores of both sides beside one another are one table."""
    text = "Name,Score,Name,Score\nP,1,Q,0\nR,0,S,1\nP,1,S,0\nQ,0,R,1\n"
    assert read(text).score.tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "end", [",,Goals,4,3", ",Total goals,,4,3", ",,,4,3", ",,Average,1.3,1", "Summe,,,4,3"]
)
def test_totals_below_a_table(end):
    """A word for sums in a row of one text, or the sums themselves, make no game."""
    assert read(f"{GAMES}{end}\n").score.tolist() == [1.0, 0.0, 1.0]
    with refused(BadData, "name_missing"):
        read(f"{GAMES},Q,,4,2\n")


def test_counts_below_a_table():
    """A row that counts wins, without a date where all others have one, is no contest."""
    rows = "2024-01-05,Catan,1,3,2,X\n2024-01-19,Azul,2,1,3,X\n2024-01-26,Heat,2,1,3,Y\n"
    games = read(f"Datum,Spiel,Anna,Ben,Cleo,Ort\n{rows},Siege,1,2,0,\n")
    assert games.place.tolist() == [1.0, 3.0, 2.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0]


def test_scores_in_three_cells():
    """One heading reaches over the points of both sides and the colon between them."""
    text = "Team 1,Team 2,Ergebnis,,,Ort\nP,Q,3,:,1,X\nR,S,2,:,2,X\nP,R,,:,,X\n"
    games = read(text)
    assert games.points_a.tolist() == [3.0, 2.0]
