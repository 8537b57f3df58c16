"""Settings of a simulated league with ranges and units, and its players.

Strengths and ratings are in points, times in days. Options of the command line, checks and help
texts are made from the annotations here.

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
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.numeric import LN10
from prowess.engine.params import BadSetting, parameters, settings
from prowess.engine.system import Choice, Range
from prowess.engine.win_probability import CURVES

MATCHMAKING = ("random", "near", "rating", "swiss", "round_robin", "ladder")
RANDOM, NEAR, RATING, SWISS, ROUND_ROBIN, LADDER = range(len(MATCHMAKING))
DRAW_MODELS = ("even", "davidson", "threshold")
EVEN, DAVIDSON, THRESHOLD = range(len(DRAW_MODELS))
ACTIVITIES = ("equal", "pareto")
EQUAL, PARETO = range(len(ACTIVITIES))
LEARNING_FORMS = ("logarithmic", "constant")
LOGARITHMIC, CONSTANT = range(len(LEARNING_FORMS))
AGES = ("days", "games")
DAYS, GAMES = range(len(AGES))
LIFE_LAWS = ("exponential", "fixed")
EXPONENTIAL, FIXED = range(len(LIFE_LAWS))
BEGINNINGS = ("young", "settled")
YOUNG, SETTLED = range(len(BEGINNINGS))
NO, YES = range(2)

MAX_LEAGUE_PLAYERS = 5e6  # over the whole history of a league
SECONDS_PER_DAY = 86400.0  # times are whole seconds, so that a file says them exactly
WHOLE_SETTINGS = ("players", "games", "candidates", "reach", "swiss_rounds")


class LeagueSettings(NamedTuple):
    """All settings of a league; words are numbered, as in a system's parameters."""

    players: Annotated[float, Range(2, 2e6, "players at the start")] = 100.0
    games: Annotated[float, Range(1, 1e8, "games")] = 10000.0
    first_day: Annotated[float, Range(-36500, 73000, "days since 1970")] = 18262.0  # 2020-01-01
    days: Annotated[float, Range(0.01, 73000, "days from first to last game")] = 365.0
    # how a game ends
    curve: Annotated[int, Choice(*CURVES)] = 0
    scale: Annotated[float, Range(50, 2000, "points of odds of ten to one")] = 400.0
    advantage: Annotated[float, Range(-1000, 1000, "points for the first side")] = 0.0
    neutral: Annotated[float, Range(0, 1, "share of games without sides")] = 0.0
    draws: Annotated[float, Range(0, 0.99, "share of draws among equals")] = 0.0
    draw_model: Annotated[int, Choice(*DRAW_MODELS)] = EVEN
    cyclic: Annotated[float, Range(0, 2000, "points, the most that styles can add")] = 0.0
    margins: Annotated[int, Choice("no", "yes")] = NO
    # how strong players are
    mean: Annotated[float, Range(-10000, 10000, "points, of newcomers")] = 1500.0
    spread: Annotated[float, Range(0, 2000, "points, deviation of newcomers")] = 200.0
    drift: Annotated[float, Range(0, 500, "points per sqrt(day)")] = 0.0
    learning: Annotated[float, Range(0, 1000, "points per day (or game) of age, at birth")] = 0.0
    learning_form: Annotated[int, Choice(*LEARNING_FORMS)] = LOGARITHMIC
    # who lives
    births: Annotated[float, Range(0, 1e5, "players per day")] = 0.0
    life: Annotated[float, Range(0, 1e6, "days (or games), the mean; 0: for ever")] = 0.0
    life_law: Annotated[int, Choice(*LIFE_LAWS)] = EXPONENTIAL
    age: Annotated[int, Choice(*AGES)] = DAYS
    beginning: Annotated[int, Choice(*BEGINNINGS)] = YOUNG
    # who plays whom
    activity: Annotated[int, Choice(*ACTIVITIES)] = EQUAL
    tail: Annotated[float, Range(1.05, 20, "index of the Pareto law of activity")] = 1.5
    matchmaking: Annotated[int, Choice(*MATCHMAKING)] = RANDOM
    candidates: Annotated[float, Range(1, 50, "opponents of whom the nearest plays")] = 5.0
    k: Annotated[float, Range(0, 200, "points, of the Elo rating that pairs players")] = 32.0
    swiss_rounds: Annotated[float, Range(1, 50, "rounds of a tournament")] = 9.0
    reach: Annotated[float, Range(1, 50, "places up a ladder that a challenge goes")] = 3.0


def shape(params: LeagueSettings) -> Any:
    """Return a league's settings in the form of a system's, to check them alike."""
    return SimpleNamespace(name="a league", params=params)


