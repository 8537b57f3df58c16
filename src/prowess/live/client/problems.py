"""What can go wrong between a program and the server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPMessage
from typing import Any, NamedTuple


class Away(Exception):
    """No answer came: the server is away, or the way there. It may have taken what was sent."""


class Fault(NamedTuple):
    """One thing that is wrong: a stable code, a sentence, the path to the field, the row from 0."""

    code: str
    message: str
    field: str | None = None
    row: int | None = None


class Problem(Exception):
    """The server's answer is an error (RFC 9457); nothing of the request took effect.

    `code` is stable and for programs, `errors` has every fault that has a place, `retry_after`
    is how many seconds the server asks to wait.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: tuple[Fault, ...] = (),
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status, self.code, self.detail, self.errors = status, code, detail, errors
        self.retry_after, self.request_id = retry_after, request_id

    @property
    def passing(self) -> bool:
        """Whether the same request may be taken later: nothing is wrong with what it says."""
        return self.status >= 500 or self.status in {401, 403, 404, 408, 425, 429}


def problem(status: int, headers: HTTPMessage, body: bytes) -> Problem:
    """An answer that is an error; also one that some other program on the way gave."""
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        start = " ".join(body[:200].decode("utf-8", "replace").split())
        said = {"detail": start or "no reason was given"}
    return Problem(
        status,
        str(said.get("code", f"http_{status}")),
        str(said.get("detail", said.get("title", "no reason was given"))),
        tuple(fault(one) for one in said.get("errors", ()) if isinstance(one, dict)),
        _seconds(headers.get("Retry-After")),
        said.get("request_id") or headers.get("X-Request-Id"),
    )


def fault(data: Mapping[str, Any]) -> Fault:
    """A fault as the server writes it."""
    said = str(data.get("message", data.get("detail", "")))
    return Fault(str(data.get("code", "refused")), said, data.get("field"), data.get("row"))


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdigit() else None
