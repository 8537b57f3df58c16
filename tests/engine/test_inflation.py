"""Rules against inflation."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prowess
from prowess.engine.inflation import Lifetimes, NewcomersMean, Redistribution, boundaries
from prowess.engine.params import BadSetting
from prowess.engine.periods import BadPeriod, parse_period
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from tests.engine.team_tables import team_games
from tests.refusals import refused

NAMES = "abcdef"


class SlowLeague:
    """Redistribution by dicts: every share is remembered by who got it."""

    def __init__(self) -> None:
        self.rating: dict[int, float] = {}
        self.born: dict[int, float] = {}
        self.alive: set[int] = set()
        self.shares: dict[int, tuple[float, set[int]]] = {}

    def birth(self, player: int, rating: float) -> None:
        self.rating[player] = self.born[player] = rating
        self.alive.add(player)

    def depart(self, player: int) -> None:
        self.alive.remove(player)
        others = set(self.alive)
        share = (self.rating[player] - self.born[player]) / len(others) if others else 0.0
        for other in others:
            self.rating[other] += share
        self.shares[player] = (share, others)

    def back(self, player: int) -> None:
        share, holders = self.shares.pop(player)
        for holder in holders & self.alive:
            self.rating[holder] -= share
        owed = share * len(holders - self.alive)
        for other in self.alive:
            self.rating[other] -= owed / len(self.alive)
        self.alive.add(player)


def invariant(league: SlowLeague) -> float:
    return fsum(league.rating[k] - league.born[k] for k in league.alive)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-400, 400)), max_size=40))
def test_population_equals_the_slow_league(events: list[tuple[int, float]]) -> None:
    """Births, games, departures and returns in any order give what remembering every share gives,
    and the sum of gains over the living never changes but by what a returning player brings.
    """
    slow, fast = SlowLeague(), Lifetimes()
    rating = np.full(6, 1500.0)
    fast.grow(rating)
    for day, (player, points) in enumerate(events):
        if player not in slow.rating:
            slow.birth(player, 1500.0)
            fast.saw(np.array([player]), np.array([float(day)]))
        elif player in slow.shares:
            slow.back(player)
            fast.return_(rating, player, float(day))
        elif points < -200:
            slow.depart(player)
            fast.depart_all(rating, np.array([player]), float(day))
        else:  # points change hands
            other = min(slow.alive)
            slow.rating[player] += points
            slow.rating[other] -= points
            rating[player] += points
            rating[other] -= points
        for k in slow.rating:
            assert rating[k] == pytest.approx(slow.rating[k], abs=1e-6)
        assert set(np.flatnonzero(fast.alive).tolist()) == slow.alive


def test_undo_restores_the_state() -> None:
    """A departure followed at once by the return leaves every rating as it was."""
    rating = np.array([1710.0, 1450.5, 1333.25, 1506.25])
    before = rating.copy()
    league = Lifetimes()
    league.grow(np.full(4, 1500.0))
    league.saw(np.arange(4), np.zeros(4))
    league.depart_all(rating, np.array([0]), 1.0)
    assert rating[1] == pytest.approx(1450.5 + 70.0)  # (1710 - 1500) / 3
    league.return_(rating, 0, 2.0)
    np.testing.assert_allclose(rating, before, rtol=0, atol=1e-9)


def test_leaving_together_equals_leaving_in_turn() -> None:
    """Several departures of one day are departures one after another."""
    rating = np.array([1700.0, 1450.0, 1600.0, 1250.0, 1500.0])
    at_once, in_turn = rating.copy(), rating.copy()
    for ratings, groups in ((at_once, [[0, 3]]), (in_turn, [[0], [3]])):
        league = Lifetimes()
        league.grow(np.full(5, 1500.0))
        league.saw(np.arange(5), np.zeros(5))
        for group in groups:
            league.depart_all(ratings, np.array(group), 1.0)
    np.testing.assert_allclose(at_once, in_turn, atol=1e-9)


def careers(count: int = 600, seed: int = 3) -> prowess.Games:
    """Games of players who come and go within ten years."""
    rng = np.random.default_rng(seed)
    day = np.sort(rng.uniform(18_000, 21_600, count))
    a = (day - 18_000) // 180 + rng.integers(0, 4, count)
    b = a + 1 + rng.integers(0, 3, count)
    return prowess.Games(
        [f"p{k}" for k in range(int(b.max()) + 1)],
        a.astype(np.uint32),
        b.astype(np.uint32),
        rng.integers(0, 3, count) / 2,
        time=day,
    )


def replayed(games: prowess.Games, system: str, **options: Any) -> DynamicRatings:
    """Ratings of a dynamic system."""
    ratings = prowess.rate(games, system, **options)
    assert isinstance(ratings, DynamicRatings)
    return ratings


def test_a_league_keeps_the_sum_of_gains() -> None:
    """Whatever is played and whoever leaves, the gains of the living sum to zero."""
    ratings = replayed(careers(), "elo", rules=[Redistribution(after="1y")])
    population = ratings.population
    assert population is not None
    gains = (ratings.state.rating[:, 0] - population.born)[population.alive]
    assert sum(event.what == "departed" for event in ratings.events) > 5
    assert gains.sum() == pytest.approx(0.0, abs=1e-8)


def test_newcomers_have_the_stated_mean() -> None:
    """After each period its newcomers have the stated mean."""
    games = careers()
    rules = [NewcomersMean(1600.0, every="1mo")]
    ratings = replayed(games, "elo", rules=rules)
    shifted = [event for event in ratings.events if event.what == "newcomers"]
    assert shifted
    first = shifted[0]
    plain = replayed(games, "elo", as_of=first.day - 1e-6)
    mean = np.mean([plain.state.rating[player, 0] for player in first.players])
    assert mean + first.points == pytest.approx(1600.0)


def test_history_holds_what_the_rules_gave() -> None:
    """The terms of a history sum to each change, gifts between games included."""
    ratings = replayed(careers(), "elo", rules=[Redistribution(after="1y", every="1mo")])
    history = ratings.history("p8")
    assert any("between games" in step.terms for step in history)
    for step in history:
        assert fsum(step.terms.values()) == step.change


def test_stated_departures() -> None:
    """A player who leaves on a stated day hands out his gain after that day's games."""
    games = careers()
    ratings = replayed(games, "elo", rules=[Redistribution(departures=(("p3", 18_900.0),))])
    before = prowess.rate(games, "elo", as_of=18_900.0)
    departed = next(event for event in ratings.events if event.what == "departed")
    others = int((before.game_counts > 0).sum()) - 1
    assert departed.points == pytest.approx((before["p3"].rating - 1500.0) / others)


