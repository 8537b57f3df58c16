"""Numbers that all games share: learnt after each game, one row after the other."""

from __future__ import annotations

from dataclasses import replace
from math import exp, fsum
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pytest import approx

from prowess.compile import kernel
from prowess.engine.check import check_system
from prowess.engine.rate import rate, rate_on
from prowess.engine.system import BadSystem, Chances, Common, Dynamic, Range, Unratable, negated
from prowess.games.games import Games
from tests.refusals import refused

PLAYERS = 6


class Params(NamedTuple):
    k: Annotated[float, Range(0, 10)] = 0.3
    rate: Annotated[float, Range(0, 1)] = 0.05


class Rating(NamedTuple):
    rating: float = 0.0


class Evidence(NamedTuple):
    change: Annotated[float, negated] = 0.0


class Row(NamedTuple):
    """A number and how often it was taught."""

    value: float = 0.0
    games: float = 0.0


class Shared(NamedTuple):
    level: Row = Row()
    width: Row = Row()


class Gradient(NamedTuple):
    """The mean rating of both, whether it was drawn, and how many games these are."""

    mean: float = 0.0
    drawn: float = 0.0
    games: float = 0.0


class Places(NamedTuple):
    level: int
    width: int


def start(p: Params) -> list[Row]:
    """The newcomers' level, then the draw widths of even and odd lengths."""
    return [Row(0.0, 0.0), Row(0.5, 0.0), Row(1.0, 0.0)]


def named(p: Params, game: Any) -> Places:
    """A game reads the level, and the width of its kind."""
    return Places(0, 1 + int(game.length % 2.0))


def newcomer(p: Params, common: Shared) -> Rating:
    return Rating(common.level.value)


def above(x: float) -> float:
    return 1.0 / (1.0 + exp(-x))


def chances(p: Params, mine: Rating, theirs: Rating, game: Any, common: Shared) -> Chances:
    gap, width = mine.rating - theirs.rating, abs(common.width.value)
    win = above(gap - width)
    return Chances(win, above(gap + width) - win)


def evidence(p: Params, mine: Rating, theirs: Rating, game: Any, common: Shared) -> Evidence:
    of = chances(p, mine, theirs, game, common)
    return Evidence(p.k * (game.score - of.win - 0.5 * of.draw))


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    return Rating(me.rating + total.change)


def gradient(
    p: Params, mine: Rating, theirs: Rating, game: Any, common: Shared, of: Chances, one: Evidence
) -> Gradient:
    drawn = 1.0 if game.score == 0.5 else 0.0
    return Gradient(0.5 * (mine.rating + theirs.rating), drawn, 1.0)


def learn(
    p: Params, which: int, row: Row, below: Row, above: Row, total: Gradient, sides: float
) -> Row:
    """The level follows the mean of the players, the width the draws; neighbours pull a little."""
    if which == 0:
        return Row(row.value + p.rate * (total.mean / total.games - row.value), row.games + 1.0)
    pull = 0.01 * (below.games - above.games)
    return Row(
        row.value + p.rate * (total.drawn / total.games - 0.3) + pull * p.rate, row.games + 1.0
    )


LEARNING = Dynamic(
    name="learning",
    params=Params(),
    rating=Rating(),
    evidence_zero=Evidence(),
    chances=chances,
    evidence=evidence,
    absorb=absorb,
    newcomer=newcomer,
    rounds="game",
    common=Common(Row(), Shared(), Gradient(), start, named, gradient, learn, ("level", "width")),
)


