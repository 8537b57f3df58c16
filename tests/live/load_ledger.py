"""What clients mean to report, written down before it is sent, and what the server said to it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from threading import Lock

from prowess.live.client import Result

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = datetime(2001, 1, 1, tzinfo=UTC)
DAYS = 8000  # over which the games are spread, so that most come in late
PLAYERS = 300
COUNTS, VOID = "counts", "void"


@dataclass
class Meant:
    """A result: what was sent, and the versions that it shall have, oldest first."""

    said: Result
    time: int  # microseconds; no other result has it
    versions: list[tuple[str, float]]  # state, score
    acknowledged: int = 0  # how many of the versions
    number: int | None = None  # by which the server acknowledged it


@dataclass
class Ledger:
    """All that was meant; any thread may write in it."""

    seed: random.Random
    categories: tuple[str, ...] = ("chess", "go")
    meant: dict[int, Meant] = field(default_factory=dict)  # by time
    told: Counter[str] = field(default_factory=Counter)  # answers, and requests without any
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _lock: Lock = field(default_factory=Lock)

    def game(self, category: str, *, taken: bool = True) -> Meant:
        """A new game; with `taken` False one that the server shall refuse."""
        with self._lock:
            number = next(self._numbers)
            a, b = self.seed.sample(range(PLAYERS), 2)
            score = self.seed.choice((0.0, 0.5, 1.0))
            moment = FIRST + timedelta(self.seed.randrange(DAYS), microseconds=number)
        time = (moment - EPOCH) // timedelta(microseconds=1)
        said: Result = {
            "category": category,
            "player_a": f"player {a}",
            "player_b": f"player {b if taken else a}",
            "score": score,
            "time": moment.isoformat(),
        }
        one = Meant(said, time, [(COUNTS, score)] if taken else [])
        with self._lock:
            self.meant[time] = one
        return one

    def copied(self) -> list[tuple[Meant, int, int | None]]:
        """What must be there by now: results, how many versions of each, and their numbers."""
        with self._lock:
            return [(one, one.acknowledged, one.number) for one in self.meant.values()]

    def acknowledged(self, one: Meant, number: int) -> None:
        """The server says that it has a result, by this number."""
        with self._lock:
            if one.number not in (None, number):
                raise AssertionError(f"{one} is number {number} now")
            one.number = number
            one.acknowledged = max(one.acknowledged, 1)

    def changes(self, one: Meant, state: str, score: float) -> None:
        """A result shall get a further version."""
        with self._lock:
            one.versions.append((state, score))

    def changed(self, one: Meant) -> None:
        """The server says that it has all versions."""
        with self._lock:
            one.acknowledged = len(one.versions)

    def noted(self, what: str, times: int = 1) -> None:
        """Count something."""
        with self._lock:
            self.told[what] += times
