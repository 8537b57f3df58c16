"""The players of a simulated league: births and deaths, strength, activity, style.

All that does not depend on games is sampled beforehand, for all players of the whole history.

    strength at age t   born strength + x(t) + walk
    x(t)                log(1 + Q c7 t) / Q, Q = ln 10 / scale    (logarithmic: EQ 61)
                        c7 t                                      (constant)
    walk                Brownian: variance drift^2 a day, continued at every game of the player

Players are drawn by activity from an urn: a tree of partial sums (P. M. Fenwick, "A new data
structure for cumulative frequency tables", Software: Practice and Experience 24, 1994). Weights are
whole numbers, so sums stay exact however often players come and go.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 5: EQ 59 to 61.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.numeric import LN10
from prowess.engine.params import BadSetting
from prowess.study.simulation.settings import (
    DAYS,
    FIXED,
    LOGARITHMIC,
    PARETO,
    SECONDS,
    SETTLED,
    SWISS,
    LeagueSettings,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


SHARES = 1000  # whole shares of activity of the idlest player: rounds the Pareto law to 0.1 %


class Births(NamedTuple):
    """Values known at birth, one entry a player, in order of arrival."""

    born: Floats  # day
    dies: Floats  # day; inf: not by time
    dies_at: Floats  # age in games; inf: not by games
    age: Whole  # in games, on arrival
    activity: Whole  # shares
    strength: Floats  # points, at birth
    sin: Floats  # of the style, an angle: A beats B beats C beats A
    cos: Floats


class Field(NamedTuple):
    """Values that games and time change."""

    walk: Floats  # points
    seen: Floats  # day up to which the walk has gone
    games: Whole
    rating: Floats  # running Elo rating
    died: Floats  # day; nan: lives, or is not yet born
    leaving: Whole  # people in the order in which their days end
    urn: Whole  # of the living
    order: Whole  # the living; on a ladder from the top
    place: Whole  # in `order`; -1: not among the living
    points: Floats  # in the running tournament
    met: Whole  # [people, rounds] opponents in it
    cycle: Whole  # who plays the running round robin
    pairs: Whole  # [pairs, 2] of the running round
    counts: Whole  # see the names below
    moment: Floats  # [1] day of the running round


LIVING, ARRIVED, LEFT, PAIRS, PLAYED, ROUND, TURN, SIZE, CYCLE, COUNTS = range(10)


def people_of(
    p: LeagueSettings, rng: np.random.Generator, strengths: Sequence[float] | None
) -> Births:
    """Sample all players of the whole history; `strengths` are those of the first players."""
    first = int(p.players)
    births = int(rng.poisson(p.births * p.days))
    arrivals = p.first_day + p.days * np.sort(rng.random(births))
    count = first + births
    strength = p.mean + p.spread * rng.standard_normal(count)
    if strengths is not None:
        strength[:first] = _check_strengths(strengths, first)
    style = 2.0 * np.pi * rng.random(count)
    wealth = 1.0 - rng.random(count)  # in (0, 1]
    activity = np.ones(count, np.int64)
    if p.activity == PARETO:
        activity = np.rint(SHARES * wealth ** (-1.0 / p.tail)).astype(np.int64)
    born = np.concatenate((np.full(first, p.first_day), arrivals))
    dies, dies_at, age = np.full(count, np.inf), np.full(count, np.inf), np.zeros(count, np.int64)
    if p.life:
        past, future = _lives(p, rng, first, births)
        if p.age == DAYS:
            born[:first] -= past
            dies = born + future
            dies[:first] += past
        else:
            age[:first] = past.astype(np.int64)
            dies_at = age + np.ceil(future)
    return Births(born, dies, dies_at, age, activity, strength, np.sin(style), np.cos(style))


def _check_strengths(strengths: Sequence[float], players: int) -> Floats:
    values = np.asarray(strengths, dtype=np.float64)
    if values.shape != (players,):
        raise BadSetting(f"give {players} strengths, one a player, not {values.size}")
    if not np.isfinite(values).all():
        raise BadSetting("give finite strengths")
    return values


def _lives(
    p: LeagueSettings, rng: np.random.Generator, first: int, births: int
) -> tuple[Floats, Floats]:
    """Sample (past life of the first players, life of all players from arrival on)."""
    past = np.zeros(first)
    if p.life_law == FIXED:
        future = np.full(first + births, p.life)
        if p.beginning == SETTLED:
            past = p.life * rng.random(first)
            future[:first] -= past
        return past, future
    future = rng.exponential(p.life, first + births)
    if p.beginning == SETTLED:
        past = rng.exponential(p.life, first)  # what is left does not depend on it
    return past, future


def field_of(p: LeagueSettings, people: Births) -> Field:
    """Return the state before the first game."""
    count, first = len(people.born), int(p.players)
    order, place = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    order[:first] = place[:first] = np.arange(first)
    counts = np.zeros(COUNTS, np.int64)
    counts[LIVING] = counts[ARRIVED] = first
    counts[ROUND] = counts[CYCLE] = -1
    rounds = int(p.swiss_rounds) if p.matchmaking == SWISS else 0
    return Field(
        walk=np.zeros(count),
        seen=people.born.copy(),
        games=np.zeros(count, np.int64),
        rating=np.full(count, p.mean),
        died=np.full(count, np.nan),
        leaving=np.argsort(people.dies, kind="stable"),
        urn=urn_of(np.where(place >= 0, people.activity, 0)),
        order=order,
        place=place,
        points=np.zeros(count),
        met=np.full((count, rounds), -1, np.int64),
        cycle=np.zeros(count, np.int64),
        pairs=np.zeros((count // 2 + 1, 2), np.int64),
        counts=counts,
        moment=np.zeros(1),
    )


def learned_points(p: LeagueSettings, age: float) -> float:
    """Return x(t): the points learnt up to an age."""
    if p.learning_form == LOGARITHMIC:
        q = LN10 / p.scale
        return log1p(q * p.learning * age) / q
    return p.learning * age


def true_strength(
    p: LeagueSettings, people: Births, field: Field, player: int, day: float
) -> float:
    """Return the strength of a player on a day; the walk is that of the last game."""
    strength = people.strength[player] + field.walk[player]
    if p.learning > 0.0:
        age = float(people.age[player] + field.games[player])
        if p.age == DAYS:
            age = day - people.born[player]
        strength += learned_points(p, age)
    return strength  # type: ignore[no-any-return]


def whole_seconds(days: Floats) -> Floats:
    """Round days down to whole seconds."""
    return np.floor(days * SECONDS) / SECONDS


def urn_of(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the urn of players 0, 1, 2 ... with these weights."""
    size = 1
    while size < len(weights):
        size *= 2
    total = np.zeros(size + 1, np.int64)
    total[1 : len(weights) + 1] = weights
    total = np.cumsum(total)
    node = np.arange(size + 1)
    return total - total[node - (node & -node)]


