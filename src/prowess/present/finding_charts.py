"""Charts of the findings of a diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from prowess.games.dates import format_date
from prowess.present.chart import Chart, Rows
from prowess.present.layers import (
    Axis,
    Bars,
    Dots,
    Kind,
    Label,
    Layer,
    Line,
    NameAxis,
    Panel,
    Rule,
    Tick,
    bounds,
)
from prowess.present.svg import Undrawable, isolate_name, strip_controls

if TYPE_CHECKING:
    from prowess.study.diagnosis.diagnose import Finding

INTERVALS = "Bars: the 95% interval of each dot."
GAMES_LABEL = "{games:,} games"
ROW, DOUBLE_ROW = 26.0, 40.0  # pixels of a row, and of one with a second line


def finding_chart(finding: Finding) -> Chart:
    """The chart of a finding; raises Undrawable where there is nothing to draw."""
    make = FINDING_CHARTS.get(finding.name)
    if make is None:
        raise Undrawable.of("no_figure.finding", names=FINDING_CHARTS, name=finding.name)
    return make(finding)


def _chart(one: Finding, title: str, reading: str, panel: Panel, rows: Rows) -> Chart:
    return Chart(title, strip_controls(one.says), (panel,), rows, reading)


def _along(
    x: Axis, up: tuple[str, Kind], layers: Iterable[Layer], extra: Iterable[float] = ()
) -> Panel:
    """A panel whose y axis holds all its values and those of `extra`."""
    layers = tuple(layers)
    values = list(extra)
    for one in layers:
        if isinstance(one, Dots):
            values += [end for pair in one.reach if pair for end in pair]
        if isinstance(one, Dots | Line):
            values += list(one.y)
        if isinstance(one, Bars):
            values += [0.0, *one.value]
        if isinstance(one, Rule) and one.along == "y":
            values.append(one.value)
    return Panel(x, Axis(up[0], *bounds(min(values), max(values), 5), kind=up[1]), layers)


def _across(name: str, values: Iterable[float], kind: Kind = "number") -> Axis:
    """An x axis a little wider than the values."""
    found = list(values)
    low, high = min(found), max(found)
    if kind == "log":
        return Axis(name, low / 1.05, high * 1.05, "log", tuple(Tick(v, f"{v:.3g}") for v in found))
    margin = 0.03 * (high - low) or 0.5
    return Axis(name, low - margin, high + margin, kind)


def _dots(rows: Rows, x: str, y: str, hint: str) -> Dots:
    """Two columns as dots with their intervals; `hint` is a format of a row's cells."""
    reach = [None if row.get("low") is None else (row["low"], row["high"]) for row in rows]
    hints = [hint.format_map(row).strip() for row in rows]
    return Dots([row[x] for row in rows], [row[y] for row in rows], reach, hints)


def _line(rows: Rows, x: str, y: str, style: str = "dashed") -> Line:
    return Line([row[x] for row in rows], [row[y] for row in rows], style)


def _with_interval(rows: Rows, value: str) -> Rows:
    """Add the 95% interval of a value to the rows that have its deviation."""
    return [
        row
        if "deviation" not in row
        else row
        | {
            "low": row[value] - 1.96 * row["deviation"],
            "high": row[value] + 1.96 * row["deviation"],
        }
        for row in rows
    ]


def step_chart(one: Finding) -> Chart:
    """Log loss by step."""
    name, rows = one.numbers["name"], one.numbers["profile"]
    reached = _with_interval(rows, "log_loss")
    dots = _dots(reached, "step", "log_loss", f"{name} = {{step:.3g}}: {{log_loss:.4f}}")
    x = _across(f"{name} (each a multiple of the one set)", dots.x, "log")
    rule = Rule(one.numbers["set"], "x", "dashed", "set")
    return _chart(
        one, f"Log loss by {name}",
        f"Less is better. Each dot: the table played with another {name}. Bars: the 95% interval "
        "of the difference to the one that is set.",
        _along(x, ("nats a game", "number"), (rule, dots)),
        [{key: row[key] for key in ("step", "log_loss", "gain")} for row in rows],
    )  # fmt: skip


