"""Contests that an id tells apart: which further columns do not split them, and their one date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.errors import quote
from prowess.games.numbering import number_groups
from prowess.games.reading import format_count
from prowess.games.vocabulary import is_match, split_heading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.layout import Layout

IDS = frozenset({"id", "ids", "uuid", "guid", "key"})


def find_id(
    layout: Layout, keys: Mapping[str, NDArray[Any]], rows: Mapping[str, NDArray[Any]]
) -> str | None:
    """The id by which alone each player stands once in a contest, beside other keys that split it:
    moments of entry, or flags. None where there is none.

    Further columns are needed where by the id alone more players of a contest are first.
    """
    apart = number_groups([*keys.values()])
    for name in layout.contest:
        if name not in keys or (IDS.isdisjoint(split_heading(name)) and not is_match(name)):
            continue
        own = number_groups([keys[name]])
        if "row" not in rows and number_groups([own, rows["player"]]).max(initial=0) + 1 < len(own):
            continue
        beside = [key for other, key in keys.items() if other not in {name, layout.time}]
        if "place" in rows and not layout.team:
            first = rows["place"] == 1.0
            if np.bincount(own, first).max() > max(1.0, np.bincount(apart, first).max()):
                continue
        elif not _are_close(rows, own) or any(len(np.unique(key)) > 2 for key in beside):
            continue
        if np.bincount(own).min() > 1:
            return name
    return None


def _are_close(rows: Mapping[str, NDArray[Any]], contest: NDArray[np.int64]) -> bool:
    """Whether the dates of each contest lie within a week."""
    if "time" not in rows:
        return True
    low, high = _spans(rows["time"], contest)
    return bool((high - low).max() <= 7.0)  # days


def _spans(time: NDArray[Any], contest: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    low = np.full(int(contest.max()) + 1, np.inf)
    high = -low
    np.minimum.at(low, contest, time)
    np.maximum.at(high, contest, time)
    return low, high


def take_earliest(
    rows: dict[str, NDArray[Any]], contest: NDArray[np.int64], layout: Layout
) -> tuple[str, ...]:
    """Give all rows of a contest its earliest date; the note on contests that have several."""
    if "time" not in rows or not layout.time or not len(contest):
        return ()
    low, high = _spans(rows["time"], contest)
    several = int((high > low).sum())
    if not several:
        return ()
    rows["time"] = low[contest].astype(rows["time"].dtype)
    return (
        f"{format_count(several, 'contest')} with several dates in column {quote(layout.time)}: "
        'the earliest counts (time="none", --time none, for none)',
    )
