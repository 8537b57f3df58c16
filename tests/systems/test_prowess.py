"""The system `prowess`: an independent program, honest forecasts, live = batch.

The forecasts in `prowess_values.json` were computed by the prototype of the system, another program
than this one, from the tables of `prowess_tables.py`; they are not written again when the system
changes.
"""

from __future__ import annotations

import json
import pickle
import random
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as examples, strategies as st
from pytest import approx

import prowess
from prowess.engine.graded_games import opening_of
from prowess.engine.params import settings
from prowess.engine.rate import PLAYED_AGAIN, find_members, rate, rate_on
from prowess.engine.replay import play
from prowess.engine.state import initial_state
from prowess.games.game_members import GameMembers
from prowess.systems.prowess import PROWESS, Params
from tests.engine.tables import games
from tests.systems.prowess_tables import (
    RACES,
    TABLES,
    some_columns,
    some_races,
    table_of,
    table_of_races,
)

VALUES = json.loads((Path(__file__).parent / "prowess_values.json").read_text(encoding="utf-8"))
ONE = {"variance": 0.5, "reversion": 2e-4, "experience": 1.0, "rich": 1.0}
CLOSE: dict[str, float] = {"rel": 1e-9, "abs": 1e-9}


def rated(table: Any, **options: Any) -> Any:
    """Ratings with forecasts, compiled unless said otherwise: all settings take long as Python."""
    return rate(table, PROWESS, forecasts=True, **{"compiled": True, **options})


@pytest.mark.parametrize("name", TABLES)
def test_games_are_those_of_the_prototype(name):
    """Forecasts are those that an independent program computed, row by row."""
    ratings = rated(table_of(some_columns(**TABLES[name])))
    of = VALUES["games"][name]
    expected = [win + 0.5 * draw for win, draw in zip(of["win"], of["draw"], strict=True)]
    assert ratings.forecasts.tolist() == approx(expected, **CLOSE)
    if TABLES[name].get("draws"):
        assert ratings.draws.tolist() == approx(of["draw"], **CLOSE)


@pytest.mark.parametrize("name", RACES)
def test_contests_are_those_of_the_prototype(name):
    """Forecasts of contests are those that an independent program computed."""
    ratings = rated(table_of_races(some_races(**RACES[name])))
    assert ratings.forecasts.tolist() == approx(VALUES["contests"][name], **CLOSE)


# --- honest forecasts ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all", "all, no dates", "all, teams"])
def test_later_results_change_no_forecast(name):
    """With other results from a row behind the opening on, forecasts up to it are the same bits."""
    columns = some_columns(**TABLES[name])
    whole = rated(table_of(columns))
    columns["score"][30:] = [1.0 - score for score in columns["score"][30:]]
    columns["margin"][30:] = [-margin for margin in columns["margin"][30:]]
    other = rated(table_of(columns))
    assert np.array_equal(whole.forecasts[:31], other.forecasts[:31])
    assert not np.array_equal(whole.forecasts[31:], other.forecasts[31:])


def test_a_prefix_is_the_table_so_far():
    """With the opening given, the first games have the same bits as in the whole table."""
    table = table_of(some_columns(**TABLES["goals and draws"]))
    params = {**ONE, "opening": 8}
    whole, first = rated(table, params=params), rated(table.first(25), params=params)
    assert np.array_equal(first.forecasts, whole.forecasts[:25])
    assert np.array_equal(first.draws, whole.draws[:25])


@pytest.mark.parametrize(
    ("games", "opening"),
    [(1, 1), (60, 12), (120, 24), (125, 25), (245, 25), (250, 50), (495, 50), (500, 100),
     (995, 100), (1_000, 200), (2_495, 200), (2_500, 500), (50_000, 500)],
)  # fmt: skip
def test_the_opening_grows_in_few_steps(games, opening):
    """A fifth of a table below 125 games, then the largest of 25 to 500 that is at most a fifth."""
    assert opening_of(Params(), games) == opening


@pytest.mark.parametrize("name", ["all", "all, no dates", "all, teams"])
def test_where_a_table_is_cut_changes_no_bit(name):
    """Played row by row or at once, the state of a bank is the same to the last bit."""
    table = table_of(some_columns(**TABLES[name]))
    whole = rated(table)
    state = initial_state(PROWESS, whole.p, len(whole.prepared.players), {}, whole.prepared)
    for r in range(0, len(table), 5):
        play(state, whole.prepared, whole.rounds, span=(r, min(r + 5, len(table))), compiled=True)
    assert np.array_equal(state.rating, whole.state.rating)
    assert np.array_equal(state.logs, whole.state.logs)
    assert np.array_equal(state.common, whole.state.common)


