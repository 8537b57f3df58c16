"""Tune a system: search for the constants that forecast a table best.

The table is cut in time: the first games only play, the next ones are searched, the last ones judge
the result and are never seen by the search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.params import BadSetting, Bank, HasParams, settings
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.whole_table import WholeTable, two_sided_quantile
from prowess.games.games import Games
from prowess.study.compare import MIN_BLOCKS, consecutive_blocks, lag_behind
from prowess.study.scores import default_metric
from prowess.study.tuning.evaluation import (
    BudgetSpent,
    Evaluated,
    Evaluations,
    EvaluationTask,
    Untunable,
)
from prowess.study.tuning.outcome import (
    LaterGames,
    TunedParameter,
    TuningResult,
    curvature,
    round_to_deviation,
    serving_intervals,
)
from prowess.study.tuning.search import (
    STARTS,
    LocalSearch,
    SearchEnd,
    choose_starts,
    coarse_grid,
    latin_hypercube,
    local_searches,
    optuna,
    search_together,
)
from prowess.study.tuning.space import (
    Dimension,
    Space,
    all_parameters,
    screen_parameters,
    select_parameters,
    starting_values,
)

SEARCHES = ("descent", "optuna")
MAX_SETTINGS = 3_000
TRIALS = 20  # of Optuna for each parameter
MIN_JUDGED_GAMES = 30
BEGINNING = 100  # games of a table: with fewer, no shares make the judged ones enough to tell
STRONG = 0.9  # correlation that is reported
NEAR_END = 1e-4  # of a range; a best value this close stands at the end
MIN_NAMED_SHARE = 0.1  # of a flat direction; parameters with less are not named


def tune(
    table: Games,
    system: Dynamic | WholeTable,
    *,
    over: Mapping[str, tuple[float, float] | None] | None = None,
    params: Mapping[str, Any] | None = None,
    period: str | None = None,
    metric: str | None = None,
    warm_up: float = 0.2,
    until: float = 0.6,
    search: str = "descent",
    seed: int = 0,
    starts: int = STARTS,
    budget: int = MAX_SETTINGS,
    level: float = 0.95,
    workers: Workers = SERIAL,
    known: Callable[[str], Sequence[Evaluated]] | None = None,
    heard: Callable[[Evaluated], None] | None = None,
) -> TuningResult:
    """Search the parameters of a system for the lowest mean loss of its forecasts.

    `over` names the parameters, each with a range or None for the declared one; without it all
    numeric ones are taken that matter (see `screen_parameters`) and are not in `params`. `metric`
    is `log_loss` (in contests `brier`). The games of the first `warm_up` share of the table only
    play, those up to `until` decide, the rest judges. Settings are evaluated by `workers`,
    on which the result does not depend. `known` is asked once, with the key of the
    task, for settings evaluated earlier; `heard` is called with each new one. `starts` local
    searches begin at the values before, at the defaults, and at explored ones (`seed`).

    Raises BadSetting, Untunable for a split or a score that cannot be used, and whatever a
    backtest of the system at its starting values raises.
    """
    params = dict(params or {})
    if isinstance(settings(system, params), Bank):
        raise Untunable.of("no_bank.tune", system=system.name)
    metric = metric or default_metric(table)
    if not 0.0 <= warm_up < until <= 1.0:
        raise Untunable.of("not_shares", warm_up=warm_up, until=until)
    if starts < 1:
        raise Untunable.of("too_few_starts", starts=starts)
    if str(search) not in SEARCHES:
        raise Untunable.of("unknown_search", searches=SEARCHES, search=search)
    start = starting_values(system, params)
    space, stays = all_parameters(system) if over is None else (select_parameters(system, over), {})
    words = {n: v for n, v in params.items() if over is None or n not in over}
    count = ceil(until * len(table))
    part = table.first(count)
    task = EvaluationTask(part, system, period, words, metric, warm_up * len(table) / max(1, count))
    start = {name: start[name] for name in space.names}
    test = task.test(start)
    if test.count < MIN_JUDGED_GAMES and len(table) < BEGINNING:
        verb = "is" if len(table) == 1 else "are"
        raise Unratable.of("too_few_games.tune", count=len(table), verb=verb, enough=BEGINNING)
    if test.count < MIN_JUDGED_GAMES:
        verb = "is" if test.count == 1 else "are"
        raise Unratable.of(
            "too_few_games.warm_up", least=MIN_JUDGED_GAMES, verb=verb, count=test.count
        )
    task.losses_of(test)  # raises for an unusable score before the search
    earlier = known(task.key()) if known else ()
    tried = Evaluations(task, budget, workers, earlier, heard)
    if over is None:
        stays |= screen_parameters(space, start, tried, params)
        space = space.only([name for name in space.names if name not in stays])
        start = {name: start[name] for name in space.names}
    if not len(space):
        reasons = "; ".join(f"{name}: {why}" for name, why in stays.items())
        raise BadSetting.of("nothing_to_search", system=system.name, reasons=reasons)
    if (inside := space.setting(space.point(start))) != start:
        task.test(inside)  # raises where the range needs what the table lacks, such as dates
    games = float(test.weight.sum() ** 2 / (test.weight**2).sum())  # of equal weight
    noise = 1.0 / games
    optimum, searches, finished = search_lowest(
        space, given_places(space, start, system), noise, tried, search, seed, starts
    )
    step = min(searches, key=lambda one: one.loss).step if searches else np.full(len(space), 0.1)
    near = curvature(space, optimum, step, tried, test, noise)
    serves = serving_intervals(space, optimum, near, tried, test, level, noise)
    z, deviations = two_sided_quantile(level), near.deviations(len(space)).tolist()
    found = tuple(
        describe_parameter(one, place, z * deviation, ends, start[one.name], z)
        for one, place, deviation, ends in zip(
            space.dimensions, optimum.tolist(), deviations, serves, strict=True
        )
    )
    best = {one.name: one.value for one in found}
    score, score_before = workers.map(EvaluationTask.score, (best, start), shared=task)
    later = judge_later(replace(task, table=table, warm_up=until), start, best, level)
    return TuningResult(
        system=system.name,
        period=period,
        metric=metric,
        given=words,
        parameters=found,
        searched=test.count,
        score=score,
        score_before=score_before,
        later=later,
        level=level,
        correlated=tuple(
            (space.names[i], space.names[j], r) for i, j, r in near.correlated_pairs(STRONG)
        ),
        flat=tuple(
            tuple(
                space.names[axis]
                for axis, part in zip(near.free, row, strict=True)
                if abs(part) > MIN_NAMED_SHARE
            )
            for row in near.flat
        ),
        stays=stays,
        evaluations=len(tried.seen),
        finished=finished,
        reused=len(earlier),
        searches=describe_searches(space, searches),
        seed=seed,
    )


def search_lowest(
    space: Space,
    given: Sequence[Floats],
    noise: float,
    tried: Evaluations,
    search: str,
    seed: int,
    starts: int,
) -> tuple[Floats, list[LocalSearch], bool]:
    """Return the place of the lowest loss, the local searches, and whether they finished.

    Searches begin at the given places first. A single one explores nothing before.
    """

    def scores(points: list[Floats]) -> list[float]:
        return tried.scores([space.setting(point) for point in points])

    searches: list[LocalSearch] = []
    finished = False
    with suppress(BudgetSpent, KeyboardInterrupt):
        if search == "optuna":
            optuna(given[0], seed, TRIALS * len(space), scores)
        elif starts > 1:
            scores([*given, *latin_hypercube(len(space), seed), *coarse_grid(len(space))])
        ranked = sorted(tried.seen.values(), key=lambda one: one.score)
        explored = [space.point(one.setting) for one in ranked]
        searches += local_searches(choose_starts(given, explored, starts), len(given))
        search_together(searches, noise, scores)
        finished = True
    if not tried.seen:
        raise KeyboardInterrupt
    optimum = space.point(tried.best.setting)
    optimum[optimum < NEAR_END], optimum[optimum > 1.0 - NEAR_END] = 0.0, 1.0
    return optimum, searches, finished


def given_places(space: Space, start: Mapping[str, float], system: HasParams) -> list[Floats]:
    """Return the places of the values before the search, and of the defaults if they are others."""
    default = starting_values(system, {})
    places = [space.point(start)]
    inside = all(one.low <= default[one.name] <= one.high for one in space.dimensions)
    if inside and any(default[name] != value for name, value in start.items()):
        places.append(space.point(default))
    return places


def describe_searches(space: Space, searches: Sequence[LocalSearch]) -> tuple[SearchEnd, ...]:
    """Describe where local searches began and ended; without those that found no loss."""
    return tuple(
        SearchEnd(
            space.setting(one.start), space.setting(one.end.place), one.end.loss,
            one.joined is not None,
        )
        for one in searches
        if np.isfinite(one.end.loss)
    )  # fmt: skip


def describe_parameter(
    one: Dimension, place: float, reach: float, serves: tuple[float, float], before: float, z: float
) -> TunedParameter:
    """Describe a parameter at a place of its range; `reach` is half of its interval there."""
    low, high, value = one.value(place - reach), one.value(place + reach), one.value(place)
    edge = "low" if place <= 0.0 else "high" if place >= 1.0 else None
    if edge is None:
        deviation = (high - low) / (2.0 * z) if reach < np.inf else np.inf
        value = round_to_deviation(value, deviation)
    return TunedParameter(
        name=one.name,
        value=min(max(value, one.low), one.high),
        default=before,
        low=low,
        high=high,
        serves_low=one.value(serves[0]),
        serves_high=one.value(serves[1]),
        range_low=one.low,
        range_high=one.high,
        unit=one.declared.unit,
        edge=edge,
        declared=edge is None or one.value(place) == getattr(one.declared, edge),
    )


def judge_later(
    task: EvaluationTask,
    start: dict[str, float],
    best: dict[str, float],
    level: float,
) -> LaterGames | None:
    """Judge both settings on the games after the search; None if there are too few."""
    if task.warm_up >= 1.0:
        return None
    new, old = task.test(best), task.test(start)
    common = new.judged & old.judged
    if not common.any() or consecutive_blocks(new.only(common))[-1] + 1 < MIN_BLOCKS:
        return None  # too few for the difference
    behind = lag_behind(old.only(common), new.only(common), task.metric, level)
    return LaterGames(new.count, new.scores[task.metric], old.scores[task.metric], behind)
