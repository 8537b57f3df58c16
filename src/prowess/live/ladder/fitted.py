"""FittedLadder: the ladder of a whole-table system, fitted again in a background thread.

Its results are kept by a ladder of the default dynamic system, whose interim ratings are shown
until the first fit is finished.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import fit_table, refuse_table
from prowess.engine.system import Unratable
from prowess.games.columns import number_by_appearance
from prowess.games.games import Games
from prowess.live.ladder.ladder import Ladder, Preview, Standings, build_preview
from prowess.live.ladder.replay import renumber_players
from prowess.live.ladder.roster import Players

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.fit import WholeTableRatings
    from prowess.engine.ratings import Ratings
    from prowess.engine.whole_table import WholeTable
    from prowess.live.ladder.replayed import ReplayedLadder
    from prowess.live.result import Changes

    Table = Games

DAYS_KEPT = 8  # fits as of other days that are kept for the next who asks


class LadderView(NamedTuple):
    """The ratings of a ladder to show, with their state."""

    ratings: Ratings | None  # None where nothing counts
    applied: int | None  # the revision they hold for; None: everything that is published
    waiting: int  # results that changed and that the system's own ratings do not know
    trouble: str | None  # why the last fit failed
    interim: bool  # whether they are the interim's, as nothing could be fitted yet


class Found(NamedTuple):
    """The last fit that succeeded."""

    changes: int  # how many had been made when it began
    revision: int  # of its table
    ratings: WholeTableRatings | None


class Attempt(NamedTuple):
    """The outcome of the last attempt at fitting."""

    changes: int  # how many had been made when it began
    trouble: str | None  # why it failed


class FittedLadder(Ladder):
    """The last successful fit, and a thread that makes the next; see Ladder."""

    def __init__(
        self, system: WholeTable, params: Mapping[str, Any], interim: ReplayedLadder
    ) -> None:
        self.system, self.params, self.interim = system, dict(params), interim
        refuse_table(system, interim.table({}))
        self._changes = len(interim)  # published, so many results changed since the beginning
        self._applied: list[int] = []  # by each `apply` that is not published
        self._found, self._last = Found(0, 0, None), Attempt(0, None)
        self._days: OrderedDict[float, WholeTableRatings | None] = OrderedDict()
        self._worker: Thread | None = None
        self._closed = False
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self.interim)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """See Ladder; errors that only the fit finds are in `trouble`."""
        refuse_table(self.system, self.interim.incoming(changes))
        self.interim.apply(changes)
        self._applied.append(len(changes))

    def undo(self) -> None:
        """See Ladder."""
        self.interim.undo()
        self._applied.pop()

    def publish(self, revision: int, renamed: bool = False) -> None:
        """See Ladder; the next fit begins."""
        with self._changed:
            self.interim.publish(revision, renamed)
            self.revision = revision
            self._changes += sum(self._applied)
            self._applied.clear()
            self._days.clear()
            if self._found.ratings is not None:  # another object: names may have changed
                self._found = self._found._replace(ratings=replace(self._found.ratings))
            self._wake()

    def load_compiled(self) -> None:
        """See Ladder."""
        self.interim.load_compiled()

    # -- fitting --

    @property
    def waiting(self) -> int:  # type: ignore[override]
        """How many results changed since the last successful fit."""
        return self._changes - self._found.changes

    @property
    def trouble(self) -> str | None:
        """Why the last fit failed, so that `ratings` are older; None: it succeeded."""
        return self._last.trouble

    @property
    def _untried(self) -> bool:
        """Whether something changed since the last attempt began."""
        return self._changes > self._last.changes

    def settle(self) -> None:
        """See Ladder; returns also after a failed fit."""
        with self._changed:
            while self._untried and not self._closed:
                self._wake()
                self._changed.wait()

    def close(self) -> None:
        """See Ladder; the result of a running fit is dropped."""
        with self._changed:
            self._closed = True
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
                changes, revision, ratings = self._changes, self.revision, self.interim.ratings()
            made, trouble = self._attempt(None if ratings is None else ratings.table)
            with self._changed:
                self._last = Attempt(changes, trouble)
                if trouble is None:
                    self._found = Found(changes, revision, made)
                self._changed.notify_all()

    def _attempt(self, table: Table | None) -> tuple[WholeTableRatings | None, str | None]:
        """A fit, or why it fails: an error must not end the thread silently."""
        try:
            return None if table is None else self._fit(table), None
        except Exception as error:
            return None, str(error) or type(error).__name__

    def _fit(self, table: Table) -> WholeTableRatings | None:
        if not len(table):
            return None
        return fit_table(compact(table), self.system, params=self.params)

    # -- reading --

    def ratings(self) -> WholeTableRatings | None:
        """See Ladder; None until the first fit."""
        return self._found.ratings

    def view(self, day: float | None = None) -> LadderView:
        """The last fit, or the interim while there is none, now or as of a day.

        An earlier day is fitted when it is asked for: only its own results are in it.
        """
        with self._changed:
            found, last, waiting = self._found, self._last, self.waiting
            interim = self.interim.ratings() if found.ratings is None and waiting else None
        if day is None:
            if interim is not None:
                return LadderView(interim, None, waiting, last.trouble, True)
            applied = found.revision if waiting else None
            return LadderView(found.ratings, applied, waiting, last.trouble, False)
        try:
            return LadderView(self.as_of(day), None, 0, None, False)
        except Unratable as error:
            earlier = self.interim.as_of(day)  # raises where the day itself is none
            count = 0 if earlier is None else len(earlier.table)
            return LadderView(earlier, None, count, str(error), True)

    def as_of(self, day: float) -> WholeTableRatings | None:
        """See Ladder; raises Unratable where these results cannot be fitted."""
        if not np.isfinite(day):
            raise Unratable(f"as of {day}: not a day")
        revision, ratings = self.revision, self.interim.ratings()
        with self._changed:
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]
        found = None if ratings is None else self._fit(ratings.table.before(day))
        found = None if found is None else replace(found, day=day)
        with self._changed:
            if revision == self.revision:
                self._days[day] = found
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return found

    def preview(self, changes: Changes) -> Preview:
        """See Ladder; fits the changed table at once, and before it the one that waits.

        If the fit fails, `trouble` says why, and the preview has the ratings shown then.
        """
        refuse_table(self.system, self.interim.incoming(changes))
        before, after = self.interim.table({}), self.interim.table(changes)
        if not self._applied:
            self.settle()
        old = self.ratings()
        if self._applied:
            made, wrong = self._attempt(before)
            old = old if wrong else made
        later, trouble = self._attempt(after)
        if trouble is not None and old is None:
            return self.interim.preview(changes)._replace(trouble=trouble, interim=True)
        shown = self.interim.ratings() if old is None else old
        counts = len(before), len(after), len(after)
        preview = build_preview(standings(shown), standings(shown if trouble else later), *counts)
        return preview._replace(trouble=trouble)

    def checkpoint(self) -> bytes:
        """See Ladder; the fit is made again."""
        return self.interim.checkpoint()

    @property
    def ids(self) -> NDArray[np.int64]:
        """See Ladder; another fit may number its players otherwise."""
        return ids_of(self.ratings())

    def row_of(self, player: int) -> int | None:
        """See Ladder."""
        rows = np.flatnonzero(self.ids == player)
        return int(rows[0]) if len(rows) else None


def read_view(ladder: Ladder, day: float | None = None) -> LadderView:
    """The view of any ladder, now or as of a day; raises Unratable for a day that is no number."""
    if isinstance(ladder, FittedLadder):
        return ladder.view(day)
    return LadderView(ladder.ratings() if day is None else ladder.as_of(day), None, 0, None, False)


def standings(ratings: Ratings | None) -> Standings:
    """The players of ratings with their values."""
    return Standings.of(ratings, ids_of(ratings))


def ids_of(ratings: Ratings | None) -> NDArray[np.int64]:
    """The store's numbers of the players of a ladder's ratings."""
    if ratings is None:
        return np.empty(0, dtype=np.int64)
    assert isinstance(ratings.players, Players)
    return ratings.players.ids


def compact(table: Table) -> Table:
    """The table with the players who are in it, in order of first appearance.

    So that the numbers follow from the results alone, not from what was corrected on the way.
    """
    assert isinstance(table.players, Players)
    rows, number = number_by_appearance(table.player.astype(np.int64))
    players = Players(table.players.ids[rows], table.players.names)
    return renumber_players(table, players, number.astype(np.uint32))
