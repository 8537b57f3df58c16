"""Results such as 2-1: score, points and margin; and results with a decimal comma."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, strategies as st

from prowess.compile import kernel
from prowess.games import BadData, read_games
from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.formats import delimited
from tests.cli.command import answered
from tests.games.refusing import place_first
from tests.refusals import refused

READERS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not kernel.available(), reason="no compiler")),
]


def read(results, compiled=False, **options):
    """A table of games with these results."""
    text = "a;b;result\n" + "".join(f"A;B;{result}\n" for result in results)
    return read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled, **options)


@pytest.mark.parametrize("compiled", READERS)
def test_points_and_margins(compiled):
    """A column of scorelines is read as the points of both sides."""
    games = read(["1-0", "0-0", "2-1", "0:3", "2 – 2", "10-9"], compiled)
    assert games.score.tolist() == [1.0, 0.5, 1.0, 0.0, 0.5, 1.0]
    assert games.points_a.tolist() == [1.0, 0.0, 2.0, 0.0, 2.0, 10.0]
    assert games.points_b.tolist() == [0.0, 0.0, 1.0, 3.0, 2.0, 9.0]
    assert games.margin.tolist() == [1.0, 0.0, 1.0, -3.0, 0.0, 1.0]


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("others", [["1/2-1/2"], ["win"], ["0,5"], ["1"], ["1.0-0.0"]])
def test_mixed_results(compiled, others):
    """Where other results stand in the column as well, a scoreline is only a score."""
    games = read(["2-1", *others, "0-2"], compiled)
    assert [games.score[0], games.score[2]] == [1.0, 0.0]
    assert games.points_a is None
    assert games.margin is None


@pytest.mark.parametrize("compiled", READERS)
def test_chess_counts_no_points(compiled):
    """Results of chess alone are no points."""
    games = read(["1-0", "0-1", "1-0"], compiled)
    assert games.score.tolist() == [1.0, 0.0, 1.0]
    assert games.points_a is None


@pytest.mark.parametrize("compiled", READERS)
@pytest.mark.parametrize("skip_bad", [False, "all"])
@pytest.mark.parametrize("others", [["1-0", "0-1"], ["1-0", "1/2-1/2"]])
def test_nobody_knows_what_0_0_is(compiled, skip_bad, others):
    """0-0 among results of chess is refused, by its place: it may be a lost game for both."""
    with pytest.raises(BadData) as error:
        read([*others, "0-0", "0-0"], compiled, skip_bad=skip_bad)
    assert place_first(error.value).startswith(
        'the stream, line 4, column "result": "0-0" may be a draw'
    )
    games = read([*others, "0-0"], compiled, exclude={"result": "0-0"})
    assert len(games) == 2


def test_a_margin_of_its_own():
    """A column of margins stays what it is beside scorelines, and may not contradict them."""
    columns = {"a": ["A"], "b": ["B"], "result": ["2-1"]}
    assert read_games(columns | {"margin": [5]}).margin.tolist() == [5.0]
    with refused(BadData, "margin_contradicts"):
        read_games(columns | {"margin": [-1]})


@pytest.mark.parametrize("compiled", READERS)
def test_decimal_commas(compiled):
    """Half a point may be written 0,5, and points may have a decimal comma."""
    assert read(["1", "0,5", "0", "0,25"], compiled).score.tolist() == [1.0, 0.5, 0.0, 0.25]
    text = "home;away;home_score;away_score\nA;B;1,5;2\nA;B;2,5;1,5\n"
    games = read_games(io.BytesIO(text.encode()), format="csv", compiled=compiled)
    assert games.points_a.tolist() == [1.5, 2.5]
    assert games.score.tolist() == [0.0, 1.0]
    with refused(BadData, "comma_ambiguous", about=("1,500", "1500", "1.500")):
        read_games(
            io.BytesIO(text.replace("1,5;2", "1,500;2").encode()), format="csv", compiled=compiled
        )


RESULTS = ["1-0", "0-1", "0-0", "1-1", "2-1", "0:3", "1/2-1/2", "win", "1", "0,5", "", "x"]


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@given(st.lists(st.sampled_from(RESULTS), min_size=1), st.sampled_from([False, "all"]))
def test_readers_agree(results, skip_bad):
    """Both readers make the same of any mixture of results, whatever stands in which chunk."""
    before = delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME
    made = []
    for compiled, chunk in ((False, before), (True, before), (True, (50, 3))):
        delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME = chunk
        try:
            games = read(results, compiled, skip_bad=skip_bad)
            made.append({name: column.tolist() for name, column in games.columns.items()})
        except BadData as fault:
            made.append(str(fault))
        finally:
            delimited.CSV_BUFFER, delimited.ROWS_AT_A_TIME = before
    assert made[0] == made[1] == made[2]


def test_results_on_the_command_line(tmp_path):
    """Half points with a comma and scorelines are rated; no row has to be left out."""
    file = tmp_path / "games.csv"
    for results in (["1", "0,5", "0,5", "0"], ["2-1", "0:0", "1-1", "0-3"]):
        file.write_text("a;b;result\n" + "".join(f"Ann;Bob;{one}\n" for one in results), "utf-8")
        answer = json.loads(answered("rate", file, "--json"))
        assert (answer["games"], answer["left_out"]) == (4, 0)
        ratings = {row["player"]: row["rating"] for row in answer["leaderboard"]}
        assert ratings["Ann"] < ratings["Bob"]  # a win, two draws from above, and a loss from above


@pytest.mark.parametrize(
    "mark", ["2OT", "(2OT)", "(3 OT)", "/2OT", "F/OT", "(F/2OT)", "OT2", "(double OT)", "11 inn."]
)
def test_counted_overtimes(mark):
    """The number of overtimes or innings behind a score is no part of it."""
    games = read([f"81-77 {mark}", "70-71"])
    assert games.points_a.tolist() == [81.0, 70.0]
    assert len(games) == 2


@pytest.mark.parametrize(("cell", "score", "points"), [
    ("3-1 won", 1.0, (3.0, 1.0)), ("3-1 L", 0.0, (1.0, 3.0)), ("2-2 draw", 0.5, (2.0, 2.0)),
    ("L (1:3)", 0.0, (1.0, 3.0)), ("L3-1", 0.0, (1.0, 3.0)), ("W 6-4 (4-2)", 1.0, (6.0, 4.0)),
])  # fmt: skip
def test_a_word_beside_a_score_is_of_the_own_side(cell, score, points):
    """The word decides, and turns points of which the winner's stand first."""
    line = parse_scoreline(cell)
    assert line is not None
    assert (line.score, line.points) == (score, points)


