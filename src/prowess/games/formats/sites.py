"""Documents of sites: what their games look like, and how one becomes a row.

`sites.toml` has a row for each kind of document: the paths by which its games are recognised, and
those of players, results and further cells. What no path tells is told by a function here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from prowess.games.formats.records import NO_ADVANTAGE, Row, absent

SITES_FILE = Path(__file__).with_name("sites.toml")
Record = Mapping[str, Any]
Names = Mapping[Any, str]  # of players, by their id, as far as a document holds them
Pair = tuple[Any, Any]  # what stands at a path, of both sides
CHESS_SIDES = ("white", "black")
WON, DRAWN, LOST = "1-0", "1/2-1/2", "0-1"
LARGEST_SECONDS = 1e11  # seconds since 1970, the year 5138: beyond it they are milliseconds
TOKEN = re.compile(r"'([^']*)'|(\S+)")  # of a path of a row of `sites.toml`


@dataclass(frozen=True)
class ResultSite:
    """A kind of document; `sites.toml` says what each field is."""

    name: str
    marks: Sequence[Sequence[str]]
    each: Sequence[str] = ()
    sides: Sequence[str] = NO_ADVANTAGE
    at: Sequence[str] = ()
    absent: str = "the game was not played"
    pair: str = ""
    played: Record = field(default_factory=dict)
    unplayed: Record = field(default_factory=dict)
    done: Sequence[str] = ()
    needs: Sequence[str] = ()
    forfeit: Record = field(default_factory=dict)
    negative: bool = False
    player: Sequence[str] = ()
    points: Sequence[str] = ()
    counted: str = ""
    decided: Sequence[str] = ()
    won: Sequence[str] = ()
    lost: Sequence[str] = ()
    winner_id: Sequence[str] = ()
    id: Sequence[str] = ()
    ends: Sequence[str] = ()
    win: Sequence[str] = ()
    drawn: Sequence[str] = ()
    result: Sequence[str] = ()
    otherwise: str | None = None
    codes: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    function: str = ""

    def fits(self, record: Any) -> bool:
        """Whether a record is a game of this site."""
        return any(all(has_path(record, mark) for mark in marks) for marks in self.marks)

    def rows(self, record: Any, names: Names, around: Record) -> Iterator[Row]:
        """The rows of a game, given the names of ids and the object around it; raises TypeError and
        its like for what is none.
        """
        if self.function:
            yield from ROW_FUNCTIONS[self.function](record, names, around)
            return
        if not isinstance(record, Mapping):
            raise TypeError(record)
        inner = find_first(record, *self.each) or () if self.each else [record]
        for game in inner:
            if not isinstance(game, Mapping):
                raise TypeError(game)
            yield GameReader(self, game, names, record if self.each else around).read_row()


@cache
def load_sites() -> tuple[ResultSite, ...]:
    """The sites of `sites.toml`, in its order."""
    rows = tomllib.loads(SITES_FILE.read_text(encoding="utf-8"))["site"]
    return tuple(ResultSite(**row) for row in rows)


@dataclass(frozen=True)
class GameReader:
    """Finds what the paths of a site lead to in one of its games."""

    site: ResultSite
    record: Record
    names: Names
    around: Record

    def read_row(self) -> Row:
        """The row of the game, or the reason for which it does not count."""
        site = self.site
        players = self.both(site.player)
        pairs = (self.both([path]) for path in site.points)
        points = next((pair for pair in pairs if None not in pair), (None, None))
        if site.counted and None not in points:
            points = SET_COUNTS[site.counted](*points)
        found = {"player": players, "points": points}
        left_out = any(None in found[what] for what in site.needs) or self.is_unplayed()
        if left_out:
            return absent(site.absent)
        if self.holds(site.forfeit) or (
            site.negative and any((as_number(each) or 0) < 0 for each in points)
        ):
            return absent("the game was forfeited", "walkover")
        cells: Row = dict(zip(site.sides, players, strict=True)) if site.player else {}
        if site.player:
            cells["result"] = self.find_result(points)
        if site.points:
            cells |= {"score_a": points[0], "score_b": points[1]}
        told = {key: self.find(paths) for key, paths in site.cells.items()}
        if "date" in told:
            told["date"] = write_moment(told["date"])
        return cells | {key: cell for key, cell in told.items() if cell is not False}

    def is_unplayed(self) -> bool:
        """Whether the game was not played, or not to its end."""
        site = self.site
        sides = find_path(self.record, site.pair) if site.pair else (0, 1)
        return (
            not isinstance(sides, list | tuple)
            or len(sides) != 2
            or self.holds(site.unplayed)
            or not all(self.holds({path: known}) for path, known in site.played.items())
            or bool(site.done and not self.find(site.done))
        )

    def holds(self, values: Record) -> bool:
        """Whether one of some values stands at its path, of either side."""
        for path, known in values.items():
            for side in (0, 1):
                value = find_path(self.record, self.fill(path, side))
                if ("null" if value is None else value) in known:
                    return True
        return False

    def find_result(self, points: Pair) -> str | None:
        """The result, as the site tells it."""
        site = self.site
        won, lost, ends = self.both(site.won), self.both(site.lost), self.both(site.ends)
        decided = self.both(site.decided)
        drawn = ends[0] in site.drawn and ends[1] in site.drawn
        unknown = "" if ends == (None, None) else f"{ends[0]} and {ends[1]}"  # is refused
        return (
            result_of(*self.both(site.id), self.find(site.winner_id))
            or result_of_marks(won[0], won[1])
            or result_of_marks(lost[1], lost[0])
            or self.find(site.result)
            or result_of_points(*(points if decided == (None, None) else decided))
            or result_of_marks(ends[0] in site.win, ends[1] in site.win)
            or (DRAWN if drawn else unknown)
            or site.otherwise
        )

    def both(self, paths: Sequence[str]) -> Pair:
        """What stands at a path, of both sides."""
        return self.find(paths, 0), self.find(paths, 1)

    def fill(self, path: str, side: int) -> str:
        """A path with the words of a side."""
        if "{" not in path:
            return path
        word = (self.site.at or self.site.sides)[side]
        return path.replace("{side}", word).replace("{i}", str(side)).replace("{n}", str(side + 1))

    def find(self, paths: Sequence[str], side: int = 0) -> Any:
        """What stands at the first of some paths that lead to something."""
        for path in paths:
            parts = [
                text if place is None else self.follow(place)
                for text, place in (
                    (found[1], found[2]) for found in TOKEN.finditer(self.fill(path, side))
                )
            ]
            if "+" in parts:
                numbers = [as_number(part) for part in parts if part != "+"]
                value: Any = None if numbers[0] is None else sum(filter(None, numbers))
            else:
                value = parts[0] if len(parts) == 1 else " ".join(map(str, parts))
                value = None if None in parts else value
            if value is not None:
                return value
        return None

    def follow(self, path: str) -> Any:
        """What stands at one path."""
        if path == "+":
            return path
        if path.startswith("/"):
            return find_path(self.around, path[1:])
        if path.startswith("#"):
            return find_name(self.names, find_path(self.record, path[1:]))
        if path.endswith("~"):
            number = as_number(find_path(self.record, path[:-1]))
            return None if number is None else number / 1000
        if path.endswith("?"):
            code = find_path(self.record, path[:-1])
            return self.site.codes.get("" if code is None else str(code))
        return find_path(self.record, path)


# Paths


def find_path(record: Any, path: str) -> Any:
    """What stands at a path, None where there is nothing.

    The step `*` leads to what the rest leads to in each of a list: one value, or a list of several;
    `key=value` leads to the one of a list with that value.
    """
    steps = path.split(".")
    for at, step in enumerate(steps):
        if isinstance(record, Mapping):
            record = record.get(step)
        elif not isinstance(record, list):
            return None
        elif step.isdigit() and int(step) < len(record):
            record = record[int(step)]
        elif step == "*":
            found = [find_path(each, ".".join(steps[at + 1 :])) for each in record]
            return (found if len(found) > 1 else found[0]) if found and None not in found else None
        else:
            key, _, value = step.partition("=")
            record = next(
                (each for each in record if value and find_path(each, key) == value), None
            )
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
        seconds = value / 1000 if abs(value) >= LARGEST_SECONDS else value
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return value


# Rows


def result_of(first: Any, second: Any, winner: Any) -> str | None:
    """The result by the id of the winner, a number or a text; None where it is neither player."""
    ids = [str(first), str(second)]
    if winner is None or ids[0] == ids[1] or str(winner) not in ids:
        return None
    return WON if str(winner) == ids[0] else LOST


def result_of_marks(first: Any, second: Any) -> str | None:
    """The result by what is true of one side only, None where it is true of both or of neither."""
    return None if bool(first) == bool(second) else WON if first else LOST


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


def find_name(names: Names, key: Any) -> Any:
    """The name of an id, which may be a number here and a text there; else the id."""
    return names.get(key, names.get(str(key), key))


# Points of sets


def count_sets(text: Any, _: Any) -> Pair:
    """The points of one score such as 3-1, the sets won of several, 11-9,8-11,11-5; None where they
    are not scores.
    """
    sets = []
    for each in str(text).split(","):
        first, _, second = each.strip().rpartition("-")
        if first.endswith("-"):  # 0--1
            first, second = first[:-1], f"-{second}"
        try:
            sets.append((int(first), int(second)))
        except ValueError:
            return None, None
    return sets[0] if len(sets) == 1 else count_won(sets)


def count_lists(first: Any, second: Any) -> Pair:
    """The points of both sides, the sets won where each has a list of several; -1 for a forfeit."""
    lists = [each if isinstance(each, list) else [each] for each in (first, second)]
    numbers = [[as_number(each) or 0.0 for each in side] for side in lists]
    if any(each < 0 for side in numbers for each in side):
        return -1.0, -1.0
    if len(numbers[0]) == len(numbers[1]) > 1:
        return count_won(list(zip(*numbers, strict=True)))
    one, other = (side[0] if len(side) == 1 else None for side in numbers)
    return one, other


def count_won(sets: Sequence[Pair]) -> Pair:
    """The sets that each side has won."""
    return sum(a > b for a, b in sets), sum(a < b for a, b in sets)


SET_COUNTS: Mapping[str, Callable[[Any, Any], Pair]] = {"sets": count_sets, "lists": count_lists}


# Plays of BGStats


def list_bgstats(play: Record, names: Names, around: Record) -> Iterator[Row]:
    """A play of BGStats: ranks where they are kept, else scores, else who has won."""
    scores = [each for each in play.get("playerScores") or () if isinstance(each, Mapping)]
    games = around.get("games")
    game: Mapping[str, Any] = {}
    for each in games if isinstance(games, list) else ():
        if isinstance(each, Mapping) and each.get("id") == play.get("gameRefId"):
            game = each
    won = [bool(each.get("winner")) for each in scores]
    if play.get("ignored") or len(scores) < 2:
        yield absent("the play is marked as ignored" if play.get("ignored") else "nobody else")
        return
    places = find_places(scores, won, bool(game.get("highestWins", True)))
    if game.get("cooperative") or places is None:
        yield absent("no player won against another")
        return
    teams = [each.get("team") if play.get("usesTeams", True) else None for each in scores]
    for each, place, team in zip(scores, places, teams, strict=True):
        name = find_name(names, each.get("playerRefId"))
        yield {
            "contest": find_first(play, "uuid", "id", "playDate"),
            "player": name,
            "place": place,
            "date": play.get("playDate"),
            "team": (f"team {team}" if team else name) if any(teams) else None,
            "context": game.get("name"),
        }


def find_places(scores: list[Any], won: list[bool], highest: bool) -> list[int] | None:
    """The places of the players of a play; None where all have won or all have lost.

    Scores decide where everyone has one and the best are those who won; members of a team have
    the place of its best.
    """
    ranks = [each.get("rank") for each in scores]
    if all(isinstance(rank, int) and rank > 0 for rank in ranks):
        return list(ranks)
    points = [as_number(each.get("score")) for each in scores]
    teams = [each.get("team") or at for at, each in enumerate(scores)]
    if None not in points:
        order = [(-each if highest else each) for each in points if each is not None]
        best = {
            team: min(value for value, one in zip(order, teams, strict=True) if one == team)
            for team in teams
        }
        places = [1 + sum(other < best[team] for other in best.values()) for team in teams]
        if not any(won) or [place == 1 for place in places] == won:
            return places if max(places) > 1 or not any(won) else None
    if all(won) or not any(won):
        return None
    return [1 if each else 2 for each in won]


ROW_FUNCTIONS: Mapping[str, Callable[[Record, Names, Record], Iterator[Row]]] = {
    "list_bgstats": list_bgstats,
}
