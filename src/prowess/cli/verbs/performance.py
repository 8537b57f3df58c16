"""`prowess performance`: the rating that a player's results in a span would be expected of."""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import rating_options

EXAMPLES = """\b
prowess performance games.csv --since 2024-06-01 --until 2024-07-31
prowess performance games.csv --of "Ada Lovelace" --perfect 800
"""


@click.command(
    "performance",
    short_help="Performance ratings: what rating the results of a span speak for.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.option("--of", "of", metavar="NAME", help="Only this player.")
@click.option("--since", metavar="DATE", help="Only games from that day on.")
@click.option("--until", metavar="DATE", help="Only games up to that day.")
@click.option(
    "--perfect", type=click.Choice(["half", "800", "none"]), default="half", show_default=True,
    help="All games won or lost: half a point is moved, 800 points are taken, or nothing is said.",
)  # fmt: skip
@click.option("--min-games", type=click.IntRange(min=1), default=1, help="Leave out who has fewer.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the best N.")
@json_option
def command(
    of: str | None,
    since: str | None,
    until: str | None,
    perfect: str,
    min_games: int,
    top: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Rate FILE... and solve for the rating at which the expected score equals the score.

    Opponents have their ratings before each game (with a whole-table system, their rating).
    `table` adds FIDE's d_p, `linear` 400 (wins - losses) / games to their mean, where the ratings
    have Elo's scale.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.table import drawn, screen
    from prowess.cli.talk import say
    from prowess.study.forecasting.performance import performances

    ends = _ends(since, until)
    ratings = rated(options)
    found = [
        one
        for one in performances(ratings, since=ends[0], until=ends[1], perfect=perfect, player=of)
        if one.games >= min_games
    ][:top]
    if as_json:
        rows = [one._asdict() for one in found]
        put(json_text({"system": ratings.system.name, "perfect": perfect, "players": rows}))
        return
    say(ratings.head(), options["quiet"])
    if not found:
        say("note: no games in that span", options["quiet"])
    elos = all(one.table is not None for one in found)
    told = ["table", "linear"] if elos else []
    lines = [["player", "games", "score", "opponents", "performance", *told]]
    for one in found:
        exact = "-" if one.exact is None else f"{one.exact:.1f}"
        rest = [f"{getattr(one, name):.1f}" for name in told]
        lines.append(
            [one.player, f"{one.games}", f"{one.score:g}", f"{one.opponents:.1f}", exact, *rest]
        )
    put(drawn(lines, screen()))


def _ends(since: str | None, until: str | None) -> tuple[float | None, float | None]:
    """Both ends in days since 1970: the beginning of one day, the end of another."""
    from prowess.rating import end_of_day

    try:
        first = None if since is None else end_of_day(since)
        last = None if until is None else end_of_day(until)
    except ValueError as error:
        raise click.UsageError(f"--since and --until: {error}") from None
    if first is not None and since is not None and len(since.strip()) <= len("2024-06-30"):
        first = float(first // 1)
    return first, last
