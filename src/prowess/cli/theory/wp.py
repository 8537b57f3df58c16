"""`prowess theory wp`: win probabilities by rating difference, curves side by side."""

from __future__ import annotations

from typing import Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.chosen import at_option, chosen, scale_option, shown
from prowess.cli.theory.plot import plot_option, save

MULTIPLES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)  # natural units


@click.command("wp", short_help="Win probabilities by rating difference, curves side by side.")
@click.argument("names", nargs=-1, metavar="[WP]...")
@scale_option
@at_option("a few that show the shape")
@click.option("--chain", nargs=2, type=float, metavar="P P", help="A beats B, B beats C: A and C?")
@plot_option
@json_option
def command(
    names: tuple[str, ...],
    scale: float | None,
    at: list[float] | None,
    chain: tuple[float, float] | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Print wp(x), the chance of a player who is x better, for each WP.

    WP is a curve (logistic, timesharing, normal, stob2 ... stob5), a ready game (tennis_game ...),
    a game of a file (FILE.toml) or a function of yours (FILE.py:FUNCTION). Without any: all curves.
    """
    from prowess.cli.output import json_text, put
    from prowess.engine.win_probability import CURVES

    names = names or CURVES
    curves = {name: chosen(name, scale) for name in names}
    unit = 1.0 if scale is None else scale / 2.5
    xs = at if at is not None else [m * unit for m in MULTIPLES]
    data: dict[str, Any] = {
        "scale": scale,
        "rows": [{"x": x, **{name: wp(x) for name, wp in curves.items()}} for x in xs],
        "slope_at_0": {name: wp.slope(0.0) for name, wp in curves.items()},
    }
    if chain is not None:
        data["chain"] = chains(chain, [name for name in names if name in CURVES])
    if plot is not None:
        from prowess.present.theory_charts import difference_unit, win_probability_chart

        save(plot, win_probability_chart(curves, unit, difference_unit(scale)))
    put(json_text(data) if as_json else page(data, list(curves)))


def chains(chain: tuple[float, float], names: list[str]) -> dict[str, float]:
    """The chance of A against C by each curve."""
    from prowess.theory.properties import chain_chances

    try:
        return {name: chain_chances(name, *chain) for name in names}
    except ValueError as error:
        raise click.UsageError(f"--chain: {error}") from None


def page(data: dict[str, Any], names: list[str]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    rows = [["x", *names]]
    rows += [[f"{row['x']:g}", *(shown(row[name]) for name in names)] for row in data["rows"]]
    rows.append(["wp'(0)", *(shown(data["slope_at_0"][name]) for name in names)])
    if "chain" in data:
        chain = data["chain"]
        rows.append(["A-C", *(shown(chain[name]) if name in chain else "-" for name in names)])
    return drawn(rows)
