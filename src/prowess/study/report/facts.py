"""What a table says before anybody is rated: draws, the worth of a side, who is connected."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.fits.connectivity import groups
from prowess.engine.uncertainty import normal_quantile
from prowess.games.games import Games
from prowess.games.tally import tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mean:
    """A mean with its interval, and from how many numbers."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Sides:
    """The score of those with the side advantage (White, home).

    `games` is over all such games; `pairs` over pairs of players of whom each had the advantage
    against the other, the mean of both ways round, so that strengths cancel (None for teams).
    """

    games: Mean
    pairs: Mean | None


def mean_of(values: Floats, level: float) -> Mean:
    """mean -+ z s / sqrt(n); without an interval (nan) for fewer than two."""
    n, middle = len(values), float(values.mean())
    if n < 2:
        return Mean(middle, float("nan"), float("nan"), n)
    reach = normal_quantile(level) * float(values.std(ddof=1)) / sqrt(n)
    return Mean(middle, middle - reach, middle + reach, n)


def draws(games: Games) -> float:
    """The share of games that were drawn."""
    return float((games.score == 0.5).mean())


def players_a_contest(table: Games) -> float:
    """How many players meet in a contest, on the mean."""
    players = len(table.player) if table.role is None else (table.role[table.player] == 0).sum()
    return float(players) / len(table)


def sides(games: Games, level: float = 0.95) -> Sides | None:
    """What the advantage is worth; None where no game has one."""
    if games.side is None or not games.side.any():
        return None
    sided = games.side != 0.0
    home_is_a = games.side[sided] > 0.0
    score = np.where(home_is_a, games.score[sided], 1.0 - games.score[sided])
    if not games.duels:
        return Sides(mean_of(score, level), None)
    a, b = games.a[sided].astype(np.int64), games.b[sided].astype(np.int64)
    home, away = np.where(home_is_a, a, b), np.where(home_is_a, b, a)
    lower = np.minimum(home, away) * len(games.players) + np.maximum(home, away)
    _, pair = np.unique(lower, return_inverse=True)
    first = home < away
    count = [np.bincount(pair[part], minlength=pair.max() + 1) for part in (first, ~first)]
    total = [np.bincount(pair[p], score[p], minlength=pair.max() + 1) for p in (first, ~first)]
    both = (count[0] > 0) & (count[1] > 0)
    ways = [t[both] / c[both] for t, c in zip(total, count, strict=True)]
    pairs = mean_of(0.5 * (ways[0] + ways[1]), level) if both.any() else None
    return Sides(mean_of(score, level), pairs)


@dataclass(frozen=True)
class Connection:
    """How the players hang together: `sizes` of groups that never met, the largest first.

    `words` say what else keeps results alone from fixing every rating.
    """

    sizes: tuple[int, ...]
    words: tuple[str, ...]


def connection(table: Games) -> Connection:
    """Who is connected with whom by games (contests), among those who played."""
    games = neighbours(table)
    played = np.zeros(len(table.players), dtype=bool)
    played[games.a] = played[games.b] = True
    found = groups(tally(games, sides=False))
    if not len(games):
        return Connection((), ())
    sizes = np.bincount(found.met[played]) if not found.comparable else np.array([played.sum()])
    ordered = tuple(sorted((int(size) for size in sizes if size), reverse=True))
    return Connection(ordered, found.words(table.players) if table.duels else ())


def neighbours(table: Games) -> Games:
    """Every player of a contest drawn with the next: who is connected, not who won.

    Games between two players are as they are. Members that are no players connect nobody.
    """
    if table.duels:
        return table
    player, contest = table.player, table.contest_of_member
    if table.role is not None:
        players = table.role[player] == 0
        player, contest = player[players], contest[players]
    beside = contest[1:] == contest[:-1]
    a, b = player[:-1][beside], player[1:][beside]
    return Games(table.players, a, b, np.full(len(a), 0.5))
