"""Pairing scores against sums by hand: who met whom, the mean share, the running one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine import pairings as module
from prowess.engine.pairings import pairing_notes, pairings, shares
from prowess.engine.system import Unratable
from tests.engine.tables import games, some_games, taken
from tests.refusals import refused

ROWS = [("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0), ("Ada", "Cleo", 0.5)]
POINTS = {"points_a": [3.0, 6.0, 0.0], "points_b": [1.0, 4.0, 0.0]}


def test_shares_of_the_points():
    """A share is a / (a + b), and 1/2 where nobody scored."""
    assert shares(games(ROWS, **POINTS)).tolist() == [0.75, 0.6, 0.5]


def test_without_points_the_score_is_the_share():
    """Scores stand in for shares where a table has no points, or where they are asked for."""
    assert shares(games(ROWS)).tolist() == [1.0, 1.0, 0.5]
    assert shares(games(ROWS, **POINTS), by_points=False).tolist() == [1.0, 1.0, 0.5]


@pytest.mark.parametrize("side", ["points_a", "points_b"])
def test_negative_points_have_no_shares(side):
    """Points below 0 are refused: who, which game, and what to do."""
    table = games(ROWS, **POINTS | {side: [1.0, -2.0, 1.0]})
    with refused(Unratable, "shares_not_taken", about=("scores=", "Ben", "Ada", "Ben against")):
        pairings(table)
    assert pairings(table, by_points=False).battles.sum() == 6.0


@given(table=some_games(size=16, weighted=True))
def test_means_and_counts(table):
    """Battles, wins and mean shares of every pair are what a plain sum over the games gives."""
    battles: dict[tuple[int, int], float] = defaultdict(float)
    wins: dict[tuple[int, int], float] = defaultdict(float)
    total: dict[tuple[int, int], float] = defaultdict(float)
    for k in range(len(table)):
        a, b, weight = int(table.a[k]), int(table.b[k]), float(table.weight[k])
        mine, theirs = float(table.points_a[k]), float(table.points_b[k])
        share = mine / (mine + theirs) if mine + theirs else 0.5
        for one, other, part in ((a, b, share), (b, a, 1.0 - share)):
            battles[one, other] += weight
            total[one, other] += weight * part
        wins[a, b] += weight * (table.score[k] > 0.5)
        wins[b, a] += weight * (table.score[k] < 0.5)
    met = pairings(table)
    n = len(table.players)
    for one in range(n):
        for other in range(n):
            assert met.battles[one, other] == pytest.approx(battles[one, other])
            assert met.wins[one, other] == pytest.approx(wins[one, other])
            if not battles[one, other]:
                assert np.isnan(met.share[one, other])
                continue
            mean = total[one, other] / battles[one, other]
            assert met.share[one, other] == pytest.approx(mean, abs=1e-12)
            drawn = battles[one, other] - wins[one, other] - wins[other, one]
            rate = (wins[one, other] + 0.5 * drawn) / battles[one, other]
            assert met.win_rate[one, other] == pytest.approx(rate)


@given(table=some_games(size=16))
def test_running_scores(table):
    """The first share sets a running pairing score; each further one enters by 0.3."""
    running: dict[tuple[int, int], float] = {}
    for a, b, share in zip(table.a.tolist(), table.b.tolist(), shares(table), strict=True):
        for pair, part in (((a, b), float(share)), ((b, a), 1.0 - float(share))):
            running[pair] = 0.7 * running[pair] + 0.3 * part if pair in running else part
    met = pairings(table, running=True)
    assert int(met.met.sum()) == len(running)
    for pair, score in running.items():
        assert met.share[pair] == pytest.approx(score, abs=1e-12)


@given(table=some_games(size=12), data=st.data())
def test_a_weight_counts_battles_in_a_running_score(table, data):
    """A battle of weight 2 is two battles with the same share, in running scores as well."""
    count = data.draw(st.lists(st.integers(1, 3), min_size=len(table), max_size=len(table)))
    weighted = table.replace(weight=np.array(count, dtype=np.float64))
    one = pairings(weighted, running=True).share
    other = pairings(taken(table, np.repeat(np.arange(len(table)), count)), running=True).share
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_verdicts():
    """Better, even or worse; 0.1, 0.5, 0.7 and 0.7 are even, though floats add up to less."""
    assert (0.1 + 0.5 + 0.7 + 0.7) / 4.0 < 0.5
    rows = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.0), *[("Ada", "Cleo", 0.5)] * 4]
    points = {
        "points_a": [2.0, 0.0, 1.0, 5.0, 7.0, 7.0],
        "points_b": [1.0, 5.0, 9.0, 5.0, 3.0, 3.0],
    }
    verdict = pairings(games(rows, **points)).verdict
    assert verdict[0, 1:].tolist() == [1.0, 0.5]
    assert verdict[1, [0, 2]].tolist() == [0.0, 0.0]
    assert verdict[2, :2].tolist() == [0.5, 1.0]
    assert np.isnan(np.diagonal(verdict)).all()


def test_too_many_players(monkeypatch):
    """A table of all pairs is refused before it fills the memory."""
    monkeypatch.setattr(module, "MOST_PLAYERS", 2)
    with refused(Unratable, "too_many_players"):
        pairings(games(ROWS))


def test_holes_are_counted():
    """Pairs that never met are told; who never played is no hole."""
    met = pairings(games(ROWS, ["Ada", "Ben", "Cleo", "Dan"])).met.sum(axis=1)
    said = pairing_notes(games(ROWS, **POINTS), met, by_points=True)
    assert said == ("1 of 3 pairs never met and are left out",)
    assert pairing_notes(games(ROWS), np.array([1, 1]), by_points=False) == ()
    assert "no points" in pairing_notes(games(ROWS), np.array([1, 1]), by_points=True)[0]