def noise_chart(one: Finding) -> Chart:
    """How far ratings move in so many games."""
    rows = one.numbers["lags"]
    layers: list[Layer] = [Rule(0.0, "y"), _line(rows, "games", "fitted", "curve")]
    beside = "Line: what was fitted"
    if "theory" in rows[0]:
        layers.append(_line(rows, "games", "theory"))
        beside += "; dashed: what chance alone should make of it"
    layers.append(_dots(rows, "games", "moved", "{games:.4g}: {moved:.4g} points"))
    x = _across("games", (row["games"] for row in rows), "log")
    return _chart(
        one, "How far ratings move",
        "Root mean square of the change of a rating over so many of a player's games. "
        f"{beside}. A line that levels off is noise, one that goes on rising is strength. "
        f"{INTERVALS}",
        _along(x, ("points", "number"), layers), rows,
    )  # fmt: skip


def _time_column(rows: Rows) -> str:
    """The column of the time: `day` or `game`."""
    return "day" if rows and "day" in rows[0] else "game"


def _over_time(
    one: Finding, rows: Rows, value: str, title: str, unit: str, reading: str,
    lines: Iterable[Line], level: float | None = None,
) -> Chart:  # fmt: skip
    """Estimates by day, or by the number of the game where there are no dates."""
    if not rows:
        raise Undrawable.of("too_few_games.spans")
    key = _time_column(rows)
    data = [
        {("date" if name == "day" else name): (format_date(cell)[:10] if name == "day" else cell)
         for name, cell in row.items()}
        for row in rows
    ]  # fmt: skip
    dated = [row | {"date": shown.get("date", "")} for row, shown in zip(rows, data, strict=True)]
    dots = _dots(dated, key, value, f"{{date}} {{{value}:.4g}} {unit}")
    x = _across("" if key == "day" else "game of the table", dots.x,
                "day" if key == "day" else "number")  # fmt: skip
    rules = () if level is None else (Rule(level, "y"),)
    return _chart(one, title, reading, _along(x, (unit, "number"), (*rules, *lines, dots)), data)


def inflation_chart(one: Finding) -> Chart:
    """Mean ratings over time."""
    rows = one.numbers["means"]
    return _over_time(
        one, rows, "rating", "Mean rating of active established players", "points",
        f"Each dot: those who played in that part of the time. {INTERVALS} They are wide because "
        "players differ; the dashed line through the dots is judged by whole careers.",
        (_line(rows, _time_column(rows), "line"),),
    )  # fmt: skip


def matched_inflation_chart(one: Finding) -> Chart:
    """Changes of the same players over time."""
    rows, mean = one.numbers["changes"], one.numbers["slope"]
    line = Line([row[_time_column(rows)] for row in rows], [mean] * len(rows), "dashed")
    return _over_time(
        one, rows, "change", "Change of the same players' ratings", one.numbers["unit"],
        f"Each dot: the mean change of those active before and after that moment. {INTERVALS} "
        "Dashed: the mean.",
        (line,), 0.0,
    )  # fmt: skip


def side_over_time_chart(one: Finding) -> Chart:
    """The side advantage part by part."""
    return _over_time(
        one, one.numbers["parts"], "points", "Side advantage over time", "points",
        f"Each dot: as many judged games as any other, at the game in their middle. {INTERVALS}",
        (), 0.0,
    )  # fmt: skip


def learning_chart(one: Finding) -> Chart:
    """Gains by rating."""
    rows = _with_interval(one.numbers["bins"], "gain")
    fluid = [_line(rows, "rating", "fluid")] if "fluid" in rows[0] else []
    dots = _dots(rows, "rating", "gain", "{rating:.4g}: {gain:.4g} points")
    fluid_text = " Dashed: the fluid equation with its best death rate." if fluid else ""
    panel = _along(
        _across("rating", dots.x), (one.numbers["unit"], "number"), (Rule(0.0, "y"), *fluid, dots)
    )
    return _chart(one, "Gain by rating", f"{INTERVALS}{fluid_text}", panel, rows)


