"""Cross-validation: every fold of a table is forecast by a system that learnt from all others.

For tables without time, such as votes and round robins. A whole-table system is fitted to the other
folds. A dynamic system plays them in the order of the table and then forecasts without learning. In
a table with dates these forecasts know later games, other than those of a backtest.

Source: S. Geisser, "The predictive sample reuse method with applications", JASA 70 (1975) 320.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.fit import fit_table, refuse_table
from prowess.engine.params import display_settings, settings
from prowess.engine.periods import rounds_of
from prowess.engine.replay import forecast_frozen, play
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic, Unratable, no_finite_rating
from prowess.engine.table import (
    has_sides,
    idle_advantage,
    refuse_unratable,
)
from prowess.games.reading import format_count
from prowess.study.backtest import Backtest, forecast_from_fit, refuse_silent
from prowess.study.given import backtest_forecast
from prowess.study.judging import (
    Selection,
    Trials,
    fit_advantage,
    judge_each,
    knows_sides,
    note_interrupt,
)
from prowess.study.lineups import check_duels
from prowess.study.scores import BaseRate, base_rate, column_of_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games
    from prowess.study.folds import Folds

    Floats = NDArray[np.float64]


def cross_validate(
    table: Games,
    system: Dynamic | WholeTable,
    folds: Folds,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
    sides: bool = False,
) -> Backtest:
    """Forecast every row of a table from the folds that it is not in.

    With `sides` a side advantage that is not in `params` is fitted to those folds too. Players who
    are not in them are newcomers to a dynamic system; for a whole-table system the base rate stands
    in. Raises NoForecast for a system without a model, and whatever rating raises.
    """
    begun = perf_counter()
    run = _Run(table, system, period, dict(params or {}), sides)
    for fold in range(folds.count):
        run.forecast(folds.number == fold)
    return Backtest(
        name=system.name,
        params=display_settings(system, settings(system, run.params)),
        table=table,
        period=period,
        expected=run.expected,
        draw=run.draw if run.has_draws else None,
        judged=np.isfinite(run.expected),
        seconds=perf_counter() - begun,
        notes=run.notes(folds.count),
        folds=folds,
    )


def forecast_apart(
    table: Games,
    system: Dynamic | WholeTable,
    held: NDArray[np.bool_],
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> tuple[Floats, Floats | None]:
    """Forecast the games held back from all others, as `cross_validate` does: expected, draw.

    Raises NoForecast for a system without a model, and whatever rating raises.
    """
    run = _Run(table, system, period, dict(params or {}), sides=False)
    run.forecast(held)
    run.notes(1)
    return run.expected[held], run.draw[held] if run.has_draws else None


def cross_validate_base_rate(table: Games, folds: Folds) -> Backtest:
    """Forecast every game by the base rate of the other folds, which knows no player."""
    begun = perf_counter()
    expected, draw = np.empty(len(table)), np.empty(len(table))
    for fold in range(folds.count):
        held = folds.number == fold
        expected[held], draw[held] = base_rate_apart(table, held)
    return Backtest(
        name="base_rate",
        params={},
        table=table,
        period=None,
        expected=expected,
        draw=draw,
        judged=np.ones(len(table), dtype=np.bool_),
        seconds=perf_counter() - begun,
        folds=folds,
    )


def base_rate_apart(table: Games, held: NDArray[np.bool_]) -> BaseRate:
    """Return the base rate of the other games for those held back, [held] each."""
    order = np.concatenate((np.flatnonzero(~held), np.flatnonzero(held)))
    late = held[order].astype(np.float64)  # games of one moment do not use each other
    found = base_rate(table.select(order).replace(time=late))
    return BaseRate(*(column[late > 0.0] for column in found))


class _Run:
    """The forecasts of one system, fold by fold."""

    def __init__(
        self,
        table: Games,
        system: Dynamic | WholeTable,
        period: str | None,
        params: dict[str, Any],
        sides: bool,
    ) -> None:
        self.table, self.system, self.period = table, system, period
        self.params, self.sides = params, sides
        self.expected = np.full(len(table.outcome), np.nan)
        self.draw = np.full(len(table.outcome), np.nan)
        self.advantages: list[float] = []
        self.why_not = ""
        self.has_draws = False
        self.unknown = self.refused = 0
        if isinstance(system, Dynamic):
            refuse_unratable(system, table)
        else:
            if period is not None:
                raise Unratable(f"leave the period out: {system.name} fits the whole table at once")
            refuse_silent(system)
            refuse_table(system, table)
            check_duels(table, f"a test of {system.name}")

    def forecast(self, held: NDArray[np.bool_]) -> None:
        """Forecast the rows held back from all others."""
        others = self.table.select(~held)
        params = self.params
        if self.sides:
            found = fit_advantage(
                others,
                self.system,
                params=params,
                period=self.period,
                warm_up=1.0,
                where="the other folds have",
            )
            self.why_not = self.why_not or found.why_not
            params = params | found.setting
            self.advantages += [v for v in found.setting.values() if isinstance(v, float)]
        if isinstance(self.system, Dynamic):
            self._play(self.system, params, held)
        else:
            self._fit(self.system, params, others, held)

    def _play(self, system: Dynamic, params: Mapping[str, Any], held: NDArray[np.bool_]) -> None:
        p, others, last = prepare_apart(system, settings(system, params), self.table, held)
        state = play_out(system, p, others, self.period)
        expected, draw = forecast_frozen(state, last)
        entries = column_of_entries(self.table, held)
        self.expected[entries] = expected
        if draw is not None:
            self.draw[entries], self.has_draws = draw, True

    def _fit(
        self, system: WholeTable, params: Mapping[str, Any], others: Games, held: NDArray[np.bool_]
    ) -> None:
        self.expected[held], self.draw[held] = base_rate_apart(self.table, held)
        rows = np.flatnonzero(held)
        try:
            ratings = fit_table(others, system, params=params)
        except Unratable as error:
            self.refused += 1
            self.why_refused = str(error)
            return
        known, draws = forecast_from_fit(ratings, self.table, rows, self.expected, self.draw)
        self.unknown += len(rows) - known
        self.has_draws = self.has_draws or draws

    def notes(self, folds: int) -> tuple[str, ...]:
        """What a reader of the forecasts should know; raises Unratable if no fold could be."""
        if self.refused == folds:
            raise Unratable(
                f"choose another system: {self.system.name} could not be fitted to any of the "
                f"{folds} tables without one fold: {self.why_refused}"
            )
        notes = []
        if self.advantages:
            low, high = min(self.advantages), max(self.advantages)
            notes.append(f"side advantage fitted to the other folds: {low:g} to {high:g}")
        if self.why_not:
            notes.append(f"side advantage 0: {self.why_not}")
        if self.refused:
            notes.append(f"refused {self.refused} of {folds} folds; the base rate stands in")
        if self.unknown:
            notes.append(
                f"{format_count(self.unknown, 'game')} of players not in the other folds: the base "
                "rate stands in"
            )
        return tuple(notes)


def prepare_apart(
    system: Dynamic, p: Any, table: Games, held: NDArray[np.bool_]
) -> tuple[Any, Games, Games]:
    """Return the settings, the other games and those held back, as the system plays them.

    A system that prepares its table sees those held back last, so that what it takes from the
    opening of a table is not from them; in a table with dates it sees all games in their order.
    """
    order = np.concatenate((np.flatnonzero(~held), np.flatnonzero(held)))
    if system.prepare is not None and table.time is not None:
        p, table = system.prepare(p, table)
        return p, table.select(~held), table.select(held)
    table = table.select(order)
    if system.prepare is not None:
        p, table = system.prepare(p, table)
    count = len(table) - int(held.sum())
    return p, table.first(count), table.select(slice(count, None))


def play_out(system: Dynamic, p: Any, table: Games, period: str | None) -> State:
    """Return the state after a table that is prepared; raises Unratable, BadRounds, BadPeriod."""
    rounds = rounds_of(system, table, period)
    if rounds.order is not None:
        table = table.select(rounds.order)
    state = initial_state(system, p, len(table.players), {}, table)
    with np.errstate(all="ignore"):
        play(state, table, rounds)
    if not np.isfinite(state.rating).all():
        name = table.players[int(np.flatnonzero(~np.isfinite(state.rating).all(axis=1))[0])]
        raise no_finite_rating(system, name)
    return state


def run_folds(
    table: Games,
    selections: Sequence[Selection],
    folds: Folds,
    *,
    forecasts: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Trials:
    """Cross-validate the base rate and each selection, side advantages fitted to other folds.

    Given `forecasts` are judged on all rows. A system that refuses the table is left out, with the
    reason; where every system refuses, the exception of the first is raised. `progress` and an
    interrupt are as in `run_trials`.
    """
    tests = [cross_validate_base_rate(table, folds)] if table.pairwise else []
    notes = [f"cross-validation: {folds.how}"]
    if table.time is not None:
        notes.append(
            "forecasts know later games: the table has dates; without --folds only earlier games "
            "are used"
        )

    def judge(one: Selection) -> Backtest:
        return cross_validate(
            table, one.system, folds, period=one.period, params=one.params, sides=True
        )

    found, refused, rest = judge_each(selections, judge, progress)
    if refused and not found:
        raise next(iter(refused.values()))
    for one, test in found:
        tests.append(replace(test, name=one.label))
        given = settings(one.system, one.params)
        own = [*test.notes, *idle_advantage(one.system, given, table)]
        if has_sides(table) and not knows_sides(one.system):
            own.append("side advantage 0: the system has none")
        notes += [f"{one.label}: {note}" for note in own]
    notes += note_interrupt(rest)
    reasons = {label: str(reason) for label, reason in refused.items()}
    whole = (backtest_forecast(table, label, warm_up=0.0) for label in forecasts)
    tests.extend(replace(test, folds=folds) for test in whole)
    return Trials(tests, notes, reasons, [one for one, _ in found], bool(rest))
