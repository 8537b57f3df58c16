"""Tables of teams: bulk requests and exports, which the batch program rates to the same bits."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import Any

import pytest

from prowess.games import read_games
from prowess.live.journal.imports import facts_by_row
from tests.live.api.site import Site
from tests.live.api.teams import DOUBLES, SHARED, WHEN, proved, report
from tests.live.api.test_exports import rated


def batch(site: Site, body: str, kind: str) -> Any:
    """Report many."""
    return site.ask("POST", "/results:batch", "submit", content=body.encode(),
                    headers={"Content-Type": kind})  # fmt: skip


WIDE = (
    "time,a1,a2,b1,b2,score,fact_surface,fact_sets\n"
    "2024-01-01T12:00:00Z,Ann,Bob,Cid,Dee,1,clay,2\n"
    "2024-01-02T12:00:00Z,Ann,,Cid,,0.5,,\n"
)
LONG = (
    "contest,date,team,player,share,result\n"
    "1,2024-01-01T12:00:00Z,red,Ann,1,1\n1,2024-01-01T12:00:00Z,red,Bob,0.5,1\n"
    "1,2024-01-01T12:00:00Z,blue,Cid,1,0\n1,2024-01-01T12:00:00Z,blue,Dee,1,0\n"
)


def test_bulk(teams):
    """Teams come in as JSON, JSON lines and CSV, in columns or in rows."""
    sent = {"sides": SHARED, "time": WHEN.format(3)}
    for body, kind, count in (
        (json.dumps([sent]), "application/json", 1),
        (json.dumps(sent), "application/x-ndjson", 1),
        (WIDE, "text/csv", 2),
        (LONG, "text/csv", 1),
    ):
        told = batch(teams, body, kind)
        assert told.status_code == 200, told.text
        assert told.json()["counts"]["recorded"] == count
    rows = teams.get("/results?order=oldest")["items"]
    assert rows[2]["facts"] == {"surface": "clay", "sets": 2.0}
    assert rows[3]["player_a"] == "Ann"
    assert rows[4]["sides"] == rows[0]["sides"]
    assert proved(teams)


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ("time,a1,a2,b1,score\n2024-01-01,Ann,Ann,Cid,1\n", "twice", "sides.0.players.1"),
        ("time,a1,b1,score\n2024-01-01,Ann,,1\n", "empty_side", "sides.1.players"),
        (LONG.replace("Bob,0.5,1", "Bob,0.5,0"), "bad_sides", "team"),
        (LONG.replace("0.5", "half"), "bad_number", "share"),
        (LONG.replace("0.5", "0"), "bad_share", "sides.0.players.1.share"),
    ],
)
def test_bulk_refusals(teams, body, code, field):
    """A row that cannot be is told with its field, and nothing is taken."""
    answer = batch(teams, body, "text/csv")
    assert answer.status_code == 422
    assert [(one["code"], one["field"]) for one in answer.json()["errors"]] == [(code, field)]
    assert len(teams.journal.ladder("main")) == 0


HEADING = "contest,date,team,player,result,fact_map\n"
ROW = "{},2024-01-01,{},{},{},{}\n".format
ONE = [ROW(1, "x", "Ann", 1, "a"), ROW(1, "x", "Bob", 1, "a"), ROW(1, "y", "Cid", 0, "a"),
       ROW(1, "y", "Dee", 0, "a")]  # fmt: skip
TWO = [row.replace("1,2024", "2,2024") for row in ONE]


@pytest.mark.parametrize(
    ("rows", "code", "field"),
    [
        ([*ONE[:2], *TWO[:2], *ONE[2:], *TWO[2:]], "scattered", "contest"),
        ([*ONE[:2], *TWO, *ONE[2:]], "scattered", "contest"),
        ([*ONE[:3], ONE[3].replace("2024-01-01", "2024-01-02"), *TWO], "bad_contest", "time"),
        ([*ONE[:3], ONE[3].replace(",a", ",b"), *TWO], "bad_contest", "facts"),
        ([*ONE[:3], ONE[3].replace(",a", ","), *TWO], "bad_contest", "facts"),
        ([*ONE[:3], ONE[3].replace(",a", ",a,a"), *TWO], "bad_row", None),
        ([*ONE[:3], ONE[3].replace(",0,", ",x,"), *TWO], "bad_number", "result"),
        ([*ONE[:3], ONE[3].replace("1,2", ",2", 1), *TWO], "missing", "contest"),
    ],
)
def test_rows_that_are_no_result(teams, rows, code, field):
    """Rows of one contest that stand apart, contradict or cannot be read make none, ever."""
    answer = batch(teams, HEADING + "".join(rows), "text/csv")
    first = answer.json()["errors"][0]
    assert (answer.status_code, first["code"], first.get("field")) == (422, code, field)
    skipping = teams.ask(
        "POST", "/results:batch?on_error=skip", "submit",
        content=(HEADING + "".join(rows)).encode(), headers={"Content-Type": "text/csv"},
    )  # fmt: skip
    found = teams.get("/results")["items"]
    assert len(found) <= 1, skipping.text
    for one in found:  # the contest that nothing is wrong with
        assert [side["players"] for side in one["sides"]] == [["Ann", "Bob"], ["Cid", "Dee"]]


def test_fractions_of_sides(teams):
    """Rows of a player each keep a score between 0 and 1."""
    rows = [row.replace(",1,", ",0.3,").replace(",0,", ",0.7,") for row in ONE]
    assert batch(teams, HEADING + "".join(rows), "text/csv").status_code == 200
    assert teams.get("/results/1")["score"] == 0.3


def test_facts_come_back(teams, tmp_path):
    """An export of facts of all kinds is taken in again, and gives the same export."""
    facts = {"map": "nan", "code": "007", "sets": 3, "word": "3", "sum": "=A1", "half": 0.5}
    told = report(teams, sides=DOUBLES, time=WHEN.format(1), facts=facts)["result"]["facts"]
    assert told == facts
    with Site(f"sqlite:///{tmp_path / 'other.db'}", system="elo", side_size=2) as other:
        assert batch(other, export(teams), "text/csv").status_code == 200
        assert other.get("/results/1")["facts"] == facts
        assert export(other) == export(teams)
    for form in ("csv", "parquet"):
        path = tmp_path / f"export.{form}"
        path.write_bytes(teams.ask("GET", f"/export?format={form}").content)
        table = read_games(path, fact_prefix="fact_")
        assert facts_by_row(table) == [facts]


def export(site: Site) -> str:
    """The table as CSV."""
    text: str = site.ask("GET", "/export?format=csv").text
    return text


def test_exports_come_back(teams, heats, tmp_path):
    """An export of teams, taken in by another server, gives the same ratings to the last bit."""
    report(teams, sides=DOUBLES, time=WHEN.format(1), facts={"surface": "clay"})
    report(teams, player_a="Ann", player_b="Cid", score=0.5, time=WHEN.format(2), side=1)
    header = next(csv.reader(io.StringIO(export(teams))))
    assert header == ["time", "a1", "a2", "b1", "b2", "score", "side", "fact_surface"]
    report(teams, sides=SHARED, time=WHEN.format(3))
    header = next(csv.reader(io.StringIO(export(teams))))
    members = [f"{side}{n}{of}" for side in "ab" for n in (1, 2) for of in ("", "_share")]
    assert header == ["time", *members, "score", "side", "fact_surface"]
    sides = [{"players": ["Ann", "Bob"], "place": 2}, {"players": ["Cid"], "place": 1}]
    report(heats, sides=sides, time=WHEN.format(1))
    for number, (site, method) in enumerate((
        (teams, {"system": "elo", "side_size": 2}),
        (heats, {"system": "trueskill", "plays": "contests", "side_size": 3}),
    )):  # fmt: skip
        with Site(f"sqlite:///{tmp_path / f'other{number}.db'}", **method) as other:
            told = batch(other, export(site), "text/csv")
            assert told.status_code == 200, told.text
            assert other.ratings() == site.ratings()
            assert export(other) == export(site)


def sides_of(chance: Random, plays: str, shared: bool) -> list[dict[str, Any]]:
    """Sides of one to two of seven players."""
    names = chance.sample(["Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Gil"], 6)
    found: list[dict[str, Any]] = []
    for place in range(2 if plays == "games" else 3):
        who: list[Any] = [names.pop() for _ in range(chance.choice((1, 2, 2)))]
        if shared:
            who[-1] = {"player": who[-1], "share": chance.choice((0.25, 0.5, 1.0))}
        found.append({"players": who} | ({} if plays == "games" else {"place": place + 1}))
    if plays == "games":
        found[0]["score"] = chance.choice((0.0, 0.3, 0.5, 1.0))
    return found


@pytest.mark.parametrize("plays", ["games", "contests"])
@pytest.mark.parametrize(
    ("system", "shared"), [("elo", False), ("elo", True), ("trueskill", True), ("glicko2", False)]
)
def test_same_bits_as_the_batch(tmp_path, system, shared, plays):
    """`prowess rate` reads the export of teams to the same ratings, to the last bit."""
    chance = Random(7)
    url = f"sqlite:///{tmp_path / 'bits.db'}"
    aided = system == "elo" and plays == "games"  # the first side has an advantage, or the second
    method = {"params": {"advantage": 100.0}} if aided else {}
    told = ["--set", "advantage=100", "--sides", "side"] if aided else []
    with Site(url, system=system, side_size=2, plays=plays, **method) as site:
        sent: list[dict[str, Any]] = [
            {"sides": sides_of(chance, plays, shared), "time": WHEN.format(1 + number % 9)}
            for number in range(60)
        ]
        for one in sent if aided else ():
            one["side"] = chance.choice((1, -1, 0))
        assert site.ask("POST", "/results:batch", "submit", json=sent).status_code == 200
        mended = {"sides": sides_of(chance, plays, shared)}
        assert site.ask("PUT", "/results/5", "correct", json=mended).status_code == 200
        site.ask("DELETE", "/results/17", "correct")
        batch = rated(export(site).encode(), "--system", system, *told)
        board = site.get("/categories/main/leaderboard?include=all&limit=100")["items"]
        fields = list(board[0]["values"])
        assert {row["player"]: [row[f] for f in fields] for row in batch} == {
            row["player"]: [row["values"][f] for f in fields] for row in board
        }


@pytest.mark.parametrize("system", ["elo", "glicko2", "trueskill"])
def test_banks_are_the_batch(tmp_path, system):
    """Several values of a constant: teams, a correction and another start, as `--bank` rates it."""
    banks: dict[str, tuple[str, list[float]]] = {
        "elo": ("k", [16, 40]), "glicko2": ("tau", [0.3, 0.9]), "trueskill": ("beta", [2, 6]),
    }  # fmt: skip
    name, values = banks[system]
    chance, url = Random(3), f"sqlite:///{tmp_path / 'bank.db'}"
    told = ["--system", system, "--bank", f"{name}={','.join(map(str, values))}"]

    def same(site: Site) -> None:
        batch = rated(export(site).encode(), *told)
        board = site.get("/categories/main/leaderboard?include=all&limit=100")["items"]
        fields = list(board[0]["values"])
        assert {row["player"]: [row[f] for f in fields] for row in batch} == {
            row["player"]: [row["values"][f] for f in fields] for row in board
        }

    with Site(url, system=system, side_size=2) as site:
        sent = {"params": {name: values}}
        assert site.ask("PATCH", "/categories/main", "admin", json=sent).status_code == 200
        assert site.get("/categories/main")["params"][name] == values
        results = [
            {"sides": sides_of(chance, "games", True), "time": WHEN.format(1 + number % 9)}
            for number in range(40)
        ]
        assert site.ask("POST", "/results:batch", "submit", json=results).status_code == 200
        same(site)
        mended = {"sides": sides_of(chance, "games", False)}
        assert site.ask("PUT", "/results/5", "correct", json=mended).status_code == 200
        same(site)
    with Site(url) as again:
        same(again)
        for wrong in ([], [16, 16], ["x", 2], [[1]]):
            bad: dict[str, Any] = {"params": {name: wrong}}
            assert again.ask("PATCH", "/categories/main", "admin", json=bad).status_code == 422
