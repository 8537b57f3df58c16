"""`prowess theory population`, `development` and `tables`: how players learn, and how many."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from prowess.cli.options import Argument, Option, verb
from prowess.cli.output import AnswerOptions
from prowess.cli.theory.win_probability import (
    PlotFile,
    Points,
    parse_numbers,
    parse_positive,
    write_chart,
)

if TYPE_CHECKING:
    from prowess.theory.histograms import Histogram
    from prowess.theory.learning import LearningLaw

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
