"""A table that was played, and the ratings before and after its contests.

They are columns with a row a member of a side. Histories, explanations, careers and tables of
games are joins of these columns with those of the table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.inflation import Lifetimes, Rule, play_with_rules
from prowess.engine.periods import Rounds
from prowess.engine.replay import play
from prowess.engine.run import Watch, choose_slots, keeps_own_forecasts, watch_for
from prowess.engine.state import State, display_values, initial_state, mixture, weights_of
from prowess.engine.system import Dynamic
from prowess.games.games import Games, gather_runs
from prowess.games.runs import reduce_runs

NUMBERS_MIXED_AT_ONCE = 1 << 20  # numbers of a bank that are held before they are mixed: 8 MB


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlayedTable:
    """A table that was played, with what is needed to play it again."""

    system: Dynamic
    p: Any
    players: Sequence[str]
    table: Games
    rounds: Rounds
    state: State  # after the last game
    prepared: Games | None = None  # the table as it is played, where that is another
    day: float | None  # up to which rules acted, days since 1970
    start: dict[int, dict[str, float]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    # bytes of ratings before every game that are kept with these; fewer in a browser
    kept_bytes: ClassVar[int] = 2**28 if sys.maxsize > 2**32 else 2**25

    @property
    def played_table(self) -> Games:
        """The table as it is played, with all members that the system has on its sides."""
        return self.table if self.prepared is None else self.prepared

    @cached_property
    def watch(self) -> Watch:
        """The ratings (and league sums) before every game, and after it; kept."""
        return watch_all(self)

    def play_again(
        self, watch: Watch, forecasts: Floats | None = None, draws: Floats | None = None
    ) -> None:
        """Play the table from its start; the arguments receive what `play` gives them."""
        state = initial_state(self.system, self.p, len(self.players), self.start, self.played_table)
        kept: dict[str, Any] = {"watch": watch, "forecasts": forecasts, "draws": draws}
        if self.rules:
            play_with_rules(
                state, Lifetimes(), self.rules, self.played_table, self.rounds, until=self.day,
                **kept,
            )  # fmt: skip
        else:
            play(state, self.played_table, self.rounds, **kept)


def shares_rounds(ratings: PlayedTable) -> bool:
    """Whether a round holds several games, whose points stand between its two ratings."""
    return ratings.played_table.pairwise and ratings.rounds.bounds is not None


def watch_all(ratings: PlayedTable) -> Watch:
    """The ratings before and after every game, and what each game of a round brought."""
    table, credit = ratings.played_table, shares_rounds(ratings)
    seen = watch_for(ratings.system, ratings.p, table, follow=True, credit=credit)
    ratings.play_again(seen)
    return seen


def watch_players(
    ratings: PlayedTable, players: Sequence[int], *, own: bool = False, since: float = -np.inf
) -> Watch:
    """The ratings (and league sums) before every game of these players, from a replay.

    `own` keeps their own ratings alone where it can, else what explains a game is kept, too; of a
    dated table from the day `since` on (1970 = 0).
    """
    table = ratings.played_table
    ours = np.zeros(len(ratings.players), dtype=bool)
    ours[list(players)] = True
    if table.duels:
        chosen = ours[table.a] | ours[table.b]
    else:
        chosen = np.bincount(table.contest_of_member, ours[table.player], len(table)) > 0
    if table.time is not None:
        chosen &= table.time >= since
    members = ours[table.player] if own else None
    slots = choose_slots(ratings.system, ratings.p, table, chosen, members)
    seen = watch_for(ratings.system, ratings.p, table, slots, learnt=not own)
    ratings.play_again(seen)
    return seen


def watch_steps(ratings: PlayedTable, players: Sequence[int]) -> Watch:
    """What explains the steps of these players: of all players, unless that is too large."""
    system, table = ratings.system, ratings.played_table
    slot = watch_for(system, ratings.p, table, np.zeros(1, np.int64), follow=True, credit=True)
    count = len(table) if slot.paired else len(table.player)
    small = count * sum(column.nbytes for column in slot.memory) <= ratings.kept_bytes
    return ratings.watch if small or "watch" in vars(ratings) else watch_players(ratings, players)


def read_ratings(ratings: PlayedTable, seen: Watch, members: Ids) -> Floats:
    """The ratings, as displayed, with which members went into contests, [members, fields]."""
    return read_watched(ratings.state, seen, members)


def read_watched(state: State, seen: Watch, members: Ids) -> Floats:
    """As `read_ratings`, of a state that is played on."""
    rows, held = seen.rows(members), seen.memory.rating
    if state.logs is None:
        return display_values(state.system, held[rows])
    mixed = np.empty((len(rows), len(state.system.rating)))
    step = max(1, NUMBERS_MIXED_AT_ONCE // held.shape[1])
    for low in range(0, len(rows), step):
        part: Any = rows[low : low + step]
        if (np.diff(part) == 1).all():
            part = slice(part[0], part[-1] + 1)  # nothing is copied
        logs = seen.memory.sums[part, : state.lanes]
        mixed[low : low + step] = state.mix(rating=held[part], logs=logs)
    return display_values(state.system, mixed)


def find_contests(table: Games, player: int) -> Ids:
    """The contests of a player in order of play; of a car on two sides a contest stands twice."""
    if table.duels:
        return np.flatnonzero((table.a == player) | (table.b == player))
    side = table.ends.searchsorted(np.flatnonzero(table.player == player), side="right") - 1
    return table.start.searchsorted(side, side="right") - 1


def find_members(table: Games, contests: Ids) -> Ids:
    """The members of these contests, by number, contest by contest."""
    if table.duels:
        return (2 * contests[:, None] + np.arange(2, dtype=np.int64)).ravel()
    found: Ids = gather_runs(table.ends[table.start], contests)[0]
    return found


class ReplayedMembers(NamedTuple):
    """A table as its members went through it, mixed where in a bank."""

    before: Floats  # [members] ratings; nan of those who do not stand for their side
    first: Floats  # [members] the same, added up as explanations do, of a player's first contest
    after: Floats | None  # [members, fields] as displayed; nan where nothing was rated
    own: Floats | None  # [members] what each was expected to score, where the loops keep that
    expected: Floats  # [entries] the forecasts
    draws: Floats | None  # [games] the chance of a draw, where the system has a model of it


def replay_members(ratings: PlayedTable, *, follow: bool = False) -> ReplayedMembers:
    """Replay a table; `follow` asks for the ratings after each contest too.

    Members of duels without a bank are the two sides of each game. A bank is replayed in parts, so
    that its settings need not all be held.
    """
    table, system, state = ratings.played_table, ratings.system, ratings.state
    expected, draws = np.full(len(table.outcome), np.nan), None
    if follow and keeps_own_forecasts(system, ratings.p, table):
        memory = ratings.watch.memory
        if not len(memory.after):  # of a ladder, which keeps ratings before each result alone
            memory = watch_all(ratings).memory
        before, after = memory.rating[:, 0], display_values(system, memory.after)
        return ReplayedMembers(before, before, after, memory.expected, expected, None)
    if system.chances is not None and table.pairwise:
        draws = np.full(len(table), np.nan)
    if state.logs is not None and not shares_rounds(ratings):
        return _replay_bank(ratings, expected, draws, follow)
    watch = watch_for(system, ratings.p, table, follow=follow, learnt=False)
    ratings.play_again(watch, expected, draws)
    rows = watch.memory.rating
    if state.logs is not None:
        rows = state.mix(rating=rows, logs=watch.memory.sums[:, : state.lanes])
    shown_after = display_values(system, watch.memory.after) if follow else None
    return ReplayedMembers(rows[:, 0], rows[:, 0], shown_after, None, expected, draws)


def _replay_bank(
    ratings: PlayedTable, expected: Floats, draws: Floats | None, follow: bool
) -> ReplayedMembers:
    """Replay contests that are rounds of their own under a bank."""
    table, system, lanes = ratings.played_table, ratings.system, ratings.state.lanes
    fields, shown, contest = system.rating._fields, shows_member(table), table.contest_of_member
    before = np.full(len(table.player), np.nan)
    first, after = before.copy(), np.full((len(before), len(fields)), np.nan)
    begins = np.zeros(len(before), dtype=bool)
    rated = np.flatnonzero(np.diff(table.start)[contest] > 1)  # of one side nothing is
    begins[rated[np.unique(table.player[rated], return_index=True)[1]]] = True
    state = initial_state(system, ratings.p, len(ratings.players), ratings.start, table)
    step = max(1, NUMBERS_MIXED_AT_ONCE // (4 * len(fields) * lanes))
    slots = np.full(len(before), -1)
    for low in range(0, len(table), step):
        span = (low, min(low + step, len(table)))
        begin, end = table.ends[table.start[list(span)]]
        members = begin + np.flatnonzero(shown[begin:end])
        slots[members] = np.arange(len(members), dtype=np.int64)
        watch = watch_for(system, ratings.p, table, slots, follow=True, learnt=False)
        memory = watch.memory
        play(state, table, ratings.rounds, watch=watch, forecasts=expected, draws=draws, span=span)
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
    return ReplayedMembers(before, first, shown_after, None, expected, draws)


def shows_member(table: Games) -> Truths:
    """Which members stand for their side, [members]: its players; of a side without one all."""
    if table.role is None:
        return np.ones(len(table.player), dtype=bool)
    is_player = table.role[table.player] == 0
    lonely = reduce_runs(np.add, is_player.astype(np.int64), table.ends[:-1]) == 0
    shown: Truths = is_player | lonely[table.side_of_member]
    return shown
