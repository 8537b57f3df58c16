"""Circular results: circular triads, and the share of results that no ratings explain.

Circular triads: A beats B, B beats C, C beats A, each by a pairing score over 1/2. In a complete
table without even pairs their number is C(n,3) - sum C(wins,2), and Kendall's coefficient of
consistency compares it with the largest possible number: M. G. Kendall and B. Babington Smith, "On
the Method of Paired Comparisons", Biometrika 31 (1940). Among random results one triple of decided
pairs in four is circular.

Cyclic share: the margin of a pair, Y_ij = score - 1/2 (or its log-odds), is split by least squares,
weighted by battles, into a part from ratings and a cyclic rest:

    Y_ij = (s_i - s_j) + R_ij,     sum n_ij R_ij^2 least,     cyclic share = sum n R^2 / sum n Y^2
    of a player i: sqrt(sum_j n_ij R_ij^2 / sum_j n_ij), in units of the margin

X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, "Statistical ranking and combinatorial Hodge theory", Math.
Programming 127 (2011). Chance also makes cycles, and so does a curve where the margins are linear.
So the same share is computed for leagues sampled from ratings: strengths are fitted to the results
(Bradley-Terry, with half a drawn battle a player against the mean), and every battle is sampled
again with the chance of these strengths; a part of the battles, fitted so that the scores within a
pair scatter as observed, brings the expected score instead (draws, shares).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.cluster.machine import one_thread
from prowess.engine.cluster.workers import SERIAL, Workers
from prowess.engine.pairings import Pairings, pairings
from prowess.engine.system import Unratable
from prowess.engine.tabular import ResultTable
from prowess.games.arguments import BadArgument
from prowess.games.games import Games

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_DENSE_PLAYERS = 1_000  # in a fit with a dense matrix
SCALES = ("share", "log_odds")
STRENGTH_TOLERANCE = 1e-9  # natural units
MAX_STRENGTH_STEPS = 100
PRIOR = 0.5  # drawn battles of every player against a player of mean strength


@dataclass(frozen=True, eq=False)
class CyclicShare:
    """The cyclic share of a league and of its players, and the shares that chance alone makes.

    `by_player` is the root mean square of R over a player's battles, in units of the margin.
    `by_chance` is [draws], `player_by_chance` [draws, players], from leagues in which ratings
    explain everything; `players` are those who have played. `scatter` is the part of the battles
    that is decided by chance (1: every one is won or lost).
    """

    players: Sequence[str]
    share: float
    by_player: Floats
    by_chance: Floats
    player_by_chance: Floats
    scatter: float
    seed: int = 0

    @property
    def expected(self) -> float:
        """The mean share in leagues without cycles."""
        return float(self.by_chance.mean())

    @property
    def likelihood(self) -> float:
        """The p-value of the share, (1 + hits) / (1 + draws)."""
        return (1.0 + float((self.by_chance >= self.share).sum())) / (1.0 + len(self.by_chance))

    @property
    def player_likelihood(self) -> Floats:
        """The p-value of each player, [players], not adjusted for their number."""
        hits = (self.player_by_chance >= self.by_player).sum(axis=0)
        likely: Floats = (1.0 + hits) / (1.0 + len(self.by_chance))
        return likely


def measure_cycles(
    games: Games,
    *,
    scale: str = "share",
    draws: int = 200,
    seed: int = 0,
    workers: Workers = SERIAL,
) -> CyclicShare:
    """Split the margins of all pairs into ratings and cycles, and compare with chance.

    `workers` share the leagues drawn by chance, of which the k-th has the seed [seed, k].

    Raises Unratable for too many players, or results that are all even.
    """
    if scale not in SCALES:
        raise BadArgument.of("not_a_choice.cycles", scales=SCALES, scale=scale)
    if len(games.players) > MAX_DENSE_PLAYERS:
        raise Unratable.of(
            "too_many_players.split", most=MAX_DENSE_PLAYERS, players=len(games.players)
        )
    merged = pairings(games, by_points=False)
    played = np.flatnonzero(merged.met.any(axis=1))
    rows = np.ix_(played, played)
    battles = merged.battles[rows]
    share = np.where(battles > 0.0, merged.share[rows], 0.5)
    with one_thread:
        inverse = invert_battles(battles)
        rest, whole = split_margins(margins(share, battles, scale), battles, inverse)
    if whole.sum() == 0.0:
        raise Unratable.of("nothing_to_split")
    strength = fit_strengths(share, battles)
    expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    scatter = _scatter(games, merged, played, expected)
    given = DrawnLeagues(expected, battles, inverse, scatter, scale, seed)
    leagues = list(workers.map(DrawnLeagues.measure, range(draws), shared=given, group=5))
    found, by_player = measure_misfit(rest, whole, battles)
    return CyclicShare(
        players=[merged.players[k] for k in played.tolist()],
        share=found,
        by_player=by_player,
        by_chance=np.array([share for share, _ in leagues]),
        player_by_chance=np.array([misfit for _, misfit in leagues]),
        scatter=scatter,
        seed=seed,
    )


def margins(share: Floats, battles: Floats, scale: str) -> Floats:
    """Return Y of every pair, [n, n], antisymmetric: share - 1/2, or smoothed log-odds."""
    if scale == "share":
        return share - 0.5
    won = share * battles
    odds: Floats = np.log((won + 0.5) / (battles - won + 0.5))
    return odds


class DrawnLeagues(NamedTuple):
    """What the tasks of `measure_cycles` share: leagues in which strengths decide."""

    expected: Floats
    battles: Floats
    inverse: Floats
    scatter: float
    scale: str
    seed: int

    def measure(self, k: int) -> tuple[float, Floats]:
        """The cyclic share of the k-th league, and the misfit of each player."""
        random = np.random.default_rng([self.seed, k])
        share = redraw_shares(self.expected, self.battles, self.scatter, random)
        margin = margins(share, self.battles, self.scale)
        return measure_misfit(*split_margins(margin, self.battles, self.inverse), self.battles)


def measure_misfit(rest: Floats, whole: Floats, battles: Floats) -> tuple[float, Floats]:
    """Return the cyclic share of a league, and the misfit of each player."""
    share = float(rest.sum() / whole.sum()) if whole.sum() > 0.0 else 0.0
    return share, np.sqrt(rest.sum(axis=1) / battles.sum(axis=1))


def invert_battles(battles: Floats) -> Floats:
    """Return the pseudo-inverse of the Laplacian of battles, [n, n].

    Players who never met, even through others, are not compared: the least norm solves each
    group of players by itself.
    """
    laplacian = np.diag(battles.sum(axis=1)) - battles
    return np.asarray(np.linalg.pinv(laplacian, hermitian=True), dtype=np.float64)


def split_margins(margin: Floats, battles: Floats, inverse: Floats) -> tuple[Floats, Floats]:
    """Return (n R^2, n Y^2) of margins, each [n, n]."""
    rating = inverse @ (battles * margin).sum(axis=1)
    rest = margin - (rating[:, None] - rating[None, :])
    return battles * rest * rest, battles * margin * margin


def fit_strengths(share: Floats, battles: Floats) -> Floats:
    """Fit Bradley-Terry strengths in natural units, [n], by Newton's method with short steps."""
    n = len(battles)
    won = (share * battles).sum(axis=1)

    x = np.zeros(n)
    for _ in range(MAX_STRENGTH_STEPS):
        chance = 1.0 / (1.0 + np.exp(x[None, :] - x[:, None]))
        own = 1.0 / (1.0 + np.exp(-x))
        slope = battles * chance * (1.0 - chance)
        up = won - (battles * chance).sum(axis=1) + PRIOR * (0.5 - own)
        curve = np.diag(slope.sum(axis=1) + PRIOR * own * (1.0 - own)) - slope
        step = np.linalg.solve(curve, up)
        step *= min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
        x = x + step
        if np.abs(step).max() < STRENGTH_TOLERANCE:
            break
    return x


