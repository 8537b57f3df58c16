"""Where the server that keeps a store answers, so that the console of its machine finds it."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy import Connection, delete, insert, select

from prowess.live.store.errors import StoreError
from prowess.live.store.opening import Store
from prowess.live.store.tables import setting

KEY = "server.address"  # what is written there counts only while a server holds the claim


def note_address(store: Store, address: str) -> None:
    """Write down where the server of a store answers; a store that is full does without."""

    def job(connection: Connection) -> None:
        connection.execute(delete(setting).where(setting.c.key == KEY))
        connection.execute(insert(setting), {"key": KEY, "value": address})

    with suppress(StoreError):
        store.writer.do(job)


def forget_address(store: Store) -> None:
    """Nobody answers any more."""
    with suppress(StoreError):
        store.writer.do(
            lambda connection: connection.execute(delete(setting).where(setting.c.key == KEY))
        )


def noted_address(connection: Connection) -> str | None:
    """What was written down; None where nothing was."""
    return connection.scalar(select(setting.c.value).where(setting.c.key == KEY))
