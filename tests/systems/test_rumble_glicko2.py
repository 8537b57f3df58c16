"""Glicko-2 over the whole field. Cases: tests/reference."""

from __future__ import annotations

from math import exp, pi, sqrt

import numpy as np
import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.system import Game
from prowess.systems import glicko2
from prowess.systems.rumble_glicko import RUMBLE_GLICKO2
from tests.engine.tables import games
from tests.oracle import absorbed, played
from tests.systems.rumble_table import rows

LEAGUE = [("Ada", "Ben", 0.7), ("Ben", "Cleo", 0.2), ("Ada", "Ben", 0.4), ("Cleo", "Ada", 0.5)]


def test_a_real_table():
    """After 400 battles of the bots, values are those of periods played one by one with dicts."""
    battles = rows()[::10][:400]
    known: dict[str, glicko2.Rating] = {}
    pairing: dict[str, dict[str, list[float]]] = {}
    for a, b, mine, theirs in battles:
        pairing.setdefault(a, {}).setdefault(b, []).append(mine / (mine + theirs))
        pairing.setdefault(b, {}).setdefault(a, []).append(theirs / (mine + theirs))
        after = {}
        for bot in (a, b):
            me = known.get(bot, glicko2.Rating())
            period = [
                (known.get(other, glicko2.Rating()), sum(scores) / len(scores))
                for other, scores in pairing[bot].items()
            ]
            after[bot] = absorbed(glicko2.GLICKO2, me, period)
        known |= after
    table = [{"bot_a": a, "bot_b": b, "score_a": x, "score_b": y} for a, b, x, y in battles]
    ours = prowess.rate(table, "rumble_glicko2")
    assert len(known) == len(ours.players)
    for bot, value in known.items():
        assert ours[bot].rating == pytest.approx(value.rating, abs=1e-6)
        assert ours[bot].deviation == pytest.approx(value.deviation, abs=1e-6)
        assert ours[bot].volatility == pytest.approx(value.volatility, abs=1e-9)


def test_per_battle_is_glicko2():
    """mode = per_battle is one period of Glicko-2 for every battle, with its share as the score."""
    bots = {name: glicko2.Rating() for name in ("Ada", "Ben", "Cleo")}
    for a, b, share in LEAGUE:
        bots[a], bots[b] = played(glicko2.GLICKO2, bots[a], bots[b], Game(score=share))
    ratings = fit_table(games(LEAGUE), RUMBLE_GLICKO2, params={"mode": "per_battle"})
    for name, bot in bots.items():
        mine = [ratings[name].rating, ratings[name].deviation, ratings[name].volatility]
        np.testing.assert_allclose(mine, bot, rtol=1e-12)


def test_the_deviation_has_a_floor():
    """The deviation ends where a step of volatility brings what the pairings take away.

    1 / phi^2 = 1 / (phi^2 + sigma^2) + 1 / v, so 2 phi^2 = sqrt(sigma^4 + 4 sigma^2 v) - sigma^2.
    """
    ratings = fit_table(games(LEAGUE * 800), RUMBLE_GLICKO2)
    ada, others = ratings["Ada"], [ratings["Ben"], ratings["Cleo"]]
    certain = 0.0  # 1 / v
    for other in others:
        g = 1 / sqrt(1 + 3 * (other.deviation / 173.7178) ** 2 / pi**2)
        e = 1 / (1 + exp(-g * (ada.rating - other.rating) / 173.7178))
        certain += g * g * e * (1 - e)
    sigma2 = ada.volatility**2
    floor = sqrt((sqrt(sigma2**2 + 4 * sigma2 / certain) - sigma2) / 2)
    assert ada.deviation / 173.7178 == pytest.approx(floor, rel=0.01)


def test_tau_reaches_the_formula():
    """A larger tau lets the volatility move further."""
    surprising = [("Ada", "Ben", 1.0)] * 30 + [("Ada", "Ben", 0.0)] * 30
    low, high = (
        fit_table(games(surprising), RUMBLE_GLICKO2, params={"tau": tau, "mode": "per_battle"})
        for tau in (0.2, 1.5)
    )
    assert abs(high["Ada"].volatility - 0.06) > 2.0 * abs(low["Ada"].volatility - 0.06)
