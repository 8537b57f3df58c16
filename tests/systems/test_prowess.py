"""The system `prowess`: its equations, an independent program, and honest forecasts.

`prowess_oracle.py` is the slow, obvious way to compute it. The forecasts in `prowess_values.json`
were computed by the prototype of the system, another program than this one, from the tables of
`prowess_tables.py`; they are not written again when the system changes.
"""

from __future__ import annotations

import json
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as examples, strategies as st
from pytest import approx

from prowess.engine.rate import rate, rate_on
from prowess.engine.replay import play
from prowess.engine.state import initial_state
from prowess.systems.prowess import CENTRE, PROWESS, SCALE
from tests.systems.prowess_oracle import Setting, mix, rate_games, rate_races
from tests.systems.prowess_tables import (
    RACES,
    TABLES,
    some_plays,
    some_races,
    table_of,
    table_of_races,
)

VALUES = json.loads((Path(__file__).parent / "prowess_values.json").read_text(encoding="utf-8"))
ONE = {"variance": 0.8, "reversion": 2e-4}
CLOSE: dict[str, float] = {"rel": 1e-9, "abs": 1e-9}


def rated(table: Any, **options: Any) -> Any:
    """Ratings with forecasts, played as plain Python."""
    return rate(table, PROWESS, forecasts=True, **{"compiled": False, **options})


def assert_equal(ratings: Any, settings: list[Setting], kind: str | None = None) -> None:
    """Weights and the state of every player under every setting are those of the oracle."""
    lanes = len(settings)
    values = ratings.state.rating.reshape(len(ratings.state.rating), 2, -1)
    for index, name in enumerate(ratings.players):
        key = (name,) if kind is None else (kind, name)
        feature = settings[0].features.get(key)
        if feature is not None and feature.prior.is_player:  # others were last seen elsewhere
            means = [CENTRE + SCALE * one.features[key].mean for one in settings]
            spreads = [SCALE**2 * one.features[key].variance for one in settings]
            assert values[index, 0, :lanes].tolist() == approx(means, **CLOSE)
            assert values[index, 1, :lanes].tolist() == approx(spreads, **CLOSE)
            shown = mix(settings, means)
            assert ratings.state.mix()[index, 0] == approx(shown, **CLOSE)


@pytest.mark.parametrize("name", TABLES)
def test_games_are_the_equations(name):
    """Forecasts, draws and ratings are those of the slow program, with every ingredient."""
    plays = some_plays(**TABLES[name])
    forecasts, settings = rate_games(plays)
    ratings = rated(table_of(plays))
    expected = [win + 0.5 * draw for win, draw in forecasts]
    assert ratings.forecasts.tolist() == approx(expected, **CLOSE)
    if TABLES[name].get("draws"):
        assert ratings.draws.tolist() == approx([draw for _, draw in forecasts], **CLOSE)
    assert_equal(ratings, settings)


@pytest.mark.parametrize("name", RACES)
def test_contests_are_the_equations(name):
    """Contests of two to seven sides, with ties and with cars that several share."""
    races = some_races(**RACES[name])
    forecasts, settings = rate_races(races)
    ratings = rated(table_of_races(races))
    assert ratings.forecasts.tolist() == approx(forecasts, **CLOSE)
    assert_equal(ratings, settings, "player")


@pytest.mark.parametrize("name", TABLES)
def test_games_are_those_of_the_prototype(name):
    """Forecasts are those that an independent program computed."""
    ratings = rated(table_of(some_plays(**TABLES[name])))
    of = VALUES["games"][name]
    expected = [win + 0.5 * draw for win, draw in zip(of["win"], of["draw"], strict=True)]
    assert ratings.forecasts.tolist() == approx(expected, **CLOSE)


@pytest.mark.parametrize("name", RACES)
def test_contests_are_those_of_the_prototype(name):
    """Forecasts of contests are those that an independent program computed."""
    ratings = rated(table_of_races(some_races(**RACES[name])))
    assert ratings.forecasts.tolist() == approx(VALUES["contests"][name], **CLOSE)


@examples(max_examples=8)
@given(seed=st.integers(0, 999), count=st.integers(2, 12), draws=st.booleans())
def test_small_tables_are_the_equations(seed, count, draws):
    """Few games of few players, under one setting."""
    plays = some_plays(count=count, players=3, side=(1.0, 0.0), draws=draws, seed=seed)
    forecasts, settings = rate_games(plays, [(0.8, 2e-4)])
    ratings = rated(table_of(plays), params=ONE)
    expected = [win + 0.5 * draw for win, draw in forecasts]
    assert ratings.forecasts.tolist() == approx(expected, **CLOSE)
    assert_equal(ratings, settings)


