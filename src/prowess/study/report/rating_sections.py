"""The sections about the ratings: leaderboard, histories, distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.engine.fitted import NoModel
from prowess.study.figures.careers import Career, careers
from prowess.study.figures.figure import Undrawable
from prowess.study.figures.history import histories
from prowess.study.figures.leading import leaders
from prowess.study.figures.sparkline import sparkline
from prowess.study.figures.spread import distribution
from prowess.study.figures.unit import named_with_unit, shown_column
from prowess.study.report.about import day_text
from prowess.study.report.markup import (
    Content,
    Markup,
    figure,
    how,
    joined,
    paragraph,
    player,
    table,
    tag,
)  # fmt: skip

if TYPE_CHECKING:
    from prowess.study.report.about import Report


def leaderboard_section(report: Report) -> Markup:
    """Ranks, ratings, intervals, games, and a history in the room of a word."""
    ratings, sure, board = report.ratings, report.sure, report.board
    names = board.columns["player"]
    if not names:
        return paragraph("Nobody is listed. ", report.listing.words(ratings))
    rating = shown_column(ratings)
    lines = _sparklines(report)
    interval = f"{sure.level:.0%} interval"
    header = ["rank"]
    header += [f"rank, {interval}"] if sure.ranks(0) else []
    header += ["player", "rating"]
    header += [interval] if sure.known else []
    header += ["games"]
    header += ["last played"] if ratings.last is not None else []
    header += ["history"] if lines else []
    rows: list[list[Content]] = []
    for rank, name in zip(board.columns["rank"], names, strict=True):
        k = ratings.index(name)
        row: list[Content] = [str(rank)]
        if ranks := sure.ranks(k):
            row.append(f"{ranks[0]} to {ranks[1]}")
        row += [player(name), f"{rating[k]:.1f}"]
        if sure.known:
            low, high = sure.interval(k)
            row.append(f"{low:.1f} to {high:.1f}")
        row.append(f"{ratings.games[k]:,}")
        if ratings.last is not None:
            row.append(day_text(ratings.last[k]))
        if lines:
            row.append(lines[name])
        rows.append(row)
    spare = ("last played", "history", "games") if sure.known else ("last played",)
    return joined(
        table(f"Leaderboard, {named_with_unit(ratings)}", header, rows, spare=spare),
        how(_told(report, bool(lines))),
        figure(leaders(ratings, report.top, listing=report.listing, level=report.level)),
    )


def _told(report: Report, lines: bool) -> str:
    """How the leaderboard is to be read."""
    sure = report.sure
    told = [report.listing.words(report.ratings), "Equal ratings share the better rank."]
    if sure.known:
        told.append(f"Intervals: {sure.words}.")
    else:
        told.append(
            f"There are no intervals, because {sure.words}; a system with a deviation, such as "
            "glicko2, or a fitted one, such as bradley_terry, does."
        )
    if sure.ranks(0):
        told.append(
            "The interval of a rank runs from the best to the worst place among those listed that "
            "the results leave open: somebody counts as above or below only where that is so with "
            f"a probability of {0.5 + 0.5 * sure.level:.1%}"
            + (
                ", the deviations of two players taken as independent."
                if "deviation" in report.ratings.fields and "low" not in report.ratings.columns
                else "."
            )
        )
    if lines:
        told.append("Histories share one scale; the dot is the rating now.")
    return " ".join(told)


def _sparklines(report: Report) -> dict[str, Markup]:
    """By player; none for systems without histories."""
    try:
        found = careers(report.ratings, report.board.columns["player"])
    except NoModel:
        return {}
    low = min(float(one.rating.min()) for one in found)
    high = max(float(one.rating.max()) for one in found)
    first = min((_span(one)[0] for one in found), default=0.0)
    last = max((_span(one)[1] for one in found), default=1.0)
    return {one.player: Markup(sparkline(one, low, high, first, last)) for one in found}


def _span(one: Career) -> tuple[float, float]:
    if one.time is None:
        return 0.0, float(one.games)
    return float(one.time[0]), float(one.time[-1])


def history_section(report: Report) -> Markup:
    """The histories of the chosen players, by date and by game."""
    ratings, players, level = report.ratings, report.players, report.level
    try:
        first = histories(ratings, players, level=level)
    except (NoModel, Undrawable) as reason:
        return paragraph(f"Not drawn: {reason}.")
    if first.by == "game":
        return figure(first, numbers=False)
    second = histories(ratings, players, by="game", level=level)
    return joined(
        figure(first, numbers=False),
        tag(
            "details",
            tag("summary", "The same by number of the game"),
            figure(second, numbers=False),
        ),
    )


def distribution_section(report: Report) -> Markup:
    """How many players stand where."""
    try:
        return figure(distribution(report.ratings))
    except Undrawable as reason:
        return paragraph(f"Not drawn: {reason}.")
