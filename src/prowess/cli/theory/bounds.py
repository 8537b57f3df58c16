"""`prowess theory bounds` and `check`: bounds of an update, and the assumptions of the theory."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.exits import NO
from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AsJson
from prowess.cli.reading import NOTHING
from prowess.cli.selection import Settings, SystemName
from prowess.cli.theory.win_probability import (
    At,
    PlotFile,
    Scale,
    format_number,
    parse_curve,
    parse_positive,
)

if TYPE_CHECKING:
    from prowess.theory.properties import PropertyCheck
    from prowess.theory.wp import WinProbability

STEPS = (0.0, 0.125, 0.25, 0.5, 1.0)  # of the difference at which 999 of 1000 games are won
REQUIRED = {"defined", "symmetric", "rising", "differentiable", "limits"}
DYNAMIC = {"WSC", "SSC", "error decrease"}
MATCHES = (2, 3)  # points of the matches tried
Positive = Annotated[float | None, Option(type=float, parse=parse_positive)]


@verb("bounds")
def bounds_verb(
    *,
    name: Annotated[str, Argument("WP")],
    scale: Scale = None,
    at: Annotated[
        At,
        "Rating differences, with commas. Default: five up to where 999 of 1000 games are won.",
    ] = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the bounds on h of dyn(x) = h wp(-x), below which every game is expected to help.

    WP as in `prowess theory wp`. h is the most the difference of two ratings can change in a game,
    2 K of Elo. exact: EQ 77; concave: |x| / (wp - 1/2), EQ 78, for a WP that is concave above 0;
    flat: 2 / max wp', EQ 79; other: where the steepest chord from x ends.
    """
    from prowess.cli.output import print_result, write_figure
    from prowess.theory.properties import check_assumptions, failed_properties
    from prowess.theory.updates import bounds_at, kappa, largest_h, largest_slope, largest_spread
    from prowess.theory.wp import reach

    wp = parse_curve(name, scale)
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

        write_figure(
            plot, step_bound_chart(wp, max(map(abs, xs)) or reach(wp), difference_unit(scale), bent)
        )
    print_result(data, format_bounds, as_json)


def format_bounds(data: dict[str, Any]) -> str:
    """The tables of bounds."""
    from prowess.cli.output import format_table

    per_h = data["variance_per_h"]
    about = [
        ["name", "value"],
        ["h below", f"{format_number(data['largest_h'])} everywhere (2 / max wp', EQ 79)"],
        ["kappa", f"{format_number(data['kappa'])} (EQ 97)"],
        ["a player's variance", f"at most {'inf' if per_h is None else format_number(per_h)} h"],
    ]
    fields = ["x", "exact", "concave", "flat", "other"]
    rows = [
        ["-" if row[field] is None else f"{row[field]:.7g}" for field in fields]
        for row in data["rows"]
    ]
    return f"{format_table(about)}\n\n{format_table([fields, *rows])}"


@verb("check")
def check_verb(
    *,
    name: Annotated[str | None, Argument("[WP]")] = None,
    h: Annotated[Positive, Option("Also check the update dyn(x) = H wp(-x).", "H")] = None,
    system: Annotated[
        SystemName, "Instead of WP: check the forecast and the update of a rating system."
    ] = None,
    params: Settings = NOTHING,
    known: Annotated[
        Settings,
        Option(
            "Another value that a newcomer of the system begins with, such as deviation=50.",
            names=("--rating",),
        ),
    ] = NOTHING,
    widest: Annotated[Positive, Option("The largest difference checked.", "X")] = None,
    scale: Scale = None,
    as_json: AsJson = False,
) -> int:
    """Check every property on a grid and print which fails where.

    WP as in `prowess theory wp`; FILE.py:FUNCTION checks a function of yours. Ends with 1 when a
    property fails that the theory needs: symmetric, rising, differentiable, limits, and for updates
    WSC, SSC and error decrease.
    """
    from prowess.cli.output import print_result

    if (name is None) == (system is None):
        raise click.UsageError("give a WP or --system, one of them")
    if (params or known) and system is None:
        raise click.UsageError("--set and --rating are for a --system")
    if h is not None and system is not None:
        raise click.UsageError("leave --h out: a system has its own step")
    if system is None:
        needed, further = check_curve(parse_curve(name or "", scale), h, widest)
    else:
        needed, further = check_system(system, params, parse_values(known), widest)
    fulfilled = all(one.holds for one in needed)
    data = {
        "judged": system or name,
        "fulfils": fulfilled,
        "needed": [finding_data(one) for one in needed],
        "told": [finding_data(one) for one in further],
    }
    print_result(data, format_findings, as_json)
    return 0 if fulfilled else NO


