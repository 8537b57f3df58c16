"""Leaderboards as plain values: ranks with intervals, rows; and a cache of computed values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from prowess.compile.numbers import Ids
from prowess.engine.fit import NoModel
from prowess.engine.leaderboard import shared_ranks
from prowess.engine.params import Bank
from prowess.engine.rate import DynamicRatings
from prowess.games.dates import format_date
from prowess.games.reading import format_count
from prowess.present.drawings import BarScale, build_paths, draw_form, draw_spark
from prowess.present.histories import (
    Career,
    keeps_ratings,
    last_members,
    ratings_before,
    read_careers,
    scores_of,
)
from prowess.present.layers import YEAR_DAYS, count_decimals
from prowess.present.listing import Certainty, Listing, certainty, rating_column, state_leader
from prowess.present.rendering import long_day, to_digits

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


COVERAGE = 0.95  # of the intervals
WEEK_DAYS = 7.0  # days in which a move of rank is news
FORM_GAMES = 5
VALUE_NAMES = {"games": "own_games"}  # of the system, beside the count of results
RECORD_FIELDS = ("wins", "draws", "losses")
LEAD_SCORE = 0.75  # the expected score whose lead is shown
LEADS = [m * 10.0**e for e in range(-3, 5) for m in (1.0, 2.0, 5.0)]  # round numbers of points


@dataclass(frozen=True, eq=False)
class RankedPlayers:
    """The listed players, best first: roster numbers, ranks, intervals.

    Equal strengths share the better rank; of equals the one with the lower number
    (`player_numbers`) comes first. `records` are wins, draws and losses of all players, None for
    contests.
    """

    order: Ids
    rank: Ids
    sure: Certainty
    records: Ids | None

    def find_place(self, k: int) -> int | None:
        """Where in the order a player stands, from 0; None for a player who is not listed."""
        found = np.flatnonzero(self.order == k)
        return int(found[0]) if len(found) else None


def rank_listed(ratings: Ratings, listing: Listing, level: float = COVERAGE) -> RankedPlayers:
    """Rank the listed players among themselves, with intervals of a probability; cached."""

    def work() -> RankedPlayers:
        chosen = listing.players(ratings)
        strength = ratings.strength[chosen]
        order = np.lexsort((player_numbers(ratings)[chosen], -strength))
        sure = certainty(ratings, level, listing) if len(chosen) else Certainty(level, "")
        records = cached_value(ratings, "record", lambda: count_records(ratings))
        return RankedPlayers(chosen[order], shared_ranks(strength[order]), sure, records)

    return cached_value(ratings, ("board", listing, level), work)


def order_players(ratings: Ratings, listing: Listing, level: float = COVERAGE) -> list[int]:
    """All who played, by number: those listed by rank, then the others by rating."""
    listed, everyone = (rank_listed(ratings, one, level).order for one in (listing, Listing()))
    return [*listed.tolist(), *everyone[~np.isin(everyone, listed)].tolist()]


def player_numbers(ratings: Ratings) -> Ids:
    """Numbers that identify players, [players]: the store's number, or else the row of the roster.

    A player's row can change after corrections and in a replay of the log; the number cannot.
    """
    found: Ids | None = getattr(ratings.players, "ids", None)
    return np.arange(len(ratings.players), dtype=np.int64) if found is None else found


def count_records(ratings: Ratings) -> Ids | None:
    """Wins, draws, losses, [players, 3]; None for contests. Other scores count as the nearest."""
    table = ratings.table
    if not table.pairwise:
        return None
    score = table.score  # outcome: place in RECORD_FIELDS, for the first side
    outcome = (score <= 0.5).astype(np.int64) + (score < 0.5)
    both = np.stack((outcome, 2 - outcome), axis=1).ravel()  # [sides]
    place = 3 * table.player.astype(np.int64) + both[table.side_of_member]
    return np.bincount(place, minlength=3 * len(ratings.players)).reshape(-1, 3)


def build_standing(
    ratings: Ratings, listed: RankedPlayers, rule: Listing, k: int, place: int | None
) -> dict[str, Any]:
    """Build the row of player k at a place of the order, from 0; without a place no rank."""
    first = next(iter(ratings.columns))  # ranks the players, as an engine with its family
    value = {name: ratings.columns[name][k].item() for name in (first, *ratings.fields)}
    last = None if ratings.last is None else float(ratings.last[k])
    games, sure = int(ratings.game_counts[k]), listed.sure
    record = interval = ranks = None
    if listed.records is not None:
        record = dict(zip(RECORD_FIELDS, listed.records[k].tolist(), strict=True))
    if sure.low is not None and sure.high is not None:
        interval = {"low": float(sure.low[k]), "high": float(sure.high[k]), "level": sure.level}
    if sure.ranking is not None:
        low, high = sure.ranking.ranks_of(k)
        ranks = {"low": low, "high": high, "level": sure.level} if low else None
    return {
        "rank": None if place is None else int(listed.rank[place]),
        "player": ratings.players[k],
        "rating": value[first],
        "values": {name: v for name, v in value.items() if name not in ratings.inner},
        "games": games,
        "record": record,
        "last_played": None if last is None or np.isnan(last) else format_date(last),
        "provisional": games < rule.min_games,
        "inactive": rule.since is not None and last is not None and last < rule.since,
        "interval": interval,
        "rank_interval": ranks,
    }


def build_standings(
    ratings: Ratings, listed: RankedPlayers, rule: Listing, players: Sequence[int]
) -> list[dict[str, Any]]:
    """Build the rows of players by number, `k`; those who are not listed have no rank."""
    places = {k: place for place, k in enumerate(listed.order.tolist())}
    return [build_standing(ratings, listed, rule, k, places.get(k)) | {"k": k} for k in players]


def flatten_row(row: dict[str, Any]) -> dict[str, Any]:
    """Flatten a row of a leaderboard for tables.

    `games` counts results; a value of the system of that name is called `own_games`.
    """
    record, interval, ranks = row["record"], row["interval"], row["rank_interval"]
    first = {"rank": row["rank"], "player": row["player"], "rating": row["rating"]}
    between = {
        "low": interval and interval["low"],
        "high": interval and interval["high"],
        "rank_low": ranks and ranks["low"],
        "rank_high": ranks and ranks["high"],
    }
    outer = ((name, value) for name, value in row["values"].items() if name not in first)
    values = {VALUE_NAMES.get(name, name): value for name, value in outer}
    rest = {name: row[name] for name in ("games", "last_played", "provisional", "inactive")}
    return first | values | between | rest | dict(record or dict.fromkeys(RECORD_FIELDS))


class Board(NamedTuple):
    """The rows of a leaderboard, best first, with their explanations.

    A row is one of `build_standings` with `change` since the day it is compared with (None: not
    known then), `move` in rank since a number of days (None: not ranked then), and what `draw_rows`
    draws.
    """

    rows: tuple[dict[str, Any], ...]
    total: int  # rows there would be without a limit
    quiet: int  # players without a rank: few games, or none for long
    rule: str
    sure: str  # where the intervals come from, or why there are none
    head: str  # what is rated: `1,143 games, 23 players, up to 8 March 2026`
    lead: str | None  # what a lead is worth, by the system's own curve
    finding: str  # who leads, and how surely
    dated: bool
    few: bool  # all are ranked because the rule leaves too few players
    ranked: int  # players among whom ranks count
    moved: bool  # whether ranks of earlier days are known
    sparked: bool  # whether rows have histories
    axis: Any  # the scale of the intervals, as a drawing; None without intervals
    digits: int  # decimals of the ratings


def build_board(
    ratings: Ratings,
    listing: Listing,
    *,
    playing: bool = False,
    few: bool = False,
    first: int = 0,
    limit: int | None = None,
    before: Mapping[str, float] | None = None,
    names: str = "",
    days: float = WEEK_DAYS,
) -> Board:
    """The leaderboard from row `first` on.

    Everybody who played stands there in the order of rating, those whom the rule leaves out without
    a rank, unless only those `playing` are asked for; where the rule leaves too `few`, all are
    ranked. `before` holds earlier ratings by name; `names` selects the players whose name
    contains this text, in any case; `days` is the time in which ranks moved.
    """
    listed = rank_listed(ratings, Listing() if few else listing)
    everyone = listed if playing else rank_listed(ratings, Listing())
    chosen: list[int] = everyone.order.tolist()
    if names:
        asked = names.casefold()
        chosen = [k for k in chosen if asked in ratings.players[k].casefold()]
    earlier_ranks, week_before = (
        cached_value(
            ratings, ("earlier", span, listing, few), partial(rank_earlier, ratings, listed, span)
        )
        for span in (days, WEEK_DAYS)
    )
    is_new = any((week_before or {}).get(k, 1) > 1 for k in listed.order[:1].tolist())
    rows = []
    page = chosen[first : None if limit is None else first + limit]
    for row in build_standings(ratings, listed, listing, page):
        k = row["k"]
        earlier = None if before is None else before.get(row["player"])
        change = None if earlier is None else row["rating"] - earlier
        move = None
        if row["rank"] is not None and earlier_ranks is not None and k in earlier_ranks:
            move = earlier_ranks[k] - row["rank"]
        rows.append(row | {"change": change, "move": move})
    digits = rating_digits(ratings)
    axis, sparked = draw_rows(ratings, rows, digits)
    played = int(ratings.has_played().sum())
    head = [format_count(ratings.contests, ratings.table.unit), format_count(played, "player")]
    if ratings.day is not None:
        head.append(f"up to {long_day(floor(ratings.day))}")
    return Board(
        rows=tuple(rows),
        total=len(chosen),
        quiet=played - len(listed.order),
        rule=listing.describe(ratings),
        sure=listed.sure.words,
        head=", ".join(head),
        lead=cached_value(
            ratings, ("lead", listing, few), lambda: describe_lead(ratings, listed.order)
        ),
        finding=cached_value(
            ratings,
            ("finding", listing, few),
            lambda: find_leader(ratings, listed, digits, is_new=is_new),
        ),
        dated=ratings.last is not None,
        few=few,
        ranked=len(listed.order),
        moved=earlier_ranks is not None,
        sparked=sparked,
        axis=axis,
        digits=digits,
    )


def rating_digits(ratings: Ratings) -> int:
    """Decimals that ratings are shown with."""
    return count_decimals(rating_column(ratings)[ratings.has_played()])


def rank_earlier(ratings: Ratings, listed: RankedPlayers, days: float) -> dict[int, int] | None:
    """The ranks that the listed players had so many days before the last game, by number.

    Those who had not played are left out; None where earlier ratings are not kept.
    """
    if ratings.last is None or not len(listed.order):
        return None
    before = ratings_before(ratings, float(np.nanmax(ratings.last)) - days)
    if before is None:
        return None
    known = listed.order[np.isfinite(before[listed.order])]
    order = known[np.argsort(-before[known], kind="stable")]
    ranks = shared_ranks(before[order])
    return dict(zip(order.tolist(), ranks.tolist(), strict=True))


def find_leader(ratings: Ratings, listed: RankedPlayers, digits: int, *, is_new: bool) -> str:
    """Who leads and who else could be first, as a sentence; "" without ranked players."""
    if not len(listed.order):
        return ""
    order, names = listed.order.tolist(), ratings.players
    rivals = gap = None
    if listed.sure.ranking is not None:
        lows = listed.sure.ranking.ranks[0]
        at = {int(k): n for n, k in enumerate(listed.sure.ranking.players)}
        rivals = [names[k] for k in order[1:] if lows[at[k]] == 1]
    if len(order) > 1:
        rating = rating_column(ratings)
        gap = f"{abs(float(rating[order[0]] - rating[order[1]])):.{digits}f}"
    return state_leader(
        [names[k] for k, rank in zip(order, listed.rank, strict=True) if rank == 1],
        [names[k] for k in order[1:]],
        rivals,
        gap,
        is_new=is_new,
    )


def draw_rows(ratings: Ratings, rows: list[dict[str, Any]], digits: int) -> tuple[Any, bool]:
    """Add drawings to rows: `bar`, as `draw_bars`, `spark`, the last 12 months, `form`.

    Returns the scale of the bars, None without intervals, and whether there are histories.
    """
    numbers = [row["k"] for row in rows]
    table = ratings.table
    own = last_members(table, numbers, FORM_GAMES)
    form = {k: scores_of(table, members) for k, members in own.items()}
    found: dict[str, Career] = {}
    if ratings.last is not None and keeps_ratings(ratings) and isinstance(ratings, DynamicRatings):
        since = float(np.nanmax(ratings.last)) - YEAR_DAYS
        some = read_careers(ratings, numbers, since)
        found = {one.player: one for one in some if one.games}
    paths = build_paths(list(found.values())) if found else None
    for row in rows:
        row["form"] = draw_form(form.get(row["k"], ()))
        row["spark"] = "" if paths is None else draw_spark(paths, found.get(row["player"]))
    return draw_bars(rows, digits, COVERAGE), paths is not None


def draw_bars(rows: list[dict[str, Any]], digits: int, level: float, top: int | None = None) -> Any:
    """Add `bar` to rows, the interval on one axis, which holds the ranked of the `top` first.

    Returns the scale of the axis for the head of the column, None without intervals.
    """
    ranked = [row for row in rows[:top] if row["rank"] is not None] or rows[:top]
    spans = [
        (row["rating"], row["interval"]["low"], row["interval"]["high"])
        for row in ranked
        if row["interval"]
    ]
    scale = BarScale.around(np.array(spans)) if spans else None
    for row in rows:
        pair = row["interval"]
        quiet = " quiet" if row["rank"] is None else ""
        row["bar"] = ""
        if scale is not None and pair:
            low, high = pair["low"], pair["high"]
            label = f"most likely {to_digits(low, digits)} to {to_digits(high, digits)}"
            row["bar"] = scale.draw(row["rating"], (low, high), label, quiet)
    return None if scale is None else scale.draw_head(level)


def describe_lead(ratings: Ratings, listed: Ids) -> str | None:
    """The expected score of a lead on neutral ground in words; None without a model of a game."""
    if len(listed) < 2:
        return None
    if isinstance(ratings, DynamicRatings) and not isinstance(ratings.p, Bank):
        system, p = ratings.system, ratings.p  # a round lead, between two median players
        usual = system.rating._make(np.median(ratings.values[listed], axis=0).tolist())
        found = []
        for points in LEADS:
            above = system.alone(p, usual._replace(rating=usual.rating + 0.5 * points))
            below = system.alone(p, usual._replace(rating=usual.rating - 0.5 * points))
            found.append((points, float(system.expected(p, above, below, system.game))))
        points, expected = min(found, key=lambda one: abs(one[1] - LEAD_SCORE))
        lead = f"{points:g}"
    else:
        try:
            points, expected = _real_lead(ratings, listed)
        except NoModel:
            return None
        lead = f"{points:.4g}"
    if abs(expected - LEAD_SCORE) > 0.15:
        return None
    return f"{lead} more is an expected score of {100.0 * expected:.0f} %"


def _real_lead(ratings: Ratings, listed: Ids) -> tuple[float, float]:
    """The lead over the median player whose expected score is nearest to 3/4; raises NoModel."""
    order = listed[np.argsort(-ratings.strength[listed], kind="stable")]
    middle = int(order[len(order) // 2])
    better = order[: len(order) // 2][::-1].tolist()  # the nearest first: the lead grows

    def worth(k: int) -> float:
        return ratings.chances(k, middle, 0.0).expected

    if not better:
        return 0.0, worth(middle)
    at = bisect_left(better, LEAD_SCORE, hi=len(better) - 1, key=worth)
    best = min(better[max(at - 1, 0) : at + 1], key=lambda k: abs(worth(k) - LEAD_SCORE))
    rating = rating_column(ratings)
    return float(rating[best] - rating[middle]), worth(best)


# Cache of values computed from ratings, kept as long as the ratings are.


T = TypeVar("T")
MAX_CACHED_VALUES = 64  # of one set of ratings; the oldest is dropped
MOST_GAMES = 50_000  # of the players with cached values; the oldest value is dropped


@dataclass
class PlayerValue:
    """A cached value of a player, and whether it was asked for lately."""

    games: int
    value: Any
    asked: bool = True


Own = dict[tuple[int, Hashable], PlayerValue]  # by player and what it is

_kept: WeakKeyDictionary[Any, dict[Hashable, Any]] = WeakKeyDictionary()
_own: WeakKeyDictionary[Any, Own] = WeakKeyDictionary()  # by lineage of ratings
_lock = Lock()


def cached_value(ratings: Ratings, what: Hashable, work: Callable[[], T]) -> T:
    """The value of `work()`, cached as long as these ratings live.

    Two threads at once may both compute it. The value must not refer to the ratings, which would
    keep them alive.
    """
    with _lock:
        known = _kept.setdefault(ratings, {})
        if what in known:
            found: T = known[what]
            return found
    made = work()
    with _lock:
        if len(known) >= MAX_CACHED_VALUES:
            del known[next(iter(known))]
        known[what] = made
    return made


def has_lineage(ratings: Ratings) -> bool:
    """Whether values of one player stay valid while others play: the ratings are a ladder's."""
    return hasattr(ratings, "lineage")


