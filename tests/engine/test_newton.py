"""Solvers: dense, by conjugate gradients, compiled, plain, and Zermelo's iteration say the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from math import exp, log
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from pytest import approx

from prowess.engine.fits import fit_rows, newton, posterior, strengths
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.fits.likelihood import DAVIDSON, HALF, RAO_KUPPER, OutcomeModel, terms
from prowess.engine.fits.posterior import EXTREME_VALUE, FLAT, NORMAL, Prior, prior_terms
from prowess.engine.fits.strengths import Solved, solve
from prowess.engine.win_probability import CURVES, LOGISTIC, steepness
from prowess.games.games import Games
from tests.engine.leagues import Q, league, zermelo
from tests.engine.tables import games, some_games
from tests.refusals import refused

LOGISTIC_HALF = OutcomeModel(LOGISTIC, HALF, Q)
PRIORS = {
    "flat": Prior(kind=FLAT),
    "normal": Prior(kind=NORMAL, mean=1500.0, sd=300.0),
    "extreme_value": Prior(kind=EXTREME_VALUE, birth=1000.0, c8=0.02, q=Q),
}


@contextmanager
def solver(*, dense: bool = True, compiled: bool | None = None) -> Iterator[None]:
    """Only this solver, and only compiled (or plain) loops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newton, "DENSE", 10**9 if dense else 0)
        if compiled is not None:
            for module in (fit_rows, posterior):
                patch.setattr(module, "is_worth_compiling", lambda rows: compiled)
        yield


def solved(
    table: Games, model: OutcomeModel = LOGISTIC_HALF, prior: str = "flat", advantage: bool = False
) -> Solved:
    """The maximum, with a mean of 0."""
    return solve(table, {}, model, PRIORS[prior], mean=0.0, advantage=advantage)


def unknowns(table: Games, *rest: object, **how: bool) -> np.ndarray:
    """All unknowns at the maximum, by one way of solving."""
    with solver(**how):
        return solved(table, *rest).best.unknown


@pytest.mark.parametrize("seed", range(3))
def test_zermelo_says_the_same(seed):
    """Newton's and Zermelo's ratings agree to a millionth of a point."""
    table = league(12, 150, seed)
    expected = zermelo(table)
    for dense in (True, False):
        with solver(dense=dense):
            assert solved(table).ratings == approx(expected, abs=1e-6)


@given(some_games(weighted=True))
def test_zermelo_says_the_same_of_small_tables(table):
    """Random small tables: equal ratings where they are finite, else a refusal in words."""
    try:
        found = solved(table)
    except Unidentifiable:
        return
    seen = np.unique(np.concatenate((table.a, table.b)))
    assume(len(seen) > 1)
    names = tuple(table.players[k] for k in seen)
    number = np.zeros(len(table.players), dtype=np.uint32)
    number[seen] = np.arange(len(seen))
    alone = Games(names, number[table.a], number[table.b], table.score, weight=table.weight)
    assert found.ratings[seen] == approx(zermelo(alone), abs=1e-6)
    assert np.isnan(np.delete(found.ratings, seen)).all()


@pytest.mark.parametrize(
    ("model", "prior", "advantage"),
    [
        (OutcomeModel(curve, draws, steepness(curve, 400.0)), prior, advantage)
        for (curve, draws), prior, advantage in product(
            [(c, d) for c in (0, 1, 2, 3) for d in (HALF, RAO_KUPPER)] + [(LOGISTIC, DAVIDSON)],
            PRIORS,
            (False, True),
        )
        if not (prior == "flat" and CURVES[curve] == "timesharing")
    ],
)
def test_every_way_says_the_same(model, prior, advantage):
    """Dense elimination = conjugate gradients, compiled = plain, to a millionth of a point."""
    table = league(9, 120, 4, drawn=0.25, home=60.0)
    rest = (model, prior, advantage)
    one = unknowns(table, *rest, dense=True, compiled=False)
    for dense, compiled in ((True, True), (False, False), (False, True)):
        assert unknowns(table, *rest, dense=dense, compiled=compiled) == approx(one, abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS)
