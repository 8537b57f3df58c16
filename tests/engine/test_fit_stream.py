"""Fits of a stream: the bits of the whole table, from no more columns than the system reads."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from prowess.engine.fit import fit_table
from prowess.engine.params import BadSetting, parameters, settings
from prowess.engine.streams.fit_stream import KeptColumns, columns_of_fit, fit_stream
from prowess.engine.streams.memory import MemoryLimit
from prowess.engine.system import Unratable
from prowess.engine.whole_table import GAMES, WholeTable
from prowess.games.arguments import BadArgument
from prowess.systems.bradley_terry import BRADLEY_TERRY
from prowess.systems.catalogue import catalogue
from prowess.systems.massey import MASSEY
from prowess.verbs.saving import save
from tests.engine.pieces import TablePieces
from tests.engine.tables import games
from tests.refusals import refused

PAIRS = [*permutations(("Ann", "Bob", "Cid", "Dan"), 2)] * 2
GOALS = [(3 * k % 5, 7 * k % 4) for k in range(len(PAIRS))]
ROWS = [(a, b, 0.5 + 0.5 * np.sign(x - y)) for (a, b), (x, y) in zip(PAIRS, GOALS, strict=True)]
MORE = {
    "time": [18_000.0 + k // 2 for k in range(len(PAIRS))],
    "round": [k // 2 for k in range(len(PAIRS))],
    "side": [(1.0, 1.0, -1.0, 0.0)[k % 4] for k in range(len(PAIRS))],
    "points_a": [float(a) for a, _ in GOALS],
    "points_b": [float(b) for _, b in GOALS],
    "margin": [float(a - b) for a, b in GOALS],
    "length": [20.0 + k for k in range(len(PAIRS))],
}
WEIGHTS = [(1.0, 2.0, 0.5)[k % 3] for k in range(len(PAIRS))]
TABLE = games(ROWS, **MORE)
WEIGHED = games(ROWS, weight=WEIGHTS, **MORE)
CUTS = [1, 7, 8]
EVERY = [one for one in catalogue().values() if isinstance(one, WholeTable) and GAMES in one.reads]


@pytest.mark.parametrize("system", EVERY, ids=[one.name for one in EVERY])
def test_a_fit_of_a_stream_is_that_of_the_table(system):
    """Bits, counts and words; by weights, half-lives, sides and to a day, where a system has these.

    A system that says it is narrow, and is not, has other numbers here.
    """
    asked: list[dict[str, Any]] = [{}, {"as_of": 18_009.0}]
    names = system.params._fields
    if "half_life" in names:
        asked.append({"params": {"half_life": 20.0}})
    asked += [{"params": {name: "fitted"}} for name in ("home", "advantage") if name in names]
    few = {"samples": parameters(system)["samples"].domain.low} if "samples" in names else {}
    asked = [one | {"params": one.get("params", {}) | few} for one in asked]
    for table in (TABLE, WEIGHED) if system.weights else (TABLE,):
        for options in asked:
            try:
                whole = fit_table(table, system, **options)
            except BadSetting:  # an advantage that is a number
                assert "advantage" in options["params"]
                continue
            stream = fit_stream(TablePieces(table, CUTS), system, **options)
            assert stream.leaderboard().to_csv() == whole.leaderboard().to_csv()
            assert stream.notes == whole.notes
            assert stream.head() == whole.head()
            assert stream.figures == whole.figures
            assert stream.game_counts.tolist() == whole.game_counts.tolist()
            assert stream.last.tolist() == whole.last.tolist()
            assert (len(stream.table), stream.contests) == (0, whole.contests)


@pytest.mark.parametrize(
    ("system", "options", "names", "size"),
    [
        (BRADLEY_TERRY, {}, "a b score weight", 24),
        (BRADLEY_TERRY, {"half_life": 9.0}, "a b score time weight", 32),
        (BRADLEY_TERRY, {"advantage": "fitted"}, "a b score side weight", 32),
        (MASSEY, {}, "a b score side weight margin", 40),
    ],
)
def test_what_is_kept_of_a_game(system, options, names, size):
    """The columns that the fit reads, and their bytes: 4 an id, 8 a number."""
    kept = KeptColumns(names=columns_of_fit(system, settings(system, options), WEIGHED))
    kept.add(WEIGHED)
    assert {*kept.names} == {*names.split()}
    assert kept.bytes_a_game == size


def test_a_table_of_a_fitted_stream_has_anchors_and_resamplings():
    """What a fit can be asked, and what needs the games."""
    asked = {"anchors": {"Bob": 1700.0}, "reference": "Cid", "level": 0.8}
    whole = fit_table(TABLE, BRADLEY_TERRY, **asked)
    stream = fit_stream(TablePieces(TABLE, CUTS), BRADLEY_TERRY, **asked)
    assert stream.leaderboard().to_csv() == whole.leaderboard().to_csv()
    assert stream.bootstrap(5).to_csv() == whole.bootstrap(5).to_csv()
    assert stream.forecast("Ann", "Dan") == whole.forecast("Ann", "Dan")
    with refused(BadArgument, "no_games_kept"):
        save(stream, "never.prowess")


def test_a_fit_that_needs_more_memory_is_refused():
    """Before the games are read, where files tell how many they are: 16 + 16 + 8 bytes each."""
    pieces = TablePieces(TABLE, CUTS)
    players = 4 * 164
    pieces.rows = 1000
    fit_stream(pieces, BRADLEY_TERRY, memory=MemoryLimit(40_000 + players))
    with refused(Unratable, "memory_too_small", about=("--memory", "1,000")):
        fit_stream(pieces, BRADLEY_TERRY, memory=MemoryLimit(39_999))
    pieces.rows = None
    with refused(Unratable, "memory_too_small", about="between"):
        fit_stream(pieces, BRADLEY_TERRY, memory=MemoryLimit(950))


def test_a_fit_of_no_games_is_refused():
    """With the first day."""
    with refused(Unratable, "empty_table", about=("2019-04-14", "as_of")):
        fit_stream(TablePieces(TABLE, CUTS), BRADLEY_TERRY, as_of=17_000.0)
