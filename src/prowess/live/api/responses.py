"""Responses: JSON or CSV, pages with cursors, ETags and 304, idempotency keys."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import isfinite
from typing import Any, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from prowess.live.api.encoding import encode_json
from prowess.live.api.problems import FieldFault, HttpProblem
from prowess.live.journal.unit_of_work import IdempotencyKey
from prowess.present.wording import format_csv

Part = int | float | str
BIGGEST = 2**63


def make_cursor(*parts: Part) -> str:
    """Encode a position in a listing as a cursor."""
    return urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def parse_cursor(cursor: str | None, *kinds: type) -> tuple[Part, ...] | None:
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
    message = "use `next` of the previous page, or leave it out: this is no cursor of this listing"
    raise HttpProblem(422, "bad_cursor", message, [FieldFault("bad_cursor", message, "cursor")])


def next_link(request: Request, cursor: str | None) -> tuple[str | None, dict[str, str]]:
    """The URL of the next page, and the same as a `Link` header."""
    if cursor is None:
        return None, {}
    kept = [(k, v) for k, v in request.query_params.multi_items() if k != "cursor"]
    path = request.scope.get("raw_path", request.url.path.encode()).decode("ascii", "replace")
    address = f"{path}?{urlencode([*kept, ('cursor', cursor)])}"
    return address, {"Link": f'<{address}>; rel="next"'}


def _is_valid_part(part: Part) -> bool:
    if isinstance(part, str):
        return part.isprintable()
    return isfinite(part) if isinstance(part, float) else abs(part) < BIGGEST


JSON, CSV, HTML = "application/json", "text/csv", "text/html"
CSV_TYPE = "text/csv; charset=utf-8; header=present"
ALSO_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {CSV: {}}}}  # for the schema


Handler = TypeVar("Handler", bound=Callable[..., Response])


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


def select_format(request: Request, offered: Sequence[str] = (JSON, CSV)) -> str:
    """The media type: by the suffix of the path, else by `Accept`; raises HttpProblem 406."""
    for kind, suffix in ((JSON, ".json"), (CSV, ".csv")):
        if kind in offered and getattr(request.scope.get("route"), "path", "").endswith(suffix):
            return kind
    accepted = _parse_accept(request.headers.get("accept", "*/*"))
    best, kind = max(
        ((_accept_quality(accepted, one), one) for one in offered), key=lambda found: found[0]
    )
    if best <= 0.0:
        raise HttpProblem(406, "not_acceptable", f"accept {' or '.join(offered)}")
    return kind


def is_html_preferred(request: Request) -> bool:
    """Whether `Accept` prefers HTML to JSON, as browsers do."""
    accepted = _parse_accept(request.headers.get("accept", "*/*"))
    return _accept_quality(accepted, HTML) > _accept_quality(accepted, JSON)


def json_response(
    request: Request,
    data: Any,
    *,
    etag: str | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Build a JSON response, or 304 if the client has the current version."""
    values = dict(headers or {})
    if etag is not None:
        values |= etag_headers(etag)
        if is_unchanged(request, etag):
            return Response(status_code=304, headers=values)
    return Response(encode_json(data), status, values, JSON)


def page_response(
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
    """Build a page of rows as JSON, or with `columns` also as CSV (of `flat` rows if given)."""
    address, headers = next_link(request, cursor)
    kind = JSON if columns is None else select_format(request)
    if etag is not None:
        etag = f"{etag}-csv" if kind == CSV else etag
        headers |= etag_headers(etag)
        if is_unchanged(request, etag):
            return Response(status_code=304, headers=headers)
    if kind == CSV:
        assert columns is not None
        text = format_csv(columns, rows if flat is None else flat)
        headers["Prowess-Revision"] = str(revision)
        return Response(text.encode("utf-8", "replace"), 200, headers, CSV_TYPE)
    data = {"revision": revision, **(head or {}), "items": rows, "next": address}
    return Response(encode_json(data), 200, headers, JSON)


def etag_headers(etag: str) -> dict[str, str]:
    """The ETag and Cache-Control headers of a resource that changes with the revision."""
    return {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}


def is_unchanged(request: Request, etag: str) -> bool:
    """Whether If-None-Match matches: the client has the current version."""
    given = request.headers.get("if-none-match")
    if given is None or request.method not in ("GET", "HEAD"):
        return False
    tags = [one.strip().removeprefix("W/") for one in given.split(",")]
    return "*" in tags or f'"{etag}"' in tags


def answer_key(request: Request, key: str | None, body: bytes | str) -> IdempotencyKey | None:
    """The Idempotency-Key with the fingerprint of its request, or None."""
    if key is None:
        return None
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    path = request.scope["path"].encode("utf-8", "surrogatepass")
    mark = sha256(b"%s %s?%s\n" % (request.method.encode(), path, request.scope["query_string"]))
    mark.update(raw)
    return IdempotencyKey(key, mark.hexdigest())


def _parse_accept(header: str) -> list[tuple[str, float]]:
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


def _accept_quality(accepted: list[tuple[str, float]], kind: str) -> float:
    """The quality of a media type in `Accept`; the most specific entry counts."""
    for wanted in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        for named, weight in accepted:
            if named == wanted:
                return weight
    return 0.0
