"""Make ladders: empty, from the columns of a log, or from a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.engine.params import BadSetting, settings
from prowess.engine.periods import BadRounds
from prowess.engine.system import Dynamic, Unratable
from prowess.games.columns import number_by_appearance
from prowess.live.ladder.checkpoint import unpack_state
from prowess.live.ladder.columns import Columns, column_names, no_results
from prowess.live.ladder.fitted import FittedLadder, read_view, standings
from prowess.live.ladder.ladder import Preview, build_preview
from prowess.live.ladder.log import NO_ROWS, ResultLog, RoundLabels
from prowess.live.ladder.prior import PriorRatings
from prowess.live.ladder.replay import check_finite, play_rows, thin_states
from prowess.live.ladder.replayed import ReplayedLadder
from prowess.live.ladder.roster import LadderRoster, Names, Players
from prowess.live.ladder.state import LadderState, RatingMethod
from prowess.live.result import CONTESTS, USUAL, days
from prowess.rating import DEFAULT_SYSTEM
from prowess.systems.catalogue import find

if TYPE_CHECKING:
    from prowess.engine.check import System
    from prowess.engine.whole_table import WholeTable
    from prowess.live.ladder.ladder import Ladder

    Given = Mapping[str, Any]


def new_ladder(
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
) -> Ladder:
    """A ladder without results; see `load_ladder`."""
    return load_ladder({}, system, params, period, kind, extra, names)


def load_ladder(
    columns: Given,
    system: str | System,
    params: Mapping[str, Any],
    period: str | None,
    kind: str,
    extra: Sequence[str],
    names: Names,
) -> Ladder:
    """A ladder of results that count, in any order.

    All have id and time (microseconds), and weight where it is not the usual one. Games have
    score, side, those of `extra`, round (texts) where rounds go by label; and a and b (the store's
    numbers), or, where sides have several members, ends, player and share as a table has them.
    Contests have start, player, and per side place and points; ends and share where sides have
    several members. Raises Unratable, BadSetting, BadPeriod, BadRounds, UnknownSystem.
    """
    chosen = find(system)
    if not isinstance(chosen, Dynamic):
        return _fitting(chosen, params, period, load_ladder(columns, *_interim(kind, extra, names)))
    method = RatingMethod(chosen, settings(chosen, params), period, names)
    roster, log = build_log(kind, extra, method.by_label, columns)
    return ReplayedLadder(method, play_log(method, roster, log))


def restore_ladder(
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
        return _fitting(chosen, params, period, restore_ladder(data, *_interim(kind, extra, names)))
    method = RatingMethod(chosen, settings(chosen, params), period, names)
    return ReplayedLadder(method, unpack_state(data, method, kind, extra))


def _interim(kind: str, extra: Sequence[str], names: Names) -> tuple[Any, ...]:
    """The terms of the ladder that keeps the results of a whole-table system."""
    return DEFAULT_SYSTEM, {}, None, kind, extra, names


def _fitting(
    system: WholeTable, params: Mapping[str, Any], period: str | None, interim: Ladder
) -> Ladder:
    if period is not None:
        raise BadSetting(f"{system.name} looks at the whole table at once, so it takes no period")
    assert isinstance(interim, ReplayedLadder)
    settings(system, params)
    return FittedLadder(system, params, interim)


def compare_ladders(before: Ladder, after: Ladder) -> Preview:
    """The preview of replacing a ladder by another."""
    now, later = read_view(before), read_view(after)
    preview = build_preview(
        standings(now.ratings),
        standings(later.ratings),
        len(before),
        len(after),
        len(after),
    )
    return preview._replace(trouble=later.trouble, interim=later.interim)


def build_log(
    kind: str, extra: Sequence[str], labelled: bool, columns: Given
) -> tuple[LadderRoster, ResultLog]:
    """Build the roster and the log of columns."""
    contests = kind == CONTESTS
    labels = RoundLabels() if labelled and not contests else None
    if not len(columns.get("id", ())):
        empty = no_results(kind, extra, labels is not None)
        return LadderRoster.of(NO_ROWS), ResultLog.of(empty, contests=contests, labels=labels)
    found = _columns(kind, extra, columns)
    order = np.lexsort((found.results["id"], found.results["time"]))
    found = found.select(order)
    if labels is not None:
        given_rounds = columns.get("round")
        texts = (
            np.full(len(order), None)
            if given_rounds is None
            else np.asarray(given_rounds, dtype=object)
        )
        numbers = [labels.number(one) for one in texts[order].tolist()]
        found = replace(found, results={**found.results, "round": np.array(numbers)})
    ids, row = number_by_appearance(found.members["player"])
    found = replace(found, members={**found.members, "player": row})
    return LadderRoster.of(ids), ResultLog.of(found, contests=contests, labels=labels)


def _columns(kind: str, extra: Sequence[str], given: Given) -> Columns:
    """Columns as a store gives them, in any order, with nothing implied."""
    names, of_sides = column_names(kind, extra, False)
    count = len(given["id"])
    moments: Any = np.asarray(given["time"], dtype=np.int64)
    known = {**given, "time": np.asarray(days(moments), dtype=np.float64)}
    results = {
        name: np.asarray(known.get(name, np.full(count, USUAL.get(name, np.nan)))) for name in names
    }
    player = given.get("player")
    if player is None:  # games of one player against one
        player = np.stack((given["a"], given["b"]), axis=1).ravel()
    size = np.diff(given["start"]) if kind == CONTESTS else np.full(count, 2)
    width = np.diff(given["ends"]) if "ends" in given else np.ones(int(size.sum()), dtype=np.int64)
    share = np.asarray(given.get("share", np.ones(len(player))), dtype=np.float64)
    members = {"player": np.asarray(player, dtype=np.int64), "share": share}
    sides = {name: np.asarray(given[name], dtype=np.float64) for name in of_sides}
    return Columns(results, size, sides, width, members)


def play_log(method: RatingMethod, roster: LadderRoster, log: ResultLog) -> LadderState:
    """The state after all results of a log; raises Unratable."""
    state = method.fresh(len(roster))
    names = Players(roster.ids, method.names)
    try:
        saved, prior = play_rows(state, *method.arrange(log.table(names)), 0)
    except BadRounds as error:
        raise Unratable(str(error)) from None
    check_finite(state, names)
    saved = [] if method.by_label else saved
    return LadderState.of(
        method, roster, log, state, PriorRatings.of(prior), thin_states(saved, len(log))
    )
