"""Encoding of JSON, of times, and of errors as problem details (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from math import isfinite
from typing import Annotated, Any, NamedTuple, NotRequired, Self

from fastapi.exceptions import RequestValidationError
from pydantic import WithJsonSchema
from pydantic_core import PydanticSerializationError, to_json
from sqlalchemy.exc import DataError, DBAPIError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypedDict

from prowess.engine.fit import NoModel
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.params import BadSetting
from prowess.engine.periods import BadPeriod, BadRounds
from prowess.engine.system import Unratable
from prowess.games.arguments import BadArgument
from prowess.games.dates import format_moment, parse_moment
from prowess.games.errors import word_message
from prowess.live.errors import Busy, Refused, RefusedMany, StoreError, WrongUse
from prowess.live.journal.submission import FIRST, LAST
from prowess.live.store.access import NoToken
from prowess.live.store.webhooks import NoWebhook
from prowess.study.backtest import NoForecast
from prowess.systems.catalogue import UnknownSystem

JsonTime = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Value = float | None  # a number; null if it is not finite
Values = dict[str, Value]


def encode_json(data: Any) -> bytes:
    """Encode data as UTF-8 JSON; non-finite numbers become null, lone surrogates are escaped."""
    try:
        return to_json(data, inf_nan_mode="null")
    except PydanticSerializationError:  # lone surrogates are none of UTF-8
        return json.dumps(_finite(data), separators=(",", ":")).encode()


def refuse_repeated_keys(body: bytes) -> None:
    """Raise Refused for JSON that gives a key of an object twice: one of them would be lost.

    What is no JSON is left to its reader.
    """
    try:
        json.loads(body, object_pairs_hook=check_keys)
    except (ValueError, RecursionError):
        return


def check_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; raises Refused where it has a key twice."""
    found = dict(pairs)
    if len(pairs) > len(found):
        keys = [key for key, _ in pairs]
        name = next(key for key in keys if keys.count(key) > 1)[:100]
        raise Refused.of("repeated_key", name=name, field=name)
    return found


DECODER = json.JSONDecoder(object_pairs_hook=check_keys)


def format_time(time: int | None) -> str | None:
    """Format microseconds since 1970 as ISO 8601 in UTC without loss."""
    if time is None:
        return None
    return format_moment(time, "Z")


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data


def parse_time(text: str, end_of_day: bool = False) -> int:
    """Parse an ISO 8601 time (default zone: UTC) to microseconds since 1970.

    A date means its first moment, with `end_of_day` its last. Raises ValueError.
    """
    try:
        found = parse_moment(text, end_of_day)
        if not FIRST <= found <= LAST:
            raise ValueError  # another zone's first or last day
        return found
    except ValueError:
        raise ValueError("not a time such as 2024-06-30T17:05:00Z") from None


# Headers of requests.


def media_type(given: str) -> str:
    """The media type of `Content-Type`, in small letters and without its parameters."""
    return given.partition(";")[0].strip().casefold()


def accept_quality(given: str, kind: str) -> float:
    """The quality of a media type in `Accept`, or of an encoding in `Accept-Encoding`; the most
    specific entry counts.
    """
    weights: dict[str, float] = {}
    for one in given.split(","):
        named, *settings = (part.strip() for part in one.split(";"))
        weight = 1.0
        for setting in settings:
            name, _, value = setting.partition("=")
            if name.strip() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        weights.setdefault(named.casefold(), weight)
    for wanted in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        if wanted in weights:
            return weights[wanted]
    return 0.0


def has_tag(given: str, etag: str) -> bool:
    """Whether `If-None-Match` names an ETag, which is given in its quotes."""
    tags = [one.strip().removeprefix("W/") for one in given.split(",")]
    return "*" in tags or etag in tags


# Problem details. `code` is stable and meant for programs; `errors` lists every fault with the path
# to its field and, in bulk requests, the row, counted from 0.

MEDIA_TYPE = "application/problem+json"
OUT_OF_REACH = "the store cannot be reached; try again later"
MOST_ERRORS = 1000  # listed in one response
RETRY = {"Retry-After": "5"}  # headers of what may be asked again soon
CODES = {
    HTTPStatus.BAD_REQUEST: "bad_request",
    HTTPStatus.NOT_FOUND: "no_such_address",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too_large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
}
STATED: tuple[tuple[type[Exception], int, str], ...] = (  # errors of the library
    (UnknownPlayer, 404, "no_such_player"),
    (NoModel, 422, "no_model"),
    (NoForecast, 422, "no_model"),
    (UnknownSystem, 422, "no_such_system"),
    (BadArgument, 422, "bad_value"),
    (BadSetting, 422, "bad_setting"),
    (BadPeriod, 422, "bad_period"),
    (BadRounds, 422, "bad_rounds"),
    (DataError, 422, "bad_value"),
    (NoToken, 422, "bad_token_request"),
    (NoWebhook, 422, "bad_webhook"),
    (Unratable, 422, "unratable"),
    (WrongUse, 422, "wrong_use"),
    (StoreError, 503, "store_out_of_reach"),
    (DBAPIError, 503, "store_out_of_reach"),
)


