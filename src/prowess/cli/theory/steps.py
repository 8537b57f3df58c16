"""`prowess theory bounds`, `check`, `noise` and `best-step`: how far a game should move ratings."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from prowess.cli.exits import NO
from prowess.cli.options import NOTHING, Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.selection import Settings, SystemName
from prowess.cli.theory.win_probability import (
    At,
    PlotFile,
    Points,
    Scale,
    format_rows,
    parse_curve,
    parse_numbers,
    parse_positive,
    write_chart,
)

if TYPE_CHECKING:
    from prowess.theory.noise import PlayerLife
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
    answer: AnswerOptions,
) -> None:
    """Print the bounds on h of dyn(x) = h wp(-x), below which every game is expected to help.

    WP as in `prowess theory wp`. h is the most the difference of two ratings can change in a game,
    2 K of Elo. exact: EQ 77; concave: |x| / (wp - 1/2), EQ 78, for a WP that is concave above 0;
    flat: 2 / max wp', EQ 79; other: where the steepest chord from x ends.
    """
    from prowess.theory.properties import check_assumptions, failed_properties
    from prowess.theory.updates import bounds_at, kappa, largest_h, largest_slope, largest_spread
    from prowess.theory.wp import reach

    wp = parse_curve(name, scale)
    lacking = failed_properties(check_assumptions(wp))
    bent = "concave" in lacking
    if set(lacking) - {"concave"}:
        raise click.UsageError(
            f"run `prowess theory check {name}`, which says where it is not {', '.join(lacking)}: "
            "so there are no bounds"
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
    widest = max(map(abs, xs)) or reach(wp)
    write_chart(
        plot,
        lambda charts: charts.step_bound_chart(wp, widest, charts.difference_unit(scale), bent),
    )
    answer.give_rows(data, data["rows"], format_bounds)


def format_bounds(data: dict[str, Any]) -> str:
    """The tables of bounds."""
    from prowess.cli.output import render_table

    per_h = data["variance_per_h"]
    about = [
        ["name", "value"],
        ["h below", f"{data['largest_h']:.9g} everywhere (2 / max wp', EQ 79)"],
        ["kappa", f"{data['kappa']:.9g} (EQ 97)"],
        ["a player's variance", f"at most {inf if per_h is None else per_h:.9g} h"],
    ]
    fields = ("x", "exact", "concave", "flat", "other")
    table = format_rows(data["rows"], {field: (field, ".7g") for field in fields})
    return f"{render_table(about)}\n\n{table}"


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
    answer: AnswerOptions,
) -> int:
    """Check every property on a grid and print which fails where.

    WP as in `prowess theory wp`; FILE.py:FUNCTION checks a function of yours. Ends with 1 when a
    property fails that the theory needs: symmetric, rising, differentiable, limits, and for updates
    WSC, SSC and error decrease.
    """
    if (name is None) == (system is None):
        raise click.UsageError("give a WP or --system, one of them")
    if (params or known) and system is None:
        raise click.UsageError("name a --system: --set and --rating are for one")
    if h is not None and system is not None:
        raise click.UsageError("leave --h out: a system has its own step")
    if system is None:
        needed, further = check_curve(parse_curve(name or "", scale), h, widest)
    else:
        needed, further = check_system(system, params, parse_values(known), widest)
    fulfilled = all(one.holds for one in needed)
    rows = [finding_data(one) for one in (*needed, *further)]
    data = {
        "judged": system or name,
        "fulfils": fulfilled,
        "needed": rows[: len(needed)],
        "further": rows[len(needed) :],
    }
    answer.give_rows(data, rows, format_findings)
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
    from prowess.theory.updates import check_update, update_of

    value = find_system(system)
    if not isinstance(value, Dynamic):
        raise click.UsageError(f"name a dynamic system: {value.name} has no update after a game")
    wp, dyn = update_of(value, settings(value, params), known)
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
    from prowess.cli.output import render_table

    def table(rows: list[dict[str, Any]]) -> str:
        body = [[row["name"], "yes" if row["holds"] else "NO", row["says"]] for row in rows]
        return render_table([["name", "holds", "value"], *body])

    verdict = "fulfils" if data["fulfils"] else "does not fulfil"
    parts = [f"{data['judged']} {verdict} what the theory needs", table(data["needed"])]
    if data["further"]:
        parts += ["Further properties", table(data["further"])]
    return "\n\n".join(parts)


# `prowess theory noise` and `best-step`: the error of ratings, and the best step.


PARTS = ("transient", "fluctuation", "triangle")  # of the error


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
    answer: AnswerOptions,
) -> None:
    """Print the error of an average player's rating and its parts, in points.

    transient: not there yet; fluctuation: moved by chance. `published` gives the report's numbers,
    `corrected` fixes its algebra, `lifetime` its approach too and agrees with simulated leagues.
    """
    from prowess.theory.noise import MODELS, best_h, difference_deviation, noise

    career = options.career(games)
    rows = []
    for model in MODELS:
        parts = noise(career, h, model)
        values = {name: getattr(parts, name) for name in (*PARTS, "total")}
        rows.append({"model": model, **values, "best_h": best_h(career, model)})
    data = {
        "h": h,
        "games": games,
        **options._asdict(),
        "difference_deviation": difference_deviation(career.wp, h, career.met),
        "models": rows,
    }
    write_chart(plot, lambda charts: charts.error_chart(career, h))
    answer.give_rows(data, rows, format_noise)


def format_noise(data: dict[str, Any]) -> str:
    """The table of errors by model."""
    fields = {name: (name, ".1f") for name in (*PARTS, "total")}
    table = format_rows(
        data["models"], {"name": ("model", ""), **fields, "best h": ("best_h", ".1f")}
    )
    deviation = data["difference_deviation"]
    return f"{table}\n\nThe difference of two ratings fluctuates by {deviation:.1f} points."


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
    answer: AnswerOptions,
) -> None:
    """Print the h with the least noise, and that noise, for players of G games.

    h is the most a game changes the difference of two ratings, 2 K of Elo. 0 means that newcomers
    start better than games could rate them.
    """
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
    write_chart(plot, lambda charts: charts.best_step_chart(options.career, games))
    answer.give_rows(data, [flatten_step(row) for row in rows], format_steps)


def flatten_step(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of best steps with a column for each model's h and its noise."""
    models = {name: value for name, value in row.items() if name != "games"}
    return {"games": row["games"]} | {
        f"{name}_{part}": number for name, one in models.items() for part, number in one.items()
    }


def format_steps(data: dict[str, Any]) -> str:
    """The table of best steps by model."""
    from prowess.cli.output import render_table
    from prowess.theory.noise import MODELS

    rows = [["games", *(word for model in MODELS for word in (f"h, {model}", "noise"))]]
    for row in data["rows"]:
        cells = [f"{row['games']:g}"]
        for model in MODELS:
            least = row[model]["noise"]
            cells += [f"{row[model]['h']:.1f}", "-" if least is None else f"{least:.1f}"]
        rows.append(cells)
    limit = f"Any h must stay below {data['largest_h']:.6g} (2 / max wp', EQ 79)."
    return f"{render_table(rows)}\n\n{limit}"
