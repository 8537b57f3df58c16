"""APS on the worked league, on a league with holes and on a real table."""

from __future__ import annotations

from statistics import mean

import pytest

import prowess
from prowess.engine.fit import fit_table
from prowess.engine.system import Unratable
from prowess.systems.aps import APS
from tests.engine.tables import games
from tests.refusals import refused
from tests.systems.rumble_table import TABLE, shares


def test_an_opponent_counts_once():
    """However many battles a pairing has, it is one opponent in the average."""
    rows = [("Ada", "Ben", 1.0)] * 9 + [("Ada", "Cleo", 0.0)]
    ratings = fit_table(games(rows), APS)
    assert ratings["Ada"].aps == pytest.approx(0.5)  # (1 + 0) / 2, not 9 / 10
    assert ratings.column("pairings").tolist() == [2, 1, 1]


def test_who_never_met_is_left_out():
    """Opponents never met count neither way, and the holes are told."""
    ratings = fit_table(games([("Ada", "Ben", 0.75), ("Cleo", "Ada", 0.25)]), APS)
    assert ratings["Ada"].aps == pytest.approx(0.75)
    assert ratings["Ben"].aps == pytest.approx(0.25)
    assert "1 of 3 pairs never met and are left out" in ratings.notes


def test_results_instead_of_shares():
    """scores = result takes who won: 1, 1/2, 0, however narrowly."""
    table = games([("Ada", "Ben", 1.0)], points_a=[51.0], points_b=[49.0])
    assert fit_table(table, APS)["Ada"].aps == pytest.approx(0.51)
    assert fit_table(table, APS, params={"scores": "result"})["Ada"].aps == 1.0


def test_negative_points_are_refused():
    """Points below 0 have no shares, and the error says which battle."""
    with refused(Unratable, "shares_not_taken", about=("Ada", "Ben", "Ada against")):
        fit_table(games([("Ada", "Ben", 1.0)], points_a=[1.0], points_b=[-1.0]), APS)


def test_a_real_table():
    """On 3,968 battles of 32 bots, APS is the average of averages as a plain program finds it."""
    ratings = prowess.rate(TABLE, "aps")
    running = prowess.rate(TABLE, "aps", pairing="running")
    assert len(shares()) == len(ratings.players) == 32
    for bot, against in shares().items():
        assert len(against) == 31
        assert ratings[bot].aps == pytest.approx(mean(map(mean, against.values())), abs=1e-12)
        kept = []
        for scores in against.values():
            pairing = scores[0]
            for score in scores[1:]:
                pairing = 0.7 * pairing + 0.3 * score
            kept.append(pairing)
        assert running[bot].aps == pytest.approx(mean(kept), abs=1e-12)
