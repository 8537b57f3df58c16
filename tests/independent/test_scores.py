"""Scores of forecasts on whole real tables, held against other programs and against plain dicts.

`forecasts/elote_and_riix.json` is what elote and riix gave (`forecasts_by_others.py` tells how).
The plain dicts below are the formulas of the papers once more, as slowly and obviously as they
can be written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from itertools import groupby
from math import ceil, exp, fsum, log, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.games.games import Games
from prowess.study.backtest import Backtest, backtest
from prowess.systems.catalogue import find
from tests.independent.forecasts_by_others import engines
from tests.independent.results import football, races

HERE = Path(__file__).parent
Q = log(10) / 400
WARM_UP = 0.2
SUMS = 1e-9  # sums in another order, and roots of f in another way
Round = list[tuple[str, str, float, float]]  # (who, opponent, score, weight), both ways round
Players = dict[str, dict[str, float]]
Rated = Callable[[Players, Round], None]
Expected = Callable[[dict[str, float], dict[str, float]], float]


# --- the papers' formulas, on dicts --------------------------------------------------------


def player(players: Players, name: str) -> dict[str, float]:
    """A player, new ones with the papers' values."""
    return players.setdefault(name, {"r": 1500.0, "rd": 350.0, "sigma": 0.06})


def g(rd: float) -> float:
    """Glickman's g, with RD in points."""
    return 1 / sqrt(1 + 3 * (Q * rd / pi) ** 2)


def chance(difference: float, factor: float = 1.0) -> float:
    """The logistic curve on 400 points."""
    return 1 / (1 + 10 ** (-factor * difference / 400))


def elo_expected(a: dict[str, float], b: dict[str, float]) -> float:
    """Elo's E."""
    return chance(a["r"] - b["r"])


def glicko_expected(a: dict[str, float], b: dict[str, float]) -> float:
    """Glickman's forecast, which allows for both deviations."""
    return chance(a["r"] - b["r"], g(sqrt(a["rd"] ** 2 + b["rd"] ** 2)))


def elo(players: Players, round_: Round) -> None:
    """r' = r + sum of K (s - E), K = 20."""
    change: dict[str, float] = {}
    for who, other, score, weight in round_:
        gap = score - elo_expected(player(players, who), player(players, other))
        change[who] = change.get(who, 0.0) + 20 * weight * gap
    for who, points in change.items():
        players[who]["r"] += points


def evidence(players: Players, round_: Round) -> dict[str, tuple[float, float]]:
    """(sum of g^2 E (1 - E), sum of g (s - E)) of everybody who plays."""
    sums: dict[str, tuple[float, float]] = {}
    for who, other, score, _ in round_:
        me, opponent = player(players, who), player(players, other)
        weight = g(opponent["rd"])
        e = chance(me["r"] - opponent["r"], weight)
        precision, surplus = sums.get(who, (0.0, 0.0))
        sums[who] = precision + weight**2 * e * (1 - e), surplus + weight * (score - e)
    return sums


def glicko(players: Players, round_: Round) -> None:
    """Glicko's RD' and r'."""
    for who, (precision, surplus) in evidence(players, round_).items():
        me = players[who]
        variance = 1 / (1 / me["rd"] ** 2 + Q**2 * precision)
        me["r"] += Q * variance * surplus
        me["rd"] = sqrt(variance)


def glicko2(players: Players, round_: Round) -> None:
    """Steps 3 to 8 of the example of Glicko-2, tau = 0.5, the root of f by halving."""
    for who, (precision, surplus) in evidence(players, round_).items():
        me = players[who]
        phi, v = Q * me["rd"], 1 / precision
        delta = v * surplus
        me["sigma"] = volatility(phi, v, delta, me["sigma"])
        variance = 1 / (1 / (phi**2 + me["sigma"] ** 2) + precision)
        me["r"] += variance * surplus / Q
        me["rd"] = sqrt(variance) / Q


def volatility(phi: float, v: float, delta: float, sigma: float) -> float:
    """e^(x / 2) where f(x) = 0; f falls from + to -."""
    start = log(sigma**2)

    def f(x: float) -> float:
        part = phi**2 + v + exp(x)
        pull = (x - start) / 0.5**2
        return exp(x) * (delta**2 - phi**2 - v - exp(x)) / (2 * part**2) - pull

    low, high = start - 2.0, start + 2.0
    assert f(low) > 0 > f(high)
    while high - low > 1e-13:
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
        if middle in (low, high) and f(middle) == 0:
            break
    return exp(low / 2)


def idle(players: Players, playing: set[str], system: Rated) -> None:
    """A period without a game: Glicko-2's phi grows by sigma, to 350 points at most."""
    for name, one in players.items():
        if name not in playing and system is glicko2:
            one["rd"] = min(350.0, sqrt(one["rd"] ** 2 + (one["sigma"] / Q) ** 2))


EXPECTED: dict[Rated, Expected] = {
    elo: elo_expected,
    glicko: glicko_expected,
    glicko2: glicko_expected,
}


def duels(games: list[tuple[date, str, str, float]]) -> Round:
    """Games as everybody who plays sees them."""
    seen: Round = []
    for _, a, b, score in games:
        seen += [(a, b, score, 1.0), (b, a, 1 - score, 1.0)]
    return seen


def forecasts(games: list[tuple[date, str, str, float]], system: Rated) -> Iterator[float]:
    """Forecasts game by game; nobody ages."""
    players: Players = {}
    for game in games:
        yield EXPECTED[system](player(players, game[1]), player(players, game[2]))
        system(players, duels([game]))


