"""Simulated seasons and Swiss tournaments whose runs are shared: the numbers of one process."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import pytest

import prowess
from prowess.study.forecasting import season, swiss

NAMES = ["Ann", "Bob", "Cid", "Dee", "Eve"]
GAMES = [(a, b, (3 * i + j) % 5 / 4) for i, a in enumerate(NAMES) for j, b in enumerate(NAMES[:i])]


@pytest.fixture
def small_parts(monkeypatch):
    """Several parts of few runs."""
    monkeypatch.setattr(season, "ARRAY_NUMBERS", 1_000)
    monkeypatch.setattr(swiss, "TASK_RUNS", 30)


@pytest.mark.parametrize("system", ["glicko2", "prowess", "map", "trueskill"])
def test_simulations_by_processes(small_parts, system):
    """Strengths that are sampled, of a bank, of a fit, of a system of teams: equal to the bit."""
    ratings = prowess.rate(GAMES, system)
    with ProcessPoolExecutor(2) as executor:
        for simulate, given in ((prowess.season, ()), (prowess.swiss, (3,))):
            how = {"best": 5, "runs": 200, "seed": 3, "ties": ["head_to_head"]}
            here = simulate(ratings, *given, **how)
            assert simulate(ratings, *given, **how, cluster=executor).to_json() == here.to_json()


def test_simulations_on_a_cluster(small_parts, client):
    """The workers of Dask, some rounds played."""
    ratings = prowess.rate(GAMES, "elo")
    how = {"best": 5, "runs": 300, "played": GAMES[:3], "times": 1}
    here = prowess.season(ratings, **how)
    assert prowess.season(ratings, **how, cluster=client).to_json() == here.to_json()
