"""Sides of several players in one row: columns of members, and names joined in a text."""

from __future__ import annotations

import io
import json

import numpy as np
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
def test_columns_of_members(compiled):
    """Uneven sides, and every column that games of two players have."""
    games = read(
        "date,a1,a2,b1,b2,score_a,score_b,weight,round\n"
        "2020-01-02,Ann,Bob,Cid,,2,1,1,x\n2020-01-01,Bob,,Ann,Cid,0,0,3,y\n",
        time="date", compiled=compiled,
    )  # fmt: skip
    assert sides_of(games) == [[["Bob"], ["Ann", "Cid"]], [["Ann", "Bob"], ["Cid"]]]
    assert games.players == ["Ann", "Bob", "Cid"]
    assert games.score.tolist() == [0.5, 1.0]
    assert games.margin.tolist() == [0, 1]
    assert games.weight.tolist() == [3, 1]
    assert games.points_a.tolist() == [0, 2]
    assert games.round.tolist() == [1, 0]
    assert games.pairwise
    assert not games.duels
    assert games.ends.tolist() == [0, 1, 3, 5, 6]
    assert games.player.dtype == np.uint32
    assert games.ends.dtype == np.int64
    assert all(column.flags.c_contiguous for column in games.columns.values())
    assert repr(games).startswith("<Games: 2 games, 6 members, 3 players, 2020-01-01")


@pytest.mark.parametrize(
    ("headings", "with_side"),
    [
        ("a1,a2,b1,b2", False), ("player_a1,player_a2,player_b1,player_b2", False),
        ("Player A 1,Player A 2,Player B 1,Player B 2", False),
        ("home1,home2,away1,away2", True), ("white_1,white_2,black_1,black_2", True),
        ("home_player_1,home_player_2,away_player_1,away_player_2", True),
        ("team1_player1,team1_player2,team2_player1,team2_player2", False),
        ("team_a_1,team_a_2,team_b_1,team_b_2", False),
        ("player1,player2,opponent1,opponent2", False), ("a1_name,a2_name,b1_name,b2_name", False),
    ],
)  # fmt: skip
def test_headings(headings, with_side):
    """The usual spellings; the reading says which columns were taken."""
    games = read(f"{headings},result\nAnn,Bob,Cid,Dan,1-0\n")
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid", "Dan"]]]
    assert (games.side is not None) is with_side
    first, second, third, fourth = headings.split(",")
    sides = [one.columns for one in games.reading.columns[:2]]
    assert sides == [(first, second), (third, fourth)]
    assert games.notes == ()


@pytest.mark.parametrize(
    "headings",
    ["winner1,winner2,loser1,loser2", "w1,w2,l1,l2", "W_1,W_2,L_1,L_2",
     "winner1_name,winner2_name,loser1_name,loser2_name"],
)  # fmt: skip
def test_winners_and_losers(headings):
    """Two sides of which one has won."""
    games = read(f"{headings}\nAnn,Bob,Cid,Dan\n")
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid", "Dan"]]]
    assert games.score.tolist() == [1.0]


def test_columns_of_two_players_come_first():
    """Where headings name two players, w1 and l1 are something else, as games won in a set."""
    games = read("Winner,Loser,W1,L1,W2,L2\nAnn,Bob,6,3,6,4\n")
    assert games.duels
    assert games.players == ["Ann", "Bob"]


def test_named_columns():
    """Columns that the caller names, of any number."""
    text = "x,y,z,won\nAnn,Bob,Cid,1\nDan,,Ann,0\n"
    games = read(text, player_a=("x", "y"), player_b="z", result="won")
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid"]], [["Dan"], ["Ann"]]]
    games = read("x,y,z\nAnn,Bob,Cid\n", winner=["x", "y"], loser="z")
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid"]]]
    contests = read(
        "race,driver,mate,place\n1,Ann,Bob,1\n1,Cid,,2\n1,Dan,,3\n", player=("driver", "mate")
    )
    assert sides_of(contests) == [[["Ann", "Bob"], ["Cid"], ["Dan"]]]
    with refused(BadData, "column_twice", about=("x", "both")):
        read(text, player_a=("x", "y"), player_b=("z", "x"), result="won")
    with refused(BadData, "column_twice", about="player_a="):
        read(text, player_a=("x", "x"), player_b="z", result="won")
    with refused(BadData, "no_such_column", about=("q", "player_a=")):
        read(text, player_a=("x", "q"), player_b="z", result="won")
    with refused(BadData, "not_one_column", about="result"):
        read(text, player_a=("x", "y"), player_b="z", result=("won", "x"))


