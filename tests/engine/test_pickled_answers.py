"""What each verb returns can be pickled and copied."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest

import prowess

PLAYERS = ["Ada", "Ben", "Cid", "Dan"]
CHANCE = random.Random(4)
GAMES = [
    (*CHANCE.sample(PLAYERS, 2), CHANCE.choice([1, 0.5, 0]), f"2024-{1 + k // 28:02d}-{1 + k % 28}")
    for k in range(120)
]
ANSWERS: dict[str, Any] = {
    "assess": lambda r: prowess.assess(r, "Ada", "Ben"),
    "backtest": lambda r: prowess.backtest(GAMES, "elo"),
    "bracket": lambda r: prowess.bracket(r, PLAYERS, runs=50),
    "compare": lambda r: prowess.compare(GAMES, ["elo:k=8", "elo"]),
    "diagnose": lambda r: prowess.diagnose(GAMES),
    "forecast": lambda r: prowess.forecast(r, [("Ada", "Ben")]),
    "history": lambda r: prowess.history(r, "Ada"),
    "leaderboard": prowess.leaderboard,
    "look": lambda r: prowess.look(GAMES),
    "pairings": prowess.pairings,
    "performance": prowess.performance,
    "plot.history": lambda r: prowess.plot.history(r, ["Ada"]),
    "rate": lambda r: r,
    "rate_on": lambda r: prowess.rate_on(r, [("Ada", "Ben", 1, "2025-01-01")]),
    "read_games": lambda r: prowess.read_games(GAMES),
    "report": prowess.report,
    "season": lambda r: prowess.season(r, PLAYERS, runs=50),
    "simulate": lambda r: prowess.simulate(players=5, games=20),
    "stack": lambda r: prowess.stack(GAMES, ["elo:k=8", "elo"]),
    "swiss": lambda r: prowess.swiss(r, 2, PLAYERS, runs=50),
    "system": lambda r: prowess.system("elo"),
    "systems": lambda r: prowess.systems(),
    "table": lambda r: prowess.table(GAMES, ["elo:k=8", "elo"]),
    "triangles": lambda r: prowess.triangles(GAMES),
    "tune": lambda r: prowess.tune(GAMES, "elo", over=["k"], budget=20, starts=1),
}


@pytest.fixture(scope="module")
def ratings():
    return prowess.rate(GAMES, "elo")


@pytest.mark.parametrize("verb", ANSWERS)
def test_an_answer_is_pickled_and_copied(ratings, verb):
    """What every verb returns can be pickled and copied, and prints the same."""
    answer = ANSWERS[verb](ratings)
    for again in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer), copy.copy(answer)):
        assert type(again) is type(answer)
        if hasattr(answer, "to_csv"):
            assert again.to_csv() == answer.to_csv()
