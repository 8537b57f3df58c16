"""Simulated leagues: games and the true strengths behind them, in memory and as text.

Text tables can be read by `prowess rate` without options. Numbers are written so that reading gives
the same bits; times are whole seconds, UTC.

The loop that plays is compiled or plain, with equal numbers. All random numbers are drawn
beforehand, so the loop is only arithmetic. A game between two known strengths:

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

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids
from prowess.compile.worth import compiled_once, is_worth_compiling
from prowess.engine.numeric import merge_sort
from prowess.engine.params import BadSetting
from prowess.engine.system import Chances
from prowess.engine.win_probability import rating_difference, steepness, win_probability
from prowess.games.dates import format_date
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.reading import format_count
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
    RATING,
    ROUND,
    ROUND_ROBIN,
    SECONDS_PER_DAY,
    SIZE,
    SWISS,
    TURN,
    Births,
    Field,
    LeagueSettings,
    add_weight,
    check_settings,
    draw_other,
    draw_player,
    field_of,
    people_of,
    true_strength,
    whole_seconds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        field.standing[place] = STANDINGS_POINT * field.points[player] + field.rating[player]
        free[place] = True
    sort_by_standing(p, field.standing, field.order[:living], ranked, field.spare[:living])
    for place in range(living):
        ranked[place] = field.order[ranked[place]]
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


def stands_above(p: LeagueSettings, standing: Any, place: Any, i: int, j: int) -> bool:
    """Return whether the player on place i of the living is above the one on place j."""
    return bool(standing[i] > standing[j])


sort_by_standing = merge_sort(stands_above)


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


# --- leagues in memory and as text ----------------------------------------------------------------


BLOCK_ROWS = 65_536  # turned into text at a time


@dataclass(frozen=True, eq=False)
class Truth:
    """The true values of players, one row a player, in the order of the roster."""

    born: Floats  # day; before the first game for players who were there already
    died: Floats  # day; nan: lives
    at_birth: Floats  # strength, points
    strength: Floats  # at the end, or at death; a walk as it was at the last game
    style: Floats  # angle, 0 to 2 pi: for the cyclic part
    activity: Floats  # in units of the idlest possible player
    games: Ids


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedLeague:
    """A table of games, and for every game and player what was true.

    `strength_a`, `strength_b` (points) and `expected` (the true expected score of a) have one
    entry a game. `births` and `deaths` count the whole league, including players without games.
    """

    settings: LeagueSettings
    seed: int
    games: Games
    strength_a: Floats
    strength_b: Floats
    expected: Floats
    truth: Truth
    births: int
    deaths: int

    def __repr__(self) -> str:
        return f"<League: {self.games!r}, seed {self.seed}>"

    @property
    def headline(self) -> str:
        """The league in one line."""
        games = self.games
        parts = [
            f"{format_count(len(games), 'game')} of {format_count(len(games.players), 'player')}",
            f"the first side scores {games.score.mean():.3f}",
            f"{(games.score == 0.5).mean():.1%} draws",
        ]
        if self.births or self.deaths:
            parts.append(f"{self.births:,} births, {self.deaths:,} deaths")
        return ", ".join([*parts, f"seed {self.seed}"])

    def departures(self) -> tuple[tuple[str, float], ...]:
        """Return (name, day) of every player who died, for the rule of redistribution."""
        gone = np.flatnonzero(np.isfinite(self.truth.died))
        return tuple((self.games.players[i], float(self.truth.died[i])) for i in gone.tolist())


def simulate(
    settings: LeagueSettings | None = None,
    seed: int = 1,
    *,
    strengths: Sequence[float] | None = None,
    compiled: bool | None = None,
) -> SimulatedLeague:
    """Simulate a league; the same settings and seed give the same league on every computer.

    `strengths` are the true ones at birth of the first players, in points, instead of drawn ones.
    `compiled` None chooses by size; the numbers are the same. People, times and games have
    separate random numbers: another matchmaking keeps the people.

    Raises BadSetting for impossible settings and if fewer than two players are left.
    """
    p = check_settings(LeagueSettings() if settings is None else settings)
    if type(seed) is not int or seed < 0:
        raise BadSetting.of("not_a_seed", seed=seed)
    for_people, for_times, for_games = (
        np.random.Generator(np.random.PCG64(child))
        for child in np.random.SeedSequence(seed).spawn(3)
    )
    people = people_of(p, for_people, strengths)
    field = field_of(p, people)
    record = _new_record(int(p.games), _times(p, for_times))
    _play(p, people, field, record, for_games, compiled)
    return _make_league(p, seed, people, field, record)


def _times(p: LeagueSettings, rng: np.random.Generator) -> Floats:
    """Sample the days of all games, ascending, in whole seconds."""
    return whole_seconds(p.first_day + p.days * np.sort(rng.random(int(p.games))))


def _new_record(games: int, time: Floats) -> GameColumns:
    ids = np.zeros((2, games), np.uint32)
    numbers = np.zeros((6, games))
    return GameColumns(
        time,
        ids[0],
        ids[1],
        score=numbers[0],
        side=numbers[1],
        margin=numbers[2],
        strength_a=numbers[3],
        strength_b=numbers[4],
        expected=numbers[5],
        round=np.zeros(games, np.int32),
    )


def _play(
    p: LeagueSettings,
    people: Births,
    field: Field,
    record: GameColumns,
    rng: np.random.Generator,
    compiled: bool | None,
) -> None:
    """Fill the record block by block."""
    games, law = len(record.time), outcome_model(p)
    play = loop(games, compiled)
    looked_at = int(p.candidates) if p.matchmaking in (NEAR, RATING) else 1
    for low in range(0, games, BLOCK_ROWS):
        high = min(games, low + BLOCK_ROWS)
        chance = rng.random((high - low, FIRST_CANDIDATE + looked_at))
        normal = rng.standard_normal((high - low if p.drift else 1, 2))
        with np.errstate(all="ignore"):
            played = play(p, law, people, field, record, low, high, chance, normal)
        if played < high:
            day = format_date(float(record.time[played]))
            raise BadSetting.of("players_died_out", played=played, games=games, day=day)


def _make_league(
    p: LeagueSettings, seed: int, people: Births, field: Field, record: GameColumns
) -> SimulatedLeague:
    """Make the league, its players numbered by first appearance."""
    both = np.stack((record.a, record.b), axis=1).ravel()
    seen, first = np.unique(both, return_index=True)
    who = seen[np.argsort(first)].astype(np.int64)
    number = np.zeros(len(people.born), np.uint32)
    number[who] = np.arange(len(who), dtype=np.uint32)
    width = len(str(len(people.born)))
    sided = p.neutral < 1.0
    in_rounds = p.matchmaking in (SWISS, ROUND_ROBIN)
    games = Games(
        players=Roster(f"P{person + 1:0{width}d}" for person in who.tolist()),
        a=number[record.a],
        b=number[record.b],
        score=record.score,
        time=record.time,
        round=record.round if in_rounds else None,
        side=record.side if sided else None,
        margin=record.margin if p.margins else None,
    )
    last_day = p.first_day + p.days
    days = np.where(np.isfinite(field.died[who]), field.died[who], last_day)
    strength = [
        true_strength(p, people, field, person, day)
        for person, day in zip(who.tolist(), days.tolist(), strict=True)
    ]
    truth = Truth(
        born=people.born[who],
        died=field.died[who],
        at_birth=people.strength[who],
        strength=np.array(strength),
        style=np.arctan2(people.sin[who], people.cos[who]) % (2.0 * np.pi),
        activity=people.activity[who].astype(np.float64),
        games=field.games[who],
    )
    return SimulatedLeague(
        settings=p,
        seed=seed,
        games=games,
        strength_a=record.strength_a,
        strength_b=record.strength_b,
        expected=record.expected,
        truth=truth,
        births=len(people.born) - int(p.players),
        deaths=int(np.isfinite(field.died).sum()),
    )


BLOCK_ROWS = 65_536  # rows turned into text at a time
LEAGUE_FORMS = ("csv", "jsonl")
RESULT_TEXTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def game_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the games as text, many rows at a time: date, players, result, other columns."""
    games, side = league.games, league.games.side
    one, other = ("player_a", "player_b") if side is None else ("white", "black")
    columns = {
        **_dates_and_players(league, one, other),
        "result": lambda rows: [RESULT_TEXTS[score] for score in games.score[rows].tolist()],
    }
    also: dict[str, AnyArray] = {}
    if games.round is not None:
        also["round"] = games.round + 1
    if side is not None and not side.all():
        also["neutral"] = np.array(["true", "false"])[side.astype(np.int64)]
    if games.margin is not None:
        also["margin"] = games.margin
    return _lines(columns | _numbers(also), len(games), form)


