"""Example tables as rows (a, b, score, side): other programs and ours fit the same games."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
if __package__:
    results = import_module("tests.independent.results")
else:  # run by another interpreter, where a package called `tests` may be another one
    sys.path.insert(0, str(HERE))
    results = import_module("results")

Row = tuple[str, str, float, float]
VOTES = {"left": 1.0, "right": 0.0, "tie": 0.5}


def votes() -> list[Row]:
    """Votes on answers of language models; no sides."""
    rows = results.rows("llmfao_votes")
    return [(row["left"], row["right"], VOTES[row["winner"]], 0.0) for row in rows]


def judged_votes() -> list[tuple[str, str, float, float, int]]:
    """The same votes with a covariate that is made up and the number of the worker."""
    return [
        (row["left"], row["right"], VOTES[row["winner"]], int(row["id"]) * 7919 % 101 / 101 - 0.5,
         int(row["worker"]))
        for row in results.rows("llmfao_votes")
    ]  # fmt: skip


def premier_league() -> list[Row]:
    """One football league, every game with a home side."""
    return [
        (row["home"], row["away"], _score(row["home_goals"], row["away_goals"]), 1.0)
        for row in results.rows("league_football")
        if row["league"] == "Premier League"
    ]


def internationals() -> list[Row]:
    """International football, sides left out."""
    return [(home, away, score, 0.0) for _, home, away, score in results.football()]


def _score(mine: str, theirs: str) -> float:
    return 0.5 + 0.5 * ((int(mine) > int(theirs)) - (int(mine) < int(theirs)))
