"""The sections about the ratings: leaderboard, histories, distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.engine.fit import NoModel
from prowess.study.figures.careers import Career, careers
from prowess.study.figures.history import Histories, histories
from prowess.study.figures.leading import leaders
from prowess.study.figures.refusal import Undrawable
from prowess.study.figures.sparkline import sparkline
from prowess.study.figures.spread import distribution
from prowess.study.figures.unit import named_with_unit, shown_column
from prowess.study.report.markup import (
    Content,
    Markup,
    day_text,
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

SAME = 1e-6  # points between the reaches of an interval that is shown as one


def leaderboard_section(report: Report) -> Markup:
    """Ranks, ratings, intervals, games, and a history in the room of a word."""
    ratings, sure, board = report.ratings, report.sure, report.board
    names = board.columns["player"]
    if not names:
        return paragraph("Nobody is listed. ", report.listing.words(ratings))
    lines = _sparklines(report)
    numbers = [ratings.index(name) for name in names]
    dates = ratings.last
    columns: dict[str, list[Content]] = {"rank": [str(k) for k in board.columns["rank"]]}
    if ranks := [found for k in numbers if (found := sure.ranks(k))]:
        columns[f"rank, {sure.level:.0%}"] = [f"{best} to {worst}" for best, worst in ranks]
    columns["player"] = [player(name) for name in names]
    columns["rating"] = [f"{value:.1f}" for value in shown_column(ratings)[numbers]]
    if sure.known:
        columns[f"{sure.level:.0%} interval"] = _intervals(report, numbers)
    columns["games"] = [f"{count:,}" for count in ratings.game_counts[numbers]]
    if dates is not None:
        columns["last played"] = [day_text(day) for day in dates[numbers]]
    if lines:
        columns["history"] = [lines[name] for name in names]
    rows = list(zip(*columns.values(), strict=True))
    spare = ("last played", "history", "games") if sure.known else ("last played",)
    title = f"Leaderboard, {named_with_unit(ratings)}"
    return joined(
        table(title, list(columns), rows, spare=spare, hidden=True),
        how(_told(report, bool(lines))),
        figure(leaders(ratings, report.top, listing=report.listing, level=report.level)),
    )


def _intervals(report: Report, players: list[int]) -> list[Content]:
    """The reach to both sides where it is the same for all, else both ends."""
    rating = shown_column(report.ratings)
    ends = [(rating[k], *report.sure.interval(k)) for k in players]
    if all(abs((high - middle) - (middle - low)) < SAME for middle, low, high in ends):
        return [f"\N{PLUS-MINUS SIGN} {high - middle:.1f}" for middle, _, high in ends]
    return [f"{low:.1f} to {high:.1f}" for _, low, high in ends]


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
    shown = joined(figure(first, told=" ".join(first.how), numbers=False), _extremes(first))
    if first.by == "game":
        return shown
    second = histories(ratings, players, by="game", level=level)
    by_game = figure(second, told=" ".join(second.how), numbers=False)
    return joined(
        shown, tag("details", tag("summary", f"The same by number of the {first.what}"), by_game)
    )


def _extremes(drawn: Histories) -> Markup:
    """The highest and the lowest rating of each player, and when he went into a game with it."""
    rows: list[list[Content]] = []
    for one in drawn.careers:
        best, worst = int(one.rating.argmax()), int(one.rating.argmin())
        rows.append(
            [
                player(one.player),
                f"{one.games:,}",
                f"{one.rating[-1]:.1f}",
                *(
                    text
                    for k in (best, worst)
                    for text in (f"{one.rating[k]:.1f}", _before(one, k))
                ),
            ]
        )
    what = f"before {drawn.what} of"
    header = ["player", f"{drawn.what}s", "now", "highest", what, "lowest", what]
    return table("Highest and lowest ratings", header, rows, spare=header[1:3], hidden=True)


def _before(one: Career, k: int) -> str:
    """The game before which a rating held: its date, or its number."""
    if k == one.games:
        return "now"
    return f"number {k + 1:,}" if one.time is None else day_text(one.time[k])


def distribution_section(report: Report) -> Markup:
    """How many players stand where."""
    try:
        return figure(distribution(report.ratings))
    except Undrawable as reason:
        return paragraph(f"Not drawn: {reason}.")
