"""Whole real tables rated by other people's programs, held against ours.

The numbers are in the JSON files beside this test; `ratings_by_others.py` makes them.
"""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.engine.rate import rate
from prowess.games.games import Games
from prowess.systems.catalogue import find
from tests.independent.results import football, races

HERE = Path(__file__).parent

# name of the file: system, period, parameters. Everything else is as in the papers.
SETTINGS: dict[str, tuple[str, str | None, dict[str, float]]] = {
    "elo": ("elo", None, {"k": 20}),
    "glicko": ("glicko", None, {}),
    "glicko_by_year": ("glicko", "1y", {}),
    "glicko2_by_year": ("glicko2", "1y", {}),
    "weng_lin": ("weng_lin", None, {"tau": 25 / 300}),
}
POINTS = 1e-9  # sums in another order: after 50,000 games the largest difference was 3e-12


@cache
def football_table() -> Games:
    """International football, every game."""
    rows = football()
    roster = list(dict.fromkeys(name for _, home, away, _ in rows for name in (home, away)))
    number = {name: k for k, name in enumerate(roster)}
    return Games(
        players=roster,
        a=np.array([number[home] for _, home, _, _ in rows], dtype=np.uint32),
        b=np.array([number[away] for _, _, away, _ in rows], dtype=np.uint32),
        score=np.array([score for *_, score in rows]),
        time=np.array([(day - date(1970, 1, 1)).days for day, *_ in rows], dtype=np.float64),
    )


@cache
def race_table() -> Games:
    """Formula 1, every race with its classified drivers."""
    fields = races()
    roster = list(dict.fromkeys(name for field in fields for name in field))
    number = {name: k for k, name in enumerate(roster)}
    return Games(
        players=roster,
        start=np.cumsum([0, *map(len, fields)]).astype(np.int64),
        player=np.array([number[name] for field in fields for name in field], dtype=np.uint32),
        place=np.array([k + 1.0 for field in fields for k in range(len(field))]),
    )


def made(name: str) -> dict[str, Any]:
    """What another program said."""
    return json.loads((HERE / f"{name}.json").read_text("utf-8"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_another_program_says_the_same(name):
    """The best thirty of a real table are the same players with the same numbers."""
    system, period, params = SETTINGS[name]
    table = race_table() if system == "weng_lin" else football_table()
    ratings = rate(table, find(system), period=period, params=params)
    said = made(name)
    assert len(ratings) == said["players"]
    board = ratings.leaderboard(len(said["best"]))
    assert board.columns["player"] == list(said["best"])
    for player, numbers in said["best"].items():
        index = ratings.index(player)  # riix lets the idle age to the last year, elote does not
        ours = (ratings.state.player(index) if period is None else ratings.value(index))._asdict()
        assert {key: ours[key] for key in numbers} == approx(numbers, rel=0, abs=POINTS), player


def test_every_file_is_compared():
    """No file of numbers lies about unread, and each names its program and version."""
    assert {path.stem for path in HERE.glob("*.json")} == set(SETTINGS)
    for name in SETTINGS:
        program, number = made(name)["origin"].split(",")[0].split()
        assert program in ("elote", "riix", "openskill")
        assert number[0].isdigit()
