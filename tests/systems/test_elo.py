"""Elo, and what federations add to it. The published numbers are among the reference cases."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Dynamic, Game
from prowess.systems.elo import (
    ELO,
    FEDERATION_ELO,
    FederationParams,
    FederationRating,
    Params,
    Rating,
    federation,
)
from tests.oracle import absorbed, foreseen, newcomer, played

ratings = st.floats(0, 3000)
scores = st.sampled_from([0.0, 0.5, 1.0])


def change(system: Dynamic, me, opponent, score: float, p=None) -> float:
    """By how much one game moves me."""
    return float(absorbed(system, me, [(opponent, score)], p).rating - me.rating)


def test_four_hundred_points() -> None:
    """400 points are odds of ten to one."""
    assert foreseen(ELO, Rating(1900), Rating(1500), Game()) == pytest.approx(10 / 11)


def test_equals() -> None:
    """Between equals a win brings half of K and a draw nothing."""
    assert change(ELO, Rating(1700), Rating(1700), 1.0) == 16
    assert change(ELO, Rating(1700), Rating(1700), 0.5) == 0


@given(me=ratings, opponent=ratings, score=scores)
def test_sum(me: float, opponent: float, score: float) -> None:
    """What one player wins the other loses."""
    a, b = played(ELO, Rating(me), Rating(opponent), Game(score=score))
    assert a.rating + b.rating == pytest.approx(me + opponent, abs=1e-9)


@given(me=ratings, opponent=ratings, score=scores)
def test_bound(me: float, opponent: float, score: float) -> None:
    """A game moves nobody by more than K."""
    assert abs(change(ELO, Rating(me), Rating(opponent), score)) <= 32


def test_upsets() -> None:
    """A favourite's win moves little, an upset much, and the weaker one gains by a draw.

    "Rating Algorithms": the remarks below the formula.
    """
    strong, weak = Rating(1800), Rating(1400)
    assert 0 < change(ELO, strong, weak, 1.0) < 3
    assert change(ELO, weak, strong, 1.0) > 29
    assert change(ELO, weak, strong, 0.5) > 0 > change(ELO, strong, weak, 0.5)


def test_advantage() -> None:
    """The side advantage counts like as many points of rating, for one and against the other."""
    p = Params(advantage=80)
    white = foreseen(ELO, Rating(1500), Rating(1600), Game(side=1.0), p)
    assert white == foreseen(ELO, Rating(1580), Rating(1600), Game())
    black = foreseen(ELO, Rating(1600), Rating(1500), Game(side=-1.0), p)
    assert white + black == pytest.approx(1)


def test_scale() -> None:
    """The scale is the difference that means odds of ten to one."""
    chance = foreseen(ELO, Rating(1700), Rating(1500), Game(), Params(scale=200))
    assert chance == pytest.approx(10 / 11)


def test_newcomers() -> None:
    """Newcomers start at `start`, which is also the best they ever had."""
    assert newcomer(ELO, Params(start=1000)) == Rating(1000)
    assert newcomer(FEDERATION_ELO, FederationParams(start=1000)) == FederationRating(
        1000, best=1000
    )


@given(me=ratings, opponent=ratings, score=scores, games=st.integers(0, 100))
def test_extras_are_off(me: float, opponent: float, score: float, games: int) -> None:
    """With its defaults federation_elo is Elo."""
    one, other = FederationRating(me, 0, games, 2900), FederationRating(opponent, 0, 3, 500)
    assert change(FEDERATION_ELO, one, other, score) == pytest.approx(
        change(ELO, Rating(me), Rating(opponent), score), abs=1e-12
    )


# FIDE Rating Regulations, 8.3.3: K = 40 for the first 30 games, then 20, and 10 once a rating
# has reached 2400, even if it falls below again. Between equals a win brings half of K.
FIDE = FederationParams(k=20, k_new=40, new_games=30, k_high=10, high_rating=2400)


@pytest.mark.parametrize(
    ("me", "k"),
    [
        (FederationRating(1500, games=0), 40),
        (FederationRating(1500, games=29), 40),
        (FederationRating(1500, games=30), 20),
        (FederationRating(1500, games=29.9999999), 20),  # the shares of contests were rounded
        (FederationRating(2399, games=500, best=2399), 20),
        (FederationRating(2400, games=500, best=2400), 10),
        (FederationRating(2350, games=500, best=2410), 10),
        (FederationRating(1500, k=15, games=0), 15),
        (FederationRating(2500, k=15, games=500, best=2500), 15),
    ],
)
def test_schedule(me: FederationRating, k: float) -> None:
    """K is a player's own, else that of a newcomer, else of the high-rated, else of all."""
    assert change(FEDERATION_ELO, me, FederationRating(me.rating), 1.0, FIDE) == k / 2


