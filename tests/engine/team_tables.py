"""Tables of sides of several members for tests, drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice, permutations, product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from prowess.engine.system import Dynamic
from prowess.games.games import Games
from tests.engine.tables import GAPS, Rows, days_of, row_of, rows_of

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


@cache
def some_sides(count: int, most: int = 3) -> st.SearchStrategy[list[list[int]]]:
    """So many sides of one to three players; nobody stands twice."""
    sizes = [one for one in product(range(1, most + 1), repeat=count) if sum(one) <= len(ROSTER)]
    return row_of(list(permutations(range(len(ROSTER)))), sizes).map(lambda row: cut(*row))


def cut(players: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Players, one after the other, in sides of these sizes."""
    rest = iter(players)
    return [list(islice(rest, size)) for size in sizes]


def team_rows(gaps: Sequence[float]) -> Rows:
    """What a row says of a game beside its players."""
    return rows_of(
        (0.0, 0.5, 1.0, 0.75), (-1.0, 0.0, 1.0), (1.0, 15.0), gaps, range(2), (0.25, 1.0, 2.0)
    )


GAME, LABELLED = team_rows(GAPS), team_rows(GAPS[:5])
CONTEST = rows_of(*(range(1, 4) for _ in range(4)), GAPS, (0.25, 1.0, 2.0))
MEMBERS = rows_of(SHARES)


def some_shares(sides: Sequence[Sides]) -> st.SearchStrategy[list[float]]:
    """A share for each member."""
    count = sum(len(side) for game in sides for side in game)
    return MEMBERS(count).map(lambda rows: [share for (share,) in rows])


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
    sides = [draw(some_sides(2, most)) for _ in range(count)]
    rows = draw((LABELLED if labelled else GAME)(count))
    score, side, length, gaps, label, weight = zip(*rows, strict=True)
    given: dict[str, Any] = {
        "side": side,
        "margin": [3.0 * (one - 0.5) for one in score],
        "length": length,
    }
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = days_of(gaps)
    if labelled:
        given["round"] = label
    if weighted:
        given["weight"] = weight
    if shared and draw(st.booleans()):
        given["share"] = draw(some_shares(sides))
    return team_games(sides, score, **given)


@st.composite
def some_team_contests(
    draw: st.DrawFn, *, timed: bool | None = None, weighted: bool = False, size: int = 3
) -> Games:
    """A few contests of two to four sides, with shared places."""
    count = draw(st.integers(1, size))
    sides = [draw(some_sides(draw(st.integers(2, 4)))) for _ in range(count)]
    rows = draw(CONTEST(count))
    place = [
        float(one) for contest, row in zip(sides, rows, strict=True) for one in row[: len(contest)]
    ]
    *_, gaps, weight = zip(*rows, strict=True)
    given: dict[str, Any] = {}
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = days_of(gaps)
    if weighted:
        given["weight"] = weight
    if draw(st.booleans()):
        given["share"] = draw(some_shares(sides))
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