def check_curve(
    wp: WinProbability, h: float | None, widest: float | None
) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """The findings about a win probability: those the theory needs, and further ones."""
    from prowess.theory.properties import (
        COMPOSITION_LAWS,
        check_ahead_match,
        check_assumptions,
        check_composition,
        check_first_to_match,
    )
    from prowess.theory.updates import check_update, update_function

    found = list(check_assumptions(wp, widest))
    if found[0].name != "defined":
        found.append(find_tail(wp))
        found += [
            check_composition(wp, law, f"{name} law") for name, law in COMPOSITION_LAWS.items()
        ]
        found += [check_ahead_match(wp, n) for n in MATCHES]
        found += [check_first_to_match(wp, n) for n in MATCHES]
        if h is not None:
            found += check_update(update_function(h, wp), wp, widest)
    return split_findings(found)


def parse_values(known: Mapping[str, str]) -> dict[str, float]:
    """The values of --rating as numbers."""
    try:
        return {name: float(text) for name, text in known.items()}
    except ValueError as error:
        raise click.UsageError(f"--rating: {error}") from None


def check_system(
    system: str, params: Mapping[str, str], known: dict[str, float], widest: float | None
) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """The findings about a system's forecast and update, as `check_curve` gives them."""
    from prowess.cli.selection import find_system
    from prowess.engine.params import settings
    from prowess.engine.system import Dynamic
    from prowess.theory.properties import check_assumptions
    from prowess.theory.updates import NotAnUpdate, check_update, update_of

    value = find_system(system)
    if not isinstance(value, Dynamic):
        raise click.UsageError(f"name a dynamic system: {value.name} has no update after a game")
    try:
        wp, dyn = update_of(value, settings(value, params), known)
    except NotAnUpdate as error:
        raise click.UsageError(str(error)) from None
    found = list(check_assumptions(wp, widest))
    if found[0].name != "defined":
        found += [find_tail(wp), *check_update(dyn, wp, widest)]
    return split_findings(found)


def find_tail(wp: WinProbability) -> PropertyCheck:
    """The exponential tail as a finding."""
    from prowess.theory.properties import PropertyCheck
    from prowess.theory.wp import tail

    try:
        found = tail(wp)
    except ValueError as error:
        return PropertyCheck("exponential tail", False, str(error))
    return PropertyCheck("exponential tail", found.exponential, found.says)


def split_findings(found: list[PropertyCheck]) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """The findings that the theory needs, and the rest."""
    needed = REQUIRED | DYNAMIC
    return [one for one in found if one.name in needed], [
        one for one in found if one.name not in needed
    ]


def finding_data(one: PropertyCheck) -> dict[str, Any]:
    """A finding as plain data."""
    at = None if one.at is None else list(one.at)
    return {"name": one.name, "holds": one.holds, "says": one.says, "at": at}


def format_findings(data: dict[str, Any]) -> str:
    """The findings as tables."""
    from prowess.cli.output import format_table

    def table(rows: list[dict[str, Any]]) -> str:
        body = [[row["name"], "yes" if row["holds"] else "NO", row["says"]] for row in rows]
        return format_table([["name", "holds", "value"], *body])

    verdict = "fulfils" if data["fulfils"] else "does not fulfil"
    parts = [f"{data['judged']} {verdict} what the theory needs", table(data["needed"])]
    if data["told"]:
        parts += ["Further properties", table(data["told"])]
    return "\n\n".join(parts)
