"""Games of a simulated league: they end as was asked, by chance that can be repeated.

Seeds are fixed. A share of n games is compared within 4 standard errors, which a right generator
leaves once in 16,000 seeds; sums of k squared errors within 4 of their deviations sqrt(2 k).
"""

from __future__ import annotations

from dataclasses import fields
from math import log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings as how, strategies as st

from prowess.compile.kernel import available
from prowess.engine.params import BadSetting
from prowess.study.simulation.league import SimulatedLeague, simulate
from prowess.study.simulation.settings import (
    AGES,
    BEGINNINGS,
    DRAW_MODELS,
    MATCHMAKING,
    LeagueSettings,
    league_settings,
)

N = 40_000  # games
EQUALS = {"games": N, "spread": 0}


def same(one: SimulatedLeague, other: SimulatedLeague) -> bool:
    """Whether two leagues are equal to the last bit."""
    columns = [
        (getattr(one.truth, each.name), getattr(other.truth, each.name))
        for each in fields(one.truth)
    ]
    columns += [(column, other.games.columns[name]) for name, column in one.games.columns.items()]
    columns += [(one.expected, other.expected), (one.strength_a, other.strength_a)]
    return all(
        np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
        if isinstance(mine, np.ndarray)
        else mine == theirs
        for mine, theirs in columns
    )


def near(share: float, chance: float, games: int) -> bool:
    """Whether a share of games is its chance, within 4 standard errors."""
    return abs(share - chance) <= 4.0 * sqrt(chance * (1.0 - chance) / games)


@pytest.mark.parametrize("model", DRAW_MODELS)
@pytest.mark.parametrize("draws", [0.0, 0.3, 0.9])
def test_draws_among_equals(model, draws):
    """Among equals the share of draws is the one asked for, in every model."""
    score = simulate(league_settings(**EQUALS, draws=draws, draw_model=model), 1).games.score
    assert near(float((score == 0.5).mean()), draws, N)
    assert set(score.tolist()) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("model", "win", "draw"),
    [
        # p = 10/11, d = 0.4. even: draw 2 d q, win p - draw / 2
        ("even", 10 / 11 - 0.4 / 11, 0.8 / 11),
        # Davidson (1970): win : draw : loss = 10 : nu sqrt(10 * 1) : 1, nu = 2 d / (1 - d) = 4/3
        ("davidson", 10 / (11 + 4 / 3 * sqrt(10)), 4 / 3 * sqrt(10) / (11 + 4 / 3 * sqrt(10))),
        # Rao and Kupper (1967): win 10 / (10 + e), loss 1 / (1 + 10 e), e = (1 + d) / (1 - d) = 7/3
        ("threshold", 10 / (10 + 7 / 3), 1 - 10 / (10 + 7 / 3) - 1 / (1 + 70 / 3)),
    ],
)
def test_draws_far_from_equal(model, win, draw):
    """400 points apart, wins and draws have the shares of the model's own formula."""
    p = league_settings(players=2, games=N, draws=0.4, draw_model=model)
    league = simulate(p, 2, strengths=[1900.0, 1500.0])
    score = np.where(league.strength_a > 1700.0, league.games.score, 1.0 - league.games.score)
    assert near(float((score == 1.0).mean()), win, N)
    assert near(float((score == 0.5).mean()), draw, N)


def test_even_draws_keep_the_curve():
    """Under `even` the expected score is the curve itself, whatever the share of draws."""
    league = simulate(league_settings(games=5000, draws=0.7), 3)
    x = league.strength_a - league.strength_b
    assert league.expected == pytest.approx(1 / (1 + 10 ** (-x / 400)), abs=1e-12)


@pytest.mark.parametrize(
    ("curve", "formula"),
    [
        ("logistic", lambda x: 1 / (1 + 10 ** (-x / 400))),
        ("normal", lambda x: NormalDist(0, 200 * sqrt(2)).cdf(x)),
        # W. D. Smith (1994), EQ 20, with Q such that the slope at 0 is the logistic one
        (
            "timesharing",
            lambda x: 0.5 + np.sign(x) * (0.5 - 2 ** (-abs(x) * log(10) / log(4) / 400) / 2),
        ),
    ],
)
def test_curve(curve, formula):
    """Scores follow the win probability asked for, in 20 classes of the true difference."""
    league = simulate(league_settings(games=N, curve=curve, spread=300), 4)
    x = league.strength_a - league.strength_b
    p = np.array([formula(one) for one in x.tolist()])
    kind = np.argsort(np.argsort(x)) * 20 // N
    surplus = np.bincount(kind, league.games.score - p)
    variance = np.bincount(kind, p * (1 - p))
    assert (surplus**2 / variance).sum() < 20 + 4 * sqrt(2 * 20)


def test_advantage_and_neutral_ground():
    """The first side scores wp(advantage) among equals, 1/2 on neutral ground, of its share."""
    games = simulate(league_settings(**EQUALS, advantage=100, neutral=0.25), 5).games
    assert games.side is not None
    away = games.side == 0.0
    assert near(float(away.mean()), 0.25, N)
    assert near(float(games.score[away].mean()), 0.5, int(away.sum()))
    # 100 points: 1 / (1 + 10^(-1/4)) = 0.640065, Elo's table
    assert near(float(games.score[~away].mean()), 0.640065, int((~away).sum()))


