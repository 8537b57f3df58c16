"""Backtests of several systems on one table: as they are, or with fitted side advantages.

The side advantage is fitted on the games of the warm-up, of which none is judged: a system that
ignores White or the home ground would lose a comparison for that reason alone. Forecasts
from elsewhere, such as a bookmaker's, are judged on the same games.

A benchmark is such a comparison by a protocol: one system as it is, the others tuned on earlier
games than those that judge all.

A table that was read with `forecast=` or `odds=` has expected scores under the label of each, and
chances of a draw under `LABEL draw` (`games/assembly/gathered.py`). `forecast_rows` writes columns
of the same form, at full precision, so that a reader can judge them elsewhere, or read them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from prowess.compile.numbers import Truths
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.fits.comparisons import expect_outcomes
from prowess.engine.fits.likelihood import RAO_KUPPER
from prowess.engine.losses import log_loss, outcomes, three_way_log_loss
from prowess.engine.params import BadSetting, settings
from prowess.engine.periods import (
    SPAN_BY_TABLE,
    BadRounds,
    choose_span,
    count_followers,
    number_spans,
)
from prowess.engine.system import Choice, Dynamic, Unratable
from prowess.engine.table import advantage_parameter, has_sides, idle_advantage
from prowess.games.arguments import BadArgument
from prowess.games.dates import format_date
from prowess.games.games import side_name
from prowess.games.reading import format_count
from prowess.study.backtest import (
    WARM_UP_SHARE,
    Backtest,
    NoForecast,
    after_warm_up,
    backtest,
    base_rate_backtest,
)
from prowess.study.compare import CHANCE_MARGIN, Comparison, compare
from prowess.study.log_odds import log_odds
from prowess.study.scores import column_of_entries, entry_weight, weighted_mean
from prowess.study.tuning.evaluation import EvaluationTask, Untunable

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games


T = TypeVar("T")

TABLE_REFUSALS = (Unratable, BadRounds, NoForecast)  # of a table by a system
FEWEST_JUDGED = 30  # games of two sides: of fewer the intervals of the scores say nothing
SLOW_SYSTEMS = {"posterior_mean", "iterated_mean", "smith_complete"}  # seconds a fit: only if named


class Selection(NamedTuple):
    """One system with the settings and the rating period it is to be run with."""

    label: str
    system: System
    params: dict[str, Any]
    period: str | None

    def with_settings(self, given: Mapping[str, float | str]) -> Selection:
        """The same with further settings, which its label then names."""
        if not given:
            return self
        rest, at, period = self.label.partition("@")
        label = f"{rest}{',' if ':' in rest else ':'}{format_settings(given)}{at}{period}"
        return self._replace(label=label, params={**self.params, **given})


class Trials(NamedTuple):
    """Backtests, notes for their reader, and the systems that refused the table, with reasons."""

    tests: list[Backtest]
    notes: list[str]
    refused: dict[str, str]  # by label
    played: list[Selection]  # those of the last tests, with fitted side advantages
    interrupted: bool = False  # whether it was ended (Ctrl-C) before all were judged


def format_settings(given: Mapping[str, Any]) -> str:
    """Settings in the label of a system: `k=20,advantage=60`, of a bank `k=8/16/32`."""
    return ",".join(f"{name}={_format_value(value)}" for name, value in given.items())


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "/".join(map(_format_value, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def select_forecasters(systems: Mapping[str, System]) -> list[Selection]:
    """Every system that forecasts games, the slow ones left out."""
    found = []
    for name, system in systems.items():
        if isinstance(system, Dynamic):
            period = "1mo" if system.rounds == "period" else None
            found.append(Selection(f"{name}@{period}" if period else name, system, {}, period))
        elif system.chances is not None and name not in SLOW_SYSTEMS:
            found.append(Selection(name, system, {}, None))
    return found


def backtest_selection(
    table: Games, one: Selection, warm_up: float, frozen: str | None = None
) -> Backtest:
    """The backtest of one selection, under its label; its period goes before `frozen`."""
    test = backtest(
        table, one.system, period=one.period, params=one.params, warm_up=warm_up,
        frozen=frozen if one.period is None else None,
    )  # fmt: skip
    return replace(test, name=one.label)


def run_trials(
    table: Games,
    selections: Sequence[Selection],
    warm_up: float = WARM_UP_SHARE,
    *,
    forecasts: Sequence[str] = (),
    workers: Workers = SERIAL,
    progress: Callable[[int, int], None] | None = None,
    frozen: str | None = SPAN_BY_TABLE,
    undo: str = "",
) -> Trials:
    """Backtest the base rate, given forecasts and each selection, side advantages fitted.

    `forecasts` are labels of the table's facts (`read_games`). A side advantage that is among the
    settings stays. A system that refuses the table is left out, with the reason; where every
    system refuses, the exception of the first is raised. `workers` share the selections. `frozen`
    is a span as in `rate`; by default a day, where the order within days is not known, and `undo`
    tells a note how that is left out. `progress` is called with the number of selections judged and
    of all. An interrupt (Ctrl-C) ends it with what is judged, if anything.
    """
    if ceil(warm_up * len(table)) >= len(table):
        raise too_few(table)
    tests = [base_rate_backtest(table, warm_up)]
    taken = {*(one.label for one in selections), *(test.name for test in tests)}
    for label in forecasts:
        test = backtest_forecast(table, label, warm_up)
        tests.append(replace(test, name=f"{label} (column)") if label in taken else test)
    unfitted: dict[str, list[str]] = {}  # labels by the reason
    notes = note_span(table, frozen, undo)
    frozen = choose_span(table, frozen)
    if table.time is None and table.round is None:
        notes.append(
            "no dates: games are judged forward, in the order of the rows as read (--folds 10 of "
            "prowess compare forecasts each part from all others)"
        )

    judged = workers.map(judge_selection, selections, shared=(table, warm_up, frozen))
    found, refused, rest = gather_results(selections, judged, progress)
    if refused and not found and not forecasts:
        raise next(iter(refused.values()))
    for one, (_, sides, test) in found:
        tests.append(replace(test, table=table))
        given = settings(one.system, one.params)
        notes += [f"{one.label}: {note}" for note in idle_advantage(one.system, given, table)]
        if sides.why_not:
            unfitted.setdefault(sides.why_not, []).append(one.label)
        elif has_sides(table) and not knows_sides(one.system):
            unfitted.setdefault("the system has none", []).append(one.label)
    notes += note_interrupt(rest)
    if any(sides.setting for _, (_, sides, _) in found):
        count = f"{ceil(warm_up * len(table)):,}"
        notes.append(
            f"side advantages that were not named are fitted to the {count} games of the warm-up, "
            "none of which is judged (advantage=fitted: to all games before each fit)"
        )
    notes += [f"side advantage 0: {', '.join(who)}: {why}" for why, who in unfitted.items()]
    reasons = {label: str(reason) for label, reason in refused.items()}
    return Trials(tests, notes, reasons, [fixed for _, (fixed, _, _) in found], bool(rest))


def note_span(table: Games, frozen: str | None, undo: str = "") -> list[str]:
    """What forecasts know of games of the same time, as a note; none where there are no such.

    `undo` says how a span that the table chose is left out.
    """
    span, count = choose_span(table, frozen), count_followers(table)
    verb, games = "follow" if count > 1 else "follows", format_count(len(table), table.unit)
    several = f"{count:,} of {games} {verb} another one of a player at the same time"
    if span is None:
        known = "their forecasts know its result, in the order of the file"
        return [f"{several}: {known}"] if count else []
    by_table = frozen == SPAN_BY_TABLE
    said = f"dates have no times, and {several}: " if by_table else ""
    undone = f" ({undo}: not)" if by_table and undo else ""
    others = "those of whole-table systems at their last fit, those with a period at its start"
    day = "such a day" if span == SPAN_BY_TABLE else f"each {span}"
    start = f"forecasts are made from the ratings as they stood at the start of {day}"
    return [f"{said}{start}{undone}; {others}"]


class Trial(NamedTuple):
    """A selection with its fitted side advantage, and its backtest, which leaves the table out."""

    fixed: Selection
    sides: SideAdvantage
    test: Backtest


def judge_selection(given: tuple[Games, float, str | None], one: Selection) -> Trial | Exception:
    """Fit the side advantage and backtest; the reason where the system refuses the table."""
    table, warm_up, frozen = given
    try:
        sides = fit_advantage(
            table, one.system, params=one.params, period=one.period, warm_up=warm_up
        )
        fixed = one.with_settings(sides.setting)
        test = backtest_selection(table, fixed, warm_up, frozen)
    except TABLE_REFUSALS as reason:
        return reason
    nothing: Any = None  # the table is where the tests are gathered
    return Trial(fixed, sides, replace(test, table=nothing))


def gather_results(
    selections: Sequence[Selection],
    results: Iterator[T | Exception],
    progress: Callable[[int, int], None] | None,
) -> tuple[list[tuple[Selection, T]], dict[str, Exception], Sequence[Selection]]:
    """Gather the result of each selection, the refusals by label, and the rest.

    The rest is what an interrupt (Ctrl-C) left; before anything is judged it is raised again.
    """
    found: list[tuple[Selection, T]] = []
    refused: dict[str, Exception] = {}
    rest: Sequence[Selection] = ()
    for number, one in enumerate(selections):
        if progress is not None:
            progress(number, len(selections))
        try:
            result = next(results)
        except KeyboardInterrupt:
            if not found:
                raise
            rest = selections[number:]
            break
        if isinstance(result, Exception):
            refused[one.label] = result
        else:
            found.append((one, result))
    if progress is not None:
        progress(len(selections), len(selections))
    return found, refused, rest


def group_refusals(refused: Mapping[str, str]) -> list[tuple[str, str]]:
    """The systems left out for one reason, joined, with that reason; each reason once.

    A system's own name in its reason is no difference between reasons.
    """
    labels: dict[str, list[str]] = {}
    for label, why in refused.items():
        name = label.partition(":")[0].partition("@")[0]
        labels.setdefault(why.replace(name, "it") if name in why else why, []).append(label)
    return [
        (", ".join(who), refused[who[0]] if len(who) == 1 else why) for why, who in labels.items()
    ]


def too_few(table: Games) -> Unratable:
    """The error for a table of which too few games, or none, could be judged."""
    return Unratable.of(
        "too_few_games.judging", unit=table.unit, games=len(table), fewest=FEWEST_JUDGED
    )


def refuse_few_games(table: Games) -> None:
    """Raise Unratable for a table of games that are too few to compare all systems."""
    if table.pairwise and len(table) < FEWEST_JUDGED:
        raise too_few(table)


def note_interrupt(rest: Sequence[Selection]) -> list[str]:
    """The note of an interrupt, with what is not judged; none where all are."""
    names = ", ".join(one.label for one in rest)
    return [f"interrupted: not judged are {names}"] if rest else []


def compare_beside(
    table: Games,
    own: Backtest | None,
    selections: Sequence[Selection],
    judge: Callable[..., Trials] = run_trials,
) -> tuple[Comparison | None, list[str]]:
    """Judge selections, by default as `run_trials` does, beside a backtest of one's own.

    Returns the comparison, None if too few are left, and notes. A system that refuses the table is
    left out, and so is one with the forecasts of another.
    """
    try:
        found = judge(table, selections)
    except TABLE_REFUSALS as reason:
        return None, [f"no comparison: {reason}"]
    notes = [
        f"left out of the comparison: {who}: {why}" for who, why in group_refusals(found.refused)
    ]
    tests = [] if own is None else [own]
    for test in found.tests:
        if not any(np.array_equal(test.expected, other.expected) for other in tests):
            tests.append(test)
    try:
        made = compare(tests)
    except ValueError as reason:
        return None, [*notes, f"no comparison: {reason}"]
    return replace(made, notes=(*found.notes, *made.notes)), notes


FITTED_CHOICE = "fitted"  # the choice of systems that fit an advantage themselves


OPENING_SHARE = 0.2  # of the warm-up that only plays: all players were new there


FEWEST_SIDED = 30  # games with sides for a fit


PRECISION = 15_000  # parts of the range that the search distinguishes
FIRST_STEPS = 64  # parts of the range, of which the first step of the search is one


# whole-table systems are fitted once a value, to the first half of the warm-up; some eight values
# are tried, which finds the advantage to about its standard error in a thousand games
LEARNT, COARSE = 0.5, 100


class SideAdvantage(NamedTuple):
    """The fitted setting, or why nothing was fitted; both empty: nothing to fit."""

    setting: dict[str, float | str]
    why_not: str = ""


def knows_sides(system: System) -> bool:
    """Whether a system has an advantage of sides: a parameter, or one that it learns or fits."""
    learnt = {*system.uses, *getattr(system, "roles", ())}
    return advantage_parameter(system) is not None or "side" in learnt


def fit_advantage(
    table: Games,
    system: Dynamic | WholeTable,
    *,
    params: Mapping[str, Any],
    period: str | None,
    warm_up: float,
    where: str = "the warm-up has",
) -> SideAdvantage:
    """Fit the side advantage with the lowest log loss on the warm-up, to three digits.

    `where` is what the reason calls the warm-up. Nothing is fitted if `params` names it, the table
    has no sides, or the system has no such parameter. A system that can fit one itself gets that
    choice.
    """
    one = advantage_parameter(system)
    if one is None or one.name in params or not has_sides(table):
        return SideAdvantage({})
    if isinstance(one.domain, Choice):
        return SideAdvantage({one.name: FITTED_CHOICE} if FITTED_CHOICE in one.domain.words else {})
    early = table.first(ceil(warm_up * len(table)))
    opening = OPENING_SHARE if isinstance(system, Dynamic) else LEARNT
    played = early.select(slice(ceil(opening * len(early)), None))
    sided = 0 if played.side is None else int((played.side != 0.0).sum())
    if sided < FEWEST_SIDED:
        games = format_count(sided, "game")
        return SideAdvantage({}, f"{where} {games} with sides, {FEWEST_SIDED} are needed")
    if isinstance(system, Dynamic):
        task = EvaluationTask(early, system, period, params, "log_loss", OPENING_SHARE)
        tolerance = (one.domain.high - one.domain.low) / PRECISION

        def loss(value: float) -> float:
            return task.score({one.name: value})
    else:
        tolerance = (one.domain.high - one.domain.low) / COARSE

        def loss(value: float) -> float:
            return loss_of_fits(early, system, {**params, one.name: value})

    found = find_lowest(loss, one.domain.low, one.domain.high, tolerance)
    value, none = float(f"{found:.3g}"), min(max(0.0, one.domain.low), one.domain.high)
    if not isfinite(lowest := loss(value)):
        return SideAdvantage({}, "no value of it gives finite ratings")
    return SideAdvantage({one.name: value if lowest <= loss(none) else none})


def loss_of_fits(table: Games, system: WholeTable, params: Mapping[str, Any]) -> float:
    """The log loss of a whole-table system in the second half of a table; inf without a fit."""
    try:
        test = backtest(table, system, params=params, warm_up=LEARNT, refits=1)
    except Unratable:
        return inf
    return test.scores["log_loss"]


def find_lowest(loss: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Return where a function is lowest, to a tolerance: in the valley that begins at 0.

    The search goes outwards from 0, or from the nearer end, in steps that double while the loss
    falls, and then between the last three. Far from 0 every game may be certain, where a search
    of the whole range would end. No place is returned that is worse than the beginning.
    """
    from scipy.optimize import minimize_scalar

    known: dict[float, float] = {}

    def ask(x: float) -> float:
        x = min(max(x, low), high)
        if x not in known:
            found = loss(x)
            known[x] = found if isfinite(found) else inf
        return known[x]

    begin = min(max(0.0, low), high)
    step = max((high - low) / FIRST_STEPS, tolerance)
    while min(ask(begin + step), ask(begin - step)) >= ask(begin) and step > tolerance:
        step /= 4.0
    if ask(begin - step) < ask(begin + step):
        step = -step
    if ask(begin + step) < ask(begin):
        before = begin
        while low < begin + step < high and ask(begin + 2.0 * step) < ask(begin + step):
            before, step = begin + step, 2.0 * step
        ends = sorted(min(max(x, low), high) for x in (before, begin + 2.0 * step))
    else:
        ends = [max(low, begin - abs(step)), min(high, begin + abs(step))]
    minimize_scalar(ask, bounds=ends, method="bounded", options={"xatol": tolerance})
    return min(known, key=lambda x: (known[x], abs(x - begin)))


