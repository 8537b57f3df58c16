"""The charts of a rated table: histories, leaders, distribution, activity, pairs, forecasts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.numeric import round_step
from prowess.engine.pairings import pairings
from prowess.engine.tabular import list_rows
from prowess.games.arguments import BadArgument
from prowess.games.dates import format_day
from prowess.games.games import Games
from prowess.games.reading import format_count
from prowess.present.chart import Chart
from prowess.present.histories import histories
from prowess.present.layers import (  # fmt: skip
    YEAR_DAYS,
    Axis,
    Bars,
    Cell,
    CellLayer,
    Dots,
    Label,
    Line,
    NameAxis,
    Panel,
    Rule,
    bounds,
    count_decimals,
    count_ticks,
)
from prowess.present.listing import (
    Listing,
    certainty,
    rating_column,
    rating_label,
    usual_listing,
)  # fmt: skip
from prowess.present.svg import Undrawable, isolate_name
from prowess.study.backtest import Backtest
from prowess.study.compare import Calibration, Comparison, calibration
from prowess.study.lineups import explain_missing_pairs
from prowess.systems.catalogue import find_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.leaderboard import Leaderboard
    from prowess.engine.ratings import Ratings
    from prowess.study.forecasting.prospects import Prospects


__all__ = [
    "Chart",
    "activity",
    "behind_the_best",
    "distribution",
    "head_to_head",
    "histories",
    "leaders",
    "place_chances",
    "reliability",
]

BAR_LIMIT = 40  # bars of a distribution
MIN_FORECASTS = 300  # below which a curve of calibration shows gross faults only
WIDTH_RATIO = 1.6  # a round width is at most about this factor below or above the wanted one
MONTHLY, DAILY = 3.0 * YEAR_DAYS, 60.0  # days: shorter tables are counted by month, by day
STRONGEST = 0.5  # opacity of a score of 0 or 1: words on it keep a contrast of 4.5
UNITS_OF_TIME = {"h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
LARGEST, LEGIBLE = 48.0, 22.0  # pixels of a cell: at most, and at least for its number


def name_system(label: str) -> str:
    """A system with its settings and period in words.

    >>> name_system("glicko2:advantage=66.2@1mo"), name_system("elo"), name_system("base_rate")
    ('Glicko-2, advantage 66.2, by 1 month', 'Elo', 'Base rate')
    """
    named, _, period = label.partition("@")
    name, _, given = named.partition(":")
    words = name.replace("_", " ").capitalize()
    system = find_named(name)
    if system is None:  # of the user, or a forecast that is no system
        return label if given or period else words
    head = system.doc.strip().partition(":")[0]
    if head.replace("-", "").casefold() == words.replace(" ", "").casefold():
        words = head
    settings = [one.replace("_", " ").replace("=", " ") for one in given.split(",") if one]
    return ", ".join([words, *settings, *([name_period(period)] if period else [])])


def name_period(period: str) -> str:
    """A rating period in words: `by 2 weeks`."""
    found = re.fullmatch(r"(\d+)(h|d|w|mo|y)", period)
    return f"by {format_count(int(found[1]), UNITS_OF_TIME[found[2]])}" if found else f"by {period}"


def leaders(
    ratings: Ratings, top: int = 20, *, listing: Listing | None = None, level: float = 0.95
) -> Chart:
    """The `top` best of those listed (by the usual rule), with intervals where there are any.

    Raises Undrawable where no player is listed.
    """
    listing = listing or usual_listing(ratings)
    board = listing.board(ratings, top)
    if not len(board):
        raise Undrawable.of("no_players_to_show.leaderboard")
    sure = certainty(ratings, level, listing)
    numbers = [ratings.index(name) for name in board.columns["player"]]
    rating = [float(one) for one in rating_column(ratings)[numbers]]
    bars = f"Bars: {sure.words}." if sure.known else f"No bars: {sure.words}."
    chart = draw_board(
        board.columns, "rating", rating_label(ratings), rating, [*map(sure.interval, numbers)]
    )
    return replace(
        chart,
        title=f"The best {len(numbers)} by {next(iter(ratings.columns)).replace('_', ' ')}",
        reading=f"{bars} {listing.describe(ratings, len(board))}",
        subtitle=f"{ratings.head()}. {bars}",
    )


def draw_intervals(
    label: str,
    labels: tuple[Label, ...],
    values: Sequence[float],
    reach: Sequence[tuple[float, float] | None],
    hints: Sequence[str] = (),
    zero: bool = False,
) -> Panel:
    """A named row for each value, with its interval, if it has one; `zero` is marked."""
    ends = [*values, *(end for pair in reach if pair for end in pair), *[0.0] * zero]
    rows = np.arange(len(values), dtype=np.int64) + 0.5
    dots = Dots(values, rows, reach, hints, radius=4.0, across=True)
    axis = Axis(label, *bounds(min(ends), max(ends)))
    return Panel(axis, NameAxis(labels, 22.0), (Rule(0.0, "x"), dots) if zero else (dots,))


def draw_board(
    columns: Mapping[str, Any],
    quantity: str,
    label: str,
    rating: Sequence[float],
    reach: Sequence[tuple[float, float] | None],
) -> Chart:
    """A dot a player with an interval, if there is one; `columns` have ranks and players."""
    names, ranks = columns["player"], columns["rank"]
    digits = count_decimals(np.array(rating))
    labels = tuple(
        Label(name, rank=str(rank), value=f"{value:.{digits}f}")
        for name, rank, value in zip(names, ranks, rating, strict=True)
    )
    panel = draw_intervals(label, labels, rating, reach)
    data = [
        {"rank": rank, "player": name, quantity: value}
        | ({"low": pair[0], "high": pair[1]} if pair else {})
        for rank, name, value, pair in zip(ranks, names, rating, reach, strict=True)
    ]
    says = (
        f"From {isolate_name(names[0])} with {rating[0]:.{digits}f} down to "
        f"{isolate_name(names[-1])} with {rating[-1]:.{digits}f}."
    )
    return Chart(f"The best {len(names)} by {label}", says, (panel,), data)


def distribution(ratings: Ratings, *, min_games: int = 0) -> Chart:
    """The distribution of ratings of the players with at least `min_games` games (at least one).

    The width of the bars is that of D. Freedman and P. Diaconis, "On the histogram as a density
    estimator", Zeitschrift fuer Wahrscheinlichkeitstheorie 57 (1981), 2 IQR / n^(1/3), rounded to
    1, 2 or 5 times a power of ten. Players of no finite rating are left out. Raises Undrawable
    where no player is left.
    """
    rating = rating_column(ratings)[ratings.has_played(min_games)].astype(np.float64)
    finite = rating[np.isfinite(rating)]
    if not len(finite):
        raise Undrawable.of("no_players_to_show.distribution")
    edges, players = _histogram(finite)
    median, most, total = float(np.median(finite)), int(players.argmax()), len(finite)
    lost = len(rating) - total
    who = f"with at least {min_games:,} games" if min_games > 1 else "who have played"
    says = (
        f"{format_count(total, 'player')} {who}, in steps of {edges[1] - edges[0]:g}. "
        f"Median {median:.1f} (dashed), standard deviation {finite.std():.1f}; most players, "
        f"{players[most]:,}, are between {edges[most]:g} and {edges[most + 1]:g}."
        + (f" {lost:,} without a finite rating are left out." if lost else "")
    )
    data = list_rows({"low": edges[:-1], "high": edges[1:], "players": players})
    hints = [f"{r['low']:g} to {r['high']:g}: {format_count(r['players'], 'player')}" for r in data]
    panel = Panel(
        Axis(rating_label(ratings), float(edges[0]), float(edges[-1])),
        _count_axis("players", int(players.max())),
        (
            Bars(edges[:-1], edges[1:], players, hints),
            Rule(median, "x", "dashed"),
        ),
        250.0,
        aside=f"dashed: median {median:.1f}",
    )
    return Chart("Distribution of the ratings", says, (panel,), data)


def _histogram(finite: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Edges, [bars + 1], and how many values are between them; a value on an edge is above it."""
    low, high = float(finite.min()), float(finite.max())
    q1, q3 = (float(q) for q in np.quantile(finite, [0.25, 0.75]))
    wanted = 2.0 * (q3 - q1) / len(finite) ** (1.0 / 3.0)
    if high > low:
        by = round_step(max(wanted / WIDTH_RATIO, (high - low) / BAR_LIMIT), 1)
    else:
        by = round_step(max(abs(low), 1.0), 100)
    first, last = floor(low / by), max(floor(high / by) + 1, ceil(high / by))
    place = np.clip(np.floor(finite / by).astype(np.int64) - first, 0, last - first - 1)
    edges = np.arange(first, last + 1, dtype=np.float64) * by
    return edges, np.bincount(place, minlength=last - first)


