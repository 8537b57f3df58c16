"""Chances of places in a tournament, and tournaments with known fixtures.

The player with more points stands higher; equals are separated by tie-break rules in the order
given:

    wins          games won
    head_to_head  points from the games among those still level
    berger        Sonneborn-Berger: the points of those beaten and half of those drawn with
    buchholz      the points of all opponents

Players still level share the places: two on places 3 and 4 have half of each, as if drawn by lot.

Fixtures are those of a round robin, a league season or any list of games. Games already played keep
their results, the others are simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.contenders import Contenders
from prowess.study.forecasting.prospects import Prospects
from prowess.study.lineups import Side, side_text, sides_entered

if TYPE_CHECKING:
    from prowess.games.games import Games


TIEBREAKS = ("wins", "head_to_head", "berger", "buchholz")
TIE_BREAK_DECIMALS = 9  # sums of the same games in another order are equal


@dataclass(frozen=True)
class PointScale:
    """Points for a win, a draw, a loss."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0

    def points(self, score: Floats) -> Floats:
        """Return the points of each game; a score above 1/2 is a win, 1/2 a draw."""
        return np.where(score > 0.5, self.win, np.where(score == 0.5, self.draw, self.loss))


@dataclass(frozen=True, eq=False)
class Tables:
    """Final tables of many runs: points and wins [runs, n], and pair by pair [runs, n, n].

    `brought` are the points that i made against j, `share` the wins and half the draws, `met` the
    games; all three are None if no rule needs them.
    """

    points: Floats
    wins: Floats
    brought: Floats | None = None
    share: Floats | None = None
    met: Floats | None = None


def needs_pairs(rules: Sequence[str]) -> bool:
    """Return whether the rules use games pair by pair. Raises BadSetting for unknown ones."""
    for rule in rules:
        if rule not in TIEBREAKS:
            raise BadSetting.of("unknown_tie_break", tiebreaks=TIEBREAKS, rule=rule)
    return bool(set(rules) - {"wins"})


def rank_levels(tables: Tables, rules: Sequence[str]) -> Ids:
    """Return a level per player, [runs, n]: 0 is the best, equal numbers are tied."""
    level = _refine(np.zeros(tables.points.shape, dtype=np.int64), tables.points)
    for rule in rules:
        level = _refine(level, _value(tables, rule, level))
    return level


def _value(tables: Tables, rule: str, level: Ids) -> Floats:
    """Return what a rule compares, [runs, n], more is better."""
    if rule == "wins":
        return tables.wins
    assert tables.brought is not None
    assert tables.share is not None
    assert tables.met is not None
    if rule == "head_to_head":
        tied = level[:, :, None] == level[:, None, :]
        value: Floats = np.where(tied, tables.brought, 0.0).sum(axis=2)
        return value
    weight = tables.share if rule == "berger" else tables.met
    total: Floats = np.matmul(weight, tables.points[:, :, None])[:, :, 0]
    return total


def _refine(level: Ids, value: Floats) -> Ids:
    """Refine levels by a value, more is better."""
    value = -value.round(TIE_BREAK_DECIMALS)
    order = np.lexsort((value, level), axis=-1)
    first, then = np.take_along_axis(level, order, 1), np.take_along_axis(value, order, 1)
    step = np.zeros(order.shape, dtype=np.int64)
    step[:, 1:] = (np.diff(first) != 0) | (np.diff(then) != 0.0)
    finer = np.empty_like(level)
    np.put_along_axis(finer, order, np.cumsum(step, axis=1, dtype=np.int64), 1)
    return finer


def place_counts(level: Ids) -> Floats:
    """Count how often each player had each place, over all runs, [n players, n places]."""
    runs, n = level.shape
    rows = np.arange(runs, dtype=np.int64)[:, None] * n
    size = np.bincount((rows + level).ravel(), minlength=runs * n).reshape(runs, n)
    tied = np.take_along_axis(size, level, 1)
    better = np.take_along_axis(np.cumsum(size, axis=1, dtype=np.int64) - size, level, 1)
    count = np.zeros((n, n + 1))
    row = np.broadcast_to(np.arange(n, dtype=np.int64), level.shape) * (n + 1)
    part = (1.0 / tied).ravel()
    count += np.bincount((row + better).ravel(), part, n * (n + 1)).reshape(n, n + 1)
    count -= np.bincount((row + better + tied).ravel(), part, n * (n + 1)).reshape(n, n + 1)
    return np.cumsum(count, axis=1, dtype=np.float64)[:, :n]


