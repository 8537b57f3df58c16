"""The sections about games: pairs, upsets, streaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.present.figures.pairs import head_to_head
from prowess.present.figures.refusal import Undrawable
from prowess.present.report.highlights import Streak, unbeaten_streaks, upsets, winning_streaks
from prowess.present.report.markup import (  # fmt: skip
    Content,
    Markup,
    day_text,
    figure,
    how,
    joined,
    paragraph,
    player,
    table,
)

if TYPE_CHECKING:
    from prowess.present.report.about import Report

SHOWN = 10  # rows
SQUARE = 12  # players of the pairing table


def pairs_section(report: Report) -> Markup:
    """The best against one another."""
    players = report.board.columns["player"][:SQUARE]
    try:
        return figure(head_to_head(report.ratings, players=players))
    except Undrawable as reason:
        return paragraph(f"Not drawn: {reason}.")


def upset_section(report: Report) -> Markup:
    """The results that were least expected."""
    test = report.forecasts
    if test is None:
        return paragraph("Not known: there are no forecasts to be upset.")
    found = upsets(test, SHOWN)
    if not found:
        return paragraph("No judged game was won by anybody.")
    dated = test.table.time is not None
    contests = not test.table.pairwise
    pointed = any(one.points for one in found)
    header = ["date"] if dated else []
    header += ["winner"] if contests else ["winner", "loser"]
    header += ["points"] if pointed else []
    header += ["expected score"]
    rows: list[list[Content]] = []
    for one in found:
        row: list[Content] = [day_text(one.time)] if dated else []
        row.append(player(one.winner))
        if one.loser is not None:
            row.append(player(one.loser))
        if one.points:
            row.append(f"{one.points[0]:g} : {one.points[1]:g}")
        row.append(f"{one.expected:.1%}")
        rows.append(row)
    what = "the share of the field that was expected to be beaten" if contests else (
        "what the winner was expected to score, draws counting half"
    )  # fmt: skip
    return joined(
        table(
            "The least expected wins",
            header,
            rows,
            words=("date", "winner", "loser"),
            name="winner",
            spare=("points",),
            hidden=True,
        ),
        how(
            f"Wins of those who were expected to score least, by the forecasts of {test.name} "
            f"before the {report.what[:-1]}; expected score is {what}. Only {test.count:,} judged "
            "forecasts count: in the first games of a table nobody is known."
        ),
    )


def streak_section(report: Report) -> Markup:
    """The longest runs."""
    games = report.ratings.table
    won = winning_streaks(games, SHOWN)
    if not games.pairwise:
        told = "Contests won one after another; of every player the longest run."
        return joined(_runs("Longest winning streaks", won, report), how(told))
    return joined(
        _runs("Longest winning streaks", won, report),
        _runs("Longest unbeaten streaks", unbeaten_streaks(games, SHOWN), report),
        how(
            "Games won, or not lost, one after another, in the order of the table; of every player "
            "the longest run. A streak goes on if it holds the player's last game."
        ),
    )


def _runs(caption: str, found: list[Streak], report: Report) -> Markup:
    if not found:
        return paragraph(f"{caption}: none.")
    dated = report.ratings.table.time is not None
    header = ["player", report.what, *(["from", "to"] if dated else []), "goes on"]
    rows: list[list[Content]] = []
    for one in found:
        days = [day_text(one.first), day_text(one.last)] if dated else []
        rows.append([player(one.player), f"{one.games:,}", *days, "yes" if one.going_on else ""])
    return table(caption, header, rows, spare=("from",))
