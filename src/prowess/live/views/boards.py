"""The leaderboard: who stands where, how surely, and with what record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import date_text
from prowess.games.games import Games
from prowess.live.views.remembered import remembered
from prowess.study.figures.certainty import Certainty, certainty
from prowess.study.figures.listing import Listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Ids = NDArray[np.int64]

LEVEL = 0.95  # of the intervals
RECORD = ("wins", "draws", "losses")


@dataclass(frozen=True)
class Marks:
    """When a rating is shown as provisional (fewer games), and a player as inactive (days)."""

    provisional_games: int
    inactive_days: int


@dataclass(frozen=True, eq=False)
class Board:
    """The players listed, best first: their numbers in the roster, ranks, and how sure they are.

    Equal strengths share the better rank; of equals the one first seen comes first.
    """

    order: Ids
    rank: Ids
    sure: Certainty


def board(ratings: Ratings, listing: Listing) -> Board:
    """The leaderboard of those who are listed; ranks are given among them."""

    def work() -> Board:
        chosen = listing.chosen(ratings)
        strength = ratings.strength[chosen]
        order = np.argsort(-strength, kind="stable")
        ordered = strength[order]
        first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
        places = np.arange(1, len(ordered) + 1)
        rank = np.maximum.accumulate(np.where(first, places, 0)) if len(ordered) else places
        sure = certainty(ratings, LEVEL, listing) if len(chosen) else Certainty(LEVEL, "")
        return Board(chosen[order], rank, sure)

    return remembered(ratings, ("board", listing), work)


def active_since(ratings: Ratings, inactive_days: int) -> float | None:
    """The day since which a player must have played to be active; None without dates."""
    return None if ratings.day is None else ratings.day - inactive_days


def rows(
    ratings: Ratings, listed: Board, marks: Marks, first: int = 0, limit: int | None = None
) -> list[dict[str, Any]]:
    """Rows `first` to `first + limit` of a leaderboard, each complete in itself."""
    stop = None if limit is None else first + limit
    places = zip(listed.order[first:stop].tolist(), listed.rank[first:stop].tolist(), strict=True)
    return [
        {"rank": rank} | standing(ratings, k, marks) | _certain(listed.sure, k)
        for k, rank in places
    ]


def standing(ratings: Ratings, k: int, marks: Marks) -> dict[str, Any]:
    """Everything a leaderboard says of one player but his rank."""
    value = dict(zip(ratings.fields, _numbers(ratings, k), strict=True))
    last = None if ratings.last is None else float(ratings.last[k])
    since = active_since(ratings, marks.inactive_days)
    games = int(ratings.games[k])
    return {
        "player": ratings.players[k],
        "rating": value[ratings.fields[0]],
        "values": {name: v for name, v in value.items() if name not in ratings.inner},
        "games": games,
        "record": record(ratings, k),
        "last_played": None if last is None or np.isnan(last) else date_text(last),
        "provisional": games < marks.provisional_games,
        "inactive": since is not None and last is not None and last < since,
    }


def record(ratings: Ratings, k: int) -> dict[str, int] | None:
    """Games won, drawn and lost, a share of the points as the nearest; None for contests."""
    counts = remembered(ratings, "record", lambda: records(ratings))
    return None if counts is None else dict(zip(RECORD, counts[k].tolist(), strict=True))


def records(ratings: Ratings) -> Ids | None:
    """Wins, draws and losses of all players, [players, 3]; None for contests."""
    table = ratings.table
    if not isinstance(table, Games):
        return None
    count = len(ratings.players)
    won, drawn = table.score > 0.5, table.score == 0.5
    found = np.zeros((count, 3), dtype=np.int64)
    for side, mine, theirs in ((table.a, 0, 2), (table.b, 2, 0)):
        found[:, mine] += np.bincount(side[won], minlength=count)
        found[:, 1] += np.bincount(side[drawn], minlength=count)
        found[:, theirs] += np.bincount(side[~won & ~drawn], minlength=count)
    return found


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a leaderboard without anything inside anything, for tables."""
    record, interval, ranks = row["record"], row["interval"], row["rank_interval"]
    first = {"rank": row["rank"], "player": row["player"], "rating": row["rating"]}
    between = {
        "low": interval and interval["low"],
        "high": interval and interval["high"],
        "rank_low": ranks and ranks["low"],
        "rank_high": ranks and ranks["high"],
    }
    values = {name: value for name, value in row["values"].items() if name not in first}
    rest = {name: row[name] for name in ("games", "last_played", "provisional", "inactive")}
    return first | values | between | rest | dict(record or dict.fromkeys(RECORD))


def place_of(listed: Board, k: int) -> int | None:
    """Where in the order a player stands, from 0; None where he is not listed."""
    found = np.flatnonzero(listed.order == k)
    return int(found[0]) if len(found) else None


def _numbers(ratings: Ratings, k: int) -> list[float]:
    return [ratings.columns[name][k].item() for name in ratings.fields]


def _certain(sure: Certainty, k: int) -> dict[str, Any]:
    low, high = sure.interval(k)
    ranks = sure.ranks(k)
    interval = None if low is None else {"low": low, "high": high, "level": sure.level}
    between = None if ranks is None else {"low": ranks[0], "high": ranks[1], "level": sure.level}
    return {"interval": interval, "rank_interval": between}
