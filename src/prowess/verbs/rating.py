"""Rating: `systems`, `rate`, `rate_leagues`, `rate_on`, and what is asked of ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.games.arguments import (
    BadArgument,
    check_anchors,
    check_callable,
    check_day,
    check_flag,
    check_given,
    check_number,
    check_series,
    check_starts,
    check_text,
)

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from prowess.engine.check import System
    from prowess.engine.inflation import Rule
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.league_ratings import LeagueRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.streams.file_sources import StreamOptions
    from prowess.engine.streams.rate_stream import StreamProgress
    from prowess.games.games import Games


PROBABILITY = "a probability between 0 and 1, such as 0.95"


def systems() -> Mapping[str, System]:
    """Every rating system by name, in a dict of your own."""
    from prowess.systems.catalogue import catalogue

    return dict(catalogue())


def rate(
    games: Games | Any,
    system: str | System | None = None,
    *,
    period: str | None = None,
    as_of: str | date | float | None = None,
    initial: Mapping[str, Mapping[str, float]] | None = None,
    rules: Sequence[Rule] = (),
    forecasts: bool | str | Path = False,
    frozen: str | None = None,
    anchors: Mapping[str, float] | None = None,
    level: float = 0.95,
    reference: str | None = None,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    resume: str | Path | None = None,
    checkpoint_every: float = 60.0,
    sort: bool = False,
    temp: str | Path | None = None,
    params: Mapping[str, Any] | None = None,
    **keywords: float | str | Sequence[float] | NDArray[Any],
) -> Ratings:
    """Rate a table of results under a system.

    Columns and parameters stand in one call: `rate(df, "elo", player_a="p", player_b="q", k=40)`.
    A keyword of `read_games` names a column or an option of reading, any other is a parameter of
    the system; of games that are read already all keywords are parameters. `params` has parameters
    only, also those that are called as an argument or a column is: `params={"draw": 0.5}`.

    >>> import prowess
    >>> r = prowess.rate([("Ann", "Bob", 1)], "elo", k=40)
    >>> round(r["Ann"].rating, 1)
    1520.0

    `games` is what `read_games` returns, or anything it reads (a path, a DataFrame, a dict of
    columns), a list of tuples (a, b, result), or a folder that `shard` wrote. `system` is a name of
    `systems()`, a path `FILE.py:NAME`, or a system as a value; None takes `prowess`. `period`
    (`7d`, `1mo`, `1y`, or `round` for the table's own rounds) judges the games of a period
    together; None rates game by game. `as_of` is a date (also as ISO text), or days since 1970; a
    date means the end of that day. `initial` gives named players other values than a newcomer's.
    `rules` (`Redistribution`, `NewcomersMean`) act against inflation between rounds. Of
    `keywords`, several values of a parameter (`k=[8, 16, 32]`) make a bank, of which each setting
    counts as well as it has forecast so far; each lies within the declared range.

    `cluster` computes rating periods on several processes, with the same numbers: a count, "local",
    the address of a scheduler of Dask, a client of dask.distributed, or an executor of
    concurrent.futures. Many games are cut first, with `shard`; game by game is refused. The fits of
    whole tables, where pairs are nearly as many as games, take a cluster of Dask.

    A system that looks at the whole table at once takes no `period`, `rules` and `forecasts`. It
    takes `anchors`, players whose rating is known and stays, and of `initial` a rating with its
    deviation as a normal prior of the player (bradley_terry and its kin, map); its intervals have
    probability `level`, and are about differences from the player `reference` where one is named.

    Files that are together larger than a third of `memory` (`"8GB"`; default: half of the
    machine's) are read as a stream: the ratings are the same, and keep no games. So are files where
    `memory` is given, where `sort` asks for the order of time (sorted by DuckDB in the folder
    `temp`), and where `resume` names a folder of checkpoints: every `checkpoint_every` seconds all
    that is known is saved there, and a run that was stopped goes on from the last one. A system
    that looks at the whole table reads a stream only where `memory` or `sort` is given, keeps the
    columns that it needs until they are fitted, and takes no `resume`.

    `forecasts=True` keeps the forecast before each game (`forecasts` of the ratings) and tells how
    good they were (`forecast_scores`). With `frozen`, a span (`1d`, `7d` from the first day, `1mo`
    by the calendar, `round` or a column), they are made from the ratings as they stood when the
    span began, while ratings move game by game. A stream keeps none: name a Parquet file, which
    gets each game's forecast and both ratings before it, or have `True` tell their scores alone.

    Raises BadData for results that cannot be read, BadArgument for an argument of another kind,
    UnknownSystem, BadSystem, BadSetting, BadPeriod, BadRounds, UnknownPlayer and Unratable (all of
    them ValueError or KeyError or TypeError) with a message for people.
    """
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import (
        check_forecasts,
        check_sharing,
        check_stream_options,
        find_shards,
    )
    from prowess.verbs.tables import (
        keep_span,
        name_columns,
        note_reading,
        take_games,
        take_keywords,
    )

    chosen, reading, params = take_keywords(games, system, keywords, params)
    reading = keep_span(reading, frozen, games)
    streaming = check_stream_options(memory, resume, checkpoint_every, sort, temp)
    if cluster is not None and not isinstance(chosen, WholeTable):
        check_sharing(chosen, params, period)
    shards = find_shards(games)
    streams = streaming.apply_to(games, at_once=isinstance(chosen, WholeTable))
    forecasts = check_forecasts(forecasts, streams=streams and not isinstance(chosen, WholeTable))
    with name_columns(frozen=frozen):
        table = None if streams or shards is not None else take_games(games, reading)
    how = _check_options(period, as_of, rules, compiled, progress)
    initial = None if initial is None else check_starts(initial)
    anchors = None if anchors is None else check_anchors(anchors)
    level = check_number("level", level, PROBABILITY)
    check_given(check_text, "reference", reference, 'the name of a player, or "mean"')
    found = rate_games(
        games if streams else shards if table is None else table, chosen, cluster, streaming,
        reading, anchors=anchors, reference=reference, level=level, forecasts=forecasts,
        frozen=frozen, start=initial, params=params, **how,
    )  # fmt: skip
    return found if table is None or cluster is not None else note_reading(found, games)


def rate_games(
    games: Any, system: System, cluster: Any, streaming: StreamOptions, reading: Mapping[str, Any],
    *, level: float, anchors: Any, reference: str | None, **how: Any
) -> Ratings:  # fmt: skip
    """Ratings of a table that was read, of shards, or of files that are read as a stream.

    All arguments, those of `rate`, are checked but for what has no meaning with the system.
    """
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games
    from prowess.games.shards import Shards
    from prowess.verbs.streaming import fit_files, fit_on_workers, rate_files, rate_on_workers
    from prowess.verbs.tables import idle_facts

    by_game = {name: how[name] for name in ("period", "rules", "forecasts", "frozen")}
    at_once: dict[str, Any] = {"anchors": anchors, "reference": reference}
    held, sharded = isinstance(games, Games), isinstance(games, Shards)
    if sharded or (cluster is not None and not isinstance(system, WholeTable)):
        taken = {name: how.pop(name) for name in ("rules", "forecasts", "frozen")} | at_once
        what = "shards and a cluster take a system, its settings, period, as_of and initial"
        _refuse_given(taken | (dict(reading) if sharded else {}), what)
        there = games if held or sharded else None
        return rate_on_workers(there, system, cluster, streaming, **how)
    tell = how["progress"] and partial(_tell_progress, how["progress"])
    if isinstance(system, WholeTable):
        from prowess.engine.fit import fit_table

        what = f"{system.name} looks at the whole table at once"
        _refuse_given(by_game | idle_facts(reading), what)
        at_once |= {"as_of": how["as_of"], "params": how["params"], "initial": how["start"]}
        at_once["level"] = level
        if not held:
            _refuse_given({"cluster": cluster}, "files that are read as a stream take one process")
            return fit_files(games, system, streaming, reading, progress=tell, **at_once)
        if cluster is not None:
            return fit_on_workers(games, system, cluster, **at_once)
        return fit_table(games, system, **at_once)
    _refuse_given(at_once, f"{system.name} rates game by game")
    if how["frozen"] is not None and not how["forecasts"]:
        raise BadArgument.of("nothing_to_freeze")
    if held:
        from prowess.engine.rate import rate as rated

        return rated(games, system, follow=True, **how)
    _refuse_given({"rules": how.pop("rules")}, "files that are read as a stream keep no games")
    return rate_files(games, system, streaming, reading, **(how | {"progress": tell}))


def rate_leagues(
    games: Games | Any,
    system: str | System | None = None,
    *,
    by: str | Sequence[str] = "league",
    period: str | None = None,
    as_of: str | date | float | None = None,
    rules: Sequence[Rule] = (),
    level: float = 0.95,
    reference: str | None = None,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    resume: str | Path | None = None,
    checkpoint_every: float = 60.0,
    sort: bool = False,
    temp: str | Path | None = None,
    params: Mapping[str, Any] | None = None,
    **keywords: float | str | Sequence[float] | NDArray[Any],
) -> LeagueRatings:
    """Rate each league of a table by itself; most systems rate all leagues in one pass.

    `by` names the column that tells leagues apart: divisions, variants, ladders, seasons; or
    several columns, whose combinations are the leagues. The numbers are those of each league's own
    games rated alone; a player of two leagues has a rating in each.

    >>> import prowess
    >>> games = [
    ...     {"league": "A", "a": "Ann", "b": "Bob", "score": 1},
    ...     {"league": "B", "a": "Ann", "b": "Cid", "score": 0},
    ... ]
    >>> found = prowess.rate_leagues(games, "elo", by="league", k=40)
    >>> round(found["A"]["Ann"].rating), round(found["B"]["Ann"].rating)
    (1520, 1480)

    `games` is what `rate` takes; of a table that was read, `by` names facts. `reference` is None or
    "mean"; all other arguments are those of `rate`. `cluster` shares the leagues where a system
    rates one after the other: a number of processes, an executor of `concurrent.futures`, or a Dask
    cluster ("local", an address, a client); the answer is the same. A league that cannot be rated
    is named in `unrated`, with the reason; where none can be rated the error is that of the first.
    Files are read as a stream where `rate` does so (`memory`, `resume`, `sort`), by systems that
    rate all leagues in one pass. Raises what `rate` raises, BadCluster, and BadData for a column
    that is not there or a game without a league.
    """
    from prowess.engine.by_league import rate_leagues as rated
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import check_stream_options, rate_league_files
    from prowess.verbs.tables import check_by, take_keywords, take_leagues

    names = check_by(by)
    chosen, reading, params = take_keywords(games, system, keywords, params)
    streaming = check_stream_options(memory, resume, checkpoint_every, sort, temp)
    tables = None if streaming.apply_to(games) else take_leagues(games, names, reading)
    how = _check_options(period, as_of, rules, compiled, progress)
    level = check_number("level", level, PROBABILITY)
    if reference not in (None, "mean"):
        raise BadArgument.of("not_a_reference", reference=reference)
    how["params"] = params
    if isinstance(chosen, WholeTable):
        if tables is None:
            raise BadArgument.of("needs_whole_table.rating", chosen=chosen.name)
        by_game = {"period": period, "rules": how["rules"]}
        _refuse_given(by_game, f"{chosen.name} looks at the whole table at once")
    else:
        _refuse_given({"reference": reference}, f"{chosen.name} rates game by game")
        if tables is None:
            _refuse_given({"rules": how.pop("rules")}, "a stream keeps no games")
            how["progress"] = None if progress is None else partial(_tell_progress, progress)
            return rate_league_files(games, chosen, names, streaming, reading, **how)
    how |= {"level": level, "reference": reference}
    with workers_of(cluster) as workers:
        return rated(tables, chosen, workers=workers, **how)


def _check_options(
    period: Any, as_of: Any, rules: Any, compiled: Any, progress: Any
) -> dict[str, Any]:
    """How a table is rated, each argument checked and `as_of` in days; raises BadArgument."""
    from prowess.engine.periods import parse_period

    if period is not None and not isinstance(period, str):
        parse_period(period)  # raises BadPeriod; what a text says is looked at later
    return {
        "period": period,
        "as_of": None if as_of is None else check_day("as_of", as_of),
        "rules": check_series("rules", rules, '[prowess.Redistribution(after="1y")]'),
        "compiled": check_given(check_flag, "compiled", compiled),
        "progress": check_given(check_callable, "progress", progress),
    }


def _tell_progress(progress: Callable[[int, int], None], now: StreamProgress) -> None:
    """Call a caller's function with the rows that are rated, and all of them or 0."""
    progress(now.contests, now.rows or 0)


def _refuse_given(options: Mapping[str, Any], reason: str) -> None:
    """Raise BadSetting for options that have no meaning with this system."""
    from prowess.engine.params import BadSetting

    for name, value in options.items():
        if value not in (None, False, [], {}):
            raise BadSetting(f"leave {name} out: {reason}", code="option_not_taken")


def rate_on(
    ratings: Ratings,
    games: Games | Any,
    *,
    forecasts: bool | str | Path = False,
    memory: str | float | None = None,
    sort: bool = False,
    temp: str | Path | None = None,
    **columns: Any,
) -> Ratings:
    """Ratings after further games: bit for bit as if all had been rated at once.

    Only the new games are played (by `prowess` all again where its opening ends later; see
    `ratings.add`, which takes one game). They must not be earlier than the last game, nor belong
    to a rating period that is closed; Unratable says so. `forecasts` keeps the forecast before each
    new game (those before have nan), of a stream in a Parquet file; `columns` as in `read_games`,
    without a season that of the ratings. Onto ratings of a stream files are read as a stream where
    `rate` does so (`memory`, `sort`).

    >>> import prowess
    >>> first = prowess.rate([("Ann", "Bob", 1)], "elo")
    >>> prowess.rate_on(first, [("Bob", "Ann", 1)], forecasts=True).forecasts.round(3).tolist()
    [nan, 0.454]
    """
    from prowess.engine.rate import DynamicRatings, keep_season, rate_on as rated_on
    from prowess.engine.ratings import Ratings
    from prowess.engine.system import Unratable
    from prowess.games import Games
    from prowess.verbs.streaming import check_forecasts, check_stream_options, rate_further_games
    from prowess.verbs.tables import take_games

    if not isinstance(ratings, Ratings):
        raise BadArgument.of("not_ratings.rating", ratings=ratings)
    if not isinstance(ratings, DynamicRatings):
        raise Unratable.of("not_continued.rating", system=ratings.system.name)
    if not isinstance(games, Games):
        columns = keep_season(columns, ratings)
    streaming = check_stream_options(memory, sort=sort, temp=temp)
    asked: Any = check_forecasts(forecasts, streams=ratings.streamed is not None)
    if ratings.streamed is not None:
        return rate_further_games(ratings, games, streaming, columns, forecasts=asked)
    if streaming.wants_stream:
        raise BadArgument.of("games_in_memory")
    return rated_on(ratings, take_games(games, columns), forecasts=asked)


def take_ratings(
    source: Any, system: Any, keywords: Mapping[str, Any], verb: str = "this"
) -> Ratings:
    """Ratings as they are, or those of a table; BadArgument names the function called, `verb`."""
    from prowess.engine.ratings import Ratings

    if isinstance(source, Ratings):
        given = [*keywords, *(["system"] if system is not None else [])]
        if given:
            raise BadArgument.of("option_of_results", verb=verb, options=" or ".join(given))
        return source
    return rate(source, system, **keywords)


def leaderboard(
    ratings: Any,
    top: int | None = None,
    *,
    min_games: int = 0,
    since: str | date | float | None = None,
    lower: float | None = None,
    system: Any = None,
    **keywords: Any,
) -> Leaderboard:
    """The leaderboard of ratings, or of a table that is rated under `system` with `keywords`.

    `min_games`, `since` and `lower` as for `Ratings.leaderboard`.

    >>> import prowess
    >>> prowess.leaderboard([("Ann", "Bob", 1)], system="elo")
    rank  player  rating  games
       1  Ann     1516.0      1
       2  Bob     1484.0      1
    """
    made = take_ratings(ratings, system, keywords, "leaderboard")
    return made.leaderboard(top, min_games=min_games, since=since, lower=lower)


def history(ratings: Any, player: str | None = None, *, system: Any = None, **keywords: Any) -> Any:
    """The history of a player, or of all players as one table; see `Ratings.history`.

    >>> import prowess
    >>> prowess.history([("Ann", "Bob", 1)], "Bob", system="elo").to_columns()["after"][0]
    1484.0
    """
    return take_ratings(ratings, system, keywords, "history").history(player)


def simulate(*, seed: int = 1, **settings: Any) -> Games:
    """The games of a simulated league whose true strengths are drawn; settings as `LeagueSettings`.

    `players`, `games`, `draws`, `drift` and so on are those of `prowess simulate league`. Raises
    BadSetting.

    >>> import prowess
    >>> len(prowess.simulate(players=4, games=20, seed=3))
    20
    """
    from prowess.study.simulation.league import simulate as play_league
    from prowess.study.simulation.settings import league_settings

    return play_league(league_settings(**settings), seed).games
