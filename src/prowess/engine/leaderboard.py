"""Leaderboards: players ordered by rating, the standing of one, and who is better than whom."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import AnyArray, Floats, Ids, Truths
from prowess.engine.system import Unratable
from prowess.engine.tabular import Columns, ResultTable, Tabular, plain_values
from prowess.engine.text_table import format_table
from prowess.games.arguments import (
    BadArgument,
    check_count,
    check_day,
    check_given,
    check_number,
    check_series,
)
from prowess.games.errors import WordedError
from prowess.games.names import Roster

if TYPE_CHECKING:
    from datetime import date

    from prowess.engine.whole_table import Uncertainty


MAX_DEVIATIONS = 1_000.0  # of a lower bound
DIGITS = {
    "rating": 1,
    "deviation": 1,
    "lower": 1,
    "low": 1,
    "high": 1,
    "volatility": 4,
}  # decimals in printed tables


class UnknownPlayer(WordedError, KeyError):
    """A name that is not in the table."""

    def __str__(self) -> str:
        return str(self.args[0])


def find_player(players: Sequence[str], name: Any, known: Iterable[str] | None = None) -> int:
    """The number of a player by name; raises UnknownPlayer with the nearest names, of `known`."""
    if not isinstance(name, str):
        as_text = f", as {str(name)!r}" if isinstance(name, int) and str(name) in players else ""
        raise UnknownPlayer.of("name_not_a_text.leaderboard", as_text=as_text, name=name)
    try:
        return players.index(name)
    except ValueError:
        near = look_alikes_of(players if known is None else known, name)
        hint = "write the name as the table does:"
        if near:
            hint = f"did you mean {' or '.join(map(repr, near))}?"
        raise UnknownPlayer.of("unknown_player", hint=hint, name=name) from None


def refuse_absent(players: Sequence[str], games: Ids, player: int) -> None:
    """Raise UnknownPlayer for a player of the roster who has no game (yet)."""
    if not games[player]:
        raise UnknownPlayer.of("player_without_games.path", name=players[player])


def look_alikes_of(players: Iterable[str], name: str) -> list[str]:
    """Up to three names of players that a name may be meant for."""
    from difflib import get_close_matches

    near = [known for known in players if known.casefold() == name.casefold()]
    return near[:3] or get_close_matches(name, list(players), n=3)


IF_NEW = "If {0!r} is new, say new=[{0!r}] (--new {0!r})"


def ask_look_alike(players: Iterable[str], name: str) -> None:
    """Raise UnknownPlayer where a name that is no player's may be meant for one."""
    if near := look_alikes_of(players, name):
        hint = f"did you mean {' or '.join(map(repr, near))}?"
        raise UnknownPlayer(f"{hint} {IF_NEW.format(name)}", code="look_alike")


def find_or_add(
    players: Sequence[str], name: Any, new: Collection[str], added: list[str], known: Iterable[str]
) -> int:
    """The number of a player, or of a newcomer: behind all players, in the order of `added`.

    A name that is not in the table is a newcomer's if it is among the names `new`, or has letters
    (a date or a result has none) and looks like no player, of those `known`: the others are members
    of other roles. Raises UnknownPlayer.
    """
    if name in players or not isinstance(name, str):
        return find_player(players, name)
    if name not in added:
        if name not in new:
            ask_look_alike(known, name)
            if not any(map(str.isalpha, name)):
                hint = "is this a player?"
                raise UnknownPlayer(f"{hint} {IF_NEW.format(name)}", code="not_a_name")
        added.append(name)
    return len(players) + added.index(name)


@dataclass(frozen=True, eq=False)
class Standing:
    """One player: rank, name, games and every value of the system, also as attributes."""

    rank: int
    player: str
    games: int
    values: Any  # the columns of these ratings as a tuple with names

    def __getattr__(self, name: str) -> float:
        values = self.__dict__.get("values")
        if name in getattr(values, "_fields", ()):
            return float(getattr(values, name))
        if values is None or name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"no {name!r} here; there is {', '.join(values._fields)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _standing, (self.rank, self.player, self.games, self.values._asdict())

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={v:.6g}" for n, v in self.values._asdict().items())
        return f"<{self.player}: rank {self.rank}, {values}, games={self.games}>"


