"""How the reading of a table is told: in three lines, as plain data, and in notebooks."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import prowess
from prowess.games.reading import NO_DAY, NOT_READ, ReadColumns, Reading, UnplayedGame

LEAGUE = Reading(
    "games between two", games=40, rows=40, players=6, first="2024-01-05", last="2024-09-30",
    columns=(
        ReadColumns("home", ("Heim",), "side advantage"), ReadColumns("away", ("Gast",)),
        ReadColumns("score", ("Tore Heim", "Tore Gast")),
        ReadColumns("date", ("Datum",), "day first"),
    ),
    unused=("Halle", "Zuschauer"), left_out={"bye": 3},
)  # fmt: skip


def read(**columns: list[object]) -> list[str]:
    """The lines about a table of these columns."""
    return prowess.read_games(columns).reading.lines()


def test_three_lines():
    """What the rows are, the column of each role, and what was not used or should be looked at."""
    assert str(LEAGUE) == (
        "read as   games between two, 40 rows, 6 players, 2024-01-05 to 2024-09-30\n"
        "columns   Heim = home (side advantage)   Gast = away   Tore Heim : Tore Gast = score"
        "   Datum = date (day first)\n"
        "not used  Halle, Zuschauer      look at   3 rows left out: bye"
    )


def test_lines_of_a_width():
    """What does not fit is counted; what to look at has a line of its own and is never cut."""
    assert LEAGUE.lines(60) == [
        "read as   games between two, 40 rows, 6 players, 2024-01-05 to 2024-09-30",
        "columns   Heim = home (side advantage) and 3 more",
        "not used  Halle, Zuschauer",
        "look at   3 rows left out: bye",
    ]
    assert LEAGUE.lines(200) == LEAGUE.lines()


def test_games():
    """Each role has its column; a column that is called as its role is named once."""
    assert read(
        date=["2024-01-01"], home_team=["Ada"], away_team=["Ben"], winner=["Ada"], city=["Ulm"]
    ) == [
        "read as   games between two, 1 row, 2 players, 2024-01-01",
        "columns   home_team = home (side advantage)   away_team = away   winner   date",
        "not used  city",
    ]
    assert read(winner=["a", "a"], loser=["b", "b"]) == [
        "read as   games between two, 2 rows, 2 players, no dates: order of the file",
        "columns   winner   loser",
    ]


def test_contests():
    """Contests have players, places and points, and which end of the points is better."""
    found = prowess.read_games(
        {"race": ["x", "x"], "driver": ["a", "b"], "laps": [3, 2], "crew": ["c", "d"]},
        contest="race", player="driver", points="-laps",
    ).reading  # fmt: skip
    assert found.lines() == [
        "read as   1 contest, 2 rows, 2 players",
        "columns   race = contest   driver = player   laps = points (less is better)",
        "not used  crew",
    ]


def test_many_columns_are_counted():
    """Of many columns without a role the first are named, and all are in the data."""
    more: dict[str, list[object]] = {f"c{k}": [1] for k in range(30)}
    table: dict[str, Any] = {"player_a": ["a"], "player_b": ["b"], "result": ["1"]} | more
    found = prowess.read_games(table).reading
    assert found.lines()[2].endswith("c18, c19 and 10 more")
    assert found.to_dict()["unused"] == list(more)


def test_plain_data_and_notebooks():
    """The data have every field, a column of lists; HTML escapes what a file says."""
    assert LEAGUE.to_dict()["left_out"] == {"bye": 3}
    assert LEAGUE.to_dict()["columns"][2] == {
        "role": "score", "columns": ["Tore Heim", "Tore Gast"], "detail": "",
    }  # fmt: skip
    odd = prowess.read_games({"a": ["Ann"], "b": ["Ben"], "result": [1], "<b>": [2]}).reading
    assert "&lt;b&gt;" in odd._repr_html_()


def test_pickled():
    """A reading survives pickling, with the short forms of what looks suspicious."""
    games = prowess.read_games({"a": ["Annabel"], "b": ["Ben"], "result": [1]})
    twins = prowess.read_games(
        {"a": ["Annabel", "annabel"], "b": ["Ben", "Ben"], "result": [1, 0]}, warn=False
    )
    for table in (games, twins):
        assert pickle.loads(pickle.dumps(table)).reading.look_at == table.reading.look_at
    assert twins.reading.look_at == ('"Annabel"/"annabel" look alike',)


def test_tables_in_one():
    """Rows left out and notes of two tables that are rated in turn are counted together."""
    both = LEAGUE.join(LEAGUE)
    assert (both.games, both.left_out) == (80, {"bye": 6})
    assert NOT_READ.join(LEAGUE) == LEAGUE
    assert NOT_READ.lines() == []


def test_columns_beside_those_that_are_unfolded():
    """Sums beside a crosstable, places beside races: what is not read is said."""
    square = {"Name": ["Ann", "Ben", "Cem"], "Ann": ["", "0", "0"], "Ben": ["1", "", "0"],
              "Cem": ["1", "1", ""], "Pts": [2, 1, 0]}  # fmt: skip
    assert prowess.read_games(square).reading.unused == ("Pts",)
    races = {"Boat": ["Ann", "Ben", "Cem"], "P1": ["1", "2", "3"], "P2": ["2", "(3)", "1"],
             "P3": ["1", "2", "3"], "Tot": [4, 7, 7], "Net": [2, 4, 4]}  # fmt: skip
    assert prowess.read_games(races).reading.unused == ("Tot", "Net")


def test_games_that_were_not_played_are_kept_beside_the_others():
    """Those of two known players, also without a day that can be read; a name is the one to use,
    and plain data has none.
    """
    columns = {
        "date": ["2024-01-01", "2027-01-01", "2027-01-02", "2027-01-03", "2027-01-04", ""],
        "home": ["Ada", "Ben", "Winner SF1", "TBD", "Cid", "Ben"],
        "away": ["Ben", "Ada", "Winner SF2", "Ada", "Ada", "Ada"],
        "result": ["1-0", "-:-", "", "", "cancelled", ""],
    }
    for compiled in (True, False):
        found = prowess.read_games(columns, compiled=compiled, names={"Ada": "Ada L"}).reading
        assert found.unplayed == (
            UnplayedGame("Ben", "Ada L", 20819.0, 1.0),  # 2027-01-01
            UnplayedGame("Ben", "Ada L", NO_DAY, 1.0, line=6),
        )
        assert "unplayed" not in found.to_dict()


@pytest.mark.parametrize("heading", ["{}", "R{}"])
def test_columns_of_rounds_beside_places_are_not_used(heading):
    """Places decide a contest, so what was scored in each round is unused, unless it is named."""
    rounds = {heading.format(number): [70, 71, 73, 72, 74, 75] for number in (1, 2, 3)}
    table = {"event": ["x"] * 3 + ["y"] * 3, "player": ["Ann", "Bob", "Cid"] * 2,
             "place": [1, 2, 3, 2, 1, 3], **rounds}  # fmt: skip
    assert prowess.read_games(table, warn=False).reading.unused == tuple(rounds)
    one, *others = rounds
    named = prowess.read_games(table, points=f"-{one}", warn=False)
    assert named.reading.unused == ("place", *others)
