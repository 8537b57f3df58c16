"""Who can be compared with whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.compile import worth
from prowess.engine.fits.connectivity import SideForest, groups
from prowess.games.games import Games
from prowess.games.tally import tally
from tests.engine.tables import games, some_games


def reachable(table: Games, held: list[int]) -> np.ndarray:
    """Who reaches whom along "took a point from", by matrix powers: slow and obvious."""
    n = len(table.players)
    reach = np.eye(n, dtype=bool)
    for a, b, score in zip(table.a, table.b, table.score, strict=True):
        reach[a, b] |= score > 0
        reach[b, a] |= score < 1
    for one in held:
        reach[one, held] = True
    for _ in range(n):
        reach = reach @ reach
    return reach


@pytest.mark.parametrize("compiled_from", [0, 10**9])
@given(data=st.data())
def test_strong_groups(compiled_from, data):
    """Two players are in one group if and only if each reaches the other."""
    table = data.draw(some_games())
    held = data.draw(st.lists(st.integers(0, len(table.players) - 1), unique=True, max_size=3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worth, "MIN_TURNS_TO_COMPILE", compiled_from)
        patch.setattr(worth, "LINKED", compiled_from)
        found = groups(tally(table), held)
    reach = reachable(table, held)
    same = found.strong[:, None] == found.strong[None, :]
    np.testing.assert_array_equal(same, reach & reach.T)
    assert found.comparable == bool(reach.all())
    assert bool(found.words(table.players)) != found.comparable


def test_a_long_chain():
    """A thousand players in a chain and back are one group; without the way back, a thousand."""
    n = 1000
    chain = [(str(k), str(k + 1), 1.0) for k in range(n - 1)]
    assert groups(tally(games([*chain, (str(n - 1), "0", 1.0)]))).comparable
    assert len(set(groups(tally(games(chain))).strong.tolist())) == n


def told(*rows: tuple[str, str, float]) -> str:
    """The words on a table."""
    table = games(rows)
    return "; ".join(groups(tally(table)).words(table.players))


def test_words():
    """Each reason is told, with the players."""
    circle = [("Ada", "Ben", 1.0), ("Ben", "Cleo", 1.0), ("Cleo", "Ada", 1.0)]
    assert told(*circle) == ""
    assert told(*circle, ("Dan", "Ada", 1.0)) == "never lost a point: Dan"
    assert told(*circle, ("Ben", "Dan", 1.0)) == "never took a point: Dan"
    pair = [("Dan", "Eve", 0.5)]
    assert told(*circle, *pair) == "2 groups never met, beside the largest: Dan, Eve"
    assert told(*circle, *pair, ("Dan", "Ben", 1.0)) == (
        "only ever beat, or only ever lost to, others: Dan, Eve"
    )
    crowd = [(f"P{k}", "Ada", 1.0) for k in range(7)]
    assert "P0, P1, P2 and 4 more" in told(*circle, *crowd)


@given(some_games(size=6))
def test_pinned_sides(table):
    """Sides are pinned if and only if they lie in the span of the pairs (least squares)."""
    rows = tally(table)
    pairs = np.zeros((len(rows), rows.players))
    pairs[np.arange(len(rows)), rows.a] = 1.0
    pairs[np.arange(len(rows)), rows.b] = -1.0
    best = np.linalg.lstsq(pairs, rows.side, rcond=None)[0]
    forest = SideForest(rows.players)
    forest.add(rows.a, rows.b, rows.side)
    assert forest.pinned == bool(np.allclose(pairs @ best, rows.side, atol=1e-9))
