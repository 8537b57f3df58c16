"""Categories of a game: its league, its context and its variant."""

from __future__ import annotations

import gzip
import io
import json
import pickle
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

import prowess
from prowess.engine.table import join_tables
from prowess.games import BadData, Games, read_games
from prowess.games.games import CATEGORIES
from prowess.games.roles.roles import HEADINGS
from prowess.games.values import plain_form
from tests.games.sides import facts_of
from tests.games.test_real_tables import EXAMPLES
from tests.refusals import refused

READERS = [False, True]
SURFACES, SETS = ("clay", "grass", ""), (3, 5)


def tennis(games: int = 60) -> list[dict[str, Any]]:
    """So many games, on three surfaces in turn and best of three or five in turn."""
    return [
        {
            "winner": f"W{at % 7}", "loser": f"L{at % 5}", "surface": SURFACES[at % 3],
            "best_of": SETS[at % 2], "tourney_level": "GAM"[at % 3],
        }
        for at in range(games)
    ]  # fmt: skip


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    """The rows as a file."""
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    return "\n".join(lines).encode()


def read(rows: list[dict[str, Any]], **options: Any) -> Games:
    """The rows as a table, in which nothing is said of dates."""
    options = {"time": "none", "warn": False} | options
    return read_games(io.BytesIO(as_csv(rows)), format="csv", **options)


def with_column(heading: str, values: list[Any]) -> list[dict[str, Any]]:
    """Games of two players with one column more."""
    return [{"a": "Ann", "b": f"B{at}", "score": at % 2, heading: v} for at, v in enumerate(values)]


@pytest.mark.parametrize("compiled", READERS)
def test_found_by_headings(compiled):
    """A column of each category is kept by its fixed name; numbers are categories too."""
    rows = tennis()
    games = read(rows, compiled=compiled)
    assert facts_of(games) == {
        "context": [row["surface"] for row in rows],
        "variant": [str(row["best_of"]) for row in rows],
    }
    assert games.labels == {"context": ["clay", "grass", ""], "variant": ["3", "5"]}
    roles = {one.role: one.columns for one in games.reading.columns}
    assert (roles["context"], roles["variant"]) == (("surface",), ("best_of",))
    assert games.reading.unused == ("tourney_level",)


