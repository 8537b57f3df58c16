"""`advance`: the state that changes of results lead to, and the ratings as of an earlier day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.periods import BadRounds
from prowess.engine.system import Unratable
from prowess.live.ladder.replay import (
    SavedState,
    check_finite,
    play_rows,
    select_participants,
    thin_states,
)
from prowess.live.ladder.state import LadderState, PlayerTable, count_games, player_rows, shared_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.rate import DynamicRatings
    from prowess.live.ladder.log import Edit
    from prowess.live.ladder.state import RatingMethod
    from prowess.live.result import Changes

    Counts = tuple[NDArray[np.int64], NDArray[np.float64]]

RECOUNTED = 16  # players whose games are looked up one by one; for more all are counted


class Update(NamedTuple):
    """A further state, and how many results were played for it."""

    state: LadderState
    replayed: int


def advance(
    method: RatingMethod, state: LadderState, changes: Changes, *, keep_prior: bool = True
) -> Update | None:
    """The state after changes of results; None: they change nothing. Raises Unratable.

    Results behind all others are played on; anything else is played again from the nearest saved
    state. `state` stays what it is, but only the newest state may be advanced, by one thread:
    what is appended is written behind the rows of `state`, in the same memory. Without
    `keep_prior` the ratings before each result are left as they were.
    """
    edit = state.log.make_edit(changes, state.roster)
    if edit is None:
        return None
    roster = state.roster.add_players(edit.newcomers) if edit.newcomers else state.roster
    after = replace(state, roster=roster, log=state.log.apply_edit(edit))
    try:
        if state.rounds is None:
            return _play_all(method, after, _counts(method, state, after, edit))
        return _play_on(method, state, after, edit, keep_prior)
    except BadRounds as error:
        raise Unratable(str(error)) from None


def _play_all(method: RatingMethod, after: LadderState, counts: Counts) -> Update:
    """Play everything in rounds by label, which any result may change."""
    names = after.names(method)
    table, rounds = method.arrange(after.log.table(names))
    engine = method.fresh(len(names))
    prior = play_rows(engine, table, rounds, 0).prior
    check_finite(engine, names)
    later = replace(
        after,
        prior=after.prior.replace_from(0, prior),
        players=PlayerTable.of(player_rows(engine, *counts)),
        shared=shared_of(engine),
        when=method.moment(table, rounds),
    )
    return Update(later, len(table))


def _play_on(
    method: RatingMethod, state: LadderState, after: LadderState, edit: Edit, keep_prior: bool
) -> Update:
    """Play from a state that is known to the end."""
    assert state.rounds is not None
    names, end = after.names(method), len(state.log)
    rounds, limit = state.rounds.replace_from(
        edit.splice.first, lambda k: after.log.table(names, k)
    )
    last = after.log.table(names, max(0, len(after.log) - 1))
    after = replace(after, rounds=rounds, when=method.moment(last, rounds.last_clock()))
    appends = state.log.appends(edit)
    if appends and limit == end and state.shared.league is None:
        return _play_appended(method, state, after, len(edit.newcomers), keep_prior)
    if appends and limit == end:
        begin = SavedState(limit, state.engine_state())
    else:
        if after.log.form != state.log.form:
            limit = 0  # another form of table
        begin = state.saved_before(limit, method)
    table = after.log.table(names, begin.row)
    engine = begin.state.copy().with_players(len(names))
    played = play_rows(engine, table, rounds.from_row(begin.row, table), begin.row)
    check_finite(engine, names)
    kept = (one for one in state.saved if one.row <= begin.row)
    later = replace(
        after,
        players=PlayerTable.of(player_rows(engine, *_counts(method, state, after, edit))),
        shared=shared_of(engine),
        saved=thin_states((*kept, *played.saved), len(after.log)),
    )
    if keep_prior:
        row = state.log.prior_row(begin.row)
        later = replace(later, prior=state.prior.replace_from(row, played.prior, appends))
    return Update(later, len(table))


def _play_appended(
    method: RatingMethod, state: LadderState, after: LadderState, newcomers: int, keep_prior: bool
) -> Update:
    """Play results that are rounds of their own onto the rows of the players who take part."""
    assert after.rounds is not None
    names, end = after.names(method), len(state.log)
    rows, table = select_participants(after.log.table(names, end))
    known = state.players.at(rows[: len(rows) - newcomers])
    engine = replace(state.shared.copy(), rating=known["rating"], seen=known["seen"])
    engine = engine.with_players(len(rows))
    prior = play_rows(engine, table, after.rounds.from_row(end, table), end).prior
    check_finite(engine, names, rows)
    values = player_rows(engine, *_add_counts(known, count_games(table)))
    players = state.players.update(rows, values, newcomers)
    later = replace(after, players=players, shared=shared_of(engine))
    if keep_prior:
        row = state.log.prior_row(end)
        later = replace(later, prior=state.prior.replace_from(row, prior, True))
    return Update(later, len(table))


def _counts(method: RatingMethod, state: LadderState, after: LadderState, edit: Edit) -> Counts:
    """Games and day of the last one of every player after an edit."""
    names = after.names(method)
    came = state.log.alone(edit).table(names)
    known = state.players.columns()
    if state.log.appends(edit):
        return _add_counts(known, count_games(came))
    changed = np.unique(np.concatenate((state.log.who(edit.splice.gone), came.player)))
    if len(changed) > RECOUNTED:
        return count_games(after.log.table(names))
    games, last = np.zeros(len(names), np.int64), np.full(len(names), np.nan)
    games[: len(known["games"])], last[: len(known["last"])] = known["games"], known["last"]
    for player in changed.tolist():
        rows = after.log.rows_with(player)
        games[player] = len(rows)
        last[player] = after.log.time[rows[-1]] if len(rows) else np.nan
    return games, last


def _add_counts(known: Mapping[str, NDArray[Any]], more: Counts) -> Counts:
    """Games and last days of players with those of further results; newcomers stand last."""
    games, last = more
    old = len(known["games"])
    games[:old] += known["games"]
    last[:old] = np.fmax(last[:old], known["last"])
    return games, last


def rate_as_of(method: RatingMethod, state: LadderState, day: float) -> DynamicRatings | None:
    """The ratings after the results up to a day, as if there were no others; None: no results."""
    log, names = state.log, state.names(method)
    count = int(log.time.searchsorted(day, side="right"))
    if not count:
        return None
    before = log.table(names, 0, count)
    table, rounds = method.arrange(before)
    limit = count
    if rounds.bounds is not None and method.period is not None:
        limit = int(rounds.bounds[-2])  # the last round may have lost games
    begin = state.saved_before(limit, method)
    engine = begin.state.copy().with_players(len(names))
    part = table, rounds
    if begin.row:
        part = method.arrange(log.table(names, begin.row, count))
    played = play_rows(engine, *part, begin.row)
    known = state.prior.first_rows(log.prior_row(count))
    prior = known.replace_from(log.prior_row(begin.row), played.prior)
    when, results = method.moment(table, rounds, day), log.results["id"][:count]
    return method.build_ratings(table, rounds, engine, count_games(before), when, prior, results)
