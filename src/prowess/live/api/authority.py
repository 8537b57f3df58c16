"""What the one who asks may do, and the desk he asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from prowess.live.api.problems import Problem
from prowess.live.api.settings import Settings
from prowess.live.journal.journal import Journal
from prowess.live.store.access import Actor

READ, SUBMIT, CORRECT, ADMIN = "read", "submit", "correct", "admin"
ANYONE = Actor(token=None, name="anyone", scopes=frozenset(), source=None, review=False)
SCHEME = HTTPBearer(
    auto_error=False, scheme_name="token", description="A token with scopes: prw_..."
)
READING = HTTPBearer(
    auto_error=False, scheme_name="reading", description="A token, where the server is private."
)


def the_desk(request: Request) -> Journal:
    """The desk of this server."""
    desk: Journal = request.app.state.desk
    return desk


def the_settings(request: Request) -> Settings:
    """The settings of this server."""
    settings: Settings = request.state.settings
    return settings


def allowed(scope: str, scheme: HTTPBearer = SCHEME) -> Callable[..., Actor]:
    """A dependency: the one who asks, if they may; `admin` may everything."""
    shown: object = Security(scheme)

    def actor(request: Request, _: object = shown) -> Actor:
        return check_scope(request, scope)

    return actor


def check_scope(request: Request, scope: str) -> Actor:
    """The one who asks; raises Problem where they may not, or nobody knows who they are."""
    found: Actor | None = request.state.actor
    if scope == READ and not request.state.settings.private:
        return found or ANYONE
    if found is None:
        raise Problem(
            401,
            "no_token",
            f"this needs a token with the scope {scope}: Authorization: Bearer prw_...",
            headers={"WWW-Authenticate": 'Bearer realm="prowess"'},
        )
    if not found.may(scope):
        has = ", ".join(sorted(found.scopes)) or "none"
        raise Problem(403, "scope_missing", f"this needs the scope {scope}; the token has {has}")
    return found


TheDesk = Annotated[Journal, Depends(the_desk)]
TheSettings = Annotated[Settings, Depends(the_settings)]
Reader = Annotated[Actor, Depends(allowed(READ, READING))]
Submitter = Annotated[Actor, Depends(allowed(SUBMIT))]
Corrector = Annotated[Actor, Depends(allowed(CORRECT))]
Admin = Annotated[Actor, Depends(allowed(ADMIN))]
