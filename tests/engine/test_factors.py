"""Learnt factors of roles, newcomers beside known opponents, games that are a clock, mixed banks.

The system of this file has all of them; `by_hand` is the same in floats and dicts.
"""

from __future__ import annotations

from math import exp, fsum
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.compile import kernel
from prowess.engine.check import check_system
from prowess.engine.params import rows_of
from prowess.engine.rate import rate, rate_on
from prowess.engine.steps import LAST_BITS, OF_TIME, REWEIGHED
from prowess.engine.system import Chances, Common, Dynamic, Range, negated
from prowess.games.games import Games
from tests.engine.tables import contests


class Params(NamedTuple):
    k: Annotated[float, Range(0, 10)] = 0.3
    back: Annotated[float, Range(0, 1)] = 0.1
    row: Annotated[float, Range(-1, 9)] = -1.0  # of the factor
    most: Annotated[float, Range(0, 9)] = 2.0


class Rating(NamedTuple):
    rating: float = 0.0


class Side(NamedTuple):
    sum: float = 0.0


class Evidence(NamedTuple):
    change: Annotated[float, negated] = 0.0


class Row(NamedTuple):
    value: float = 0.0
    taught: float = 0.0


class Shared(NamedTuple):
    level: Row = Row()


class Gradient(NamedTuple):
    change: float = 0.0


class Places(NamedTuple):
    level: int


def start(p: Params) -> list[Row]:
    """The newcomers' level, the factor of a context, that of company."""
    return [Row(0.1), Row(0.5), Row(0.25)]


def named(p: Params, game: Any) -> Places:
    return Places(0)


def newcomer(p: Params, common: Shared) -> Rating:
    return Rating(common.level.value)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    return Rating(me.rating * exp(-p.back * elapsed))


def part(p: Params, me: Rating, share: float) -> Side:
    return Side(share * me.rating)


def chances(p: Params, mine: Side, theirs: Side, game: Any, common: Shared) -> Chances:
    return Chances(1.0 / (1.0 + exp(theirs.sum - mine.sum)), 0.0)


def evidence(p: Params, mine: Side, theirs: Side, game: Any, common: Shared) -> Evidence:
    return Evidence(game.score - chances(p, mine, theirs, game, common).win)


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    return Evidence(share * one.change)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    return Rating(me.rating + p.k * total.change)


def credit(p: Params, me: Rating, after: Rating, one: Evidence) -> float:
    return p.k * one.change


def gradient(
    p: Params, mine: Side, theirs: Side, game: Any, common: Shared, of: Chances, one: Evidence
) -> Gradient:
    return Gradient(one.change)


def learn(
    p: Params, which: int, row: Row, below: Row, above: Row, total: Gradient, sides: float
) -> Row:
    return Row(row.value + 0.01 * total.change, 0.0)


def factor(p: Params) -> float:
    return p.row


def pull(p: Params, me: Rating, share: float, one: Evidence) -> float:
    return share * me.rating * one.change


def learn_factor(p: Params, row: Row, total: float) -> Row:
    return Row(min(max(row.value + total, 0.0), p.most), row.taught + 1.0)


STEERED = Dynamic(
    name="steered",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    side=Side(),
    newcomer=newcomer,
    drift=drift,
    part=part,
    chances=chances,
    evidence=evidence,
    due=due,
    absorb=absorb,
    credit=credit,
    common=Common(
        Row(), Shared(), Gradient(), start, named, gradient, learn, ("level",),
        factor=factor, pull=pull, learn_factor=learn_factor, company="company",
    ),
    roles=MappingProxyType(
        {
            "per": lambda p: p._replace(row=1.0),
            "company": lambda p: p._replace(row=2.0, most=0.3),
        }
    ),
    bank=(
        MappingProxyType({"k": (0.2, 0.4), "back": (0.0, 0.1)}),
        MappingProxyType({"k": (0.3,), "back": (0.2, 0.0)}),
    ),
    clock="1d",
    follows_period=False,
    untimed=1.0,
    rounds="game",
)  # fmt: skip

ON = ("Ann@clay", "Bob@clay", "Cid@clay", "Dee@clay")


def some_games(
    count: int = 25, timed: bool = False, weighted: bool = False, seed: int = 1
) -> Games:
    """Games of four players, half of them on clay, where each has a member beside them."""
    chosen = np.random.default_rng(seed)
    member, ends = [], [0]
    for _ in range(count):
        clay = chosen.random() < 0.5
        for who in chosen.permutation(4)[:2].tolist():
            member += [who, 4 + who] if clay else [who]
            ends.append(len(member))
    return Games(
        ("Ann", "Bob", "Cid", "Dee", *ON),
        player=np.array(member, np.uint32),
        ends=np.array(ends),
        score=chosen.choice([0.0, 1.0], count),
        time=np.cumsum(chosen.choice([0.0, 1.0, 3.0], count)) if timed else None,
        weight=chosen.choice([0.5, 1.0, 2.0], count) if weighted else None,
        role=np.array([0] * 4 + [1] * 4, np.uint8),
        roles=("player", "court"),
        role_kinds=("player", "per"),
    )


