"""Encoding of JSON and of times, at full precision."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any

from pydantic import WithJsonSchema

from prowess.games.dates import format_moment, parse_moment
from prowess.live.journal.submission import FIRST, LAST

JsonTime = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Value = float | None  # a number; null if it is not finite
Values = dict[str, Value]


def encode_json(data: Any) -> bytes:
    """Encode data as UTF-8 JSON; non-finite numbers become null, lone surrogates are escaped."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


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
