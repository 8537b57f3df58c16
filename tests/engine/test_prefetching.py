"""Asking for rows before they are needed changes when they come, never what is in them."""

from __future__ import annotations

import numpy as np
import pytest

from prowess.compile import kernel
from prowess.engine import replay, run, state
from prowess.engine.periods import Rounds
from prowess.games.games import Games
from prowess.systems.catalogue import find

PLAYERS, GAMES = 300, 2_000


@pytest.fixture(scope="module")
def games() -> Games:
    """Games between random players; some play often, some rounds end with the last row."""
    draw = np.random.default_rng(7)
    a = draw.integers(0, PLAYERS, GAMES).astype(np.uint32)
    b = (a + draw.integers(1, PLAYERS, GAMES).astype(np.uint32)) % np.uint32(PLAYERS)
    roster = [str(player) for player in range(PLAYERS)]
    return Games(roster, a, b, draw.integers(0, 3, GAMES) / 2)


@pytest.mark.skipif(not kernel.available(), reason="needs the compiler")
@pytest.mark.parametrize("size", [None, 1, 20, 700])
@pytest.mark.parametrize("name", ["elo", "glicko2"])
def test_ratings_do_not_change(games, name, size, monkeypatch):
    """The ratings are those of the plain loop to the last bit, whatever the rounds."""
    system = find(name)
    bounds = None if size is None else np.append(np.arange(0, GAMES, size), GAMES)
    rounds = Rounds(None, bounds, None)
    asked = []
    loop_of = replay.compiled_loop
    monkeypatch.setattr(run, "CACHED_STATE", 0)

    def heard(*what):
        asked.append(what[-1])
        return loop_of(*what)

    monkeypatch.setattr(replay, "compiled_loop", heard)
    ahead, plain = (state.initial_state(system, system.params, PLAYERS, {}) for _ in range(2))
    replay.play(ahead, games, rounds, compiled=True)
    replay.play(plain, games, rounds, compiled=False)
    assert asked == [True]
    assert np.array_equal(ahead.rating, plain.rating)