@pytest.mark.parametrize("name", [*TABLES, *RACES])
def test_one_game_more_is_the_longer_table(name):
    """Games played on one at a time are, before and after a new fifth, the table so far, bit for
    bit.
    """
    make, some = (table_of_races, some_races) if name in RACES else (table_of, some_columns)
    table = make(some(**{**TABLES, **RACES}[name]))
    first = 8 if name in TABLES else 4
    on = rate(table.first(first), PROWESS, compiled=False, params=ONE, forecasts=True)
    again = []
    for count in range(first + 1, min(len(table), 45) + 1):
        on = rate_on(on, table.select(slice(count - 1, count)), forecasts=True)
        again += [count] * (PLAYED_AGAIN in on.notes)
        if count % 5 > 1 and count < len(table):  # an error stays until all is played again
            continue
        whole = rate(table.first(count), PROWESS, compiled=False, params=ONE, forecasts=True)
        assert np.array_equal(on.state.rating, whole.state.rating)
        assert np.array_equal(on.state.common, whole.state.common)
        assert np.array_equal(on.forecasts, whole.forecasts)
        assert [*on.players] == [*whole.players]
        assert [one for one in on.notes if one != PLAYED_AGAIN] == [*whole.notes]
    if name == "draws":  # of a table below 125 games the opening is a fifth
        assert again
        assert {count % 5 for count in again} == {1}
    if name in ("result", *RACES):
        assert not again


def test_ratings_go_on_only_after_the_same_games():
    """Another score, order or side of a game that was played: all are played again."""
    rows = [("Ann", "Bob", 1), ("Bob", "Cid", 0.5), ("Cid", "Ann", 0), ("Ann", "Bob", 1)]
    longer = prowess.read_games([*rows, ("Bob", "Ann", 0)], warn=False)
    played = rate(longer.first(len(rows)), PROWESS, compiled=False)

    def find(table: Any) -> Any:
        p, whole, _ = PROWESS.prepare(played.asked, table)
        assert p == played.p
        return find_members(played, p, whole)

    assert find(longer).tolist() == [*range(len(played.played_table.players))]
    for score in ([0.0, 0.5, 0.0, 1.0, 0.0], [1.0, 0.5, 0.0, 0.5, 0.0]):
        assert find(longer.replace(score=np.array(score))) is None
    assert find(longer.select(np.array([0, 2, 1, 3, 4]))) is None
    assert find(longer.replace(side=np.array([1.0, 0.0, 0.0, 0.0, 0.0]))) is None