def distribution_chart(one: Finding) -> Chart:
    """Players by rating, with both laws."""
    rows = one.numbers["bins"]
    middles = [{**row, "middle": 0.5 * (row["low"] + row["high"])} for row in rows]
    hints = [f"{r['low']:g} to {r['high']:g}: {r['players']:,} players" for r in rows]
    low, high, players = ([row[name] for row in rows] for name in ("low", "high", "players"))
    bars = Bars(low, high, players, hints, "bin")
    lines = (_line(middles, "middle", "law", "other"), _line(middles, "middle", "normal"))
    return _chart(
        one, "Ratings of established players",
        "Bars: players. Line: the report's extreme-value law; dashed: the normal law.",
        _along(Axis("rating", rows[0]["low"], rows[-1]["high"]), ("players", "number"),
               (bars, *lines)),
        rows,
    )  # fmt: skip


def gap_chart(one: Finding) -> Chart:
    """Surplus of favourites by their forecast."""
    rows = [
        {**row, "games": int(row["games"])}
        for row in _with_interval(one.numbers["bins"], "surplus")
    ]
    dots = _dots(rows, "expected", "surplus", "expected {expected:.1%}: {surplus:+.2%}")
    x = _across("expected score of the favourite", dots.x, "percent")
    return _chart(
        one, "Favourites against the curve",
        f"What favourites scored beyond what the calibrated curve expected. {INTERVALS}",
        _along(x, ("score beyond expectation", "percent"), (Rule(0.0, "y"), dots)), rows,
    )  # fmt: skip


def draw_chart(one: Finding) -> Chart:
    """The share of draws by mean rating."""
    rows = one.numbers["bins"]
    dots = _dots(rows, "rating", "draws", "{rating:.0f}: {draws:.1%}, {games:,} games")
    rule = Rule(one.numbers["draws"], "y")
    return _chart(
        one, "Draws by rating",
        "Share of draws by the mean rating of the two, the gaps between them made alike. "
        f"{INTERVALS} The line across: all games.",
        _along(_across("mean rating of the two", dots.x), ("share of draws", "percent"),
               (rule, dots)),
        rows,
    )  # fmt: skip


def _row_chart(
    one: Finding, title: str, reading: str, rows: Rows, axis: str, labels: Iterable[Label],
    value: str, hint: str, *, dotted: bool = False, expected: str | None = None,
) -> Chart:  # fmt: skip
    """Named rows on a scale that holds 0: bars for counts and sums, dots for estimates.

    `value` and `expected` are columns of the rows, `hint` is a format of a row's cells.
    """
    names, values = tuple(labels), [row[value] for row in rows]
    marks = [row[expected] for row in rows] if expected else []
    hints = [hint.format_map(row) for row in rows]
    middles = [k + 0.5 for k in range(len(names))]
    layers: list[Layer] = [Rule(0.0, "x")]
    reach: list[tuple[float, float] | None] = []
    if dotted:
        reach = [None if r["low"] is None else (r["low"], r["high"]) for r in rows]
        layers.append(Dots(values, middles, reach, hints, radius=4.0, across=True))
    else:
        starts, ends = [y - 0.25 for y in middles], [y + 0.25 for y in middles]
        layers.append(Bars(starts, ends, values, hints, across=True))
    if expected:
        layers.append(Dots(marks, middles, style="low", tick=True))
    reached = [0.0, *values, *marks, *(end for pair in reach if pair for end in pair)]
    tall = DOUBLE_ROW if any(label.beneath for label in names) else ROW
    x = Axis(axis, *bounds(min(reached), max(reached), 7))
    return _chart(one, title, reading, Panel(x, NameAxis(names, tall), tuple(layers)), rows)


def form_chart(one: Finding) -> Chart:
    """Other curves against the system's own."""
    own, rows = one.numbers["own"], one.numbers["rivals"]
    return _row_chart(
        one, f"Other curves against the {own} one",
        f"To the right of 0: better than the {own} curve. {INTERVALS}",
        rows, "nats a game better", [Label(row["curve"]) for row in rows], "better_by",
        "{better_by:.6f} nats a game", dotted=True,
    )  # fmt: skip


