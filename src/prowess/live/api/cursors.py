"""Where a page ended, as a text that clients hand back unread."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from math import isfinite
from urllib.parse import urlencode

from fastapi import Request

from prowess.live.api.problems import Fault, Problem

Part = int | float | str
BIGGEST = 2**63


def cursor_of(*parts: Part) -> str:
    """The text for a place."""
    return urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def place_of(cursor: str | None, *kinds: type) -> tuple[Part, ...] | None:
    """The place behind a text; raises Problem for one that did not come from here."""
    if cursor is None:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        parts = json.loads(urlsafe_b64decode(padded))
        if [type(part) for part in parts] == list(kinds) and all(map(_sound, parts)):
            return tuple(parts)
    except (ValueError, TypeError, RecursionError):
        pass
    told = "not a cursor of this listing; take `next` of the page before, or leave it out"
    raise Problem(422, "bad_cursor", told, [Fault("bad_cursor", told, "cursor")])


def link(request: Request, cursor: str | None) -> tuple[str | None, dict[str, str]]:
    """The address of the next page, and the same as a `Link` header."""
    if cursor is None:
        return None, {}
    kept = [(k, v) for k, v in request.query_params.multi_items() if k != "cursor"]
    path = request.scope.get("raw_path", request.url.path.encode()).decode("ascii", "replace")
    address = f"{path}?{urlencode([*kept, ('cursor', cursor)])}"
    return address, {"Link": f'<{address}>; rel="next"'}


def _sound(part: Part) -> bool:
    if isinstance(part, str):
        return part.isprintable()
    return isfinite(part) if isinstance(part, float) else abs(part) < BIGGEST
