"""Fair teams: the split of some players into sides whose chances to win are nearest to even.

The worst of a split is the largest distance of a side's chance from 1/n. Up to EXACT_SPLIT_PLAYERS
players every split is looked at. Beyond, splits are improved by swaps of players of the side
that is farthest from even, from several beginnings, until none improves. No worst is below 0, so
another split is better by the worst that was found, at most.

A side is the sum of what its members bring (`part` of the system), with the deviations of their
ratings in its chances. Of three sides and more the chance to win is that of independent
performances (`engine.places`): by Gumbel's law e^s_i / sum of e^s with s_i the mean log odds of the
side against the others; by the normal law an integral, here over Gauss-Hermite
nodes, which ranks splits. The chances that are told are those of `Ratings.forecast`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.compile.worth import part_of
from prowess.engine.game_forecast import AskedGame, forecast_sides
from prowess.engine.places import FAINTEST, performances_of_pairs, quality_of
from prowess.engine.progress import stop_if_unwanted
from prowess.engine.rate import DynamicRatings
from prowess.engine.system import Unratable
from prowess.engine.tabular import ResultTable
from prowess.games.arguments import BadArgument

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

    Split = tuple[int, ...]  # the side of each player

EXACT_SPLIT_PLAYERS = 12  # players of whom every split is looked at
BEGINNINGS_TRIED = 6  # of a search
SWAPS_LIKELY = 10  # from a beginning until none improves
HERMITE_NODES = 20
MOST_IN_TEAMS = 60  # whose sides are numbers of 62 bits
MOST_STEPS = 200_000  # towards a first split that keeps all conditions
EVEN_ENOUGH = 1e-4  # a worst of chances at which a search ends
SPLITS_AT_ONCE = 50_000  # splits that are judged together


class Conditions(NamedTuple):
    """What a split has to keep: sizes of sides, and players by number."""

    sizes: tuple[int, ...]
    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    captains: tuple[int, ...] = ()  # of the sides, in order

    def blocks(self) -> list[list[int]]:
        """The players who stay together, those with most conditions first."""
        block = list(range(sum(self.sizes)))
        for group in self.together:
            joined = {block[one] for one in group}
            block = [min(joined) if one in joined else one for one in block]
        found: dict[int, list[int]] = {}
        for player, one in enumerate(block):
            found.setdefault(one, []).append(player)
        parted = {one for group in (*self.apart, self.captains) for one in group}
        return sorted(
            found.values(), key=lambda one: (-len(one), -len(parted.intersection(one)), one[0])
        )

    def conflicts(self) -> dict[int, set[int]]:
        """The players with whom each may not be on one side."""
        found: dict[int, set[int]] = {}
        for group in (*self.apart, self.captains):
            for one in group:
                found.setdefault(one, set()).update(other for other in group if other != one)
        return found

    def splits(self, rng: np.random.Generator | None = None) -> Iterator[Split]:
        """Every split once: sides of one size have no order, but for captains.

        With `rng` blocks and sides come in random order, and a split may come twice.
        """
        blocks, conflicts = self.blocks(), self.conflicts()
        captain = {one: side for side, one in enumerate(self.captains)}
        if rng is not None:
            order = rng.permutation(len(blocks)).tolist()
            blocks = sorted((blocks[k] for k in order), key=lambda one: -len(one))
            blocks.sort(key=lambda one: -sum(len(conflicts.get(k, ())) for k in one))
        side_of = [-1] * sum(self.sizes)
        members: list[list[int]] = [[] for _ in self.sizes]
        steps = 0

        def place(number: int) -> Iterator[Split]:
            nonlocal steps
            if number == len(blocks):
                yield tuple(side_of)
                return
            block = blocks[number]
            foes = set().union(*(conflicts.get(one, ()) for one in block))
            own = [captain[one] for one in block if one in captain]
            tried = set()
            sides = range(len(self.sizes)) if rng is None else rng.permutation(len(self.sizes))
            for side in map(int, sides):
                steps += 1
                if rng is not None and steps > MOST_STEPS:
                    return
                held = members[side]
                alike = self.sizes[side] if not held and side >= len(self.captains) else -1 - side
                if alike in tried or (own and own != [side]):
                    continue
                if len(held) + len(block) > self.sizes[side] or not foes.isdisjoint(held):
                    continue
                tried.add(alike)
                held.extend(block)
                for one in block:
                    side_of[one] = side
                yield from place(number + 1)
                del held[len(held) - len(block) :]

        yield from place(0)

    def swaps(self, split: Split, side: int) -> list[Split]:
        """The splits after a block of this side and one of its size elsewhere changed places."""
        blocks, conflicts = self.blocks(), self.conflicts()
        fixed = {*self.captains}
        free = [one for one in blocks if fixed.isdisjoint(one)]
        found = []
        for one, other in combinations(free, 2):
            ends = split[one[0]], split[other[0]]
            if len(one) != len(other) or ends[0] == ends[1] or side not in ends:
                continue
            changed = list(split)
            for a, b in ((one, other), (other, one)):
                for k in a:
                    changed[k] = split[b[0]]
            moved = (*one, *other)
            if all(changed[k] != changed[foe] for k in moved for foe in conflicts.get(k, ())):
                found.append(tuple(changed))
        return found


@dataclass(frozen=True, eq=False)
class TeamModel:
    """Chances of sides that some players make, many sides at once; players are numbered from 0."""

    ratings: DynamicRatings
    players: Sequence[int]  # by number of the ratings

    @cached_property
    def alone(self) -> tuple[list[AskedGame], list[Floats], Floats | None]:
        """Each setting, what each player brings under it [n, numbers], and the weights."""
        asked, weights = self.ratings.ask_sides([[(one, 1.0)] for one in self.players])
        return asked, [np.array(one.sides, dtype=np.float64) for one in asked], weights

    def turns(self, splits: int, count: int) -> float:
        """The work of judging so many splits into so many sides: pairs under every setting."""
        return float(splits * (count - 1) * self.ratings.state.lanes)

    def judge(self, splits: Ids, count: int) -> Floats:
        """The chance of each side of some splits, [splits, n], to win, [splits, count]."""
        member = splits[:, None, :] == np.arange(count, dtype=np.int64)[None, :, None]
        rows = member.reshape(-1, splits.shape[1])
        code = rows @ (1 << np.arange(rows.shape[1], dtype=np.int64))
        _, first, side = np.unique(code, return_index=True, return_inverse=True)
        sides = side.reshape(len(splits), count)
        return self.chances(rows[first].astype(np.float64), sides)

    def chances(self, member: Floats, sides: Ids) -> Floats:
        """The chances of contests between sides, [contests, sides of each].

        `member` [sides, n] is 1 for the members of each, `sides` has them by number.
        """
        count, system = sides.shape[1], self.ratings.system
        if count == 2:
            expected = self.expected_scores(member, sides[:, 0], sides[:, 1])
            return np.stack((expected, 1.0 - expected), axis=1)
        if system.performance is not None and self.ratings.state.lanes == 1:
            (asked,), (parts,), _ = self.alone
            shape = system.side if system.teams else system.rating
            rows = map(shape._make, (member @ parts).tolist())
            shown = np.array([system.performance(asked.p, one) for one in rows])
            mean, deviation = shown[sides, 0], shown[sides, 1]
            law = first_of_normal if system.normal else first_of_gumbel
            return law(mean, deviation)
        total = len(member)
        pairs = [(a, b) for a in range(count) for b in range(a)]
        low, high = (sides[:, [pair[k] for pair in pairs]] for k in (0, 1))
        asked_for, place = np.unique(
            np.minimum(low, high) * total + np.maximum(low, high), return_inverse=True
        )
        chance = self.expected_scores(member, asked_for // total, asked_for % total)
        chance = np.clip(chance, FAINTEST, 1.0 - 1e-16)[place.reshape(low.shape)]
        chance = np.where(low < high, chance, 1.0 - chance)
        if system.normal:
            return np.array([self._first_by_pairs(row, pairs, count) for row in chance])
        odds, strength = np.log(chance / (1.0 - chance)), np.zeros(sides.shape)
        for k, (a, b) in enumerate(pairs):
            strength[:, a] += odds[:, k] / count
            strength[:, b] -= odds[:, k] / count
        return first_of_gumbel(strength, np.ones(sides.shape))

    def _first_by_pairs(
        self, chance: Floats, pairs: Sequence[tuple[int, int]], count: int
    ) -> Floats:
        """The chances to win of one contest under a normal law that pairs decide."""
        expected = np.zeros((count, count))
        for k, (a, b) in enumerate(pairs):
            expected[a, b], expected[b, a] = chance[k], 1.0 - chance[k]
        shown = performances_of_pairs(expected, normal=True)
        found: Floats = first_of_normal(shown.mean[None], shown.deviation[None])[0]
        return found

    def expected_scores(self, member: Floats, first: Ids, second: Ids) -> Floats:
        """The expected scores of some sides against others, mixed over the settings."""
        if self.ratings.system.prepare is not None:  # a side is more than what its members bring
            players = np.array(self.players)
            line_ups = [[(k, 1.0) for k in players[one > 0.0].tolist()] for one in member]
            return self.ratings.forecast_pairs(line_ups, first, second)[0]
        asked, parts, weights = self.alone
        made = [one._replace(sides=member @ part) for one, part in zip(asked, parts, strict=True)]
        return forecast_sides(self.ratings.system, made, weights, first, second)[0]


def first_of_gumbel(mean: Floats, deviation: Floats) -> Floats:
    """The chance of each performance under Gumbel's law, of one scale, to be the best."""
    strength = mean / deviation
    raised = np.exp(strength - strength.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


def first_of_normal(mean: Floats, deviation: Floats) -> Floats:
    """The chance of each normal performance to be the best of its contest, [contests, sides]."""
    from scipy.special import ndtr

    node, weight = np.polynomial.hermite_e.hermegauss(HERMITE_NODES)
    found = np.empty_like(mean)
    for k in range(mean.shape[1]):
        others = [j for j in range(mean.shape[1]) if j != k]
        shown = mean[:, k, None] + deviation[:, k, None] * node  # [contests, nodes]
        below = np.ones_like(shown)
        for j in others:
            below *= ndtr((shown - mean[:, j, None]) / deviation[:, j, None])
        found[:, k] = below @ (weight / weight.sum())
    return found


@dataclass(frozen=True, eq=False, repr=False)
class FairTeams(ResultTable):
    """The fairest split: a row a team, with its players and its chance to win.

    `teams` are the players' names, `chances` [teams] the chances, `exact` says whether every one
    of the `splits` was looked at, `new` are newcomers.
    """

    teams: tuple[tuple[str, ...], ...] = ()
    chances: tuple[float, ...] = ()
    exact: bool = True
    splits: int = 0
    new: tuple[str, ...] = ()

    @property
    def worst(self) -> float:
        """The largest distance of a chance from that of even teams."""
        return max(abs(chance - 1.0 / len(self.chances)) for chance in self.chances)

    @property
    def quality(self) -> float:
        """1 for even chances, 0 where a team is sure to win; see `quality_of`."""
        return quality_of(self.chances)

    @property
    def note(self) -> str:
        """How near to even the chances are, and how sure it is that no split is nearer."""
        worst = f"chances at most {self.worst:.1%} from even"
        if self.exact:
            many = (
                "the only split" if self.splits == 1 else f"the best of all {self.splits:,} splits"
            )
            return f"{worst}: {many}"
        return f"{worst}: found by search, so a better split may exist, by that much at most"

    def format_cell(self, name: str, value: Any) -> str:
        """See Tabular."""
        return f"{value:.1%}" if name == "chance" else super().format_cell(name, value)

    @property
    def headline(self) -> str:
        """See Tabular; with the quality."""
        return f"{super().headline}; {self.note}"


def balance_teams(
    ratings: Ratings, players: Sequence[int], conditions: Conditions, seed: int = 0
) -> tuple[Split, int, bool]:  # fmt: skip
    """The fairest split, how many were judged, and whether these are all.

    Raises Unratable for a system without teams, BadArgument where no split keeps the conditions.
    """
    count = len(conditions.sizes)
    if len(players) > MOST_IN_TEAMS:
        raise BadArgument.of(
            "too_many_players.matchmaking", most=MOST_IN_TEAMS, players=len(players)
        )
    rated = isinstance(ratings, DynamicRatings) and ratings.system.teams
    if not rated and max(conditions.sizes) > 1:
        raise Unratable.of("no_teams.matchmaking", system=ratings.system.name)
    if len(players) <= EXACT_SPLIT_PLAYERS or max(conditions.sizes) == 1:
        splits = conditions.splits()
        every = list(islice(splits, 1) if max(conditions.sizes) == 1 else splits)
        if not every:
            raise no_split()
        if len(every) == 1:
            return every[0], 1, True
        assert isinstance(ratings, DynamicRatings)
        model = TeamModel(ratings, players)
        with part_of(model.turns(len(every), count)):
            return choose_split(model, every, count)[0], len(every), True
    assert isinstance(ratings, DynamicRatings)
    model = TeamModel(ratings, players)
    swaps = max(conditions.sizes) * len(players)
    with part_of(model.turns(BEGINNINGS_TRIED * SWAPS_LIKELY * swaps, count)):
        found, judged = search_split(model, conditions, seed)
    if found is None:
        raise no_split()
    return found, judged, False


def search_split(model: TeamModel, conditions: Conditions, seed: int) -> tuple[Split | None, int]:
    """The fairest split that swaps lead to, and how many were judged."""
    count, rng = len(conditions.sizes), np.random.default_rng(seed)
    judged, found, least = 0, None, (np.inf, np.inf)
    for _ in range(BEGINNINGS_TRIED):
        split = next(conditions.splits(rng), None)
        if split is None:
            continue
        now, apart, side = choose_split(model, [split], count)
        while near := conditions.swaps(now, side):
            stop_if_unwanted()
            judged += len(near)
            best, nearer, farthest = choose_split(model, near, count)
            if nearer >= apart:
                break
            now, apart, side = best, nearer, farthest
        if apart < least:
            found, least = now, apart
        if least[0] < EVEN_ENOUGH:
            break
    return found, judged


def no_split() -> BadArgument:
    """The error where no split keeps the conditions."""
    return BadArgument.of("no_split")


def choose_split(
    model: TeamModel, splits: Sequence[Split], count: int
) -> tuple[Split, tuple[float, float], int]:
    """The split with the least worst distance from even chances, and of equals the least squares.

    With the two numbers, and the side that is farthest from even.
    """
    rows = np.array(splits)
    apart = np.concatenate(
        [
            model.judge(rows[at : at + SPLITS_AT_ONCE], count) - 1.0 / count
            for at in range(0, len(rows), SPLITS_AT_ONCE)
        ]
    )
    worst, squares = np.abs(apart).max(axis=1).round(12), (apart**2).sum(axis=1)
    best = int(np.lexsort((squares, worst))[0])
    farthest = int(np.abs(apart[best]).argmax())
    return splits[best], (float(worst[best]), float(squares[best])), farthest
