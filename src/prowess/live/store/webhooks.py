"""Webhooks and their deliveries: which URL gets which events, and what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from secrets import token_urlsafe
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from prowess.live.errors import WrongUse
from prowess.live.result import Moment
from prowess.live.store.tables import delivery, webhook
from prowess.live.store.webhook_addresses import BadAddress, parse_address

SHAPES = ("prowess", "discord", "slack")
SECOND = 1_000_000  # microseconds
FIRST, LONGEST = 10 * SECOND, 6 * 3600 * SECOND  # waits after a failure: tripled each time
MAX_ATTEMPTS = 12
SOME = 20  # messages of one webhook that are fetched at a time
DELIVERED = "delivered"
ALL_EVENTS = "*"  # an event that means all of them
LISTENING = select(webhook.c.id, webhook.c.events).where(webhook.c.stopped.is_(None))


class NoWebhook(WrongUse):
    """There is no such webhook, or it cannot be made."""


class WebhookRow(NamedTuple):
    """A webhook without its secret."""

    id: int
    url: str
    events: tuple[str, ...]
    shape: str
    created: Moment
    stopped: Moment | None


class Due(NamedTuple):
    """A message to send now."""

    id: int  # of the delivery
    webhook: int
    url: str
    secret: str
    shape: str
    revision: int
    attempts: int  # made before


class DeliveryRow(NamedTuple):
    """The state of a message; `next_at` None: delivered or given up."""

    id: int
    revision: int
    attempts: int
    next_at: Moment | None
    outcome: str | None


def check_address(url: str) -> None:
    """Raise NoWebhook for an address to which no webhook is sent."""
    try:
        parse_address(url)
    except BadAddress as error:
        raise NoWebhook(str(error), code=error.code) from None


def make_webhook(connection: Connection, url: str, **given: Any) -> tuple[str, int]:
    """A new webhook: its secret, and its number; see `register_webhook`."""
    check_address(url)
    secret = token_urlsafe(32)
    return secret, register_webhook(connection, url, secret, **given)


def register_webhook(
    connection: Connection,
    url: str,
    secret: str,
    events: Iterable[str] = (ALL_EVENTS,),
    shape: str = "prowess",
    *,
    now: int,
) -> int:
    """The number of a new webhook; the secret signs what is sent."""
    wanted = sorted(set(events))
    if not url.startswith(("http://", "https://")):
        raise NoWebhook.of("not_an_address.scheme")
    if shape not in SHAPES:
        raise NoWebhook.of("unknown_shape", shapes=", ".join(SHAPES), shape=shape)
    if not wanted:
        raise NoWebhook.of("no_events", all=ALL_EVENTS)
    row = {"url": url, "secret": secret, "events": wanted, "shape": shape, "created": now}
    number: int = connection.execute(insert(webhook).returning(webhook.c.id), row).scalar_one()
    return number


def stop_webhook(connection: Connection, number: int, now: int) -> bool:
    """Stop a webhook and drop its waiting messages; False where it was stopped before."""
    row = connection.execute(select(webhook.c.stopped).where(webhook.c.id == number)).one_or_none()
    if row is None:
        raise NoWebhook.of("no_such_webhook", number=number)
    if row.stopped is None:
        connection.execute(update(webhook).where(webhook.c.id == number).values(stopped=now))
        connection.execute(
            update(delivery)
            .where(delivery.c.webhook_id == number, delivery.c.next_at.is_not(None))
            .values(next_at=None, outcome="stopped")
        )
    return row.stopped is None


def list_webhooks(connection: Connection) -> list[WebhookRow]:
    """All webhooks there ever were."""
    columns = [webhook.c[name] for name in WebhookRow._fields]
    rows = connection.execute(select(*columns).order_by(webhook.c.id))
    return [WebhookRow(**row._mapping)._replace(events=tuple(row.events)) for row in rows]


def queue_deliveries(
    connection: Connection, revisions: Iterable[tuple[int, str]], now: int
) -> Counter[int]:
    """Queue the messages of revisions for the webhooks of their events; how many each has."""
    listening = connection.execute(LISTENING).all()
    wanting = [
        {"webhook_id": row.id, "revision": revision, "attempts": 0, "next_at": now}
        for revision, event in revisions
        for row in listening
        if event in row.events or ALL_EVENTS in row.events
    ]
    if wanting:
        connection.execute(insert(delivery), wanting)
    return Counter(row["revision"] for row in wanting)


def find_due(connection: Connection, now: int, each: int = SOME) -> list[Due]:
    """The messages to send now: the oldest of every webhook, in order of revision.

    While the oldest one waits for its next attempt, no later one is due.
    """
    of, order = delivery.c.webhook_id, delivery.c.id
    head = func.first_value(delivery.c.next_at)
    waiting = (
        select(
            *delivery.c,
            func.row_number().over(partition_by=of, order_by=order).label("place"),
            head.over(partition_by=of, order_by=order).label("head"),
        )
        .where(delivery.c.next_at.is_not(None))
        .subquery()
    )
    query = (
        select(
            waiting.c.id,
            waiting.c.webhook_id,
            webhook.c.url,
            webhook.c.secret,
            webhook.c.shape,
            waiting.c.revision,
            waiting.c.attempts,
        )
        .join(webhook, webhook.c.id == waiting.c.webhook_id)
        .where(waiting.c.head <= now, waiting.c.place <= each)
        .order_by(waiting.c.webhook_id, waiting.c.id)
    )
    return [Due(*row) for row in connection.execute(query)]


def note_attempt(connection: Connection, number: int, error: str | None, now: int) -> None:
    """Note the outcome of an attempt; a failed one (`error`) is repeated later."""
    attempts = (
        1
        + connection.execute(
            select(delivery.c.attempts).where(delivery.c.id == number)
        ).scalar_one()
    )
    again = error is not None and attempts < MAX_ATTEMPTS
    connection.execute(
        update(delivery)
        .where(delivery.c.id == number)
        .values(
            attempts=attempts,
            next_at=now + retry_delay(attempts) if again else None,
            outcome=DELIVERED if error is None else error,
        )
    )


def retry_delay(attempts: int) -> int:
    """Microseconds until the next attempt after so many that failed."""
    grown: int = FIRST * 3 ** (attempts - 1)
    return min(LONGEST, grown)


def list_deliveries(
    connection: Connection, number: int, limit: int = 100, before: int | None = None
) -> list[DeliveryRow]:
    """The messages of a webhook, newest first."""
    columns = [delivery.c[name] for name in DeliveryRow._fields]
    query = select(*columns).where(delivery.c.webhook_id == number).order_by(delivery.c.id.desc())
    if before is not None:
        query = query.where(delivery.c.id < before)
    return [DeliveryRow(*row) for row in connection.execute(query.limit(limit))]