def _standing(rank: int, player: str, games: int, values: dict[str, Any]) -> Standing:
    """Build a standing from plain data, for pickle."""
    return Standing(rank, player, games, namedtuple("Values", tuple(values))(**values))


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Tabular):
    """Columns of equal length: rank, player, the system's values, games.

    `arrays` are NumPy arrays, a roster of names, or lists: `to_columns` returns them, and `columns`
    the same as lists. `inner` columns serve the formula only and are left out of printed tables.
    """

    arrays: Columns
    inner: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The columns as lists of Python values, made at the first use."""
        return {name: plain_values(column) for name, column in self.arrays.items()}

    def __len__(self) -> int:
        return len(self.arrays["rank"])

    def __getitem__(self, name: Any) -> Any:
        raise BadArgument.of("no_items.column", name=name)

    def __iter__(self) -> Any:
        raise BadArgument.of("no_items.row")

    def to_columns(self) -> Columns:
        """See Tabular."""
        return self.arrays

    def shows(self, name: str) -> bool:
        """See Tabular."""
        return name not in self.inner

    def format_cell(self, name: str, value: Any) -> str:
        """See Tabular."""
        if value is None:
            return ""
        if name.startswith(("@", "with ")):
            name = "rating"
        if not isinstance(value, float):
            return str(value)
        if name in DIGITS:
            return (
                f"{value:.{DIGITS[name]}f}"
                if abs(value) >= 100 or name == "volatility"
                else f"{value:.2f}"
                if abs(value) >= 1 or value == 0.0
                else f"{value:.4g}"
            )
        return f"{value:.6g}"

    def __str__(self) -> str:
        return format_table(self.cells())


def _plain_numbers(column: AnyArray) -> list[float | None]:
    """The numbers of a column, None where there is none."""
    return [None if isnan(value) else value for value in column.tolist()]


def shared_ranks(ordered: AnyArray) -> Ids:
    """Ranks from 1 of values that descend, [values]; equal ones share the better rank."""
    is_first_of_equals = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return np.maximum.accumulate(
        np.where(is_first_of_equals, np.arange(1, len(ordered) + 1, dtype=np.int64), 0)
    )


def have_played_since(last: Floats | None, since: str | date | float) -> Truths:
    """Which players have a game from the beginning of that day on, [players].

    `last` has the day since 1970 of the last game of each. Raises BadArgument where it is None.
    """
    day = check_day("since", since, end=False)
    if last is None:
        raise BadArgument.of("no_dates.leaderboard")
    return np.asarray(last >= day)


def lower_bound(
    strength: AnyArray, deviation: AnyArray | None, deviations: float, name: str
) -> Floats:
    """What the ratings of `strength` hardly lie below: rating - `deviations` deviations, [players].

    Raises Unratable where the system `name` knows no deviation of these values (None).
    """
    number = check_number("lower", deviations, "a number of deviations, such as 3")
    if not 0.0 <= number <= MAX_DEVIATIONS:
        raise BadArgument.of("below_range", most=MAX_DEVIATIONS, number=number)
    if deviation is None:
        raise Unratable.of("no_deviation", name=name)
    bound: Floats = strength - number * deviation
    return bound


def build_leaderboard(
    players: Sequence[str],
    strength: AnyArray,
    columns: dict[str, AnyArray],
    chosen: Ids,
    top: int | None,
    inner: Sequence[str] = (),
) -> Leaderboard:
    """The chosen players by strength, highest first; equal ones share the better rank.

    `strength` and `columns` have one entry per player; of equals the one first seen comes first.
    """
    check_given(check_count, "top", top)
    rating = strength[chosen]
    if top is not None and top < len(chosen):  # a partial sort: only the best are wanted
        edge = np.partition(rating, len(rating) - top)[len(rating) - top] if top else np.inf
        chosen, rating = chosen[rating >= edge], rating[rating >= edge]
    order = np.argsort(-rating, kind="stable")
    chosen, rating = chosen[order], rating[order]
    chosen, rank = chosen[:top], shared_ranks(rating)[:top]
    return Leaderboard(_take_players(players, columns, chosen, rank), tuple(inner))


def build_leaderboards(
    players: Sequence[str],
    strength: AnyArray,
    columns: dict[str, AnyArray],
    chosen: Ids,
    top: int | None,
    inner: Sequence[str],
    group: Ids,
    words: Mapping[str, AnyArray],
) -> Leaderboard:
    """The leaderboards of groups of players, one after the other, each with its own ranks.

    `group` has the number of the group of each player; `words` name the groups, a column or more
    with one entry a group. The rest is as for `build_leaderboard`.
    """
    check_given(check_count, "top", top)
    chosen = chosen[np.lexsort((-strength[chosen], group[chosen]))]
    of = group[chosen]
    begins = of.searchsorted(of)  # where the group of each begins
    whole = np.empty(len(of), dtype=[("group", of.dtype), ("strength", strength.dtype)])
    whole["group"], whole["strength"] = of, strength[chosen]
    rank = shared_ranks(whole) - begins
    if top is not None:
        best = np.arange(len(of), dtype=np.int64) - begins < top
        chosen, rank, of = chosen[best], rank[best], of[best]
    named = {name: column[of].tolist() for name, column in words.items()}
    return Leaderboard(named | _take_players(players, columns, chosen, rank), tuple(inner))


def _take_players(
    players: Sequence[str],
    columns: dict[str, AnyArray],
    chosen: Ids,
    rank: Ids,
) -> dict[str, Any]:
    """The columns of a leaderboard of these players; of a large one there is no object a row."""
    names: Sequence[str] = (
        players.take(chosen)
        if isinstance(players, Roster)
        else [players[index] for index in chosen.tolist()]
    )
    return {"rank": rank, "player": names} | {
        name: _plain_numbers(column[chosen]) if name.startswith("@") else widen(column[chosen])
        for name, column in columns.items()
    }


def widen(column: AnyArray) -> Any:
    """Numbers in the widest form of their kind, as a list of Python's has them; others as lists."""
    wide = {"f": np.float64, "i": np.int64}.get(column.dtype.kind)
    return column.tolist() if wide is None else column.astype(wide, copy=False)