def redraw_shares(
    expected: Floats, battles: Floats, scatter: float, random: np.random.Generator
) -> Floats:
    """Sample pairing scores of the same battles in which strengths decide, [n, n]."""
    upper = np.triu_indices(len(battles), 1)
    chance, count = expected[upper], battles[upper]
    whole = np.ceil(count).astype(np.int64)  # weighted battles are sampled as whole ones
    open_ones = random.binomial(whole, scatter)
    won = random.binomial(open_ones, chance) + (whole - open_ones) * chance
    share = np.full(battles.shape, 0.5)
    share[upper] = np.where(whole > 0, won / np.maximum(whole, 1), 0.5)
    share.T[upper] = 1.0 - share[upper]
    return share


def _scatter(games: Games, merged: Pairings, played: Ids, expected: Floats) -> float:
    """Return the variance of scores within pairs over that of battles won or lost, at most 1.

    If no pair met twice, the scatter about the expected scores is used instead: then cycles cannot
    be separated from chance, and all scatter counts as chance.
    """
    number = np.zeros(len(merged.players), dtype=np.int64)
    number[played] = np.arange(len(played), dtype=np.int64)
    a, b = number[games.a], number[games.b]
    weight = np.ones(len(games)) if games.weight is None else games.weight
    chance = expected[a, b]
    count = merged.battles[games.a, games.b]
    again = count > 1.0
    if again.any():
        about = merged.share[games.a, games.b][again]
        lost = (1.0 - 1.0 / count)[again]  # the mean of the pair takes one degree of freedom
    else:
        again = np.ones(len(games), dtype=bool)
        about, lost = chance, np.ones(len(games))
    found = weight[again] @ (games.score[again] - about) ** 2
    coin = weight[again] @ (lost * (chance * (1.0 - chance))[again])
    return min(1.0, float(found / coin)) if coin > 0.0 else 1.0


MOST_IN_TRIANGLES = 1_000  # every triple is examined


