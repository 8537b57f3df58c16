"""Small systems that rate teams, for tests: of means, in two passes too, of variances and time."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Annotated, Any, NamedTuple

from prowess.engine.system import Dynamic, Range, negated, same


class MeanParams(NamedTuple):
    """Constants."""

    k: Annotated[float, Range(1.0, 100.0)] = 32.0


class Points(NamedTuple):
    """A rating."""

    rating: float = 1500.0


class Mean(NamedTuple):
    """A side: the sum of its ratings, and of its shares."""

    rating: float = 0.0
    members: float = 0.0


class Change(NamedTuple):
    """Points won."""

    change: Annotated[float, negated] = 0.0


def mean_part(p: Any, me: Any, share: float) -> Mean:
    return Mean(share * me.rating, share)


def mean_expected(p: Any, mine: Any, theirs: Any, game: Any) -> float:
    gap = mine.rating / mine.members - theirs.rating / theirs.members + 50.0 * game.side
    return 1.0 / (1.0 + 10.0 ** (-gap / 400.0))  # type: ignore[no-any-return]


def mean_evidence(p: Any, mine: Any, theirs: Any, game: Any) -> Change:
    return Change(p.k * (game.score - mean_expected(p, mine, theirs, game)))


def mean_due(p: Any, me: Any, share: float, mine: Any, one: Any) -> Change:
    return Change(share * one.change)


def mean_absorb(p: Any, me: Any, total: Any) -> Points:
    return Points(me.rating + total.change)


MEANS = Dynamic(
    "test_means", MeanParams(), Points(), Change(), mean_expected, mean_evidence, mean_absorb,
    part=mean_part, due=mean_due, side=Mean(),
)  # fmt: skip
TWICE = replace(MEANS, name="test_means_twice", passes=2, rounds="period")


class BeliefParams(NamedTuple):
    """Constants."""

    tau: Annotated[float, Range(0.0, 10.0)] = 1.0


class Belief(NamedTuple):
    """A rating that is not sure."""

    rating: float = 0.0
    variance: float = 4.0


class Sum(NamedTuple):
    """A side."""

    rating: float = 0.0
    variance: float = 0.0


class Surprise(NamedTuple):
    """What a result says."""

    surprise: Annotated[float, negated] = 0.0
    information: Annotated[float, same] = 0.0


def belief_drift(p: Any, me: Any, elapsed: float) -> Belief:
    return Belief(me.rating, me.variance + 0.01 * p.tau * elapsed)


def belief_part(p: Any, me: Any, share: float) -> Sum:
    return Sum(share * me.rating, share * share * me.variance)


def belief_expected(p: Any, mine: Any, theirs: Any, game: Any) -> float:
    gap = (mine.rating - theirs.rating) / sqrt(1.0 + mine.variance + theirs.variance)
    return 0.5 + 0.5 * gap / sqrt(1.0 + gap * gap)  # type: ignore[no-any-return]


def belief_evidence(p: Any, mine: Any, theirs: Any, game: Any) -> Surprise:
    expected = belief_expected(p, mine, theirs, game)
    return Surprise(game.score - expected, expected * (1.0 - expected))


def belief_due(p: Any, me: Any, share: float, mine: Any, one: Any) -> Surprise:
    return Surprise(share * one.surprise, share * share * one.information)


def belief_absorb(p: Any, me: Any, total: Any) -> Belief:
    after = me.variance / (1.0 + me.variance * total.information)
    return Belief(me.rating + after * total.surprise, after)


BELIEFS = Dynamic(
    "test_beliefs", BeliefParams(), Belief(), Surprise(), belief_expected, belief_evidence,
    belief_absorb, drift=belief_drift, part=belief_part, due=belief_due, side=Sum(),
    clock="30d",
)  # fmt: skip