def slow(table: Games, p: Params) -> tuple[dict[int, float], list[Row], list[float]]:
    """The same by hand: dicts, and one game after the other."""
    rating: dict[int, float] = {}
    rows, forecasts = start(p), []
    for a, b, score, length in zip(
        table.a.tolist(), table.b.tolist(), table.score, table.length, strict=True
    ):
        for player in (a, b):
            rating.setdefault(player, rows[0].value)
        at = 1 + int(length % 2)
        gap, width = rating[a] - rating[b], abs(rows[at].value)
        win = 1 / (1 + np.exp(-(gap - width)))
        draw = 1 / (1 + np.exp(-(gap + width))) - win
        forecasts.append(win + draw / 2)
        change = p.k * (score - win - draw / 2)
        mean = (rating[a] + rating[b]) / 2
        rows[0] = Row(rows[0].value + p.rate * (mean - rows[0].value), rows[0].games + 1)
        pull = rows[at - 1].games - (rows[2].games if at < 2 else 0.0)
        step = (score == 0.5) - 0.3 + 0.01 * pull
        rows[at] = Row(rows[at].value + p.rate * step, rows[at].games + 1)
        rating[a] += change
        rating[b] -= change
    return rating, rows, forecasts


@st.composite
def some_games(draw: Any) -> Games:
    count = draw(st.integers(1, 30))
    pairs = draw(
        st.lists(
            st.lists(st.integers(0, PLAYERS - 1), min_size=2, max_size=2, unique=True),
            min_size=count, max_size=count,
        )
    )  # fmt: skip
    scores = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=count, max_size=count))
    a, b = np.array(pairs, dtype=np.uint32).T.copy()
    return Games(
        [f"P{k}" for k in range(PLAYERS)], a, b, np.array(scores),
        length=np.array(draw(st.lists(st.integers(1, 9), min_size=count, max_size=count)), float),
    )  # fmt: skip


@given(table=some_games())
def test_the_loop_learns_as_by_hand(table):
    """Forecasts, ratings and the learnt rows are those of a slow fold."""
    ratings = rate(table, check_system(LEARNING), forecasts=True, compiled=False)
    known, rows, forecasts = slow(table, Params())
    assert ratings.forecasts == approx(forecasts, rel=1e-12)
    assert ratings.state.common is not None
    assert ratings.state.common.ravel() == approx(np.array(rows).ravel(), rel=1e-12)
    for player, rating in known.items():
        assert ratings.state.rating[player, 0] == approx(rating, rel=1e-12, abs=1e-12)


@given(table=some_games(), cut=st.integers(0, 30))
def test_further_games_are_the_same_table(table, cut):
    """What is learnt is part of the state: going on gives the same bits."""
    cut = min(cut, len(table) - 1)
    if cut == 0:
        return
    first = table.first(cut)
    on = rate_on(rate(first, LEARNING), table.select(slice(cut, None)))
    whole = rate(table, LEARNING)
    assert np.array_equal(on.state.rating, whole.state.rating)
    assert np.array_equal(on.state.common, whole.state.common)


@given(table=some_games())
def test_histories_add_up(table):
    """Terms sum to the change, and the forecasts of a history are those of the pass."""
    ratings = rate(table, LEARNING, forecasts=True)
    assert ratings.forecasts is not None
    for k, name in enumerate(table.players):
        if not ratings.game_counts[k]:
            continue
        for step in ratings.history(name):
            assert fsum(step.terms.values()) == step.change
            first = table.a[step.row] == k
            expected = ratings.forecasts[step.row]
            assert step.expected == approx(expected if first else 1.0 - expected, abs=1e-12)
        assert ratings.history(name)[-1].after == ratings[name].rating


@pytest.mark.skipif(not kernel.available(), reason="no compiler")
def test_compiled_is_plain():
    """Bit for bit, alone and in a bank; a bank has an exp of its own, equal to 1e-12."""
    random = np.random.default_rng(3)
    a = random.integers(0, PLAYERS, 400).astype(np.uint32)
    b = ((a + random.integers(1, PLAYERS, 400)) % PLAYERS).astype(np.uint32)
    score, length = random.choice([0.0, 0.5, 1.0], 400), random.integers(1, 9, 400).astype(float)
    table = Games([f"P{k}" for k in range(PLAYERS)], a, b, score, length=length)
    for params in ({}, {"k": [0.1, 0.3]}):
        one, other = (
            rate(table, LEARNING, params=params, compiled=compiled, forecasts=True)
            for compiled in (False, True)
        )
        assert np.array_equal(one.state.rating, other.state.rating)
        assert np.array_equal(one.state.common, other.state.common)
        assert np.array_equal(one.forecasts, other.forecasts)
    alone = rate(table, LEARNING, params={"k": 0.1})
    bank = rate(table, LEARNING, params={"k": [0.1, 0.3]})
    assert bank.state.rating[:, 0] == approx(alone.state.rating[:, 0], rel=1e-12)