def side_chart(one: Finding) -> Chart:
    """The side advantage measured, and the one set."""
    seen = one.numbers
    rows = [
        {"what": "measured", "points": seen["points"], "low": seen["low"], "high": seen["high"]},
        {"what": "set", "points": seen["set"], "low": None, "high": None},
    ]
    return _row_chart(
        one, "Side advantage", "Bar: the 95% interval.", rows, "points",
        [Label(row["what"]) for row in rows], "points", "{points:.1f} points", dotted=True,
    )  # fmt: skip


def pool_chart(one: Finding) -> Chart:
    """Games of the groups that never met."""
    largest = one.numbers["largest"] | {"one_of_them": "the largest group"}
    rows = [
        {"group": row["one_of_them"], "players": row["players"], "games": row["games"]}
        for row in (largest, *one.numbers["apart"])
    ]
    return _row_chart(
        one, "Groups that never met", "Games of the largest groups.", rows, "games",
        [Label(row["group"], f"{row['players']:,} players") for row in rows], "games", GAMES_LABEL,
    )  # fmt: skip


def bridge_chart(one: Finding) -> Chart:
    """Games within two pools, and across."""
    seen = one.numbers
    rows = [
        {"what": "smaller pool", "games": seen["within"]},
        {"what": "across", "games": seen["across"]},
        {"what": "larger pool", "games": seen["elsewhere"]},
    ]
    return _row_chart(
        one, "The thinnest bridge",
        "Games within both pools and across the bridge. The smaller pool: "
        f"{seen['players']:,} players, such as {strip_controls(seen['some'])}.",
        rows, "games", [Label(row["what"]) for row in rows], "games", GAMES_LABEL,
    )  # fmt: skip


def _extreme_chart(
    title: str, axis: str, value: str, expected: str | None, reading: str, one: Finding
) -> Chart:
    """The most remarkable players or pairs."""
    rows: Rows = one.numbers["worst"]
    if not rows:
        raise Undrawable.of("no_players_to_show.finding")
    marked = " Upright marks: what was expected." if expected else ""
    named = [row | {"name": isolate_name(row["player"])} for row in rows]
    hint = f"{{name}}: {{{value}:.4g}} in {{games:,}} games"
    labels = [Label(row["player"], _second_line(row)) for row in rows]
    text = reading + marked
    chart = _row_chart(one, title, text, named, axis, labels, value, hint, expected=expected)
    return replace(chart, numbers=rows)


def _second_line(row: dict[str, Any]) -> str:
    """The second line of a row: the opponent, or the time."""
    if row.get("opponent"):
        return f"and {row['opponent']}"
    return f"from {row['when']}" if row.get("when") else f"{row['games']:,} games"


FINDING_CHARTS: dict[str, Callable[[Finding], Chart]] = {
    "step": step_chart,
    "noise of ratings": noise_chart,
    "inflation": inflation_chart,
    "matched inflation": matched_inflation_chart,
    "learning by rating": learning_chart,
    "distribution": distribution_chart,
    "form of the curve": form_chart,
    "residuals by gap": gap_chart,
    "side advantage": side_chart,
    "side advantage over time": side_over_time_chart,
    "draws by rating": draw_chart,
    "sudden jumps": partial(
        _extreme_chart,
        "The most surprising runs of games", "score", "scored", "expected",
        "Bars: what was scored.",
    ),
    "points from one opponent": partial(
        _extreme_chart,
        "Points taken from one opponent", "score beyond expectation", "surplus", None,
        "Bars: score of the first beyond expectation against the second; those whom chance "
        "explains least.",
    ),
    "points from newcomers": partial(
        _extreme_chart,
        "Points taken from newcomers", "score beyond what others take", "surplus", None,
        "Bars: score beyond what others take from newcomers; those whom chance explains least.",
    ),
    "repeated pairs": partial(
        _extreme_chart,
        "Pairs that meet often", "games", "games", "expected", "Bars: games.",
    ),
    "isolated pools": pool_chart,
    "thin bridges": bridge_chart,
    "wins by turns": partial(
        _extreme_chart,
        "Pairs that win by turns", "runs", "runs", "expected", "Bars: runs of wins of one player.",
    ),
    "draws of a pair": partial(
        _extreme_chart,
        "Pairs that draw", "draws", "draws", "expected", "Bars: draws.",
    ),
}  # fmt: skip
