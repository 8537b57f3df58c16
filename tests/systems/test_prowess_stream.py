"""`prowess` over a stream: classes, sides, rest and contexts are those of the whole table."""

from __future__ import annotations

from contextlib import suppress

import hypothesis
import numpy as np
import pytest
from hypothesis import given, strategies as st

from prowess.engine.params import settings
from prowess.engine.rate import rate
from prowess.engine.streams.rate_stream import StreamRun, rate_stream
from prowess.games.games import Games
from prowess.games.result_classes import quantiles
from prowess.systems.prowess import PROWESS
from tests.engine.pieces import Stopped, TablePieces, some_cuts
from tests.engine.tables import contests

ONE = {"variance": 0.8, "reversion": 2e-4, "experience": 1.0, "rich": 1.0}
PLAYERS = tuple(f"player {number}" for number in range(6))


@st.composite
def some_prepared_games(draw):
    """Games with whatever the system takes from a table."""
    count = draw(st.integers(1, 12))
    chosen = np.random.default_rng(draw(st.integers(0, 10_000)))
    a = chosen.integers(0, 6, count)
    b = (a + chosen.integers(1, 6, count)) % 6
    _, first = np.unique(np.stack((a, b), 1).ravel(), return_index=True)
    seen = np.stack((a, b), 1).ravel()[np.sort(first)]
    number = np.zeros(6, np.uint32)
    number[seen] = np.arange(len(seen))
    score = chosen.choice([0.0, 1.0, 0.5][: draw(st.sampled_from((2, 3)))], count)
    columns, facts, labels = {}, {}, {}
    if draw(st.booleans()):
        columns["time"] = 18_000.0 + np.cumsum(chosen.choice([0.0, 0.5, 1.0, 9.0], count))
    if draw(st.booleans()):
        columns["side"] = chosen.choice([0.0, 0.0, 1.0, -1.0], count)
    if draw(st.booleans()):
        columns["margin"] = chosen.integers(-5, 30, count).astype(float)
    for name in ("league", "context", "variant"):
        if draw(st.booleans()):
            facts[name] = chosen.integers(0, 3, count).astype(float)
            labels[name] = ("one", "two", "three")
    ids = {"a": number[a], "b": number[b]}
    players = tuple(PLAYERS[at] for at in seen)
    if draw(st.booleans()):  # a second player on some sides
        more = chosen.random(2 * count) < 0.3
        sides = np.stack((ids["a"], ids["b"]), 1).ravel()
        others = np.full(len(sides), len(players), np.uint32)
        players = (*players, "helper")
        member = [
            one
            for s, o, m in zip(sides, others, more, strict=True)
            for one in ([s, o] if m else [s])
        ]
        ids = {
            "player": np.array(member, np.uint32),
            "ends": np.append(0, np.cumsum(1 + more)).astype(np.int64),
        }
    return Games(players, **ids, score=score, **columns, facts=facts, labels=labels)


def stream_of(table, cuts, **options):
    """The ratings of a stream of the table."""
    run = StreamRun(again=lambda: TablePieces(table, cuts))
    return rate_stream(TablePieces(table, cuts), PROWESS, run=run, compiled=False, **options)


def assert_the_same(stream, whole):
    """Equal bits, names, roles and notes."""
    assert list(stream.players) == list(whole.players)
    assert np.array_equal(stream.state.rating, whole.state.rating)
    assert np.array_equal(stream.state.common, whole.state.common)
    assert np.array_equal(stream.values, whole.values)
    assert np.array_equal(stream.game_counts, whole.game_counts)
    assert stream.p == whole.p
    assert stream.played_table.roles == whole.played_table.roles
    assert stream.played_table.role_kinds == whole.played_table.role_kinds
    assert stream.leaderboard().columns == whole.leaderboard().columns
    assert stream.notes[0] == whole.notes[0]


