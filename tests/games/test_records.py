"""JSON, and Python values as tables."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest

from prowess.games import BadData, read_games
from tests.games.refusing import place_first
from tests.refusals import refused

ROWS = [
    {"player_a": "Ann", "player_b": "Bob", "score": 1, "date": "2020-01-02", "weight": 2.5},
    {"player_a": "Bob", "player_b": "Cy", "score": 0.5, "date": "2020-01-01", "weight": 1},
]


def as_expected(games) -> None:
    """The two games of ROWS."""
    assert games.duels
    assert games.players == ["Ann", "Bob", "Cy"]
    assert games.a.tolist() == [1, 0]
    assert games.b.tolist() == [2, 1]
    assert games.score.tolist() == [0.5, 1.0]
    assert games.time.tolist() == [18262.0, 18263.0]
    assert games.weight.tolist() == [1.0, 2.5]


@pytest.mark.parametrize("form", ["jsonl", "json", None])
def test_json(form):
    """JSON lines and a JSON array are tables; the form is told by the first character."""
    lines = "\n".join(map(json.dumps, ROWS)) + "\n"
    as_expected(read_games(io.StringIO(lines), format=form))
    as_expected(read_games(io.StringIO(json.dumps(ROWS, indent=2)), format=form))


def test_python_values():
    """A list of dicts, an iterator of them and a dict of columns are tables."""
    as_expected(read_games(ROWS))
    as_expected(read_games(iter(ROWS)))
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    as_expected(read_games(columns))
    as_expected(read_games({name: np.array(values) for name, values in columns.items()}))
    as_expected(read_games({name: tuple(values) for name, values in columns.items()}))


def test_whole_numbers_are_names():
    """Players may be numbers in the source; their names are those digits."""
    games = read_games({"a": [7, 12], "b": np.array([12, 7]), "score": [1, 0]})
    assert games.players == ["7", "12"]


def test_dates_of_python():
    """Moments of Python are read as such, with their zone."""
    when = [datetime(2020, 1, 1, 12, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC)]
    games = read_games({"a": ["A", "B"], "b": ["B", "A"], "score": [1, 0], "time": when})
    assert games.time.tolist() == [18262.5, 18263.0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([{"a": "A", "b": "B", "score": 1}, 5], "row 2: 5 is not an object with keys and values"),
        ({"a": ["A"], "b": ["B", "C"], "score": [1]},
         "the columns are not of equal length: a 1, b 2, score 1; give one value a row"),
        ({"a": "AB", "b": "CD", "score": [1, 0]}, 'column "a" is str, not a sequence of values'),
        ({"a": ["A", None], "b": ["B", "A"], "score": [1, 1]},
         'row 2, column "a": the name of a player is missing'),
        ({"a": ["A", 1.5], "b": ["B", "A"], "score": [1, 1]},
         'row 2, column "a": 1.5 is not a name; names are texts or whole numbers'),
        ({"a": ["A", float("nan")], "b": ["B", "A"], "score": [1, 1]},
         'row 2, column "a": the name of a player is missing'),
        ({"a": ["A"], "b": ["B"], "score": [float("nan")]},
         'no row is a game that was played'),
        ({"a": ["A"], "b": ["B"], "score": [float("inf")]},
         'row 1, column "score": inf is not a finite number'),
        ({"a": ["A"], "b": ["B"], "score": [True]}, 'row 1, column "score": True is not a number'),
        ({"a": ["A"], "b": ["B"], "score": [1], "date": [17]},
         'row 1, column "date": 17 is a number but no plausible moment'),
        ({"a": ["\ud800"], "b": ["B"], "score": [1]}, 'row 1, column "a": a name is not UTF-8'),
        ({"a": [], "b": [], "score": []}, "the file has headings, but no rows"),
        ({1: ["A"], "b": ["B"], "score": [1]}, "a column is called 1, which is not a text"),
        ({}, "there are no columns that look like two players"),
        ([], "there is nothing to read"),
        ([ROWS[0], "results.csv"], "row 2: \"results.csv\" is not an object"),
        (5, "cannot read results from builtins.int"),
        (None, "cannot read results from builtins.NoneType"),
    ],
)  # fmt: skip
def test_refused(source, message):
    """Python values that are no table of games are refused with row and column."""
    with pytest.raises(BadData) as error:
        read_games(source)
    assert place_first(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": "A", "b": "B", "score": 1}\n{"a": \n', "the stream, line 2: not JSON"),
        ('{"a": "A", "b": "B", "score": 1}\n\n[1]\n', "the stream, line 3: [1] is not an object"),
        ('{"a": "A", "a": "B"}\n', 'the stream, line 1: the key "a" stands twice in one object'),
        ('[{"a": "A",\n "b": }]', "the stream, line 2: not JSON"),
        ('{"a": "A", "b": "B", "score": NaN}\n',
         'the stream: no row is a game that was played'),
        ('{"a": {"A": 1}, "b": "B", "score": 1}\n',
         "the stream: there are no columns that look like two players"),
        ("[" * 100_000, "the stream: not JSON"),
        ('{"a": ' + "9" * 5000 + ', "b": "B", "score": 1}\n', "the stream, line 1: not JSON"),
        ("[]", "the stream: the table is empty"),
        ("{}\n", "the stream: the table is empty"),
    ],
)  # fmt: skip
def test_refused_json(text, message):
    """JSON that is broken, or no table, is refused with its line."""
    with pytest.raises(BadData) as error:
        read_games(io.StringIO(text), format="jsonl")
    assert place_first(error.value).startswith(message)


def test_tuples_are_games():
    """Games as tuples: two names and a result, a date as well, or winner and loser."""
    games = read_games([("Ann", "Ben", 1), ("Ben", "Cleo", 0.5)])
    assert (list(games.players), games.score.tolist()) == (["Ann", "Ben", "Cleo"], [1.0, 0.5])
    assert read_games([["Ann", "Ben"]]).score.tolist() == [1.0]
    dated = read_games(iter([("Ann", "Ben", 0, "2024-01-05")]))
    assert dated.time is not None
    assert dated.time.tolist() == [19727.0]


def test_tuples_of_other_lengths_are_refused():
    """The first game that is unlike the others is named by its row."""
    with refused(BadData, "unequal_tuples", row=2) as caught:
        read_games([("Ann", "Ben", 1), ("Ben", "Cleo")])
    assert caught.value.remedy.startswith("give every game as (a, b, result)")
