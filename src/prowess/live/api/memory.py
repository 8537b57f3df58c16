"""Memory that threads and objects in circles keep: few pools, and what is unused goes back.

glibc has a pool for up to eight threads a core, and each keeps what its largest request took; where
the C library is another one, its pools are left alone. Objects in circles, as requests with errors
leave them, wait until the interpreter looks for them, which a server that has much does seldom.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from time import monotonic

POOLS = 2
ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
TRIM_INTERVAL = 30.0  # seconds between two returns of memory


def limit_pools() -> None:
    """Let all threads share POOLS pools; call it before there are threads."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(ARENA_MAX, POOLS)


def return_unused() -> None:
    """Give memory that nothing uses back to the system."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def wait_tidily(ending: Event, seconds: float, drop: Callable[[], None]) -> bool:
    """Wait for some seconds or an event; returns whether it is set.

    Meanwhile `drop` forgets what is kept for visitors, and unused memory is returned.
    """
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0.0:
        if ending.wait(min(left, TRIM_INTERVAL)):
            return True
        drop()
        return_unused()
    return ending.is_set()
