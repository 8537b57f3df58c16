"""Logs of results for tests, and the slow way to rate them: all at once, from the first on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import settings, strategies as st

from prowess.engine.system import Dynamic
from prowess.games.games import Games
from prowess.games.totals import PlayerCounts
from prowess.live.ladder.ladder import Ladder, Preview, RevisedResults
from prowess.live.ladder.ratings import LadderRatings
from prowess.live.result import (
    CONTESTS,
    DAY_US,
    GAMES,
    Changes,
    LiveResult,
    ResultSide,
    SideMember,
)
from tests.engine.tables import row_of

START = 18_262 * DAY_US  # 2020-01-01
LEAST = 60_000_000  # microseconds; a minute


def examples(count: int) -> settings:
    """So many examples of a law whose examples take long, and fewer with QUICK=1, as of others."""
    return settings(max_examples=-(-count * settings.default.max_examples // 25))


def play_changes(ladder: Ladder, revision: int, changes: Changes) -> None:
    """Play what changes at a revision and publish it, as the thread of the ladder does."""
    ladder.play([RevisedResults(revision, changes)])


def preview_changes(ladder: Ladder, changes: Changes) -> Preview:
    """The effect of changes, computed at once."""
    return ladder.begin_preview(changes, {})()


def table_of(facts: dict[int, LiveResult], kind: str, extra: tuple[str, ...] = ()) -> Any:
    """The exported table: results in order of (time, number), names by first appearance."""
    rows = sorted(facts.values(), key=lambda fact: (fact.time, fact.id))
    ids = list(dict.fromkeys(player for fact in rows for player in fact.players))
    names, number = [named(player) for player in ids], {p: k for k, p in enumerate(ids)}
    time = np.array([fact.time for fact in rows], dtype=np.int64)
    weight = np.array([fact.weight for fact in rows])
    sides = [side for fact in rows for side in fact.sides]
    members = [one for side in sides for one in side.members]
    player = np.array([number[one.player] for one in members], dtype=np.uint32)
    share = np.array([one.share for one in members], dtype=np.float64)
    columns: dict[str, Any] = {
        "time": time // DAY_US + time % DAY_US / DAY_US,
        "weight": weight if (weight != 1.0).any() else None,
    }
    teams = len(members) != len(sides) or (share != 1.0).any()
    if teams:
        columns["ends"] = np.cumsum([0, *(len(side.members) for side in sides)]).astype(np.int64)
        columns["share"] = share if (share != 1.0).any() else None
    if kind == CONTESTS:
        columns["start"] = np.cumsum([0, *(len(fact.sides) for fact in rows)]).astype(np.int64)
        columns["place"] = np.array([side.place for side in sides], dtype=np.float64)
        return Games(players=names, player=player, **columns)
    for word in ("score", "side", *extra):
        for name in ("points_a", "points_b") if word == "points" else (word,):
            columns[name] = np.array([said(fact, name) for fact in rows], dtype=np.float64)
    labels = [fact.round for fact in rows]
    if None not in labels:
        seen = list(dict.fromkeys(labels))
        columns["round"] = np.array([seen.index(one) for one in labels], dtype=np.int32)
    who = {"player": player} if teams else {"a": player[0::2].copy(), "b": player[1::2].copy()}
    return Games(players=names, **who, **columns)


def said(fact: LiveResult, name: str) -> float:
    """What a game says in a column."""
    if name.startswith("points"):
        points = fact.sides[name == "points_b"].points
        return np.nan if points is None else points
    value: float = getattr(fact, name)
    return value


def columns_of(facts: dict[int, LiveResult], kind: str) -> dict[str, Any]:
    """The columns that a store gives of results, in no order of play."""
    rows = sorted(facts.values(), key=lambda fact: -fact.id)
    found: dict[str, Any] = {
        "id": np.array([fact.id for fact in rows], dtype=np.int64),
        "time": np.array([fact.time for fact in rows], dtype=np.int64),
        "weight": np.array([fact.weight for fact in rows], dtype=np.float64),
    }
    sides = [side for fact in rows for side in fact.sides]
    members = [one for side in sides for one in side.members]
    player = np.array([one.player for one in members], dtype=np.int64)
    share = np.array([one.share for one in members], dtype=np.float64)
    teams = len(members) != len(sides) or (share != 1.0).any()
    if teams:
        found["ends"] = np.cumsum([0, *(len(side.members) for side in sides)])
        found["share"] = share
    if kind == CONTESTS:
        found["start"] = np.cumsum([0, *(len(fact.sides) for fact in rows)])
        found["place"] = np.array([side.place for side in sides])
        found["points"] = np.array([side.points for side in sides])
        return found | {"player": player}
    found |= {"player": player} if teams else {"a": player[0::2], "b": player[1::2]}
    for name in ("score", "side", "margin", "length", "points_a", "points_b"):
        found[name] = np.array([said(fact, name) for fact in rows])
    labels = np.array([fact.round for fact in rows], dtype=object)
    return found | {"round": labels if any(labels) else None}


def game(
    number: int, time: int, a: int, b: int, score: float = 1.0, points: tuple[float | None, ...] = (
        None, None), **more: Any
) -> LiveResult:  # fmt: skip
    """A game of one player against another."""
    sides = tuple(
        ResultSide((SideMember(player),), points=scored)
        for player, scored in zip((a, b), points, strict=True)
    )
    return LiveResult(number, time, sides, score, **more)


def contest(number: int, time: int, places: dict[int, float], **more: Any) -> LiveResult:
    """A contest of single players, with the place of each."""
    sides = tuple(ResultSide((SideMember(player),), place) for player, place in places.items())
    return LiveResult(number, time, sides, **more)


def named(player: int) -> str:
    """The name of a player."""
    return f"player {player}"


def with_all_members(ratings: Any) -> Any:
    """The same ratings, of a ladder that prepares its table with those of all members."""
    if not isinstance(ratings, LadderRatings) or ratings.log is None:
        return ratings
    whole, known = ratings.whole, ratings.log.known
    assert whole.prepared is not None
    counts = PlayerCounts.of(whole.prepared)
    state = known.state(ratings.state, whole.prepared, known.pieces.order())
    return replace(whole, state=state, game_counts=counts.games, last=counts.last, log=None)


def by_name(ratings: Any) -> dict[str, tuple[bytes, ...]]:
    """All values of everybody with a game, and of members by role, as bits."""
    ratings = with_all_members(ratings)
    columns = {name: np.ascontiguousarray(c) for name, c in ratings.columns.items()}
    return {
        name: tuple(column[row].tobytes() for column in columns.values())
        for row, name in enumerate(ratings.players)
        if ratings.game_counts[row]
    }


EXTRA = ("margin", "length", "points")
PLAYERS = range(11, 16)


@cache
def some_members(sides: int, teams: bool) -> st.SearchStrategy[list[tuple[SideMember, ...]]]:
    """Who stands on each side: one player, or of teams up to three with their shares."""
    if not teams:
        orders = list(permutations(PLAYERS, sides))
        return st.sampled_from(orders).map(lambda who: [(SideMember(player),) for player in who])
    shares = [(1.0, 1.0, 1.0, 0.5) for _ in PLAYERS]
    cuts = list(combinations(range(1, len(PLAYERS)), sides))

    def join(row: tuple[Any, ...]) -> list[tuple[SideMember, ...]]:
        who, ends, *share = row
        members = list(map(SideMember, who, share))
        return [tuple(members[low:high]) for low, high in pairwise((0, *ends))]

    return row_of(list(permutations(PLAYERS)), cuts, *shares).map(join)


WHEN = row_of(range(26), (0, 0, LEAST), (1.0, 1.0, 1.0, 2.5))  # day, later on it, weight
SAID = row_of(range(5), range(5), (0.0, 0.5, 1.0), (0.0, 0.0, 1.0, -1.0))  # goals, score, side
PLACES = row_of(*(range(1, 5) for _ in PLAYERS))


@st.composite
def some_fact(
    draw: st.DrawFn,
    number: int,
    kind: str,
    period: str | None,
    weighted: bool,
    teams: bool = False,
) -> LiveResult:
    """A result on one of a few days, so that many share a time or a round."""
    day, later, weight = draw(WHEN)
    time, weight = START + day * 9 * DAY_US // 2 + later, weight if weighted else 1.0
    teams = teams and draw(st.booleans())
    if kind == CONTESTS:
        who = draw(some_members(draw(st.integers(1, 4 if teams else len(PLAYERS))), teams))
        places = map(float, draw(PLACES)[: len(who)])
        sides = tuple(ResultSide(one, place) for one, place in zip(who, places, strict=True))
        return LiveResult(number, time, sides, weight=weight)
    first, second = draw(some_members(2, teams))
    *goals, score, side = draw(SAID)
    mine, theirs = map(float, goals)
    sides = (ResultSide(first, points=mine), ResultSide(second, points=theirs))
    label = f"round {day // 4}" if period == "round" else None
    return LiveResult(number, time, sides, score, side, mine - theirs, 15.0, weight, label)


@st.composite
def some_changes(
    draw: st.DrawFn,
    facts: dict[int, LiveResult],
    kind: str,
    period: str | None,
    weighted: bool,
    teams: bool = False,
) -> Changes:
    """New and late results, and old ones changed, removed and put back."""
    highest = max(facts, default=0)
    changes: Changes = {}
    for k in range(draw(st.sampled_from((1, 1, 1, 2, 4)))):
        number = draw(st.integers(1, highest + 2)) if draw(st.booleans()) else highest + 1 + k
        gone = number in facts and draw(st.booleans())
        changes[number] = None if gone else draw(some_fact(number, kind, period, weighted, teams))
    return changes


def changed(facts: dict[int, LiveResult], changes: Changes) -> dict[int, LiveResult]:
    """What counts after changes."""
    return {n: fact for n, fact in (facts | changes).items() if fact is not None}


def modes(system: Dynamic) -> list[tuple[str, str | None]]:
    """The kinds and periods in which a system can rate."""
    single: list[tuple[str, str | None]] = [(GAMES, None), (CONTESTS, None)]
    periods: list[tuple[str, str | None]] = [(GAMES, p) for p in ("7d", "1mo", "round")]
    return (single if system.rounds != "period" else []) + (
        periods if system.rounds != "game" else []
    )


def every_mode(systems: Iterable[Dynamic]) -> pytest.MarkDecorator:
    """Run a law with each system in each of its modes.

    Periods are cut before a system plays them: a system has one of the three, each the next; all
    of them where examples are searched for.
    """
    cases = []
    for number, system in enumerate(systems):
        one = ("7d", "1mo", "round")[number % 3]
        cases += [
            (system, *m) for m in modes(system) if os.environ.get("SEARCH") or m[1] in (None, one)
        ]
    names = [f"{system.name}-{kind}-{period}" for system, kind, period in cases]
    return pytest.mark.parametrize(("system", "kind", "period"), cases, ids=names)


def few_settings(system: Dynamic) -> dict[str, Any]:
    """Settings of a bank, of which all take long in plain Python; else none."""
    return {name: values[:2] for part in system.bank for name, values in part.items()}


def shown(ratings: Any) -> dict[str, tuple[bytes, ...]]:
    """All values of everybody with a game, as bits; of no ratings none."""
    return {} if ratings is None else by_name(ratings)
