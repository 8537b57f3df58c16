"""The exported table, rated by the real command line, gives the ladder's ratings bit for bit."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import Any

import pytest

from prowess.games.names import is_bare
from tests.cli.command import answered
from tests.live.api.site import Site

PLAYERS = ("Ada", "Ben", "Cleo", 'Dan "the Man"', "Eve, of Ely", "Žofie")


def games(count: int, seed: int, **kept: bool) -> list[dict[str, Any]]:
    """Games of six players at any microsecond of three years, in no order of time."""
    chance = Random(seed)
    found = []
    for _ in range(count):
        a, b = chance.sample(PLAYERS, 2)
        score = chance.choice([0.0, 0.5, 1.0])
        time = (
            f"202{chance.randrange(3)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
            f"T{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}"
            f".{chance.randrange(10**6):06}Z"
        )
        one = {"player_a": a, "player_b": b, "score": score, "time": time}
        if kept.get("side"):
            one["side"] = chance.choice([-1, 0, 1])
        if kept.get("weight"):
            one["weight"] = chance.choice([0.5, 1, 2])
        found.append(one)
    return found


def rated(table: bytes, *options: str) -> list[dict[str, Any]]:
    """The leaderboard that `prowess rate` prints for a table on its standard input."""
    printed = answered("rate", "-", "--format", "csv", "--json", *options, stdin=table)
    rows: list[dict[str, Any]] = json.loads(printed)["leaderboard"]
    return rows


@pytest.mark.parametrize(
    ("system", "period", "kept"),
    [
        ("elo", None, {"side": True, "weight": True}),
        ("glicko", None, {}),  # its deviations grow with time: every bit of it counts
        ("glicko2", "1mo", {"side": True}),
        ("bradley_terry", None, {"weight": True}),
    ],
)
def test_same_bits(sqlite_url, system, period, kept):
    """Every value of every player is the same number, also after corrections and a merger."""
    with Site(sqlite_url, system=system, period=period) as site:
        sent = games(400, seed=1, **kept)
        answer = site.ask("POST", "/results:batch", "submit", json=sent)
        assert answer.status_code == 200, answer.text
        site.ask("DELETE", "/results/17", "correct")
        site.ask("PUT", "/results/5", "correct", json=sent[4] | {"score": 0.25})
        # 653,179,902,670,889 microseconds: other in the last bit when divided at once
        site.report("Fay", "Ada", time="1990-09-12T23:05:02.670889Z")
        into = {"into": "Eve, of Ely"}
        assert site.ask("POST", "/players/Fay:merge", "admin", json=into).is_success
        assert site.ask("POST", "/players/Ben:rename", "admin", json={"name": "Gil"}).is_success
        site.journal.ladder("main").settle()
        answer = site.ask("GET", "/export?category=main")
        assert answer.headers["prowess-revision"] == str(site.journal.revision)
        options = ["--system", system, *(["--period", period] if period else [])]
        options += ["--sides", "side"] if kept.get("side") else []
        batch = rated(answer.content, *options)
        board = site.get("/categories/main/leaderboard?limit=1000&include=all")["items"]
        fields = list(board[0]["values"])
        assert [[row["player"], *(row[f] for f in fields)] for row in batch] == [
            [row["player"], *(row["values"][f] for f in fields)] for row in board
        ]


@pytest.mark.parametrize("system", ["weng_lin", "glicko2"])  # the second counts days
def test_same_bits_of_contests(sqlite_url, system):
    """The same for contests, a row for each player: dates are known, no points are empty."""
    chance = Random(3)
    with Site(sqlite_url, plays="contests", system=system) as site:
        for day in range(1, 20):
            placings = [
                {"player": name, "place": place + 1} | ({"points": 10 - place} if day > 9 else {})
                for place, name in enumerate(chance.sample(PLAYERS, 4))
            ]
            sent = {"placings": placings, "time": f"2024-02-{day:02}T10:00:00.000001Z"}
            assert site.ask("POST", "/results", "submit", json=sent).status_code == 201
        table = site.ask("GET", "/export").content
        assert table.decode().splitlines()[0] == "contest,date,player,place,points"
        assert b"nan" not in table
        batch = rated(table, "--system", system)
        board = site.get("/categories/main/leaderboard?include=all")["items"]
        fields = list(board[0]["values"])
        assert [[row["player"], *(row[f] for f in fields)] for row in batch] == [
            [row["player"], *(row["values"][f] for f in fields)] for row in board
        ]
        again = site.ask(
            "POST", "/results:batch?dry_run=1", "submit", content=table,
            headers={"Content-Type": "text/csv"},
        )  # fmt: skip
        assert again.json()["counts"]["recorded"] == 19


def test_as_known_then(site):
    """With `revision` and `as_of` an export leaves out what came in and what was played later."""
    site.filled()
    revision = site.journal.revision
    site.ask("DELETE", "/results/2", "correct")
    site.report("Ada", "Fay")

    def numbers(query: str) -> list[int]:
        lines = site.ask("GET", f"/export?format=ndjson&{query}").text.splitlines()
        return [json.loads(line)["id"] for line in lines]

    assert numbers("") == [1, 3, 4, 5, 6, 7]
    assert numbers(f"revision={revision}") == [1, 2, 3, 4, 5, 6]
    assert numbers(f"revision={revision}&as_of=2024-01-03") == [1, 2, 3]
    assert numbers("as_of=2024-01-03T12:00:00Z") == [1, 3]
    table = site.ask("GET", f"/export?revision={revision}&as_of=2024-01-03")
    assert len(table.text.splitlines()) == 4
    assert table.headers["prowess-revision"] == str(revision)
    late = site.get("/export?revision=99", 404)
    assert late["detail"] == f"give a revision from 1 to {site.journal.revision}"


def test_lines_and_parquet(site, tmp_path):
    """JSON lines and Parquet hold the results that count, and no others."""
    from pyarrow import parquet

    sent = site.filled()
    site.ask("DELETE", "/results/2", "correct")
    lines = site.ask("GET", "/export?format=ndjson").text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 3, 4, 5, 6]
    file = tmp_path / "results.parquet"
    file.write_bytes(site.ask("GET", "/export?format=parquet").content)
    rows = parquet.read_table(file).to_pylist()
    assert [row["player_a"] for row in rows] == [
        one["player_a"] for at, one in enumerate(sent) if at != 1
    ]


def test_only_what_was_known(site, monkeypatch):
    """What is entered while an export is being read is not in it."""
    from prowess.live.api import exports

    site.filled()
    monkeypatch.setattr(exports, "BATCH_RESULTS", 2)
    category, revision = site.journal.category("main"), site.journal.revision
    parts = exports.Extract(site.journal, category, revision).write_ndjson()
    read = [next(parts)]
    site.ask("DELETE", "/results/5", "correct")
    site.report("Ada", "Fay")
    read += list(parts)
    numbers = [json.loads(line)["id"] for line in b"".join(read).splitlines()]
    assert numbers == [1, 2, 3, 4, 5, 6]


RISKY = ('=HYPERLINK("http://x","y")', "+x", "-x", "@SUM(1)", "'=x", "'Ada", "-5")


def test_no_cell_is_a_formula(sqlite_url, tmp_path):
    """No CSV holds a cell that a spreadsheet runs; names and ratings come back bit for bit."""
    with Site(sqlite_url, system="glicko") as site:
        for k, name in enumerate(RISKY):
            site.report(name, RISKY[k - 1], round=name, external_id=name, time=f"2024-01-0{k + 1}")
        texts = {
            path: site.ask("GET", path).text
            for path in (
                "/export?category=main",
                "/results.csv",
                "/players.csv",
                "/categories/main/leaderboard.csv",
                "/categories/main/pairings.csv",
            )
        }
        ratings = site.ratings()
    assert set(ratings) == set(RISKY)
    for path, text in texts.items():
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert len(rows) > 3, path
        assert not [cell for row in rows for cell in row if is_bare(cell)], path
    assert {row["player"]: row["rating"] for row in rated(
        texts["/export?category=main"].encode(), "--system", "glicko"
    )} == ratings  # fmt: skip
    with Site(f"sqlite:///{tmp_path / 'again.db'}", system="glicko") as again:
        answer = again.ask(
            "POST",
            "/results:batch",
            "submit",
            content=texts["/export?category=main"].encode(),
            headers={"Content-Type": "text/csv"},
        )
        assert answer.status_code == 200, answer.text
        assert again.ratings() == ratings
        first = again.get("/results?order=oldest")["items"][0]
        assert first["round"] == RISKY[0]


def test_a_leaderboard_to_start_from(tmp_path):
    """A leaderboard that holds such names is read as the ratings to begin with."""
    board = tmp_path / "board.csv"
    board.write_text(
        "player,rating\n'=x,1600.0\nAda,1400.0\n", encoding="utf-8"
    )  # as a server says
    found = rated(b"player_a,player_b,score\n'=x,Ada,1\n", "--start", str(board))
    rows = {row["player"]: row["rating"] for row in found}
    assert rows["=x"] > 1600.0
