"""Tokens, webhooks, and the log of who did what."""

from __future__ import annotations

from secrets import token_urlsafe

from starlette.responses import RedirectResponse, Response

from prowess.live.errors import NotAllowed
from prowess.live.pages.admin.forms import moment, or_none, text
from prowess.live.pages.admin.signing import noted
from prowess.live.pages.reading.sights import told
from prowess.live.pages.visits import Visit
from prowess.live.store import access, webhooks

LINES = 200
DELIVERIES = 20


def token_list(visit: Visit, secret: str | None = None) -> Response:
    """All tokens; a new one's secret, once."""
    visit.signed_in("admin")
    with visit.desk.store.read() as connection:
        rows = access.list_tokens(connection)
    return visit.page(
        "admin/tokens.html",
        here="admin",
        rows=[(one, told(one.created), told(one.expires), told(one.revoked)) for one in rows],
        scopes=access.SCOPES,
        secret=secret,
    )


def token_made(visit: Visit) -> Response:
    """A new token."""
    visit.signed_in("admin")
    name, expires = text(visit, "name"), moment(visit, "expires", ends=True)
    scopes = [scope for scope in visit.form.getlist("scope") if isinstance(scope, str)]
    secret, number = visit.desk.store.writer.do(
        lambda connection: access.make_token(
            connection,
            name,
            scopes,
            or_none(visit, "source"),
            bool(visit.given("review")),
            expires,
            now=visit.desk.clock(),
        )
    )
    noted(visit, "make token", f"token {number}")
    return token_list(visit, secret)


def token_revoked(visit: Visit) -> Response:
    """A token that opens nothing any more."""
    actor = visit.signed_in("admin")
    number = visit.number("number")
    if number == actor.token:
        raise NotAllowed("own_token", "you are signed in with this one: sign in with another first")
    visit.desk.store.writer.do(
        lambda connection: access.revoke_token(connection, number, visit.desk.clock())
    )
    noted(visit, "revoke token", f"token {number}")
    return RedirectResponse("/admin/tokens", 303)


def webhook_list(visit: Visit, secret: str | None = None) -> Response:
    """All webhooks and what became of the last messages."""
    visit.signed_in("admin")
    with visit.desk.store.read() as connection:
        rows = [
            (one, told(one.stopped), webhooks.list_deliveries(connection, one.id, DELIVERIES))
            for one in webhooks.list_webhooks(connection)
        ]
    return visit.page(
        "admin/webhooks.html", here="admin", rows=rows, shapes=webhooks.SHAPES, secret=secret
    )


def webhook_made(visit: Visit) -> Response:
    """Somebody else who is told."""
    visit.signed_in("admin")
    secret = token_urlsafe(32)
    events = visit.given("events").split() or [webhooks.EVERY]
    number = visit.desk.store.writer.do(
        lambda connection: webhooks.register_webhook(
            connection,
            text(visit, "url"),
            secret,
            events,
            visit.given("shape", "prowess"),
            now=visit.desk.clock(),
        )
    )
    noted(visit, "make webhook", f"webhook {number}")
    return webhook_list(visit, secret)


def webhook_stopped(visit: Visit) -> Response:
    """Somebody who is told no more."""
    visit.signed_in("admin")
    number = visit.number("number")
    visit.desk.store.writer.do(
        lambda connection: webhooks.stop_webhook(connection, number, visit.desk.clock())
    )
    noted(visit, "stop webhook", f"webhook {number}")
    return RedirectResponse("/admin/webhooks", 303)


def audit(visit: Visit) -> Response:
    """Who did what, the newest first."""
    visit.signed_in("admin")
    with visit.desk.store.read() as connection:
        rows = access.read_lines(connection, LINES, visit.before())
    return visit.page(
        "admin/audit.html",
        here="admin",
        rows=[(one, told(one.at)) for one in rows],
        more=rows[-1].id if len(rows) == LINES else None,
    )
