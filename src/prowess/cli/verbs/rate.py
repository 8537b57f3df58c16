"""`prowess rate`: results in, a leaderboard out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import Option, verb
from prowess.cli.output import AnswerOptions, check_folder
from prowess.cli.rating import Count, RatingOptions
from prowess.games.reading import format_count

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.engine.ratings import Ratings

SCREENFUL = 20  # rows on a terminal without --top
EXAMPLES = """\b
prowess rate games.csv
prowess rate games.csv --system glicko2 --period 1mo --top 20
prowess rate new.csv --continue league.prowess --save-state league.prowess
prowess rate games.csv --player-a home --player-b away --result outcome
"""


@verb("rate", epilog=EXAMPLES)
def rate_verb(
    options: RatingOptions,
    *,
    top: Annotated[Count, "Only the best N."] = None,
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
            "Write the forecast before each game, CSV.", "FILE", click.Path(), parse=check_folder
        ),
    ] = None,
) -> None:
    """Rate the games or contests of FILE... (- is stdin) and print the leaderboard."""
    from prowess.cli.output import (
        format_csv,
        is_terminal,
        print_note,
        print_table,
        write_file,
    )
    from prowess.cli.rating import rate_table
    from prowess.engine.rate import DynamicRatings
    from prowess.games.games import PLAYER

    ratings = rate_table(options, forecasts=forecasts is not None)
    role = role or PLAYER
    if role not in ratings.table.roles:
        known = ", ".join(ratings.table.roles)
        raise click.UsageError(f"choose --role from {known}: the table has no {role!r}")
    wanted: dict[str, Any] = {"min_games": min_games}
    if role != PLAYER:
        wanted["role"] = role
    if superiority is not None:
        write_file(superiority, format_csv(superiority_rows(ratings, top)))
    if forecasts is not None:
        assert isinstance(ratings, DynamicRatings)  # others refuse to make forecasts
        rows = forecast_rows(ratings)
        if options.continued is not None:  # the games before this run have no forecast
            rows = (row for row in rows if row[4] == row[4])
        write_file(forecasts, format_csv(rows))
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


def write_state(file: str, ratings: Ratings) -> None:
    """Save ratings; raises ClickException where the file cannot be written."""
    from prowess.cli.output import refuse_file
    from prowess.saving import save

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
