"""What happens to ratings between two rounds: facts of players change, and a new season begins.

A table of games says both. Facts hold from the first round that begins on their day or later, so
that a round is judged by what was known when it began.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids
from prowess.engine.system import Dynamic, Unratable
from prowess.games.columns import as_name
from prowess.games.dates import parse_day_of_year
from prowess.games.errors import quote
from prowess.games.games import Games
from prowess.games.reading import format_count, list_some
from prowess.games.runs import repeat_rows

if TYPE_CHECKING:
    from prowess.engine.whole_table import WholeTable
    from prowess.games.player_facts import PlayerFacts


NAMES_SHOWN = 3


class Change(NamedTuple):
    """A fact that players have from a round on."""

    round: int
    field: str
    players: Ids
    values: Floats


@dataclass(frozen=True, eq=False)
class BeforeRounds:
    """What happens before the rounds of a table: `at` are those before which there is something."""

    at: list[int]
    changes: dict[int, list[Change]]
    season: Floats | None = None  # the number of the season of each round
    names: Sequence[str] = ()  # of seasons by number; none where they are numbers themselves

    def refuse_season(self, returning: float, now: float) -> Unratable:
        """The error of a season that returns after another one began."""
        again, other = (
            quote(self.names[int(one)]) if self.names else as_name(one) or repr(one)
            for one in (returning, now)
        )
        return Unratable.of("season_returns", again=again, other=other)


NOTHING_BEFORE = BeforeRounds([], {})

# --- facts of players -----------------------------------------------------------------------------


def find_facts(system: Dynamic, table: Games) -> dict[str, str]:
    """The columns of the table of players by the fact that the system takes from each.

    Raises Unratable where it has none of them, though the system reads some.
    """
    known = table.player_facts
    if known is None or not system.facts:
        return {}
    columns = {name: known.find_column(one.column or name) for name, one in system.facts.items()}
    found = {name: column for name, column in columns.items() if column is not None}
    if not found:
        wanted = ", ".join(one.column or name for name, one in system.facts.items())
        raise Unratable.of(
            "no_such_facts", wanted=wanted, system=system.name, known=known.name, cells=known.cells
        )
    return found


def has_changes(system: Dynamic, table: Games) -> bool:
    """Whether the table tells something that happens to ratings between rounds."""
    seasonal = system.season is not None and table.season is not None
    return seasonal or bool(find_facts(system, table))


def find_changes(system: Dynamic, table: Games, first: Ids, days: Floats | None) -> BeforeRounds:
    """What happens before the rounds of a table: `first` are their first contests, `days` of these.

    Raises Unratable for facts with dates, or that count years, where the table has no dates, and
    for seasons that the table does not tell.
    """
    changes: dict[int, list[Change]] = {}
    facts, known = find_facts(system, table), table.player_facts
    if facts and known is not None:
        counting = any(system.facts[name].years for name in facts)
        if days is None and (known.dated or counting):
            what = "count years" if counting else "have dates"
            raise Unratable.of("no_dates.facts", known=known.name, what=what)
        days = np.zeros(1) if days is None else days
        row, player = find_players(known, table.players)
        for name, column in facts.items():
            years = system.facts[name].years
            value = known.numbers(column, years=years, limits=system.facts[name].limits)[row]
            there = np.isfinite(value)
            begin = days.searchsorted(known.days[row[there]])
            for change in spread_over_rounds(days, begin, player[there], value[there], years):
                changes.setdefault(change.round, []).append(change._replace(field=name))
    at, season = set(changes), None
    names: Sequence[str] = ()
    if system.season is not None and table.season is not None:
        season, names = number_seasons(table)[first], table.labels.get(table.season, ())
        at |= {0, *(np.flatnonzero(np.diff(season)) + 1).tolist()}
    return BeforeRounds(sorted(at), changes, season, names)


def find_players(known: PlayerFacts, players: Sequence[str]) -> tuple[Ids, Ids]:
    """The rows of players who are known, and their numbers."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(known.names):
        rows.setdefault(name, []).append(row)
    pairs = [(row, k) for k, name in enumerate(players) for row in rows.get(name, ())]
    both = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def spread_over_rounds(
    days: Floats, first: Ids, player: Ids, value: Floats, years: bool
) -> Iterator[Change]:
    """Changes by round, of facts that hold from their first round on, in order of their days.

    With `years` a value is a year, and the fact the years since: it changes every year.
    """
    rounds, of = first, np.arange(len(first), dtype=np.int64)
    if years:
        year = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
        new_years = np.flatnonzero(np.diff(year)) + 1
        going_on = [np.flatnonzero(first < new_year) for new_year in new_years]
        rounds = np.concatenate((repeat_rows(new_years, [len(one) for one in going_on]), first))
        of = np.concatenate((*going_on, of))  # what begins with a round goes before what goes on
    order = np.argsort(rounds, kind="stable")
    order = order[: rounds[order].searchsorted(len(days))]  # what holds later is not needed
    rounds, of = rounds[order], of[order]
    for low, high in pairwise([*np.unique(rounds, return_index=True)[1].tolist(), len(rounds)]):
        at, who = int(rounds[low]), of[low:high]
        yield Change(at, "", player[who], year[at] - value[who] if years else value[who])


