"""How much of the results no single number a player can explain.

The margin of a pair, Y_ij = score - 1/2 (or its log-odds), is split by least squares, weighted by
battles, into a part from ratings and a rest that runs in circles:

    Y_ij = (s_i - s_j) + R_ij,     sum n_ij R_ij^2 least,     cyclic share = sum n R^2 / sum n Y^2
    of a player i: sqrt(sum_j n_ij R_ij^2 / sum_j n_ij), in units of the margin

X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, "Statistical ranking and combinatorial Hodge theory", Math.
Programming 127 (2011). Chance makes circles too, and so does a curve where the margins are
straight. So the same share is taken of leagues drawn from ratings: strengths are fitted to the
results (Bradley-Terry, with half a drawn battle a player against the mean), and every battle is
drawn again, as a battle with the chance that strength says; a part of the battles, fitted so that
the scores within a pair scatter as they did, brings just the expected score (draws, shares).

Circular triads: A beats B, B beats C, C beats A, each by a pairing score over 1/2.

In a complete table without even pairs their number is C(n,3) - sum C(wins,2), and Kendall's
coefficient of consistency says how far that is from the most there can be: M. G. Kendall and B.
Babington Smith, "On the Method of Paired Comparisons", Biometrika 31 (1940). Among random results
one triple of decided pairs in four is circular.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.engine.pairings import Pairings, pairings
from prowess.engine.system import Unratable
from prowess.games.games import Games

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Truths = NDArray[np.bool_]


MOST_PLAYERS = 1_000  # a dense fit of all players
SCALES = ("share", "log_odds")
CLOSE = 1e-9  # of a strength in natural units
STEPS = 100
PRIOR = 0.5  # drawn battles of everybody against a player of mean strength


@dataclass(frozen=True, eq=False)
class CyclicShare:
    """The cyclic share of a league, what each player's ratings miss, and what chance alone makes.

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

    @property
    def expected(self) -> float:
        """The mean share in leagues without circles."""
        return float(self.by_chance.mean())

    @property
    def likelihood(self) -> float:
        """How often such a league has as large a share, (1 + hits) / (1 + draws)."""
        return (1.0 + float((self.by_chance >= self.share).sum())) / (1.0 + len(self.by_chance))

    @property
    def player_likelihood(self) -> Floats:
        """The same for each player, [players]; of many players some are odd by chance."""
        hits = (self.player_by_chance >= self.by_player).sum(axis=0)
        likely: Floats = (1.0 + hits) / (1.0 + len(self.by_chance))
        return likely


def measure_cycles(
    games: Games, *, scale: str = "share", draws: int = 200, seed: int = 0
) -> CyclicShare:
    """Split the margins of all pairs into ratings and circles, and ask chance for the same.

    Raises Unratable for too many players, or results that are all even.
    """
    if scale not in SCALES:
        raise ValueError(f"scale = {scale!r}: one of {', '.join(SCALES)}")
    if len(games.players) > MOST_PLAYERS:
        raise Unratable(
            f"{len(games.players):,} players: results are split for at most {MOST_PLAYERS:,}"
        )
    merged = pairings(games, by_points=False)
    played = np.flatnonzero(merged.met.any(axis=1))
    rows = np.ix_(played, played)
    battles = merged.battles[rows]
    share = np.where(battles > 0.0, merged.share[rows], 0.5)
    split = make_splitter(battles)
    rest, whole = split(margins(share, battles, scale))
    if whole.sum() == 0.0:
        raise Unratable("every pairing is even: there is nothing to split")
    strength = fit_strengths(share, battles)
    expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    scatter = _scatter(games, merged, played, expected)
    random = np.random.default_rng(seed)
    leagues = []
    for _ in range(draws):
        drawn = redraw_shares(expected, battles, scatter, random)
        leagues.append(split(margins(drawn, battles, scale)))
    return CyclicShare(
        players=[merged.players[k] for k in played.tolist()],
        share=_ratio(rest.sum(), whole.sum()),
        by_player=_player_misfit(rest, battles),
        by_chance=np.array([_ratio(r.sum(), w.sum()) for r, w in leagues]),
        player_by_chance=np.array([_player_misfit(r, battles) for r, _ in leagues]),
        scatter=scatter,
    )


def margins(share: Floats, battles: Floats, scale: str) -> Floats:
    """Y of every pair, [n, n], antisymmetric: share - 1/2, or log-odds with half a battle each."""
    if scale == "share":
        return share - 0.5
    won = share * battles
    odds: Floats = np.log((won + 0.5) / (battles - won + 0.5))
    return odds


def make_splitter(battles: Floats) -> Callable[[Floats], tuple[Floats, Floats]]:
    """A function from margins to (n R^2, n Y^2), each [n, n]; the matrix is inverted once.

    Players who never met, even through others, are not compared: the least norm solves each
    group of players by itself.
    """
    laplacian = np.diag(battles.sum(axis=1)) - battles
    inverse = np.linalg.pinv(laplacian, hermitian=True)

    def split(margin: Floats) -> tuple[Floats, Floats]:
        rating = inverse @ (battles * margin).sum(axis=1)
        rest = margin - (rating[:, None] - rating[None, :])
        return battles * rest * rest, battles * margin * margin

    return split


