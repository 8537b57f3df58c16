"""Glicko-2 against its paper, an independent program, and the paper's formulas solved slowly."""

from __future__ import annotations

from itertools import product
from math import exp, isfinite, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

import prowess
from prowess.engine.system import Game
from prowess.systems import glicko2
from prowess.systems.glicko2 import (
    GLICKO2,
    LOGIT,
    Evidence,
    Params,
    Rating,
    Surprise,
)
from tests.oracle import absorbed, added, foreseen, mirrored, newcomer, played, said

P = Params()
HIGHEST = glicko2.VOLATILITY2_MAX  # where absorb cuts

# M. E. Glickman, "Example of the Glicko-2 system": 1500/200/0.06, tau 0.5, three games.
OPPONENTS = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]

ratings = st.builds(Rating, st.floats(0, 3000), st.floats(10, 500), st.floats(0.001, 1))


@st.composite
def surprises(draw) -> Surprise:
    """What a period may tell: from one game to a thousand, expected ones to impossible ones."""
    precision = draw(st.integers(1, 1000)) * exp(draw(st.floats(-30, log(0.25))))
    surplus = draw(st.floats(-30, 30)) * sqrt(precision)
    phi, old = draw(st.floats(10, 500)) / LOGIT, draw(st.floats(0.001, 2))
    return Surprise(phi * phi, precision, surplus, old * old, draw(st.floats(0.1, 2)) ** -2)


def printed_f(q: Surprise, x: float) -> float:
    """The paper's f(x), typed as printed."""
    v, a = 1 / q.precision, log(q.old)
    delta, ex = v * q.surplus, exp(x)
    numerator = ex * (delta**2 - q.phi2 - v - ex)
    return numerator / (2 * (q.phi2 + v + ex) ** 2) - (x - a) * q.pull


@pytest.mark.parametrize("solver", [0, 1])
def test_worked_example(solver):
    """One period of three games gives the paper's rating, deviation and volatility."""
    new = absorbed(GLICKO2, Rating(1500, 200, 0.06), OPPONENTS, Params(solver=solver))
    assert new.rating == approx(1464.06, abs=0.012)  # two decimals of rounded intermediates
    assert new.deviation == approx(151.52, abs=0.005)
    assert new.volatility == approx(0.05999, abs=1e-5)  # the paper cuts 0.059996 off


def test_worked_example_terms():
    """The period's v is the paper's 1.7785 and its Delta -0.4834."""
    total = Evidence()
    for other, score in OPPONENTS:
        total = added(total, said(GLICKO2, Rating(1500, 200), other, Game(score), P))
    assert 1 / total.precision == approx(1.7785, abs=1e-3)  # both from four-digit terms
    assert total.surplus / total.precision == approx(-0.4834, abs=1e-3)


# glicko2-lite 5.0.0 (JavaScript, MIT), `glicko2(rating, rd, vol, opponents, {tau})`. It solves for
# the volatility to 1e-6 in ln sigma^2, hence the tolerances.
@pytest.mark.parametrize(
    ("me", "opponents", "tau", "after"),
    [
        (
            (1850, 65, 0.09),
            [(1500, 80, 0.0), (1620, 45, 0.5), (1900, 150, 0.0), (2100, 60, 1.0)],
            0.5,
            (1832.6405680971786, 63.98756992256954, 0.08999493076197192),
        ),
        (
            (1320, 210, 0.05),
            [(1700, 90, 1.0), (1750, 70, 1.0), (1650, 60, 1.0), (1810, 55, 0.5)],
            1.2,
            (1842.7451034578498, 172.86783854275112, 0.0501818411196888),
        ),
        (
            (2000, 350, 0.06),
            [(1500, 350, 0.0)],
            0.3,
            (1657.1022601544767, 319.3870450425829, 0.060000946181440196),
        ),
        (
            (1500, 60, 0.06),
            [(1650, 40, 1.0)] * 100,
            0.5,
            (1921.9181410986334, 32.442878876917796, 0.06667059403192802),
        ),
    ],
)
@pytest.mark.parametrize("solver", [0, 1])
def test_an_independent_program(me, opponents, tau, after, solver):
    """A period ends as in another implementation."""
    games = [(Rating(r, rd), score) for r, rd, score in opponents]
    new = absorbed(GLICKO2, Rating(*me), games, Params(tau=tau, solver=solver))
    assert new.rating == approx(after[0], abs=5e-5)
    assert new.deviation == approx(after[1], abs=5e-6)
    assert new.volatility == approx(after[2], abs=5e-8)