def forecasts_by_year(games: list[tuple[date, str, str, float]], system: Rated) -> Iterator[float]:
    """Forecasts of calendar years, every year with games."""
    players: Players = {}
    for _, rows in groupby(games, key=lambda game: game[0].year):
        of_year = list(rows)
        for _, a, b, _ in of_year:
            yield EXPECTED[system](player(players, a), player(players, b))
        system(players, duels(of_year))
        idle(players, {name for _, a, b, _ in of_year for name in (a, b)}, system)


def judged(games: list[tuple[date, str, str, float]], expected: list[float]) -> tuple[float, float]:
    """Mean log loss and Brier score after the first fifth."""
    first = ceil(WARM_UP * len(games))
    pairs = [(game[3], e) for game, e in zip(games, expected, strict=True)][first:]
    losses = [-(s * log(e) + (1 - s) * log(1 - e)) for s, e in pairs]
    return fsum(losses) / len(pairs), fsum((s - e) ** 2 for s, e in pairs) / len(pairs)


# --- our side ------------------------------------------------------------------------------

RESULTS = {"football": football, "engines": engines}
SYSTEMS: dict[str, tuple[Rated, dict[str, float]]] = {
    "elo": (elo, {"k": 20.0}),
    "glicko": (glicko, {}),
    "glicko2": (glicko2, {}),
}


@cache
def table(name: str, dated: bool) -> Games:
    """One of the tables, with or without dates."""
    rows = RESULTS[name]()
    roster = list(dict.fromkeys(player for _, a, b, _ in rows for player in (a, b)))
    number = {player: k for k, player in enumerate(roster)}
    days = np.array([(day - date(1970, 1, 1)).days for day, *_ in rows], dtype=np.float64)
    return Games(
        players=roster,
        a=np.array([number[a] for _, a, _, _ in rows], dtype=np.uint32),
        b=np.array([number[b] for _, _, b, _ in rows], dtype=np.uint32),
        score=np.array([score for *_, score in rows]),
        time=days if dated else None,
    )


def ours(name: str, system: str, *, dated: bool, period: str | None = None) -> Backtest:
    """Our backtest."""
    params = SYSTEMS[system][1]
    return backtest(table(name, dated), find(system), period=period, params=params, warm_up=WARM_UP)


OTHERS: dict[str, dict[str, Any]] = json.loads(
    (HERE / "forecasts" / "elote_and_riix.json").read_text("utf-8")
)


@pytest.mark.parametrize("name", OTHERS)
def test_another_programs_forecasts_score_the_same(name):
    """Log loss and Brier of another program's forecasts of a whole table are those of ours."""
    games, system = name.split()
    other = OTHERS[name]
    test = ours(games, system, dated=True, period="1mo" if system == "glicko2" else None)
    assert test.count == other["judged"]
    assert test.scores["log_loss"] == approx(other["log_loss"], rel=SUMS)
    assert test.scores["brier"] == approx(other["brier"], rel=SUMS)
    assert test.expected[-len(other["last"]) :] == approx(np.array(other["last"]), abs=1e-8)


@pytest.mark.parametrize(
    ("name", "system"),
    [
        pytest.param(name, system, marks=pytest.mark.slow if system == "glicko2" else ())
        if name == "football"
        else (name, system)
        for name in RESULTS
        for system in SYSTEMS
    ],
)
def test_papers_formulas_score_the_same(name, system):
    """Game by game, the formulas on dicts forecast every game of a whole table as we do."""
    games = RESULTS[name]()
    expected = list(forecasts(games, SYSTEMS[system][0]))
    test = ours(name, system, dated=False)
    assert test.expected == approx(np.array(expected), abs=1e-8)
    found = test.scores["log_loss"], test.scores["brier"]
    assert found == approx(judged(games, expected), rel=SUMS)


def test_papers_formulas_score_the_same_by_year():
    """Glicko-2 with football's calendar years as rating periods, idle years included."""
    games = football()
    expected = list(forecasts_by_year(games, glicko2))
    test = ours("football", "glicko2", dated=True, period="1y")
    found = test.scores["log_loss"], test.scores["brier"]
    assert found == approx(judged(games, expected), rel=1e-7)


@pytest.mark.parametrize("system", SYSTEMS)
def test_races_score_the_same(system):
    """Formula 1: the share of the field beaten against its mean chance, race by race.

    In a race of n a pair counts 1 / (n - 1) for Elo, and 1 for Glicko and Glicko-2.
    """
    rated, params = SYSTEMS[system]
    fields = races()
    players: Players = {}
    scores = []
    for field in fields:
        others = len(field) - 1
        for k, me in enumerate(field if others else []):
            chances = [
                EXPECTED[rated](player(players, me), player(players, other))
                for other in field
                if other != me
            ]
            scores.append(((others - k) / others, fsum(chances) / others, others + 1))
        rated(
            players,
            [
                (a, b, float(i < j), 1 / others)
                for i, a in enumerate(field)
                for j, b in enumerate(field)
                if i != j
            ],
        )
    roster = list(dict.fromkeys(name for field in fields for name in field))
    number = {name: k for k, name in enumerate(roster)}
    contests = Games(
        players=roster,
        start=np.cumsum([0, *map(len, fields)]).astype(np.int64),
        player=np.array([number[name] for field in fields for name in field], dtype=np.uint32),
        place=np.array([k + 1.0 for field in fields for k in range(len(field))]),
    )
    late = ceil(WARM_UP * len(fields))
    before = sum(len(field) for field in fields[:late] if len(field) > 1)
    later = scores[before:]
    brier = fsum((s - e) ** 2 / n for s, e, n in later) / sum(
        1 for field in fields[late:] if len(field) > 1
    )
    test = backtest(contests, find(system), params=params, warm_up=WARM_UP)
    assert test.count == len(later)
    assert test.scores["brier"] == approx(brier, rel=1e-8)
