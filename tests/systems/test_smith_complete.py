"""The recommended system, held to a slow replay with dicts."""

from __future__ import annotations

from math import exp, floor, fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import prowess
from prowess.compile.kernel import compile_function
from prowess.engine.fit import fit_table
from prowess.engine.system import Unratable
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import LeagueSettings
from prowess.systems import smith
from prowess.systems.smith_complete import SMITH_COMPLETE, play_games
from tests.engine.tables import START, games
from tests.refusals import refused

H, MEAN, SD, PERIOD, GONE = 64.0, 1500.0, 350.0, 30.0, 100.0
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")


def expected(x):
    return 1.0 / (1.0 + 10.0 ** (-x / 400.0))


def posterior_mean(results):
    """Of one newcomer against known ratings, by a sum over single points of rating."""
    axis = np.arange(MEAN - 8 * SD, MEAN + 8 * SD, 2.0)
    density = -0.5 * ((axis - MEAN) / SD) ** 2
    for rating, score in results:
        win = np.array([expected(x - rating) for x in axis])
        density += score * np.log(win) + (1.0 - score) * np.log1p(-win)
    weight = np.exp(density - density.max())
    return float(weight @ axis / weight.sum())


class Replay:
    """Ratings, birth ratings and shares, by name."""

    def __init__(self):
        self.rating, self.born, self.last = {}, {}, {}
        self.alive, self.shares = set(), {}
        self.deserted = False  # somebody left and nobody was there to inherit

    def period(self, day, rows):
        """Departures, returns, newcomers, then the games in their order."""
        met = {name for _, a, b, _ in rows for name in (a, b)}
        idle = [n for n in self.alive - met if self.last[n] <= day - GONE]
        for name in sorted(idle, key=lambda n: (self.last[n], n)):
            self.alive.remove(name)
            gain = self.rating[name] - self.born[name]
            share = gain / len(self.alive) if self.alive else 0.0
            self.deserted |= not self.alive
            for other in self.alive:
                self.rating[other] += share
            self.shares[name] = share, set(self.alive)
        for name in [n for n in self.shares if n in met]:
            share, holders = self.shares.pop(name)
            for holder in holders & self.alive:
                self.rating[holder] -= share
            for other in self.alive:
                self.rating[other] -= share * len(holders - self.alive) / len(self.alive)
            self.alive.add(name)
        fresh = met - set(self.rating)
        start = {}
        for name in fresh:
            theirs = [(b, s) for _, a, b, s in rows if a == name]
            theirs += [(a, 1.0 - s) for _, a, b, s in rows if b == name]
            start[name] = posterior_mean([(self.rating[o], s) for o, s in theirs])
        self.rating |= start
        self.born |= start
        for _, a, b, score in rows:
            change = 0.5 * H * (score - expected(self.rating[a] - self.rating[b]))
            for name, other, points in ((a, b, change), (b, a, -change)):
                if name not in fresh:
                    self.rating[name] += points
                elif other not in fresh:
                    self.born[name] -= points
        self.alive |= met
        for time, a, b, _ in rows:
            self.last[a] = self.last[b] = time

    def gained(self):
        """What the invariant of section 8.3 speaks of."""
        return fsum(self.rating[name] - self.born[name] for name in self.alive)


@st.composite
def leagues(draw):
    """Games in which two newcomers of one period do not meet; Ada has played long before."""
    rows, born, day = [], {"Ada": -1}, START
    for _ in range(draw(st.integers(1, 14))):
        day += draw(st.sampled_from((0.0, 1.0, 10.0, 31.0, 150.0)))
        a = draw(st.sampled_from(sorted(born)))
        b = draw(st.sampled_from([n for n in NAMES if n != a]))
        period = floor(day / PERIOD)
        if born[a] == born.get(b, period) == period:
            continue
        born.setdefault(b, period)
        rows.append((day, a, b, draw(st.sampled_from((0.0, 0.5, 1.0)))))
    return rows


def first(day):
    """Ada meets Ben, who has long been gone when anything else happens."""
    return [(day - 400.0, "Ada", "Zoe", 0.5)]


@settings(deadline=None, max_examples=40)
@given(rows=leagues())
def test_equals_a_slow_replay(rows):
    """Newcomers by a sum, EQ 66 game by game, redistribution by remembering every share."""
    rows = first(START) + rows
    replay = Replay()
    replay.rating = {"Zoe": MEAN, "Ada": MEAN}  # an even game of two newcomers leaves both there
    replay.born = dict(replay.rating)
    replay.alive, replay.last = {"Ada", "Zoe"}, {"Ada": rows[0][0], "Zoe": rows[0][0]}
    for period in dict.fromkeys(floor(day / PERIOD) for day, *_ in rows[1:]):
        now = [row for row in rows[1:] if floor(row[0] / PERIOD) == period]
        before = replay.gained()
        replay.period(period * PERIOD, now)
        assert replay.gained() == pytest.approx(before, abs=1e-6) or replay.deserted
    table = games([row[1:] for row in rows], time=[row[0] for row in rows])
    params = {"departed_days": GONE, "period_days": PERIOD}
    ratings = fit_table(table, SMITH_COMPLETE, params=params)
    for name in table.players:
        assert ratings[name].rating == pytest.approx(replay.rating[name], abs=1e-5), name