def learnt_of(found: Any, lane: int) -> list[float]:
    """The level and the factors under one setting."""
    return [float(row[lane]) for row in found.state.common]


def by_hand(table: Games, p: Params) -> tuple[list[float], dict[int, float], list[float]]:
    """Forecasts, ratings, and the level and both factors after the last game."""
    rating: dict[int, float] = {}
    seen: dict[int, float] = {}
    level, court, company, forecasts = 0.1, 0.5, 0.25, []
    for c in range(len(table)):
        now = 0.0 if table.time is None else float(table.time[c])
        sides = [
            table.player[table.ends[s] : table.ends[s + 1]].tolist() for s in (2 * c, 2 * c + 1)
        ]
        fresh = [side[0] not in rating for side in sides]
        for q in sides[0] + sides[1]:
            if q in rating:
                idle = 1.0 if table.time is None else now - seen[q]
                rating[q] *= exp(-p.back * idle)
            else:
                rating[q] = level
            seen[q] = now
        apart, which = 0.0, fresh.index(True) if sum(fresh) == 1 else None
        if which is not None:
            new, known = sides[which][0], sides[1 - which][0]
            apart = rating[known] - rating[new]
            rating[new] += company * apart
        sums = [fsum(rating[q] * (court if q > 3 else 1.0) for q in side) for side in sides]
        chance = 1.0 / (1.0 + exp(sums[1] - sums[0]))
        forecasts.append(chance)
        weight = 1.0 if table.weight is None else float(table.weight[c])
        said = weight * (float(table.score[c]) - chance)
        signs = (1.0, -1.0)
        toward = fsum(
            z * rating[q] * said
            for z, side in zip(signs, sides, strict=True)
            for q in side
            if q > 3
        )
        level += 0.01 * said
        for z, side in zip(signs, sides, strict=True):
            for q in side:
                rating[q] += p.k * z * said * (court if q > 3 else 1.0)
        if any(q > 3 for q in sides[0]):
            court = min(max(court + toward, 0.0), 2.0)
        if which is not None:
            company = min(max(company + signs[which] * apart * said, 0.0), 0.3)
    return forecasts, rating, [level, court, company]


@pytest.mark.parametrize(
    "compiled",
    [
        False,
        pytest.param(
            True, marks=pytest.mark.skipif(not kernel.available(), reason="needs llvmlite")
        ),
    ],
)
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_setting_is_the_equations(compiled, timed, weighted):
    """Factors, company and clocks are those of the slow program, plain and compiled."""
    table = some_games(timed=timed, weighted=weighted)
    found = rate(table, STEERED, forecasts=True, compiled=compiled, params={"k": 0.3, "back": 0.1})
    forecasts, rating, learnt = by_hand(table, Params())
    assert list(found.forecasts) == approx(forecasts, rel=1e-12)
    assert {q: float(found.state.rating[q, 0]) for q in rating} == approx(rating, rel=1e-12)
    assert learnt_of(found, 0) == approx(learnt, rel=1e-12)


@pytest.mark.parametrize(
    "compiled",
    [
        False,
        pytest.param(
            True, marks=pytest.mark.skipif(not kernel.available(), reason="needs llvmlite")
        ),
    ],
)
@pytest.mark.parametrize("timed", [False, True])
def test_each_setting_of_a_bank_is_the_equations(compiled, timed):
    """A bank has the settings of both its parts, and each is played as alone."""
    table = some_games(timed=timed, weighted=True)
    found = rate(table, STEERED, forecasts=True, compiled=compiled)
    lanes = [(row.k, row.back) for row in found.p.rows]
    assert lanes[:6] == [(0.2, 0.0), (0.2, 0.1), (0.4, 0.0), (0.4, 0.1), (0.3, 0.2), (0.3, 0.0)]
    assert found.p.count == 6
    assert dict(found.p.grid) == {"k": (0.2, 0.4, 0.3), "back": (0.0, 0.1, 0.2)}
    logs = np.zeros(6)
    mixed = []
    of_lane = [by_hand(table, Params(*lane)) for lane in lanes[:6]]
    for c in range(len(table)):
        chance = np.array([forecasts[c] for forecasts, *_ in of_lane])
        share = np.exp(logs - logs.max())
        mixed.append(float(share @ chance / share.sum()))
        weight = float(table.columns["weight"][c])
        score = float(table.score[c])
        logs = 0.9998**weight * logs + weight * np.log(np.where(score == 1.0, chance, 1.0 - chance))
    assert list(found.forecasts) == approx(mixed, rel=1e-10)
    for k, (_, rating, learnt) in enumerate(of_lane):
        state = found.state
        assert {q: float(state.rating[q, k]) for q in rating} == approx(rating, rel=1e-10)
        assert learnt_of(found, k) == approx(learnt, rel=1e-10)


