"""Tables larger than memory, with a progress meter; and further games onto saved ratings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from prowess.cli.options import Option
from prowess.cli.output import QUIET_SECONDS, SkippedRowNotes, print_note, print_notes
from prowess.cli.reading import ReadingOptions, print_reading, read_table
from prowess.cli.selection import find_system

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.streams.file_sources import StreamOptions
    from prowess.engine.streams.rate_stream import StreamProgress
    from prowess.games.games import Games


SECTION = "Options for tables larger than memory"
Large = Option(section=SECTION)
Folder = click.Path(file_okay=False)


def parse_size(value: str) -> int:
    """The bytes of a size such as 8GB; raises BadParameter."""
    from prowess.engine.streams.memory import parse_memory
    from prowess.games.arguments import BadArgument

    try:
        return parse_memory(value)
    except BadArgument as error:
        raise click.BadParameter(str(error)) from None


def check_stream_folder(option: str, folder: str) -> str:
    """The folder that an option of streams names; raises BadArgument."""
    from prowess.verbs.streaming import check_stream_options

    check_stream_options(**{option: folder})
    return folder


class ResumeOptions(NamedTuple):
    """How a run that was stopped goes on."""

    resume: Annotated[
        str | None,
        Large,
        Option(metavar="DIR", type=Folder, parse=partial(check_stream_folder, "resume")),
        "Save checkpoints there, and go on from the last of them.",
    ] = None
    checkpoint_every: Annotated[
        float,
        Large,
        Option("How often checkpoints are saved.", "SECONDS", click.FloatRange(min=0.0)),
    ] = 60.0


NO_RESUME = ResumeOptions()


class LargeOptions(NamedTuple):
    """How files are rated that need not fit in memory."""

    memory: Annotated[
        int | None,
        Large,
        Option(metavar="SIZE", type=str, parse=parse_size),
        "What ratings may take: 8GB, 500MB (1,000s), 8G or 8GiB (1,024s); default: half of the "
        "machine's.",
    ] = None
    sort: Annotated[bool, Large, "Sort the games by time first, on disk."] = False
    temp: Annotated[
        str | None,
        Large,
        Option(metavar="DIR", type=Folder, parse=partial(check_stream_folder, "temp")),
        "Where sorting keeps its files.",
    ] = None
    in_memory: Annotated[
        bool, Large, "Read all games into memory, however large the files are."
    ] = False

    def stream_options(
        self, files: Sequence[str], system: str | None = None, resuming: ResumeOptions = NO_RESUME
    ) -> StreamOptions | None:
        """How files are read as a stream; None where they are read into memory."""
        from prowess.engine.streams.file_sources import StreamOptions
        from prowess.engine.whole_table import WholeTable

        found = StreamOptions(self.memory, *resuming, self.sort, self.temp)
        if self.in_memory:
            if found.wants_stream:
                raise click.UsageError(
                    "leave --in-memory out: --memory, --resume and --sort stream"
                )
            return None
        if not found.apply_to(list(files)):  # before the system is loaded
            return None
        if not found.wants_stream and isinstance(find_system(system), WholeTable):
            return None  # it looks at all games at once
        return found


def print_what_was_read(ratings: Ratings, reading: ReadingOptions) -> Ratings:
    """Print how the files of ratings were understood, and what was assumed."""
    print_reading(ratings.table.reading, reading)
    print_notes(ratings.notes)
    return ratings


@contextmanager
def follow_stream(
    reading: ReadingOptions, streaming: StreamOptions
) -> Iterator[tuple[dict[str, Any], Callable[[StreamProgress], None] | None]]:
    """The keywords of the reader and a meter, while files are read as a stream.

    The rows that are left out are named afterwards.
    """
    from prowess.engine.periods import BadRounds
    from prowess.engine.streams.memory import format_bytes

    print_note(
        f"note: read as a stream: the ratings may take {format_bytes(streaming.bytes)} of memory"
    )
    skipped = SkippedRowNotes(reading.quiet)
    how = {"report": skipped, **reading.given}
    meter = None if reading.quiet else make_stream_meter()
    try:
        yield how, meter
    except BadRounds as error:
        raise click.UsageError(str(error)) from None
    finally:
        if meter is not None:
            click.echo("\r\x1b[K", nl=False, err=True)
    skipped.print_rows()


def print_resumed(streaming: StreamOptions, games: int) -> None:
    """Print after how many games a run goes on."""
    from prowess.games.reading import format_count

    print_note(f"note: goes on after {format_count(games, 'game')} ({streaming.resume})")


def make_stream_meter() -> Callable[[StreamProgress], None] | None:
    """A meter on stderr that appears when work takes long; None where stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    began = written = monotonic()
    first: int | None = None

    def meter(now: StreamProgress) -> None:
        nonlocal written, first
        moment = monotonic()
        if first is None:
            first = now.contests  # those before a checkpoint took no time
        if moment - began < QUIET_SECONDS or moment - written < 0.2:
            return
        written = moment
        text = now.describe((now.contests - first) / (moment - began))
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)

    return meter


# Further games onto ratings that were saved: `--continue`.


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
    print_note(f"{state}: {before.head()}; {len(table):,} more here")
    if (note := note_repeated(state, before, table)) is not None:
        print_note(note)
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
    print_note(f"{state}: {before.head()}; {more:,} more here")
    for note in filter(None, notes):
        print_note(note)
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
