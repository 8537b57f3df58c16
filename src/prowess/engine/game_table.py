"""The games of a rated table as one table: both ratings before each game, forecast and score."""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.meetings import PlayedTable
from prowess.engine.replay import play
from prowess.engine.state import display_values, initial_state, mixture, weights_of
from prowess.engine.tabular import ResultTable, moments
from prowess.engine.watch import watch_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.games.games import Games

    Floats = NDArray[np.float64]


MIXED_AT_ONCE = 1 << 20  # numbers of a bank that are held before they are mixed: 8 MB


def all_games(ratings: PlayedTable) -> ResultTable:
    """See `Ratings.games`; from one replay."""
    table, replayed = ratings.played_table, replay_members(ratings)
    before = ratings_of_sides(table, replayed.before)
    names = names_of_sides(table)
    columns: dict[str, NDArray[Any]] = {}
    contest = np.arange(len(table)) if table.pairwise else table.contest_of_side
    if table.time is not None:
        columns["date"] = moments(table.time[contest])
    columns["row"] = contest
    if table.pairwise:
        columns |= {"a": names[0::2], "b": names[1::2]}
        columns |= {"rating_a": before[0::2], "rating_b": before[1::2]}
    else:
        before[np.diff(table.start)[contest] == 1] = np.nan  # alone: nothing was rated
        columns |= {"side": names, "rating": before, "place": table.place}
    columns["expected"] = replayed.expected
    if replayed.draws is not None:
        columns["draw"] = replayed.draws
    columns["score"] = table.outcome
    return ResultTable(columns, f"Games under {ratings.system.name}")


class ReplayedMembers(NamedTuple):
    """A table as its members went through it, mixed where in a bank."""

    before: Floats  # [members] ratings; nan of those who do not stand for their side
    first: Floats  # [members] the same, added up as explanations do, of a player's first contest
    after: Floats | None  # [members, fields] as displayed; nan where nothing was rated
    expected: Floats  # [entries]
    draws: Floats | None  # [games] the chance of a draw, where the system has a model of it


def replay_members(ratings: PlayedTable, *, follow: bool = False) -> ReplayedMembers:
    """Replay a table; `follow` asks for the ratings after each contest too.

    Members of duels without a bank are the two sides of each game. A bank is replayed in parts, so
    that its settings need not all be held.
    """
    table, system, state = ratings.played_table, ratings.system, ratings.state
    expected, draws = np.full(len(table.outcome), np.nan), None
    if system.chances is not None and table.pairwise:
        draws = np.full(len(table), np.nan)
    if state.logs is not None and not shares_rounds(ratings):
        return _replay_bank(ratings, expected, draws, follow)
    watch = watch_for(system, ratings.p, table, follow=follow, learnt=False)
    ratings.play_again(watch, expected, draws)
    rows = watch.memory.rating
    if state.logs is not None:
        rows = state.mix(rating=rows, logs=watch.memory.sums[:, : state.lanes])
    after = display_values(system, watch.memory.after) if follow else None
    return ReplayedMembers(rows[:, 0], rows[:, 0], after, expected, draws)


def shares_rounds(ratings: PlayedTable) -> bool:
    """Whether a round holds several games, whose points stand between its two ratings."""
    bounds = ratings.rounds.bounds
    return ratings.played_table.pairwise and bounds is not None


def _replay_bank(
    ratings: PlayedTable, expected: Floats, draws: Floats | None, follow: bool
) -> ReplayedMembers:
    """Replay contests that are rounds of their own under a bank."""
    table, system, lanes = ratings.played_table, ratings.system, ratings.state.lanes
    fields, shown, contest = system.rating._fields, shows_member(table), table.contest_of_member
    before = np.full(len(table.player), np.nan)
    first, after = before.copy(), np.full((len(before), len(fields)), np.nan)
    begins = np.zeros(len(before), dtype=bool)
    begins[np.unique(table.player, return_index=True)[1]] = True
    state = initial_state(system, ratings.p, len(ratings.players), ratings.start, table)
    step = max(1, MIXED_AT_ONCE // (4 * len(fields) * lanes))
    watch = watch_for(system, ratings.p, table, among=shown, follow=True, learnt=False, step=step)
    memory = watch.memory
    for low in range(0, len(table), step):
        span = (low, min(low + step, len(table)))
        watch.clear()
        play(state, table, ratings.rounds, watch=watch, forecasts=expected, draws=draws, span=span)
        begin, end = table.ends[table.start[list(span)]]
        members = begin + np.flatnonzero(watch.slots[begin:end] >= 0)
        _, lead, number = np.unique(  # all members of a contest have the same weights
            contest[members], return_index=True, return_inverse=True
        )
        weights = weights_of(memory.sums[lead, :lanes])[number]
        held = memory.rating[: len(members), :lanes]
        before[members] = mixture(fields[:1], held, weights)[:, 0]
        for slot in np.flatnonzero(begins[members]).tolist():
            pairs = zip(weights[slot].tolist(), held[slot].tolist(), strict=True)
            first[members[slot]] = fsum(weight * rating for weight, rating in pairs)
        if follow:
            weights = weights_of(memory.sums[lead, lanes : 2 * lanes])[number]
            after[members] = mixture(fields, memory.after[: len(members)], weights)
    shown_after = display_values(system, after) if follow else None
    return ReplayedMembers(before, first, shown_after, expected, draws)


def ratings_of_sides(table: Games, rating: Floats) -> Floats:
    """The rating of each side, [sides]: of several members the mean by their shares."""
    if table.single:
        return rating
    share = np.ones(len(rating)) if table.share is None else table.share
    share, first = share * shows_member(table), table.ends[:-1]
    parts = np.multiply(share, rating, where=share > 0.0, out=np.zeros(len(share)))
    mean: Floats = np.add.reduceat(parts, first) / np.add.reduceat(share, first)
    return mean


def shows_member(table: Games) -> NDArray[np.bool_]:
    """Which members stand for their side, [members]: its players; of a side without one all."""
    if table.role is None:
        return np.ones(len(table.player), dtype=bool)
    is_player = table.role[table.player] == 0
    lonely = np.add.reduceat(is_player.astype(np.int64), table.ends[:-1]) == 0
    shown: NDArray[np.bool_] = is_player | lonely[table.side_of_member]
    return shown


def names_of_sides(table: Games) -> NDArray[Any]:
    """The members of each side as one text, [sides]."""
    names = np.array(list(table.players), dtype=object)[table.player]
    if table.single:
        return names
    shown = shows_member(table)
    sizes, names = (
        np.bincount(table.side_of_member[shown], minlength=len(table.ends) - 1),
        names[shown],
    )
    if (sizes == 1).all():
        return names
    bounds = np.append(0, np.cumsum(sizes)).tolist()
    return np.array([" & ".join(names[a:b]) for a, b in pairwise(bounds)], dtype=object)