def test_a_word_that_no_order_of_the_score_explains_is_refused():
    """A side with fewer points has not won."""
    assert parse_scoreline("1-3 won") is None


@pytest.mark.parametrize("cells", [["3-2", "2-3 OTL", "4-3 SOW"], ["3-2", "OTL 2-3", "SOW 4-3"]])
def test_points_beside_words_that_share_a_point(cells):
    """Points fit a score between: a loss after extra time is worth a quarter and has 2-3."""
    games = read(cells, outcomes={"OTL": 0.25, "SOW": 0.75})
    assert games.score.tolist() == [1.0, 0.25, 0.75]
    assert games.points_a.tolist() == [3.0, 2.0, 4.0]
    drawn = read(cells, outcomes={"OTL": 0.5, "SOW": 0.75})
    assert drawn.points_a is None
    assert f'"{cells[1]}" has none that fit its score' in drawn.notes[-1]


def test_points_that_contradict_the_score_of_a_word():
    """The remedy is about the points: the table has no column of margins."""
    table = {"home": ["Ann", "Bob"], "away": ["Bob", "Ann"], "result": ["W", "OTL"],
             "home_score": [3, 2], "away_score": [2, 3]}  # fmt: skip
    with refused(BadData, "margin_contradicts", about=('score_a="none"', "--score-a none")):
        read_games(table, outcomes={"OTL": 0.5})
    games = read_games(table, outcomes={"OTL": 0.5}, score_a="none")
    assert games.score.tolist() == [1.0, 0.5]


def test_words_of_outcomes_that_stand_nowhere_are_named():
    """An outcome of a word that no result has is a slip, or the points tell the results."""
    note = 'no result is "Q", which outcomes= explains'
    assert note in read(["W", "L"], outcomes={"Q": 1, "w": 1}).notes
    assert note not in read(["W", "q"], outcomes={"Q": 1}).notes
    points = {"home": ["Ann"], "away": ["Bob"], "home_score": [3], "away_score": [2]}
    assert note in read_games(points, outcomes={"Q": 1}).notes
