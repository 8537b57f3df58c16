"""Which column plays which role."""

from __future__ import annotations

import io
from itertools import product

import numpy as np
import pytest

from prowess.games import BadData, read_games
from prowess.games.formats.reader_options import declare_options
from prowess.games.formats.records import column_table
from prowess.games.layout import Options
from prowess.games.roles.pairs import KNOWN_FAMILIES
from prowess.games.roles.roles import NAMED_ROLES, PLAIN_TOLD, find_layout, find_plain_layout
from prowess.games.shapes.operators import derive_role, find_roles
from tests.games.refusing import place_first


def read(text: str, **options):
    """A table written here."""
    return read_games(io.StringIO(text), format="csv", **options)


@pytest.mark.parametrize(
    "heading",
    [
        "white,black,result", "White,Black,Result", "white_player,black-player,Outcome",
        "home_team,away_team,result", "Home,Away,result", "player_a,player_b,score",
        "Player 1,Player 2,score", "player_a,player_b,score_a", "a,b,score", "bot_a,bot_b,result",
        "team1,team2,result", "left,right,winner", "model_a,model_b,winner", "p1,p2,winner",
    ],
)  # fmt: skip
def test_pairs_are_guessed(heading):
    """Two players and a result are found under the usual headings."""
    text = f"{heading}\nAnn,Bob,{'Bob' if 'winner' in heading else '0'}\n"
    games = read(text)
    assert games.duels
    assert games.players == ["Ann", "Bob"]
    assert games.score.tolist() == [0.0]
    assert games.a.tolist() == [0]
    assert games.b.tolist() == [1]


@pytest.mark.parametrize(
    "heading",
    [
        "home_team,away_team,home_score,away_score", "home,away,home_goals,away_goals",
        "HomeTeam,AwayTeam,FTHG,FTAG", "player_a,player_b,score_a,score_b",
        "player1,player2,score1,score2", "player1,player2,player1_score,player2_score",
        "bot_a,bot_b,points_a,points_b", "white,black,white_score,black_score",
        "left,right,score_left,score_right", "a,b,goals_a,goals_b", "team1,team2,score_1,score_2",
    ],
)  # fmt: skip
def test_points_of_both_sides_are_guessed(heading):
    """The points of both sides decide by comparison; they and their difference are kept."""
    games = read(f"{heading}\nAnn,Bob,3,1\nBob,Ann,2,2\nAnn,Bob,0,4\n")
    assert games.score.tolist() == [1.0, 0.5, 0.0]
    assert games.margin.tolist() == [2.0, 0.0, -4.0]
    assert games.points_a.tolist() == [3.0, 2.0, 0.0]
    assert games.points_b.tolist() == [1.0, 2.0, 4.0]


def test_winner_and_loser():
    """A table of winners and losers is a table of games that the first side won."""
    games = read("date,winner,loser,winner_score,loser_score\n2020-01-01,Ann,Bob,6,3\n")
    assert games.score.tolist() == [1.0]
    assert games.margin.tolist() == [3.0]
    assert games.side is None


def test_a_result_goes_before_points():
    """Where a table has both, its result decides, and points are facts beside it."""
    games = read("home,away,winner,home_score,away_score\nA,B,B,1,1\n")
    assert games.score.tolist() == [0.0]
    assert games.points_a.tolist() == [1.0]


@pytest.mark.parametrize(
    ("heading", "side"),
    [
        ("white,black,result", [1.0]), ("home,away,result", [1.0]),
        ("player_a,player_b,result", None), ("model_a,model_b,result", None),
        ("left,right,result", None),
    ],
)  # fmt: skip
def test_who_has_the_advantage(heading, side):
    """White and home have the side advantage, other first players none."""
    games = read(f"{heading}\nA,B,1\n")
    assert (games.side if side is None else games.side.tolist()) == side