def test_styles_go_in_a_circle():
    """Equals of different styles score wp(cyclic sin of the angle between them)."""
    league = simulate(league_settings(**EQUALS, players=30, cyclic=300), 6)
    games, style = league.games, league.truth.style
    p = 1 / (1 + 10 ** (-300 * np.sin(style[games.a] - style[games.b]) / 400))
    assert league.expected == pytest.approx(p, abs=1e-12)
    assert p.max() > 0.8
    kind = np.argsort(np.argsort(p)) * 10 // N
    surplus, variance = np.bincount(kind, games.score - p), np.bincount(kind, p * (1 - p))
    assert (surplus**2 / variance).sum() < 10 + 4 * sqrt(2 * 10)


@pytest.mark.parametrize("model", DRAW_MODELS)
def test_margins(model):
    """Margins have the sign of the result, 0 for a draw, and exceed m with chance wp(x - m)."""
    drawn = simulate(league_settings(games=2000, draws=0.3, draw_model=model, margins="yes"), 7)
    assert np.array_equal(np.sign(drawn.games.margin), 2.0 * drawn.games.score - 1.0)
    margin = simulate(league_settings(**EQUALS, margins="yes"), 7).games.margin
    assert margin is not None
    # among equals: logistic, P(margin > 200) = 1 / (1 + 10^(1/2)) = 0.240253
    assert near(float((margin > 200.0).mean()), 0.240253, N)
    assert near(float((margin < -200.0).mean()), 0.240253, N)


def test_times():
    """Games fall evenly on the days asked for, ascending, in whole seconds."""
    time = simulate(league_settings(games=N, first_day=100, days=50), 8).games.time
    assert time is not None
    assert np.all(np.diff(time) >= 0.0)
    assert np.abs(time * 86400 - np.rint(time * 86400)).max() < 1e-6
    days = np.bincount((time - 100).astype(int), minlength=50)
    assert len(days) == 50
    assert ((days - N / 50) ** 2 / (N / 50)).sum() < 49 + 4 * sqrt(2 * 49)


@given(
    matchmaking=st.sampled_from(MATCHMAKING),
    age=st.sampled_from(AGES),
    beginning=st.sampled_from(BEGINNINGS),
    model=st.sampled_from(DRAW_MODELS),
    seed=st.integers(0, 2**40),
)
@how(max_examples=25, deadline=None)
@pytest.mark.skipif(not available(), reason="there is no compiler")
def test_compiled_is_plain(matchmaking, age, beginning, model, seed):
    """A league is the same to the last bit, compiled or not, whatever happens in it."""
    p = league_settings(
        players=30, games=600, matchmaking=matchmaking, age=age, beginning=beginning, life=150,
        births=0.3, draws=0.3, draw_model=model, drift=3, learning=0.4, cyclic=40, margins="yes",
        advantage=35,
    )  # fmt: skip
    assert same(simulate(p, seed, compiled=False), simulate(p, seed, compiled=True))


def test_seeds():
    """The same seed gives the same league, another seed another."""
    p = league_settings(games=500, births=0.1, life=300, drift=1)
    assert same(simulate(p, 1), simulate(p, 1))
    assert not same(simulate(p, 1), simulate(p, 2))


def test_people_have_chances_of_their_own():
    """Another matchmaking meets the same people, as strong as before."""
    one, other = (
        simulate(league_settings(players=20, games=2000, matchmaking=kind), 9)
        for kind in ("random", "round_robin")
    )
    strength = [
        dict(zip(league.games.players, league.truth.at_birth, strict=True))
        for league in (one, other)
    ]
    assert strength[0] == strength[1]


def test_given_strengths():
    """Strengths that are given are the truth of P1, P2, ... in this order."""
    league = simulate(league_settings(players=3, games=50), 1, strengths=[1.0, 2.0, 3.0])
    truth = dict(zip(league.games.players, league.truth.strength.tolist(), strict=True))
    assert truth == {"P1": 1.0, "P2": 2.0, "P3": 3.0}


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"players": 1}, "give players as a number from 2"),
        ({"players": 2.5}, "players as a whole number"),
        ({"draws": 1.5}, "give draws as a number from 0 to 0.99 "),
        ({"curve": "straight"}, "one of logistic, timesharing"),
        ({"spred": 100}, "did you mean spread?"),
        ({"beginning": "settled"}, "give life"),
        ({"activity": "pareto", "matchmaking": "swiss"}, "choose another matchmaking"),
        ({"neutral": 0.5, "matchmaking": "round_robin"}, "choose another matchmaking"),
        ({"births": 1e5, "days": 3650}, "at most 5,000,000"),
    ],
)
def test_refused_settings(asked, says):
    """What cannot be is refused with the reason and the remedy."""
    with pytest.raises(BadSetting) as refusal:
        league_settings(**asked)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("p", "how", "says"),
    [
        (LeagueSettings(players=1.0), {}, "give players as a number from 2"),
        (LeagueSettings(curve=99), {}, "one of logistic"),
        (LeagueSettings(), {"seed": -1}, "not -1"),
        (LeagueSettings(), {"seed": 1.5}, "not 1.5"),
        (LeagueSettings(), {"strengths": [1.0]}, "give 100 strengths"),
        (LeagueSettings(players=2.0), {"strengths": [1.0, float("nan")]}, "finite"),
        (LeagueSettings(life=1.0), {}, "fewer than two players are left after"),
    ],
)
def test_refused_leagues(p, how, says):
    """However the settings were made, a league that cannot be is refused."""
    with pytest.raises(BadSetting) as refusal:
        simulate(p, **how)
    assert says in str(refusal.value)