@given(table=some_prepared_games(), data=st.data())
def test_a_stream_is_the_whole_table(table, data):
    """Any cut, any columns; two settings, or one."""
    params = data.draw(
        st.sampled_from((ONE, {**ONE, "variance": [0.2, 0.8]}, {**ONE, "opening": 3}))
    )
    whole = rate(table, PROWESS, compiled=False, params=params)
    assert_the_same(stream_of(table, some_cuts(len(table), data, st), params=params), whole)


def test_contests_are_streamed():
    """Contests have no classes."""
    table = contests([[("Ann", 1), ("Bob", 2), ("Cid", 3)], [("Cid", 1), ("Ann", 2)]])
    table = table.replace(facts={"context": np.zeros(2)}, labels={"context": ("clay",)})
    whole = rate(table, PROWESS, compiled=False, params=ONE)
    assert_the_same(stream_of(table, [1], params=ONE), whole)


def test_the_number_of_games_need_not_be_known():
    """Without metadata the opening is found by a second look."""
    chosen = np.random.default_rng(3)
    a = chosen.integers(0, 5, 40).astype(np.uint32)
    table = Games(
        PLAYERS[:5], a, ((a + 1 + chosen.integers(0, 4, 40)) % 5).astype(np.uint32),
        chosen.choice([0.0, 0.5, 1.0], 40), margin=chosen.integers(0, 40, 40).astype(float),
    )  # fmt: skip
    source = TablePieces(table, [7, 20])
    source.rows = None
    run = StreamRun(again=lambda: TablePieces(table, [11]))
    stream = rate_stream(source, PROWESS, run=run, compiled=False, params=ONE)
    assert_the_same(stream, rate(table, PROWESS, compiled=False, params=ONE))


@pytest.mark.parametrize("count", [2, 3, 7, 50])
def test_quantiles_are_those_of_numpy(count):
    """Of values that are counted, to the last bit."""
    values = np.round(np.random.default_rng(count).normal(0, 4, count), 1)
    at = np.arange(1, 8) / 8
    found = quantiles(*np.unique(values, return_counts=True), at)
    assert np.array_equal(found, np.quantile(values, at))


@hypothesis.settings(max_examples=12)
@given(table=some_prepared_games(), data=st.data())
def test_a_run_that_was_stopped_goes_on(tmp_path_factory, table, data):
    """Members and days of rest are in the checkpoint."""
    cuts, folder = some_cuts(len(table), data, st), tmp_path_factory.mktemp("run")
    run = StreamRun(again=lambda: TablePieces(table, cuts), resume=folder, every=0.0)
    pieces = TablePieces(table, cuts)
    pieces.most = data.draw(st.integers(0, 3))
    how = {"compiled": False, "params": ONE}
    with suppress(Stopped), np.errstate(all="ignore"):
        rate_stream(pieces, PROWESS, run=run, **how)
    again = rate_stream(TablePieces(table, cuts), PROWESS, run=run, **how)
    assert_the_same(again, rate(table, PROWESS, **how))


def test_days_of_rest_outlive_a_stop(tmp_path):
    """Who played the day before the run stopped is tired in the first game after it."""
    day = 18_000.0 + np.array([0.0, 1.0, 1.0])
    a, b = np.array([0, 1, 0], np.uint32), np.array([1, 2, 2], np.uint32)
    table = Games(PLAYERS[:3], a, b, np.array([1.0, 1.0, 0.0]), time=day, side=np.ones(3))
    run = StreamRun(again=lambda: TablePieces(table, [1]), resume=tmp_path, every=0.0)
    pieces = TablePieces(table, [1])
    pieces.most = 1
    with pytest.raises(Stopped):
        rate_stream(pieces, PROWESS, run=run, compiled=False, params=ONE)
    again = rate_stream(TablePieces(table, [1]), PROWESS, run=run, compiled=False, params=ONE)
    whole = rate(table, PROWESS, compiled=False, params=ONE)
    assert "rest" in whole.players
    assert_the_same(again, whole)


def test_settings_are_checked():
    """What a stream is rated with is what was asked."""
    assert (
        settings(PROWESS, ONE) == stream_of(contests([[("A", 1), ("B", 2)]]), [], params=ONE).asked
    )
