"""Backtests: forecasts made only from earlier games, and their scores.

A dynamic system forecasts every game before it learns the result, so one run gives all forecasts. A
whole-table system is fitted again and again to all games so far; between two fits the last one
forecasts.

The base rate is the forecast without knowledge of players: the past share of wins of the first
side. A system that does not beat it has learnt nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import fit_table, refuse_table
from prowess.engine.leaderboard import find_player
from prowess.engine.params import display_settings
from prowess.engine.rate import rate
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.whole_table import WholeTable
from prowess.games.games import Games
from prowess.study import scores
from prowess.study.lineups import check_duels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    from prowess.games.games import Games


WARM_UP = 0.2  # share of the table that is played but not judged: all players were new there
REFITS = 40  # fits of a whole-table system, evenly over the games that are judged


class NoForecast(TypeError):
    """The system has no model of a game, so no forecasts to judge."""


@dataclass(frozen=True, eq=False)
class Backtest:
    """Forecasts of one system, and which of them are judged.

    `expected` has one entry a game (of contests of many: a side, the mean against the field),
    `draw` the chance of a draw where the system gives one (nan where it does not). `judged` says
    which entries count: those after the warm-up that can be forecast.
    """

    name: str
    params: dict[str, Any]
    table: Games
    period: str | None
    expected: Floats
    draw: Floats | None
    judged: NDArray[np.bool_]
    seconds: float
    notes: tuple[str, ...] = ()

    @cached_property
    def outcome(self) -> Floats:
        """What is forecast: the score, in contests the share of the field beaten."""
        return self.table.outcome

    @property
    def three_way(self) -> bool:
        """Whether the system gives chances of win, draw and loss."""
        return self.draw is not None

    @cached_property
    def losses(self) -> dict[str, Floats]:
        """Every score of every judged entry, in order of the table, [judged] each."""
        rows = self.judged
        outcome, expected = self.outcome[rows], self.expected[rows]
        if not self.table.pairwise:
            return {"brier": scores.brier(outcome, expected)}
        found = {
            "log_loss": scores.log_loss(outcome, expected),
            "brier": scores.brier(outcome, expected),
            "accuracy": scores.accuracy(outcome, expected),
        }
        if self.draw is not None:
            three = (outcome, expected, self.draw[rows])
            found["log_loss_3"] = scores.three_way_log_loss(*three)
            found["brier_3"] = scores.three_way_brier(*three)
            found["ranked_probability"] = scores.ranked_probability(*three)
        return found

    @cached_property
    def weight(self) -> Floats:
        """The weight of each judged entry."""
        return scores.entry_weight(self.table)[self.judged]

    @cached_property
    def scores(self) -> dict[str, float]:
        """The mean of every score over the judged entries; nan where none is left."""
        found = {name: weighted_mean(loss, self.weight) for name, loss in self.losses.items()}
        if not self.table.pairwise:
            held = np.unique(self.table.contest_of_side[self.judged])
            ordered = scores.concordance(self.table.place, self.expected, self.table.start)[held]
            found["concordance"] = weighted_mean(ordered, np.ones(len(held)))
        return found

    @property
    def count(self) -> int:
        """The number of judged entries."""
        return int(self.judged.sum())

    def only(self, rows: NDArray[np.bool_]) -> Backtest:
        """Return the same forecasts, judged on fewer entries."""
        return replace(self, judged=self.judged & rows)


def weighted_mean(values: Floats, weight: Floats) -> float:
    """Return the weighted mean of the finite values; nan without any."""
    known = np.isfinite(values)
    total = weight[known].sum()
    return float((values[known] * weight[known]).sum() / total) if total > 0 else float("nan")


def backtest(
    table: Games,
    system: Dynamic | WholeTable,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
    warm_up: float = WARM_UP,
    refits: int = REFITS,
    compiled: bool | None = None,
    anchors: Mapping[str, float] | None = None,
) -> Backtest:
    """Forecast every game of a table from the games before it.

    The first `warm_up` share of the table is played and not judged. A whole-table system is
    fitted `refits` times, its `anchors` held from their first game on. `compiled` None chooses
    by size, as rating does. Raises NoForecast for a system without a model, ValueError for a
    warm-up outside [0, 1), and whatever rating raises.
    """
    if not 0.0 <= warm_up < 1.0:
        raise ValueError(f"give a warm-up from 0 to below 1, not {warm_up:g}")
    begun = perf_counter()
    draw: Floats | None = None
    notes: tuple[str, ...] = ()
    if isinstance(system, Dynamic):
        ratings = rate(
            table, system, period=period, forecasts=True, compiled=compiled, params=params
        )
        assert ratings.forecasts is not None
        expected, draw, p = ratings.forecasts, ratings.draws, ratings.p
    else:
        if period is not None:
            raise Unratable(f"leave the period out: {system.name} fits the whole table at once")
        expected, draw, p, notes = _forecast_by_refitting(
            table, system, params, warm_up, refits, anchors or {}
        )
    judged = after_warm_up(table, warm_up) & np.isfinite(expected)
    return Backtest(
        name=system.name,
        params=display_settings(system, p),
        table=table,
        period=period,
        expected=expected,
        draw=draw,
        judged=judged,
        seconds=perf_counter() - begun,
        notes=notes,
    )


def base_rate_backtest(games: Games, warm_up: float = WARM_UP) -> Backtest:
    """Backtest the base rate, which knows no player."""
    begun = perf_counter()
    rate_so_far: BaseRate = base_rate(games)
    return Backtest(
        name="base_rate",
        params={},
        table=games,
        period=None,
        expected=rate_so_far.expected,
        draw=rate_so_far.draw,
        judged=after_warm_up(games, warm_up),
        seconds=perf_counter() - begun,
    )


def after_warm_up(table: Games, warm_up: float) -> NDArray[np.bool_]:
    """Return which entries come after the first share of the games (contests), [entries]."""
    late = np.arange(len(table)) >= warm_up * len(table)
    return scores.column_of_entries(table, late)


def _forecast_by_refitting(
    table: Games,
    system: WholeTable,
    params: Mapping[str, Any] | None,
    warm_up: float,
    refits: int,
    anchors: Mapping[str, float],
) -> tuple[Floats, Floats | None, Any, tuple[str, ...]]:
    """Return (expected, chance of a draw, p, notes) of a system refitted to growing tables."""
    if system.chances is None:
        raise NoForecast(
            f"leave {system.name} out, or take a system such as bradley_terry or elo: "
            "it ranks players and has no model of a game"
        )
    refuse_table(system, table)
    check_duels(table, f"a test of {system.name}")
    if refits < 1:
        raise ValueError(f"give at least one fit, not {refits}")
    base = base_rate(table)
    expected, draw = base.expected.copy(), base.draw.copy()
    side = np.zeros(len(table)) if table.side is None else table.side
    known_draws = False
    p: Any = None
    reason = "there are no games before those that are judged"
    unknown = refused = 0
    cuts = schedule(table, warm_up, refits)
    for first, last in pairwise(cuts):
        try:
            past = table.first(first)
            seen = set(np.unique(np.concatenate((past.a, past.b))).tolist())
            known = {
                name: r for name, r in anchors.items() if find_player(table.players, name) in seen
            }
            ratings = fit_table(past, system, params=params, anchors=known)
        except Unratable as error:
            reason = str(error)
            refused += 1
            unknown += last - first
            continue
        p = ratings.p
        for row in range(first, last):
            a, b = int(table.a[row]), int(table.b[row])
            if not (ratings.game_counts[a] and ratings.game_counts[b]):
                unknown += 1
                continue
            when = None if table.time is None else float(table.time[row])
            chances = ratings.chances(a, b, float(side[row]), when)
            expected[row] = chances.expected
            known_draws = known_draws or chances.draw is not None
            draw[row] = np.nan if chances.draw is None else chances.draw
    if p is None:
        raise Unratable(f"{system.name} could not be fitted to any part of this table: {reason}")
    notes = [f"fitted {len(cuts) - 1 - refused} times"]
    if refused:
        notes.append(f"refused {refused} times; the base rate stands in")
    if unknown:
        notes.append(f"{unknown:,} games of players not seen before: the base rate stands in")
    return expected, draw if known_draws else None, p, tuple(notes)


def schedule(games: Games, warm_up: float, refits: int) -> list[int]:
    """Return the rows before which to fit, then the end; games of one time stay together."""
    start = max(1, int(np.ceil(warm_up * len(games))))
    wanted = np.linspace(start, len(games), refits + 1)[:-1].astype(np.int64)
    if games.time is not None:
        wanted = games.time.searchsorted(games.time[np.minimum(wanted, len(games) - 1)])
    rows = sorted({int(row) for row in wanted if 0 < row < len(games)})
    return [*rows, len(games)]


class BaseRate(NamedTuple):
    """Expected score and chance of a draw from earlier games alone, [n] each."""

    expected: Floats
    draw: Floats


def base_rate(games: Games) -> BaseRate:
    """Return the mean score of the favoured side and the share of draws before every game.

    Games with and without a side advantage are counted apart; on neutral ground the expected
    score is 1/2. Each count begins with one imagined win, draw and loss. Games of one time do
    not use each other.
    """
    n = len(games)
    side = np.zeros(n) if games.side is None else games.side
    favoured = np.where(side < 0.0, 1.0 - games.score, games.score)
    first = _first_of_moment(games.time, n)
    with_side = side != 0.0
    score = np.full(n, 0.5)
    score[with_side] = _running(favoured, with_side, first, 1.5, 3.0)[with_side]
    expected = np.where(side < 0.0, 1.0 - score, score)
    drawn = (games.score == 0.5).astype(np.float64)
    draw = np.empty(n)
    for group in (with_side, ~with_side):
        draw[group] = _running(drawn, group, first, 1.0, 3.0)[group]
    # three chances of at least 0 must remain
    return BaseRate(expected, np.minimum(draw, 2.0 * np.minimum(expected, 1.0 - expected)))


def _first_of_moment(time: Floats | None, n: int) -> NDArray[np.int64]:
    """Return the first row of the same time as each row: the rows before it are the past."""
    rows = np.arange(n)
    if time is None or not n:
        return rows
    return np.maximum.accumulate(np.where(np.append(True, time[1:] != time[:-1]), rows, 0))


def _running(
    value: Floats,
    group: NDArray[np.bool_],
    first: NDArray[np.int64],
    imagined: float,
    imagined_games: float,
) -> Floats:
    """Return the mean of a group's values over all earlier times, [n]."""
    total = np.append(0.0, np.cumsum(np.where(group, value, 0.0)))
    count = np.append(0.0, np.cumsum(group))
    mean: Floats = (total[first] + imagined) / (count[first] + imagined_games)
    return mean
