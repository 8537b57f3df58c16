"""A table cut into its leagues, each with a roster of its own, by one stable sort.

A league is whatever a column tells apart: a division, a category, a variant, a ladder, a season; or
each combination of several columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.worth import LIGHT, compiled_once, is_worth_compiling
from prowess.games.columns import EXACT_BELOW, as_name
from prowess.games.dates import whole_year
from prowess.games.errors import BadData, quote
from prowess.games.games import Games
from prowess.games.names import Roster
from prowess.games.numbering import number_by_appearance
from prowess.games.reading import format_count
from prowess.games.runs import bounds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bounds = NDArray[np.int64]

League = str | tuple[str, ...]  # the word of a column, or the words of several
TWO_YEARS = re.compile(r"((?:1[89]|20)?[0-9]{2})\s?[-/–]\s?(?:1[89]|20)?([0-9]{2})")
SHORT_NUMBERS = 1 << 16  # numbers below it are sorted by radix


def words_of_league(league: League) -> tuple[str, ...]:
    """The words of a league, one for each column."""
    return (league,) if isinstance(league, str) else league


def note_seasons(leagues: Sequence[League]) -> tuple[str, ...]:
    """A note on leagues that are one season in two spellings; none where there are no such.

    >>> note_seasons(["98/99", "1999/00", "1998/99"])
    ('"98/99" and "1998/99" are one season in two spellings, but two leagues here',)
    """
    spelled: dict[tuple[float | str, ...], list[str]] = {}
    for league in leagues:
        words = words_of_league(league)
        spelled.setdefault(tuple(map(_season_or_word, words)), []).append(" / ".join(words))
    twice = [quote(one[0]) + " and " + quote(one[1]) for one in spelled.values() if len(one) > 1]
    more = f" (and {len(twice) - 1:,} more such)" if len(twice) > 1 else ""
    what = "are one season in two spellings, but two leagues here"
    return (f"{twice[0]} {what}{more}",) if twice else ()


def _season_or_word(word: str) -> float | str:
    """The year in which a season of two years begins; another word as it is."""
    found = TWO_YEARS.fullmatch(word.strip())
    if found is None or int(found[2]) != (int(found[1]) + 1) % 100:
        return word
    return float(whole_year(int(found[1])))


@dataclass(frozen=True, eq=False)
class LeagueTables:
    """The games of a table, league after league; within a league they keep their order.

    League k has the rows `rows[k]:rows[k + 1]` of `table` and the players `players[k]:players[k +
    1]` of its roster. A player of two leagues is two players. Players of a league are numbered in
    the order of their first game in it.
    """

    table: Games
    by: tuple[str, ...]  # the columns
    leagues: tuple[League, ...]  # in the order of their first games
    rows: Bounds
    players: Bounds

    def __len__(self) -> int:
        return len(self.leagues)

    def before(self, day: float) -> LeagueTables:
        """The games up to this day (since 1970, inclusive); some leagues may have none."""
        assert self.table.time is not None
        keep = self.table.time <= day
        rows = bounds_of(keep)[self.rows]
        return replace(self, table=self.table.select(keep), rows=rows)

    def table_of(self, number: int) -> Games:
        """The table of one league, without the columns by which the whole table is cut."""
        table = self.table.select(slice(int(self.rows[number]), int(self.rows[number + 1])))
        first, end = int(self.players[number]), int(self.players[number + 1])
        changes: dict[str, Any] = {
            name: table.columns[name] - np.uint32(first)
            for name in ("a", "b", "player")
            if name in table.columns
        }
        # the columns by which the table is cut say nothing within a league
        facts = {name: one for name, one in table.facts.items() if name not in self.by}
        labels = {name: one for name, one in table.labels.items() if name in facts}
        for name, words in [*labels.items()]:
            known, fresh = number_by_appearance(facts[name].astype(np.int64))
            facts[name], labels[name] = fresh.astype(np.float64), [words[k] for k in known.tolist()]
        role = None if table.role is None else table.role[first:end]
        roster = Roster(table.players[first:end])
        if table.player_facts is not None:
            changes["player_facts"] = table.player_facts.of_players(roster)
        return table.replace(players=roster, facts=facts, labels=labels, role=role, **changes)


def cut_by_league(table: Games, by: Sequence[str]) -> LeagueTables:
    """Cut a table by the words of one or several of its facts; raises BadData."""
    league, names = number_leagues(table, by)
    if (np.diff(league) < 0).any():
        short = len(names) <= SHORT_NUMBERS
        order = np.argsort(league.astype(np.uint16) if short else league, kind="stable")
        table, league = table.select(order), league[order]
    rows = np.searchsorted(league, np.arange(len(names) + 1, dtype=np.int64))
    return _number_players(table, tuple(by), tuple(names), rows)


def number_leagues(table: Games, by: Sequence[str]) -> tuple[NDArray[np.int64], Sequence[League]]:
    """The league of each row, by its number in order of first appearance, and the leagues.

    Raises BadData for a fact that the table lacks, a row without a league, and numbers too large
    to be told apart.
    """
    (league, words), *further = (_number_words(table, name) for name in by)
    if not further:
        found, league = number_by_appearance(league)
        return league, [words[at] for at in found.tolist()]
    names: list[tuple[str, ...]] = [(word,) for word in words]
    for number, known in further:  # one by one: the product of all may be no 64-bit number
        found, league = number_by_appearance(league * len(known) + number)
        pairs = (divmod(each, len(known)) for each in found.tolist())
        names = [(*names[before], known[at]) for before, at in pairs]
    return league, names


def _number_words(table: Games, name: str) -> tuple[NDArray[np.int64], Sequence[str]]:
    """The number of each row's word in a fact, and the words; raises BadData."""
    column = table.facts.get(name)
    if column is None:
        raise BadData.of("column_not_kept", name=name)
    words = table.labels.get(name)
    if words is None:  # a fact of numbers
        values, number = np.unique(column, return_inverse=True)
        if np.abs(values).max(initial=0.0) >= EXACT_BELOW:
            raise BadData.of("numbers_too_large", name=name)
        return number, [as_name(value) or repr(value) for value in values.tolist()]
    number = column.astype(np.int64)
    empty = int((number == words.index("")).sum()) if "" in words else 0
    if empty:  # the words may be those of further rows
        raise BadData.of("league_missing", rows=format_count(empty, table.unit), name=name)
    return number, words


