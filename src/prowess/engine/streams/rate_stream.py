"""Rate a stream of pieces: tables that need not fit in memory, with the ratings as the result.

`rate_league_stream` rates each league of a stream by itself, in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from prowess.engine.by_league import collect_players, keeps_players_apart
from prowess.engine.league_ratings import LeagueRatings
from prowess.engine.losses import ForecastScores
from prowess.engine.params import settings
from prowess.engine.periods import BY_LABEL, SPAN_BY_TABLE, Rounds
from prowess.engine.rate import DynamicRatings, moment, run_notes
from prowess.engine.rater import PieceRater, PlayedPiece
from prowess.engine.ratings import Streamed
from prowess.engine.streams.checkpoint import Checkpoints, digest_mark
from prowess.engine.streams.forecast_files import ForecastFile
from prowess.engine.streams.memory import MemoryLimit
from prowess.engine.streams.prepared_pieces import PreparedPieces
from prowess.engine.streams.resuming import ResumableRun, describe_run
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import (
    before_day,
    empty_table,
)
from prowess.games.by_league import LeagueTables, RenamedRoster, note_seasons
from prowess.games.dates import format_day
from prowess.games.runs import bounds_of, reduce_runs

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings
    from prowess.games.by_league import League
    from prowess.games.games import Games
    from prowess.games.reading import Reading
    from prowess.games.stream import LeagueStream


class StreamSource(Protocol):
    """What a stream of games is to the engine: see `prowess.games.stream`."""

    @property
    def rows(self) -> int | None: ...

    @property
    def files(self) -> Sequence[Any]: ...

    @property
    def reading(self) -> Reading: ...

    def pieces(self, start: Any = ...) -> Generator[Any]: ...

    def roster(self) -> Sequence[str]: ...


class StreamProgress(NamedTuple):
    """How far a stream has been rated."""

    contests: int
    rows: int | None  # of all files, where they tell
    players: int
    day: float | None  # of the last contest

    def describe(self, speed: float) -> str:
        """How far a stream is at so many games a second.

        >>> StreamProgress(25_000_000, 100_000_000, 12_345, 19_000.0).describe(1.25e7)
        '25,000,000 games (25%), 12.5 M/s, 12,345 players, 2022-01-08, 0:06 left'
        """
        parts = [f"{self.contests:,} games", f"{speed / 1e6:.1f} M/s", f"{self.players:,} players"]
        if self.rows:
            parts[0] += f" ({self.contests / self.rows:.0%})"
        if self.day is not None:
            parts.append(format_day(self.day))
        if self.rows and speed > 0.0:
            left = int(max(0, self.rows - self.contests) / speed)
            parts.append(f"{left // 60}:{left % 60:02} left")
        return ", ".join(parts)


@dataclass(eq=False)
class StreamRun:
    """What is done beside rating: the limit of memory, progress, and what pieces are written to."""

    memory: MemoryLimit | None = None
    progress: Callable[[StreamProgress], None] | None = None
    forecasts: ForecastFile | None = None  # what the forecasts are written to
    judge: bool = False  # whether their scores are told, also where they are not written
    resume: str | Path | None = None  # the folder of checkpoints
    resumed: Callable[[int], None] | None = None  # is told how many contests these have
    every: float = 60.0  # seconds between two of them
    begun: Callable[[Games], None] | None = None  # gets the first of further games
    marks: Mapping[str, Any] = field(default_factory=dict)  # what else makes it another run
    again: Callable[[], StreamSource] | None = None  # opens the stream once more

    @property
    def judges(self) -> bool:
        """Whether scores of forecasts are told."""
        return self.judge or self.forecasts is not None

    @property
    def most_held(self) -> int | None:
        """How many bytes of an open period may be held back."""
        return None if self.memory is None else self.memory.bytes // 2

    @contextmanager
    def discard_after_errors(self) -> Iterator[None]:
        """Remove what is not whole of the file of forecasts when the block ends with an error."""
        try:
            yield
        except BaseException:
            if self.forecasts is not None:
                self.forecasts.discard()
            raise

    def take(self, rater: PieceRater, source: StreamSource, played: PlayedPiece | None) -> None:
        """Look at what has been played so far, and write the last of it."""
        if played is not None and self.forecasts is not None:
            self.forecasts.add(played)
        players = len(rater.counts)
        if self.memory is not None and players:
            self.memory.check(players, bytes_a_player(rater))
        if self.progress is not None:
            day = rater.seen.ends.get("time", (None, None))[1]
            self.progress(StreamProgress(rater.contests, source.rows, players, day))


def bytes_a_player(rater: PieceRater) -> int:
    """The bytes of one player in the state and the counts, with the room for players to come."""
    arrays = [rater.state.rating, rater.state.seen, rater.counts.rows]
    if rater.state.league is not None:
        arrays += [rater.state.league.ring, rater.state.league.last]
    return 2 * sum(one.nbytes for one in arrays) // len(rater.counts)


def rate_stream(
    source: StreamSource,
    system: Dynamic,
    *,
    period: str | None = None,
    as_of: float | None = None,
    start: Mapping[str, Mapping[str, float]] | None = None,
    absent: bool = False,
    compiled: bool | None = None,
    params: Mapping[str, Any] | None = None,
    run: StreamRun | None = None,
    frozen: str | None = None,
) -> DynamicRatings:
    """The ratings after a stream: bit for bit those of the whole table.

    The result has the players and no games; see `rate` for the arguments. `absent` allows starting
    values of players who have no game. Raises what `rate` raises, and Unratable for what needs the
    whole table in memory.
    """
    run = run or StreamRun()
    p = asked = settings(system, params or {})
    prepared = None
    if system.prepare is not None:
        if system.prepare_pieces is None or run.again is None:
            raise Unratable.of("needs_whole_table.rate_stream", system=system.name)
        planned = source.rows if as_of is None else None
        prepared = system.prepare_pieces(p, partial(games_until, as_of, run.again), planned)
        p = prepared.p
    if start and system.league is not None:
        raise Unratable.of("starts_not_streamed.rate_stream", system=system.name)
    if frozen == SPAN_BY_TABLE:
        raise Unratable.of("span_of_whole_table", frozen=frozen)
    if frozen is not None and run.resume is not None:
        raise Unratable.of("frozen_not_resumed")
    rater = PieceRater(
        system, p, period=period, start=start or {}, forecasts=run.judges, compiled=compiled,
        before=run.forecasts is not None, scores=ForecastScores() if run.judges else None,
        absent=absent, planned=source.rows, most_held=run.most_held, frozen=frozen,
    )  # fmt: skip
    resumable = None
    if run.resume is not None:
        marks = {
            **describe_run(system, p, period, start or {}, as_of),
            "sides, draws and margins in all games":
                None if prepared is None else digest_mark(f"{prepared.survey} {p}"),
            "forecasts": run.forecasts is not None, "scores": run.judges, **run.marks,
        }  # fmt: skip
        checkpoints = Checkpoints(run.resume, marks, run.every)
        resumable = ResumableRun(checkpoints, rater, source, prepared, run.forecasts, run.resumed)
    play_stream(rater, source, run, as_of, prepared, resumable)
    return collect_ratings(rater, source.roster(), source.reading, as_of, asked, prepared)


def play_stream(
    rater: PieceRater,
    source: StreamSource,
    run: StreamRun,
    as_of: float | None = None,
    prepared: PreparedPieces | None = None,
    resumable: ResumableRun | None = None,
) -> None:
    """Play all pieces of a stream."""
    pieces = source.pieces() if resumable is None else resumable.pieces()
    first: float | None = None
    over = False
    with closing(pieces), run.discard_after_errors():
        for piece in pieces:  # to the end: later games may bring players
            games = piece.games
            if first is None and games.time is not None and len(games):
                first = float(games.time[0])
            here = before_day(games, as_of)
            over = over or len(here) < len(games)  # then no checkpoint is at the end of a piece
            played = None
            if len(here):
                ready = () if prepared is None else prepared.prepare(here, rater.number_spans(here))
                played = rater.take(here, *ready)
            run.take(rater, source, played)
            if resumable is not None and not over:
                resumable.save_if_due(piece.end)
        if resumable is not None and not over:
            resumable.save_end()
        run.take(rater, source, rater.end(source.roster()))
        if not rater.contests:
            raise empty_table(first, as_of)
        if run.forecasts is not None:
            run.forecasts.close()


def games_until(as_of: float | None, again: Callable[[], StreamSource]) -> Iterator[Games]:
    """The games up to a day of a stream that is opened once more."""
    for piece in again().pieces():
        games = before_day(piece.games, as_of)
        if len(games):
            yield games
        if len(games) < len(piece.games):
            return


def collect_ratings(
    rater: PieceRater,
    players: Sequence[str],
    reading: Reading,
    as_of: float | None,
    asked: Any,
    prepared: PreparedPieces | None,
) -> DynamicRatings:
    """The ratings of all that a rater has played, who keep it to play on."""
    system, period, seen, state = rater.system, rater.period, rater.seen, rater.state
    assert seen.form is not None
    read = seen.form.replace(players=players, reading=reading, notes=None)
    ends, played = seen.table, read
    notes: tuple[str, ...] = ()
    order = None
    if prepared is not None:
        order, played = prepared.collect(read)
        notes = played.notes
    if order is None:
        rater.add_players(read, players)  # those without a game
    else:
        assert prepared is not None
        rater.add_players(prepared.number_members(played), players)
        rater.take_members(order, played)
    rater.newest = None  # games are not kept
    now, day = moment(system, ends, seen.rounds, period, as_of)
    return DynamicRatings(
        system=system,
        p=rater.p,
        players=played.players,
        state=state,
        game_counts=rater.counts.games,
        last=rater.counts.last,
        table=read,
        prepared=None if prepared is None else played,
        asked=asked,
        rounds=Rounds(None, None, None),
        period=period,
        now=now,
        day=day,
        start=rater.given,
        notes=(
            *notes,
            *run_notes(state, ends, period, rater.contests, seen.ends.get("time"), seen.alone),
        ),
        streamed=Streamed(
            rater.contests, seen.ends.get("time"), None if prepared else rater, rater.scores
        ),
    )


def rate_league_stream(
    source: LeagueStream,
    system: Dynamic,
    *,
    rate_alone: Callable[[League], Ratings],
    period: str | None = None,
    as_of: float | None = None,
    compiled: bool | None = None,
    params: Mapping[str, Any] | None = None,
    run: StreamRun | None = None,
) -> LeagueRatings:
    """The ratings of each league of a stream; the arguments are those of `rate_stream`.

    `rate_alone` reads one league again. Raises what `rate_stream` raises, and Unratable for a
    system that does not rate all leagues in one pass.
    """
    p = settings(system, params or {})
    if not keeps_players_apart(system, p):
        raise Unratable.of("leagues_not_streamed", system=system.name)
    by_clock = period is not None and system.drift is not None and not system.follows_period
    if by_clock or period == BY_LABEL:
        raise Unratable.of("period_of_leagues", system=system.name)
    try:
        found = rate_stream(
            source, system, period=period, as_of=as_of, compiled=compiled, params=params, run=run
        )
    except Unratable:
        if not source.leagues:
            raise empty_table(min(source.later.values(), default=None), as_of) from None
        raise
    league = source.find_leagues()
    order = np.argsort(league, kind="stable")
    ends = np.searchsorted(league[order], np.arange(len(source.leagues) + 1, dtype=np.int64))
    last = None if found.last is None else found.last[order]
    days = None if last is None else reduce_runs(np.maximum, last, ends[:-1])
    tables = LeagueTables(
        found.table.replace(players=RenamedRoster(found.players, order)),
        source.by,
        tuple(source.leagues),
        bounds_of(source.games),
        ends,
    )
    state = replace(found.state, rating=found.state.rating[order], seen=found.state.seen[order])
    rounds = Rounds(None, None, None if found.now is None else np.zeros(1))
    return LeagueRatings(
        system=system,
        p=p,
        period=period,
        tables=tables,
        rated=tuple(range(len(tables))),
        unrated={league: str(empty_table(day, as_of)) for league, day in source.later.items()},
        players=collect_players(
            state, rounds, period, tables,
            days if as_of is None else np.full(len(tables), as_of),
            (found.game_counts[order], last),
        ),
        rate_alone=rate_alone,
        notes=(*found.notes, *note_seasons(tables.leagues)),
    )  # fmt: skip
