"""Tournament Elo. Two worked tournaments are among the reference cases."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from prowess.engine.system import Game
from prowess.systems import elo
from prowess.systems.tournament_elo import (
    TOURNAMENT_ELO,
    Evidence,
    Params,
    Rating,
    absorb,
    credit,
    evidence,
    expected_score,
)
from tests.oracle import absorbed, newcomer

scores = st.sampled_from([0.0, 0.5, 1.0])
tournaments = st.lists(st.tuples(st.floats(500, 2500), scores), min_size=1, max_size=12)


@given(r=st.floats(500, 2500), opponent=st.floats(500, 2500), played=st.lists(scores, min_size=1))
def test_equal_opponents(r: float, opponent: float, played: list[float]) -> None:
    """Against opponents of one rating it is Elo with all games in one round."""
    averaged = absorbed(TOURNAMENT_ELO, Rating(r), [(Rating(opponent), s) for s in played])
    single = absorbed(elo.ELO, elo.Rating(r), [(elo.Rating(opponent), s) for s in played])
    assert averaged.rating == pytest.approx(single.rating, abs=1e-7)


@given(games=tournaments)
def test_only_sums_count(games: list[tuple[float, float]]) -> None:
    """Who was beaten does not matter, only how many points and the average opponent."""
    opponents, points = zip(*games, strict=True)
    swapped = zip(opponents, sorted(points), strict=True)
    one = absorbed(TOURNAMENT_ELO, Rating(1500), [(Rating(r), s) for r, s in games])
    other = absorbed(TOURNAMENT_ELO, Rating(1500), [(Rating(r), s) for r, s in swapped])
    assert one.rating == pytest.approx(other.rating, abs=1e-7)
    assert one.opposition == pytest.approx(sum(opponents) / len(opponents))


@given(games=tournaments)
def test_credit(games: list[tuple[float, float]]) -> None:
    """The points of the games add up to the change."""
    p, me = Params(), Rating(1500)
    ones = [evidence(p, me, Rating(r), Game(score=s)) for r, s in games]
    after = absorbed(TOURNAMENT_ELO, me, [(Rating(r), s) for r, s in games])
    assert sum(credit(p, me, after, one) for one in ones) == pytest.approx(
        after.rating - me.rating, abs=1e-7
    )


def test_a_win_that_costs() -> None:
    """One more win over a far weaker opponent can lower a rating, as the docstring warns."""
    met = [(Rating(1500), 0.5)] * 9
    drawn = absorbed(TOURNAMENT_ELO, Rating(1500), met)
    more = absorbed(TOURNAMENT_ELO, Rating(1500), [*met, (Rating(0), 1.0)])
    assert drawn.rating == pytest.approx(1500)
    assert more.rating < 1490


def test_advantage() -> None:
    """The side advantage counts like as many points, in the forecast and in the update."""
    p, white = Params(advantage=100), Game(score=1.0, side=1.0)
    chance = expected_score(p, Rating(1500), Rating(1600), white)
    assert chance == pytest.approx(0.5)
    after = absorbed(TOURNAMENT_ELO, Rating(1500), [(Rating(1600), white)], p)
    assert after.rating == pytest.approx(1516)


def test_nothing_played() -> None:
    """A tournament without games changes nothing; newcomers start at `start`."""
    assert absorb(Params(), Rating(1444, 1333), Evidence()) == Rating(1444, 1333)
    assert newcomer(TOURNAMENT_ELO, Params(start=1000)).rating == 1000
