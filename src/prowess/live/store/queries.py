"""Rows of results, and queries for results, revisions and players (keyset pagination)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
    union,
)

from prowess.live.errors import NotFound
from prowess.live.result import (
    COUNTS,
    DAY_US,
    HELD,
    REJECTED,
    VOID,
    LiveResult,
    ResultSide,
    SideMember,
)
from prowess.live.store.tables import (
    identity,
    name,
    placing,
    player,
    published,
    result,
    revision,
    season,
    token,
    version,
)

QUERY_KEYS = 500  # in one query


class RevisionRow(NamedTuple):
    """One revision: a committed write act."""

    id: int
    at: int  # microseconds
    kind: str
    token_id: int | None
    name: str | None  # of the token; None: the command line
    category: int | None
    reason: str | None
    detail: Any


class ResultVersion(NamedTuple):
    """A version of a result, and its revision."""

    result: LiveResult
    revision: RevisionRow


WEEK_US = 7 * DAY_US
RESULT_FIELDS = (
    result.c.id,
    result.c.category_id,
    result.c.source,
    result.c.external_id,
    result.c.created_revision,
    *version.c,
)
REVISION = (
    revision.c.id,
    revision.c.at,
    revision.c.kind,
    revision.c.token_id,
    token.c.name,
    revision.c.category_id,
    revision.c.reason,
    revision.c.detail,
)
VERSIONS = version.c.result_id == result.c.id
CURRENT = and_(VERSIONS, version.c.revision == result.c.revision)
CURRENT_RESULTS = select(*RESULT_FIELDS).join_from(result, version, CURRENT)


def list_results(
    connection: Connection,
    category: int | None = None,
    players: Sequence[int] = (),
    state: str | None = None,
    source: str | None = None,
    limit: int = 100,
    after: int | None = None,
    *,
    newest: bool = True,
    visible: ColumnElement[bool] | None = None,
) -> list[LiveResult]:
    """The current versions of results, the last entered first, or the first with `newest=False`.

    `players` are the numbers under which a player's results were entered; `after` is the last
    number seen; `visible` is a condition on the rows of `result`.
    """
    query = CURRENT_RESULTS
    if visible is not None:
        query = query.where(visible)
    if category is not None:
        query = query.where(result.c.category_id == category)
    if state is not None:
        query = query.where(version.c.state == state)
    if source is not None:
        query = query.where(result.c.source == source)
    if players:
        query = query.where(
            result.c.id.in_(any_version_names(players)), current_version_names(players)
        )
    if after is not None:
        query = query.where(result.c.id < after if newest else result.c.id > after)
    return read_results(connection, query.order_by(*order(result.c.id, newest)).limit(limit))


def any_version_names(players: Sequence[int]) -> CompoundSelect[Any]:
    """The numbers of results any version of which names one of the players: by the indexes."""
    return union(
        select(version.c.result_id).where(version.c.a.in_(players)),
        select(version.c.result_id).where(version.c.b.in_(players)),
        select(placing.c.result_id).where(placing.c.player_id.in_(players)),
    )


def current_version_names(players: Sequence[int]) -> ColumnElement[bool]:
    """Whether the current version of a result names one of the players."""
    placed = select(placing.c.result_id).where(
        placing.c.result_id == result.c.id,
        placing.c.revision == result.c.revision,
        placing.c.player_id.in_(players),
    )
    return or_(version.c.a.in_(players), version.c.b.in_(players), placed.exists())


def find_results(connection: Connection, numbers: Iterable[int]) -> list[LiveResult]:
    """The current versions of the results of these numbers, by number; others are left out."""
    wanted = sorted(set(numbers))
    query = CURRENT_RESULTS.order_by(result.c.id)
    return [
        row
        for start in range(0, len(wanted), QUERY_KEYS)
        for row in read_results(
            connection, query.where(result.c.id.in_(wanted[start : start + QUERY_KEYS]))
        )
    ]


def find_versions(connection: Connection, number: int) -> list[ResultVersion]:
    """All versions of a result, the current one last; empty if there is no such result."""
    query = (
        select(*RESULT_FIELDS)
        .join_from(result, version, VERSIONS)
        .where(result.c.id == number)
        .order_by(version.c.revision)
    )
    versions = read_results(connection, query)
    changes = {
        row.id: row for row in find_revisions(connection, [one.revision for one in versions])
    }
    return [ResultVersion(one, changes[one.revision]) for one in versions]


REPORTED = (
    select(*RESULT_FIELDS)
    .join_from(result, version, and_(VERSIONS, version.c.revision == result.c.created_revision))
    .where(
        result.c.source == bindparam("source"),
        result.c.external_id.in_(bindparam("numbers", expanding=True)),
    )
)
ReportKey = tuple[str, str]  # source and external number


def find_reported(connection: Connection, keys: Iterable[ReportKey]) -> dict[ReportKey, LiveResult]:
    """The results that were recorded under some of these keys, in their first version."""
    wanted: defaultdict[str, list[str]] = defaultdict(list)
    for source, number in dict.fromkeys(keys):
        wanted[source].append(number)
    return {
        (source, one.external_id or ""): one
        for source, numbers in wanted.items()
        for start in range(0, len(numbers), QUERY_KEYS)
        for one in read_results(
            connection,
            REPORTED,
            {"source": source, "numbers": numbers[start : start + QUERY_KEYS]},
        )
    }


def list_revisions(
    connection: Connection,
    after: int | None = None,
    limit: int = 100,
    category: int | None = None,
    *,
    newest: bool = False,
) -> list[RevisionRow]:
    """Revisions in ascending order, or descending with `newest`."""
    query = select(*REVISION).select_from(revision.outerjoin(token))
    if category is not None:
        query = query.where(revision.c.category_id == category)
    if after is not None:
        query = query.where(revision.c.id < after if newest else revision.c.id > after)
    return read_revisions(connection, query.order_by(*order(revision.c.id, newest)).limit(limit))


def find_revisions(connection: Connection, numbers: Sequence[int]) -> list[RevisionRow]:
    """The revisions of these numbers."""
    query = select(*REVISION).select_from(revision.outerjoin(token))
    return read_revisions(
        connection, query.where(revision.c.id.in_(numbers)).order_by(revision.c.id)
    )


def count_by_state(connection: Connection, category: int | None = None) -> dict[str, int]:
    """How many results count, are held, void, rejected."""
    query = select(version.c.state, func.count()).join_from(result, version, CURRENT)
    if category is not None:
        query = query.where(result.c.category_id == category)
    counts = dict.fromkeys((COUNTS, HELD, VOID, REJECTED), 0)
    for state, number in connection.execute(query.group_by(version.c.state)):
        counts[state] = number
    return counts


def count_by_week(connection: Connection, since: int) -> dict[int, int]:
    """How many results were entered in each week (7 days, counted from 1970) from a moment on."""
    week = (revision.c.at // WEEK_US).label("week")
    query = select(week, func.count()).join_from(
        result, revision, revision.c.id == result.c.created_revision
    )
    found = connection.execute(query.where(revision.c.at >= since).group_by(week))
    return {int(number): count for number, count in found}


def find_last_report(connection: Connection, but: int | None) -> tuple[str, int] | None:
    """The token, other than one, that entered results last: its name, and when."""
    query = (
        select(token.c.name, revision.c.at)
        .join_from(revision, token, token.c.id == revision.c.token_id)
        .where(revision.c.kind == "record", revision.c.token_id != but)
    )
    row = connection.execute(query.order_by(revision.c.id.desc()).limit(1)).first()
    return None if row is None else (row.name, row.at)


def order(column: Any, newest: bool) -> tuple[Any]:
    """The ORDER BY clause, ascending or descending."""
    return (column.desc() if newest else column.asc(),)


def read_revisions(connection: Connection, query: Select[Any]) -> list[RevisionRow]:
    """The revisions that a query of the columns REVISION selects."""
    return [RevisionRow(*row) for row in connection.execute(query)]


def read_results(
    connection: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> list[LiveResult]:
    """The results of a query of the columns RESULT_FIELDS, with their sides."""
    found = connection.execute(query, values).all()
    seated = [row.id for row in found if row.a is None]
    seats: dict[tuple[int, int], list[Row[Any]]] = {}
    for start in range(0, len(seated), QUERY_KEYS):
        for seat in placings(connection, seated[start : start + QUERY_KEYS]):
            seats.setdefault((seat.result_id, seat.revision), []).append(seat)
    return [build_result(row, seats.get((row.id, row.revision), ())) for row in found]


def build_result(row: Row[Any], seats: Iterable[Row[Any]]) -> LiveResult:
    """A result from its row and those of its members by side and player: the order in which they
    are played, on which sums depend in the last bit.
    """
    points = row.points_a, row.points_b
    sides: tuple[ResultSide, ...]
    if row.a is not None:
        sides = tuple(
            ResultSide((SideMember(player),), None, scored)
            for player, scored in zip((row.a, row.b), points, strict=True)
        )
    else:
        sides = tuple(
            build_side(list(those), points[at] if row.score is not None else None)
            for at, those in groupby(seats, key=lambda seat: int(seat.side))
        )
    return LiveResult(
        row.id, row.time, sides, row.score, row.side, row.margin, row.length, row.weight, row.round,
        row.facts, row.category_id, row.source, row.external_id, row.created_revision, row.revision,
        row.state,
    )  # fmt: skip


def result_rows(one: LiveResult) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row of a result in the table `version`, and those of its members in `placing`.

    A game of one player against one has no members there.
    """
    seats: list[dict[str, Any]] = []
    points_a, points_b = one.points
    pair = one.pair
    if pair is None:
        seats = [
            {
                "result_id": one.id,
                "revision": one.revision,
                "player_id": player,
                "side": at,
                "share": share,
                "place": side.place,
                "points": side.points if one.score is None else None,
            }
            for at, side in enumerate(one.sides)
            for player, share in side.members
        ]
    row = {
        "result_id": one.id, "revision": one.revision, "state": one.state, "time": one.time,
        "a": pair and pair[0], "b": pair and pair[1], "score": one.score, "side": one.side,
        "margin": one.margin, "length": one.length, "points_a": points_a, "points_b": points_b,
        "weight": one.weight, "round": one.round, "facts": one.facts,
    }  # fmt: skip
    return row, seats


