"""Saved logs and saved states: kept, loaded again, refused, thinned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prowess.engine.periods import Rounds
from prowess.engine.state import State
from prowess.games.games import Games
from prowess.live.ladder import state as states
from prowess.live.ladder.loading import load_ladder, pack_log
from prowess.live.ladder.state import SavedState, count_bytes, rounds_to_save, thin_states
from prowess.live.result import DAY_US
from prowess.systems.catalogue import find
from tests.live.ladder.logs import START, columns_of, game, named, play_changes, shown

TERMS: Any = ("glicko", {}, "1mo", "games", ("margin",), named)
REFUSED = "no log of this ladder"


def facts() -> Any:
    """A few hundred games."""
    rng = np.random.default_rng(1)
    pairs = [rng.choice(9, 2, replace=False).tolist() for _ in range(299)]
    return {n: game(n, START + n * DAY_US, a, b, margin=2.0) for n, (a, b) in enumerate(pairs, 1)}


def kept() -> bytes:
    """The saved log of a ladder with a few hundred results."""
    ladder = load_ladder({}, *TERMS)
    play_changes(ladder, 1, facts())
    return pack_log(ladder.published)


def test_loaded_again():
    """A ladder of a saved log shows the same numbers and saves the same."""
    one, other = load_ladder(kept(), *TERMS), load_ladder(columns_of(facts(), "games"), *TERMS)
    assert shown(one.ratings()) == shown(other.ratings()) != {}
    assert pack_log(load_ladder(pack_log(one.published), *TERMS).published) == kept()


@pytest.mark.parametrize("at", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_damage_is_seen(at):
    """A saved log with a byte changed or with its end cut off is refused, or gives the same."""
    data = bytearray(kept())
    place = int(at * len(data))
    data[place] ^= 0x10
    with pytest.raises(ValueError, match=REFUSED):
        load_ladder(bytes(data[: place + 1]), *TERMS)
    try:
        spoilt = load_ladder(bytes(data), *TERMS)
    except ValueError:
        return
    assert shown(spoilt.ratings()) == shown(load_ladder(kept(), *TERMS).ratings())


@pytest.mark.parametrize(
    "terms",
    [
        ("elo", {}, None),
        ("glicko", {"drift": 20.0}, "1mo"),
        ("glicko", {}, "7d"),
        ("colley", {}, None),
    ],
)
def test_saved_logs_serve_every_method(terms):
    """A saved log depends on no system, constant or period: each rates it as the results."""
    rest: Any = (*terms, "games", ("margin",), named)
    one, other = load_ladder(kept(), *rest), load_ladder(columns_of(facts(), "games"), *rest)
    for ladder in (one, other):
        ladder.settle()
    assert shown(one.ratings()) == shown(other.ratings())


@pytest.mark.parametrize(
    "terms",
    [("1mo", "contests", ()), ("1mo", "games", ()), ("1mo", "games", ("margin", "length")),
     ("round", "games", ("margin",))],
)  # fmt: skip
def test_other_columns_are_refused(terms):
    """A saved log without a column that is needed, or with another, is refused."""
    other: Any = ("glicko", {}, *terms, named)
    with pytest.raises(ValueError, match=REFUSED):
        load_ladder(kept(), *other)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x80\x04N.", bytes(100)])
def test_rubbish_is_refused(data):
    """Bytes that are no saved log are refused, a pickle too."""
    with pytest.raises(ValueError, match=REFUSED):
        load_ladder(data, *TERMS)


def test_thinned(monkeypatch):
    """However long the log, few saved states suffice never to play twice what must be played."""
    state = State.empty(find("elo"), find("elo").params).copy(3)
    held: tuple[SavedState, ...] = ()
    for count in range(1, 3000):
        held = thin_states((*held, SavedState(count, state.copy())), count)
        assert len(held) <= states.MAX_STATES
        assert held[-1].row == count
    rows = np.array([0, *(one.row for one in held)])
    for row in range(3000):
        begin = rows[rows.searchsorted(row, side="right") - 1]
        assert 3000 - begin <= 2 * (3000 - row)
    monkeypatch.setattr(states, "MAX_STATE_BYTES", 5 * count_bytes(held[0], None))
    assert len(thin_states(held, 3000)) == 5


def test_saved_by_thirds():
    """A correction plays at most half as much again as lies behind it, as far as that is worth it,
    and from the mean place three fifths of the log.
    """
    begins = np.array([0, *stops(20_000)])
    rows = np.arange(20_000)
    played = 20_000 - begins[begins.searchsorted(rows, side="right") - 1]
    far = 20_000 - rows > 2 * states.SPACING
    assert (played <= 1.5 * (20_000 - rows) + 1)[far].all()
    assert played.mean() == pytest.approx(0.6 * 20_000, rel=0.01)  # sum of 2/3^k x 2/3^k / 3
    assert begins[-1] < 20_000 - states.SPACING
    assert stops(2 * states.SPACING - 1) == []
    assert stops(2 * states.SPACING) == [2 * states.SPACING]


def stops(count: int) -> list[int]:
    """The rounds of a table of so many games before which the state is saved."""
    table = Games(players=["a", "b"], a=np.zeros(count), b=np.ones(count), score=np.ones(count))
    return rounds_to_save(table, Rounds(None, None, None), 0, ())
