"""Documents of sites: what their games look like, and how one becomes a row.

A site is a value: the paths by which its games are recognised, and a function that makes rows of
one game. A path such as `players.white.user.name` goes through keys and places of lists. A row
has the columns that every table of games or contests has, or the reason for which it is no game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Any, NamedTuple

from prowess.games.cells.not_played import Reason
from prowess.games.errors import InvalidValue, NoGame

Record = Mapping[str, Any]
Names = Mapping[Any, str]  # of players, by their id, as far as a document holds them
Row = dict[str, Any]
ABSENT = "absent"  # the key of a row that never counts; why
NO_ADVANTAGE = ("player_a", "player_b")  # the columns of two sides
CHESS = ("white", "black")
AT_HOME = ("home", "away")
WON, DRAWN, LOST = "1-0", "1/2-1/2", "0-1"
LARGEST = 1e11  # seconds since 1970, the year 5138: beyond it they are milliseconds


class ResultSite(NamedTuple):
    """A kind of document: what it is called, what each of its games has, and its rows."""

    name: str  # Lichess games
    marks: tuple[str, ...]  # paths that a game of this site has, all of them
    rows: Callable[[Record, Names, Record], Iterator[Row]]  # of a game, its names, what is around


def find_path(record: Any, path: str) -> Any:
    """What stands at a path, None where there is nothing."""
    for step in path.split("."):
        if isinstance(record, Mapping):
            record = record.get(step)
        elif isinstance(record, list) and step.isdigit() and int(step) < len(record):
            record = record[int(step)]
        else:
            return None
    return record


def has_path(record: Any, path: str) -> bool:
    """Whether a path leads somewhere, though it be to null."""
    above, _, key = path.rpartition(".")
    around = find_path(record, above) if above else record
    if isinstance(around, list):
        return key.isdigit() and int(key) < len(around)
    return isinstance(around, Mapping) and key in around


def find_first(record: Any, *paths: str) -> Any:
    """What stands at the first of some paths that lead to something."""
    return next((found for path in paths if (found := find_path(record, path)) is not None), None)


def write_moment(value: Any) -> Any:
    """Seconds or milliseconds since 1970 as an ISO date; anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        seconds = value / 1000 if abs(value) >= LARGEST else value
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return value


def duel(sides: tuple[str, str], players: tuple[Any, Any], when: Any, **cells: Any) -> Row:
    """A row of a game between two: its players in two columns, and further cells."""
    return {sides[0]: players[0], sides[1]: players[1], "date": write_moment(when), **cells}


def absent(why: str, reason: Reason | None = None) -> Row:
    """A row that never counts; `reason` says that it is a walkover."""
    if reason is not None:
        return {ABSENT: NoGame(why, reason)}
    return {ABSENT: InvalidValue(why, code="game_not_played")}


def result_of(first: Any, second: Any, winner: Any) -> str | None:
    """The result by the id of the winner, None where it is neither player."""
    if winner is None or first == second:
        return None
    return WON if winner == first else LOST if winner == second else None


def result_of_points(first: Any, second: Any) -> str | None:
    """The result by points, None where they are missing."""
    a, b = as_number(first), as_number(second)
    if a is None or b is None:
        return None
    return WON if a > b else LOST if a < b else DRAWN


def as_number(value: Any) -> float | None:
    """A number, or a text that is one; else None."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def with_points(
    sides: tuple[str, str], players: tuple[Any, Any], when: Any, result: str | None,
    points: list[Any], **cells: Any,
) -> Row:  # fmt: skip
    """A row with the result and the points of both sides."""
    return duel(sides, players, when, result=result, score_a=points[0], score_b=points[1], **cells)


def find_name(names: Names, key: Any) -> Any:
    """The name of an id, which may be a number here and a text there; else the id."""
    return names.get(key, names.get(str(key), key))
