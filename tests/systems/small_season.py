"""Ten games of five teams, played in 2005: the running example of "Who's #1?"."""

from __future__ import annotations

from prowess.games.games import Games
from tests.engine.tables import games

# A. N. Langville and C. D. Meyer, "Who's #1? The Science of Rating and Ranking" (2012), table 1.1.
RESULTS = [
    ("Duke", "Miami", 7, 52),
    ("Duke", "UNC", 21, 24),
    ("Duke", "UVA", 7, 38),
    ("Duke", "VT", 0, 45),
    ("Miami", "UNC", 34, 16),
    ("Miami", "UVA", 25, 17),
    ("Miami", "VT", 27, 7),
    ("UNC", "UVA", 7, 5),
    ("UNC", "VT", 3, 30),
    ("UVA", "VT", 14, 52),
]


def small_season() -> Games:
    """The table."""
    return games(
        [(a, b, float(x > y)) for a, b, x, y in RESULTS],
        points_a=[x for _, _, x, _ in RESULTS],
        points_b=[y for _, _, _, y in RESULTS],
        margin=[x - y for _, _, x, y in RESULTS],
    )
