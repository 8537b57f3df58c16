"""Charts of the theory: win probabilities, games, bounds, noise, populations and learning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import exp, inf, isfinite, log, nan
from typing import TYPE_CHECKING

import numpy as np

from prowess.present.chart import Chart
from prowess.present.layers import Axis, Bars, Dots, Layer, Line, Panel, Rule, bounds

if TYPE_CHECKING:
    from prowess.compile.numbers import Floats
    from prowess.theory.histograms import Histogram, HistogramRows
    from prowess.theory.learning import Gompertz, LearningLaw
    from prowess.theory.markov import MarkovGame
    from prowess.theory.noise import PlayerLife
    from prowess.theory.wp import Tail, WinProbability

CURVE_POINTS = 120
HEIGHT = 300.0  # pixels of a panel
FLOOR = 1e-12  # of chances on a logarithmic axis
H_LIMIT_SHARE = 0.999  # of the largest h, which is excluded
BODY, OUTSKIRTS = 5.0, 15.0  # natural units: where curves differ little, and where much
PER = 100.0  # points of the scale that a density is given for
C8_FACTORS = (0.1, 10.0)  # of other laws beside it
ALMOST_ALL = 0.9999


def _panel(x: Axis, y: Axis, layers: Iterable[Layer]) -> Panel:
    return Panel(x, y, tuple(layers), HEIGHT)


def _curve(name: str, points: Iterable[tuple[float, float]]) -> Line:
    """A named line through points."""
    x, y = zip(*points, strict=True)
    return Line(x, y, name=name)


def _named_dots(name: str, points: Iterable[tuple[float, float]]) -> Dots:
    """Named dots."""
    x, y = zip(*points, strict=True)
    hints = [f"{name}: {b:.4g} at {a:.4g}" for a, b in zip(x, y, strict=True)]
    return Dots(x, y, hints=hints, style="", name=name)


def _chart(title: str, says: str, panels: tuple[Panel, ...]) -> Chart:
    """A chart whose numbers are the points of its lines and dots and the values of its bars."""
    rows: list[dict[str, object]] = []
    for number, panel in enumerate(panels):
        assert isinstance(panel.x, Axis)
        assert isinstance(panel.y, Axis)
        for one in panel.layers:
            if isinstance(one, Line | Dots):
                rows += [
                    {"panel": number, "line": one.name, panel.x.name: x, panel.y.name: y}
                    for x, y in one.points
                ]
            if isinstance(one, Bars):
                rows += [
                    {"panel": number, "low": float(low), "high": float(high), "players": float(n)}
                    for low, high, n in zip(one.start, one.end, one.value, strict=True)
                ]
    return Chart(title, says, panels, rows)


def evenly(low: float, high: float, count: int = CURVE_POINTS) -> list[float]:
    """`count + 1` values at equal distances."""
    return [low + (high - low) * k / count for k in range(count + 1)]


def by_factors(low: float, high: float, count: int = CURVE_POINTS) -> list[float]:
    """`count + 1` values at equal factors."""
    return [low * (high / low) ** (k / count) for k in range(count + 1)]


def curve(name: str, xs: list[float], function: Callable[[float], float]) -> Line:
    """The line of a function at some places."""
    return _curve(name, ((x, function(x)) for x in xs))


def difference_unit(scale: float | None) -> str:
    """The unit of a rating difference in words."""
    return "natural units" if scale is None else "points"


def win_probability_chart(
    curves: Mapping[str, WinProbability], unit: float, said: str, tail: Tail | None = None
) -> Chart:
    """wp(x) by the difference, and log wp of the weaker player with its lower tail."""
    near = evenly(-BODY * unit, BODY * unit)
    far = evenly(0.0, OUTSKIRTS * unit)
    difference = f"rating difference ({said})"
    body = _panel(
        Axis(difference, near[0], near[-1]),
        Axis("chance to win", 0.0, 1.0, kind="percent"),
        tuple(curve(name, near, wp) for name, wp in curves.items()),
    )

    def losing(wp: WinProbability) -> Callable[[float], float]:
        return lambda x: exp(max(wp.log_value(-x), -700.0))

    lines = [curve(name, far, losing(wp)) for name, wp in curves.items()]
    if tail is not None and tail.constant is not None:
        c, m = tail.constant, tail.slope
        limit = curve(f"{c:.4g} e^({m:.4g} x), its tail", far, lambda x: c * exp(-m * x))
        lines.insert(0, limit)  # below the curve that it is the tail of
    outskirts = _panel(
        Axis(f"how far behind ({said})", 0.0, far[-1]),
        Axis("chance of the weaker player, by factors", FLOOR, 1.0, kind="log"),
        lines,
    )
    at = 0.5 * BODY * unit
    ends = ", ".join(f"{name} {wp(at):.2%}" for name, wp in curves.items())
    return _chart(
        "Win probability by rating difference",
        f"Left: the chance to win. {at:.4g} {said} ahead it is: {ends}. Right: the chance of who "
        "is far behind, every step of the axis a factor; an exponential tail is a straight line.",
        (body, outskirts),
    )


def step_bound_chart(wp: WinProbability, widest: float, said: str, bent: bool) -> Chart:
    """The bounds on h by the difference (EQ 77 to 79)."""
    from prowess.theory.updates import bounds_at, largest_slope

    steepest = largest_slope(wp)
    rows = [bounds_at(wp, x, steepest) for x in evenly(0.0, widest, 48)]
    lines = [_curve("exact, EQ 77", ((row.x, row.exact) for row in rows))]
    if not bent:
        lines.append(_curve("concave, EQ 78", ((row.x, row.concave) for row in rows)))
    lines.append(_curve("everywhere, EQ 79", ((row.x, row.flat) for row in rows)))
    top = max(y for one in lines for _, y in one.points)
    panel = _panel(
        Axis(f"rating difference ({said})", 0.0, widest),
        Axis(f"h below ({said})", 0.0, bounds(0.0, top)[1]),
        lines,
    )
    return _chart(
        f"How far may one game move the ratings: {wp.name}",
        f"The bound on h, below which a game is expected to help, is {rows[0].exact:.4g} {said} "
        f"between equals and {rows[-1].exact:.4g} for a difference of {widest:.4g}; "
        f"{rows[0].flat:.4g} does for all differences.",
        (panel,),
    )


def error_chart(who: PlayerLife, h: float) -> Chart:
    """The error of a rating by h under the three models, the best h of each as a dot."""
    from prowess.theory.noise import NOISE_MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    most = largest_h(who.wp)
    hs = by_factors(min(most / 500.0, h), H_LIMIT_SHARE * most)
    lines, best = [], []
    for model in NOISE_MODELS:
        lines.append(_curve(model, ((at, noise(who, at, model).total) for at in hs)))
        if hs[0] < (at := best_h(who, model)) < most:
            best.append(_named_dots(model, [(at, noise(who, at, model).total)]))
    least = [one.points[0] for one in best]
    top = 1.1 * max([who.first_error, *(total for _, total in least)])
    panel = _panel(
        Axis("h, by factors (points)", hs[0], hs[-1], kind="log"),
        Axis("error of a rating (points)", 0.0, bounds(0.0, top)[1]),
        (Rule(h, "x", "dashed", f"h = {h:g}"), *lines, *best),
    )
    text = ", ".join(
        f"{one.name} {total:.1f} at h = {at:.1f}"
        for one, (at, total) in zip(best, least, strict=True)
    )
    return _chart(
        f"Error of a rating by step size, games in a life: {who.games:g}",
        "With small h ratings do not arrive, with large h chance moves them. Least error (dots), "
        f"in points: {text or 'none at any h'}. Dashed: h = {h:g}.",
        (panel,),
    )


def best_step_chart(careers: Callable[[float], PlayerLife], games: list[float]) -> Chart:
    """The h with the least noise, and that noise, by the games of a life."""
    from prowess.theory.noise import NOISE_MODELS, best_h, noise
    from prowess.theory.updates import largest_h

    low, high = min(games), max(games)
    low, high = (low, high) if high >= 2.0 * low else (max(1.0, low / 3.0), 3.0 * high)
    most = largest_h(careers(low).wp)

    def least(count: float, model: str) -> tuple[float, float]:
        who = careers(count)
        h = best_h(who, model)
        return (h, noise(who, h, model).total) if 0.0 < h < most else (nan, nan)

    counts = by_factors(low, high, 48)
    found = {model: [least(count, model) for count in counts] for model in NOISE_MODELS}
    asked = {model: [least(count, model) for count in games] for model in NOISE_MODELS}
    along = Axis("games in a life, by factors", low, high, kind="log")
    panels = []
    for k, name in enumerate(("best h, by factors (points)", "its error, by factors (points)")):
        lines = [
            make(model, [(x, row[k]) for x, row in zip(xs, rows[model], strict=True)])
            for model in NOISE_MODELS
            for xs, rows, make in ((counts, found, _curve), (games, asked, _named_dots))
        ]
        panels.append(_panel(along, log_axis(name, [y for one in lines for _, y in one.points]),
                            lines))  # fmt: skip
    text = ", ".join(f"{model} {asked[model][0][0]:.3g}" for model in NOISE_MODELS)
    return _chart(
        "How far one game should move the ratings",
        f"The more games, the smaller the best h (left) and the error that is left (right). Best h "
        f"for {games[0]:g} games: {text}.".replace("nan", "none"),
        tuple(panels),
    )


def log_axis(name: str, values: list[float]) -> Axis:
    """A logarithmic axis a little wider than the values."""
    seen = [value for value in values if isfinite(value) and 0.0 < value < inf] or [1.0]
    return Axis(name, min(seen) / 1.15, max(seen) * 1.15, kind="log")


def game_chart(game: MarkovGame, q: float, said: str) -> Chart:
    """A game beside one of its points, with the tail of Theorem 7."""
    from prowess.theory.wp import find_curve

    curves = {game.name: game.win_probability(q), "one point": find_curve("logistic", q)}
    return win_probability_chart(curves, 1.0 / q, said, game.tail(q))


def pairs(x: Floats, y: Floats) -> list[tuple[float, float]]:
    """Points of a line."""
    return list(zip(x.tolist(), y.tolist(), strict=True))


def density_chart(law: Gompertz) -> Chart:
    """EQ 60 for a c8, a tenth of it and ten times it."""
    from prowess.theory.learning import Gompertz

    laws = [law, *(Gompertz(times * law.c8, law.q, law.birth) for times in C8_FACTORS)]
    ends = [float(one.quantile(np.array(ALMOST_ALL))) for one in laws]
    high = max(law.birth + 1.0 / law.q, *ends)
    x = np.linspace(law.birth, high, CURVE_POINTS + 1)
    lines = [_curve(f"c8 = {one.c8:g}", pairs(x, PER * one.density(x))) for one in laws]
    top = max(y for one in lines for _, y in one.points)
    panel = _panel(
        Axis("rating (points)", law.birth, high),
        Axis("players per 100 points", 0.0, bounds(0.0, top)[1], kind="percent"),
        (Rule(law.median, "x", "dashed", f"median {law.median:.0f} of c8 = {law.c8:g}"), *lines),
    )
    return _chart(
        "Ratings where players learn and leave",
        f"The law of EQ 60: most players are good, very few are far better. With c8 = "
        f"{law.c8:g} mean {law.mean:.0f}, median {law.median:.0f} (dashed), most at "
        f"{law.mode:.0f}. A smaller c8, players who learn faster or stay longer, moves all to the "
        "right.",
        (panel,),
    )


def population_chart(table: Histogram, rows: HistogramRows, model: float) -> Chart:
    """Players by rating, and L / D with what its fall over `rows` and the model say.

    `model`: points that make learning e times slower, 1 / Q.
    """
    from prowess.theory.histograms import weighted_mean

    width = table.width
    low, high = float(table.bins[0]), float(table.bins[-1] + width)
    middle, learning = table.bins + 0.5 * width, table.learning * width
    e = np.exp(table.log_deviation)
    seen = Dots(middle, learning, pairs(learning / e, learning * e), style="", name="L / D")
    centre = weighted_mean(rows.ratings, rows.players)
    level = exp(weighted_mean(np.log(rows.learning * width), rows.players))
    ends = float(rows.ratings[0] - 0.5 * width), float(rows.ratings[-1] + 0.5 * width)

    def falling(name: str, points: float) -> Line:
        return _curve(name, ((x, level * exp((centre - x) / points)) for x in ends))

    fitted = falling(f"fitted: {rows.points_per_e:.0f} points for e", rows.points_per_e)
    expected = falling(f"model: {model:.0f} points for e", model)
    ratings = Axis("rating (points)", low, high)
    spread = bounds(0.0, float(table.players.max()))[1]
    hints = [f"{x:g} to {x + width:g}: {n:g}" for x, n in pairs(table.bins, table.players)]
    bars = Bars(table.bins, table.bins + width, table.players, hints)
    decades = log(float(learning.min())), log(float(learning.max()))
    panels = (
        _panel(ratings, Axis("players", 0.0, spread), (bars,)),
        _panel(
            ratings,
            Axis("L / D, by factors (points)", 0.5 * exp(decades[0]), 2.0 * exp(decades[1]), "log"),
            (seen, fitted, expected),
        ),
    )
    return _chart(
        "How players are spread and how fast they learn",
        f"Left: {table.players.sum():,.0f} players in bins of {width:g} points, most from "
        f"{table.bins[int(table.players.argmax())]:g} on. Right: L / D, what is learnt in a mean "
        f"life, with its standard error; from {ends[0]:g} to {ends[1]:g} it falls by a factor of e "
        f"in {rows.points_per_e:.0f} points, where the model says {model:.0f}.",
        panels,
    )


def development_chart(law: LearningLaw, name: str, times: list[float]) -> Chart:
    """R(t) of an average player, and the learning rate by rating."""
    last = max(times) or 1.0
    t = last * np.linspace(0.0, 1.0, CURVE_POINTS + 1) ** 2.0  # most happens early
    rating = law.rating(t)
    low, high = bounds(float(rating[0]), float(rating[-1]))
    learning = law.rate(rating)
    asked = np.array(times)
    there = law.rating(asked)
    panels = (
        _panel(
            Axis("time since birth", 0.0, last),
            Axis("rating (points)", low, high),
            (_curve(name, pairs(t, rating)), _named_dots("times asked for", pairs(asked, there))),
        ),
        _panel(
            Axis("rating (points)", low, high),
            Axis("points learnt per unit of time", 0.0, bounds(0.0, float(learning.max()))[1]),
            (
                _curve(name, pairs(rating, learning)),
                _named_dots("times asked for", pairs(there, law.rate(there))),
            ),
        ),
    )
    return _chart(
        f"How an average player comes on: {name}",
        f"Left: the rating by time since birth, from {rating[0]:.0f} to {rating[-1]:.0f} after "
        f"{last:g}. Right: the learning rate at a rating, {learning[0]:.4g} points per unit of "
        f"time at first and {learning[-1]:.4g} in the end.",
        panels,
    )
