"""RoboRumble Elo: the laws its page states, and a real table by hand. Cases: tests/reference."""

from __future__ import annotations

from math import log
from statistics import mean

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.system import Game
from prowess.games.games import Games
from prowess.systems.batch_elo import BATCH_ELO
from prowess.systems.rumble_elo import (
    RUMBLE_ELO,
    EloConstants,
    Evidence,
    Params,
    Rating,
    absorb,
    evidence,
    overshoots_beyond,
    q,
)
from tests.engine.tables import games
from tests.systems.rumble_table import TABLE, rows


def test_a_real_table():
    """After 3,968 battles of 32 bots, ratings are those of a plain program with dicts."""
    rating: dict[str, float] = {}
    pairing: dict[str, dict[str, list[float]]] = {}
    for a, b, mine, theirs in rows():
        pairing.setdefault(a, {}).setdefault(b, []).append(mine / (mine + theirs))
        pairing.setdefault(b, {}).setdefault(a, []).append(theirs / (mine + theirs))
        change = {}
        for bot in (a, b):
            change[bot] = 0.0
            for other, scores in pairing[bot].items():
                gap = rating.get(other, 1600.0) - rating.get(bot, 1600.0)
                change[bot] += 3.0 * (mean(scores) - 1.0 / (1.0 + 20.0 ** (gap / 800.0)))
        for bot in (a, b):
            rating[bot] = rating.get(bot, 1600.0) + change[bot]
    ours = prowess.rate(TABLE, "rumble_elo")
    assert len(rating) == 32
    for bot, value in rating.items():
        assert ours[bot].rating == pytest.approx(value, abs=1e-6)


def test_the_scale():
    """800 points are odds of 20 to 1; scale = 400 and base = 10 are classic Elo's."""
    table = games([("Ada", "Ben", 1.0)] * 3)
    one = fit_table(table, RUMBLE_ELO)
    gap = one["Ada"].rating - one["Ben"].rating
    assert one.chances(0, 1, 0.0).expected == pytest.approx(1.0 / (1.0 + 20.0 ** (-gap / 800.0)))
    classic = fit_table(table, RUMBLE_ELO, params={"scale": 400.0, "base": 10.0})
    gap = classic["Ada"].rating - classic["Ben"].rating
    assert classic.chances(0, 1, 0.0).expected == pytest.approx(1 / (1 + 10 ** (-gap / 400)))


def test_the_sum_is_not_kept():
    """Only the two bots of a battle move, by sums over other opponents: the mean drifts."""
    table = games([("Ada", "Ben", 0.9), ("Ben", "Cleo", 0.9), ("Ada", "Cleo", 0.6)] * 20)
    assert abs(fit_table(table, RUMBLE_ELO).column("rating").mean() - 1600.0) > 0.1


def test_differences_settle_at_batch_elo():
    """Repeated for ever, a league tends to the differences of batch Elo on its pairing scores."""
    table = games([("Ada", "Ben", 0.6), ("Ben", "Cleo", 0.7), ("Cleo", "Ada", 0.45)] * 4000)
    rating = fit_table(table, RUMBLE_ELO).column("rating")
    limit = fit_table(table, BATCH_ELO, params={"tally": "share"}).column("rating")
    np.testing.assert_allclose(rating - rating[0], limit - limit[0], atol=1e-3)


@pytest.mark.parametrize("opponents", [200, 356, 500, 712, 900])
def test_one_step(opponents):
    """Near equality one battle leaves 1 - K n Q / 4 of a bot's error, n being those it has met."""
    step, error = EloConstants(3.0, q(20.0, 800.0)), 0.01
    one = evidence(step, Rating(1600.0 + error), Rating(1600.0), Game(0.5))
    after = absorb(step, Rating(1600.0 + error), Evidence(opponents * one.surplus))
    left = (after.rating - 1600.0) / error
    assert left == pytest.approx(1.0 - 3.0 * opponents * log(20.0) / 3200.0, abs=1e-6)
    assert (left < 0.0) == (opponents > 356)
    assert (left < -1.0) == (opponents > 712)


@pytest.mark.parametrize(("field", "settles"), [(40, True), (120, False)])
def test_a_field_too_large_never_settles(field, settles):
    """Equal bots stay together in a small field and are torn apart in one that is too large.

    K is ten times the server's, so that 71 opponents stand for its 712.
    """
    rng = np.random.default_rng(4)
    a, b = np.triu_indices(field, 1)
    more = rng.integers(0, len(a), 3000)
    table = Games(
        players=tuple(f"bot {k}" for k in range(field)),
        a=np.concatenate((a, a[more])).astype(np.uint32),
        b=np.concatenate((b, b[more])).astype(np.uint32),
        score=np.full(len(a) + len(more), 0.5),
    )
    table.score[0] = 0.51  # one battle of thousands was not quite even
    spread = np.ptp(fit_table(table, RUMBLE_ELO, params={"k": 30.0}).column("rating"))
    assert spread < 1.0 if settles else spread > 100.0


def test_large_fields_are_warned_of():
    """Beyond 356 opponents a step overshoots, beyond 712 nothing settles: the notes say so."""
    assert overshoots_beyond(Params()) == pytest.approx(4 / (3 * log(20) / 800))
    assert overshoots_beyond(Params(k=0.0)) == overshoots_beyond(Params(k=5e-324)) == float("inf")

    def said(opponents: int, **params: float | str) -> str:
        rows = [("Ada", f"bot {k}", 0.5) for k in range(opponents)]
        return " ".join(fit_table(games(rows), RUMBLE_ELO, params=params).notes)

    assert "too large" not in said(356)
    assert "beyond 356 a step overshoots" in said(357)
    assert "beyond 712 ratings of equal bots never settle" in said(713)
    assert "take k=1.5" in said(713)
    assert "too large" not in said(713, k=1.4)
    assert "too large" not in said(713, mode="per_battle")
