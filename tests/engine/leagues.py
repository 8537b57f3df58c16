"""Leagues drawn from a known law, and a slow obvious way to their likeliest ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from prowess.engine.fits.fit_rows import MergedRows, resample_counts
from prowess.engine.fits.newton import Maximum, maximum
from prowess.games.games import Games

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

Q = float(np.log(10.0)) / 400.0


def league(
    players: int, count: int, seed: int = 0, *, drawn: float = 0.1, home: float = 0.0
) -> Games:
    """Random pairings by a logistic law, 200 points of spread; a circle of wins ties all."""
    random = np.random.default_rng(seed)
    strength = random.normal(0.0, 200.0, players)
    a = random.integers(0, players, count)
    b = (a + random.integers(1, players, count)) % players
    side = random.integers(-1, 2, count).astype(np.float64)
    chance = 1.0 / (1.0 + np.exp(-Q * (strength[a] - strength[b] + home * side)))
    score = (random.random(count) < chance).astype(np.float64)
    score[random.random(count) < drawn] = 0.5
    circle = np.array([*pairwise(range(players)), (players - 1, 0)])
    return Games(
        players=tuple(f"P{k}" for k in range(players)),
        a=np.concatenate((a, circle[:, 0])).astype(np.uint32),
        b=np.concatenate((b, circle[:, 1])).astype(np.uint32),
        score=np.append(score, np.ones(players)),
        side=np.append(side, np.zeros(players)),
    )


def zermelo(
    table: Games, sweeps: int = 100_000, held: dict[int, float] | None = None
) -> NDArray[np.float64]:
    """Ratings by Zermelo's iteration V_i = wins_i / sum_j n_ij / (V_i + V_j), mean 0."""
    n = len(table.players)
    wins, met = np.zeros(n), np.zeros((n, n))
    weight = np.ones(len(table)) if table.weight is None else table.weight
    for a, b, score, count in zip(table.a, table.b, table.score, weight, strict=True):
        wins[a] += count * score
        wins[b] += count * (1.0 - score)
        met[a, b] += count
        met[b, a] += count
    value = np.ones(n)
    for k, rating in (held or {}).items():
        value[k] = np.exp(Q * rating)
    free = [k for k in range(n) if k not in (held or {})]
    for _ in range(sweeps):
        before = value.copy()
        value[free] = (wins / (met / (value[:, None] + value[None, :])).sum(axis=1))[free]
        if not held:
            value /= np.exp(np.log(value).mean())
        if np.abs(np.log(value / before)).max() < 1e-15:
            break
    found: NDArray[np.float64] = np.log(value) / Q
    return found


def refit_resamples(
    best: Maximum, place: Ids, roster: int, count: int, seed: int, players: Sequence[str]
) -> Floats:
    """The ratings of each resampling of merged rows, maximised anew: slow, and plainly right."""
    rows = best.posterior.rows
    assert isinstance(rows, MergedRows)
    ratings = np.full((count, roster), np.nan)
    for k in range(count):
        wins, draws, losses = resample_counts(rows.tally, seed, k)
        tally = replace(rows.tally, wins=wins, draws=draws, losses=losses)
        again = replace(best.posterior, rows=MergedRows(tally))
        ratings[k, place] = maximum(again, best.unknown, players).unknown[: rows.players]
    return ratings
