"""Ratings of files that are read as a stream: which sources are, and what may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prowess.engine.streams.file_sources import (
    CHECKPOINT_SECONDS,
    StreamOptions,
    describe_reading,
    sort_source,
)
from prowess.games.arguments import BadArgument, check_flag, refuse
from prowess.games.errors import IN_MEMORY

if TYPE_CHECKING:
    from prowess.engine.fit import WholeTableRatings
    from prowess.engine.league_ratings import LeagueRatings
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.streams.rate_stream import StreamProgress
    from prowess.engine.system import Dynamic
    from prowess.engine.whole_table import WholeTable
    from prowess.games.by_league import League
    from prowess.games.games import Games


def check_forecasts(asked: Any, *, streams: bool) -> bool | str | Path:
    """Whether forecasts are made, or the file that a stream writes; raises BadArgument."""
    if not isinstance(asked, str | Path):
        return check_flag("forecasts", asked)
    if not streams:
        raise BadArgument(
            "give forecasts=True, or rate files as a stream (memory=): only a stream writes "
            "forecasts to a file", code="not_a_stream"
        )  # fmt: skip
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
        raise BadArgument(
            f"leave resume out (--resume): {system.name} rates after the last game, so there is "
            "nothing to go on from", code="nothing_to_resume"
        )  # fmt: skip
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
            raise BadArgument(
                f"leave {name} out, or {IN_MEMORY}: leagues of a stream are rated in one pass",
                code="changes_of_leagues",
            )
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
    from prowess.games.arguments import check_flag, check_number

    for name, value in (("resume", resume), ("temp", temp)):
        if value is not None and not (isinstance(value, str | Path) and str(value)):
            raise refuse(f'give {name} as a folder such as "run/"', value, code="not_a_folder")
    if temp is not None and not Path(temp).is_dir():
        raise BadArgument(
            f"make the folder {str(temp)!r} first, or name another (temp=, --temp)",
            code="no_such_folder",
        )
    every = check_number("checkpoint_every", checkpoint_every, "seconds, such as 60")
    if every < 0.0:
        raise refuse(
            "give checkpoint_every as seconds, 0 or more", checkpoint_every, code="not_seconds"
        )
    return StreamOptions(
        None if memory is None else parse_memory(memory),
        None if resume is None else str(resume),
        every,
        check_flag("sort", sort),
        None if temp is None else str(temp),
    )