def player_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the truth about players: strengths (points), birth and death, style, games."""
    truth = league.truth
    alive = np.isnan(truth.died)
    columns: Columns = {
        "player": lambda rows: list(league.games.players)[rows],
        **_numbers({"strength": truth.strength, "strength_at_birth": truth.at_birth}),
        "born": lambda rows: dates(truth.born[rows]),
        "died": lambda rows: np.where(
            alive[rows], "", dates(np.where(alive, 0.0, truth.died)[rows])
        ).tolist(),
        **_numbers({"style": truth.style, "activity": truth.activity, "games": truth.games}),
    }
    return _lines(columns, len(alive), form)


def true_game_lines(league: SimulatedLeague, form: str = "csv") -> Iterator[str]:
    """Yield the truth about every game: both strengths (points), expected score of the first."""
    truth = {
        "strength_a": league.strength_a,
        "strength_b": league.strength_b,
        "expected": league.expected,
        "score": league.games.score,
    }
    columns = _dates_and_players(league, "player_a", "player_b") | _numbers(truth)
    return _lines(columns, len(league.games), form)


Columns = dict[str, Callable[[slice], list[Any]]]  # the values of some rows, by heading


def _dates_and_players(league: SimulatedLeague, one: str, other: str) -> Columns:
    games, names = league.games, list(league.games.players)
    time = games.time
    assert time is not None
    return {
        "date": lambda rows: dates(time[rows]),
        one: lambda rows: [names[player] for player in games.a[rows].tolist()],
        other: lambda rows: [names[player] for player in games.b[rows].tolist()],
    }


def _numbers(columns: Mapping[str, AnyArray]) -> Columns:
    return {name: lambda rows, of=of: of[rows].tolist() for name, of in columns.items()}  # type: ignore[misc]


def _lines(columns: Columns, count: int, form: str) -> Iterator[str]:
    """Yield the heading of a CSV, then blocks of rows as text."""
    if form == "csv":
        yield ",".join(columns) + "\n"
    for low in range(0, count, BLOCK_ROWS):
        block = slice(low, low + BLOCK_ROWS)
        rows = zip(*(values(block) for values in columns.values()), strict=True)
        if form == "csv":
            yield "".join(",".join(map(str, row)) + "\n" for row in rows)
        else:
            yield "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


def dates(days: Floats) -> list[str]:
    """Format days since 1970 as ISO text, to the second."""
    seconds = np.rint(days * SECONDS_PER_DAY).astype("datetime64[s]")
    return np.datetime_as_string(seconds, unit="s").tolist()  # type: ignore[no-any-return]
