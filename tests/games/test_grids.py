"""Tables with more around them than headings and rows."""

from __future__ import annotations

import io

import pytest

from prowess.games import Games, read_games
from prowess.games.errors import BadData
from prowess.games.formats.grids import Grid, grid_table
from tests.refusals import refused


def read_text(text: str, **options) -> Games:
    """The games of a text."""
    return read_games(io.BytesIO(text.encode()), format="csv", warn=False, **options)


def games_of(table: Games) -> list[tuple[str, str, float]]:
    """First player, second player and score of each game."""
    names = table.players
    return [
        (names[a], names[b], score)
        for a, b, score in zip(table.a, table.b, table.score.tolist(), strict=True)
    ]


BODY = "Ann;Ben;2;1\nCem;Ann;0;0\nBen;Cem;0;3\n"
TRUE = [("Ann", "Ben", 1.0), ("Cem", "Ann", 0.5), ("Ben", "Cem", 0.0)]
HEADS = "home;away;home_score;away_score\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADS + BODY, ""),
        ("Club ladder 2024, all games\n\n" + HEADS + BODY, "above the headings"),
        ("Club ladder;;;\nas of;12.3.2024;;\n" + HEADS + BODY, "above the headings"),
        ("sep=;\n" + HEADS + BODY, ""),
        (HEADS + "(name);(name);(goals);(goals)\n" + BODY, ""),
        (HEADS + BODY + "\nStand: 12.3.2024\n", "below the table"),
        (HEADS + BODY + "Total;;2;4\n", "below the table"),
        (HEADS + BODY + ";;;\n* after extra time;;;\n", "below the table"),
        (HEADS + BODY.replace("Cem;Ann", HEADS + "Cem;Ann"), "headings that are repeated"),
        (HEADS + BODY.replace("Cem;Ann", ";;;\n\nCem;Ann"), ""),
        (HEADS + BODY.replace("Cem;Ann", "Bye: Dan;;;\nCem;Ann"), "rows of one cell"),
        (";home;;away;home_score;away_score\n1;Ann;;Ben;2;1\n2;Cem;;Ann;0;0\n3;Ben;;Cem;0;3\n", ""),
        ("home;;away;\nTeam;Goals;Team;Goals\nAnn;2;Ben;1\nCem;0;Ann;0\nBen;0;Cem;3\n", ""),
        ("home;goals;away;goals\nAnn;2;Ben;1\nCem;0;Ann;0\nBen;0;Cem;3\n", '"goals" are read as'),
    ],
)  # fmt: skip
def test_what_stands_around_a_table(text, said):
    """Titles, units, notes, totals, repeated headings, blank rows and columns change no game, and
    what is left out is said.
    """
    options = {}
    if "Team;Goals" in text:
        options = {"player_a": "home Team", "player_b": "away Team", "score_a": "home Goals",
                   "score_b": "away Goals"}  # fmt: skip
    if "home;goals" in text:
        options = {"score_a": "home goals", "score_b": "away goals"}
    table = read_text(text, **options)
    assert games_of(table) == TRUE
    assert said in " ".join(table.notes)


def test_rounds_between_the_rows():
    """A round and a day that stand alone above their games become columns."""
    text = (
        "1. Spieltag, 5.1.2024\nhome;away;result\nAnn;Ben;1-0\nCem;Dan;1-0\n"
        "2. Spieltag, 14.1.2024\nhome;away;result\nBen;Cem;0-1\n"
    )
    table = read_text(text, date_format="%d.%m.%Y", round="round")
    assert games_of(table) == [("Ann", "Ben", 1.0), ("Cem", "Dan", 1.0), ("Ben", "Cem", 0.0)]
    assert table.time is not None
    assert table.time.tolist() == [19727.0, 19727.0, 19736.0]  # days since 1970, by `date -d`


def test_faults_stand_where_they_stand_in_the_file():
    """A fault is told by the line of the file, however many stand above the headings."""
    with refused(BadData, "unknown_outcome", line=7, column="result"):
        read_text("A title\n\nhome;away;result\nAnn;Ben;1-0\n\n\nAnn;Ben;won?\n")


def test_no_headings():
    """Columns of a table without headings have numbers, by which they can be named."""
    table = read_text(
        "Ann;Ben;1-0\nBen;Cem;0-1\n", player_a="column 1", player_b="column 2", result="column 3"
    )
    assert games_of(table) == [("Ann", "Ben", 1.0), ("Ben", "Cem", 0.0)]
    assert "no row of headings" in table.notes[0]


def test_a_short_row_is_no_note():
    """A row that lacks a value is refused, also at the end, where a file may be cut off."""
    with refused(BadData, "ragged_row"):
        read_text("home;away;result\nAnn;Ben;1-0\nAn")


def test_merged_headings_of_a_sheet():
    """Two rows of headings are one, also where a label above has no heading below it."""
    rows = [
        ["Datum", "Heim", None, "Gast", None, "Halle"],
        [None, "Name", "Tore", "Name", "Tore", None],
        ["2024-01-05", "Ann", 2, "Ben", 1, "A"],
        ["2024-01-06", "Ben", 2, "Ann", 2, "A"],
    ]
    table = grid_table(Grid("club.xlsx", rows, [3, 4, 5, 6], unit="row"))
    assert table.names == ["Datum", "Heim Name", "Heim Tore", "Gast Name", "Gast Tore", "Halle"]
    (chunk,) = table.chunks(table.names)
    assert [chunk.columns[name].cell(1) for name in table.names] == [
        "2024-01-06", "Ben", 2, "Ann", 2, "A",
    ]  # fmt: skip
    assert chunk.line(1) == 6


