"""What is to be said of contests that were read: what was guessed, and what looks odd."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prowess.games import headings
from prowess.games.contest_keys import FILE, option
from prowess.games.games import Games, counted, side_name
from prowess.games.layout import Layout, join_names
from prowess.games.outcomes import plain
from prowess.games.refusal import BadData, quoted

SHOWN = 3  # players of a contest that a question names


def which_end(found: Games, column: str, file: str | None) -> BadData:
    """The question which end of a column is better, with the first contest read in both ways."""
    sizes = np.diff(found.start)
    first = int(np.argmax(sizes > 1))
    rows = slice(int(found.start[first]), int(found.start[first + 1]))
    assert found.points is not None
    points = found.points[rows]
    readings = []
    for sign in (-1.0, 1.0):
        best = np.argsort(np.where(np.isnan(points), np.inf, sign * points), kind="stable")
        readings.append(
            " > ".join(
                f"{side_name(found, rows.start + at)} ({points[at]:g})"
                for at in best[:SHOWN].tolist()
            )
        )
    return BadData(
        f"it is open which end of {quoted(column)} is better: the first contest begins "
        f"{readings[0]} if more is, {readings[1]} if less is",
        file=file,
        column=column,
        remedy=f"say {option('points', [column])} if more is better, "
        f"{option('points', ['-' + column])} if less is",
    )


def team_notes(layout: Layout, unused: str | None) -> list[str]:
    """What a guessed column of teams is taken for; `unused` is one that is not taken for any."""
    if unused:
        return [f"{quoted(unused)} makes no sides: most of its players have places of their own"]
    if not layout.team or not layout.guessed_team:
        return []
    each = 'team="none" (--team none) makes each player one'
    return [f"{quoted(layout.team)}: players of one team are one side of a contest; {each}"]


def share_notes(layout: Layout, largest: float, left_out: int) -> list[str]:
    """What became of the column of shares, whose largest value is given."""
    if not layout.taken_part:
        return []
    name, notes = quoted(layout.taken_part), []
    if largest > 1.0:
        notes.append(f"shares are the column {name} divided by its largest value in each contest")
    if left_out:
        rows = "1 player is" if left_out == 1 else f"{left_out:,} players are"
        notes.append(f"{rows} left out of a contest: a share of 0 in column {name}")
    return notes


def key_note(found: Games, keys: Sequence[str], layout: Layout) -> str:
    """What tells the contests apart, and how many of what size that makes."""
    sizes = np.diff(found.start)
    least, most = int(sizes.min()), int(sizes.max())
    who = "player" if found.single else "side"
    if list(keys) == [FILE] and len(found) == 1:
        why = ": nothing tells contests apart" if layout.guessed else ", as named"
        return f"one contest of {counted(most, who)}{why}"
    by = "told apart" if layout.guessed else "as named"
    size = "" if least == most else f"{least:,} to "
    return (
        f"contests {by} by {join_names(keys)}: {counted(len(found), 'contest')} of {size}"
        f"{counted(most, who)}"
    )


def points_notes(layout: Layout) -> list[str]:
    """Which end of the points is the better one, where that is a guess or unusual."""
    if layout.best == "heading":
        name, sign = layout.points[0]
        more, less = ("less", "more") if sign < 0.0 else ("more", "less")
        other = option("points", [f"-{name}" if sign > 0.0 else name])
        return [f"{quoted(name)}: {more} is better; {other} says that {less} is"]
    if layout.place:
        return []
    return [
        f"{quoted(name)}: more is better, as named; {option('points', ['-' + name])} says that "
        "less is"
        for name, sign in layout.points
        if sign > 0.0 and name != layout.result and plain(name) not in headings.MORE
    ]


def unplaced_notes(last: int, left_out: int) -> list[str]:
    """What became of so many rows without a place."""
    notes = []
    if last:
        rows = "1 row shares" if last == 1 else f"{last:,} rows share"
        notes.append(f"{rows} the last place of a contest (DNF and its like)")
    if left_out:
        rows = "1 row is" if left_out == 1 else f"{left_out:,} rows are"
        notes.append(f"{rows} left out: no place (DNS and its like)")
    return notes


def place_notes(found: Games) -> list[str]:
    """How many contests have odd places."""
    count, sizes = len(found), np.diff(found.start)
    best = np.minimum.reduceat(found.place, found.start[:-1])
    worst = np.maximum.reduceat(found.place, found.start[:-1])
    contest = np.repeat(np.arange(count), sizes)
    winners = np.bincount(contest, found.place == 1.0, count)
    seconds = np.bincount(contest, found.place == 2.0, count)  # after two winners comes place 3
    who = "player" if found.single else "side"
    odd = {
        "nobody is in place 1": best > 1.0,
        f"there is one {who} only": sizes == 1,
        f"all {who}s share a place": (best == worst) & (sizes > 1),
        f"several {who}s are in place 1 and others in place 2 (are they several contests?)":
            (winners > 1) & (seconds > 0),
    }  # fmt: skip
    return [
        f"in {int(where.sum()):,} of {counted(count, 'contest')} {what}"
        for what, where in odd.items()
        if where.any()
    ]