LEAGUE_SHAPE = shape(LeagueSettings())


def league_settings(**given: float | str) -> LeagueSettings:
    """Return the settings of a league: the defaults with the given ones replaced, all checked.

    Words are given as words: `league_settings(players=50, curve="normal", draws=0.3)`. Raises
    BadSetting for a name that does not exist, a value outside its range, or two that contradict
    each other.
    """
    p: LeagueSettings = settings(LEAGUE_SHAPE, given)
    for name in WHOLE_SETTINGS:
        value = getattr(p, name)
        if value != int(value):
            raise BadSetting.of("not_a_count.settings", name=name, value=value)
    _refuse_contradictions(p)
    return p


def check_settings(p: LeagueSettings) -> LeagueSettings:
    """Check settings and return them; raises BadSetting."""
    given: dict[str, Any] = {}
    for name, known in parameters(LEAGUE_SHAPE).items():
        value, domain = getattr(p, name), known.domain
        if isinstance(domain, Choice) and not (
            isinstance(value, int) and 0 <= value < len(domain.words)
        ):
            raise BadSetting.of("not_a_choice.settings", name=name, words=domain.words, value=value)
        given[name] = known.display(value)
    return league_settings(**given)


def _refuse_contradictions(p: LeagueSettings) -> None:
    """Raise BadSetting for settings that would have no effect or never end."""
    if p.beginning == SETTLED and not p.life:
        raise BadSetting.of("life_needed")
    if p.activity != EQUAL and p.matchmaking in (SWISS, ROUND_ROBIN):
        raise BadSetting.of(
            "activity_not_equal", rounds=MATCHMAKING[p.matchmaking], activity=ACTIVITIES[p.activity]
        )
    if p.neutral and p.matchmaking == ROUND_ROBIN:
        raise BadSetting.of("neutral_round_robin")
    people = p.players + p.births * p.days
    if people > MAX_LEAGUE_PLAYERS:
        raise BadSetting.of(
            "too_many_players.league", most=MAX_LEAGUE_PLAYERS, births=p.births, days=p.days,
            people=people,
        )  # fmt: skip


SHARES_OF_IDLEST = 1000  # whole shares of activity: rounds the Pareto law to 0.1 %


class Births(NamedTuple):
    """Values known at birth, one entry a player, in order of arrival."""

    born: Floats  # day
    dies: Floats  # day; inf: not by time
    dies_at: Floats  # age in games; inf: not by games
    age: Ids  # in games, on arrival
    activity: Ids  # shares
    strength: Floats  # points, at birth
    sin: Floats  # of the style, an angle: A beats B beats C beats A
    cos: Floats


class Field(NamedTuple):
    """Values that games and time change."""

    walk: Floats  # points
    seen: Floats  # day up to which the walk has gone
    games: Ids
    rating: Floats  # running Elo rating
    died: Floats  # day; nan: lives, or is not yet born
    leaving: Ids  # people in the order in which their days end
    urn: Ids  # of the living
    order: Ids  # the living; on a ladder from the top
    place: Ids  # in `order`; -1: not among the living
    points: Floats  # in the running tournament
    met: Ids  # [people, rounds] opponents in it
    cycle: Ids  # who plays the running round robin
    pairs: Ids  # [pairs, 2] of the running round
    counts: Ids  # see the names below
    moment: Floats  # [1] day of the running round
    standing: Floats  # in the running tournament
    ranked: Ids  # the living, in the order of their standing
    spare: Ids  # room to sort them
    free: Truths  # by place in `ranked`: who is not yet paired


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
        activity = np.rint(SHARES_OF_IDLEST * wealth ** (-1.0 / p.tail)).astype(np.int64)
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
        raise BadSetting.of("not_that_many_strengths", players=players, size=values.size)
    if not np.isfinite(values).all():
        raise BadSetting.of("not_finite.settings")
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
    order[:first] = place[:first] = np.arange(first, dtype=np.int64)
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
        standing=np.zeros(count),
        ranked=np.zeros(count, np.int64),
        spare=np.zeros(count, np.int64),
        free=np.zeros(count, np.bool_),
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
    return np.floor(days * SECONDS_PER_DAY) / SECONDS_PER_DAY


def urn_of(weights: Ids) -> Ids:
    """Return the urn of players 0, 1, 2 ... with these weights."""
    size = 1
    while size < len(weights):
        size *= 2
    total = np.zeros(size + 1, np.int64)
    total[1 : len(weights) + 1] = weights
    total = np.cumsum(total, dtype=np.int64)
    node = np.arange(size + 1, dtype=np.int64)
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
