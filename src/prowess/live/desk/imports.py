"""A table that was read from a file, as results to be reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from prowess.engine.periods import BY_LABEL
from prowess.games.games import Games, counted
from prowess.live.desk.category import Category
from prowess.live.desk.fact_cells import facts_by_row
from prowess.live.desk.lineups import LineUp
from prowess.live.desk.refusals import Refused, RefusedMany
from prowess.live.desk.submission import Submission
from prowess.live.facts import CONTESTS, DAY, EXTRA, GAMES as OF_TWO

Team = tuple[tuple[str, float], ...]
SHOWN = 4  # players of a contest that are named


def submissions(table: Games, category: Category, source: str) -> Iterator[Submission]:
    """The rows of a table in order of time.

    Every row gets an external number made of what it says, so that the same file can be read
    again and nothing is doubled. Raises Refused where the table is of another
    kind, or has members that are no players.
    """
    if table.role is not None:
        roles = ", ".join(table.roles[1:])
        raise Refused("roles", f"leave out {roles}: a live ladder has no members but players")
    plays = CONTESTS if not table.pairwise else OF_TWO
    if plays != category.kind:
        raise Refused("wrong_kind", f"{category.key} holds {category.kind}, the table {plays}")
    rows = _contests(table) if not table.pairwise else _games(table, category, source)
    seen: Counter[str] = Counter()
    for row in rows:
        content = sha256(repr(sorted(row.items())).encode()).hexdigest()[:24]
        seen[content] += 1
        yield Submission(
            category=category.key,
            source=source,
            external_id=f"{content}-{seen[content]}",
            **row,
        )


def named(error: Refused, rows: Sequence[Submission]) -> Refused:
    """The same refusal with its row by players and date: a table is entered in order of time, and
    the number of a row in that order is none of the file's.
    """
    if error.row is None:
        return error
    if isinstance(error, RefusedMany):
        first = error.errors[0]
        count = f"{error.count:,} of {counted(len(rows), 'row')} cannot be taken, the first: "
    else:
        first, count = error, ""
    place = "" if first.field is None else f"{first.field}: "
    return Refused(first.code, f"{count}{described(rows[error.row])}: {place}{first.message}")


def described(one: Submission) -> str:
    """A result as a person would look for it in the file."""
    players = [name for side in one.line_ups for name, _ in side.players]
    some = ", ".join(str(player) for player in players[:SHOWN])
    more = ", ..." if len(players) > SHOWN else ""
    if one.time is None:
        return some + more
    return f"{some}{more} on {np.datetime64(one.time, 'us').astype('datetime64[D]')}"


def extras(table: Games) -> tuple[str, ...]:
    """Which of margin, length and points a table knows of every game."""
    known = {
        "margin": table.margin is not None and table.points_a is None,
        "length": table.length is not None,
        "points": table.points_a is not None,
    }
    return tuple(one for one in EXTRA if known[one])


def side_size(table: Games) -> int:
    """How many players a side of a table has at most; two where they take part by shares."""
    shared = table.share is not None and bool((table.share != 1.0).any())
    return max(int(np.diff(table.ends).max(initial=1)), 1 + shared)


def _games(table: Games, category: Category, source: str) -> Iterator[dict[str, Any]]:
    named: dict[str, Any] = {"score": table.score, "side": table.side, "weight": table.weight}
    for extra in category.extra:
        for name in ("points_a", "points_b") if extra == "points" else (extra,):
            column = getattr(table, name)
            if column is None:
                raise Refused(
                    "missing", f"{category.key} asks for the {extra} of every game, and the table "
                    "has none", field=name,
                )  # fmt: skip
            named[name] = column
    values = {name: column.tolist() for name, column in named.items() if column is not None}
    times = _times(table)
    labels = table.round if category.period == BY_LABEL else None
    sides = None if table.duels else _sides(table)
    players, member = table.players, table.player.tolist()
    facts = facts_by_row(table) if table.facts else None
    for row in range(len(table)):
        said = {name: column[row] for name, column in values.items()}
        if facts is not None and facts[row]:
            said["facts"] = facts[row]
        if labels is not None:
            said["round"] = f"{source}:{labels[row]}"
        said["time"] = times[row]
        if sides is None:
            a, b = member[2 * row : 2 * row + 2]
            yield {"player_a": players[a], "player_b": players[b], **said}
        else:
            yield _by_sides(sides[2 * row : 2 * row + 2], said)


def _by_sides(sides: Sequence[Team], said: dict[str, Any]) -> dict[str, Any]:
    """A game of teams as it is reported."""
    first, second = sides
    return {
        "sides": (
            LineUp(first, said.pop("score"), points=said.pop("points_a", None)),
            LineUp(second, points=said.pop("points_b", None)),
        ),
        **said,
    }


def _sides(table: Games) -> list[Team]:
    """The players of every side of a table, with their shares."""
    members = table.player.tolist()
    shares = [1.0] * len(members) if table.share is None else table.share.tolist()
    ends = table.ends.tolist()
    return [
        tuple((table.players[members[at]], shares[at]) for at in range(low, high))
        for low, high in pairwise(ends)
    ]


def _contests(table: Games) -> Iterator[dict[str, Any]]:
    times = _times(table)
    points = None if table.points is None else table.points.tolist()
    facts = facts_by_row(table) if table.facts else None
    sides = None if table.single else _sides(table)
    player, place, start = table.player.tolist(), table.place.tolist(), table.start.tolist()
    for contest in range(len(table)):
        rows = range(start[contest], start[contest + 1])
        if len(rows) < 2:
            continue  # nobody to compare with: it rates nobody, and is no result
        reached = [
            (place[row], None if points is None or isnan(points[row]) else points[row])
            for row in rows
        ]
        weight = None if table.weight is None else float(table.weight[contest])
        said: dict[str, Any] = {"time": times[contest], "weight": weight}
        if facts is not None and facts[contest]:
            said["facts"] = facts[contest]
        if sides is None:
            who = (table.players[player[row]] for row in rows)
            placings = tuple((name, *one) for name, one in zip(who, reached, strict=True))
            yield {"placings": placings, **said}
        else:
            line_ups = (
                LineUp(sides[row], None, *one) for row, one in zip(rows, reached, strict=True)
            )
            yield {"sides": tuple(line_ups), **said}


def _times(table: Games) -> list[int | None]:
    """Microseconds; None without dates."""
    if table.time is None:
        return [None] * len(table)
    return [round(time * DAY) for time in table.time.tolist()]
