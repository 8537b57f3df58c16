"""Rating histories: the careers of players, and their charts.

A career has a row for every game (of contests, for every contest): the rating with which the
player went into it. The last row is the rating now, as the leaderboard has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.fit import NoModel
from prowess.engine.played import read_ratings, watch_players
from prowess.engine.rate import DynamicRatings
from prowess.engine.whole_table import two_sided_quantile
from prowess.games.dates import format_date, format_day
from prowess.games.reading import format_count, join_names
from prowess.present.chart import Chart, Rows
from prowess.present.layers import (
    SERIES,
    YEAR_DAYS,
    Axis,
    Band,
    Dots,
    Layer,
    Line,
    Panel,
    Text,
    bounds,
    count_decimals,
)
from prowess.present.listing import rating_label, usual_listing
from prowess.present.svg import Undrawable, isolate_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.engine.steps import History
    from prowess.games.games import Games


GAP_PARTS = 30.0  # a pause of more than one part in so many of the time shown is a gap,
GAP_PAUSES = 10.0  # if it is also longer than so many usual pauses between two games
MAX_TITLE_NAMES = 4  # players
MOST_TOGETHER = 9  # lines of one panel that look different
LABELS_HIGH, NAMES_WIDE = 18.0, 0.22  # names in a panel's height; their share of its width
GHOSTS = 0.4  # points a pixel of the players behind: a hint of them is enough


@dataclass(frozen=True, eq=False)
class Career:
    """Ratings of one player, [games + 1]: before each game, then now.

    `time` is in days since 1970, None without dates; `deviation` is None for systems without one.
    """

    player: str
    rating: Floats
    deviation: Floats | None
    time: Floats | None

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.rating) - 1

    def places(self, against: str) -> Floats:
        """Position of each rating on the axis: days by date, else numbers of games from 1."""
        if against == "date":
            assert self.time is not None
            return self.time
        return np.arange(1.0, len(self.rating) + 1.0, dtype=np.float64)


def natural_axis(found: Sequence[Career]) -> Literal["date", "game"]:
    """The axis on which the games of these careers stand apart."""
    times = [one.time[: one.games] for one in found if one.time is not None and one.games]
    if len(times) < len(found) or not times:
        return "game"
    days = np.floor(np.concatenate(times))  # on which fewer than half of the games are of one day
    return "date" if 2 * np.unique(days, return_counts=True)[1].max() < len(days) else "game"


def change_since(one: Career, since: float) -> float | None:
    """How much a rating changed since a day, of who played before and after it; else None."""
    if one.time is None or not one.games or one.time[0] >= since:
        return None
    later = int(np.searchsorted(one.time[: one.games], since, "right"))
    return float(one.rating[-1] - one.rating[later]) if later < one.games else None


def cut_career(one: Career, since: float) -> Career:
    """The career from a day on, which the rating with which it began has."""
    if one.time is None or not one.games:
        return one
    first = min(max(int(np.searchsorted(one.time, since, "left")) - 1, 0), one.games - 1)
    deviation = None if one.deviation is None else one.deviation[first:]
    time = np.maximum(one.time[first:], min(since, one.time[-1]))
    return Career(one.player, one.rating[first:], deviation, time)


def end_career(one: Career, until: float) -> Career:
    """The career up to a day, which the rating of then has."""
    if one.time is None or not one.games or until >= one.time[-1]:
        return one
    count = int(np.searchsorted(one.time[: one.games], until, "right"))
    deviation = None if one.deviation is None else one.deviation[: count + 1]
    return Career(
        one.player, one.rating[: count + 1], deviation, np.minimum(one.time[: count + 1], until)
    )


def cut_to_years(found: Sequence[Career], years: float) -> list[Career]:
    """The careers from so many years before the last game of all of them on."""
    ends = [one.time[one.games - 1] for one in found if one.time is not None and one.games]
    since = max(ends, default=np.inf) - years * YEAR_DAYS
    return [cut_career(one, since) for one in found] if len(ends) == len(found) else list(found)


def keeps_ratings(ratings: Ratings) -> bool:
    """Whether the ratings before each game can be read, as of a ladder that keeps them."""
    return hasattr(ratings, "read_before") and bool(ratings.prior.held)


def careers(ratings: Ratings, players: Sequence[str], since: float = -np.inf) -> tuple[Career, ...]:
    """The careers of the players named, in that order, from one replay; as `read_careers`.

    Raises NoModel for a system that looks at all games at once, UnknownPlayer.
    """
    if not isinstance(ratings, DynamicRatings):
        raise NoModel.of("no_history.careers", system=ratings.system.name)
    return read_careers(ratings, [ratings.index(player) for player in players], since)


def read_careers(
    ratings: DynamicRatings, chosen: Sequence[int], since: float = -np.inf
) -> tuple[Career, ...]:
    """The careers of players by number; of a dated table from a day on (1970 = 0)."""
    kept = keeps_ratings(ratings)
    table = ratings.table if kept else ratings.played_table
    wanted = np.zeros(len(ratings.players), dtype=bool)
    wanted[list(chosen)] = True
    entries = np.flatnonzero(wanted[table.player])
    time = None if table.time is None else table.time[table.contest_of_member[entries]]
    if time is not None and since > -np.inf:
        entries, time = entries[time >= since], time[time >= since]
    player = table.player[entries]
    if kept:
        before = ratings.read_before(entries)
    else:
        seen = watch_players(ratings, chosen, own=True, since=since)
        before = read_ratings(ratings, seen, entries)
    return tuple(_career(ratings, k, player == k, before, time) for k in chosen)


def _career(
    ratings: DynamicRatings,
    player: int,
    mine: NDArray[np.bool_],
    before: Floats,
    time: Floats | None,
) -> Career:
    """The career of one player from the entries of all."""
    values = np.concatenate((before[mine], ratings.values[[player]]))
    moments = None
    if time is not None:
        own = time[mine]
        now = own[-1:] if ratings.day is None else np.maximum(own[-1:], ratings.day)
        if not len(own) and ratings.day is not None:
            now = np.array([ratings.day])
        moments = np.concatenate((own, now))
    column = ratings.fields.index("deviation") if "deviation" in ratings.fields else None
    deviation = None if column is None else values[:, column]
    return Career(ratings.players[player], values[:, 0], deviation, moments)


def ratings_before(ratings: Ratings, since: float) -> Floats | None:
    """The ratings before a day (1970 = 0), [players]; nan of those who had not played.

    None where that would need a replay, and for tables without dates.
    """
    if not (keeps_ratings(ratings) and isinstance(ratings, DynamicRatings)):
        return None
    table = ratings.table
    if table.time is None or ratings.whole_strength is not None:
        return None
    recent = np.flatnonzero(table.time[table.contest_of_member] >= since)
    player, first, count = np.unique(table.player[recent], return_index=True, return_counts=True)
    before = np.where(ratings.has_played(), ratings.values[:, 0], np.nan)
    before[player] = ratings.read_before(recent[first])[:, 0]
    before[player[count == np.bincount(table.player, minlength=len(before))[player]]] = np.nan
    return before


def last_members(table: Games, players: Sequence[int], most: int) -> dict[int, NDArray[np.int64]]:
    """Where players last stand among the members of a table, ascending, at most so often.

    Empty for contests of more than two sides.
    """
    if not table.pairwise:
        return {}
    number = np.full(len(table.players), -1)
    number[players] = np.arange(len(players), dtype=np.int64)
    own = number[table.player]
    members = np.flatnonzero(own >= 0)
    own = own[members].astype(np.min_scalar_type(len(players)))  # 16 bits are sorted by radix
    members = members[np.argsort(own, kind="stable")]
    ends = np.cumsum(np.bincount(own, minlength=len(players)), dtype=np.int64).tolist()
    runs = zip(players, (0, *ends), ends, strict=False)
    return {k: members[max(begin, end - most) : end] for k, begin, end in runs}


def scores_of(table: Games, members: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the sides of some members of a pairwise table scored."""
    side = table.side_of_member[members]
    score = table.score[side // 2]
    return np.where(side % 2 == 0, score, 1.0 - score)


def histories(
    ratings: Ratings,
    players: Sequence[str] | None = None,
    *,
    top: int = 6,
    against: Literal["date", "game"] | None = None,
    level: float = 0.95,
    together: bool = False,
    since: float | None = None,
    until: float | None = None,
) -> Chart:
    """The histories of the players named, or of the `top` best of those usually listed.

    A panel a player, or all `together` in one; from the day `since` to the day `until` (1970 = 0).

    By date where there are dates and fewer than half of the games are of one day, else by number of
    the game. Raises Undrawable where the table has
    no dates to draw by or no player has a game, NoModel for a system that has no histories,
    UnknownPlayer.
    """
    if players is None:
        players = usual_listing(ratings).board(ratings, top).columns["player"]
    found = list(careers(ratings, list(dict.fromkeys(players))))
    if (since, until) != (None, None):
        if ratings.table.time is None:
            raise Undrawable.of("no_dates.days")
        found = [end_career(one, np.inf if until is None else until) for one in found]
        found = [cut_career(one, -np.inf if since is None else since) for one in found]
    draw = shared_chart if together else career_chart
    chart = draw(found, rating_label(ratings), ratings.table.unit, against=against, level=level)
    table, span = ratings.table, ""
    if table.time is not None:
        dates = format_day(table.time.min()), format_day(table.time.max())
        span = f", {' to '.join(dict.fromkeys(dates))}"
    banded = "deviation" in ratings.fields and not together  # lines that share a panel have none
    band = f"; the band is the {level:.0%} interval" if banded else ""
    games = format_count(len(table), table.unit)
    return replace(chart, subtitle=f"{ratings.system.name}, {games}{span}{band}.")


def history_chart(history: History, *, against: Literal["date", "game"] | None = None) -> Chart:
    """The ratings of one player's history; raises Undrawable without a game."""
    steps = history.steps
    ends = [*(step.before for step in steps), *(step.after for step in steps[-1:])]
    times = [step.time for step in (*steps, *steps[-1:]) if step.time is not None]
    time = np.array(times) if times else None
    career = Career(history.player, np.array(ends), None, time)
    return career_chart([career] if steps else [], "rating", against=against)


def career_chart(
    found: Sequence[Career],
    axis: str,
    what: str = "game",
    *,
    against: Literal["date", "game"] | None = None,
    level: float = 0.95,
) -> Chart:
    """A panel a player, all on one scale, the other players faint behind.

    Bands hold the true rating with probability `level`. Raises Undrawable as `histories`.
    """
    found = [one for one in found if one.games]
    if not found:
        raise Undrawable.of("no_players_to_show.history")
    dated = all(one.time is not None for one in found)
    if against == "date" and not dated:
        raise Undrawable.of("no_dates.history")
    against = against or natural_axis(found)
    few = join_names([isolate_name(one.player) for one in found[:MAX_TITLE_NAMES]])
    who = few if len(found) <= MAX_TITLE_NAMES else f"{len(found)} players"
    quantity = "Ratings" if len(found) > 1 else "Rating"
    pause = _longest_pause(found) if against == "date" else np.inf
    first = min(float(one.places(against)[0]) for one in found)
    last = max(float(one.places(against)[-1]) for one in found)
    ends = (first, last) if last > first else (first - 0.5, last + 0.5)
    x = Axis("", *ends, kind="day") if against == "date" else Axis(what, *ends)
    y = Axis("", *_levels(found, level))
    tall = 280.0 if len(found) == 1 else 185.0
    return Chart(
        f"{quantity} of {who} by {against if against == 'date' else f'number of the {what}'}",
        " ".join(_summary(one, against, what) for one in found),
        tuple(
            Panel(
                x, y, tuple(_layers(one, found, against, pause, level)), tall,
                heading=one.player, aside=f"{one.rating[-1]:.1f}",
            )
            for one in found
        ),
        partial(_rows, found),
        " ".join(_reading(found, against, what, level, pause)),
        caption=axis,
        least=280.0,
    )  # fmt: skip


def shared_chart(
    found: Sequence[Career],
    axis: str,
    what: str = "game",
    *,
    against: Literal["date", "game"] | None = None,
    level: float = 0.95,
) -> Chart:
    """All players in one panel, each named where the line ends; raises Undrawable as `histories`.

    The title says who is ahead.
    """
    apart = career_chart(found, axis, what, against=against, level=level)
    found = sorted((one for one in found if one.games), key=lambda one: -float(one.rating[-1]))
    if len(found) > MOST_TOGETHER:
        raise Undrawable.of("too_many_players.history", most=MOST_TOGETHER)
    panel = apart.panels[0]
    assert isinstance(panel.x, Axis)
    span = panel.x.high - panel.x.low
    across = replace(panel.x, high=panel.x.high + NAMES_WIDE * span)
    low = min(float(one.rating.min()) for one in found)
    high = max(float(one.rating.max()) for one in found)
    scale = Axis("", *bounds(low, high, 8))
    layers: list[Layer] = []
    room, free = (scale.high - scale.low) / LABELS_HIGH, np.inf
    for one in found:
        at = one.places(against or natural_axis(found))
        layers.append(Line(at, one.rating, name=one.player))
        layers.append(Dots(at[-1:], one.rating[-1:], style=SERIES, radius=3.0, name=one.player))
        free = min(float(one.rating[-1]), free - room)
        layers.append(Text(float(at[-1]) + 0.01 * span, free + 0.25 * room, one.player))
    title = apart.title
    if len(found) > 1:
        gap = found[0].rating[-1] - found[1].rating[-1]
        digits = count_decimals(np.array([low, high]))
        names = [isolate_name(one.player) for one in found[:2]]
        title = f"{names[0]} is {gap:.{digits}f} ahead of {names[1]}"
    reading = f"Each line is the rating before each {what}; the dot at the end is the rating now."
    whole = replace(
        panel, x=across, y=scale, layers=tuple(layers), height=380.0, heading="", aside=""
    )
    return replace(apart, title=title, panels=(whole,), reading=reading)


def _layers(
    one: Career, found: Sequence[Career], against: str, pause: float, level: float
) -> Iterator[Layer]:
    """One player: the others behind, the band, the line with its gaps, the rating now."""
    for other in found:
        if other is not one:
            yield Line(other.places(against), other.rating, "ghost", density=GHOSTS)
    at, z = one.places(against), two_sided_quantile(level)
    breaks = _find_breaks(at, pause)
    runs = list(pairwise([0, *breaks.tolist(), len(at)]))
    if one.deviation is not None:
        for start, end in runs:
            rating, reach = one.rating[start:end], z * one.deviation[start:end]
            yield Band(at[start:end], rating - reach, rating + reach)
    for start, end in runs:
        yield Line(at[start:end], one.rating[start:end], "curve")
    for k in breaks.tolist():
        yield Line(at[k - 1 : k + 1], one.rating[k - 1 : k + 1], "gap")
    yield Dots(at[-1:], one.rating[-1:], radius=3.0)


def _find_breaks(at: Floats, pause: float) -> NDArray[np.int64]:
    """The points after a pause that is drawn as a gap."""
    return np.flatnonzero(np.diff(at) > pause) + 1


def _levels(found: Sequence[Career], level: float) -> tuple[float, float]:
    """The ratings of all panels; of bands, those that hold now."""
    low = min(float(one.rating.min()) for one in found)
    high = max(float(one.rating.max()) for one in found)
    for one in found:
        if one.deviation is not None:
            reach = two_sided_quantile(level) * float(one.deviation[-1])
            low = min(low, float(one.rating[-1]) - reach)
            high = max(high, float(one.rating[-1]) + reach)
    return bounds(low, high, 8)


def _longest_pause(found: Sequence[Career]) -> float:
    """The days without a game after which a line is drawn as a gap."""
    gaps = np.concatenate([np.diff(one.places("date")[: one.games]) for one in found])
    usual = float(np.median(gaps)) if len(gaps) else 0.0
    places = [one.places("date") for one in found]
    first, last = min(one[0] for one in places), max(one[-1] for one in places)
    return max((last - first if last > first else 1.0) / GAP_PARTS, GAP_PAUSES * usual)


def _summary(one: Career, against: str, what: str) -> str:
    best, worst = int(one.rating.argmax()), int(one.rating.argmin())
    return (
        f"{isolate_name(one.player)}: {format_count(one.games, what)}, now {one.rating[-1]:.1f}, "
        f"highest {one.rating[best]:.1f} {_format_moment(one, best, against, what)}, "
        f"lowest {one.rating[worst]:.1f} {_format_moment(one, worst, against, what)}."
    )


def _format_moment(one: Career, k: int, against: str, what: str) -> str:
    if k == one.games:
        return "now"
    if one.time is None or against == "game":
        return f"before {what} {k + 1:,}"
    return f"before the {what} of {format_date(float(one.time[k]))[:10]}"


def _reading(
    found: Sequence[Career], against: str, what: str, level: float, pause: float
) -> Iterator[str]:
    """Sentences on how to read the chart."""
    yield f"Each point is the rating before a {what}; the dot at the end is the rating now."
    if len(found) > 1:
        yield "Faint lines are the other players of the figure."
    if all(one.deviation is not None for one in found):
        yield (
            f"The band holds the true rating with a probability of {level:.0%}, as the "
            f"system sees it: rating \N{PLUS-MINUS SIGN} {two_sided_quantile(level):.2f} "
            "deviations; it is cut at the edge of the panel."
        )
    if any(len(_find_breaks(one.places(against), pause)) for one in found):
        days = f"{pause:.0f} days" if pause >= 2.0 else f"{24.0 * pause:.0f} hours"
        text = f"{pause / YEAR_DAYS:.1f} years" if pause >= YEAR_DAYS else days
        yield f"Dotted: no {what} for more than {text}."


def _rows(found: Sequence[Career]) -> Rows:
    """Every rating, none left out."""
    return [
        {
            "player": one.player,
            "game": k + 1 if k < one.games else None,
            "date": None if one.time is None else format_date(float(one.time[k])),
            "rating": float(one.rating[k]),
            **({} if one.deviation is None else {"deviation": float(one.deviation[k])}),
        }
        for one in found
        for k in range(len(one.rating))
    ]
