"""Banks: each setting as if alone, the mixture as its formula, one number for one table."""

from __future__ import annotations

import itertools
from math import exp, log
from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.compile import kernel, worth
from prowess.engine import run
from prowess.engine.loops import Snapshots
from prowess.engine.params import BadSetting, Bank, display_settings, settings
from prowess.engine.periods import Rounds, rounds_of
from prowess.engine.rate import rate, rate_on
from prowess.engine.replay import Replay, forecast_apart, pays_apart, play
from prowess.engine.run import Watch
from prowess.engine.state import initial_state
from prowess.engine.system import Dynamic
from prowess.engine.table import join_tables
from prowess.games.games import Games
from prowess.systems.catalogue import find
from tests.engine.tables import START, games
from tests.refusals import refused

FORGET = 0.9998  # the power of a weight that a game leaves
NAMES = "ABCDEFG"
BANKS = {  # a drift, no drift, sides with parts, loops inside, a model of draws
    "elo": {"k": [8.0, 20.0, 60.0]},
    "glicko": {"drift": [5.0, 30.0], "advantage": [0.0, 40.0]},
    "glicko2": {"tau": [0.3, 0.9]},
    "weng_lin": {"beta": [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]},
    "trueskill": {"beta": [2.0, 5.0, 9.0]},
}


def drawn(count: int, weighted: bool = False, scores: tuple[float, ...] = (1.0, 0.0, 0.5)) -> Games:
    """Games of seven players with dates, sides and scores, the same at every call."""
    random = np.random.default_rng(count)
    rows = []
    for _ in range(count):
        i, j = random.choice(len(NAMES), 2, replace=False).tolist()
        rows.append((NAMES[i], NAMES[j], float(random.choice(scores))))
    given: dict[str, Any] = {"weight": random.choice([0.25, 1.0, 3.0], count)} if weighted else {}
    days = START + np.cumsum(random.exponential(20.0, count))
    return games(rows, time=days, side=random.choice([-1.0, 0.0, 1.0], count), **given)


def dynamic(name: str) -> Dynamic:
    """A system of the catalogue that follows games."""
    system = find(name)
    assert isinstance(system, Dynamic)
    return system


def bank_of(name: str) -> Bank:
    """The bank of a system in this file."""
    bank = settings(dynamic(name), BANKS[name])
    assert isinstance(bank, Bank)
    return bank


def settings_of(name: str) -> tuple[Any, ...]:
    """The settings of the bank, without the rows that fill it up."""
    bank = bank_of(name)
    return tuple(bank.rows[: bank.count])


def played(
    name: str,
    table: Games,
    cuts: tuple[int, ...] = (),
    compiled: bool | None = False,
    watched: bool = False,
) -> dict[str, Any]:
    """All that comes of a bank on a table that is cut into spans."""
    system, bank = dynamic(name), bank_of(name)
    state = initial_state(system, bank, len(table.players), {}, table)
    rounds = rounds_of(system, table, None)
    found = {"forecasts": np.full(len(table), np.nan), "draws": np.full(len(table), np.nan)}
    watch = None
    if watched:
        width = len(system.rating) * len(bank.rows)
        memory = Snapshots(
            np.zeros((2 * len(table), width)), np.zeros((2 * len(table), 2 * len(bank.rows)))
        )
        watch = Watch(np.arange(2 * len(table)), memory)
        found |= {"ratings before": memory.rating, "logs before": memory.sums[:, : len(bank.rows)]}
    ends = (0, *cuts, len(table))
    for span in itertools.pairwise(ends):
        play(state, table, rounds, **_asked(found), watch=watch, compiled=compiled, span=span)
    return found | {"rating": state.rating, "seen": state.seen, "logs": state.logs}