def test_sides_of_one():
    """A table in which each side is one player is a table of duels."""
    games = read("a1,a2,b1,b2,score\nAnn,,Bob,,1\n,Cid,Ann,-,0\n")
    assert games.duels
    assert sides_of(games) == [[["Ann"], ["Bob"]], [["Cid"], ["Ann"]]]


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("Ann,Bob,Ann,,1\n", 'line 2, column "b1": "Ann" stands on both sides; correct the row'),
        ("Ann,Ann,Bob,,1\n", 'line 2, column "a1": "Ann" stands twice on one side; correct'),
        ("Bob,,Ann,Ann,1\n", 'line 2, column "b1": "Ann" stands twice on one side; correct'),
        ("Ann,Bob,Cid,,1\nAnn,,,,1\n", 'line 3, column "b1": a side has no players; correct'),
        ("Ann,,Bob,,2.5\n", 'line 2, column "score": a score of "2.5" is not between 0 and 1'),
    ],
)  # fmt: skip
def test_bad_sides(rows, said, compiled):
    """One clear error, or with skip_bad the row is left out."""
    with pytest.raises(BadData) as error:
        read("a1,a2,b1,b2,score\n" + rows, compiled=compiled)
    assert said in place_first(error.value)
    text = "a1,a2,b1,b2,score\nEve,Fay,Gus,Hal,1\n" + rows
    left = read(text, compiled=compiled, skip_bad=True)
    assert sides_of(left)[0] == [["Eve", "Fay"], ["Gus", "Hal"]]
    assert left.left_out == 1
    assert {"Ann", "Bob"} & set(left.players) == ({"Ann", "Bob"} if "Cid" in rows else set())


def test_a_thousand_members():
    """A side may be of any size."""
    side = " & ".join(f"p{k}" for k in range(1000))
    games = read(f"a,b,score\n{side},Ann,1\n", teams="members")
    assert games.ends.tolist() == [0, 1000, 1001]


@pytest.mark.parametrize(
    ("count", "behind", "said"),
    [
        (4, "", "a1, a2, a3 and a4 against b1, b2, b3 and b4"),
        (5, "", "a1 to a5 against b1 to b5"), (11, "_name", "a1_name to a11_name against b1_name"),
        (150, "", "a1 to a150 against b1 to b150"),
    ],
)  # fmt: skip
def test_many_columns_are_said_in_short(count, behind, said):
    """The reading names the first and the last of many columns."""
    columns = {f"{side}{k}{behind}": [f"{side} {k}"] for side in "ab" for k in range(1, count + 1)}
    games = read_games(columns | {"result": [1]}, warn=False)
    first, second = said.split(" against ")
    line = games.reading.lines()[1]
    assert f"{first} = player_a   {second}" in line
    assert len(line) < 150


def test_many_named_columns_are_said_in_short():
    """Columns that are not counted on are cut short, and so are shares."""
    mine, theirs = [f"x{k}{k}" for k in range(9)], [f"y{k}" for k in range(9)]
    table = {name: [name] for name in (*mine, *theirs)} | {"result": [1]}
    games = read_games(table, player_a=mine, player_b=theirs)
    columns = games.reading.lines()[1]
    assert "x00, x11, x22, x33 and 5 more = player_a   y0 to y8 = player_b" in columns
    shares = {f"{name}_share": [1] for name in mine}
    games = read_games(table | shares, player_a=mine, player_b=theirs)
    shares_read = "x00_share, x11_share, x22_share, x33_share and 5 more = shares"
    assert shares_read in games.reading.lines()[1]


@pytest.mark.parametrize("compiled", READERS)
def test_joined_names(compiled):
    """All marks between names are taken; members are players whatever stands beside them."""
    text = (
        "a,b,score\nAnn & Bob,Cid/Dan,1\nBob + Ann,Cid ; Dan,0\nAnn and Cid,Bob und Dan,0.5\n"
        "Ann,bye,1\n"
    )
    games = read(text, teams="members", compiled=compiled)
    assert sides_of(games) == [
        [["Ann", "Bob"], ["Cid", "Dan"]], [["Bob", "Ann"], ["Cid", "Dan"]],
        [["Ann", "Cid"], ["Bob", "Dan"]],
    ]  # fmt: skip
    assert games.players == ["Ann", "Bob", "Cid", "Dan"]
    assert games.left_out == 1  # the bye
    with refused(BadData, "mark_without_name", about="Ann &", line=2, column="a"):
        read("a,b,score\nAnn & ,Bob,1\n", teams="members", compiled=compiled)


