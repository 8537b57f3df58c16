"""What ladders looked like: a cache, so that a restart need not play every game again."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from prowess.live.store.tables import checkpoint


def kept(
    connection: Connection, category: int, revision: int, fingerprint: str, data: bytes, now: int
) -> None:
    """Replace the checkpoint of a category."""
    connection.execute(delete(checkpoint).where(checkpoint.c.category_id == category))
    row = {
        "category_id": category,
        "revision": revision,
        "fingerprint": fingerprint,
        "at": now,
        "data": data,
    }
    connection.execute(insert(checkpoint), row)


def latest(connection: Connection, category: int, fingerprint: str) -> tuple[int, bytes] | None:
    """Revision and bytes, if made by the program, system and constants of the fingerprint."""
    row = connection.execute(
        select(checkpoint.c.revision, checkpoint.c.data).where(
            checkpoint.c.category_id == category, checkpoint.c.fingerprint == fingerprint
        )
    ).one_or_none()
    return None if row is None else (row.revision, bytes(row.data))
