"""Two players: what happened between them, what to expect, and what it would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fitted import NoModel
from prowess.engine.periods import date_text
from prowess.engine.replay import Unratable
from prowess.games.games import Games
from prowess.study.forecasting.assessment import assessed
from prowess.study.pairing_table import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

LEVEL = 0.95  # of the interval of the score


def forecast(ratings: Ratings, a: int, b: int, side: float) -> dict[str, Any]:
    """What to expect of a against b; raises NoModel where the system has no model of a game.

    `draw` is None where the system has no model of draws; `win` and `loss` then share them.
    """
    chances = ratings.chances(a, b, side)
    half = 0.5 * (chances.draw or 0.0)
    return {
        "a": ratings.players[a],
        "b": ratings.players[b],
        "side": side,
        "expected": chances.expected,
        "win": chances.expected - half,
        "draw": chances.draw,
        "loss": 1.0 - chances.expected - half,
    }


def stakes(ratings: Ratings, a: int, b: int, side: float) -> list[dict[str, Any]]:
    """What a win, a draw and a loss of a would change for both, in every value of the system."""
    names = ratings.players[a], ratings.players[b]
    return [
        {"result": one.result, "player": dict(one.a), "opponent": dict(one.b)}
        for one in assessed(ratings, *names, side)
    ]


def meeting(ratings: Ratings, a: int, b: int) -> dict[str, Any]:
    """The games of two players in one line, seen from a.

    `expected` is by today's ratings over the sides the games really had, None without a model;
    `surplus` is the score less that. Raises Unratable for contests.
    """
    games = _games(ratings, a, b)
    return {"a": ratings.players[a], "b": ratings.players[b]} | _tally(ratings, (a, b), games)


def head_to_head(ratings: Ratings, a: int, b: int) -> dict[str, Any]:
    """All games of two players: as `meeting`, by side, and one by one; raises Unratable."""
    games = _games(ratings, a, b)
    by_side = {
        word: _tally(ratings, (a, b), games.of(value))
        for word, value in (("a", 1.0), ("none", 0.0), ("b", -1.0))
        if (games.side == value).any()
    }
    return meeting(ratings, a, b) | {"by_side": by_side, "list": games.rows()}


class _Between(NamedTuple):
    """The games of two, seen from the first."""

    day: NDArray[np.float64] | None
    score: NDArray[np.float64]
    side: NDArray[np.float64]
    weight: NDArray[np.float64]

    def of(self, side: float) -> _Between:
        """Those in which the side advantage was so."""
        own = self.side == side
        day = None if self.day is None else self.day[own]
        return _Between(day, self.score[own], self.side[own], self.weight[own])

    def rows(self) -> list[dict[str, Any]]:
        """One by one, in order of play."""
        dates = [None] * len(self.score) if self.day is None else map(date_text, self.day.tolist())
        columns = (self.score.tolist(), self.side.tolist(), self.weight.tolist())
        return [
            {"date": date, "score": score, "side": side, "weight": weight}
            for date, score, side, weight in zip(dates, *columns, strict=True)
        ]


def _games(ratings: Ratings, a: int, b: int) -> _Between:
    table = ratings.table
    if not isinstance(table, Games):
        raise Unratable("contests have no games of two to compare")
    rows = np.flatnonzero(((table.a == a) & (table.b == b)) | ((table.a == b) & (table.b == a)))
    first = table.a[rows] == a
    side = np.zeros(len(rows)) if table.side is None else table.side[rows]
    return _Between(
        None if table.time is None else table.time[rows],
        np.where(first, table.score[rows], 1.0 - table.score[rows]),
        np.where(first, side, -side),
        np.ones(len(rows)) if table.weight is None else table.weight[rows],
    )


def _tally(ratings: Ratings, pair: tuple[int, int], games: _Between) -> dict[str, Any]:
    _, score, side, weight = games
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
    low, high = wilson(mean, battles, LEVEL)
    found |= {"score": mean, "interval": {"low": low, "high": high, "level": LEVEL}}
    try:
        expected = sum(
            float(weight[side == value].sum()) * ratings.chances(*pair, value).expected
            for value in np.unique(side).tolist()
        )
    except NoModel:
        return found
    return found | {"expected": expected / battles, "surplus": mean - expected / battles}