def _count_axis(name: str, most: int) -> Axis:
    """An axis of counts from 0 to a whole number just above the largest."""
    return Axis(name, 0.0, count_ticks(most, 4)[-1].value, "count")


def activity(table: Games) -> Chart:
    """Games (contests) by year, of short tables by month or day; Undrawable without dates."""
    if table.time is None or not len(table.time):
        raise Undrawable.of("no_dates.activity")
    days = np.floor(table.time).astype("datetime64[D]")
    extent = float(table.time[-1] - table.time[0])
    unit = "year" if extent > MONTHLY else "month" if extent > DAILY else "day"
    letter, what = unit[0].upper(), f"{table.unit}s"
    number = days.astype(f"datetime64[{letter}]").astype(np.int64)
    games = np.bincount(number - number[0])
    firsts = np.arange(number[0], number[0] + len(games) + 1, dtype=np.int64).astype(
        f"datetime64[{letter}]"
    )
    starts = firsts.astype("datetime64[D]").astype(np.int64).astype(np.float64)
    letters = {"year": 4, "month": 7, "day": 10}[unit]
    names = [format_day(day)[:letters] for day in starts[:-1]]
    most, none = int(games.argmax()), int((games == 0).sum())
    pauses = f"; none at all in {none:,} of {len(games):,} {unit}s" if none else ""
    says = (
        f"From {names[0]} to {names[-1]}; most in {names[most]}, {games[most]:,}{pauses}. The "
        f"first and the last {unit} may be incomplete."
    )
    hints = [f"{name}: {count:,} {what}" for name, count in zip(names, games, strict=True)]
    panel = Panel(
        Axis("", float(starts[0]), float(starts[-1]), "day"),
        _count_axis(f"{what} a {unit}", int(games.max())),
        (Bars(starts[:-1], starts[1:], games, hints),),
        190.0,
    )
    data = list_rows({unit: names, what: games})
    return Chart(f"{what.capitalize()} a {unit}", says, (panel,), data)


