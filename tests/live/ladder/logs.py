"""Logs of results for tests, and the slow way to rate them: all at once, from the first on."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.games.games import Contests, Games
from prowess.live.facts import CONTESTS, DAY, Fact

START = 18_262 * DAY  # 2020-01-01
LEAST = 60_000_000  # microseconds; a minute


def table_of(facts: dict[int, Fact], kind: str, extra: tuple[str, ...] = ()) -> Any:
    """The exported table: results in order of (time, number), names by first appearance."""
    rows = sorted(facts.values(), key=lambda fact: (fact.time, fact.id))
    ids = list(dict.fromkeys(player for fact in rows for player in fact.players))
    names, number = [named(player) for player in ids], {p: k for k, p in enumerate(ids)}
    time = np.array([fact.time for fact in rows], dtype=np.int64)
    days = time // DAY + time % DAY / DAY
    weight = np.array([fact.weight for fact in rows])
    if kind == CONTESTS:
        placings = [one for fact in rows for one in fact.placings]
        return Contests(
            players=names,
            start=np.cumsum([0, *(len(fact.placings) for fact in rows)]).astype(np.int64),
            player=np.array([number[one.player] for one in placings], dtype=np.uint32),
            place=np.array([one.place for one in placings], dtype=np.float64),
            time=days,
            weight=weight if (weight != 1.0).any() else None,
        )
    pairs = [fact.pairing for fact in rows]
    assert all(pair is not None for pair in pairs)
    columns = {
        name: np.array([getattr(pair, name) for pair in pairs], dtype=np.float64)
        for word in ("side", *extra)
        for name in (("points_a", "points_b") if word == "points" else (word,))
    }
    labels = [fact.round for fact in rows]
    if None not in labels:
        seen = list(dict.fromkeys(labels))
        columns["round"] = np.array([seen.index(one) for one in labels], dtype=np.int32)
    return Games(
        players=names,
        a=np.array([number[pair.a] for pair in pairs], dtype=np.uint32),
        b=np.array([number[pair.b] for pair in pairs], dtype=np.uint32),
        score=np.array([pair.score for pair in pairs], dtype=np.float64),
        time=days,
        weight=weight if (weight != 1.0).any() else None,
        **columns,
    )


def named(player: int) -> str:
    """The name of a player."""
    return f"player {player}"


def by_name(ratings: Any) -> dict[str, tuple[float, ...]]:
    """All values of everybody with a game, as bits."""
    columns = {name: np.ascontiguousarray(c) for name, c in ratings.columns.items()}
    return {
        name: tuple(column[row].tobytes() for column in columns.values())
        for row, name in enumerate(ratings.players)
        if ratings.games[row]
    }
