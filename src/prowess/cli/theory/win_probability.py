"""`prowess theory wp` and `markov`: win probabilities of curves, games and functions."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import IMAGE_SUFFIXES, AnswerOptions, check_suffix

if TYPE_CHECKING:
    from prowess.theory.markov import MarkovGame
    from prowess.theory.wp import WinProbability

GAME_FILES = {".toml", ".json"}
MULTIPLES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)  # natural units
DIFFERENCES = (-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0)  # natural units


def parse_numbers(value: str) -> list[float]:
    """Finite numbers with commas between them."""
    try:
        numbers = [float(text) for text in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"write numbers with commas, as in 0,100, not {value!r}") from None
    if not all(map(isfinite, numbers)):
        raise click.BadParameter(f"write finite numbers, not {value!r}")
    return numbers


def parse_positive(value: float) -> float:
    """A finite number above 0."""
    if not 0.0 < value < float("inf"):
        raise click.BadParameter(f"give a number above 0, not {value:g}")
    return value


Scale = Annotated[
    float | None,
    Option(metavar="POINTS", type=float, parse=parse_positive),
    "Differences in points of such a scale (chess: 400); natural units without it.",
]
Points = Annotated[float, Option(metavar="POINTS")]
At = Annotated[list[float] | None, Option(metavar="X,X,...", parse=parse_numbers)]
PlotFile = Annotated[
    str | None,
    Option(
        metavar="FILE",
        type=click.Path(),
        names=("--plot",),
        parse=lambda name: check_suffix(name, IMAGE_SUFFIXES),
    ),
    "Also draw it: .svg or .png.",
]


def parse_curve(text: str, scale: float | None) -> WinProbability:
    """The win probability of a name: a curve, a ready game, a file of a game or a function."""
    from prowess.engine.numeric import LN10
    from prowess.engine.win_probability import CURVES, steepness
    from prowess.theory.markov import MODELS
    from prowess.theory.wp import curve_number, find_curve, wrap_function

    place, _, name = text.rpartition(":")
    if place.endswith(".py"):
        function = load_function(place, name)
        return wrap_function(function, name, 1.0 if scale is None else scale / LN10)
    if text in MODELS or Path(text).suffix.lower() in GAME_FILES:
        return parse_game(text).win_probability(1.0 if scale is None else LN10 / scale)
    if text not in CURVES:
        raise click.UsageError(
            f"name a curve ({', '.join(CURVES)}), a game ({', '.join(MODELS)}), FILE.toml of a "
            f"game, or FILE.py:FUNCTION of x: there is no win probability {text!r}"
        )
    return find_curve(text, 1.0 if scale is None else steepness(curve_number(text), scale))


def parse_game(text: str) -> MarkovGame:
    """A ready game or the game of a file."""
    from prowess.theory.markov import MODELS, read_game

    if Path(text).suffix.lower() in GAME_FILES:
        return read_game(text)
    if text.replace("-", "_") not in MODELS:
        raise click.UsageError(
            f"name one of {', '.join(MODELS)}, or FILE.toml, FILE.json: there is no game {text!r}"
        )
    return MODELS[text.replace("-", "_")]()


def load_function(place: str, name: str) -> Callable[[float], float]:
    """A function of a user's own file."""
    from prowess.engine.system import import_file

    file = Path(place)
    if not file.is_file():
        raise click.UsageError(f"name a file that is there: {place} is none")
    try:  # by this name prowess.cli.exits knows that an error comes from the user's file
        module = import_file(f"prowess_file_{file.stem}", file)
    except Exception as error:
        raise click.UsageError(f"correct {place}: {type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise click.UsageError(f"name a function of {place}: it has no {name!r}")
    found: Callable[[float], float] = function
    return found


def write_chart(file: str | None, draw: Callable[[Any], Any]) -> None:
    """Write the figure that `draw` makes of the module that has charts; no file: nothing."""
    if file is not None:
        from prowess.cli.output import write_figure
        from prowess.present import theory

        write_figure(file, draw(theory))


@verb("wp")
def wp_verb(
    *,
    names: Annotated[tuple[str, ...], Argument("[WP]...", nargs=-1)] = (),
    scale: Scale = None,
    at: Annotated[
        At, "Rating differences, with commas. Default: a few that show the shape."
    ] = None,
    chain: Annotated[
        tuple[float, float] | None, Option("A beats B, B beats C: A and C?", "P P")
    ] = None,
    plot: PlotFile = None,
    answer: AnswerOptions,
) -> None:
    """Print wp(x), the chance of a player who is x better, for each WP.

    WP is a curve (logistic, timesharing, normal, stob2 ... stob5), a ready game (tennis_game ...),
    a game of a file (FILE.toml) or a function of yours (FILE.py:FUNCTION). Without any: all curves.
    """
    from prowess.engine.win_probability import CURVES
    from prowess.present.theory import curve_parts

    names = names or CURVES
    curves = {name: parse_curve(name, scale) for name in names}
    unit = 1.0 if scale is None else scale / 2.5
    xs = at if at is not None else [m * unit for m in MULTIPLES]
    data: dict[str, Any] = {
        "scale": scale,
        "rows": [{"x": x, **{name: wp(x) for name, wp in curves.items()}} for x in xs],
        "slope_at_0": {name: wp.slope(0.0) for name, wp in curves.items()},
    }
    if chain is not None:
        data["chain"] = chance_by_curve(chain, [name for name in names if name in CURVES])
    write_chart(
        plot,
        lambda charts: charts.win_probability_chart(curves, unit, charts.difference_unit(scale)),
    )
    answer.give_rows(data, data["rows"], curve_parts)


def chance_by_curve(chain: tuple[float, float], names: list[str]) -> dict[str, float]:
    """The chance of A against C by each curve."""
    from prowess.theory.properties import chain_chances

    try:
        return {name: chain_chances(name, *chain) for name in names}
    except ValueError as error:
        raise click.UsageError(f"--chain: {error}") from None


@verb("markov")
def markov_verb(
    *,
    name: Annotated[str | None, Argument("[GAME]")] = None,
    points: Annotated[int | None, Option("Instead of GAME: first to so many points,", "N")] = None,
    lead: Annotated[int, Option("... so many ahead.", "N")] = 1,
    states: Annotated[bool, Option("The chances from every state, not the start only.")] = False,
    as_file: Annotated[
        bool, Option("Print the game as a file, to begin one.", names=("--toml",))
    ] = False,
    scale: Scale = None,
    at: Annotated[At, "Rating differences, with commas. Default: -2 to 2 natural units."] = None,
    plot: PlotFile = None,
    answer: AnswerOptions,
) -> None:
    """Solve a game: its chance of winning by rating difference, its exact formula and tail.

    GAME is point, two_ahead, best_of_three, tennis_game, streak, or FILE.toml or FILE.json of a
    game of yours: states, and with what chance each leads to which, as ratios of forms in X and Y
    (`prowess theory markov two_ahead --toml` prints one).
    """
    from prowess.cli.output import print_text
    from prowess.engine.numeric import LN10
    from prowess.present.theory import game_data, game_parts
    from prowess.theory.markov import format_toml, match

    if (name is None) == (points is None):
        raise click.UsageError("give a GAME or --points, one of them")
    solved = match(points, lead) if points is not None else parse_game(name or "")
    if as_file:
        print_text(format_toml(solved))
        return
    q = 1.0 if scale is None else LN10 / scale
    xs = at if at is not None else [x / q for x in DIFFERENCES]
    try:
        chances = [solved.chances(q * x) for x in xs] if states else None
    except ValueError as error:
        raise click.UsageError(f"--at: {error}") from None
    data = game_data(solved, q, xs, chances)
    write_chart(plot, lambda charts: charts.game_chart(solved, q, charts.difference_unit(scale)))
    answer.give_rows(data, data["rows"], game_parts)
