"""The rules against inflation, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import prowess

LEAGUE = """\
date,player_a,player_b,result
2020-01-10,ada,ben,1
2020-01-20,ben,cy,1
2020-02-10,ada,cy,1
2020-08-10,ben,cy,0.5
2021-03-10,ben,cy,1
2021-09-10,cy,ben,1
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Ada wins twice and is not seen again."""
    file = tmp_path / "league.csv"
    file.write_text(LEAGUE, encoding="utf-8")
    return file


def ratings(*arguments: object) -> dict[str, float]:
    done = prowess("rate", *arguments, "--system", "elo", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["leaderboard"]
    return {row["player"]: row["rating"] for row in rows}


def test_the_departed_leave_their_gain(league: Path) -> None:
    """Those who stay have together what all had at birth: two newcomers' 3000."""
    plain, ruled = ratings(league), ratings(league, "--departed-after", "1y")
    assert plain["ben"] + plain["cy"] < 2990
    assert ruled["ben"] + ruled["cy"] == pytest.approx(3000, abs=1e-9)
    assert ruled["ada"] == plain["ada"]  # what he left with


def test_stated_departures(league: Path, tmp_path: Path) -> None:
    """A file of departures says the same for named players."""
    file = tmp_path / "left.csv"
    file.write_text("player,date\nada,2020-03-01\n", encoding="utf-8")
    ruled = ratings(league, "--departures", file)
    assert ruled["ben"] + ruled["cy"] == pytest.approx(3000, abs=1e-9)


def test_newcomers_mean(league: Path) -> None:
    """Newcomers of a month are shifted to the stated mean, and all ratings with them."""
    ruled = ratings(league, "--newcomers-mean", "1200")
    assert sum(ruled.values()) == pytest.approx(3600, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player,date\nada,2020-13-01\n", 'line 2, column "date"'),
        ("player,day\nada,2020-03-01\n", "the columns are not player and date"),
        ("player,date\nada\n", "1 value where the header has 2"),
        ("player,date\neve,2020-03-01\n", "no player 'eve' in it"),
        ("player,date\nada,2019-03-01\n", "the departure of 'ada', 2019-03-01"),
        ("player,date\nada,2020-03-01\nada,2020-04-01\n", "has left before"),
    ],
)
def test_bad_departures(league: Path, tmp_path: Path, text: str, said: str) -> None:
    """A file of departures that cannot be used is refused, naming the place."""
    file = tmp_path / "left.csv"
    file.write_text(text, encoding="utf-8")
    done = prowess("rate", league, "--system", "elo", "--departures", file)
    assert done.returncode == 3
    assert said in done.stderr


def test_only_where_a_sum_is_kept(league: Path) -> None:
    """A system that keeps no sum is refused, and so is a span nobody can read."""
    done = prowess("rate", league, "-s", "glicko", "--departed-after", "1y")
    assert done.returncode == 2
    assert "keeps the sum" in done.stderr
    assert prowess("rate", league, "--departed-after", "soon").returncode == 2


def test_departures_after_the_last_game_count(league: Path, tmp_path: Path) -> None:
    """Who leaves on or after the last day leaves his gain all the same."""
    file = tmp_path / "left.csv"
    file.write_text("player,date\nben,2021-09-10\n", encoding="utf-8")
    plain, ruled = ratings(league), ratings(league, "--departures", file)
    share = (plain["ben"] - 1500) / 2
    assert ruled["ada"] == pytest.approx(plain["ada"] + share, abs=1e-9)


def test_rows_may_stand_in_any_order(tmp_path: Path) -> None:
    """Players whose last day is the same leave in an order that the file does not decide."""
    games = [
        "2020-01-01,An,Bo,An", "2020-01-02,Cy,Di,Cy", "2020-01-03,An,Cy,An", "2020-01-04,Bo,An,An",
        "2022-01-05,Cy,Di,Cy",
    ]  # fmt: skip
    both = []
    for rows in (games, games[::-1]):
        file = tmp_path / "table.csv"
        file.write_text("\n".join(["date,player1,player2,winner", *rows]), encoding="utf-8")
        both.append(ratings(file, "--departed-after", "1y"))
    assert both[0] == both[1]
