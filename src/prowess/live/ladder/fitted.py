"""FittedLadder: the ladder of a whole-table system, fitted again in a background thread.

Its results are those of a ladder of a dynamic system, whose interim ratings are shown
until the first fit is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import fit_table, refuse_table
from prowess.engine.system import Unratable
from prowess.games.games import Games
from prowess.games.numbering import number_by_appearance
from prowess.live.ladder.ladder import (
    Ladder,
    LadderView,
    Preview,
    advance_ratable,
    build_preview,
)
from prowess.live.ladder.players import Players
from prowess.live.ladder.state import LadderState, advance

if TYPE_CHECKING:
    from prowess.engine.fit import WholeTableRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.whole_table import WholeTable
    from prowess.live.result import Changes


class SuccessfulFit(NamedTuple):
    """The last fit that succeeded."""

    changes: int  # how many had been made when it began
    revision: int  # of its table
    ratings: WholeTableRatings | None


class FitAttempt(NamedTuple):
    """The outcome of the last attempt at fitting."""

    changes: int  # how many had been made when it began
    trouble: str | None  # why it failed


class FittedLadder(Ladder):
    """The last successful fit, and a thread that makes the next; see Ladder."""

    def __init__(self, system: WholeTable, params: Mapping[str, Any], interim: LadderState) -> None:
        super().__init__(interim)
        self.system, self.params = system, dict(params)
        refuse_table(system, interim.log.table(interim.players))
        self._changes = len(interim.log)  # published, so many results changed since the beginning
        self._fit, self._last = SuccessfulFit(0, 0, None), FitAttempt(0, None)
        self._worker: Thread | None = None
        self._closed = False
        self._changed = Condition(self._lock)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """See Ladder; errors that only the fit finds are told by `view`."""
        self.check(changes)
        super().apply(changes)

    @property
    def takes_all(self) -> bool:
        """See Ladder; what a whole-table system takes may depend on any column."""
        return False

    def _check_table(self, table: Games) -> None:
        refuse_table(self.system, table)

    def publish(self, revision: int) -> None:
        """See Ladder; the next fit begins."""
        with self._changed:
            self._changes += self._applied
            super().publish(revision)
            if self._fit.ratings is not None:  # another object: names may have changed
                self._fit = self._fit._replace(ratings=replace(self._fit.ratings))
            self._wake()

    # -- fitting --

    @property
    def waiting(self) -> int:
        """How many results changed since the last successful fit."""
        return super().waiting + self._changes - self._fit.changes

    @property
    def trouble(self) -> str | None:
        """Why the last fit failed, so that `ratings` are older, or else see Ladder."""
        return self._last.trouble or super().trouble

    @property
    def _untried(self) -> bool:
        """Whether something changed since the last attempt began."""
        return self._changes > self._last.changes

    def settle(self, seconds: float | None = None) -> bool:
        """See Ladder; waits for the fit as well, also for one that fails."""
        played = super().settle(seconds)
        with self._changed:
            self._wake()
            return played and self._changed.wait_for(
                lambda: self._closed or not self._untried, seconds
            )

    def close(self) -> None:
        """See Ladder; the result of a running fit is dropped."""
        super().close()
        with self._changed:
            self._changed.notify_all()

    def _wake(self) -> None:
        if self._untried and self._worker is None and not self._closed:
            self._worker = Thread(target=self._work, name="fit", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        """Fit until no change is waiting; changes made meanwhile are in the next fit together."""
        while True:
            with self._changed:
                if not self._untried or self._closed:
                    self._worker = None
                    self._changed.notify_all()
                    return
                changes, revision, state = self._changes, self.revision, self.published
            made, trouble = self._try_fit(state)
            with self._changed:
                self._last = FitAttempt(changes, trouble)
                if trouble is None:
                    self._fit = SuccessfulFit(changes, revision, made)
                self.editions += 1
                self._changed.notify_all()

    def _try_fit(self, state: LadderState) -> tuple[WholeTableRatings | None, str | None]:
        """A fit, or why it fails: an error must not end the thread silently."""
        try:
            return self._fit_table(state.log.table(state.players)), None
        except Exception as error:
            return None, str(error) or type(error).__name__

    def _fit_table(self, table: Games, day: float | None = None) -> WholeTableRatings | None:
        """The fit as of a day, or as of the day of the last result; None without results."""
        if not len(table):
            return None
        table = select_participants(table)
        return fit_table(table, self.system, as_of=day, params=self.params)

    # -- reading --

    def ratings(self) -> WholeTableRatings | None:
        """See Ladder; None until the first fit."""
        return self._fit.ratings

    def view(self, day: float | None = None) -> LadderView:
        """The last fit, or the interim while there is none, now or as of a day.

        An earlier day is fitted when it is asked for: only its own results are in it.
        """
        if day is None:
            with self._changed:
                fit, waiting, trouble = self._fit, self.waiting, self.trouble
                interim = super().ratings() if fit.ratings is None and waiting else None
                if interim is not None:
                    return LadderView(interim, self.applied, waiting, trouble, True)
            applied = fit.revision if waiting else None
            return LadderView(fit.ratings, applied, waiting, trouble, False)
        try:
            return LadderView(self.as_of(day))
        except Unratable as error:
            if not np.isfinite(day):
                raise
            earlier = super()._rate_as_of(self.published, day)
            count = 0 if earlier is None else len(earlier.table)
            return LadderView(earlier, None, count, str(error), True)

    def _rate_as_of(self, state: LadderState, day: float) -> Ratings | None:
        """See Ladder; raises Unratable where these results cannot be fitted."""
        return self._fit_table(state.log.table(state.players).before(day), day)

    def begin_preview(self, changes: Changes, names: Mapping[int, str]) -> Callable[[], Preview]:
        """See Ladder."""
        count = super().waiting + self._changes
        return partial(self._preview_fit, count, *self._newest(names), changes)

    def _preview_fit(
        self, count: int, state: LadderState, before: Changes, changes: Changes
    ) -> Preview:
        """The effect of changes of a state, to which with those before `count` have led.

        Fits the changed table at once, and before it the one that waits. If the fit fails,
        `trouble` says why, and the preview has the ratings shown then.
        """
        self.check(changes)
        state, _, _ = advance_ratable(state, before)
        after = advance(state, changes, keep_prior=False)
        if super().waiting + self._changes == count:
            self.settle()
        old = self.ratings()
        if self._last.changes != count:  # others came behind it
            made, wrong = self._try_fit(state)
            old = old if wrong else made
        later, trouble = self._try_fit(after)
        if trouble is not None and old is None:
            preview = self._preview(state, {}, changes)
            return preview._replace(trouble=trouble, interim=True)
        shown: Ratings | None = state.ratings() if old is None else old
        counts = len(state.log), len(after.log), len(after.log)
        return build_preview(shown, shown if trouble else later, *counts)._replace(trouble=trouble)


def select_participants(table: Games) -> Games:
    """The table with the players who are in it, in order of first appearance.

    So that the numbers follow from the results alone, not from what was corrected on the way.
    """
    assert isinstance(table.players, Players)
    rows, number = number_by_appearance(table.player.astype(np.int64))
    players, number = Players(table.players.ids[rows], table.players.names), number.astype("u4")
    if table.duels:
        return table.replace(players=players, a=number[0::2].copy(), b=number[1::2].copy())
    return table.replace(players=players, player=number)
