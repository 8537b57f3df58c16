"""Routes of tokens, webhooks and the audit log."""

from __future__ import annotations

from secrets import token_urlsafe
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from sqlalchemy import Connection
from starlette.responses import Response
from typing_extensions import TypedDict

from prowess.live.api.encoding import JsonTime, format_time, parse_time
from prowess.live.api.models import BIGGEST, SentToken, SentWebhook
from prowess.live.api.parameters import Admin, Cursor, KeyHeader, Limit, TheJournal
from prowess.live.api.problems import HttpProblem
from prowess.live.api.responses import json_response, make_cursor, page_response, parse_cursor
from prowess.live.api.serializers import PageJson
from prowess.live.api.write_request import WriteRequest
from prowess.live.errors import Refused
from prowess.live.journal.journal import Journal
from prowess.live.journal.submission import check_text
from prowess.live.journal.unit_of_work import EVENTS
from prowess.live.store import access, webhooks

router = APIRouter(tags=["administration"])
Number = Annotated[int, Path(ge=1, le=BIGGEST)]
SHOWN_ONCE = "store it now: the secret is shown only once; if it is lost, make another"


class TokenJson(TypedDict):
    id: int
    name: str
    start: str
    scopes: list[str]
    source: str | None
    review: bool
    created: JsonTime
    expires: JsonTime | None
    revoked: JsonTime | None


class NewTokenJson(TokenJson):
    secret: str | None
    note: str


class TokenPageJson(PageJson):
    items: list[TokenJson]


class WebhookJson(TypedDict):
    id: int
    url: str
    events: list[str]
    shape: str
    created: JsonTime
    stopped: JsonTime | None


class NewWebhookJson(WebhookJson):
    secret: str | None
    note: str


class WebhookPageJson(PageJson):
    items: list[WebhookJson]


class DeliveryJson(TypedDict):
    id: int
    revision: int
    attempts: int
    next_at: JsonTime | None
    outcome: str | None


class DeliveryPageJson(PageJson):
    items: list[DeliveryJson]


class AuditLineJson(TypedDict):
    id: int
    at: JsonTime
    token_id: int | None
    name: str | None
    action: str
    target: str
    outcome: str
    address: str | None
    request_id: str | None


class AuditPageJson(PageJson):
    items: list[AuditLineJson]


@router.get("/tokens", name="tokens_listed", summary="List tokens", response_model=TokenPageJson)
def list_tokens(request: Request, journal: TheJournal, actor: Admin) -> Response:
    """All tokens, without their secrets (the store keeps only hashes)."""
    with journal.store.read() as connection:
        rows = [_token(row) for row in access.list_tokens(connection)]
    return page_response(request, rows, None, revision=journal.revision)


@router.post(
    "/tokens",
    name="token_made",
    summary="Make a token",
    response_model=NewTokenJson,
    status_code=201,
)
def make_token(
    sent: SentToken, request: Request, journal: TheJournal, actor: Admin, key: KeyHeader = None
) -> Response:
    """Make a token. Only this response holds its secret."""
    if sent.source is not None:
        check_text(sent.source, "source")
    expires = None if sent.expires is None else parse_time(sent.expires, end_of_day=True)
    secrets: list[str] = []

    def work(connection: Connection, now: int) -> dict[str, int]:
        secret, number = access.make_token(
            connection, sent.name, sent.scopes, sent.source, sent.review, expires, now=now
        )
        secrets.append(secret)
        return {"token": number}

    write = WriteRequest(journal, request, actor, key, sent.model_dump_json())
    number = write.run_once("token made", work).numbers["token"]
    data = _token_data(journal, number) | {"secret": secrets[0] if secrets else None}
    data["note"] = SHOWN_ONCE
    headers = {"Location": f"/api/v1/tokens/{number}", "Cache-Control": "no-store"}
    return json_response(request, data, status=201, headers=headers)


@router.get("/tokens/{number}", name="token", summary="Show a token", response_model=TokenJson)
def show_token(number: Number, request: Request, journal: TheJournal, actor: Admin) -> Response:
    """One token, without its secret."""
    return json_response(request, _token_data(journal, number))


@router.delete(
    "/tokens/{number}", name="token_revoked", summary="Revoke a token", response_model=TokenJson
)
def revoke_token(number: Number, request: Request, journal: TheJournal, actor: Admin) -> Response:
    """Revoke a token: it is invalid from now on."""
    _token_data(journal, number)

    def work(connection: Connection, now: int) -> dict[str, int]:
        access.revoke_token(connection, number, now)
        return {"token": number}

    WriteRequest(journal, request, actor).run_once("token revoked", work)
    return json_response(request, _token_data(journal, number))


@router.get(
    "/webhooks", name="webhooks_listed", summary="List webhooks", response_model=WebhookPageJson
)
def list_webhooks(request: Request, journal: TheJournal, actor: Admin) -> Response:
    """All webhooks, without their secrets."""
    with journal.store.read() as connection:
        rows = [_webhook(row) for row in webhooks.list_webhooks(connection)]
    return page_response(request, rows, None, revision=journal.revision)


