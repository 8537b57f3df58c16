"""Data as bytes: JSON and CSV at full precision, with every text as it was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from prowess.live.journal.submission import FIRST, LAST

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def encode_json(data: Any) -> bytes:
    """UTF-8; numbers that are not finite become null, halves of letters are written escaped."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def format_time(time: int | None) -> str | None:
    """Microseconds since 1970 as ISO 8601 in UTC, with as many digits as it takes."""
    if time is None:
        return None
    moment = EPOCH + timedelta(microseconds=time)
    digits = "seconds" if time % 1_000_000 == 0 else "microseconds"
    return moment.isoformat(timespec=digits).replace("+00:00", "Z")


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data


def parse_time(text: str, end_of_day: bool = False) -> int:
    """An ISO 8601 time (no zone: UTC) in microseconds since 1970; a date is its first moment.

    With `end_of_day` a date is its last moment. Raises ValueError.
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if end_of_day and len(text) <= len("2024-06-30"):
            moment += timedelta(days=1, microseconds=-1)
        found = (moment - EPOCH) // timedelta(microseconds=1)
        if not FIRST <= found <= LAST:
            raise ValueError  # another zone's first or last day
        return found
    except (ValueError, OverflowError):
        raise ValueError("not a time such as 2024-06-30T17:05:00Z") from None
