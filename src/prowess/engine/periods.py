"""Rating periods and rounds: which games are judged together, and the system's clock at each round.

A period is a span of time such as 7d, 2w, 1mo or 1y. Weeks start on Monday, months and years on
their first day, all in UTC; a span of n weeks or months is counted from the first week or month of
1970, so a table cut short at either end gives the same periods.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.before_rounds import BeforeRounds, find_changes, has_changes
from prowess.engine.system import Dynamic
from prowess.games.dates import format_date
from prowess.games.errors import WordedError
from prowess.games.games import Games

# mean Gregorian days
PERIOD_UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "mo": 30.436875, "y": 365.2425}
WORDS = {"h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
MONDAY = 4.0  # 1970-01-05, in days since 1970-01-01


class BadPeriod(WordedError, ValueError):
    """A span of time that cannot be read."""


@dataclass(frozen=True)
class Period:
    """A span of time: a count of hours, days, weeks, months or years."""

    count: int
    unit: str

    @property
    def days(self) -> float:
        """Its mean length in days."""
        return self.count * PERIOD_UNITS[self.unit]

    def number(self, time: Floats) -> Ids:
        """For each time in days since 1970 the number of the period it falls in."""
        if self.unit in ("mo", "y"):
            months = 12 if self.unit == "y" else 1
            day = np.floor(time).astype("datetime64[D]")
            month = day.astype("datetime64[M]").astype(np.int64)
            number: Any = month // (months * self.count)
        else:
            origin = MONDAY if self.days % 7 == 0 else 0.0
            number = np.floor((time - origin) / self.days).astype(np.int64)
        return number  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"{self.count}{self.unit}"

    @property
    def words(self) -> str:
        """As a person says it: `30 days`, `1 month`."""
        return f"{self.count} {WORDS[self.unit]}{'' if self.count == 1 else 's'}"


def parse_period(text: str) -> Period:
    """Read `7d`, `12h`, `2w`, `1mo`, `1y`; raises BadPeriod for anything else."""
    if not isinstance(text, str):
        raise BadPeriod.of("not_a_period.text", text=text)
    match = re.fullmatch(r"\s*(\d+)\s*(h|d|w|mo|y)\s*", text)
    if not match or int(match[1]) == 0:
        raise BadPeriod.of("not_a_period.unit", text=text)
    return Period(int(match[1]), match[2])


def number_spans(table: Games, span: str, first_day: float | None = None) -> Floats:
    """The number of the span that each contest falls in, [contests].

    Spans of hours, days and weeks are counted from `first_day`, by default that of the table,
    months and years by the calendar;
    `round` or the name of a fact of the table begins a new one where its value changes. Of
    SPAN_BY_TABLE see `number_unordered_days`. Raises BadPeriod for another text, BadRounds where
    the table has no dates or no rounds.
    """
    column = table.round if span == BY_LABEL else table.facts.get(span)
    if column is not None:
        return np.asarray(column, dtype=np.float64)
    if span == BY_LABEL:
        raise BadRounds.of("no_rounds.spans")
    if span == SPAN_BY_TABLE and table.time is not None:
        again = meet_again(table, runs_of(table.time))
        return number_unordered_days(table.time, again).astype(np.float64)
    period = parse_period(span)
    if table.time is None:
        raise BadRounds.of("no_dates.spans", period=period)
    if period.unit in ("mo", "y"):
        return period.number(table.time).astype(np.float64)
    if first_day is None:
        first_day = float(np.floor(table.time[0])) if len(table) else 0.0
    return np.floor((table.time - first_day) / period.days)


SPAN_BY_TABLE = "auto"  # days whose order is not known


def choose_span(table: Games, frozen: str | None) -> str | None:
    """The span at whose start forecasts of a table are frozen; None where none is needed.

    SPAN_BY_TABLE is needed where dates have no times and a player has several contests on a day.
    """
    if frozen != SPAN_BY_TABLE:
        return frozen
    dated = table.time is not None and bool((np.floor(table.time) == table.time).all())
    return frozen if dated and count_followers(table) else None


def number_unordered_days(time: Floats, again: Truths) -> Floats:
    """The number of the span of each contest: a day on which a player has several is one.

    `again` says which contests follow another one of a player on their day. Each contest of the
    other days is a span.
    """
    apart = ~np.isin(time, time[again])
    begins = np.append(0.0, apart[1:] | (np.diff(time) != 0.0))
    return np.cumsum(begins, dtype=np.int64)


def count_followers(table: Games) -> int:
    """The contests that follow another one of a player at the same time; 0 without dates."""
    if table.time is None:
        return 0
    return int(meet_again(table, runs_of(table.time)).sum())


def meet_again(table: Games, spans: Ids) -> Truths:
    """Which contests have a member who had an earlier one in the same span, [contests].

    Span k is the contests `spans[k]:spans[k + 1]`.
    """
    contest = table.contest_of_member
    span = spans.searchsorted(contest, side="right")
    order = np.lexsort((contest, table.player, span))
    who, when, row = table.player[order], span[order], contest[order]
    again = (who[1:] == who[:-1]) & (when[1:] == when[:-1]) & (row[1:] != row[:-1])
    found = np.zeros(len(table), dtype=bool)
    found[row[1:][again]] = True
    return found


# --- rounds ---------------------------------------------------------------------------------------


BY_LABEL = "round"  # the word for rounds as the table itself names them
LABEL_GAP = 180.0  # days; the same label after a longer pause is taken for a mistake
# the order and bounds of `Rounds`, and the day on which each begins, or the number of its period
Cut = tuple[Ids | None, Ids | None, Floats | None]


def has_order(games: Games) -> bool:
    """Whether a table says in what order its games were played: by dates, or by rounds."""
    return games.time is not None or games.round is not None


class BadRounds(WordedError, ValueError):
    """A table that cannot be cut into the rounds that were asked for."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """How a table is played: `bounds` None means that every game is a round of its own."""

    order: Ids | None  # rows in the order of play, None as they stand
    bounds: Ids | None  # round r is rows bounds[r]:bounds[r + 1]
    clock: Floats | None  # per round in the system's unit; None without time
    before: BeforeRounds | None = None  # what happens before some rounds; None: nothing

    def count(self, table: Games) -> int:
        """How many rounds the table has."""
        return len(table) if self.bounds is None else len(self.bounds) - 1

    def contests(self, table: Games) -> Ids:
        """Where the contests of each round begin, and the end, of a table in this order."""
        if table.pairwise and self.bounds is not None:
            return self.bounds
        return np.arange(len(table) + 1, dtype=np.int64)

    def days(self, table: Games) -> Floats | None:
        """The day of the first contest of each round; None without dates."""
        if table.time is None:
            return None
        days: Floats = np.maximum.accumulate(table.time[self.contests(table)[:-1]])
        return days


def rounds_of(system: Dynamic, table: Games, period: str | None, cuts: Ids | None = None) -> Rounds:
    """Cut a table into rounds; raises BadRounds or BadPeriod when that cannot be done.

    No rating period goes over a row of `cuts`, where another league begins. Facts of players and
    seasons, of which the table tells, change between two rounds.
    """
    order, bounds, clock = _cut_rounds(system, table, period, cuts)
    if clock is not None and (period is None or not system.follows_period):
        if system.drift is None and system.league is None:
            clock = None  # the system has no use for time
        elif (unit := parse_period(system.clock).days) != 1.0:
            clock = clock / unit
    rounds = Rounds(order, bounds, clock)
    if (table.player_facts is None and table.season is None) or not len(table):
        return rounds
    if not has_changes(system, table):
        return rounds
    played = table if rounds.order is None else table.select(rounds.order)
    first = rounds.contests(played)[:-1]
    return replace(rounds, before=find_changes(system, played, first, rounds.days(played)))


def _cut_rounds(system: Dynamic, table: Games, period: str | None, cuts: Ids | None) -> Cut:
    if not table.pairwise:
        if period is not None:
            raise BadRounds.of("period_of_contests")
        return None, table.start, table.time
    if period is None:
        if system.rounds == "period":
            raise BadRounds.of("period_needed", label=BY_LABEL, system=system.name)
        return None, None, table.time
    if system.rounds == "game":
        raise BadRounds.of("no_periods.games", system=system.name)
    if period == BY_LABEL:
        return _rounds_by_label(system, table)
    return _rounds_by_period(system, table, parse_period(period), cuts)


def _rounds_by_period(system: Dynamic, games: Games, period: Period, cuts: Ids | None) -> Cut:
    if games.time is None:
        raise BadRounds.of("no_dates.period", period=period)
    number = period.number(games.time)
    bounds = runs_of(number) if cuts is None else np.union1d(runs_of(number), cuts)
    first = bounds[:-1]
    clock = number[first].astype(np.float64) if system.follows_period else games.time[first]
    return None, bounds, clock


def _rounds_by_label(system: Dynamic, games: Games) -> Cut:
    label = number_spans(games, BY_LABEL)
    _, first_row, number = np.unique(label, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first_row))  # labels in order of first appearance
    place = rank[number]
    order = None if np.all(np.diff(place) >= 0) else np.argsort(place, kind="stable")
    bounds = runs_of(place if order is None else place[order])
    time = games.time
    if time is not None and len(time):
        if order is not None:
            time = time[order]
        gap = np.diff(time)
        gap[bounds[1:-1] - 1] = 0.0  # between two rounds any pause is fine
        if len(gap) and gap.max() > LABEL_GAP:
            at = int(gap.argmax())
            first, second = (at, at + 1) if order is None else order[at : at + 2].tolist()
            raise BadRounds.of(
                "round_overlaps.table", first=_name_game(games, first),
                second=_name_game(games, second), days=gap[at],
            )  # fmt: skip
    count = len(bounds) - 1
    if system.follows_period:
        return order, bounds, np.arange(count, dtype=np.float64)
    return order, bounds, None if time is None else np.maximum.accumulate(time[bounds[:-1]])


def _name_game(games: Games, row: int) -> str:
    assert games.time is not None
    ends = games.ends[games.start[row] : games.start[row] + 3]
    first, second = (
        " & ".join(games.players[player] for player in games.player[low:high].tolist())
        for low, high in pairwise(ends.tolist())
    )
    return f"{first} - {second} on {format_date(float(games.time[row]))}"


def runs_of(number: AnyArray) -> Ids:
    """The bounds of runs of equal numbers."""
    changes = np.flatnonzero(np.diff(number)) + 1
    bounds = np.concatenate(([0], changes, [len(number)])) if len(number) else np.array([0])
    return bounds.astype(np.int64)