@router.post(
    "/webhooks",
    name="webhook_made",
    summary="Make a webhook",
    response_model=NewWebhookJson,
    status_code=201,
)
def make_webhook(
    sent: SentWebhook, request: Request, journal: TheJournal, actor: Admin, key: KeyHeader = None
) -> Response:
    """Send events to a URL, signed with the secret in this response.

    `Prowess-Signature: t=...,v1=...` is the HMAC-SHA256 of `t.body`; `*` means all events.
    """
    secrets: list[str] = []
    known = {*EVENTS.values(), webhooks.EVERY}
    for at, event in enumerate(sent.events):
        if event not in known:
            detail = f"choose from {', '.join(sorted(known))}: there is no event {event!r}"
            raise Refused("no_such_event", detail, field=f"events.{at}")

    def work(connection: Connection, now: int) -> dict[str, int]:
        secret = token_urlsafe(32)
        number = webhooks.register_webhook(
            connection, sent.url, secret, sent.events, sent.shape, now=now
        )
        secrets.append(secret)
        return {"webhook": number}

    write = WriteRequest(journal, request, actor, key, sent.model_dump_json())
    number = write.run_once("webhook made", work).numbers["webhook"]
    data = _webhook_data(journal, number) | {"secret": secrets[0] if secrets else None}
    data["note"] = SHOWN_ONCE
    headers = {"Location": f"/api/v1/webhooks/{number}", "Cache-Control": "no-store"}
    return json_response(request, data, status=201, headers=headers)


@router.get(
    "/webhooks/{number}", name="webhook", summary="Show a webhook", response_model=WebhookJson
)
def show_webhook(number: Number, request: Request, journal: TheJournal, actor: Admin) -> Response:
    """One webhook, without its secret."""
    return json_response(request, _webhook_data(journal, number))


@router.delete(
    "/webhooks/{number}",
    name="webhook_stopped",
    summary="Stop a webhook",
    response_model=WebhookJson,
)
def stop_webhook(number: Number, request: Request, journal: TheJournal, actor: Admin) -> Response:
    """Stop sending events to this URL."""
    _webhook_data(journal, number)

    def work(connection: Connection, now: int) -> dict[str, int]:
        webhooks.stop_webhook(connection, number, now)
        return {"webhook": number}

    WriteRequest(journal, request, actor).run_once("webhook stopped", work)
    return json_response(request, _webhook_data(journal, number))


@router.get(
    "/webhooks/{number}/deliveries",
    name="deliveries",
    summary="List what was sent",
    response_model=DeliveryPageJson,
)
def list_deliveries(
    number: Number,
    request: Request,
    journal: TheJournal,
    actor: Admin,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Deliveries of a webhook and their outcomes, newest first."""
    _webhook_data(journal, number)
    place = parse_cursor(cursor, int)
    before = None if place is None else int(place[0])
    with journal.store.read() as connection:
        found = webhooks.list_deliveries(connection, number, limit + 1, before)
    more = make_cursor(found[limit - 1].id) if len(found) > limit else None
    rows = [row._asdict() | {"next_at": format_time(row.next_at)} for row in found[:limit]]
    return page_response(request, rows, more, revision=journal.revision)


@router.get("/audit", name="audit", summary="Read the audit log", response_model=AuditPageJson)
def read_audit(
    request: Request,
    journal: TheJournal,
    actor: Admin,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Actors, actions, outcomes and addresses, newest first; never names of players."""
    place = parse_cursor(cursor, int)
    before = None if place is None else int(place[0])
    with journal.store.read() as connection:
        found = access.read_lines(connection, limit + 1, before)
    more = make_cursor(found[limit - 1].id) if len(found) > limit else None
    rows = [row._asdict() | {"at": format_time(row.at)} for row in found[:limit]]
    return page_response(request, rows, more, revision=journal.revision)


def _token_data(journal: Journal, number: int) -> dict[str, Any]:
    with journal.store.read() as connection:
        for row in access.list_tokens(connection):
            if row.id == number:
                return _token(row)
    raise HttpProblem(404, "no_such_token", f"there is no token {number}")


def _webhook_data(journal: Journal, number: int) -> dict[str, Any]:
    with journal.store.read() as connection:
        for row in webhooks.list_webhooks(connection):
            if row.id == number:
                return _webhook(row)
    raise HttpProblem(404, "no_such_webhook", f"there is no webhook {number}")


def _token(row: access.TokenRow) -> dict[str, Any]:
    times = {name: format_time(getattr(row, name)) for name in ("created", "expires", "revoked")}
    return row._asdict() | {"scopes": list(row.scopes)} | times


def _webhook(row: webhooks.WebhookRow) -> dict[str, Any]:
    times = {name: format_time(getattr(row, name)) for name in ("created", "stopped")}
    return row._asdict() | {"events": list(row.events)} | times
