"""A stream of pieces is the whole table, bit for bit, wherever it is cut: laws for every system."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from prowess.engine.periods import BadRounds
from prowess.engine.streams.rate_stream import StreamRun, rate_stream
from prowess.engine.system import Unratable
from tests.engine.pieces import Stopped, TablePieces, some_cuts
from tests.engine.tables import one_setting, some_params, some_table
from tests.every_system import every, lawful, same


class Kept:
    """The forecasts and chances of draws of all pieces."""

    def __init__(self):
        self.pieces = []

    def add(self, played):
        self.pieces.append(played)

    def discard(self):
        """Nothing is on the disk."""

    def close(self):
        """Nothing is written."""

    def column(self, name):
        columns = [getattr(one, name) for one in self.pieces]
        return None if columns[0] is None else np.concatenate(columns)


def assert_same(stream, whole, kept=None):
    """Equal bits, names, counts and words."""
    assert same(stream.state.rating, whole.state.rating)
    assert same(stream.state.seen, whole.state.seen)
    assert same(stream.values, whole.values)
    assert same(stream.game_counts, whole.game_counts)
    assert whole.last is None or same(stream.last, whole.last)
    for name in ("logs", "common"):
        one, other = getattr(stream.state, name), getattr(whole.state, name)
        assert (one is None) == (other is None)
        assert one is None or same(one, other)
    if whole.state.league is not None:
        for one, other in zip(stream.state.league, whole.state.league, strict=True):
            assert same(one, other)
    assert list(stream.players) == list(whole.players)
    assert (stream.now, stream.day, stream.head()) == (whole.now, whole.day, whole.head())
    assert stream.leaderboard().columns == whole.leaderboard().columns
    missing = set(whole.notes) - set(stream.notes)
    assert set(stream.notes) <= set(whole.notes)
    assert all("never met" in note or "contexts" in note for note in missing)
    if kept is not None:
        draws = whole.draws if whole.table.pairwise else whole.pair_losses
        order = whole.rounds.order
        for name, column in (("forecasts", whole.forecasts), ("draws", draws)):
            assert order is None
            assert column is None or same(kept.column(name), column)
        if kept.pieces[0].watch is not None:
            before = [one.watch.memory.rating[:, 0] for one in kept.pieces]
            known = whole.games().columns
            for side, name in enumerate(("rating_a", "rating_b")):
                assert same(np.concatenate([one[side::2] for one in before]), known[name])


@every(lambda system: system.prepare is None)
@given(data=st.data())
def test_a_stream_is_the_whole_table(system, data):
    """Games, periods and contests, with time, sides and weights, cut anywhere."""
    table, period = data.draw(some_table(system))
    params = data.draw(st.just({}) | some_params(system))
    whole = lawful(system, table, period, forecasts=True, params=params)
    assume(whole is not None)
    kept, cuts = Kept(), some_cuts(len(table), data, st)
    try:
        stream = rate_stream(
            TablePieces(table, cuts), system, period=period, compiled=False,
            params=one_setting(system) | params, run=StreamRun(forecasts=kept),
        )  # fmt: skip
    except BadRounds:
        assert whole.rounds.order is not None  # labels that return are refused
        return
    assert_same(stream, whole, kept)


@pytest.fixture
def _no_waiting_for_disks(monkeypatch):
    """Nothing here is pulled out of its socket."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.mark.usefixtures("_no_waiting_for_disks")
@every(lambda system: system.name in ("elo", "glicko2", "ics", "weng_lin_tm"))
@hypothesis.settings(
    max_examples=8, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_run_that_was_stopped_goes_on(system, data):
    """Checkpoints after every piece; a run dies anywhere, twice, and ends with the same bits."""
    table, period = data.draw(some_table(system))
    params = one_setting(system) | data.draw(st.just({}) | some_params(system))
    cuts = some_cuts(len(table), data, st)
    options = {"period": period, "compiled": False, "params": params}
    try:
        whole = rate_stream(TablePieces(table, cuts), system, **options)
    except (BadRounds, Unratable):
        return
    with TemporaryDirectory() as folder:
        run = StreamRun(resume=Path(folder, "run"), every=0.0)
        for _ in range(2):
            pieces = TablePieces(table, cuts)
            pieces.most = data.draw(st.integers(0, 3))
            with suppress(Stopped):
                rate_stream(pieces, system, run=run, **options)
        again = rate_stream(TablePieces(table, cuts), system, run=run, **options)
        assert_same(again, whole)
        pieces = TablePieces(table, cuts)
        pieces.most = 0
        once_more = rate_stream(pieces, system, run=run, **options)
        assert_same(once_more, whole)  # nothing is left to play