def note_changes(system: Dynamic | WholeTable, table: Games) -> tuple[str, ...]:
    """What a system takes from the facts of players and from seasons, and what it does not.

    Raises Unratable where no player with facts is in the table.
    """
    notes, known = [], table.player_facts
    seasonal = isinstance(system, Dynamic) and system.season is not None
    if seasonal and table.season is None:
        notes.append(f"no seasons (--season COLUMN|MM-DD): {system.name} goes on as in one")
    if not seasonal and table.season is not None:
        notes.append(f"{system.name} knows no seasons: season {table.season} changes nothing")
    if known is None:
        return tuple(notes)
    found = find_facts(system, table) if isinstance(system, Dynamic) else {}
    if not found:
        said = f"{system.name} reads no facts of players: {known.name} changes nothing"
        return (*notes, said)
    said = f"facts of players from {known.name}: {', '.join(found.values())}"
    if unread := [name for name in known.cells if name not in found.values()]:
        said += f"; not read: {', '.join(unread)}"
    return (*notes, said, *note_absent(known, table.players))


def note_absent(known: PlayerFacts, players: Sequence[str]) -> tuple[str, ...]:
    """A note on names with facts that no player has; raises Unratable if that is all of them."""
    everybody = set(known.names)
    absent = sorted(everybody - set(players))
    if not absent:
        return ()
    if len(absent) == len(everybody):
        raise Unratable.of("no_such_players", known=known.name, absent=absent[:NAMES_SHOWN])
    said = f"{len(absent):,} of {len(everybody):,} players ({list_some(absent, NAMES_SHOWN)})"
    return (f"facts of players without a game: {said}",)


# --- seasons --------------------------------------------------------------------------------------


def number_seasons(table: Games) -> Floats:
    """The number of the season of each contest, by a fact of the table or the day one begins on.

    Raises Unratable where the table has no such column, or no dates, and for a contest without a
    season.
    """
    assert table.season is not None
    begins = parse_day_of_year(table.season)
    if begins is None:
        if table.season not in table.facts:
            raise Unratable.of("no_such_column.before_rounds", season=table.season)
        column = np.asarray(table.facts[table.season], dtype=np.float64)
        words = table.labels.get(table.season, ())
        empty = column == words.index("") if "" in words else np.isnan(column)
        if empty.any():
            raise Unratable.of(
                "season_missing",
                unit=table.unit,
                season=table.season,
                rows=format_count(int(empty.sum()), table.unit),
            )
        return column
    if table.time is None:
        raise Unratable.of("no_dates.seasons", season=table.season)
    return number_by_day(begins, table.time)


def number_by_day(begins: tuple[int, int], days: Floats) -> Floats:
    """The number of the season of days, where one begins on a day of the year, (month, day)."""
    day = np.floor(days).astype("datetime64[D]")
    month, year = day.astype("datetime64[M]"), day.astype("datetime64[Y]")
    months = (month - year.astype("datetime64[M]")).astype(np.int64) + 1
    days = (day - month.astype("datetime64[D]")).astype(np.int64) + 1
    begun = (months > begins[0]) | ((months == begins[0]) & (days >= begins[1]))
    number: Floats = year.astype(np.float64) + begun
    return number
