"""Members by role: parameters of their own, leaderboards, members that stand on several sides."""

from __future__ import annotations

from math import exp, fsum
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

import prowess
from prowess.compile import kernel
from prowess.engine import state
from prowess.engine.check import check_system
from prowess.engine.rate import rate, rate_on
from prowess.engine.state import rows_at
from prowess.engine.system import Dynamic, Game, Range, negated
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from tests.refusals import refused

PLAYERS = ("Ada", "Ben", "Cleo", "Dan")
CARS = ("red", "blue")
ROSTER = [*PLAYERS, *CARS]
ROLE = np.array([0, 0, 0, 0, 1, 1], dtype=np.uint8)


class Params(NamedTuple):
    k: Annotated[float, Range(0, 10)] = 0.2
    fade: Annotated[float, Range(0, 1)] = 0.01
    start: Annotated[float, Range(-10, 10)] = 1.0


class Rating(NamedTuple):
    rating: float = 1.0


class Side(NamedTuple):
    rating: float = 0.0


class Evidence(NamedTuple):
    surprise: Annotated[float, negated] = 0.0


def newcomer(p: Params) -> Rating:
    return Rating(p.start)


def drift(p: Params, me: Rating, elapsed: float) -> Rating:
    return Rating(me.rating * exp(-p.fade * elapsed))


def part(p: Params, me: Rating, share: float) -> Side:
    return Side(share * me.rating)


def expected(p: Params, mine: Side, theirs: Side, game: Game) -> float:
    return 1.0 / (1.0 + exp(theirs.rating - mine.rating))