def test_two_lines_of_headings_of_which_the_lower_are_numbered():
    """A label above reaches over `Sp. 1` and `Sp. 2`; a row of cells is no line of headings."""
    heads = [
        ["Datum", "Spieler 1", "Spieler 2", "Sätze", None],
        [None, None, None, "Sp. 1", "Sp. 2"],
    ]
    rows = [["2024-01-05", "Ann", "Ben", 2, 1], ["2024-01-06", "Ben", "Ann", 2, 0]]
    table = grid_table(Grid("club.xlsx", [*heads, *rows], [1, 2, 3, 4], unit="row"))
    assert table.names == ["Datum", "Spieler 1", "Spieler 2", "Sätze Sp. 1", "Sätze Sp. 2"]
    rows = [[None, "Max 1", "Max 2", "ok", "late"], ["Mon", "Max 2", "Max 1", "ok", "late"]]
    table = grid_table(Grid("club.xlsx", [heads[0], *rows], [1, 2, 3], unit="row"))
    (chunk,) = table.chunks(table.names)
    assert chunk.count == 2


HALF = ",Ann,Ben,Cem,Dan\nAnn,,1-0,2-0,0-1\nBen,,,2-2,3-0\nCem,,,,0-0\nDan,,,,\n"
ALIGNED = """Club 2024

    Player   1  2  3  Total
 1. Finn     *  1  =  1.5
 2. Emma     0  *  1  1.0
 3. Ben      =  0  *  0.5
"""
NUMBERED = "Nr;Teilnehmer;1;2;3;Pkt\n1;Ann;**;11;½0;2,5\n2;Ben;00;**;½1;1,5\n3;Cem;½1;½0;**;2\n"
SETS = """Gruppe 1;Ann;Ben;Cem;Spiele;Platz
Ann;---;3:1;2:3;1:1;2
Ben;1:3;---;3:0;1:1;1
Cem;3:2;0:3;---;1:1;3
"""


@pytest.mark.parametrize(("text", "games"), [(HALF, 6), (ALIGNED, 3), (NUMBERED, 6), (SETS, 3)])
def test_crosstables_as_people_keep_them(text, games):
    """Half of it empty, players by number, two games in a cell, a sum of games behind it."""
    assert len(read_text(text)) == games


def test_a_player_without_a_row_is_no_sum():
    """A player without a row is no sum."""
    with refused(BadData, "crosstable_not_square"):
        read_text(SETS.replace("Spiele", "Dan"))


def test_lines_that_name_a_round_give_the_rows_below_them_that_round(tmp_path):
    """`Ronda 2` and `Final` stand above blocks with headings of their own."""
    path = tmp_path / "ajedrez.csv"
    block = "Blancas,Resultado,Negras\nAlba,1 - 0,{}\n"
    rounds = {"Ronda 1": "Bruno", "Ronda 2": "Celia", "Final": "Bruno"}
    path.write_text("\n".join(f"{name}\n{block.format(who)}" for name, who in rounds.items()))
    games = read_games(path, warn=False)
    assert games.round is not None
    assert games.round.tolist() == [0, 1, 2]


def test_questions_of_a_survey_site():
    """The questions and their ids, which a survey site writes below the headings, are no rows."""
    text = (
        'left_model,right_model,Q1\nleft_model,right_model,Which is better?\n"{""ImportId"":'
        '""a""}","{""ImportId"":""b""}","{""ImportId"":""c""}"\nm1,m2,Left\nm2,m1,Equal\nm2,m1,Right\n'
    )
    for first in ("", "Survey 7,,\n"):  # a title above makes a grid of it
        games = read_games(io.StringIO(first + text), format="csv", warn=False)
        assert games.score.tolist() == [1.0, 0.5, 0.0]
        assert any("describe the questions" in note for note in games.notes)


def test_a_last_row_that_counts_is_no_heading():
    """A row 1, 2, 3 at the end of a table of ranks is no row of headings: others count so, too."""
    text = "Ranks,,,\nprompt,alpha-7b,beta-13b,delta-mini\np1,1,2,3\np2,3,1,2\np3,1,2,3\n"
    games = read_games(io.StringIO(text), format="csv", warn=False)
    assert games.place.tolist() == [1.0, 2.0, 3.0, 3.0, 1.0, 2.0, 1.0, 2.0, 3.0]


def test_matches_of_teams_above_their_boards():
    """A row that is the sum of the boards below it is no game; another result is one."""
    boards = "1;Ann;Ben;1:0\n2;Cem;Dan;½:½\n"
    text = f"Br.;North;South;1½:½\n{boards}Br.;South;North;0:2\n1;Ben;Ann;0:1\n2;Dan;Cem;-:+\n"
    true = [("Ann", "Ben", 1.0), ("Cem", "Dan", 0.5), ("Ben", "Ann", 0.0)]
    assert games_of(read_text(text)) == true
    other = games_of(read_text(text.replace("0:2", "3:2")))
    assert ("South", "North", 1.0) in other
