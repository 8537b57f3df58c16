"""`prowess rate`, `history` and `shard`: results in, a leaderboard or a history out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.completion import complete_columns
from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import (
    AnswerOptions,
    check_folder,
    format_csv,
    is_terminal,
    make_progress_meter,
    print_note,
    print_notes,
    print_text,
    refuse_file,
    render_table,
    write_file,
)
from prowess.cli.rating import (
    Count,
    RatingOptions,
    check_choice,
    choose_system,
    parse_first_day,
    parse_frozen,
    rate_table,
    read_rules,
    read_starting_values,
    refuse_beside_state,
    resample,
)
from prowess.cli.reading import FileSource, ReadingOptions, parse_columns, print_reading, read_table
from prowess.cli.selection import NO_WORKERS, find_system
from prowess.cli.streaming import (
    LargeOptions,
    ResumeOptions,
    follow_stream,
    print_resumed,
    print_what_was_read,
)
from prowess.games.dates import format_date
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.cli.output import Part
    from prowess.engine.check import System
    from prowess.engine.league_ratings import LeagueRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.streams.file_sources import StreamOptions

SCREENFUL = 20  # rows on a terminal without --top
OF_ONE_LEAGUE = {  # options that are
    "continued", "start", "anchors", "bootstrap", "blocks", "clusters",
}  # fmt: skip
ONE_LEAGUE_REMEDY = ", or rate one league (--where COLUMN=LEAGUE): --by rates each by itself"
UNRATED_NAMED = 5  # leagues whose reason is printed
RATE_EXAMPLES = """\b
prowess rate games.csv
prowess rate games.csv --system glicko2 --period 1mo --top 20
prowess rate games.csv --by league --top 3
prowess rate new.csv --continue league.prowess --save-state league.prowess
prowess rate games.csv --player-a home --player-b away --result outcome
prowess rate games/ --system elo --memory 8GB --resume run/
"""


@verb("rate", epilog=RATE_EXAMPLES)
def rate_verb(
    options: RatingOptions,
    large: LargeOptions,
    resuming: ResumeOptions,
    *,
    by: Annotated[
        Any,
        Option(
            metavar="COLUMN[,COLUMN]", multiple=True, parse=parse_columns, complete=complete_columns
        ),
        "Rate each league by itself: all that these columns tell apart.",
    ] = None,
    top: Annotated[Count, "Only the best N (of each league)."] = None,
    min_games: Annotated[
        int, Option("Only players with N games or more.", "N", click.IntRange(min=0))
    ] = 0,
    since: Annotated[
        float | None,
        Option("Only players with a game from that day on.", "DATE", str, parse=parse_first_day),
    ] = None,
    lower: Annotated[
        float | None,
        Option(
            "Rank by a lower bound, rating - K deviations (TrueSkill takes 3).",
            "K",
            click.FloatRange(min=0.0),
        ),
    ] = None,
    role: Annotated[
        str | None,
        Option(metavar="ROLE"),
        "The role to list, where members have roles (constructor, ...); default: players.",
    ] = None,
    answer: AnswerOptions,
    save_state: Annotated[
        str | None,
        Option(metavar="STATE", type=click.Path(), parse=check_folder),
        "Save the ratings, so that a later run can --continue.",
    ] = None,
    superiority: Annotated[
        str | None,
        Option(metavar="FILE", type=click.Path(), parse=check_folder),
        "Write the probability that each player is better than each other, CSV (whole-table "
        "systems).",
    ] = None,
    forecasts: Annotated[
        str | None,
        Option(metavar="FILE", type=click.Path(), parse=check_folder),
        "Write the forecast before each game, CSV (of a stream Parquet), and --judge them.",
    ] = None,
    frozen: Annotated[
        str | None,
        Option(metavar="SPAN", parse=parse_frozen),
        "Make the forecasts from the ratings as they stood at the start of each 1d, 7d, 1mo, or "
        "value of a column.",
    ] = None,
    judge: Annotated[
        bool, "Print how good the forecasts before each game were: log loss, Brier, accuracy."
    ] = False,
) -> None:
    """Rate the games or contests of FILE... (- is stdin) and print the leaderboard."""
    from prowess.cli.streaming import continue_ratings
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import PLAYER
    from prowess.present.evidence import describe_scores, forecast_rows
    from prowess.verbs.tables import keep_span, name_columns

    wanted: dict[str, Any] = {"min_games": min_games, "since": since, "lower": lower}
    if role not in (None, PLAYER):
        wanted["role"] = role
    if frozen is not None:
        if not (forecasts or judge) or options.continued or by is not None:
            raise click.UsageError(
                "give --frozen with --forecasts or --judge, and without --continue and --by"
            )
        keep = keep_span(options.reading.given, frozen)
        options = options._replace(reading=options.reading._replace(given=keep))
    source, system = options.reading.files, options.system
    if options.continued and resuming != ResumeOptions():
        raise click.UsageError(
            "leave --resume out: --continue goes on from what --save-state wrote"
        )
    streaming = None if options.continued else large.stream_options(source, system, resuming)
    if by is not None:
        given = {"save-state": save_state, "superiority": superiority, "forecasts": forecasts}
        for name in (name for name, one in (*given.items(), ("judge", judge)) if one):
            raise click.UsageError(f"leave --{name} out{ONE_LEAGUE_REMEDY}")
        found = rate_by_league(options, [by] if isinstance(by, str) else by, streaming)
        print_leagues(found, top, wanted, answer)
        return
    if judge and not options.continued:
        chosen = find_system(system)
        if isinstance(chosen, WholeTable):
            raise click.UsageError(
                f"leave --judge out for prowess compare: {chosen.name} fits the whole table at once"
            )
    if options.continued:
        refuse_beside_state(options, options.continued)
        ratings = continue_ratings(options.reading, options.continued, forecasts or judge, large)
    elif streaming is None:
        judged = forecasts is not None or judge
        with name_columns(frozen=frozen):
            ratings = rate_table(options, judged, frozen, resuming._asdict())
    elif options.workers != NO_WORKERS and not options.bootstrap:
        chosen, params = choose_system(options)
        check_choice(options, chosen, params)
        if isinstance(chosen, WholeTable):
            raise click.UsageError(
                "give --in-memory with --jobs or --cluster: one process fits files as a stream"
            )
        raise click.UsageError("make shards of the games first (prowess shard): they are large")
    else:
        ratings = rate_stream_of_files(options, streaming, forecasts or judge, save_state, frozen)
    role = role or PLAYER
    if role not in ratings.table.roles:
        known = ", ".join(ratings.table.roles)
        raise click.UsageError(f"choose --role from {known}: the table has no {role!r}")
    if superiority is not None:
        write_file(superiority, format_csv(superiority_rows(ratings, top)))
    if forecasts is not None or judge:
        assert isinstance(ratings, DynamicRatings)  # others refuse to make forecasts
        if forecasts is not None and ratings.streamed is None:
            rows = forecast_rows(ratings)
            if options.continued is not None:  # the games before this run have no forecast
                rows = (row for row in rows if row[4] == row[4])
            write_file(forecasts, format_csv(rows))
        if (scores := ratings.forecast_scores) is not None:
            print_note(describe_scores(scores))
        elif judge:
            raise click.UsageError("leave --judge out for prowess compare: these are contests")
    if save_state is not None:
        from prowess.engine.whole_table import WholeTable
        from prowess.verbs.saving import save

        try:
            save(ratings, save_state)
        except OSError as error:
            raise refuse_file(save_state, error) from None
        whole = isinstance(ratings.system, WholeTable)
        use = "forecast from it with prowess forecast" if whole else "rate on with"
        print_note(f"{save_state} is written: {use} --continue {save_state}")
    most = SCREENFUL if top is None and is_terminal() and answer.printed else top

    def render() -> None:
        board = ratings.leaderboard(most, **wanted)
        print_note(ratings.head())
        if not len(board):
            day = "" if since is None else f" since {format_date(since)}"
            print_note(f"no {role} has {format_count(max(min_games, 1), 'game')}{day}")
        print_text(render_table(board.cells()))
        more = int(ratings.has_played(min_games, role, since).sum()) - len(board)
        if top is None and more:
            print_note(f"and {more:,} more (--top {len(board) + more})")

    answer.give(
        lambda: ratings.summary(top, **wanted), lambda: ratings.leaderboard(top, **wanted), render
    )


def rate_stream_of_files(
    options: RatingOptions,
    streaming: StreamOptions,
    forecasts: bool | str = False,
    save_state: str | None = None,
    frozen: str | None = None,
) -> Ratings:
    """Rate files piece by piece as the options say, and print what was assumed on stderr.

    What `forecasts` or `save_state` cannot be written of is refused before the files are read.
    """
    from prowess.engine.streams.further_games import find_obstacle
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import fit_files, rate_files

    reading = options.reading
    system, params = choose_system(options, quiet=False)
    check_choice(options, system, params)
    if save_state is not None and (obstacle := find_obstacle(system, options.period)) is not None:
        raise click.UsageError(f"leave --save-state out, or give --in-memory: {obstacle}")
    asked = ["reading", "system", "params", "bank", "period", "as_of", "start", "level", "seed"]
    if isinstance(system, WholeTable):
        asked += ["anchors", "reference", "bootstrap", "workers"]  # which share resamplings
    options.refuse_all_but((*asked, "rules_every"), ", or give --in-memory: it needs all games")
    start = read_starting_values(options.start, None, system) if options.start else None
    if isinstance(system, WholeTable):
        if forecasts:
            raise click.UsageError(
                f"leave --forecasts out: {system.name} fits the whole table at once"
            )
        with follow_stream(reading, streaming) as (how, meter):
            ratings: Ratings = fit_files(
                list(reading.files), system, streaming, how, progress=meter, as_of=options.as_of,
                anchors=dict(options.anchors), level=options.level, reference=options.reference,
                params=params, initial=start,
            )  # fmt: skip
        if options.bootstrap:
            ratings = resample(ratings, options)
        return print_what_was_read(ratings, reading)
    with follow_stream(reading, streaming) as (how, meter):
        ratings = rate_files(
            list(reading.files), system, streaming, how, progress=meter,
            resumed=partial(print_resumed, streaming),
            forecasts=forecasts, period=options.period, as_of=options.as_of, start=start,
            absent=True, params=params, frozen=frozen,
        )  # fmt: skip
    return print_what_was_read(ratings, reading)


# leagues, each rated by itself


def rate_by_league(
    options: RatingOptions, columns: Sequence[str], streaming: StreamOptions | None
) -> LeagueRatings:
    """Read a table and rate each league by itself; what was assumed is printed on stderr."""
    options.refuse_all_but(set(RatingOptions._fields) - OF_ONE_LEAGUE, ONE_LEAGUE_REMEDY)
    system, params = choose_system(options, quiet=False)
    if streaming is None:
        found = rate_leagues_in_memory(options, columns, system, params)
    else:
        found = rate_league_stream(options, columns, system, params, streaming)
    print_notes(found.notes)
    return found


def rate_leagues_in_memory(
    options: RatingOptions, columns: Sequence[str], system: System, params: Mapping[str, Any]
) -> LeagueRatings:
    from prowess.verbs.rating import rate_leagues

    return rate_leagues(
        FileSource(options.reading), system, by=columns, period=options.period,
        as_of=options.as_of, rules=read_rules(options), level=options.level,
        reference=options.reference, progress=make_progress_meter() or None,
        cluster=options.workers.choice, params=params, **options.reading.given,
    )  # fmt: skip


def rate_league_stream(
    options: RatingOptions,
    columns: Sequence[str],
    system: System,
    params: Mapping[str, Any],
    streaming: StreamOptions,
) -> LeagueRatings:
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import rate_league_files

    if isinstance(system, WholeTable):
        raise click.UsageError(f"give --in-memory: {system.name} needs all games")
    if options.workers != NO_WORKERS:
        raise click.UsageError("leave --jobs and --cluster out: one pass over files is not shared")
    if read_rules(options):
        raise click.UsageError(
            "leave the rules against inflation out, or give --in-memory: they need all games"
        )
    with follow_stream(options.reading, streaming) as (reading, meter):
        found = rate_league_files(
            list(options.reading.files), system, columns, streaming, reading, progress=meter,
            resumed=partial(print_resumed, streaming), period=options.period,
            as_of=options.as_of, params=params,
        )  # fmt: skip
    print_reading(found.tables.table.reading, options.reading)
    return found


def print_leagues(
    found: LeagueRatings, top: int | None, wanted: dict[str, Any], answer: AnswerOptions
) -> None:
    """Answer with the leaderboard of all leagues, a terminal with its first rows.

    Leagues that could not be rated are named on stderr.
    """
    from prowess.games.by_league import words_of_league

    for league, reason in list(found.unrated.items())[:UNRATED_NAMED]:
        name = " / ".join(words_of_league(league))
        print_note(f"not rated: {name}: {reason}")
    if (more := len(found.unrated) - UNRATED_NAMED) > 0:
        print_note(f"{more:,} more leagues are not rated (--json names all)")
    if (role := wanted.get("role")) is not None and role not in found.players.roles:
        known = ", ".join(found.players.roles)
        raise click.UsageError(f"choose --role from {known}: the table has no {role!r}")

    def render() -> list[Part]:
        board = found.leaderboard(top, **wanted)
        print_note(found.head())
        cells = board.cells()[: SCREENFUL + 1 if top is None and is_terminal() else None]
        if (rows := len(board) + 1 - len(cells)) > 0:
            print_note(f"and {rows:,} more (--top N of each league, -o FILE for all)")
        return [cells]

    answer.give(
        lambda: found.summary(top, **wanted), lambda: found.leaderboard(top, **wanted), render
    )


def superiority_rows(ratings: Ratings, top: int | None) -> list[list[Any]]:
    """The probability that the player of a row is better than that of a column, best first."""
    from prowess.engine.fit import WholeTableRatings

    if not isinstance(ratings, WholeTableRatings):
        raise click.UsageError(
            "give --superiority with bradley_terry or another whole-table model: "
            f"{ratings.system.name} rates game by game"
        )
    players = ratings.leaderboard(top).columns["player"]
    chances = ratings.superiority(players).tolist()
    body = [[name, *row] for name, row in zip(players, chances, strict=True)]
    return [["player", *players], *body]


SHARD_EXAMPLES = """\b
prowess shard games/ out/ --shards 32
prowess rate out/ --system glicko2 --period 1mo
prowess rate out/ --system glicko2 --period 1mo --cluster tcp://head:8786
"""


@verb("shard", epilog=SHARD_EXAMPLES)
def shard_verb(
    reading: ReadingOptions,
    *,
    out: Annotated[str, Argument("OUT", click.Path())],
    shards: Annotated[
        int, Option("How many; each is work for one worker at a time.", "N", click.IntRange(1, 256))
    ] = 32,
    large: LargeOptions,
) -> None:
    """Write the games of FILE... to a new folder OUT, cut by players into shards (Parquet).

    A game goes to the shards of both its players. `prowess rate OUT --period 1mo` then rates shard
    by shard, in this process or on a cluster, with the same numbers.
    """
    from prowess.games.shards import check_new_folder
    from prowess.verbs.streaming import shard, shard_files

    check_new_folder(out)  # before a long table is read
    streaming = large.stream_options(reading.files)
    try:
        if streaming is None:
            made = shard(read_table(reading), out, shards)
        else:
            with follow_stream(reading, streaming) as (how, _):
                made = shard_files(list(reading.files), out, shards, streaming, how)
            print_reading(made.reading, reading)
    except OSError as error:
        raise refuse_file(out, error) from None
    print_note(f"{out} is written: {len(made):,} games in {made.count} shards")


HISTORY_EXAMPLES = """\b
prowess history games.csv "Ada Lovelace" --why --last 10
prowess history games.csv "Ada Lovelace" --at 2024-01-01 --at 2024-07-01
"""


@verb("history", epilog=HISTORY_EXAMPLES)
def history_verb(
    options: RatingOptions,
    *,
    name: Annotated[str, Argument("PLAYER")],
    why: Annotated[bool, Option("Show for each game the terms of the change.")] = False,
    last: Annotated[Count, "Only the last N games or contests."] = None,
    at: Annotated[
        tuple[str, ...],
        Option(
            "The ratings on that day in place of games, once for each day.", "DATE", multiple=True
        ),
    ] = (),
    answer: AnswerOptions,
) -> None:
    """Rate FILE... and show every game of PLAYER with the ratings before and after.

    Where the system gives chances, `chance` says in which part of the forecast the result lies; of
    which: the points of the player, and of each member beside them (a context, the side advantage).
    A contest is one row, unless the system judges it in pairs.
    """
    from dataclasses import replace

    from prowess.engine.fit import refuse_history
    from prowess.engine.tabular import json_value
    from prowess.engine.whole_table import WholeTable
    from prowess.present import evidence

    if at and (why or last is not None):
        raise click.UsageError("leave --why and --last out: --at shows days, not games")
    system = None if options.system is None else find_system(options.system)
    if isinstance(system, WholeTable) and not (at and system.moves):
        refuse_history(system)  # before a long file is read
    ratings = rate_table(options)
    if at:
        path = ratings.path(name, at)
        rows = [row | {"date": json_value(row["date"])} for row in path.rows()]
        answer.give(
            lambda: {"player": name, "system": ratings.system.name, "path": rows},
            lambda: path,
            lambda: [path.cells()],
            ratings.table.reading,
            notes=[ratings.head()],
        )
        return
    (history,) = ratings.histories((ratings.index(name),), last)
    steps = evidence.choose_last(history.steps, last, ratings.table.pairwise)
    history = replace(history, steps=tuple(steps))

    def render() -> list[Part]:
        if not steps:
            print_note("no game of two or more to show")
            return []
        return ["\n".join(map(evidence.format_step, steps)) if why else history.cells()]

    answer.give(
        lambda: evidence.history_data(history, why),
        lambda: evidence.history_table(history, why),
        render,
        ratings.table.reading,
        notes=[ratings.head()],
    )
