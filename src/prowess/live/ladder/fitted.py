"""The ladder of a system that looks at the whole table: fitted anew behind the scenes.

Its results are kept by a ladder of the usual dynamic system, whose ratings are there at once:
the interim, to be shown while a fit is on its way.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.fit import fitted, refuse_table
from prowess.engine.replay import Unratable
from prowess.games.games import Contests, Games
from prowess.live.ladder.ladder import Ladder
from prowess.live.ladder.players import Players, appeared
from prowess.live.ladder.preview import Preview, Standings, previewed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.fitted import Fitted
    from prowess.engine.whole_table import WholeTable
    from prowess.live.facts import Changes
    from prowess.live.ladder.replayed import ReplayedLadder

    Table = Games | Contests

DAYS_KEPT = 8  # fits as of other days that are kept for the next who asks


class Attempt(NamedTuple):
    """What fitting came to."""

    changes: int  # how many had been made when it began
    ratings: Fitted | None  # the last that came off
    trouble: str | None  # why this one did not


class FittedLadder(Ladder):
    """The last fit that came off, and a thread that makes the next; see Ladder."""

    def __init__(
        self, system: WholeTable, params: Mapping[str, Any], interim: ReplayedLadder
    ) -> None:
        self.system, self.params, self.interim = system, dict(params), interim
        refuse_table(system, interim.table({}))
        self._changes = len(interim)  # published, so many results changed since the beginning
        self._applied: list[int] = []  # by each `apply` that is not published
        self._last = Attempt(0, None, None)
        self._days: OrderedDict[float, Fitted | None] = OrderedDict()
        self._worker: Thread | None = None
        self._closed = False
        self._news = Condition()

    def __len__(self) -> int:
        return len(self.interim)

    # -- changing --

    def apply(self, changes: Changes) -> None:
        """See Ladder; what only the fit finds out is told by `trouble`."""
        refuse_table(self.system, self.interim.news(changes))
        self.interim.apply(changes)
        self._applied.append(len(changes))

    def undo(self) -> None:
        """See Ladder."""
        self.interim.undo()
        self._applied.pop()

    def publish(self, revision: int) -> None:
        """See Ladder; the next fit begins."""
        with self._news:
            self.interim.publish(revision)
            self.revision = revision
            self._changes += sum(self._applied)
            self._applied.clear()
            self._days.clear()
            if self._last.ratings is not None:  # another object: names may have changed
                self._last = self._last._replace(ratings=replace(self._last.ratings))
            self._wake()

    # -- fitting --

    @property
    def waiting(self) -> int:  # type: ignore[override]
        """How many results changed that no fit has seen yet."""
        return self._changes - self._last.changes

    @property
    def trouble(self) -> str | None:
        """Why the last fit did not come off, so that `ratings` are older; None: it did."""
        return self._last.trouble

    def settle(self) -> None:
        """See Ladder."""
        with self._news:
            while self.waiting and not self._closed:
                self._wake()
                self._news.wait()

    def close(self) -> None:
        """See Ladder; a fit on its way ends unseen."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _wake(self) -> None:
        if self.waiting and self._worker is None and not self._closed:
            self._worker = Thread(target=self._work, name="fit", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        """Fit until nothing waits; what came in meanwhile is in the next fit together."""
        while True:
            with self._news:
                if not self.waiting or self._closed:
                    self._worker = None
                    self._news.notify_all()
                    return
                changes, ratings = self._changes, self.interim.ratings()
            attempt = self._attempt(changes, None if ratings is None else ratings.table)
            with self._news:
                self._last = attempt
                self._news.notify_all()

    def _attempt(self, changes: int, table: Table | None) -> Attempt:
        try:
            return Attempt(changes, None if table is None else self._fit(table), None)
        except Exception as error:  # a fit that fails must not end the thread unseen
            return Attempt(changes, self._last.ratings, str(error) or type(error).__name__)

    def _fit(self, table: Table) -> Fitted | None:
        if not len(table):
            return None
        return fitted(compact(table), self.system, params=self.params)

    # -- reading --

    def ratings(self) -> Fitted | None:
        """See Ladder; None until the first fit."""
        return self._last.ratings

    def as_of(self, day: float) -> Fitted | None:
        """See Ladder; raises Unratable where these results cannot be fitted."""
        if not np.isfinite(day):
            raise Unratable(f"as of {day}: not a day")
        revision, ratings = self.revision, self.interim.ratings()
        with self._news:
            if day in self._days:
                self._days.move_to_end(day)
                return self._days[day]
        found = None if ratings is None else self._fit(ratings.table.before(day))
        found = None if found is None else replace(found, day=day)
        with self._news:
            if revision == self.revision:
                self._days[day] = found
                while len(self._days) > DAYS_KEPT:
                    self._days.popitem(last=False)
        return found

    def preview(self, changes: Changes) -> Preview:
        """See Ladder; fits the changed table at once, and before it the one that waits."""
        before, after = self.interim.table({}), self.interim.table(changes)
        if self._applied:
            old = self._fit(before)
        else:
            self.settle()
            old = self.ratings()
        later = self._fit(after)
        counts = len(before), len(after), len(after)
        return previewed(
            Standings.of(old, ids_of(old)), Standings.of(later, ids_of(later)), *counts
        )

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


def ids_of(ratings: Fitted | None) -> NDArray[np.int64]:
    """The store's numbers of the players of a fit."""
    if ratings is None:
        return np.empty(0, dtype=np.int64)
    assert isinstance(ratings.players, Players)
    return ratings.players.ids


def compact(table: Table) -> Any:
    """The table with the players who are in it, in order of first appearance.

    So that the numbers follow from the results alone, not from what was corrected on the way.
    """
    assert isinstance(table.players, Players)
    if isinstance(table, Contests):
        rows, number = appeared(table.player)
    else:
        rows, number = appeared(np.stack((table.a, table.b), axis=1).ravel())
    players = Players(table.players.ids[rows], table.players.names)
    if isinstance(table, Contests):
        return replace(table, players=players, player=number)
    return replace(table, players=players, a=number[0::2].copy(), b=number[1::2].copy())
