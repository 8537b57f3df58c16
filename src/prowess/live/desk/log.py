"""The results that count, read from the store as columns for a ladder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, Select, func, select

from prowess.live.desk.category import Category
from prowess.live.desk.people import People
from prowess.live.desk.rows import COUNTS, GAME, fact
from prowess.live.facts import CONTESTS, Changes
from prowess.live.store.tables import identity, placing, result, revision, version

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 50_000  # rows in memory as Python values at a time
GAME_COLUMNS = ("result_id", "time", "weight", *GAME, "round")
WHOLE = {"result_id", "time", "a", "b"}


def columns(
    connection: Connection, category: Category, people: People, at: int | None = None
) -> dict[str, Any]:
    """All results of a category that count, now or as known at a revision, mergers resolved.

    Games: id, time, weight, a, b, score, side, margin, length, points_a, points_b (nan where not
    kept), round (texts, or None). Contests: id, time, weight, start, player, place, points.
    """
    if category.kind == CONTESTS:
        return _contests(connection, category, people, at)
    named = [version.c[name] for name in GAME_COLUMNS]
    chosen = current(named, at).where(
        result.c.category_id == category.id, version.c.state == COUNTS
    )
    parts = _read(connection, chosen, GAME_COLUMNS)
    found: dict[str, Any] = {name: _array(name, parts[name]) for name in GAME_COLUMNS[:-1]}
    found["id"] = found.pop("result_id")
    labels = [label for part in parts["round"] for label in part]
    found["round"] = np.array(labels, dtype=object) if any(labels) else None
    for side in ("a", "b"):
        found[side] = resolved(found[side], people.canonical)
    return found


def _contests(
    connection: Connection, category: Category, people: People, at: int | None
) -> dict[str, Any]:
    named = [version.c.result_id, version.c.time, version.c.weight]
    within = result.c.category_id == category.id, version.c.state == COUNTS
    parts = _read(
        connection,
        current(named, at).where(*within).order_by(version.c.result_id),
        ("result_id", "time", "weight"),
    )
    found = {name: _array(name, parts[name]) for name in parts}
    found["id"] = found.pop("result_id")
    rows = (
        current([placing.c.result_id, placing.c.player_id, placing.c.place, placing.c.points], at)
        .join(
            placing,
            (placing.c.result_id == version.c.result_id)
            & (placing.c.revision == version.c.revision),
        )
        .where(*within)
        .order_by(placing.c.result_id, placing.c.player_id)
    )
    names = ("result_id", "player", "place", "points")
    placed = _read(connection, rows, names)
    of = _array("result_id", placed["result_id"])
    found["start"] = np.searchsorted(of, np.append(found["id"], np.iinfo(np.int64).max))
    found["player"] = resolved(_array("a", placed["player"]), people.canonical)
    found["place"] = _array("place", placed["place"])
    found["points"] = _array("points", placed["points"])
    return found


def current(named: Sequence[Any], at: int | None) -> Select[Any]:
    """Columns of results in their current version, or the one known at a revision."""
    if at is None:
        newest: Any = result.c.revision
    else:
        other = version.alias("other")
        newest = (
            select(func.max(other.c.revision))
            .where(other.c.result_id == result.c.id, other.c.revision <= at)
            .scalar_subquery()
        )
    return (
        select(*named)
        .select_from(result)
        .join(version, (version.c.result_id == result.c.id) & (version.c.revision == newest))
    )


def changes_since(
    connection: Connection, category: Category, people: People, since: int
) -> Changes | None:
    """What a ladder of a revision has to catch up with; None if names were merged since then."""
    moved = select(identity.c.revision).where(identity.c.revision > since).limit(1)
    if connection.execute(moved).first() is not None:
        return None
    known = select(revision.c.id).where(revision.c.id == since)
    if since and connection.execute(known).first() is None:
        return None  # of a store that was put back to an earlier day
    chosen = current([version], None).where(
        result.c.category_id == category.id, result.c.revision > since
    )
    rows = [dict(row) for row in connection.execute(chosen).mappings()]
    caught: Changes = {}
    for row in rows:
        number = row["result_id"]
        if row["state"] != COUNTS:
            caught[number] = None
            continue
        those: list[dict[str, Any]] = []
        if row["a"] is None:
            query = select(placing).where(
                placing.c.result_id == number, placing.c.revision == row["revision"]
            )
            those = [dict(one) for one in connection.execute(query).mappings()]
        caught[number] = fact(number, row, those, people.canonical)
    return caught


def mergers_at(connection: Connection, at: int) -> list[tuple[int, int]]:
    """Who was merged into whom at a revision."""
    chosen = select(identity).where(identity.c.revision <= at).order_by(identity.c.revision)
    latest = {row.player_id: row.merged_into for row in connection.execute(chosen)}
    return [(number, into) for number, into in latest.items() if into is not None]


def resolved(numbers: NDArray[np.int64], canonical: Callable[[int], int]) -> NDArray[np.int64]:
    """Numbers as entered to those of the players who have the results."""
    found, where = np.unique(numbers, return_inverse=True)
    mapped = np.array([canonical(one) for one in found.tolist()], dtype=np.int64)
    return mapped[where] if len(mapped) else numbers


def _read(
    connection: Connection, chosen: Select[Any], names: Sequence[str]
) -> dict[str, list[tuple[Any, ...]]]:
    """The columns of a query, in parts."""
    parts: dict[str, list[tuple[Any, ...]]] = {name: [] for name in names}
    rows = connection.execute(chosen.execution_options(yield_per=CHUNK))
    for part in rows.partitions():
        for name, values in zip(names, zip(*part, strict=True), strict=True):
            parts[name].append(values)
    return parts


def _array(name: str, parts: Sequence[tuple[Any, ...]]) -> NDArray[Any]:
    """One column; None becomes nan."""
    kind = np.int64 if name in WHOLE else np.float64
    if not parts:
        return np.empty(0, dtype=kind)
    return np.concatenate([np.array(part, dtype=kind) for part in parts])
