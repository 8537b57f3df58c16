"""Crosstables, pools of fencing, and series of races."""

from __future__ import annotations

import io
import re

import pytest

from prowess.games import BadData, Games, read_games
from tests.refusals import refused


def read(text: str) -> Games:
    """The games of a CSV."""
    return read_games(io.StringIO(text), format="csv", warn=False)


def scores(table: Games) -> dict[tuple[str, str], float]:
    """The score of the first player of each pair."""
    names = table.players
    return {
        (names[a], names[b]): score
        for a, b, score in zip(table.a, table.b, table.score.tolist(), strict=True)
    }


POOL = "Nr,Name,1,2,3\n1,Ada,,V5,D3\n2,Ben,D2,,V5\n3,Cem,V5,D4,\n"


def test_pool_of_fencing():
    """V5 and D3 are victory and defeat with touches, which are the points of both."""
    table = read(POOL)
    assert scores(table) == {("Ada", "Ben"): 1.0, ("Ada", "Cem"): 0.0, ("Ben", "Cem"): 1.0}
    assert table.points_a.tolist() == [5.0, 3.0, 5.0]
    assert table.points_b.tolist() == [2.0, 5.0, 4.0]
    level = read(POOL.replace("V5,D3", "V4,D3").replace("D2", "D4"))  # by priority
    assert scores(level)["Ada", "Ben"] == 1.0
    with refused(BadData, "results_contradict"):
        read(POOL.replace("D2", "V2"))


def test_titles_above_numbers():
    """Headings 1, 2, 3, ... are found below a title, also where the column of names has none."""
    title = "Poule 2,,,,\n,,1,2,3\nAda,1,,V5,D3\nBen,2,D2,,V5\nCem,3,V5,D4,\n"
    assert scores(read(title)) == scores(read(POOL))


def test_half_a_crosstable():
    """The last player of the upper half has a row of their name alone."""
    table = read(",Ann,Ben,Cleo\nAnn,,1-0,2-0\nBen,,,2-2\nCleo,,,\n")
    assert scores(table) == {("Ann", "Ben"): 1.0, ("Ann", "Cleo"): 1.0, ("Ben", "Cleo"): 0.5}


def test_sums_beside_a_crosstable():
    """A column of games won and lost is no further player."""
    text = "Gruppe,Ann,Ben,Cleo,{}\nAnn,-,3:1,3:0,2:0\nBen,1:3,-,2:3,0:2\nCleo,0:3,3:2,-,1:1\n"
    assert len(read(text.format("Spiele"))) == 3
    with refused(BadData, "crosstable_not_square"):
        read(text.format("Dan"))


SERIES = """Rank,Boat,HelmName,R1,R2,R3,Total
1st,Skua,Ann,1.0,2.0,(3.0),6
2nd,Puffin,Ben,2.0,1.0,1.0,4
3rd,Osprey,Cat,3.0,(4.0 DNF),2.0,9
"""


def test_series_of_races():
    """Races stand in columns, discards in brackets, codes behind points; ranks are no players."""
    table = read(SERIES)
    names = [table.players[at] for at in table.player]
    assert [*zip(names, table.place.astype(int).tolist(), strict=True)] == [
        ("Ann", 1), ("Ben", 2), ("Cat", 3), ("Ann", 2), ("Ben", 1), ("Cat", 3),
        ("Ann", 3), ("Ben", 1), ("Cat", 2),
    ]  # fmt: skip
    with pytest.raises(BadData):
        read(SERIES.replace("DNF", "RDG"))  # a place that a jury gave


def test_a_bye_in_a_chart_of_colours():
    """Where all games have a colour, -1 is a bye and no loss against number 1."""
    rows = ["1;P;4w1;3b½", "2;Q;5b½;4w1", "3;R;-1;1w½", "4;S;1b0;2b0", "5;T;2w½;-1"]
    text = "\n".join(["Rk;Name;1.Rd;2.Rd", *rows])
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert sorted(games.score.tolist()) == [0.5, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("cell", ["?W4", "+W2F", "late"])
@pytest.mark.parametrize("marks", ["", "+=-"])
def test_a_cell_of_a_wall_chart_that_is_no_game(cell, marks):
    """It is one error that names the cell; the other games of the round are not left out."""
    text = "No,Name,R1,R2,R3\n1,A,+W2,=B3,+W4\n2,B,-B1,+W4,=B3\n3,C,+W4,=W1,=W2\n4,D,-B3,-B2,-B1\n"
    if not marks:
        text = re.sub(r"([+=-])[WB]", lambda each: "WDL"["+=-".index(each[1])], text)
    assert len(read(text)) == 6
    wrong = re.sub(r"\+?W4(?=\n2)", lambda _: cell, text)
    with refused(BadData, "not_a_result_in_cell", line=2, column="R3", about=cell):
        read(wrong)


def test_a_column_of_changes_beside_rounds_is_none():
    """+12 in most cells of another column names no player who names this one."""
    text = "No,Name,R1,R2,+/-\n1,A,W2,D3,+2\n2,B,L1,W4,-3\n3,C,W4,D1,+1\n4,D,L3,L2,0.5\n"
    assert len(read(text)) == 4


def test_forfeits_are_no_games():
    """A + or 1f in a crosstable is a win without a game: its pair has no result."""
    table = read("Name,Ann,Ben,Cleo\nAnn,,+,1\nBen,0,,½\nCleo,0,½,\n")
    assert scores(table) == {("Ann", "Cleo"): 1.0, ("Ben", "Cleo"): 0.5}
    assert len(read("Name,1,2,3\nAnn,,1,0\nBen,0,,1f\nCleo,1,0f,\n")) == 2


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("Name,Ann,Ben,Cleo\nAnn,,late,1\nBen,0,,½\nCleo,0,½,\n", "not_a_result_in_cell", "Ben"),
        (
            "Away/Home,Ann,Ben,Cleo\nAnn,,2:1,1:0\nBen,0:0,,3:3\nCleo,2:2,1:4,\n",
            "home_in_columns",
            "",
        ),
        (
            "Nr,Name,R1,R2\n1,Ann,2w1,3b½\n2,Ben,1b1,9w1\n3,Cleo,,1w½\n",
            "not_a_result_in_cell",
            "R2",
        ),
        ("Nr,Name,R1,R2\n1,Ann,2w1,3b½\n2,Ben,1b1,\n3,Cleo,,1w½\n", "results_contradict", "R1"),
        ("vote\nAnn > Ben\nBen > = Cleo\nCleo > Ann\n", "ballot_incomplete", "vote"),
    ],
)
def test_a_wide_table_is_refused_by_its_cell(text, code, column):
    """What is no result, names no player, contradicts another cell or lacks a name is shown; a cell
    that names no player goes before those that contradict one another.
    """
    with pytest.raises(BadData) as found:
        read(text)
    assert (found.value.code, found.value.column or "") == (code, column)
