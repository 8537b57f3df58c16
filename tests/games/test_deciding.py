"""What decides contests that have neither places nor points."""

from __future__ import annotations

import pytest

from prowess.games import BadData, read_games
from prowess.games.cells.places import parse_money
from tests.refusals import refused


def contest(columns, contests=2, **options):
    """The places of Ann, Ben and Cleo in the first of some equal contests of these columns."""
    rows = {"Race": [], "Player": []} | {name: [] for name in columns}
    for race in range(contests):
        rows["Race"] += [race + 1] * 3
        rows["Player"] += ["Ann", "Ben", "Cleo"]
        for name, cells in columns.items():
            rows[name] += cells
    return read_games(rows, warn=False, **options).place[:3].tolist()


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        ({"Time": ["1:07:55", "1:05:00", "DNF"]}, [2, 1, 3]),
        ({"Net time": ["2:41,3", "2:39,0", "3:02,0"], "Gun time": ["2:42,3", "2:43,0", "3:02,1"]},
         [2, 1, 3]),
        ({"Zeit": ["24:31", "17:05", "25:10"]}, [2, 1, 3]),
        ({"round1": [70, 71, 72], "round2": [75, 70, 69], "total_strokes": [145, 141, 141]},
         [3, 1, 1]),
        ({"R1": ["-3", "+1", "-3"], "R2": ["E", "-2", "E"], "R3": [1, 1, 1],
          "To Par": ["-2", "E", 1]}, [1, 2, 3]),
        ({"solved": [3, 2, 3], "penalty": [400, 100, 300]}, [2, 3, 1]),
        ({"Buy-in": ["$40", "$20", "$20"], "Profit": ["-$40.00", "$1,200.50", "$0.00"]}, [3, 1, 2]),
        ({"Pl": [1, None, 2], "Mark": ["9.99", "DQ", "10.01"]}, [1, 3, 2]),
        ({"position": [1, "\\N", 2], "positionText": ["1", "R", "2"]}, [1, 3, 2]),
        ({"Pos": [1, "OCS", "DNF"]}, [1, 2, 2]),
        ({"score": [10, 30, 20], "winner": ["Ben", "Ben", "Ben"]}, [3, 1, 2]),
        ({"score": [10, 30, 20], "winner": ["Ann", "Ann", "Ann"]}, [1, 3, 2]),
    ],
)  # fmt: skip
def test_what_decides(columns, places):
    """Times, strokes, problems solved and profits decide; words such as DNF stand for a place."""
    assert contest(columns) == places


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"Time": ["18:00", "18:05", "17:50"]}, "no_players_found"),  # of the day
        ({"Start": ["18:00:00", "18:05:00", "18:06:00"]}, "no_players_found"),
        ({"Hold time": ["1:07.5", "1:05.0", "1:00.1"]}, "no_players_found"),
        ({"Lap 1 time": ["1:07.5", "1:05.0", "1:00.1"],
          "Lap 2 time": ["1:07.5", "1:05.0", "1:00.2"]},
         "no_players_found"),
        ({"Mark": [7.81, 7.55, 7.61]}, "better_end_unknown"),
        ({"R1": [70, 71, 72], "R2": [75, 70, 69], "R3": [1, 2, 3], "Total": [145, 141, 142]},
         "better_end_unknown"),
        ({"Pos": [1, 2, "RDG"]}, "not_a_number"),
        ({"Pos": [1, 2, None], "Note": ["", "", "late"]}, "number_missing"),
        ({"score": [10, 30, 20], "winner": ["Cleo", "Cleo", "Cleo"]}, "better_end_unknown"),
    ],
)  # fmt: skip
def test_near_misses(columns, why):
    """Times of the day, times that are better long, lengths, and totals of an open end."""
    with refused(BadData, why):
        contest(columns)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("-$40.00", -40.0), ("$-40", -40.0), ("($3)", -3.0), ("1.200,50 €", 1200.5),
        ("$1,200", 1200.0), ("CHF 1'200.5", 1200.5), ("€ 0,50", 0.5), ("40", None), ("$x", None),
        ("3 Frogs", None),
    ],
)  # fmt: skip
def test_money(text, amount):
    """Amounts with a currency; three digits behind a mark are thousands."""
    assert parse_money(text) == amount


def test_a_rank_of_players_is_no_place():
    """Of two columns of places that which each player keeps tells no result; others are asked."""
    rows = {"Race": [1, 1, 2, 2], "Player": ["Ann", "Ben"] * 2, "Rank": [1, 2, 1, 2]}
    table = read_games(rows | {"Finish": [2, 1, 1, 2]}, warn=False)
    assert table.place.tolist() == [2, 1, 1, 2]
    with refused(BadData, "place_ambiguous", about=("Rank", "Finish")):
        read_games(rows | {"Rank": [1, 2, 2, 1], "Finish": [2, 1, 1, 2]})
    same = read_games(rows | {"Rank": [2, 1, 1, 2], "Finish": ["2nd", "1st", "1st", "DNF"]})
    assert same.place.tolist() == [2, 1, 1, 2]
