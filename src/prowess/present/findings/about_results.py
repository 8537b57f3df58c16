"""Figures of findings about results: the curve, the sides, the draws."""

from __future__ import annotations

from prowess.present.findings.along import Along, Axis, Estimate, over_time
from prowess.present.findings.entries import Entries, Entry
from prowess.present.findings.told import INTERVALS, Told
from prowess.study.diagnosis.findings import Finding


def form(one: Finding) -> Told:
    """Other curves against the system's own."""
    own, rows = one.numbers["own"], one.numbers["rivals"]
    return Entries(
        f"Other curves against the {own} one", one.says,
        f"To the right of 0: better than the {own} curve. {INTERVALS}",
        rows, "nats a game better",
        tuple(
            Entry(row["curve"], "", row["better_by"], f"{row['better_by']:.6f} nats a game",
                  row["low"], row["high"], dotted=True)
            for row in rows
        ),
    )  # fmt: skip


def gaps(one: Finding) -> Told:
    """Surplus of favourites by their forecast."""
    rows = [
        {**row, "games": int(row["games"]), "low": row["surplus"] - 1.96 * row["deviation"],
         "high": row["surplus"] + 1.96 * row["deviation"]}
        for row in one.numbers["bins"]
    ]  # fmt: skip
    return Along(
        "Favourites against the curve", one.says,
        f"What favourites scored beyond what the calibrated curve expected. {INTERVALS}",
        rows, Axis("expected score of the favourite", "percent"),
        Axis("score beyond expectation", "percent"),
        tuple(
            Estimate(row["expected"], row["surplus"], row["low"], row["high"],
                     f"expected {row['expected']:.1%}: {row['surplus']:+.2%}")
            for row in rows
        ),
        level=0.0,
    )  # fmt: skip


def side(one: Finding) -> Told:
    """The side advantage measured, and the one set."""
    seen = one.numbers
    rows = [
        {"what": "measured", "points": seen["points"], "low": seen["low"], "high": seen["high"]},
        {"what": "set", "points": seen["set"], "low": None, "high": None},
    ]
    return Entries(
        "Side advantage", one.says, "Bar: the 95% interval.", rows, "points",
        tuple(
            Entry(row["what"], "", row["points"], f"{row['points']:.1f} points",
                  row["low"], row["high"], dotted=True)
            for row in rows
        ),
    )  # fmt: skip


def side_over_time(one: Finding) -> Told:
    """The side advantage part by part."""
    rows = one.numbers["parts"]
    return over_time(
        one.says, rows, "points", "Side advantage over time", "points",
        f"Each dot: as many judged games as any other, at the game in their middle. {INTERVALS}",
        (), 0.0,
    )  # fmt: skip


def draws(one: Finding) -> Told:
    """The share of draws by mean rating."""
    rows = one.numbers["bins"]
    return Along(
        "Draws by rating", one.says,
        "Share of draws by the mean rating of the two, the gaps between them made alike. "
        f"{INTERVALS} The line across: all games.",
        rows, Axis("mean rating of the two"), Axis("share of draws", "percent"),
        tuple(
            Estimate(row["rating"], row["draws"], row["low"], row["high"],
                     f"{row['rating']:.0f}: {row['draws']:.1%}, {row['games']:,} games")
            for row in rows
        ),
        level=one.numbers["draws"],
    )  # fmt: skip
