"""Rows in leaves: the same fit as of merged rows, the same bits however they are cut and shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from pytest import approx

from prowess.compile import kernel
from prowess.engine.cluster.workers import SERIAL
from prowess.engine.fits import fit_rows, leaves, strengths
from prowess.engine.fits.connectivity import Unidentifiable
from prowess.engine.fits.covariance import grouped_uncertainty, make_resampler
from prowess.engine.fits.fit_rows import MergedRows, is_worth_merging
from prowess.engine.fits.leaves import (
    Leaf,
    LeafBuilder,
    LeafRows,
    Leaves,
    leaf_size,
    leaves_per_part,
    sum_in_tree,
)
from prowess.engine.fits.likelihood import DAVIDSON, HALF, LITERAL, RAO_KUPPER, OutcomeModel
from prowess.engine.fits.posterior import FLAT, NORMAL as NORMAL_PRIOR, Prior
from prowess.engine.fits.strengths import Solved, solve
from prowess.engine.win_probability import LOGISTIC, NORMAL
from prowess.games.arguments import BadArgument
from prowess.games.games import Games
from prowess.games.tally import tally
from tests.engine.leagues import Q, league
from tests.refusals import refused

Floats = NDArray[np.float64]
FREE = Prior(kind=FLAT)
MODELS = [(LOGISTIC, HALF), (LOGISTIC, LITERAL), (LOGISTIC, DAVIDSON), (NORMAL, RAO_KUPPER)]


def build(table: Games, *, sides: bool = True, cuts: tuple[int, ...] = ()) -> Leaves:
    """The leaves of a table that comes in chunks."""
    builder = LeafBuilder(sides)
    for low, high in zip((0, *cuts), (*cuts, len(table)), strict=True):
        part = table.select(slice(low, high))
        builder.add(part.a, part.b, part.score, side=part.side, weight=part.weight)
    return builder.finish(len(table.players))


@pytest.fixture
def small(monkeypatch):
    """Leaves of 32 rows and tiles of 4 players, sorted by digits of 2 bits."""
    monkeypatch.setattr(leaves, "LEAST_ROWS", 32)
    monkeypatch.setattr(leaves, "ROWS_OF_A_PLAYER", 1)
    monkeypatch.setattr(leaves, "TILE", 2)
    monkeypatch.setattr(leaves, "DIGIT", 2)
    monkeypatch.setattr(leaves, "PIECE", 10)


def choose_compiled(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    """Let loops over rows be compiled, or be plain: each model takes seconds to compile."""
    for module in (fit_rows, leaves):
        monkeypatch.setattr(module, "is_worth_compiling", lambda _: compiled and kernel.available())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("curve", "draws", "compiled"),
    [*((*model, False) for model in MODELS), (LOGISTIC, DAVIDSON, True)],
)
def test_sums_are_those_of_merged_rows(curve, draws, compiled, weighted, monkeypatch):
    """Value, gradient, diagonal and product equal those of the tally, for every kind of row."""
    choose_compiled(monkeypatch, compiled)
    table = league(20, 300, 3, drawn=0.25)
    if weighted:
        random = np.random.default_rng(1)
        score = np.where(random.random(len(table)) < 0.2, 0.3, table.score)
        table = table.replace(weight=random.uniform(0.2, 2.0, len(table)), score=score)
    model = OutcomeModel(curve, draws, Q)
    random = np.random.default_rng(2)
    unknown, v = random.normal(0.0, 100.0, (2, 22))
    unknown[-1] = 60.0
    rows = (MergedRows(tally(table)), LeafRows(build(table), 20))
    one, other = (each.at(model, unknown) for each in rows)
    assert rows[1].value(model, unknown) == approx(rows[0].value(model, unknown), rel=1e-12)
    assert other.gradient == approx(one.gradient, abs=1e-12)
    assert other.diagonal == approx(one.diagonal, rel=1e-12)
    product = one.curvature.times(v)  # whose rows' curvatures are kept as float32
    assert other.curvature.times(v) == approx(product, rel=1e-6, abs=1e-6 * np.abs(product).max())


@pytest.mark.usefixtures("small")
@settings(max_examples=20)
@given(data=st.data())
def test_cuts_and_threads_change_no_bit(data):
    """Chunks, threads and workers who hold sub-trees of leaves give the same bits."""
    table = league(20, data.draw(st.integers(1, 300)), 3, drawn=0.25)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=4)))
    model, unknown = OutcomeModel(LOGISTIC, DAVIDSON, Q), np.linspace(-200.0, 200.0, 22)
    whole, again = build(table), build(table, cuts=tuple(cuts))
    whole.threads, again.threads = 1, 2
    size = leaves_per_part(len(whole), data.draw(st.integers(1, 5)))
    parts = [
        Leaves(whole.leaves[at : at + size], whole.players) for at in range(0, len(whole), size)
    ]
    questions: list[tuple[Any, ...]] = [
        (Leaf.at, model, unknown), (Leaf.times, unknown), (Leaf.value, model, unknown),
        (Leaf.totals,), (Leaf.tile_sizes,), (Leaf.resampled_gradient, model, unknown, 5, 2),
    ]  # fmt: skip
    for question in questions:
        expected = whole.add_up(*question)
        np.testing.assert_array_equal(again.add_up(*question), expected)
        joined = sum_in_tree([part.add_up(*question) for part in parts])
        np.testing.assert_array_equal(joined, expected)


@pytest.mark.usefixtures("small")
def test_rows_of_a_leaf_are_in_order():
    """Every row is there, of the lower player, by tiles of the higher one, in them by the lower."""
    table = league(20, 100, 3, drawn=0.25)
    found = build(table).leaves
    assert [len(leaf.a) for leaf in found] == [32, 32, 32, 24]
    for leaf, at in zip(found, range(0, 120, 32), strict=True):
        assert leaf.b.max() < 20
        assert (leaf.a < leaf.b).all()
        order = np.lexsort((leaf.a, leaf.b >> 2))
        assert (order == np.arange(len(order))).all()
        part = table.select(slice(at, at + 32))
        assert part.side is not None
        turned = part.a > part.b
        expected = sorted(
            zip(
                np.minimum(part.a, part.b).tolist(),
                np.maximum(part.a, part.b).tolist(),
                np.where(turned, 1.0 - part.score, part.score).tolist(),
                np.where(turned, -part.side, part.side).tolist(),
                strict=True,
            )
        )
        columns: tuple[Any, ...] = (leaf.a, leaf.b, 0.5 * leaf.score, leaf.side)
        assert sorted(zip(*(c.tolist() for c in columns), strict=True)) == expected


def test_sizes_are_of_the_data():
    """Leaves are powers of two of rows; a part is a power of two of leaves."""
    assert [leaf_size(n) for n in (2, 131_072, 131_073, 10**6)] == [
        1 << k for k in (20, 20, 21, 23)
    ]
    assert [leaves_per_part(*pair) for pair in ((12, 1), (12, 2), (12, 3), (5, 8))] == [16, 8, 4, 1]


def test_a_tree_of_sums():
    """The tree over seven parts, written out."""

    @dataclass
    class Text:
        text: str

        def __add__(self, other: Text) -> Text:
            return Text(f"[{self.text} {other.text}]")

    tree = sum_in_tree([Text(str(k)) for k in range(7)])
    assert tree.text == "[[[0 1] [2 3]] [[4 5] 6]]"
    with refused(BadArgument, "no_parts"):
        sum_in_tree(())


def test_curvatures_of_an_earlier_point_are_refused():
    """The leaves keep the last point only; a product at an earlier one is an error."""
    rows = LeafRows(build(league(5, 40)), 5)
    model, unknown = OutcomeModel(LOGISTIC, HALF, Q), np.zeros(7)
    first = rows.at(model, unknown)
    rows.at(model, unknown + 1.0)
    with pytest.raises(RuntimeError, match="last point"):
        first.curvature.times(unknown)


def fit(table: Games, draws: int, prior: Prior, *, leaves: bool) -> tuple[Solved, Floats, Floats]:
    """The fit with its advantage, deviations and those of the advantage and the draw parameter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strengths, "is_worth_merging", lambda *_: not leaves)
        model = OutcomeModel(LOGISTIC, draws, Q)
        found = solve(table, {3: 1700.0}, model, prior, mean=1500.0, advantage=True)
        sure, extra = grouped_uncertainty(found.best, found.place, found.roster)
        return found, sure.deviations(), extra


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("prior", [FREE, Prior(kind=NORMAL_PRIOR, mean=1500.0, sd=300.0)])
@pytest.mark.parametrize("draws", [HALF, DAVIDSON, RAO_KUPPER])
def test_the_fit_is_that_of_merged_rows(draws, prior, monkeypatch):
    """Ratings, deviations and figures are equal; some of the roster have no game."""
    choose_compiled(monkeypatch, draws == DAVIDSON)
    table = league(40, 900, 5, drawn=0.2, home=50.0)
    place = np.arange(1, 41, dtype=np.uint32) * 2  # every other one of 90
    table = table.replace(
        players=tuple(f"P{k}" for k in range(90)), a=place[table.a], b=place[table.b]
    )
    one, deviation, extra = fit(table, draws, prior, leaves=True)
    other, same_deviation, same_extra = fit(table, draws, prior, leaves=False)
    assert isinstance(one.best.posterior.rows, LeafRows)
    assert one.ratings == approx(other.ratings, abs=1e-6, nan_ok=True)
    assert one.best.unknown == approx(other.best.unknown, abs=1e-6)
    if draws != HALF or prior.kind != FLAT:  # where draws are halves, leaves keep I^-1 and say so
        assert deviation == approx(same_deviation, abs=1e-5, nan_ok=True)
    if draws != HALF or prior.kind != FLAT:
        assert extra == approx(same_extra, rel=1e-6)
    value, same_value = (x.best.posterior.value(x.best.unknown) for x in (one, other))
    assert value == approx(same_value, rel=1e-12)