def reliability(test: Backtest, *, bins: int | None = None, level: float = 0.95) -> Chart:
    """The calibration of a backtest; raises Undrawable where too few games are judged."""
    try:
        return calibration_chart(calibration(test, bins, level), level)
    except BadArgument as error:
        raise Undrawable(str(error), code=error.code) from None


def calibration_chart(one: Calibration, level: float = 0.95) -> Chart:
    """Forecasts against what happened, seen from the favourite, with intervals."""
    rows = one.rows()
    low = min(0.5, *(min(row["forecast"], row["low"]) for row in rows))
    high = max(row[name] for row in rows for name in ("forecast", "high"))
    low, high = (min(1.0, max(0.0, end)) for end in bounds(low, max(high, low + 0.1), 5))
    off = [row for row in rows if not row["low"] <= row["forecast"] <= row["high"]]
    says = (
        f"Each dot is about {format_count(int(one.games.mean()), 'forecast')}: what was expected "
        f"of the favourite, and what they scored, with its {level:.0%} interval. On the diagonal "
        f"forecasts mean what they say; {len(off)} of {len(rows)} intervals miss it. Mean "
        f"distance {one.error:.2%}; chance alone would make {one.by_chance:.2%}."
    )
    if (games := int(one.games.sum())) < MIN_FORECASTS:
        says += f" {games} forecasts are few: intervals are wide, and only gross faults show."
    hints = [
        f"expected {row['forecast']:.1%}, scored {row['score']:.1%}, "
        f"{format_count(int(row['games']), 'game')}"
        for row in rows
    ]
    dots = Dots(
        [row["forecast"] for row in rows], [row["score"] for row in rows],
        [(row["low"], row["high"]) for row in rows], hints, radius=3.0,
    )  # fmt: skip
    panel = Panel(
        Axis("expected score of the favourite", low, high, "percent"),
        Axis("score of the favourite", low, high, "percent"),
        (
            Line((low, high), (low, high), "dashed"),
            dots,
        ),
        370.0,
        aside="dashed: as forecast",
    )
    title = f"Calibration of {isolate_name(one.name)}"
    return Chart(title, says, (panel,), list(rows), widest=440.0)


