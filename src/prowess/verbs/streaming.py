"""Ratings of files that are read as a stream, or cut into shards: which are, what may be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.engine.streams.file_sources import (
    CHECKPOINT_SECONDS,
    StreamOptions,
    describe_reading,
    sort_source,
)
from prowess.games.arguments import BadArgument, check_flag, check_number

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.fit import WholeTableRatings
    from prowess.engine.league_ratings import LeagueRatings
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.streams.rate_stream import StreamProgress
    from prowess.engine.system import Dynamic
    from prowess.engine.whole_table import WholeTable
    from prowess.games.by_league import League
    from prowess.games.games import Games
    from prowess.games.shards import Shards


def check_forecasts(asked: Any, *, streams: bool) -> bool | str | Path:
    """Whether forecasts are made, or the file that a stream writes; raises BadArgument."""
    if not isinstance(asked, str | Path):
        return check_flag("forecasts", asked)
    if not streams:
        raise BadArgument.of("not_a_stream")
    return asked


def rate_files(
    source: Any,
    system: Dynamic,
    options: StreamOptions,
    reading: Mapping[str, Any],
    *,
    progress: Callable[[StreamProgress], None] | None = None,
    forecasts: bool | str | Path = False,
    resumed: Callable[[int], None] | None = None,
    frozen: str | None = None,
    **asked: Any,
) -> Ratings:
    """The ratings of files that are read as a stream; `asked` as `rate_stream` takes it.

    `forecasts` is a Parquet file for the forecasts before each game, or whether they are judged
    alone. `resumed` is told how many games the checkpoint has from which the run goes on.
    """
    from prowess.engine.streams.forecast_files import ForecastFile
    from prowess.engine.streams.memory import MemoryLimit
    from prowess.engine.streams.rate_stream import StreamRun, rate_stream
    from prowess.verbs.tables import name_columns

    file = None if isinstance(forecasts, bool) else ForecastFile(forecasts, options.resume)
    with (
        options.hold_folder(),
        name_columns(frozen=frozen),
        sort_source(source, options, reading) as open_games,
    ):
        run = StreamRun(
            memory=MemoryLimit(options.bytes), progress=progress, forecasts=file,
            judge=bool(forecasts),
            resume=options.resume, resumed=resumed, every=options.checkpoint_every,
            marks={"reading": describe_reading(reading), "columns of leagues": None},
            again=lambda: open_games(report=None),
        )  # fmt: skip
        return rate_stream(open_games(), system, run=run, frozen=frozen, **asked)


def rate_further_games(
    ratings: DynamicRatings,
    games: Any,
    options: StreamOptions,
    reading: Mapping[str, Any],
    *,
    forecasts: bool | str | Path = False,
    progress: Callable[[StreamProgress], None] | None = None,
    begun: Callable[[Games], None] | None = None,
) -> Ratings:
    """The ratings of a stream after further games, of large files also as a stream.

    `forecasts` is a Parquet file for theirs, or whether they are judged alone; `begun` gets the
    first of them.
    """
    from prowess.engine.streams.forecast_files import ForecastFile
    from prowess.engine.streams.further_games import TableSource, rate_on_stream
    from prowess.engine.streams.memory import MemoryLimit
    from prowess.engine.streams.rate_stream import StreamRun
    from prowess.verbs.tables import take_games

    file = None if isinstance(forecasts, bool) else ForecastFile(forecasts)
    run = StreamRun(progress=progress, forecasts=file, judge=bool(forecasts), begun=begun)
    if not options.apply_to(games):
        return rate_on_stream(ratings, TableSource(take_games(games, reading)), run=run)
    run.memory = MemoryLimit(options.bytes)
    with sort_source(games, options, reading) as open_games:
        return rate_on_stream(ratings, open_games(), run=run)


def fit_files(
    source: Any,
    system: WholeTable,
    options: StreamOptions,
    reading: Mapping[str, Any],
    *,
    progress: Callable[[StreamProgress], None] | None = None,
    **asked: Any,
) -> WholeTableRatings:
    """The ratings of files by a system of the whole table; `asked` as `fit_stream` takes it."""
    from prowess.engine.streams.fit_stream import fit_stream
    from prowess.engine.streams.memory import MemoryLimit

    if options.resume is not None:
        raise BadArgument.of("nothing_to_resume", system=system.name)
    limit = MemoryLimit(options.bytes)
    with sort_source(source, options, reading) as open_games:
        return fit_stream(open_games(), system, memory=limit, progress=progress, **asked)


def rate_league_files(
    source: Any,
    system: Dynamic,
    by: Sequence[str],
    options: StreamOptions,
    reading: Mapping[str, Any],
    *,
    progress: Callable[[StreamProgress], None] | None = None,
    resumed: Callable[[int], None] | None = None,
    as_of: float | None = None,
    **asked: Any,
) -> LeagueRatings:
    """The ratings of each league of files that are read as a stream, by the columns `by`."""
    from prowess.engine.streams.memory import MemoryLimit
    from prowess.engine.streams.rate_stream import StreamRun, rate_league_stream
    from prowess.games.stream import LeagueStream
    from prowess.verbs.tables import keep_facts, name_columns

    for name in ("player_facts", "season"):
        if name in reading:
            raise BadArgument.of("changes_of_leagues", name=name)
    run = StreamRun(
        memory=MemoryLimit(options.bytes), progress=progress, resume=options.resume,
        resumed=resumed, every=options.checkpoint_every,
        marks={"reading": describe_reading(reading), "columns of leagues": ", ".join(by)},
    )  # fmt: skip
    asked |= {"as_of": as_of}
    alone = options._replace(resume=None)
    again = partial(rate_one_league, source, system, by, alone, reading, asked)
    kept = {**reading, "facts": keep_facts(reading, by)}
    with (
        options.hold_folder(),
        name_columns(by=by),
        sort_source(source, options, kept) as open_games,
    ):
        leagues = LeagueStream(open_games(), tuple(by), as_of)
        return rate_league_stream(leagues, system, rate_alone=again, run=run, **asked)


def rate_one_league(
    source: Any,
    system: Dynamic,
    by: Sequence[str],
    options: StreamOptions,
    reading: Mapping[str, Any],
    asked: Mapping[str, Any],
    league: League,
) -> Ratings:
    """The ratings of one league of the files, which are read again."""
    from prowess.engine.streams.memory import MemoryLimit
    from prowess.engine.streams.rate_stream import StreamRun, rate_stream
    from prowess.games.stream import LeagueStream
    from prowess.verbs.tables import keep_facts

    run = StreamRun(memory=MemoryLimit(options.bytes))
    kept = {**reading, "facts": keep_facts(reading, by)}
    with sort_source(source, options, kept) as open_games:
        alone = LeagueStream(open_games(report=None), tuple(by), only=league)
        return rate_stream(alone, system, run=run, **asked)


def check_stream_options(
    memory: Any = None,
    resume: Any = None,
    checkpoint_every: Any = CHECKPOINT_SECONDS,
    sort: Any = False,
    temp: Any = None,
) -> StreamOptions:
    """The options of a stream as a caller gives them; raises BadArgument."""
    from prowess.engine.streams.memory import parse_memory

    for name, value in (("resume", resume), ("temp", temp)):
        if value is not None and not (isinstance(value, str | Path) and str(value)):
            raise BadArgument.of("not_a_folder.option", name=name, value=value)
    if temp is not None and not Path(temp).is_dir():
        raise BadArgument.of("no_such_folder", folder=str(temp))
    every = check_number("checkpoint_every", checkpoint_every, "seconds, such as 60")
    if every < 0.0:
        raise BadArgument.of("not_seconds", checkpoint_every=checkpoint_every)
    return StreamOptions(
        None if memory is None else parse_memory(memory),
        None if resume is None else str(resume),
        every,
        check_flag("sort", sort),
        None if temp is None else str(temp),
    )


# Games in shards: write them, find them, and rate them by periods on several processes.


SHARDS = 16  # of games that are in memory; the number does not change the ratings


def shard(
    games: Any,
    folder: Any,
    shards: int = 32,
    *,
    memory: str | float | None = None,
    sort: bool = False,
    temp: str | Path | None = None,
    **columns: Any,
) -> Shards:
    """Write games of two players to a new folder, cut by players into so many shards (1 to 256).

    A game goes to the shards of both its players, in the order of the table, so that a shard knows
    all of its players' games. `rate` takes the folder, or what this returns, with a `period`, and
    gives the numbers of the whole table to the last bit, with any number of shards. `columns` as
    `read_games` takes them; large files are read as a stream, with `memory`, `sort` and `temp` as
    `rate` takes them. Raises BadData, and BadArgument for teams, contests, or a folder with files
    in it.

    >>> import prowess, tempfile
    >>> games = prowess.simulate(players=6, games=60, seed=3)
    >>> shards = prowess.shard(games, tempfile.mkdtemp(), 4)
    >>> shards.count, len(shards), len(shards.players)
    (4, 60, 6)
    """
    from prowess.games.shards import check_new_folder, cut_pieces, write_shards
    from prowess.verbs.tables import take_games

    if not isinstance(folder, str | Path) or not str(folder):
        raise BadArgument.of("not_a_folder.shards", folder=folder)
    check_new_folder(folder)
    streaming = check_stream_options(memory, sort=sort, temp=temp)
    if streaming.apply_to(games):
        return shard_files(games, folder, shards, streaming, columns)
    return write_shards(cut_pieces(take_games(games, columns)), folder, shards)


def shard_files(
    source: Any, folder: Any, shards: int, streaming: StreamOptions, reading: Mapping[str, Any]
) -> Shards:
    """Write the games of files, which are read as a stream, as shards."""
    from prowess.games.shards import write_shards

    with sort_source(source, streaming, reading) as open_games:
        stream = open_games()

        def finish(last: Games) -> Games:
            return last.replace(players=stream.roster(), reading=stream.reading)

        with closing(stream.pieces()) as pieces:
            return write_shards((one.games for one in pieces), folder, shards, finish)


def find_shards(games: Any) -> Shards | None:
    """The shards that a folder holds, or that are given as such; None: they are none."""
    from prowess.games.shards import Shards, holds_shards, read_shards

    if isinstance(games, str | Path):
        return read_shards(games) if holds_shards(games) else None
    return games if isinstance(games, Shards) else None


def check_sharing(system: System, params: Mapping[str, Any], period: str | None) -> Dynamic:
    """The system, if workers can share its rating periods; raises BadArgument and Unratable."""
    from prowess.engine.params import settings
    from prowess.engine.streams.owners import check_ownable
    from prowess.engine.whole_table import WholeTable

    if isinstance(system, WholeTable):
        raise BadArgument.of("shards_not_taken", system=system.name)
    check_ownable(system, settings(system, params), period)
    return system


def rate_on_workers(
    games: Shards | Games | None, system: System, cluster: Any, streaming: StreamOptions, **how: Any
) -> Ratings:
    """Ratings by rating periods on what `cluster` stands for; None: files larger than memory.

    `how` as `streams.owners.rate_shards` takes it. Raises BadArgument, BadCheckpoint, BadCluster,
    Unratable.
    """
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.streams.owners import rate_shards
    from prowess.games.shards import Shards, shard_table

    shared = check_sharing(system, how["params"], how["period"])
    if games is None:
        raise BadArgument.of("shards_needed")
    how |= {"resume": streaming.resume, "every": streaming.checkpoint_every}
    with streaming.hold_folder(), workers_of(cluster) as workers:
        shards = games if isinstance(games, Shards) else shard_table(games, SHARDS)
        return rate_shards(shards, shared, workers=workers, **how)


def fit_on_workers(table: Games, system: WholeTable, cluster: Any, **how: Any) -> Ratings:
    """A fit whose rows are held by the workers of a Dask cluster; `how` as `fit_table` takes it.

    Rows that are few, or merged by pair, are fitted here, and a note says so.
    """
    from dataclasses import replace

    from prowess.engine.cluster.dask import Dask
    from prowess.engine.cluster.workers import workers_of
    from prowess.engine.fit import fit_table
    from prowess.engine.fits.leaves import hold_leaves

    with workers_of(cluster) as workers:
        if isinstance(workers, Dask):
            with hold_leaves(workers) as home:
                found = fit_table(table, system, **how)
            if home.held:
                return found
        else:
            found = fit_table(table, system, **how)
    note = f"fitted in one process: {system.name} has nothing to share of this table"
    return replace(found, notes=(*found.notes, note))