def build_side(seats: Sequence[Row[Any]], points: float | None) -> ResultSide:
    """A side from the rows of its members; `points` None: those that the rows say."""
    first = seats[0]
    if points is None:
        points = first.points
    return ResultSide(
        tuple(SideMember(seat.player_id, seat.share) for seat in seats), first.place, points
    )


def placings(connection: Connection, results: list[int]) -> Sequence[Row[Any]]:
    """All versions of the members of sides, by side and player."""
    return connection.execute(
        select(placing)
        .where(placing.c.result_id.in_(results))
        .order_by(placing.c.result_id, placing.c.revision, placing.c.side, placing.c.player_id)
    ).all()


# -- players --


class PlayerRow(NamedTuple):
    """A player who is not merged into another."""

    id: int
    name: str
    anonymous: bool
    created: int  # revision


PLAYER_COLUMNS = (player.c.id, player.c.name, player.c.anonymous, player.c.created_revision)
MERGED = select(player.c.id).where(player.c.merged_into.is_not(None))


def find_names(connection: Connection, numbers: Sequence[int]) -> list[str]:
    """Every name that leads to a player, the present one first.

    `numbers` are those under which the results were entered, the player's own first.
    """
    rows = connection.scalars(
        select(name.c.name).where(name.c.player_id.in_(numbers)).order_by(name.c.name)
    )
    present = connection.scalar(select(player.c.name).where(player.c.id == numbers[0]))
    return sorted(rows, key=lambda one: one != present)