def test_every_source_gives_the_same(tmp_path):
    """CSV, JSON, frames with and without an empty number, Parquet by both readers."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rows = tennis()
    rows[7]["best_of"] = None
    expected = facts_of(read([row | {"best_of": row["best_of"] or ""} for row in rows]))
    frame = pandas.DataFrame(rows)  # best_of is a float there
    frame.to_parquet(tmp_path / "games.parquet")
    (tmp_path / "games.json").write_text(json.dumps(rows))
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, rows)))
    tables = [frame, rows, tmp_path / "games.json", tmp_path / "games.jsonl"]
    for source in tables:
        assert facts_of(read_games(source, time="none", warn=False)) == expected
    for compiled in READERS:
        games = read_games(tmp_path / "games.parquet", time="none", warn=False, compiled=compiled)
        assert facts_of(games) == expected


@pytest.mark.parametrize(
    ("heading", "category"),
    [
        ("Surface", "context"), ("map", "context"), ("time_control", "context"),
        ("TimeControl", "context"), ("Best of", "variant"), ("bestof", "variant"),
        ("increment_code", "context"), ("game_type", "variant"), ("format", "variant"),
        ("Div", None), ("league", None), ("Competition", None), ("tournament", None),
        ("season", None), ("stadium", None),
    ],
)  # fmt: skip
def test_headings(heading, category):
    """Headings of tables of football, tennis, esports and chess; no league is guessed."""
    games = read(with_column(heading, ["x", "y"] * 20))
    assert list(games.facts) == ([category] if category else [])


@pytest.mark.parametrize(
    ("values", "games", "taken"),
    [(1, 100, False), (2, 19, False), (2, 20, True), (10, 100, True), (11, 100, False)],
)
@pytest.mark.parametrize("compiled", READERS)
def test_what_is_guessed_tells_kinds_of_games_apart(values, games, taken, compiled):
    """A guessed column has several values, and at least ten games a value on average."""
    rows = with_column("map", [f"M{at % values}" for at in range(games)])
    table = read(rows, compiled=compiled)
    assert ("context" in table.facts) is taken
    assert ("map = context" in str(table.reading)) is taken
    assert ("map" in table.reading.unused) is not taken
    named = read(rows, compiled=compiled, context="map")
    assert facts_of(named)["context"] == [row["map"] for row in rows]
    note = "context = map has one value only and tells no games apart"
    assert (note in named.notes) is (values == 1)


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(("values", "taken"), [(1_000, True), (1_001, False)])
def test_at_most_a_thousand_values(values, taken, compiled):
    """A column of more values is one of names of games, whatever the size of the table."""
    content = "a,b,score,map\n" + "".join(
        f"Ann,Bob,{at % 2},M{at % values}\n" for at in range(40_000)
    )
    table = read_games(
        io.BytesIO(content.encode()), format="csv", compiled=compiled, warn=False, time="none"
    )
    assert ("context" in table.facts) is taken
    assert ("map" in table.reading.unused) is not taken


def test_the_clearer_heading_is_taken():
    """The name of a map before its number, the class of a time control before the control."""
    rows = [
        {"a": "Ann", "b": "Bob", "score": 1, "time_control": f"{at % 4}+0",
         "time_class": "blitz" if at % 2 else "rapid"}
        for at in range(60)
    ]  # fmt: skip
    assert read(rows).labels == {"context": ["rapid", "blitz"]}
    rows = [row | {"map_id": at % 2, "map": "XY"[at % 2]} for at, row in enumerate(rows)]
    assert read(rows).labels == {"context": ["X", "Y"]}


def test_none_turns_one_off():
    """`none` keeps no column of a category, and a name takes the column of another."""
    games = read(tennis(), context="none")
    assert list(games.facts) == ["variant"]
    games = read(tennis(), context="none", variant="none")
    assert not games.facts
    games = read(tennis(), context="tourney_level", league="best_of", variant="none")
    assert games.labels == {"league": ["3", "5"], "context": ["G", "A", "M"]}
    assert "best_of = league   tourney_level = context" in str(games.reading)


def test_a_column_named_for_a_category_is_guessed_for_no_other():
    """The best of three or five that is the context is no variant."""
    games = read(tennis(), context="best_of")
    assert games.labels == {"context": ["3", "5"]}


def test_members_by_role_keep_their_column():
    """A column that gives each player a member by role is no context."""
    games = read(tennis(), per="surface")
    assert list(games.facts) == ["variant"]
    assert games.roles == ("player", "surface")
    assert games.role_kinds == ("player", "per")


def test_facts_are_kept_beside_categories():
    """A fact stays what it was; one that has the name of a category is kept as the fact."""
    rows = tennis()
    facts = facts_of(read(rows, facts=("surface", "best_of")))
    assert facts["best_of"] == [row["best_of"] for row in rows]
    assert facts["variant"] == [str(row["best_of"]) for row in rows]
    assert facts["surface"] == facts["context"]
    rows = with_column("league", [1, 2] * 20)
    games = read(rows, facts="league")
    assert facts_of(games) == {"league": [1.0, 2.0] * 20}
    assert "league = facts" in str(games.reading)
    with refused(BadData, "column_twice", about=("league", "facts=", "league=")):
        read(rows, facts="league", league="b")


def test_filters_leave_the_guess_alone():
    """A column by which rows are chosen is a category as long as several values are left."""
    rows = with_column("map", ["x", "y", "z"] * 20)
    assert read(rows, where={"map": ["x", "y"]}).labels == {"context": ["x", "y"]}
    assert not read(rows, where={"map": ["x"]}).facts


def test_a_column_that_does_not_exist():
    """The error names the column, and one that is alike."""
    with refused(BadData, "no_such_column", about=("surfaces", "context=")):
        read(tennis(), context="surfaces")
    with refused(BadData, "not_one_column", about="league"):
        read(tennis(), league=("surface", "best_of"))


@pytest.mark.parametrize("compiled", READERS)
def test_several_files(tmp_path, compiled):
    """Values of all files are numbered together; what one file lacks is not guessed."""
    files = [tmp_path / "1.csv", tmp_path / "2.csv"]
    options: dict[str, Any] = {"warn": False, "time": "none", "compiled": compiled}
    files[0].write_bytes(as_csv(with_column("map", ["E0", "E1"] * 20)))
    files[1].write_bytes(as_csv(with_column("map", ["D1", "E0"] * 20)))
    assert read_games(files, **options).labels == {"context": ["E0", "E1", "D1"]}
    files[1].write_bytes(as_csv(with_column("stadium", ["D1", "E0"] * 20)))
    for both in (files, files[::-1]):
        games = read_games(both, **options)
        assert len(games) == 80
        assert not games.facts


def test_rows_that_are_left_out():
    """Byes and bad rows take their values with them."""
    rows = with_column("map", ["x", "y"] * 20)
    rows[1] |= {"b": "bye", "map": "only byes"}
    rows[2] |= {"score": "?", "map": "only faults"}
    games = read(rows, skip_bad=True)
    assert games.labels == {"context": ["x", "y"]}
    assert facts_of(games)["context"] == [row["map"] for row in (rows[0], *rows[3:])]


def test_order_of_time():
    """Categories go with their games when these are sorted, and are numbered in that order."""
    rows = [row | {"date": f"2024-01-{28 - at % 28:02d}"} for at, row in enumerate(tennis(56))]
    games = read(rows, time="date")
    order = sorted(range(56), key=lambda at: rows[at]["date"])
    assert facts_of(games)["context"] == [rows[at]["surface"] for at in order]
    assert games.labels["context"][0] == rows[order[0]]["surface"]


def test_contests_of_many_sides():
    """Nothing is guessed in contests; a column that is named is kept, one value a contest."""
    text = "race,player,place,track type\n" + "".join(
        f"{race},{name},{place},{('oval', 'road')[race % 2]}\n"
        for race, (place, name) in product(range(40), enumerate("XYZ", 1))
    )
    games = read_games(io.BytesIO(text.encode()), format="csv", warn=False, time="none")
    assert not games.facts
    games = read_games(
        io.BytesIO(text.encode()), format="csv", warn=False, time="none", context="track type",
    )  # fmt: skip
    assert games.labels == {"context": ["oval", "road"]}
    assert "track type = context" in str(games.reading)


def test_chess_games():
    """The time control of a PGN file is the context, where files say it."""
    pgn = "".join(
        f'[White "W{at}"]\n[Black "Bob"]\n[Result "1-0"]\n[TimeControl "{control}"]\n\n1-0\n\n'
        for at, control in enumerate(["60+0", "300+3", "?"] * 20)
    )
    games = read_games(io.BytesIO(pgn.encode()), format="pgn", warn=False)
    assert games.labels == {"context": ["60+0", "300+3", ""]}
    assert "timecontrol = context" in str(games.reading)
    unknown = pgn.replace("60+0", "?").replace("300+3", "-")
    games = read_games(io.BytesIO(unknown.encode()), format="pgn", warn=False)
    assert not games.facts
    assert "timecontrol" not in str(games.reading.lines()[1])


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize(
    "name",
    ["league_football.csv.gz", "international_football_results.csv.gz",
     "axelrod_bot_rumble.csv.gz", "llmfao_votes.csv.gz"],
)  # fmt: skip
def test_real_tables(name, compiled):
    """Leagues, tournaments, prompts and rounds are no contexts and no variants."""
    assert not read_games(EXAMPLES / name, compiled=compiled, warn=False).labels


@pytest.mark.parametrize("compiled", READERS)
def test_a_league_is_named(compiled):
    """Three leagues of football, where the caller says that they are."""
    file = EXAMPLES / "league_football.csv.gz"
    games = read_games(file, compiled=compiled, warn=False, league="league")
    with gzip.open(file, "rt") as lines:
        leagues = {line.partition(",")[0] for line in lines} - {"league"}
    assert {*games.labels["league"]} == leagues


def test_categories_stay_with_the_table():
    """Parts, copies and joined tables keep them; a table without one has the value ""."""
    games = read(tennis())
    assert facts_of(pickle.loads(pickle.dumps(games))) == facts_of(games)
    assert facts_of(games.first(9))["context"] == [row["surface"] for row in tennis(9)]
    both = join_tables(games, read(tennis(20)[::-1], variant="none", context="surface"))
    assert facts_of(both)["context"] == [r["surface"] for r in (*tennis(), *tennis(20)[::-1])]
    assert facts_of(both)["variant"] == [str(r["best_of"]) for r in tennis()] + [""] * 20


@given(st.lists(st.sampled_from(["", "x", "y", " x", "z"]), min_size=30, max_size=50))
def test_both_readers_agree(values):
    """The fast reader keeps what the slow one keeps."""
    rows = with_column("surface", values)
    slow, fast = (read(rows, compiled=compiled) for compiled in READERS)
    assert facts_of(slow) == facts_of(fast)
    assert slow.labels == fast.labels
    assert slow.reading == fast.reading
    assert {*slow.facts} <= {*CATEGORIES}


def test_headings_of_every_category():
    """Headings are in plain form, none is that of two; league and voter are named by the caller."""
    words = [word for each in HEADINGS.values() for word in each]
    assert ("league", *HEADINGS, "voter") == CATEGORIES
    assert len({*words}) == len(words)
    assert words == [plain_form(word) for word in words]


def test_who_judged_is_named():
    """A voter is a category that the caller names, and no heading is taken for one."""
    rows = [
        {"left": "ab"[at % 2], "right": "cde"[at % 3], "winner": ("left", "right", "tie")[at % 3],
         "worker": f"w{at % 4}"}
        for at in range(30)
    ]  # fmt: skip
    assert "voter" not in read_games(rows).facts
    found = read_games(rows, voter="worker")
    assert [found.labels["voter"][int(key)] for key in found.facts["voter"]] == [
        row["worker"] for row in rows
    ]


@pytest.mark.parametrize(
    ("sides", "second", "used"),
    [(None, 0.0, False), ("a", 0.0, True), (None, 0.5, True)],
    ids=["plain", "sides", "draws"],
)
def test_voters_who_tell_nothing_are_said_to(sides, second, used):
    """Their habits are those of sides and of draws: without both a note says what to name."""
    votes: dict[str, Any] = {
        "player_a": ["Ann", "Bob", "Cid"] * 40,
        "player_b": ["Bob", "Cid", "Ann"] * 40,
        "result": [1.0, second, 0.0, 1.0] * 30,
        "worker": [f"w{k}" for k in range(6)] * 20,
    }
    notes = prowess.rate(votes, voter="worker", side=sides, warn=False).notes
    assert any("uses" in one and "voter" in one for one in notes) == used
    assert any("voters tell nothing" in one for one in notes) != used
