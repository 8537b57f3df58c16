"""The games people remember: the least expected results, and the longest runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.study.backtest import Backtest

    Ids = NDArray[np.int64]


class Upset(NamedTuple):
    """A win that was not expected; `expected` is the forecast of the winner's score."""

    time: float | None
    winner: str
    loser: str | None  # None: the rest of a contest
    points: tuple[float, float] | None  # of winner and loser
    expected: float


class Streak(NamedTuple):
    """A run of games of one player; `going_on` says that his last game belongs to it."""

    player: str
    games: int
    first: float | None
    last: float | None
    going_on: bool


def upsets(test: Backtest, count: int = 10) -> list[Upset]:
    """The judged wins of the smallest forecasts, the smallest first."""
    table, expected = test.table, test.expected
    if not table.pairwise:
        rows = np.flatnonzero(test.judged & (table.place == 1.0))
        chosen = rows[np.argsort(expected[rows], kind="stable")[:count]]
        contest = np.searchsorted(table.start, chosen, side="right") - 1
        return [
            Upset(
                None if table.time is None else float(table.time[c]),
                table.players[int(table.player[row])],
                None,
                None,
                float(expected[row]),
            )
            for row, c in zip(chosen.tolist(), contest.tolist(), strict=True)
        ]
    a_won = table.score > 0.5
    of_winner = np.where(a_won, expected, 1.0 - expected)
    rows = np.flatnonzero(test.judged & (table.score != 0.5))
    chosen = rows[np.argsort(of_winner[rows], kind="stable")[:count]]
    return [_upset(table, row, bool(a_won[row]), float(of_winner[row])) for row in chosen.tolist()]


def _upset(games: Games, row: int, a_won: bool, expected: float) -> Upset:
    sides = games.players[int(games.a[row])], games.players[int(games.b[row])]
    points = None
    if games.points_a is not None and games.points_b is not None:
        points = float(games.points_a[row]), float(games.points_b[row])
    if not a_won:
        sides, points = sides[::-1], None if points is None else points[::-1]
    time = None if games.time is None else float(games.time[row])
    return Upset(time, *sides, points, expected)


def winning_streaks(table: Games, count: int = 10) -> list[Streak]:
    """The longest runs of wins (of contests: first places), one a player, the longest first."""
    return _streaks(table, count, draws=False)


def unbeaten_streaks(games: Games, count: int = 10) -> list[Streak]:
    """The longest runs of wins and draws, one a player, the longest first."""
    return _streaks(games, count, draws=True)


def _streaks(table: Games, count: int, *, draws: bool) -> list[Streak]:
    """Runs of wins, or of games that were not lost."""
    player, score, time = _entries(table)
    held = score >= 0.5 if draws else score > 0.5
    order = np.argsort(player, kind="stable")
    player, held = player[order], held[order]
    time = None if time is None else time[order]
    cut = np.append(True, (player[1:] != player[:-1]) | (held[1:] != held[:-1]))
    first = np.flatnonzero(cut)[: len(player)]
    length = np.diff(np.append(first, len(player)))
    runs = first[held[first]], length[held[first]]
    found: list[Streak] = []
    seen: set[int] = set()
    for k in np.argsort(-runs[1], kind="stable").tolist():
        start, games = int(runs[0][k]), int(runs[1][k])
        who, end = int(player[start]), start + games - 1
        if who in seen:
            continue
        seen.add(who)
        first_day = None if time is None else float(time[start])
        last_day = None if time is None else float(time[end])
        going_on = end + 1 == len(player) or int(player[end + 1]) != who
        found.append(Streak(table.players[who], games, first_day, last_day, going_on))
        if len(found) == count:
            break
    return found


def _entries(
    table: Games,
) -> tuple[Ids, NDArray[np.float64], NDArray[np.float64] | None]:
    """(player, score, time) of every side of every game in order of play."""
    if not table.pairwise:
        first = np.where(table.place == 1.0, 1.0, 0.0)
        sizes = np.diff(table.start)
        time = None if table.time is None else np.repeat(table.time, sizes)
        return table.player.astype(np.int64), first, time
    player = np.stack((table.a, table.b), axis=1).ravel().astype(np.int64)
    score = np.stack((table.score, 1.0 - table.score), axis=1).ravel()
    return player, score, None if table.time is None else np.repeat(table.time, 2)
