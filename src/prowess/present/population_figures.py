"""The figures of populations and of learning: numbers of the theory as charts."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from prowess.present.figures.scales import bounds
from prowess.present.theory_chart import Axis, Chart, Line, Panel

if TYPE_CHECKING:
    from prowess.theory.histograms import Histogram, Rows
    from prowess.theory.learning import Gompertz, LearningLaw
    from prowess.theory.population import Floats

POINTS = 120  # of a curve
PER = 100.0  # points of the scale that a density is told for
OTHERS = (0.1, 10.0)  # times c8, beside it
ALMOST_ALL = 0.9999


def pairs(x: Floats, y: Floats) -> tuple[tuple[float, float], ...]:
    """Points of a line."""
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def densities(law: Gompertz) -> Chart:
    """EQ 60 for a c8, a tenth of it and ten times it."""
    from prowess.theory.learning import Gompertz

    laws = [law, *(Gompertz(times * law.c8, law.q, law.birth) for times in OTHERS)]
    ends = [float(one.quantile(np.array(ALMOST_ALL))) for one in laws]
    high = max(law.birth + 1.0 / law.q, *ends)
    x = np.linspace(law.birth, high, POINTS + 1)
    lines = [Line(f"c8 = {one.c8:g}", pairs(x, PER * one.density(x))) for one in laws]
    top = max(y for one in lines for _, y in one.points)
    panel = Panel(
        Axis("rating (points)", law.birth, high),
        Axis("players per 100 points", 0.0, bounds(0.0, top)[1], percent=True),
        tuple(lines),
        upright=(law.median, f"median {law.median:.0f} of c8 = {law.c8:g}"),
    )
    return Chart(
        "Ratings where players learn and leave",
        f"The law of EQ 60: most players are good, hardly anybody is far better. With c8 = "
        f"{law.c8:g} mean {law.mean:.0f}, median {law.median:.0f} (dashed), most at "
        f"{law.mode:.0f}. A smaller c8, players who learn faster or stay longer, moves all to the "
        "right.",
        (panel,),
    )


def counts(table: Histogram, rows: Rows, model: float) -> Chart:
    """Players by rating, and L / D with what its fall over `rows` and the model say.

    `model`: points that make learning e times slower, 1 / Q.
    """
    from prowess.theory.histograms import weighted_mean

    width = table.width
    low, high = float(table.bins[0]), float(table.bins[-1] + width)
    middle, learning = table.bins + 0.5 * width, table.learning * width
    e = np.exp(table.log_deviation)
    seen = Line("L / D", pairs(middle, learning), True, pairs(learning / e, learning * e))
    centre = weighted_mean(rows.ratings, rows.players)
    level = exp(weighted_mean(np.log(rows.learning * width), rows.players))
    ends = float(rows.ratings[0] - 0.5 * width), float(rows.ratings[-1] + 0.5 * width)

    def falling(name: str, points: float) -> Line:
        return Line(name, tuple((x, level * exp((centre - x) / points)) for x in ends))

    fitted = falling(f"fitted: {rows.points_per_e:.0f} points for e", rows.points_per_e)
    expected = falling(f"model: {model:.0f} points for e", model)
    ratings = Axis("rating (points)", low, high)
    spread = bounds(0.0, float(table.players.max()))[1]
    bars = tuple((x, x + width, n) for x, n in pairs(table.bins, table.players))
    decades = log(float(learning.min())), log(float(learning.max()))
    panels = (
        Panel(ratings, Axis("players", 0.0, spread), (), bars),
        Panel(
            ratings,
            Axis("L / D, by factors (points)", 0.5 * exp(decades[0]), 2.0 * exp(decades[1]), True),
            (seen, fitted, expected),
        ),
    )
    return Chart(
        "How players are spread and how fast they learn",
        f"Left: {table.players.sum():,.0f} players in bins of {width:g} points, most from "
        f"{table.bins[int(table.players.argmax())]:g} on. Right: L / D, what is learnt in a mean "
        f"life, with its standard error; from {ends[0]:g} to {ends[1]:g} it falls by a factor of e "
        f"in {rows.points_per_e:.0f} points, where the model says {model:.0f}.",
        panels,
    )


def developments(law: LearningLaw, name: str, times: list[float]) -> Chart:
    """R(t) of an average player, and the learning rate by rating."""
    last = max(times) or 1.0
    t = last * np.linspace(0.0, 1.0, POINTS + 1) ** 2.0  # most happens early
    rating = law.rating(t)
    low, high = bounds(float(rating[0]), float(rating[-1]))
    learning = law.rate(rating)
    asked = np.array(times)
    there = law.rating(asked)
    panels = (
        Panel(
            Axis("time since birth", 0.0, last),
            Axis("rating (points)", low, high),
            (Line(name, pairs(t, rating)), Line("times asked for", pairs(asked, there), True)),
        ),
        Panel(
            Axis("rating (points)", low, high),
            Axis("points learnt per unit of time", 0.0, bounds(0.0, float(learning.max()))[1]),
            (
                Line(name, pairs(rating, learning)),
                Line("times asked for", pairs(there, law.rate(there)), True),
            ),
        ),
    )
    return Chart(
        f"How an average player comes on: {name}",
        f"Left: the rating by time since birth, from {rating[0]:.0f} to {rating[-1]:.0f} after "
        f"{last:g}. Right: how fast he learns at a rating, {learning[0]:.4g} points per unit of "
        f"time at first and {learning[-1]:.4g} in the end.",
        panels,
    )
