"""`prowess theory development`: how does an average player come on?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.chosen import differences
from prowess.cli.theory.plot import plot_option, save

if TYPE_CHECKING:
    from prowess.theory.learning import LearningLaw

LAWS = ("exponential", "linear", "fallible")


@click.command("development", short_help="How does an average player come on?")
@click.option(
    "--law",
    type=click.Choice(LAWS),
    default="exponential",
    show_default=True,
    help="How the learning rate falls with the rating.",
)
@click.option(
    "--scale",
    type=float,
    default=400.0,
    show_default=True,
    metavar="POINTS",
    help="Points of ten to one odds.",
)
@click.option(
    "--birth",
    type=float,
    default=0.0,
    show_default=True,
    metavar="POINTS",
    help="The rating of a beginner (exponential).",
)
@click.option(
    "--c7",
    type=float,
    default=1.0,
    show_default=True,
    metavar="RATE",
    help="Points a beginner learns per unit of time (exponential, EQ 59).",
)
@click.option(
    "--c9",
    type=float,
    default=0.01,
    show_default=True,
    metavar="RATE",
    help="The share of the distance learnt per unit of time (linear, EQ 62).",
)
@click.option(
    "--top",
    type=float,
    default=1000.0,
    show_default=True,
    metavar="POINTS",
    help="The highest rating above a beginner's (linear).",
)
@click.option(
    "--p-max",
    type=float,
    default=0.9,
    show_default=True,
    metavar="P",
    help="How often who knows all is right (fallible).",
)
@click.option(
    "--p-start",
    type=float,
    default=0.5,
    show_default=True,
    metavar="P",
    help="How often a beginner is right (fallible).",
)
@click.option(
    "--k",
    type=float,
    default=0.01,
    show_default=True,
    metavar="RATE",
    help="dp/dt = k (p_max - p)^2 (fallible).",
)
@click.option(
    "--times",
    default="0,1,3,10,30,100,300,1000",
    show_default=True,
    metavar="T,T,...",
    callback=differences,
    help="Times since birth, with commas.",
)
@plot_option
@json_option
def command(
    law: str, times: list[float], plot: str | None, as_json: bool, **constants: float
) -> None:
    """Print the rating of an average player and his learning rate by time.

    exponential: L = c7 e^-y, the report's model. fallible: what it gives where even perfect play
    errs. linear: the form printed for that, which does not follow from it.
    """
    import numpy as np

    from prowess.cli.output import json_text, put

    learning = chosen_law(law, constants)
    ratings = learning.rating(np.array(times))
    rates = learning.rate(ratings)
    columns = zip(times, ratings.tolist(), rates.tolist(), strict=True)
    rows = [dict(zip(("time", "rating", "learning"), row, strict=True)) for row in columns]
    used = {name: constants[name] for name in CONSTANTS[law]}
    if plot is not None:
        from prowess.present.theory_charts import development_chart

        save(plot, development_chart(learning, law, times))
    put(json_text({"law": law, **used, "rows": rows}) if as_json else page(rows))


CONSTANTS = {
    "exponential": ("c7", "scale", "birth"),
    "linear": ("c9", "top"),
    "fallible": ("p_max", "p_start", "k", "scale"),
}


def chosen_law(law: str, constants: dict[str, float]) -> LearningLaw:
    """The law of learning with its constants."""
    from prowess.engine.numeric import LN10
    from prowess.theory.learning import Exponential, Fallible, LinearFallible

    if not 0.0 < constants["scale"] < float("inf"):
        raise click.UsageError(f"--scale {constants['scale']:g} is not above 0")
    q = LN10 / constants["scale"]
    if law == "linear":
        return LinearFallible(constants["c9"], constants["top"])
    if law == "fallible":
        return Fallible(constants["p_max"], constants["p_start"], constants["k"], q)
    return Exponential(constants["c7"], q, constants["birth"])


def page(rows: list[dict[str, Any]]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    lines = [[f"{r['time']:g}", f"{r['rating']:.2f}", f"{r['learning']:.4g}"] for r in rows]
    return drawn([["time", "rating", "learning"], *lines])