def test_votes_have_no_times():
    """Without times no ability drifts: all is as on one day."""
    plays = some_plays(draws=True)
    for one in plays:
        one.day = 0.0
    forecasts, settings = rate_games(plays)
    ratings = rated(table_of(plays, timed=False))
    assert ratings.forecasts.tolist() == approx([w + 0.5 * d for w, d in forecasts], **CLOSE)
    assert_equal(ratings, settings)


# --- honest forecasts ------------------------------------------------------------------------


def test_later_results_change_no_forecast():
    """With other results from a row behind the opening on, forecasts up to it are the same bits."""
    plays = some_plays(**TABLES["all"])
    whole = rated(table_of(plays))
    for one in plays[30:]:
        one.score, one.margin = 1.0 - one.score, -(one.margin or 0.0)
    other = rated(table_of(plays))
    assert np.array_equal(whole.forecasts[:31], other.forecasts[:31])
    assert not np.array_equal(whole.forecasts[31:], other.forecasts[31:])


def test_a_prefix_is_the_table_so_far():
    """With the opening given, the first games have the same bits as in the whole table."""
    plays = some_plays(**TABLES["goals and draws"])
    params = {**ONE, "opening": 8}
    whole = rated(table_of(plays), params=params)
    first = rated(table_of(plays[:25]), params=params)
    assert np.array_equal(first.forecasts, whole.forecasts[:25])
    assert np.array_equal(first.draws, whole.draws[:25])


def test_where_a_table_is_cut_changes_no_bit():
    """Played row by row or at once, the state of a bank is the same to the last bit."""
    table = table_of(some_plays(**TABLES["all"]))
    whole = rated(table)
    state = initial_state(PROWESS, whole.p, len(whole.prepared.players), {}, whole.prepared)
    for r in range(0, len(table), 5):
        play(state, whole.prepared, whole.rounds, span=(r, min(r + 5, len(table))), compiled=False)
    assert np.array_equal(state.rating, whole.state.rating)
    assert np.array_equal(state.logs, whole.state.logs)
    assert np.array_equal(state.common, whole.state.common)


def test_going_on_is_the_whole_table():
    """Ratings of the first games with the others played on are those of the whole table."""
    table = table_of(some_plays(**TABLES["goals and draws"]))
    begun = rate(table.first(25), PROWESS, compiled=False, params=ONE)
    both = rate_on(begun, table.select(slice(25, None)))
    whole = rate(table, PROWESS, compiled=False, params=ONE)
    assert np.array_equal(both.values, whole.values)


@pytest.mark.parametrize("contests", [False, True])
def test_compiled_is_plain(contests):
    """The compiled loop of the whole bank gives the bits of the plain one."""
    table = table_of_races(some_races(**RACES["cars"])) if contests else None
    table = table or table_of(some_plays(**TABLES["all"]))
    plain, compiled = (rated(table, compiled=way) for way in (False, True))
    assert np.array_equal(plain.forecasts, compiled.forecasts)
    assert np.array_equal(plain.state.rating, compiled.state.rating)
    assert np.array_equal(plain.state.logs, compiled.state.logs)


def test_a_bank_of_one_setting_is_the_setting():
    """Every setting of the bank has the ratings that it has alone."""
    table = table_of(some_plays(**TABLES["goals and draws"]))
    bank, alone = rated(table), rated(table, params=ONE)
    at = next(k for k, row in enumerate(bank.p.rows) if {**row._asdict(), **ONE} == row._asdict())
    lanes = bank.state.rating.reshape(len(bank.state.rating), 2, -1)[:, :, at]
    assert lanes == approx(alone.state.rating, rel=1e-12)


def test_names_change_nothing():
    """Players may be renumbered."""
    table = table_of(some_plays(**TABLES["draws"]))
    number = np.random.default_rng(1).permutation(len(table.players)).astype(np.uint32)
    names = [table.players[i] for i in np.argsort(number)]
    other = rated(table.replace(players=names, a=number[table.a], b=number[table.b]))
    assert other.state.rating[number] == approx(rated(table).state.rating, rel=1e-12)


def test_either_side_may_be_named_first():
    """Without draws and margins a game may be written down from either side."""
    table = table_of(some_plays(**TABLES["mixed and neutral side"]))
    assert table.side is not None
    turned = table.replace(a=table.b, b=table.a, score=1.0 - table.score, side=-table.side)
    assert rated(turned).forecasts == approx(1.0 - rated(table).forecasts, **CLOSE)


@pytest.mark.parametrize("name", ["draws", "all"])
def test_terms_add_up(name):
    """What a player's history says adds up exactly, and leads to the rating."""
    ratings = rate(table_of(some_plays(**TABLES[name])), PROWESS, compiled=False)
    for player in ratings.players:
        before = None
        for step in ratings.history(player):
            assert before is None or step.before == before
            assert fsum(step.terms.values()) == step.change == step.after - step.before
            before = step.after
        assert before is not None
