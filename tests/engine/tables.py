"""Tables of results for tests: written by hand, or drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from prowess.engine.params import parameters
from prowess.engine.system import Choice, Dynamic
from prowess.games.games import Games

START = 18_262.0  # 2020-01-01
GAPS = (0.0, 0.0, 1 / 24, 1.0, 1.0, 6.5, 30.0, 365.0)  # days from one game to the next
ROSTER = ("Ada", "Ben", "Cleo", "Dan", "Eve")
FLOATS = ("score", "time", "side", "weight", "margin", "length", "points_a", "points_b")

Rows = Callable[[int], st.SearchStrategy[list[tuple[Any, ...]]]]  # so many of them


def games(
    rows: Sequence[tuple[str, str, float]],
    players: Sequence[str] | None = None,
    **columns: Any,
) -> Games:
    """A table of (a, b, score of a); columns are given by name."""
    roster = players or list(dict.fromkeys(name for a, b, _ in rows for name in (a, b)))
    return Games(
        players=tuple(roster),
        a=np.array([roster.index(a) for a, _, _ in rows], dtype=np.uint32),
        b=np.array([roster.index(b) for _, b, _ in rows], dtype=np.uint32),
        score=np.array([score for _, _, score in rows], dtype=np.float64),
        **{
            name: np.array(values, dtype=np.int32 if name == "round" else np.float64)
            for name, values in columns.items()
        },
    )


def contests(
    fields: Sequence[Sequence[tuple[str, float]]],
    players: Sequence[str] | None = None,
    **columns: Any,
) -> Games:
    """A table of contests, each a list of (player, place)."""
    rows = [row for field in fields for row in field]
    roster = players or list(dict.fromkeys(name for name, _ in rows))
    return Games(
        players=tuple(roster),
        start=np.cumsum([0, *map(len, fields)]).astype(np.int64),
        player=np.array([roster.index(name) for name, _ in rows], dtype=np.uint32),
        place=np.array([place for _, place in rows], dtype=np.float64),
        **{name: np.array(values, dtype=np.float64) for name, values in columns.items()},
    )


def taken(table: Games, rows: Any, players: Sequence[str] | None = None) -> Games:
    """Chosen rows of a table."""
    columns = {
        name: getattr(table, name)[rows]
        for name in ("a", "b", "round", *FLOATS)
        if getattr(table, name) is not None
    }
    return Games(players=players or table.players, **columns)


def rows_of(*columns: Sequence[Any]) -> Rows:
    """So many rows with a value of each column, drawn at once: two bytes say where a value stands.

    A draw by Hypothesis takes as long as many games. The simplest row has the first of each.
    """

    @cache
    def some_rows(count: int) -> st.SearchStrategy[list[tuple[Any, ...]]]:
        size = 2 * count * len(columns)
        return st.binary(min_size=size, max_size=size).map(decode)

    def decode(drawn: bytes) -> list[tuple[Any, ...]]:
        places = np.frombuffer(drawn, dtype=">u2").reshape(-1, len(columns)).tolist()
        return [
            tuple(values[place % len(values)] for values, place in zip(columns, row, strict=True))
            for row in places
        ]

    return some_rows


def row_of(*columns: Sequence[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """A row with a value of each column."""
    return rows_of(*columns)(1).map(lambda rows: rows[0])


def days_of(gaps: Sequence[float]) -> list[float]:
    """Ascending days."""
    return [START + float(days) for days in np.cumsum(gaps)]


def game_rows(gaps: Sequence[float]) -> Rows:
    """All that a row says of a game, with days since the game before."""
    return rows_of(
        list(permutations(ROSTER, 2)),
        range(10),
        range(10),
        (0.0, 0.0, 0.0, 0.25),  # a score may lie between
        (-1.0, 0.0, 1.0),
        (1.0, 15.0, 90.0),
        gaps,
        range(3),
        (0.25, 1.0, 2.0, 3.7),
    )


GAME, LABELLED = game_rows(GAPS), game_rows(GAPS[:5])
CONTEST = rows_of(
    list(permutations(ROSTER)),
    range(1, len(ROSTER) + 1),
    *(range(1, 5) for _ in ROSTER),
    GAPS,
    (0.25, 1.0, 2.0),
)


@st.composite
def some_games(
    draw: st.DrawFn,
    *,
    weighted: bool = False,
    timed: bool | None = None,
    labelled: bool = False,
    size: int = 10,
) -> Games:
    """A few games of a few players, with all that a table can say."""
    rows = draw((LABELLED if labelled else GAME)(draw(st.integers(1, size))))
    pairs, *goals, partly, side, length, gaps, label, weight = zip(*rows, strict=True)
    mine, theirs = np.array(goals, dtype=np.float64)
    results = np.sign(mine - theirs) / 2 + 0.5
    scores = np.abs(results - np.array(partly))
    given: dict[str, Any] = {
        "side": side,
        "margin": mine - theirs,
        "length": length,
        "points_a": mine,
        "points_b": theirs,
    }
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = days_of(gaps)
    if labelled:
        given["round"] = label
    if weighted:
        given["weight"] = weight
    played = [(a, b, float(score)) for (a, b), score in zip(pairs, scores, strict=True)]
    return games(played, **given)


@st.composite
def some_contests(
    draw: st.DrawFn, *, weighted: bool = False, timed: bool | None = None, size: int = 4
) -> Games:
    """A few contests of a few players, with shared places; in some somebody is alone."""
    rows = draw(CONTEST(draw(st.integers(1, size))))
    fields = [
        list(zip(order[:count], map(float, places), strict=False))
        for order, count, *places, _, _ in rows
    ]
    *_, gaps, weight = zip(*rows, strict=True)
    given: dict[str, Any] = {}
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = days_of(gaps)
    if weighted:
        given["weight"] = weight
    return contests(fields, **given)


@st.composite
def some_table(
    draw: st.DrawFn, system: Dynamic, *, timed: bool | None = None
) -> tuple[Games, str | None]:
    """A table that a system can rate, and the period to rate it by."""
    kind = draw(st.sampled_from(kinds(system)))
    weighted = system.weights and draw(st.booleans())
    if kind == "contests":
        return draw(some_contests(weighted=weighted, timed=timed)), None
    if kind == "round":
        return draw(some_games(weighted=weighted, timed=timed, labelled=True)), kind
    if kind in ("7d", "1mo"):
        return draw(some_games(weighted=weighted, timed=True)), kind
    return draw(some_games(weighted=weighted, timed=timed)), None


def kinds(system: Dynamic) -> tuple[str, ...]:
    """The ways in which a system can be asked to rate."""
    periods = () if system.rounds == "game" else ("7d", "1mo", "round")
    return ("contests", *periods, *(() if system.rounds == "period" else ("games",)))


def one_setting(system: Dynamic) -> dict[str, float]:
    """Settings that make a system that is a bank by itself one of its settings, else none."""
    return {name: float(getattr(system.params, name)) for part in system.bank for name in part}


@cache
def some_params(system: Dynamic) -> st.SearchStrategy[dict[str, float | str]]:
    """Any parameters inside their ranges, often at an edge or the default."""
    given: dict[str, st.SearchStrategy[Any]] = {}
    for name, parameter in parameters(system).items():
        allowed = parameter.domain
        if isinstance(allowed, Choice):
            given[name] = st.sampled_from(allowed.words)
        else:
            edges = st.sampled_from((parameter.default, allowed.low, allowed.high))
            given[name] = edges | st.floats(allowed.low, allowed.high)
    return st.fixed_dictionaries(given)
