"""Data as bytes: JSON and CSV at full precision, with every text as it was given."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from prowess.games.names import guard_cell

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def json_bytes(data: Any) -> bytes:
    """UTF-8; numbers that are not finite become null, halves of letters are written escaped."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A header and rows; what is absent is empty, and no text is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [["" if (v := row.get(c)) is None else guard_cell(v) for c in columns] for row in rows]
    )
    return text.getvalue()


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