def test_going_on_is_the_whole_table():
    """Factors and what newcomers have come are part of the state."""
    table = some_games()
    begun = rate(table.first(11), STEERED)
    both, whole = rate_on(begun, table.select(slice(11, None))), rate(table, STEERED)
    assert np.array_equal(both.state.rating, whole.state.rating)
    assert np.array_equal(both.state.common, whole.state.common)


@pytest.mark.parametrize("params", [{}, {"k": 0.3, "back": 0.1}])
def test_histories_add_up(params):
    """An explanation uses the shares with their factors: its steps are those of the ratings."""
    found = rate(some_games(), STEERED, params=params)
    for player in found.players[:4]:
        before = None
        for step in found.history(player):
            assert before is None or step.before == before
            assert fsum(step.terms.values()) == step.change == step.after - step.before
            assert set(step.terms) <= {OF_TIME, "game", REWEIGHED, LAST_BITS}
            before = step.after
        at = found.players.index(player)
        if params:  # else games of others move the weights of the settings
            assert before == approx(float(found.state.rating[at, 0]), rel=1e-12)


@pytest.mark.parametrize("params", [{}, {"k": 0.3, "back": 0.1}])
def test_a_game_to_come_has_the_factors(params):
    """A forecast multiplies the shares of members by the factors of their roles, a game later."""
    found = rate(some_games(), STEERED, params=params)
    told = found.chances([(0, 1.0), (4, 1.0)], [(1, 1.0), (5, 1.0)], 0.0).win
    state, chance = found.state, []
    for k in range(state.lanes):
        kept = exp(-rows_of(found.p)[k].back)
        me, court, you, their = (kept * float(state.rating[q, k]) for q in (0, 4, 1, 5))
        chance.append(1.0 / (1.0 + exp(you - me + learnt_of(found, k)[1] * (their - court))))
    weights = np.ones(1) if state.logs is None else np.exp(state.logs - state.logs.max())
    assert told == approx(float(weights @ chance / weights.sum()), rel=1e-12)


@pytest.mark.parametrize("params", [{}, {"k": 0.3, "back": 0.1}])
def test_a_member_of_two_sides_counts_by_the_difference_of_its_shares(params):
    """In a contest what two sides have equally takes no part; what they have unequally does."""
    one = contests([[("Ann", 1), ("Bob", 2), ("Cid", 3)]])
    table = one.replace(
        players=("Ann", "Bob", "Cid", "car"), player=np.array([0, 3, 1, 3, 2, 3], np.uint32),
        ends=np.array([0, 2, 4, 6]), share=np.array([1.0, 0.5, 1.0, 0.5, 1.0, 2.0]),
        role=np.array([0, 0, 0, 1], np.uint8), roles=("player", "car"),
        role_kinds=("player", "with"),
    )  # fmt: skip
    found = rate(table, STEERED, params=params)
    for row in range(1 if params else 6):
        k = rows_of(found.p)[row].k
        # all begin with the level 0.1: only the car's shares differ
        behind, even = 1.0 / (1.0 + exp(-0.1 * 1.5)), 0.5
        said = {0: (1 - even) + behind, 1: (0 - even) + behind, 2: -2 * behind}
        wanted = 0.1 + k * (0.5 * said[0] + 0.5 * said[1] + 2.0 * said[2])
        assert float(found.state.rating[3, row]) == approx(wanted, rel=1e-12)


@given(st.integers(0, 200))
def test_where_a_table_is_cut_changes_no_bit(seed):
    """A bank that goes on after any game has the bits of the whole."""
    table = some_games(12, seed=seed)
    at = 1 + seed % 11
    begun = rate(table.first(at), STEERED, compiled=False)
    both = rate_on(begun, table.select(slice(at, None)))
    assert np.array_equal(both.state.rating, rate(table, STEERED, compiled=False).state.rating)
    assert np.array_equal(both.state.logs, rate(table, STEERED, compiled=False).state.logs)


def test_it_is_complete():
    """The checks of a system accept it."""
    assert check_system(STEERED) is STEERED