def _number_players(
    table: Games, by: tuple[str, ...], leagues: tuple[League, ...], rows: Bounds
) -> LeagueTables:
    """The leagues of a table whose rows are in order of leagues."""
    members = table.player
    bounds = 2 * rows if table.duels else table.ends[table.start[rows]]
    number = np.empty(len(members), np.uint32)
    person = np.empty(len(members), np.uint32)  # of each new number
    ends = np.zeros(len(leagues) + 1, np.int64)
    loop: Any = number_in_leagues
    if is_worth_compiling(len(members) / LIGHT):
        loop = compiled_once(number_in_leagues)
    count = loop(
        members, bounds, np.full(len(table.players), -1, dtype=np.int64), number, person, ends
    )
    person = person[:count].copy()
    changes: dict[str, Any] = {"player": number}
    if table.duels:
        a, b = np.ascontiguousarray(number.reshape(-1, 2).T)
        changes = {"a": a, "b": b}
    if table.role is not None:
        changes["role"] = table.role[person]
    return LeagueTables(
        table.replace(players=RenamedRoster(table.players, person), **changes),
        by,
        leagues,
        rows,
        ends,
    )


def number_in_leagues(
    members: Any, bounds: Any, last: Any, number: Any, person: Any, ends: Any
) -> int:
    """Number the players of each league by first appearance, one league after the other.

    `members` of league k are `bounds[k]:bounds[k + 1]`. `number` receives the new number of each
    member, `person` the member of each new number, `ends[k + 1]` the numbers given so far; `last`
    is the number that somebody got last, -1 at first. Returns the numbers given.
    """
    count = 0
    for league in range(len(bounds) - 1):
        first = count
        for at in range(bounds[league], bounds[league + 1]):
            who = members[at]
            given = last[who]
            if given < first:
                given = count
                last[who] = given
                person[given] = who
                count += 1
            number[at] = given
        ends[league + 1] = count
    return count


class RenamedRoster(Sequence[str]):
    """The names of a roster that stands for another: entry i is `names[who[i]]`."""

    def __init__(self, names: Sequence[str], who: Sequence[int] | NDArray[Any]) -> None:
        self.names, self.who = names, who

    def __len__(self) -> int:
        return len(self.who)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.names[each] for each in self.who[index]]
        return self.names[int(self.who[index])]

    def __arrow_array__(self, type: Any = None) -> Any:  # noqa: A002  Arrow names it so
        """The names as an Arrow column; those of a Roster are not decoded."""
        import pyarrow as pa

        if isinstance(self.names, Roster):
            return self.names.take(np.array(self.who[:], np.int64)).__arrow_array__(type)
        return pa.array(self[:], type)