def test_neutral_ground():
    """At home unless the table says that the ground was neutral."""
    games = read("home,away,result,neutral\nA,B,1,FALSE\nA,B,1,true\nA,B,1,1\nA,B,1,no\n")
    assert games.side.tolist() == [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("side", "expected"),
    [("a", [1.0, 1.0, 1.0]), ("none", None), ("white", [-1.0, 1.0, 0.0])],
)
def test_the_side_is_said(side, expected):
    """`side` says who has the advantage: the first player, nobody, or whom a column names."""
    games = read("player_a,player_b,score,White\nA,B,1,b\nA,B,1,A\nB,A,1,none\n", side=side)
    assert (games.side if expected is None else games.side.tolist()) == expected


def test_white_without_the_advantage():
    """`side="none"` takes the advantage from White."""
    assert read("white,black,result\nA,B,1-0\n", side="none").side is None


def test_facts_beside_the_result():
    """Date, round, weight, margin and length are found by their headings."""
    games = read(
        "player_a,player_b,score,date,round,weight,margin,rounds\n"
        "A,B,1,2020-01-02,R1,2,3.5,10\nC,A,0,2020-01-03,R2,1,-1,20\nB,C,0.5,2020-01-04,R1,1,0,5\n"
    )
    assert games.time.tolist() == [18263.0, 18264.0, 18265.0]  # 50 years and 12 leap days
    assert games.round.tolist() == [0, 1, 0]
    assert games.weight.tolist() == [2.0, 1.0, 1.0]
    assert games.margin.tolist() == [3.5, -1.0, 0.0]
    assert games.length.tolist() == [10.0, 20.0, 5.0]


def test_columns_are_as_promised():
    """Every column has its type, is contiguous and as long as the table."""
    games = read(
        "home,away,result,date,round,neutral\nA,B,1,2020-01-02,1,no\nB,A,0,2020-01-01,2,no\n"
    )
    types = {"a": np.uint32, "b": np.uint32, "round": np.int32}
    for name, column in games.columns.items():
        assert column.dtype == types.get(name, np.float64)
        assert column.flags.c_contiguous
        assert len(column) == 2


def test_columns_are_named():
    """A keyword names a column, without regard to case and separators."""
    games = read(
        "x,y,z,when,Stage One,p,q\nA,B,1-0,2020-01-01,1,3,4\n",
        player_a="X", player_b="y", result="z", time="WHEN", round=["stage_one", "x"],
        margin="none", length="q", weight="p",
    )  # fmt: skip
    assert games.score.tolist() == [1.0]
    assert games.time.tolist() == [18262.0]
    assert games.round.tolist() == [0]
    assert games.weight.tolist() == [3.0]
    assert games.length.tolist() == [4.0]
    assert games.margin is None


def test_rounds_of_several_columns():
    """A round named by several columns is another one where any of them differs."""
    games = read(
        "a,b,score,season,round\nA,B,1,2019,1\nA,B,1,2020,1\nA,B,1,2019,1\nA,B,1,2019,2\n",
        round=["season", "round"],
    )
    assert games.round.tolist() == [0, 1, 0, 2]


def test_a_column_is_declined():
    """The word none, or False, keeps a column from being read."""
    text = "a,b,score,date\nA,B,1,sometime\n"
    assert read(text, time="none").time is None
    assert read(text, time=False).time is None


def test_share_of_the_points():
    """`score="share"` divides the points of the first side by those of both; nothing to nothing
    is a half.
    """
    games = read("bot_a,bot_b,score_a,score_b\nA,B,3,1\nA,B,0,0\nA,B,0,7\n", score="share")
    assert games.score.tolist() == [0.75, 0.5, 0.0]
    assert games.margin.tolist() == [2.0, 0.0, -7.0]


def test_one_score_although_there_are_two():
    """A score of the first side alone is read as a score, not as points."""
    games = read("a,b,score_a\nA,B,0.25\n")
    assert games.score.tolist() == [0.25]
    assert games.points_a is None


def test_rows_are_kept_and_dropped_by_value():
    """`where` keeps and `exclude` drops rows by the text of a column, before they are judged."""
    text = (
        "home,away,home_score,away_score,cup\n"
        "A,B,1,0,Friendly\nC,B,NA,NA,Planned\nB,A,0,0,World Cup\nA,D,1,0,Friendly\n"
    )
    assert read(text, where={"cup": "Friendly"}).players == ["A", "B", "D"]
    assert len(read(text, where={"cup": ["Friendly", "World Cup"]})) == 3
    games = read(text, exclude={"Cup": ["Planned", "Friendly"]})
    assert games.players == ["B", "A"]
    assert len(games) == 1


