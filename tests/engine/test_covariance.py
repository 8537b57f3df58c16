"""How sure the ratings are: exact, by groups, by columns."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.engine.fits.covariance import (
    DENSE_PLAYERS,
    covariance,
    grouped_uncertainty,
    uncertainty,
)
from prowess.engine.fits.likelihood import DAVIDSON, HALF, OutcomeModel
from prowess.engine.fits.posterior import FLAT, NORMAL, Prior
from prowess.engine.fits.strengths import Solved, solve
from prowess.engine.whole_table import GroupedNormal, Normal
from prowess.engine.win_probability import LOGISTIC
from prowess.games.games import Games
from tests.engine.leagues import Q, league
from tests.engine.tables import games

FREE, WIDE = Prior(kind=FLAT), Prior(kind=NORMAL, mean=1500.0, sd=300.0)


def solved(table: Games, prior: Prior = FREE, draws: int = HALF, **more: bool) -> Solved:
    """The maximum, by dense elimination."""
    model = OutcomeModel(LOGISTIC, draws, Q)
    return solve(table, {}, model, prior, mean=1500.0, advantage=more.get("advantage", False))


def test_two_players_by_hand():
    """n games between equals: the difference has the information n q^2 / 4."""
    table = games([("Ada", "Ben", 1.0), ("Ada", "Ben", 0.0)] * 8)
    found = solved(table)
    sure, _ = uncertainty(found.best, found.place, found.roster)
    expected = sqrt(4.0 / 16.0) / Q
    assert sure.deviations(reference=0) == approx([0.0, expected])
    assert sure.deviations() == approx([expected / 2] * 2)  # each from the mean of both


def test_draw_parameter_by_hand():
    """Among equals the logarithm of nu has the information n P(draw) (1 - P(draw))."""
    table = games([("Ada", "Ben", s) for s in (1.0, 0.5, 0.0)] * 9)
    found = solved(table, FREE, DAVIDSON)
    _, extra = uncertainty(found.best, found.place, found.roster)
    assert sqrt(extra[1]) * Q == approx(1 / sqrt(27 * (1 / 3) * (2 / 3)))


def test_covariance_is_the_inverse():
    """H C = the identity, without the sum of all ratings where nothing fixes it."""
    for prior in (FREE, WIDE):
        found = solved(league(8, 90, drawn=0.2), prior, DAVIDSON, advantage=True)
        best = found.best
        identity = np.eye(10)
        if prior.kind == FLAT:
            identity[:8, :8] -= 1 / 8
        assert best.slopes.matrix() @ covariance(best) == approx(identity, abs=1e-9)


def test_columns_are_exact():
    """Columns by conjugate gradients equal those of the inverse, and so does superiority."""
    for prior in (FREE, WIDE):
        found = solved(league(40, 900), prior)
        sure, _ = grouped_uncertainty(found.best, found.place, found.roster)
        assert isinstance(sure, GroupedNormal)
        whole = covariance(found.best)[:40, :40]
        chosen = np.array([3, 11, 39])
        assert sure.columns(chosen) == approx(whole[:, chosen], abs=1e-6)
        exact = Normal(whole)
        assert sure.deviations(5) == approx(exact.deviations(5), rel=0.25)
        better = sure.superiority(found.ratings, chosen)
        assert better == approx(exact.superiority(found.ratings, chosen), abs=1e-9)


@pytest.mark.parametrize("prior", [FREE, WIDE])
@pytest.mark.parametrize("matched", [False, True])
def test_by_groups_is_nearly_exact(prior, matched):
    """Local and group variances together are right to a few percent, whoever meets whom."""
    players, count = 400, 12_000
    table = league(players, count, 3)
    if matched:  # neighbours in strength only
        random = np.random.default_rng(5)
        place = np.argsort(solved(table, WIDE).ratings)
        first = random.integers(0, players - 20, count)
        second = first + random.integers(1, 20, count)
        a, b = table.a.copy(), table.b.copy()
        a[:count], b[:count] = place[first], place[second]
        table = Games(table.players, a, b, table.score)
    found = solved(table, prior)
    sure, _ = grouped_uncertainty(found.best, found.place, found.roster)
    exact = np.sqrt(np.diagonal(covariance(found.best))[:players])
    ratio = sure.deviations() / exact
    assert float(np.median(ratio)) == approx(1.0, abs=0.1 if matched else 0.02)
    assert ratio.min() > 0.8
    better = sure.superiority(found.ratings, np.arange(players))
    assert better + better.T == approx(1.0)


def test_who_has_no_game_has_no_deviation():
    """A player without a game has nan in either form."""
    table = games([("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)], ["Dan", "Ada", "Ben"])
    found = solved(table)
    forms: list[Callable[..., Any]] = [uncertainty, grouped_uncertainty]
    for form in forms:
        sure, _ = form(found.best, found.place, found.roster)
        assert np.isnan(sure.deviations()).tolist() == [True, False, False]


def test_a_roster_too_long_for_a_matrix():
    """Two thousand players are the last with all covariances; the form changes beyond."""
    found = solved(league(30, 200))
    many = np.arange(30) * (DENSE_PLAYERS // 2)
    sure, _ = uncertainty(found.best, many, 15 * DENSE_PLAYERS)
    assert not isinstance(sure, Normal)
    assert sure.deviations()[many] == approx(
        Normal(covariance(found.best)[:30, :30]).deviations(), rel=0.15
    )


def test_draws_as_halves_in_a_roster_too_long_for_a_matrix():
    """Columns of the sandwich by conjugate gradients are those of its matrix."""
    found = solved(league(30, 600, drawn=0.5))
    whole = covariance(found.best)[:30, :30]
    sure, _ = grouped_uncertainty(found.best, found.place, found.roster)
    differences = np.diagonal(whole) + whole[3, 3] - 2 * whole[3]
    assert sure.deviations(3)[4:] == approx(np.sqrt(differences)[4:], rel=0.15)
