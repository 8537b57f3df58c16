"""The bots of one game: how often they fought, who has left, and which battles are wanted next."""

from __future__ import annotations

import json
from collections import deque
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, insert, select

from prowess.live.errors import NotFound
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import Category
from prowess.live.store.tables import setting
from prowess.study.next_battles import next_battles

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

WANTED = 100  # battles that are found at a time
REST = 10.0  # seconds at least from one search to the next


class Field:
    """One category as RoboRumble clients see it."""

    def __init__(self, desk: Journal, key: str) -> None:
        self.desk, self.key = desk, key
        self.setting = f"rumble.retired.{key}"
        self._lock = Lock()
        self._wanted: deque[tuple[str, str]] = deque()
        self._searched = -REST
        with desk.store.read() as connection:
            row = connection.scalar(select(setting.c.value).where(setting.c.key == self.setting))
        self._retired: set[int] = set() if row is None else set(json.loads(row))

    @property
    def category(self) -> Category:
        """With its method of today."""
        return self.desk.category(self.key)

    def ratings(self) -> Ratings | None:
        """Today's; None before the first battle."""
        return self.desk.ratings(self.key)

    def told(self, first: str, second: str) -> list[str]:
        """The numbers of battles of two bots, and a battle that is wanted, as clients read them."""
        ratings = self.ratings()
        if ratings is None:
            return []
        fought = dict(zip(ratings.players, ratings.game_counts.tolist(), strict=True))
        lines = []
        names = [self._shown(name) for name in (first, second)]
        if all(name in fought for name in names):
            lines.append("<" + " ".join(f"{fought[name]:g}" for name in names) + ">")
        pair = self._next(ratings)
        if pair is not None:
            lines.append("[" + ",".join(name.replace(" ", "_") for name in pair) + "]")
        return lines

    # -- who takes part --

    def is_retired(self, name: str) -> bool:
        """Whether a bot takes part no more."""
        return self.desk.books.people.number_of(name) in self._retired

    def retired(self, written: str) -> str:
        """Note that a bot has left, named with underscores for spaces; raises NotFound."""
        ratings = self.ratings()
        players = () if ratings is None else ratings.players
        for name in _readings(written):
            if name in players:
                self._note(self._retired | {self.desk.books.people.names[name]})
                return name
        raise NotFound("no_such_player", f"there is no {written!r} in {self.key}", field="name")

    def returned(self, *names: str) -> None:
        """Bots that fight take part again."""
        numbers = {self.desk.books.people.number_of(name) for name in names}
        if numbers & self._retired:
            self._note(self._retired - numbers)

    def _note(self, retired: set[int]) -> None:
        """Remember who has left; durable when this returns."""
        text = json.dumps(sorted(retired))

        def job(connection: Connection) -> None:
            connection.execute(delete(setting).where(setting.c.key == self.setting))
            connection.execute(insert(setting), {"key": self.setting, "value": text})

        self.desk.store.writer.do(job)
        self._retired = retired

    def _shown(self, name: str) -> str:
        people = self.desk.books.people
        number = people.number_of(name)
        return name if number is None else people.shown[people.canonical(number)]

    # -- what is wanted --

    def _next(self, ratings: Ratings) -> tuple[str, str] | None:
        """A battle worth playing, a new one at every call."""
        with self._lock:
            if not self._wanted and monotonic() - self._searched >= REST:
                pairs = ((one.player, one.opponent) for one in next_battles(ratings, WANTED))
                self._wanted.extend(pair for pair in pairs if all(map(self._playable, pair)))
                self._searched = monotonic()
            return self._wanted.popleft() if self._wanted else None

    def _playable(self, name: str) -> bool:
        """Clients cut a name at its last underscore, so a version can hold none."""
        _, space, version = name.partition(" ")
        return bool(space) and "_" not in version and not self.is_retired(name)


def _readings(written: str) -> list[str]:
    """Every name that is written like this with underscores for spaces."""
    cuts = [k for k, letter in enumerate(written) if letter == "_"]
    return [written, *(written[:k] + " " + written[k + 1 :] for k in cuts)]
