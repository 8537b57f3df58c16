"""The sections of a report as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from prowess import __version__
from prowess.engine.fit import NoModel
from prowess.games.games import Games
from prowess.present.chart import Chart
from prowess.present.figures import (
    activity,
    behind_the_best,
    calibration_chart,
    head_to_head,
    leaders,
)  # fmt: skip
from prowess.present.highlights import (
    Mean,
    connection,
    draws,
    players_a_contest,
    sides,
)
from prowess.present.histories import Career, career_chart, careers, sparklines
from prowess.present.listing import rating_column, rating_label
from prowess.present.methods import method
from prowess.present.rendering import (
    DocumentTable,
    Facts,
    Figure,
    Fold,
    Formula,
    Heading,
    Paragraph,
    Part,
    TableColumn,
    day,
    note,
)
from prowess.present.svg import Undrawable
from prowess.study.compare import calibration

if TYPE_CHECKING:
    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.present.listing import Certainty, Listing
    from prowess.study.backtest import Backtest
    from prowess.study.compare import Comparison

SAME = 1e-6  # points between the reaches of an interval that is shown as one
PRINTED = 100  # letters of a line about the reading of the table
SQUARE = 12  # players of the pairing table
SCORES = {
    "log_loss": "log loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
    "log_loss_3": "log loss with draws",
    "ranked_probability": "ranked probability",
    "concordance": "concordance",
    "log_loss_pairs": "log loss of pairs",
}
MEANING = {
    "log_loss": "the mean surprise of a result, the smaller the better, 0.6931 for a forecast of "
    "50% every time; ",
    "brier": "the mean squared distance of forecast and score, the smaller the better; ",
    "accuracy": "the share of decided games won by the favourite, the larger the better; ",
}
GLOSSARY = {
    "Rating": "The number a system gives a player for all results so far; the higher the better.",
    "Score": "1 for a win, 1/2 for a draw, 0 for a loss; in contests the share beaten.",
    "Expected score": "The forecast of a score: the chance of a win and half that of a draw.",
    "Deviation": "The standard deviation of a rating: how far off it may be. It shrinks with games "
    "and grows with time, in systems that know it.",
    "Interval": "Where a number would lie with the probability given, if the model were right.",
    "Upset": "A win of a player whose expected score was small.",
}


def chart_parts(make: Callable[[], Chart], *, numbers: bool = True) -> Iterator[Part]:
    """A chart, or why there is none."""
    try:
        yield Figure(make(), numbers=numbers)
    except Undrawable as reason:
        yield Paragraph(f"Not drawn: {reason}.")


def leaderboard_parts(
    ratings: Ratings, board: Leaderboard, listing: Listing, sure: Certainty, top: int
) -> Iterator[Part]:
    """The leaderboard: ranks, ratings, intervals, games and a sparkline of each history."""
    from markupsafe import Markup

    names = board.columns["player"]
    if not names:
        yield Paragraph(f"No player is listed. {listing.describe(ratings)}")
        return
    try:
        lines = sparklines(careers(ratings, names))
    except NoModel:
        lines = {}
    numbers = [ratings.index(name) for name in names]
    columns = [TableColumn("rank", board.columns["rank"])]
    if ranks := [found for k in numbers if (found := sure.ranks(k))]:
        columns.append(
            TableColumn(f"rank, {sure.level:.0%}", [f"{best} to {worst}" for best, worst in ranks])
        )
    columns.append(TableColumn("player", names, "name", leads=True))
    rating = [f"{value:.1f}" for value in rating_column(ratings)[numbers]]
    columns.append(TableColumn("rating", rating))
    if sure.known:
        columns.append(
            TableColumn(f"{sure.level:.0%} interval", _format_intervals(ratings, sure, numbers))
        )
    games = [f"{count:,}" for count in ratings.game_counts[numbers]]
    columns.append(TableColumn("games", games, spare=sure.known))
    if ratings.last is not None:
        days = [day(one) for one in ratings.last[numbers]]
        columns.append(TableColumn("last played", days, spare=True))
    if lines:
        drawn = [Markup(lines[name]) for name in names]
        columns.append(TableColumn("history", drawn, spare=sure.known))
    yield DocumentTable(f"Leaderboard, {rating_label(ratings)}", columns, hidden=True)
    yield note(" ".join(_leaderboard_notes(ratings, listing, sure, bool(lines))))
    yield Figure(leaders(ratings, top, listing=listing, level=sure.level))


def _format_intervals(ratings: Ratings, sure: Certainty, players: list[int]) -> list[str]:
    """Half the width where every interval is symmetric, else both ends."""
    rating = rating_column(ratings)
    ends = [(rating[k], *(sure.interval(k) or (np.nan, np.nan))) for k in players]
    if all(abs((high - middle) - (middle - low)) < SAME for middle, low, high in ends):
        return [f"\N{PLUS-MINUS SIGN} {high - middle:.1f}" for middle, _, high in ends]
    return [f"{low:.1f} to {high:.1f}" for _, low, high in ends]


def _leaderboard_notes(
    ratings: Ratings, listing: Listing, sure: Certainty, lines: bool
) -> Iterator[str]:
    """Notes on reading the leaderboard."""
    yield listing.describe(ratings)
    yield "Equal ratings share the better rank."
    if sure.known:
        yield f"Intervals: {sure.words}."
    else:
        yield (
            f"There are no intervals, because {sure.words}; a system with a deviation, such as "
            "glicko2, or a fitted one, such as bradley_terry, has them."
        )
    if sure.ranks(0):
        independent = "deviation" in ratings.fields and "low" not in ratings.columns
        yield (
            "The interval of a rank runs from the best to the worst place among those listed that "
            "the results leave open: a player counts as above or below only where that is so with "
            f"a probability of {0.5 + 0.5 * sure.level:.1%}"
            + (", the deviations of two players taken as independent." if independent else ".")
        )
    if lines:
        yield "Histories share one scale; the dot is the rating now."


def data_parts(ratings: Ratings, level: float) -> Iterator[Part]:
    """Counts, dates, draws, side advantage, connectivity and activity of a table."""
    table, one = ratings.table, ratings.table.unit
    what = f"{one}s".capitalize()
    facts = [(what, f"{len(table):,}"), ("Players", f"{int(ratings.has_played().sum()):,}")]
    if table.time is not None and len(table):
        facts += [
            (f"First {one}", day(table.time[0])),
            (f"Last {one}", day(table.time[-1])),
        ]
    games = ratings.game_counts[ratings.has_played()]
    if len(games):
        facts.append((f"{what} of a player", f"{np.median(games):,.0f} (median)"))
    remarks: list[str] = []
    if not table.duels:
        facts.append((f"Players of a {one}", f"{players_a_contest(table):.1f} (mean)"))
    if table.pairwise and len(table):
        facts.append(("Drawn", f"{draws(table):.1%}"))
        facts += _side_facts(table, level, remarks)
    facts.append(("Connection", _connection_text(table, remarks)))
    yield Facts(facts)
    if remarks:
        yield note(" ".join(remarks))
    yield from chart_parts(lambda: activity(table))


def _side_facts(table: Games, level: float, remarks: list[str]) -> Iterator[tuple[str, str]]:
    """The size of the side advantage; adds its method to the remarks."""
    worth = sides(table, level)
    if worth is None:
        remarks.append("The table has no side advantages (home, White).")
        return
    yield "Score at home", _format_mean(worth.games)
    remarks.append(
        f"Score at home (or with White): the mean score of the side that had the "
        f"advantage in {worth.games.count:,} games, with its {level:.0%} interval."
    )
    if worth.pairs is not None:
        yield "The same, pair by pair", _format_mean(worth.pairs)
        remarks.append(
            f"Pair by pair: over the {worth.pairs.count:,} pairs of players who each had "
            "the advantage against the other, the mean of both ways round, so that it "
            "does not matter who is stronger; 50% would be no advantage."
        )


def _format_mean(one: Mean) -> str:
    if np.isnan(one.low):
        return f"{one.mean:.1%}"
    return f"{one.mean:.1%} ({one.low:.1%} to {one.high:.1%})"


def _connection_text(table: Games, remarks: list[str]) -> str:
    """A summary of the groups of connected players; adds the consequences to the remarks."""
    found = connection(table)
    if len(found.sizes) > 1:
        remarks.append(
            "Players of different groups never met, not even by way of others: how they compare "
            "rests on the system's assumptions alone."
        )
    if found.words:
        remarks.append(
            "Results alone cannot fix the rating of every player: " + "; ".join(found.words) + "."
        )
    if not found.sizes:
        return "no games"
    if len(found.sizes) == 1:
        return f"all players, by {table.unit}s with one another"
    return f"{len(found.sizes)} groups that never met; the largest has {found.sizes[0]:,} players"


def history_parts(ratings: Ratings, players: Sequence[str], level: float) -> Iterator[Part]:
    """Rating histories of these players, by date and by game."""
    what = ratings.table.unit
    axis = rating_label(ratings)
    try:
        found = [one for one in careers(ratings, players) if one.games]
        first = career_chart(found, axis, what, level=level)
    except (NoModel, Undrawable) as reason:
        yield Paragraph(f"Not drawn: {reason}.")
        return
    yield Figure(first, first.reading, numbers=False)
    yield _extremes(found, what)
    if all(one.time is not None for one in found):
        second = career_chart(found, axis, what, by="game", level=level)
        figure = Figure(second, second.reading, numbers=False)
        yield Fold(f"The same by number of the {what}", [figure])


def _extremes(found: Sequence[Career], what: str) -> DocumentTable:
    """The highest and the lowest rating of each player, and the game before which it held."""
    columns = [
        TableColumn("player", [one.player for one in found], "name", leads=True),
        TableColumn(f"{what}s", [f"{one.games:,}" for one in found], spare=True),
        TableColumn("now", [f"{one.rating[-1]:.1f}" for one in found], spare=True),
    ]
    for name, places in (
        ("highest", [int(one.rating.argmax()) for one in found]),
        ("lowest", [int(one.rating.argmin()) for one in found]),
    ):
        each = list(zip(found, places, strict=True))
        columns.append(TableColumn(name, [f"{one.rating[k]:.1f}" for one, k in each]))
        columns.append(
            TableColumn(f"before {what} of", [_format_before(one, k) for one, k in each])
        )
    return DocumentTable("Highest and lowest ratings", columns, hidden=True)


def _format_before(one: Career, k: int) -> str:
    """The game before which a rating held: its date, or its number."""
    if k == one.games:
        return "now"
    return f"number {k + 1:,}" if one.time is None else day(one.time[k])


def calibration_parts(ratings: Ratings, test: Backtest | None, level: float) -> Iterator[Part]:
    """Calibration and scores of the forecasts of the system."""
    if test is None:
        yield Paragraph(
            f"Not judged: there are no forecasts of {ratings.system.name} for this table."
        )
        return
    try:
        one = calibration(test, level=level)
    except ValueError as reason:
        yield Paragraph(f"Not drawn: {reason}.")
        return
    yield Figure(calibration_chart(one, level))
    scored = ", ".join(
        f"{SCORES[name]} {value:.4f}" for name, value in test.scores.items() if name in SCORES
    )
    scaling = "No scaling of the log odds would have improved them notably. "
    if abs(one.scale - 1.0) > 2.0 * one.scale_deviation:
        scaling = (
            f"Forecasts would have served best with their log odds multiplied by {one.scale:.3f} "
            f"(\N{PLUS-MINUS SIGN} {one.scale_deviation:.3f}): they were a little too "
            f"{'sure' if one.scale < 1.0 else 'timid'}. "
        )
    yield note(
        f"Every game was forecast before its result was known, and the last {test.count:,} "
        "forecasts are judged; the first games of a table, when all players are new, are not. "
        f"Seen from the favourite, so that every forecast is at least 50%. {scaling}"
        f"Scores: {scored}."
    )


def comparison_parts(comparison: Comparison) -> Iterator[Part]:
    """Scores of several systems on the same games."""
    entries = comparison.entries
    least = min(2, len(entries))  # a score of one system alone compares nothing
    names = [n for n in SCORES if sum(n in one.scores for one in entries) >= least]
    gaps = [one.behind for one in entries]
    columns = [
        TableColumn("system", [one.test.name for one in entries], "name", leads=True),
        TableColumn("group", [one.group for one in entries]),
        *(
            TableColumn(
                SCORES[name],
                [f"{one.scores[name]:.4f}" if name in one.scores else "" for one in entries],
                spare=name != comparison.by,
            )
            for name in names
        ),
        TableColumn("behind", ["", *(f"{gap.mean:.5f}" for gap in gaps[1:])], spare=True),
        TableColumn(
            f"{comparison.level:.0%} interval",
            ["", *(f"{gap.low:.5f} to {gap.high:.5f}" for gap in gaps[1:])],
        ),
    ]
    yield Figure(behind_the_best(comparison), numbers=False)
    yield DocumentTable("Scores of the systems", columns)
    by = SCORES.get(comparison.by, comparison.by)
    remarks = [f"{text}." for text in comparison.notes]
    remarks += [f"{one.test.name}: {text}." for one in entries for text in one.test.notes]
    reading = (
        f"All systems forecast the same {comparison.count:,} games from earlier games only, and "
        f"are judged by {by}: {MEANING.get(comparison.by, '')}behind is the difference from the "
        f"best, with its {comparison.level:.0%} interval for other games of the same players. "
        "Systems of one group are not significantly different. "
        "base_rate ignores players: it forecasts the mean score of the games so far. Settings are "
        "the defaults unless the name gives others."
    )
    yield note(" ".join([reading, *remarks]))


def pair_parts(ratings: Ratings, board: Leaderboard) -> Iterator[Part]:
    """Results of the best players against one another."""
    players = board.columns["player"][:SQUARE]
    yield from chart_parts(lambda: head_to_head(ratings, players=players))


def method_parts(ratings: Ratings, notes: Sequence[str], credit: str) -> Iterator[Part]:
    """System, parameters, rating period, glossary and source of the data."""
    one = method(ratings, None)
    period = f" in rating periods of {one.period}" if one.period else ""
    mode = (
        f"played through the table in order{period}"
        if one.game_by_game
        else "fitted to all games at once"
    )
    yield Paragraph(f"The ratings are those of {one.system}, {mode}. {one.summary}")
    for text in notes:
        yield note(f"Note: {text}.")
    if one.settings:
        yield DocumentTable(
            "Parameters",
            [
                TableColumn("parameter", [row.name for row in one.settings], "words", leads=True),
                TableColumn("value", [row.value for row in one.settings]),
                TableColumn("unit", [row.unit for row in one.settings], "words"),
            ],
        )
    for heading, lines in one.parts:
        yield Heading(heading)
        yield Formula(heading, lines)
    yield Heading("Terms")
    yield Facts(list(GLOSSARY.items()), words=True)
    yield Heading("Source of the data")
    yield Paragraph(credit or "Not stated: no credit line was given.")
    if read := ratings.table.reading.lines(PRINTED):
        yield Heading("How the table was read")
        yield Formula("How the table was read", "\n".join(read))
    yield note(
        f"Made by Prowess {__version__}. All numbers come from the table and the settings "
        "named here; the same ones give the same page."
    )
