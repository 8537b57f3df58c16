"""Who takes part: strengths drawn from what is known of ratings, chances, measured draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

import prowess
from prowess.compile import kernel, worth
from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Chances, Dynamic, Unratable
from prowess.engine.whole_table import Normal
from prowess.study.forecasting.contenders import (
    contenders,
    davidson_draws,
    game_model_of,
    measure_draws,
    nu_of,
    share_of,
)
from prowess.systems.catalogue import catalogue
from tests.engine.tables import games
from tests.refusals import refused

NAMES = ("Ada", "Ben", "Cleo", "Dan")
ROWS = [
    ("Ada", "Ben", 1.0), ("Ben", "Cleo", 0.5), ("Cleo", "Dan", 1.0), ("Dan", "Ada", 1.0),
    ("Ben", "Ada", 0.5), ("Cleo", "Ada", 0.0), ("Dan", "Ben", 0.0), ("Dan", "Cleo", 0.5),
]  # fmt: skip
TABLE = games(ROWS * 3, side=[1.0, 1.0, -1.0, 1.0, 0.0, 1.0, 1.0, -1.0] * 3)
PLAYABLE = sorted(
    name
    for name, system in catalogue().items()
    if isinstance(system, Dynamic)
    and not system.uses
    and system.rounds != "period"
    and system.common is None  # no law of one game: what all share is learnt
)
FITTED = ("bradley_terry", "davidson", "rao_kupper", "thurstone", "map")


@pytest.mark.parametrize("name", PLAYABLE)
def test_the_law_is_the_system(name):
    """Asked row by row, the law of a system is its own function of one game."""
    ratings = prowess.rate(TABLE, name)
    values = np.stack([ratings.columns[field] for field in ratings.fields], axis=1)
    mine, theirs = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
    side = np.array([1.0, 0.0, -1.0, 0.0])
    law = game_model_of(ratings)
    assert law is not None
    expected, draw = law.ask(law.parts(values), mine, theirs, side)
    slow = [
        of_pair(ratings, a, b, s)
        for a, b, s in zip(mine.tolist(), theirs.tolist(), side.tolist(), strict=True)
    ]
    assert expected.tolist() == [one.expected for one in slow]
    assert (None if draw is None else draw.tolist()) == (
        None if ratings.system.chances is None else [one.draw for one in slow]
    )


def of_pair(ratings, a, b, side):
    """The chances of one game as the system's functions state them."""
    system, p = ratings.system, ratings.p
    sides = [ratings.value(k) for k in (a, b)]
    if system.part is not None:
        sides = [system.part(p, one, 1.0) for one in sides]
    game = system.game._replace(side=side) if "side" in system.game._fields else system.game
    if system.chances is not None:
        return system.chances(p, *sides, game)
    return Chances(system.expected(p, *sides, game))


@pytest.mark.parametrize("name", FITTED)
def test_the_law_of_a_fit_is_its_model(name):
    """At the fitted ratings the law says what the system's own chances say, draws and side too."""
    ratings = prowess.rate(TABLE, name, advantage="fitted")
    law = game_model_of(ratings)
    assert law is not None
    values = np.asarray(ratings.columns["rating"])[:, None]
    expected, draw = law.ask(values, np.array([0, 2]), np.array([1, 3]), np.array([1.0, -1.0]))
    slow = [ratings.chances(0, 1, 1.0), ratings.chances(2, 3, -1.0)]
    assert expected == approx([one.expected for one in slow], rel=1e-14)
    if slow[0].draw is None:
        assert draw is None
    else:
        assert draw == approx([one.draw for one in slow], rel=1e-12)


@given(st.floats(-6.0, 6.0), st.floats(0.001, 5.0))
def test_davidson(z, nu):
    """Given the expected score, the chance of a draw is that of s : nu : 1/s."""
    win, loss = np.exp(z / 2), np.exp(-z / 2)
    total = win + nu + loss
    expected = (win + 0.5 * nu) / total
    assert davidson_draws(np.array(expected), nu) == approx(nu / total, rel=1e-6)


def test_share_of_equals():
    """nu = 2 d / (1 - d) gives equals a draw with chance d."""
    assert share_of(nu_of(0.3)) == approx(0.3)
    assert davidson_draws(np.array(0.5), nu_of(0.3)) == approx(0.3)


@pytest.mark.parametrize("name", ["elo", "glicko", "bradley_terry", "posterior_mean"])
def test_as_many_draws_as_there_were(name):
    """The measured size makes as many draws likely as the table has, here 9 of 24."""
    ratings = prowess.rate(TABLE, name)
    nu = measure_draws(ratings)
    if name in ("elo", "glicko"):
        told = prowess.rate(TABLE, name, forecasts=True)
        assert isinstance(told, DynamicRatings)
        expected = told.forecasts
        assert expected is not None
        assert measure_draws(told) == approx(nu, rel=1e-9)
    else:
        rows = zip(TABLE.a.tolist(), TABLE.b.tolist(), TABLE.side.tolist(), strict=True)
        expected = np.array([ratings.chances(*row).expected for row in rows])
    assert davidson_draws(expected, nu).sum() == approx(9.0, abs=1e-6)


