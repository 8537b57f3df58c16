"""Tables of results for tests: written by hand, or drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
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


def moments(draw: st.DrawFn, count: int, gaps: Sequence[float] = GAPS) -> list[float]:
    """Ascending days."""
    steps = draw(st.lists(st.sampled_from(gaps), min_size=count, max_size=count))
    return [START + float(days) for days in np.cumsum(steps)]


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
    count = draw(st.integers(1, size))

    def column(values: Any) -> list[float]:
        return draw(st.lists(values, min_size=count, max_size=count))

    pair = st.permutations(ROSTER).map(lambda names: names[:2])
    pairs = draw(st.lists(pair, min_size=count, max_size=count))
    mine, theirs = (np.array(column(st.integers(0, 9).map(float))) for _ in "ab")
    results = np.sign(mine - theirs) / 2 + 0.5
    partly = column(st.sampled_from((0.0, 0.0, 0.0, 0.25)))  # a score may lie between
    scores = np.abs(results - np.array(partly))
    given: dict[str, Any] = {
        "side": column(st.sampled_from((-1.0, 0.0, 1.0))),
        "margin": mine - theirs,
        "length": column(st.sampled_from((1.0, 15.0, 90.0))),
        "points_a": mine,
        "points_b": theirs,
    }
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = moments(draw, count, GAPS[:5] if labelled else GAPS)
    if labelled:
        given["round"] = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    if weighted:
        given["weight"] = column(st.sampled_from((0.25, 1.0, 2.0, 3.7)))
    rows = [(a, b, float(score)) for (a, b), score in zip(pairs, scores, strict=True)]
    return games(rows, **given)


@st.composite
def some_contests(
    draw: st.DrawFn, *, weighted: bool = False, timed: bool | None = None, size: int = 4
) -> Games:
    """A few contests of a few players, with shared places; in some somebody is alone."""
    count = draw(st.integers(1, size))
    fields = []
    for _ in range(count):
        names = draw(st.permutations(ROSTER))[: draw(st.integers(1, len(ROSTER)))]
        places = st.lists(st.integers(1, 4), min_size=len(names), max_size=len(names))
        fields.append(list(zip(names, map(float, draw(places)), strict=True)))
    given: dict[str, Any] = {}
    if draw(st.booleans()) if timed is None else timed:
        given["time"] = moments(draw, count)
    if weighted:
        given["weight"] = draw(
            st.lists(st.sampled_from((0.25, 1.0, 2.0)), min_size=count, max_size=count)
        )
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


@st.composite
def some_params(draw: st.DrawFn, system: Dynamic) -> dict[str, float | str]:
    """Any parameters inside their ranges, often at an edge or the default."""
    given: dict[str, float | str] = {}
    for name, parameter in parameters(system).items():
        allowed = parameter.domain
        if isinstance(allowed, Choice):
            given[name] = draw(st.sampled_from(allowed.words))
        else:
            edges = st.sampled_from((parameter.default, allowed.low, allowed.high))
            given[name] = draw(edges | st.floats(allowed.low, allowed.high))
    return given
