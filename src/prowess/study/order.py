"""Does the order of games that share a time tell their results?

Games of one time (mostly of one day) are played in the order of the file, so a forecast may know
results of the same day. That is right where the file is in order of play, and a leak where it is
sorted by result or by winner. Three signs of such an order are looked for in the games of each
player at each time; a tournament in order of its rounds shows none of them:

    results    the first side's results are sorted: wins first, or losses first
    winner     a player's wins stand together, as in a file sorted by winner (or by loser)
    reversed   players lose first and win later: rounds from the last to the first

The last game of a player at a time is left out of the first two, because a tournament ends with a
defeat for all but one; of games in a row against one opponent the second sign counts the first
only, because they end alike. Each sign is a statistic that is 1 where the order is as sorted as it
can be and 0 on average where it is random; it counts where it is above a limit and above all its
values for random orders of the same games (a permutation test; P. Good, Permutation Tests, 2nd
edition 2000).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.cluster.workers import SERIAL, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]

RANDOM_ORDERS = 199  # a sign that exceeds all has p = 0.005
LIMITS = {"results": 0.6, "winner": 0.65, "reversed": 0.7}  # of the statistics
MIN_SEQUENCES = 20  # of players, for a sign
MAX_GAMES_TESTED = 200_000  # the first ones of the table
ORDER_SIGNS = {
    "results": "the results of the first side are sorted",
    "winner": "the wins of a player stand together, as in a file sorted by winner or loser",
    "reversed": "players lose first and win later, as in a file with the last round first",
}


class OrderCheck(NamedTuple):
    """Games that are forecast with results of the same time, and signs that the order tells."""

    informed: int
    games: int
    dated: bool
    signs: dict[str, float]  # statistics of the signs that were found
    tested: bool  # whether there were enough games to look for signs
    seed: int

    def notes(self) -> list[str]:
        """Notes for the reader of a comparison."""
        test = f"permutation test of {RANDOM_ORDERS} orders, seed {self.seed}"
        where = "share a time" if self.dated else "have no dates"
        found = [
            f"put the file in order of play, or name a period (elo@1d): {ORDER_SIGNS[name]}, among "
            f"games that {where}; the order tells results, and forecasts may profit from it "
            f"({value:.2f}, where 0 is chance and 1 sorted; {test})"
            for name, value in self.signs.items()
        ]
        if self.dated and self.informed:
            said = "" if found or not self.tested else f"; no sign that it tells results ({test})"
            follow = "follows" if self.informed == 1 else "follow"
            found.insert(
                0,
                f"{self.informed:,} of {self.games:,} games {follow} another game of a player at "
                f"the same time: their forecasts know its result, in the order of the file{said}",
            )
        return found


class _Sequences(NamedTuple):
    """Values in runs: each run is what one player met at one time."""

    values: Floats
    run: Rows  # of each value, ascending

    def sort_runs(self) -> _Sequences:
        """The same with the values of each run ascending."""
        return self._replace(values=self.values[np.lexsort((self.values, self.run))])

    def shuffle_runs(self, random: np.random.Generator) -> _Sequences:
        """The same with the values of each run in random order."""
        order = np.lexsort((random.random(len(self.run)), self.run))
        return self._replace(values=self.values[order])

    def drop_constant_runs(self) -> _Sequences:
        """The runs whose values are not all equal."""
        same = np.append(False, self.run[1:] == self.run[:-1])
        changes = same & np.append(False, self.values[1:] != self.values[:-1])
        keep = np.bincount(self.run, changes, int(self.run.max(initial=-1)) + 1)[self.run] > 0
        return _Sequences(self.values[keep], self.run[keep])

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(np.unique(self.run))


def has_order(games: Games) -> bool:
    """Whether a table says in what order its games were played: by dates, or by rounds."""
    return games.time is not None or games.round is not None


def check_order(games: Games, seed: int = 0, workers: Workers = SERIAL) -> OrderCheck:
    """Look for signs that the order of games of one time tells their results.

    Games without dates count as games of one time. Of contests of many sides nothing is said.
    `workers` share the random orders.
    """
    nothing = OrderCheck(0, len(games), games.time is not None, {}, False, seed)
    if not games.pairwise or len(games) < 2:
        return nothing
    row, side = games.contest_of_member, games.side_of_member
    who = games.player.astype(np.int64)
    if games.role is not None:
        own = games.role[games.player] == 0
        row, side, who = row[own], side[own], who[own]
    moment = np.zeros(len(games), np.int64)
    if games.time is not None:
        moment[1:] = np.cumsum(games.time[1:] != games.time[:-1])
    order = np.lexsort((row, who, moment[row]))
    row, side, who = row[order], side[order], who[order]
    new = np.append(True, (np.diff(who) != 0) | (np.diff(moment[row]) != 0))
    run = np.cumsum(new) - 1
    informed = len(np.unique(row[~new]))
    several = (np.bincount(run)[run] > 1) & (np.arange(len(run)) < MAX_GAMES_TESTED)
    row, side, run = row[several], side[several], run[several]
    first = side % 2 == 0
    score = games.score[row]
    won = np.where(first, score, 1.0 - score)
    inner = np.append(run[1:] == run[:-1], False)[: len(run)]  # all but the last game of a run
    fresh = np.ones(len(run), np.bool_)
    if games.duels:
        opponent = np.where(first, games.b[row], games.a[row])
        fresh[1:] = (run[1:] != run[:-1]) | (opponent[1:] != opponent[:-1])
    as_side = 2 * run + first
    sides = np.lexsort((np.arange(len(run)), as_side))
    sides = sides[inner[sides]]
    sequences: dict[str, tuple[_Sequences, Callable[[_Sequences], float], bool]] = {
        "results": (_Sequences(score[sides], as_side[sides]), _trend, True),
        "winner": (_Sequences(won[inner & fresh], run[inner & fresh]), _neighbours, False),
        "reversed": (_Sequences(won, run), _trend, False),
    }
    signs: dict[str, float] = {}
    tested = False
    for number, (name, (given, statistic, two_sided)) in enumerate(sequences.items()):
        found = given.drop_constant_runs()
        if found.runs < MIN_SEQUENCES:
            continue
        tested = True
        orders = RandomOrders(found, statistic, (seed, number))
        size = _strength(orders, workers, two_sided)
        if size > LIMITS[name]:
            signs[name] = size
    return nothing._replace(informed=informed, signs=signs, tested=tested)


class RandomOrders(NamedTuple):
    """What the tasks of a permutation test share; the k-th order has the seed [*seed, k]."""

    found: _Sequences
    statistic: Callable[[_Sequences], float]
    seed: tuple[int, int]

    def measure(self, k: int) -> float:
        """The statistic of the k-th random order."""
        return self.statistic(self.found.shuffle_runs(np.random.default_rng([*self.seed, k])))


TASK_VALUES = 500_000  # put in order by a task of workers: some 50 ms


def _strength(orders: RandomOrders, workers: Workers, two_sided: bool) -> float:
    """The statistic, 0 at its mean over random orders and 1 sorted; 0 where they reach it."""
    found, statistic = orders.found, orders.statistic
    group = 1 + TASK_VALUES // (1 + len(found.values))
    chance = np.array(
        list(workers.map(RandomOrders.measure, range(RANDOM_ORDERS), shared=orders, group=group))
    )
    mean = float(chance.mean())
    most = statistic(found.sort_runs()) - mean
    here, other = statistic(found) - mean, chance - mean
    if two_sided:
        here, other = abs(here), np.abs(other)
    return here / most if most > 0.0 and here > other.max() else 0.0


def _trend(found: _Sequences) -> float:
    """The sum of values times their places within each run, both centred."""
    begins = np.flatnonzero(np.append(True, np.diff(found.run) != 0))
    size = np.diff(np.append(begins, len(found.run)))
    place = np.arange(len(found.run)) - np.repeat(begins + 0.5 * (size - 1), size)
    return float(place @ found.values)


def _neighbours(found: _Sequences) -> float:
    """How many values equal the one before them in their run."""
    same = (found.run[1:] == found.run[:-1]) & (found.values[1:] == found.values[:-1])
    return float(same.sum())
