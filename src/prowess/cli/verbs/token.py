"""`prowess token`: who may send results, correct them, and look after the server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from prowess.cli.output import json_option
from prowess.cli.rating import day
from prowess.cli.stores import store_option

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from prowess.live.store.access import TokenRow

SECOND = 1_000_000  # microseconds
HEADER = ["id", "name", "start", "scopes", "source", "review", "made", "expires", "state"]


@click.group("token", short_help="Make, list and revoke the tokens of a live ladder.")
def command() -> None:
    """Make, list and revoke the tokens that open a live ladder to programs and people."""


@command.command("add", epilog="Example: prowess token add 'Club evening' --scope submit")
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, required=True,
    type=click.Choice(["read", "submit", "correct", "admin"]),
    help="What it may do; may be given more than once. admin includes the others.",
)  # fmt: skip
@click.option(
    "--source",
    metavar="NAME",
    help="Its results come in under this source only; under NAME, if left out.",
)
@click.option("--review", is_flag=True, help="Hold its results until somebody accepts them.")
@click.option("--expires", metavar="DATE", callback=day, help="Its last day (UTC).")
@store_option
def add(
    name: str,
    scopes: tuple[str, ...],
    source: str | None,
    review: bool,
    expires: float | None,
    store: str,
) -> None:
    """Make a token for NAME and print its secret, which nothing can show again."""
    from contextlib import closing

    from prowess.cli.output import put
    from prowess.live.store import access
    from prowess.live.store.store import open_store

    end = None if expires is None else round(expires * 86_400) * SECOND
    now = clock()

    def job(connection: Connection) -> str:
        secret, number = access.make_token(connection, name, scopes, source, review, end, now=now)
        access.add_line(connection, access.Actor.console(), "token.add", f"token {number}", now=now)
        return secret

    with closing(open_store(store, create=False)) as books:
        secret = books.writer.do(job)
    put(secret)


@command.command("list")
@store_option
@json_option
def list_(store: str, as_json: bool) -> None:
    """All tokens there ever were, without their secrets."""
    from contextlib import closing

    from prowess.cli.output import json_text, put
    from prowess.cli.table import drawn, screen
    from prowess.live.store import access
    from prowess.live.store.store import open_store

    now = clock()
    with closing(open_store(store, create=False)) as books, books.read() as connection:
        rows = access.list_tokens(connection)
    if as_json:
        put(json_text([row._asdict() | {"state": state(row, now)} for row in rows]))
    else:
        put(drawn([HEADER, *(cells(row, now) for row in rows)], screen()))


@command.command("revoke")
@click.argument("number", metavar="ID", type=int)
@store_option
def revoke(number: int, store: str) -> None:
    """Close the token with this ID for good."""
    from contextlib import closing

    from prowess.cli.talk import say
    from prowess.live.store import access
    from prowess.live.store.store import open_store

    now = clock()

    def job(connection: Connection) -> None:
        access.revoke_token(connection, number, now)
        access.add_line(
            connection, access.Actor.console(), "token.revoke", f"token {number}", now=now
        )

    with closing(open_store(store, create=False)) as books:
        books.writer.do(job)
    say(f"token {number} opens nothing any more")


def clock() -> int:
    """Microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


def state(row: TokenRow, now: int) -> str:
    """Whether a token opens anything."""
    if row.revoked is not None:
        return "revoked"
    return "expired" if row.expires is not None and row.expires <= now else "good"


def cells(row: TokenRow, now: int) -> list[str]:
    """A line of the list."""
    return [
        str(row.id), row.name, f"{row.start}...", ", ".join(row.scopes), row.source or "any",
        "held" if row.review else "no", date(row.created),
        date(row.expires and row.expires - 1), state(row, now),
    ]  # fmt: skip


def date(moment: int | None) -> str:
    """The UTC day of a time in microseconds."""
    from prowess.games.dates import format_day

    return "" if moment is None else format_day(moment // (86_400 * SECOND))
