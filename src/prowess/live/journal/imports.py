"""Import: a table read from a file as submissions, and facts of results as cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from math import isfinite, isnan
from operator import attrgetter
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np

from prowess.engine.periods import BY_LABEL
from prowess.games.cells.skipped_rows import MOST_UNPLAYED
from prowess.games.dates import format_day
from prowess.games.errors import BadData, NothingPlayed, quote
from prowess.games.games import Games
from prowess.games.layout import NONE
from prowess.games.names import guard_cell, unguard_cell
from prowess.games.reading import NO_DAY, Reading, UnplayedGame, format_count, list_some
from prowess.live.errors import Refused, RefusedMany
from prowess.live.journal.submission import FACT, LAST, LineUp, PlannedGame, Submission, is_to_come
from prowess.live.result import CONTESTS, DAY_US, EXTRA, GAMES as OF_TWO, OVERDUE

if TYPE_CHECKING:
    from prowess.live.journal.registry import Category

Team = tuple[tuple[str, float], ...]
MAX_SIDES_NAMED = 4  # players of a contest


class Kept(NamedTuple):
    """What a category keeps of results: all that a process which reads a file has to know of it."""

    key: str
    kind: str
    extra: tuple[str, ...]
    period: str | None

    @classmethod
    def of(cls, category: Category) -> Self:
        """What this category keeps."""
        return cls(category.key, category.kind, category.extra, category.period)


ALL_UNPLAYED: Mapping[str, Mapping[str, Any]] = {  # by refusals: what says that none was played
    "no_result_found": {"result": NONE},
    "winner_missing": {"outcomes": {"": None}},
}


def read_table(read: Callable[..., Games]) -> Games:
    """What `read_games` makes of a source to be taken in: also a table of games to come alone.

    Its reading does not count rows that become games to come among those that are left out. Where
    no column tells results, or one of winners is empty, all its games have to be of today or later.
    Such a source is read twice. Raises BadData.
    """
    table = _read_results_or_fixtures(read)
    return table.replace(reading=keep_games_to_come(table.reading))


def _read_results_or_fixtures(read: Callable[..., Games]) -> Games:
    try:
        return read()
    except NothingPlayed as error:
        if any(are_to_come(error.table.reading)):
            return cast("Games", error.table)
        raise
    except BadData as error:
        if unplayed := ALL_UNPLAYED.get(error.code or ""):
            try:
                read(**unplayed)
            except NothingPlayed as found:
                if all(are_to_come(found.table.reading)):
                    return cast("Games", found.table)
            except BadData as fault:
                if fault.column is not None:  # of a row
                    raise fault from None
        raise


def are_to_come(reading: Reading) -> Iterator[bool]:
    """Of each game without a result in a table, whether it is of today or later."""
    now = time_ns() // 1000
    dated = (one for one in reading.unplayed if one.time != NO_DAY)
    return (is_to_come(round(one.time * DAY_US), now) for one in dated)


def keep_games_to_come(reading: Reading) -> Reading:
    """The reading of a table whose games to come are taken in: their rows are not left out."""
    count = Counter(reading.left_out)
    count["not played"] -= sum(are_to_come(reading))
    kept = count["not played"] != reading.left_out.get("not played", 0)
    examples = {why: at for why, at in reading.examples.items() if not kept or why != "not played"}
    return replace(reading, left_out=dict(+count), examples=examples)


def plan_unplayed(
    unplayed: Iterable[UnplayedGame], now: int
) -> tuple[tuple[PlannedGame, ...], int, list[str]]:
    """The games to come of a table at a moment, how many they are, and notes on other games.

    Before them stand the games of the days before today of which a result may still come: what
    waits for it is not moved.
    """
    known = [*unplayed]
    games = sorted(
        (PlannedGame(one.player_a, one.player_b, round(one.time * DAY_US), one.side)
         for one in known if one.time != NO_DAY), key=attrgetter("time"),
    )  # fmt: skip
    ahead = sum(is_to_come(one.time, now) for one in games)
    notes = []
    if undated := [describe_undated(one) for one in known if one.time == NO_DAY]:
        left_out = format_count(len(undated), "game")
        notes.append(
            f"{left_out} without a result left out, for which no day can be read: "
            f"{list_some(undated)}"
        )
    if past := len(games) - ahead:
        notes.append(
            f"{format_count(past, 'game')} without a result left out: of a day before today"
        )
    if len(known) == MOST_UNPLAYED:
        notes.append(f"of the games without a result the latest {MOST_UNPLAYED:,} are looked at")
    planned = (one for one in games if ahead and now - OVERDUE <= one.time <= LAST)
    return tuple(planned), ahead, notes


def describe_undated(one: UnplayedGame) -> str:
    """Where a game stands in its table, and what stands there in place of a day."""
    where = f"{one.player_a} – {one.player_b}"
    where = where if one.line is None else f"line {one.line}, {where}"
    return f"{where}, {quote(one.day)}" if one.day else where


def read_submissions(table: Games, category: Category | Kept, source: str) -> Iterator[Submission]:
    """The rows of a table in order of time.

    Every row gets an external number made of what it says and of the category, so that the same
    file can be read again and nothing is doubled. One with a time of day has a second number
    behind a tilde, that of an earlier edition of the file, which told the day alone. Raises Refused
    where the table is of another kind, or has members that are no players.
    """
    if table.role is not None:
        roles = ", ".join(table.roles[1:])
        raise Refused.of("roles", roles=roles)
    plays = CONTESTS if not table.pairwise else OF_TWO
    if plays != category.kind:
        raise Refused.of("wrong_kind.table", category=category.key, kind=category.kind, plays=plays)
    rows = _contests(table) if not table.pairwise else _games(table, category, source)
    times = None if table.time is None else table.time.tolist()
    facts = facts_by_row(table) if table.facts else None
    seen: Counter[str] = Counter()

    def number_row(row: dict[str, Any]) -> str:
        content = sha256(repr(sorted(row.items())).encode()).hexdigest()[:24]
        seen[content] += 1
        return f"{content}-{seen[content]}@{category.key}"

    for at, row in rows:
        row["time"] = time = None if times is None else round(times[at] * DAY_US)
        if facts is not None and facts[at]:
            row["facts"] = facts[at]
        number = number_row(row)
        if time is not None and time % DAY_US:
            number += f"~{number_row(row | {'time': time - time % DAY_US})}"
        yield Submission(category=category.key, source=source, external_id=number, **row)


def name_error(error: Refused, rows: Sequence[Submission | PlannedGame]) -> Refused:
    """The same refusal with its rows by players and date: a table is entered in order of time, its
    games to come after its results, and the number of a row in that order is none of the file's.
    """
    if error.row is None:
        return error
    if isinstance(error, RefusedMany):
        named = [name_error(one, rows).message for one in error.errors]
        count = f"{error.count:,} of {format_count(len(rows), 'row')} cannot be taken, the first: "
        one = Refused(error.code, f"{count}{named[0]}")
        one.rows = tuple(named)
        return one
    place = "" if error.field is None else f"{error.field}: "
    return Refused(error.code, f"{describe_row(rows[error.row])}: {place}{error.message}")


def describe_row(one: Submission | PlannedGame) -> str:
    """Players and date of a result or a game to come, to find it in the file."""
    some = list_some([str(name) for _, name in one.names()], MAX_SIDES_NAMED)
    return some if one.time is None else f"{some} on {format_day(one.time // DAY_US)}"


def find_extras(table: Games) -> tuple[str, ...]:
    """Which of margin, length and points a table knows of every game."""
    known = {
        "margin": table.margin is not None and table.points_a is None,
        "length": table.length is not None,
        "points": table.points_a is not None,
    }
    return tuple(one for one in EXTRA if known[one])


def find_side_size(table: Games) -> int:
    """How many players a side of a table has at most; two where they take part by shares."""
    shared = table.share is not None and bool((table.share != 1.0).any())
    return max(int(np.diff(table.ends).max(initial=1)), 1 + shared)


def _games(
    table: Games, category: Category | Kept, source: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    named: dict[str, Any] = {"score": table.score, "side": table.side, "weight": table.weight}
    for extra in category.extra:
        for name in ("points_a", "points_b") if extra == "points" else (extra,):
            column = getattr(table, name)
            if column is None:
                raise Refused.of("missing.table", category=category.key, extra=extra, field=name)
            named[name] = column
    values = {name: column.tolist() for name, column in named.items() if column is not None}
    labels = table.round if category.period == BY_LABEL else None
    sides = None if table.duels else _sides(table)
    players, member = table.players, table.player.tolist()
    for row in range(len(table)):
        given = {name: column[row] for name, column in values.items()}
        if labels is not None:
            given["round"] = f"{source}:{labels[row]}"
        if sides is None:
            a, b = member[2 * row : 2 * row + 2]
            given |= {"player_a": players[a], "player_b": players[b]}
        else:
            first, second = sides[2 * row : 2 * row + 2]
            given["sides"] = (
                LineUp(first, given.pop("score"), points=given.pop("points_a", None)),
                LineUp(second, points=given.pop("points_b", None)),
            )
        yield row, given


def _sides(table: Games) -> list[Team]:
    """The players of every side of a table, with their shares."""
    members = table.player.tolist()
    shares = [1.0] * len(members) if table.share is None else table.share.tolist()
    ends = table.ends.tolist()
    return [
        tuple((table.players[members[at]], shares[at]) for at in range(low, high))
        for low, high in pairwise(ends)
    ]


def _contests(table: Games) -> Iterator[tuple[int, dict[str, Any]]]:
    points = None if table.points is None else table.points.tolist()
    sides = None if table.single else _sides(table)
    player, place, start = table.player.tolist(), table.place.tolist(), table.start.tolist()
    for contest in range(len(table)):
        rows = range(start[contest], start[contest + 1])
        if len(rows) < 2:
            continue  # one side alone is no result
        reached = [
            (place[row], None if points is None or isnan(points[row]) else points[row])
            for row in rows
        ]
        weight = None if table.weight is None else float(table.weight[contest])
        given: dict[str, Any] = {"weight": weight}
        if sides is None:
            names = (table.players[player[row]] for row in rows)
            given["placings"] = tuple((n, *one) for n, one in zip(names, reached, strict=True))
        else:
            given["sides"] = tuple(
                LineUp(sides[row], None, *one) for row, one in zip(rows, reached, strict=True)
            )
        yield contest, given


# -- facts as cells: a number where it is written as one is, anything else a text --
#
#     3, 2.5, 1e+20      numbers
#     007, nan, 1.50     texts: as a number they would be written otherwise
#     '3                 the text 3
# Texts that a spreadsheet could run are guarded as names are. What is written is read back


FACT_OF = "fact_"  # prefix of the headings of facts
QUOTE = "'"
ODD_LETTERS = re.compile(r"[^a-z0-9]+")


def read_fact(cell: str) -> float | str:
    """The value of a cell."""
    number = _number(cell)
    if number is not None:
        return number
    return cell[1:] if _is_quoted(cell) else unguard_cell(cell)


def write_fact(value: float | str) -> float | str:
    """The cell of a fact; a text that would be read as a number gets a quote in front."""
    if not isinstance(value, str):
        return value
    if _number(value) is not None or _is_quoted(value):
        return QUOTE + value
    text: str = guard_cell(value)
    return text


def fact_as_typed(value: float | str) -> str:
    """A fact as a form shows it, and reads it back."""
    if isinstance(value, str):
        return str(write_fact(value))
    short = f"{value:g}"
    return short if read_fact(short) == value else repr(value)


def facts_by_row(table: Games) -> list[dict[str, float | str]]:
    """The facts of each contest of a table, by the names under which they are stored.

    An empty cell is no fact. Raises Refused for a heading that can be no name.
    """
    found: list[dict[str, float | str]] = [{} for _ in range(len(table))]
    names = stored_names(list(table.facts))
    for heading in sorted(names, key=names.__getitem__):
        column, words = table.facts[heading].tolist(), table.labels.get(heading)
        for facts, value in zip(found, column, strict=True):
            if words is None:
                facts[names[heading]] = value
            elif words[int(value)]:
                facts[names[heading]] = read_fact(words[int(value)])
    return found


def stored_names(headings: Sequence[str]) -> Mapping[str, str]:
    """The name of the fact in each column: `fact_surface` is surface, `Best Of` is best_of."""
    names: dict[str, str] = {}
    for heading in headings:
        name = heading.removeprefix(FACT_OF)
        if not FACT.fullmatch(name):
            name = ODD_LETTERS.sub("_", name.casefold()).strip("_")
        if not FACT.fullmatch(name):
            raise Refused.of("bad_fact.kinds", heading=heading, field="facts")
        if name in names.values():
            raise Refused.of("bad_fact.columns", name=name, field="facts")
        names[heading] = name
    return names


def _number(cell: str) -> float | None:
    """A finite number that is written as we write it, or as a whole one."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if isfinite(number) and cell in (repr(number), f"{number:.0f}") else None


def _is_quoted(cell: str) -> bool:
    """Whether there are quotes before a number."""
    return cell.startswith(QUOTE) and _number(cell.lstrip(QUOTE)) is not None
