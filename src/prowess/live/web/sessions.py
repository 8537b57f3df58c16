"""Pages that sign in with a token and sign out, and the audit log of pages."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from prowess.live.store import access
from prowess.live.store.access import Actor
from prowess.live.web.page_request import PageRequest, new_session
from prowess.live.web.server_links import ADMIN


def show_sign_in(request: PageRequest) -> Response:
    """The form that asks for a token."""
    return request.render("admin/login.html", here="login", next=request.query("next"), bad=False)


def sign_in(request: PageRequest) -> Response:
    """Begin a session with a token, and redirect."""
    actor = request.sessions.find_actor(request.field("token"))
    outcome = access.DONE if actor is not None else "unknown token"
    write_audit_line(request, "sign in", "", outcome, actor)
    if actor is None or actor.token is None:
        return request.render(
            "admin/login.html", here="login", next=request.field("next"), bad=True, status=403
        )
    there = local_address(request.field("next"))
    keeps = actor.may("submit") or actor.may("correct")
    response = RedirectResponse("/" if there == ADMIN and not keeps else there, 303)
    session = request.sessions.begin(actor, request.session)
    request.sessions.write(response, session, secure=request.is_encrypted)
    return response


def sign_out(request: PageRequest) -> Response:
    """End the session on the server, so that copies of the cookie are invalid too."""
    request.sessions.end(request.session)
    if request.actor is not None:
        write_audit_line(request, "sign out", "")
    response = RedirectResponse("/", 303)
    request.sessions.write(response, new_session(), secure=request.is_encrypted)
    return response


def local_address(there: str) -> str:
    """Check that an address is local; anything else becomes the administration page."""
    plain = there.startswith("/") and not there.startswith("//") and "\\" not in there
    return there if plain and there.isprintable() else ADMIN


def write_audit_line(
    request: PageRequest,
    action: str,
    target: str,
    outcome: str = access.DONE,
    actor: Actor | None = None,
) -> None:
    """Write a line of the audit log; `actor` if they are not signed in yet."""
    state = request.http.state
    address, request_id = getattr(state, "address", None), getattr(state, "id", None)
    request.journal.store.writer.do(
        lambda connection: access.add_line(
            connection,
            actor or request.actor,
            action,
            target,
            outcome,
            address,
            request_id,
            now=request.journal.clock(),
        )
    )
