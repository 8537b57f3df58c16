"""Data as bytes: JSON and CSV at full precision, with every text as it was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def json_bytes(data: Any) -> bytes:
    """UTF-8; numbers that are not finite become null, halves of letters are written escaped."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def time_text(time: int | None) -> str | None:
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
