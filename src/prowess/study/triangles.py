"""Circular triads: A beats B, B beats C, C beats A, each by a pairing score over 1/2.

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

from prowess.engine.pairings import Pairings
from prowess.engine.system import Unratable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Truths = NDArray[np.bool_]

MOST_PLAYERS = 1_000  # every triple is looked at


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


def triangles(
    merged: Pairings, most: int | None = None, significance: float | None = None
) -> Triangles:
    """Count the circular triads of a table and list the strongest, `most` of them (None: all).

    With a `significance` a pair counts only where its wins and losses differ by more than chance
    does with that probability (two-sided sign test). Raises Unratable for too many players.
    """
    count = len(merged.players)
    if count > MOST_PLAYERS:
        raise Unratable(f"{count:,} players: triangles are listed for at most {MOST_PLAYERS:,}")
    beats = np.nan_to_num(merged.verdict) == 1.0
    if significance is not None:
        beats &= decided(merged.wins, significance)
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


def decided(wins: Floats, significance: float) -> Truths:
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
