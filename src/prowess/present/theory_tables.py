"""Tables of the theory: win probabilities, games, bounds, noise, populations.

What is for people is a list of parts: texts, and tables (rows, the header first).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.theory.noise import ERROR_PARTS, NOISE_MODELS
from prowess.theory.updates import largest_h

if TYPE_CHECKING:
    from prowess.engine.text_table import Rows
    from prowess.theory.histograms import Histogram
    from prowess.theory.learning import Gompertz
    from prowess.theory.markov import MarkovGame
    from prowess.theory.properties import PropertyCheck

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
    lists = (column if isinstance(column, list) else column.tolist() for column in columns.values())
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


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