# --- the chances that players are better than one another -----------------------------------------


MOST_COMPARED = 5_000  # players who are compared, each with each


def compare_players(ratings: Any, players: Sequence[str] | None, sure: Uncertainty) -> Floats:
    """See `superiority` of ratings; raises UnknownPlayer, and Unratable for too many players."""
    if players is None:
        chosen = np.flatnonzero(ratings.game_counts).tolist()
    else:
        named = check_series("players", players, '["Ann", "Ben"]')
        chosen = [find_player(ratings.players, name) for name in named]
    for player in chosen:
        ratings.refuse_absent(player)
        if not ratings.game_counts[player]:
            raise Unratable.of("player_without_games.compared", name=ratings.players[player])
    if (count := len(chosen)) > MOST_COMPARED:
        what = f"for a superiority of each over each, not {count:,}"
        raise Unratable.of("too_many_players.joint", most=MOST_COMPARED, what=what)
    rating = np.asarray(ratings.fit.columns[ratings.fields[0]], dtype=np.float64)
    return sure.superiority(rating, np.array(chosen, dtype=np.int64))


def name_superiority(ratings: Any, players: Sequence[str] | None) -> ResultTable:
    """A row a player, a column for each player they are beside; None takes all, the best first.

    Raises what `superiority` of the ratings raises.

    >>> import prowess
    >>> games = [("Ann", "Bob", 1), ("Bob", "Ann", 1), ("Ann", "Bob", 1)]
    >>> table = prowess.rate(games, "bradley_terry").superiority_table()
    >>> table["player"], table["Ann"][0], table["Bob"][0] > 0.5
    (['Ann', 'Bob'], 0.5, True)
    """
    if players is None:
        players = ratings.leaderboard().columns["player"]
    names = list(players)
    chances = ratings.superiority(names)
    columns = {name: chances[:, k].tolist() for k, name in enumerate(names)}
    return ResultTable({"player": names} | columns, "Chance that the player is better")
