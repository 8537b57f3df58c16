"""Inflation control: rules that act between rounds on all ratings at once.

Where one player gains what the other loses, the sum of the ratings stays but its meaning changes:
players who retire take the points they gained with them. Two remedies, for systems that keep the
sum:

Redistribution   a player born at B who leaves at R hands (R - B) / (N - 1) to each of the other
                 N - 1. The sum of R - B over the active players then stays, whatever games are
                 played and whichever players join or leave. If the player returns, the shares are
                 taken back; a share whose holder has left meanwhile is charged equally to all the
                 others.
NewcomersMean    once a period one constant is added to that period's newcomers, so that their
                 mean is a fixed value.

Source    W. D. Smith, "Rating systems for gameplayers, and learning", technical report
          93-104-3-0058-5, 28 July 1994, section 8.3 and footnote 15.
Units     ratings in the system's points, dates in days since 1970-01-01.
Differs   the report leaves open when a player has left: here on a stated day, or after being idle
          for a stated time, looked at once a period.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.params import BadSetting
from prowess.engine.periods import BadPeriod, Period, Rounds, parse_period
from prowess.engine.replay import play
from prowess.engine.run import Watch
from prowess.engine.state import State
from prowess.engine.system import Unratable
from prowess.games.arguments import (
    BadArgument,
    check_number,
    check_series,
    check_text,
)
from prowess.games.dates import format_date
from prowess.games.games import Games
from prowess.games.runs import reduce_runs, repeat_rows

MOST_POINTS = 1e6
MOST_BOUNDARIES = 200_000  # daily for 500 years; each costs 40 us and a look at every player


@dataclass(frozen=True)
class Redistribution:
    """Points of a departed player go to the others.

    `after` is how long a player must have been idle to count as departed (None: only on stated
    days), looked at once every `every`; `departures` are (player, day since 1970) pairs.
    """

    after: str | None = None
    every: str = "1mo"
    departures: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class NewcomersMean:
    """The newcomers of every period are shifted together to this mean."""

    mean: float
    every: str = "1mo"


Rule = Redistribution | NewcomersMean


class InflationEvent(NamedTuple):
    """An action of a rule: `points` is each share, or the shift of newcomers."""

    day: float
    what: str  # departed | returned | newcomers
    players: tuple[int, ...]
    points: float


class Departure(NamedTuple):
    """The data needed to undo a departure."""

    share: float
    moment: int
    holders: int


@dataclass(eq=False)
class Lifetimes:
    """Which players are active, since when, and with what rating they started."""

    born: Floats = field(default_factory=lambda: np.empty(0))  # rating at birth
    entered: Ids = field(default_factory=lambda: np.empty(0, np.int64))  # -1: not yet
    alive: Truths = field(default_factory=lambda: np.empty(0, np.bool_))
    last: Floats = field(default_factory=lambda: np.empty(0))  # day of the last game
    moment: int = 0  # counts departures and returns
    gone: dict[int, Departure] = field(default_factory=dict)
    absences: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    fresh: list[int] = field(default_factory=list)  # born in the running period
    day: float | None = None  # up to which the rules have been applied
    events: list[InflationEvent] = field(default_factory=list)

    def grow(self, ratings: Floats) -> None:
        """Make room for players whose ratings are given but who have not played yet."""
        more = len(ratings) - len(self.born)
        self.born = np.concatenate((self.born, ratings[len(self.born) :]))
        self.entered = np.concatenate((self.entered, np.full(more, -1)))
        self.alive = np.concatenate((self.alive, np.zeros(more, np.bool_)))
        self.last = np.concatenate((self.last, np.full(more, -np.inf)))

    def saw(self, players: AnyArray, day: Floats) -> None:
        """These players played on these (ascending) days."""
        self.last[players] = day
        new = players[self.entered[players] < 0]
        if len(new):
            _, first = np.unique(new, return_index=True)
            new = new[np.sort(first)]
            self.entered[new] = self.moment
            self.alive[new] = True
            self.fresh += new.tolist()

    def depart_all(self, rating: Floats, players: Ids, day: float) -> None:
        """Players leave one after another; those who stay are written to once."""
        stay = self.alive.copy()
        stay[players] = False
        others, given = int(self.alive.sum()), 0.0
        for player in players.tolist():
            others -= 1
            rating[player] += given
            share = (float(rating[player]) - float(self.born[player])) / others if others else 0.0
            given += share
            self.gone[player] = Departure(share, self.moment, others)
            self.moment += 1
            self.events.append(InflationEvent(day, "departed", (player,), share))
        self.alive[players] = False
        rating[stay] += given

    def return_(self, rating: Floats, player: int, day: float) -> None:
        """Take back the shares of a departed player, who resumes with the old rating."""
        share, left, holders = self.gone.pop(player)
        holding = self.alive & (self.entered >= 0) & (self.entered <= left)
        for other, absences in self.absences.items():
            if any(out < left < back for out, back in absences):
                holding[other] = False  # absent themselves when the shares were handed out
        rating[holding] -= share
        owed = share * (holders - int(holding.sum()))
        others = int(self.alive.sum())
        if others:
            rating[self.alive] -= owed / others
        self.absences.setdefault(player, []).append((left, self.moment))
        self.alive[player] = True
        self.moment += 1
        self.events.append(InflationEvent(day, "returned", (player,), share))

    def shift_newcomers(self, rating: Floats, mean: float, day: float) -> None:
        """Add one constant to the period's newcomers, so that their mean is as stated."""
        if self.fresh:
            who = np.array(self.fresh)
            shift = mean - float(rating[who].mean())
            rating[who] += shift
            self.born[who] += shift
            self.events.append(InflationEvent(day, "newcomers", tuple(self.fresh), shift))


