"""The games people remember: the least expected results, and the longest runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.games.games import Games
from prowess.study.lineups import side_name

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
    if table.pairwise:
        won = table.score > 0.5
        of_winner = np.where(won, expected, 1.0 - expected)
        entries = np.flatnonzero(test.judged & (table.score != 0.5))
    else:
        of_winner = expected
        entries = np.flatnonzero(test.judged & (table.place == 1.0))
    chosen = entries[np.argsort(of_winner[entries], kind="stable")[:count]]
    found = []
    for entry in chosen.tolist():
        contest, winner, loser = entry, entry, None
        points = None
        if table.pairwise:
            sides = 2 * entry, 2 * entry + 1
            winner, loser = sides if won[entry] else sides[::-1]
            points = _points(table, entry, bool(won[entry]))
        else:
            contest = int(table.contest_of_side[entry])
        time = None if table.time is None else float(table.time[contest])
        beaten = None if loser is None else side_name(table, loser)
        found.append(Upset(time, side_name(table, winner), beaten, points, float(of_winner[entry])))
    return found


def _points(games: Games, row: int, a_won: bool) -> tuple[float, float] | None:
    """What winner and loser scored, where the table says."""
    if games.points_a is None or games.points_b is None:
        return None
    points = float(games.points_a[row]), float(games.points_b[row])
    return points if a_won else points[::-1]


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
    """(player, score, time) of every player in every contest, in order of play."""
    if table.pairwise:
        score = np.stack((table.score, 1.0 - table.score), axis=1).ravel()
    else:
        score = np.where(table.place == 1.0, 1.0, 0.0)
    score = score[table.side_of_member]
    time = None if table.time is None else table.time[table.contest_of_member]
    player = table.player.astype(np.int64)
    if table.role is None:
        return player, score, time
    players = table.role[player] == 0
    return player[players], score[players], None if time is None else time[players]
