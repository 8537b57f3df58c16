"""Scores over parts of the games."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.study.backtest import SLICES, backtest, experience, slices
from prowess.systems.elo import ELO
from tests.engine.tables import contests, games, some_games
from tests.refusals import refused
from tests.study.test_backtest import league


@given(some_games(size=16))
def test_experience_is_counted(table):
    """The less experienced of two, by a plain count of the games before."""
    seen: Counter[int] = Counter()
    for row, known in enumerate(experience(table).tolist()):
        a, b = int(table.a[row]), int(table.b[row])
        assert known == min(seen[a], seen[b])
        seen.update((a, b))


@pytest.mark.parametrize("kind", SLICES)
def test_parts_make_the_whole(kind):
    """Every judged game is in one part, and the mean of the parts is the score of all."""
    test = backtest(league(2000), ELO)
    parts = slices(test, kind)
    assert sum(part.judged for part in parts) == test.count
    whole = sum(part.judged * part.scores["log_loss"] for part in parts) / test.count
    assert whole == pytest.approx(test.scores["log_loss"])


def test_parts_hold_what_they_say():
    """Years by the calendar, gaps by the forecast of the favourite."""
    test = backtest(league(800), ELO)  # 800 days from 2020-01-01, the last 640 judged
    assert [(part.label, part.judged) for part in slices(test, "year")] == [
        ("2020", 206), ("2021", 365), ("2022", 69),
    ]  # fmt: skip
    favourite = np.maximum(test.expected, 1.0 - test.expected)[test.judged]
    by_gap = {part.label: part.judged for part in slices(test, "gap")}
    assert by_gap["0.5 to 0.6"] == int((favourite < 0.6).sum())


def test_what_a_table_does_not_say():
    """No dates, no years; contests have no favourite."""
    with refused(Unratable, "no_dates"):
        slices(backtest(games([("Ada", "Ben", 1.0)] * 9), ELO), "year")
    with refused(Unratable, "slices_of_contests"):
        slices(backtest(contests([[("Ada", 1), ("Ben", 2)]] * 9), ELO), "gap")
    with refused(BadArgument, "not_a_choice", about="mood"):
        slices(backtest(league(50), ELO), "mood")