def test_compiled_and_plain_give_the_same_bits(prior):
    """Value, gradient and rows are equal to the last bit, compiled or not."""
    table = league(9, 120, 4, drawn=0.25)
    best = solved(table, OutcomeModel(LOGISTIC, RAO_KUPPER, Q), prior, True).best
    said = []
    for compiled in (True, False):
        with solver(compiled=compiled):
            whole = best.posterior
            said.append((whole.at(best.unknown), whole.value(best.unknown)))
    (one, value), (other, same) = said
    assert value == same
    for name in ("gradient", "diagonal", "of_prior", "curvature.by_row", "curvature.with_draw"):
        np.testing.assert_array_equal(attrgetter(name)(one), attrgetter(name)(other))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("draws", [HALF, DAVIDSON, RAO_KUPPER])
def test_gradient_and_information(draws, prior):
    """The gradient and the information matrix equal finite differences of the value."""
    table = league(5, 40, 2, drawn=0.3)
    rest = (OutcomeModel(LOGISTIC, draws, Q), prior, True)
    best = solved(table, *rest).best
    whole, h = best.posterior, 1e-2
    here = best.unknown + np.where(whole.free, np.linspace(3.0, 20.0, 7), 0.0)
    slopes = whole.at(here)
    steps = [h * one for one in np.eye(7)[whole.free]]
    up, down = ([whole.at(here + sign * step) for step in steps] for sign in (1, -1))
    rise = [(whole.value(here + step) - whole.value(here - step)) / (2 * h) for step in steps]
    assert slopes.gradient[whole.free] == approx(rise, rel=1e-5, abs=1e-8)
    bend = [(b.gradient - a.gradient) / (2 * h) for a, b in zip(up, down, strict=True)]
    assert slopes.matrix()[whole.free] == approx(np.array(bend), rel=1e-5, abs=1e-9)
    vector = np.where(whole.free, np.arange(7.0), 0.0)
    for compiled in (True, False):
        with solver(compiled=compiled):
            product_there = slopes.times(vector)
        assert product_there[whole.free] == approx((slopes.matrix() @ vector)[whole.free])


