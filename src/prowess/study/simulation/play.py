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

Matchmaking:

    random        both players by activity
    near, rating  the first by activity; the second is, of some others drawn by activity, the
                  nearest in true strength, or in a running Elo rating
    ladder        a player, drawn by activity, challenges one of those above; the winner takes the
                  other's place, and those between move down
    swiss         tournaments of some rounds: down the standings (points, then the running rating)
                  each player meets the next new opponent; two who have met and are left over
                  exchange opponents with another pair if they can; one left over has a point
    round_robin   all players meet, by the circle method; the next cycle with sides changed

In swiss and round_robin all living players play once a round, on one day.

Sources   R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired
          comparison experiments", J. Am. Stat. Assoc. 65 (1970); P. V. Rao and L. L. Kupper,
          "Ties in paired-comparison experiments", J. Am. Stat. Assoc. 62 (1967) for the threshold.
          `even` and the styles on a circle are ours.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.compile.worth import compiled_once, is_worth_compiling
from prowess.engine.system import Chances
from prowess.engine.win_probability import rating_difference, steepness, win_probability
from prowess.study.simulation.settings import (
    ARRIVED,
    CYCLE,
    DAVIDSON,
    EVEN,
    LADDER,
    LEFT,
    LIVING,
    NEAR,
    PAIRS,
    PLAYED,
    RANDOM,
    ROUND,
    ROUND_ROBIN,
    SIZE,
    SWISS,
    TURN,
    Births,
    Field,
    LeagueSettings,
    add_weight,
    draw_other,
    draw_player,
    true_strength,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FIRST_CANDIDATE = 4  # column of the uniforms: 0 who, 1 side, 2 outcome, 3 neutral ground
STANDINGS_POINT = 1e6  # rating points: a point in the standings outweighs any difference of ratings


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
    return compiled_once(play_games) if compiled else play_games


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


class PairedPlayers(NamedTuple):
    """Two players."""

    a: int
    b: int


def arrive(people: Births, field: Field, player: int) -> None:
    """Add a player to the living, at the bottom."""
    living = field.counts[LIVING]
    field.order[living] = player
    field.place[player] = living
    field.counts[LIVING] = living + 1
    add_weight(field.urn, player, people.activity[player])


def leave(p: LeagueSettings, people: Births, field: Field, player: int, day: float) -> None:
    """Remove a player; on a ladder those below move up, else the last takes their place."""
    last = field.counts[LIVING] - 1
    gap = field.place[player]
    if p.matchmaking == LADDER:
        for place in range(gap, last):
            set_place(field, field.order[place + 1], place)
    else:
        set_place(field, field.order[last], gap)
    field.place[player] = -1
    field.died[player] = day
    field.counts[LIVING] = last
    add_weight(field.urn, player, -people.activity[player])


def set_place(field: Field, player: int, place: int) -> None:
    """Put a player on a place."""
    field.order[place] = player
    field.place[player] = place


def come_and_go(p: LeagueSettings, people: Births, field: Field, day: float) -> None:
    """Apply all births and deaths up to a day."""
    counts, ever = field.counts, len(people.born)
    while counts[ARRIVED] < ever and people.born[counts[ARRIVED]] <= day:
        arrive(people, field, counts[ARRIVED])
        counts[ARRIVED] += 1
    while counts[LEFT] < ever and people.dies[field.leaving[counts[LEFT]]] <= day:
        player = field.leaving[counts[LEFT]]
        leave(p, people, field, player, people.dies[player])
        counts[LEFT] += 1


def pair_of_two(
    p: LeagueSettings, people: Births, field: Field, day: float, chance: Any
) -> PairedPlayers:
    """Return the next pair, without rounds; `chance` are uniform numbers."""
    a = draw_player(field.urn, chance[0])
    if p.matchmaking == LADDER:
        return challenge(p, field, a, chance[4])
    if p.matchmaking == RANDOM:
        return PairedPlayers(a, draw_other(field.urn, chance[4], a, people.activity[a]))
    near = p.matchmaking == NEAR
    level = true_strength(p, people, field, a, day) if near else field.rating[a]
    nearest, least = -1, 0.0
    for candidate in range(4, len(chance)):
        b = draw_other(field.urn, chance[candidate], a, people.activity[a])
        other = true_strength(p, people, field, b, day) if near else field.rating[b]
        gap = abs(other - level)
        if nearest < 0 or gap < least:
            nearest, least = b, gap
    return PairedPlayers(a, nearest)


def challenge(p: LeagueSettings, field: Field, challenger: int, u: float) -> PairedPlayers:
    """Return a challenger and one of the players above."""
    if field.place[challenger] == 0:
        challenger = field.order[1]
    place = field.place[challenger]
    step = 1 + int(u * min(int(p.reach), place))
    return PairedPlayers(challenger, field.order[place - step])


def climb(field: Field, winner: int, loser: int) -> None:
    """Move a winner from below to the loser's place of a ladder."""
    low, high = field.place[winner], field.place[loser]
    if low > high:
        for place in range(low, high, -1):
            set_place(field, field.order[place - 1], place)
        set_place(field, winner, high)


def start_round(p: LeagueSettings, field: Field, day: float) -> None:
    """Pair all players for the next round."""
    counts = field.counts
    counts[ROUND] += 1
    counts[PAIRS] = counts[PLAYED] = 0
    field.moment[0] = day
    while counts[PAIRS] == 0:
        if p.matchmaking == SWISS:
            swiss_round(p, field)
        else:
            round_of_cycle(field)


def add_pair(field: Field, a: int, b: int) -> None:
    """Add a game to the current round."""
    count = field.counts[PAIRS]
    field.pairs[count, 0] = a
    field.pairs[count, 1] = b
    field.counts[PAIRS] = count + 1


def swiss_round(p: LeagueSettings, field: Field) -> None:
    """Pair down the standings, each with the next new opponent of this tournament."""
    turn, living = field.counts[TURN], field.counts[LIVING]
    ranked, free = field.ranked[:living], field.free
    for place in range(living):
        player = field.order[place]
        if turn == 0:
            field.points[player] = 0.0
            field.met[player, :] = -1
        field.standing[player] = STANDINGS_POINT * field.points[player] + field.rating[player]
        ranked[place] = player
        free[place] = True
    sort_by_standing(field.standing, ranked, field.spare[:living])
    for i in range(living):
        if free[i]:
            free[i] = False
            j = find_partner(field, ranked, free, i, turn)
            if j < 0:
                field.points[ranked[i]] += 1.0
            else:
                free[j] = False
                pair_up(field, ranked[i], ranked[j], turn)
    for game in range(field.counts[PAIRS]):
        a, b = field.pairs[game, 0], field.pairs[game, 1]
        field.met[a, turn] = b
        field.met[b, turn] = a
    field.counts[TURN] = (turn + 1) % int(p.swiss_rounds)


def sort_by_standing(standing: Any, ranked: Any, spare: Any) -> None:
    """Sort players, the highest first and equal ones as they stand, by merging sorted runs."""
    size, run = len(ranked), 1
    while run < size:
        first = 0
        while first < size:
            middle, end = min(first + run, size), min(first + 2 * run, size)
            i, j = first, middle
            for place in range(first, end):
                if j >= end or (i < middle and standing[ranked[i]] >= standing[ranked[j]]):
                    spare[place] = ranked[i]
                    i += 1
                else:
                    spare[place] = ranked[j]
                    j += 1
            first = end
        for place in range(size):
            ranked[place] = spare[place]
        run *= 2


def find_partner(field: Field, ranked: Any, free: Any, i: int, turn: int) -> int:
    """Return the place of the next free new opponent of i, else of the next free, else -1."""
    fallback = -1
    for j in range(i + 1, len(ranked)):
        if free[j]:
            if not have_met(field, ranked[i], ranked[j], turn):
                return j
            fallback = j if fallback < 0 else fallback
    return fallback


def have_met(field: Field, a: int, b: int, turn: int) -> bool:
    """Return whether two players met in an earlier round of this tournament."""
    met = False
    for earlier in range(turn):
        met = met or field.met[a, earlier] == b
    return met


def pair_up(field: Field, a: int, b: int, turn: int) -> None:
    """Pair two; if they have met, exchange with the last pair that allows it."""
    if have_met(field, a, b, turn):
        for game in range(field.counts[PAIRS] - 1, -1, -1):
            for swap in range(2):
                c, d = field.pairs[game, swap], field.pairs[game, 1 - swap]
                if not have_met(field, a, c, turn) and not have_met(field, b, d, turn):
                    field.pairs[game, 0] = a
                    field.pairs[game, 1] = c
                    add_pair(field, b, d)
                    return
    add_pair(field, a, b)


def round_of_cycle(field: Field) -> None:
    """Pair the next round of a round robin, without players who died since it began."""
    counts, turn = field.counts, field.counts[TURN]
    if turn == 0:
        counts[SIZE] = counts[LIVING]
        counts[CYCLE] += 1
        for place in range(counts[LIVING]):
            field.cycle[place] = field.order[place]
    size = counts[SIZE]
    slots = (
        size + size % 2
    )  # one slot is fixed, the others rotate; with an odd number that slot is a bye
    ring = slots - 1
    for i in range(slots // 2):
        one = ring if i == 0 else (turn + i) % ring
        other = (turn - i) % ring
        if one < size and other < size:
            a, b = field.cycle[one], field.cycle[other]
            away = (turn if i == 0 else i) % 2 != counts[CYCLE] % 2
            if field.place[a] >= 0 and field.place[b] >= 0:
                if away:
                    add_pair(field, b, a)
                else:
                    add_pair(field, a, b)
    counts[TURN] = (turn + 1) % ring
