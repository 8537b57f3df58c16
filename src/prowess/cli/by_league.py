"""`prowess rate --by COLUMN`: every league of the table rated by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.output import (
    AnswerOptions,
    is_terminal,
    make_progress_meter,
    print_note,
    print_notes,
)
from prowess.cli.rating import GAMES_WITH_METER, RatingOptions, read_rules
from prowess.cli.reading import print_reading, read_table
from prowess.cli.selection import find_system
from prowess.cli.streaming import follow_stream, print_resumed
from prowess.cli.workers import NO_WORKERS
from prowess.verbs.selections import check_settings

if TYPE_CHECKING:
    from prowess.cli.output import Part
    from prowess.engine.league_ratings import LeagueRatings
    from prowess.engine.streams.file_sources import StreamOptions

OF_ONE_LEAGUE = {"continued", "start", "anchors", "bootstrap"}  # options that are
ONE_LEAGUE_REMEDY = ", or rate one league (--where COLUMN=LEAGUE): --by rates each by itself"
UNRATED_NAMED = 5  # leagues whose reason is printed
SCREENFUL = 20  # rows on a terminal without --top


def rate_by_league(
    options: RatingOptions, columns: Sequence[str], streaming: StreamOptions | None
) -> LeagueRatings:
    """Read a table and rate each league by itself; what was assumed is printed on stderr."""
    options.refuse_all_but(set(RatingOptions._fields) - OF_ONE_LEAGUE, ONE_LEAGUE_REMEDY)
    params = options.settings
    if options.system is not None:
        check_settings(find_system(options.system), params, options.period, options.bank)
    rate = _rate_in_memory if streaming is None else partial(_rate_stream, streaming=streaming)
    found = rate(options, columns, params)
    print_notes(found.notes, options.quiet)
    return found


def _rate_in_memory(
    options: RatingOptions, columns: Sequence[str], params: Mapping[str, Any]
) -> LeagueRatings:
    from prowess.verbs.rating import rate_leagues
    from prowess.verbs.tables import keep_facts, name_columns

    quiet = options.quiet
    given = options.reading.given
    given = {**given, "facts": keep_facts(given, columns)}
    with name_columns(by=columns):
        table = read_table(options.reading._replace(given=given))
    system = find_system(options.system, quiet)
    if options.system is None:
        check_settings(system, params, options.period, options.bank)
    return rate_leagues(
        table, system, by=columns, period=options.period, as_of=options.as_of,
        rules=read_rules(options), level=options.level, reference=options.reference,
        progress=(make_progress_meter() or None) if len(table) > GAMES_WITH_METER else None,
        cluster=options.workers.chosen, params=params,
    )  # fmt: skip


def _rate_stream(
    options: RatingOptions,
    columns: Sequence[str],
    params: Mapping[str, Any],
    *,
    streaming: StreamOptions,
) -> LeagueRatings:
    from prowess.engine.whole_table import WholeTable
    from prowess.verbs.streaming import rate_league_files

    system = find_system(options.system, options.quiet)
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
            resumed=partial(print_resumed, streaming, options.quiet), period=options.period,
            as_of=options.as_of, params=params,
        )  # fmt: skip
    print_reading(found.tables.table.reading, options.quiet)
    return found


def refuse_of_one_league(flag: str) -> None:
    """Raise UsageError for an option that has no meaning for many leagues."""
    raise click.UsageError(f"leave {flag} out{ONE_LEAGUE_REMEDY}")


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