@pytest.mark.parametrize("prior", ["normal", "extreme_value"])
def test_two_players_on_a_grid(prior):
    """No point of a fine grid has a higher density than the maximum of two players."""
    table = games([("Ada", "Ben", 1.0), ("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)])
    best = solved(table, LOGISTIC_HALF, prior).best

    def density(ada: float, ben: float) -> float:
        belief = PRIORS[prior]
        said = terms(LOGISTIC_HALF, ada - ben, 0.0, 2.0, 0.0, 1.0).value
        return said + prior_terms(belief, ada)[0] + prior_terms(belief, ben)[0]

    top = density(*best.unknown[:2])
    assert top == approx(best.posterior.value(best.unknown), abs=1e-9)
    grid = np.arange(1000.0, 2200.0, 10.0)
    assert max(density(ada, ben) for ada in grid for ben in grid) <= top


def test_two_players_by_hand():
    """Three wins in four games are odds of three to one: 400 log10(3) points."""
    table = games([("Ada", "Ben", 1.0)] * 3 + [("Ben", "Ada", 1.0)])
    ada, ben = solved(table).ratings
    assert ada - ben == approx(400 * np.log10(3), abs=1e-9)


def test_a_rating_pressed_against_the_lowest_one():
    """Who never wins stands at the birth rating, where the density still falls away from it.

    W. D. Smith's example of EQ 60 with c8 = 0.5 and Q = 1, section 6.6 of the specification.
    """
    rows = [("Ada", "Ben", 1.0)] * 2 + [("Ben", "Ada", 1.0)]
    rows += [("Ada", "Cleo", 1.0)] + [("Ben", "Cleo", 1.0)] * 2
    prior = Prior(kind=EXTREME_VALUE, birth=0.0, c8=0.5, q=1.0)
    model = OutcomeModel(LOGISTIC, HALF, 1.0)
    found = solve(games(rows), {}, model, prior, mean=0.0, advantage=False)
    assert found.ratings == approx([1.143671, 0.912632, 0.0], abs=1e-6)
    best = found.best
    assert best.moving.tolist() == [True, True, False, False, False]
    assert best.slopes.gradient[2] < 0.0
    assert best.slopes.gradient[:2] == approx(0.0, abs=1e-12)
    assert found.notes[-1].endswith("1 of 3 players")


def test_advantage_by_hand():
    """Two equals, six of eight games won by the side: the advantage is 400 log10(3)."""
    rows = [("Ada", "Ben", 1.0)] * 3 + [("Ada", "Ben", 0.0)]
    rows += [("Ben", "Ada", 1.0)] * 3 + [("Ben", "Ada", 0.0)]
    best = solved(games(rows, side=[1.0] * 8), LOGISTIC_HALF, "flat", True).best
    assert best.unknown[:3] == approx([0.0, 0.0, 400 * np.log10(3)], abs=1e-9)


def test_draw_parameters_by_hand():
    """Equals who draw a third of their games: nu = 1, and e^(qt) = 2 in Rao and Kupper's form."""
    rows = [("Ada", "Ben", 1.0), ("Ada", "Ben", 0.5), ("Ada", "Ben", 0.0)]
    nu = solved(games(rows), OutcomeModel(LOGISTIC, DAVIDSON, Q)).best.unknown[3]
    assert exp(Q * nu) == approx(1.0)
    t = solved(games(rows), OutcomeModel(LOGISTIC, RAO_KUPPER, Q)).best.unknown[3]
    assert t == approx(log(2.0) / Q)


@pytest.mark.parametrize("draws", [DAVIDSON, RAO_KUPPER])
@pytest.mark.parametrize("dense", [True, False])
def test_a_draw_parameter_without_end_is_told(draws, dense):
    """One win and one draw, never a loss: the rating and the draws grow together, without end."""
    table = games([("Ada", "Ben", 1.0), ("Ada", "Ben", 0.5)])
    with (
        solver(dense=dense),
        refused(Unidentifiable, "likelihood_unbounded", about="draw", remedy=False),
    ):
        solved(table, OutcomeModel(LOGISTIC, draws, Q))


@pytest.mark.parametrize("prior", ["flat", "normal"])
def test_an_advantage_without_end_is_told(prior):
    """Every game was won by the side that had the advantage."""
    table = games([("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)], side=[1.0, 1.0])
    with refused(Unidentifiable, "likelihood_unbounded", about="advantage", remedy=False):
        solved(table, LOGISTIC_HALF, prior, True)


@given(data=st.data())
def test_whatever_the_table_numbers_are_finite(data):
    """Random tables, priors and models give a maximum with a gradient of 0, or words."""
    table = data.draw(some_games(weighted=True))
    draws = data.draw(st.sampled_from((HALF, DAVIDSON, RAO_KUPPER)))
    curve = data.draw(st.sampled_from(range(len(CURVES)))) if draws != DAVIDSON else LOGISTIC
    prior = data.draw(st.sampled_from(("normal", "extreme_value")))
    model = OutcomeModel(curve, draws, steepness(curve, 400.0))
    try:
        best = solved(table, model, prior, data.draw(st.booleans())).best
    except Unidentifiable:
        return
    assert np.isfinite(best.unknown).all()
    assert best.slopes.gradient[best.moving] == approx(0.0, abs=1e-8)


def test_only_players_with_a_game_count():
    """A player without a game is no part of the mean and has no rating."""
    table = games([("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)], ["Dan", "Ada", "Ben"])
    found = strengths.solve(table, {}, LOGISTIC_HALF, PRIORS["flat"], mean=1500.0, advantage=False)
    assert np.isnan(found.ratings[0])
    assert found.ratings[1:] == approx(1500.0)
