"""Answers: in the form that was asked for, and not again to those who know them already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Header, Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from prowess.live.api.cursors import link
from prowess.live.api.problems import Problem
from prowess.live.api.wire import json_bytes
from prowess.live.journal.outcomes import IdempotencyKey
from prowess.present.pages.wording import format_csv

JSON, CSV, HTML = "application/json", "text/csv", "text/html"
CSV_TYPE = "text/csv; charset=utf-8; header=present"
ALSO_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {CSV: {}}}}  # for the schema
Limit = Annotated[int, Query(ge=1, le=1000, description="Rows of a page.")]
Cursor = Annotated[str | None, Query(max_length=1000, description="`next` of the page before.")]
Preview = Annotated[bool, Query(description="Change nothing; say who would move.")]
LookAlikes = Annotated[
    bool,
    Query(
        description="Take new names that look like other players' names, which else are refused."
    ),
]
KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="The same key and request get the same answer for a day at least.",
    ),
]
Revision = Annotated[int | None, Query(ge=1, le=2**62, description="As known at this revision.")]
AsOf = Annotated[
    str | None,
    Query(max_length=40, description="After all games of this day.", examples=["2024-06-30"]),
]
Text = Annotated[str | None, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


def form(request: Request, offered: Sequence[str] = (JSON, CSV)) -> str:
    """The form of the answer: by the suffix of the path, else by `Accept`; raises Problem 406."""
    for kind, suffix in ((JSON, ".json"), (CSV, ".csv")):
        if kind in offered and getattr(request.scope.get("route"), "path", "").endswith(suffix):
            return kind
    accepted = _accepted(request.headers.get("accept", "*/*"))
    best, kind = max(
        ((_quality(accepted, one), one) for one in offered), key=lambda found: found[0]
    )
    if best <= 0.0:
        raise Problem(406, "not_acceptable", f"this is told as {' or '.join(offered)}")
    return kind


def page_wanted(request: Request) -> bool:
    """Whether a page is more welcome than data, as it is to browsers."""
    accepted = _accepted(request.headers.get("accept", "*/*"))
    return _quality(accepted, HTML) > _quality(accepted, JSON)


def shown(
    request: Request,
    data: Any,
    *,
    etag: str | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An answer as JSON; 304 without a body where the client has it."""
    told = dict(headers or {})
    if etag is not None:
        told |= tagged(etag)
        if known(request, etag):
            return Response(status_code=304, headers=told)
    return Response(json_bytes(data), status, told, JSON)


def paged(
    request: Request,
    rows: list[dict[str, Any]],
    cursor: str | None,
    *,
    revision: int,
    etag: str | None = None,
    head: Mapping[str, Any] | None = None,
    columns: Sequence[str] | None = None,
    flat: Sequence[dict[str, Any]] | None = None,
) -> Response:
    """A page of rows; also CSV where `columns` say how, of `flat` rows where rows are nested."""
    address, headers = link(request, cursor)
    kind = JSON if columns is None else form(request)
    if etag is not None:
        etag = f"{etag}-csv" if kind == CSV else etag
        headers |= tagged(etag)
        if known(request, etag):
            return Response(status_code=304, headers=headers)
    if kind == CSV:
        assert columns is not None
        text = format_csv(columns, rows if flat is None else flat)
        headers["Prowess-Revision"] = str(revision)
        return Response(text.encode("utf-8", "replace"), 200, headers, CSV_TYPE)
    data = {"revision": revision, **(head or {}), "items": rows, "next": address}
    return Response(json_bytes(data), 200, headers, JSON)


def tagged(etag: str) -> dict[str, str]:
    """The headers of something that changes with the revision."""
    return {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}


def known(request: Request, etag: str) -> bool:
    """Whether If-None-Match says that the client has this."""
    given = request.headers.get("if-none-match")
    if given is None or request.method not in ("GET", "HEAD"):
        return False
    tags = [one.strip().removeprefix("W/") for one in given.split(",")]
    return "*" in tags or f'"{etag}"' in tags


def answer_key(request: Request, key: str | None, body: bytes | str) -> IdempotencyKey | None:
    """The Idempotency-Key with the fingerprint of the request it came with."""
    if key is None:
        return None
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    path = request.scope["path"].encode("utf-8", "surrogatepass")
    mark = sha256(b"%s %s?%s\n" % (request.method.encode(), path, request.scope["query_string"]))
    mark.update(raw)
    return IdempotencyKey(key, mark.hexdigest())


def _accepted(header: str) -> list[tuple[str, float]]:
    found = []
    for one in header.split(","):
        kind, *settings = (part.strip() for part in one.split(";"))
        weight = 1.0
        for setting in settings:
            name, _, value = setting.partition("=")
            if name.strip() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        found.append((kind.casefold(), weight))
    return found


def _quality(accepted: list[tuple[str, float]], kind: str) -> float:
    """How welcome a form is; the most specific mention counts."""
    for wanted in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        for named, weight in accepted:
            if named == wanted:
                return weight
    return 0.0
