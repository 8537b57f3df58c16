"""Who plays whom in a simulated league."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from tests.study.test_simulated_population import uneven


def gaps(**asked: float | str) -> np.ndarray:
    """The differences of true strength of those who meet."""
    league = simulate(league_settings(games=20_000, **asked), 1)
    return np.abs(league.strength_a - league.strength_b)


def test_near_takes_the_nearest_of_some():
    """Of m others drawn by chance the nearest plays: P(gap > g) is the m-th power of one's."""
    strength = [1000.0, 1010.0, 1030.0, 1070.0, 1150.0]
    p = league_settings(players=5, games=60_000, matchmaking="near", candidates=3)
    games = simulate(p, 2, strengths=strength)
    counts = np.zeros((5, 5))
    one = np.rint(games.strength_a).astype(int)
    other = np.rint(games.strength_b).astype(int)
    place = {round(value): at for at, value in enumerate(strength)}
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        counts[min(place[a], place[b]), max(place[a], place[b])] += 1
    chance = np.zeros((5, 5))
    for a in range(5):  # all 64 ways to draw three of the four others
        others = [b for b in range(5) if b != a]
        for i in others:
            for j in others:
                for k in others:
                    b = min((i, j, k), key=lambda each: abs(strength[each] - strength[a]))
                    chance[min(a, b), max(a, b)] += 1 / 5 / 64
    may = chance > 0
    assert counts[~may].sum() == 0
    assert uneven(counts[may], chance[may]) < 4


def test_ratings_bring_equals_together():
    """Pairing by a running rating narrows the gaps, pairing by true strength more."""
    by_chance = gaps().mean()
    by_rating = gaps(matchmaking="rating").mean()
    by_strength = gaps(matchmaking="near").mean()
    assert by_strength < by_rating < by_chance
    assert by_strength < 0.5 * by_chance  # by chance: the least of 5 gaps, not a gap


@pytest.mark.parametrize("players", [2, 6, 7])
def test_round_robin(players):
    """In a cycle all meet once; in two, once on each side; nobody twice in a round."""
    every = players * (players - 1) // 2
    p = league_settings(players=players, games=4 * every, matchmaking="round_robin")
    games = simulate(p, 3).games
    assert games.time is not None
    assert games.round is not None
    for cycle in range(4):
        rows = slice(cycle * every, (cycle + 1) * every)
        met = {frozenset(pair) for pair in zip(games.a[rows], games.b[rows], strict=True)}
        assert len(met) == every
    both = set(zip(games.a[: 2 * every].tolist(), games.b[: 2 * every].tolist(), strict=True))
    assert len(both) == 2 * every
    for number in range(int(games.round.max()) + 1):
        mine = games.round == number
        assert len({*games.a[mine], *games.b[mine]}) == 2 * mine.sum() == players - players % 2
        assert len(set(games.time[mine])) == 1


def test_round_robin_with_births_and_deaths():
    """Who is born waits for the next cycle; a cycle is played by those of its start who live."""
    p = league_settings(
        players=8, games=3000, matchmaking="round_robin", births=0.1, life=80, days=300,
        beginning="settled",
    )  # fmt: skip
    league = simulate(p, 4)
    games, truth = league.games, league.truth
    assert games.time is not None
    assert games.round is not None
    assert not np.any(truth.died[games.a] <= games.time)
    for number in range(int(games.round.max()) + 1):
        mine = games.round == number
        assert len({*games.a[mine], *games.b[mine]}) == 2 * mine.sum()
    assert league.births > 10


@pytest.mark.parametrize("players", [16, 31])
def test_swiss(players):
    """In a tournament nobody meets the same twice, all play a round, leaders meet leaders."""
    p = league_settings(
        players=players, games=(players // 2) * 20, matchmaking="swiss", swiss_rounds=5
    )
    games = simulate(p, 5).games
    assert games.round is not None
    apart: list[float] = []
    for tournament in range(4):
        points = dict.fromkeys(range(players), 0.0)
        met: set[frozenset[int]] = set()
        for turn in range(5):
            mine = games.round == 5 * tournament + turn
            pairs = list(zip(games.a[mine].tolist(), games.b[mine].tolist(), strict=True))
            assert len({player for pair in pairs for player in pair}) == players - players % 2
            assert not met & {frozenset(pair) for pair in pairs}
            met |= {frozenset(pair) for pair in pairs}
            apart += [abs(points[a] - points[b]) for a, b in pairs]
            for (a, b), score in zip(pairs, games.score[mine].tolist(), strict=True):
                points[a] += score
                points[b] += 1 - score
            for player in set(points) - {player for pair in pairs for player in pair}:
                points[player] += 1.0  # left over
    # pairs by chance after k games differ by 0, 1/2, 3/4, 15/16, 35/32 in the mean (k = 0 to 4),
    # that is 0.66 a round, where all are equals, and by more where some are better
    assert np.mean(apart) < 0.5


def test_ladder():
    """A challenge goes up at most the reach, and a ladder ends up in order of strength."""
    strength = [1000.0 + 400.0 * place for place in range(20)]  # worst on top
    p = league_settings(players=20, games=4000, matchmaking="ladder", reach=2, days=30)
    league = simulate(p, 6, strengths=strength)
    order = [f"P{number:02d}" for number in range(1, 21)]
    names = list(league.games.players)
    for a, b, score in zip(
        league.games.a.tolist(), league.games.b.tolist(), league.games.score.tolist(), strict=True
    ):
        winner, loser = (names[a], names[b]) if score == 1.0 else (names[b], names[a])
        low, high = order.index(winner), order.index(loser)
        assert abs(low - high) <= 2
        if low > high:
            order.insert(high, order.pop(low))
    # 400 points beat in 10 of 11 games, so a few neighbours may stand the wrong way round
    place = {name: at for at, name in enumerate(order)}
    wrong = [abs(place[f"P{number:02d}"] - (20 - number)) for number in range(1, 21)]
    assert np.mean(wrong) < 1.5


def test_sides_are_drawn():
    """Each player has the first side in half of his games, within 4 standard errors."""
    games = simulate(league_settings(players=4, games=20_000, matchmaking="ladder"), 7).games
    first = np.bincount(games.a, minlength=4)
    played = first + np.bincount(games.b, minlength=4)
    assert np.all(np.abs(first - played / 2) < 4 * np.sqrt(played) / 2)
    assert sqrt(played.min()) > 10