def test_players_are_numbered_as_the_file_names_them():
    """Ids follow the order of the file, a before b, although games are put in order of time."""
    games = read("a,b,score,date\nZoe,Yan,1,2020-01-02\nXia,Zoe,0,2020-01-01\n")
    assert games.players == ["Zoe", "Yan", "Xia"]
    assert games.a.tolist() == [2, 0]
    assert games.time.tolist() == [18262.0, 18263.0]


def test_equal_times_keep_their_order():
    """Games of one day stay as the file has them."""
    days = ["2020-01-02", "2020-01-01"] * 50
    text = "a,b,score,date\n" + "".join(f"P{n},Q,1,{when}\n" for n, when in enumerate(days))
    games = read(text)
    names = [games.players[player] for player in games.a]
    assert names == [f"P{n}" for n in range(1, 100, 2)] + [f"P{n}" for n in range(0, 100, 2)]


def test_without_dates_rows_stay():
    """A table without dates is in the order of its rows."""
    assert read("a,b,score\nA,B,1\nC,D,0\n").time is None


def test_kinds_are_told_apart():
    """Players and places make contests, two sides make games, and the caller may say."""
    both = "event,player,place,home,away,result\nE,A,1,A,B,1\nE,B,2,C,D,0\n"
    assert read(both).pairwise
    assert not read(both, kind="contests").pairwise
    assert not read(both, contest="event").pairwise
    assert read(both, kind="games").pairwise


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "date,x,y\n2020-01-01,A,B\n", {},
            ("the stream, line 1: there are no columns that look like two players and a result, "
            "or like contests of many players; columns found: date, x, y; name them with player_a= "
            "and player_b= (--player-a, --player-b), or player=, place= and contest= for contests"),
        ),
        (
            "white,black,elo\nA,B,1\n", {},
            ("the stream, line 1: there is no column that looks like a result; columns found: "
            "white, black, elo; name it with result=, winner=, or score_a= and score_b= "
            "(--result, --winner, --score-a, --score-b)"),
        ),
        (
            "a,b,score\nA,B,1\n", {"result": "scores"},
            ('the stream, line 1: result= names column "scores", which is not there; '
            'columns found: a, b, score; did you mean "score"?'),
        ),
        (
            "a,b,score\nA,B,1\n", {"player_a": "a"},
            ("the stream, line 1: one of the two players is not named; columns found: a, b, score; "
            "name player_b= as well"),
        ),
        (
            "team1,team2,player1,player2,result\nA,B,C,D,1\n", {},
            ("the stream, line 1: the two players may be player1, player2 or team1, team2; columns "
            "found: team1, team2, player1, player2, result; name them with player_a= and player_b= "
            "(--player-a, --player-b)"),
        ),
        (
            "a,b,score\nA,B,1\n", {"where": {"cup": "x"}},
            ('the stream, line 1: where= names column "cup", which is not there; '
            "columns found: a, b, score; name another with where="),
        ),
        (
            "a,b,score,neutral\nA,B,1,no\n", {"neutral": "neutral"},
            ("the stream, line 1: a column of neutral ground says nothing where no side is at "
            'home; columns found: a, b, score, neutral; say who is with '
             'side="a" or side=COLUMN (--sides)'),
        ),
        (
            "event,player,x\nE,A,1\n", {"kind": "contests"},
            ("the stream, line 1: there is no column that looks like places or points; columns "
            "found: event, player, x; name them with player=, place= or points=, and contest= "
            "(--player, --place, --points, --contest)"),
        ),
        (
            "a,b,score\nA,B,1\n", {"score": "share"},
            ("the stream, line 1: a share needs the points of both sides; columns found: a, b, "
            "score; name them with score_a= and score_b="),
        ),
        (
            "a,b,score\nA,B,1\n", {"kind": "votes"},
            'kind is "votes"; give kind as games or contests',
        ),
        (
            "a,b,score\nA,B,1\n", {"format": "xls"},
            (
                'format is "xls"; give format as csv, tsv, jsonl, json, html, trf, cutechess, '
                "football, logfmt, markdown, pgn, parquet, sheet, arrow, sqlite, duckdb, zip or "
                "ballots"
            ),
        ),
        (
            "a,b,score\nA,B,1\n", {"score": "half"},
            'score is "half"; give score as share',
        ),
        ("a,b,score\nA,B,1\n", {"result": 3}, "result= names a column, and 3 is no name"),
    ],
)  # fmt: skip
def test_what_cannot_be_found_is_said(text, options, message):
    """A role that cannot be filled is an error with the columns found and how to name one."""
    with pytest.raises(BadData) as error:
        read_games(io.StringIO(text), **{"format": "csv", **options})
    assert place_first(error.value) == message