@given(surprises())
def test_the_root_is_a_root(q):
    """The volatility solves the equation that the paper prints."""
    x = log(glicko2.volatility2(q, 0))
    wobble = 1e-7  # in x; f changes its sign within it
    assert printed_f(q, x - wobble) > 0
    assert printed_f(q, x + wobble) < 0 or x >= log(HIGHEST) - 1e-9


@given(surprises())
def test_solvers_agree(q):
    """Halley's method and the bracket give the same volatility."""
    halley, illinois = (min(glicko2.volatility2(q, solver), HIGHEST) for solver in (0, 1))
    assert halley == approx(illinois, rel=1e-9)


@given(surprises(), st.floats(-8, 8))
def test_one_root_is_promised_rightly(q, z):
    """Where Halley's method is trusted, f falls everywhere, half as steeply as without games."""
    if glicko2.has_one_root(q):
        u, t = glicko2.parts(q, q.old * exp(z))
        assert glicko2.slope(q, u, t) <= -0.5 * q.pull * (1 - 1e-9)


@given(surprises(), st.floats(-2, 2))
def test_derivatives(q, z):
    """The slope is f's derivative and the bend the slope's, by differences."""
    step = 1e-4
    (f_low, slope_low, _), (_, slope, bend), (f_high, slope_high, _) = (
        (glicko2.f(q, x, u, t), glicko2.slope(q, u, t), glicko2.bend(u, t))
        for x in (z - step, z, z + step)
        for u, t in [glicko2.parts(q, q.old * exp(x))]
    )
    assert slope == approx((f_high - f_low) / (2 * step), rel=1e-4, abs=1e-4)
    assert bend == approx((slope_high - slope_low) / (2 * step), rel=1e-4, abs=1e-4)


@given(surprises())
def test_halley_ends_at_the_root(q):
    """What Halley's method returns is the root to thirteen digits, found by halving."""
    found = glicko2.halley(q) if glicko2.has_one_root(q) else 0.0
    if found > 0.0:
        low, high = -0.5 / q.pull, 1.0
        for _ in range(70):
            z = (low + high) / 2
            above = glicko2.f(q, z, *glicko2.parts(q, q.old * exp(z))) > 0
            low, high = (z, high) if above else (low, z)
        assert found == approx(q.old * exp(low), rel=1e-13)


@pytest.mark.parametrize("volatility", [0.02, 0.04, 0.06, 0.1, 0.2])
def test_ordinary_periods_need_no_bracket(volatility):
    """Up to thirty games with a surplus of two deviations Halley's method ends at the root."""
    counts, deviations = (1, 2, 3, 5, 10, 20, 30), (30.0, 80.0, 200.0, 350.0)
    wrong = []
    for games, deviation, surplus in product(counts, deviations, (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0)):
        old, phi2, precision = volatility * volatility, (deviation / LOGIT) ** 2, games * 0.2
        q = Surprise(phi2, precision, surplus * sqrt(precision), old, 4.0)
        if not (
            glicko2.has_one_root(q) and glicko2.halley(q) == approx(glicko2.illinois(q), rel=1e-13)
        ):
            wrong.append((games, deviation, surplus))
    assert wrong == []


def test_halley_needs_no_help(monkeypatch):
    """Halley's method ends by itself, short of the upset of a century."""
    monkeypatch.setattr(glicko2, "illinois", None)
    for gap in range(-500, 501, 50):
        for score in (0.0, 0.5, 1.0):
            played(GLICKO2, Rating(1500 + gap, 80), Rating(1500, 120), Game(score))


def test_idle_periods():
    """A period without games adds the volatility to the deviation, and nothing else."""
    # M. E. Glickman, the same paper, step 6: phi' = sqrt(phi^2 + sigma^2)
    idle = GLICKO2.drift(P, Rating(1500, 200, 0.06), 3.0)
    assert idle == Rating(1500, approx(sqrt(200**2 + 3 * (0.06 * 173.7178) ** 2)), 0.06)
    one = GLICKO2.drift(P, Rating(1500, 200, 0.06), 1.0)
    assert GLICKO2.absorb(P, Rating(1500, 200, 0.06), Evidence()) == approx(one)


@given(ratings, st.floats(0, 1e4))
def test_time_never_makes_surer(me, elapsed):
    """No time is no change, and the deviation grows up to its limit only."""
    after = GLICKO2.drift(P, me, elapsed)
    assert GLICKO2.drift(P, me, 0.0) == me
    assert me.deviation <= after.deviation <= max(me.deviation, P.deviation_max)


