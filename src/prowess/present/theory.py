"""Tables and charts of the theory: win probabilities, games, bounds, noise, populations.

What is for people is a list of parts: texts, and tables (rows, the header first).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import exp, inf, isfinite, log, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.tabular import list_rows
from prowess.present.chart import Chart
from prowess.present.layers import Axis, Bars, Dots, Layer, Line, Panel, Rule, bounds
from prowess.theory.noise import ERROR_PARTS, NOISE_MODELS, best_h, noise
from prowess.theory.updates import bounds_at, largest_h, largest_slope

if TYPE_CHECKING:
    from prowess.compile.numbers import Floats
    from prowess.engine.text_table import Rows
    from prowess.theory.histograms import Histogram, HistogramRows
    from prowess.theory.learning import Gompertz, LearningLaw
    from prowess.theory.markov import MarkovGame
    from prowess.theory.noise import PlayerLife
    from prowess.theory.properties import PropertyCheck
    from prowess.theory.wp import Tail, WinProbability

    Parts = list[str | Rows]


LEARNT_IN_A_LIFE = "what a player learns in a mean life at this rating."
SHARES_BELOW = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
ERRATA = """\
Printed L / D of 2600 is 0.83 (log -0.231); its counts give 0.5 (log -0.693).
The gain at 2000 is legible as 563.9; only 53.9 gives the report's own means.
The mean gain is 21.1; the report goes on with 20.1. L / D counts bins of 100 points, which its
death rate of 1/19 a day forgets. The five snapshots are not independent: errors are larger."""


def make_rows(**columns: Any) -> list[dict[str, Any]]:
    """Columns of one length as a list of rows."""
    return list_rows(columns)


def format_rows(rows: list[dict[str, Any]], columns: Mapping[str, tuple[str, str]]) -> Rows:
    """A table of rows; `columns` gives a heading its key and its format, None is printed "-"."""
    body = [
        ["-" if row[key] is None else f"{row[key]:{form}}" for key, form in columns.values()]
        for row in rows
    ]
    return [list(columns), *body]


def curve_parts(data: dict[str, Any]) -> Parts:
    """The table of win probabilities."""
    slopes = data["slope_at_0"]
    rows = [row | {"x": f"{row['x']:g}"} for row in data["rows"]] + [{"x": "wp'(0)", **slopes}]
    if "chain" in data:
        rows.append({"x": "A-C", **dict.fromkeys(slopes), **data["chain"]})
    return [format_rows(rows, {"x": ("x", "")} | {name: (name, ".9g") for name in slopes})]


def game_data(
    solved: MarkovGame, q: float, xs: list[float], chances: list[dict[str, float]] | None = None
) -> dict[str, Any]:
    """Formula, tail and chances of a game as plain data, `chances` those from every state at xs."""
    wp, tail = solved.win_probability(q), solved.tail(q)
    rows = [{"wp": wp(x)} for x in xs] if chances is None else chances
    return {
        "game": solved.name,
        "states": len(solved.moves),
        "formula": str(solved.formula),
        "symmetric": solved.symmetric(),
        "tail": {"slope": tail.slope, "constant": tail.constant},
        "slope_at_0": wp.slope(0.0),
        "largest_h": largest_h(wp),
        "rows": [{"x": x, **row} for x, row in zip(xs, rows, strict=True)],
    }


def game_parts(data: dict[str, Any]) -> Parts:
    """The tables of a game."""
    m, c = data["tail"]["slope"], data["tail"]["constant"]
    about = [
        ["name", "value"],
        ["game", f"{data['game']}, {data['states']} states"],
        ["wp", data["formula"]],
        ["symmetric", "yes, exactly" if data["symmetric"] else "NO: wp(x) + wp(-x) is not 1"],
        ["tail", f"wp(x) ~ {c:.6g} e^({m:.6g} x) for x -> -inf"],
        ["wp'(0)", f"{data['slope_at_0']:.9g}"],
        ["h below", f"{data['largest_h']:.7g} (2 / max wp')"],
    ]
    rows = data["rows"]
    if set(rows[0]) == {"x", "wp"}:
        table = format_rows(rows, {"x": ("x", "g"), "wp": ("wp", ".9g")})
    else:  # a row a state, a column a difference
        header = ["name", *(f"x = {row['x']:g}" for row in rows)]
        states = [name for name in rows[0] if name != "x"]
        table = [header, *([state, *(f"{row[state]:.6g}" for row in rows)] for state in states)]
    return [about, table]


def bound_parts(data: dict[str, Any]) -> Parts:
    """The tables of bounds."""
    per_h = data["variance_per_h"]
    about = [
        ["name", "value"],
        ["h below", f"{data['largest_h']:.9g} everywhere (2 / max wp', EQ 79)"],
        ["kappa", f"{data['kappa']:.9g} (EQ 97)"],
        ["a player's variance", f"at most {inf if per_h is None else per_h:.9g} h"],
    ]
    fields = ("x", "exact", "concave", "flat", "other")
    return [about, format_rows(data["rows"], {field: (field, ".7g") for field in fields})]


def finding_data(one: PropertyCheck) -> dict[str, Any]:
    """A finding as plain data."""
    at = None if one.at is None else list(one.at)
    return {"name": one.name, "holds": one.holds, "says": one.says, "at": at}


def check_parts(data: dict[str, Any]) -> Parts:
    """The findings as tables."""

    def table(rows: list[dict[str, Any]]) -> Rows:
        body = [[row["name"], "yes" if row["holds"] else "NO", row["says"]] for row in rows]
        return [["name", "holds", "value"], *body]

    verdict = "fulfils" if data["fulfils"] else "does not fulfil"
    parts: Parts = [f"{data['judged']} {verdict} what the theory needs", table(data["needed"])]
    if data["further"]:
        parts += ["Further properties", table(data["further"])]
    return parts


def noise_parts(data: dict[str, Any]) -> Parts:
    """The table of errors by model."""
    fields = {name: (name, ".1f") for name in (*ERROR_PARTS, "total")}
    table = format_rows(
        data["models"], {"name": ("model", ""), **fields, "best h": ("best_h", ".1f")}
    )
    deviation = data["difference_deviation"]
    return [table, f"The difference of two ratings fluctuates by {deviation:.1f} points."]


def flatten_step(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of best steps with a column for each model's h and its noise."""
    models = {name: value for name, value in row.items() if name != "games"}
    return {"games": row["games"]} | {
        f"{name}_{part}": number for name, one in models.items() for part, number in one.items()
    }


