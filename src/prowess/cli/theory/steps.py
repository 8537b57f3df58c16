"""`prowess theory bounds`, `check`, `noise` and `best-step`: how far a game should move ratings."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from prowess.cli.exits import NO
from prowess.cli.options import NO_VALUES, Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.selection import Settings, SystemName
from prowess.cli.theory.win_probability import (
    At,
    PlotFile,
    Points,
    Scale,
    parse_curve,
    parse_numbers,
    parse_positive,
    write_chart,
)

if TYPE_CHECKING:
    from prowess.theory.noise import PlayerLife


SHARES_OF_REACH = (
    0.0,
    0.125,
    0.25,
    0.5,
    1.0,
)  # of the difference at which 999 of 1000 games are won
Positive = Annotated[float | None, Option(type=float, parse=parse_positive)]


@verb("bounds")
def bounds_verb(
    *,
    name: Annotated[str, Argument("WP")],
    scale: Scale = None,
    at: Annotated[
        At, "Rating differences, with commas. Default: five up to where 999 of 1000 games are won."
    ] = None,
    plot: PlotFile = None,
    answer: AnswerOptions,
) -> None:
    """Print the bounds on h of dyn(x) = h wp(-x), below which every game is expected to help.

    WP as in `prowess theory wp`. h is the most the difference of two ratings can change in a game,
    2 K of Elo. exact: EQ 77; concave: |x| / (wp - 1/2), EQ 78, for a WP that is concave above 0;
    flat: 2 / max wp', EQ 79; other: where the steepest chord from x ends.
    """
    from prowess.present.theory import bound_parts
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
    xs = at if at is not None else [step * reach(wp) for step in SHARES_OF_REACH]
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
    answer.give_rows(data, data["rows"], bound_parts)


@verb("check")
def check_verb(
    *,
    name: Annotated[str | None, Argument("[WP]")] = None,
    h: Annotated[Positive, Option("Also check the update dyn(x) = H wp(-x).", "H")] = None,
    system: Annotated[
        SystemName, "Instead of WP: check the forecast and the update of a rating system."
    ] = None,
    params: Settings = NO_VALUES,
    known: Annotated[
        Settings,
        Option(names=("--rating",)),
        "Another value that a newcomer of the system begins with, such as deviation=50.",
    ] = NO_VALUES,
    widest: Annotated[Positive, Option("The largest difference checked.", "X")] = None,
    scale: Scale = None,
    answer: AnswerOptions,
) -> int:
    """Check every property on a grid and print which fails where.

    WP as in `prowess theory wp`; FILE.py:FUNCTION checks a function of yours. Ends with 1 when a
    property fails that the theory needs: symmetric, rising, differentiable, limits, and for updates
    WSC, SSC and error decrease.
    """
    from prowess.engine.system import Dynamic
    from prowess.present.theory import check_parts, finding_data
    from prowess.systems.catalogue import find
    from prowess.theory.updates import check_curve, check_system

    if (name is None) == (system is None):
        raise click.UsageError("give a WP or --system, one of them")
    if (params or known) and system is None:
        raise click.UsageError("name a --system: --set and --rating are for one")
    if h is not None and system is not None:
        raise click.UsageError("leave --h out: a system has its own step")
    if system is None:
        needed, further = check_curve(parse_curve(name or "", scale), h, widest)
    else:
        value = find(system)
        if not isinstance(value, Dynamic):
            raise click.UsageError(
                f"name a dynamic system: {value.name} has no update after a game"
            )
        needed, further = check_system(value, params, parse_values(known), widest)
    fulfilled = all(one.holds for one in needed)
    rows = [finding_data(one) for one in (*needed, *further)]
    data = {
        "judged": system or name,
        "fulfils": fulfilled,
        "needed": rows[: len(needed)],
        "further": rows[len(needed) :],
    }
    answer.give_rows(data, rows, check_parts)
    return 0 if fulfilled else NO


def parse_values(known: Mapping[str, str]) -> dict[str, float]:
    """The values of --rating as numbers."""
    try:
        return {name: float(text) for name, text in known.items()}
    except ValueError as error:
        raise click.UsageError(f"--rating: {error}") from None


# `prowess theory noise` and `best-step`: the error of ratings, and the best step.


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
    from prowess.present.theory import noise_parts
    from prowess.theory.noise import ERROR_PARTS, NOISE_MODELS, best_h, difference_deviation, noise

    career = options.career(games)
    rows = []
    for model in NOISE_MODELS:
        parts = noise(career, h, model)
        values = {name: getattr(parts, name) for name in (*ERROR_PARTS, "total")}
        rows.append({"model": model, **values, "best_h": best_h(career, model)})
    data = {
        "h": h,
        "games": games,
        **options._asdict(),
        "difference_deviation": difference_deviation(career.wp, h, career.met),
        "models": rows,
    }
    write_chart(plot, lambda charts: charts.error_chart(career, h))
    answer.give_rows(data, rows, noise_parts)


@verb("best-step")
def best_step_verb(
    *,
    games: Annotated[
        list[float],
        Option(metavar="G,G,...", parse=parse_numbers, default="10,35,100,300,1000"),
        "Games in a player's life, with commas.",
    ],
    options: LifeOptions,
    plot: PlotFile = None,
    answer: AnswerOptions,
) -> None:
    """Print the h with the least noise, and that noise, for players of G games.

    h is the most a game changes the difference of two ratings, 2 K of Elo. 0 means that newcomers
    start better than games could rate them.
    """
    from prowess.present.theory import flatten_step, step_parts
    from prowess.theory.noise import NOISE_MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    rows = []
    most = 0.0
    for count in games:
        career = options.career(count)
        most = most or largest_h(career.wp)
        row: dict[str, Any] = {"games": count}
        for model in NOISE_MODELS:
            h = best_h(career, model)
            least = noise(career, h, model).total if 0.0 < h < most else None
            row[model] = {"h": h, "noise": least}
        rows.append(row)
    data = {**options._asdict(), "largest_h": most, "rows": rows}
    write_chart(plot, lambda charts: charts.best_step_chart(options.career, games))
    answer.give_rows(data, [flatten_step(row) for row in rows], step_parts)