def total_weight(urn: Any) -> int:
    """Return the sum of all weights."""
    return urn[len(urn) - 1]  # type: ignore[no-any-return]


def add_weight(urn: Any, player: int, weight: int) -> None:
    """Add weight to a player; a negative weight removes."""
    node = player + 1
    while node < len(urn):
        urn[node] += weight
        node += node & -node


def weight_below(urn: Any, player: int) -> int:
    """Return the sum of the weights of all players with smaller numbers."""
    total, node = 0, player
    while node > 0:
        total += urn[node]
        node -= node & -node
    return total


def draw_ticket(urn: Any, ticket: int) -> int:
    """Return the player who holds a ticket: 0 to the sum of weights, exclusive."""
    node, step = 0, len(urn) - 1
    while step > 0:
        ahead = node + step
        if ahead < len(urn) and urn[ahead] <= ticket:
            node = ahead
            ticket -= urn[ahead]
        step //= 2
    return node


def draw_player(urn: Any, u: float) -> int:
    """Draw a player by weight, for a uniform u in [0, 1)."""
    total = total_weight(urn)
    return draw_ticket(urn, min(int(u * total), total - 1))


def draw_other(urn: Any, u: float, player: int, weight: int) -> int:
    """Draw a player by weight among all others, for a uniform u in [0, 1)."""
    others = total_weight(urn) - weight
    ticket = min(int(u * others), others - 1)  # the product may round up
    if ticket >= weight_below(urn, player):
        ticket += weight
    return draw_ticket(urn, ticket)