def test_joined_names_without_a_word():
    """The refusal of teams names both choices, and each of them reads the table."""
    text = "a,b,score\nAnn & Bob,Cid,1\nBob & Ann,Cid,0\n"
    with pytest.raises(BadData) as error:
        read(text)
    assert 'teams="members" (--teams members)' in place_first(error.value)
    assert 'teams="names" (--teams names)' in place_first(error.value)
    assert len(read(text, teams="members").players) == 3
    assert len(read(text, teams="names").players) == 3
    assert read(text, teams="names").duels


@pytest.mark.parametrize("compiled", READERS)
def test_names_that_are_not_split(compiled):
    """A comma joins no names: "Smith, John" is one, unless that is said. Notes say what was not
    split.
    """
    text = 'a,b,score\n"Ann, Bob",Cid,1\nDan,Cid,1\n'
    games = read(text, teams="members", compiled=compiled)
    assert list(games.players) == ["Ann, Bob", "Cid", "Dan"]
    joined = 'names are joined by & / + ; or "and"'
    none = f'teams="members" (--teams members) splits no name: {joined}'
    splits = 'teams="commas" (--teams commas) splits them'
    comma = f'"Ann, Bob" holds a comma and is one player: {splits}'
    assert games.notes == (none, comma)
    games = read(text.replace("Dan", '"Dan, D. & Eve, E."'), teams="members", compiled=compiled)
    names = '3 names such as "Ann, Bob" hold a comma and are one player each'
    assert games.notes == (f"{names}: {splits}",)
    assert list(read(text, teams="commas").players) == ["Ann", "Bob", "Cid", "Dan"]
    contests = 'race,player,place\n1,"Ann, Bob",1\n1,Cid,2\n'
    assert read(contests, teams="members", compiled=compiled).notes[1:] == (none, comma)
    assert not [note for note in read(text, compiled=compiled).notes if "joined" in note]
    assert not [note for note in read(text, teams="names").notes if "joined" in note]


def test_joined_names_in_contests():
    """So it is in contests of many."""
    text = "race,player,place\n1,Ann & Bob,1\n1,Cid,2\n1,Dan,2\n2,Ann & Cid,2\n2,Bob,1\n2,Dan,3\n"
    contests = read(text, teams="members")
    assert sides_of(contests) == [
        [["Ann", "Bob"], ["Cid"], ["Dan"]], [["Ann", "Cid"], ["Bob"], ["Dan"]],
    ]  # fmt: skip
    assert contests.place.tolist() == [1, 2, 2, 2, 1, 3]
    assert "2 contests of 3 sides" in contests.notes[0]
    with refused(BadData, "player_twice", about="Ann", line=4, column="player"):
        read(text.replace("1,Dan,2", "1,Ann & Dan,2"), teams="members")
    with refused(BadData, "better_end_unknown", about=("Cid", "Ann", "Bob")):
        read("race,player,score\n1,Ann & Bob,2\n1,Cid,3\n", teams="members")


def test_lists_of_names():
    """A cell of JSON, or of a frame, may hold the names as a list."""
    rows = [{"a": ["Ann", "Bob"], "b": ["Cid"], "score": 1}, {"a": "Ann", "b": "Bob", "score": 0}]
    games = read_games(rows, teams="members")
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid"]], [["Ann"], ["Bob"]]]


LISTS = [{"a": ["R&D", "Bob"], "b": ["Cid", "", None], "winner": ["bob", "R&D"]},
         {"a": "Cid", "b": ["Bob", 7, "bye"], "winner": "b"}]  # fmt: skip


