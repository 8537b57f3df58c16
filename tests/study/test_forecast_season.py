"""Seasons against every way in which they can end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.season import (
    PointScale,
    Tables,
    fixtures,
    place_counts,
    rank_levels,
    round_robin,
    simulate_season,
    with_results,
)
from tests.engine.tables import games
from tests.refusals import refused
from tests.study.tournaments import NAMES, chances, field, odds, outcomes, points_of, shared

FOUR = chances(4, seed=5)
SIGMAS = 4.5  # of the Monte Carlo error: 16 places at once are all inside with chance 0.9999


def keys(planned, scores, n, ties, scale):
    """Points and tie-breaks of each player, by hand; head to head among those equal so far."""
    points, wins = [0.0] * n, [0] * n
    beat: dict[tuple[int, int], float] = {}
    made: dict[tuple[int, int], float] = {}
    met: dict[tuple[int, int], int] = {}
    rows = zip(planned.a.tolist(), planned.b.tolist(), scores, strict=True)
    for a, b, score in rows:
        for i, j, own in ((a, b, score), (b, a, 1 - score)):
            brought = {1.0: scale.win, 0.5: scale.draw, 0.0: scale.loss}[own]
            points[i] += brought
            wins[i] += own == 1
            beat[i, j] = beat.get((i, j), 0) + own
            made[i, j] = made.get((i, j), 0) + brought
            met[i, j] = met.get((i, j), 0) + 1
    found = [(points[i],) for i in range(n)]
    for rule in ties:
        value = {
            "wins": lambda i: wins[i],
            "head_to_head": lambda i: sum(
                made.get((i, j), 0)
                for j in range(n)
                if found[j] == found[i]  # noqa: B023
            ),
            "berger": lambda i: sum(beat.get((i, j), 0) * points[j] for j in range(n)),
            "buchholz": lambda i: sum(met.get((i, j), 0) * points[j] for j in range(n)),
        }[rule]
        found = [(*found[i], round(float(value(i)), 9)) for i in range(n)]
    return found


@pytest.mark.parametrize("ties", [(), ("wins",), ("head_to_head", "wins"), ("berger", "buchholz")])
@pytest.mark.parametrize("scale", [PointScale(), PointScale(3.0, 1.0, 0.0)])
def test_enumeration(ties, scale):
    """Four players, six games, 729 ways to end: every place within the Monte Carlo error."""
    planned = round_robin(4)
    pairs = list(zip(planned.a.tolist(), planned.b.tolist(), strict=True))
    exact, points = np.zeros((4, 4)), np.zeros(4)
    for scores, chance in outcomes([odds(FOUR, 0.3)(a, b) for a, b in pairs]):
        found = keys(planned, scores, 4, ties, scale)
        exact += chance * shared(found)
        points += chance * np.array([key[0] for key in found])
    told = simulate_season(
        field(FOUR, draw=0.3), planned, scale=scale, ties=ties, runs=20_000, seed=3
    )
    error = np.sqrt(exact * (1 - exact) / 20_000)
    assert (np.abs(told.places - exact) <= SIGMAS * error).all()
    mean, spread = points_of(told)
    assert (np.abs(mean - points) <= SIGMAS * spread / np.sqrt(20_000)).all()
    assert told.places.sum(axis=0) == approx(1.0)
    assert told.places.sum(axis=1) == approx(1.0)


@pytest.mark.parametrize("ties", [("head_to_head",), ("berger",), ("buchholz", "wins"), ()])
def test_shared_places(ties):
    """Tie-breaks and shared places of one table are those of a table sorted by hand."""
    random = np.random.default_rng(8)
    planned = round_robin(5)
    for _ in range(60):
        scores = random.choice([0.0, 0.5, 1.0], len(planned))
        done = replace(planned, score=scores)
        told = simulate_season(field(chances(5, 1)), done, ties=ties, runs=2)
        slow = keys(planned, scores.tolist(), 5, ties, PointScale())
        assert told.places == approx(shared(slow), abs=1e-12)
        assert told.runs == 0  # nothing was left to simulate


def test_certain_winner():
    """Who wins every game for certain is first, with the chance 1 and all the points."""
    sure = chances(6, seed=2)
    sure[3, :], sure[:, 3] = 1.0, 0.0
    told = simulate_season(field(sure), round_robin(6, 2), runs=500)
    assert told.chance("Dan") == 1.0
    points, spread = points_of(told)
    assert (points[3], spread[3]) == (10.0, 0.0)


def test_played_games_stand():
    """Results so far are never played again: Ada, who lost everything, is last for certain."""
    planned = round_robin(3, 2)
    table = games([(x, "Ada", 1.0) for x in ("Ben", "Cleo", "Ben", "Cleo")])
    told = simulate_season(field(np.where(np.arange(3)[:, None] == 0, 1.0, 0.5) * np.ones((3, 3))),
                  with_results(planned, table, NAMES[:3]), runs=300)  # fmt: skip
    assert told.chance("Ada", 3) == 1.0
    assert any("4 of 6" in note for note in told.notes)


def test_results_find_their_fixture():
    """A game fills the fixture with the same side first, then the other one; then it is refused."""
    planned = fixtures([(0, 1, 1.0), (1, 0, 1.0)])
    table = games([("Ben", "Ada", 1.0), ("Eve", "Ada", 0.0)], side=[1.0, 1.0])
    done = with_results(planned, table, ("Ada", "Ben"))
    assert np.isnan(done.score[0])
    assert done.score[1] == 1.0
    thrice = games([("Ben", "Ada", 1.0), ("Ben", "Ada", 0.5), ("Ada", "Ben", 0.0)])
    with refused(Unratable, "too_many_results", about="fixtures"):
        with_results(planned, thrice, ("Ada", "Ben"))


def test_a_side_is_taken_in_turns():
    """In a double round robin everybody has the side once against everybody."""
    planned = round_robin(5, 2, sided=True)
    assert {(a, b) for a, b in zip(planned.a.tolist(), planned.b.tolist(), strict=True)} == {
        (i, j) for i in range(5) for j in range(5) if i != j
    }
    assert (planned.side == 1.0).all()


def test_errors_of_a_rating_are_shared():
    """A player who is either best or worst has half of the first and half of the last place."""
    up, down = chances(4, seed=9), chances(4, seed=9)
    up[0, :], up[:, 0] = 1.0, 0.0
    down[0, :], down[:, 0] = 0.0, 1.0
    told = simulate_season(field(up, down), round_robin(4, 4), runs=1000)
    assert told.places[0] == approx([0.5, 0.0, 0.0, 0.5])  # runs alternate between two worlds


def test_names_do_not_matter():
    """Players in another order have the same prospects, within the Monte Carlo error."""
    order = np.array([2, 0, 3, 1])
    one = simulate_season(field(FOUR, draw=0.2), round_robin(4), runs=20_000)
    other = simulate_season(
        field(FOUR[np.ix_(order, order)], draw=0.2), round_robin(4), runs=20_000
    )
    assert (np.abs(other.places - one.places[order]) <= SIGMAS * 2**0.5 * one.errors[order]).all()


def test_seeds():
    """The same seed gives the same numbers to the last bit, another seed other ones."""
    again = [
        simulate_season(field(FOUR), round_robin(4), runs=200, seed=seed).places
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(again[0], again[1])
    assert not np.array_equal(again[0], again[2])


def test_parts_do_not_matter(monkeypatch):
    """Runs that are done in small parts give the same chances, bit for bit."""
    import prowess.study.forecasting.season as room

    whole = simulate_season(field(FOUR, draw=0.3), round_robin(4), runs=500, ties=["berger"])
    monkeypatch.setattr(room, "ARRAY_NUMBERS", 500)
    parts = simulate_season(field(FOUR, draw=0.3), round_robin(4), runs=500, ties=["berger"])
    assert parts.places == approx(whole.places, abs=1e-12)  # sums of counts in another order


def test_runs_are_those_of_one_generator():
    """The k-th run has the k-th numbers of the seed, wherever a part begins: all drawn at once."""
    planned, law = round_robin(4), field(FOUR, draw=0.3)
    told = simulate_season(law, planned, runs=70_000, seed=9)  # in many parts
    uniform = np.random.default_rng([9, 1]).random((70_000, 6))
    chance = law.odds(np.zeros(6, np.int64), planned.a, planned.b, planned.side)
    score = np.where(
        uniform < chance.win, 1.0, np.where(uniform < chance.win + chance.draw, 0.5, 0)
    )
    points = np.zeros((70_000, 4))
    for game in range(6):
        points[:, planned.a[game]] += score[:, game]
        points[:, planned.b[game]] += 1.0 - score[:, game]
    assert points_of(told)[0] == approx(points.mean(axis=0), abs=1e-12)


def test_all_tied():
    """Where all are level everybody has an equal share of every place."""
    tables = Tables(np.ones((7, 3)), np.ones((7, 3)))
    assert place_counts(rank_levels(tables, ("wins",))) == approx(np.full((3, 3), 7 / 3))


def test_unknown_rule():
    """An unknown tie-break is refused with the ones there are."""
    with refused(BadSetting, "unknown_tie_break"):
        simulate_season(field(FOUR), round_robin(4), ties=["goals"])
