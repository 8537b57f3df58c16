"""Claims of the sources that no other test tries; docs/claims.md lists all of them."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.system import Game
from prowess.games import read_games
from prowess.systems import elo
from prowess.systems.apterous import APTEROUS
from tests.cli.command import ROOT

Q = log(10.0) / 400.0


def expected_gap(k: float, games: int, true: float, start: float) -> float:
    """The gap of two Elo ratings when every game brings its expected score."""
    p = elo.Params(k=k)
    a, b = elo.Side(start, 1.0), elo.Side(0.0, 1.0)
    score = elo.expected_score(p, elo.Side(true, 1.0), elo.Side(0.0, 1.0), Game())
    for _ in range(games):
        gain = elo.evidence(p, a, b, Game(score=score)).change
        a, b = elo.Side(a.rating + gain, 1.0), elo.Side(b.rating - gain, 1.0)
    return a.rating - b.rating


@pytest.mark.parametrize("start", [-800.0, 0.0, 150.0, 1000.0])
@pytest.mark.parametrize("k", [1.0, 32.0, 200.0])
def test_elo_corrects_itself(k, start):
    """Claim 2: from wherever they start, expected results lead two ratings to the true gap."""
    assert expected_gap(k, 8000, 200.0, start) == approx(200.0, abs=1e-3)


def test_elo_corrects_itself_up_to_a_bound():
    """Claim 2: near equality below K = 4 / Q = 694.9 errors shrink, above they grow."""
    error = 1e-3  # small, for the bound is that of the slope at the true gap
    below, above = (expected_gap(k, 40, 0.0, error) for k in (690.0, 700.0))
    assert abs(below) < error < abs(above)
    assert approx(4.0 / Q, abs=0.05) == 694.9


def states() -> st.SearchStrategy:
    """Full players of Apterous."""
    fresh = APTEROUS.rating
    return st.floats(500, 2500).map(
        lambda rating: fresh._replace(rating=rating, games=50.0, wins=25.0, losses=25.0)
    )


@given(me=states(), opponent=states(), margin=st.floats(0, 200))
def test_apterous_winners_gain(me, opponent, margin):
    """Claim 3: among full players the winner's change is positive, the loser's the opposite."""
    won = Game(score=1.0, margin=margin, length=15.0)
    lost = Game(score=0.0, margin=-margin, length=15.0)
    p = APTEROUS.params
    up = APTEROUS.absorb(p, me, APTEROUS.evidence(p, me, opponent, won)).rating - me.rating
    down = APTEROUS.absorb(p, opponent, APTEROUS.evidence(p, opponent, me, lost)).rating
    assert up >= 0.0
    assert down - opponent.rating == approx(-up, abs=1e-9)


def test_borda_and_pl_depend():
    """Claim 10: on the five bots of the specification PL and Borda have other winners (C and A)."""
    from prowess import rate

    pairs = {
        "AB": 0.61, "AC": 0.62, "AD": 0.31, "AE": 0.29, "BC": 0.44, "BD": 0.48, "BE": 0.76,
        "CD": 0.51, "CE": 0.63, "DE": 0.21,
    }  # fmt: skip
    table = read_games(
        {"player_a": [p[0] for p in pairs], "player_b": [p[1] for p in pairs],
         "score_a": list(pairs.values()), "score_b": [1.0 - s for s in pairs.values()]}
    )  # fmt: skip
    assert rate(table, "pl")["C"].rank == 1
    assert rate(table, "borda")["A"].rank == 1


def test_the_table_of_claims_is_whole():
    """docs/claims.md has all 23 claims in order, and every test it names exists."""
    import re

    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| *\d", line)]
    assert [int(re.findall(r"\d+", row)[0]) for row in rows] == list(range(1, 24))
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row)
        assert named, row
        for file, function in named:
            code = (ROOT / file).read_text(encoding="utf-8")
            assert not function or f"def {function}(" in code, (file, function)
