"""ReplayedLadder: the ladder of a dynamic system; corrections replay from a saved state."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from math import isfinite
from threading import RLock
from typing import TYPE_CHECKING

from prowess.engine.system import Unratable
from prowess.live.ladder.checkpoint import pack_state
from prowess.live.ladder.ladder import Ladder, Preview, Standings, build_preview
from prowess.live.ladder.replay import SavedState, is_due, load_compiled, thin_states
from prowess.live.ladder.roster import Players
from prowess.live.ladder.update import advance, rate_as_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.rate import DynamicRatings
    from prowess.games.games import Games
    from prowess.live.ladder.state import LadderState, RatingMethod
    from prowess.live.result import Changes

DAYS_KEPT = 8  # ratings as of other days that are kept for the next who asks


class ReplayedLadder(Ladder):
    """Results in order of play and the state after the last; see Ladder."""

    def __init__(self, method: RatingMethod, state: LadderState, revision: int = 0) -> None:
        self.method, self.revision = method, revision
        self._state = self._published = state
        self._undo: list[LadderState] = []  # those before what is applied and not published
        self._frozen: LadderState | None = None  # what is published, for readers
        self._ratings: DynamicRatings | None = None
        self._days: OrderedDict[float, DynamicRatings | None] = OrderedDict()
        self._lock = RLock()  # held for moments: while memory is written that others copy

    def __len__(self) -> int:
        return len(self._published.log)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """See Ladder."""
        update = advance(self.method, self._state, changes)
        self._undo.append(self._state)
        if update is not None:
            self._state = self._with_saved(update.state)

    def undo(self) -> None:
        """See Ladder."""
        self._state = self._undo.pop()

    def publish(self, revision: int, renamed: bool = False) -> None:
        """See Ladder."""
        with self._lock:
            if renamed:
                self._state = replace(self._state, prior=self._state.prior.end_lineage())
            self.revision = revision
            self._ratings = None  # names may have changed, and nothing else
            self._days.clear()
            if self._state is not self._published:
                self._state = replace(self._state, players=self._state.players.write_values())
                self._published, self._frozen = self._state, None
            self._undo.clear()

    def _with_saved(self, state: LadderState) -> LadderState:
        """Add the present engine state to the saved states, where one is due."""
        count = len(state.log)
        if self.method.period is not None or not is_due(state.saved, count, len(state.players)):
            return state
        here = SavedState(count, state.engine_state().copy())
        return replace(state, saved=thin_states((*state.saved, here), count))

    def load_compiled(self) -> None:
        """See Ladder."""
        ratings = self.ratings()
        if ratings is not None:
            load_compiled(ratings.state, ratings.table, ratings.rounds)
            _ = ratings.values  # idle players age: compiled at the first call

    # -- reading --

    def ratings(self) -> DynamicRatings | None:
        """See Ladder."""
        with self._lock:
            if self._ratings is None:
                self._ratings = self._readable().ratings(self.method)
            return self._ratings

    def _readable(self) -> LadderState:
        """The published state in memory that is never written to."""
        with self._lock:
            if self._frozen is None:
                self._frozen = self._published.freeze()
            return self._frozen

    def preview(self, changes: Changes) -> Preview:
        """See Ladder."""
        state = self._state
        if state is self._published:
            before = self.ratings()
        else:
            before = state.freeze().ratings(self.method, with_table=False)
        old, count = Standings.of(before, state.roster.ids), len(state.log)
        update = advance(self.method, state, changes, keep_prior=False)
        if update is None:
            return build_preview(old, old, count, count, 0)
        after = update.state.freeze()
        ratings = after.ratings(self.method, with_table=False)
        new = Standings.of(ratings, after.roster.ids)
        return build_preview(old, new, count, len(after.log), update.replayed)

    def incoming(self, changes: Changes) -> Games:
        """The results that changes bring, as a table."""
        state, log = self._state, self._state.log
        edit = log.make_edit(changes, state.roster)
        if edit is None:
            return log.table(state.names(self.method), len(log))
        roster = state.roster.add_players(edit.newcomers)
        return log.alone(edit).table(Players(roster.ids, self.method.names))

    def table(self, changes: Changes) -> Games:
        """The results that would count after changes, as a table."""
        state = self._state
        edit = state.log.make_edit(changes, state.roster)
        if edit is None:
            return state.log.table(state.names(self.method))
        roster = state.roster.add_players(edit.newcomers)
        return state.log.apply_edit(edit).table(Players(roster.ids, self.method.names))

    def as_of(self, day: float) -> DynamicRatings | None:
        """See Ladder."""
        if not isfinite(day):
            raise Unratable(f"as of {day}: not a day")
        with self._lock:
            state = self._readable()
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]
        ratings = rate_as_of(self.method, state, day)
        with self._lock:
            if state is self._frozen:
                self._days[day] = ratings
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return ratings

    def checkpoint(self) -> bytes:
        """See Ladder."""
        return pack_state(self.method, self._readable())

    @property
    def ids(self) -> NDArray[np.int64]:
        """See Ladder; a row once given stays."""
        return self._published.roster.ids

    def row_of(self, player: int) -> int | None:
        """See Ladder."""
        return self._published.roster.row(player)
