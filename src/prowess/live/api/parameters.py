"""What the one who asks may do, and the desk he asks."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, get_origin

from fastapi import Depends, Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from prowess.live.api.limits import Settings
from prowess.live.api.problems import Fault, Problem
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


def get_desk(request: Request) -> Journal:
    """The desk of this server."""
    desk: Journal = request.app.state.desk
    return desk


def get_settings(request: Request) -> Settings:
    """The settings of this server."""
    settings: Settings = request.state.settings
    return settings


def require_scope(scope: str, scheme: HTTPBearer = SCHEME) -> Callable[..., Actor]:
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


TheDesk = Annotated[Journal, Depends(get_desk)]
TheSettings = Annotated[Settings, Depends(get_settings)]
Reader = Annotated[Actor, Depends(require_scope(READ, READING))]
Submitter = Annotated[Actor, Depends(require_scope(SUBMIT))]
Corrector = Annotated[Actor, Depends(require_scope(CORRECT))]
Admin = Annotated[Actor, Depends(require_scope(ADMIN))]


# A misspelt question is refused: `?dryrun=1` must not write.


def check_query_names(request: Request) -> None:
    """Raise Problem for a query parameter that the address does not have, or has once only."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = _named(route.dependant)
    several = _named(route.dependant, lists=True)
    given = [name for name, _ in request.query_params.multi_items()]
    faults = []
    for name in dict.fromkeys(given):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            faults.append(Fault("unknown_parameter", f"no such parameter here{hint}", name[:100]))
        elif given.count(name) > 1 and name not in several:
            faults.append(Fault("repeated_parameter", "stands there more than once", name))
    if faults:
        told = f"{faults[0].field}: {faults[0].message}"
        raise Problem(422, faults[0].code, told, faults)


def _named(dependant: Dependant, *, lists: bool = False) -> list[str]:
    """The query parameters of an address and of all it depends on, or those that may repeat."""
    own = [
        field.alias
        for field in dependant.query_params
        if not lists or get_origin(field.field_info.annotation) is list
    ]
    return own + [name for one in dependant.dependencies for name in _named(one, lists=lists)]
