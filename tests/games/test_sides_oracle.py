"""Sides, shares, roles and facts of random tables against plain Python over their rows."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, strategies as st

from prowess.compile import kernel
from prowess.games import read_games
from tests.games.sides import facts_of, members_of

Row = dict[str, str]
PLAYERS = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus"]
DAYS = ["2020-01-01", "2020-01-02", "2020-01-03"]
SURFACES = st.sampled_from(["clay", "grass", ""])
CARS = st.sampled_from(["Red", "Blue", "", "Ann"])  # a car is called as a player is
NUMBERS = st.sampled_from(["3", "5", "2.5"])


def as_text(rows: list[Row], delimiter: str = ",") -> bytes:
    """The rows as a file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def every_way(rows: list[Row], **options: Any) -> Any:
    """The table that a source becomes, whichever way its rows are given."""
    options["warn"] = False
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    lines = "\n".join(map(json.dumps, rows)).encode()
    yield read_games(columns, **options)
    yield read_games(rows, **options)
    yield read_games(io.BytesIO(as_text(rows)), compiled=False, **options)
    yield read_games(io.BytesIO(lines), **options)
    if kernel.available():
        yield read_games(io.BytesIO(as_text(rows, ";")), compiled=True, **options)
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    yield read_games(pandas.DataFrame(columns), **options)
    yield read_games(arrow.table(columns), **options)
    file = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), file)
    for compiled in [False, True] if kernel.available() else [False]:
        yield read_games(io.BytesIO(file.getvalue()), compiled=compiled, **options)


# -- games of two sides, one row each --


@st.composite
def games(draw: Any) -> list[Row]:
    """Rows of games: up to three members a side, in any cells."""
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        names = draw(st.permutations(PLAYERS))
        row = {"date": draw(st.sampled_from(DAYS)), "surface": draw(SURFACES)}
        for side in "ab":
            count = draw(st.integers(1, 3))
            cells = [names.pop() for _ in range(count)] + [""] * (3 - count)
            row |= {f"{side}{at}": cell for at, cell in enumerate(draw(st.permutations(cells)), 1)}
            row[f"{side}_car"] = draw(CARS)
        rows.append(row | {"best_of": draw(NUMBERS), "result": draw(st.sampled_from("10"))})
    return rows


def members_of_row(row: Row, players: set[str]) -> list[Counter[tuple[str, float, str]]]:
    """The members of both sides, as one row tells them; a car called as a player is has another
    name.
    """
    sides = []
    for side, other in ("ab", "ba"):
        members: Counter[tuple[str, float, str]] = Counter()
        for at in (1, 2, 3):
            if name := row[f"{side}{at}"]:
                members[name, 1.0, "player"] += 1
                if row["surface"]:
                    members[f"{name}@{row['surface']}", 1.0, "surface"] += 1
        car = row[f"{side}_car"]
        if car and car != row[f"{other}_car"]:
            members[f"{car} (car)" if car in players else car, 1.0, "car"] += 1
        sides.append(members)
    return sides


@given(games())
def test_games(rows: list[Row]) -> None:
    """Sides by columns of members, with roles and facts."""
    players = {row[f"{side}{at}"] for row in rows for side in "ab" for at in (1, 2, 3)}
    expected = sorted(rows, key=lambda row: row["date"])
    for table in every_way(rows, facts=("surface", "best_of"), per="surface", with_="car"):
        assert table.pairwise
        found = [[Counter(side) for side in sides] for sides in members_of(table)]
        assert found == [members_of_row(row, players) for row in expected]
        assert table.score.tolist() == [float(row["result"]) for row in expected]
        facts = facts_of(table)
        assert facts["surface"] == [row["surface"] for row in expected]
        assert facts["best_of"] == [float(row["best_of"]) for row in expected]
        words = list(table.labels["surface"])
        assert words == list(dict.fromkeys(row["surface"] for row in expected))