def behind_the_best(comparison: Comparison) -> Chart:
    """How much worse than the best each system forecasts, with intervals."""
    entries, metric = comparison.entries, comparison.metric.replace("_", " ")
    best, *others = entries
    origin = comparison.origin
    named = name_system(origin.test.name) if comparison.reference else "the best"
    says = (
        f"{format_count(comparison.count, 'forecast')} judged by {metric}; "
        f"{name_system(best.test.name)} is best with {best.scores[comparison.metric]:.4f}."
    )
    reading = (
        f"Dots: how much worse the mean {metric} of a system is, bars: the {comparison.level:.0%} "
        "interval of that difference. A system whose bar reaches 0 is not "
        f"significantly different from {named}."
    )
    panel = draw_intervals(
        f"behind {named} ({metric})",
        tuple(Label(name_system(one.test.name)) for one in entries),
        [one.behind.mean for one in entries],
        [None if one is origin else (one.behind.low, one.behind.high) for one in entries],
        [f"{metric} {one.scores[comparison.metric]:.4f}" for one in entries],
        zero=True,
    )
    title = "Systems by their forecasts"
    return Chart(title, says, (panel,), comparison.rows(), reading if others else "")


def head_to_head(ratings: Ratings, top: int = 12, *, players: Sequence[str] | None = None) -> Chart:
    """The pairing scores among the players named, or the `top` best of those usually listed.

    Raises Undrawable unless games are between two players, and where fewer than two have played
    enough.
    """
    if reason := explain_missing_pairs(ratings.table):
        raise Undrawable.of("no_duels.head_to_head", reason=reason)
    if players is None:
        players = usual_listing(ratings).board(ratings, top).columns["player"]
        if len(players) < 2:
            raise Undrawable.of("too_few_players.games")
    if len(players) < 2:
        raise Undrawable.of("too_few_players.head_to_head")
    games = select_among(ratings.table, [ratings.index(p) for p in players])
    met = pairings(games, by_points=False)
    pairs = [(i, j) for i in range(len(players)) for j in range(len(players)) if i != j]
    unmet = sum(met.battles[i, j] <= 0.0 for i, j in pairs) // 2
    labels = tuple(Label(name, rank=str(k + 1)) for k, name in enumerate(players))
    numbers = tuple(Label(one.rank) for one in labels)
    cells = tuple(_cell(i, j, players, float(met.share[i, j]), met.battles[i, j]) for i, j in pairs)
    holes = f" {format_count(unmet, 'pair')} never met (grey)." if unmet else ""
    says = (
        "A cell is the score, in percent, of the player of the row against the player of the "
        "column, who is named by their number; wins count 100, draws 50. Blue is more than half, "
        f"orange less, the stronger the farther from it.{holes} Where there is little room, "
        "the first players are shown."
    )
    data = [
        {
            "player": players[i],
            "opponent": players[j],
            "games": float(met.battles[i, j]),
            "score": float(met.share[i, j]),
        }
        for i, j in pairs
        if i < j and met.battles[i, j] > 0.0
    ]
    panel = Panel(NameAxis(numbers, LARGEST, LEGIBLE), NameAxis(labels), (CellLayer(cells),))
    return Chart(f"{len(players)} players against one another", says, (panel,), data)


