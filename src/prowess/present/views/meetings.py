"""Two players: what happened between them, what to expect, and what it would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import NoModel
from prowess.engine.system import Unratable
from prowess.games.dates import format_date
from prowess.games.games import Games
from prowess.study.forecasting.performance import assess_game
from prowess.study.scores import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

LEVEL = 0.95  # of the interval of the score


def forecast(ratings: Ratings, a: Sequence[int], b: Sequence[int], side: float) -> dict[str, Any]:
    """What to expect of the players a against the players b.

    `draw` is None where the system has no model of draws; `win` and `loss` then share them. Raises
    NoModel where the system has no model of a game, Unratable for teams that it does not rate.
    """
    first, second = (one[0] if len(one) == 1 else _whole(one) for one in (a, b))
    chances = ratings.chances(first, second, side)
    half = 0.5 * (chances.draw or 0.0)
    names = [[ratings.players[k] for k in one] for one in (a, b)]
    return {
        "a": names[0] if len(a) > 1 else names[0][0],
        "b": names[1] if len(b) > 1 else names[1][0],
        "side": side,
        "expected": chances.expected,
        "win": chances.expected - half,
        "draw": chances.draw,
        "loss": 1.0 - chances.expected - half,
    }


def _whole(players: Sequence[int]) -> list[tuple[int, float]]:
    """Players who all take part in the whole of a game."""
    return [(k, 1.0) for k in players]


def stakes(ratings: Ratings, a: int, b: int, side: float) -> list[dict[str, Any]]:
    """What a win, a draw and a loss of a would change for both, in every value of the system."""
    names = ratings.players[a], ratings.players[b]
    return [
        {"result": one.result, "player": dict(one.a), "opponent": dict(one.b)}
        for one in assess_game(ratings, *names, side)
    ]


@dataclass(frozen=True, eq=False)
class Between:
    """The games of two players by number, in order of play and seen from `a`."""

    a: int
    b: int
    rows: Ids  # of the table
    day: Floats | None
    score: Floats
    side: Floats
    weight: Floats

    def on(self, side: float) -> Between:
        """Those in which the side advantage was so."""
        own = self.side == side
        return replace(
            self,
            rows=self.rows[own],
            day=None if self.day is None else self.day[own],
            score=self.score[own],
            side=self.side[own],
            weight=self.weight[own],
        )

    def turned(self) -> Between:
        """The same games, seen from `b`."""
        side = 0.0 - self.side
        return replace(self, a=self.b, b=self.a, score=1.0 - self.score, side=side)

    def told(self) -> list[dict[str, Any]]:
        """One by one."""
        dates = [None] * len(self.rows) if self.day is None else map(format_date, self.day.tolist())
        columns = (self.score.tolist(), self.side.tolist(), self.weight.tolist())
        return [
            {"date": date, "score": score, "side": side, "weight": weight}
            for date, score, side, weight in zip(dates, *columns, strict=True)
        ]


def between(ratings: Ratings, a: int, b: int) -> Between:
    """All games of two players; raises Unratable for contests."""
    table = _games(ratings)
    return _seen(table, a, b, ((table.a == a) & (table.b == b)) | ((table.a == b) & (table.b == a)))


def met_by(ratings: Ratings, k: int, most: int | None = None) -> list[Between]:
    """Whom a player has met, seen from this player, the `most` often met; raises Unratable."""
    table = _games(ratings)
    pairs = _pairs(table, (table.a == k) | (table.b == k))
    order = np.lexsort((pairs.low + pairs.high - k, -np.diff(pairs.start)))
    found = [pairs.between(table, one) for one in order[:most].tolist()]
    return [one if one.a == k else one.turned() for one in found]


def count_met(ratings: Ratings, k: int) -> int:
    """How many others a player has met; raises Unratable."""
    table = _games(ratings)
    return len(np.union1d(table.b[table.a == k], table.a[table.b == k]))


def among(ratings: Ratings, chosen: Sequence[int]) -> list[Between]:
    """The pairs of the chosen that met, each once, from the one named first; raises Unratable."""
    table = _games(ratings)
    place = np.full(len(ratings.players), len(chosen))
    place[list(chosen)] = np.arange(len(chosen))
    ours = place < len(chosen)
    pairs = _pairs(table, ours[table.a] & ours[table.b])
    found = [pairs.between(table, one) for one in range(len(pairs.low))]
    return [one if place[one.a] < place[one.b] else one.turned() for one in found]


def meeting(ratings: Ratings, games: Between) -> dict[str, Any]:
    """The games of two players in one line.

    `expected` is by today's ratings over the sides the games really had, None without a model;
    `surplus` is the score less that.
    """
    names = {"a": ratings.players[games.a], "b": ratings.players[games.b]}
    return names | tally(ratings, games)


def head_to_head(ratings: Ratings, a: int, b: int) -> dict[str, Any]:
    """All games of two players: as `meeting`, by side, and one by one; raises Unratable."""
    games = between(ratings, a, b)
    by_side = {
        word: tally(ratings, games.on(value))
        for word, value in (("a", 1.0), ("none", 0.0), ("b", -1.0))
        if (games.side == value).any()
    }
    return meeting(ratings, games) | {"by_side": by_side, "list": games.told()}


def _games(ratings: Ratings) -> Games:
    if not ratings.table.duels:
        raise Unratable("only games between two players are compared by pairs")
    return ratings.table


class _Pairs(NamedTuple):
    """Pairs of players that met: those of pair n in `rows[start[n]:start[n + 1]]`."""

    low: Ids
    high: Ids
    rows: Ids
    start: Ids

    def between(self, table: Games, number: int) -> Between:
        """The games of one pair, seen from the player with the lower number."""
        rows = self.rows[self.start[number] : self.start[number + 1]]
        return _seen(table, int(self.low[number]), int(self.high[number]), rows)


def _pairs(table: Games, chosen: NDArray[np.bool_]) -> _Pairs:
    """The chosen games pair by pair."""
    rows = np.flatnonzero(chosen)
    a, b = table.a[rows].astype(np.int64), table.b[rows].astype(np.int64)
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    low, high, rows = low[order], high[order], rows[order]
    first = np.flatnonzero(np.append(True, (np.diff(low) != 0) | (np.diff(high) != 0))[: len(rows)])
    return _Pairs(low[first], high[first], rows, np.append(first, len(rows)))


def _seen(table: Games, a: int, b: int, chosen: NDArray[Any]) -> Between:
    """Rows of the table, all of a against b, seen from a."""
    rows = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
    first = table.a[rows] == a
    side = np.zeros(len(rows)) if table.side is None else table.side[rows]
    return Between(
        a,
        b,
        rows,
        None if table.time is None else table.time[rows],
        np.where(first, table.score[rows], 1.0 - table.score[rows]),
        np.where(first, side, 0.0 - side),
        np.ones(len(rows)) if table.weight is None else table.weight[rows],
    )


def tally(ratings: Ratings, games: Between) -> dict[str, Any]:
    """Record, score with its interval, and what was expected."""
    score, side, weight = games.score, games.side, games.weight
    battles = float(weight.sum())
    won, drawn = int((score > 0.5).sum()), int((score == 0.5).sum())
    found: dict[str, Any] = {
        "games": len(score),
        "battles": battles,
        "record": {"wins": won, "draws": drawn, "losses": len(score) - won - drawn},
        "score": None,
        "interval": None,
        "expected": None,
        "surplus": None,
    }
    if not len(score):
        return found
    mean = float(weight @ score) / battles
    low, high = wilson_interval(mean, battles, LEVEL)
    found |= {"score": mean, "interval": {"low": low, "high": high, "level": LEVEL}}
    try:
        expected = sum(
            float(weight[side == value].sum()) * ratings.chances(games.a, games.b, value).expected
            for value in np.unique(side).tolist()
        )
    except NoModel:
        return found
    return found | {"expected": expected / battles, "surplus": mean - expected / battles}
