"""What the page of the RoboRumble server claims about its own systems, tried in small leagues."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.pairings import pairings
from prowess.games.games import Games
from prowess.systems.rumble_elo import RUMBLE_ELO
from tests.systems.rumble_table import TABLE


def league(seed: int, battles: int, bots: int = 20) -> tuple[np.ndarray, Games]:
    """True ratings, and battles whose shares scatter by 0.15 about what those ratings expect."""
    rng = np.random.default_rng(seed)
    true = rng.normal(1600.0, 200.0, bots)
    a = rng.integers(0, bots, battles)
    b = (a + rng.integers(1, bots, battles)) % bots
    share = 1.0 / (1.0 + 20.0 ** ((true[b] - true[a]) / 800.0))
    share = np.clip(share + rng.uniform(-0.15, 0.15, battles), 0.0, 1.0)
    names = tuple(f"bot {k}" for k in range(bots))
    return true, Games(names, a.astype(np.uint32), b.astype(np.uint32), share)


@cache
def off(battles: int, mode: str, k: float) -> float:
    """By how many points ratings miss the true ones, root mean square, over two leagues."""
    squares = []
    for seed in range(2):
        true, table = league(seed, battles)
        params = {"mode": mode, "k": k}
        missed = fit_table(table, RUMBLE_ELO, params=params).column("rating") - true
        squares.append(np.var(missed))  # the mean of all ratings is arbitrary
    return float(np.sqrt(np.mean(squares)))


def test_the_whole_field_settles_faster():
    """At the same K, a quarter of the battles brings the whole field nearer the truth."""
    assert off(400, "whole_field", 3.0) < off(1600, "per_battle", 3.0)
    assert off(800, "whole_field", 3.0) < 0.3 * off(800, "per_battle", 3.0)


@pytest.mark.parametrize("k", [3.0, 10.0, 30.0, 60.0])
def test_no_step_per_battle_ends_as_near(k):
    """In a long league no K of updating by single battles gets as near: slow, or unsteady."""
    assert off(3200, "whole_field", 3.0) < 0.7 * off(3200, "per_battle", k)


def ranks(values: np.ndarray) -> np.ndarray:
    """Mean ranks: equal values share the middle of their places."""
    lower = (values[:, None] > values).sum(axis=1)
    places: np.ndarray = lower + 0.5 * (values[:, None] == values).sum(axis=1)
    return places


def alike(one: str, other: str, **params: str) -> float:
    """Spearman's rank correlation of two systems on the bots' table."""
    given = {one: params, other: {}}
    a, b = (ranks(prowess.rate(TABLE, name, **given[name]).strength) for name in (one, other))
    return float(np.corrcoef(a, b)[0, 1])


def test_batch_elo_ranks_as_pl_does():
    """Batch Elo on win rates ranks 32 real bots nearly as PL does, and nearer to PL than to APS."""
    assert alike("pl", "batch_elo", scores="result") > 0.95
    assert alike("pl", "batch_elo", scores="result") > alike("aps", "batch_elo") + 0.1


def test_batch_elo_on_shares_ranks_as_aps_does():
    """On shares the same equations rank as APS does: all bots have met all others."""
    assert alike("batch_elo", "aps", tally="share") == pytest.approx(1.0)


def test_the_running_mean_stays_unsteady():
    """A running pairing score keeps 0.3 / 1.7 of a battle's variance, the average 1 / n of it."""
    bots, battles = 120, 40
    rng = np.random.default_rng(9)
    a, b = (np.tile(ids, battles).astype(np.uint32) for ids in np.triu_indices(bots, 1))
    share = rng.random(len(a))  # of variance 1/12
    table = Games(tuple(f"bot {k}" for k in range(bots)), a, b, share)
    part = {}
    for running in (False, True):
        pairing = pairings(table, running=running).share[np.triu_indices(bots, 1)]
        part[running] = float(pairing.var()) * 12
    assert part[False] == pytest.approx(1 / battles, rel=0.05)  # 7,140 pairs: 2 % a deviation
    assert part[True] == pytest.approx(0.3 / 1.7, rel=0.05)