def ways_of_lists():
    """The same games in all that may hold lists."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = {"a": [["R&D", "Bob"], ["Cid"]], "b": [["Cid", ""], ["Bob", "7"]], "winner": ["a", "b"]}
    file = io.BytesIO()
    parquet.write_table(arrow.table(table), file)
    yield LISTS, {}
    yield io.BytesIO("\n".join(map(json.dumps, LISTS)).encode()), {"format": "jsonl"}
    yield table, {}
    yield pandas.DataFrame(table), {}
    yield pandas.read_parquet(io.BytesIO(file.getvalue())), {}
    yield polars.DataFrame(table), {}
    for compiled in [False, True] if kernel.available() else [False]:
        yield io.BytesIO(file.getvalue()), {"compiled": compiled}


@pytest.mark.parametrize("teams", [None, "members", "names"])
def test_lists_hold_one_name_an_entry(teams):
    """A list says what the names are: nothing has to be said of teams, and nothing is split."""
    for source, options in ways_of_lists():
        games = read_games(source, teams=teams, time="none", **options)
        assert sides_of(games) == [[["R&D", "Bob"], ["Cid"]], [["Cid"], ["Bob", "7"]]]
        assert games.score.tolist() == [1.0, 0.0]
        assert not [note for note in games.notes if "split" in note]


def test_texts_beside_lists():
    """A text beside lists is split only where that is said."""
    rows = [{"a": "Ann & Bob", "b": ["Cid"], "score": 1}]
    assert sides_of(read_games(rows)) == [[["Ann & Bob"], ["Cid"]]]
    assert sides_of(read_games(rows, teams="members")) == [[["Ann", "Bob"], ["Cid"]]]
    contests = read_games({"race": [1, 1], "player": [["R&D", "Bob"], "Cid"], "place": [1, 2]})
    assert sides_of(contests) == [[["R&D", "Bob"], ["Cid"]]]


def test_lists_in_one_of_several_files():
    """Lists first, then names: read. Names first, then lists: refused, with the remedy."""
    lists, names = (b'{"a":%s,"b":"Cid","score":1}' % a for a in (b'["Ann","Bob"]', b'"Ann"'))
    games = read_games([io.BytesIO(lists), io.BytesIO(names)])
    assert sides_of(games) == [[["Ann", "Bob"], ["Cid"]], [["Ann"], ["Cid"]]]
    with refused(BadData, "lists_from_here", about=("members", "teams="), line=1, column="a"):
        read_games([io.BytesIO(names), io.BytesIO(lists)])
    games = read_games([io.BytesIO(names), io.BytesIO(lists)], teams="members")
    assert sides_of(games) == [[["Ann"], ["Cid"]], [["Ann", "Bob"], ["Cid"]]]


def test_lists_in_all_of_several_files():
    """Lists of names in each of several files are the members of sides, as in one file."""
    lines = [
        json.dumps({"home": ["Ann", "Bob"], "away": [other], "result": "2-1"})
        for other in ("Cid", "Dee")
    ]
    parts = [io.StringIO(line + "\n") for line in lines]
    for part in parts:
        part.name = "games.jsonl"
    found, whole = read_games(parts), read_games(io.StringIO("\n".join(lines)), format="jsonl")
    assert sides_of(found) == sides_of(whole)
    assert found.notes == whole.notes


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ([["Ann"]], ("not_a_name", "Ann")), ([], ("name_missing",)),
        (["Ann", True], ("not_a_name", "True")), (["Ann", "Ann"], ("player_twice", "Ann")),
    ],
)  # fmt: skip
def test_lists_that_hold_no_names(cell, what):
    """One clear error."""
    with refused(BadData, what[0], about=what[1:]):
        read_games({"a": [cell], "b": ["Bob"], "score": [1]})


@pytest.mark.parametrize(
    ("winner", "score"),
    [("Ann", 1), ("cid", 0), ("Bob & Ann", 1), ("Dan and Cid", 0), ("a", 1), ("b", 0),
     ("draw", 0.5)],
)  # fmt: skip
def test_the_winner_by_name(winner, score):
    """A winner is named by any member, by all of them, or by the side."""
    table = {"a": ["Ann & Bob"], "b": ["Cid & Dan"], "winner": [winner]}
    assert read_games(table, teams="members").score.tolist() == [score]
    with refused(BadData, "unknown_winner", about="Ann & Cid"):
        read_games(table | {"winner": ["Ann & Cid"]}, teams="members")


def test_repetition():
    """Rows that repeat others are noted, in whatever order members stand."""
    text = (
        "date,a1,a2,b1,b2,score\n2020-01-01,Ann,Bob,Cid,Dan,1\n2020-01-01,Dan,Cid,Bob,Ann,0\n"
        "2020-01-02,Ann,Cid,Bob,Dan,1\n"
    )
    (note,) = (note for note in read(text, time="date").notes if "repeats another" in note)
    assert note.startswith("1 row repeats another row (Dan & Cid - Bob & Ann 0")
    other = text.replace("01,Dan,Cid,Bob,Ann,0", "01,Dan,Ann,Bob,Cid,0")
    assert not [note for note in read(other, time="date").notes if "repeats another" in note]


def test_names_that_look_alike():
    """Members are compared as players are; those who met are two."""
    text = "a1,a2,b1,b2,score\nAnders,Bob,Cid,Dan,1\nAndres,Bob,Cid,Dan,1\nanders,Bob,Cid,Dan,1\n"
    (note,) = (note for note in read(text).notes if "look alike" in note)
    assert '"Anders"/"anders"' in note
    assert '"Bob"' not in note
    met = "a1,a2,b1,b2,score\nAnders,Bob,anders,Dan,1\n"
    assert not [note for note in read(met).notes if "look alike" in note]


def test_lineups_with_commas():
    """Lists of members of any length, with `and` before the last, are sides: they never repeat."""
    text = (
        "red;blue;score\n"
        "Kev, Gaz, Len and Baz;Ibo, Tom, Jon, and Al;3:1\nIbo, Gaz, Jon & Baz;Kev, Tom, Len;2:1\n"
        "Tom, Gaz, Al and Baz;Kev, Ibo, Len, Jon;2:2\nKev, Al, Jon;Gaz, Baz, Len, Ibo, Tom;2:5\n"
    )
    games = read(text)
    assert sides_of(games)[0] == [["Kev", "Gaz", "Len", "Baz"], ["Ibo", "Tom", "Jon", "Al"]]
    assert len(games.players) == 8


def test_texts_with_commas():
    """Lists that never repeat a member are refused, and the remedy says how they are split."""
    rows = (f"p{n}, q{n}, r{n}, s{n};t{n}, u{n}, v{n}, w{n};1-0\n" for n in range(12))
    with refused(BadData, "texts_not_players") as caught:
        read("player_a;player_b;result\n" + "".join(rows))
    assert 'teams="commas"' in str(caught.value)


TEAMS = {"team_a": ["Lions", "Bears", "Lions"], "team_b": ["Tigers", "Tigers", "Bears"],
         "score_a": [2, 0, 3], "score_b": [1, 1, 1]}  # fmt: skip
ROSTERS: dict[str, dict[str, list[str]]] = {
    "columns": {
        "player_a1": ["Ann", "Eve", "Ann"], "player_a2": ["Bob", "Flo", "Hal"],
        "player_b1": ["Cid", "Cid", "Eve"], "player_b2": ["Dee", "Gus", "Flo"],
    },
    "texts": {"roster_a": ["Ann & Bob", "Eve & Flo", "Ann & Hal"],
              "roster_b": ["Cid & Dee", "Cid & Gus", "Eve & Flo"]},
}  # fmt: skip


@pytest.mark.parametrize("kind", ROSTERS)
def test_rosters_beside_teams_are_said(kind):
    """Where players stand beside the names of teams, a note names the options that rate them."""
    columns = TEAMS | ROSTERS[kind]
    table = read_games(columns, warn=False)
    (note,) = (one for one in table.notes if "rosters" in one)
    names = [*ROSTERS[kind]]
    half = len(names) // 2
    named = {"player_a": names[:half], "player_b": names[half:]}
    for role, given in named.items():
        assert f"(--{role.replace('_', '-')} {','.join(given)})" in note
    options = {"teams": "members"} if "teams=" in note else {}
    rated = read_games(columns, warn=False, **named, **options)
    assert {*rated.players} == {"Ann", "Bob", "Cid", "Dee", "Eve", "Flo", "Gus", "Hal"}
    assert not any("rosters" in one for one in rated.notes)


def test_what_stands_beside_teams_need_not_be_rosters():
    """Fewer names than teams (coaches of several), lists for one side alone, numbers of sets."""
    for beside in (
        {"coach_a1": ["Kim", "Kim", "Kim"], "coach_a2": ["Lee", "Lee", "Lee"],
         "coach_b1": ["Kim", "Kim", "Kim"], "coach_b2": ["Lee", "Lee", "Lee"]},
        {"officials": ["Ann & Bob", "Eve & Flo", "Ann & Hal"]},
        {"a1": [6, 4, 7], "a2": [3, 2, 5], "b1": [1, 8, 9], "b2": [0, 11, 12]},
    ):  # fmt: skip
        assert not any("rosters" in one for one in read_games(TEAMS | beside, warn=False).notes)
