"""The fold over battles against the slow, obvious one: dicts, and a loop over everyone met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.compile import kernel
from prowess.engine.battles import Revision, play_battles
from prowess.engine.pairings import shares
from prowess.engine.system import Game
from prowess.games.games import Games
from prowess.systems import glicko, glicko2, rumble_elo, rumble_glicko
from tests.engine.tables import some_games

REVISIONS: dict[str, tuple[Revision, Any]] = {
    "elo": (
        rumble_elo.make_revision(1600.0),
        rumble_elo.EloConstants(3.0, rumble_elo.q(20.0, 800.0)),
    ),
    "glicko": (
        rumble_glicko.make_revision(glicko.GLICKO, glicko.Params()),
        glicko.Params(),
    ),
    "glicko2": (
        rumble_glicko.make_revision(glicko2.GLICKO2, glicko2.Params()),
        glicko2.Params(),
    ),
}


def battle_by_battle(
    revision: Revision, p: Any, table: Games, *, running: bool, whole_field: bool
) -> dict[int, Any]:
    """Ratings by player after all battles, by dicts."""
    rating: dict[int, Any] = {}
    pairing: dict[int, dict[int, float]] = {}
    battles: dict[frozenset[int], int] = {}
    for a, b, share in zip(table.a.tolist(), table.b.tolist(), shares(table), strict=True):
        pair = frozenset((a, b))
        count = battles[pair] = battles.get(pair, 0) + 1
        for one, other, part in ((a, b, float(share)), (b, a, 1.0 - float(share))):
            own = pairing.setdefault(one, {})
            if count == 1:
                own[other] = part
            elif running:
                own[other] = 0.7 * own[other] + 0.3 * part
            else:
                own[other] = (own[other] * (count - 1) + part) / count
        after = {}
        for one, other, part in ((a, b, float(share)), (b, a, 1.0 - float(share))):
            against = pairing[one] if whole_field else {other: part}
            me = rating.get(one, revision.rating)
            total = revision.evidence_zero
            for opponent, score in against.items():
                said = revision.evidence(p, me, rating.get(opponent, revision.rating), Game(score))
                total = type(total)(*(x + y for x, y in zip(total, said, strict=True)))
            after[one] = revision.absorb(p, me, total)
        rating |= after
    return rating


@pytest.mark.parametrize("kind", REVISIONS)
@given(table=some_games(size=24), running=st.booleans(), whole_field=st.booleans())
def test_the_slow_way(kind, table, running, whole_field):
    """Both bots of a battle are revised against all they have met, from the ratings before it."""
    revision, p = REVISIONS[kind]
    slow = battle_by_battle(revision, p, table, running=running, whole_field=whole_field)
    field = play_battles(
        revision, p, table, shares(table), running=running, whole_field=whole_field
    )
    for player in range(len(table.players)):
        if player in slow:
            np.testing.assert_allclose(field.rating[player], slow[player], rtol=1e-10)
        else:
            assert np.isnan(field.rating[player]).all()
            assert field.opponents[player] == 0


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
@pytest.mark.parametrize(
    ("kind", "running", "whole_field"),
    [("elo", True, True), ("elo", False, False), ("glicko", False, True), ("glicko2", True, True)],
)
def test_compiled_is_plain(kind, running, whole_field):
    """The compiled loop gives the bits of the plain one."""
    rng = np.random.default_rng(20)
    a = rng.integers(0, 12, 400)
    table = Games(
        players=tuple(f"bot {k}" for k in range(13)),
        a=a.astype(np.uint32),
        b=((a + rng.integers(1, 12, 400)) % 12).astype(np.uint32),
        score=rng.random(400),
    )
    revision, p = REVISIONS[kind]
    plain, compiled = (
        play_battles(
            revision, p, table, table.score,
            running=running, whole_field=whole_field, compiled=compiled,
        )
        for compiled in (False, True)
    )  # fmt: skip
    assert plain.rating[:12].tobytes() == compiled.rating[:12].tobytes()
    assert np.isfinite(plain.rating[:12]).all()
