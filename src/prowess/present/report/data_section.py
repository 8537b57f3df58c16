"""The section about the data: what was played, when, and what can be read from it as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prowess.present.figures.calendar import activity
from prowess.present.figures.refusal import Undrawable
from prowess.present.report.facts import Mean, connection, draws, players_a_contest, sides
from prowess.present.report.markup import (
    Content,
    Markup,
    day_text,
    figure,
    how,
    joined,
    paragraph,
    tag,
)

if TYPE_CHECKING:
    from prowess.present.report.about import Report


def data_section(report: Report) -> Markup:
    """Counts, dates, games a year, draws, sides, connection."""
    table = report.ratings.table
    played = int(report.ratings.played().sum())
    facts: list[tuple[str, Content]] = [
        (report.what.capitalize(), f"{len(table):,}"),
        ("Players", f"{played:,}"),
    ]
    if table.time is not None and len(table):
        facts.append((f"First {report.what[:-1]}", day_text(table.time[0])))
        facts.append((f"Last {report.what[:-1]}", day_text(table.time[-1])))
    games = report.ratings.game_counts[report.ratings.played()]
    if len(games):
        facts.append(
            (f"{report.what.capitalize()} of a player", f"{np.median(games):,.0f} (median)")
        )
    remarks = []
    if not table.duels:
        facts.append((f"Players of a {table.unit}", f"{players_a_contest(table):.1f} (mean)"))
    if table.pairwise and len(table):
        facts.append(("Drawn", f"{draws(table):.1%}"))
        worth = sides(table, report.level)
        if worth is None:
            remarks.append("The table does not say who had the side advantage (home, White).")
        else:
            facts.append(("Score at home", _share(worth.games)))
            remarks.append(
                f"Score at home (or with White): the mean score of the side that had the "
                f"advantage in {worth.games.count:,} games, with its {report.level:.0%} interval."
            )
            if worth.pairs is not None:
                facts.append(("The same, pair by pair", _share(worth.pairs)))
                remarks.append(
                    f"Pair by pair: over the {worth.pairs.count:,} pairs of players who each had "
                    "the advantage against the other, the mean of both ways round, so that it "
                    "does not matter who is stronger; 50% would be no advantage."
                )
    facts.append(("Connection", _connected(report, remarks)))
    cards = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts]
    return joined(
        tag("dl", *cards, class_="facts"),
        how(" ".join(remarks)) if remarks else "",
        _played_when(report),
    )


def _played_when(report: Report) -> Markup:
    try:
        return figure(activity(report.ratings.table))
    except Undrawable as reason:
        return paragraph(f"Not drawn: {reason}.")


def _share(one: Mean) -> str:
    if np.isnan(one.low):
        return f"{one.mean:.1%}"
    return f"{one.mean:.1%} ({one.low:.1%} to {one.high:.1%})"


def _connected(report: Report, remarks: list[str]) -> str:
    """In a few words; what follows from it is added to the remarks."""
    found = connection(report.ratings.table)
    if len(found.sizes) > 1:
        remarks.append(
            "Players of different groups never met, not even by way of others: how they compare "
            "rests on the system's assumptions alone."
        )
    if found.words:
        remarks.append(
            "Results alone cannot fix the rating of everybody: " + "; ".join(found.words) + "."
        )
    if not found.sizes:
        return "no games"
    if len(found.sizes) == 1:
        return f"everybody, by {report.what} with one another"
    return f"{len(found.sizes)} groups that never met; the largest has {found.sizes[0]:,} players"
