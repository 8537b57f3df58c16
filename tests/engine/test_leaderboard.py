"""The leaderboard: ranks, limits, and the forms in which people want to have it."""

from __future__ import annotations

import csv
import io
import json
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pytest import approx

from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.rate import rate
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.systems.catalogue import find
from tests.engine.tables import START, games
from tests.refusals import refused

ELO = find("elo")
ROWS = [("Ada", "Ben", 0.5), ("Ben", "Cleo", 0.5), ("Dan", "Cleo", 0.5), ("Dan", "Eve", 0.5)]
BEGIN = {"Ada": 1600, "Ben": 1550, "Cleo": 1550, "Dan": 1540, "Eve": 1600.5}


@pytest.fixture
def ratings():
    """Five players, two of them equal, who keep the ratings they begin with."""
    table = games(ROWS, time=[START, START + 1, START + 2, START + 3])
    start = {player: {"rating": rating} for player, rating in BEGIN.items()}
    return rate(table, ELO, start=start, params={"k": 0})


def test_equal_ratings_share_the_better_rank(ratings):
    """1, 2, 3, 3, 5; of equals who was seen first stands first."""
    board = ratings.leaderboard()
    assert board.columns["player"] == ["Eve", "Ada", "Ben", "Cleo", "Dan"]
    assert board.columns["rank"] == [1, 2, 3, 3, 5]
    assert board.columns["rating"] == [1600.5, 1600, 1550, 1550, 1540]
    assert [ratings[player].rank for player in board.columns["player"]] == [1, 2, 3, 3, 5]


@pytest.mark.parametrize("top", range(8))
def test_the_top_is_the_beginning(ratings, top):
    """The best few are the first rows of the whole, with the same ranks, even between equals."""
    whole = ratings.leaderboard().rows()
    assert ratings.leaderboard(top).rows() == whole[:top]


def test_players_of_few_games_are_left_out(ratings):
    """`min_games` leaves players out before ranks are given."""
    board = ratings.leaderboard(min_games=2)
    assert board.columns["player"] == ["Ben", "Cleo", "Dan"]
    assert board.columns["rank"] == [1, 1, 3]
    assert board.columns["games"] == [2, 2, 2]


def test_players_long_gone_are_left_out(ratings):
    """`since` keeps who played on that day or later."""
    for since in (START + 2, "2020-01-03", date(2020, 1, 3)):
        board = ratings.leaderboard(since=since)
        assert board.columns["player"] == ["Eve", "Cleo", "Dan"]
        assert board.columns["rank"] == [1, 2, 3]
    with refused(BadArgument, "no_dates"):
        rate(games(ROWS), ELO).leaderboard(since="2020-01-03")
    with refused(BadArgument, "not_a_day", about="yesterday"):
        ratings.leaderboard(since="yesterday")


def test_a_lower_bound_ranks_who_is_better_for_sure():
    """Rating minus 3 deviations is TrueSkill's conservative rating (Herbrich, Minka and Graepel).

    Its Python package `trueskill` 0.4.5 exposes 0.0 for a newcomer, mu = 25 and sigma = 25 / 3, and
    rates the first game of two 29.396 +- 7.171 and 20.604 +- 7.171.
    """
    table = games([("Ada", "Ben", 1.0), ("Cid", "Dan", 1.0), ("Ada", "Ben", 1.0)])
    start = {"Cid": {"rating": 40.0, "deviation": 8.0}, "Dan": {"rating": 40.0, "deviation": 8.0}}
    found = rate(table, find("trueskill"), start=start, params={"tau": 0.0})
    assert found.leaderboard(1).columns["player"] == ["Cid"]
    board = found.leaderboard(lower=3)
    assert list(board.columns) == ["rank", "player", "lower", "rating", "deviation", "games"]
    for name, low in zip(board.columns["player"], board.columns["lower"], strict=True):
        assert low == found[name].rating - 3.0 * found[name].deviation
    assert board.columns["lower"] == sorted(board.columns["lower"], reverse=True)
    assert found.leaderboard(lower=20).columns["player"] != board.columns["player"]
    assert found.leaderboard(lower=0).columns["player"] == found.leaderboard().columns["player"]
    first = rate(games([("Ada", "Ben", 1.0)]), find("trueskill"))
    assert first.leaderboard(lower=3).columns["lower"] == approx(
        [29.396 - 3 * 7.171, 20.604 - 3 * 7.171], abs=0.003
    )


def test_ratings_without_deviations_have_no_lower_bound(ratings):
    """The error names systems that have one; a negative number of deviations is none."""
    with refused(Unratable, "no_deviation", about="elo"):
        ratings.leaderboard(lower=3)
    with refused(BadArgument, "below_range"):
        ratings.leaderboard(lower=-1)


def test_who_has_not_played_yet_is_not_there():
    """As of a day, players of later games have no rank and are not counted, even a high start."""
    table = games(ROWS, time=[START, START + 1, START + 2, START + 3])
    start = {"Eve": {"rating": 2000.0}}
    early = rate(table, ELO, as_of=START, start=start)
    assert early.leaderboard().columns["player"] == ["Ada", "Ben"]
    assert early["Ada"].rank == early["Ben"].rank == 1
    assert early.summary()["players"] == 2
    assert "2 players" in early.head()


