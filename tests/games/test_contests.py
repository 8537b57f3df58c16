"""Contests of many players."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest

from prowess.games import BadData, Games, read_games
from tests.games.refusing import place_first
from tests.refusals import refused


def read(text: str, **options) -> Games:
    """A table of contests written here."""
    contests = read_games(io.StringIO(text), format="csv", **options)
    assert not contests.pairwise
    return contests


def standings(contests: Games) -> list[list[tuple[str, float]]]:
    """Each contest as its players and their places, in the order of the rows."""
    rows = [
        (contests.players[int(player)], float(place))
        for player, place in zip(contests.player, contests.place, strict=True)
    ]
    bounds = contests.start.tolist()
    return [rows[low:high] for low, high in itertools.pairwise(bounds)]


def test_rows_of_one_contest_need_not_stand_together():
    """Rows with one key form one contest, wherever they stand, in their own order."""
    contests = read("event,player,place\nE,Ann,2\nF,Bob,1\nE,Bob,1\nF,Ann,1\nE,Cy,3\n")
    assert standings(contests) == [
        [("Ann", 2), ("Bob", 1), ("Cy", 3)],
        [("Bob", 1), ("Ann", 1)],
    ]
    assert contests.time is None
    assert contests.players == ["Ann", "Bob", "Cy"]


def test_contests_are_in_order_of_time():
    """Contests are put in order of their dates; the rows of each stay as they are."""
    contests = read(
        "race,date,driver,position\nMonaco,2020-05-01,A,1\nSpa,2020-04-01,B,2\n"
        "Monaco,2020-05-01,B,2\nSpa,2020-04-01,A,1\n"
    )
    assert standings(contests) == [[("B", 2), ("A", 1)], [("A", 1), ("B", 2)]]
    assert contests.time.tolist() == [18353.0, 18383.0]  # 18262 on New Year's Day, + 91, + 121


def test_a_race_of_every_year_is_many_contests():
    """Where the key is guessed, the date tells contests of one name apart."""
    contests = read(
        "race,date,driver,position\nSpa,2020-08-30,A,1\nSpa,2020-08-30,B,2\n"
        "Spa,2021-08-29,A,2\nSpa,2021-08-29,B,1\n"
    )
    assert standings(contests) == [[("A", 1), ("B", 2)], [("A", 2), ("B", 1)]]


def test_a_named_contest_has_one_date():
    """Where the key is named, two dates in one contest are refused."""
    with pytest.raises(BadData) as error:
        read("race,date,driver,position\nSpa,2020-08-30,A,1\nSpa,2021-08-29,B,2\n", contest="race")
    assert place_first(error.value) == (
        'the stream, line 3, column "date": one contest has two dates; '
        "name the columns that tell contests apart with contest= (--contest)"
    )


def test_contests_of_several_columns():
    """A contest named by several columns is another one where any of them differs."""
    contests = read(
        "season,round,player,place\n1,1,A,1\n2,1,A,1\n1,2,A,1\n1,1,B,2\n",
        contest=["season", "round"],
    )
    assert standings(contests) == [[("A", 1), ("B", 2)], [("A", 1)], [("A", 1)]]


def test_a_file_is_a_contest():
    """Without a column that tells contests apart every file is one."""
    assert standings(read("player,place\nA,1\nB,2\n")) == [[("A", 1), ("B", 2)]]
    files = [io.StringIO("player,place\nA,1\nB,2\n"), io.StringIO("player,place\nB,1\nA,2\n")]
    contests = read_games(files, format="csv")
    assert standings(contests) == [[("A", 1), ("B", 2)], [("B", 1), ("A", 2)]]


def test_places_by_points():
    """More points make a better place; equal points share it, and the next place is left out."""
    contests = read("contest,player,points\n1,A,10\n1,B,30\n1,C,10\n1,D,5\n2,A,1\n2,B,0\n")
    assert [[place for _, place in one] for one in standings(contests)] == [[2, 1, 2, 4], [1, 2]]
    assert contests.points.tolist() == [10, 30, 10, 5, 1, 0]


def test_points_break_ties_in_turn():
    """Later columns decide between equal ones; a minus sign means that less is better."""
    text = "round,handle,points,penalty\n1,A,10,5\n1,B,10,3\n1,C,20,9\n1,D,10,5\n"
    contests = read(text, points=["points", "-penalty"])
    assert [place for _, place in standings(contests)[0]] == [3, 2, 1, 3]
    contests = read(text, points="-penalty")
    assert [place for _, place in standings(contests)[0]] == [2, 1, 4, 2]


def test_places_go_before_points():
    """Guessed points are not read where there are places: tables leave them empty for the last."""
    contests = read("race,driver,position,points\nS,A,1,25\nS,B,2,\n")
    assert contests.points is None


def test_weights_belong_to_contests():
    """A contest has one weight; two are refused."""
    text = "event,player,place,weight\nE,A,1,2\nE,B,2,2\nF,A,1,1\n"
    assert read(text).weight.tolist() == [2, 1]
    with refused(BadData, "contest_contradicts", line=5, column="weight"):
        read(text + "F,B,2,3\n")


def test_skipped_players_are_forgotten():
    """Who stands only in rows that are left out is not in the roster."""
    told: list[BadData] = []
    contests = read(
        "event,player,place,date\nE,A,1,2020-01-01\nE,Z,2,2021-01-01\nE,B,2,2020-01-01\n",
        contest="event", skip_bad=True, report=told.append,
    )  # fmt: skip
    assert contests.players == ["A", "B"]
    assert standings(contests) == [[("A", 1), ("B", 2)]]
    assert [fault.line for fault in told] == [3]


def test_columns_are_as_promised():
    """Every column has its type, is contiguous and as long as it should be."""
    contests = read("event,player,place,date,weight\nE,A,1,2020-01-01,1\nE,B,2,2020-01-01,1\n")
    assert contests.start.dtype == np.int64
    assert contests.player.dtype == np.uint32
    for column in (contests.start, contests.player, contests.place, contests.time, contests.weight):
        assert column.flags.c_contiguous
    assert [len(contests.start), len(contests.time), len(contests.weight)] == [2, 1, 1]


def test_before_a_day():
    """`before` keeps the contests up to a day, with that day."""
    contests = read(
        "event,player,place,date\nE,A,1,2020-01-01\nE,B,2,2020-01-01\nF,A,1,2020-01-02\n"
    )
    assert standings(contests.before(18262.0)) == [[("A", 1), ("B", 2)]]
    assert len(contests.before(18261.0)) == 0
    assert len(contests.before(18263.0)) == 2
    assert repr(contests) == "<Games: 2 contests, 3 rows, 2 players, 2020-01-01 to 2020-01-02>"


RACES = {"Ann": (1, 2, 1), "Ben": (2, 1, 3), "Cleo": (3, 3, 2), "Dee": (4, 4, 4)}
SCALE = {1: 25, 2: 18, 3: 15, 4: 12}


def race_columns(headings, total, cell=lambda place: place, rows=RACES):
    """The places of all players in each of three contests in columns, beside their total."""
    cells = {who: [cell(place) for place in places] for who, places in rows.items()}
    table = {"Fahrer": [*cells]}
    table |= {name: [row[at] for row in cells.values()] for at, name in enumerate(headings)}
    table |= {total: [sum(row) for row in cells.values()]} if total else {}
    games = read_games(table, warn=False)
    return games.place.astype(int).reshape(-1, len(rows)).tolist()


@pytest.mark.parametrize("headings", [("Monaco", "Spa", "Monza"), ("WF1", "WF2", "WF3")])
@pytest.mark.parametrize("total", ["Gesamt", "Punkte", "Total", None])
def test_columns_of_places_are_contests_beside_their_total(headings, total):
    """Columns of places are the contests, whatever they are called, not the total beside them."""
    assert race_columns(headings, total) == [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]]


@pytest.mark.parametrize(
    ("headings", "total", "cell"),
    [(("Monaco", "Spa", "Monza"), "Points", SCALE.get),
     (("Rome", "Oslo", "Bern"), "Total", SCALE.get),
     (("Berlin", "Bonn", "Ulm"), "Summe", lambda place: 5 - place),
     (("Abend 1", "Abend 2", "Abend 3"), "Summe", lambda place: 70 - 30 * place)],
)  # fmt: skip
def test_columns_of_points_are_contests_where_their_sum_proves_it(headings, total, cell):
    """The same points in each column, or headings of evenings, and the rows in order of sums."""
    assert race_columns(headings, total, cell) == [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]]


def test_parts_of_one_contest_stay_parts():
    """Rounds of a quiz are no contests: other points in each, and one total."""
    with refused(BadData, "better_end_unknown", about="Total"):
        points = {"Ann": (9, 8, 10), "Ben": (7, 9, 8), "Cleo": (8, 6, 7), "Dee": (5, 5, 4)}
        race_columns(("Round 1", "Round 2", "Round 3"), "Total", rows=points)
    with refused(BadData, "better_end_unknown", about="score"):  # the rows stand in no order
        rows = {who: RACES[who] for who in ("Cleo", "Ann", "Dee", "Ben")}
        race_columns(
            ("Abend 1", "Abend 2", "Abend 3"), "Summe", lambda place: 70 - 30 * place, rows
        )
