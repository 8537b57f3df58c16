"""The leaderboard: who stands where, how surely, and with what record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.dates import format_date
from prowess.present.listing import Certainty, Listing, certainty
from prowess.present.views.remembered import remembered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Ids = NDArray[np.int64]

LEVEL = 0.95  # of the intervals
FEW = 3  # listed players: a shorter leaderboard tells nobody anything
RECORD = ("wins", "draws", "losses")


@dataclass(frozen=True, eq=False)
class Board:
    """The players listed, best first: their numbers in the roster, ranks, and how sure they are.

    Equal strengths share the better rank; of equals the one with the lower number (see `numbers`)
    comes first.
    """

    order: Ids
    rank: Ids
    sure: Certainty


def board(ratings: Ratings, listing: Listing) -> Board:
    """The leaderboard of those who are listed; ranks are given among them."""

    def work() -> Board:
        chosen = listing.chosen(ratings)
        strength = ratings.strength[chosen]
        order = np.lexsort((numbers(ratings)[chosen], -strength))
        ordered = strength[order]
        first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
        places = np.arange(1, len(ordered) + 1)
        rank = np.maximum.accumulate(np.where(first, places, 0)) if len(ordered) else places
        sure = certainty(ratings, LEVEL, listing) if len(chosen) else Certainty(LEVEL, "")
        return Board(chosen[order], rank, sure)

    return remembered(ratings, ("board", listing), work)


def numbers(ratings: Ratings) -> Ids:
    """What tells players apart, [players]: the store's number, or else the row of the roster.

    The row is another after corrections and in a replay of the log; the number is for ever.
    """
    found: Ids | None = getattr(ratings.players, "ids", None)
    return np.arange(len(ratings.players)) if found is None else found


def usual(ratings: Ratings, provisional_games: int, inactive_days: int) -> Listing:
    """The rule by which players are provisional (fewer games) or inactive (days without one).

    The days are whole ones: who played on the first of them, at whatever hour, is active.
    """
    since = None if ratings.day is None else float(int(ratings.day) - inactive_days)
    return Listing(provisional_games, since)


def enough(ratings: Ratings, rule: Listing) -> Listing:
    """Whom ranks count: those of the rule, or everybody while it leaves fewer than `FEW`."""
    return rule if len(rule.chosen(ratings)) >= FEW else Listing()


def rows(
    ratings: Ratings, listed: Board, rule: Listing, places: Iterable[int]
) -> list[dict[str, Any]]:
    """The rows at some places of a leaderboard, from 0, each complete in itself."""
    return [
        {"rank": int(listed.rank[place])}
        | standing(ratings, int(listed.order[place]), rule, listed)
        for place in places
    ]


def standing(ratings: Ratings, k: int, rule: Listing, listed: Board) -> dict[str, Any]:
    """Everything a leaderboard says of one player but his rank."""
    value = {name: ratings.columns[name][k].item() for name in ratings.fields}
    last = None if ratings.last is None else float(ratings.last[k])
    games = int(ratings.game_counts[k])
    return {
        "player": ratings.players[k],
        "rating": value[ratings.fields[0]],
        "values": {name: v for name, v in value.items() if name not in ratings.inner},
        "games": games,
        "record": record(ratings, k),
        "last_played": None if last is None or np.isnan(last) else format_date(last),
        "provisional": games < rule.min_games,
        "inactive": rule.since is not None and last is not None and last < rule.since,
    } | _certain(listed.sure, k)


def record(ratings: Ratings, k: int) -> dict[str, int] | None:
    """Games won, drawn and lost, a share of the points as the nearest; None for contests."""
    counts = remembered(ratings, "record", lambda: records(ratings))
    return None if counts is None else dict(zip(RECORD, counts[k].tolist(), strict=True))


def records(ratings: Ratings) -> Ids | None:
    """Wins, draws and losses of all players, [players, 3]; None for contests."""
    table = ratings.table
    if not table.pairwise:
        return None
    outcome = (table.score <= 0.5).astype(np.int64) + (
        table.score < 0.5
    )  # of RECORD, for the first
    both = np.stack((outcome, 2 - outcome), axis=1).ravel()  # [sides]
    place = 3 * table.player.astype(np.int64) + both[table.side_of_member]
    return np.bincount(place, minlength=3 * len(ratings.players)).reshape(-1, 3)


def flat(row: dict[str, Any]) -> dict[str, Any]:
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
    values = {own(name): value for name, value in row["values"].items() if name not in first}
    rest = {name: row[name] for name in ("games", "last_played", "provisional", "inactive")}
    return first | values | between | rest | dict(record or dict.fromkeys(RECORD))


def own(name: str) -> str:
    """What a value of the system is called where the count of results stands beside it."""
    return "own_games" if name == "games" else name


def place_of(listed: Board, k: int) -> int | None:
    """Where in the order a player stands, from 0; None where he is not listed."""
    found = np.flatnonzero(listed.order == k)
    return int(found[0]) if len(found) else None


def _certain(sure: Certainty, k: int) -> dict[str, Any]:
    found = sure.interval(k)
    ranks = sure.ranks(k)
    interval = None if found is None else {"low": found[0], "high": found[1], "level": sure.level}
    between = (
        None
        if not ranks or not ranks[0]
        else {"low": ranks[0], "high": ranks[1], "level": sure.level}
    )
    return {"interval": interval, "rank_interval": between}