@given(games())
def test_joined_names(rows: list[Row]) -> None:
    """The same sides in texts such as `Ann & Bob`."""
    joined = []
    for row in rows:
        sides = {
            side: " & ".join(filter(None, (row[f"{side}{at}"] for at in (1, 2, 3))))
            for side in "ab"
        }
        joined.append({**sides, "result": row["result"], "date": row["date"]})
    bare = [{k: v for k, v in row.items() if "_" not in k and k != "surface"} for row in rows]
    for table, other in zip(every_way(joined, teams="members"), every_way(bare), strict=True):
        assert members_of(table) == members_of(other)
        assert table.players == other.players
        assert table.score.tolist() == other.score.tolist()


# -- contests of sides, one row a player --


@st.composite
def contests(draw: Any) -> list[Row]:
    """Rows of players of teams; the rows of a team need not stand together."""
    rows: list[Row] = []
    for match in range(draw(st.integers(1, 4))):
        names = draw(st.permutations(PLAYERS))
        surface, day = draw(SURFACES), draw(st.sampled_from(DAYS))
        for team in range(draw(st.integers(2, 3))):
            place = str(draw(st.integers(1, 3)))
            rows += [
                {
                    "match": str(match), "team": f"team {team}", "player": names.pop(),
                    "place": place, "minutes": draw(st.sampled_from(["0", "30", "60", "90"])),
                    "car": draw(CARS), "surface": surface, "date": day,
                }
                for _ in range(draw(st.integers(1, 2)))
            ]  # fmt: skip
    shuffled: list[Row] = draw(st.permutations(rows))
    return shuffled


def expected_contests(rows: list[Row]) -> list[dict[str, Any]]:
    """The contests of such rows, in order of date and then of first appearance."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        contest = found.setdefault(row["match"], {"date": row["date"], "sides": {}})
        contest["sides"].setdefault(row["team"], []).append(row)
    return sorted(found.values(), key=lambda contest: contest["date"])


def members_of_contest(
    contest: dict[str, Any], largest: float, players: set[str]
) -> list[Counter[tuple[str, float, str]]]:
    """The members of all sides of a contest."""
    rows = [row for side in contest["sides"].values() for row in side]
    most = max(float(row["minutes"]) for row in rows) if largest > 1.0 else 1.0
    sides = [
        [row for row in side if float(row["minutes"]) > 0.0] for side in contest["sides"].values()
    ]
    cars = [{row["car"] for row in side} - {""} for side in sides]
    everywhere = set.intersection(*cars)
    found = []
    for side, of_side in zip(sides, cars, strict=True):
        members: Counter[tuple[str, float, str]] = Counter()
        for row in side:
            share = float(row["minutes"]) / most
            members[row["player"], share, "player"] += 1
            if row["surface"]:
                members[f"{row['player']}@{row['surface']}", share, "surface"] += 1
        for car in of_side - everywhere:
            members[f"{car} (car)" if car in players else car, 1.0, "car"] += 1
        found.append(members)
    return found


@given(contests())
def test_contests(rows: list[Row]) -> None:
    """Sides by a column of teams, with shares, roles and facts."""
    expected = expected_contests(rows)
    for contest in expected:
        for side in contest["sides"].values():
            if all(row["minutes"] == "0" for row in side):
                side[0]["minutes"] = "30"  # a side without members is refused
    players = {row["player"] for row in rows if row["minutes"] != "0"}
    largest = max(float(row["minutes"]) for row in rows)
    options = {"contest": "match", "team": "team", "facts": "surface", "with_": ("car",)}
    for table in every_way(rows, per="surface", **options):
        found = [[Counter(side) for side in sides] for sides in members_of(table)]
        assert found == [members_of_contest(contest, largest, players) for contest in expected]
        assert facts_of(table)["surface"] == [
            next(iter(contest["sides"].values()))[0]["surface"] for contest in expected
        ]
        places = [[int(side[0]["place"]) for side in each["sides"].values()] for each in expected]
        assert table.pairwise is all(len(each) == 2 for each in places)
        if table.pairwise:
            won = [0.5 if one == other else float(one < other) for one, other in places]
            assert table.score.tolist() == won
        else:
            assert table.place.tolist() == [float(place) for each in places for place in each]