# -- benchmarks --


WEEK, FEWEST_WEEKS = "7d", 10  # frozen by the week where so many weeks are judged


class Protocol(NamedTuple):
    """How a benchmark is made.

    `default` is judged as it is. For each of `tuned` at most `budget` settings are searched. The
    games of the first `warm_up` share only play, those up to `until` decide, the rest judges.
    Forecasts that judge, and to which the scale of the tuned is fitted, are `frozen` as in a
    backtest; by the table ("auto") that is a week (`choose_week`).
    """

    default: Selection
    tuned: Sequence[Selection]
    warm_up: float = WARM_UP_SHARE
    until: float = 0.6
    frozen: str | None = SPAN_BY_TABLE
    budget: int = 1000


def run_protocol(
    table: Games,
    protocol: Protocol,
    *,
    workers: Workers = SERIAL,
    progress: Callable[[int, int], None] | None = None,
) -> Trials:
    """Backtest the base rate, the default as it is, and the tuned systems by a protocol.

    Slope, side advantage and width of draws of all but the default are fitted (`calibrate`), so
    that no system loses for its scale, or for having no model of draws. A system that refuses the
    table is left out, with the reason; where the default or every other refuses, it is raised.
    """
    if ceil(protocol.until * len(table)) >= len(table):
        raise too_few(table)
    span = choose_week(table, protocol)
    notes = note_span(table, span)
    selections = [protocol.default, *protocol.tuned]
    judged = workers.map(judge_by_protocol, selections, shared=(table, protocol, span))
    found, refused, rest = gather_results(selections, judged, progress)
    if refused and (protocol.default.label in refused or len(found) < 2):
        raise next(iter(refused.values()))
    tests = [base_rate_backtest(table, protocol.until)]
    tests += [replace(trial.test, table=table) for _, trial in found]
    reasons = {label: str(reason) for label, reason in refused.items()}
    notes += note_interrupt(rest)
    return Trials(tests, notes, reasons, [trial.fixed for _, trial in found], bool(rest))