def test_redistribution_keeps_the_sum():
    """Claim 22: the sum of R - R_birth over the living stays 0, whoever comes, plays and leaves."""
    league = simulate(LeagueSettings(players=40, games=3000, days=2000, births=0.05, life=400))
    ratings = fit_table(league.games, SMITH_COMPLETE, params={"departed_days": 120})
    population, rating = ratings.fit.model, ratings.column("rating")
    alive = population.alive
    assert ratings.figures["departed"] > 5
    assert fsum(rating[alive] - population.born[alive]) == pytest.approx(0.0, abs=1e-6)


def test_newcomers_are_shifted_to_a_mean():
    """Footnote 15: one constant brings the newcomers of a period to a stated mean."""
    table = games([("Ada", "Ben", 1.0), ("Cleo", "Dan", 1.0)], time=[START, START])
    plain = prowess.rate(table, "smith_complete")
    shifted = prowess.rate(table, "smith_complete", newcomers_mean=1200)
    assert shifted.column("rating").mean() == pytest.approx(1200.0)
    moved = shifted.column("rating") - plain.column("rating")
    assert moved == pytest.approx([moved[0]] * 4)


def test_an_undefeated_newcomer_is_finite():
    """Claim 15: whoever wins all his games in a league that is new as a whole has a rating."""
    table = games([("Ada", name, 1.0) for name in NAMES[1:]] * 9, time=[START] * 36)
    ratings = prowess.rate(table, "smith_complete")
    assert MEAN < ratings["Ada"].rating < MEAN + 4 * SD


def test_posterior_starts_are_nearer_to_the_truth():
    """Newcomers of known strength: their error at first is smaller than from the mean for all."""
    league = simulate(LeagueSettings(players=200, games=4000, days=120, spread=300), seed=4)
    assert league.games.time is not None
    before = league.games.before(league.games.time[0] + 60)
    complete = prowess.rate(before, "smith_complete", sd=300, h=32)
    plain = prowess.rate(before, "smith", h=32)
    played = complete.game_counts > 0
    truth = league.truth.strength[: len(before.players)]

    def error(ratings):
        apart = ratings.column("rating") - truth
        apart = apart[played] - apart[played].mean()
        return float(np.sqrt(np.mean(apart**2)))

    assert error(complete) < 0.8 * error(plain)


def test_the_h_of_games_and_exponent():
    """With h by games (EQ 95) the first games of the established move them more: h falls."""
    rows = [("Ada", "Ben", 0.5)] + [("Ada", "Ben", 1.0)] * 3
    time = [START, START + 40, START + 80, START + 120]
    ratings = prowess.rate(games(rows, time=time), "smith_complete", h_of="games", sigma=324)
    h, a, b = 566.799969, MEAN, MEAN  # C of section 6.11
    for g in (1, 2, 3):
        change = 0.5 * h * exp(-2.0 / 3.0 * np.log(g)) * (1.0 - expected(a - b))
        a, b = a + change, b - change
    assert ratings["Ada"].rating == pytest.approx(a, abs=1e-3)


def test_a_table_without_dates_is_refused():
    """Periods need dates."""
    with refused(Unratable, "no_dates", about="column"):
        fit_table(games([("Ada", "Ben", 1.0)]), SMITH_COMPLETE)


def test_the_loop_over_games_compiles():
    """Long periods are compiled, with the bits of plain Python."""
    pytest.importorskip("llvmlite")
    random, n, m = np.random.default_rng(3), 12, 200
    a = random.integers(0, n, m)
    columns = a, (a + random.integers(1, n, m)) % n, random.integers(0, 3, m) / 2.0
    given: Any = (*columns, np.zeros(m), np.ones(m))
    start = [100.0 * random.normal(size=n), np.zeros(n), np.zeros(n), np.arange(n) < 3]
    plain, compiled = ([one.astype(np.float64) for one in start] for _ in range(2))
    arguments: Any = (*plain, *given)
    play_games(smith.Params(), *arguments)
    compile_function(play_games)(smith.Params(), *compiled, *given)
    assert all(map(np.array_equal, plain, compiled))
    assert not np.array_equal(plain[0], start[0])
