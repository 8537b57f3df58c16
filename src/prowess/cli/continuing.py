"""Further games onto ratings that were saved: `--continue`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from prowess.cli.output import print_note
from prowess.cli.reading import ReadingOptions, read_table
from prowess.cli.streaming import LargeOptions, follow_stream, print_what_was_read

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings
    from prowess.games.games import Games

NOT_LARGE = LargeOptions()


def continue_ratings(
    reading: ReadingOptions,
    state: str,
    forecasts: bool | str = False,
    large: LargeOptions = NOT_LARGE,
) -> Ratings:
    """The ratings of a saved state after the games of the files, where there are any.

    `forecasts` is a file for those of a stream, or whether there are any. Onto the ratings of a
    stream large files are read as `large` says.
    """
    from prowess.engine.rate import DynamicRatings, keep_season
    from prowess.verbs.rating import rate_on
    from prowess.verbs.saving import load

    before = load(state)
    reading = reading._replace(given=keep_season(reading.given, before))
    if not reading.files:
        if forecasts:
            raise click.UsageError("name FILE..., the further games, which are forecast")
        return before
    if isinstance(before, DynamicRatings) and before.streamed is not None:
        return continue_stream(reading, state, before, forecasts, large)
    if large._replace(in_memory=False) != NOT_LARGE:
        raise click.UsageError(f"leave --memory and --sort out: {state} has its games in memory")
    table = read_table(reading)
    ratings = rate_on(before, table, forecasts=bool(forecasts))
    print_note(f"{state}: {before.head()}; {len(table):,} more here", reading.quiet)
    if (note := note_repeated(state, before, table)) is not None:
        print_note(note, reading.quiet)
    return ratings


def continue_stream(
    reading: ReadingOptions,
    state: str,
    before: DynamicRatings,
    forecasts: bool | str,
    large: LargeOptions,
) -> Ratings:
    """The ratings of a stream after further games, in memory or as a stream too."""
    from prowess.engine.streams.file_sources import StreamOptions
    from prowess.verbs.streaming import rate_further_games

    notes: list[str | None] = []

    def look_at(first: Games) -> None:
        notes.append(note_repeated(state, before, first))

    streaming = large.stream_options(reading.files)
    if streaming is None:
        table = read_table(reading)
        ratings = rate_further_games(
            before, table, StreamOptions(), {}, forecasts=forecasts, begun=look_at
        )
    else:
        with follow_stream(reading, streaming) as (how, meter):
            ratings = rate_further_games(
                before, list(reading.files), streaming, how, forecasts=forecasts, progress=meter,
                begun=look_at,
            )  # fmt: skip
        print_what_was_read(ratings, reading)
    more = ratings.contests - before.contests
    print_note(f"{state}: {before.head()}; {more:,} more here", reading.quiet)
    for note in filter(None, notes):
        print_note(note, reading.quiet)
    return ratings


def note_repeated(state: str, before: Ratings, table: Games) -> str | None:
    """A note on games that the ratings of a state have already, or may have."""
    from prowess.engine.rate import DynamicRatings
    from prowess.games.dates import format_day
    from prowess.games.repetition import count_repeated

    if isinstance(before, DynamicRatings) and before.streamed is not None:
        time, span = table.time, before.span
        if time is not None and span is not None and time[0] > span[1]:
            return None
        which = "these" if time is None else f"those of {format_day(float(time[0]))}"
        return f"note: {state} keeps no games: look whether it has {which}; all are rated"
    again = count_repeated(before.table, table)
    if not again:
        return None
    games = f"{again:,} game stands" if again == 1 else f"{again:,} games stand"
    return f"note: {games} in {state} already; all are rated"