def _asked(found: dict[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in ("forecasts", "draws")}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Every array is the same to the bit."""
    for name, values in one.items():
        assert np.array_equal(values, other[name], equal_nan=True), name


@pytest.mark.parametrize("name", BANKS)
def test_every_setting_is_as_if_alone(name):
    """A lane of a bank has the ratings that a run of this setting has."""
    table, bank = drawn(300), bank_of(name)
    state = rate(table, dynamic(name), bank=BANKS[name]).state
    for lane, row in enumerate(bank.rows[: bank.count]):
        alone = rate(table, dynamic(name), params=display_settings(dynamic(name), row)).state
        assert state.rating[:, lane :: len(bank.rows)] == approx(alone.rating, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["elo", "glicko", "weng_lin"])
def test_the_mixture_is_its_formula(name, weighted):
    """Forecasts are weighed by w <- w^0.9998 P(result), a game of weight n as n games."""
    table = drawn(400, weighted, scores=(1.0, 0.0, 0.5, 0.25))
    ratings = rate(table, dynamic(name), bank=BANKS[name], forecasts=True)
    assert ratings.forecasts is not None
    apart = [
        rate(
            table, dynamic(name), params=display_settings(dynamic(name), row), forecasts=True
        ).forecasts
        for row in settings_of(name)
    ]
    weights = [1.0] * len(apart)
    for game, score in enumerate(table.score.tolist()):
        chances = [float(one[game]) for one in apart if one is not None]
        total = sum(weights)
        mixed = sum(w * e for w, e in zip(weights, chances, strict=True)) / total
        assert ratings.forecasts[game] == approx(mixed, rel=1e-12)
        count = 1.0 if table.weight is None else float(table.weight[game])
        told = [score * log(e) + (1.0 - score) * log(1.0 - e) for e in chances]
        weights = [
            (w / total) ** (FORGET**count) * exp(count * t)
            for w, t in zip(weights, told, strict=True)
        ]


def test_draws_teach_by_their_own_chance():
    """A system that foresees draws is judged by the chance of the result among three."""
    table, name = drawn(300), "trueskill"
    ratings = rate(table, dynamic(name), bank=BANKS[name], forecasts=True)
    assert ratings.forecasts is not None
    assert ratings.draws is not None
    apart = [
        rate(table, dynamic(name), params=display_settings(dynamic(name), row), forecasts=True)
        for row in settings_of(name)
    ]
    weights = np.ones(len(apart))
    for game, score in enumerate(table.score.tolist()):
        expected = np.array([one.forecasts[game] for one in apart if one.forecasts is not None])
        draw = np.array([one.draws[game] for one in apart if one.draws is not None])
        weights /= weights.sum()
        assert ratings.forecasts[game] == approx(float(weights @ expected), rel=1e-12)
        assert ratings.draws[game] == approx(float(weights @ draw), rel=1e-12)
        win, loss = expected - draw / 2, 1.0 - expected - draw / 2
        weights = weights**FORGET * {1.0: win, 0.5: draw, 0.0: loss}[score]


def test_the_deviation_is_that_of_the_mixture():
    """Ratings are weighed means; the variance is that of all settings together."""
    table, lanes = drawn(200), len(bank_of("glicko").rows)
    ratings = rate(table, dynamic("glicko"), bank=BANKS["glicko"])
    state = ratings.state
    assert state.logs is not None
    weights = np.exp(state.logs) / np.exp(state.logs).sum()
    for row, mixed in zip(state.rating, state.mix(), strict=True):
        rating, deviation = row[:lanes], row[lanes:]
        mean = float(weights @ rating)
        variance = float(weights @ (deviation**2 + (rating - mean) ** 2))
        assert mixed.tolist() == approx([mean, variance**0.5], rel=1e-12)


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@pytest.mark.parametrize("name", BANKS)
def test_compiled_is_plain(name):
    """Ratings, weights, forecasts and what is kept for explanations, to the bit."""
    table = drawn(500, weighted=True)
    assert_same(
        played(name, table, compiled=True, watched=True),
        played(name, table, compiled=False, watched=True),
    )


@pytest.mark.parametrize("name", ["glicko", "prowess"])
def test_explaining_needs_no_further_loop(name):
    """A bank is compiled once, for ratings and for what is kept for explanations."""
    ratings = rate(drawn(60), dynamic(name), bank=BANKS.get(name))
    loops = []
    for watch in (None, ratings.watch):
        one = Replay(ratings.state, ratings.table, ratings.rounds, None, None, watch)
        loops.append(one.compiled_as)
    assert loops[0][0] == "bank"
    assert loops[0] == loops[1]


@pytest.mark.parametrize("name", BANKS)
def test_where_a_table_is_cut_changes_nothing(name):
    """One game at a time, two spans or all at once: the same to the bit."""
    table = drawn(120)
    whole = played(name, table, watched=True)
    assert_same(whole, played(name, table, cuts=(50,), watched=True))
    assert_same(whole, played(name, table, cuts=tuple(range(1, 120)), watched=True))


@pytest.mark.parametrize("name", ["elo", "glicko"])
def test_both_loops_make_the_same_bank(name, monkeypatch):
    """Games of one against one through the loop over sides: the same to the bit."""
    table = drawn(200, weighted=True)
    abreast = played(name, table, watched=True)
    monkeypatch.setattr(run, "plays_abreast", lambda *_: False)
    assert_same(abreast, played(name, table, watched=True))


def test_live_is_batch():
    """Games that come one by one give the state of the whole table, to the bit."""
    table, system = drawn(60), dynamic("glicko")
    ratings = rate(table.first(1), system, bank=BANKS["glicko"])
    for row in range(1, len(table)):
        more = table.select(slice(row, row + 1))
        ratings = rate_on(ratings, more)
    whole = rate(
        join_tables(table.first(30), table.select(slice(30, 60))), system, bank=BANKS["glicko"]
    )
    assert np.array_equal(ratings.state.rating, whole.state.rating)
    assert np.array_equal(ratings.state.logs, whole.state.logs)


def test_weights_that_leave_the_numbers_are_scaled():
    """A game that counts a million times leaves one setting, and finite numbers."""
    table = games([("A", "B", 1.0), ("A", "B", 1.0), ("B", "A", 1.0)], weight=[1.0, 1e6, 1.0])
    ratings = rate(table, dynamic("elo"), bank={"k": [1e-9, 1e-6]}, forecasts=True)
    assert ratings.forecasts is not None
    assert np.isfinite(ratings.forecasts).all()
    assert ratings.state.logs is not None
    assert np.isfinite(ratings.state.logs[:2]).all()


def test_what_is_kept_for_an_explanation():
    """A row a member, the lanes of a field together; beside it the weights before the game."""
    table, lanes = drawn(40), len(bank_of("glicko").rows)
    found = played("glicko", table, watched=True)
    before = played("glicko", table, cuts=(39,))
    state = initial_state(dynamic("glicko"), bank_of("glicko"), len(table.players), {}, table)
    play(state, table, rounds_of(dynamic("glicko"), table, None), span=(0, 39), compiled=False)
    assert np.array_equal(found["logs before"][78], state.logs)
    assert np.array_equal(found["logs before"][79], state.logs)
    ratings = state.rating[table.a[39]][:lanes]
    assert found["ratings before"][78][:lanes].tolist() == ratings.tolist()
    assert before["rating"].shape[1] == 2 * lanes


# --- settings that are played apart ------------------------------------------------------


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@pytest.mark.parametrize("name", ["elo", "glicko", "weng_lin"])
@pytest.mark.parametrize("count", [1, 3, 11])
def test_settings_in_one_pass_are_as_if_alone(name, count):
    """The forecasts of many settings are those of single runs."""
    table, system = drawn(300), dynamic(name)
    advantages = np.linspace(-20.0, 60.0, count).tolist()
    rows = [settings(system, {"advantage": value}) for value in advantages]
    assert pays_apart(system, table, None)
    found = forecast_apart(table, system, rows)
    for k, row in enumerate(rows):
        alone = rate(
            table, system, params=display_settings(dynamic(name), row), forecasts=True
        ).forecasts
        assert found[:, k] == approx(alone, abs=1e-9)


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@pytest.mark.parametrize(("name", "setting"), [("elo", "k"), ("glicko", "drift")])
def test_settings_of_contests_in_one_pass_are_as_if_alone(name, setting, monkeypatch):
    """Contests of three, four and five: an entry a side, as in single runs, and compiled."""
    monkeypatch.setattr(Replay, "play_plain", None)  # one pass by it would take minutes
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 0)
    random = np.random.default_rng(3)
    sides = [random.permutation(len(NAMES))[: 3 + k % 3] for k in range(60)]
    start = np.cumsum([0, *map(len, sides)])
    place = np.concatenate([np.arange(1.0, len(one) + 1.0) for one in sides])
    player = np.concatenate(sides).astype(np.uint32)
    table, system = Games(NAMES, start=start, player=player, place=place), dynamic(name)
    rows = [settings(system, {setting: value}) for value in (40.0, 80.0, 160.0)]
    assert pays_apart(system, table, None)
    found = forecast_apart(table, system, rows)
    assert found.shape == (len(player), 3)
    for k, row in enumerate(rows):
        alone = rate(table, system, params=display_settings(system, row), forecasts=True).forecasts
        assert found[:, k] == approx(alone, abs=1e-9)


def test_what_does_not_go_in_one_pass():
    """Functions with loops, leagues and periods go one by one."""
    table = drawn(10)
    assert not pays_apart(dynamic("glicko2"), table, None)
    assert not pays_apart(dynamic("ics"), table, None)
    assert not pays_apart(dynamic("elo"), table, "1mo")


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
def test_a_setting_without_numbers_hurts_no_other():
    """Ratings that overflow under one setting leave the forecasts of the next as they are."""
    table = games([("A", "B", 1.0)] * 20, weight=[1e308] * 20)
    rows = [settings(dynamic("elo"), {"k": k}) for k in (200.0, 0.0)]
    found = forecast_apart(table, dynamic("elo"), rows)
    assert np.isnan(found[:, 0]).all()
    assert found[:, 1].tolist() == [0.5] * 20


# --- what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "bank", "said"),
    [
        ("elo", {"q": [1, 2]}, ("unknown_setting", "q", "elo")),
        ("elo", {"k": [8, -1]}, ("setting_out_of_range", "10000")),
        ("elo", {"k": [8, "x"]}, ("setting_out_of_range", "x", "10000")),
        ("elo", {"k": []}, ("values_twice",)),
        ("elo", {"k": [8, 8]}, ("values_twice",)),
        ("ics", {"k": [8, 16]}, ("unknown_setting", "ics")),
        ("bradley_terry", {"prior": [1, 2]}, ("unknown_setting", "bradley_terry")),
        ("elo", {"k": list(range(200)), "scale": [300, 400]}, ("bank_too_large", "256")),
    ],
)
def test_a_bank_that_cannot_be(name, bank, said):
    """One clear error for each."""
    with refused(BadSetting, said[0], about=said[1:]):
        settings(find(name), bank)


def test_one_value_is_no_bank():
    """A single combination is the setting itself, in every bit."""
    table = drawn(50)
    one = rate(table, dynamic("elo"), bank={"k": [20.0]})
    alone = rate(table, dynamic("elo"), params={"k": 20.0})
    assert np.array_equal(one.state.rating, alone.state.rating)
    assert one.state.logs is None


def test_rounds_of_many_games_are_mixed_by_the_weights_before_them():
    """All games of a round are foreseen by the same weights, and all of them teach."""
    table, system = drawn(30), dynamic("elo")
    rounds = Rounds(None, np.array([0, 10, 30]), None)
    state = initial_state(system, bank_of("elo"), len(table.players), {}, table)
    forecasts = np.empty(len(table))
    play(state, table, rounds, forecasts=forecasts, compiled=False)
    apart = []
    for row in settings_of("elo"):
        one = np.empty(len(table))
        alone = initial_state(system, row, len(table.players), {}, table)
        play(alone, table, rounds, forecasts=one, compiled=False)
        apart.append(one)
    chances, score = np.array(apart), table.score
    told = score * np.log(chances) + (1.0 - score) * np.log(1.0 - chances)
    weights = np.exp(told[:, :10].sum(axis=1))
    weights /= weights.sum()
    assert forecasts[:10] == approx(chances[:, :10].mean(axis=0), rel=1e-12)
    assert forecasts[10:] == approx(weights @ chances[:, 10:], rel=1e-12)
