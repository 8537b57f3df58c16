"""Tables of teams for tests: games of two sides, and contests of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from prowess.games.games import Games
from tests.engine.tables import START

Row = tuple[Sequence[str], Sequence[str], float, float]  # sides, score of the first, its side
NAMES = ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay")


def team_games(rows: Sequence[Row], **columns: Any) -> Games:
    """Games of two sides, one a day."""
    sides = [side for one, other, *_ in rows for side in (one, other)]
    roster, members = _members(sides)
    return Games(
        players=roster,
        ends=np.cumsum([0, *map(len, sides)]),
        player=members,
        score=np.array([row[2] for row in rows]),
        time=START + np.arange(len(rows), dtype=np.float64),
        side=np.array([row[3] for row in rows]),
        **columns,
    )


def team_contests(fields: Sequence[Sequence[tuple[Sequence[str], float]]], **columns: Any) -> Games:
    """Contests of many sides, each (members, place), one a day."""
    rows = [row for field in fields for row in field]
    sides = [members for members, _ in rows]
    roster, members = _members(sides)
    return Games(
        players=roster,
        start=np.cumsum([0, *map(len, fields)]),
        ends=np.cumsum([0, *map(len, sides)]),
        player=members,
        place=np.array([place for _, place in rows], dtype=np.float64),
        time=START + np.arange(len(fields), dtype=np.float64),
        **columns,
    )


def _members(sides: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], Any]:
    roster = tuple(dict.fromkeys(name for side in sides for name in side))
    ids = [roster.index(name) for side in sides for name in side]
    return roster, np.array(ids, dtype=np.uint32)


def doubles(count: int, seed: int = 1) -> list[Row]:
    """Games of two against two, the first names the stronger; a third of them drawn."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for _ in range(count):
        four = rng.choice(len(NAMES), 4, replace=False).tolist()
        one, other = sorted(four[:2]), sorted(four[2:])
        better = sum(other) - sum(one)
        score = float(rng.choice([1.0, 0.5, 0.0], p=np.array([3 + better, 3, 3 - better]) / 9.0
                                 if abs(better) < 3 else [0.7, 0.2, 0.1] if better > 0
                                 else [0.1, 0.2, 0.7]))  # fmt: skip
        side = float(rng.choice([1.0, 0.0, -1.0]))
        rows.append(([NAMES[k] for k in one], [NAMES[k] for k in other], score, side))
    return rows


def relays(count: int, seed: int = 2) -> list[list[tuple[list[str], float]]]:
    """Contests of three pairs."""
    rng = np.random.default_rng(seed)
    fields = []
    for _ in range(count):
        order = rng.permutation(len(NAMES)).tolist()
        pairs = [sorted(order[k : k + 2]) for k in (0, 2, 4)]
        worth = [sum(pair) + 2.0 * rng.standard_normal() for pair in pairs]
        places = 1.0 + np.argsort(np.argsort(worth))
        fields.append(
            [([NAMES[k] for k in pair], float(p)) for pair, p in zip(pairs, places, strict=True)]
        )
    return fields
