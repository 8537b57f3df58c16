"""Queries for players: by number, by name, with mergers resolved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from prowess.live.store.tables import name, player

MANY = 500  # numbers in one query


class PlayerRow(NamedTuple):
    """A player who is not merged into another."""

    id: int
    name: str
    anonymous: bool
    created: int  # revision


COLUMNS = (player.c.id, player.c.name, player.c.anonymous, player.c.created_revision)
MERGED = select(player.c.id).where(player.c.merged_into.is_not(None))


def read_mergers(connection: Connection) -> dict[int, int]:
    """Every merged player, with the player at the end of the chain of mergers."""
    rows = connection.execute(
        select(player.c.id, player.c.merged_into).where(player.c.merged_into.is_not(None))
    )
    into = {row.id: row.merged_into for row in rows}
    return {one: follow_mergers(into, one) for one in into}


def follow_mergers(into: dict[int, int], one: int) -> int:
    """The last of a chain of mergers."""
    while one in into:
        one = into[one]
    return one


def merged_numbers(connection: Connection, number: int) -> list[int]:
    """All numbers under which a player's results were entered, the player's own first."""
    return [
        number,
        *sorted(one for one, last in read_mergers(connection).items() if last == number),
    ]


def find_players(connection: Connection, numbers: Iterable[int]) -> dict[int, PlayerRow]:
    """The present player of each number as entered."""
    asked = list(dict.fromkeys(numbers))
    into = read_mergers(connection)
    ends = sorted({into.get(one, one) for one in asked})
    rows: dict[int, PlayerRow] = {}
    for start in range(0, len(ends), MANY):
        part = ends[start : start + MANY]
        for row in connection.execute(select(*COLUMNS).where(player.c.id.in_(part))):
            rows[row.id] = PlayerRow(*row)
    return {one: rows[into.get(one, one)] for one in asked if into.get(one, one) in rows}


def find_player(connection: Connection, spelling: str) -> PlayerRow | None:
    """The player whom a name leads to; None for an unknown name."""
    number = connection.scalar(select(name.c.player_id).where(name.c.name == spelling))
    return None if number is None else find_players(connection, [number])[number]


def find_names(connection: Connection, number: int) -> list[str]:
    """Every name that leads to a player, the present one first."""
    ids = merged_numbers(connection, number)
    rows = connection.scalars(
        select(name.c.name).where(name.c.player_id.in_(ids)).order_by(name.c.name)
    )
    present = connection.scalar(select(player.c.name).where(player.c.id == number))
    return sorted(rows, key=lambda one: one != present)


def list_players(
    connection: Connection, query: str | None = None, limit: int = 100, after: str | None = None
) -> list[PlayerRow]:
    """Players by name, any of whose names contains `query`; `after` is the last name seen."""
    asked = select(*COLUMNS).where(player.c.merged_into.is_(None)).order_by(player.c.name)
    if query:
        hits = func.lower(name.c.name).contains(query.lower(), autoescape=True)
        holding = select(name.c.player_id).where(hits)
        into = read_mergers(connection)
        merged = connection.scalars(holding.where(name.c.player_id.in_(MERGED)))
        ends = {into[one] for one in merged}
        asked = asked.where(or_(player.c.id.in_(holding), player.c.id.in_(ends)))
    if after is not None:
        asked = asked.where(player.c.name > after)
    return [PlayerRow(*row) for row in connection.execute(asked.limit(limit))]
