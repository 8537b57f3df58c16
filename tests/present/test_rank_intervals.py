"""How sure a leaderboard is: the rank of one player alone is that of all compared with all."""

from __future__ import annotations

import numpy as np
import pytest

from prowess import rate
from prowess.present.listing import Listing, certainty
from tests.engine.tables import games


@pytest.mark.parametrize("listing", [Listing(), Listing(min_games=6)])
@pytest.mark.parametrize("name", ["glicko2", "map"])
def test_the_ranks_of_one_are_those_of_all_together(name, listing):
    """Who is asked about alone has the same best and worst rank; who is not listed has none."""
    seed = np.random.default_rng(3)
    pairs = [seed.choice(30, 2, replace=False) for _ in range(150)]
    rows = [(f"p{a}", f"p{b}", float(seed.random() < 0.5 + (a - b) / 60)) for a, b in pairs]
    ratings = rate(games(rows), name)
    one, all_together = (certainty(ratings, 0.9, listing) for _ in range(2))
    assert all_together.ranking is not None
    best, worst = all_together.ranking.ranks
    listed = all_together.ranking.players.tolist()
    assert len(set(best.tolist())) > 3
    for k in range(len(ratings)):
        expected = (best[listed.index(k)], worst[listed.index(k)]) if k in listed else (0, 0)
        assert one.ranking.ranks_of(k) == expected
