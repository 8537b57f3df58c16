"""Threads that read ahead of their use, such as those that decode parts of files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

DEPTH = 6  # items that wait to be used
END = object()
THREADS = sys.platform != "emscripten"  # a page in a browser starts none
SECONDS_OF_WAITING = 0.1  # after which a thread looks whether its items are still wanted


def count_cores() -> int:
    """The processors that this process may use."""
    if not THREADS:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_ahead(
    parts: Sequence[Callable[[], Iterator[Any]]], threads: int, depth: int = DEPTH
) -> Generator[Iterator[Any]]:
    """For each part, in order, the items that it makes; so many parts are made at a time.

    What a part raises is raised where its items are read. Without threads each part is made where
    it is read.
    """
    if not THREADS:
        for part in parts:
            yield part()
        return
    stop, waiting = Event(), dict[int, Queue[Any]]()

    def begin(at: int) -> None:
        if at < len(parts):
            queue: Queue[Any] = Queue(depth)
            waiting[at] = queue
            Thread(target=fill, args=(parts[at], queue, stop), daemon=True).start()

    try:
        for at in range(threads):
            begin(at)
        for at in range(len(parts)):
            yield _drain(waiting[at])
            del waiting[at]
            begin(at + threads)
    finally:
        stop.set()


def fill(part: Callable[[], Iterator[Any]], queue: Queue[Any], stop: Event) -> None:
    """Put the items of a part into a queue, and what it raises, until they are not wanted."""
    try:
        items = iter(part())
        while put(queue, next(items, END), stop) is not END:
            pass
    except BaseException as error:
        put(queue, error, stop)


def put(queue: Queue[Any], item: Any, stop: Event) -> Any:
    """Put an item into a queue that may be full; the item, or END where it is not wanted."""
    while not stop.is_set():
        try:
            queue.put(item, timeout=SECONDS_OF_WAITING)
        except Full:
            continue
        return item
    return END


def _drain(queue: Queue[Any]) -> Iterator[Any]:
    while (item := queue.get()) is not END:
        if isinstance(item, BaseException):
            raise item
        yield item
