"""One game after another: the loop of a simulated league, compiled or plain with equal numbers.

All chance is drawn beforehand, so the loop is only arithmetic.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess import kernel
from prowess.engine.win_probability import win_probability
from prowess.study.simulated.outcomes import Law, chances, margin, scored
from prowess.study.simulated.pairing import (
    Pair,
    climb,
    come_and_go,
    leave,
    pair_of_two,
    start_round,
)
from prowess.study.simulated.population import (
    LIVING,
    PAIRS,
    PLAYED,
    ROUND,
    Field,
    People,
    true_strength,
)
from prowess.study.simulated.settings import LADDER, ROUND_ROBIN, SWISS, Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PLAIN_AT_MOST = 50_000  # games; more are played compiled, which takes a second to begin
FIRST_CANDIDATE = 4  # column of the uniforms: 0 who, 1 side, 2 outcome, 3 neutral ground


class Record(NamedTuple):
    """What is written down of every game."""

    time: Floats  # days; given, and for a round that of its first game
    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    score: Floats
    side: Floats
    margin: Floats
    strength_a: Floats
    strength_b: Floats
    expected: Floats
    round: NDArray[np.int32]


def play_games(
    p: Settings,
    law: Law,
    people: People,
    field: Field,
    record: Record,
    low: int,
    high: int,
    chance: Any,
    normal: Any,
) -> int:
    """Play games low:high; returns how many have been played in all, fewer when too few live."""
    counts = field.counts
    in_rounds = p.matchmaking in (SWISS, ROUND_ROBIN)
    for game in range(low, high):
        day = record.time[game]
        u = chance[game - low]
        if counts[PLAYED] < counts[PAIRS]:
            day = field.moment[0]
        else:
            come_and_go(p, people, field, day)
            if counts[LIVING] < 2:
                return game
            if in_rounds:
                start_round(p, field, day)
        if in_rounds:
            pair = Pair(field.pairs[counts[PLAYED], 0], field.pairs[counts[PLAYED], 1])
            counts[PLAYED] += 1
        else:
            pair = pair_of_two(p, people, field, day, u)
        if p.matchmaking != ROUND_ROBIN and u[1] < 0.5:
            pair = Pair(pair.b, pair.a)
        if p.drift > 0.0:
            walk_on(p, field, pair.a, day, normal[game - low, 0])
            walk_on(p, field, pair.b, day, normal[game - low, 1])
        record.time[game] = day
        record.round[game] = counts[ROUND]
        record.side[game] = 0.0 if u[3] < p.neutral else 1.0
        play_one(p, law, people, field, record, game, pair, u[2])
        grow_older(p, people, field, pair.a, day)
        grow_older(p, people, field, pair.b, day)
    return high


def walk_on(p: Settings, field: Field, player: int, day: float, step: float) -> None:
    """The random walk of a strength since it was last looked at."""
    field.walk[player] += p.drift * sqrt(max(0.0, day - field.seen[player])) * step
    field.seen[player] = day


def play_one(
    p: Settings,
    law: Law,
    people: People,
    field: Field,
    record: Record,
    game: int,
    pair: Pair,
    u: float,
) -> None:
    """One game: its true expected score, its score, and what both bring about."""
    a, b = pair.a, pair.b
    day, ground = record.time[game], record.side[game] * p.advantage
    strength_a = true_strength(p, people, field, a, day)
    strength_b = true_strength(p, people, field, b, day)
    style = people.sin[a] * people.cos[b] - people.cos[a] * people.sin[b]
    x = strength_a - strength_b + ground + p.cyclic * style
    of = chances(law, x)
    score = scored(of, u)
    record.a[game], record.b[game] = a, b
    record.score[game] = score
    record.strength_a[game], record.strength_b[game] = strength_a, strength_b
    record.expected[game] = of.win + 0.5 * of.draw  # type: ignore[operator]
    if p.margins:
        record.margin[game] = margin(law, x, u, score)
    believed = field.rating[a] - field.rating[b] + ground
    change = p.k * (score - win_probability(law.curve, believed, law.q))
    field.rating[a] += change
    field.rating[b] -= change
    field.points[a] += score
    field.points[b] += 1.0 - score
    if p.matchmaking == LADDER and score != 0.5:
        if score > 0.5:
            climb(field, a, b)
        else:
            climb(field, b, a)


def grow_older(p: Settings, people: People, field: Field, player: int, day: float) -> None:
    """One more game behind him, which may be the last of his life."""
    field.games[player] += 1
    if people.age[player] + field.games[player] >= people.dies_at[player]:
        leave(p, people, field, player, day)


def loop(games: int, compiled: bool | None) -> Any:
    """`play_games`, compiled where that is wanted, or possible and worth it."""
    if compiled is None:
        compiled = games > PLAIN_AT_MOST and kernel.available()
    return _compiled() if compiled else play_games


@cache
def _compiled() -> Any:
    return kernel.compiled(play_games)