def test_nobody_is_left(ratings):
    """A leaderboard may be empty, in every form."""
    board = ratings.leaderboard(min_games=9)
    assert len(board) == 0
    assert board.rows() == []
    assert board.to_csv() == "rank,player,rating,games\n"
    assert str(board).split() == ["rank", "player", "rating", "games"]
    assert len(board.to_pandas()) == len(board.to_polars()) == board.to_arrow().num_rows == 0


def frames(board):
    """The same rows by four roads."""
    yield board.to_pandas().to_dict("records")
    yield board.to_polars().to_dicts()
    yield board.to_arrow().to_pylist()
    yield [
        {
            "rank": int(row["rank"]),
            "player": row["player"],
            "rating": float(row["rating"]),
            "games": int(row["games"]),
        }
        for row in csv.DictReader(io.StringIO(board.to_csv()))
    ]


def test_every_form_holds_the_same_numbers():
    """CSV, pandas, polars and Arrow give every rating to the last bit, and every name as it is."""
    names = ['O"Hara, "Jr."', "Björk\nGuð", " spaced ", "=1+1", "None"]
    rows = [(names[k], names[(k + 1) % 5], 1.0) for k in range(5)]
    board = rate(games(rows), ELO).leaderboard()
    expected = board.rows()
    assert {row["player"] for row in expected} == set(names)
    for rows_of_form in frames(board):
        assert rows_of_form == expected


def test_frames_are_of_their_kind(ratings):
    """Ratings hand out the frames that were asked for."""
    assert isinstance(ratings.to_pandas(), pd.DataFrame)
    assert isinstance(ratings.to_polars(), pl.DataFrame)
    assert isinstance(ratings.to_arrow(), pa.Table)


def test_json_is_strict(ratings):
    """The JSON text has no NaN, holds the whole leaderboard, and reads back to the last bit."""

    def refused(name: str) -> float:
        raise AssertionError(name)

    data = json.loads(ratings.to_json(), parse_constant=refused)
    assert data["leaderboard"] == ratings.leaderboard().rows()
    assert (data["system"], data["params"]["k"], data["games"]) == ("elo", 0.0, 4)
    assert data["as_of"] == "2020-01-04"
    assert len(json.loads(ratings.to_json(2))["leaderboard"]) == 2


def test_tables_for_people_are_rounded_and_aligned(ratings):
    """Names stand to the left, numbers to the right, ratings with one decimal."""
    lines = str(ratings.leaderboard(3)).splitlines()
    assert lines == [
        "rank  player  rating  games",
        "   1  Eve     1600.5      1",
        "   2  Ada     1600.0      1",
        "   3  Ben     1550.0      2",
    ]


def test_the_summary_fits_a_terminal(ratings):
    """Shown by itself, ratings are one line of what they are and the ten best."""
    head, *table = repr(ratings).splitlines()
    assert head == "elo, 4 games, 5 players, as of 2020-01-04"
    assert len(table) == 6


def test_html_escapes_names():
    """A name cannot carry markup into a page."""
    ratings = rate(games([("<script>alert(1)</script>", "A&B", 1.0)]), ELO)
    for html in (ratings._repr_html_(), ratings.leaderboard()._repr_html_()):
        assert "<script>" not in html
        assert "&lt;script&gt;" in html
        assert "A&amp;B" in html


def test_an_unknown_player_is_named(ratings):
    """A name that is not there is refused with the nearest that is."""
    with refused(UnknownPlayer, "unknown_player", about=("Cleo", "Cloe")):
        ratings["Cloe"]
    with refused(UnknownPlayer, "unknown_player", about="Zachary"):
        ratings.forecast("Ada", "Zachary")
    assert "Cloe" not in ratings
    assert "Cleo" in ratings


def test_columns_are_the_systems_own():
    """Glicko-2 has its three values, and a system that counts games itself shows them once."""
    assert list(rate(games(ROWS), find("glicko2")).leaderboard().columns) == [
        "rank",
        "player",
        "rating",
        "deviation",
        "volatility",
        "games",
    ]
    board = rate(games(ROWS), find("ics")).leaderboard()
    assert list(board.columns).count("games") == 1
    assert [int(n) for n in board.columns["games"]] == [
        {"Ada": 1, "Ben": 2, "Cleo": 2, "Dan": 2, "Eve": 1}[p] for p in board.columns["player"]
    ]


def test_many_equal_ratings_share_one_rank():
    """Only the best are sorted, and equals at the edge are still counted right."""
    count = 2_000
    rows = [(f"p{k}", f"q{k}", 0.5) for k in range(count)]
    board = rate(games_of(rows), ELO).leaderboard(5)
    assert board.columns["rank"] == [1] * 5
    assert board.columns["player"] == ["p0", "q0", "p1", "q1", "p2"]


def games_of(rows):
    """A table of pairs who meet once; `games` would look every name up."""
    from prowess.games.games import Games

    players = [name for a, b, _ in rows for name in (a, b)]
    number = np.arange(len(players), dtype=np.uint32)
    return Games(players, number[::2].copy(), number[1::2].copy(), np.full(len(rows), 0.5))


def test_a_standing_shows_its_games():
    """One player: rank, values and the count of games."""
    ratings = rate(games([("Ada", "Ben", 1.0), ("Ada", "Ben", 1.0)]), find("elo"))
    assert repr(ratings["Ben"]).startswith("<Ben: rank 2, rating=")
    assert repr(ratings["Ben"]).endswith(", games=2>")