@given(ratings, ratings, st.sampled_from([-1.0, 0.0, 1.0]))
def test_forecast_is_shared(me, opponent, side):
    """Both players' forecasts add up to one, advantage or not."""
    p, game = P._replace(advantage=35.0), Game(side=side)
    mine = foreseen(GLICKO2, me, opponent, game, p)
    assert mine + foreseen(GLICKO2, opponent, me, mirrored(game), p) == approx(1)


def test_forecast_allows_for_both():
    """The forecast discounts the difference by both deviations together."""
    phi = sqrt(200**2 + 100**2) / LOGIT
    g = 1 / sqrt(1 + 3 * phi**2 / pi**2)
    forecast = foreseen(GLICKO2, Rating(1700, 200), Rating(1500, 100), Game(), P)
    assert forecast == approx(1 / (1 + exp(-g * 200 / LOGIT)))


@given(ratings, st.lists(st.tuples(ratings, st.floats(0, 1)), min_size=1, max_size=8))
def test_credits_are_the_change(me, opponents):
    """What the games of a round brought adds up to the change of the rating."""
    after = absorbed(GLICKO2, me, opponents)
    games = [said(GLICKO2, me, other, Game(score), P) for other, score in opponents]
    brought = sum(GLICKO2.credit(P, me, after, one) for one in games)
    assert brought == approx(after.rating - me.rating, rel=1e-9, abs=1e-9)


@given(st.floats(-6, 6), ratings, st.floats(0, 1), st.sampled_from([-1.0, 0.0, 1.0]))
def test_evidence_is_the_printed_terms(gap, opponent, score, side):
    """A game's evidence is the paper's g^2 E (1 - E) and g (s - E), the advantage included."""
    p = P._replace(advantage=40.0)
    me = Rating(opponent.rating + LOGIT * gap)
    g = 1 / sqrt(1 + 3 * (opponent.deviation / LOGIT) ** 2 / pi**2)
    e = 1 / (1 + exp(-g * (gap + 40 * side / LOGIT)))
    one = said(GLICKO2, me, opponent, Game(score, side), p)
    assert one.precision == approx(g * g * e * (1 - e))
    assert one.surplus == approx(g * (score - e), abs=1e-12)


def test_upsets_raise_the_volatility():
    """A period as expected lowers the volatility, one of upsets raises it."""
    me, weaker = Rating(1800, 60, 0.06), Rating(1500, 60)
    forecast = [(weaker, 1.0)] * 17 + [(weaker, 0.0)] * 3  # 300 points are worth 0.849
    assert absorbed(GLICKO2, me, forecast).volatility < 0.06
    assert absorbed(GLICKO2, me, [(weaker, 0.0)] * 10).volatility > 0.06


@pytest.mark.parametrize("tau", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("games", [1, 400])
def test_hundreds_of_games_a_period_stay_finite(tau, games):
    """Periods of impossible results overshoot, but every number stays finite and positive."""
    p = Params(tau=tau, start_volatility=1.0, start_deviation=500.0)
    a = b = newcomer(GLICKO2, p)
    for period in range(60):
        game = Game(float(period % 2))
        a, b = (
            absorbed(GLICKO2, a, [(b, game)] * games, p),
            absorbed(GLICKO2, b, [(a, mirrored(game))] * games, p),
        )
        assert all(map(isfinite, (*a, *b)))
        assert 0 < a.volatility <= sqrt(HIGHEST)
        assert a.deviation > 0


def test_newcomer_by_the_parameters():
    """A newcomer has what the parameters say."""
    assert newcomer(GLICKO2, P) == Rating(1500, 350, 0.06)
    p = Params(start=1000.0, start_deviation=300.0, start_volatility=0.09)
    assert newcomer(GLICKO2, p) == Rating(1000, 300, 0.09)


def test_note_where_volatility_runs_away():
    """Coin flips game by game: the paper's own algorithm drifts; the note names the remedy."""
    rng = np.random.default_rng(1)
    flips = [("Ann", "Bob", int(x)) for x in rng.integers(0, 2, 20_000)]
    games = prowess.read_games(flips)
    wild = prowess.rate(games, "glicko2", start_volatility=0.4)
    assert [note for note in wild.notes if "--period" in note and "volatility_max" in note]
    bound = prowess.rate(games, "glicko2", volatility_max=0.06)
    assert bound.columns["volatility"].max() <= 0.06
    assert not [note for note in bound.notes if "volatility_max" in note]
