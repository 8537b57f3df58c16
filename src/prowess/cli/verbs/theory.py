"""`prowess theory`: why rating systems behave as they do, in tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from prowess.cli.commands import LazyGroup
from prowess.cli.exits import NO
from prowess.cli.options import NO_VALUES, Argument, Option, verb
from prowess.cli.output import IMAGE_SUFFIXES, AnswerOptions, check_suffix
from prowess.cli.selection import Settings, SystemName

if TYPE_CHECKING:
    from prowess.theory.histograms import Histogram
    from prowess.theory.learning import LearningLaw
    from prowess.theory.markov import MarkovGame
    from prowess.theory.noise import PlayerLife
    from prowess.theory.wp import WinProbability

THEORY_VERBS = {  # word -> its module, and what the list of words says of it
    "wp": ("theory", "Win probabilities by rating difference, curves side by side."),
    "markov": ("theory", "A game described by its points: its exact win probability."),
    "bounds": ("theory", "How far one game may move the ratings."),
    "check": ("theory", "Check a win probability, or an update, against the theory."),
    "noise": ("theory", "The error of ratings, by three models."),
    "best-step": ("theory", "How far one game should move the ratings."),
    "population": ("theory", "The distribution of ratings where players learn and leave."),
    "development": ("theory", "The development of an average player."),
    "tables": ("theory", "The report's tables of the Internet chess server."),
}

theory_verb = LazyGroup(
    "prowess.cli.verbs",
    {"Tables and figures": THEORY_VERBS},
    name="theory",
    help="Tables from the theory of rating systems; every one of them takes --json, --csv and -o.",
)


# Win probabilities of curves, games and functions.


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


# How far one game may move the ratings.


SHARES_OF_REACH = (0.0, 0.125, 0.25, 0.5, 1.0)  # of the difference at which 999 of 1000 are won
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


# How players learn, and how many there are.


SCALE = 400.0  # points of ten to one odds
PointScale = Annotated[
    Points, Option("Points of ten to one odds.", type=float, parse=parse_positive)
]
Rate = Annotated[float, Option(metavar="RATE")]


class BinOptions(NamedTuple):
    """The bins into which the ratings of a file are counted."""

    width: Annotated[Points, Option("The width of a bin (with FILE).", names=("--bin",))] = 100.0
    low: Annotated[float | None, Option("Bins from there on (with FILE).", "POINTS")] = None
    high: Annotated[
        float | None,
        Option("Bins up to there (with FILE); players above still count as higher.", "POINTS"),
    ] = None


@verb("population")
def population_verb(
    *,
    file: Annotated[str | None, Argument()] = None,
    column: Annotated[str, Option("The column of FILE to read.")] = "rating",
    bins: BinOptions,
    c8: Annotated[
        float, Option("Death rate / (beginner's learning rate times Q) (without FILE).")
    ] = 0.02,
    birth: Annotated[Points, "The rating of a beginner (without FILE)."] = 1000.0,
    scale: PointScale = SCALE,
    plot: PlotFile = None,
    answer: AnswerOptions,
) -> None:
    """Print the law of the report's learning model (EQ 60), or what the ratings of FILE imply.

    FILE is CSV such as `prowess rate --csv` prints. The learning rate follows from it by EQ 54, in
    units of the death rate, and so do the points that make learning e times slower; the model says
    scale / ln 10.
    """
    from prowess.engine.numeric import LN10
    from prowess.present.theory import histogram_data, histogram_parts, law_data, law_parts

    if file is None:
        from prowess.theory.learning import Gompertz

        gompertz = Gompertz(c8, LN10 / scale, birth)
        write_chart(plot, lambda charts: charts.density_chart(gompertz))
        law = law_data(gompertz)
        answer.give_rows(law, law["rows"], law_parts)
        return
    table = count_ratings(file, column, bins)
    write_chart(plot, lambda charts: charts.population_chart(table, table.rows, scale / LN10))
    data = histogram_data(table) | {"model": scale / LN10}
    answer.give_rows(data, data["rows"], histogram_parts)


def count_ratings(file: str, column: str, bins: BinOptions) -> Histogram:
    """The ratings of a file counted into bins."""
    import numpy as np

    from prowess.games.formats.small_files import read_column
    from prowess.theory.histograms import histogram

    ratings = np.array(read_column(file, column), np.float64)
    low, high = bins.low, bins.high
    return histogram(
        ratings, bins.width, -inf if low is None else low, inf if high is None else high
    )


class LawOptions(NamedTuple):
    """The constants of the laws of learning, as in `prowess.theory.learning`."""

    scale: PointScale = SCALE
    birth: Annotated[Points, "The rating of a beginner (exponential)."] = 0.0
    c7: Annotated[Rate, "Points a beginner learns per unit of time (exponential, EQ 59)."] = 1.0
    c9: Annotated[Rate, "The share of the distance learnt per unit of time (linear, EQ 62)."] = 0.01
    top: Annotated[Points, "The highest rating above a beginner's (linear)."] = 1000.0
    p_max: Annotated[float, Option("How often perfect play is right (fallible).", "P")] = 0.9
    p_start: Annotated[float, Option("How often a beginner is right (fallible).", "P")] = 0.5
    k: Annotated[Rate, "dp/dt = k (p_max - p)^2 (fallible)."] = 0.01

    def law(self, name: str) -> LearningLaw:
        """The law of learning of a name."""
        from prowess.engine.numeric import LN10
        from prowess.theory.learning import Exponential, Fallible, LinearFallible

        q = LN10 / self.scale
        if name == "linear":
            return LinearFallible(self.c9, self.top)
        if name == "fallible":
            return Fallible(self.p_max, self.p_start, self.k, q)
        return Exponential(self.c7, q, self.birth)


CONSTANTS = {
    "exponential": ("c7", "scale", "birth"),
    "linear": ("c9", "top"),
    "fallible": ("p_max", "p_start", "k", "scale"),
}


@verb("development")
def development_verb(
    *,
    law: Annotated[
        Literal["exponential", "linear", "fallible"], "How the learning rate falls with the rating."
    ] = "exponential",
    constants: LawOptions,
    times: Annotated[
        list[float],
        Option(metavar="T,T,...", parse=parse_numbers, default="0,1,3,10,30,100,300,1000"),
        "Times since birth, with commas.",
    ],
    plot: PlotFile = None,
    answer: AnswerOptions,
) -> None:
    """Print the rating and the learning rate of an average player by time.

    exponential: L = c7 e^-y, the report's model. fallible: what it gives where even perfect play
    errs. linear: the form printed for that, which does not follow from it.
    """
    import numpy as np

    from prowess.present.theory import development_parts, make_rows

    learning = constants.law(law)
    ratings = learning.rating(np.array(times))
    rows = make_rows(time=times, rating=ratings, learning=learning.rate(ratings))
    write_chart(plot, lambda charts: charts.development_chart(learning, law, times))
    used = {name: getattr(constants, name) for name in CONSTANTS[law]}
    answer.give_rows({"law": law, **used, "rows": rows}, rows, development_parts)


@verb("tables")
def tables_verb(*, plot: PlotFile = None, answer: AnswerOptions) -> None:
    """Print the distribution of the players of 1994, their learning rate, and what follows."""
    from prowess.engine.fits.posterior import BIN
    from prowess.engine.numeric import LN10
    from prowess.present.theory import make_rows, population_parts
    from prowess.theory import histograms
    from prowess.theory.histograms import death_rate

    table = histograms.printed_population()
    rows = table.between(*histograms.FITTED)
    gains = histograms.tracked_gains()
    rate = death_rate(gains.mean, histograms.TRACKED_DAYS, rows.mean_learning, BIN)
    population = make_rows(
        rating=table.bins,
        players=table.players,
        learning=table.learning,
        deviation=table.deviation,
        printed_learning=[row.learning for row in histograms.PRINTED],
    )
    data = {
        "population": population,
        "tracking": [gain._asdict() for gain in histograms.TRACKING],
        "gains": gains._asdict(),
        "mean_learning": rows.mean_learning,
        "points_per_e": rows.points_per_e,
        "days_per_death": 1.0 / rate,
    }
    write_chart(plot, lambda charts: charts.population_chart(table, rows, SCALE / LN10))
    answer.give_rows(data, population, population_parts)
