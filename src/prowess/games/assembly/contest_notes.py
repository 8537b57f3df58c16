"""Notes on contests as they were read: odd places, shares, dates, and players left out."""

from __future__ import annotations

import numpy as np

from prowess.games.errors import Suspicion, quote
from prowess.games.games import Games
from prowess.games.layout import Layout
from prowess.games.reading import format_count


def share_notes(layout: Layout, largest: float, left_out: int) -> list[str]:
    """Notes on the column of shares, whose largest value is given."""
    if not layout.taken_part:
        return []
    name, notes = quote(layout.taken_part), []
    if largest > 1.0:
        notes.append(f"shares are the column {name} divided by its largest value in each contest")
    if left_out:
        rows = "1 player is" if left_out == 1 else f"{left_out:,} players are"
        notes.append(f"{rows} left out of a contest: a share of 0 in column {name}")
    return notes


def unplaced_notes(last: int, left_out: int, twice: int, dated: int) -> list[str | Suspicion]:
    """Notes on rows without a place of their own, which share the last one or are left out, on
    players who stand twice in a contest, and on contests with several dates.
    """
    notes: list[str | Suspicion] = []
    if last:
        rows = "1 row shares" if last == 1 else f"{last:,} rows share"
        skip = 'unplaced="skip" (--unplaced skip) leaves them out'
        notes.append(f"{rows} the last place of a contest (DNF and its like); {skip}")
    if left_out:
        rows = "1 row is" if left_out == 1 else f"{left_out:,} rows are"
        notes.append(f"{rows} left out: no place (DNS and its like)")
    if twice:
        players = "1 player stands" if twice == 1 else f"{twice:,} times a player stands"
        text = f"{players} twice in a contest: the better place counts, the other is left out"
        brief = f"{players} twice in a contest, the better place counts"
        notes.append(Suspicion(text, brief, warns=False))
    if dated:
        contests = "1 contest has" if dated == 1 else f"{dated:,} contests have"
        none = 'time="none", --time none: no dates'
        notes.append(f"{contests} several dates: the earliest counts ({none})")
    return notes


def place_notes(found: Games, guessed: bool) -> list[str]:
    """Notes on contests with odd places; a warning where half of them or more have no first, and
    their key is `guessed`.
    """
    count, sizes = len(found), np.diff(found.start)
    best = np.minimum.reduceat(found.place, found.start[:-1])
    worst = np.maximum.reduceat(found.place, found.start[:-1])
    contest = np.repeat(np.arange(count), sizes)
    winners = np.bincount(contest, found.place == 1.0, count)
    seconds = np.bincount(contest, found.place == 2.0, count)  # after two winners comes place 3
    who = "player" if found.single else "side"
    headless = f"no {who} is in place 1"
    odd = {
        headless: best > 1.0,
        f"there is one {who} only": sizes == 1,
        f"all {who}s share a place": (best == worst) & (sizes > 1),
        f"several {who}s are in place 1 and others in place 2 (are they several contests?)":
            (winners > 1) & (seconds > 0),
    }  # fmt: skip
    notes = [
        f"in {int(where.sum()):,} of {format_count(count, 'contest')} {what}"
        for what, where in odd.items()
        if where.any()
    ]
    if guessed and 2 * int(odd[headless].sum()) >= count:
        notes[0] = Suspicion(notes[0])
    return notes
