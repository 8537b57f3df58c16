"""`prowess theory best-step`: how far should one game move the ratings?"""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.career import career_options
from prowess.cli.theory.chosen import differences
from prowess.cli.theory.plot import plot_option, save

GAMES = "10,35,100,300,1000"


@click.command("best-step", short_help="How far should one game move the ratings?")
@click.option(
    "--games", default=GAMES, show_default=True, metavar="G,G,...", callback=differences,
    help="Games in a player's life, with commas.",
)  # fmt: skip
@career_options
@plot_option
@json_option
def command(games: list[float], plot: str | None, as_json: bool, **options: Any) -> None:
    """Print the h with the least noise, and that noise, for players of G games.

    h is the most a game changes the difference of two ratings, 2 K of Elo. 0 says that newcomers
    start better than games could rate them.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.theory.career import career, described
    from prowess.theory.noise import MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    rows = []
    most = 0.0
    for count in games:
        who = career(options, count)
        most = most or largest_h(who.wp)
        row: dict[str, Any] = {"games": count}
        for model in MODELS:
            h = best_h(who, model)
            least = noise(who, h, model).total if 0.0 < h < most else None
            row[model] = {"h": h, "noise": least}
        rows.append(row)
    data = {**described(options), "largest_h": most, "rows": rows}
    if plot is not None:
        from prowess.present.theory_charts import best_step_chart

        save(plot, best_step_chart(lambda count: career(options, count), games))
    put(json_text(data) if as_json else page(data))


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn
    from prowess.theory.noise import MODELS

    rows = [["games", *(word for model in MODELS for word in (f"h, {model}", "noise"))]]
    for row in data["rows"]:
        cells = [f"{row['games']:g}"]
        for model in MODELS:
            least = row[model]["noise"]
            cells += [f"{row[model]['h']:.1f}", "-" if least is None else f"{least:.1f}"]
        rows.append(cells)
    return f"{drawn(rows)}\n\nAny h must stay below {data['largest_h']:.6g} (2 / max wp', EQ 79)."
