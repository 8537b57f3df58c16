"""Signing in with a token, and out."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from prowess.live.pages.addresses import ADMIN
from prowess.live.pages.sessions import new_session
from prowess.live.pages.visits import Visit
from prowess.live.store import access
from prowess.live.store.access import Actor


def form(visit: Visit) -> Response:
    """The form that asks for a token."""
    return visit.page("admin/login.html", here="login", next=visit.asked("next"), bad=False)


def enter(visit: Visit) -> Response:
    """Sign in."""
    actor = visit.sessions.entered(visit.given("token"))
    outcome = access.DONE if actor is not None else "unknown token"
    noted(visit, "sign in", "", outcome, actor)
    if actor is None or actor.token is None:
        return visit.page(
            "admin/login.html", here="login", next=visit.given("next"), bad=True, status=403
        )
    there = inside(visit.given("next"))
    keeps = actor.may("submit") or actor.may("correct")
    response = RedirectResponse("/" if there == ADMIN and not keeps else there, 303)
    session = visit.sessions.begin(actor, visit.session)
    visit.sessions.write(response, session, secure=visit.encrypted)
    return response


def leave(visit: Visit) -> Response:
    """Sign out: the cookie opens nothing more, whoever has a copy of it."""
    visit.sessions.end(visit.session)
    if visit.actor is not None:
        noted(visit, "sign out", "")
    response = RedirectResponse("/", 303)
    visit.sessions.write(response, new_session(), secure=visit.encrypted)
    return response


def inside(there: str) -> str:
    """An address of this server; anything else becomes the first page of the keepers."""
    plain = there.startswith("/") and not there.startswith("//") and "\\" not in there
    return there if plain and there.isprintable() else ADMIN


def noted(
    visit: Visit,
    action: str,
    target: str,
    outcome: str = access.DONE,
    actor: Actor | None = None,
) -> None:
    """A line in the audit log; `actor` is who has only now said who he is."""
    state = visit.request.state
    address, request_id = getattr(state, "address", None), getattr(state, "id", None)
    visit.desk.store.writer.do(
        lambda connection: access.add_line(
            connection,
            actor or visit.actor,
            action,
            target,
            outcome,
            address,
            request_id,
            now=visit.desk.clock(),
        )
    )
