"""`prowess theory bounds`: how far may one game move the ratings?"""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from prowess.cli.output import json_option
from prowess.cli.theory.chosen import at_option, chosen, scale_option, shown
from prowess.cli.theory.plot import plot_option, save

STEPS = (0.0, 0.125, 0.25, 0.5, 1.0)  # of the difference at which 999 of 1000 games are won


@click.command("bounds", short_help="How far may one game move the ratings?")
@click.argument("name", metavar="WP")
@scale_option
@at_option("five up to where 999 of 1000 games are won")
@plot_option
@json_option
def command(
    name: str, scale: float | None, at: list[float] | None, plot: str | None, as_json: bool
) -> None:
    """Print the bounds on h of dyn(x) = h wp(-x), below which every game is expected to help.

    WP as in `prowess theory wp`. h is the most the difference of two ratings can change in a game,
    2 K of Elo. exact: EQ 77; concave: |x| / (wp - 1/2), EQ 78, for a WP that is concave above 0;
    flat: 2 / max wp', EQ 79; other: where the steepest chord from x ends.
    """
    from prowess.cli.output import json_text, put
    from prowess.theory.properties import check_assumptions, failed_properties
    from prowess.theory.updates import bounds_at, kappa, largest_h, largest_slope, largest_spread
    from prowess.theory.wp import reach

    wp = chosen(name, scale)
    lacking = failed_properties(check_assumptions(wp))
    bent = "concave" in lacking
    if set(lacking) - {"concave"}:
        raise click.UsageError(
            f"{name} is not {', '.join(lacking)}, so there are no bounds; "
            f"`prowess theory check {name}` says where"
        )
    xs = at if at is not None else [step * reach(wp) for step in STEPS]
    steepest = largest_slope(wp)
    spread = largest_spread(wp)
    data: dict[str, Any] = {
        "wp": name,
        "scale": scale,
        "largest_h": largest_h(wp),
        "kappa": kappa(wp),
        "variance_per_h": spread if isfinite(spread) else None,
        "rows": [
            bounds_at(wp, x, steepest)._asdict() | ({"concave": None} if bent else {}) for x in xs
        ],
    }
    if plot is not None:
        from prowess.present.theory_charts import difference_unit, step_bound_chart

        save(
            plot, step_bound_chart(wp, max(map(abs, xs)) or reach(wp), difference_unit(scale), bent)
        )
    put(json_text(data) if as_json else page(data))


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    per_h = data["variance_per_h"]
    about = [
        ["name", "value"],
        ["h below", f"{shown(data['largest_h'])} everywhere (2 / max wp', EQ 79)"],
        ["kappa", f"{shown(data['kappa'])} (EQ 97)"],
        ["a player's variance", f"at most {'inf' if per_h is None else shown(per_h)} h"],
    ]
    fields = ["x", "exact", "concave", "flat", "other"]
    rows = [
        ["-" if row[field] is None else f"{row[field]:.7g}" for field in fields]
        for row in data["rows"]
    ]
    return f"{drawn(about)}\n\n{drawn([fields, *rows])}"