def list_players(
    connection: Connection,
    canonical: Callable[[int], int],
    query: str | None = None,
    limit: int = 100,
    after: str | None = None,
    visible: ColumnElement[bool] | None = None,
) -> list[PlayerRow]:
    """Players by name, any of whose names contains `query`; `after` is the last name seen.

    `canonical` resolves mergers; `visible` is a condition on the rows of `player`.
    """
    asked = select(*PLAYER_COLUMNS).where(player.c.merged_into.is_(None)).order_by(player.c.name)
    if query:
        hits = func.lower(name.c.name).contains(query.lower(), autoescape=True)
        holding = select(name.c.player_id).where(hits)
        merged = connection.scalars(holding.where(name.c.player_id.in_(MERGED)))
        asked = asked.where(
            or_(player.c.id.in_(holding), player.c.id.in_(set(map(canonical, merged))))
        )
    if visible is not None:
        asked = asked.where(visible)
    if after is not None:
        asked = asked.where(player.c.name > after)
    return [PlayerRow(*row) for row in connection.execute(asked.limit(limit))]


# -- seasons and published lists --


def list_seasons(connection: Connection, category: int) -> Sequence[Row[Any]]:
    """The seasons of a category, the earliest first."""
    chosen = select(season).where(season.c.category_id == category)
    return connection.execute(chosen.order_by(season.c.starts)).all()


def list_published(
    connection: Connection, category: int, limit: int | None = None, before: int | None = None
) -> Sequence[Row[Any]]:
    """The published lists of a category, the newest first; `before` is the last number seen."""
    chosen = select(published).where(published.c.category_id == category)
    if before is not None:
        chosen = chosen.where(published.c.id < before)
    return connection.execute(chosen.order_by(published.c.id.desc()).limit(limit)).all()


def find_published(connection: Connection, category: int, called: str, key: str) -> Row[Any]:
    """A published list of a category, which is `called` so; raises NotFound."""
    chosen = select(published).where(published.c.category_id == category, published.c.key == key)
    found = connection.execute(chosen).one_or_none()
    if found is None:
        raise NotFound.of("no_such_list", category=called, key=key)
    return found


# -- mergers --


def mergers_at(connection: Connection, at: int) -> list[tuple[int, int]]:
    """The mergers in force at a revision, as (player, merged into)."""
    chosen = select(identity).where(identity.c.revision <= at).order_by(identity.c.revision)
    latest = {row.player_id: row.merged_into for row in connection.execute(chosen)}
    return [(number, into) for number, into in latest.items() if into is not None]


def follow_mergers(into: Mapping[int, int], number: int) -> int:
    """The player who has the results entered for a number."""
    while number in into:
        number = into[number]
    return number
