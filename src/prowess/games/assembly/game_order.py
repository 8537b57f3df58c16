"""Columns of gathered games: which games stay, and their order in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.games.columns import is_ascending
from prowess.games.dates import format_day
from prowess.games.errors import Suspicion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.roles.lineups import Members

    Mask = NDArray[np.bool_]

FEWEST_DATES = 3  # different ones, of which one may lie far from the others
FAR = 5.0 * 365.25  # days
MANY = 1_000_000  # rows; from here on sorting is compiled
FEWEST_NIL, SHARE_NIL = 3, 0.2  # games 0:0 in a row at one end, and their share of the others


def players_among(
    some: NDArray[np.int64], columns: dict[str, Any], players: int, lineups: Members | None
) -> Mask:
    """The games in which one of some of so many players stands."""
    among = np.zeros(players, np.bool_)
    among[some] = True
    found: Mask = (
        among[columns["a"]] | among[columns["b"]]
        if lineups is None
        else lineups.having(among)[columns["row"]]
    )
    return found


def note_newest_first(columns: dict[str, NDArray[Any]]) -> Suspicion | None:
    """The note on a table whose times fall from row to row, and in which a player has several
    games of one time: it is open which of these was the first.
    """
    time = columns["time"]
    if "a" not in columns or not is_ascending(-time) or len(time) > MANY:
        return None
    players = np.concatenate((columns["a"], columns["b"])).astype(np.int64)
    same = np.concatenate((time, time))
    order = np.lexsort((same, players))
    twice = (players[order][1:] == players[order][:-1]) & (same[order][1:] == same[order][:-1])
    if not twice.any():
        return None
    return Suspicion(
        "the newest games stand first, and a player has several of one time, which are taken in "
        'the order of the file: say order="reversed" (--row-order reversed) or order="file"',
        'newest first: games of one time as in the file (order="reversed", --row-order reversed?)',
    )


def note_far_dates(time: NDArray[np.float64]) -> Suspicion | None:
    """The note on a first or last date that lies years from all others: a slip, or no date."""
    days = np.sort(time)
    days = days[np.diff(days, prepend=-np.inf) > 0.0]  # np.unique imports masked arrays
    if len(days) < FEWEST_DATES:
        return None
    for at, gap, span in (
        (0, days[1] - days[0], days[-1] - days[1]), (-1, days[-1] - days[-2], days[-2] - days[0]),
    ):  # fmt: skip
        if gap > max(FAR, 2.0 * span):
            day = format_day(float(days[at]))
            return Suspicion(
                f"the date {day} lies {gap / 365.25:.0f} years from all others", f"the date {day}"
            )
    return None


def note_nil_end(a: NDArray[np.float64], b: NDArray[np.float64]) -> Suspicion | None:
    """The note on games at the end, or the beginning, that are all 0:0, as fixtures are."""
    nil = (a == 0.0) & (b == 0.0)
    for rows in (nil, nil[::-1]):
        decided = np.flatnonzero(~rows)
        count = int(decided[0]) if len(decided) else 0
        others = rows[count:]
        if count >= FEWEST_NIL and len(others) > count and others.mean() < SHARE_NIL:
            return Suspicion(
                f"{count:,} games in a row are 0:0, as if they were not played yet: clear the "
                "scores of those that were not",
                f"{count:,} games in a row are 0:0",
            )
    return None


def order_by_time(columns: dict[str, NDArray[Any]]) -> None:
    """Put the rows of all columns in order of time, rows of equal time as they stand."""
    if len(columns["time"]) >= MANY:
        from prowess.compile import kernel
        from prowess.games.cells.loops import reorder, sort_by_time

        if kernel.available():
            order = sort_by_time(columns["time"])
            for name in list(columns):  # one at a time: the old one is given up at once
                columns[name] = reorder(columns[name], order)
            return
    order = np.argsort(columns["time"], kind="stable")
    for name, values in columns.items():
        columns[name] = values[order]
