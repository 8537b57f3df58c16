"""What was worked out from ratings is kept as long as they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

T = TypeVar("T")
MOST = 64  # things kept of one value; the oldest goes

_kept: WeakKeyDictionary[Any, dict[Hashable, Any]] = WeakKeyDictionary()
_lock = Lock()


def remembered(ratings: Ratings, what: Hashable, work: Callable[[], T]) -> T:
    """The outcome of `work`, done once for these ratings (twice, when two ask at once).

    Ratings never change, so what was drawn from them stays true; it goes when they go. `work`
    may not keep the ratings alive through what it returns.
    """
    with _lock:
        known = _kept.setdefault(ratings, {})
        if what in known:
            found: T = known[what]
            return found
    made = work()
    with _lock:
        if len(known) >= MOST:
            del known[next(iter(known))]
        known[what] = made
    return made
