"""Forecasts as columns: forecasts from elsewhere to be judged, forecasts of systems to be written.

A table that was read with `forecast=` or `odds=` has expected scores under the label of each, and
chances of a draw under `LABEL draw` (`games/roles/forecasts.py`). `forecast_rows` writes columns of
the same form, at full precision, so that a reader can judge them elsewhere, or read them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.arguments import BadArgument
from prowess.games.dates import format_date
from prowess.games.games import side_name
from prowess.study.backtest import WARM_UP_SHARE, Backtest, after_warm_up
from prowess.study.scores import column_of_entries

if TYPE_CHECKING:
    from prowess.games.games import Games


def backtest_forecast(table: Games, label: str, warm_up: float = WARM_UP_SHARE) -> Backtest:
    """Take the forecast of that label among the facts of a table as a backtest.

    Games without a forecast are not judged. Raises ValueError for a label that the table lacks.
    """
    if label not in table.facts or label in table.labels or not table.pairwise:
        known = ", ".join(name for name in table.facts if name not in table.labels)
        raise BadArgument(
            f"read the table with forecast={label!r} or odds=...: it has no forecast {label!r}"
            + (f", only {known}" if known else ""),
            code="no_such_forecast",
        )
    expected = table.facts[label]
    return Backtest(
        name=label,
        params={},
        table=table,
        period=None,
        expected=expected,
        draw=table.facts.get(f"{label} draw"),
        judged=after_warm_up(table, warm_up) & np.isfinite(expected),
        seconds=0.0,
    )


def forecast_rows(tests: Sequence[Backtest]) -> Iterator[list[Any]]:
    """A header, then a row for each entry that every test judges: who, what happened, forecasts.

    An entry is a game, or a side of a contest of many; the first column is the number of the game
    in order of time. Expected scores stand under the name of a system, chances of a draw under
    `NAME draw`, both of the first side.
    """
    table = tests[0].table
    entries = np.flatnonzero(np.logical_and.reduce([test.judged for test in tests]))
    contest = column_of_entries(table, np.arange(len(table), dtype=np.int64))[entries]
    columns: dict[str, Any] = {"game": (contest + 1).tolist()}
    if table.time is not None:
        columns["date"] = [format_date(day) for day in table.time[contest].tolist()]
    if table.pairwise:
        columns["player_a"] = [side_name(table, 2 * game) for game in contest.tolist()]
        columns["player_b"] = [side_name(table, 2 * game + 1) for game in contest.tolist()]
        columns["score"] = table.score[entries].tolist()
        if table.side is not None:
            columns["side"] = table.side[entries].astype(np.int64).tolist()
    else:
        columns["player"] = [side_name(table, side) for side in entries.tolist()]
        columns["beaten"] = table.outcome[entries].tolist()
    if table.weight is not None:
        columns["weight"] = table.weight[contest].tolist()
    for test in tests:
        columns[test.name] = test.expected[entries].tolist()
        if test.draw is not None:
            columns[f"{test.name} draw"] = [
                value if np.isfinite(value) else "" for value in test.draw[entries].tolist()
            ]
    yield list(columns)
    yield from map(list, zip(*columns.values(), strict=True))