@pytest.mark.usefixtures("small")
def test_what_has_no_finite_fit_is_refused():
    """A player who never lost is named, and an advantage that cannot be told from ratings."""
    table = league(20, 300, 3)
    unbeaten = table.replace(score=np.where(table.a == 4, 1.0, np.where(table.b == 4, 0.0, 0.5)))
    with refused(Unidentifiable, "no_finite_ratings", about="point"):
        fit(unbeaten, HALF, FREE, leaves=True)
    sides = table.replace(side=np.sign(table.a % 2 - table.b % 2.0))
    with refused(Unidentifiable, "sides_not_separable"):
        fit(sides, HALF, FREE, leaves=True)


@pytest.mark.usefixtures("small")
def test_resamplings_spread_like_the_deviations(monkeypatch):
    """One Newton step for each resampling; the spread nears that of the information matrix."""
    monkeypatch.setattr(leaves, "LEAST_ROWS", 256)
    found, deviation, _ = fit(league(8, 300, 5), HALF, FREE, leaves=True)
    draw = make_resampler(found.best, found.place, found.roster, found.shift)
    ratings = draw(60, 3, SERIAL)
    assert np.delete(ratings.std(axis=0), 3) == approx(np.delete(deviation, 3), rel=0.4)
    assert ratings.mean(axis=0) == approx(found.ratings, abs=4 * deviation.max() / np.sqrt(60))
    np.testing.assert_array_equal(ratings[:5], draw(5, 3, SERIAL))  # a seed each


def test_when_games_are_merged(monkeypatch):
    """Few games are, or few players, or pairs that meet four times as often as not."""
    monkeypatch.setattr(fit_rows, "LEAST_GAMES", 1 << 16)
    monkeypatch.setattr(fit_rows, "SAMPLE", 1 << 14)
    random = np.random.default_rng(1)
    many, few = 1 << 16, 1000
    a, b = random.integers(0, 5000, (2, many), dtype=np.uint32)
    assert not is_worth_merging(5000, a, b)
    assert is_worth_merging(2000, a % 2000, b % 2000)
    assert is_worth_merging(5000, a[:few], b[:few])
    for pairs, merged in ((many // 8, True), (many // 2, False)):
        pair = random.integers(0, pairs, many)
        assert is_worth_merging(5000, a[pair], b[pair]) is merged
