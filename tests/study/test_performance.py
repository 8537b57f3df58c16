"""Performance ratings are the inverse of the expected score."""

from __future__ import annotations

from math import log10
from statistics import NormalDist

import pytest
from pytest import approx

import prowess
from prowess.engine.fit import NoModel
from prowess.engine.params import BadSetting
from prowess.engine.state import newcomer
from prowess.engine.system import Game, Unratable
from prowess.study.forecasting.performance import d_p, performances
from tests.engine.tables import contests, games
from tests.refusals import refused

ROWS = [
    ("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Dan", 1.0), ("Dan", "Ada", 1.0),
    ("Ben", "Ada", 0.5), ("Cleo", "Ada", 0.0), ("Dan", "Ben", 0.0), ("Dan", "Cleo", 0.5),
]  # fmt: skip
SIDES = [1.0, 0.0, -1.0, 1.0, 0.0, 1.0, 1.0, -1.0]
TABLE = games(ROWS, side=SIDES, time=range(100, 108))


def of(found, player):
    """One player's performance."""
    return next(one for one in found if one.player == player)


def test_one_opponent():
    """Three points of four against 1500 is 400 log10(3) above it, by Elo's formula."""
    table = games([("Ada", "Ben", 1.0)] * 3 + [("Ada", "Ben", 0.0)])
    found = of(performances(prowess.rate(table, "elo", k=0)), "Ada")
    assert found.exact == approx(1500 + 400 * log10(3), abs=1e-6)
    assert found.table == 1500 + 193  # FIDE's d_p of 0.75
    assert found.linear == 1500 + 400 * 2 / 4


@pytest.mark.parametrize("name", ["elo", "glicko", "glicko2", "weng_lin", "ratio_elo", "ics"])
def test_inverse_of_expected(name):
    """With his performance as his rating a player expects exactly what he scored."""
    sided = {} if name == "ratio_elo" else {"advantage": 5.0 if name == "weng_lin" else 80.0}
    ratings = prowess.rate(TABLE.replace(time=None), name, **sided)  # no deviation grows
    system = ratings.system
    for one in performances(ratings):
        steps = ratings.history(one.player).steps
        before = {}  # the opponents' ratings before each game, from their own histories
        for other in ratings:
            earlier = newcomer(system, ratings.p)
            for step in ratings.history(other).steps:
                before[step.row, other] = earlier
                earlier = step.values
        expected = 0.0
        for step in steps:
            side = SIDES[step.row]
            if TABLE.players[TABLE.b[step.row]] == one.player:
                side = -side
            theirs = before[step.row, step.opponent]
            mine = before[step.row, one.player]._replace(rating=one.exact)
            if "deviation" in mine._fields:
                mine = mine._replace(deviation=0.0)
            sides = (system.alone(ratings.p, each) for each in (mine, theirs))
            expected += system.expected(ratings.p, *sides, Game(side=side))
        assert expected == approx(one.score, abs=1e-6)


@pytest.mark.parametrize("name", ["bradley_terry", "davidson"])
def test_likeliest_ratings_perform_as_rated(name):
    """At the maximum of the likelihood everybody scored what was expected: performance = rating."""
    ratings = prowess.rate(games(ROWS * 2), name)
    for one in performances(ratings):
        assert one.exact == approx(ratings[one.player].rating, abs=1e-4)  # where Newton stopped


def test_perfect_scores():
    """All won or lost: half a point moved, 800 points, or nothing."""
    table = games([("Ada", "Ben", 1.0)] * 4)
    ratings = prowess.rate(table, "elo", k=0)
    half = performances(ratings)
    assert [one.exact for one in half] == approx(
        [1500 + 400 * log10(7), 1500 - 400 * log10(7)], abs=1e-6
    )  # 3.5 of 4 are odds of 7
    assert [one.exact for one in performances(ratings, perfect="800")] == [2300.0, 700.0]
    assert [one.exact for one in performances(ratings, perfect="none")] == [None, None]
    assert [one.table for one in half] == [2300.0, 700.0]


@pytest.mark.parametrize(
    ("name", "params", "elos"),
    [
        ("elo", {}, True),
        ("elo", {"advantage": 100.0}, True),
        ("elo", {"scale": 800.0}, False),  # 400 points of 800 to ten to one: 0.76
        ("glicko2", {}, True),
        ("thurstone", {}, True),  # the normal curve of FIDE's table
        ("trueskill", {}, False),
        ("weng_lin", {}, False),
        ("ratio_elo", {}, False),
    ],
)
def test_elos_points_only_on_elos_scale(name, params, elos):
    """Beside ratings of 25 points an addition of 400 says nothing."""
    for one in performances(prowess.rate(TABLE.replace(time=None), name, **params)):
        assert (one.table is not None, one.linear is not None) == (elos, elos)


def test_d_p():
    """FIDE's d_p is the normal curve of Elo's book, deviation 2000/7, to a point up to 95 %."""
    for hundredths in range(50, 96):
        p = hundredths / 100
        assert d_p(p) == approx(2000 / 7 * NormalDist().inv_cdf(p), abs=1.0)
        assert d_p(1 - p) == -d_p(p)
    assert (d_p(0.99), d_p(1.0), d_p(0.0), d_p(2 / 3)) == (677.0, 800.0, -800.0, 125.0)


def test_span():
    """Only games of the span count, judged by the ratings before each of them."""
    ratings = prowess.rate(TABLE, "elo")
    found = performances(ratings, since=104.0, until=105.0, player="Ada")
    assert [(one.games, one.score) for one in found] == [(2, 1.5)]
    steps = [s for s in ratings.history("Ada").steps if s.row in (4, 5)]
    assert found[0].opponents == approx(sum(s.opponent_rating for s in steps) / 2)
    assert performances(ratings, since=500.0) == []


def test_refusals():
    """spans without dates, rules and systems that cannot be asked: refused in words."""
    with refused(Unratable, "no_duels", about="contests"):
        performances(prowess.rate(contests([[("Ada", 1), ("Ben", 2)]]), "elo"))
    with refused(Unratable, "no_dates"):
        performances(prowess.rate(games(ROWS), "elo"), since=1.0)
    with refused(NoModel, "no_model", about="model"):
        performances(prowess.rate(games(ROWS), "copeland"))
    with refused(NoModel, "no_model", about="any"):
        performances(prowess.rate(games(ROWS), "batch_elo"))
    with refused(BadSetting, "not_a_choice"):
        performances(prowess.rate(games(ROWS), "elo"), perfect="twice")


def test_last_games_are_those_since_the_first_of_them():
    """The last two games of a player are his games since the day of the last but one."""
    ratings = prowess.rate(TABLE, "elo")
    together = performances(ratings, last=2)
    assert len(together) == len(ratings)
    for name in ratings:
        day = ratings.history(name)[-2].time
        (alone,) = performances(ratings, since=day, player=name)
        assert alone.games == 2
        assert of(together, name) == alone
        assert performances(ratings, last=2, player=[name]) == [alone]
    some = performances(ratings, last=2, player=["Dan", "Ada"])
    assert sorted(one.player for one in some) == ["Ada", "Dan"]