def test_games_are_counted() -> None:
    """A newcomer stops being one after as many games, also within one round."""
    me = FederationRating(1500)
    rounds = [(FederationRating(1500), 0.5)] * 29
    assert absorbed(FEDERATION_ELO, me, rounds, FIDE).games == 29


@given(games=st.lists(st.tuples(ratings, scores), max_size=40), drop=st.floats(1, 300))
def test_floor(games: list[tuple[float, float]], drop: float) -> None:
    """Nobody falls by more than floor_drop below his best, and the best never falls."""
    p = FederationParams(floor_drop=drop)
    me = newcomer(FEDERATION_ELO, p)
    for opponent, score in games:
        best = me.best
        me = absorbed(FEDERATION_ELO, me, [(FederationRating(opponent), score)], p)
        assert me.best == max(best, me.rating)
        assert me.rating >= me.best - drop


def test_floor_catches() -> None:
    """Loss upon loss ends at the floor, and without one goes on."""
    floored = falling = FederationRating(1500)
    for _ in range(100):
        equal = FederationRating(falling.rating)
        falling = absorbed(FEDERATION_ELO, falling, [(equal, 0.0)])
        floored = absorbed(FEDERATION_ELO, floored, [(equal, 0.0)], FederationParams(floor_drop=60))
    assert falling.rating == 1500 - 100 * 16
    assert floored.rating == 1440


def test_own_rules() -> None:
    """K by rating and a bonus are the user's functions; the laws they may break are declared."""

    def bonus(me: FederationRating, opponent: FederationRating, game: Game) -> float:
        return 3.0 if game.score == 1.0 and opponent.rating >= me.rating else 0.0

    system = federation(lambda rating: 10.0 if rating > 2000 else 50.0, bonus)
    low, high = FederationRating(1500), FederationRating(2200)
    assert change(system, low, low, 1.0) == 25 + 3
    assert change(system, high, high, 1.0) == 5 + 3
    assert change(system, high, high, 0.0) == -5
    assert change(system, high._replace(k=20), high, 0.0) == -10
    assert "win_never_lowers" in system.breaks
    assert "win_never_lowers" not in FEDERATION_ELO.breaks


def test_fide_of_player_ratings():
    """The settings of its `fide(x)`: 2200 to begin with, 30 in the first 30 games; by hand."""
    import prowess

    games = {"round": [1, 2], "a": ["Ann", "Cid"], "b": ["Bob", "Ann"], "score": [1, 1]}
    ratings = prowess.rate(
        games, "federation_elo", period="round", start=2200, k=15, k_new=30, new_games=30,
        k_high=10, high_rating=2400,
    )  # fmt: skip
    gain = 30.0 * (1.0 - 1.0 / (1.0 + 10.0 ** (15.0 / 400.0)))  # Cid, 2200, beats Ann, 2215
    assert ratings["Bob"].rating == approx(2185.0)
    assert ratings["Cid"].rating == approx(2200.0 + gain)
    assert ratings["Ann"].rating == approx(2215.0 - gain)
