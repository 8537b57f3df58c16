"""Tournaments with known fixtures: round robins, league seasons, any list of games.

Games already played keep their results, the others are simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.contenders import Contenders
from prowess.study.forecasting.prospects import (
    PointScale,
    Prospects,
    TableCounter,
    Tables,
    pairwise,
)
from prowess.study.lineups import Side, side_text, sides_entered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

AT_ONCE = 1_000_000  # numbers in one array: runs are done in parts of that size


@dataclass(frozen=True, eq=False)
class Fixtures:
    """Games between participants by number; the score is nan until a game is played."""

    a: Ids
    b: Ids
    side: Floats
    score: Floats

    def __len__(self) -> int:
        return len(self.a)

    @property
    def open(self) -> NDArray[np.bool_]:
        """Which games are not played yet."""
        return np.isnan(self.score)


def fixtures(pairs: Sequence[tuple[int, int, float]]) -> Fixtures:
    """Return fixtures of unplayed games (a, b, side)."""
    a, b, side = zip(*pairs, strict=True) if pairs else ((), (), ())
    ids = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
    return Fixtures(*ids, np.array(side, dtype=np.float64), np.full(len(pairs), np.nan))


def round_robin(players: int, times: int = 1, sided: bool = False) -> Fixtures:
    """Return the fixtures of a round robin in which all pairs meet `times` times.

    With sides, the first side goes as in the Berger tables (to the lower number if the sum of both
    is odd), and then alternates.
    """
    if times < 1:
        raise BadSetting(f"give a round robin at least one game a pair, not {times}")
    pairs = []
    for turn in range(times):
        for i in range(players):
            for j in range(i + 1, players):
                first = (i + j) % 2 == 1
                a, b = (i, j) if first != bool(turn % 2) else (j, i)
                pairs.append((a, b, float(sided)))
    return fixtures(pairs)


def with_results(planned: Fixtures, games: Games, names: Sequence[Side]) -> Fixtures:
    """Return the fixtures with the scores of games between participants.

    A game fills a fixture of its pair, one with the same side first. Other games are ignored.
    Raises Unratable for a game whose pair has no open fixture left.
    """
    score = planned.score.copy()
    waiting: dict[tuple[int, int], list[int]] = {}
    for row in range(len(planned) - 1, -1, -1):
        waiting.setdefault((int(planned.a[row]), int(planned.b[row])), []).append(row)
    side = np.zeros(len(games)) if games.side is None else games.side
    results = zip(sides_entered(games, names), games.score.tolist(), side.tolist(), strict=True)
    for (a, b), result, sided in results:
        if a < 0 or b < 0:
            continue
        host, guest = (b, a) if sided < 0.0 else (a, b)
        same, turned = waiting.get((host, guest), []), waiting.get((guest, host), [])
        if same or turned:
            row = (same or turned).pop()
            score[row] = result if planned.a[row] == a else 1.0 - result
        else:
            raise Unratable(
                "leave games of other events out (--since, --where), or give the fixtures: "
                f"{side_text(names[a])} - {side_text(names[b])} was played more often"
            )
    return replace(planned, score=score)


def simulate_season(
    field: Contenders,
    planned: Fixtures,
    *,
    scale: PointScale | None = None,
    ties: Sequence[str] = (),
    runs: int = 10_000,
    seed: int = 0,
) -> Prospects:
    """Simulate the open fixtures `runs` times and count places.

    `ties` are rules of `places`, in their order. Raises BadSetting.
    """
    if runs < 1:
        raise BadSetting(f"give at least one run, not {runs}")
    scale = scale or PointScale()
    pairs = pairwise(ties)
    n, random = len(field), np.random.default_rng([seed, 1])
    open_games = np.flatnonzero(planned.open)
    size = max(1, AT_ONCE // max(len(planned), n * n if pairs else n, 1))
    counter = TableCounter(n)
    for first in range(0, runs, size):
        part = np.arange(first, min(first + size, runs))
        score = np.broadcast_to(planned.score, (len(part), len(planned))).copy()
        if len(open_games):
            score[:, open_games] = _simulate_scores(field, planned, open_games, part, random)
        tables = final_tables(planned, score, scale, n, pairs)
        counter.add(tables, ties)
    played = len(planned) - len(open_games)
    note = f"{played:,} of {len(planned):,} games are played" if played else ""
    return counter.prospects(field, note, exact=not len(open_games))


def _simulate_scores(
    field: Contenders, planned: Fixtures, rows: Ids, part: Ids, random: np.random.Generator
) -> Floats:
    """Simulate scores of the open games, [runs, games]."""
    worlds = field.world(part)[:, None] if field.worlds > 1 else np.zeros((1, 1), dtype=np.int64)
    odds = field.odds(worlds, planned.a[rows], planned.b[rows], planned.side[rows])
    return odds.scores(random.random((len(part), len(rows))))


def final_tables(
    planned: Fixtures, score: Floats, scale: PointScale, n: int, pairs: bool
) -> Tables:
    """Return the final tables of runs whose scores are [runs, games]."""
    games, runs = len(planned), len(score)
    mine, theirs = np.zeros((games, n)), np.zeros((games, n))
    mine[np.arange(games), planned.a] = theirs[np.arange(games), planned.b] = 1.0
    for_a, for_b = scale.points(score), scale.points(1.0 - score)
    points = for_a @ mine + for_b @ theirs
    wins = (score > 0.5) @ mine + (score < 0.5) @ theirs
    if not pairs:
        return Tables(points, wins)
    ahead = planned.a * n + planned.b
    behind = planned.b * n + planned.a

    def by_pair(first: Floats, second: Floats) -> Floats:
        table = np.zeros((runs, n * n))
        for game in range(games):
            table[:, ahead[game]] += first[:, game]
            table[:, behind[game]] += second[:, game]
        return table.reshape(runs, n, n)

    share = np.where(score > 0.5, 1.0, np.where(score == 0.5, 0.5, 0.0))
    one = np.ones_like(score)
    return Tables(
        points, wins, by_pair(for_a, for_b), by_pair(share, 1.0 - share), by_pair(one, one)
    )
