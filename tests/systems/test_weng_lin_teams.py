"""Weng-Lin's models for sides of several members, and what tells them apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.engine.numeric import truncated_by_score
from prowess.engine.system import Game
from prowess.systems.weng_lin import (
    WENG_LIN,
    WENG_LIN_PARTIAL,
    WENG_LIN_PL,
    WENG_LIN_TM,
    WENG_LIN_TM_PARTIAL,
    MarginParams,
    Params,
    Rating,
    Side,
    margin,
)
from tests.systems.team_fold import played, side_of

# openskill.py, tests/models/data at 65a675d2 (MIT): everybody starts at mu and sigma; beta 25/6,
# kappa 1e-4, tau 25/300, epsilon 0.1.
VECTORS = json.loads((Path(__file__).parent / "openskill_vectors.json").read_text("utf-8"))
MODELS = {
    "BradleyTerryFull": WENG_LIN,
    "BradleyTerryPart": WENG_LIN_PARTIAL,
    "ThurstoneMostellerFull": WENG_LIN_TM,
    "ThurstoneMostellerPart": WENG_LIN_TM_PARTIAL,
    "PlackettLuce": WENG_LIN_PL,
}
TAU = 25 / 300
ratings = st.builds(Rating, st.floats(-50, 100), st.floats(0.1, 30))


@pytest.mark.parametrize("scenario", ["normal", "ranks", "scores", "limit_sigma", "ties"])
@pytest.mark.parametrize("model", MODELS)
def test_vectors_of_another_program(model, scenario):
    """Sides of one to three members, up to four of them, move as in openskill's own vectors."""
    system, given_ = MODELS[model], VECTORS[model]
    case = given_["scenarios"][scenario]
    me = Rating(given_["mu"], given_["sigma"])
    sides = [[(me, 1.0)] * size for size in case["team_sizes"]]
    places = case.get("ranks") or [-score for score in case.get("scores", [])] or range(len(sides))
    limited = float(case.get("limit_sigma", False))
    after = played(system, system.params._replace(tau=TAU, limit_sigma=limited), sides, places)
    expected = case["expected_mu_sigma"]
    for members, theirs in zip(after, expected, strict=True):
        assert [list(one) for one in members] == [approx(one, abs=1e-9) for one in theirs]


@given(a=ratings, b=ratings, score=st.sampled_from((0.0, 0.5, 1.0)))
def test_two_models_are_one_for_two_players(a, b, score):
    """For two players Plackett-Luce is Bradley-Terry."""
    sides, places = [[(a, 1.0)], [(b, 1.0)]], [1.0 + (score < 0.5), 1.0 + (score > 0.5)]
    p = Params()
    by_pair = played(WENG_LIN, p, sides, places)
    held = [side_of(WENG_LIN_PL, p, members) for members in sides]
    columns = type(held[0])(*map(list, zip(*held, strict=True)))
    out = type(WENG_LIN_PL.evidence_zero)([0.0, 0.0], [0.0, 0.0])
    WENG_LIN_PL.contest(p, columns, places, out)
    for (me,), (one,), omega, delta in zip(sides, by_pair, *out, strict=True):
        alone = WENG_LIN_PL.absorb(p, me[0], type(out)(omega, delta))
        assert tuple(alone) == approx(tuple(one), rel=1e-12, abs=1e-12)


def test_ties_of_three_models():
    """Of five equals placed 1, 1, 2, 3, 4 only Plackett-Luce lifts the third above the winners."""
    field, places = [[(Rating(), 1.0)]] * 5, [1, 1, 2, 3, 4]
    third_leads = {}
    for name, system in MODELS.items():
        means = [me.rating for (me,) in played(system, system.params, field, places)]
        assert means[0] == means[1]
        third_leads[name] = means[2] > means[0]
    assert third_leads == {
        "BradleyTerryFull": False,
        "BradleyTerryPart": False,
        "ThurstoneMostellerFull": False,
        "ThurstoneMostellerPart": False,
        "PlackettLuce": True,
    }


def test_far_fields_stay_finite():
    """Ratings thousands of deviations apart give numbers, whoever wins."""
    field = [[(Rating(1e4 * k, 1.0), 1.0)] for k in range(5)]
    for system in MODELS.values():
        for (me,) in played(system, system.params, field, [1, 2, 3, 4, 5]):
            assert abs(me.rating) < 1e9
            assert 0 < me.deviation <= 1.0


@given(a=ratings, b=ratings, epsilon=st.floats(0, 20))
def test_chances_of_the_model_with_draws(a, b, epsilon):
    """Win, draw and loss are a distribution, and a draw is what lies within epsilon."""
    p = MarginParams(epsilon=epsilon)
    mine, theirs = (side_of(WENG_LIN_TM, p, [(me, 1.0)]) for me in (a, b))
    win, draw = margin.chances(p, mine, theirs, Game())
    loss, again = margin.chances(p, theirs, mine, Game())
    assert draw is not None
    assert win + draw + loss == approx(1.0, abs=1e-12)
    assert draw == approx(again, abs=1e-12)
    assert draw == 0.0 or epsilon > 0.0


PLACES = st.lists(st.integers(1, 6), min_size=2, max_size=9)


@given(places=PLACES, window=st.sampled_from((1.0, 2.0, 4.0)), combine=st.sampled_from((0.0, 1.0)))
@pytest.mark.parametrize("wide", [False, True])
def test_pairs_of_neighbours(places, window, combine, wide):
    """Only sides within the window are compared, their evidence is added or its mean is taken."""
    full, near = (WENG_LIN_TM, WENG_LIN_TM_PARTIAL) if wide else (WENG_LIN, WENG_LIN_PARTIAL)
    p = near.params._replace(window=window, combine=combine)
    ratings = [Rating(20.0 + 3.0 * k, 9.0 - 0.5 * k) for k in range(len(places))]
    found = played(near, p, [[(me, 1.0)] for me in ratings], places)
    for i, me in enumerate(ratings):
        omega = delta = count = 0.0
        for q, other in enumerate(ratings):
            ranks = sorted(places)
            at = [ranks.index(places[k]) + (ranks.count(places[k]) - 1) / 2 for k in (i, q)]
            if i == q or abs(at[0] - at[1]) > window:
                continue
            ours, theirs = (Side(one.rating, one.deviation**2) for one in (me, other))
            game = Game((places[i] < places[q]) + 0.5 * (places[i] == places[q]))
            if wide:
                c = 2 * (ours.variance + theirs.variance + 2 * p.beta**2) ** 0.5
                seen = truncated_by_score(
                    (ours.rating - theirs.rating) / c, p.epsilon / c, game.score
                )
                omega += ours.variance / c * seen.shift
                delta += ours.variance**1.5 / c**3 * seen.lost
            else:
                one = full.evidence(full.params, ours, theirs, game)
                omega, delta = omega + one.omega, delta + one.delta
            count += 1
        if combine == 0.0 and count:
            omega, delta = omega / count, delta / count
        factor = max(1 - delta, p.kappa) ** 0.5
        assert tuple(found[i][0]) == approx((me.rating + omega, me.deviation * factor), abs=1e-9)
