"""The loop of a simulated league, compiled or plain with equal numbers, and the outcome of a game.

All random numbers are drawn beforehand, so the loop is only arithmetic. A game between two known
strengths:

    x           s_a - s_b + advantage (a has the side) + cyclic sin(style_a - style_b)
    p           wp(x), q = 1 - p, any curve of `engine.win_probability`

    model       draw                                win
    even        2 d min(p, q)                       p - draw / 2: the expected score stays wp(x)
    davidson    nu r / (1 + nu r), r = sqrt(p q)    p / (1 + nu r), nu = 2 d / (1 - d)
    threshold   1 - win - loss                      wp(x - t), loss wp(-x - t), wp(-t) = (1 - d) / 2

d is the share of draws among equals in every model.

Sources   R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired
          comparison experiments", J. Am. Stat. Assoc. 65 (1970); P. V. Rao and L. L. Kupper,
          "Ties in paired-comparison experiments", J. Am. Stat. Assoc. 62 (1967) for the threshold.
          `even` and the styles on a circle are ours.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.compile import kernel
from prowess.compile.worth import is_worth_compiling
from prowess.engine.system import Chances
from prowess.engine.win_probability import rating_difference, steepness, win_probability
from prowess.study.simulation.pairing import (
    PairedPlayers,
    climb,
    come_and_go,
    leave,
    pair_of_two,
    start_round,
)
from prowess.study.simulation.settings import (
    DAVIDSON,
    EVEN,
    LADDER,
    LIVING,
    PAIRS,
    PLAYED,
    ROUND,
    ROUND_ROBIN,
    SWISS,
    Births,
    Field,
    LeagueSettings,
    true_strength,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


FIRST_CANDIDATE = 4  # column of the uniforms: 0 who, 1 side, 2 outcome, 3 neutral ground


class GameColumns(NamedTuple):
    """The columns of all games."""

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
    p: LeagueSettings,
    law: OutcomeConstants,
    people: Births,
    field: Field,
    record: GameColumns,
    low: int,
    high: int,
    chance: Any,
    normal: Any,
) -> int:
    """Play games low:high; return the number played in all, fewer if too few players live."""
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
            pair = PairedPlayers(field.pairs[counts[PLAYED], 0], field.pairs[counts[PLAYED], 1])
            counts[PLAYED] += 1
        else:
            pair = pair_of_two(p, people, field, day, u)
        if p.matchmaking != ROUND_ROBIN and u[1] < 0.5:
            pair = PairedPlayers(pair.b, pair.a)
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


def walk_on(p: LeagueSettings, field: Field, player: int, day: float, step: float) -> None:
    """Continue the random walk of a strength since the last game."""
    field.walk[player] += p.drift * sqrt(max(0.0, day - field.seen[player])) * step
    field.seen[player] = day


def play_one(
    p: LeagueSettings,
    law: OutcomeConstants,
    people: Births,
    field: Field,
    record: GameColumns,
    game: int,
    pair: PairedPlayers,
    u: float,
) -> None:
    """Play one game: true expected score, score, and their effects."""
    a, b = pair.a, pair.b
    day, ground = record.time[game], record.side[game] * p.advantage
    strength_a = true_strength(p, people, field, a, day)
    strength_b = true_strength(p, people, field, b, day)
    style = people.sin[a] * people.cos[b] - people.cos[a] * people.sin[b]
    x = strength_a - strength_b + ground + p.cyclic * style
    of = chances(law, x)
    score = score_of(of, u)
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


def grow_older(p: LeagueSettings, people: Births, field: Field, player: int, day: float) -> None:
    """Count one more game of a player, which may be the last of their life."""
    field.games[player] += 1
    if people.age[player] + field.games[player] >= people.dies_at[player]:
        leave(p, people, field, player, day)


def loop(games: int, compiled: bool | None) -> Any:
    """Return `play_games`, compiled on request or if possible and faster."""
    if compiled is None:
        compiled = is_worth_compiling(games)
    return _compile_play() if compiled else play_games


@cache
def _compile_play() -> Any:
    return kernel.compile_if_possible(play_games)


MIN_UNIFORM = 2.0**-53  # so that no margin is infinite


class OutcomeConstants(NamedTuple):
    """The constants of the outcome."""

    curve: int
    q: float  # per point
    draw_model: int
    draws: float  # d
    nu: float  # of Davidson
    threshold: float  # points


def outcome_model(p: LeagueSettings) -> OutcomeConstants:
    """Return the outcome model of the settings of a league."""
    q = steepness(p.curve, p.scale)
    return OutcomeConstants(
        p.curve,
        q,
        p.draw_model,
        p.draws,
        2.0 * p.draws / (1.0 - p.draws),
        rating_difference(p.curve, 0.5 * (1.0 + p.draws), q),
    )


def chances(law: OutcomeConstants, x: float) -> Chances:
    """Return the chances of a game between players whose true difference is x points."""
    p = win_probability(law.curve, x, law.q)
    loss = win_probability(law.curve, -x, law.q)  # exact where 1 - p is not
    if law.draw_model == EVEN:
        draw = 2.0 * law.draws * min(p, loss)
        return Chances(p - 0.5 * draw, draw)
    if law.draw_model == DAVIDSON:
        tie = law.nu * sqrt(p * loss)
        return Chances(p / (1.0 + tie), tie / (1.0 + tie))
    win = win_probability(law.curve, x - law.threshold, law.q)
    return Chances(win, 1.0 - win - win_probability(law.curve, -x - law.threshold, law.q))


def score_of(of: Chances, u: float) -> float:
    """Return the score of the first side for a uniform u in [0, 1)."""
    if u < of.win:
        return 1.0
    return 0.5 if u < of.win + of.draw else 0.0  # type: ignore[operator]


def margin(law: OutcomeConstants, x: float, u: float, score: float) -> float:
    """Return the points by which the first side performed better; 0 for a draw.

    The same u that gave the score: a game is won when the difference of performances,
    x minus a variable with the distribution wp, is above 0.
    """
    if 0.0 < score < 1.0:
        return 0.0
    return x - rating_difference(law.curve, max(u, MIN_UNIFORM), law.q)