def test_a_bank_goes_on_with_newcomers(tmp_path):
    """A saved state with games added, of newcomers too, is the longer table, in the whole bank."""
    choose = random.Random(5)
    names = [f"P{k}" for k in range(12)]
    rows = [
        {"date": f"2024-{1 + k // 28:02}-{1 + k % 28:02}", "a": a, "b": b, "surface": "xyz"[k % 3],
         "score": choose.choice((0, 0.5, 1)), "side": choose.choice((1, 0, -1))}
        for k in range(137) for a, b in [choose.sample(names[: 6 + k // 20], 2)]
    ]  # fmt: skip
    prowess.save(prowess.rate(rows[:126]), file := tmp_path / "r.prowess")
    on: Any = prowess.load(file)
    for row in rows[126:]:
        on = on.add(row)
        assert PLAYED_AGAIN not in on.notes
    whole: Any = prowess.rate(rows)
    read: Any = prowess.rate(rows[:126])  # for these ratings: its notes are theirs
    assert read.add(*rows[126:]).notes == whole.notes
    assert [*on.players] == [*whole.players]
    for part in ("rating", "seen", "logs", "common"):
        assert np.array_equal(getattr(on.state, part), getattr(whole.state, part), equal_nan=True)
    assert str(on.history("P9")) == str(whole.history("P9"))


@pytest.mark.parametrize(
    "name", ["all", "all, no dates", "all, teams", "missing margins", "ties", "cars"]
)
def test_compiled_is_plain(name):
    """The compiled loop of the whole bank gives the bits of the plain one."""
    if name in RACES:
        table = table_of_races(some_races(**RACES[name]))
    else:
        table = table_of(some_columns(**TABLES[name]))
    plain, compiled = (rated(table, compiled=way) for way in (False, True))
    assert np.array_equal(plain.forecasts, compiled.forecasts)
    assert np.array_equal(plain.state.rating, compiled.state.rating)
    assert np.array_equal(plain.state.common, compiled.state.common)
    assert np.array_equal(plain.state.logs, compiled.state.logs)


@pytest.mark.parametrize("name", ["all", "all, no dates", "all, teams"])
def test_a_bank_of_one_setting_is_the_setting(name):
    """Every setting of the bank has the ratings that it has alone, in the loop over sides."""
    table = table_of(some_columns(**TABLES[name]))
    bank = rated(table)
    for at in (1, 13, 26):
        row = bank.p.rows[at]._asdict()
        alone = rated(table, params={field: row[field] for field in ONE})
        lanes = bank.state.rating.reshape(len(bank.state.rating), 2, -1)[:, :, at]
        assert lanes == approx(alone.state.rating, rel=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_members_named_later_are_the_members(name, monkeypatch):
    """A roster that is named when a name is asked for has the names of one that is named at once,
    also after it was sent to another process.
    """
    table = table_of(some_columns(**TABLES[name]))
    later = PROWESS.prepare(settings(PROWESS, {}), table)[1]
    monkeypatch.setattr(GameMembers, "names_can_wait", lambda *_: False)
    at_once = PROWESS.prepare(settings(PROWESS, {}), table)[1]
    for column in ("player", "role", "ends"):
        assert getattr(later, column).tolist() == getattr(at_once, column).tolist()
    assert (later.roles, later.role_kinds) == (at_once.roles, at_once.role_kinds)
    assert later.players[len(later.players) - 1] == at_once.players[-1]
    assert [*pickle.loads(pickle.dumps(later.players))] == [*at_once.players]


def test_a_player_may_have_the_name_of_a_member():
    """Then the member has another name, and both have their ratings."""
    table = games([("Ann", "Bob", 1.0), ("Ann - Bob", "Ann", 1.0)])
    ratings = rated(table)
    assert [name for name in ratings.players if name.startswith("Ann - Bob")] == [
        "Ann - Bob", "Ann - Bob (matchup)"
    ]  # fmt: skip
    assert ratings["Ann - Bob"].rating > 1500.0


def test_names_change_nothing():
    """Players may be renumbered."""
    table = table_of(some_columns(**TABLES["draws"]))
    number = np.random.default_rng(1).permutation(len(table.players)).astype(np.uint32)
    names = [table.players[i] for i in np.argsort(number)]
    other = rated(table.replace(players=names, a=number[table.a], b=number[table.b]))
    assert other.forecasts == approx(rated(table).forecasts, rel=1e-12)


def test_either_side_may_be_named_first():
    """Without draws and margins a game may be written down from either side."""
    table = table_of(some_columns(**TABLES["mixed and neutral side"]))
    assert table.side is not None
    turned = table.replace(a=table.b, b=table.a, score=1.0 - table.score, side=-table.side)
    assert rated(turned).forecasts == approx(1.0 - rated(table).forecasts, **CLOSE)


@examples(max_examples=6)
@given(seed=st.integers(0, 999), count=st.integers(2, 12), draws=st.booleans(), dated=st.booleans())
def test_a_game_to_come_is_forecast_as_the_next_game(seed, count, draws, dated):
    """What is said of a game to come is what the table says of it once it was played."""
    columns = some_columns(
        count=count + 1, side=(1.0, 0.0, -1.0), draws=draws, dated=dated, seed=seed
    )
    if dated:
        columns["time"][-1] = columns["time"][-2]
    whole = table_of(columns)
    begun = rated(whole.first(count), params={"opening": 1})
    if any(int(one[-1]) not in (*whole.a[:-1], *whole.b[:-1]) for one in (whole.a, whole.b)):
        return
    if draws and 0.5 not in columns["score"][:count]:
        return
    a, b, side = int(whole.a[-1]), int(whole.b[-1]), columns["side"][-1]
    told = begun.chances(a, b, side)
    wanted = rated(whole, params={"opening": 1}).forecasts[-1]
    assert told.expected == approx(wanted, **CLOSE)
    many, _ = begun.forecast_players(np.array([a]), np.array([b]), np.array([side]))
    assert many[0] == approx(wanted, **CLOSE)


@pytest.mark.parametrize("name", ["draws", "all", "all, teams"])
def test_terms_add_up(name):
    """What a player's history says adds up exactly, and leads to the rating."""
    ratings = rated(table_of(some_columns(**TABLES[name])))
    for player in ratings.players[:3]:
        before = None
        for step in ratings.history(player):
            assert before is None or step.before == before
            assert fsum(step.terms.values()) == step.change == step.after - step.before
            before = step.after
        assert before is not None
