"""Ladders: empty ones, those of a log, and those that were kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting, settings
from prowess.engine.replay import Unratable
from prowess.engine.rounds import BadRounds
from prowess.engine.system import Dynamic
from prowess.face import DEFAULT_FOR_CONTESTS, DEFAULT_FOR_GAMES
from prowess.games.growth import appeared
from prowess.live.facts import CONTESTS, days
from prowess.live.ladder.checkpoints import thinned
from prowess.live.ladder.contest_log import ContestLog
from prowess.live.ladder.fitted import FittedLadder, shown, standings
from prowess.live.ladder.game_log import ALWAYS, EXTRAS, GameLog, Labels
from prowess.live.ladder.packing import unpacked
from prowess.live.ladder.passage import played, refuse_lost
from prowess.live.ladder.players import Names, Players, Roster
from prowess.live.ladder.position import Method, Position
from prowess.live.ladder.preview import Preview, previewed
from prowess.live.ladder.replayed import ReplayedLadder
from prowess.live.ladder.trail import Trail
from prowess.systems.catalogue import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.check import System
    from prowess.engine.whole_table import WholeTable
    from prowess.live.ladder.ladder import Ladder
    from prowess.live.ladder.position import Log

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
    return loaded({}, system, params, period, kind, extra, names)


def loaded(
    columns: Columns,
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
) -> Ladder:
    """A ladder of results that count, in any order.

    Columns of games: id, time (microseconds), a, b (the store's numbers), score, and where they
    are not the usual side, weight; those of `extra`; round (texts) where rounds go by label.
    Columns of contests: id, time, weight, start (one more than there are contests), and per row
    player, place and points. Raises Unratable, BadSetting, BadPeriod, BadRounds, UnknownSystem.
    """
    chosen = find(system)
    if not isinstance(chosen, Dynamic):
        return _fitting(chosen, params, period, loaded(columns, *_interim(kind, extra, names)))
    method = Method(chosen, settings(chosen, params), period, names)
    roster, log = logged(kind, extra, method.by_label, columns)
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
        return _fitting(chosen, params, period, restored(data, *_interim(kind, extra, names)))
    method = Method(chosen, settings(chosen, params), period, names)
    return ReplayedLadder(method, unpacked(data, method, kind, extra))


def _interim(kind: str, extra: Sequence[str], names: Names) -> tuple[Any, ...]:
    """The terms of the ladder that keeps the results of a whole-table system."""
    default = DEFAULT_FOR_CONTESTS if kind == CONTESTS else DEFAULT_FOR_GAMES
    return default, {}, None, kind, extra, names


def _fitting(
    system: WholeTable, params: Mapping[str, Any], period: str | None, interim: Ladder
) -> Ladder:
    if period is not None:
        raise BadSetting(f"{system.name} looks at the whole table at once, so it takes no period")
    assert isinstance(interim, ReplayedLadder)
    settings(system, params)
    return FittedLadder(system, params, interim)


def compared(before: Ladder, after: Ladder) -> Preview:
    """What it would do to put one ladder in the place of another."""
    now, later = shown(before), shown(after)
    told = previewed(
        standings(now.ratings),
        standings(later.ratings),
        len(before),
        len(after),
        len(after),
    )
    return told._replace(trouble=later.trouble, interim=later.interim)


def logged(kind: str, extra: Sequence[str], labelled: bool, columns: Columns) -> tuple[Roster, Log]:
    """Columns as a log and its players."""
    number = np.asarray(columns.get("id", ()), dtype=np.int64)
    moments: Any = np.asarray(columns.get("time", ()), dtype=np.int64)
    time = np.asarray(days(moments), dtype=np.float64)
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
    sides = np.stack((results["a"], results["b"]), axis=1).ravel().astype(np.int64)
    ids, row = appeared(sides)
    results["a"], results["b"] = row[0::2].astype(np.uint32), row[1::2].astype(np.uint32)
    labels = None
    if labelled:
        labels = Labels()
        said = given.get("round")
        texts = np.full(count, None) if said is None else np.asarray(said, dtype=object)
        numbers = [labels.number(one) for one in texts[order].tolist()]
        results["round"] = np.array(numbers, dtype=np.int32)
    return Roster.of(ids), GameLog.of(results, extra, labels)


def _contests(
    extra: Sequence[str], columns: Columns, results: Columns, order: NDArray[np.int64]
) -> tuple[Roster, Log]:
    start = np.asarray(columns.get("start", (0,)), dtype=np.int64)
    size = np.diff(start)[order]
    starts = np.concatenate(([0], np.cumsum(size)))
    row = np.arange(starts[-1]) + np.repeat(start[:-1][order] - starts[:-1], size)
    ids, player = appeared(np.asarray(columns.get("player", ()), dtype=np.int64)[row])
    rows = {"player": player.astype(np.uint32), "place": np.asarray(columns.get("place", ()))[row]}
    if "points" in extra:
        rows["points"] = np.asarray(columns.get("points", ()), dtype=np.float64)[row]
    return Roster.of(ids), ContestLog.of(results, rows, starts)


def started(method: Method, roster: Roster, log: Log) -> Position:
    """The position after all results of a log; raises Unratable."""
    state = method.fresh(len(roster))
    names = Players(roster.ids, method.names)
    try:
        passed, trail = played(state, *method.arranged(log.table(names)), 0)
    except BadRounds as error:
        raise Unratable(str(error)) from None
    refuse_lost(state, names)
    checkpoints = () if method.by_label else thinned(passed, len(log))
    return Position.of(method, roster, log, state, Trail.of(trail), checkpoints)
