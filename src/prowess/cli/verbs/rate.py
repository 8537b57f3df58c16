"""`prowess rate`: results in, a leaderboard out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.completion import complete_columns
from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions, check_folder
from prowess.cli.rating import Count, RatingOptions, check_choice
from prowess.cli.reading import parse_columns
from prowess.cli.selection import find_system, merge_bank
from prowess.cli.streaming import LargeOptions, ResumeOptions
from prowess.cli.workers import NO_WORKERS
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings
    from prowess.verbs.streaming import StreamOptions

SCREENFUL = 20  # rows on a terminal without --top
EXAMPLES = """\b
prowess rate games.csv
prowess rate games.csv --system glicko2 --period 1mo --top 20
prowess rate games.csv --by league --top 3
prowess rate new.csv --continue league.prowess --save-state league.prowess
prowess rate games.csv --player-a home --player-b away --result outcome
prowess rate games/ --system elo --memory 8GB --resume run/
"""


@verb("rate", epilog=EXAMPLES)
def rate_verb(
    options: RatingOptions,
    large: LargeOptions,
    resuming: ResumeOptions,
    *,
    by: Annotated[
        Any,
        Option(
            "Rate each league by itself: all that these columns tell apart.",
            "COLUMN[,COLUMN]",
            multiple=True,
            parse=parse_columns,
            complete=complete_columns,
        ),
    ] = None,
    top: Annotated[Count, "Only the best N (of each league)."] = None,
    min_games: Annotated[
        int, Option("Only players with N games or more.", "N", click.IntRange(min=0))
    ] = 0,
    role: Annotated[
        str | None,
        Option(
            "The role to list, where members have roles (constructor, ...); default: players.",
            "ROLE",
        ),
    ] = None,
    answer: AnswerOptions,
    save_state: Annotated[
        str | None,
        Option(
            "Save the ratings, so that a later run can --continue.",
            "STATE",
            click.Path(),
            parse=check_folder,
        ),
    ] = None,
    superiority: Annotated[
        str | None,
        Option(
            "Write the probability that each player is better than each other, CSV (whole-table "
            "systems).",
            "FILE",
            click.Path(),
            parse=check_folder,
        ),
    ] = None,
    forecasts: Annotated[
        str | None,
        Option(
            "Write the forecast before each game, CSV (of a stream Parquet), and --judge them.",
            "FILE",
            click.Path(),
            parse=check_folder,
        ),
    ] = None,
    judge: Annotated[
        bool, "Print how good the forecasts before each game were: log loss, Brier, accuracy."
    ] = False,
) -> None:
    """Rate the games or contests of FILE... (- is stdin) and print the leaderboard."""
    from prowess.cli.continuing import continue_ratings
    from prowess.cli.output import (
        format_csv,
        is_terminal,
        print_note,
        print_table,
        write_file,
    )
    from prowess.cli.rating import rate_table, refuse_beside_state
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import PLAYER

    wanted: dict[str, Any] = {"min_games": min_games}
    if role not in (None, PLAYER):
        wanted["role"] = role
    source, system = options.reading.files, options.system
    if options.continued and resuming != ResumeOptions():
        raise click.UsageError(
            "leave --resume out: --continue goes on from what --save-state wrote"
        )
    streaming = None if options.continued else large.stream_options(source, system, resuming)
    if by is not None:
        from prowess.cli.by_league import print_leagues, rate_by_league, refuse_of_one_league

        given = {"save-state": save_state, "superiority": superiority, "forecasts": forecasts}
        for name in (name for name, one in (*given.items(), ("judge", judge)) if one):
            refuse_of_one_league(f"--{name}")
        found = rate_by_league(options, [by] if isinstance(by, str) else by, streaming)
        print_leagues(found, top, wanted, answer, options.quiet)
        return
    if judge and not options.continued:
        chosen = find_system(system, quiet=True)
        if isinstance(chosen, WholeTable):
            raise click.UsageError(
                f"leave --judge out for prowess compare: {chosen.name} fits the whole table at once"
            )
    if options.continued:
        refuse_beside_state(options, options.continued)
        ratings = continue_ratings(options.reading, options.continued, forecasts or judge, large)
    elif streaming is None:
        ratings = rate_table(options, forecasts is not None or judge, resuming._asdict())
    elif options.workers != NO_WORKERS and not options.bootstrap:
        check_choice(options, merge_bank(options.params, options.bank))
        if isinstance(find_system(system, quiet=True), WholeTable):
            raise click.UsageError(
                "give --in-memory with --jobs or --cluster: one process fits files as a stream"
            )
        raise click.UsageError("make shards of the games first (prowess shard): they are large")
    else:
        ratings = rate_stream_of_files(options, streaming, forecasts or judge, save_state)
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
            print_note(describe_scores(scores), options.quiet)
        elif judge:
            raise click.UsageError("leave --judge out for prowess compare: these are contests")
    if save_state is not None:
        write_state(save_state, ratings)
        print_note(f"{save_state} is written: rate on with --continue {save_state}", options.quiet)
    most = SCREENFUL if top is None and is_terminal() and answer.printed else top

    def render() -> None:
        board = ratings.leaderboard(most, **wanted)
        print_note(ratings.head(), options.quiet)
        if not len(board):
            print_note(f"no {role} has {format_count(min_games, 'game')}", options.quiet)
        print_table(board.cells())
        more = int(ratings.has_played(min_games, role).sum()) - len(board)
        if top is None and more:
            print_note(f"and {more:,} more (--top {len(board) + more})", options.quiet)

    answer.give(
        lambda: ratings.summary(top, **wanted),
        lambda: ratings.leaderboard(top, **wanted),
        render,
    )


def rate_stream_of_files(
    options: RatingOptions,
    streaming: StreamOptions,
    forecasts: bool | str = False,
    save_state: str | None = None,
) -> Ratings:
    """Rate files piece by piece as the options say, and print what was assumed on stderr.

    What `forecasts` or `save_state` cannot be written of is refused before the files are read.
    """
    from prowess.cli.rating import read_start, resample
    from prowess.cli.streaming import follow_stream, print_resumed, print_what_was_read
    from prowess.engine.streams.further_games import find_obstacle
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import fit_files, rate_files

    reading, quiet = options.reading, options.reading.quiet
    system = find_system(options.system, quiet)
    params = merge_bank(options.params, options.bank)
    check_choice(options, params)
    if save_state is not None and (obstacle := find_obstacle(system, options.period)) is not None:
        raise click.UsageError(f"leave --save-state out, or give --in-memory: {obstacle}")
    asked = ["reading", "system", "params", "bank", "period", "as_of", "start", "level", "seed"]
    if isinstance(system, WholeTable):
        asked += ["anchors", "reference", "bootstrap", "workers"]  # which share resamplings
    flags = {"anchors": "anchor", "continued": "continue"}
    for name, default in RatingOptions._field_defaults.items():
        if name not in (*asked, "rules_every") and getattr(options, name) != default:
            flag = flags.get(name, name).replace("_", "-")
            raise click.UsageError(f"leave --{flag} out, or give --in-memory: it needs all games")
    if isinstance(system, WholeTable):
        for flag, value in (("start", options.start), ("forecasts", forecasts)):
            if value:
                raise click.UsageError(
                    f"leave --{flag} out: {system.name} fits the whole table at once"
                )
        with follow_stream(reading, streaming) as (how, meter):
            ratings: Ratings = fit_files(
                list(reading.files), system, streaming, how, progress=meter, as_of=options.as_of,
                anchors=dict(options.anchors), level=options.level, reference=options.reference,
                params=params,
            )  # fmt: skip
        if options.bootstrap:
            ratings = resample(ratings, options)
        return print_what_was_read(ratings, quiet)
    start = read_start(options.start, None, system, quiet) if options.start else None
    with follow_stream(reading, streaming) as (how, meter):
        ratings = rate_files(
            list(reading.files), system, streaming, how, progress=meter,
            resumed=partial(print_resumed, streaming, quiet),
            forecasts=forecasts, period=options.period, as_of=options.as_of, start=start,
            absent=True, params=params,
        )  # fmt: skip
    return print_what_was_read(ratings, quiet)


def write_state(file: str, ratings: Ratings) -> None:
    """Save ratings; raises ClickException where the file cannot be written."""
    from prowess.cli.output import refuse_file
    from prowess.verbs.saving import save

    try:
        save(ratings, file)
    except OSError as error:
        raise refuse_file(file, error) from None


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


def describe_scores(scores: Mapping[str, float]) -> str:
    """The scores of forecasts in a line.

    >>> describe_scores({"games": 2, "log_loss": 0.64921, "brier": 0.22809})
    'forecasts of 2 games: log_loss 0.6492, brier 0.2281'
    """
    means = ", ".join(f"{name} {mean:.4f}" for name, mean in scores.items() if name != "games")
    return f"forecasts of {format_count(int(scores['games']), 'game')}: {means}"


def forecast_rows(ratings: DynamicRatings) -> Iterator[tuple[Any, ...]]:
    """A header, then a row a game in the order of the table (of play, with --period round).

    Contests of many give a row a side: the expected score is the mean against the field. A side
    of several members is called `Ann & Bob`. Where the system models draws, the chance of one
    stands last.
    """
    from prowess.games.dates import format_date
    from prowess.study.lineups import side_names

    table, names = ratings.table, side_names(ratings.table)
    expected, draws = ratings.forecasts, ratings.draws
    assert expected is not None
    days: Any = None if table.time is None else [format_date(day) for day in table.time.tolist()]
    if not table.pairwise:
        yield "contest", "date", "player", "place", "expected"
        rows = zip(
            table.contest_of_side.tolist(), names, table.place.tolist(), expected.tolist(),
            strict=True,
        )  # fmt: skip
        for number, name, place, chance in rows:
            yield number + 1, days[number] if days else "", name, place, chance
        return
    if ratings.rounds.order is not None:  # forecasts are in the order of the file
        expected = expected[ratings.rounds.order]
        draws = None if draws is None else draws[ratings.rounds.order]
    last: Any = [()] * len(table) if draws is None else [(chance,) for chance in draws.tolist()]
    yield "date", "player_a", "player_b", "score", "expected", *(() if draws is None else ("draw",))
    columns = names[::2], names[1::2], table.score.tolist(), expected.tolist(), last
    for row, (a, b, score, chance, draw) in enumerate(zip(*columns, strict=True)):
        yield days[row] if days else "", a, b, score, chance, *draw
