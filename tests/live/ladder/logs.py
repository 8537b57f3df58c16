"""Logs of results for tests, and the slow way to rate them: all at once, from the first on."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.live.facts import CONTESTS, DAY, GAMES, Changes, Fact, Pairing, Placing

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
        return Games(
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


def columns_of(facts: dict[int, Fact], kind: str) -> dict[str, Any]:
    """The columns that a store gives of results, in no order of play."""
    rows = sorted(facts.values(), key=lambda fact: -fact.id)
    found: dict[str, Any] = {
        "id": np.array([fact.id for fact in rows], dtype=np.int64),
        "time": np.array([fact.time for fact in rows], dtype=np.int64),
        "weight": np.array([fact.weight for fact in rows], dtype=np.float64),
    }
    if kind == CONTESTS:
        placings = [one for fact in rows for one in fact.placings]
        found["start"] = np.cumsum([0, *(len(fact.placings) for fact in rows)])
        for name in Placing._fields:
            found[name] = np.array([getattr(one, name) for one in placings])
        return found
    for name in Pairing._fields:
        found[name] = np.array([getattr(fact.pairing, name) for fact in rows])
    labels = np.array([fact.round for fact in rows], dtype=object)
    return found | {"round": labels if any(labels) else None}


def named(player: int) -> str:
    """The name of a player."""
    return f"player {player}"


def by_name(ratings: Any) -> dict[str, tuple[bytes, ...]]:
    """All values of everybody with a game, as bits."""
    columns = {name: np.ascontiguousarray(c) for name, c in ratings.columns.items()}
    return {
        name: tuple(column[row].tobytes() for column in columns.values())
        for row, name in enumerate(ratings.players)
        if ratings.games[row]
    }


EXTRA = ("margin", "length", "points")
PLAYERS = range(11, 16)


@st.composite
def some_fact(draw: st.DrawFn, number: int, kind: str, period: str | None, weighted: bool) -> Fact:
    """A result on one of a few days, so that many share a time or a round."""
    day = draw(st.integers(0, 25))
    time = START + day * 9 * DAY // 2 + draw(st.sampled_from((0, 0, LEAST)))
    weight = draw(st.sampled_from((1.0, 1.0, 1.0, 2.5))) if weighted else 1.0
    if kind == CONTESTS:
        who = draw(st.permutations(PLAYERS))[: draw(st.integers(1, len(PLAYERS)))]
        place = st.integers(1, 4).map(float)
        return Fact(number, time, None, tuple(Placing(p, draw(place)) for p in who), weight)
    a, b = draw(st.permutations(PLAYERS))[:2]
    mine, theirs = (float(draw(st.integers(0, 4))) for _ in range(2))
    pairing = Pairing(
        a, b, draw(st.sampled_from((0.0, 0.5, 1.0))), draw(st.sampled_from((0.0, 0.0, 1.0, -1.0))),
        mine - theirs, 15.0, mine, theirs,
    )  # fmt: skip
    label = f"round {day // 4}" if period == "round" else None
    return Fact(number, time, pairing, weight=weight, round=label)


@st.composite
def some_changes(
    draw: st.DrawFn, facts: dict[int, Fact], kind: str, period: str | None, weighted: bool
) -> Changes:
    """New and late results, and old ones changed, removed and put back."""
    highest = max(facts, default=0)
    changes: Changes = {}
    for k in range(draw(st.sampled_from((1, 1, 1, 2, 4)))):
        number = draw(st.integers(1, highest + 2)) if draw(st.booleans()) else highest + 1 + k
        gone = number in facts and draw(st.booleans())
        changes[number] = None if gone else draw(some_fact(number, kind, period, weighted))
    return changes


def changed(facts: dict[int, Fact], changes: Changes) -> dict[int, Fact]:
    """What counts after changes."""
    return {n: fact for n, fact in (facts | changes).items() if fact is not None}


def modes(system: Dynamic) -> list[tuple[str, str | None]]:
    """The kinds and periods in which a system can rate."""
    single: list[tuple[str, str | None]] = [(GAMES, None), (CONTESTS, None)]
    periods: list[tuple[str, str | None]] = [(GAMES, p) for p in ("7d", "1mo", "round")]
    return (single if system.rounds != "period" else []) + (
        periods if system.rounds != "game" else []
    )


def shown(ratings: Any) -> dict[str, tuple[bytes, ...]]:
    """All values of everybody with a game, as bits; of no ratings none."""
    return {} if ratings is None else by_name(ratings)