def place_chances(found: Prospects, top: int = 12) -> Chart:
    """The chance of every place, or of reaching every round, of the `top` likeliest winners."""
    order = found.order[:top]
    if found.stages:
        chances = np.stack([np.asarray(one) for one in found.stages.values()], axis=1)
        heads = list(found.stages)
    else:
        chances = found.places
        heads = [str(k + 1) for k in range(chances.shape[1])]
    names = [found.names[i] for i in order]
    cells = tuple(
        Cell(
            row, k, f"{100.0 * chances[i, k]:.0f}", "high", STRONGEST * float(chances[i, k]),
            f"{isolate_name(found.names[i])}, {head}: {chances[i, k]:.1%}",
        )
        for row, i in enumerate(order) for k, head in enumerate(heads)
    )  # fmt: skip
    panel = Panel(
        NameAxis(tuple(map(Label, heads)), LARGEST, LEGIBLE),
        NameAxis(tuple(map(Label, names))),
        (CellLayer(cells),),
    )
    says = "A cell is the chance, in percent, of the player of the row."
    title = "Chances of the rounds" if found.stages else "Chances of the places"
    data = [
        {"player": found.names[i], "place": head, "chance": float(chances[i, k])}
        for i in order
        for k, head in enumerate(heads)
    ]
    return Chart(title, says, (panel,), data, found.certainty)


def _cell(i: int, j: int, players: Sequence[str], score: float, games: float) -> Cell:
    """One pair: ground by score, number in it, words for a pointer."""
    pair = f"{isolate_name(players[i])} against {isolate_name(players[j])}"
    if np.isnan(score):
        return Cell(i, j, hint=f"{pair}: never met")
    return Cell(
        i, j, f"{100.0 * score:.0f}", "high" if score >= 0.5 else "low",
        STRONGEST * abs(2.0 * score - 1.0),
        f"{pair}: {score:.1%} of {games:g} game{'' if games == 1.0 else 's'}",
    )  # fmt: skip


def select_among(games: Games, chosen: list[int]) -> Games:
    """The games of these players with one another, the players numbered anew in that order."""
    place = np.full(len(games.players), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen), dtype=np.int64)
    rows = (place[games.a] >= 0) & (place[games.b] >= 0)
    kept = games.select(rows)
    return kept.replace(
        players=[games.players[k] for k in chosen],
        a=place[kept.a].astype(np.uint32),
        b=place[kept.b].astype(np.uint32),
    )


# The figure of a leaderboard alone: a dot a player, with an interval where the board has one.


NORMAL_95 = 1.959964  # standard deviations on either side of the middle 95 %
HEADS = ("rank", "player")  # columns before the rating


def board_chart(board: Leaderboard, top: int = 20) -> Chart:
    """The `top` best of a leaderboard; intervals are its own, or 95 % by its deviations.

    Raises Undrawable for a leaderboard without players.
    """
    columns = {name: list(column)[:top] for name, column in board.columns.items()}
    if not columns["player"]:
        raise Undrawable.of("no_players_to_show.board")
    quantity = next(name for name in columns if name not in HEADS)
    rating = [float(one) for one in columns[quantity]]
    reach: list[tuple[float, float] | None] = [None] * len(rating)
    words = "The leaderboard has no intervals."
    if "low" in columns and "high" in columns:
        reach = list(zip(columns["low"], columns["high"], strict=True))
        words = "Bars: the intervals of the leaderboard."
    elif "deviation" in columns:
        widths = [NORMAL_95 * one for one in columns["deviation"]]
        reach = [(x - w, x + w) for x, w in zip(rating, widths, strict=True)]
        words = "Bars: 95 % of each player's rating by its deviation."
    chart = draw_board(columns, quantity, quantity.replace("_", " "), rating, reach)
    return replace(chart, reading=words, subtitle=words)
