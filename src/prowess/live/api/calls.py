"""Calls of the API: the parameters of the routes, and the forms of their responses.

The dependency of a route is a coroutine: FastAPI runs each plain function in another thread.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from hashlib import sha256
from ipaddress import ip_address
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, get_origin
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.security import HTTPBearer
from pydantic import BeforeValidator, StringConstraints
from sqlalchemy import Connection
from starlette.responses import Response

from prowess.live.api.encoding import (
    FieldFault,
    HttpProblem,
    ProblemJson,
    accept_quality,
    encode_json,
    has_tag,
    media_type,
    refuse_repeated_keys,
)
from prowess.live.api.middleware import API_PATH, API_V1, SAFE, TOKEN_WANTED, join_segment
from prowess.live.api.models import BIGGEST
from prowess.live.errors import NotAllowed, Refused
from prowess.live.journal.journal import Journal
from prowess.live.store.access import Actor
from prowess.present.rendering import format_csv

if TYPE_CHECKING:
    from prowess.live.api.category_view import CategoryView


READ, SUBMIT, ADMIN = "read", "submit", "admin"
METRICS = "metrics"
KEY_HEADER, KEY_FIELD, KEY_LETTERS = "Idempotency-Key", "idempotency-key", 200
PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")  # by proxies
ANYONE = Actor(token=None, name="anyone", scopes=frozenset(), source=None, review=False)
SCHEME = HTTPBearer(
    auto_error=False, scheme_name="token", description="A token with scopes: prw_..."
)
READ_TOKEN = HTTPBearer(
    auto_error=False, scheme_name="reading", description="A token, where the server is private."
)


class Call(NamedTuple):
    """A request with the journal of the server and the actor."""

    request: Request
    journal: Journal
    actor: Actor


def require_scope(*scopes: str, scheme: HTTPBearer = SCHEME) -> Callable[..., Awaitable[Call]]:
    """Make a dependency that checks the query names and for one of the scopes; `admin` has all."""
    documented: object = Security(scheme)

    async def find_call(request: Request, _: object = documented) -> Call:
        if request.scope["query_string"]:
            check_query_names(request)
        call = Call(request, request.app.state.journal, check_scope(request, *scopes))
        await read_sent(request)
        return call

    return find_call


def check_scope(request: Request, *scopes: str) -> Actor:
    """The actor of the request; raises HttpProblem 401 without a token, 403 without a scope."""
    found: Actor | None = request.state.actor
    scope = " or ".join(scopes)
    if scope == READ and not request.state.settings.private:
        return found or ANYONE
    if found is None:
        raise HttpProblem.of("no_token.scope", 401, TOKEN_WANTED, scope=scope)
    if not any(map(found.may, scopes)):
        has = ", ".join(sorted(found.scopes)) or "none"
        raise NotAllowed.of("scope_missing.scopes", scope=scope, has=has)
    return found


async def find_operator(request: Request, _: object = Security(SCHEME)) -> Call:
    """Check that a request comes from this machine itself, or from a token with `metrics`.

    What a proxy on this machine passes on does not come from it. Raises HttpProblem.
    """
    client = request.scope.get("client")
    passed = any(name in request.headers for name in PASSED_ON)
    if client is not None and is_loopback(client[0]) and not passed:
        return Call(request, request.app.state.journal, request.state.actor or ANYONE)
    return Call(request, request.app.state.journal, check_scope(request, METRICS))


def is_loopback(address: str) -> bool:
    """Whether an address is that of the machine itself."""
    with suppress(ValueError):
        number = ip_address(address)
        return (getattr(number, "ipv4_mapped", None) or number).is_loopback
    return False


Operator = Annotated[Call, Depends(find_operator)]
Reader = Annotated[Call, Depends(require_scope(READ, scheme=READ_TOKEN))]
Submitter = Annotated[Call, Depends(require_scope(SUBMIT))]
Admin = Annotated[Call, Depends(require_scope(ADMIN))]

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
        alias=KEY_HEADER,
        min_length=1,
        max_length=KEY_LETTERS,
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


MOST_NAMES, MOST_LETTERS = 50, 100  # parameters of a query, and letters of one that are looked at


def check_query_names(request: Request) -> None:
    """Raise HttpProblem for an unknown or repeated query parameter: `?dryrun=1` must not write."""
    route = request.scope["route"]
    if not request.scope["path"].startswith(API_V1):  # health and metrics take anything
        return
    known = _query_names(route.dependant)
    given = Counter(name for name, _ in request.query_params.multi_items())
    if len(given) > MOST_NAMES:
        raise Refused.of("too_many_parameters", most=MOST_NAMES, given=len(given))
    faults = []
    for name, count in given.items():
        if name not in known:
            near = get_close_matches(name[:MOST_LETTERS], known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            faults.append(
                FieldFault(
                    "unknown_parameter", f"no such parameter here{hint}", name[:MOST_LETTERS]
                )
            )
        elif count > 1 and not known[name]:
            faults.append(FieldFault("repeated_parameter", "give it once: it is repeated", name))
    if faults:
        raise HttpProblem(422, faults[0].code, str(faults[0]), faults)


def _query_names(dependant: Dependant) -> dict[str, bool]:
    """The query parameters of a route and its dependencies, and whether each may repeat."""
    known = {
        field.alias: get_origin(field.field_info.annotation) is list
        for field in dependant.query_params
    }
    for one in dependant.dependencies:
        known |= _query_names(one)
    return known


# Responses: JSON or CSV, pages with cursors, ETags and 304, idempotency keys.


Part = int | float | str
NO_HEADERS: Mapping[str, Any] = MappingProxyType({})


def make_cursor(*parts: Part) -> str:
    """Encode a position in a listing as a cursor."""
    return urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def parse_cursor(cursor: str | None, *kinds: type) -> tuple[Any, ...] | None:
    """Decode a cursor; raises HttpProblem for anything else."""
    if cursor is None:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        parts = json.loads(urlsafe_b64decode(padded))
        if [type(part) for part in parts] == list(kinds) and all(map(_is_valid_part, parts)):
            return tuple(parts)
    except (ValueError, TypeError, RecursionError):
        pass
    raise Refused.of("bad_cursor", field="cursor")


def next_link(request: Request, cursor: str | None) -> tuple[str | None, dict[str, str]]:
    """The URL of the next page, and the same as a `Link` header, which gets the root path later."""
    if cursor is None:
        return None, {}
    kept = [(k, v) for k, v in request.query_params.multi_items() if k != "cursor"]
    path = request.scope.get("raw_path", request.url.path.encode()).decode("ascii", "replace")
    address = f"{path}?{urlencode([*kept, ('cursor', cursor)])}"
    root = request.state.settings.root_path
    return f"{root}{address}", {"Link": f'<{address}>; rel="next"'}


def _is_valid_part(part: Part) -> bool:
    if isinstance(part, str):
        return part.isprintable()
    return isfinite(part) if isinstance(part, float) else abs(part) <= BIGGEST


JSON, CSV, HTML = "application/json", "text/csv", "text/html"
CSV_TYPE = "text/csv; charset=utf-8; header=present"
ALSO_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {CSV: {}}}}  # for the schema


Handler = TypeVar("Handler", bound=Callable[..., Response])
PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "A problem.", "model": ProblemJson}
}


def build_router(*tags: str) -> APIRouter:
    """A router whose routes are whole: an application takes them as they are.

    `include_router` would build them all again, in the first request.
    """
    return APIRouter(prefix=API_PATH, responses=PROBLEMS, tags=[*tags])


def csv_route(
    router: APIRouter, path: str, summary: str, model: Any, **more: Any
) -> Callable[[Handler], Handler]:
    """A decorator that adds a GET route for JSON or CSV, also under .json and .csv."""

    def decorate(function: Handler) -> Handler:
        for suffix in (".csv", ".json"):  # first, as a name at the end of a path matches everything
            router.get(path + suffix, include_in_schema=False)(function)
        router.get(path, summary=summary, response_model=model, responses=ALSO_CSV, **more)(
            function
        )
        return function

    return decorate


def select_format(request: Request) -> str:
    """JSON or CSV: by the suffix of the path, else by `Accept`; raises HttpProblem 406."""
    for kind, suffix in ((JSON, ".json"), (CSV, ".csv")):
        if request.scope["route"].path.endswith(suffix):
            return kind
    qualities = {
        kind: accept_quality(request.headers.get("accept", "*/*"), kind) for kind in (JSON, CSV)
    }
    best = max(qualities, key=qualities.__getitem__)
    if qualities[best] <= 0.0:
        raise HttpProblem.of("not_acceptable.table", 406, json=JSON, csv=CSV)
    return best


def is_html_preferred(request: Request) -> bool:
    """Whether `Accept` prefers HTML to JSON, as browsers do."""
    given = request.headers.get("accept", "*/*")
    return accept_quality(given, HTML) > accept_quality(given, JSON)


class JsonResponse(Response):
    """A response of plain data."""

    media_type = JSON
    render = staticmethod(encode_json)  # type: ignore[assignment]


def view_response(
    call: Call, view: CategoryView, data: Mapping[str, Any], *, head: bool = True
) -> Response:
    """Build a JSON response about a view of a category, with its head; 304 if the client has it."""
    headers = etag_headers(view.etag)
    if is_unchanged(call.request, view.etag):
        return Response(status_code=304, headers=headers)
    known: Mapping[str, Any] = view.head() if head else NO_HEADERS
    return JsonResponse({**known, "revision": view.revision, **data}, headers=headers)


def page_response(
    call: Call,
    rows: list[dict[str, Any]],
    cursor: str | None = None,
    *,
    view: CategoryView | None = None,
    revision: int | None = None,
    etag: str | None = None,
    head: Mapping[str, Any] = NO_HEADERS,
    columns: Sequence[str] | None = None,
    flat: Sequence[dict[str, Any]] | None = None,
) -> Response:
    """Build a page of rows as JSON, or with `columns` also as CSV (of `flat` rows if given).

    `view` gives the revision, the ETag and the head of a page about a category.
    """
    if view is not None:
        revision, etag, head = view.revision, view.etag, {**view.head(), **head}
    elif revision is None:
        revision = call.journal.revision
    address, headers = next_link(call.request, cursor)
    kind = JSON if columns is None else select_format(call.request)
    if etag is not None:
        etag = f"{etag}-csv" if kind == CSV else etag
        headers |= etag_headers(etag)
        if is_unchanged(call.request, etag):
            return Response(status_code=304, headers=headers)
    if kind == CSV and columns is not None:
        text = format_csv(columns, rows if flat is None else flat)
        headers["Prowess-Revision"] = str(revision)
        return Response(text.encode("utf-8", "replace"), 200, headers, CSV_TYPE)
    return JsonResponse(
        {"revision": revision, **head, "items": rows, "next": address}, headers=headers
    )


def read_page(
    call: Call,
    limit: int,
    cursor: str | None,
    read: Callable[[Connection, int, Any], Sequence[Any]],
    serialize: Callable[[Any], dict[str, Any]],
    *,
    by: str = "id",
    kind: type = int,
    tagged: bool = False,
    columns: Sequence[str] | None = None,
) -> Response:
    """A page of the rows of a listing that `read` finds: so many, behind a place or from the first.

    A place is the field `by` of a row, a value of a `kind`. A `tagged` listing changes with the
    revision alone.
    """
    (place,) = parse_cursor(cursor, kind) or (None,)
    now = call.journal.revision  # first: what is read afterwards is at least as new
    with call.journal.store.read() as connection:
        found = read(connection, limit + 1, place)
    more = make_cursor(getattr(found[limit - 1], by)) if len(found) > limit else None
    rows = [serialize(row) for row in found[:limit]]
    etag = f"r{now}" if tagged else None
    return page_response(call, rows, more, revision=now, etag=etag, columns=columns)


def etag_headers(etag: str) -> dict[str, str]:
    """The ETag and Cache-Control headers of a resource that changes with the revision."""
    return {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}


def is_unchanged(request: Request, etag: str) -> bool:
    """Whether If-None-Match matches: the client has the current version."""
    if request.method not in ("GET", "HEAD"):
        return False
    return has_tag(request.headers.get("if-none-match", ""), f'"{etag}"')


async def read_sent(request: Request) -> None:
    """Read the body of a write: refuse repeated keys of JSON, and note the hash of the bytes.

    Bodies of many results are read by their own routes. Raises HttpProblem.
    """
    if request.method in SAFE or request.scope["path"].endswith(":batch"):
        return
    body = await request.body()
    kind = media_type(request.headers.get("content-type", ""))
    if kind == JSON or kind.endswith("+json"):
        refuse_repeated_keys(body)
    if KEY_HEADER in request.headers:
        request.state.mark = sha256(body).hexdigest()
