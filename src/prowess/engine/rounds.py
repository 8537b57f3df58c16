"""Which games are judged together, and what the system's clock shows at each round."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.periods import Period, period_of
from prowess.engine.system import Dynamic
from prowess.games.dates import format_date
from prowess.games.games import Games

if TYPE_CHECKING:
    from numpy.typing import NDArray

BY_LABEL = "round"  # the word for rounds as the table itself names them
LABEL_GAP = 180.0  # days; the same label after a longer pause is taken for a mistake


class BadRounds(ValueError):
    """A table that cannot be cut into the rounds that were asked for."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """How a table is played: `bounds` None means that every game is a round of its own."""

    order: NDArray[np.int64] | None  # rows in the order of play, None as they stand
    bounds: NDArray[np.int64] | None  # round r is rows bounds[r]:bounds[r + 1]
    clock: NDArray[np.float64] | None  # per round in the system's unit; None without time


def rounds_of(system: Dynamic, table: Games, period: str | None) -> Rounds:
    """Cut a table into rounds; raises BadRounds or BadPeriod when that cannot be done."""
    if not table.pairwise:
        if period is not None:
            raise BadRounds("every contest is a round by itself: leave the period out")
        return Rounds(None, table.start, _ticks(system, table.time))
    if period is None:
        if system.rounds == "period":
            raise BadRounds(
                f"{system.name} rates whole rounds: give a period, such as 1mo, "
                f"or {BY_LABEL!r} for the table's own rounds"
            )
        return Rounds(None, None, _ticks(system, table.time))
    if system.rounds == "game":
        raise BadRounds(f"{system.name} rates every game or contest at once: leave the period out")
    if period == BY_LABEL:
        return _labelled(system, table)
    return _periodic(system, table, period_of(period))


def _periodic(system: Dynamic, games: Games, period: Period) -> Rounds:
    if games.time is None:
        raise BadRounds(f"a period of {period} needs dates, and the table has none")
    number = period.number(games.time)
    bounds = _runs(number)
    first = bounds[:-1]
    if system.follows_period:
        return Rounds(None, bounds, number[first].astype(np.float64))
    return Rounds(None, bounds, _ticks(system, games.time[first]))


def _labelled(system: Dynamic, games: Games) -> Rounds:
    if games.round is None:
        raise BadRounds("rounds by label need a column of rounds, and the table has none")
    label = games.round
    _, first_row, number = np.unique(label, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first_row))  # labels in order of first appearance
    place = rank[number]
    order = None if np.all(np.diff(place) >= 0) else np.argsort(place, kind="stable")
    bounds = _runs(place if order is None else place[order])
    time = games.time
    if time is not None and len(time):
        if order is not None:
            time = time[order]
        gap = np.diff(time)
        gap[bounds[1:-1] - 1] = 0.0  # between two rounds any pause is fine
        if len(gap) and gap.max() > LABEL_GAP:
            at = int(gap.argmax())
            first, second = (at, at + 1) if order is None else order[at : at + 2].tolist()
            raise BadRounds(
                f"one round holds {_named(games, first)} and {_named(games, second)}, "
                f"{gap[at]:.0f} days later, with none between: either a date is wrong, or the "
                "label is used again and more columns tell rounds apart (round = season,round)"
            )
    count = len(bounds) - 1
    if system.follows_period:
        return Rounds(order, bounds, np.arange(count, dtype=np.float64))
    first = None if time is None else time[bounds[:-1]]
    if first is not None:
        first = np.maximum.accumulate(first)
    return Rounds(order, bounds, _ticks(system, first))


def _named(games: Games, row: int) -> str:
    assert games.time is not None
    ends = games.ends[games.start[row] : games.start[row] + 3]
    first, second = (
        " & ".join(games.players[player] for player in games.player[low:high].tolist())
        for low, high in pairwise(ends.tolist())
    )
    return f"{first} - {second} on {format_date(float(games.time[row]))}"


def _ticks(system: Dynamic, time: Any) -> NDArray[np.float64] | None:
    """Times in days as the system's clock shows them; None where it has no use for time."""
    if time is None or (system.drift is None and system.league is None):
        return None
    days = period_of(system.clock).days
    ticks: NDArray[np.float64] = time if days == 1.0 else time / days
    return ticks


def _runs(number: NDArray[Any]) -> NDArray[np.int64]:
    """The bounds of runs of equal numbers."""
    changes = np.flatnonzero(np.diff(number)) + 1
    bounds = np.concatenate(([0], changes, [len(number)])) if len(number) else np.array([0])
    return bounds.astype(np.int64)
