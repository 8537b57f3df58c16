"""What people type first, and what the library answers: the remedy, or the right thing."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import prowess
from prowess.errors import BadArgument, BadSetting, UnknownPlayer

GAMES = [("Ann", "Bob", 1), ("Bob", "Cid", 1), ("Cid", "Ann", 1)] * 40
FIXTURES = pd.DataFrame({"home": ["Ann"], "away": ["Bob"], "date": ["2026-03-01"]})


@pytest.fixture(scope="module")
def ratings():
    """Three players under Elo."""
    return prowess.rate(GAMES, "elo")


@pytest.mark.parametrize(
    ("ask", "remedy"),
    [
        (lambda r: r.save("club"), "prowess.save("),
        (lambda r: r.to_csv("club.csv"), '.write("table.csv")'),
        (lambda r: r.to_excel("club.xlsx"), '.write("table.xlsx")'),
        (lambda r: r.leaderboard().to_csv("club.csv"), '.write("table.csv")'),
        (lambda r: r.leaderboard().to_html("club.html"), '.write("table.html")'),
        (lambda r: r.leaderboard().head(), ".to_pandas().head"),
        (lambda r: r.leaderboard().iloc[0], ".to_pandas().iloc"),
        (lambda r: r.leaderboard()["rating"], ".columns['rating']"),
        (lambda r: r.leaderboard().rating, '.columns["rating"]'),
        (lambda r: pd.DataFrame(r.leaderboard()), ".to_pandas()"),
        (lambda r: prowess.history(r, "Ann", since="2020-01-01"), "since"),
        (lambda r: prowess.forecast(r, FIXTURES), 'list(zip(df["home"], df["away"]))'),
        (lambda r: prowess.season(r, fixtures=FIXTURES), 'list(zip(df["home"], df["away"]))'),
        (lambda r: prowess.forecast(r, [["2026-03-01", "Ann", "Bob"]]), "new="),
    ],
)  # fmt: skip
def test_what_is_typed_first_is_answered_with_what_works(ratings, ask, remedy):
    """Methods of data frames, files, frames of fixtures: the error says what to write."""
    with pytest.raises((AttributeError, BadArgument, UnknownPlayer)) as error:
        ask(ratings)
    assert remedy in str(error.value)


def test_the_remedies_work(ratings, tmp_path):
    """What the errors name does what was wanted."""
    pairs = list(zip(FIXTURES["home"], FIXTURES["away"], strict=True))
    assert prowess.forecast(ratings, pairs)["a"] == ["Ann"]
    assert prowess.season(ratings, fixtures=pairs, runs=10) is not None
    ratings.write(tmp_path / "table.xlsx")
    assert ratings.leaderboard().to_pandas()["rating"].tolist() == ratings.leaderboard().columns[
        "rating"
    ]  # fmt: skip
    assert prowess.compare(GAMES, ["elo", "elo:k=40"], progress=False) is not None
    assert prowess.rate(GAMES, "davidson").bootstrap(20) is not None


@pytest.mark.parametrize(
    ("ask", "remedy"),
    [
        (lambda: prowess.tune(GAMES, "elo", k=(5, 60)), 'over={"k": (5, 60)}'),
        (lambda: prowess.compare(GAMES, ["elo", ("elo", {"k": 40})]), '"elo:k=40"'),
        (lambda: prowess.rate(GAMES, "davidson", bootstrap=100), ".bootstrap("),  # type: ignore[call-arg]
        (
            lambda: prowess.rate(
                [{"a": "Ann", "b": "Bob", "score": 1, "len": 3}], "bradley_terry", facts="len"
            ),
            "facts",
        ),
    ],
)
def test_settings_in_the_wrong_place_are_answered_with_the_right_one(ask, remedy):
    """A range, a pair of system and settings, resampling, columns that no formula reads."""
    with pytest.raises((BadArgument, BadSetting)) as error:
        ask()
    assert remedy in str(error.value)


def test_superiority_with_names():
    """Rows and columns are named; the numbers are those of the array, best first."""
    made = prowess.rate([("Bob", "Ann", 1)] * 3 + [("Ann", "Bob", 1)], "bradley_terry")
    table = made.superiority_table()
    assert table["player"] == ["Bob", "Ann"]
    assert table["Ann"][0] == made.superiority(["Bob", "Ann"])[0, 1] > 0.5


def test_a_long_table_says_how_many_rows_it_leaves_out():
    """Ratings, histories and boards, in terminals and notebooks: `... N more` between the ends."""
    made = prowess.rate(prowess.simulate(players=60, games=900, seed=1), "elo")
    assert "... 54 more\n" in str(made)
    assert "... 1,794 more" in str(made.history())
    assert "... 1,780 more" in made.history()._repr_html_()
    assert "... 40 more" in made.leaderboard()._repr_html_()
    player = max(made, key=lambda name: made[name].games)
    assert f"... {made[player].games - 6} more" in str(made.history(player))
    assert "more" not in str(prowess.rate(GAMES, "elo"))


def test_players_alone_are_counted():
    """Members of other roles, such as cars and home advantages, are no players."""
    table = prowess.read_games(
        [{"driver": "Ann", "place": 1, "race": 1, "car": "Red"},
         {"driver": "Bob", "place": 2, "race": 1, "car": "Blue"}],
        with_="car", contest="race", player="driver",
    )  # fmt: skip
    made = prowess.rate(table, "elo")
    assert len(made.players) == 4
    assert len(made) == 2
    assert list(made) == ["Ann", "Bob"]


def test_completion_shows_what_people_call(ratings):
    """`dir` has the public names alone, and each of them is there."""
    shown = [name for name in dir(ratings) if not name.startswith("_")]
    assert not {"p", "now", "watch", "asked", "state", "cells", "play_again"} & {*shown}
    assert {"leaderboard", "history", "forecast", "to_pandas", "write", "notes"} <= {*shown}
    for name in shown:
        if name != "forecast_scores":  # where forecasts were kept
            getattr(ratings, name)


def test_attributes_that_are_missing_harm_nothing(ratings):
    """hasattr, copies and pickles see no attribute that is not there."""
    board = ratings.leaderboard()
    assert not hasattr(board, "__array__")
    assert copy.copy(board).columns == board.columns
    assert pickle.loads(pickle.dumps(ratings)).head() == ratings.head()
    assert np.array_equal(copy.deepcopy(ratings).strength, ratings.strength)


def test_ratings_say_how_their_table_was_read():
    """Notes of the reading come first; the repr has one line with columns that were guessed."""
    rows = {"Heim": ["Anna Lee", "Bob"], "Gast": ["Bob", "Annna Lee"], "Ergebnis": ["2:1", "0:0"]}
    with pytest.warns(prowess.errors.DataWarning):
        made = prowess.rate(rows, "elo")
    assert any("Annna Lee" in note for note in made.notes)
    (line,) = [one for one in repr(made).splitlines() if one.startswith("read as")]
    assert "Heim = home" in line
    assert ".notes" in line
    assert "Heim = home" in made._repr_html_()
    assert len(repr(prowess.rate(GAMES, "elo")).splitlines()) == 1 + 1 + 3  # head, heading, players


def test_values_that_federations_use_are_taken():
    """K = 250 and a start of 5000: a win against an equal is worth 125; nonsense is refused."""
    made = prowess.rate([("Ann", "Bob", 1)], "elo", k=250, start=5000)
    assert (made["Ann"].rating, made["Bob"].rating) == (5125.0, 4875.0)
    with pytest.raises(BadSetting):
        prowess.rate(GAMES, "elo", k=-1)


def test_a_margin_of_nothing_has_no_sign():
    """A drawn game: margin 0 for both, change 0.0."""
    made = prowess.rate({"a": ["Ann"], "b": ["Bob"], "score_a": [1], "score_b": [1]}, "elo")
    for name in ("Ann", "Bob"):
        header, row = made.history(name).cells()
        assert dict(zip(header, row, strict=True))["margin"] == "0"
        assert dict(zip(header, row, strict=True))["change"] == "0.0"


def test_columns_that_are_counted_are_used():
    """Wins, losses and draws make results and weights: they are not among the unused columns."""
    rows = {"a": ["Ann", "Bob", "Cid", "Ann"], "b": ["Bob", "Cid", "Dan", "Dan"],
            "wins": [3, 4, 2, 5], "losses": [2, 0, 3, 1],
            "draws": [1, 0, 2, 2], "hall": ["A", "B", "A", "C"]}  # fmt: skip
    assert prowess.read_games(rows, warn=False).reading.unused == ("hall",)


def test_a_players_own_k_is_not_shown_where_there_is_none():
    """The column k of federation_elo is no part of the printed table: it is 0 by the rules."""
    head, *_ = prowess.rate(GAMES, "federation_elo").leaderboard().cells()
    assert "k" not in head
