"""Figures of findings about ratings: step, noise, inflation, learning, distribution."""

from __future__ import annotations

from prowess.present.findings.along import (
    Along,
    Axis,
    Bar,
    Estimate,
    Line,
    estimates,
    moment,
    over_time,
    points,
)
from prowess.present.findings.told import INTERVALS, Told
from prowess.study.diagnosis.findings import Finding


def step(one: Finding) -> Told:
    """Log loss by step."""
    name, rows = one.numbers["name"], one.numbers["profile"]
    seen = []
    for row in rows:
        reach = 1.96 * row["deviation"] if "deviation" in row else None
        loss = row["log_loss"]
        low, high = (None, None) if reach is None else (loss - reach, loss + reach)
        seen.append(
            Estimate(row["step"], loss, low, high, f"{name} = {row['step']:.3g}: {loss:.4f}")
        )
    return Along(
        f"Log loss by {name}", one.says,
        f"Less is better. Each dot: the table played with another {name}. Bars: the 95% interval "
        "of the difference to the one that is set.",
        [{name: row[name] for name in ("step", "log_loss", "gain")} for row in rows],
        Axis(f"{name} (each a multiple of the one set)", "doubling"), Axis("nats a game"),
        tuple(seen), upright=(one.numbers["set"], "set"),
    )  # fmt: skip


def noise(one: Finding) -> Told:
    """How far ratings move in so many games."""
    rows = one.numbers["lags"]
    lines = [Line(points(rows, "games", "fitted"), "curve")]
    beside = "Line: what was fitted"
    if "theory" in rows[0]:
        lines.append(Line(points(rows, "games", "theory")))
        beside += "; dashed: what chance alone should make of it"
    return Along(
        "How far ratings move", one.says,
        "Root mean square of the change of a rating over so many of a player's games. "
        f"{beside}. A line that levels off is noise, one that goes on rising is strength. "
        f"{INTERVALS}",
        rows, Axis("games", "doubling"), Axis("points"),
        estimates(rows, "games", "moved", "points"), lines=tuple(lines), level=0.0,
    )  # fmt: skip


def inflation(one: Finding) -> Told:
    """Mean ratings over time."""
    rows = one.numbers["means"]
    return over_time(
        one.says, rows, "rating", "Mean rating of active established players", "points",
        f"Each dot: those who played in that part of the time. {INTERVALS} They are wide because "
        "players differ; the dashed line through the dots is judged by whole careers.",
        (Line(points(rows, moment(rows), "line")),),
    )  # fmt: skip


def matched_inflation(one: Finding) -> Told:
    """Changes of the same players over time."""
    rows, unit = one.numbers["changes"], one.numbers["unit"]
    reading = f"Each dot: the mean change of those active before and after that moment. {INTERVALS}"
    mean = one.numbers["slope"]
    line = Line(tuple((row[moment(rows)], mean) for row in rows))
    return over_time(
        one.says, rows, "change", "Change of the same players' ratings", unit,
        f"{reading} Dashed: the mean.", (line,), 0.0,
    )  # fmt: skip


def learning(one: Finding) -> Told:
    """Gains by rating."""
    rows = [
        {**row, "low": row["gain"] - 1.96 * row["deviation"],
         "high": row["gain"] + 1.96 * row["deviation"]}
        for row in one.numbers["bins"]
    ]  # fmt: skip
    fluid = "fluid" in rows[0]
    return Along(
        "Gain by rating", one.says,
        f"{INTERVALS}" + (" Dashed: the fluid equation with its best death rate." if fluid else ""),
        rows, Axis("rating"), Axis(one.numbers["unit"]),
        estimates(rows, "rating", "gain", "points"),
        lines=(Line(points(rows, "rating", "fluid")),) if fluid else (), level=0.0,
    )  # fmt: skip


def distribution(one: Finding) -> Told:
    """Players by rating, with both laws."""
    rows = one.numbers["bins"]
    middles = [{**row, "middle": 0.5 * (row["low"] + row["high"])} for row in rows]
    return Along(
        "Ratings of established players", one.says,
        "Bars: players. Line: the report's extreme-value law; dashed: the normal law.",
        rows, Axis("rating"), Axis("players"),
        bars=tuple(
            Bar(row["low"], row["high"], row["players"],
                f"{row['low']:g} to {row['high']:g}: {row['players']:,} players")
            for row in rows
        ),
        lines=(Line(points(middles, "middle", "law"), "other"),
               Line(points(middles, "middle", "normal"), "dashed")),
    )  # fmt: skip