def step_parts(data: dict[str, Any]) -> Parts:
    """The table of best steps by model."""
    rows = [["games", *(word for model in NOISE_MODELS for word in (f"h, {model}", "noise"))]]
    for row in data["rows"]:
        cells = [f"{row['games']:g}"]
        for model in NOISE_MODELS:
            least = row[model]["noise"]
            cells += [f"{row[model]['h']:.1f}", "-" if least is None else f"{least:.1f}"]
        rows.append(cells)
    limit = f"Any h must stay below {data['largest_h']:.6g} (2 / max wp', EQ 79)."
    return [rows, limit]


def law_data(gompertz: Gompertz) -> dict[str, Any]:
    """EQ 60 in numbers."""
    rating = gompertz.quantile(np.array(SHARES_BELOW))
    names = ("c8", "q", "birth", "mean", "median", "mode")
    rows = make_rows(below=list(SHARES_BELOW), rating=rating, density=gompertz.density(rating))
    return {name: getattr(gompertz, name) for name in names} | {"rows": rows}


def law_parts(data: dict[str, Any]) -> Parts:
    """EQ 60 as a table."""
    rows = [row | {"density": 100 * row["density"]} for row in data["rows"]]
    points = "   ".join(f"{name} {data[name]:.1f}" for name in ("mean", "median", "mode"))
    columns = {"below": ("below", ".0%"), "rating": ("rating", ".1f")}
    return [format_rows(rows, columns | {"players per 100 points": ("density", ".2%")}), points]


def histogram_data(table: Histogram) -> dict[str, Any]:
    """L / D of a histogram, in points."""
    rows = table.rows
    return {
        "players": float(table.players.sum()),
        "above": table.beyond,
        "mean_learning": rows.mean_learning * table.width,
        "points_per_e": rows.points_per_e if isfinite(rows.points_per_e) else None,
        "rows": make_rows(
            rating=table.bins,
            players=table.players,
            learning=table.learning * table.width,
            deviation=table.deviation * table.width,
            log_deviation=table.log_deviation,
        ),
    }


def histogram_parts(data: dict[str, Any]) -> Parts:
    """A histogram's learning rate as a table."""
    columns = {
        "rating": ("rating", "g"),
        "players": ("players", "g"),
        "L / D, points": ("learning", ".1f"),
        "+-": ("deviation", ".1f"),
        "log error": ("log_deviation", ".4f"),
    }
    points = data["points_per_e"]
    slower = "no number of points makes" if points is None else f"{points:.0f} points make"
    learnt = f"L / D of an average player is {data['mean_learning']:.1f} points: {LEARNT_IN_A_LIFE}"
    says = f"{slower} learning e times slower; the model says {data['model']:.0f}."
    return [format_rows(data["rows"], columns), f"{learnt}\n{says}"]


def development_parts(data: dict[str, Any]) -> Parts:
    """Rating and learning rate by time."""
    forms = {"time": "g", "rating": ".2f", "learning": ".4g"}
    return [format_rows(data["rows"], {name: (name, form) for name, form in forms.items()})]


def population_parts(data: dict[str, Any]) -> Parts:
    """The two tables of the report, the estimates from them, and the errata."""
    players = {"rating": ("rating", "g"), "players": ("players", "g")}
    learning = {"L / D, bins": ("learning", ".2f"), "+-": ("deviation", ".2f")}
    printed = {"printed": ("printed_learning", "g")}
    gains = data["gains"]
    estimates = (
        f"Mean gain {gains['mean']:.1f}, lower half {gains['lower']:.1f}, "
        f"higher half {gains['higher']:.1f} points.\n"
        f"Mean L / D from 1200 to 2499: {data['mean_learning']:.2f} bins; so one player in "
        f"{data['days_per_death']:.0f} leaves a day.\n"
        f"{data['points_per_e']:.0f} points make learning e times slower; the model says 174."
    )
    return [
        format_rows(data["population"], players | learning | printed),
        format_rows(data["tracking"], players | {"gain in 77 days": ("points", ".1f")}),
        estimates,
        ERRATA,
    ]


# Charts: the numbers behind each are the points of its lines and dots.


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
    width = table.width
    low, high = float(table.bins[0]), float(table.bins[-1] + width)
    middle, learning = table.bins + 0.5 * width, table.learning * width
    e = np.exp(table.log_deviation)
    seen = Dots(middle, learning, pairs(learning / e, learning * e), style="", name="L / D")
    centre = float(np.average(rows.ratings, weights=rows.players))
    level = exp(np.average(np.log(rows.learning * width), weights=rows.players))
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
