"""The histories of all players as one table."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.compile import kernel, worth
from prowess.engine import played
from prowess.engine.fit import NoModel
from prowess.engine.inflation import NewcomersMean, Redistribution
from prowess.engine.rate import DynamicRatings, rate
from prowess.engine.run import uses_duel_loops
from prowess.engine.steps import separate_meetings
from prowess.engine.system import Dynamic, Unratable
from prowess.games import read_games
from prowess.games.arguments import BadArgument
from prowess.systems.catalogue import catalogue, find
from prowess.verbs.rating import rate as rate_any
from tests.engine.tables import START, contests, games, some_params, some_table
from tests.refusals import refused

DYNAMIC = [system for system in catalogue().values() if isinstance(system, Dynamic)]
ROWS = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Ada", 1.0)]
DAYS = [START, START + 1, START + 40]
COMPILERS = [False] + [True] * kernel.available()

every = pytest.mark.parametrize("system", DYNAMIC, ids=[system.name for system in DYNAMIC])


def rounds_of_steps(ratings: Any) -> list[tuple[str, list[Any]]]:
    """The steps that each row of the table stands for, by player: of a contest all of a round."""
    found = []
    for name in ratings.table.players:
        history = ratings.history(name)
        if not ratings.table.pairwise:
            meetings = separate_meetings(history.steps)
            found += [(name, list(steps)) for _, steps in groupby(meetings, lambda step: step.row)]
        else:
            found += [(name, [step]) for step in history]
    return found


def assert_tells_the_steps(ratings: Any) -> None:
    """The table has every step, in the order of the histories, to the bit."""
    columns = ratings.history().columns
    rows = rounds_of_steps(ratings)
    assert columns["player"].tolist() == [name for name, _ in rows]
    of_games = ratings.table.pairwise
    assert columns["row"].tolist() == [s[0].row if of_games else s[0].round for _, s in rows]
    assert columns["round"].tolist() == [steps[0].round for _, steps in rows]
    assert columns["before"].tolist() == [steps[0].before for _, steps in rows]
    assert columns["after"].tolist() == [steps[-1].after for _, steps in rows]
    taken = {"opponents"} if not ratings.table.pairwise else set()  # of apterous
    for name in ratings.fields[1:]:
        of_steps = [getattr(steps[-1].values, name) for _, steps in rows]
        assert columns[f"{name}_after" if name in taken else name].tolist() == of_steps
    for name in ("score", "expected"):
        means = [np.mean([getattr(step, name) for step in steps]) for _, steps in rows]
        if not uses_duel_loops(ratings.system, ratings.p, ratings.played_table):
            means = approx(means, rel=1e-12)  # type: ignore[assignment] # means of many, or 1 - E, are summed otherwise
        assert columns[name].tolist() == means
    if not ratings.table.pairwise:
        assert columns["opponents"].tolist() == [len(steps) for _, steps in rows]
    else:
        assert columns["opponent"].tolist() == [step.opponent for _, (step,) in rows]
        assert columns["change"].tolist() == [step.change for _, (step,) in rows]
        ratings_met = [step.opponent_rating for _, (step,) in rows]
        assert columns["opponent_rating"].tolist() == ratings_met


@every
@given(data=st.data())
def test_the_table_has_the_steps_of_all_histories(system, data):
    """Games, periods and contests under any system: one table tells what the histories tell."""
    table, period = data.draw(some_table(system))
    params = data.draw(st.just({}) | some_params(system))
    try:
        ratings = rate(table, system, period=period, params=params, compiled=False)
    except Unratable:  # it says itself that it may leave the numbers
        assert "finite" in system.breaks
        return
    assert_tells_the_steps(ratings)


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@pytest.mark.parametrize("name", ["elo", "glicko2", "trueskill", "codechef", "prowess"])
def test_compiled_is_plain(name, monkeypatch):
    """Compiled and as plain Python the table is the same, bit for bit, for games and contests."""
    system = find(name)
    few = (
        games(ROWS, time=DAYS, weight=[1.0, 2.0, 0.5]) if system.weights else games(ROWS, time=DAYS)
    )
    race = contests(
        [[("Ada", 1), ("Ben", 2), ("Cleo", 2)], [("Ben", 1), ("Ada", 1)]], time=DAYS[:2]
    )
    period = "1mo" if system.rounds == "period" else None
    for table, by in [(few, period), *([(race, None)] * (system.rounds != "period"))]:
        told = []
        for least in (10**9, 0):
            monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", least)
            told.append(rate(table, system, period=by, compiled=False).history().columns)
        for key, column in told[0].items():
            assert column.tolist() == told[1][key].tolist(), key


@pytest.mark.parametrize("period", [None, "2mo"])
def test_rules_against_inflation_stand_between_the_games(period):
    """What a rule did between two games is in the change of the later one, as in the histories."""
    rules = [NewcomersMean(1500.0, "1mo"), Redistribution(after="7d", every="1mo")]
    table = games(ROWS * 3, time=[START + 13.0 * k for k in range(9)])
    ratings = rate(table, find("elo"), rules=rules, period=period)
    assert ratings.events
    assert_tells_the_steps(ratings)


@pytest.mark.parametrize("name", ["elo", "prowess"])
def test_a_player_who_was_first_alone_begins_with_the_next_contest(name):
    """Nothing is rated of a contest of one; the first row has the rating before the next one."""
    table = contests([[("Ada", 1)], [("Ben", 1), ("Cleo", 2)], [("Ada", 1), ("Ben", 2)]])
    assert_tells_the_steps(rate(table, find(name), compiled=False))


def test_a_player_who_was_always_alone_has_no_row():
    """A contest of one player rates nobody."""
    table = rate(contests([[("Ada", 1)], [("Ben", 1), ("Cleo", 2)]]), find("elo")).history()
    assert table.columns["player"].tolist() == ["Ben", "Cleo"]
    assert table.columns["opponents"].tolist() == [1, 1]


def test_a_player_who_is_alone_brings_no_rating():
    """A contest of one player has no rating before it among the games."""
    ratings = rate(contests([[("Ada", 1)], [("Ben", 1), ("Cleo", 2)]]), find("elo"))
    np.testing.assert_array_equal(ratings.games().columns["rating"], [np.nan, 1500.0, 1500.0])


def test_rows_of_contests_are_their_numbers():
    """Three drivers in the first race, two in the second: by number of the race, as in games()."""
    races = contests([[("Ada", 1), ("Ben", 2), ("Cleo", 3)], [("Cleo", 1), ("Ada", 2)]])
    ratings = rate(races, find("elo"))
    columns = ratings.history().columns
    assert columns["player"].tolist() == ["Ada", "Ada", "Ben", "Cleo", "Cleo"]
    assert columns["row"].tolist() == [0, 1, 0, 0, 1]
    assert ratings.games().columns["row"].tolist() == [0, 0, 0, 1, 1]


def test_a_car_on_two_sides_meets_each_side_once():
    """Of three sides two have the car X: it met all three, the drivers two each."""
    rows = {
        "race": ["first"] * 3 + ["second"] * 3,
        "driver": ["Ada", "Ben", "Cleo", "Ben", "Cleo", "Ada"],
        "car": ["X", "X", "Y", "X", "Y", "X"],
        "place": [1, 2, 3, 1, 2, 3],
    }
    table = read_games(rows, with_="car", contest="race", player="driver")
    columns = rate(table, find("elo")).history().columns
    told = dict(zip(columns["player"].tolist(), columns["opponents"].tolist(), strict=True))
    assert told == {"Ada": 2, "Ben": 2, "Cleo": 2, "X": 3, "Y": 2}
    assert columns["row"].tolist() == [0, 1] * 5


def test_dates_are_moments():
    """Days since 1970 are moments to the millisecond; a table without dates has no such column."""
    dated = rate(games(ROWS, time=[START, START + 0.5, START + 40]), find("elo")).history()
    assert dated.columns["date"].dtype == np.dtype("datetime64[ms]")
    assert dated.columns["date"].astype(str).tolist()[:2] == [
        "2020-01-01T00:00:00.000",
        "2020-02-10T00:00:00.000",
    ]
    assert "date" not in rate(games(ROWS), find("elo")).history().columns


def test_the_view_is_short():
    """However many games there are, a look shows a head and a few rows of either end."""
    text = repr(rate(games(ROWS * 500), find("elo")).history())
    assert text.startswith("<Histories under elo: 3,000 rows>\n")
    assert len(text.splitlines()) == 9
    assert "Ada" in text
    assert "Cleo" in text


def test_other_libraries_take_it():
    """The same columns as a DataFrame of pandas or polars and as an Arrow table."""
    table = rate(games(ROWS, time=DAYS), find("glicko2")).history()
    after = table.columns["after"].tolist()
    assert table.to_pandas()["after"].tolist() == after
    assert table.to_polars()["after"].to_list() == after
    assert table.to_arrow()["after"].to_pylist() == after
    assert str(table.to_pandas()["date"].iloc[0]) == "2020-01-01 00:00:00"


def test_one_replay_serves_everybody(monkeypatch):
    """However many histories are asked for, the table is played once more, not once a player."""
    ratings = rate(games(ROWS * 5), find("elo"))
    played = []
    again = DynamicRatings.play_again

    def counted(self, watch):
        played.append(watch)
        again(self, watch)

    monkeypatch.setattr(DynamicRatings, "play_again", counted)
    for name in ratings:
        ratings.history(name)
    ratings.history()
    assert len(played) == 1


def test_a_large_table_is_not_kept(monkeypatch):
    """Where the ratings before all games would take too much memory, one player is watched."""
    ratings = rate(games([*ROWS, ("Dan", "Eve", 1.0)]), find("elo"))
    steps = list(rate(ratings.table, find("elo")).history("Dan"))
    watches = []
    again = DynamicRatings.play_again

    def kept(self, watch):
        watches.append(watch)
        again(self, watch)

    monkeypatch.setattr(played.PlayedTable, "kept_bytes", 0)
    monkeypatch.setattr(DynamicRatings, "play_again", kept)
    assert list(ratings.history("Dan")) == steps
    assert list(ratings.history("Dan")) == steps
    assert [len(watch.memory.rating) for watch in watches] == [2, 2]  # of one game of four


def test_a_whole_table_system_has_no_table_of_histories():
    """It looks at all games at once: the refusal is that of one player."""
    ratings = rate_any(games(ROWS), "bradley_terry")
    with refused(NoModel, "no_history", about="elo"):
        ratings.history()


def test_who_has_not_played_yet_has_no_steps():
    """On an earlier day a player of the roster may have no game: an empty history."""
    games = read_games({
        "a": ["Ada", "Cleo"], "b": ["Ben", "Ben"], "result": ["1-0", "0-1"],
        "date": ["2024-01-01", "2024-01-05"],
    })  # fmt: skip
    for system in ("elo", "glicko2"):
        assert len(rate_any(games, system, as_of="2024-01-02").history("Cleo")) == 0


@pytest.mark.parametrize(
    "table", [games(ROWS * 3), contests([[("Ben", 1), ("Ada", 2)], [("Ada", 1)]] * 2)]
)
def test_a_bank_is_replayed_in_parts(table, monkeypatch):
    """Histories and games are the same, however few contests are held at a time."""
    ratings = rate(table, find("elo"), params={"k": [8.0, 16.0, 64.0]})
    whole = [one.columns for one in (ratings.history(), ratings.games())]
    monkeypatch.setattr(played, "NUMBERS_MIXED_AT_ONCE", 1)
    for before, after in zip(
        whole, (ratings.history().columns, ratings.games().columns), strict=True
    ):
        for name, column in before.items():
            np.testing.assert_array_equal(after[name], column)


@every
def test_a_path_is_what_stood_on_each_day(system):
    """Between games, before the first and after the last one: the values of `as_of`, to the bit.

    A system that takes settings from a table is asked on the last day alone.
    """
    rows = [*ROWS, ("Ada", "Cleo", 1.0), ("Ben", "Ada", 0.0)]
    days = [START + 0.5, START + 1.5, START + 40.0, START + 41.25, START + 300.0]
    columns = {"length": [20.0] * 5, "margin": [3.0, 0.0, 1.0, 2.0, -1.0]}
    period = {"period": "7d"} if system.rounds == "period" else {}
    try:
        ratings = rate(games(rows, time=days, **columns), system, **period)
    except Unratable as error:
        pytest.skip(str(error))
    asked = [START + 301.0, START + 20.0, START + 1.5]
    if period or system.prepare is not None:
        asked = asked[:1]
    path = ratings.path("Ada", asked)
    for k, day in enumerate(asked):
        as_of = rate(games(rows, time=days, **columns), system, as_of=day, **period)
        mine = [path.columns[name][k] for name in ratings.fields]
        assert mine == [float(value) for value in as_of.value(0)]
    first = ratings.path("Ada", [START - 3.0])
    assert len(first) == 1
    assert len(ratings.path("Ada")) == 4


def test_a_band_grows_between_games():
    """Glicko: sqrt(RD^2 + c^2 t) after t periods without a game (Glickman 1999, step 1)."""
    table = games([("Ada", "Ben", 1.0), ("Ada", "Ben", 1.0)], time=[START, START + 70.0])
    ratings = rate(table, find("glicko"), period="7d", params={"drift": 20.0})
    found = ratings.path("Ada", [START + 7.0, START + 35.0, START + 63.0]).columns
    spread = found["deviation"] ** 2
    assert np.diff(spread) == approx(20.0**2 * 4)
    assert found["high"] - found["low"] == approx(2 * 1.959963984540054 * found["deviation"])
    with refused(BadArgument, "no_dates", about="time="):
        rate(games(ROWS), find("elo")).path("Ada")