def test_no_draws_without_draws():
    """A table without a draw forecasts none."""
    table = games([("Ada", "Ben", 1.0), ("Ben", "Ada", 1.0)])
    assert measure_draws(prowess.rate(table, "elo")) == 0.0


def test_strengths_are_drawn_from_the_deviation():
    """Mean and spread of the drawn strengths are rating and deviation; the deviation is then 0."""
    ratings = prowess.rate(TABLE, "glicko")
    field = contenders(ratings, NAMES, worlds=40_000, seed=1)
    ids = [ratings.index(name) for name in NAMES]
    deviation = ratings.column("deviation")[ids]
    error = deviation / 200.0  # of the mean of 40,000
    assert (np.abs(field.strength[:, :, 0].mean(axis=0) - field.rating) < 4.5 * error).all()
    assert field.strength[:, :, 0].std(axis=0) == approx(deviation, rel=0.02)
    assert (field.strength[:, :, 1] == 0.0).all()


def test_glicko_forecasts_are_means_over_the_draws():
    """Over the worlds the expected score is that of Glicko's forecast, which approximates it."""
    ratings = prowess.rate(TABLE, "glicko")
    field = contenders(ratings, NAMES, worlds=20_000, draws=0.0)
    worlds = np.arange(20_000)
    for b in (1, 2, 3):
        mean = field.odds(worlds, np.array(0), np.array(b), np.array(0.0)).win.mean()
        # Glickman's g is within 0.01 of the integral at deviations below 350; 0.006 is 4 errors
        assert mean == approx(ratings.forecast("Ada", NAMES[b]).expected, abs=0.016)


@pytest.mark.parametrize("name", ["bradley_terry", "map"])
def test_strengths_of_a_fit_are_drawn_jointly(name):
    """The covariance of the drawn strengths is that of the fit."""
    ratings = prowess.rate(TABLE, name)
    field = contenders(ratings, ("Cleo", "Ada", "Dan"), worlds=60_000, seed=2)
    ids = [ratings.index(name) for name in ("Cleo", "Ada", "Dan")]
    assert isinstance(ratings, WholeTableRatings)
    assert isinstance(ratings.fit.uncertainty, Normal)
    whole = ratings.fit.uncertainty.covariance[np.ix_(ids, ids)]
    found = np.cov(field.strength[:, :, 0].T)
    size = np.sqrt(np.outer(np.diagonal(whole), np.diagonal(whole)))
    assert np.abs(found - whole).max() < 0.03 * size.max()  # 4 errors of 60,000 draws


def test_what_is_said_of_the_strengths():
    """Drawn or taken as known, and whose draws: the notes say it."""
    said = {name: contenders(prowess.rate(TABLE, name), NAMES).notes
            for name in ("elo", "glicko", "davidson", "posterior_mean")}  # fmt: skip
    assert "as known" in said["elo"][0]
    assert "measured" in said["elo"][1]
    assert "drawn" in said["glicko"][0]
    assert "jointly" in said["davidson"][0]
    assert "own model" in said["davidson"][1]
    assert "as known" in said["posterior_mean"][0]


def test_only_one_world_is_looked_up():
    """Asking much of known ratings gives what asking little gives."""
    field = contenders(prowess.rate(TABLE, "elo", advantage=50.0), NAMES)
    little = field.odds(np.zeros(1, int), np.array(0), np.array(2), np.array(1.0))
    much = field.odds(np.zeros((99, 1), int), np.array([0]), np.array([2]), np.array([1.0]))
    assert (much.win == little.win).all()
    assert (much.draw == little.draw).all()
    assert (little.win + little.draw + little.loss) == approx(1.0)


def test_refusals():
    """Names that are unknown, twice or too few, systems without a model: refused in words."""
    ratings = prowess.rate(TABLE, "elo")
    with refused(UnknownPlayer, "unknown_player", about="Eve"):
        contenders(ratings, ("Ada", "Eve"))
    with refused(Unratable, "player_twice", about="twice"):
        contenders(ratings, ("Ada", "Ben", "Ada"))
    with refused(Unratable, "too_few_players"):
        contenders(ratings, ("Ada",))
    with refused(NoModel, "no_model", about="model"):
        contenders(prowess.rate(TABLE, "copeland"), NAMES)
    with refused(Unratable, "draws_known"):
        contenders(prowess.rate(TABLE, "davidson"), NAMES, draws=0.3)


@pytest.mark.skipif(not kernel.available(), reason="no compiler is installed")
@pytest.mark.parametrize("name", ["glicko", "rao_kupper"])
def test_compiled_is_plain(name, monkeypatch):
    """Asked for many games at once the law is compiled, and says the same to the last bit."""
    ratings = prowess.rate(TABLE, name)
    law = game_model_of(ratings)
    assert law is not None
    values = np.stack([ratings.columns[field] for field in law.fields], axis=1).astype(np.float64)
    asked = law.parts(values), np.arange(4), np.array([1, 2, 3, 0]), np.array([1.0, 0.0, -1.0, 0.0])
    plain = law.ask(*asked)
    monkeypatch.setattr(worth, "MIN_TURNS_TO_COMPILE", 0)
    compiled = law.ask(*asked)
    assert np.array_equal(plain[0], compiled[0])
    assert np.array_equal(plain[1], compiled[1]) if plain[1] is not None else compiled[1] is None
