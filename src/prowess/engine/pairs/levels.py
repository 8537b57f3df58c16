"""Levels of a partial order, and the sets of players that beat all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prowess.engine.pairs.preferences import Preferences

    Truths = NDArray[np.bool_]
    Integers = NDArray[np.int64]

MOST_NAMED = 6  # players in one sentence


def levels(above: Truths, standing: Truths) -> Integers:
    """Level 1 is whom nobody is above, level 2 whom nobody is above once those are gone, ...

    `above` [n, n] has no circles; who does not stand [n] gets level 0.
    """
    level = np.zeros(len(above), dtype=np.int64)
    left = standing.copy()
    over = (above & standing[:, None]).sum(axis=0)
    while left.any():
        top = left & (over == 0)
        level[top] = level.max() + 1
        left &= ~top
        over = over - above[top].sum(axis=0)
    return level


def condensed(preferences: Preferences) -> list[Integers]:
    """Sets of players, everybody in one of them beating everybody in those after it.

    The finest such division; the first is the Smith set. In a sequence of players by their
    points (1 for each beaten, 1/2 for each even or not compared) a set ends after k of n where
    the first k have C(k, 2) + k (n - k) points: all they can have.
    """
    who = preferences.candidates
    beats = preferences.beats[np.ix_(who, who)]
    n = len(who)
    points = 0.5 * (n - 1 + beats.sum(axis=1) - beats.sum(axis=0))
    order = np.argsort(-points, kind="stable")
    k = np.arange(1, n + 1)
    full = k * (k - 1) / 2 + k * (n - k)
    ends = np.flatnonzero(np.cumsum(points[order]) == full) + 1
    return [who[order[low:high]] for low, high in zip([0, *ends[:-1]], ends, strict=True)]


def verdict(preferences: Preferences) -> str | None:
    """A sentence: who beats everybody else one to one, or the smallest set that does."""
    if len(preferences.candidates) < 2:
        return None
    first = condensed(preferences)[0]
    if len(first) == 1:
        return f"{preferences.players[int(first[0])]} beats everybody else (Condorcet winner)"
    if len(first) == len(preferences.candidates):
        return "nobody beats everybody else, and no smaller set of players does (Smith set: all)"
    return (
        "nobody beats everybody else; the smallest set that beats all others (Smith set): "
        f"{named(preferences, first)}"
    )


def shared_first(preferences: Preferences, first: Truths) -> str | None:
    """A sentence where several share the first place, [n]."""
    if first.sum() < 2:
        return None
    return f"the first place is shared: {named(preferences, np.flatnonzero(first))}"


def named(preferences: Preferences, who: Iterable[int]) -> str:
    """Names in alphabetical order, not too many."""
    names = sorted(preferences.players[int(player)] for player in who)
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def told(preferences: Preferences, first: Truths) -> tuple[str, ...]:
    """What every voting method has to say of its result; `first` [n] are on the first place."""
    sentences = (verdict(preferences), shared_first(preferences, first), unseen(preferences))
    return tuple(sentence for sentence in sentences if sentence is not None)


def unseen(preferences: Preferences) -> str | None:
    """A sentence where candidates stand whom no ballot ranks."""
    never = preferences.standing & ~preferences.ranked
    if not never.any():
        return None
    who = named(preferences, np.flatnonzero(never))
    return f"no ballot ranks {who}: below all others, and not shown"