def keep_for_player(ratings: Ratings, k: int, what: Hashable, work: Callable[[T | None], T]) -> T:
    """The value of `work(earlier)`, cached until player k plays another game.

    It may depend only on the games of this player and the ratings before each of them. `earlier`
    is the cached value for fewer games, or None. For ratings of a table, which have no lineage, the
    value is cached as long as the ratings live.
    """
    if not has_lineage(ratings):
        return cached_value(ratings, (what, k), lambda: work(None))
    lineage: Any = ratings.lineage
    games = int(ratings.game_counts[k])
    with _lock:
        kept = _own.setdefault(lineage, {})
        known = kept.get((k, what))
    if known is not None and known.games == games:
        known.asked = True
        return cast("T", known.value)
    made = work(known.value if known is not None and known.games < games else None)
    with _lock:
        kept.pop((k, what), None)
        kept[k, what] = PlayerValue(games, made)
        total = sum(one.games for one in kept.values())
        for place in list(kept):
            if total <= MOST_GAMES or len(kept) == 1:
                break
            total -= kept.pop(place).games
    return made


def drop_unasked_values() -> None:
    """Drop the cached values of players that were not asked for since the last call."""
    with _lock:
        for kept in _own.values():
            for place in [place for place, one in kept.items() if not one.asked]:
                del kept[place]
            for one in kept.values():
                one.asked = False