@pytest.mark.parametrize("names", [("a", "b"), ("white", "black"), ("A", "B")])
def test_a_is_the_first_side(names):
    """`a` means that the first side has the advantage, also where a column is called so."""
    table = {names[0]: ["Ann", "Ben"], names[1]: ["Ben", "Ann"], "result": [1, 0]}
    assert read_games(table, side="a").side.tolist() == [1.0, 1.0]
    assert read_games({**table, "a": ["x", "y"]} | table, side="a").side.tolist() == [1.0, 1.0]


def test_a_column_of_sides_called_a_needs_another_name():
    """The word is the first side's; the same column under another name says who has it."""
    table = {"white": ["Ann", "Ben"], "black": ["Ben", "Ann"], "result": [1, 0]}
    assert read_games({**table, "a": ["white", "black"]}, side="a").side.tolist() == [1.0, 1.0]
    renamed = read_games({**table, "side": ["white", "black"]}, side="side")
    assert renamed.side.tolist() == [1.0, -1.0]


def test_a_shape_gives_roles_that_are_keywords_of_the_reader():
    """A role of another name would be read by nobody, and the games by something else."""
    declared = {name for name, one in declare_options().items() if one.said.role}
    assert declared == NAMED_ROLES
    columns = {"names": ["Ann-Bob"], "points": ["3-1"]}
    shaped = derive_role(column_table(columns), "points_a", "first", ["points"], str)
    with pytest.raises(ValueError, match="points_a"):
        find_roles(shaped, Options())


@pytest.mark.parametrize("sides", sorted(KNOWN_FAMILIES))
def test_a_plain_table_is_laid_out_as_any_other(sides):
    """A plain table has the layout that all rules of headings and cells give to it."""
    results = sorted(told for told in PLAIN_TOLD.values() if bool(told) is not ("winner" in sides))
    for told, order in product(results[::3], (1, -1)):
        one = ["2-1", "0:3", "1-1"] if len(told) == 1 and order == 1 else [1, 0, 0.5]
        cells = [["Ann", "Bo C.", "Dee"], ["Bo C.", "Dee", "Ann"], one, [0, 1, 0.5]]
        columns = dict(zip((*sides, *told), cells, strict=False))
        columns["date"] = ["2024-01-05", "2024-1-6", "2025-02-01"]
        table = column_table(dict([*columns.items()][::order]))
        plain = find_plain_layout(find_roles(table, Options()))
        assert plain == find_layout(find_roles(table, Options(kind="games"))), (told, order)


@pytest.mark.parametrize(
    ("name", "score", "date"),
    [("Ann (1500)", "1", "2024-01-05"), ("Ann", "1-0*", "2024-01-05"), ("Ann", "1", "05.01."),
     (["Ann"], "1", "2024-01-05"), ("Ann 1850", "1", "2024-01-05"), ("Ann", "", "2024-01-05")],
)  # fmt: skip
def test_a_mark_at_a_cell_is_looked_at(name, score, date):
    """Names with ratings, scorelines, days without a year: such a table is not plain."""
    table = column_table({"white": [name], "black": ["Ben"], "result": [score], "date": [date]})
    assert find_plain_layout(find_roles(table, Options())) is None