def choose_week(table: Games, protocol: Protocol) -> str | None:
    """The span of a protocol; by the table it is a week where ten weeks or more are judged, else
    that of `choose_span`.
    """
    if protocol.frozen == SPAN_BY_TABLE and table.time is not None:
        late = number_spans(table, WEEK)[ceil(protocol.until * len(table)) :]
        if len(np.unique(late)) >= FEWEST_WEEKS:
            return WEEK
    return choose_span(table, protocol.frozen)


def judge_by_protocol(
    given: tuple[Games, Protocol, str | None], one: Selection
) -> Trial | Exception:
    """Tune a system and backtest it; the reason where it refuses the table."""
    table, protocol, span = given
    nothing: Any = None  # the table is where the tests are gathered
    try:
        if one.label == protocol.default.label:
            test = backtest_selection(table, one, protocol.until, span)
            return Trial(one, SideAdvantage({}), replace(test, table=nothing))
        best = tune_selection(table, one, protocol)
        test = backtest_selection(table, best, protocol.warm_up, span)
    except TABLE_REFUSALS as reason:
        return reason
    late = after_warm_up(table, protocol.until)
    test = calibrate(test, test.judged & ~late)
    test = replace(
        test, name=one.label, params=best.params, judged=test.judged & late, table=nothing
    )
    return Trial(best, SideAdvantage({}), test)


