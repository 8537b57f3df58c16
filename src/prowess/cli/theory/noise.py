"""`prowess theory noise` and `best-step`: the error of ratings, and the best step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from prowess.cli.options import Option, verb
from prowess.cli.output import AsJson
from prowess.cli.theory.win_probability import (
    PlotFile,
    Points,
    Scale,
    parse_curve,
    parse_numbers,
)

if TYPE_CHECKING:
    from prowess.theory.noise import PlayerLife


class LifeOptions(NamedTuple):
    """The constants of `prowess.theory.noise.PlayerLife` beside the number of games."""

    spread: Annotated[Points, "The typical difference of two players."] = 324.0
    wp: Annotated[str, Option("The win probability, as in `prowess theory wp`.", "WP")] = "logistic"
    scale: Annotated[Scale, "Points of the rating scale."] = 400.0
    difference: Annotated[
        float | None,
        Option("The difference of two who meet; without it the spread, 0 for equals.", "POINTS"),
    ] = None
    start_error: Annotated[
        float | None,
        Option(
            "The error of a newcomer's rating, for `lifetime`; without it the spread.", "POINTS"
        ),
    ] = None
    triangle: Annotated[Points, "Noise of players who cannot be put in a line."] = 0.0

    def career(self, games: float) -> PlayerLife:
        """The career of players of so many games."""
        from prowess.theory.noise import PlayerLife

        wp = parse_curve(self.wp, self.scale)
        return PlayerLife(games, self.spread, wp, self.difference, self.start_error, self.triangle)


@verb("noise")
def noise_verb(
    *,
    h: Annotated[Points, "The most a game changes the difference of two: 2 K of Elo."] = 64.0,
    games: Annotated[float, Option("Games in a player's life.")] = 35.0,
    options: LifeOptions,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the error of an average player's rating and its parts, in points.

    transient: not there yet; fluctuation: moved by chance. `published` gives the report's numbers,
    `corrected` fixes its algebra, `lifetime` its approach too and agrees with simulated leagues.
    """
    from prowess.cli.output import print_result, write_figure
    from prowess.theory.noise import MODELS, best_h, difference_deviation, noise

    career = options.career(games)
    rows = []
    for model in MODELS:
        parts = noise(career, h, model)
        fields = ("transient", "fluctuation", "triangle", "total")
        values = {name: getattr(parts, name) for name in fields}
        rows.append({"model": model, **values, "best_h": best_h(career, model)})
    data = {
        "h": h,
        "games": games,
        **options._asdict(),
        "difference_deviation": difference_deviation(career.wp, h, career.met),
        "models": rows,
    }
    if plot is not None:
        from prowess.present.theory_charts import error_chart

        write_figure(plot, error_chart(career, h))
    print_result(data, format_noise, as_json)


def format_noise(data: dict[str, Any]) -> str:
    """The table of errors by model."""
    from prowess.cli.output import format_table

    fields = ["transient", "fluctuation", "triangle", "total", "best_h"]
    rows = [["name", *fields[:-1], "best h"]]
    rows += [[row["model"], *(f"{row[field]:.1f}" for field in fields)] for row in data["models"]]
    deviation = data["difference_deviation"]
    return (
        f"{format_table(rows)}\n\nThe difference of two ratings fluctuates by {deviation:.1f} "
        "points."
    )


@verb("best-step")
def best_step_verb(
    *,
    games: Annotated[
        list[float],
        Option(
            "Games in a player's life, with commas.",
            "G,G,...",
            parse=parse_numbers,
            default="10,35,100,300,1000",
        ),
    ],
    options: LifeOptions,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the h with the least noise, and that noise, for players of G games.

    h is the most a game changes the difference of two ratings, 2 K of Elo. 0 means that newcomers
    start better than games could rate them.
    """
    from prowess.cli.output import print_result, write_figure
    from prowess.theory.noise import MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    rows = []
    most = 0.0
    for count in games:
        career = options.career(count)
        most = most or largest_h(career.wp)
        row: dict[str, Any] = {"games": count}
        for model in MODELS:
            h = best_h(career, model)
            least = noise(career, h, model).total if 0.0 < h < most else None
            row[model] = {"h": h, "noise": least}
        rows.append(row)
    data = {**options._asdict(), "largest_h": most, "rows": rows}
    if plot is not None:
        from prowess.present.theory_charts import best_step_chart

        write_figure(plot, best_step_chart(options.career, games))
    print_result(data, format_steps, as_json)


def format_steps(data: dict[str, Any]) -> str:
    """The table of best steps by model."""
    from prowess.cli.output import format_table
    from prowess.theory.noise import MODELS

    rows = [["games", *(word for model in MODELS for word in (f"h, {model}", "noise"))]]
    for row in data["rows"]:
        cells = [f"{row['games']:g}"]
        for model in MODELS:
            least = row[model]["noise"]
            cells += [f"{row[model]['h']:.1f}", "-" if least is None else f"{least:.1f}"]
        rows.append(cells)
    limit = f"Any h must stay below {data['largest_h']:.6g} (2 / max wp', EQ 79)."
    return f"{format_table(rows)}\n\n{limit}"
