"""Tables of sides of several members for tests, drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from prowess.engine.system import Dynamic
from prowess.games.games import Games
from tests.engine.tables import GAPS, moments

ROSTER = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus")
SHARES = (1.0, 1.0, 0.5, 0.25)

Sides = Sequence[Sequence[int]]


def team_games(sides: Sequence[Sides], score: Sequence[float], **columns: Any) -> Games:
    """Games of two sides, each a list of player numbers; columns are given by name."""
    return _table(sides, score=np.array(score, dtype=np.float64), **columns)


def team_contests(sides: Sequence[Sides], place: Sequence[float], **columns: Any) -> Games:
    """Contests of any number of sides; places are those of all sides in order."""
    start = np.cumsum([0, *map(len, sides)]).astype(np.int64)
    return _table(sides, start=start, place=np.array(place, dtype=np.float64), **columns)


def _table(sides: Sequence[Sides], **columns: Any) -> Games:
    flat = [side for contest in sides for side in contest]
    given = {
        name: np.array(values, dtype=np.int32 if name == "round" else np.float64)
        for name, values in columns.items()
        if name != "start"
    }
    if "start" in columns:
        given["start"] = columns["start"]
    return Games(
        ROSTER,
        ends=np.cumsum([0, *map(len, flat)]).astype(np.int64),
        player=np.array([player for side in flat for player in side], dtype=np.uint32),
        **given,
    )


@st.composite
def some_sides(draw: st.DrawFn, count: int, least: int = 1, most: int = 3) -> list[list[int]]:
    """So many sides of one to three players; nobody stands twice."""
    order = draw(st.permutations(range(len(ROSTER))))
    room = len(ROSTER) - least * count
    sides, at = [], 0
    for _ in range(count):
        more = draw(st.integers(0, min(most - least, room)))
        sides.append(list(order[at : at + least + more]))
        at, room = at + least + more, room - more
    return sides


@st.composite
def some_team_games(
    draw: st.DrawFn,
    *,
    timed: bool | None = None,
    labelled: bool = False,
    weighted: bool = False,
    most: int = 3,
    shared: bool = True,
    size: int = 6,
) -> Games:
    """A few games of two sides, with all that a table can say."""
    count = draw(st.integers(1, size))
    sides = [draw(some_sides(2, most=most)) for _ in range(count)]

    def column(values: Any, number: int = count) -> list[float]:
        return draw(st.lists(values, min_size=number, max_size=number))

    score = column(st.sampled_from((0.0, 0.5, 1.0, 0.75)))
    given: dict[str, Any] = {"side": column(st.sampled_from((-1.0, 0.0, 1.0)))}
    given["margin"] = [3.0 * (one - 0.5) for one in score]
    given["length"] = column(st.sampled_from((1.0, 15.0)))
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = moments(draw, count, GAPS[:5] if labelled else GAPS)
    if labelled:
        given["round"] = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    if weighted:
        given["weight"] = column(st.sampled_from((0.25, 1.0, 2.0)))
    if shared and draw(st.booleans()):
        given["share"] = column(
            st.sampled_from(SHARES), sum(len(side) for game in sides for side in game)
        )
    return team_games(sides, score, **given)


@st.composite
def some_team_contests(
    draw: st.DrawFn, *, timed: bool | None = None, weighted: bool = False, size: int = 3
) -> Games:
    """A few contests of two to four sides, with shared places."""
    count = draw(st.integers(1, size))
    sides = [draw(some_sides(draw(st.integers(2, 4)))) for _ in range(count)]
    total = sum(map(len, sides))
    place = draw(st.lists(st.integers(1, 3).map(float), min_size=total, max_size=total))
    given: dict[str, Any] = {}
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = moments(draw, count)
    if weighted:
        given["weight"] = [draw(st.sampled_from((0.25, 1.0, 2.0))) for _ in range(count)]
    if draw(st.booleans()):
        members = sum(len(side) for contest in sides for side in contest)
        share = st.lists(st.sampled_from(SHARES), min_size=members, max_size=members)
        given["share"] = draw(share)
    return team_contests(sides, place, **given)


@st.composite
def some_team_table(
    draw: st.DrawFn, system: Dynamic, *, weights: bool = True, kind: str | None = None
) -> tuple[Games, str | None]:
    """A table of teams, of any kind or of this one, and the period to rate it by."""
    periods = () if system.rounds == "game" else ("7d", "round")
    kind = kind or draw(st.sampled_from(("games", "contests", *periods)))
    weighted = weights and system.weights and draw(st.booleans())
    if kind == "contests":
        return draw(some_team_contests(weighted=weighted)), None
    if kind == "games":
        return draw(some_team_games(weighted=weighted)), None
    labelled = kind == "round"
    timed = None if labelled else True
    return draw(some_team_games(weighted=weighted, timed=timed, labelled=labelled)), kind
