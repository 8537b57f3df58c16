"""Minimax: the worst defeat, three ways to see it."""

from __future__ import annotations

import pytest
from hypothesis import given

import prowess
from prowess.systems.minimax import MINIMAX
from tests.engine.tables import games
from tests.systems.elections import counted, some_elections


@pytest.mark.parametrize("below", [True, False])
@pytest.mark.parametrize("word", ["winning_votes", "margins", "opposition"])
@given(table=some_elections())
def test_worst_defeat_by_hand(word, below, table):
    """The worst over all opponents with whom there is a comparison."""
    votes = counted(table, below)
    on_one = [set(map(int, table.player[a:b])) for a, b in zip(table.start, table.start[1:])]  # noqa: B905
    ratings = prowess.rate(table, MINIMAX, defeat=word, unranked="below" if below else "ignored")
    for i, a in enumerate(table.players):
        defeats = []
        for j, b in enumerate(table.players):
            if i != j and (below or any({i, j} <= ballot for ballot in on_one)):
                against, behind = votes[b, a], votes[b, a] - votes[a, b]
                lost = against if behind > 0 else 0.0
                defeats.append({"winning_votes": lost, "margins": behind}.get(word, against))
        if ratings.game_counts[i]:
            assert ratings.column("defeat")[i] == (max(defeats) if defeats else 0.0)


def test_lowest_is_best():
    """Who beats everybody has no defeat and stands first."""
    table = games([("Ada", "Ben", 0.4), ("Cleo", "Ada", 0.9), ("Cleo", "Ben", 0.6)])
    ratings = prowess.rate(table, MINIMAX)
    assert ratings.leaderboard().columns["player"] == ["Cleo", "Ben", "Ada"]
    assert ratings.leaderboard().columns["defeat"] == [0.0, 0.6, 0.9]