class TableCounter:
    """Sums of places and points over the final tables of many runs."""

    def __init__(self, players: int) -> None:
        self.places = np.zeros((players, players))
        self.points, self.squares = np.zeros(players), np.zeros(players)
        self.runs = 0

    def add(self, tables: Tables, ties: Sequence[str]) -> None:
        """Count the tables of some runs, equals separated by the rules `ties`."""
        self.places += place_counts(rank_levels(tables, ties))
        self.points += tables.points.sum(axis=0)
        self.squares += (tables.points**2).sum(axis=0)
        self.runs += len(tables.points)

    def join(self, other: TableCounter) -> None:
        """Count what another has counted."""
        self.places += other.places
        self.points += other.points
        self.squares += other.squares
        self.runs += other.runs

    def prospects(
        self, field: Contenders, note: str, *, seed: int | None, order: Ids | None = None
    ) -> Prospects:
        """Return the mean tables, exact without a seed; `order`: the rows of `field`'s players."""
        rows: Any = slice(None) if order is None else order
        places, points = (self.places / self.runs)[rows], (self.points / self.runs)[rows]
        variance = (self.squares / self.runs)[rows] - points**2
        return Prospects(
            names=field.names,
            rating=field.rating,
            places=places,
            errors=np.sqrt(np.maximum(places * (1.0 - places), 0.0) / self.runs),
            runs=0 if seed is None else self.runs,
            points=points,
            spread=np.sqrt(np.maximum(variance, 0.0)),
            notes=(*field.notes, note) if note else field.notes,
            seed=seed,
        )


ARRAY_NUMBERS = 1_000_000  # of one array: runs are done in parts of that size,
TASK_RUNS = 1_000  # or of so many; a worker takes a twentieth of a second or more


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
    def open(self) -> Truths:
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
        raise BadSetting.of("no_games_in_series.season", times=times)
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
            raise Unratable.of(
                "too_many_results.season", a=side_text(names[a]), b=side_text(names[b])
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
    workers: Workers = SERIAL,
) -> Prospects:
    """Simulate the open fixtures `runs` times and count places; `workers` share the runs.

    `ties` are rules of `places`, in their order. Raises BadSetting.
    """
    if runs < 1:
        raise BadSetting.of("too_few_runs", runs=runs)
    pairs = needs_pairs(ties)
    n, open_games = len(field), np.flatnonzero(planned.open)
    given = SeasonRuns(field, planned, scale or PointScale(), tuple(ties), seed)
    size = min(TASK_RUNS, max(1, ARRAY_NUMBERS // max(len(planned), n * n if pairs else n, 1)))
    counter = count_runs(SeasonRuns.simulate, given, n, runs, size, workers)
    played = len(planned) - len(open_games)
    note = f"{played:,} of {len(planned):,} games are played" if played else ""
    return counter.prospects(field, note, seed=seed if len(open_games) else None)


class SeasonRuns(NamedTuple):
    """What the tasks of `simulate_season` share."""

    field: Contenders
    planned: Fixtures
    scale: PointScale
    ties: tuple[str, ...]
    seed: int

    def simulate(self, runs: range) -> TableCounter:
        """Simulate some runs and count their final tables."""
        field, planned = self.field, self.planned
        games = np.flatnonzero(planned.open)
        score = np.broadcast_to(planned.score, (len(runs), len(planned))).copy()
        if len(games):
            part = np.arange(runs.start, runs.stop, dtype=np.int64)
            worlds = field.world(part if field.worlds > 1 else part[:1])[:, None]
            odds = field.odds(worlds, planned.a[games], planned.b[games], planned.side[games])
            random = generator_after(runs.start * len(games), [self.seed, 1])
            score[:, games] = odds.scores(random.random((len(runs), len(games))))
        counter = TableCounter(len(field))
        tables = final_tables(planned, score, self.scale, len(field), needs_pairs(self.ties))
        counter.add(tables, self.ties)
        return counter


def count_runs(
    simulate: Callable[[Any, range], TableCounter],
    given: Any,
    players: int,
    runs: int,
    size: int,
    workers: Workers,
) -> TableCounter:
    """The final tables of all runs, of which `simulate(given, runs)` plays `size` at a time."""
    parts = [range(first, min(first + size, runs)) for first in range(0, runs, size)]
    counter = TableCounter(players)
    for part in workers.map(simulate, parts, shared=given):
        counter.join(part)
    return counter


def generator_after(numbers: int, seed: Sequence[int]) -> np.random.Generator:
    """The generator of a seed after it gave so many numbers in [0, 1), one step each.

    A part of the runs so has the numbers that it would have after the parts before it.
    """
    return np.random.Generator(np.random.PCG64(seed).advance(numbers))


def final_tables(
    planned: Fixtures, score: Floats, scale: PointScale, n: int, pairs: bool
) -> Tables:
    """Return the final tables of runs whose scores are [runs, games]."""
    games, runs = len(planned), len(score)
    mine, theirs = np.zeros((games, n)), np.zeros((games, n))
    mine[np.arange(games, dtype=np.int64), planned.a] = theirs[
        np.arange(games, dtype=np.int64), planned.b
    ] = 1.0
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
