"""Leaderboards as plain values: ranks with intervals, rows, the rule of listing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import NoModel
from prowess.engine.leaderboard import shared_ranks
from prowess.engine.params import Bank
from prowess.engine.rate import DynamicRatings
from prowess.games.dates import format_date
from prowess.present.caching import cached_value
from prowess.present.listing import Certainty, Listing, certainty, rating_column, rating_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Ids = NDArray[np.int64]


LEVEL = 0.95  # of the intervals
RECORD = ("wins", "draws", "losses")
ABOUT = 0.75  # the expected score whose lead is shown
LEADS = [m * 10.0**e for e in range(-3, 5) for m in (1.0, 2.0, 5.0)]  # round numbers of points


@dataclass(frozen=True, eq=False)
class RankedPlayers:
    """The players listed, best first: their numbers in the roster, ranks, and how sure they are.

    Equal strengths share the better rank; of equals the one with the lower number
    (`player_numbers`) comes first.
    """

    order: Ids
    rank: Ids
    sure: Certainty


def rank_players(ratings: Ratings, listing: Listing) -> RankedPlayers:
    """The leaderboard of those who are listed; ranks are given among them."""

    def work() -> RankedPlayers:
        chosen = listing.players(ratings)
        strength = ratings.strength[chosen]
        order = np.lexsort((player_numbers(ratings)[chosen], -strength))
        rank = shared_ranks(strength[order])
        sure = certainty(ratings, LEVEL, listing) if len(chosen) else Certainty(LEVEL, "")
        return RankedPlayers(chosen[order], rank, sure)

    return cached_value(ratings, ("board", listing), work)


def player_numbers(ratings: Ratings) -> Ids:
    """Numbers that identify players, [players]: the store's number, or else the row of the roster.

    The row is another after corrections and in a replay of the log; the number is for ever.
    """
    found: Ids | None = getattr(ratings.players, "ids", None)
    return np.arange(len(ratings.players)) if found is None else found


def board_rows(
    ratings: Ratings, listed: RankedPlayers, rule: Listing, places: Iterable[int]
) -> list[dict[str, Any]]:
    """The rows at some places of a leaderboard, from 0, each complete in itself."""
    return [
        {"rank": int(listed.rank[place])}
        | build_standing(ratings, int(listed.order[place]), rule, listed)
        for place in places
    ]


def build_standing(
    ratings: Ratings, k: int, rule: Listing, listed: RankedPlayers
) -> dict[str, Any]:
    """Everything a leaderboard says of one player except the rank."""
    value = {name: ratings.columns[name][k].item() for name in ratings.fields}
    last = None if ratings.last is None else float(ratings.last[k])
    games = int(ratings.game_counts[k])
    return {
        "player": ratings.players[k],
        "rating": value[ratings.fields[0]],
        "values": {name: v for name, v in value.items() if name not in ratings.inner},
        "games": games,
        "record": player_record(ratings, k),
        "last_played": None if last is None or np.isnan(last) else format_date(last),
        "provisional": games < rule.min_games,
        "inactive": rule.since is not None and last is not None and last < rule.since,
    } | _find_intervals(listed.sure, k)


def player_record(ratings: Ratings, k: int) -> dict[str, int] | None:
    """Games won, drawn and lost, a share of the points as the nearest; None for contests."""
    counts = cached_value(ratings, "record", lambda: count_records(ratings))
    return None if counts is None else dict(zip(RECORD, counts[k].tolist(), strict=True))


def count_records(ratings: Ratings) -> Ids | None:
    """Wins, draws and losses of all players, [players, 3]; None for contests."""
    table = ratings.table
    if not table.pairwise:
        return None
    score = table.score  # outcome: place in RECORD, for the first side
    outcome = (score <= 0.5).astype(np.int64) + (score < 0.5)
    both = np.stack((outcome, 2 - outcome), axis=1).ravel()  # [sides]
    place = 3 * table.player.astype(np.int64) + both[table.side_of_member]
    return np.bincount(place, minlength=3 * len(ratings.players)).reshape(-1, 3)


def flatten_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a leaderboard without anything inside anything, for tables.

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
    values = {value_name(name): value for name, value in row["values"].items() if name not in first}
    rest = {name: row[name] for name in ("games", "last_played", "provisional", "inactive")}
    return first | values | between | rest | dict(record or dict.fromkeys(RECORD))


def value_name(name: str) -> str:
    """What a value of the system is called where the count of results stands beside it."""
    return "own_games" if name == "games" else name


def find_place(listed: RankedPlayers, k: int) -> int | None:
    """Where in the order a player stands, from 0; None for a player who is not listed."""
    found = np.flatnonzero(listed.order == k)
    return int(found[0]) if len(found) else None


def _find_intervals(sure: Certainty, k: int) -> dict[str, Any]:
    found = sure.interval(k)
    ranks = sure.ranks(k)
    interval = None if found is None else {"low": found[0], "high": found[1], "level": sure.level}
    between = (
        None
        if not ranks or not ranks[0]
        else {"low": ranks[0], "high": ranks[1], "level": sure.level}
    )
    return {"interval": interval, "rank_interval": between}


class Board(NamedTuple):
    """Rows, best first, and what a reader must know about them.

    A row is one of `board_rows` with `k`, the player's number in the roster, and `change`
    since the day it is compared with (None: not known then).
    """

    rows: tuple[dict[str, Any], ...]
    total: int  # rows there would be without a limit
    hidden: int  # players whom the rule leaves out
    rule: str
    rating: str  # the name of the column, with its unit
    level: float
    sure: str  # where the intervals come from, or why there are none
    head: str
    lead: str | None  # what a lead is worth, by the system's own curve
    dated: bool
    few: bool  # all are shown because the rule leaves too few players
    ranked: int  # players among whom ranks count


def build_board(
    ratings: Ratings,
    listing: Listing,
    *,
    everyone: bool = False,
    few: bool = False,
    first: int = 0,
    limit: int | None = None,
    before: Mapping[str, float] | None = None,
    names: str = "",
) -> Board:
    """The leaderboard from row `first` on.

    Players who are not listed are shown, and ranked, only with `everyone`, or where the rule leaves
    too `few`. `before` holds earlier ratings by name; `names` selects the players whose name
    contains this text, in any case.
    """
    listed = rank_players(ratings, Listing() if everyone or few else listing)
    places: Sequence[int] = range(len(listed.order))
    if names:
        asked, players = names.casefold(), listed.order.tolist()
        places = [n for n in places if asked in ratings.players[players[n]].casefold()]
    shown = places[first : None if limit is None else first + limit]
    rows = board_rows(ratings, listed, listing, shown)
    for place, row in zip(shown, rows, strict=True):
        earlier = None if before is None else before.get(row["player"])
        row["k"] = int(listed.order[place])
        row["change"] = None if earlier is None else row["rating"] - earlier
    return Board(
        rows=tuple(rows),
        total=len(places),
        hidden=int((ratings.game_counts > 0).sum()) - len(listing.players(ratings)),
        rule=listing.describe(ratings),
        rating=rating_label(ratings),
        level=listed.sure.level,
        sure=listed.sure.words,
        head=ratings.head(),
        lead=lead_text(ratings, listing),
        dated=ratings.last is not None,
        few=few,
        ranked=len(listed.order),
    )


def lead_text(ratings: Ratings, listing: Listing) -> str | None:
    """What a lead of some points is worth on neutral ground; None without a model of a game."""
    listed = listing.players(ratings)
    if len(listed) < 2:
        return None
    if isinstance(ratings, DynamicRatings) and not isinstance(ratings.p, Bank):
        return _usual_lead(ratings, listed)
    return _real_lead(ratings, listed)


def _usual_lead(ratings: DynamicRatings, listed: NDArray[np.int64]) -> str | None:
    """The round lead whose expected score is nearest to 3/4, between two median players."""
    system, p = ratings.system, ratings.p
    usual = system.rating._make(np.median(ratings.values[listed], axis=0).tolist())

    def worth(points: float) -> float:
        above = usual._replace(rating=usual.rating + 0.5 * points)
        below = usual._replace(rating=usual.rating - 0.5 * points)
        mine, theirs = (system.alone(p, one) for one in (above, below))
        return float(system.expected(p, mine, theirs, system.game))

    points = min(LEADS, key=lambda points: abs(worth(points) - ABOUT))
    expected = worth(points)
    if abs(expected - ABOUT) > 0.15:
        return None
    return f"{points:g} more is an expected score of {100.0 * expected:.0f} %"


def _real_lead(ratings: Ratings, listed: NDArray[np.int64]) -> str | None:
    """The lead over the median player whose expected score is nearest to 3/4."""
    order = listed[np.argsort(-ratings.strength[listed], kind="stable")]
    middle = int(order[len(order) // 2])
    try:
        worth = {int(k): ratings.chances(int(k), middle, 0.0).expected for k in order[:200]}
    except NoModel:
        return None
    best = min(worth, key=lambda k: abs(worth[k] - ABOUT))
    if abs(worth[best] - ABOUT) > 0.15:
        return None
    rating = rating_column(ratings)
    return (
        f"{float(rating[best] - rating[middle]):.4g} more is an expected score of "
        f"{100.0 * worth[best]:.0f} %"
    )


def unit_name(ratings: Ratings) -> str:
    """What a row of the table is called."""
    return ratings.table.unit
