"""Merging games by pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.games import tally as merging
from prowess.games.games import Games
from prowess.games.tally import Tally, tally
from tests.engine.tables import games, some_games

WAYS = (merging._count_densely, merging._count_by_sorting)


def merged(table: Games, sides: bool) -> dict[tuple[int, int, float], list[float]]:
    """Wins, draws, losses by (a, b, side), one game after the other."""
    rows: dict[tuple[int, int, float], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for k in range(len(table)):
        a, b, score = int(table.a[k]), int(table.b[k]), float(table.score[k])
        side = float(table.side[k]) if sides and table.side is not None else 0.0
        if a > b:
            a, b, score, side = b, a, 1.0 - score, -side
        weight = 1.0 if table.weight is None else float(table.weight[k])
        row = rows[a, b, side]
        if score == 0.5:
            row[1] += weight
        else:
            row[0] += weight * score
            row[2] += weight * (1.0 - score)
    return rows


def as_rows(found: Tally) -> dict[tuple[int, int, float], list[float]]:
    """A tally in the same form."""
    keys = zip(found.a.tolist(), found.b.tolist(), found.side.tolist(), strict=True)
    values = np.stack((found.wins, found.draws, found.losses), axis=1)
    return dict(zip(keys, values.tolist(), strict=True))


@pytest.mark.parametrize("way", WAYS)
@given(data=st.data())
def test_merged_by_hand(way: Callable[..., Tally], data: st.DataObject):
    """Every way of merging gives what adding game by game gives."""
    table = data.draw(some_games(weighted=data.draw(st.booleans()), size=16))
    sides = data.draw(st.booleans())
    found = way(table, table.side if sides else None)
    expected = merged(table, sides)
    assert set(as_rows(found)) == set(expected)
    for key, counts in as_rows(found).items():
        assert counts == pytest.approx(expected[key], abs=1e-12)
    assert (found.a < found.b).all()
    assert (np.diff(found.a.astype(int)) >= 0).all()
    assert found.games.sum() == pytest.approx(
        len(table) if table.weight is None else table.weight.sum()
    )


def test_a_large_roster_needs_no_table_of_all_pairs():
    """Two games of 100,000 players are two rows."""
    table = games([("0", "99999", 1.0), ("7", "8", 0.5)], [str(k) for k in range(100_000)])
    found = tally(table)
    assert as_rows(found) == {(0, 99999, 0.0): [1, 0, 0], (7, 8, 0.0): [0, 1, 0]}
