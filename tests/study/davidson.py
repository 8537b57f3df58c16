"""Elo with Davidson's draws, for players and for teams: systems whose chances are a closed formula.

    win : draw : loss = s : nu : 1/s,    s = 10^(d / 800),    d the gap of the mean ratings
    R' = R + K (S - win - draw / 2)

R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments", Journal of the American Statistical Association 65 (1970).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Annotated, NamedTuple

from prowess.engine.system import Chances, Dynamic, Game, Range, negated

K, NU, ADVANTAGE = 24.0, 0.8, 60.0


class Params(NamedTuple):
    """Constants."""

    k: Annotated[float, Range(0.0, 1000.0, "points")] = K
    nu: Annotated[float, Range(0.0, 100.0, "")] = NU
    advantage: Annotated[float, Range(-500.0, 500.0, "points")] = ADVANTAGE


class Rating(NamedTuple):
    """Points."""

    rating: float = 1500.0


class Side(NamedTuple):
    """Members added up."""

    rating: float = 0.0
    members: float = 0.0


class Evidence(NamedTuple):
    """Points for the side."""

    change: Annotated[float, negated] = 0.0


def at_gap(p: Params, gap: float) -> Chances:
    """Davidson's chances."""
    s = exp(log(10.0) / 800.0 * gap)
    whole = s + p.nu + 1.0 / s
    return Chances(s / whole, p.nu / whole)


def expected_at(p: Params, gap: float) -> float:
    """Win and half a draw."""
    s = exp(log(10.0) / 800.0 * gap)
    return (s + 0.5 * p.nu) / (s + p.nu + 1.0 / s)


def between(p: Params, mine: Rating, theirs: Rating, game: Game) -> float:
    """The gap of two players."""
    return mine.rating - theirs.rating + p.advantage * game.side


def between_sides(p: Params, mine: Side, theirs: Side, game: Game) -> float:
    """The gap of two sides."""
    gap = mine.rating / mine.members - theirs.rating / theirs.members
    return gap + p.advantage * game.side


def chances(p: Params, mine: Rating, theirs: Rating, game: Game) -> Chances:
    """Of two players."""
    return at_gap(p, between(p, mine, theirs, game))


def evidence(p: Params, mine: Rating, theirs: Rating, game: Game) -> Evidence:
    """Of two players."""
    return Evidence(p.k * (game.score - expected_at(p, between(p, mine, theirs, game))))


def absorb(p: Params, me: Rating, total: Evidence) -> Rating:
    """Points are added."""
    return Rating(me.rating + total.change)


def part(p: Params, me: Rating, share: float) -> Side:
    """A member counts by the share."""
    return Side(share * me.rating, share)


def of_sides(p: Params, mine: Side, theirs: Side, game: Game) -> Chances:
    """Of two sides, by their mean ratings."""
    return at_gap(p, between_sides(p, mine, theirs, game))


def evidence_of_sides(p: Params, mine: Side, theirs: Side, game: Game) -> Evidence:
    """Of two sides."""
    return Evidence(p.k * (game.score - expected_at(p, between_sides(p, mine, theirs, game))))


def due(p: Params, me: Rating, share: float, mine: Side, one: Evidence) -> Evidence:
    """A member gets the share of it."""
    return Evidence(share * one.change)


DAVIDSON_ELO = Dynamic(
    "davidson_elo", Params(), Rating(), Evidence(), evidence=evidence, absorb=absorb,
    chances=chances, uses=("side",),
)  # fmt: skip
TEAM_ELO = Dynamic(
    "team_elo", Params(), Rating(), Evidence(), evidence=evidence_of_sides, absorb=absorb,
    chances=of_sides, side=Side(), part=part, due=due, uses=("side",),
)  # fmt: skip


def by_hand(
    rows: Sequence[tuple[Sequence[str], Sequence[str], float, float]],
) -> tuple[dict[str, float], list[tuple[float, float, float]]]:
    """Ratings after (one side, other side, score, side advantage), and (win, draw, loss) before."""
    rating: dict[str, float] = {}
    told = []
    for one, other, score, side in rows:
        means = [sum(rating.get(n, 1500.0) for n in names) / len(names) for names in (one, other)]
        s = 10.0 ** ((means[0] - means[1] + ADVANTAGE * side) / 800.0)
        whole = s + NU + 1.0 / s
        told.append((s / whole, NU / whole, 1.0 / s / whole))
        change = K * (score - s / whole - 0.5 * NU / whole)
        for names, sign in ((one, 1.0), (other, -1.0)):
            for name in names:
                rating[name] = rating.get(name, 1500.0) + sign * change
    return rating, told
