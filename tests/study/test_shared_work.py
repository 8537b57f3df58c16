"""Systems and folds that processes share are judged as one process judges them."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.engine.cluster.workers import SERIAL, Workers, workers_of
from prowess.study.cross_validation import run_folds
from prowess.study.folds import deal_folds
from prowess.study.judging import Trials, run_trials
from prowess.study.simulation.league import simulate
from prowess.study.simulation.settings import league_settings
from prowess.verbs.tables import parse_selections

GAMES = simulate(league_settings(players=8, games=200, draws=0.2, advantage=60), seed=1).games
SELECTIONS = parse_selections("elo,colley,davidson")


def describe(found: Trials) -> list[Any]:
    """All that was found, forecasts as bytes; a test costs other seconds each time."""
    tests = [
        (one.name, one.params, one.expected.tobytes(), one.draw is None, one.notes)
        for one in found.tests
    ]
    assert all(one.table is GAMES for one in found.tests)
    return [tests, found.notes, found.refused, found.played, found.interrupted]


def judge(workers: Workers) -> list[Any]:
    """A backtest and a cross-validation of all, and what progress said."""
    said: list[tuple[int, int]] = []
    how: dict[str, Any] = {
        "workers": workers,
        "progress": lambda done, total: said.append((done, total)),
    }
    trials = run_trials(GAMES, SELECTIONS, 0.4, **how)
    folds = run_folds(GAMES, SELECTIONS, deal_folds(GAMES, 2, None, 0), **how)
    assert trials.refused.keys() == folds.refused.keys() == {"colley"}  # ranks without a model
    assert all(np.isfinite(one.expected).all() for one in folds.tests)
    return [*describe(trials), *describe(folds), said]


def test_processes_judge_as_one_does():
    """Forecasts to the last bit, notes, refusals and progress."""
    with workers_of(2) as workers:
        assert judge(workers) == judge(SERIAL)
