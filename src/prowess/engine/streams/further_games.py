"""Further games onto the ratings of a stream, and such ratings as plain data for a file.

The ratings keep no games; what is played on is the rater as it stood after the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray
from prowess.engine.losses import ForecastScores
from prowess.engine.params import settings
from prowess.engine.periods import BY_LABEL
from prowess.engine.rate import DynamicRatings
from prowess.engine.rater import PieceRater
from prowess.engine.streams.rate_stream import (
    StreamRun,
    StreamSource,
    collect_ratings,
    play_stream,
)
from prowess.engine.streams.resuming import RATER, pack_rater, unpack_rater
from prowess.engine.system import Dynamic, Unratable
from prowess.engine.table import join_tables
from prowess.engine.whole_table import WholeTable
from prowess.games.by_league import RenamedRoster
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.reading import NOT_READ, Reading
from prowess.games.stream import add_prefix, take_prefixed


class TableSource(NamedTuple):
    """A table as a stream of one piece."""

    games: Games
    files: Sequence[Any] = ()

    @property
    def rows(self) -> int:
        """See StreamSource."""
        return len(self.games)

    @property
    def reading(self) -> Reading:
        """See StreamSource."""
        return self.games.reading

    def pieces(self, start: Any = None) -> Generator[TableSource]:
        """See StreamSource."""
        yield self

    def roster(self) -> Sequence[str]:
        """See StreamSource."""
        return self.games.players


class FurtherGames:
    """A stream of games after others: its players have the numbers that they had before.

    Its pieces have the columns of `before`, a table without rows, beside their own. `check` looks
    at the first of them.
    """

    def __init__(self, source: StreamSource, before: Games, check: Callable[[Games], None]) -> None:
        self.source, self.files, self.rows = source, source.files, source.rows
        self.check: Callable[[Games], None] | None = check
        self.form, self.before = before.replace(reading=NOT_READ), before.reading
        self.names = list(before.players)
        self.number = {name: at for at, name in enumerate(self.names)}
        self.numbers = np.zeros(0, np.uint32)  # of the players of the source

    @property
    def reading(self) -> Reading:
        """How all files were understood, those of the earlier games too."""
        return replace(self.before.join(self.source.reading), players=len(self.names))

    def pieces(self, start: Any = None) -> Generator[Any]:
        """See StreamSource; raises Unratable for pieces of another form."""
        for piece in self.source.pieces():
            games = piece.games
            self._number_players(games.players)
            players = RenamedRoster(self.names, range(len(self.names)))
            columns = {
                name: self.numbers[games.columns[name]]
                for name in ("a", "b", "player")
                if name in games.columns
            }
            again = games.replace(players=players, reading=NOT_READ, **columns)
            joined = join_tables(self.form.replace(players=players), again)
            if self.check is not None and len(joined):
                self.check(joined)
                self.check = None
            yield piece._replace(games=joined)

    def roster(self) -> Sequence[str]:
        """See StreamSource."""
        self._number_players(self.source.roster())
        return Roster(self.names)

    def _number_players(self, players: Any) -> None:
        known = len(self.numbers)
        if len(players) == known:
            return
        fresh = (players.roster() if hasattr(players, "roster") else players)[known:]
        found = [self.number.setdefault(name, len(self.number)) for name in fresh]
        self.names += list(self.number)[len(self.names) :]
        self.numbers = np.append(self.numbers, np.array(found, np.uint32))


def rate_on_stream(
    ratings: DynamicRatings, source: StreamSource, *, run: StreamRun | None = None
) -> DynamicRatings:
    """The ratings of a stream after further games: bit for bit those of all games at once.

    The scores of forecasts are joined to those of earlier games, where these were judged. Raises
    Unratable for games that are earlier than the last one or that belong to a period already
    closed, and for ratings that cannot go on.
    """
    run = run or StreamRun()
    known, arrays = pack_rater(find_rater(ratings))
    rater = PieceRater(
        ratings.system, ratings.p, period=ratings.period, absent=True, planned=source.rows,
        most_held=run.most_held,
    )  # fmt: skip
    unpack_rater(rater, deepcopy(known), {name: one.copy() for name, one in arrays.items()})
    if run.judges and rater.scores is None:
        rater.scores = ForecastScores()
    rater.forecasts, rater.before = rater.scores is not None, run.forecasts is not None

    def check(first: Games) -> None:
        refuse_earlier(ratings.span, rater, first)
        if run.begun is not None:
            run.begun(first)

    further = FurtherGames(source, ratings.table, check)
    play_stream(rater, further, run)
    return collect_ratings(rater, further.roster(), further.reading, None, ratings.asked, None)


def refuse_earlier(span: tuple[float, float] | None, rater: PieceRater, games: Games) -> None:
    """Raise Unratable for games that begin before the end of those that were rated."""
    if games.time is None or span is None:
        return
    ends = np.array([span[1], games.time[0]])
    if ends[1] < ends[0]:
        raise _refuse("these games begin before the last one rated", "games_too_early")
    if rater.held.span is not None and rater.held.takes_periods:
        last, first = rater.held.span.number(ends)
        if first == last:
            raise _refuse(
                f"these games belong to a period of {rater.period} that is closed", "period_closed"
            )


def _refuse(what: str, code: str) -> Unratable:
    return Unratable(f"rate the files again, with the further ones: {what}", code=code)


def find_rater(ratings: DynamicRatings) -> PieceRater:
    """The rater of a stream as it stood after the last game; raises Unratable."""
    rater: PieceRater | None = None if ratings.streamed is None else ratings.streamed.rater
    if rater is None and ratings.system.prepare is None:
        raise _refuse("ratings of shards keep no games", "no_games_kept")
    if (obstacle := find_obstacle(ratings.system, ratings.period)) is not None:
        raise _refuse(obstacle, "not_continued")
    assert rater is not None
    return rater


def find_obstacle(system: Dynamic | WholeTable, period: str | None) -> str | None:
    """Why ratings of a stream take no further games; None where they do."""
    if isinstance(system, WholeTable):
        return f"{system.name} fits the whole table at once"
    if system.prepare is not None:
        return f"{system.name} takes its settings from all games"
    return "labels do not say whether a round goes on" if period == BY_LABEL else None


def pack_ratings(ratings: DynamicRatings) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Ratings of a stream as plain data and arrays, without system and settings."""
    known, arrays = pack_rater(find_rater(ratings))
    roster = ratings.players if isinstance(ratings.players, Roster) else Roster(ratings.players)
    span, reading = ratings.span, ratings.table.reading
    later = ratings.day is not None and (span is None or ratings.day > span[1])
    header = {
        "rater": known, "period": ratings.period, "as_of": ratings.day if later else None,
        "reading": reading.to_dict(),
        "briefs": reading.briefs,
    }  # fmt: skip
    held = add_prefix(RATER, arrays)
    return header, {
        **held, "names": np.frombuffer(roster.buffer, np.uint8), "name_ends": roster.ends
    }  # fmt: skip


def unpack_ratings(
    header: Mapping[str, Any], arrays: Mapping[str, AnyArray], system: Dynamic,
    params: Mapping[str, Any],
) -> DynamicRatings:  # fmt: skip
    """Such ratings again."""
    asked = settings(system, params)
    rater = PieceRater(system, asked, period=header["period"], absent=True)
    unpack_rater(rater, header["rater"], take_prefixed(arrays, RATER))
    players = Roster.from_buffer(arrays["names"].tobytes(), arrays["name_ends"])
    reading = Reading.from_dict(header["reading"], header["briefs"])
    return collect_ratings(rater, players, reading, header["as_of"], asked, None)
