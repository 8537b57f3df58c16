"""`prowess assess`: what a win, a draw and a loss would change."""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import rating_options

SIDES = {"a": 1.0, "b": -1.0, "none": 0.0}
EXAMPLES = """\b
prowess assess games.csv Ada Ben --system glicko --side a
"""


@click.command(
    "assess",
    short_help="What a win, a draw and a loss would change for two players.",
    cls=TableCommand,
    epilog=EXAMPLES,
)
@rating_options
@click.argument("a")
@click.argument("b")
@click.option(
    "--side", type=click.Choice(list(SIDES)), default="none", show_default=True,
    help="Who will have White, or play at home.",
)  # fmt: skip
@json_option
def command(a: str, b: str, side: str, as_json: bool, **options: Any) -> None:
    """Rate FILE... and say what a game of A against B would change, whatever its result.

    The game is played on the day of the ratings by the system itself; a whole-table system is
    fitted again with it.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.table import drawn, safe, screen
    from prowess.cli.talk import say
    from prowess.engine.fit import NoModel
    from prowess.study.duels import check_duels
    from prowess.study.forecasting.performance import WHAT, assess_game

    ratings = rated(options)
    check_duels(ratings.table, WHAT)
    if ratings.index(a) == ratings.index(b):
        raise click.UsageError(f"{a} cannot play against himself: name two players")
    changes = assess_game(ratings, a, b, SIDES[side])
    try:
        expected = ratings.forecast(a, b, SIDES[side]).expected
    except NoModel:
        expected = None
    if as_json:
        rows = [{"result": one.result, "a": dict(one.a), "b": dict(one.b)} for one in changes]
        head = {"a": a, "b": b, "side": side, "system": ratings.system.name, "expected": expected}
        put(json_text(head | {"changes": rows}))
        return
    say(ratings.head(), options["quiet"])
    names = list(changes[0].a)
    lines = [["result", "player", *names]]
    for one in changes:
        for name, change in ((a, one.a), (b, one.b)):
            lines.append(
                [_said(one.result, name == a), name, *(f"{change[n]:+.2f}" for n in names)]
            )
    chance = "" if expected is None else f": expected score {expected:.3f}"
    put(f"{safe(a)} against {safe(b)}{chance}\n{drawn(lines, screen())}")


def _said(result: str, first: bool) -> str:
    """The result as this player sees it."""
    if result == "draw" or first:
        return result
    return "loss" if result == "win" else "win"
