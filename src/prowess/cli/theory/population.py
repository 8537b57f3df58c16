"""`prowess theory population`: how are ratings spread where players learn and leave?"""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.plot import plot_option, save

if TYPE_CHECKING:
    from prowess.theory.histograms import Histogram
    from prowess.theory.population import Floats

SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@click.command("population", short_help="How are ratings spread where players learn and leave?")
@click.argument("file", required=False)
@click.option("--column", default="rating", show_default=True, help="The column of FILE to read.")
@click.option(
    "--bin",
    "width",
    type=float,
    default=100.0,
    show_default=True,
    metavar="POINTS",
    help="The width of a bin (with FILE).",
)
@click.option("--low", type=float, metavar="POINTS", help="Bins from there on (with FILE).")
@click.option(
    "--high",
    type=float,
    metavar="POINTS",
    help="Bins up to there (with FILE); who is above still counts as higher.",
)
@click.option(
    "--c8",
    type=float,
    default=0.02,
    show_default=True,
    help="Death rate / (beginner's learning rate times Q) (without FILE).",
)
@click.option(
    "--birth",
    type=float,
    default=1000.0,
    show_default=True,
    metavar="POINTS",
    help="The rating of a beginner (without FILE).",
)
@click.option(
    "--scale",
    type=float,
    default=400.0,
    show_default=True,
    metavar="POINTS",
    help="Points of ten to one odds.",
)
@plot_option
@json_option
def command(
    file: str | None, scale: float, plot: str | None, as_json: bool, **options: Any
) -> None:
    """Print the law of the report's learning model (EQ 60), or what the ratings of FILE say.

    FILE is CSV such as `prowess rate --csv` prints. Of it the learning rate is taken by EQ 54, in
    units of the death rate, and how many points make learning e times slower; the model says
    scale / ln 10.
    """
    from prowess.cli.output import json_text, put
    from prowess.engine.numeric import LN10

    if not 0.0 < scale < inf:
        raise click.UsageError(f"--scale {scale:g} is not above 0")
    if file is None:
        data = law(options["c8"], LN10 / scale, options["birth"])
        if plot is not None:
            from prowess.present.theory_charts import density_chart
            from prowess.theory.learning import Gompertz

            save(plot, density_chart(Gompertz(options["c8"], LN10 / scale, options["birth"])))
        put(json_text(data) if as_json else page_of_law(data))
        return
    table = table_of(ratings_of(file, options["column"]), options)
    if plot is not None:
        from prowess.present.theory_charts import population_chart

        save(plot, population_chart(table, table.rows, scale / LN10))
    data = counted(table) | {"model": scale / LN10}
    put(json_text(data) if as_json else page_of_counts(data))


def law(c8: float, q: float, birth: float) -> dict[str, Any]:
    """EQ 60 in numbers."""
    import numpy as np

    from prowess.theory.learning import Gompertz

    gompertz = Gompertz(c8, q, birth)
    rating = gompertz.quantile(np.array(SHARES))
    columns = zip(SHARES, rating.tolist(), gompertz.density(rating).tolist(), strict=True)
    return {
        "c8": c8,
        "q": q,
        "birth": birth,
        "mean": gompertz.mean,
        "median": gompertz.median,
        "mode": gompertz.mode,
        "rows": [dict(zip(("below", "rating", "density"), row, strict=True)) for row in columns],
    }


def table_of(ratings: Floats, options: dict[str, Any]) -> Histogram:
    """The ratings counted into bins."""
    from prowess.theory.histograms import histogram

    low, high = options["low"], options["high"]
    return histogram(
        ratings, options["width"], -inf if low is None else low, inf if high is None else high
    )


def counted(table: Histogram) -> dict[str, Any]:
    """L / D of a histogram, in points."""
    rows = table.rows
    names = ("rating", "players", "learning", "deviation", "log_deviation")
    columns = (
        table.bins,
        table.players,
        table.learning * table.width,
        table.deviation * table.width,
        table.log_deviation,
    )
    lists = (column.tolist() for column in columns)
    return {
        "players": float(table.players.sum()),
        "above": table.beyond,
        "mean_learning": rows.mean_learning * table.width,
        "points_per_e": rows.points_per_e if isfinite(rows.points_per_e) else None,
        "rows": [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True)],
    }


def ratings_of(file: str, column: str) -> Floats:
    """One column of a CSV file as numbers; raises BadData with line and column."""
    import numpy as np

    from prowess.cli.starting import numbered
    from prowess.games import BadData

    rows = numbered(file)
    first, header = next(rows, (1, []))
    if column not in header:
        remedy = f"name one of its columns with --column: {', '.join(header) or 'there are none'}"
        raise BadData(f'there is no column "{column}"', file=file, line=first, remedy=remedy)
    place = header.index(column)
    values = []
    for line, row in rows:
        text = row[place] if place < len(row) else ""
        try:
            values.append(float(text))
        except ValueError:
            what = f"{text!r} is not a number"
            raise BadData(
                what, file=file, line=line, column=column, remedy="mend the row"
            ) from None
    return np.array(values, np.float64)


def page_of_law(data: dict[str, Any]) -> str:
    """EQ 60 for people."""
    from prowess.cli.table import drawn

    rows = [["below", "rating", "players per 100 points"]]
    rows += [
        [f"{row['below']:.0%}", f"{row['rating']:.1f}", f"{100 * row['density']:.2%}"]
        for row in data["rows"]
    ]
    points = "   ".join(f"{name} {data[name]:.1f}" for name in ("mean", "median", "mode"))
    return f"{drawn(rows)}\n\n{points}"


def page_of_counts(data: dict[str, Any]) -> str:
    """A histogram's learning rate for people."""
    from prowess.cli.table import drawn

    rows = [["rating", "players", "L / D, points", "+-", "log error"]]
    rows += [
        [
            f"{row['rating']:g}",
            f"{row['players']:g}",
            f"{row['learning']:.1f}",
            f"{row['deviation']:.1f}",
            f"{row['log_deviation']:.4f}",
        ]
        for row in data["rows"]
    ]
    points = data["points_per_e"]
    slower = "no number of points makes" if points is None else f"{points:.0f} points make"
    return (
        f"{drawn(rows)}\n\n"
        f"L / D of an average player is {data['mean_learning']:.1f} points: what he learns in a "
        f"mean life at his rating.\n{slower} learning e times slower; "
        f"the model says {data['model']:.0f}."
    )
