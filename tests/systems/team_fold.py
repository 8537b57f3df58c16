"""A table of contests of sides rated the slow, obvious way: the contract, word for word.

The loop over sides is held against this. It is fast nowhere, and shares only the functions of the
systems with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import nan
from typing import Any

import numpy as np

from prowess.engine.params import settings
from prowess.engine.periods import parse_period
from prowess.engine.system import Dynamic, Game
from prowess.games.games import Games
from tests import oracle

Member = tuple[Any, float]  # a rating and a share


def side_of(system: Dynamic, p: Any, members: Sequence[Member]) -> Any:
    """What members make together: their parts, added field by field."""
    if system.part is None:
        ((me, _),) = members
        return me
    return reduce(oracle.added, (system.part(p, me, share) for me, share in members))


def score_of(place: float, other: float) -> float:
    """1 for the better place, 1/2 for the same."""
    return 1.0 if place < other else 0.5 if place == other else 0.0


def dues(
    system: Dynamic,
    p: Any,
    contest: Sequence[Sequence[Member]],
    places: Sequence[float],
    game: Game | None = None,
) -> list[list[Any]]:
    """What falls to each member of one contest; `game` is what a game of two sides was."""
    sides, n = [side_of(system, p, members) for members in contest], len(contest)
    whole = system.contest is not None and (n > 2 or system.evidence is None)
    if whole:
        said = oracle.judged(system, p, sides, places)

    def due(side: int, me: Any, share: float, one: Any) -> Any:
        return one if system.due is None else system.due(p, me, share, sides[side], one)

    found = []
    for i, members in enumerate(contest):
        of_side = []
        for me, share in members:
            total = due(i, me, share, said[i]) if whole else system.evidence_zero
            for j in range(n):
                if not whole and i != j:
                    seen = Game(score_of(places[i], places[j]))
                    if game is not None:
                        seen = game if i == 0 else oracle.mirrored(game)
                    asked = oracle.evidence_of(system, p, sides[i], sides[j], seen)
                    one = due(i, me, share, asked)
                    counts = system.pair_weight(float(n)) if game is None else 1.0
                    total = oracle.added(total, one, counts)
            of_side.append(total)
        found.append(of_side)
    return found


def played(
    system: Dynamic,
    p: Any,
    contest: Sequence[Sequence[Member]],
    places: Sequence[float],
    game: Game | None = None,
) -> list[list[Any]]:
    """All members after one contest."""
    found = dues(system, p, contest, places, game)
    return [
        [system.absorb(p, me, one) for (me, _), one in zip(members, ones, strict=True)]
        for members, ones in zip(contest, found, strict=True)
    ]


def foreseen(
    system: Dynamic, p: Any, contest: Sequence[Sequence[Member]], game: Game | None = None
) -> list[float]:
    """Of two sides the expected score of the first, else each side's mean against the field."""
    sides = [side_of(system, p, members) for members in contest]
    if game is not None:
        return [oracle.expected_of(system, p, sides[0], sides[1], game)]
    others = len(sides) - 1
    if others == 0:
        return [nan]
    return [
        sum(
            oracle.expected_of(system, p, mine, sides[j], Game())
            for j in range(len(sides))
            if j != i
        )
        / others
        for i, mine in enumerate(sides)
    ]


def rated(
    table: Games, system: Dynamic, period: str | None, params: dict[str, Any]
) -> tuple[list[Any], list[float]]:
    """Every player after a table, and its forecasts: of a pairwise table a game, else a side."""
    p, unit = settings(system, params), parse_period(system.clock).days
    rating = [oracle.newcomer(system, p)] * len(table.players)
    seen: dict[int, float] = {}
    forecasts = [nan] * (len(table) if table.pairwise else len(table.ends) - 1)
    latest = -np.inf
    for number, (key, contests) in enumerate(_rounds(table, period).items()):
        now: float | None = None
        if period is not None and system.follows_period:
            now = float(number if period == "round" else key)
        elif table.time is not None:
            latest = max(latest, float(table.time[contests[0]]))
            now = latest / unit
        rated_now = [c for c in contests if table.start[c + 1] - table.start[c] > 1]
        present = sorted({i for c in rated_now for side in _members(table, c) for i, _ in side})
        for i in present:
            if system.drift and now is not None and i in seen:
                elapsed = now - seen[i] - system.absorb_takes
                if elapsed > 0:
                    rating[i] = system.drift(p, rating[i], elapsed)
        total = dict.fromkeys(present, system.evidence_zero)
        for c in rated_now:
            members = _members(table, c)
            contest = [[(rating[i], share) for i, share in side] for side in members]
            game = _game(table, c) if table.pairwise else None
            at = [c] if game is not None else range(table.start[c], table.start[c + 1])
            for k, forecast in zip(at, foreseen(system, p, contest, game), strict=True):
                forecasts[k] = forecast
            places = table.place[table.start[c] : table.start[c + 1]].tolist()
            weight = 1.0 if table.weight is None else float(table.weight[c])
            found = dues(system, p, contest, places, game)
            for side, ones in zip(members, found, strict=True):
                for (i, _), one in zip(side, ones, strict=True):
                    total[i] = oracle.added(total[i], one, weight)
        for i in present:
            rating[i] = system.absorb(p, rating[i], total[i])
            if now is not None:
                seen[i] = now
    return rating, forecasts


def _rounds(table: Games, period: str | None) -> dict[Any, list[int]]:
    """The contests of each round."""
    found: dict[Any, list[int]] = {}
    for c in range(len(table)):
        key: Any = c
        if table.pairwise and period == "round":
            assert table.round is not None
            key = int(table.round[c])
        elif table.pairwise and period is not None:
            assert table.time is not None
            key = int(parse_period(period).number(table.time[c : c + 1])[0])
        found.setdefault(key, []).append(c)
    return found


def _members(table: Games, c: int) -> list[list[tuple[int, float]]]:
    """The sides of a contest, each a list of (player, share)."""
    share = np.ones(len(table.player)) if table.share is None else table.share
    return [
        [(int(table.player[m]), float(share[m])) for m in range(table.ends[s], table.ends[s + 1])]
        for s in range(table.start[c], table.start[c + 1])
    ]


def _game(table: Games, c: int) -> Game:
    columns = (table.side, table.margin, table.length, table.points_a, table.points_b)
    rest = (0.0 if column is None else float(column[c]) for column in columns)
    return Game(float(table.score[c]), *rest)
