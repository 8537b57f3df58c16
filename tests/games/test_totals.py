"""Totals of a table and of its pieces: games and last days of players, ends of columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from prowess.compile import worth
from prowess.games import totals
from prowess.games.games import Games
from prowess.games.totals import Ends, PlayerCounts, widen_ends

DAYS = [3.0, 3.5, 7.0, 7.0, 9.0]


def duels(time: Any) -> Games:
    """Five games of four players, the last of whom has none."""
    a, b = np.array([0, 1, 0, 2, 1], np.uint32), np.array([1, 2, 1, 0, 0], np.uint32)
    return Games(["Ann", "Bob", "Cid", "Dan"], a, b, np.full(5, 0.5), time=time)


def contests() -> Games:
    """Two contests: Ann, Bob and Cid, then Bob and Cid."""
    return Games(
        ["Ann", "Bob", "Cid"], player=np.array([0, 1, 2, 1, 2], np.uint32),
        ends=np.arange(6), start=np.array([0, 3, 5]), place=np.array([1.0, 2, 3, 1, 2]),
        time=np.array([2.0, 4.0]),
    )  # fmt: skip


@pytest.fixture(params=["plain", "loop"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """By NumPy, and by the loop for many, which is not compiled here."""
    if request.param == "loop":
        loop = totals.make_count_loop(lambda rows, at: None)
        monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 0)
        monkeypatch.setattr("prowess.compile.kernel.available", lambda: True)
        monkeypatch.setattr(totals, "_counting", lambda: loop)
    return str(request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("cut", [0, 2, 5])
def test_games_and_last_days(cut: int):
    """Counted by hand, wherever the table is cut."""
    table, counts = duels(np.array(DAYS)), PlayerCounts()
    for piece in (table.select(slice(cut)), table.select(slice(cut, None))):
        counts.add(piece)
    assert counts.games.tolist() == [4, 4, 2, 0]
    assert counts.last is not None
    assert counts.last[:3].tolist() == [9.0, 9.0, 7.0]
    assert math.isnan(counts.last[3])


@pytest.mark.usefixtures("way")
def test_contests_are_counted_once_for_each_member():
    """A contest of many, and one of two."""
    counts = PlayerCounts.of(contests())
    assert counts.last is not None
    assert (counts.games.tolist(), counts.last.tolist()) == ([1, 2, 2], [2.0, 4.0, 4.0])


@pytest.mark.usefixtures("way")
def test_without_dates_there_is_no_last_day():
    """Games are counted all the same."""
    counts = PlayerCounts.of(duels(None))
    assert (counts.games.tolist(), counts.last) == ([4, 4, 2, 0], None)


def test_ends_widen():
    """Times ascend; weights and sides stand in any order."""
    table, ends = duels(np.array(DAYS)), Ends()
    table = table.replace(weight=np.array([1.0, 5.0, 0.5, 2.0, 1.0]))
    for cut in (slice(0), slice(2), slice(2, 5)):
        widen_ends(ends, table.select(cut))
    assert ends == {"time": (3.0, 9.0), "weight": (0.5, 5.0)}
