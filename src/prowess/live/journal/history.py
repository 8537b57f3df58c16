"""Ladders as they were known at an earlier revision, replayed from the log on request.

A thread of its own makes them one after the other, so that they delay no other request and take
no more memory than one at a time and the last few need.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from math import ceil
from threading import Lock
from time import monotonic

from prowess.live.errors import Busy, NotFound
from prowess.live.journal.ladders import played
from prowess.live.journal.log_columns import columns, mergers_at
from prowess.live.journal.registry import Registry, categories_at
from prowess.live.ladder.ladder import Ladder
from prowess.live.store.store import Store

MOST = 4  # ladders kept in memory
MOST_WAITING = 4  # requests that wait for one; more are sent away


class History:
    """The last few ladders of earlier revisions that were asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ladders: OrderedDict[tuple[str, int], Future[Ladder]] = OrderedDict()
        self._lock = Lock()  # held for moments
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="prowess-past")
        self._waiting = 0
        self._took = 0.0  # seconds, the last one

    def ladder(self, books: Registry, key: str, revision: int) -> Ladder:
        """A ladder of its own as it was at a revision; raises NotFound, Busy."""
        place = key, revision
        with self._lock:
            made = self._ladders.get(place)
            if made is not None and made.done():
                self._ladders.move_to_end(place)
                return made.result()
            if self._waiting >= MOST_WAITING:
                wait = max(1, ceil(self._took * self._waiting))
                told = f"ask again in {wait} s: others wait for earlier revisions to be rated"
                raise Busy("past_is_busy", told, wait)
            if made is None:
                made = self._maker.submit(self._make, books, key, revision)
                self._ladders[place] = made
            self._waiting += 1
        try:
            return made.result()
        except BaseException:
            with self._lock:
                if self._ladders.get(place) is made:
                    del self._ladders[place]
            raise
        finally:
            with self._lock:
                self._waiting -= 1
                self._drop_oldest()

    def forget(self) -> None:
        """Players are called otherwise: make them anew."""
        with self._lock:
            while self._ladders:
                let_go(self._ladders.popitem()[1])

    def close(self) -> None:
        """Let go of everything."""
        self._maker.shutdown(cancel_futures=True)
        self.forget()

    def _drop_oldest(self) -> None:
        """Keep the last few of those that are made."""
        made = [place for place, one in self._ladders.items() if one.done()]
        for place in made[: max(0, len(made) - MOST)]:
            let_go(self._ladders.pop(place))

    def _make(self, books: Registry, key: str, revision: int) -> Ladder:
        began = monotonic()
        ladder = self._played(books, key, revision)
        self._took = monotonic() - began
        return ladder

    def _played(self, books: Registry, key: str, revision: int) -> Ladder:
        with self.store.read() as connection:
            then = {one.key: one for one in categories_at(connection, revision)}
            if key not in then:
                books.category(key)  # unknown altogether?
                raise NotFound("no_such_category", f"there was no {key!r} at revision {revision}")
            people = books.people.copied(mergers_at(connection, revision))
            found = columns(connection, then[key], people, revision)
        ladder = played(then[key], people, found)
        ladder.publish(revision)
        ladder.settle()
        return ladder


def let_go(made: Future[Ladder]) -> None:
    """End what a ladder does in the background, at the latest when it is made."""

    def close(one: Future[Ladder]) -> None:
        if not one.cancelled() and one.exception() is None:
            one.result().close()

    made.add_done_callback(close)
