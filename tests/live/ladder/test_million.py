"""A log of a million games of ten thousand players, corrected anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prowess.engine.rate import rate
from prowess.games.games import Games
from prowess.live.ladder.loading import load_ladder, pack_log
from prowess.live.result import DAY_US, LiveResult
from prowess.systems.catalogue import find
from tests.live.ladder.logs import START, game, play_changes, preview_changes

GAMES, PLAYERS = 1_000_000, 10_000
SECOND = 1_000_000  # microseconds


@pytest.fixture(scope="module")
def log():
    """Random games over four years, several in some seconds, results in no order."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, PLAYERS, GAMES)
    number = rng.permutation(GAMES) + 1
    return {
        "id": number,
        "time": START + rng.integers(0, 4 * 365 * 86_400, GAMES) * SECOND,
        "a": a,
        "b": (a + rng.integers(1, PLAYERS, GAMES)) % PLAYERS,
        "score": rng.choice([0.0, 0.5, 1.0], GAMES),
    }


def batch(log: dict[str, Any], name: str, period: str | None) -> Any:
    """The table with its rows by number, sorted by time as a reader does, rated at once."""
    by_number = np.argsort(log["id"])
    rows = by_number[np.argsort(log["time"][by_number], kind="stable")]
    table = Games(
        players=list(map(str, range(PLAYERS + 2))),
        a=log["a"][rows].astype(np.uint32),
        b=log["b"][rows].astype(np.uint32),
        score=log["score"][rows],
        time=log["time"][rows] / DAY_US,  # whole seconds: one rounding or two give the same
    )
    return rate(table, find(name), period=period)


def corrected(log: dict[str, Any], changes: dict[int, LiveResult | None]) -> dict[str, Any]:
    """The columns after changes."""
    stays = ~np.isin(log["id"], list(changes))
    came = [fact for fact in changes.values() if fact is not None]
    more: dict[str, list[Any]] = {
        "id": [fact.id for fact in came],
        "time": [fact.time for fact in came],
        "a": [fact.players[0] for fact in came],
        "b": [fact.players[1] for fact in came],
        "score": [fact.score for fact in came],
    }
    return {n: np.concatenate((column[stays], more[n])) for n, column in log.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "period"), [("elo", None), ("glicko2", None), ("glicko2", "1mo")])
def test_corrected_anywhere(log, name, period):
    """Void, change and insert at the start, the middle and the end: bit for bit the batch run."""
    terms: Any = (name, {}, period, "games", (), str)
    ladder: Any = load_ladder(log, *terms)
    ladder.publish(0)
    order = np.lexsort((log["id"], log["time"]))
    span = 4 * 365 * 86_400
    for revision, share in enumerate((0.0, 0.5, 0.99999), 1):
        void, change = log["id"][order[int(share * GAMES) : int(share * GAMES) + 2]].tolist()
        time = START + int(share * span) * SECOND
        insert = GAMES + revision
        changes = {
            void: None,
            change: game(change, time, 3, PLAYERS, 1.0),
            insert: game(insert, time, PLAYERS + 1, 4, 0.0),
        }
        preview = preview_changes(ladder, changes)
        before = values(ladder.ratings())
        play_changes(ladder, revision, changes)
        log = corrected(log, changes)
        whole = batch(log, name, period)
        after = values(ladder.ratings())
        expected = np.stack([whole.columns[n] for n in whole.columns])
        played = whole.game_counts > 0
        assert np.array_equal(after[:, played], expected[:, played])
        ids = ladder.ratings().players.ids
        assert np.array_equal(ladder.ratings().game_counts, whole.game_counts[ids])
        moved = ~np.all((before == after) | (np.isnan(before) & np.isnan(after)), axis=0)
        assert sorted(mover.player for mover in preview.movers) == np.flatnonzero(moved).tolist()
        for mover in preview.movers[:100]:
            assert mover.after is not None
            assert np.array_equal(list(mover.after.values()), expected[:, mover.player])
    again: Any = load_ladder(pack_log(ladder.published), *terms)
    assert np.array_equal(values(again.ratings()), after, equal_nan=True)


def values(ratings: Any) -> Any:
    """All columns by player; nan for who has no game."""
    found = np.full((len(ratings.columns), PLAYERS + 2), np.nan)
    played = ratings.game_counts > 0
    for k, column in enumerate(ratings.columns.values()):
        found[k, ratings.players.ids[played]] = column[played]
    return found
