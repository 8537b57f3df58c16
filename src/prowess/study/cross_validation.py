"""Cross-validation: every fold of a table is forecast by a system that learnt from all others.

For tables without time, such as votes and round robins. A whole-table system is fitted to the other
folds. A dynamic system plays them in the order of the table and then forecasts without learning. In
a table with dates these forecasts know later games, other than those of a backtest.

Source: S. Geisser, "The predictive sample reuse method with applications", JASA 70 (1975) 320.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Truths
from prowess.engine.cluster.machine import one_thread
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.fit import fit_table
from prowess.engine.params import display_settings, settings
from prowess.engine.periods import rounds_of
from prowess.engine.replay import forecast_frozen, play
from prowess.engine.state import State, initial_state, rows_at
from prowess.engine.system import Dynamic, Unratable, no_finite_rating
from prowess.engine.table import (
    has_sides,
    idle_advantage,
    refuse_unratable,
)
from prowess.games.reading import format_count
from prowess.study.backtest import Backtest, forecast_from_fit, refuse_refits
from prowess.study.judging import (
    TABLE_REFUSALS,
    Selection,
    SideAdvantage,
    Trials,
    backtest_forecast,
    fit_advantage,
    gather_results,
    knows_sides,
    note_interrupt,
)
from prowess.study.scores import BaseRate, base_rate, column_of_entries

if TYPE_CHECKING:
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games
    from prowess.study.folds import Folds


def cross_validate(
    table: Games,
    system: Dynamic | WholeTable,
    folds: Folds,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> Backtest:
    """Forecast every row of a table from the folds that it is not in.

    Players who are not in them are newcomers to a dynamic system; for a whole-table system the base
    rate stands in. Raises NoForecast for a system without a model, and whatever rating raises.
    """
    given = CrossValidation(table, system, period, dict(params or {}), folds=folds)
    given.refuse_table()
    with one_thread:
        return given.merge([given.forecast_fold(fold) for fold in range(folds.count)])


def forecast_apart(
    table: Games,
    system: Dynamic | WholeTable,
    held: Truths,
    *,
    period: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> tuple[Floats, Floats | None]:
    """Forecast the games held back from all others, as `cross_validate` does: expected, draw.

    Raises NoForecast for a system without a model, and whatever rating raises.
    """
    given = CrossValidation(table, system, period, dict(params or {}))
    given.refuse_table()
    found = given.forecast(held)
    given.notes([found])
    return found.expected, found.draw if found.has_draws else None


def cross_validate_base_rate(table: Games, folds: Folds) -> Backtest:
    """Forecast every game by the base rate of the other folds, which knows no player."""
    begun = perf_counter()
    expected, draw = np.empty(len(table)), np.empty(len(table))
    for fold in range(folds.count):
        held = folds.number == fold
        expected[held], draw[held] = base_rate_apart(table, held)
    return Backtest(
        name="base_rate",
        table=table,
        expected=expected,
        draw=draw,
        judged=np.ones(len(table), dtype=np.bool_),
        seconds=perf_counter() - begun,
        folds=folds,
    )


def base_rate_apart(table: Games, held: Truths) -> BaseRate:
    """Return the base rate of the other games for those held back, [held] each."""
    order = np.concatenate((np.flatnonzero(~held), np.flatnonzero(held)))
    late = held[order].astype(np.float64)  # games of one moment do not use each other
    found = base_rate(table.select(order).replace(time=late))
    return BaseRate(*(column[late > 0.0] for column in found))


class FoldForecast(NamedTuple):
    """The forecasts of the entries that are held back, and what a reader should know of them."""

    expected: Floats
    draw: Floats | None
    has_draws: bool  # whether the system gave `draw`: of a game without ratings it is a base rate
    advantages: tuple[float, ...] = ()  # fitted
    why_not: str = ""  # no advantage was fitted
    unknown: int = 0  # games of players without a rating
    refused: str = ""  # why the system was not fitted; empty: it was
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """One system, its settings, and the table whose folds it forecasts."""

    table: Games
    system: Dynamic | WholeTable
    period: str | None
    params: dict[str, Any]
    sides: bool = False  # a side advantage that is not in `params` is fitted to the other folds
    folds: Folds | None = None

    def refuse_table(self) -> None:
        """Raise whatever is wrong with system and table, whichever rows are held back."""
        if isinstance(self.system, Dynamic):
            refuse_unratable(self.system, self.table)
        else:
            refuse_refits(self.system, self.table, self.period)

    def forecast_fold(self, fold: int) -> FoldForecast:
        """Forecast the rows of a fold from all others."""
        assert self.folds is not None
        return self.forecast(self.folds.number == fold)

    def forecast(self, held: Truths) -> FoldForecast:
        """Forecast the rows held back from all others."""
        begun = perf_counter()
        others = self.table.select(~held)
        params, sides = self.params, SideAdvantage({})
        if self.sides:
            sides = fit_advantage(
                others,
                self.system,
                params=params,
                period=self.period,
                warm_up=1.0,
                where="the other folds have",
            )
            params = params | sides.setting
        forecast = self._forecast_others(params, others, held)
        values = tuple(value for value in sides.setting.values() if isinstance(value, float))
        seconds = perf_counter() - begun
        return forecast._replace(advantages=values, why_not=sides.why_not, seconds=seconds)

    def _forecast_others(
        self, params: Mapping[str, Any], others: Games, held: Truths
    ) -> FoldForecast:
        if not isinstance(self.system, Dynamic):
            return self._fit(self.system, params, others, held)
        p = settings(self.system, params)
        p, others, last = prepare_apart(self.system, p, self.table, held)
        state = play_out(self.system, p, others, self.period)
        if others.time is None and self.system.untimed > 0.0:  # all were seen at 0
            state = replace(state, rating=rows_at(state, self.system.untimed))
        expected, draw = forecast_frozen(state, last)
        return FoldForecast(expected, draw, draw is not None)

    def _fit(
        self, system: WholeTable, params: Mapping[str, Any], others: Games, held: Truths
    ) -> FoldForecast:
        expected, draw = np.full((2, len(self.table)), np.nan)
        expected[held], draw[held] = base_rate_apart(self.table, held)
        rows = np.flatnonzero(held)
        try:
            ratings = fit_table(others, system, params=params)
        except Unratable as error:
            return FoldForecast(expected[held], draw[held], False, refused=str(error))
        known, draws = forecast_from_fit(ratings, self.table, rows, expected, draw)
        return FoldForecast(expected[held], draw[held], draws, unknown=len(rows) - known)

    def merge(self, found: Sequence[FoldForecast]) -> Backtest:
        """The forecasts of all folds as one test; raises Unratable if no fold could be forecast."""
        assert self.folds is not None
        expected, draw = np.full((2, len(self.table.outcome)), np.nan)
        for fold, one in enumerate(found):
            entries = column_of_entries(self.table, self.folds.number == fold)
            expected[entries] = one.expected
            if one.draw is not None:
                draw[entries] = one.draw
        return Backtest(
            name=self.system.name,
            params=display_settings(self.system, settings(self.system, self.params)),
            table=self.table,
            period=self.period,
            expected=expected,
            draw=draw if any(one.has_draws for one in found) else None,
            judged=np.isfinite(expected),
            seconds=sum(one.seconds for one in found),
            notes=self.notes(found),
            folds=self.folds,
        )

    def notes(self, found: Sequence[FoldForecast]) -> tuple[str, ...]:
        """What a reader of the forecasts should know; raises Unratable if no fold could be."""
        refused = [one.refused for one in found if one.refused]
        if len(refused) == len(found):
            raise Unratable.of(
                "no_part_fitted.folds",
                system=self.system.name,
                tables=len(found),
                reason=refused[-1],
            )
        notes = []
        advantages = [value for one in found for value in one.advantages]
        if advantages:
            low, high = min(advantages), max(advantages)
            notes.append(f"side advantage fitted to the other folds: {low:g} to {high:g}")
        if why_not := next((one.why_not for one in found if one.why_not), ""):
            notes.append(f"side advantage 0: {why_not}")
        if refused:
            notes.append(f"refused {len(refused)} of {len(found)} folds; the base rate stands in")
        if unknown := sum(one.unknown for one in found):
            notes.append(
                f"{format_count(unknown, 'game')} of players not in the other folds: the base "
                "rate stands in"
            )
        return tuple(notes)


def prepare_apart(system: Dynamic, p: Any, table: Games, held: Truths) -> tuple[Any, Games, Games]:
    """Return the settings, the other games and those held back, as the system plays them.

    A system that prepares its table takes nothing from games held back. These are foreseen from the
    start of their moment, in a table without dates behind all others, each as the next game.
    """
    if table.time is None:
        order = np.argsort(held, kind="stable")
        table, held = table.select(order), held[order]
    foreseen = table
    if system.prepare is not None:
        p, table, foreseen = system.prepare(p, table, taught=~held, span=table.time)
    return p, table.select(~held), foreseen.select(held)


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


def select_folds(given: tuple[Games, Folds], one: Selection) -> CrossValidation:
    """The cross-validation of a selection, side advantages fitted."""
    table, folds = given
    return CrossValidation(table, one.system, one.period, one.params, sides=True, folds=folds)


def forecast_task(
    given: tuple[Games, Folds], task: tuple[Selection, int]
) -> FoldForecast | Exception:
    """Forecast a fold by a selection; the reason where the system refuses the table."""
    one, fold = task
    run = select_folds(given, one)
    try:
        run.refuse_table()
        return run.forecast_fold(fold)
    except TABLE_REFUSALS as reason:
        return reason


def run_folds(
    table: Games,
    selections: Sequence[Selection],
    folds: Folds,
    *,
    forecasts: Sequence[str] = (),
    workers: Workers = SERIAL,
    progress: Callable[[int, int], None] | None = None,
) -> Trials:
    """Cross-validate the base rate and each selection, side advantages fitted to other folds.

    Given `forecasts` are judged on all rows. A system that refuses the table is left out, with the
    reason; where every system refuses, the exception of the first is raised. `workers` share
    selections and folds. `progress` and an interrupt are as in `run_trials`.
    """
    tests = [cross_validate_base_rate(table, folds)] if table.pairwise else []
    notes = [f"cross-validation: {folds.how}"]
    if table.time is not None:
        notes.append(
            "forecasts know later games: the table has dates; without --folds only earlier games "
            "are used"
        )

    tasks = [(one, fold) for one in selections for fold in range(folds.count)]
    forecast = workers.map(forecast_task, tasks, shared=(table, folds))

    def merge(one: Selection) -> Backtest | Exception:
        parts = list(islice(forecast, folds.count))
        try:
            for part in parts:
                if isinstance(part, Exception):
                    return part
            return select_folds((table, folds), one).merge(parts)
        except TABLE_REFUSALS as reason:
            return reason

    found, refused, rest = gather_results(selections, map(merge, selections), progress)
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