def tune_selection(table: Games, one: Selection, protocol: Protocol) -> Selection:
    """The selection with the settings that forecast the games that decide best, row by row.

    A system that fits the whole table, a bank, and one without a number to search stay as they are.
    """
    from prowess.study.tuning.tune import tune

    if not isinstance(one.system, Dynamic):
        return one
    try:
        found = tune(
            table, one.system, params=one.params, period=one.period, warm_up=protocol.warm_up,
            until=protocol.until, budget=protocol.budget,
        )  # fmt: skip
    except (BadSetting, Untunable):
        return one
    return one.with_settings(found.setting)


def calibrate(test: Backtest, fitted: Truths) -> Backtest:
    """Fit the scale of forecasts, the worth of the side and the width of draws to some entries.

        win, loss    sigma(s z + h side - c), sigma(-s z - h side - c); the rest is a draw

    z is the log odds of the expected score. c is 0 where no draw is among those entries. What is
    lowest is the log loss; where there are draws, that of win, draw and loss.
    """
    from scipy.optimize import minimize

    table, outcome = test.table, test.outcome[fitted]
    z = log_odds(test.expected, CHANCE_MARGIN)
    side = np.zeros(len(z)) if table.side is None or not table.pairwise else table.side
    drawn = table.pairwise and (outcomes(outcome) >= 0).all()
    draws = drawn and bool((outcome == 0.5).any())
    weight = entry_weight(table)[fitted]

    def forecast(v: Any, rows: Any) -> tuple[Any, Any]:
        scale, worth, root = v
        return expect_outcomes(RAO_KUPPER, scale * z[rows] + worth * side[rows], root * root)

    def mean_loss(some: Any) -> float:
        v[free] = some
        expected, draw = forecast(v, fitted)
        if draws:
            return weighted_mean(three_way_log_loss(outcome, expected, draw), weight)
        return weighted_mean(log_loss(outcome, expected), weight)

    v, free = np.array([1.0, 0.0, float(draws)]), np.array([True, bool(side.any()), draws])
    v[free] = minimize(mean_loss, v[free]).x
    expected, draw = forecast(v, slice(None))
    return replace(test, expected=expected, draw=draw if draws else None, pair_losses=None)


# --- forecasts as columns -------------------------------------------------------------------------


def backtest_forecast(table: Games, label: str, warm_up: float = WARM_UP_SHARE) -> Backtest:
    """Take the forecast of that label among the facts of a table as a backtest.

    Games without a forecast are not judged. Raises ValueError for a label that the table lacks.
    """
    if label not in table.facts or label in table.labels or not table.pairwise:
        known = ", ".join(name for name in table.facts if name not in table.labels)
        only = f", only {known}" if known else ""
        raise BadArgument.of("no_such_forecast", label=label, only=only)
    expected = table.facts[label]
    return Backtest(
        name=label,
        table=table,
        expected=expected,
        draw=table.facts.get(f"{label} draw"),
        judged=after_warm_up(table, warm_up) & np.isfinite(expected),
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
