"""Ladders as they were known at an earlier revision, made from the log when somebody asks."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from prowess.live.desk.books import Books, categories_at
from prowess.live.desk.ladders import played
from prowess.live.desk.log import columns, mergers_at
from prowess.live.desk.refusals import NotFound
from prowess.live.ladder import Ladder
from prowess.live.store.opening import Store

MOST = 4  # ladders kept in memory


class Past:
    """The last few that were asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ladders: OrderedDict[tuple[str, int], Ladder] = OrderedDict()
        self._lock = Lock()

    def ladder(self, books: Books, key: str, revision: int) -> Ladder:
        """A ladder of its own as it was at a revision; raises NotFound."""
        with self._lock:
            place = key, revision
            if place not in self._ladders:
                self._ladders[place] = self._played(books, key, revision)
                while len(self._ladders) > MOST:
                    self._ladders.popitem(last=False)[1].close()
            self._ladders.move_to_end(place)
            return self._ladders[place]

    def forget(self) -> None:
        """Players are called otherwise: make them anew."""
        with self._lock:
            while self._ladders:
                self._ladders.popitem()[1].close()

    def _played(self, books: Books, key: str, revision: int) -> Ladder:
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
