"""Who met whom: the games of two players, and the square of the best against one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.fitted import Fitted, NoModel
from prowess.engine.ratings import Forecast
from prowess.engine.replay import Unratable
from prowess.engine.replayed import Replayed
from prowess.games.games import Games
from prowess.live.pages.boards import Record
from prowess.live.views import meetings as views
from prowess.study.pairing_table import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings

    Rows = NDArray[np.int64]

LEVEL = 0.95  # of the intervals of scores
REFITTED = 3_000  # games of a table that may be fitted three times more for one page


class Person(NamedTuple):
    """A player by number and name."""

    k: int
    name: str


class Meeting(NamedTuple):
    """All games of two players, seen from `a`; None where the system has no model of a game.

    `expected` is by today's ratings, over the sides that the games really had.
    """

    a: Person
    b: Person
    games: int
    battles: float  # the sum of the weights
    record: Record
    score: float
    low: float
    high: float
    expected: float | None
    surplus: float | None
    last: float | None  # day since 1970
    rows: Rows  # of the table


class Played(NamedTuple):
    """One game of two, seen from `a`."""

    row: int
    time: float | None
    score: float
    side: float
    points: tuple[float, float] | None


class Stake(NamedTuple):
    """What a result of the next game would change, in the first column of the system."""

    result: str
    a: float
    b: float


class Square(NamedTuple):
    """The best against one another; `cells[i][j]` is None where two never met or are one."""

    people: tuple[Person, ...]
    cells: tuple[tuple[Meeting | None, ...], ...]
    unmet: int


def people(ratings: Ratings, numbers: Sequence[int]) -> tuple[Person, ...]:
    """Players by number."""
    return tuple(Person(k, ratings.players[k]) for k in numbers)


def meetings(ratings: Ratings, chosen: Sequence[int]) -> dict[tuple[int, int], Meeting]:
    """Every pair of the chosen players that met, in both directions; empty for contests."""
    table = ratings.table
    if not isinstance(table, Games):
        return {}
    mine = np.zeros(len(ratings.players), dtype=bool)
    mine[list(chosen)] = True
    rows = np.flatnonzero(mine[table.a] & mine[table.b])
    a, b = table.a[rows].astype(np.int64), table.b[rows].astype(np.int64)
    key = np.minimum(a, b) * len(ratings.players) + np.maximum(a, b)
    order = np.argsort(key, kind="stable")
    cuts = np.flatnonzero(np.diff(key[order])) + 1
    found: dict[tuple[int, int], Meeting] = {}
    for part in np.split(rows[order], cuts) if len(rows) else []:
        i, j = int(table.a[part[0]]), int(table.b[part[0]])
        found[i, j] = meeting(ratings, i, j, part)
        found[j, i] = meeting(ratings, j, i, part)
    return found


def between(ratings: Ratings, i: int, j: int) -> Meeting | None:
    """The games of two players; None if they never met."""
    return meetings(ratings, (i, j)).get((i, j))


def meeting(ratings: Ratings, i: int, j: int, rows: Rows) -> Meeting:
    """The rows of a table, all of i against j, seen from i."""
    table = ratings.table
    assert isinstance(table, Games)
    score = _score(table, i, rows)
    weight = np.ones(len(rows)) if table.weight is None else table.weight[rows]
    battles = float(weight.sum())
    mean = float(weight @ score) / battles
    low, high = wilson(mean, battles, LEVEL)
    expected = _expected(ratings, i, j, rows, weight)
    won, drawn = int((score > 0.5).sum()), int((score == 0.5).sum())
    return Meeting(
        a=Person(i, ratings.players[i]),
        b=Person(j, ratings.players[j]),
        games=len(rows),
        battles=battles,
        record=Record(won, drawn, len(rows) - won - drawn),
        score=mean,
        low=low,
        high=high,
        expected=expected,
        surplus=None if expected is None else mean - expected,
        last=None if table.time is None else float(table.time[rows[-1]]),
        rows=rows,
    )


def _score(table: Games, i: int, rows: Rows) -> NDArray[np.float64]:
    score = table.score[rows]
    return np.where(table.a[rows] == i, score, 1.0 - score)


def _expected(
    ratings: Ratings, i: int, j: int, rows: Rows, weight: NDArray[np.float64]
) -> float | None:
    """The mean expected score of i over the sides these games had."""
    table = ratings.table
    assert isinstance(table, Games)
    side = np.zeros(len(rows)) if table.side is None else table.side[rows]
    side = np.where(table.a[rows] == i, side, -side)
    total = 0.0
    try:
        for one in np.unique(side).tolist():
            total += float(weight[side == one].sum()) * ratings.chances(i, j, one).expected
    except NoModel:
        return None
    return total / float(weight.sum())


def played(ratings: Ratings, one: Meeting) -> list[Played]:
    """The games of a meeting, the newest first."""
    table = ratings.table
    assert isinstance(table, Games)
    scores = _score(table, one.a.k, one.rows)
    found = []
    for row, score in zip(one.rows.tolist(), scores.tolist(), strict=True):
        turned = int(table.a[row]) != one.a.k
        side = 0.0 if table.side is None else float(table.side[row])
        points = None
        if table.points_a is not None and table.points_b is not None:
            points = float(table.points_a[row]), float(table.points_b[row])
        found.append(
            Played(
                row=row,
                time=None if table.time is None else float(table.time[row]),
                score=score,
                side=-side if turned else side,
                points=points if points is None or not turned else points[::-1],
            )
        )
    return found[::-1]


def chances(ratings: Ratings, i: int, j: int) -> Forecast | None:
    """What to expect of a game on neutral ground; None without a model of a game."""
    try:
        return ratings.forecast(ratings.players[i], ratings.players[j])
    except NoModel:
        return None


def stakes(ratings: Ratings, i: int, j: int) -> list[Stake]:
    """What a win, a draw and a loss would change; empty where that is too much work to ask."""
    cheap = isinstance(ratings, Replayed) and ratings.period is None and not ratings.rules
    if not cheap and not (isinstance(ratings, Fitted | Replayed) and len(ratings.table) < REFITTED):
        return []
    try:
        found = views.stakes(ratings, i, j, 0.0)
    except Unratable:
        return []
    first = ratings.fields[0]
    return [Stake(one["result"], one["player"][first], one["opponent"][first]) for one in found]


def square(ratings: Ratings, chosen: Sequence[int]) -> Square:
    """The chosen players against one another, in that order."""
    met = meetings(ratings, chosen)
    cells = tuple(tuple(met.get((i, j)) for j in chosen) for i in chosen)
    n = len(chosen)
    unmet = sum(cells[i][j] is None for i in range(n) for j in range(i + 1, n))
    return Square(people(ratings, chosen), cells, unmet)


def most_met(ratings: Ratings, chosen: Sequence[int], count: int) -> list[Meeting]:
    """The pairs of the chosen players who met most often, each once, the higher one first."""
    place = {k: n for n, k in enumerate(chosen)}
    once = [m for (i, j), m in meetings(ratings, chosen).items() if place[i] < place[j]]
    once.sort(key=lambda m: (-m.games, place[m.a.k], place[m.b.k]))
    return once[:count]
