"""Judge systems on a table: compare, benchmark, backtest, tune, stack, table, diagnose; tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.engine.progress import follow
from prowess.games.arguments import (
    BadArgument,
    check_choice,
    check_count,
    check_flag,
    check_given,
    check_level,
    check_number,
    check_series,
    check_share,
    check_text,
)
from prowess.games.reading import format_count
from prowess.verbs.saving import check_path
from prowess.verbs.tables import (
    DEFAULT_SYSTEM,
    check_settings,
    keep_column,
    keep_facts_apart,
    keep_span,
    name_columns,
    take_games,
    take_keywords,
    take_selections,
)
from prowess.version import accept_old_keywords

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.engine.tabular import ResultTable
    from prowess.games.games import Games
    from prowess.study.arena import Arena
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison
    from prowess.study.diagnosis.diagnose import Diagnosis
    from prowess.study.judging import Selection, Trials
    from prowess.study.rankings import RankingComparison
    from prowess.study.sequential import Hypotheses, SequentialTest
    from prowess.study.stack import Stack
    from prowess.study.tuning.outcome import TuningResult

Progress = bool | Callable[[int, int], None] | None
NOT_FROZEN = "frozen=None, --frozen none"
TIMELESS = (
    "no dates: each part of the rows is forecast from all others; warm_up=0.2 (--warm-up 0.2) "
    "judges forward, in the order of the file"
)


@accept_old_keywords
def compare(
    games: Any,
    systems: Any = None,
    *,
    metric: str | None = None,
    warm_up: float | None = None,
    folds: int | None = None,
    by_column: str | None = None,
    frozen: str | None = "auto",
    level: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    progress: Progress = None,
    **columns: Any,
) -> Comparison:
    """Judge systems by their forecasts of the games of a table, made only from earlier games.

    A table of games without time, such as votes, is cross-validated: each of ten parts of the rows
    (`folds`) is forecast from all others; `by_column` keeps the rows of one voter together. With
    `warm_up`, or an `order` that is named, it is judged forward like any other.

    `systems` are names such as `elo`, `elo:k=20`, `glicko2@1mo`, in a list or one text, or systems
    as values; None takes all that apply. `metric` decides (`log_loss`; in contests `brier`). The
    first `warm_up` share of the games (0.2) is played and not judged. Scores and distances from the
    best have intervals of probability `level`. `columns` are keywords of `read_games`.
    With `frozen`, a span as in `rate`, no forecast knows a result of its own day or week; by
    default ("auto") it is a day where dates have no times and a player has several games on one.
    `cluster` shares the work, as in `tune`. `progress` is a function of (done, all), True for a
    bar, False for none; None shows a bar where it takes over two seconds. Ctrl-C returns what is
    judged, with `interrupted`.

    Raises BadArgument, BadData, UnknownSystem, BadSetting, and Unratable where no system applies.

    >>> import prowess
    >>> league = prowess.simulate(players=8, games=300, seed=1)
    >>> prowess.compare(league, ["elo", "glicko2"], progress=False).count
    240
    """
    from dataclasses import replace

    from prowess.engine.cluster.workers import workers_of
    from prowess.study.backtest import WARM_UP_SHARE
    from prowess.study.compare import compare as compare_tests
    from prowess.study.cross_validation import run_folds
    from prowess.study.folds import FOLDS, deal_folds
    from prowess.study.judging import refuse_few_games, run_trials, select_forecasters
    from prowess.systems.catalogue import catalogue

    parts = check_given(check_count, "folds", folds, 2)
    if (parts or by_column is not None) and warm_up is not None:
        raise BadArgument.of("warm_up_with_folds")
    columns = keep_span(columns, frozen, games)
    if frozen not in (None, "auto") and (parts or by_column is not None):
        raise BadArgument.of("frozen_with_folds")
    forward = warm_up is not None or frozen not in (None, "auto") or columns.get("order")
    share = check_share("warm_up", WARM_UP_SHARE if warm_up is None else warm_up)
    seed, level = check_count("seed", seed), check_level(level)
    if check_given(check_text, "by_column", by_column, "voter") is not None:
        columns = keep_column(columns, str(by_column))
    check_given(check_text, "metric", metric, "log_loss")
    chosen = None if systems is None else take_selections(systems, ("base_rate",))
    with name_columns(frozen=frozen, by_column=by_column):
        table = take_games(games, columns)
    if chosen == [] and not table.pairwise:
        raise BadArgument.of("no_systems.base_rate")
    if chosen is None:
        refuse_few_games(table)
    selected = select_forecasters(catalogue()) if chosen is None else chosen
    labels = list(dict.fromkeys(given_forecasts(columns)))
    names = [one.label for one in selected]
    with workers_of(cluster) as workers, follow(progress, "compare", names) as told:
        given: dict[str, Any] = {"forecasts": labels, "workers": workers, "progress": told}
        timeless = table.pairwise and table.time is None and table.round is None
        guessed = timeless and not forward and len(table) >= FOLDS
        if parts or by_column is not None or guessed:
            dealt = deal_folds(table, parts, by_column, seed)
            found = run_folds(table, selected, dealt, **given)
        else:
            found = run_trials(table, selected, share, frozen=frozen, undo=NOT_FROZEN, **given)
    made = compare_tests(found.tests, metric=metric, level=level)
    chosen_here = guessed and not parts and by_column is None
    notes = (*[TIMELESS] * chosen_here, *found.notes, *made.notes)
    return replace(made, notes=notes, refused=found.refused, interrupted=found.interrupted)


def benchmark(
    games: Any,
    systems: Any = "elo,glicko,glicko2,trueskill,weng_lin",
    *,
    metric: str | None = None,
    frozen: str | None = "auto",
    warm_up: float = 0.2,
    until: float = 0.6,
    budget: int = 1000,
    level: float = 0.95,
    cluster: Any = None,
    progress: Progress = None,
    **columns: Any,
) -> Comparison:
    """Judge the default system, as it is, beside other systems that are tuned to the table.

    The first `warm_up` share of the games only plays. On those up to `until` the parameters of
    `systems` (as in `compare`) are searched, at most `budget` settings each, and a scale, the worth
    of the side and the width of draws of their forecasts are fitted. The rest judges. Every score
    has its distance from that of the default (`lags`), with an interval of probability `level`.
    `frozen` is a span as in `rate`: no forecast knows a result of its own week where the judged
    games are of ten weeks or more, else of its own day as in `compare` ("auto"); None: it knows all
    earlier rows. The other keywords are as in `compare`.

    Raises BadArgument, BadData, UnknownSystem, BadSetting, and Unratable where no system applies.

    >>> import prowess
    >>> league = prowess.simulate(players=8, games=300, seed=1)
    >>> found = prowess.benchmark(league, ["elo"], budget=10, progress=False)
    >>> found.count, found.reference, sorted(one.test.name for one in found)
    (120, 'prowess', ['base_rate', 'elo', 'prowess'])
    """
    from dataclasses import replace

    from prowess.engine.cluster.workers import workers_of
    from prowess.study.compare import compare as compare_tests
    from prowess.study.judging import Protocol, run_protocol

    columns = keep_span(columns, frozen, games)
    default, *_ = take_selections([DEFAULT_SYSTEM])
    chosen = take_selections(systems, ("base_rate", default.label))
    if not chosen:
        raise BadArgument.of("no_systems.default", label=default.label)
    warm_up, until = check_share("warm_up", warm_up), check_number("until", until)
    if not warm_up < until < 1.0:
        raise BadArgument.of("not_a_share.judge", until=until, warm_up=warm_up)
    protocol = Protocol(default, chosen, warm_up, until, frozen, check_count("budget", budget, 1))
    level = check_level(level)
    check_given(check_text, "metric", metric, "log_loss")
    with name_columns(frozen=frozen):
        table = take_games(games, columns)
    names = [one.label for one in (default, *chosen)]
    with workers_of(cluster) as workers, follow(progress, "benchmark", names) as told:
        found = run_protocol(table, protocol, workers=workers, progress=told)
    made = compare_tests(found.tests, metric=metric, level=level, reference=default.label)
    notes = (*found.notes, *made.notes)
    return replace(made, notes=notes, refused=found.refused, interrupted=found.interrupted)


def given_forecasts(columns: Mapping[str, Any]) -> list[str]:
    """The labels of forecasts and odds among the keywords of the reader."""
    from prowess.games.formats.reader_options import parse_forecasts

    named = ((option, columns.get(option, ())) for option in ("forecast", "odds"))
    return [one.label for each in named for one in parse_forecasts(*each)]


def backtest(
    games: Any,
    system: Any = None,
    *,
    period: str | None = None,
    frozen: str | None = "auto",
    warm_up: float = 0.2,
    params: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Backtest:
    """Forecast every game of a table from the games before it, and score the forecasts.

    `keywords` are columns (of `read_games`) and parameters of the system, `params` parameters
    alone. `frozen` is a span as in `rate`, by default a day where dates have no times and a player
    has several games on one. Raises BadArgument, BadData, NoForecast for a system
    without a model of a game, and whatever rating raises.

    >>> import prowess
    >>> test = prowess.backtest(prowess.simulate(players=8, games=300, seed=1), "elo", k=20)
    >>> test.count
    240
    """
    from prowess.study.backtest import backtest as judge

    chosen, reading, params = take_keywords(games, system, keywords, params)
    check_given(check_text, "period", period, "1mo")
    share, reading = check_share("warm_up", warm_up), keep_span(reading, frozen, games)
    with name_columns(frozen=frozen):
        table = take_games(games, reading)
    return judge(table, chosen, period=period, params=params, warm_up=share, frozen=frozen)


@accept_old_keywords
def tune(
    games: Any,
    system: Any = "elo",
    *,
    over: Mapping[str, tuple[float, float] | None] | Sequence[str] | None = None,
    period: str | None = None,
    metric: str | None = None,
    warm_up: float = 0.2,
    until: float = 0.6,
    seed: int = 0,
    budget: int = 3000,
    starts: int = 5,
    search: str = "descent",
    level: float = 0.95,
    resume: str | Path | None = None,
    cluster: Any = None,
    progress: Progress = None,
    params: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> TuningResult:
    """Search the parameters of a system that forecast a table best, and judge them on later games.

    `over` names the parameters, as a list or with ranges ({"k": (5, 60)}); None takes all that
    matter. `keywords` are columns and parameters that stay, `params` parameters alone. The first
    `warm_up` share of the games only plays, those up to `until` decide, the rest judges. `cluster`
    shares the work: a number of processes, an executor of `concurrent.futures`, or a Dask cluster
    ("local", an address, a client); the answer is the same. Ctrl-C ends the search with the best
    setting so far (`finished` is False). `search` is "descent" or "optuna"; intervals have
    probability `level`. `resume` is a file that keeps the settings as they are evaluated, for a
    later run. Raises BadCluster, BadArgument, Untunable, BadSetting, Unratable.

    >>> import prowess
    >>> games = prowess.simulate(players=6, games=200, seed=2)
    >>> found = prowess.tune(games, "elo", over={"k": (5, 60)}, budget=5, starts=1, progress=False)
    >>> 5 <= found.setting["k"] <= 60
    True
    """
    from prowess.engine.cluster.workers import workers_of
    from prowess.study.tuning.evaluation import EvaluationFile
    from prowess.study.tuning.tune import tune as find_best

    chosen, reading, params = take_keywords(games, system, keywords, params)
    refuse_ranges(params)
    check_settings(chosen, params, check_given(check_text, "period", period, "1mo"))
    check_given(check_text, "metric", metric, "log_loss")
    warm_up, until = check_share("warm_up", warm_up), check_number("until", until)
    budget, starts = check_count("budget", budget, 1), check_count("starts", starts, 1)
    if isinstance(over, Mapping):
        over = dict(over)
    elif over is not None:
        names = [over] if isinstance(over, str) else check_series("over", over, '["k"]')
        over = dict.fromkeys(check_text("over", one, "k") for one in names)
    level, seed = check_level(level), check_count("seed", seed)
    record = None if resume is None else EvaluationFile(check_path(resume))
    table = take_games(games, reading)
    with workers_of(cluster) as workers, follow(progress, "tune") as told:
        tried: list[Any] = []

        def count(one: Any) -> None:
            tried.append(one)
            told(min(len(tried), budget - 1), budget)
            if record is not None:
                record.append(one)

        try:
            return find_best(
                table, chosen, over=over, params=params, period=period, metric=metric,
                warm_up=warm_up, until=until, search=search, seed=seed, budget=budget,
                starts=starts, level=level, workers=workers,
                known=None if record is None else record.load, heard=count,
            )  # fmt: skip
        finally:
            told(budget, budget)


def refuse_ranges(params: Mapping[str, Any]) -> None:
    """Raise BadArgument for a range in place of a parameter that stays."""
    for name, value in params.items():
        if isinstance(value, list | tuple) and len(value) > 1:
            low, high = min(value), max(value)
            raise BadArgument.of("range_as_setting", name=name, low=low, high=high, value=value)


def stack(
    games: Any,
    systems: Any = ("elo:k=8", "elo", "glicko", "trueskill"),
    *,
    warm_up: float = 0.2,
    cluster: Any = None,
    progress: Progress = None,
    **columns: Any,
) -> Stack:
    """Mix the forecasts of several systems, with weights learnt game by game from earlier games.

    `systems` are as in `compare`. The mixture is `.test`, a backtest like any other; `.weights()`
    are those after the last game. `cluster` shares the systems, as in `tune`. Raises as `compare`
    does.

    >>> import prowess
    >>> games = prowess.simulate(players=6, games=200, seed=2)
    >>> mixed = prowess.stack(games, ["elo", "glicko2"], progress=False)
    >>> len(mixed.weights())
    2
    """
    chosen = take_selections(systems, ("base_rate",))
    table = take_games(games, columns)
    return stack_trials(table, chosen, given_forecasts(columns), warm_up, cluster, progress)[1]


def stack_trials(
    table: Games,
    selections: Sequence[Selection],
    forecasts: Sequence[str],
    warm_up: float,
    cluster: Any,
    progress: Progress,
) -> tuple[Trials, Stack]:
    """The backtests of systems and of forecasts from elsewhere, and their mixture."""
    from prowess.engine.cluster.workers import workers_of
    from prowess.study.judging import run_trials
    from prowess.study.stack import stack as mix

    share, names = check_share("warm_up", warm_up), [one.label for one in selections]
    with workers_of(cluster) as workers, follow(progress, "stack", names) as told:
        found = run_trials(
            table, selections, share, forecasts=forecasts, workers=workers, progress=told
        )
    return found, mix(found.tests[1:] if table.pairwise else found.tests)


def table(games: Any, systems: Any, **columns: Any) -> ResultTable:
    """One league under several systems: place and value of each player, a row a player.

    A system that refuses the table raises Unratable. `columns` are keywords of `read_games`.

    >>> import prowess
    >>> board = prowess.table([("Ann", "Bob", 1), ("Bob", "Cleo", 1)], ["elo", "copeland"])
    >>> board["player"]
    ['Ann', 'Bob', 'Cleo']
    """
    comparison, refused = rank_side_by_side(games, systems, columns)
    for refusal in refused.values():
        raise refusal
    return comparison.to_table()


def rank_side_by_side(
    games: Any, systems: Any, columns: Mapping[str, Any], as_of: Any = None
) -> tuple[RankingComparison, dict[str, Exception]]:
    """The rankings of a table by several systems, and why others refuse it.

    Raises Unratable with all reasons where every system refuses it.
    """
    from prowess.engine.periods import BadRounds
    from prowess.engine.system import Unratable
    from prowess.study.rankings import compare_rankings
    from prowess.verbs.rating import rate

    selections, played = take_selections(systems), take_games(games, columns)
    made: dict[str, Ratings] = {}
    refused: dict[str, Exception] = {}
    for one in selections:
        try:
            made[one.label] = rate(
                played, one.system, period=one.period, as_of=as_of, params=one.params
            )
        except (Unratable, BadRounds) as refusal:
            refused[one.label] = refusal
    if not made:
        reasons = "\n".join(f"{name}: {reason}" for name, reason in refused.items())
        raise Unratable(reasons, code="no_system_fits")
    return compare_rankings(made), refused


def diagnose(
    games: Any,
    system: Any = "elo",
    *,
    period: str | None = None,
    level: float = 0.05,
    seed: int = 0,
    voter: str | None = None,
    params: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Diagnosis:
    """Check a league for faults (inflation, farming, isolated pools, ...) as a system rates it.

    `keywords` are columns and parameters of the system, `params` parameters alone; `level` is the
    probability of any false alarm. `voter` is a column of those who judged the games, who are then
    checked as well. Raises BadArgument, BadData, Unratable for other than games between two
    players.

    >>> import prowess
    >>> found = prowess.diagnose(prowess.simulate(players=12, games=600, seed=2), level=0.01)
    >>> found.worst
    'fine'
    """
    from prowess.games import Games
    from prowess.games.layout import NONE
    from prowess.study.diagnosis.diagnose import diagnose as check_league

    chosen, reading, params = take_keywords(games, system, keywords, params)
    check_settings(chosen, params, check_given(check_text, "period", period, "1mo"))
    voter = check_given(check_text, "voter", voter, "worker")
    voter = None if voter == NONE else voter
    if voter is not None and not isinstance(games, Games):
        reading = keep_facts_apart(reading, [voter])
    with name_columns(voter=voter):
        played = take_games(games, reading)
    return check_league(
        played, chosen, period=period, params=params, theory=True, level=check_level(level),
        seed=check_count("seed", seed), voter=voter,
    )  # fmt: skip


def triangles(
    games: Any, top: int | None = None, *, significance: float | None = None, **columns: Any
) -> ResultTable:
    """Circles A > B > C > A, which no rating explains, the strongest first: a row a circle.

    `share_1` is the score of the first player against the second, and so on. `significance` counts
    a pair only where a sign test is significant at this level. Raises Unratable for other than
    games between two players.

    >>> import prowess
    >>> found = prowess.triangles([("Ann", "Bob", 1), ("Bob", "Cleo", 1), ("Cleo", "Ann", 1)])
    >>> len(found), found["share_1"]
    (1, [1.0])
    """
    from prowess.engine.pairings import pairings
    from prowess.study.cycles import find_triangles
    from prowess.study.lineups import check_duels

    table = take_games(games, columns)
    check_duels(table, "a list of triangles")
    most = check_given(check_count, "top", top)
    level = None if significance is None else check_level(significance, "significance")
    found = find_triangles(pairings(table, by_points=False), most, level)
    return found.to_table()


def sprt(
    games: Any = None,
    program: str | None = None,
    *,
    counts: Sequence[int] | None = None,
    elo0: float = 0.0,
    elo1: float = 5.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = "logistic",
    unit: str | None = None,
    overshoot: bool = False,
    **columns: Any,
) -> SequentialTest:
    """Test whether a program is better by `elo1` rather than by `elo0`: accepted, or play on?

    `games` are those of `program` (default: the first player of the table), or `counts` how many
    pairs of games scored 0, 1/2, 1, 3/2, 2, or how many games were lost, drawn, won.
    `unit` is `pairs`, games by twos with places exchanged, or `games` (None: pairs where all are).
    `alpha` and `beta` are the probabilities of accepting `elo1` and `elo0` wrongly. `model` says
    what a difference is: `logistic`, `normalised`, or `bayeselo` (of games alone); `fishtest` and
    `fastchess` are `normalised` by pairs.
    `overshoot` brings the bounds nearer by what LLR usually is beyond them; it needs games.

    Raises BadArgument, BadData, UnknownPlayer, and Unratable for other than games between two
    players.

    >>> import prowess
    >>> test = prowess.sprt(counts=[412, 3005, 6210, 3120, 445], elo1=2)
    >>> test.verdict, round(test.llr, 4), round(test.estimate.elo, 2)
    ('continue', 1.6705, 2.38)
    """
    from dataclasses import replace

    from prowess.engine.leaderboard import find_player
    from prowess.study import sequential
    from prowess.study.lineups import check_duels

    chosen, paired = check_hypotheses(elo0, elo1, alpha, beta, model, unit)
    overshoot = check_flag("overshoot", overshoot)
    if (games is None) == (counts is None):
        raise BadArgument.of("games_or_counts")
    if counts is not None:
        if overshoot or program is not None or columns:
            raise BadArgument.of("options_of_games")
        return sequential.run_test(chosen, check_outcomes(counts, paired))
    table = take_games(games, columns)
    check_duels(table, "a sequential test")
    number = 0 if program is None else find_player(table.players, program)
    sequence, notes = sequential.count_outcomes(table, number, paired=paired)
    if program is None:
        name = table.players[number]
        notes.append(
            f"tested is {name}, the first of the table: program= (--program) names another"
        )
    path: Iterable[Any] = chosen.measure_path(sequence)
    bounds = None
    if overshoot:
        path = list(path)  # bounds need all of it; the end is found in the same numbers
        bounds = sequential.correct_bounds(chosen.bounds, path)
    last = list(map(int, sequence[-1])) if len(sequence) else [0] * sequence.shape[1]
    test = sequential.run_test(chosen, last, bounds, notes)
    test = replace(test, title=f"Sequential test of {table.players[number]}")
    ended = sequential.find_end(path, (test.lower, test.upper))
    return test if ended is None else sequential.end_test(test, *ended)


def plan_sprt(
    *,
    elo0: float = 0.0,
    elo1: float = 5.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = "logistic",
    unit: str | None = None,
    draws: float = 0.5,
    at: Sequence[float] | None = None,
) -> ResultTable:
    """What a sequential test will answer, and after how many games: a row a true difference.

    The test is by pairs, unless `unit` or the model is of games. `draws` is the share of the
    games that are drawn between even players, `at` the true differences (default: five from `elo0`
    to `elo1`). `accepts` is the probability of accepting
    `elo1`, `games` the expected number; games of a pair are independent here.

    >>> import prowess
    >>> plan = prowess.plan_sprt(elo1=5, draws=0.6)
    >>> [round(share, 3) for share in plan["accepts"]]
    [0.05, 0.187, 0.5, 0.814, 0.95]
    """
    from prowess.engine.tabular import ResultTable
    from prowess.study import sequential

    chosen, paired = check_hypotheses(elo0, elo1, alpha, beta, model, unit)
    share = check_share("draws", draws)
    if at is None:
        truths = [elo0 + part * (elo1 - elo0) / 4.0 for part in range(5)]
    else:
        truths = [check_number("at", one) for one in check_series("at", at, "[0, 5]")]
    plans = sequential.plan_test(chosen, share, truths, paired=paired is not False)
    return ResultTable.of_rows([one._asdict() for one in plans], "Plan of a sequential test")


def check_hypotheses(
    elo0: float, elo1: float, alpha: float, beta: float, model: str, unit: str | None
) -> tuple[Hypotheses, bool | None]:
    """The hypotheses of a sequential test, and whether it takes pairs; raises BadArgument."""
    from prowess.study.sequential import MAX_ELO, TEST_MODELS, UNITS, Hypotheses

    chosen, needs = TEST_MODELS[check_choice("model", model, list(TEST_MODELS))]
    low, high = check_number("elo0", elo0), check_number("elo1", elo1)
    if not -MAX_ELO[chosen] <= low < high <= MAX_ELO[chosen]:
        raise BadArgument.of("hypotheses", most=MAX_ELO[chosen], low=low, high=high)
    errors = [check_level(value, name) for name, value in (("alpha", alpha), ("beta", beta))]
    if sum(errors) >= 1.0:
        raise BadArgument.of("errors_of_a_test")
    if unit is not None:
        paired = check_choice("unit", unit, UNITS) == UNITS[0]
        if needs not in (None, paired):
            raise BadArgument.of("model_of_pairs", model=model, units=UNITS[not needs])
        needs = paired
    return Hypotheses(low, high, errors[0], errors[1], chosen), needs


def arena(
    votes: Any,
    *,
    control: Sequence[str] | str | None = None,
    voter: str | None = "auto",
    clusters: Sequence[str] | str | None = None,
    by: str | None = None,
    balance: str | None = None,
    ridge: float | str = 0.0,
    folds: int = 10,
    level: float = 0.95,
    seed: int = 0,
    bootstrap: int = 0,
    blocks: str | None = None,
    **columns: Any,
) -> Arena:
    """Audit a table of votes: ranks with errors, and what they hang on.

    `control` names covariates whose effect is taken out of the ratings: a column, or NAME for the
    columns NAME_a and NAME_b of the two sides (numbers as relative difference, words as
    contrasts). The position of the first side is one always. `voter` is the column of who voted:
    errors are then by voter, and voters are judged; "auto" takes the one whose heading says so,
    such as `judge` or `annotator_id`, with a note, and None or "none" takes none. `clusters` are
    columns by which errors go in their place, such as voter and prompt. `by` is a column of
    categories, each with ratings of its own. `balance` weighs votes so that all `pairs`, or all
    values of a column, count alike. `ridge` is the precision of a normal prior, in natural units;
    "fitted" takes the one that the votes tell (random effects), under which facts of players may be
    covariates. `bootstrap` is a number of resamplings of `blocks` (a column; else the clusters,
    else votes), whose intervals stand beside the others. `columns` are keywords of `read_games`.

    Raises BadArgument, BadData, BadFolds, and Unratable for what cannot be audited.

    >>> import prowess
    >>> votes = prowess.simulate(players=4, games=400, seed=1)
    >>> audit = prowess.arena(votes)
    >>> audit.board["tier"].tolist()[0], audit.votes
    (1, 400)
    """
    from prowess.games import Games
    from prowess.games.layout import NONE
    from prowess.games.roles.roles import ASKED_VOTER
    from prowess.study.arena import (
        BY_HEADING,
        BY_VOTES,
        MAX_RIDGE,
        PAIR_WEIGHTS,
        AuditRequest,
        audit_votes,
    )

    controls, grouped = (
        check_names(name, given, such)
        for name, given, such in (("control", control, "length"), ("clusters", clusters, "voter"))
    )
    for name, value, such in (
        ("voter", voter, "voter"), ("by", by, "language"), ("balance", balance, PAIR_WEIGHTS),
        ("blocks", blocks, "voter"),
    ):  # fmt: skip
        check_given(check_text, name, value, such)
    question = AuditRequest(
        controls, None if voter == NONE else voter, grouped, by, balance,
        BY_VOTES
        if isinstance(ridge, str) and ridge == BY_VOTES
        else check_number("ridge", ridge, 'a number or "fitted"'),
        check_level(level), check_count("folds", folds, 2), check_count("seed", seed),
        check_count("bootstrap", bootstrap), blocks,
    )  # fmt: skip
    if bootstrap == 1:
        check_count("bootstrap", bootstrap, 2)
    if blocks is not None and not bootstrap:
        raise BadArgument.of("blocks_without_bootstrap")
    if question.ridge != BY_VOTES and not 0.0 <= float(question.ridge) <= MAX_RIDGE:
        raise BadArgument.of("ridge_out_of_range", most=MAX_RIDGE, ridge=ridge)
    if isinstance(votes, Games):
        return audit_votes(take_games(votes, columns), question)
    guess = [ASKED_VOTER] if question.voter == BY_HEADING else []
    given = keep_facts_apart(columns, (*question.columns, *controls, *guess))
    asked = {
        "voter": voter, "clusters": grouped, "by": by, "balance": balance, "blocks": blocks
    }  # fmt: skip
    with name_columns(control=controls, **asked):
        table = take_games(votes, given)
    return audit_votes(table, question)


def check_names(name: str, given: Sequence[str] | str | None, such: str) -> list[str]:
    """Names of columns, one as a text; raises BadArgument."""
    if given is None:
        return []
    names = [given] if isinstance(given, str) else check_series(name, given, f'["{such}"]')
    for one in names:
        check_text(name, one, such)
    return list(dict.fromkeys(names))


GAME_COUNTS = "three counts (games lost, drawn, won)"
PAIR_COUNTS = "five counts (pairs that scored 0, 1/2, 1, 3/2, 2)"


def check_outcomes(counts: Any, paired: bool | None) -> list[int]:
    """Counts of outcomes, three or five; raises BadArgument."""
    found = [check_count("counts", one) for one in check_series("counts", counts, "[30, 50, 20]")]
    if len(found) not in (3, 5) or paired not in (None, len(found) == 5):
        forms = {True: PAIR_COUNTS, False: GAME_COUNTS, None: f"{GAME_COUNTS}, or {PAIR_COUNTS}"}
        raise BadArgument.of(
            "counts_of_outcomes", wanted=forms[paired], counts=format_count(len(found), "count")
        )
    return found
