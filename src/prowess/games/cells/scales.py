"""Which end of a scale is better, as a question of a form says: 1 = not at all, 5 = love it."""

from __future__ import annotations

import re

from prowess.games.vocabulary import split_heading

ANCHORS = re.compile(r"(\d+)\s*[=:–-]\s*([^\d,;()]+)")
_GOOD = (
    "best love loved excellent great perfect good top super favourite favorite agree yes gut "
    "ausgezeichnet bien meilleur adore mejor bueno encanta migliore ottimo buono melhor bom otimo "
    "beste goed najlepszy dobry"
)
_BAD = (
    "worst hate bad poor terrible awful not never dislike disagree no schlecht mangelhaft nicht "
    "ungenugend pire mauvais pas peor malo peggiore pessimo non pior mau nao slecht najgorszy zly"
)
GOOD, BAD = frozenset(_GOOD.split()), frozenset(_BAD.split())
STARS = frozenset({"star", "stars", "sterne", "etoiles", "estrellas", "stelle", "estrelas"})


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
