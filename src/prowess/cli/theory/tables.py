"""`prowess theory tables`: the report's tables of the Internet chess server, and their errata."""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.plot import plot_option, save

SCALE = 400.0  # points of ten to one odds
ERRATA = """\
Printed L / D of 2600 is 0.83 (log -0.231); its counts give 0.5 (log -0.693).
The gain at 2000 is legible as 563.9; only 53.9 gives the report's own means.
The mean gain is 21.1; the report goes on with 20.1. L / D counts bins of 100 points, which its
death rate of 1/19 a day forgets. The five snapshots are not independent: errors are larger."""


@click.command("tables", short_help="The report's tables of the Internet chess server.")
@plot_option
@json_option
def command(plot: str | None, as_json: bool) -> None:
    """Print how the players of 1994 were spread, how fast they learnt, and what follows."""
    from prowess.cli.output import json_text, put
    from prowess.engine.fits.posterior import BIN
    from prowess.theory import histograms
    from prowess.theory.histograms import death_rate

    table = histograms.printed_population()
    rows = table.between(*histograms.FITTED)
    gains = histograms.tracked_gains()
    columns = (table.bins, table.players, table.learning, table.deviation)
    lists = [column.tolist() for column in columns]
    names = ("rating", "players", "learning", "deviation", "printed_learning")
    printed = [row.learning for row in histograms.PRINTED]
    rate = death_rate(gains.mean, histograms.DAYS, rows.mean_learning, BIN)
    data = {
        "population": [
            dict(zip(names, row, strict=True)) for row in zip(*lists, printed, strict=True)
        ],
        "tracking": [gain._asdict() for gain in histograms.TRACKING],
        "gains": gains._asdict(),
        "mean_learning": rows.mean_learning,
        "points_per_e": rows.points_per_e,
        "days_per_death": 1.0 / rate,
    }
    if plot is not None:
        from prowess.engine.numeric import LN10
        from prowess.present.theory_charts import population_chart

        save(plot, population_chart(table, rows, SCALE / LN10))
    put(json_text(data) if as_json else page(data))


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    population = [["rating", "players", "L / D, bins", "+-", "printed"]]
    population += [
        [
            f"{row['rating']:g}",
            f"{row['players']:g}",
            f"{row['learning']:.2f}",
            f"{row['deviation']:.2f}",
            f"{row['printed_learning']:g}",
        ]
        for row in data["population"]
    ]
    tracking = [["rating", "players", "gain in 77 days"]]
    tracking += [
        [f"{row['rating']:g}", f"{row['players']:g}", f"{row['points']:.1f}"]
        for row in data["tracking"]
    ]
    return f"{drawn(population)}\n\n{drawn(tracking)}\n\n{estimates(data)}\n\n{ERRATA}"


def estimates(data: dict[str, Any]) -> str:
    """What follows from the two tables."""
    gains = data["gains"]
    return (
        f"Mean gain {gains['mean']:.1f}, lower half {gains['lower']:.1f}, "
        f"higher half {gains['higher']:.1f} points.\n"
        f"Mean L / D from 1200 to 2499: {data['mean_learning']:.2f} bins; so one player in "
        f"{data['days_per_death']:.0f} leaves a day.\n"
        f"{data['points_per_e']:.0f} points make learning e times slower; the model says 174."
    )
