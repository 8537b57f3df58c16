"""A lock that serves in order of arrival, so that readers get in between two commits."""

from __future__ import annotations

from collections import deque
from threading import Event, Lock
from types import TracebackType


class Turnstile:
    """Whoever came first goes first; Python's own lock lets a quick loop starve the others."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._busy = False
        self._queue: deque[Event] = deque()

    def __enter__(self) -> None:
        with self._lock:
            if not self._busy:
                self._busy = True
                return
            turn = Event()
            self._queue.append(turn)
        turn.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            if self._queue:
                self._queue.popleft().set()  # handed over: it stays busy
            else:
                self._busy = False
