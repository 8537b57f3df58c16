"""Contests of hundreds of sides: sums over the field are those over all pairs."""

from __future__ import annotations

from dataclasses import replace
from math import floor, sqrt

import numpy as np
import pytest
from pytest import approx

from prowess.engine import large_contest
from prowess.engine.large_contest import LARGE_FIELD, choose_nodes, lagrange_basis
from prowess.engine.rate import rate, rate_on
from prowess.systems import trueskill
from prowess.systems.catalogue import find
from tests.engine.tables import START, contests

SIDES = LARGE_FIELD + 40


def league(rounds=2, ties=True, seed=3):
    """Contests of all players in another order each, tied in places, rows in no order."""
    random = np.random.default_rng(seed)
    ability = random.normal(size=SIDES)
    fields = []
    for _ in range(rounds):
        performance = ability + random.gumbel(size=SIDES)
        if ties:
            performance = np.round(performance, 1)
        place = 1 + (performance[:, None] < performance[None, :]).sum(axis=1)
        fields.append([(f"p{k}", int(place[k])) for k in random.permutation(SIDES).tolist()])
    return contests(fields, time=[START + 7.0 * k for k in range(rounds)])


def begin(scale, seed=4):
    """Ratings to begin with: all over a few classes of players."""
    random = np.random.default_rng(seed)
    return {f"p{k}": {"rating": 1500.0 + scale * random.normal()} for k in range(SIDES)}


def test_elo_is_the_sum_over_all_pairs():
    """K / (n - 1) x sum of S - E, the mean E and the mean log loss, by NumPy over n x n pairs."""
    table, start = league(rounds=1), begin(250.0)
    found = rate(table, find("elo"), start=start, forecasts=True)
    who = table.player.astype(int)
    rating = np.array([start[table.players[k]]["rating"] for k in who])
    place = table.place
    expected = 1.0 / (1.0 + 10.0 ** ((rating[None, :] - rating[:, None]) / 400.0))
    score = 0.5 + 0.5 * np.sign(place[None, :] - place[:, None])
    other = ~np.eye(SIDES, dtype=bool)
    change = 32.0 * ((score - expected) * other).sum(axis=1) / (SIDES - 1)
    assert found.column("rating")[who] == approx(rating + change, abs=1e-9)
    assert found.forecasts == approx((expected * other).sum(axis=1) / (SIDES - 1), abs=1e-12)
    loss = -(score * np.log(expected) + (1 - score) * np.log(1 - expected))
    assert found.pair_losses == approx([loss[other].mean()], abs=1e-12)


@pytest.mark.parametrize(
    "system", ["elo", "glicko2", "glicko", "weng_lin", "weng_lin_tm", "codechef", "apterous"]
)
def test_the_field_stands_for_all_pairs(system, monkeypatch):
    """Ratings, forecasts, log losses and histories are those of the loop over pairs, to 1e-9."""
    table, chosen = league(), find(system)
    fast = rate(table, chosen, forecasts=True)
    monkeypatch.setattr(large_contest, "LARGE_FIELD", SIDES + 1)
    slow = rate(table, chosen, forecasts=True)
    scale = np.abs(slow.values).max(axis=0)
    assert (np.abs(fast.values - slow.values) <= 1e-9 * np.maximum(scale, 1.0)).all()
    assert fast.forecasts == approx(slow.forecasts, abs=1e-11)
    assert fast.pair_losses == approx(slow.pair_losses, abs=1e-11)


def beside_pairs(table, monkeypatch, **params):
    """Ratings of the default by sums over the field, and by all pairs."""
    chosen = find("prowess")
    fast = rate(table, chosen, params=params, forecasts=True, follow=True)
    monkeypatch.setattr(large_contest, "LARGE_FIELD", 10**9)
    return fast, rate(table, chosen, params=params, forecasts=True, follow=True)


ONE_SETTING = {"variance": 0.5, "reversion": 2e-4, "experience": 1.0, "rich": 0.0}


@pytest.mark.parametrize(("together", "params"), [(1, ONE_SETTING), (2, {})])
def test_the_field_of_a_bank_stands_for_all_pairs(together, params, monkeypatch):
    """Under all settings and one, with learnt numbers and shared experience, of players and of
    teams; a history has the expected scores of pairs.
    """
    table = league(rounds=2)
    if together > 1:  # with another partner in each contest
        first, contest = table.player.astype(int), table.contest_of_side
        partner = SIDES + (first + 7 * contest) % SIDES
        table = table.replace(
            players=[*table.players, *(f"partner {k}" for k in range(SIDES))],
            player=np.stack((first, partner), axis=1).ravel().astype(np.uint32),
            ends=np.arange(0, 2 * len(first) + 1, 2),
        )
    fast, slow = beside_pairs(table, monkeypatch, **params)
    assert (np.abs(fast.values - slow.values) <= 1e-8).all()
    assert fast.forecasts == approx(slow.forecasts, abs=1e-11)
    assert fast.pair_losses == approx(slow.pair_losses, abs=1e-8)
    if together == 1:
        step, other = fast.history("p7").steps[-1], slow.history("p7").steps[-1]
        assert step.expected == approx(other.expected, abs=1e-11)
    assert (fast.values != slow.values).any()


