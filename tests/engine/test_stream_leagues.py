"""Leagues of a stream: the same bits after any stop, and for any last day."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prowess
from prowess.engine.streams.checkpoint import BadCheckpoint
from prowess.engine.system import Unratable
from prowess.games.errors import BadData
from prowess.games.stream import open_stream
from tests.refusals import refused

HEAD = "date,league,season,a,b,score"


class StopHere(Exception):
    """Ends a run between two pieces."""


@pytest.fixture(autouse=True)
def pieces(monkeypatch):
    """Streams come in pieces of 7 games."""
    monkeypatch.setitem(open_stream.__kwdefaults__, "rows_a_piece", 7)


def write_games(folder: Path, rows: range) -> None:
    """A file of games of a table in which leagues and players come and go."""
    rng = np.random.default_rng(3)
    pairs = [rng.choice(9, 2, replace=False) + k // 25 for k in range(100)]
    lines = [
        f"2024-{1 + k // 28:02}-{1 + k % 28:02},L{k * k % 3 + k // 40},{2020 + k % 2},"
        f"P{pairs[k][0]},P{pairs[k][1]},{k % 3 / 2}"
        for k in rows
    ]
    folder.mkdir(exist_ok=True)
    (folder / f"{rows[0]:03}.csv").write_text("\n".join([HEAD, *lines]) + "\n")


@pytest.mark.parametrize("as_of", [None, "2024-02-20"])
@pytest.mark.parametrize(("system", "period"), [("elo", None), ("glicko2", None), ("glicko", "7d")])
def test_a_stopped_run_goes_on(tmp_path, system, period, as_of):
    """With the bits of the table in memory; further files are rated onto it."""
    games = tmp_path / "games"
    about: dict[str, Any] = {"by": ["league", "season"], "period": period, "as_of": as_of}
    asked = {"resume": tmp_path / "run", "checkpoint_every": 0.0, **about}
    for rows in (range(30), range(30, 70), range(70, 100)):
        write_games(games, rows)
        for stop in (2, 3):
            number = count(1)

            def watch(*_: int, stop: int = stop, number: Any = number) -> None:
                if next(number) == stop:
                    raise StopHere

            with pytest.raises(StopHere):
                prowess.rate_leagues(games, system, progress=watch, **asked)
        whole = prowess.rate_leagues(games, system, **about)
        for _ in range(2):
            found = prowess.rate_leagues(games, system, **asked)
            assert found.to_csv() == whole.to_csv()
            assert found.unrated == whole.unrated
            read = found.tables.table.reading
            assert read.lines(200)[:2] == whole.tables.table.reading.lines(200)[:2]
            assert read.rows == rows[-1] + 1
    for league in whole.leagues:
        assert found[league].to_csv() == whole[league].to_csv()


def test_leagues_of_another_run_are_refused(tmp_path):
    """A folder is of the leagues with which it was begun."""
    write_games(tmp_path / "games", range(20))
    about: dict[str, Any] = {"system": "elo", "resume": tmp_path / "run"}
    prowess.rate_leagues(tmp_path / "games", by="league", **about)
    with refused(BadCheckpoint, "another_run", about=("league", "season")):
        prowess.rate_leagues(tmp_path / "games", by="season", **about)
    with refused(BadCheckpoint, "another_run", about="league"):
        prowess.rate(tmp_path / "games", **about)


def test_leagues_without_games_as_of_a_day_are_named(tmp_path):
    """With the reasons that are given of a table in memory."""
    write_games(tmp_path / "games", range(100))
    about: dict[str, Any] = {"system": "elo", "by": "league"}
    found = prowess.rate_leagues(tmp_path / "games", as_of="2024-01-20", memory="1GB", **about)
    whole = prowess.rate_leagues(tmp_path / "games", as_of="2024-01-20", **about)
    assert [*found.unrated] == ["L2", "L3"]
    assert found.unrated == whole.unrated
    with refused(Unratable, "league_not_rated", about=("2024-0", "as_of")):
        found["L2"]
    with refused(Unratable, "empty_table", about=("2024-01-01", "as_of")):
        prowess.rate_leagues(tmp_path / "games", as_of="2023-01-20", memory="1GB", **about)


def test_a_game_without_a_league_is_counted_in_its_piece(tmp_path):
    """Also where the reader meets it while pieces before it are played."""
    file = tmp_path / "games.csv"
    write_column(file, "league", ["North"] * 40 + [""] + ["South"] * 19)
    with refused(BadData, "league_missing", about=("--exclude", "league=")):
        prowess.rate_leagues(file, "elo", memory="1GB")


def write_column(file: Path, heading: str, words: list[str]) -> None:
    """A file of 60 games, a day each, whose league is one of some words in turn."""
    days = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]")
    lines = [
        f"{day},{words[k % len(words)]},P{k % 7},Q{k % 4},{k % 3 / 2}" for k, day in enumerate(days)
    ]
    file.write_text("\n".join([f"date,{heading},a,b,score", *lines]) + "\n")


@pytest.mark.parametrize(
    ("words", "leagues"),
    [
        (["01", "2", "3.0", "1", "-0", "0"], ("1", "2", "3", "0")),
        (["0.5", "0,50", "0.1", "0.10000000000000001"], ("0.5", "0.1")),
        (["2023-01-05", "5.1.2023"], ("2023-01-05", "5.1.2023")),
        (["North  West", " North West", "A/B"], ("North West", "A/B")),
    ],
)
def test_one_league_of_a_stream_is_found_by_its_name(tmp_path, words, leagues):
    """However its cells are spelt: the games of each are those of the table in memory."""
    file = tmp_path / "games.csv"
    write_column(file, "division", [f'"{word}"' for word in words])
    for as_of in (None, "2024-01-31"):
        about: dict[str, Any] = {"system": "glicko", "by": "division", "as_of": as_of}
        found = prowess.rate_leagues(file, memory="1GB", **about)
        whole = prowess.rate_leagues(file, **about)
        assert found.leagues == whole.leagues == leagues
        for league in leagues:
            assert found[league].to_csv() == whole[league].to_csv()
            assert found[league].head() == whole[league].head()
            assert list(found[league].players) == list(whole[league].players)
