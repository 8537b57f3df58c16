"""The ratings as of an earlier day, played from the nearest checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prowess.live.ladder.checkpoints import Checkpoint
from prowess.live.ladder.passage import played
from prowess.live.ladder.position import counted

if TYPE_CHECKING:
    from prowess.engine.rate import DynamicRatings
    from prowess.live.ladder.position import Method, Position


def as_of(method: Method, position: Position, day: float) -> DynamicRatings | None:
    """The ratings after the results up to a day, as if there were no others; None: no results."""
    log, names = position.log, position.names(method)
    count = int(log.time.searchsorted(day, side="right"))
    if not count:
        return None
    before = log.table(names, 0, count)
    table, rounds = method.arranged(before)
    limit = count
    if rounds.bounds is not None and method.period is not None:
        limit = int(rounds.bounds[-2])  # the last round may have lost games
    begin = Checkpoint(0, method.fresh(0))
    for one in position.checkpoints:
        if one.row <= limit:
            begin = one
    state = begin.state.copied().grown(len(names))
    if begin.row:
        part = method.arranged(log.table(names, begin.row, count))
        passage = played(state, *part, begin.row)
    else:
        passage = played(state, table, rounds, 0)
    known = position.trail.first_rows(log.trail_row(count))
    trail = known.replace_from(log.trail_row(begin.row), passage.trail)
    when, results = method.moment(table, rounds, day), log.results["id"][:count]
    return method.rated(table, rounds, state, counted(before), when, trail, results)
