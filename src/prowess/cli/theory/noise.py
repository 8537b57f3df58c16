"""`prowess theory noise`: how wrong are ratings?"""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.career import career_options
from prowess.cli.theory.plot import plot_option, save


@click.command("noise", short_help="How wrong are ratings, by three models?")
@click.option(
    "--h", "h", type=float, default=64.0, show_default=True, metavar="POINTS",
    help="The most a game changes the difference of two: 2 K of Elo.",
)  # fmt: skip
@click.option(
    "--games", type=float, default=35.0, show_default=True, help="Games in a player's life."
)
@career_options
@plot_option
@json_option
def command(h: float, games: float, plot: str | None, as_json: bool, **options: Any) -> None:
    """Print the error of an average player's rating and its parts, in points.

    transient: not there yet; fluctuation: moved by chance. `published` gives the report's numbers,
    `corrected` mends its algebra, `lifetime` its approach too and is what leagues show.
    """
    from prowess.cli.output import json_text, put
    from prowess.cli.theory.career import career, described
    from prowess.theory.noise import MODELS, best_h, difference_deviation, noise

    who = career(options, games)
    rows = []
    for model in MODELS:
        parts = noise(who, h, model)
        rows.append(
            {
                "model": model,
                "transient": parts.transient,
                "fluctuation": parts.fluctuation,
                "triangle": parts.triangle,
                "total": parts.total,
                "best_h": best_h(who, model),
            }
        )
    data = {
        "h": h,
        "games": games,
        **described(options),
        "difference_deviation": difference_deviation(who.wp, h, who.met),
        "models": rows,
    }
    if plot is not None:
        from prowess.present.theory_charts import error_chart

        save(plot, error_chart(who, h))
    put(json_text(data) if as_json else page(data))


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    fields = ["transient", "fluctuation", "triangle", "total", "best_h"]
    rows = [["name", *fields[:-1], "best h"]]
    rows += [[row["model"], *(f"{row[field]:.1f}" for field in fields)] for row in data["models"]]
    apart = data["difference_deviation"]
    return f"{drawn(rows)}\n\nThe difference of two ratings fluctuates by {apart:.1f} points."
