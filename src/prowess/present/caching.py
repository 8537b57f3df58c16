"""Cache of values computed from ratings, kept as long as the ratings are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from prowess.engine.ratings import Ratings

T = TypeVar("T")
MOST = 64  # things kept of one value; the oldest goes
MOST_GAMES = 50_000  # of the players whose games something is kept of; the one kept first goes

Own = dict[tuple[int, Hashable], tuple[int, Any]]  # by player and what: their games, the outcome

_kept: WeakKeyDictionary[Any, dict[Hashable, Any]] = WeakKeyDictionary()
_own: WeakKeyDictionary[Any, Own] = WeakKeyDictionary()  # by lineage of ratings
_lock = Lock()


def cached_value(ratings: Ratings, what: Hashable, work: Callable[[], T]) -> T:
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


def has_lineage(ratings: Ratings) -> bool:
    """Whether what was worked out of one player's games outlives the games of others."""
    return hasattr(ratings, "lineage")


def keep_for_player(ratings: Ratings, k: int, what: Hashable, work: Callable[[T | None], T]) -> T:
    """The outcome of `work` on the past games of player k, done again once they played another.

    It depends on nothing but the games of this player and the ratings before each of them. `work`
    is given the outcome for earlier games where there is one. Where ratings have no lineage (they
    are those of a table, not of a ladder) it goes with them.
    """
    if not has_lineage(ratings):
        return cached_value(ratings, (what, k), lambda: work(None))
    lineage: Any = ratings.lineage  # type: ignore[attr-defined]
    games = int(ratings.game_counts[k])
    with _lock:
        kept = _own.setdefault(lineage, {})
        earlier: tuple[int, T | None] = kept.get((k, what), (-1, None))
    if earlier[0] == games:
        return cast("T", earlier[1])
    made = work(earlier[1] if earlier[0] < games else None)
    with _lock:
        kept.pop((k, what), None)
        kept[k, what] = games, made
        total = sum(count for count, _ in kept.values())
        for place in list(kept):
            if total <= MOST_GAMES or len(kept) == 1:
                break
            total -= kept.pop(place)[0]
    return made
