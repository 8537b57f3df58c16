"""Stored answers by Idempotency-Key, and stored checkpoints of ladders."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, insert, select

from prowess.live.errors import WrongUse
from prowess.live.result import DAY
from prowess.live.store.tables import answer, checkpoint


class KeyReused(WrongUse):
    """The same key came with another request."""


def find_answer(
    connection: Connection, token: int, key: str, request: str
) -> dict[str, Any] | None:
    """The receipt kept under a token's key, or None; `request` is the SHA-256 of what was asked.

    Raises KeyReused if the key was used for another request.
    """
    row = connection.execute(
        select(answer.c.request, answer.c.receipt).where(
            answer.c.token_id == token, answer.c.key == key
        )
    ).one_or_none()
    if row is None:
        return None
    if row.request != request:
        raise KeyReused(f"key {key!r} was used for another request; take a new key for each one")
    receipt: dict[str, Any] = row.receipt
    return receipt


def keep_answer(
    connection: Connection,
    token: int,
    key: str,
    request: str,
    receipt: dict[str, Any],
    *,
    now: int,
) -> None:
    """Keep a receipt, in the transaction of what it acknowledges."""
    row = {"token_id": token, "key": key, "request": request, "at": now, "receipt": receipt}
    connection.execute(insert(answer), row)


def delete_expired_answers(connection: Connection, now: int) -> int:
    """Forget answers older than a day; how many there were."""
    return connection.execute(delete(answer).where(answer.c.at < now - DAY)).rowcount


# -- checkpoints: a cache, so that a start need not play every result --


def keep_checkpoint(
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


def find_checkpoint(
    connection: Connection, category: int, fingerprint: str
) -> tuple[int, bytes] | None:
    """Revision and bytes, if made by the program, system and constants of the fingerprint."""
    row = connection.execute(
        select(checkpoint.c.revision, checkpoint.c.data).where(
            checkpoint.c.category_id == category, checkpoint.c.fingerprint == fingerprint
        )
    ).one_or_none()
    return None if row is None else (row.revision, bytes(row.data))
