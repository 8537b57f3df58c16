"""Ladders: empty ones, those of a log, and those that were kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import settings
from prowess.engine.rate import moment
from prowess.engine.replay import State, Unratable
from prowess.engine.rounds import BY_LABEL
from prowess.engine.system import Dynamic
from prowess.engine.table import appearances
from prowess.live.facts import CONTESTS, days
from prowess.live.ladder.block import Block
from prowess.live.ladder.checkpoints import thinned
from prowess.live.ladder.contest_log import ContestLog
from prowess.live.ladder.course import Course
from prowess.live.ladder.game_log import ALWAYS, EXTRAS, GameLog, Labels
from prowess.live.ladder.packing import unpacked
from prowess.live.ladder.players import Names, Players, Roster
from prowess.live.ladder.position import Method, Position, rows_of
from prowess.live.ladder.replayed import ReplayedLadder
from prowess.live.ladder.turn import played, refuse_lost
from prowess.systems.catalogue import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.check import System
    from prowess.live.ladder.ladder import Ladder

    Columns = Mapping[str, Any]


def begun(
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
) -> Ladder:
    """A ladder without results; see `loaded`."""
    return loaded(system, params, period, kind, extra, names, {})


def loaded(
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
    columns: Columns,
) -> Ladder:
    """A ladder of results that count, in any order.

    Columns of games: id, time (microseconds), a, b (the store's numbers), score, and where they
    are not the usual side, weight; those of `extra`; round (texts) where rounds go by label.
    Columns of contests: id, time, weight, start (one more than there are contests), and per row
    player, place and points. Raises Unratable, BadSetting, BadPeriod, BadRounds, UnknownSystem.
    """
    chosen = find(system)
    if not isinstance(chosen, Dynamic):
        raise NotImplementedError
    method = Method(chosen, settings(chosen, params), period, names)
    roster, log = logged(kind, extra, period == BY_LABEL, columns)
    return ReplayedLadder(method, started(method, roster, log))


def restored(
    data: bytes,
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
) -> Ladder:
    """The ladder that gave a checkpoint; raises ValueError for a damaged or foreign one."""
    chosen = find(system)
    if not isinstance(chosen, Dynamic):
        raise NotImplementedError
    method = Method(chosen, settings(chosen, params), period, names)
    return ReplayedLadder(method, unpacked(data, method, kind, extra))


def logged(
    kind: str, extra: Sequence[str], labelled: bool, columns: Columns
) -> tuple[Roster, GameLog | ContestLog]:
    """Columns as a log and its players."""
    number = np.asarray(columns.get("id", ()), dtype=np.int64)
    time = np.asarray(days(np.asarray(columns.get("time", ()), dtype=np.int64)), dtype=np.float64)
    order = np.lexsort((number, time))
    count = len(number)
    results = {
        "id": number[order],
        "time": time[order],
        "weight": np.asarray(columns.get("weight", np.ones(count)))[order],
    }
    if kind == CONTESTS:
        return _contests(extra, columns, results, order)
    given = {"side": np.zeros(count), "a": (), "b": (), "score": (), **columns}
    kept = [name for word in extra for name in EXTRAS[word]]
    for name in {*ALWAYS, *kept} - results.keys():
        results[name] = np.asarray(given.get(name, np.full(count, np.nan)))[order]
    ids, row = appeared(np.stack((results["a"], results["b"]), axis=1).ravel())
    results["a"], results["b"] = row[0::2], row[1::2]
    labels = None
    if labelled:
        labels = Labels()
        rounds = np.asarray(given.get("round", ()), dtype=object)[order].tolist()
        results["round"] = np.array([labels.number(one) for one in rounds], dtype=np.int32)
    return Roster.of(ids), GameLog.of(results, extra, labels)


def _contests(
    extra: Sequence[str], columns: Columns, results: Columns, order: NDArray[np.int64]
) -> tuple[Roster, ContestLog]:
    start = np.asarray(columns.get("start", (0,)), dtype=np.int64)
    size = np.diff(start)[order]
    starts = np.concatenate(([0], np.cumsum(size)))
    row = np.arange(starts[-1]) + np.repeat(start[:-1][order] - starts[:-1], size)
    ids, player = appeared(np.asarray(columns.get("player", ()), dtype=np.int64)[row])
    rows = {"player": player, "place": np.asarray(columns.get("place", ()))[row]}
    if "points" in extra:
        rows["points"] = np.asarray(columns.get("points", ()), dtype=np.float64)[row]
    return Roster.of(ids), ContestLog.of(results, rows, starts)


def appeared(players: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Players in order of first appearance, and the row in it of each who is given."""
    ids, first, inverse = np.unique(
        players.astype(np.int64), return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    row = np.empty(len(ids), dtype=np.uint32)
    row[order] = np.arange(len(ids), dtype=np.uint32)
    return ids[order], row[inverse]


def started(method: Method, roster: Roster, log: GameLog | ContestLog) -> Position:
    """The position after all results of a log."""
    names = Players(roster.ids, method.names)
    table, rounds = method.rounds(log.table(names))
    state = State.empty(method.system, method.p).grown(len(names))
    checkpoints = played(state, table, rounds, 0)
    refuse_lost(state, names)
    games, last = appearances(table)
    assert last is not None
    now = day = None
    if len(table):
        now, day = moment(method.system, table, rounds, method.period, None)
    return Position(
        roster=roster,
        log=log,
        course=None
        if method.by_label
        else Course.of(method.system, method.period, log.table(names)),
        players=Block(rows_of(state, games, last), len(roster)),
        league=state.league,
        checkpoints=() if method.by_label else thinned(checkpoints, len(log)),
        now=now,
        day=day,
    )
