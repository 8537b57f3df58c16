"""Columns of forecasts from elsewhere: chances, percentages and bookmakers' odds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.games import BadData, read_games
from prowess.games.formats.reader_options import label_columns
from tests.refusals import refused

HEAD = "date,home,away,result,one,H,D,A\n"
LINES = (
    "2024-01-02,Ada,Ben,1-0,0.6,2.0,4.0,4.0",
    "2024-01-01,Ben,Ada,1/2-1/2,,,,",
    "2024-01-03,Cy,Ada,0-1,1,1.5,5.0,6.0",
)


def table(tmp_path, *lines: str, head: str = HEAD, **options):
    """A file of these lines, read."""
    file = tmp_path / "games.csv"
    file.write_text(head + "\n".join(lines or LINES) + "\n", encoding="utf-8")
    return read_games(str(file), **options)


def test_a_column_of_chances_is_kept_in_order_of_time(tmp_path):
    """An empty cell is nan, and a row keeps its forecast when rows are put in order."""
    games = table(tmp_path, forecast="one")
    assert games.facts["one"].tolist() == approx([np.nan, 0.6, 1.0], nan_ok=True)
    assert any("from 0 to 1; 1 of 3 rows are empty" in note for note in games.notes)


@pytest.mark.parametrize("cells", [("60", "", "100"), ("60%", "", "100 %"), ("60.0", "", "1e2")])
def test_percentages_are_chances(tmp_path, cells):
    """60, 60 % and 0.6 are the same chance, and the note says what was taken."""
    lines = [",".join([*line.split(",")[:4], cell, "", "", ""])
             for line, cell in zip(LINES, cells, strict=True)]  # fmt: skip
    games = table(tmp_path, *lines, forecast="one")
    assert games.facts["one"].tolist() == approx([np.nan, 0.6, 1.0], nan_ok=True)


def test_odds_lose_their_overround_in_proportion(tmp_path):
    """By hand: 2, 4, 4 have none; 1.5, 5, 6 are 2/3, 1/5, 1/6, whose sum is 31/30."""
    games = table(tmp_path, odds=("H", "D", "A"))
    win, draw = (2 / 3) / (31 / 30), (1 / 5) / (31 / 30)
    assert games.facts["odds"].tolist() == approx([np.nan, 0.625, win + draw / 2], nan_ok=True)
    assert games.facts["odds draw"].tolist() == approx([np.nan, 0.25, draw], nan_ok=True)
    (note,) = [note for note in games.notes if "overround" in note]
    assert "1.7 % on average, 0.0 to 3.3 %" in note
    assert "proportionally" in note


def test_chances_of_three_outcomes(tmp_path):
    """Win, draw and loss in percent; rounded ones are divided by their sum."""
    head = "home,away,result,w,d,l\n"
    games = table(tmp_path, "Ada,Ben,1-0,50,30,21", "Ben,Ada,1-0,20,30,50", head=head,
                  forecast={"mine": ("w", "d", "l")})  # fmt: skip
    assert games.facts["mine"].tolist() == approx([(50 + 15) / 101, 0.35])
    assert games.facts["mine draw"].tolist() == approx([30 / 101, 0.3])


@given(odds=st.lists(st.floats(1.01, 1000.0), min_size=2, max_size=3))
def test_every_price_is_worth_the_same(odds):
    """Proportional normalisation: chances times odds are equal for all outcomes of a game."""
    total = sum(1.0 / price for price in odds)
    if not 0.81 <= total <= 1.99:
        return
    names = ["w", "d", "l"] if len(odds) == 3 else ["w", "l"]
    row = {"a": "Ada", "b": "Ben", "result": 1, **dict(zip(names, odds, strict=True))}
    games = read_games([row], odds={"book": names}, warn=False)
    expected = float(games.facts["book"][0])
    draw = float(games.facts["book draw"][0]) if len(odds) == 3 else 0.0
    chances = [expected - draw / 2, *([draw] if len(odds) == 3 else []), 1 - expected - draw / 2]
    worth = [chance * price for chance, price in zip(chances, odds, strict=True)]
    assert worth == approx([1.0 / total] * len(odds), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        (["B365H", "B365D", "B365A"], "B365"),
        (["home_odds", "draw_odds", "away_odds"], "odds"),
        (["H", "D", "A"], "odds"),
        (["avg_h", "avg_a"], "avg"),
    ],
)
def test_odds_are_called_after_their_columns(columns, label):
    """What the names of the columns share is the name of the forecast."""
    assert label_columns("odds", columns) == label


@pytest.mark.parametrize(
    ("cells", "options", "words"),
    [
        ("1.2,,,", {"forecast": "one"}, "write it from 0 to 1, or the whole column in percent"),
        ("-0.1,,,", {"forecast": "one"}, "write a chance from 0 to 1"),
        ("101,,,", {"forecast": "one"}, "write a chance from 0 to 1"),
        ("maybe,,,", {"forecast": "one"}, '"maybe" is not a number'),
        (",1.0,4,4", {"odds": ("H", "D", "A")}, '"1.0" is not above 1'),
        (",5/2,4,4", {"odds": ("H", "D", "A")}, "write the decimal odds 3.5"),
        (",+150,4,4", {"odds": ("H", "D", "A")}, "write the decimal odds 2.5"),
        (",-200,4,4", {"odds": ("H", "D", "A")}, "write the decimal odds 1.5"),
        (",2,4,4", {"odds": ("H", "A")}, "of the draw too"),
        (",0.5,0.2,0.2", {"forecast": ("H", "D", "A")}, "add up to 0.9"),
        (",0.2,0.5,0", {"forecast": ("H", "D")}, "does not fit an expected score"),
    ],
)
def test_a_wrong_cell_is_named(tmp_path, cells, options, words):
    """One error with the remedy first, and file, line and column."""
    good = "Ada,Ben,1-0,0.5,0.5,0.3,0.2" if "forecast" in options else "Ada,Ben,1-0,0.5,2.1,3.5,2.2"
    if options == {"odds": ("H", "A")}:
        good = good.replace("2.1", "1.8")
    lines = [good] * 3 + [f"Ben,Ada,1-0,{cells}"]
    with pytest.raises(BadData) as raised:
        table(tmp_path, *lines, head=HEAD.removeprefix("date,"), **options)
    text = str(raised.value)
    assert words in text
    assert "games.csv, line 5, column" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"forecast": "H"}, "name decimal odds with odds="),
        ({"odds": "H"}, "name WIN,DRAW,LOSS or WIN,LOSS"),
        ({"odds": ("H", "D", "away_odds")}, 'odds= names column "away_odds", which is not there'),
        ({"forecast": {"result": "one"}, "facts": "result"}, "give it another"),
    ],
)
def test_wrong_columns_are_refused(tmp_path, options, words):
    """Odds as chances, one price alone, an unknown column, a name that is taken."""
    with pytest.raises(BadData) as raised:
        table(tmp_path, **options)
    assert words in str(raised.value)


def test_win_and_loss_are_no_expected_score_and_draw(tmp_path):
    """Two columns that add up to 1 in every row are win and loss: the first alone says it."""
    head = "home,away,result,w,l\n"
    with refused(BadData, "win_and_loss_not_draw"):
        table(tmp_path, "Ada,Ben,1-0,0.6,0.4", "Ben,Ada,1-0,0.3,0.7", head=head,
              forecast=("w", "l"))  # fmt: skip


def test_bad_forecasts_can_be_left_out(tmp_path):
    """With `skip_bad` the rows that contradict themselves go, and are counted."""
    bad = "2024-01-04,Cy,Ben,1-0,,1.1,1.1,1.1"
    games = table(tmp_path, *LINES, bad, odds=("H", "D", "A"), skip_bad=1)
    assert len(games) == 3
    assert games.left_out == 1


def test_contests_have_no_forecasts(tmp_path):
    """A forecast is of a game of two sides."""
    with refused(BadData, "forecasts_of_contests"):
        table(tmp_path, "r1,Ada,1,0.5", "r1,Ben,2,0.5", head="race,driver,position,p\n",
              forecast="p")  # fmt: skip


def test_frames_have_forecasts_too():
    """NaN of pandas is an empty cell; Arrow's null as well."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"player_a": ["Ada", "Ben"], "player_b": ["Ben", "Ada"], "result": [1, 0], "p": [0.7, None]}
    )
    assert read_games(frame, forecast="p").facts["p"].tolist() == approx([0.7, np.nan], nan_ok=True)
    pyarrow = pytest.importorskip("pyarrow")
    arrow = read_games(pyarrow.Table.from_pandas(frame), forecast="p")
    assert arrow.facts["p"].tolist() == approx([0.7, np.nan], nan_ok=True)
