"""Glicko over the whole field, on a real table by hand. Cases: tests/reference."""

from __future__ import annotations

from math import log, pi, sqrt
from statistics import mean

import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.system import Game
from prowess.systems import glicko
from prowess.systems.rumble_glicko import RUMBLE_GLICKO
from tests.engine.tables import games
from tests.oracle import played
from tests.systems.rumble_table import TABLE, rows

Q = log(10) / 400


def test_a_real_table():
    """After 3,968 battles of 32 bots, values are those of a plain program with dicts."""
    known: dict[str, tuple[float, float]] = {}
    pairing: dict[str, dict[str, list[float]]] = {}
    for a, b, mine, theirs in rows():
        pairing.setdefault(a, {}).setdefault(b, []).append(mine / (mine + theirs))
        pairing.setdefault(b, {}).setdefault(a, []).append(theirs / (mine + theirs))
        after = {}
        for bot in (a, b):
            r, rd = known.get(bot, (1500.0, 350.0))
            certain = surplus = 0.0  # 1 / d^2, sum of g (s - E)
            for other, scores in pairing[bot].items():
                r_j, rd_j = known.get(other, (1500.0, 350.0))
                g = 1 / sqrt(1 + 3 * Q**2 * rd_j**2 / pi**2)
                e = 1 / (1 + 10 ** (-g * (r - r_j) / 400))
                certain += Q**2 * g**2 * e * (1 - e)
                surplus += g * (mean(scores) - e)
            new = 1 / (1 / rd**2 + certain)
            after[bot] = (r + Q * new * surplus, sqrt(new))
        known |= after
    ours = prowess.rate(TABLE, "rumble_glicko")
    assert len(known) == 32
    for bot, (r, rd) in known.items():
        assert ours[bot].rating == pytest.approx(r, abs=1e-6)
        assert ours[bot].deviation == pytest.approx(rd, abs=1e-8)


def test_per_battle_is_glicko():
    """mode = per_battle is one period of Glicko for every battle, with its share as the score."""
    rows = [("Ada", "Ben", 0.7), ("Ben", "Cleo", 0.2), ("Ada", "Ben", 0.4), ("Cleo", "Ada", 0.5)]
    bots = {name: glicko.Rating() for name in ("Ada", "Ben", "Cleo")}
    for a, b, share in rows:
        bots[a], bots[b] = played(glicko.GLICKO, bots[a], bots[b], Game(score=share))
    ratings = fit_table(games(rows), RUMBLE_GLICKO, params={"mode": "per_battle"})
    for name, bot in bots.items():
        assert ratings[name].rating == pytest.approx(bot.rating, abs=1e-9)
        assert ratings[name].deviation == pytest.approx(bot.deviation, abs=1e-9)
    assert not any("deviation" in note for note in ratings.notes)


def test_the_deviation_is_a_step():
    """Four times the battles halve the deviation: it is a step size, and the notes say so."""
    league = [("Ada", "Ben", 0.6), ("Ben", "Cleo", 0.6), ("Cleo", "Ada", 0.45)]
    few, many = (fit_table(games(league * times), RUMBLE_GLICKO) for times in (250, 1000))
    assert many["Ada"].deviation == pytest.approx(few["Ada"].deviation / 2, rel=0.01)
    assert any("size of a step" in note for note in many.notes)
    assert many.fit.uncertainty is None


def test_the_forecast_is_glickos():
    """A forecast allows for both deviations: g(sqrt(RD^2 + RD_j^2))."""
    ratings = fit_table(games([("Ada", "Ben", 0.8)] * 3), RUMBLE_GLICKO)
    ada, ben = ratings["Ada"], ratings["Ben"]
    both = Q**2 * (ada.deviation**2 + ben.deviation**2)
    g = 1 / sqrt(1 + 3 * both / pi**2)
    e = 1 / (1 + 10 ** (-g * (ada.rating - ben.rating) / 400))
    assert ratings.chances(0, 1, 0.0).expected == pytest.approx(e)
