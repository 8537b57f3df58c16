"""Swiss tournaments: the pairing rule, and small ones by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from pytest import approx

from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.contenders import GameModel
from prowess.study.forecasting.swiss import pair_round, simulate_swiss
from tests.engine.tables import games
from tests.refusals import refused
from tests.study.tournaments import chances, field, points_of, shared

RUNS = 20_000
SIGMAS = 4.5  # of the Monte Carlo error, for 16 places at once


def one(points, met=(), waiting=None):
    """The pairs of one round of one run."""
    n = len(points)
    table = np.zeros((1, n, n), dtype=bool)
    for a, b in met:
        table[0, a, b] = table[0, b, a] = True
    free = np.ones((1, n), dtype=bool) if waiting is None else np.array([waiting], dtype=bool)
    higher, lower = pair_round(np.array([points], dtype=float), table, free)
    return list(zip(higher[0].tolist(), lower[0].tolist(), strict=True))


def test_top_half_against_bottom_half():
    """Eight equals: 1 meets 5, 2 meets 6, 3 meets 7, 4 meets 8."""
    assert one([0] * 8) == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_score_groups():
    """Groups are paired among themselves; of an odd one the last meets the highest below."""
    assert one([2, 2, 1, 1, 1, 1]) == [(0, 1), (2, 4), (3, 5)]
    assert one([1, 1, 1, 0, 0, 0]) == [(0, 1), (2, 3), (4, 5)]


def test_no_second_meeting():
    """Who has met takes the next choice, also where a pair before has to give way."""
    assert one([0] * 4, met=[(0, 2)]) == [(0, 3), (1, 2)]
    assert one([0] * 4, met=[(1, 3)]) == [(0, 3), (1, 2)]  # 0 - 2 would leave 1 - 3


def test_a_second_meeting_where_it_must_be():
    """Where everybody has met everybody the first choices stand."""
    everything = [(a, b) for a in range(4) for b in range(a)]
    assert one([0] * 4, met=everything) == [(0, 2), (1, 3)]


def test_the_search():
    """Whoever has met, the pairs are those of trying the stated choices in order, all the way."""

    def slow(points, met, standing):
        if not standing:
            return []
        first, *rest = standing
        group = [k for k in rest if points[k] == points[first]]
        middle = (len(group) + 1) // 2 - 1
        choices = [*group[middle:], *reversed(group[:middle])] if group else []
        for second in choices + [k for k in rest if k not in group]:
            if (first, second) not in met:
                later = slow(points, met, [k for k in rest if k != second])
                if later is not None:
                    return [(first, second), *later]
        return None

    random, deep = np.random.default_rng(5), 0
    for _ in range(300):
        points = sorted(random.integers(0, 3, 8).tolist(), reverse=True)
        pairs = list(combinations(range(8), 2))
        met = {pairs[k] for k in random.choice(28, size=16, replace=False)}
        expected = slow(points, met, list(range(8)))
        if expected is not None:
            deep += 1
            assert one(points, met) == expected
    assert deep > 50  # not all of them can be paired


def test_a_bye_waits():
    """Who has the bye is not paired."""
    assert one([0] * 5, waiting=[1, 1, 1, 1, 0]) == [(0, 2), (1, 3)]


def test_two_rounds_by_hand():
    """Four players, two rounds: 1-3 and 2-4, then the winners and the losers, all 16 ways."""
    table = chances(4, seed=2)
    exact = np.zeros((4, 4))

    def results(pairs):
        for wins in product((True, False), repeat=2):
            chance, won = 1.0, []
            for (a, b), first in zip(pairs, wins, strict=True):
                chance *= table[a, b] if first else table[b, a]
                won.append(a if first else b)
            yield won, chance

    for first, one_chance in results([(0, 2), (1, 3)]):
        lost = sorted(set(range(4)) - set(first))
        for second, chance in results([tuple(sorted(first)), tuple(lost)]):
            points = [(float((k in first) + (k in second)),) for k in range(4)]
            exact += one_chance * chance * shared(points)
    told = simulate_swiss(field(table), 2, runs=RUNS)
    error = np.sqrt(exact * (1 - exact) / RUNS)
    assert (np.abs(told.places - exact) <= SIGMAS * error).all()


def test_all_rounds_are_a_round_robin():
    """Four players and three rounds: everybody meets everybody, so the points are known."""
    table = chances(4, seed=11)
    told = simulate_swiss(field(table), 3, runs=RUNS)
    exact = table.sum(axis=1)
    points, spread = points_of(told)
    assert (np.abs(points - exact) <= SIGMAS * spread / RUNS**0.5).all()


@pytest.mark.parametrize("n", [5, 8])
def test_sums(n):
    """Every round hands out a point a pair and one for the bye; places sum to 1 both ways."""
    told = simulate_swiss(
        field(chances(n, 3), draw=0.3, sided=True), 4, runs=300, ties=["buchholz"]
    )
    assert points_of(told)[0].sum() == approx(4 * ((n + 1) // 2))
    assert told.places.sum(axis=0) == approx(1.0)
    assert told.places.sum(axis=1) == approx(1.0)


def test_certain_winner():
    """Who wins every game for certain is first for certain."""
    sure = chances(8, seed=1)
    sure[6, :], sure[:, 6] = 1.0, 0.0
    assert simulate_swiss(field(sure), 3, runs=200).chance("G") == 1.0


def test_rounds_that_were_played_stand():
    """After round one the next pairs are the winners and the losers; who lost twice is last."""
    first = games([("Ada", "Cleo", 1.0), ("Ben", "Dan", 1.0)])
    sure = np.array([[0.5, 1, 1, 1], [0, 0.5, 1, 1], [0, 0, 0.5, 1], [0, 0, 0, 0.5]])
    told = simulate_swiss(field(sure), 2, played=first, runs=50)
    assert points_of(told)[0] == approx([2.0, 1.0, 1.0, 0.0])
    assert told.places[1] == approx([0.0, 0.5, 0.5, 0.0])  # Ben and Cleo share


def test_a_bye_comes_once():
    """By hand: the byes go to 3, 2 and 1; the best wins both games, the second beats the third."""
    sure = np.array([[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]])
    assert points_of(simulate_swiss(field(sure), 3, runs=5))[0] == approx([3.0, 2.0, 1.0])


def test_who_has_the_side():
    """By hand, where the side wins every game: in round 3 it goes to who never had it, player 3.

    Rounds: 1-3, 2-4 (the higher has the side); 2-1, 4-3 (the lower); 3-2 (due), 1-4 (the higher).
    """

    def ask(values, mine, theirs, side):
        return 0.5 + 0.5 * side, np.zeros(len(side))

    plain = field(chances(4, 1), sided=True)
    told = simulate_swiss(replace(plain, law=GameModel(("number",), ask)), 3, runs=5)
    assert points_of(told)[0] == approx([2.0, 2.0, 1.0, 1.0])


def test_seeds():
    """The same seed gives the same numbers, another one others."""
    told = [
        simulate_swiss(field(chances(6, 1)), 3, runs=100, seed=seed).places for seed in (1, 1, 2)
    ]
    assert np.array_equal(told[0], told[1])
    assert not np.array_equal(told[0], told[2])


def test_parts_do_not_matter(monkeypatch):
    """Runs that are done in small parts are the same runs."""
    import prowess.study.forecasting.swiss as room

    given = field(chances(7, 1))
    whole = simulate_swiss(given, 3, runs=500, ties=["buchholz"])
    monkeypatch.setattr(room, "TASK_RUNS", 30)
    parts = simulate_swiss(given, 3, runs=500, ties=["buchholz"])
    assert parts.places == approx(whole.places, abs=1e-12)  # sums of counts in another order


def test_refusals():
    """More rounds than opponents and rounds that are not over are refused in words."""
    with refused(BadSetting, "rounds_out_of_range"):
        simulate_swiss(field(chances(4, 1)), 4)
    with refused(Unratable, "rounds_incomplete"):
        simulate_swiss(field(chances(4, 1)), 2, played=games([("Ada", "Ben", 1.0)]))
