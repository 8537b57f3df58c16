"""The counted results of a category in the store, read as columns; ladders verified by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Select, func, select

from prowess.engine.periods import BY_LABEL, BadRounds
from prowess.engine.system import Dynamic, Unratable
from prowess.games.runs import bounds_of
from prowess.live.journal.registry import Category, PlayerRegistry
from prowess.live.ladder.loading import build_log, column_names
from prowess.live.result import CONTESTS, COUNTS, Changes
from prowess.live.store.queries import CURRENT, CURRENT_RESULTS, VERSIONS, read_results
from prowess.live.store.tables import identity, placing, result, revision, version

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings


CHUNK = 2_000  # rows in memory as Python values at a time
CONTEST_COLUMNS = ("result_id", "time", "weight")
GAME_COLUMNS = (
    *CONTEST_COLUMNS, "a", "b", "score", "side", "margin", "length", "points_a", "points_b",
    "round",
)  # fmt: skip
SEAT_COLUMNS = ("result_id", "player_id", "side", "share", "place", "points")
COLUMN_KINDS: dict[str, type] = {  # of columns; others hold floats
    **dict.fromkeys(("result_id", "time", "a", "b", "player_id"), np.int64), "round": object,
}  # fmt: skip
NO_PLAYER = 0  # in the place of a player of a game that has several on a side


def read_log_columns(
    connection: Connection, category: Category, people: PlayerRegistry, at: int | None = None
) -> dict[str, Any]:
    """All results of a category that count, now or as known at a revision, mergers resolved.

    All have id, time and weight. Games have score, side, margin, length, points_a, points_b (nan
    where not kept) and round (texts, or None); and a and b, or, where a side has several members,
    ends, player and share. Contests have start, ends, player and share, and of sides place and
    points.
    """
    contests = category.kind == CONTESTS
    names = CONTEST_COLUMNS if contests else GAME_COLUMNS
    chosen = current([version.c[name] for name in names], at).where(
        result.c.category_id == category.id, version.c.state == COUNTS
    )
    found: dict[str, Any] = _read(connection, chosen, names)
    found["id"] = found.pop("result_id")
    if not contests:
        if not any(found["round"]):
            found["round"] = None
        pair = [found.pop(name) for name in ("a", "b")]
        if (pair[0] != NO_PLAYER).all():
            a, b = (resolve_mergers(column, people.canonical) for column in pair)
            return found | {"a": a, "b": b}
    seats = _seats(connection, category, at)
    if contests:
        return _with_sides(found, seats, people)
    return _with_teams(found, pair, seats, people)


def _seats(connection: Connection, category: Category, at: int | None) -> dict[str, NDArray[Any]]:
    """The members of sides as entered: columns of `placing` by result, side and player."""
    rows = (
        current([placing.c[name] for name in SEAT_COLUMNS], at)
        .join(
            placing,
            (placing.c.result_id == version.c.result_id)
            & (placing.c.revision == version.c.revision),
        )
        .where(result.c.category_id == category.id, version.c.state == COUNTS)
        .order_by(placing.c.result_id, placing.c.side, placing.c.player_id)
    )
    seats = _read(connection, rows, SEAT_COLUMNS)
    return seats | {"side": seats["side"].astype(np.int64)}


def _with_sides(
    found: dict[str, Any], seats: Mapping[str, NDArray[Any]], people: PlayerRegistry
) -> dict[str, Any]:
    """Contests with their sides and members, by number."""
    order = np.argsort(found["id"])
    found = {name: column[order] for name, column in found.items()}
    result_of, side = seats["result_id"], seats["side"]
    first = np.flatnonzero(np.append(True, (np.diff(result_of) != 0) | (np.diff(side) != 0)))
    first = first[: len(result_of)]
    beyond = np.iinfo(np.int64).max
    return found | {
        "start": np.searchsorted(result_of[first], np.append(found["id"], beyond)),
        "ends": np.append(first, len(result_of)),
        "player": resolve_mergers(seats["player_id"], people.canonical),
        "share": seats["share"],
        "place": seats["place"][first],
        "points": seats["points"][first],
    }


def _with_teams(
    found: dict[str, Any],
    pair: Sequence[NDArray[np.int64]],
    seats: Mapping[str, NDArray[Any]],
    people: PlayerRegistry,
) -> dict[str, Any]:
    """Games with the members of both sides, by number."""
    alone = np.flatnonzero(pair[0] != NO_PLAYER)
    result_of = np.concatenate((np.repeat(found["id"][alone], 2), seats["result_id"]))
    side = np.concatenate((np.tile((0, 1), len(alone)), seats["side"]))
    both = np.stack((pair[0][alone], pair[1][alone]), axis=1).ravel()
    player = np.concatenate((both, seats["player_id"]))
    share = np.concatenate((np.ones(len(both)), seats["share"]))
    order = np.lexsort((player, side, result_of))
    by_number = np.argsort(found["id"])
    found = {
        name: column if column is None else column[by_number] for name, column in found.items()
    }
    row = np.searchsorted(found["id"], result_of[order])
    width = np.bincount(2 * row + side[order], minlength=2 * len(found["id"]))
    return found | {
        "ends": bounds_of(width),
        "player": resolve_mergers(player[order], people.canonical),
        "share": share[order],
    }


def current(named: Sequence[Any], at: int | None) -> Select[Any]:
    """Columns of results in their current version, or the one known at a revision."""
    shown = CURRENT
    if at is not None:
        other = version.alias("other")
        newest = select(func.max(other.c.revision)).where(
            other.c.result_id == result.c.id, other.c.revision <= at
        )
        shown = VERSIONS & (version.c.revision == newest.scalar_subquery())
    return select(*named).join_from(result, version, shown)


def changes_since(
    connection: Connection, category: Category, people: PlayerRegistry, since: int
) -> Changes | None:
    """The changes since a revision; None if players were merged or split since then."""
    moved = select(identity.c.revision).where(identity.c.revision > since).limit(1)
    if connection.execute(moved).first() is not None:
        return None
    known = select(revision.c.id).where(revision.c.id == since)
    if since and connection.execute(known).first() is None:
        return None  # of a store that was put back to an earlier day
    changed = select(version.c.result_id).where(version.c.revision > since)  # few: by its index
    chosen = CURRENT_RESULTS.where(result.c.category_id == category.id, result.c.id.in_(changed))
    return read_changes(connection, chosen, people)


def read_counted(connection: Connection, category: Category, people: PlayerRegistry) -> Changes:
    """All results of a category that count, as changes of an empty ladder."""
    chosen = CURRENT_RESULTS.where(result.c.category_id == category.id, version.c.state == COUNTS)
    return read_changes(connection, chosen, people)


def read_changes(connection: Connection, chosen: Any, people: PlayerRegistry) -> Changes:
    """The results of a query as changes, mergers resolved."""
    return {
        one.id: one.with_players(people.canonical) if one.state == COUNTS else None
        for one in read_results(connection, chosen)
    }


def resolve_mergers(
    numbers: NDArray[np.int64], canonical: Callable[[int], int]
) -> NDArray[np.int64]:
    """Map player numbers as entered to the players they were merged into."""
    found, where = np.unique(numbers, return_inverse=True)
    mapped = np.array([canonical(one) for one in found.tolist()], dtype=np.int64)
    return mapped[where] if len(mapped) else numbers


def _read(
    connection: Connection, chosen: Select[Any], names: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """The columns of a query; None becomes nan, or no player."""
    parts = {name: [_array(name, ())] for name in names}
    rows = connection.execute(chosen.execution_options(yield_per=CHUNK))
    for part in rows.partitions():
        for name, values in zip(names, zip(*part, strict=True), strict=True):
            parts[name].append(_array(name, values))
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def _array(name: str, values: Sequence[Any]) -> NDArray[Any]:
    """Some values of a column."""
    if name in ("a", "b") and None in values:
        values = [one or NO_PLAYER for one in values]
    return np.array(values, dtype=COLUMN_KINDS.get(name, np.float64))


# -- verification: the ratings shown equal a batch run over the log, to the last bit --


Served = Callable[[str], tuple[int, dict[str, dict[str, float]]]]
FIT_TOLERANCE = 1e-9  # of whole-table fits, which add up in another order


class RatingDifference(NamedTuple):
    """A served value that differs from the replay of the log."""

    player: str
    column: str
    shown: float | None
    replayed: float | None


class Verification(NamedTuple):
    """The comparison of one category."""

    category: str
    results: int
    players: int
    differences: tuple[RatingDifference, ...]
    trouble: str | None = None  # why the log cannot be rated


def verify_category(
    category: Category,
    log: Mapping[str, Any],
    shown: Mapping[str, Mapping[str, float]],
    name: Callable[[int], str],
) -> Verification:
    """Compare what is shown (values by player) with a replay of the log by the batch program.

    If the log cannot be rated, nothing is compared, and `trouble` says why.
    """
    try:
        ratings = rate_log(category, log, name)
    except (Unratable, BadRounds) as error:
        return Verification(category.key, len(log["id"]), 0, (), str(error))
    replayed = collect_values(ratings)
    exact = ratings is None or isinstance(ratings.system, Dynamic)
    found = []
    for player in sorted({*shown, *replayed}):
        one, other = shown.get(player, {}), replayed.get(player, {})
        for column in one or other:
            a, b = one.get(column), other.get(column)
            if not is_equal(a, b, 0.0 if exact else FIT_TOLERANCE):
                found.append(RatingDifference(player, column, a, b))
    return Verification(category.key, len(log["id"]), len(replayed), tuple(found))


def collect_values(ratings: Ratings | None) -> dict[str, dict[str, float]]:
    """Every column of every player with a game, by name."""
    if ratings is None:
        return {}
    played = np.flatnonzero(ratings.has_played())
    columns = {name: column[played].tolist() for name, column in ratings.columns.items()}
    return {
        ratings.players[row]: {name: float(column[k]) for name, column in columns.items()}
        for k, row in enumerate(played.tolist())
    }


def rate_log(
    category: Category, log: Mapping[str, Any], name: Callable[[int], str]
) -> Ratings | None:
    """The ratings of a category by the batch program; None without a result."""
    from prowess.verbs.rating import rate

    if not len(log["id"]):
        return None
    columns = column_names(category.kind, category.extra, category.period == BY_LABEL)
    players, found = build_log(log, columns, category.kind == CONTESTS, name)
    table = found.table(players).replace(players=[*players])
    constants: dict[str, Any] = dict(category.params)
    return rate(table, category.system, period=category.period, **constants)


def is_equal(a: float | None, b: float | None, tolerance: float) -> bool:
    """Whether two values are the same number, up to a part of it, or both missing or nan."""
    if a is None or b is None:
        return a is b
    if a == b or (isnan(a) and isnan(b)):
        return True
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))