def fit_strengths(share: Floats, battles: Floats) -> Floats:
    """Bradley-Terry strengths in natural units, [n], by Newton's method with halved steps."""
    n = len(battles)
    won = (share * battles).sum(axis=1)

    def gradient(x: Floats) -> tuple[Floats, Floats]:
        chance = 1.0 / (1.0 + np.exp(x[None, :] - x[:, None]))
        own = 1.0 / (1.0 + np.exp(-x))
        slope = battles * chance * (1.0 - chance)
        pull = PRIOR * (0.5 - own)
        up: Floats = won - (battles * chance).sum(axis=1) + pull
        curve = np.diag(slope.sum(axis=1) + PRIOR * own * (1.0 - own)) - slope
        return up, curve

    x = np.zeros(n)
    for _ in range(STEPS):
        up, curve = gradient(x)
        step = np.linalg.solve(curve, up)
        step *= min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
        x = x + step
        if np.abs(step).max() < CLOSE:
            break
    return x


def redraw_shares(
    expected: Floats, battles: Floats, scatter: float, random: np.random.Generator
) -> Floats:
    """Pairing scores of a league of the same battles in which strengths decide, [n, n]."""
    upper = np.triu_indices(len(battles), 1)
    chance, count = expected[upper], battles[upper]
    whole = np.ceil(count).astype(int)  # weighted battles are drawn as whole ones
    open_ones = random.binomial(whole, scatter)
    won = random.binomial(open_ones, chance) + (whole - open_ones) * chance
    share = np.full(battles.shape, 0.5)
    share[upper] = np.where(whole > 0, won / np.maximum(whole, 1), 0.5)
    share.T[upper] = 1.0 - share[upper]
    return share


def _scatter(games: Games, merged: Pairings, played: NDArray[np.int64], expected: Floats) -> float:
    """The variance of scores within pairs over that of battles won or lost, at most 1.

    Where no pair met twice the scatter about the expected scores stands for it: then circles
    cannot be told from chance, and all is taken for chance.
    """
    number = np.zeros(len(merged.players), dtype=np.int64)
    number[played] = np.arange(len(played))
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


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else 0.0


def _player_misfit(rest: Floats, battles: Floats) -> Floats:
    missed: Floats = np.sqrt(rest.sum(axis=1) / battles.sum(axis=1))
    return missed


MOST_IN_TRIANGLES = 1_000  # every triple is looked at


class Triangle(NamedTuple):
    """A beats B beats C beats A; `shares` are the three pairing scores in that order."""

    players: tuple[str, str, str]
    shares: tuple[float, float, float]

    @property
    def strength(self) -> float:
        """By how much the weakest of the three results is over 1/2."""
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
        """The mean number of circular triads if every decided pair were a toss of a coin."""
        return self.triples / 4.0


def find_triangles(
    merged: Pairings, most: int | None = None, significance: float | None = None
) -> Triangles:
    """Count the circular triads of a table and list the strongest, `most` of them (None: all).

    With a `significance` a pair counts only where its wins and losses differ by more than chance
    does with that probability (two-sided sign test). Raises Unratable for too many players.
    """
    count = len(merged.players)
    if count > MOST_IN_TRIANGLES:
        raise Unratable(
            f"{count:,} players: triangles are listed for at most {MOST_IN_TRIANGLES:,}"
        )
    beats = np.nan_to_num(merged.verdict) == 1.0
    if significance is not None:
        beats &= decided_pairs(merged.wins, significance)
    played = np.flatnonzero(merged.met.any(axis=1))
    one = beats[np.ix_(played, played)].astype(np.float64)
    either = one + one.T
    circular = round(float(((one @ one) * one.T).sum()) / 3.0)
    triples = round(float(((either @ either) * either).sum()) / 6.0)
    n = len(played)
    complete = triples == comb(n, 3) and n > 2
    return Triangles(
        circular,
        triples,
        _strongest(merged, beats, most),
        1.0 - circular / most_circular(n) if complete else None,
    )


def most_circular(n: int) -> float:
    """The most circular triads that n players can have: (n^3 - n) / 24, n^3 - 4n if n is even."""
    return (n * n * n - (n if n % 2 else 4 * n)) / 24.0


def decided_pairs(wins: Floats, significance: float) -> Truths:
    """Where wins and losses differ significantly, [n, n]: an exact two-sided sign test.

    Draws say nothing here; weighted games are counted in full numbers, rounded down.
    """
    won, lost = np.floor(wins).astype(int), np.floor(wins.T).astype(int)
    total, few = won + lost, np.minimum(won, lost)
    pairs, where = np.unique(np.stack((total.ravel(), few.ravel())), axis=1, return_inverse=True)
    chance = np.array([sign_test(n, k) for n, k in pairs.T.tolist()])
    found: Truths = (chance[where.ravel()] <= significance).reshape(wins.shape)
    return found


def sign_test(games: int, few: int) -> float:
    """How likely a coin falls as unevenly as `few` of `games`, either way."""
    tail = sum(comb(games, k) for k in range(few + 1))
    half: float = tail / 2 ** (games - 1) if games else 1.0
    return min(1.0, half)


def _strongest(merged: Pairings, beats: Truths, most: int | None) -> list[Triangle]:
    """Triangles by strength, equal ones in order of the roster; each from its first player on."""
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
    name = merged.players
    return [
        Triangle(
            (name[i], name[j], name[k]),
            (
                float(merged.share[i, j]),
                float(merged.share[j, k]),
                float(merged.share[k, i]),
            ),
        )
        for _, i, j, k in sorted(found)
    ]
