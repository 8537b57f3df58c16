"""Who may change a result, and see results that never counted: those held, or rejected.

A result is public from the revision on at which it counts for the first time, and stays so. Before,
its content, its players' names and the reasons of its changes are for keepers (scope `correct`);
the token that reported it sees the result as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Connection, and_, exists, or_, select, true

from prowess.live.result import COUNTS
from prowess.live.store.access import Actor
from prowess.live.store.queries import ResultVersion, RevisionRow, find_versions
from prowess.live.store.tables import member, placing, player, result, revision, version

KEEPER, REPORTER = "correct", "submit"  # scopes
MENDING_US = 3_600_000_000  # an hour
counted = version.alias("counted")
named = version.alias("named")
seated = placing.alias("seated")


def may_change(actor: Actor, made: RevisionRow, latest: RevisionRow, now: int) -> bool:
    """Whether an actor may correct or strike a result, given its first and its latest revision.

    Keepers may; who entered it may for an hour, with the same token, unless somebody else has
    changed it.
    """
    if actor.may(KEEPER):
        return True
    own = actor.token is not None and actor.token == made.token_id == latest.token_id
    return own and actor.may(REPORTER) and now - made.at <= MENDING_US


def is_public(number: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a result, given its number, counts or has counted."""
    return exists().where(counted.c.result_id == number, counted.c.state == COUNTS)


def is_visible(actor: Actor | None) -> ColumnElement[bool]:
    """Whether the actor may see a result of the table `result`."""
    if actor is not None and actor.may(KEEPER):
        return true()
    if actor is None or actor.token is None:
        return is_public(result.c.id)
    own = exists().where(
        revision.c.id == result.c.created_revision, revision.c.token_id == actor.token
    )
    return or_(is_public(result.c.id), own)


def find_visible_versions(
    connection: Connection, number: int, actor: Actor | None
) -> list[ResultVersion]:
    """The versions of a result that the actor may see; empty if they may see none.

    Of a result that was changed before it was accepted, the public sees what was accepted.
    """
    found = find_versions(connection, number)
    if not found or (actor is not None and actor.may(KEEPER)):
        return found
    seen = is_visible(actor)
    if connection.scalar(select(result.c.id).where(result.c.id == number, seen)) is None:
        return []
    first = next((at for at, one in enumerate(found) if one.result.state == COUNTS), None)
    if first is None:
        return found
    accepted = found[first].result
    return [
        one
        for at, one in enumerate(found)
        if at >= first
        or one.result._replace(revision=accepted.revision, state=accepted.state) == accepted
    ]


def has_public_name() -> ColumnElement[bool]:
    """Whether a row of `player` was added to a category, or is named by a result that is public,
    or by none at all.
    """
    pairs = or_(named.c.a == player.c.id, named.c.b == player.c.id)
    in_pair = exists().where(pairs)
    seat = exists().where(seated.c.player_id == player.c.id)
    public_pair = exists().where(pairs, named.c.state == COUNTS)
    public_seat = exists().where(
        seated.c.player_id == player.c.id,
        named.c.result_id == seated.c.result_id,
        named.c.revision == seated.c.revision,
        named.c.state == COUNTS,
    )
    added = exists().where(member.c.player_id == player.c.id)
    return or_(added, public_pair, public_seat, and_(~in_pair, ~seat))


def is_hidden_player(connection: Connection, numbers: Collection[int]) -> bool:
    """Whether a player (their number and those merged into it) is named only by results that
    never counted.
    """
    chosen = select(player.c.id).where(player.c.id.in_(numbers), has_public_name()).limit(1)
    return connection.scalar(chosen) is None


def hide_reasons(
    connection: Connection, rows: Sequence[RevisionRow], actor: Actor | None
) -> list[RevisionRow]:
    """The revisions without the reasons of changes of results that never counted."""
    numbers = [row.id for row in rows if row.reason is not None]
    if not numbers or (actor is not None and actor.may(KEEPER)):
        return list(rows)
    about = select(version.c.revision).where(version.c.revision.in_(numbers)).distinct()
    every = set(connection.scalars(about))
    public = set(connection.scalars(about.where(is_public(version.c.result_id))))
    return [row._replace(reason=None) if row.id in every - public else row for row in rows]