def test_a_forecast_reads_what_was_learnt():
    """After the table, a game of no known length reads the even width."""
    table = Games(
        ["Ada", "Ben"], np.zeros(5, np.uint32), np.ones(5, np.uint32), np.full(5, 0.5),
        length=np.full(5, 2.0),
    )  # fmt: skip
    ratings = rate(table, LEARNING)
    assert ratings.state.common is not None
    width = float(ratings.state.common[1, 0])
    assert ratings.forecast("Ada", "Ben").draw == approx(above(width) - above(-width))


def test_contests_of_many_sides_have_histories():
    """What a contest reads is kept before it, so its terms add up."""
    table = Games(
        ["Ada", "Ben", "Cleo"], start=np.array([0, 3, 6]), place=np.array([1.0, 2.0, 3.0] * 2),
        player=np.arange(6, dtype=np.uint32) % np.uint32(3),
    )  # fmt: skip
    for params in ({}, {"k": [0.1, 0.3]}):
        ratings = rate(table, LEARNING, params=params)
        assert ratings["Ada"].rating > ratings["Cleo"].rating
        for name in table.players:
            steps = ratings.history(name)
            assert steps[-1].after == approx(ratings[name].rating, abs=1e-12)
            assert all(fsum(step.terms.values()) == step.change for step in steps)


# --- what is declared wrongly ------------------------------------------------------------


def shared(**changes: Any) -> Dynamic:
    """The system with another declaration of what is shared."""
    return replace(LEARNING, common=replace(LEARNING.common, **changes))


def few(p, which, row, below, above):
    """Two arguments too few."""


WRONG = [
    (replace(LEARNING, common=Row()), ("not_common", "Common")),
    (shared(learn=few), ("wrong_arguments",)),
    (shared(start=lambda p: ()), ("wrong_return", "list")),
    (shared(start=lambda p: Row()), ("wrong_return", "list")),
    (shared(start=lambda p: [Row(np.nan)]), ("wrong_return", "list")),
    (shared(start=lambda p: [p.none]), ("function_fails", "AttributeError", "start")),
    (shared(named=lambda p, game: game.none), ("function_fails", "named")),
    (shared(named=lambda p, game: Row()), ("wrong_return", "shape")),
    (shared(named=lambda p, game: Places(0, 3)), ("row_out_of_range", "width=")),
    (shared(named=lambda p, game: Places(-2, 0)), ("row_out_of_range", "level=")),
    (
        shared(learn=lambda p, which, row, below, above, total, sides: Row(1.0, 0)),
        ("not_a_float", "games="),
    ),
    (
        shared(learn=lambda p, which, row, below, above, total, sides: row.none),
        ("function_fails",),
    ),
    (shared(row=0.0), ("not_a_tuple", "NamedTuple")),
]


@pytest.mark.parametrize(("system", "message"), WRONG, ids=[message[0] for _, message in WRONG])
def test_what_is_declared_wrongly_is_told(system, message):
    """One error that names the function or the value."""
    with refused(BadSystem, message[0], about=message[1:]):
        check_system(system)


def too_far(p, game):
    """A row that there is not, in games of length 7 alone."""
    return Places(0, 1 + int(game.length == 7.0) * 1_000_000)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_row_that_is_not_there_is_no_memory_of_others(compiled):
    """Ratings leave the numbers, which is refused; nothing outside the rows is read."""
    if compiled and not kernel.available():
        pytest.skip("needs llvmlite")
    system = check_system(shared(named=too_far))
    one = {"a": np.array([0, 1], np.uint32), "b": np.array([1, 0], np.uint32)}
    table = Games(["Ann", "Ben"], **one, score=np.array([1.0, 0.0]), length=np.array([1.0, 7.0]))
    with refused(Unratable, "no_finite_rating"):
        rate(table, system, compiled=compiled)
