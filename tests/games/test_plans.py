"""How one table is read, saved and applied to the next: `Reading.plan`, `plan=`, `--plan`."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest

import prowess
from prowess.games import BadData
from prowess.games.arguments import BadArgument
from prowess.games.stream import open_stream
from tests.cli.command import prowess as run
from tests.refusals import refused

FIRST = {
    "Heim": ["Ann", "Ben", "Cid"],
    "Gast": ["Ben", "Cid", "Ann"],
    "Ergebnis": ["2:1", "0:0", "1:3"],
    "Datum": ["13/01/2024", "14/01/2024", "15/02/2024"],  # the 13th is no month
}
NEXT = {"Heim": ["Ann"], "Gast": ["Cid"], "Ergebnis": ["0:1"], "Datum": ["03/04/2024"]}
THIRD_OF_APRIL = datetime(2024, 4, 3, tzinfo=UTC).timestamp() / 86400.0


def write_csv(path, table):
    rows = zip(*table.values(), strict=True)
    path.write_text("\n".join(map(",".join, [table, *rows])) + "\n", encoding="utf-8")
    return path


def test_next_table_is_read_like_the_first(tmp_path):
    """What a table alone leaves open is read as the first table proves it, from a file as well."""
    with refused(BadData, "day_or_month_first"):
        prowess.read_games(NEXT)
    reading = prowess.look(FIRST)
    reading.plan.save(tmp_path / "plan.json")
    for plan in (reading, reading.plan, reading.plan.to_dict(), tmp_path / "plan.json"):
        games = prowess.read_games(NEXT, plan=plan)
        assert games.time.tolist() == [THIRD_OF_APRIL]
        assert games.reading.plan == reading.plan


def test_letters_mean_what_they_meant():
    """`S`, `U`, `N` are won, drawn, lost in German beside one another; N alone says nothing."""
    names = {"Spieler 1": ["Ann", "Ben", "Cid"], "Spieler 2": ["Ben", "Cid", "Ann"]}
    first = prowess.look(names | {"Resultat": ["S", "N", "U"]})
    further = {"Spieler 1": ["Ann"], "Spieler 2": ["Ben"], "Resultat": ["N"]}
    with refused(BadData, "unknown_outcome"):
        prowess.read_games(further)
    assert prowess.read_games(further, plan=first).score.tolist() == [0.0]


def test_marks_of_thousands_stay_such():
    """1.008 is 1008 in a table of such numbers, and 1.5 is none of them."""
    sides = {"home": ["Ann", "Ben"], "away": ["Ben", "Ann"], "away score": ["900", "1.100"]}
    first = prowess.look(sides | {"home score": ["1.008", "1.210"]})
    read = prowess.read_games(sides | {"home score": ["2.000", "7"]}, plan=first)
    assert read.points_a.tolist() == [2000.0, 7.0]
    with refused(BadData, "not_a_whole_number", row=1):
        prowess.read_games(sides | {"home score": ["1.5", "7"]}, plan=first)


@pytest.mark.parametrize(
    "changes",
    [
        {"Datum": None},
        {"Heim": None, "Home": ["Ann"]},
        {"Runde": ["1"]},
        {"Gast": None, "Verlierer": ["Cid"], "Heim": None, "Sieger": ["Ann"]},
    ],
)
def test_other_columns_are_refused(changes):
    """A column that is gone, is called otherwise or is new in a role contradicts the plan."""
    table = {name: cells for name, cells in (NEXT | changes).items() if cells}
    with refused(BadData, "other_than_planned"):
        prowess.read_games(table, plan=prowess.look(FIRST))


def test_row_that_contradicts_is_refused_with_its_line(tmp_path):
    """Month first in a later row is a refusal of that row, also in a stream."""
    plan = prowess.look(FIRST).plan
    table = {name: cells * 2 for name, cells in NEXT.items()} | {
        "Datum": ["03/04/2024", "12/25/2024"]
    }
    path = write_csv(tmp_path / "next.csv", table)
    with refused(BadData, "not_a_day", line=3):
        prowess.read_games(path, plan=plan)
    with refused(BadData, "not_a_day", line=3):
        [*open_stream(path, plan=plan).pieces()]


def test_stream_follows_a_plan_and_tells_its_own(tmp_path):
    """A stream reads by a plan, refuses other columns, and its reading has the same plan."""
    plan = prowess.look(FIRST).plan
    stream = open_stream(write_csv(tmp_path / "next.csv", NEXT), plan=plan)
    assert [piece.games.time.tolist() for piece in stream.pieces()] == [[THIRD_OF_APRIL]]
    assert stream.reading.plan == plan
    other = write_csv(tmp_path / "other.csv", NEXT | {"Heim": ["Ann"], "Datum": ["2024-04-03"]})
    games = [piece.games for piece in open_stream(other, plan=plan).pieces()]
    assert games[0].time.tolist() == [THIRD_OF_APRIL]  # the same columns, dates that are clear
    without = {name: cells for name, cells in NEXT.items() if name != "Datum"}
    with refused(BadData, "other_than_planned"):
        open_stream(write_csv(tmp_path / "without.csv", without), plan=plan)


def test_options_of_the_first_go_along():
    """What the caller says of the first table holds for the next, unless they say otherwise."""
    table = {"x": ["Ann"], "y": ["Ben"], "z": ["0:1"]}
    first = prowess.look(table, player_a="y", player_b="x", result="z")
    assert prowess.read_games(table, plan=first).players == ("Ben", "Ann")
    with refused(BadData, "other_than_planned"):
        prowess.read_games(table, plan=first, player_a="x", player_b="y")


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({"with_": {"car": ("car_a", "car_b")}}, {"car_a": ["x", "y"], "car_b": ["y", "x"]}),
        ({"where": {"cup": {"A", "B"}}, "facts": ["heat"]}, {"cup": ["A", "B"], "heat": [1, 2]}),
        ({"forecast": {"book": ["p"]}}, {"p": [0.3, 0.7]}),
        ({"outcomes": {"S": 1, "N": 0}, "result": "r"}, {"r": ["S", "N"]}),
    ],
)
def test_options_of_every_kind_survive_json(options, columns):
    """Options that are dicts, tuples or sets read the same from the text of a plan."""
    table = {"a": ["Ann", "Ben"], "b": ["Ben", "Ann"], "score": [1, 0]} | columns
    if "result" in options:
        del table["score"]
    games = prowess.read_games(table, **options)
    again = prowess.read_games(table, plan=json.loads(games.reading.plan.to_json()))
    assert again.reading == games.reading
    assert again.score.tolist() == games.score.tolist()
    assert again.players == games.players


def test_contests_and_ballots_have_plans():
    """A plan of games refuses contests and ballots; one of contests reads contests."""
    race = {"race": [1, 1, 2, 2], "driver": ["Ann", "Ben"] * 2, "position": [1, 2, 2, 1]}
    plan = prowess.look(race).plan
    assert prowess.look(race, plan=plan).plan == plan
    with refused(BadData, "other_than_planned"):
        prowess.look(race, plan=prowess.look(FIRST))
    with refused(BadData, "other_than_planned"):
        prowess.look(io.StringIO("Ada > Ben\n"), format="ballots", plan=plan)


def test_rating_takes_a_plan(tmp_path):
    """`rate` and its like read a file by a plan as `read_games` does."""
    path = write_csv(tmp_path / "next.csv", NEXT)
    assert prowess.rate(path, "elo", plan=prowess.look(FIRST)).table.time == [THIRD_OF_APRIL]


def test_command_line_saves_and_applies(tmp_path):
    """`look --save-plan` writes what `--plan` of every verb takes."""
    first, further = (
        write_csv(tmp_path / f"{name}.csv", table) for name, table in (("1", FIRST), ("2", NEXT))
    )
    plan = tmp_path / "plan.json"
    run("look", first, "--save-plan", plan)
    assert json.loads(plan.read_text(encoding="utf-8")) == prowess.look(FIRST).plan.to_dict()
    found = json.loads(run("look", further, "--plan", plan, "--json").stdout)
    assert found["first"] == "2024-04-03"


@pytest.mark.parametrize("plan", [{"kind": "games"}, "missing.json", {"options": {"x": 1}}])
def test_what_is_no_plan_is_refused(plan):
    """Something else than a plan is refused with the command that makes one."""
    if isinstance(plan, dict) and "options" in plan:
        plan = prowess.look(FIRST).plan.to_dict() | plan
    with refused(BadData, "not_a_plan"):
        prowess.read_games(NEXT, plan=plan)


def test_number_is_no_plan():
    """An argument of another type is a BadArgument."""
    with refused(BadArgument, "not_a_plan"):
        prowess.read_games(NEXT, plan=3)
