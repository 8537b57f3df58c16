"""`prowess forecast`: what to expect of the next game of two players."""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.columns import TableCommand
from prowess.cli.output import json_option
from prowess.cli.rating import rating_options

SIDES = {"a": 1.0, "b": -1.0, "none": 0.0}
EXAMPLES = """\b
prowess forecast games.csv "Ada Lovelace" "Alan Turing" --side a
"""


@click.command(
    "forecast",
    short_help="What to expect when two players meet.",
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
    """Rate FILE... and say what to expect when A plays B."""
    from prowess.cli.output import json_text, put
    from prowess.cli.rating import rated
    from prowess.cli.table import safe
    from prowess.cli.talk import say

    ratings = rated(options)
    if ratings.index(a) == ratings.index(b):
        raise click.UsageError(f"{a} cannot play against himself: name two players")
    forecast = ratings.forecast(a, b, SIDES[side])
    chances = {
        name: chance
        for name in ("expected", "win", "draw", "loss")
        if (chance := getattr(forecast, name)) is not None
    }
    if as_json:
        put(json_text({"a": a, "b": b, **chances, "side": side, "system": ratings.system.name}))
        return
    say(ratings.head(), options["quiet"])
    a, b = safe(a), safe(b)
    lines = [f"{a} against {b}: expected score {chances['expected']:.3f}"]
    if "draw" in chances:
        win, draw, loss = (f"{chances[name]:.1%}" for name in ("win", "draw", "loss"))
        lines.append(f"{a} wins {win}, draw {draw}, {b} wins {loss}")
    if side != "none":
        lines[0] += f" ({a if side == 'a' else b} at home or with White)"
    put("\n".join(lines))
