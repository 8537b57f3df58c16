"""Pairs of players: their games against expectation, and the battles worth playing next.

The score of a pair is the mean of its games (a draw 1/2), the surplus is the score minus the
expected one. The interval is Wilson's (`scores.wilson_interval`); it treats every game as won or
lost, so with draws or shares of points it is wider than necessary.

Next battles: if ratings have deviations, a battle is worth E (1 - E) v: the variance of its result
times the variance v of the difference of the two, which is proportional to the information gained
(the Fisher information of a logistic model times v). Otherwise the pairs that met least often come
first, and among them the closest. Each battle planned for a player divides the worth of their
others by one more, so that a budget is spread over the league.

That is the goal `ranking`. For `coverage` the pairs that met least often always come first, for
`balance` every player plays once before any plays twice, and the most open games come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.fit import NoModel, WholeTableRatings
from prowess.engine.pairings import Pairings, pairings
from prowess.engine.progress import stop_if_unwanted
from prowess.games.arguments import BadArgument
from prowess.games.reading import format_count
from prowess.study.lineups import check_duels
from prowess.study.scores import wilson_interval

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings


class PairRecord(NamedTuple):
    """Two players and their games, seen from the higher rated one (or the one requested).

    `expected` and `surplus` are None where the system has no model of a game.
    """

    player: str
    opponent: str
    battles: float  # the sum of the weights
    score: float
    low: float
    high: float
    expected: float | None
    surplus: float | None

    @property
    def surprising(self) -> bool:
        """Whether the expected score lies outside the interval of the score."""
        return self.expected is not None and not self.low <= self.expected <= self.high


@dataclass(frozen=True, eq=False)
class PairingTable:
    """All pairs that met, and those that never met; `level` is that of the intervals."""

    pairs: list[PairRecord]
    holes: list[tuple[str, str]]
    level: float


def pairing_table(ratings: Ratings, player: str | None = None, level: float = 0.95) -> PairingTable:
    """Return the pairs of a rated table in the order of its leaderboard, of one player if named.

    Raises Unratable unless games are between two, and for too many players, UnknownPlayer.
    """
    merged = merge_pairs(ratings)
    order = standing_order(ratings)
    own = None if player is None else ratings.index(player)
    expected = _expected_by_pair(ratings)
    pairs, holes = [], []
    for place, i in enumerate(order):
        if own is not None and i != own:
            continue
        for j in order if own is not None else order[place + 1 :]:
            names = ratings.players[i], ratings.players[j]
            if i == j:
                continue
            if not merged.met[i, j]:
                holes.append(names)
                continue
            battles, score = float(merged.battles[i, j]), float(merged.share[i, j])
            chance = float(expected[i, j]) if np.isfinite(expected[i, j]) else None
            surplus = None if chance is None else score - chance
            low, high = wilson_interval(score, battles, level)
            pairs.append(PairRecord(*names, battles, score, low, high, chance, surplus))
    return PairingTable(pairs, holes, level)


def merge_pairs(ratings: Ratings) -> Pairings:
    """Merge the games behind ratings by pair; raises Unratable unless between two players."""
    check_duels(ratings.table, "a table of pairings")
    return pairings(ratings.table, by_points=False)


def standing_order(ratings: Ratings, among: Sequence[int] | None = None) -> list[int]:
    """Return the numbers of players with games, the best first; of equals the first seen.

    Of ratings without a game all. `among` are others to be put into this order.
    """
    if among is None:
        there = ratings.has_played() if ratings.contests else ratings.have_role()
        among = np.flatnonzero(there).tolist()
    played = np.unique(among)
    best = np.argsort(-ratings.strength[played], kind="stable")
    return [int(k) for k in played[best]]


def _try_expected_scores(ratings: Ratings, i: Ids, j: Ids, side: Floats) -> Floats | None:
    """Return expected scores of i against j; None without a model of a game."""
    try:
        return ratings.forecast_players(i, j, side)[0]
    except NoModel:
        return None


def _expected_by_pair(ratings: Ratings) -> Floats:
    """Return the mean expected score of each pair over their actual sides, [n, n], else nan."""
    table, n = ratings.table, len(ratings)
    side = np.zeros(len(table)) if table.side is None else table.side
    weight = np.ones(len(table)) if table.weight is None else table.weight
    flip = table.a > table.b
    first, second = np.where(flip, table.b, table.a), np.where(flip, table.a, table.b)
    kinds = np.stack((first, second, np.where(flip, -side, side)), axis=1)
    rows, kind = np.unique(kinds, axis=0, return_inverse=True)
    share = np.bincount(kind.ravel(), weight)
    i, j = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    mean = np.full((n, n), np.nan)
    expected = _try_expected_scores(ratings, i, j, rows[:, 2])
    if expected is not None:
        pair, place = np.unique(i * n + j, return_inverse=True)
        of = np.bincount(place, share * expected) / np.bincount(place, share)
        mean[pair // n, pair % n], mean[pair % n, pair // n] = of, 1.0 - of
    return mean


Goal = Literal["coverage", "ranking", "balance", "closeness", "rest"]
MOST_PAIRS = 100_000  # that are examined; beyond, only neighbours in the leaderboard
MOST_ROUNDED = 400  # players of a round
MOST_TRIES = 5_000  # towards a round without a repeat
NEVER = 1e9  # days since two met who never did


class SuggestedGame(NamedTuple):
    """A battle worth playing; `worth` is None if ratings have no deviations."""

    player: str
    opponent: str
    battles: float  # so far
    expected: float | None
    worth: float | None
    days: float | None  # since they met, at the day of the ratings; None: never, or not known
    why: str


class GameMerits:
    """What speaks for a game of each of some pairs, [pairs]."""

    def __init__(self, ratings: Ratings, i: Ids, j: Ids) -> None:
        self.ratings, self.i, self.j = ratings, i, j
        self.battles, self.days = _meetings_so_far(ratings, i, j)
        self.expected = _try_expected_scores(ratings, i, j, np.zeros(len(i)))
        self.spread = _rating_spread(ratings, i, j)
        self.apart = _places_apart(ratings, i, j)
        self.worth: Floats | None = None
        if self.expected is not None:
            self.apart = np.abs(self.expected - 0.5)
            if self.spread is not None:
                self.worth = self.expected * (1.0 - self.expected) * self.spread**2

    def keys(self, goal: Goal, crowd: Floats) -> tuple[Floats, ...]:
        """Keys of an order for a goal, the last one decides first; `crowd` are games planned."""
        if goal == "balance":
            return self.battles, self.apart, crowd
        if goal == "closeness":
            return self.battles, crowd, self.apart
        if goal == "rest":
            return self.apart, crowd, -np.nan_to_num(self.days)  # without dates: who never met
        if self.worth is None:
            return self.apart, crowd, self.battles
        if goal == "ranking":
            return self.battles, -self.worth / (1.0 + crowd)
        return -self.worth, crowd, self.battles

    def suggest(self, k: int) -> SuggestedGame:
        """The game of a pair."""
        expected, worth, spread = (
            None if column is None else float(column[k])
            for column in (self.expected, self.worth, self.spread)
        )
        a, b = (self.ratings.players[int(one[k])] for one in (self.i, self.j))
        battles, days = float(self.battles[k]), float(self.days[k])
        known = None if np.isnan(days) or days >= NEVER else days
        why = _why(battles, expected, spread, known)
        return SuggestedGame(a, b, battles, expected, worth, known, why)


def next_battles(
    ratings: Ratings,
    budget: int,
    player: str | None = None,
    goal: Goal = "ranking",
    among: Sequence[int] | None = None,
) -> list[SuggestedGame]:
    """Return the `budget` battles worth playing next (of one player if named), the best first.

    `among` are the players who are there, by number; default: all with games. No pair appears
    twice. Raises Unratable unless games are between two, UnknownPlayer.
    """
    check_duels(ratings.table, "a list of games to play")
    own = None if player is None else ratings.index(player)
    i, j = _candidates(standing_order(ratings, among), own)
    merits = GameMerits(ratings, i, j)
    planned = np.zeros(len(ratings.players))
    open_pairs = np.ones(len(i), dtype=bool)
    chosen: list[SuggestedGame] = []
    while open_pairs.any() and len(chosen) < budget:
        stop_if_unwanted()
        best = _first(open_pairs, merits.keys(goal, planned[i] + planned[j]))
        open_pairs[best] = False
        planned[i[best]] += 1.0
        planned[j[best]] += 1.0
        chosen.append(merits.suggest(best))
    return chosen


class PlannedRound(NamedTuple):
    """Games of a round, and who is free."""

    games: list[SuggestedGame]
    bye: str | None


def plan_rounds(
    ratings: Ratings, rounds: int, goal: Goal = "ranking", among: Sequence[int] | None = None
) -> list[PlannedRound]:
    """Plan rounds in which everybody plays once, and no pair twice in all of them.

    The best games by the goal are taken first, then opponents are exchanged between two games as
    long as that is better for the sum of the places of games in that order. Where this leaves no
    way on, they are the best rounds of a round robin. Free rounds are shared: of an odd number
    those with the fewest are free, the last of the leaderboard first. Raises Unratable unless games
    are between two, and BadArgument for more rounds than there are.
    """
    check_duels(ratings.table, "a plan of rounds")
    order = standing_order(ratings, among)
    count = len(order)
    if not 2 <= count <= MOST_ROUNDED:
        raise BadArgument.of("too_many_players.rounds", most=MOST_ROUNDED, count=count)
    most = count - 1 + count % 2
    if rounds > most:
        raise BadArgument.of("too_many_rounds", most=most, count=count, rounds=rounds)
    one, other = np.triu_indices(count, 1)
    ids = np.array(order)
    merits = GameMerits(ratings, ids[one], ids[other])
    place = np.empty(len(one))
    place[np.lexsort(merits.keys(goal, np.zeros(len(one))))] = np.arange(len(one), dtype=np.int64)
    cost, pair = np.full((count, count), np.inf), np.zeros((count, count), dtype=np.int64)
    cost[one, other] = cost[other, one] = place
    pair[one, other] = pair[other, one] = np.arange(len(one), dtype=np.int64)
    plan = take_best_rounds(cost, rounds) or take_round_robin(cost, rounds)
    planned = []
    for found in plan:
        free = {*range(count)}.difference(*found)
        games = sorted(found, key=lambda two: place[pair[two]])
        planned.append(
            PlannedRound(
                [merits.suggest(int(pair[two])) for two in games],
                ratings.players[order[free.pop()]] if free else None,
            )
        )
    return planned


def take_best_rounds(cost: Floats, rounds: int) -> list[list[tuple[int, int]]] | None:
    """Rounds of little cost, [n, n], one after the other; None where they leave no way on."""
    count, found = len(cost), []
    cost, byes = cost.copy(), [0] * count
    for _ in range(rounds):
        stop_if_unwanted()
        free = None
        if count % 2:
            free = min(range(count), key=lambda k: (byes[k], -k))
            byes[free] += 1
        games = match_players(cost, [k for k in range(count) if k != free])
        if games is None:
            return None
        for a, b in games:
            cost[a, b] = cost[b, a] = np.inf
        found.append(games)
    return found


def take_round_robin(cost: Floats, rounds: int) -> list[list[tuple[int, int]]]:
    """The rounds of a round robin that cost least: all but one player move around a circle."""
    count = len(cost)
    circle = [*range(count), *([-1] if count % 2 else [])]  # -1: a free round
    every = []
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
        every.append([(min(two), max(two)) for two in pairs if min(two) >= 0])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    every.sort(key=lambda games: sum(cost[two] for two in games))
    return every[:rounds]


def match_players(cost: Floats, players: Sequence[int]) -> list[tuple[int, int]] | None:
    """Pair all of these players at little cost, [n, n]; an infinite one may not be.

    There is such a pairing where everybody may play at least half of the others (Dirac 1952).
    """
    choices = {
        k: sorted(
            (o for o in players if o != k and np.isfinite(cost[k, o])), key=cost[k].__getitem__
        )
        for k in players
    }
    left, found, tries = dict.fromkeys(players), [], 0

    def pair_rest() -> bool:
        nonlocal tries
        if not left:
            return True
        tries += 1
        if tries > MOST_TRIES:
            return False
        open_to = {k: [o for o in choices[k] if o in left] for k in left}
        least = min(map(len, open_to.values()))
        tight = [k for k in left if len(open_to[k]) == least] if least < 2 else list(left)
        k = min(tight, key=lambda one: cost[one, open_to[one][0]] if open_to[one] else -1.0)
        for o in open_to[k]:
            del left[k], left[o]
            found.append((min(k, o), max(k, o)))
            if pair_rest():
                return True
            found.pop()
            left.update({k: None, o: None})
        return False

    if not pair_rest():
        return None
    better = True
    while better:
        better = False
        for x, y in combinations(range(len(found)), 2):
            (a, b), (c, d) = found[x], found[y]
            now = cost[a, b] + cost[c, d]
            for first, second in (((a, c), (b, d)), ((a, d), (b, c))):
                if cost[first] + cost[second] < now:
                    found[x], found[y] = (
                        (min(first), max(first)), (min(second), max(second)),
                    )  # fmt: skip
                    better = True
                    break
    return found


def _meetings_so_far(ratings: Ratings, i: Ids, j: Ids) -> tuple[Floats, Floats]:
    """Return the sums of the weights of the games of some pairs, and the days since the last.

    Days are NEVER where two never met, nan without dates.
    """
    table, n = ratings.table, len(ratings.players)
    low, high = np.minimum(table.a, table.b), np.maximum(table.a, table.b)
    pairs, place = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
    battles = np.bincount(place.ravel(), table.weight, len(pairs))
    last = np.full(len(pairs), np.nan)
    if table.time is not None and ratings.day is not None:
        last = np.full(len(pairs), -np.inf)
        np.maximum.at(last, place.ravel(), table.time)
        last = ratings.day - last
    wanted = np.minimum(i, j) * n + np.maximum(i, j)
    if not len(pairs):
        return np.zeros(len(i)), np.full(len(i), NEVER)
    at = np.minimum(pairs.searchsorted(wanted), len(pairs) - 1)
    met = pairs[at] == wanted
    return np.where(met, battles[at], 0.0), np.where(met, last[at], NEVER)


def _first(chosen: Truths, keys: tuple[Floats, ...]) -> int:
    """Return the first of the chosen in the order of `np.lexsort`, without sorting all."""
    left = np.flatnonzero(chosen)
    for key in reversed(keys):
        own = key[left]
        left = left[own == own.min()]
    return int(left[0])


def _candidates(order: list[int], own: int | None) -> tuple[Ids, Ids]:
    """Return all pairs, the higher one first, or near neighbours if there are too many."""
    ranked = np.array(order, dtype=np.int64)
    n = len(ranked)
    if own is not None:
        others = ranked[ranked != own]
        return np.full(len(others), own, dtype=np.int64), others
    reach = min(n - 1, max(1, MOST_PAIRS // n))
    first = np.concatenate(
        [np.arange(n - d, dtype=np.int64) for d in range(1, reach + 1)] or [ranked[:0]]
    )
    gap = np.concatenate([np.full(n - d, d) for d in range(1, reach + 1)] or [ranked[:0]])
    return ranked[first], ranked[first + gap]


def _rating_spread(ratings: Ratings, i: Ids, j: Ids) -> Floats | None:
    """Return the deviation of the difference of two ratings, points; None if unknown."""
    if isinstance(ratings, WholeTableRatings) and ratings.fit.uncertainty is not None:
        sure = ratings.fit.uncertainty
        spread = np.empty(len(i))
        for one in np.unique(i):
            rows = i == one
            spread[rows] = sure.deviations(int(one))[j[rows]]
        return spread
    if "deviation" in ratings.columns:
        deviation = ratings.column("deviation").astype(np.float64)
        total: Floats = np.hypot(deviation[i], deviation[j])
        return total
    return None


def _places_apart(ratings: Ratings, i: Ids, j: Ids) -> Floats:
    place = np.zeros(len(ratings))
    order = standing_order(ratings)
    place[order] = np.arange(len(order), dtype=np.int64)
    apart: Floats = np.abs(place[i] - place[j])
    return apart


def _why(
    battles: float, expected: float | None, doubt: float | None, days: float | None = None
) -> str:
    """Return the reason for a battle in one sentence."""
    met = "they never met" if not battles else f"they met {battles:g} times"
    if battles == 1.0:
        met = "they met once"
    if battles and days is not None:
        ago = f"{format_count(round(days), 'day')} ago" if round(days) else "today"
        met += f", {'last ' if battles > 1.0 else ''}{ago}"
    if expected is None:
        return f"{met}, and they stand close to each other"
    open_end = "the result is open" if abs(expected - 0.5) < 0.15 else "a surprise would tell much"
    if doubt is None:
        return f"{met}, and {open_end} ({expected:.0%})"
    return f"{open_end} ({expected:.0%}), and their difference is known to {doubt:.3g}; {met}"
