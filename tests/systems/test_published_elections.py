"""Published elections, under every voting method.

`voting_cases.json`: 43 elections with 99 expectations, among them the examples of M. Schulze, "The
Schulze Method of Voting", arXiv:1804.02973; the numbers are those of the tests of
julien-boudry/Condorcet (tests/src/Algo/Methods at 00b1d178, MIT License, Julien Boudry and
contributors), each recomputed by another program.
"""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest

import prowess
from prowess.engine.fit import WholeTableRatings
from prowess.games.games import Games
from tests.systems.elections import election

CASES = json.loads(Path(__file__).with_name("voting_cases.json").read_text("utf-8"))
METHODS: dict[str, tuple[str, dict[str, str]]] = {
    "Borda Count": ("borda", {}),
    "Copeland": ("copeland", {}),
    "KemenyYoung": ("kemeny", {}),
    "Minimax Margin": ("minimax", {"defeat": "margins"}),
    "Minimax Opposition": ("minimax", {"defeat": "opposition"}),
    "Minimax Winning": ("minimax", {"defeat": "winning_votes"}),
    "Ranked Pairs Margin": ("ranked_pairs", {"strength": "margins"}),
    "Ranked Pairs Winning": ("ranked_pairs", {"strength": "winning_votes"}),
    "Schulze Margin": ("schulze", {"strength": "margins"}),
    "Schulze Ratio": ("schulze", {"strength": "ratio"}),
    "Schulze Winning": ("schulze", {"strength": "winning_votes"}),
}
EXPECTATIONS = [
    pytest.param(case, expected, id=f"{case['id']}, {expected['method']}, {expected['what']}")
    for case in CASES
    for expected in case["expected"]
]


def places(ratings: WholeTableRatings) -> list[set[str]]:
    """The candidates of each place, those whom nobody ranked too."""
    strength = dict(zip(ratings.players, (-ratings.strength).tolist(), strict=True))
    known = {name: value for name, value in strength.items() if not isnan(value)}
    sets = [{n for n in known if known[n] == value} for value in sorted(set(known.values()))]
    last = set(strength) - set(known)
    return [*sets, last] if last else sets


def stated(names: str | list[str]) -> set[str]:
    """One name or several."""
    return {names} if isinstance(names, str) else set(names)


def points(ratings: WholeTableRatings, table: Games, below: bool) -> dict[str, float]:
    """Borda points as the cases count them: the last gets 1, we give him 0."""
    given = dict(zip(ratings.players, ratings.column("points").tolist(), strict=True))
    weight = dict.fromkeys(table.players, 0.0)
    for ballot in range(len(table)):
        rows = slice(int(table.start[ballot]), int(table.start[ballot + 1]))
        ranked = {table.players[int(k)] for k in table.player[rows]}
        for name in table.players if below else ranked:
            weight[name] += 1.0 if table.weight is None else float(table.weight[ballot])
    return {n: weight[n] + (0.0 if isnan(given[n]) else given[n]) for n in given}


def numbers(ratings: WholeTableRatings, table: Games, method: str, below: bool) -> dict[str, Any]:
    """What a method knows of every candidate."""
    names = ratings.players
    if method.startswith("Schulze"):
        path = ratings.fit.model.path
        return {
            a: {b: float(path[i, j]) for j, b in enumerate(names) if i != j}
            for i, a in enumerate(names)
        }
    if method == "Borda Count":
        return points(ratings, table, below)
    column, called = {
        "Copeland": ("balance", "balance"),
        "Minimax Margin": ("defeat", "worst_pairwise_defeat_margin"),
        "Minimax Opposition": ("defeat", "worst_pairwise_opposition"),
        "Minimax Winning": ("defeat", "worst_pairwise_defeat_winning"),
    }[method]
    values = ratings.column(column).tolist()
    return {name: {called: value} for name, value in zip(names, values, strict=True)}


@pytest.mark.parametrize(("case", "expected"), EXPECTATIONS)
def test_published(case, expected):
    """Winners, rankings and numbers of published elections come out as published."""
    below = expected["unranked_below_ranked"]
    method, value = expected["method"], expected["value"]
    table = election(
        [(ballot["count"], ballot["ranking"]) for ballot in case["ballots"]], case["candidates"]
    )
    system, params = METHODS[method]
    ratings = prowess.rate(table, system, unranked="below" if below else "ignored", **params)
    assert isinstance(ratings, WholeTableRatings)
    if expected["what"] == "winner":
        assert places(ratings)[0] == stated(value)
    elif expected["what"] == "ranking":
        assert places(ratings) == [stated(value[place]) for place in sorted(value, key=int)]
    elif expected["what"] == "best_score":
        assert ratings.figures["score"] == pytest.approx(value, rel=1e-9)
    else:
        answer = numbers(ratings, table, method, below)
        for name, known in value.items():
            assert answer[name] == pytest.approx(known, rel=1e-12), name


def test_all_cases_are_there():
    """No expectation is left out."""
    assert (len(CASES), len(EXPECTATIONS)) == (43, 99)
