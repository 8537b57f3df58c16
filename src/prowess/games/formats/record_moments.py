"""The key of a record that holds the moment of a game."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

from prowess.games.roles.date_headings import DATE_LIKE
from prowess.games.vocabulary import is_date

MOMENTS = ("ended", "finished", "completed", "played", "closed", "", "when", "started", "created")
MOMENT = re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")
EARLIEST = 1e8  # seconds since 1970 that are a moment and no count


def name_moment(flat: list[dict[str, Any]], asked: Set[str]) -> list[dict[str, Any]]:
    """Records whose moment, such as `finished_at`, is called a date, where no key says it."""
    keys = dict.fromkeys(key for each in flat for key in each)
    if "date" in keys or any(DATE_LIKE.search(key) and is_date(key) for key in keys):
        return flat
    plain = {moment_word(key): key for key in keys if key not in asked}
    for word in MOMENTS:
        key = plain.get(word)
        if key is not None and all(map(is_moment, (each.get(key) for each in flat))):
            return [{"date" if key == name else name: value for name, value in each.items()}
                    for each in flat]  # fmt: skip
    return flat


def moment_word(key: str) -> str | None:
    """The word of a key that may be a moment: `finished` of `match.finishedAt`."""
    last = key.rpartition(".")[2].lower()
    for ending in ("_at", "at", "_time", "time", "_on"):
        if last.endswith(ending) and last.removesuffix(ending) in MOMENTS:
            return last.removesuffix(ending)
    return last if last in MOMENTS[:5] + MOMENTS[6:] else None


def is_moment(value: Any) -> bool:
    """Whether a value is missing, an ISO date, or so many seconds that it may be a moment."""
    if isinstance(value, str):
        return MOMENT.match(value) is not None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and value >= EARLIEST)
