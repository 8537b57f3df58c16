"""Checkpoints: kept, restored, refused; and what they depend on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from prowess.engine.state import State
from prowess.live.ladder import replay
from prowess.live.ladder.checkpoint import fingerprint
from prowess.live.ladder.loading import new_ladder, restore_ladder
from prowess.live.ladder.replay import SavedState, rows_to_save, thin_states
from prowess.live.result import DAY
from prowess.systems.catalogue import find
from tests.live.ladder.logs import START, game, named, shown

TERMS: Any = ("glicko", {}, "1mo", "games", ("margin",), named)


def kept() -> bytes:
    """The checkpoint of a ladder with a few hundred results."""
    rng = np.random.default_rng(1)
    pairs = [rng.choice(9, 2, replace=False).tolist() for _ in range(299)]
    facts = {n: game(n, START + n * DAY, a, b, margin=2.0) for n, (a, b) in enumerate(pairs, 1)}
    ladder = new_ladder(*TERMS)
    ladder.apply(facts)
    ladder.publish(1)
    return ladder.checkpoint()


def test_restored():
    """A restored ladder shows the same numbers and goes on as the one that was kept."""
    one, other = restore_ladder(kept(), *TERMS), restore_ladder(kept(), *TERMS)
    assert shown(one.ratings()) == shown(other.ratings()) != {}
    assert restore_ladder(one.checkpoint(), *TERMS).checkpoint() == kept()


@pytest.mark.parametrize("at", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_damage_is_seen(at):
    """A checkpoint with a byte changed or with its end cut off is refused, or gives the same."""
    data = bytearray(kept())
    place = int(at * len(data))
    data[place] ^= 0x10
    with pytest.raises(ValueError, match="no checkpoint of this ladder"):
        restore_ladder(bytes(data[: place + 1]), *TERMS)
    try:
        spoilt = restore_ladder(bytes(data), *TERMS)
    except ValueError:
        return
    assert shown(spoilt.ratings()) == shown(restore_ladder(kept(), *TERMS).ratings())


@pytest.mark.parametrize(
    "terms",
    [
        ("elo", {}, "1mo", "games", ("margin",)),
        ("glicko", {"drift": 20.0}, "1mo", "games", ("margin",)),
        ("glicko", {}, "7d", "games", ("margin",)),
        ("glicko", {}, None, "contests", ()),
        ("glicko", {}, "1mo", "games", ()),
        ("glicko", {}, "1mo", "games", ("margin", "length")),
    ],
)
def test_foreign_checkpoints_are_refused(terms):
    """A checkpoint of another system, other constants, periods or columns is refused."""
    other: Any = (*terms, named)
    with pytest.raises(ValueError, match="no checkpoint of this ladder"):
        restore_ladder(kept(), *other)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x80\x04N.", bytes(100)])
def test_rubbish_is_refused(data):
    """Bytes that are no checkpoint are refused, a pickle too."""
    with pytest.raises(ValueError, match="no checkpoint of this ladder"):
        restore_ladder(data, *TERMS)


def test_fingerprint():
    """The fingerprint changes with system, constants, period and any function of the system."""
    elo = find("elo")
    one = fingerprint(elo, {}, None)
    assert one == fingerprint(elo, {"k": elo.params.k}, None)
    other = replace(elo, absorb=lambda p, me, total: me)
    others = [
        fingerprint(find("glicko"), {}, None),
        fingerprint(elo, {"k": 17.0}, None),
        fingerprint(elo, {}, "7d"),
        fingerprint(elo, {}, None, "contests"),
        fingerprint(elo, {}, None, "", ("margin",)),
        fingerprint(other, {}, None),
    ]
    assert len({one, *others}) == 1 + len(others)


def test_thinned(monkeypatch):
    """However long the log, few checkpoints suffice never to play twice what must be played."""
    state = State.empty(find("elo"), find("elo").params).with_players(3)
    held: tuple[SavedState, ...] = ()
    for count in range(1, 3000):
        held = thin_states((*held, SavedState(count, state)), count)
        assert len(held) <= replay.MOST
        assert held[-1].row == count
    rows = np.array([0, *(one.row for one in held)])
    for row in range(3000):
        begin = rows[rows.searchsorted(row, side="right") - 1]
        assert 3000 - begin <= 2 * (3000 - row)
    monkeypatch.setattr(replay, "BYTES", 5 * held[0].bytes)
    assert len(thin_states(held, 3000)) == 5


def test_stations():
    """A long log is kept half way, half way from there, until that is hardly worth it."""
    assert rows_to_save(0, 4096) == [2048, 3072]  # 1,024 from the end, twice SPACING
    assert rows_to_save(4096, 8192) == [6144, 7168]
    assert rows_to_save(0, 1000) == []