def play_with_rules(
    state: State,
    population: Lifetimes,
    rules: Sequence[Rule],
    table: Games,
    rounds: Rounds,
    *,
    until: float | None = None,
    forecasts: Floats | None = None,
    draws: Floats | None = None,
    watch: Watch | None = None,
    compiled: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """`play`, and between the rounds the rules, up to the day `until` (default: the last game).

    A game on the very day of a departure is played before it.
    """
    _refuse_unfit(state, rules, table)
    population.grow(state.rating[:, 0])
    day, total = rounds.days(table), rounds.count(table)
    assert day is not None
    options = {"forecasts": forecasts, "draws": draws, "watch": watch, "compiled": compiled}
    low = 0
    for moment, act in _events(population, rules, table, day, until):
        high = int(np.searchsorted(day, moment, side="right"))
        low = _play_until(state, population, table, rounds, day, low, max(low, high), options)
        act(state.rating[:, 0])
        if progress is not None:
            progress(low, total)
    _play_until(state, population, table, rounds, day, low, total, options)
    population.day = _end(day, until)


def _play_until(
    state: State,
    population: Lifetimes,
    table: Games,
    rounds: Rounds,
    day: Floats,
    low: int,
    high: int,
    options: Mapping[str, Any],
) -> int:
    """Play rounds `low:high`; departed players are reinstated just before they play again."""
    while low < high:
        stop = high
        players, numbers = _players(table, rounds, low, high)
        back = np.flatnonzero(~population.alive[players] & (population.entered[players] >= 0))
        if len(back):
            stop = int(numbers[back].min())
            if stop == low:
                for player in dict.fromkeys(players[back][numbers[back] == low].tolist()):
                    population.return_(state.rating[:, 0], player, float(day[low]))
                continue
            players, numbers = players[numbers < stop], numbers[numbers < stop]
        play(state, table, rounds, span=(low, stop), **options)
        population.saw(players, day[numbers])
        low = stop
    return high


def _players(table: Games, rounds: Rounds, low: int, high: int) -> tuple[AnyArray, Ids]:
    """The players of these rounds and the round of each, in order of the rounds."""
    cuts = rounds.contests(table)[low : high + 1]
    first, last = int(cuts[0]), int(cuts[-1])
    numbers = repeat_rows(np.arange(low, high, dtype=np.int64), np.diff(cuts))
    if table.duels:
        players = np.stack((table.a[first:last], table.b[first:last]), axis=1).ravel()
        return players, np.repeat(numbers, 2)
    where = table.ends[table.start[first : last + 1]]
    return table.player[where[0] : where[-1]], repeat_rows(numbers, np.diff(where))


Act = Callable[["Floats"], None]


def _events(
    population: Lifetimes,
    rules: Sequence[Rule],
    table: Games,
    day: Floats,
    until: float | None,
) -> Iterator[tuple[float, Act]]:
    """(day, what to do after the games up to that day), in order of time."""
    begin = population.day if population.day is not None else float(day[0])
    end = _end(day, until)
    by_name = np.argsort(np.argsort(np.array(list(table.players), dtype=object)))
    names = {name: index for index, name in enumerate(table.players)}
    timeline: list[tuple[float, int, Act]] = []
    for order, rule in enumerate(rules):
        if isinstance(rule, Redistribution):
            for name, when in rule.departures:
                if name not in names:
                    raise Unratable.of("unknown_departure", name=name)
                if until is None or when <= until:
                    timeline.append((when, -1, _departing(population, name, names[name], when)))
        if isinstance(rule, NewcomersMean) or rule.after is not None:
            for start in boundaries(parse_period(rule.every), begin, end):
                just_before = float(np.nextafter(start, -np.inf))
                timeline.append((just_before, order, _acting(population, rule, start, by_name)))
    timeline.sort(key=lambda event: event[:2])
    for when, _, act in timeline:
        yield when, act


def _end(day: Floats, until: float | None) -> float:
    return float(day[-1]) if until is None else max(float(day[-1]), until)


def boundaries(period: Period, begin: float, end: float) -> Floats:
    """The days on which a period starts, after `begin` and not after `end`.

    Raises BadPeriod where there are more than a rule could be applied at in any sensible time.
    """
    if (end - begin) / period.days > MOST_BOUNDARIES:
        raise BadPeriod.of(
            "period_too_short", period=period, most=MOST_BOUNDARIES, years=(end - begin) / 365.2425
        )
    days = np.arange(np.floor(begin), np.floor(end) + 2, dtype=np.float64)
    if period.days < 1.0:
        days = np.arange(np.floor(begin), np.floor(end) + 1, 1 / 24, dtype=np.float64)
    number = period.number(days)
    starts = days[1:][np.diff(number) > 0]
    return starts[(starts > begin) & (starts <= end)]


def _departing(population: Lifetimes, name: str, player: int, day: float) -> Act:
    def act(rating: Floats) -> None:
        if not population.alive[player]:
            so_far = "has left before" if player in population.gone else "has not played yet"
            raise Unratable.of(
                "departure_out_of_order", name=name, day=format_date(day), so_far=so_far
            )
        population.depart_all(rating, np.array([player]), day)

    return act


def _acting(population: Lifetimes, rule: Rule, day: float, by_name: Ids) -> Act:
    def shift(rating: Floats) -> None:
        assert isinstance(rule, NewcomersMean)
        population.shift_newcomers(rating, rule.mean, day)
        population.fresh.clear()

    def retire(rating: Floats) -> None:
        assert isinstance(rule, Redistribution)
        assert rule.after is not None
        limit = day - parse_period(rule.after).days
        idle = np.flatnonzero(population.alive & (population.last <= limit))
        in_turn = np.lexsort((by_name[idle], population.last[idle]))  # not by order in the file
        population.depart_all(rating, idle[in_turn], day)

    return shift if isinstance(rule, NewcomersMean) else retire


def _check_departures(rule: Redistribution) -> None:
    """Raise BadPeriod or BadArgument where a departure lacks its player or day."""
    if rule.after is not None:
        parse_period(rule.after)
    example = '(("Ann", 19000.0),)'
    for departure in check_series("departures", rule.departures, example):
        if not isinstance(departure, tuple | list) or len(departure) != 2:
            raise BadArgument.of("not_departures", example=example, departure=departure)
        check_text("the player who departs", departure[0], '"Ann"')
        check_number(f"the day of {departure[0]!r}", departure[1], "days since 1970")


def _refuse_uneven(table: Games) -> None:
    """Raise Unratable where sides of one contest are not of equal size: no sum is kept there."""
    share = np.ones(len(table.player)) if table.share is None else table.share
    size = reduce_runs(np.add, share, table.ends[:-1])
    least, most = (reduce_runs(end, size, table.start[:-1]) for end in (np.minimum, np.maximum))
    uneven = most - least > 1e-9
    if uneven.any():
        at = int(uneven.argmax())
        raise Unratable.of(
            "uneven_sides", unit=table.unit, number=at + 1, least=least[at], most=most[at]
        )


def _refuse_unfit(state: State, rules: Sequence[Rule], table: Games) -> None:
    system = state.system
    if not system.keeps_sum:
        raise BadSetting.of("no_kept_sum", system=system.name)
    if table.time is None:
        raise Unratable.of("no_dates.inflation")
    if not table.single:
        _refuse_uneven(table)
    for rule in rules:
        if not isinstance(rule, Redistribution | NewcomersMean):
            raise BadSetting.of("not_a_rule", rule=rule)
        parse_period(rule.every)
        if isinstance(rule, Redistribution):
            _check_departures(rule)
        elif not abs(check_number("the mean of newcomers", rule.mean)) <= MOST_POINTS:
            raise BadSetting.of("mean_out_of_range", mean=rule.mean)
