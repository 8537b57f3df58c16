"""Which end of a scale is better, as a question of a form says: 1 = not at all, 5 = love it."""

from __future__ import annotations

import re

from prowess.games.vocabulary import split_heading
from prowess.games.words import slots_for, words_for

ANCHORS = re.compile(r"(\d+)\s*[=:–-]\s*([^\d,;()]+)")
GOOD, BAD = slots_for("scale_ends")
STARS = words_for("stars")


def find_better_end(question: str) -> float:
    """1.0 where a question says that more is better, -1.0 where less is, 0.0 where it is open.

    >>> find_better_end("(1 = not at all, 5 = love it)"), find_better_end("1: best, 6: worst")
    (1.0, -1.0)
    """
    ends = {int(number): {*split_heading(text)} for number, text in ANCHORS.findall(question)}
    if len(ends) < 2:
        return 1.0 if {*split_heading(question)} & STARS else 0.0
    low, high = (
        -1.0 if words & BAD else float(bool(words & GOOD))
        for words in (ends[min(ends)], ends[max(ends)])
    )
    return float((high > low) - (high < low)) if low * high <= 0.0 else 0.0
