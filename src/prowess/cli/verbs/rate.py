"""`prowess rate`: results in, a leaderboard out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import csv_option, form_of, json_option
from prowess.cli.rating import rating_options

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

SCREENFUL = 20  # rows on a terminal when nobody says how many
EXAMPLES = """\b
prowess rate games.csv
prowess rate games.csv --system glicko2 --period 1mo --top 20
prowess rate games.csv --player-a home --player-b away --result outcome
"""


@click.command(
    "rate",
    short_help="Rate games or contests and print the leaderboard.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the best N.")
@click.option(
    "--min-games",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Only who played N games.",
)
@click.option(
    "--role", metavar="ROLE",
    help="Whose leaderboard, where members have roles (constructor, ...): players when left out.",
)  # fmt: skip
@json_option
@csv_option
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(), callback=form_of,
    help="Write a file: .json, .csv or .parquet.",
)  # fmt: skip
@click.option(
    "--superiority",
    metavar="FILE",
    type=click.Path(),
    help="Write how likely each player is better than each other, CSV (whole-table systems).",
)
@click.option(
    "--forecasts",
    metavar="FILE",
    type=click.Path(),
    help="Write the forecast before each game, CSV.",
)
def command(
    top: int | None,
    min_games: int,
    role: str | None,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    superiority: str | None,
    forecasts: str | None,
    **options: Any,
) -> None:
    """Rate the games or contests of FILE... (- is stdin) and print the leaderboard."""
    from prowess.cli.output import json_text, put, saved
    from prowess.cli.rating import rated
    from prowess.cli.table import drawn, screen
    from prowess.cli.talk import say
    from prowess.games.games import PLAYER

    if as_json and as_csv:
        raise click.UsageError("choose --json or --csv")
    if output and (as_json or as_csv):
        raise click.UsageError("the suffix of --output says the form: leave --json and --csv out")
    ratings = rated(options, forecasts=forecasts is not None)
    role = role or PLAYER
    if role not in ratings.table.roles:
        known = ", ".join(ratings.table.roles)
        raise click.UsageError(f"--role: the table has no role {role!r}; it has: {known}")
    wanted: dict[str, Any] = {"min_games": min_games}
    if role != PLAYER:
        wanted["role"] = role
    if superiority is not None:
        write_superiority(superiority, ratings, top)
    if forecasts is not None:
        write_forecasts(forecasts, ratings)
    quiet = options["quiet"]
    if as_json:
        put(json_text(ratings.summary(top, **wanted)))
        return
    columns = screen()
    rows = top
    if rows is None and columns is not None and not (output or as_csv):
        rows = SCREENFUL
    board = ratings.leaderboard(rows, **wanted)
    if output:
        saved(output, board, lambda: ratings.summary(top, **wanted))
        say(f"{output}: {len(board):,} {role}s", quiet)
    elif as_csv:
        put(board.to_csv())
    else:
        say(ratings.head(), quiet)
        if not len(board):
            say(f"no {role} has {min_games:,} games", quiet)
        put(drawn(board.cells(), columns))
        more = int(ratings.played(min_games, role).sum()) - len(board)
        if top is None and more:
            say(f"and {more:,} more (--top {len(board) + more})", quiet)


def write_superiority(file: str, ratings: Ratings, top: int | None) -> None:
    """A row and a column a player, the best first: the chance that the row's is the better one."""
    from prowess.engine.fit import WholeTableRatings

    if not isinstance(ratings, WholeTableRatings):
        raise click.UsageError(
            f"--superiority: {ratings.system.name} does not know it; bradley_terry and other "
            "models of the whole table do"
        )
    players = ratings.leaderboard(top).columns["player"]
    chances = ratings.superiority(players).tolist()
    body = [[name, *row] for name, row in zip(players, chances, strict=True)]
    write_rows(file, [["player", *players], *body])


def write_forecasts(file: str, ratings: Ratings) -> None:
    """One row a game (for contests, a player of a contest): who met, score, expected score."""
    from prowess.cli.forecasts import forecast_rows
    from prowess.engine.rate import DynamicRatings

    assert isinstance(ratings, DynamicRatings)  # others were refused when forecasts were asked for
    write_rows(file, forecast_rows(ratings))


def write_rows(file: str, rows: Iterable[Sequence[Any]]) -> None:
    """Rows as CSV at full precision."""
    import csv
    from pathlib import Path

    try:
        with Path(file).open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines, lineterminator="\n").writerows(rows)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None