@pytest.mark.parametrize(
    ("system", "games", "error", "said"),
    [
        ("glicko", careers(), BadSetting, "no_kept_sum"),
        ("elo", careers().replace(time=None), Unratable, "no_dates"),
    ],
)
def test_unfit_tables_are_refused(
    system: str, games: prowess.Games, error: type[Exception], said: str
) -> None:
    """Rules are refused where no sum is kept and where there are no dates."""
    with refused(error, said):
        prowess.rate(games, system, rules=[Redistribution(after="1y")])


def test_boundaries_are_starts_of_periods() -> None:
    """Months begin on their first day; the beginning itself is not a boundary, the end is."""
    # 2019-04-14 to 2019-07-01 (day 18078): May 1, June 1, July 1
    assert boundaries(parse_period("1mo"), 18_000.5, 18_078.0).tolist() == [18017, 18048, 18078]


def test_too_many_boundaries_are_refused() -> None:
    """A period too short for the span of the games is refused before anything is played."""
    with refused(BadPeriod, "period_too_short"):
        boundaries(parse_period("1h"), 0.0, 200 * 365.2425)


def test_sides_of_unequal_size_are_refused() -> None:
    """Where one side has more members no sum is kept, so there is nothing to hand on."""
    rule = Redistribution(after="1y")
    days = [19_000.0, 19_001.0]
    even = team_games([[[0, 1], [2, 3]], [[0], [1]]], [1.0, 0.0], time=days)
    ratings = prowess.rate(even, "elo", rules=[rule])
    assert fsum(ratings.columns["rating"]) == pytest.approx(7 * 1500.0)
    uneven = team_games([[[0, 1], [2, 3]], [[0, 1], [2]]], [1.0, 0.0], time=days)
    with refused(Unratable, "uneven_sides"):
        prowess.rate(uneven, "elo", rules=[rule])