def evidence(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    return Evidence(game.score - expected(p, mine, theirs, game))


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    return Evidence(share * one.surprise)


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    return Rating(me.rating + p.k * (1.0 + me.rating * me.rating) * total.surprise)


def of_car(p: Params) -> Params:
    """Cars begin at 0, learn more slowly and forget faster."""
    return p._replace(k=0.5 * p.k, fade=3.0 * p.fade, start=0.0)


ROLED = Dynamic(
    name="roled",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    expected=expected,
    evidence=evidence,
    absorb=absorb,
    newcomer=newcomer,
    drift=drift,
    part=part,
    due=due,
    side=Side(),
    roles={"car": of_car},
    clock="1d",
)


def races(orders: list[list[tuple[int, int]]], days: list[float], pairwise: bool) -> Games:
    """Contests of drivers with cars, in order of place."""
    flat = [one for race in orders for one in race]
    columns: dict[str, Any] = {
        "ends": np.arange(0, 2 * len(flat) + 1, 2),
        "player": np.array([member for one in flat for member in one], dtype=np.uint32),
        "time": np.array(days),
        "role": ROLE,
        "roles": ("player", "car"),
    }
    if pairwise:
        return Games(ROSTER, score=np.ones(len(orders)), **columns)
    columns["start"] = np.cumsum([0, *map(len, orders)])
    columns["place"] = np.concatenate([np.arange(1.0, len(race) + 1) for race in orders])
    return Games(ROSTER, **columns)


@st.composite
def some_races(draw: Any, pairwise: bool) -> Games:
    """Drivers in order of place with any car, also all with the same one."""
    orders, days, day = [], [], 18_000.0
    for _ in range(draw(st.integers(1, 8))):
        count = 2 if pairwise else draw(st.integers(2, 4))
        drivers = draw(st.permutations(range(4)))[:count]
        cars = draw(st.permutations([4, 5])) if pairwise else [
            draw(st.sampled_from([4, 5])) for _ in drivers
        ]  # fmt: skip
        orders.append(list(zip(drivers, cars, strict=False)))
        day += draw(st.integers(0, 5))
        days.append(day)
    return races(orders, days, pairwise)


def slow(table: Games, p: Params) -> dict[int, float]:
    """The same by hand: everyone is aged, all pairs of sides are judged, then all absorb."""
    of = {0: p, 1: of_car(p)}
    rating: dict[int, float] = {}
    seen: dict[int, float] = {}
    for c in range(len(table)):
        day = float(table.time[c])  # type: ignore[index]
        sides = [
            table.player[table.ends[s] : table.ends[s + 1]].tolist()
            for s in range(table.start[c], table.start[c + 1])
        ]
        places = table.place[table.start[c] : table.start[c + 1]].tolist()
        members = {m for side in sides for m in side}
        for m in members:
            q = of[int(ROLE[m])]
            rating.setdefault(m, q.start)
            rating[m] *= exp(-q.fade * (day - seen.get(m, day)))
            seen[m] = day
        strength = [sum(rating[m] for m in side) for side in sides]
        total = dict.fromkeys(members, 0.0)
        for x, side in enumerate(sides):
            for y in range(len(sides)):
                if x != y:
                    score = 1.0 if places[x] < places[y] else 0.0 if places[x] > places[y] else 0.5
                    surprise = score - 1 / (1 + exp(strength[y] - strength[x]))
                    for m in side:
                        total[m] += surprise
        for m in members:
            k = of[int(ROLE[m])].k
            rating[m] += k * (1 + rating[m] ** 2) * total[m]
    return rating


@pytest.mark.parametrize("pairwise", [True, False])
@given(data=st.data())
def test_roles_have_parameters_of_their_own(pairwise, data):
    """Prior, rate and clock are those of the role; a car of two drivers learns from both."""
    table = data.draw(some_races(pairwise))
    ratings = rate(table, check_system(ROLED), compiled=False)
    for member, known in slow(table, Params()).items():
        assert ratings.state.rating[member, 0] == approx(known, rel=1e-12)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("fades", [(0.01,), (0.01, 0.2, 0.03)])
def test_idle_members_fade_by_role_and_setting(fades, compiled, monkeypatch):
    """Drivers and cars keep exp(-fade * idle) of their ratings, cars with three times the fade."""
    monkeypatch.setattr(
        state, "is_worth_compiling", lambda *_, **__: compiled and kernel.available()
    )
    table = races([[(0, 4), (1, 5)], [(2, 4), (3, 5)]], [18_000.0, 18_004.0], pairwise=True)
    known = rate(table, check_system(ROLED), bank={"fade": fades}).state
    before, idle = known.rating[:, : len(fades)], 18_030.0 - known.seen  # other lanes are spare
    for row, role in enumerate(ROLE.tolist()):
        expected = [exp(-(3 if role else 1) * fade * idle[row]) for fade in fades] * before[row]
        for found in (
            rows_at(known, 18_030.0)[row],
            rows_at(known, 18_030.0, slice(row, row + 1))[0],
        ):
            assert found[: len(fades)] == approx(expected, rel=1e-12)


@given(data=st.data())
def test_going_on_is_the_same_table(data):
    """Members who come later have the prior of their role as well."""
    table = data.draw(some_races(pairwise=False))
    cut = data.draw(st.integers(0, len(table) - 1))
    if not cut:
        return
    on = rate_on(rate(table.first(cut), ROLED), table.select(slice(cut, None)))
    assert np.array_equal(on.state.rating, rate(table, ROLED).state.rating)


@pytest.mark.parametrize("pairwise", [True, False])
@given(data=st.data())
def test_terms_add_up(pairwise, data):
    """The history of a car that two drivers share ends at its rating."""
    table = data.draw(some_races(pairwise))
    ratings = rate(table, ROLED)
    for k, name in enumerate(ROSTER):
        if ratings.game_counts[k]:
            steps = ratings.history(name).steps
            assert all(fsum(step.terms.values()) == step.change for step in steps)
            last = ratings.state.rating[k, 0]
            assert steps[-1].after == approx(last, rel=1e-12)


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
def test_compiled_is_plain():
    """Bit for bit, with roles, shared cars and a bank."""
    random = np.random.default_rng(5)
    orders = [
        list(
            zip(random.permutation(4)[:3].tolist(), random.integers(4, 6, 3).tolist(), strict=True)
        )
        for _ in range(200)
    ]
    table = races(orders, np.cumsum(random.integers(0, 3, 200) + 18_000.0 * 0).tolist(), False)
    for params in ({}, {"k": [0.1, 0.2]}):
        one, other = (
            rate(table, ROLED, params=params, compiled=compiled, forecasts=True)
            for compiled in (False, True)
        )
        assert np.array_equal(one.state.rating, other.state.rating)
        assert np.array_equal(one.forecasts, other.forecasts)
        assert np.array_equal(one.values, other.values)


def test_leaderboards_show_one_role():
    """Players are ranked among players, cars among cars."""
    ratings = rate(races([[(0, 4), (1, 5)], [(0, 4), (2, 5)]], [18_000.0, 18_001.0], True), ROLED)
    assert ratings.leaderboard().columns["player"] == ["Ada", "Cleo", "Ben"]
    assert ratings.leaderboard(role="car").columns["player"] == ["red", "blue"]
    assert ratings["red"].rank == 1
    assert ratings["blue"].rank == 2
    with refused(BadArgument, "unknown_role"):
        ratings.leaderboard(role="team")
    assert "3 players" in repr(ratings)


def test_drivers_and_constructors_foresee_better_than_drivers_alone():
    """Formula 1: the Brier score of Elo falls where constructors are members."""
    from prowess.study.backtest import backtest
    from prowess.systems.catalogue import find

    file = "examples/f1_race_results.csv.gz"
    asked: dict[str, Any] = {
        "place": "display_order",
        "contest": ("season", "round"),
        "exclude": {"shared_car": "true", "position": ["DNS", "DNQ"]},
        "warn": False,
    }
    alone = prowess.read_games(file, **asked)
    both = prowess.read_games(file, with_="constructor", **asked)
    scores = [backtest(table, find("elo")).scores["brier"] for table in (alone, both)]
    assert scores[1] < scores[0] - 0.002


def test_contexts_stand_beside_the_rating():
    """A player's members for surfaces are columns of the leaderboard, empty where none is known."""
    rows = {"a": ["Ann", "Ben"], "b": ["Ben", "Ann"], "result": ["1-0", "1-0"]}
    table = prowess.read_games({**rows, "surface": ["clay", "grass"]}, per="surface", warn=False)
    ratings = prowess.rate(table, "elo")
    board = ratings.leaderboard()
    assert board.columns["@clay"] == [
        ratings[f"{name}@clay"].rating for name in board.columns["player"]
    ]
    assert board.columns["@clay"] == [1484.0, 1516.0]  # K (S - E) = 16, Ben is ahead by less


def test_contexts_too_many_for_columns_are_named():
    """Of thirteen maps the leaderboard has no columns, and the notes say where they are."""
    for count, note in ((12, []), (13, ["13 contexts, too many for columns: see --role map"])):
        rows = {
            "winner": ["Ann"] * count,
            "loser": ["Bob"] * count,
            "map": [f"map {k}" for k in range(count)],
        }
        table = prowess.read_games(rows, per="map", warn=False)
        ratings = prowess.rate(table, "elo")
        assert [one for one in ratings.notes if "contexts" in one] == note
        columns = ratings.leaderboard().columns
        assert sum(name.startswith("@") for name in columns) == (0 if note else 12)
