"""Parameters of the routes: authorisation, path and query parameters, headers.

Dependencies are coroutines: FastAPI runs each plain function in another thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from typing import Annotated, Literal, get_origin
from weakref import WeakKeyDictionary

from fastapi import Depends, Header, Path, Query, Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BeforeValidator, StringConstraints

from prowess.live.api.middleware import ServerSettings, join_segment
from prowess.live.api.models import BIGGEST
from prowess.live.api.problems import FieldFault, HttpProblem
from prowess.live.journal.journal import Journal
from prowess.live.store.access import Actor

READ, SUBMIT, ADMIN = "read", "submit", "admin"
ANYONE = Actor(token=None, name="anyone", scopes=frozenset(), source=None, review=False)
SCHEME = HTTPBearer(
    auto_error=False, scheme_name="token", description="A token with scopes: prw_..."
)
READING = HTTPBearer(
    auto_error=False, scheme_name="reading", description="A token, where the server is private."
)


async def open_journal(request: Request) -> Journal:
    """The journal of this server."""
    journal: Journal = request.app.state.journal
    return journal


async def server_settings(request: Request) -> ServerSettings:
    """The settings of this server."""
    settings: ServerSettings = request.state.settings
    return settings


def require_scope(scope: str, scheme: HTTPBearer = SCHEME) -> Callable[..., Awaitable[Actor]]:
    """Make a dependency that checks the scope and returns the actor; `admin` has all scopes."""
    documented: object = Security(scheme)

    async def actor(request: Request, _: object = documented) -> Actor:
        return check_scope(request, scope)

    return actor


def check_scope(request: Request, scope: str) -> Actor:
    """The actor of the request; raises HttpProblem 401 without a token, 403 without the scope."""
    found: Actor | None = request.state.actor
    if scope == READ and not request.state.settings.private:
        return found or ANYONE
    if found is None:
        raise HttpProblem(
            401,
            "no_token",
            f"this needs a token with the scope {scope}: Authorization: Bearer prw_...",
            headers={"WWW-Authenticate": 'Bearer realm="prowess"'},
        )
    if not found.may(scope):
        has = ", ".join(sorted(found.scopes)) or "none"
        raise HttpProblem(
            403, "scope_missing", f"this needs the scope {scope}; the token has {has}"
        )
    return found


TheJournal = Annotated[Journal, Depends(open_journal)]
TheSettings = Annotated[ServerSettings, Depends(server_settings)]
Reader = Annotated[Actor, Depends(require_scope(READ, READING))]
Submitter = Annotated[Actor, Depends(require_scope(SUBMIT))]
Admin = Annotated[Actor, Depends(require_scope(ADMIN))]

CategoryKey = Annotated[str, Path(max_length=40, description="The key of the category.")]
Number = Annotated[int, Path(ge=1, le=BIGGEST, description="The number of the result.")]
Player = Annotated[
    str,
    BeforeValidator(join_segment),
    Path(max_length=200, description="A current or former name of the player; / as %2F."),
]
Limit = Annotated[int, Query(ge=1, le=1000, description="Rows per page.")]
Cursor = Annotated[str | None, Query(max_length=1000, description="`next` of the previous page.")]
Preview = Annotated[
    bool, Query(description="Change nothing; return the ratings that would change.")
]
DryRun = Annotated[bool, Query(description="Return the outcome; write nothing.")]
LookAlikes = Annotated[
    bool,
    Query(description="Accept new names that look like names of other players."),
]
KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="The same key and request get the same answer for at least a day.",
    ),
]
Revision = Annotated[int | None, Query(ge=1, le=2**62, description="As known at this revision.")]
AsOf = Annotated[
    str | None,
    Query(max_length=40, description="After all games of this day.", examples=["2024-06-30"]),
]
Include = Annotated[
    Literal["listed", "all"],
    Query(description="all: also list and rank provisional and inactive players."),
]
Text = Annotated[str | None, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]

_names: WeakKeyDictionary[Callable[..., object], tuple[list[str], list[str]]] = (
    WeakKeyDictionary()  # by endpoint: all names, and those that may repeat
)


async def check_query_names(request: Request) -> None:
    """Raise HttpProblem for an unknown or repeated query parameter: `?dryrun=1` must not write."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute) or not request.scope["query_string"]:
        return
    if route.endpoint not in _names:
        own = route.dependant
        _names[route.endpoint] = _query_names(own), _query_names(own, lists=True)
    known, several = _names[route.endpoint]
    given = [name for name, _ in request.query_params.multi_items()]
    faults = []
    for name in dict.fromkeys(given):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            faults.append(
                FieldFault("unknown_parameter", f"no such parameter here{hint}", name[:100])
            )
        elif given.count(name) > 1 and name not in several:
            faults.append(FieldFault("repeated_parameter", "give it once: it is repeated", name))
    if faults:
        message = f"{faults[0].field}: {faults[0].message}"
        raise HttpProblem(422, faults[0].code, message, faults)


def _query_names(dependant: Dependant, *, lists: bool = False) -> list[str]:
    """Names of the query parameters of a route and its dependencies; `lists`: of lists only."""
    own = [
        field.alias
        for field in dependant.query_params
        if not lists or get_origin(field.field_info.annotation) is list
    ]
    return own + [name for one in dependant.dependencies for name in _query_names(one, lists=lists)]
