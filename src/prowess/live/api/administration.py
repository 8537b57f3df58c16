"""Routes of tokens, webhooks and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

from fastapi import Path
from sqlalchemy import Connection
from starlette.responses import Response

from prowess.live.api.calls import (
    ADMIN,
    Admin,
    Call,
    Cursor,
    JsonResponse,
    KeyHeader,
    Limit,
    build_router,
    page_response,
    read_page,
)
from prowess.live.api.encoding import HttpProblem
from prowess.live.api.models import BIGGEST, SentToken, SentWebhook
from prowess.live.api.serializers import describe_page, describe_row, serialize_as
from prowess.live.api.write_request import WriteRequest
from prowess.live.errors import Conflict
from prowess.live.store import access, webhooks

router = build_router("administration")
Number = Annotated[int, Path(ge=1, le=BIGGEST)]
SHOWN_ONCE = "store it now: the secret is shown only once; if it is lost, make another"


class SecretKind(NamedTuple):
    """What tokens and webhooks share: they have a secret that is shown once, and they end."""

    name: str
    row: type[Any]
    read: Callable[[Connection], list[Any]]
    make_row: Callable[..., tuple[str, int]]  # secret and number
    ended: str  # in the audit log
    end_row: Callable[[Connection, int, int], bool]  # a number, at a moment; False: it had ended
    body: type[SentToken | SentWebhook]
    listed: str  # descriptions of routes
    made: str
    end_words: tuple[str, str]  # summary and description

    def describe(self, name: str, **more: Any) -> Any:
        """The JSON of a row with `more` fields."""
        return describe_row(name, self.row, **more)

    def respond_all(self, call: Call) -> Response:
        """Respond with all rows."""
        with call.journal.store.read() as connection:
            rows = [serialize_as(self.row, row) for row in self.read(connection)]
        return page_response(call, rows)

    def find(self, call: Call, number: int) -> dict[str, Any]:
        """Serialize the row with a number; raises HttpProblem."""
        with call.journal.store.read() as connection:
            for row in self.read(connection):
                if row.id == number:
                    found: dict[str, Any] = serialize_as(self.row, row)
                    return found
        message = f"choose one of /{self.name}s: there is no {self.name} {number}"
        raise HttpProblem(404, f"no_such_{self.name}", message)

    def make(
        self, call: Call, key: str | None, mark: str | None = None, **given: Any
    ) -> tuple[str | None, int]:
        """Make one of these values: its secret, None where that was told before, and its number.

        `key` and `mark` are those of a WriteRequest.
        """
        secrets: list[str] = []

        def job(connection: Connection, now: int) -> dict[str, int]:
            secret, number = self.make_row(connection, **given, now=now)
            secrets.append(secret)
            return {self.name: number}

        done = WriteRequest(call, key, mark=mark).run_once(f"{self.name} made", job)
        return secrets[0] if secrets else None, done.numbers[self.name]

    def respond_made(self, call: Call, key: str | None, **given: Any) -> Response:
        """Make one and respond with its row and its secret."""
        secret, number = self.make(call, key, **given)
        headers = {"Location": f"/api/v1/{self.name}s/{number}", "Cache-Control": "no-store"}
        data = self.find(call, number) | {"secret": secret, "note": SHOWN_ONCE}
        return JsonResponse(data, status_code=201, headers=headers)

    def end(self, call: Call, number: int) -> None:
        """End the one with a number."""

        def job(connection: Connection, now: int) -> dict[str, int]:
            return {self.name: number} if self.end_row(connection, number, now) else {}

        WriteRequest(call).run_once(self.ended, job)
        call.journal.store.actors.forget()

    def respond_ended(self, call: Call, number: int) -> Response:
        """End the one with a number and respond with its row; raises HttpProblem without one."""
        self.find(call, number)
        self.end(call, number)
        return JsonResponse(self.find(call, number))


def end_token(connection: Connection, number: int, now: int) -> bool:
    """Revoke a token; raises Conflict for the only one with which all can be administered.

    Beside one that stays valid, those that will expire do not count.
    """
    admins = [one for one in access.list_tokens(connection)
              if ADMIN in one.scopes and one.state(now) == "good"]  # fmt: skip
    left = [one for one in admins if one.expires is None] or admins
    if [one.id for one in left] == [number]:
        raise Conflict.of("last_admin", scope=ADMIN)
    return access.revoke_token(connection, number, now)


TOKENS = SecretKind(
    "token", access.TokenRow, access.list_tokens,
    access.make_token, "token revoked", end_token, SentToken,
    listed="All tokens, without their secrets (the store keeps only hashes).",
    made="Make a token. Only this response holds its secret.",
    end_words=("Revoke a token", "Revoke a token: it is invalid from now on."),
)  # fmt: skip
WEBHOOKS = SecretKind(
    "webhook", webhooks.WebhookRow, webhooks.list_webhooks,
    webhooks.make_webhook, "webhook stopped", webhooks.stop_webhook, SentWebhook,
    listed="All webhooks, without their secrets.",
    made="""Send events to a URL, signed with the secret in this response.

