"""Swiss tournaments: every round pairs players with equal points.

The rule, for each round: players stand by points, then by rating. The highest player not yet paired
meets, of those with equal points, the one in the middle (the top half against the bottom half); if
they have met, the next below, then those above the middle from below, then the highest of fewer
points. No pair meets twice while that can be avoided. With an odd number the last player without a
bye has it, and it counts as a win. The side goes to the player who has had it less often, of equals
to the higher in odd rounds and to the lower in even ones.

The pairing is a backtracking search, one player after the other: each takes the nearest new
opponent to their first choice; if a player is left without an opponent, the one before takes the
next choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.compile.worth import run_loop
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.params import BadSetting
from prowess.engine.system import Unratable
from prowess.study.forecasting.contenders import Contenders
from prowess.study.forecasting.prospects import Prospects
from prowess.study.forecasting.season import (
    PointScale,
    TableCounter,
    Tables,
    count_runs,
    generator_after,
    needs_pairs,
)
from prowess.study.lineups import Side, side_text, sides_entered

if TYPE_CHECKING:
    from prowess.games.games import Games


SWISS_NUMBERS = 2_000_000  # of one array: runs are done in parts of that size,
TASK_RUNS = 1_000  # or of so many; a worker takes a tenth of a second or more


@dataclass(frozen=True, eq=False)
class SwissState:
    """The tournament so far in many runs; players by rank of rating. Filled in place.

    points, wins, turns (games with the side less those without) and byes are [runs, n];
    brought, share and met [runs, n, n] are as in `season.Tables`.
    """

    points: Floats
    wins: Floats
    turns: Floats
    byes: Truths
    brought: Floats
    share: Floats
    met: Floats

    @classmethod
    def begin(cls, runs: int, n: int) -> SwissState:
        """Before the first round."""
        points, wins, turns = np.zeros((3, runs, n))
        return cls(points, wins, turns, np.zeros((runs, n), bool), *np.zeros((3, runs, n, n)))

    def play(
        self, scale: PointScale, runs: Ids, a: Ids, b: Ids, side: Floats | float, score: Floats
    ) -> None:
        """Enter games in some runs, none of a player of a run twice; arguments are broadcast."""
        other = 1.0 - score
        for i, j, own, turn in ((a, b, score, side), (b, a, other, -np.asarray(side))):
            self.points[runs, i] += scale.points(own)
            self.wins[runs, i] += own > 0.5
            self.turns[runs, i] += turn
            self.brought[runs, i, j] += scale.points(own)
            self.share[runs, i, j] += np.where(own > 0.5, 1.0, np.where(own == 0.5, 0.5, 0.0))
            self.met[runs, i, j] += 1.0

    def rest(self, scale: PointScale, runs: Ids, player: Ids) -> None:
        """Enter a bye."""
        self.points[runs, player] += scale.win
        self.byes[runs, player] = True


def simulate_swiss(
    field: Contenders,
    rounds: int,
    *,
    played: Games | None = None,
    scale: PointScale | None = None,
    ties: Sequence[str] = (),
    runs: int = 10_000,
    seed: int = 0,
    workers: Workers = SERIAL,
) -> Prospects:
    """Simulate the rest of `rounds` rounds `runs` times and count places; `workers` share the runs.

    `played` are the games so far, whole rounds of them. Raises BadSetting for more rounds than
    opponents, Unratable for an incomplete round.
    """
    n = len(field)
    most = n - 1 if n % 2 == 0 else n
    if not 1 <= rounds <= most or runs < 1:
        raise BadSetting.of("rounds_out_of_range", most=most, n=n, rounds=rounds, runs=runs)
    needs_pairs(ties)
    rank = np.argsort(-field.rating, kind="stable")
    given = SwissRuns(field, rank, rounds, played, scale or PointScale(), tuple(ties), seed)
    _, done = given.begin(1)
    if done > rounds:
        raise Unratable.of("too_few_rounds", done=done, rounds=rounds)
    size = min(TASK_RUNS, max(1, SWISS_NUMBERS // (n * n)))
    counter = count_runs(SwissRuns.simulate, given, n, runs, size, workers)
    note = f"{done} of {rounds} rounds are played" if done else ""
    open_seed = None if done == rounds else seed
    return counter.prospects(field, note, seed=open_seed, order=np.argsort(rank))


class SwissRuns(NamedTuple):
    """What the tasks of `simulate_swiss` share."""

    field: Contenders
    rank: Ids  # numbers of the players, the best rated first
    rounds: int
    played: Games | None
    scale: PointScale
    ties: tuple[str, ...]
    seed: int

    def begin(self, runs: int) -> tuple[SwissState, int]:
        """So many runs after the rounds that are played, and the number of these."""
        state = SwissState.begin(runs, len(self.field))
        if self.played is None:
            return state, 0
        names = [self.field.sides[k] for k in self.rank]
        return state, _enter(state, self.played, names, self.scale)

    def simulate(self, runs: range) -> TableCounter:
        """Simulate some runs and count their final tables."""
        n, part = len(self.field), np.arange(runs.start, runs.stop, dtype=np.int64)
        state, done = self.begin(len(runs))
        shape = self.rounds - done, n // 2  # the numbers of a run
        random = generator_after(runs.start * shape[0] * shape[1], [self.seed, 2])
        luck = random.random((len(runs), *shape))
        for number in range(done, self.rounds):
            self._play_round(state, part, number, luck[:, number - done])
        tables = Tables(state.points, state.wins, state.brought, state.share, state.met)
        counter = TableCounter(n)
        counter.add(tables, self.ties)
        return counter

    def _play_round(self, state: SwissState, part: Ids, number: int, luck: Floats) -> None:
        """Pair all players and simulate a round; `luck` [runs, games] in [0, 1) decides games.

        Pairs of a run have no player in common, so all of them are entered at once.
        """
        field, rank, scale = self.field, self.rank, self.scale
        runs, n = state.points.shape
        everywhere = np.arange(runs, dtype=np.int64)
        order = np.argsort(-state.points.round(9), axis=1, kind="stable")
        points = np.take_along_axis(state.points, order, 1).round(9)
        met = state.met[everywhere[:, None, None], order[:, :, None], order[:, None, :]] > 0.0
        waiting = np.ones((runs, n), dtype=bool)
        if n % 2:
            free = ~np.take_along_axis(state.byes, order, 1)
            last = n - 1 - np.argmax(free[:, ::-1], axis=1)
            waiting[everywhere, last] = False
            state.rest(scale, everywhere, order[everywhere, last])
        a, b = (np.take_along_axis(order, each, 1) for each in pair_round(points, met, waiting))
        every = everywhere[:, None]
        side = np.zeros(a.shape)
        if field.sided:
            due = np.sign(state.turns[every, b] - state.turns[every, a])
            side = np.where(due == 0.0, 1.0 if number % 2 == 0 else -1.0, due)
        odds = field.odds(field.world(part)[:, None], rank[a], rank[b], side)
        state.play(scale, every, a, b, side, odds.scores(luck))


def _enter(state: SwissState, games: Games, names: list[Side], scale: PointScale) -> int:
    """Enter the games played into every run; return the number of rounds."""
    everywhere = np.arange(len(state.points), dtype=np.int64)
    side = np.zeros(len(games)) if games.side is None else games.side
    rows = zip(sides_entered(games, names), side.tolist(), games.score.tolist(), strict=True)
    for pair, turn, score in rows:
        a, b = map(np.array, pair)
        if a >= 0 and b >= 0:
            state.play(scale, everywhere, a, b, turn, np.array(score))
    count = state.met[0].sum(axis=1)
    rounds = int(count.max())
    fewer = np.flatnonzero(count < rounds)
    odd = len(names) % 2
    if (count[fewer] < rounds - 1).any() or len(fewer) != rounds * odd:
        names_of = ", ".join(side_text(names[k]) for k in fewer[:3].tolist()) or "all"
        raise Unratable.of("rounds_incomplete", rounds=rounds, names=names_of)
    for player in fewer.tolist():
        state.rest(scale, everywhere, np.array(player))
    return rounds


MAX_PAIRING_CHOICES = 5_000  # for one round of one run before repeats are allowed


def pair_round(points: Floats, met: Truths, waiting: Truths) -> tuple[Ids, Ids]:
    """Return the pairs, [runs, pairs] each, as numbers in the standing.

    points [runs, n] descend, met [runs, n, n] are earlier pairs, `waiting` [runs, n] the players to
    be paired, an even number in every run.
    """
    runs, n = points.shape
    pairs = int(waiting[0].sum()) // 2
    higher, lower = (np.zeros(runs * pairs, dtype=np.int64) for _ in range(2))
    known = (met.ravel().astype(np.int64), waiting.ravel().astype(np.int64))
    run_loop(pairing_loop, runs * n * n / 4, n, pairs, points.ravel(), *known, higher, lower)
    return higher.reshape(runs, pairs), lower.reshape(runs, pairs)


def pairing_loop(
    n: int, pairs: int, points: Any, met: Any, waiting: Any, higher: Any, lower: Any
) -> None:
    """Pair every run; all arrays are flat."""
    for one in range(len(points) // n):
        if not search(n, pairs, one, points, met, waiting, higher, lower, True):
            search(n, pairs, one, points, met, waiting, higher, lower, False)


def search(
    n: int,
    pairs: int,
    one: int,
    points: Any,
    met: Any,
    waiting: Any,
    higher: Any,
    lower: Any,
    strict: bool,
) -> bool:
    """Pair one run, `strict`: without repeats; return whether that was possible."""
    free = [waiting[one * n + k] for k in range(n)]
    tried = [-1 for _ in range(pairs)]  # the distance of the current choice
    depth, choices = 0, 0
    while depth < pairs:
        first = 0
        while free[first] == 0:
            first += 1
        free[first] = 0
        second, distance = next_choice(n, one, points, met, free, first, tried[depth], strict)
        choices += 1
        if second >= 0:
            free[second] = 0
            higher[one * pairs + depth], lower[one * pairs + depth] = first, second
            tried[depth] = distance
            depth += 1
        else:
            free[first] = 1
            tried[depth] = -1
            depth -= 1
            if depth < 0 or choices > MAX_PAIRING_CHOICES:
                return False
            free[higher[one * pairs + depth]] = 1
            free[lower[one * pairs + depth]] = 1
    return True


def next_choice(
    n: int, one: int, points: Any, met: Any, free: Any, first: int, beyond: int, strict: bool
) -> tuple[int, int]:
    """Return the nearest to the first choice of `first` beyond a distance; -1: none."""
    own = points[one * n + first]
    size = 1
    for k in range(first + 1, n):
        if free[k] == 1 and points[one * n + k] == own:
            size += 1
    half, place = size // 2, 0
    best, least = -1, 4 * n
    for k in range(first + 1, n):
        if free[k] == 0:
            continue
        distance = n + k
        if points[one * n + k] == own:
            place += 1
            distance = place - half if place >= half else size - place
        if beyond < distance < least and not (strict and met[(one * n + first) * n + k] == 1):
            best, least = k, distance
    return best, least
