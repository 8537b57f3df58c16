"""Who won, as tables say it, and numbers."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.games import read_games
from prowess.games.cells.outcomes import OutcomeParser, list_meanings
from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.errors import BadData, InvalidValue, NoGame
from prowess.games.values import (
    parse_bool,
    parse_decimal,
    parse_number,
    parse_positive,
)
from tests.refusals import refused


def test_meanings_stand_in_one_order():
    """Win, draw and loss, in whatever order a set of letters comes."""
    said = ["S = first side won", "U = draw", "N = second side won"]
    assert list_meanings({"N": 0.0, "U": 0.5, "S": 1.0}) == said
    assert list_meanings({"U": 0.5, "S": 1.0, "N": 0.0}) == said


CHESS = OutcomeParser("White", "black")
FOOTBALL = OutcomeParser("home_team", "away_team")
ARENA = OutcomeParser("model_a", "model_b")
BOTS = OutcomeParser("my bot", "other bot")


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5), ("½-½", 0.5), ("0.5-0.5", 0.5),
        (" 1 - 0 ", 1.0), ("1–0", 1.0), ("1/2", 0.5),
        ("win", 1.0), ("Loss", 0.0), ("DRAW", 0.5), ("tie", 0.5), ("tied", 0.5),
        ("1", 1.0), ("0.5", 0.5), (".25", 0.25), ("1e-1", 0.1), (1, 1.0), (0.75, 0.75),
        ("0,5", 0.5), (",25", 0.25), ("1,0", 1.0), ("0,5-0,5", 0.5), ("½:½", 0.5), ("1:0", 1.0),
        ("2-1", 1.0), ("0 : 3", 0.0), ("2–2", 0.5), ("102-99", 1.0), ("0-0", 0.5),
        (Decimal("0.5"), 0.5), (np.float32(0.5), 0.5), (np.int8(1), 1.0),
        ("white", 1.0), ("Black", 0.0), ("w", 1.0), ("b", 0.0),
    ],
)  # fmt: skip
def test_results(value, score):
    """Every spelling of a result is the score of the first side."""
    assert CHESS.result(value) == score


@pytest.mark.parametrize(
    ("outcomes", "value", "score"),
    [
        (ARENA, "model_a", 1.0), (ARENA, "MODEL B", 0.0), (ARENA, "tie (bothbad)", 0.5),
        (ARENA, "both", 0.5), (ARENA, "a", 1.0), (ARENA, "b", 0.0), (ARENA, "left", 1.0),
        (ARENA, "player2", 0.0), (FOOTBALL, "home", 1.0), (FOOTBALL, "away", 0.0),
        (FOOTBALL, "H", 1.0), (FOOTBALL, "A", 0.0), (FOOTBALL, "D", 0.5), (BOTS, "my_bot", 1.0),
    ],
)  # fmt: skip
def test_winners(outcomes, value, score):
    """Words for a side are read; a lone `a` is away where the sides are home and away."""
    assert outcomes.winner(value) == score


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("x", "unknown_outcome"), ("2-x", "unknown_outcome"), ("1.5", "score_out_of_range"),
        (-1, "score_out_of_range"), (float("inf"), "not_finite"), ("1,5", "score_out_of_range"),
        ("1,000", "comma_ambiguous"), ("2019-20", "unknown_outcome"), ("2-1-1", "unknown_outcome"),
        ("-1-2", "unknown_outcome"), (True, "not_a_number"), ([1], "not_a_number"),
    ],
)  # fmt: skip
def test_refused_results(value, what):
    """What is no result is refused in words that say why."""
    with refused(InvalidValue, what):
        CHESS.result(value)


@pytest.mark.parametrize(
    ("value", "what"), [("*", "unfinished"), ("", "missing"), (None, "missing"), ("+-", "+-")]
)
def test_results_of_no_game(value, what):
    """A row without a result is no game, and says what stands there."""
    with refused(NoGame, "no_game", about=what):
        CHESS.result(value)


@pytest.mark.parametrize("value", ["1", "win", "nobody", "", None, 1])
def test_refused_winners(value):
    """A winner is one of the two players or a word for a side, never a number."""
    with pytest.raises(InvalidValue):
        ARENA.winner(value)


def test_a_single_letter_hangs_on_the_sides():
    """`b` says nothing about home and away."""
    with pytest.raises(InvalidValue):
        FOOTBALL.winner("b")


@pytest.mark.parametrize(
    ("value", "side"), [("white", 1.0), ("b", -1.0), ("0", 0.0), ("-1", -1.0), ("neutral", 0.0)]
)
def test_sides(value, side):
    """A column may say who had the advantage, by word or by sign."""
    assert CHESS.side(value) == side


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_to_the_last_bit(value):
    """What Python writes of a number is read as that number."""
    assert parse_number(repr(value)) == value
    assert parse_number(value) == value


@pytest.mark.parametrize(
    "value", ["", "NA", "nan", "inf", "1e999", "1_000", "１", "0x10", "1,5", "--1", True, "1 2", {}]
)
def test_refused_numbers(value):
    """What is no finite decimal number is refused, also what Python itself would take."""
    with pytest.raises(InvalidValue):
        parse_number(value)


@pytest.mark.parametrize(
    ("value", "read"), [("1,5", 1.5), ("-0,25", -0.25), ("0,125", 0.125), ("1234,5", 1234.5)]
)
def test_decimal_commas(value, read):
    """Points may have a decimal comma."""
    assert parse_decimal(value) == read


@pytest.mark.parametrize("value", ["1,500", "12,345", "-1,500", "1,2,3", ","])
def test_refused_commas(value):
    """A comma that may stand between thousands is refused."""
    with pytest.raises(InvalidValue):
        parse_decimal(value)


@pytest.mark.parametrize("value", [0, "0", -1.5])
def test_weights_are_above_zero(value):
    """A weight of nothing or less is refused."""
    with refused(InvalidValue, "not_above_zero"):
        parse_positive(value)


@pytest.mark.parametrize(
    ("value", "answer"),
    [("TRUE", 1.0), ("f", 0.0), ("Yes", 1.0), ("0", 0.0), (True, 1.0), (0, 0.0), (1.0, 1.0)],
)
def test_truth(value, answer):
    """Yes and no in the usual spellings."""
    assert parse_bool(value) == answer


@pytest.mark.parametrize("value", ["", None, float("nan")])
def test_no_answer(value):
    """Where there is neither yes nor no, that is said."""
    with refused(InvalidValue, "flag_missing"):
        parse_bool(value)
    with refused(InvalidValue, "side_missing"):
        CHESS.side(value)


@pytest.mark.parametrize("value", ["maybe", 2, 0.5])
def test_neither_yes_nor_no(value):
    """Anything else is refused."""
    with refused(InvalidValue, "not_yes_or_no"):
        parse_bool(value)


def test_a_score_beside_points_decides():
    """Exports of a live ladder hold the score that was rated and the points it was made of."""
    row = {"player_a": "Ann", "player_b": "Bob", "score": 0.75, "points_a": 3, "points_b": 1}
    assert read_games([row]).score.tolist() == [0.75]


@pytest.mark.parametrize(
    ("outcomes", "scores"),
    [
        ({"W": 0, "L": 1}, [0.0, 1.0, 0.5]),
        ({"W": 1, "L": 0}, [1.0, 0.0, 0.5]),
        ({"L": None}, [1.0, 0.5]),
        ({"W 3-1": 0.5}, [0.5, 0.0, 0.5]),
    ],
)
def test_words_of_the_caller_count_in_front_of_points(outcomes, scores):
    """What a word means is said once, whether points stand behind it or not."""
    table = {"a": ["Ann", "Ann", "Ben"], "b": ["Ben", "Cid", "Cid"]}
    games = read_games({**table, "result": ["W 3-1", "L 0-2", "D 1-1"]}, outcomes=outcomes)
    assert games.score.tolist() == scores


@pytest.mark.parametrize(
    "cells", [["W 3-1 OT", "L 0-2"], ["3-1 W", "0-2 L"], ["W OT", "OTL"], ["Won 3&2", "Lost 2&1"]]
)
def test_words_of_the_caller_count_beside_anything(cells):
    """What a word means holds with points before or behind it, with overtime and with margins."""
    table = {"a": ["Ann", "Ann"], "b": ["Ben", "Cid"], "result": cells}
    outcomes = {"W": 0, "L": 1, "won": 0, "lost": 1}
    assert read_games(table, outcomes=outcomes).score.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("cells", "outcomes", "scores"),
    [
        (["2 1-3", "1 3-1"], {"1": 1, "2": 0}, [0.0, 1.0]),
        (["n.V. 2:1", "3:1"], {"n.V.": 0.5}, [0.5, 1.0]),
        (["w/o 3-0", "1-3"], {"w/o": 1}, [1.0, 0.0]),
        (["W.O. 3-0", "1-3"], {"W.O.": 1}, [1.0, 0.0]),
        (["S+ 3:1", "N- 1:3"], {"S+": 1, "N-": 0}, [1.0, 0.0]),
        (["H2 1-3", "H1 3-1"], {"H2": 0, "H1": 1}, [0.0, 1.0]),
    ],
)
def test_words_of_the_caller_may_have_digits_and_marks(cells, outcomes, scores):
    """What the caller says of the word in front of points goes before what else it may mean."""
    table = {"a": ["Ann", "Ann"], "b": ["Ben", "Cid"], "result": cells}
    assert read_games(table, outcomes=outcomes).score.tolist() == scores


def test_how_a_score_came_about_says_no_winner():
    """A word of the caller for overtime does not make a lost game won: the points say who won."""
    table = {"a": ["Ann", "Ann"], "b": ["Ben", "Cid"], "result": ["W 3-1 OT", "L 1-3 OT"]}
    assert read_games(table, outcomes={"OT": 0.75}).score.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("cells", "outcomes", "scores"),
    [
        (["OTL 1-2", "OTW 2-1"], {}, [0.0, 1.0]),
        (["SOW 3-2", "SOL 2-3"], {}, [1.0, 0.0]),
        (["3-1 W OT", "1-3 L/SO"], {}, [1.0, 0.0]),
        (["3-1 OTW", "1-3 OTL"], {}, [1.0, 0.0]),
        (["OTL 1-2", "W 3-1"], {"OTL": 0}, [0.0, 1.0]),
        (["OTL 1-2", "L 1-3"], {"OTL": 0.5}, [0.5, 0.0]),
        (["OTL 1-2", "3-1 W OT"], {"W": 0, "L": 1}, [1.0, 0.0]),
        (["OTL 1-2", "3-1 W OT"], {"L": 0.25, "OT": 0.75}, [0.25, 1.0]),
    ],
)
def test_wins_and_losses_after_time_may_have_points(cells, outcomes, scores):
    """`OTL` says the same alone and beside points."""
    table = {"a": ["Ann", "Ann"], "b": ["Ben", "Cid"], "result": cells}
    assert read_games(table, outcomes=outcomes).score.tolist() == scores


@pytest.mark.parametrize(
    ("joined", "apart"),
    [("SOW 3-2", "W 3-2 SO"), ("3-2 W SO", "W 3-2 SO"), ("OTL 1-2", "L 1-2 OT")],
)
def test_ways_in_one_word_with_the_winner(joined, apart):
    """The points and the shoot-out are those of the longer spelling."""
    assert parse_scoreline(joined) == parse_scoreline(apart)


@pytest.mark.parametrize(
    ("role", "cells", "outcomes", "other"),
    [
        ("result", ["W", "L"], {"W": 0}, "L=1"),
        ("result", ["W 3-1", "L 0-2"], {"W": 0}, "l=1"),
        ("result", [1, 0], {"1": 0}, "0=1"),
        ("result", ["1", "2", "X"], {"1": 0}, "2=1"),
        ("winner", ["first", "second"], {"second": 1}, "first=0"),
    ],
)
def test_opposites_with_one_score_are_asked_about(role, cells, outcomes, other):
    """Where a word of the caller has the score of its opposite, the other has to be said, too."""
    table = {"a": ["Ann", "Ann", "Ben"], "b": ["Ben", "Cid", "Cid"], role: cells}
    table = {heading: column[: len(cells)] for heading, column in table.items()}
    with refused(BadData, "opposite_open", about=f"--outcome {other}"):
        read_games(table, outcomes=outcomes)


@pytest.mark.parametrize(
    ("cells", "outcomes", "scores"),
    [
        (["B", "1-0", "0-1"], {"B": 1}, [1.0, 1.0, 0.0]),
        (["W", "0-1", "1-0"], {"W": 0}, [0.0, 0.0, 1.0]),
        (["loss", "1-0", "0-1"], {"loss": 1}, [1.0, 1.0, 0.0]),
        (["A", "B", "1-0"], {"A": 0, "B": 1}, [0.0, 1.0, 1.0]),
        (["W", "0:1 n.V.", "6-4 6-3"], {"W": 0}, [0.0, 0.0, 1.0]),
    ],
)
def test_points_are_no_opposite_of_a_word(cells, outcomes, scores):
    """What a word means says nothing of points alone: a bye may count as won beside 1-0."""
    table = {"a": ["Ann", "Ann", "Ben"], "b": ["Ben", "Cid", "Cid"], "result": cells}
    assert read_games(table, outcomes=outcomes).score.tolist() == scores