`Prowess-Signature: t=...,v1=...` is the HMAC-SHA256 of `t.body`; `*` means all events.""",
    end_words=("Stop a webhook", "Stop sending events to this URL."),
)  # fmt: skip
ONCE: dict[str, Any] = {"secret": str | None, "note": str}  # fields of what was made
DeliveryJson = describe_row("Delivery", webhooks.DeliveryRow)
AuditLineJson = describe_row("AuditLine", access.AuditRow)


def add_secret_routes(kind: SecretKind) -> None:
    """Add the routes that list, make, show and end tokens or webhooks."""
    name, title = kind.name, kind.name.capitalize()
    path, form = f"/{name}s", kind.describe(title)

    def list_all(call: Admin) -> Response:
        return kind.respond_all(call)

    def make(sent: Any, call: Admin, key: KeyHeader = None) -> Response:
        return kind.respond_made(call, key, **sent.fields())

    def show(number: Number, call: Admin) -> Response:
        return JsonResponse(kind.find(call, number))

    def end(number: Number, call: Admin) -> Response:
        return kind.respond_ended(call, number)

    make.__annotations__["sent"] = kind.body
    for method, to, endpoint, operation, summary, about, answer in (
        ("GET", path, list_all, f"{name}s_listed", f"List {name}s", kind.listed,
         describe_page(f"{title}Page", form)),
        ("POST", path, make, f"{name}_made", f"Make a {name}", kind.made,
         kind.describe(f"New{title}", **ONCE)),
        ("GET", f"{path}/{{number}}", show, name, f"Show a {name}",
         f"One {name}, without its secret.", form),
        ("DELETE", f"{path}/{{number}}", end, kind.ended.replace(" ", "_"), *kind.end_words, form),
    ):  # fmt: skip
        router.add_api_route(
            to, endpoint, methods=[method], name=operation, summary=summary, description=about,
            response_model=answer, status_code=201 if method == "POST" else 200,
        )  # fmt: skip


for each in (TOKENS, WEBHOOKS):
    add_secret_routes(each)


@router.get(
    "/webhooks/{number}/deliveries",
    name="deliveries",
    summary="List what was sent",
    response_model=describe_page("DeliveryPage", DeliveryJson),
)
def list_deliveries(
    number: Number, call: Admin, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """Deliveries of a webhook and their outcomes, newest first."""
    WEBHOOKS.find(call, number)

    def read(connection: Connection, most: int, before: int | None) -> list[webhooks.DeliveryRow]:
        return webhooks.list_deliveries(connection, number, most, before)

    return read_page(call, limit, cursor, read, partial(serialize_as, webhooks.DeliveryRow))


@router.get(
    "/audit",
    name="audit",
    summary="Read the audit log",
    response_model=describe_page("AuditPage", AuditLineJson),
)
def read_audit(call: Admin, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """Actors, actions, outcomes and addresses, newest first; never names of players."""
    serialize = partial(serialize_as, access.AuditRow)
    return read_page(call, limit, cursor, access.read_lines, serialize)