def test_a_member_whom_both_sides_have_is_left_to_the_pairs(monkeypatch):
    """A constructor takes no part in the pair of their drivers: the bits are those of pairs."""
    table, cars = league(rounds=2), 60
    drivers = table.player.astype(int)
    names = [*table.players, *(f"car {k}" for k in range(cars))]
    table = table.replace(
        players=names,
        player=np.stack((drivers, SIDES + drivers % cars), axis=1).ravel().astype(np.uint32),
        ends=np.arange(0, 2 * len(drivers) + 1, 2),
        role=np.repeat([0, 1], [SIDES, cars]).astype(np.uint8),
        roles=("player", "car"),
        role_kinds=("player", "with"),
    )
    fast, slow = beside_pairs(table, monkeypatch)
    assert (fast.values == slow.values).all()


@pytest.mark.parametrize("system", ["elo", "glicko2", "weng_lin_tm", "weng_lin", "codechef"])
@pytest.mark.parametrize("known", [20, 60])
def test_a_field_of_newcomers_with_a_few_who_are_rated(system, known, monkeypatch):
    """Most sides are alike, so that sides by rank alone would say nothing of the others."""
    random = np.random.default_rng(8)
    fields = [
        [(f"p{k}", place) for place, k in enumerate(random.permutation(count).tolist(), 1)]
        for count in (known, 2 * SIDES)
    ]
    table, chosen = contests(fields, time=[START, START + 7.0]), find(system)
    fast = rate(table, chosen)
    monkeypatch.setattr(large_contest, "LARGE_FIELD", 10**9)
    slow = rate(table, chosen)
    scale = np.maximum(np.abs(slow.values).max(axis=0), 1.0)
    assert (np.abs(fast.values - slow.values) <= 1e-9 * scale).all()


@pytest.mark.parametrize("system", ["glicko2", "prowess"])
def test_a_large_contest_goes_on_as_it_was_rated(system):
    """Two runs of a contest each, and plain Python, give the same bits as one compiled run."""
    table, chosen = league(), find(system)
    whole = rate(table, chosen, forecasts=True)
    first = rate(table.select(slice(0, 1)), chosen)
    later = rate_on(first, table.select(slice(1, 2)))
    assert (later.values == whole.values).all()
    if system == "prowess":  # plain Python takes twenty seconds
        return
    plain = rate(table, chosen, forecasts=True, compiled=False)
    assert (plain.values == whole.values).all()
    assert (plain.forecasts == whole.forecasts).all()


def test_a_history_of_a_large_contest_ends_at_the_rating():
    """What the replay keeps before and after a contest are the ratings that the run had."""
    found = rate(league(), find("codechef"))
    first, second = found.history("p7").steps[SIDES - 2 : SIDES]  # a step is a pair
    assert (first.round, second.round) == (0, 1)
    assert first.after == second.before
    assert found.history("p7")[-1].after == found["p7"].rating


def test_a_function_that_is_not_smooth_is_judged_by_pairs():
    """Sides count in full classes of ratings: no polynomial through few nodes can say so."""
    sides = np.linspace(0.0, 10.0, 600)[:, None]

    def steps(mine, theirs):
        return np.floor(theirs)

    def curve(mine, theirs):
        return np.tanh(theirs - sides[mine])

    assert choose_nodes(sides, steps) is None
    (nodes,) = choose_nodes(sides, curve)
    basis = lagrange_basis(nodes, sides[:, 0])
    assert basis @ np.tanh(nodes - 3.0) == approx(np.tanh(sides[:, 0] - 3.0), abs=1e-11)
    assert basis.sum(axis=1) == approx(np.ones(600), abs=1e-12)


def test_a_long_chain_stops_where_rounding_begins(monkeypatch):
    """TrueSkill's messages until none moves by a part in 10^12 give the same ratings to 1e-6."""
    table, chosen = league(rounds=1, ties=False), find("trueskill")
    fast = rate(table, chosen, compiled=False)
    monkeypatch.setattr(trueskill, "LONG_CHAIN", SIDES + 1)
    slow = rate(table, chosen, compiled=False)
    assert fast.values == approx(slow.values, abs=1e-9)
    assert (fast.values != slow.values).any()


def test_codeforces_counts_ratings_once():
    """Whole changes are those of the formulas written down, player by player (Mirzayanov)."""
    table = league(rounds=1)
    random = np.random.default_rng(1)
    start = {f"p{k}": {"rating": float(random.integers(900, 2400))} for k in range(SIDES)}
    found = rate(table, find("codeforces"), start=start)
    who = table.player.astype(int)
    rating = np.array([start[table.players[k]]["rating"] for k in who])

    def seed(i, r):
        beats = 1.0 / (1.0 + 10.0 ** ((r - rating) / 400.0))
        return 1.0 + beats.sum() - beats[i]

    changes = []
    for i in range(SIDES):
        wanted = sqrt((table.place <= table.place[i]).sum() * seed(i, rating[i]))
        low, high = 1, 8000
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if seed(i, middle) < wanted else (middle, high)
        changes.append(int((low - rating[i]) / 2))
    change = np.array(changes)
    change = change + int(-change.sum() / SIDES) - 1
    best = np.lexsort((table.place, -rating))[: min(4 * floor(sqrt(SIDES) + 0.5), SIDES)]
    change = change + min(max(int(-change[best].sum() / len(best)), -10), 0)
    assert found.column("rating")[who].tolist() == (rating + change).tolist()


def test_a_system_that_is_not_compiled_takes_the_same_sums():
    """Where a function of a user is beyond the compiler, a note says so."""
    elo = find("elo")
    judge = elo.evidence

    def evidence(p, me, opponent, game):
        return {"one": judge(p, me, opponent, game)}["one"]

    table = league(rounds=1)
    found = rate(table, replace(elo, name="own", evidence=evidence))
    assert (found.values == rate(table, elo).values).all()
    assert any("runs as plain Python" in note for note in found.notes)
