"""The report's dynamic system. Its worked numbers are among the reference cases."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from prowess.engine.system import Game
from prowess.engine.win_probability import CURVES, LOGISTIC, NORMAL, steepness, win_probability
from prowess.systems import elo
from prowess.systems.smith import (
    GAMES,
    LIFETIME,
    NORMAL_ELO,
    PUBLISHED,
    SMITH,
    SMITH_BY_GAMES,
    Params,
    Rating,
    expected_score,
    first_h,
    h_bound,
    h_of_game,
    mean_slope,
)
from tests.oracle import absorbed, newcomer, played

EVERY_CURVE = pytest.mark.parametrize("curve", range(len(CURVES)), ids=CURVES)
ratings = st.floats(500, 2500)
counts = st.integers(0, 1000)


@given(me=ratings, opponent=ratings, score=st.sampled_from([0.0, 0.5, 1.0]), h=st.floats(1, 200))
def test_elo(me: float, opponent: float, score: float, h: float) -> None:
    """On the logistic curve it is Elo with K = h / 2."""
    after = absorbed(SMITH, Rating(me), [(Rating(opponent), score)], Params(h=h))
    same = absorbed(elo.ELO, elo.Rating(me), [(elo.Rating(opponent), score)], elo.Params(k=h / 2))
    assert after.rating == pytest.approx(same.rating, abs=1e-9)


@EVERY_CURVE
@given(x=st.floats(-1500, 1500), g1=counts, g2=counts)
def test_right_ratings_stay(curve: int, x: float, g1: int, g2: int) -> None:
    """EQ 67 of the report: where the ratings are right no change is expected."""
    p = Params(curve=curve, h_of=GAMES)
    me, opponent = Rating(1500 + x, g1), Rating(1500, g2)
    wp = expected_score(p, me, opponent, Game())
    won, lost = (absorbed(SMITH, me, [(opponent, s)], p).rating - me.rating for s in (1.0, 0.0))
    assert wp * won + (1 - wp) * lost == pytest.approx(0, abs=1e-8)


@EVERY_CURVE
@given(x=st.floats(-800, 800), y=st.floats(-800, 800), part=st.floats(0.01, 0.999))
def test_errors_shrink(curve: int, x: float, y: float, part: float) -> None:
    """EQ 73 and 79 of the report: with h below the bound a game is expected to shrink the error."""
    assume(abs(x - y) > 1)
    q = steepness(curve, 400)
    h = part * h_bound(Params(curve=curve))
    p = Params(curve=curve, h=h)
    me, opponent = Rating(1500 + x), Rating(1500)  # of which y would be right
    wp = win_probability(curve, y, q)
    moved = 0.0
    for score, chance in ((1.0, wp), (0.0, 1 - wp)):
        a, b = played(SMITH, me, opponent, Game(score=score), p)
        moved += chance * (a.rating - b.rating)
    assert abs(y - moved) < abs(y - x)


@EVERY_CURVE
@pytest.mark.parametrize("model", [PUBLISHED, LIFETIME])
@given(g1=counts, g2=counts, score=st.sampled_from([0.0, 0.5, 1.0]))
def test_sum(curve: int, model: int, g1: int, g2: int, score: float) -> None:
    """Both players use the same h, however many games each has, so the sum stays."""
    p = Params(curve=curve, h_of=GAMES, model=model)
    a, b = played(SMITH, Rating(1700, g1), Rating(1450, g2), Game(score=score), p)
    assert a.rating + b.rating == pytest.approx(3150, abs=1e-9)
    assert (a.games, b.games) == (g1 + 1, g2 + 1)


def test_published_optimum() -> None:
    """The report's 53.0 (its section 6.2: h for 35 games a life, differences of 324)."""
    assert h_of_game(Params(h_of=GAMES), 35, 35) == pytest.approx(53.0, abs=0.05)


# Independent values of the lifetime model for s = 324 (mean slope; optimal h for lives of G
# games, from its exact minimum; the closed form is its limit for large G).
@pytest.mark.parametrize(("games", "h", "within"), [(35, 307.74, 0.6), (160, 144.19, 0.02)])
def test_lifetime_optimum(games: int, h: float, within: float) -> None:
    """The lifetime model gives its optimal h to two players in the same game of their lives."""
    p = Params(h_of=GAMES, model=LIFETIME)
    assert mean_slope(p) == pytest.approx(0.000726673388, rel=1e-8)
    assert h_of_game(p, games, games) == pytest.approx(h, abs=within)
    assert h_of_game(p, 1000, 1000) == pytest.approx(57.67, abs=0.01)


@pytest.mark.parametrize(("model", "factor"), [(PUBLISHED, 8 ** (2 / 3)), (LIFETIME, 8**0.5)])
def test_cooling(model: int, factor: float) -> None:
    """Eight times the games of both: h falls to a quarter (published), to 1 / sqrt 8 (lifetime)."""
    p = Params(h_of=GAMES, model=model)
    assert h_of_game(p, 50, 50) / h_of_game(p, 400, 400) == pytest.approx(factor)
    assert h_of_game(p, 20, 80) == pytest.approx(h_of_game(p, 40, 40))
    assert h_of_game(p, 0, 30) == h_of_game(p, 1, 30) == h_of_game(p, 30, 0)


@EVERY_CURVE
def test_cap(curve: int) -> None:
    """h is never above 2 / max wp', nor above h_cap, and not below h_min unless the cap is."""
    wild = Params(curve=curve, h_of=GAMES, sigma=1000, scale=50)
    assert h_of_game(wild, 0, 0) == h_bound(wild)
    assert h_of_game(wild._replace(h_cap=2000), 0, 0) == h_bound(wild)
    assert h_of_game(wild._replace(h_cap=20), 0, 0) == 20
    # at the scale of 400 the bounds of all curves lie far above 90
    mild = Params(curve=curve, h_of=GAMES, h_min=90)
    assert h_of_game(mild, 1e6, 1e6) == 90
    assert h_of_game(mild._replace(h_cap=20), 1e6, 1e6) == 20


def test_bound() -> None:
    """EQ 79 of the report: 1390 points on the chess scale."""
    assert h_bound(Params()) == pytest.approx(1390, abs=0.5)
    assert first_h(Params()) < h_bound(Params())


def test_normal_chess() -> None:
    """The normal value has a standard deviation of 200 points a player, as in chess.

    The chance at 200 points is Phi(1 / sqrt 2) = 0.7602 (tables of the normal distribution).
    """
    assert NORMAL_ELO.params.curve == NORMAL != LOGISTIC
    chance = NORMAL_ELO.expected(NORMAL_ELO.params, Rating(1700), Rating(1500), Game())
    assert chance == pytest.approx(0.7602, abs=5e-5)


def test_values() -> None:
    """The value for cooling ratings cools, the plain one does not; newcomers start at `start`."""
    fresh, old = Rating(1500, 0), Rating(1500, 200)
    assert absorbed(SMITH, old, [(old, 1.0)]).rating == 1500 + 16
    by_games = [absorbed(SMITH_BY_GAMES, me, [(me, 1.0)]).rating for me in (fresh, old)]
    assert by_games[0] > 1600
    assert 1500 < by_games[1] < 1510
    assert newcomer(SMITH, Params(start=1000)) == Rating(1000, 0)


def test_advantage() -> None:
    """The side advantage counts like as many points of rating."""
    white = expected_score(Params(advantage=60), Rating(1500), Rating(1600), Game(side=1.0))
    assert white == expected_score(Params(), Rating(1560), Rating(1600), Game())