class FieldFault(NamedTuple):
    """One error of a request, with its field and row."""

    code: str
    message: str
    field: str | None = None
    row: int | None = None

    def __str__(self) -> str:
        place = [] if self.row is None else [f"row {self.row}"]
        return ": ".join([*place, *filter(None, (self.field, self.message))])

    def as_dict(self) -> dict[str, Any]:
        """Convert to a dict without fields of None."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class FaultJson(TypedDict):
    code: str
    message: str
    field: NotRequired[str]
    row: NotRequired[int]


class ProblemJson(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: NotRequired[list[FaultJson]]
    errors_total: NotRequired[int]


class HttpProblem(Exception):
    """An error response."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: Sequence[FieldFault] = (),
        headers: Mapping[str, str] | None = None,
        field: str | None = None,
    ) -> None:
        """`field` is that of the only fault."""
        super().__init__(detail)
        if field is not None:
            errors = [FieldFault(code, detail, field)]
        self.status, self.code, self.detail = status, code, detail
        self.errors, self.headers = tuple(errors), dict(headers or {})

    @classmethod
    def of(
        cls, sentence: str, status: int, /, headers: Mapping[str, str] | None = None, **facts: Any
    ) -> Self:
        """The problem with the sentence of this name in `refusals.toml`; its code is the name up to
        the dot.
        """
        message = word_message(sentence, facts)
        return cls(status, sentence.partition(".")[0], message, headers=headers)

    def response(self, request_id: str) -> Response:
        """Build the HTTP response."""
        data: dict[str, Any] = {
            "type": f"urn:prowess:problem:{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "request_id": request_id,
        }
        if self.errors:
            data["errors"] = [fault.as_dict() for fault in self.errors[:MOST_ERRORS]]
            data["errors_total"] = len(self.errors)
        return Response(encode_json(data), self.status, self.headers, MEDIA_TYPE)


def find_problem(error: Exception) -> HttpProblem | None:
    """Convert an exception to a problem; None for an unexpected exception."""
    if isinstance(error, HttpProblem):
        return error
    if isinstance(error, Refused):
        return _refusal_problem(error)
    if isinstance(error, RequestValidationError):
        return _validation_problem(error)
    if isinstance(error, HTTPException):
        if isinstance(error.__cause__, HttpProblem):  # of the middleware, while the body was read
            return error.__cause__
        code = CODES.get(HTTPStatus(error.status_code), f"http_{error.status_code}")
        return HttpProblem(error.status_code, code, str(error.detail), headers=error.headers)
    for kind, status, code in STATED:
        if isinstance(error, kind):
            message = str(error)
            if isinstance(error, DBAPIError):  # its text is not for clients
                message = "the store refused a value" if status == 422 else OUT_OF_REACH
            again = RETRY if status == 503 else {}
            return HttpProblem(status, code, message, headers=again)
    return None


def problem_response(request: Request, error: Exception) -> Response:
    """The exception handler of all known classes."""
    problem = find_problem(error)
    assert problem is not None
    request.state.code = problem.code
    return problem.response(request.state.id)


PLAIN_MESSAGES = {  # in place of messages of the validator
    "model_type": "send a JSON object",
    "model_attributes_type": "send a JSON object",
    "dict_type": "send a JSON object",
    "list_type": "send a JSON array",
    "union_tag_not_found": "give a number or a text",
    "missing": "add this field: it is required",
    "extra_forbidden": "remove this field: it is unknown",
    "string_pattern_mismatch": "remove characters that are not allowed",
}
OURS = {"union_tag_not_found": "bad_value"}  # in place of codes of the validator
CAUGHT: tuple[type[Exception], ...] = (
    HttpProblem,
    Refused,
    RequestValidationError,
    HTTPException,
    *(kind for kind, _, _ in STATED),
)


def _refusal_problem(error: Refused) -> HttpProblem:
    every: Sequence[Refused] = error.errors if isinstance(error, RefusedMany) else (error,)
    faults = [FieldFault(one.code, one.message, one.field, one.row) for one in every]
    placed = [fault for fault in faults if fault.field is not None or fault.row is not None]
    again = {"Retry-After": str(error.wait)} if isinstance(error, Busy) else {}
    return HttpProblem(error.status, error.code, error.message, placed, again)


def _validation_problem(error: RequestValidationError) -> HttpProblem:
    faults = [validation_fault(one) for one in error.errors()]
    if any(one["type"] == "json_invalid" for one in error.errors()):
        return HttpProblem(400, "not_json", f"the body is not JSON: {faults[0].message}", faults)
    count = "one value" if len(faults) == 1 else f"{len(faults)} values"
    message = f"{count} cannot be taken, the first: {faults[0]}"
    return HttpProblem(422, "invalid", message, faults)


def validation_fault(error: Mapping[str, Any], row: int | None = None) -> FieldFault:
    """Convert an error of the validator; the value is left out, as it may be long or secret."""
    parts = (str(part) for part in error["loc"] if part not in ("body", "query", "path", "header"))
    # without the tags of unions and dict keys
    where = [part for part in parts if part and not part.startswith("(") and part != "[key]"]
    message = PLAIN_MESSAGES.get(error["type"], error["msg"])
    return FieldFault(OURS.get(error["type"], error["type"]), message, ".".join(where) or None, row)
