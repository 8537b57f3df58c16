"""A whole table rated the slow, obvious way: dicts of players, and `oracle` for every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from prowess.engine.params import settings
from prowess.engine.periods import parse_period
from prowess.engine.system import Dynamic, Game
from prowess.games.games import Games
from tests import oracle
from tests.systems import team_fold

Meeting = tuple[int, int, Game, float]  # a, b, the game as a sees it, weight


@dataclass
class Fold:
    """Who is rated how, and when everybody was last seen."""

    system: Dynamic
    p: Any
    rating: dict[int, Any] = field(default_factory=dict)
    seen: dict[int, float] = field(default_factory=dict)

    def of(self, player: int) -> Any:
        """A player's rating."""
        return self.rating.get(player, oracle.newcomer(self.system, self.p))

    def league(self, now: float) -> Any:
        """The league's sum, counted afresh."""
        league = self.system.league
        if league is None:
            return None
        limit = getattr(self.p, league.active_days) if league.active_days else 0.0
        total = league.empty
        for player, rating in self.rating.items():
            if limit == 0.0 or now - self.seen[player] <= limit:
                total = oracle.added(total, league.standing(self.p, rating))
        return total

    def play(self, meetings: list[Meeting], now: float | None) -> list[float]:
        """One round; returns the forecast of every game."""
        system, p = self.system, self.p
        players = dict.fromkeys(player for a, b, _, _ in meetings for player in (a, b))
        league = self.league(now or 0.0)
        before = {player: self.of(player) for player in players}
        for player in players:
            if system.drift and now is not None and player in self.seen:
                elapsed = now - self.seen[player] - system.absorb_takes
                if elapsed > 0:
                    before[player] = system.drift(p, before[player], elapsed)
        totals = dict.fromkeys(players, system.evidence_zero)
        forecasts = []
        for a, b, game, weight in meetings:
            views = ((a, b, game), (b, a, oracle.mirrored(game)))
            for me, opponent, view in views:
                one = oracle.said(system, before[me], before[opponent], view, p)
                totals[me] = oracle.added(totals[me], one, weight)
            forecasts.append(oracle.foreseen(system, before[a], before[b], game, p))
        sums = () if system.league is None else (league,)
        for player in players:
            self.rating[player] = system.absorb(p, before[player], totals[player], *sums)
            self.seen[player] = now or 0.0
        return forecasts


def rated(
    table: Games, system: Dynamic, period: str | None, params: dict[str, Any]
) -> tuple[list[Any], list[float]]:
    """The rating of every player after a table, and the forecast of every row."""
    fold = Fold(system, settings(system, params))
    if not table.pairwise and system.contest is not None:  # no sum over pairs
        return team_fold.rated(table, system, period, params)
    if not table.pairwise:
        forecasts = _contests(fold, table)
    else:
        forecasts = _games(fold, table, period)
    return [fold.of(player) for player in range(len(table.players))], forecasts


def _games(fold: Fold, table: Games, period: str | None) -> list[float]:
    system = fold.system
    forecasts = [0.0] * len(table)
    unit = parse_period(system.clock).days
    rounds: dict[Any, list[int]] = {}
    for row in range(len(table)):
        key: Any = row
        if period == "round":
            assert table.round is not None
            key = int(table.round[row])
        elif period is not None:
            assert table.time is not None
            key = int(parse_period(period).number(table.time[row : row + 1])[0])
        rounds.setdefault(key, []).append(row)
    latest = -np.inf
    for number, (key, rows) in enumerate(rounds.items()):
        now: float | None = None
        if period is not None and system.follows_period:
            now = float(number if period == "round" else key)
        elif table.time is not None:
            latest = max(latest, float(table.time[rows[0]]))
            now = latest / unit
        meetings = [_meeting(table, row) for row in rows]
        for row, forecast in zip(rows, fold.play(meetings, now), strict=True):
            forecasts[row] = forecast
    return forecasts


def _meeting(table: Games, row: int) -> Meeting:
    columns = (table.side, table.margin, table.length, table.points_a, table.points_b)
    rest = (0.0 if column is None else float(column[row]) for column in columns)
    weight = 1.0 if table.weight is None else float(table.weight[row])
    return int(table.a[row]), int(table.b[row]), Game(float(table.score[row]), *rest), weight


def _contests(fold: Fold, table: Games) -> list[float]:
    unit = parse_period(fold.system.clock).days
    forecasts: list[float] = []
    for c in range(len(table)):
        rows = range(int(table.start[c]), int(table.start[c + 1]))
        if len(rows) < 2:
            forecasts += [np.nan] * len(rows)
            continue
        others = len(rows) - 1
        weight = 1.0 if table.weight is None else float(table.weight[c])
        weight *= fold.system.pair_weight(others + 1.0)
        meetings = [
            (
                int(table.player[x]),
                int(table.player[y]),
                Game(float(np.sign(table.place[y] - table.place[x]) / 2 + 0.5)),
                weight,
            )
            for x in rows
            for y in rows
            if x < y
        ]
        now = None if table.time is None else float(table.time[c]) / unit
        chances = fold.play(meetings, now)
        mean = dict.fromkeys((int(table.player[x]) for x in rows), 0.0)
        for (a, b, _, _), chance in zip(meetings, chances, strict=True):
            mean[a] += chance / others
            mean[b] += (1.0 - chance) / others
        forecasts += [mean[int(table.player[x])] for x in rows]
    return forecasts