class Triangle(NamedTuple):
    """A beats B beats C beats A; `shares` are the three pairing scores in that order."""

    players: tuple[str, str, str]
    shares: tuple[float, float, float]

    @property
    def strength(self) -> float:
        """The excess of the weakest of the three results over 1/2."""
        return min(self.shares) - 0.5


@dataclass(frozen=True, eq=False)
class Triangles:
    """The circular triads of a table.

    `triples` are those whose three pairs are decided, `count` the circular ones among them;
    `strongest` is as many of these as were asked for. `consistency` is Kendall's coefficient
    (1: none at all), None unless all pairs are decided.
    """

    count: int
    triples: int
    strongest: list[Triangle]
    consistency: float | None

    @property
    def random(self) -> float:
        """The mean number of circular triads if decided pairs were random."""
        return self.triples / 4.0

    def to_table(self) -> ResultTable:
        """The strongest, a row each: every player with the share of the points against the next."""
        names = ("player_1", "player_2", "player_3", "share_1", "share_2", "share_3", "strength")
        rows = [(*one.players, *one.shares, one.strength) for one in self.strongest]
        columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
        circular = f"{self.count:,} of {self.triples:,} triples are circular"
        return ResultTable(columns, circular)


def find_triangles(
    merged: Pairings, most: int | None = None, significance: float | None = None
) -> Triangles:
    """Count the circular triads of a table and list the strongest, `most` of them (None: all).

    With a `significance` a pair counts only where its wins and losses differ by more than chance
    does with that probability (two-sided sign test). Raises Unratable for too many players.
    """
    count = len(merged.players)
    if count > MOST_IN_TRIANGLES:
        raise Unratable.of("too_many_players.triangles", most=MOST_IN_TRIANGLES, count=count)
    beats = np.nan_to_num(merged.verdict) == 1.0
    if significance is not None:
        beats &= decided_pairs(merged.wins, significance)
    played = np.flatnonzero(merged.met.any(axis=1))
    one = beats[np.ix_(played, played)].astype(np.float64)
    either = one + one.T
    circular = round(float(((one @ one) * one.T).sum()) / 3.0)
    triples = round(float(((either @ either) * either).sum()) / 6.0)
    n = len(played)
    consistency = None
    if triples == comb(n, 3) and n > 2:  # all pairs are decided
        consistency = 1.0 - circular / most_circular(n)
    return Triangles(circular, triples, _strongest(merged, beats, most), consistency)


def most_circular(n: int) -> float:
    """Return the largest number of circular triads: (n^3 - n) / 24, for even n (n^3 - 4n) / 24."""
    return (n * n * n - (n if n % 2 else 4 * n)) / 24.0


def decided_pairs(wins: Floats, significance: float) -> Truths:
    """Return where wins and losses differ significantly, [n, n]: an exact two-sided sign test.

    Draws are ignored; weighted games are rounded down to whole numbers.
    """
    won, lost = np.floor(wins).astype(np.int64), np.floor(wins.T).astype(np.int64)
    total, few = won + lost, np.minimum(won, lost)
    pairs, where = np.unique(np.stack((total.ravel(), few.ravel())), axis=1, return_inverse=True)
    chance = np.array([sign_test(n, k) for n, k in pairs.T.tolist()])
    found: Truths = (chance[where.ravel()] <= significance).reshape(wins.shape)
    return found


def sign_test(games: int, few: int) -> float:
    """Return the two-sided chance that a fair coin falls `few` of `games` times or fewer."""
    tail = sum(comb(games, k) for k in range(few + 1))
    half: float = tail / 2 ** (games - 1) if games else 1.0
    return min(1.0, half)


def _strongest(merged: Pairings, beats: Truths, most: int | None) -> list[Triangle]:
    """Return triangles by strength, equal ones in order of the roster, first player first."""
    found: list[tuple[float, int, int, int]] = []
    share = np.where(beats, merged.share, -1.0)
    for i in range(len(share)):
        second = np.flatnonzero(beats[i, i:]) + i
        third = np.flatnonzero(beats[i:, i]) + i
        if not len(second) or not len(third):
            continue
        weakest = np.minimum(
            np.minimum(share[i, second][:, None], share[np.ix_(second, third)]),
            share[third, i][None, :],
        )
        rows, columns = np.nonzero(weakest > 0.0)
        strength = weakest[rows, columns]
        if most is not None and 0 < most < len(strength):
            edge = np.partition(strength, len(strength) - most)[len(strength) - most]
            keep = strength >= edge
            rows, columns, strength = rows[keep], columns[keep], strength[keep]
        found += [
            (-float(s), i, int(second[j]), int(third[k]))
            for s, j, k in zip(strength, rows, columns, strict=True)
        ]
        if most is not None:
            found = sorted(found)[:most]
    name, of = merged.players, merged.share
    return [
        Triangle((name[i], name[j], name[k]), (float(of[i, j]), float(of[j, k]), float(of[k, i])))
        for _, i, j, k in sorted(found)
    ]
