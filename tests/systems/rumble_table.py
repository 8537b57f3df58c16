"""The bots' real table read by the standard library alone, and the worked league by hand."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parent.parent.parent / "examples" / "axelrod_bot_rumble.csv.gz"


@cache
def rows() -> list[tuple[str, str, float, float]]:
    """All battles: bot, bot, points, points."""
    with gzip.open(TABLE, "rt", encoding="utf-8", newline="") as lines:
        return [
            (row["bot_a"], row["bot_b"], float(row["score_a"]), float(row["score_b"]))
            for row in csv.DictReader(lines)
        ]


@cache
def shares() -> dict[str, dict[str, list[float]]]:
    """Every share of every bot against every opponent, in order."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for a, b, mine, theirs in rows():
        found[a][b].append(mine / (mine + theirs))
        found[b][a].append(theirs / (mine + theirs))
    return found
