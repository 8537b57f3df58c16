"""Seeded tables for tests of the system `prowess`, each ingredient alone and all together."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from prowess.games.games import Games
from prowess.games.role_members import RoleColumn, with_role_members

ALL: dict[str, Any] = {
    "draws": True, "side": (1.0, 0.0, -1.0), "league": True, "margin": 1.5, "goals": True,
    "context": True, "variant": True, "voter": True,
}  # fmt: skip
TABLES: dict[str, dict[str, Any]] = {
    "result": {},
    "result, no dates": {"dated": False},
    "draws": {"draws": True},
    "draws, no dates": {"draws": True, "dated": False},
    "side": {"side": (1.0,)},
    "mixed and neutral side": {"side": (1.0, 0.0, -1.0)},
    "league": {"side": (1.0,), "league": True},
    "quantiles": {"margin": 12.0},
    "goals": {"margin": 1.5, "goals": True},
    "goals and draws": {"margin": 1.5, "goals": True, "draws": True},
    "quantiles and draws": {"margin": 12.0, "draws": True},
    "missing margins": {"margin": 12.0, "missing": 0.3, "draws": True},
    "context": {"context": True},
    "context, no dates": {"context": True, "dated": False},
    "variant": {"variant": True, "draws": True},
    "family": {"family": True},
    "voter": {"voter": True, "side": (1.0,), "draws": True, "dated": False},
    "teams": {"most": 3},
    "all": {**ALL, "family": True},
    "all, no dates": {**ALL, "family": True, "dated": False},
    "all, teams": {**ALL, "most": 3},
}
RACES: dict[str, dict[str, Any]] = {
    "two": {"sizes": (2,)},
    "two to seven": {"sizes": (2, 3, 4, 5, 6, 7)},
    "ties": {"sizes": (3, 4, 5), "ties": True},
    "cars": {"sizes": (3, 4, 5), "cars": True},
}
FAMILIES = 3


def some_columns(
    *,
    count: int = 60,
    players: int = 7,
    dated: bool = True,
    draws: bool = False,
    side: Sequence[float] = (),
    league: bool = False,
    margin: float = 0.0,
    goals: bool = False,
    missing: float = 0.0,
    context: bool = False,
    variant: bool = False,
    voter: bool = False,
    family: bool = False,
    most: int = 1,
    seed: int = 7,
) -> dict[str, list[Any]]:
    """Columns of games of players of different strength, a day or some between them, often none.

    `sides` has the numbers of the players of both, `most` at most.
    """
    choose = random.Random(seed)
    strength = [choose.gauss(0.0, 1.0) for _ in range(players)]
    day, found = 20_000.0, dict[str, list[Any]]()
    for _ in range(count):
        day += choose.choice((0.0, 0.0, 0.25, 1.0, 1.0, 5.0, 90.0))
        sizes = choose.randint(1, most), choose.randint(1, most)
        who = choose.sample(range(players), sum(sizes))
        sides = who[: sizes[0]], who[sizes[0] :]
        mean = [sum(strength[q] for q in one) / len(one) for one in sides]
        gap = mean[0] - mean[1] + choose.gauss(0.0, 1.5)
        score = 0.5 if draws and abs(gap) < 0.5 else float(gap > 0.0)
        size = 1.0 + int(choose.expovariate(1.0 / margin)) if margin else 0.0
        size = min(size, 7.0) if goals else size + 0.25 * choose.randrange(4)
        size = float("nan") if choose.random() < missing else size
        row: dict[str, Any] = {"sides": sides, "score": score}
        row |= {"time": day} if dated else {}
        row |= {"side": choose.choice(list(side))} if side else {}
        row |= {"margin": (2.0 * score - 1.0) * size} if margin else {}
        for name, there in (("league", league), ("context", context), ("variant", variant)):
            row |= {name: choose.randrange(3)} if there else {}
        row |= {"voter": choose.randrange(4)} if voter else {}
        row |= {"family": [[q % FAMILIES for q in one] for one in sides]} if family else {}
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return found


def table_of(columns: Mapping[str, list[Any]]) -> Games:
    """The games as a table."""
    number: dict[int, int] = {}
    sides = [one for both in columns["sides"] for one in both]
    member = np.array([number.setdefault(q, len(number)) for one in sides for q in one], np.uint32)
    given: dict[str, Any] = {"facts": {}, "labels": {}}
    for name in ("league", "context", "variant", "voter"):
        if name in columns:
            given["facts"][name] = np.array(columns[name], np.float64)
            given["labels"][name] = [f"{name} {k}" for k in range(1 + max(columns[name]))]
    for name in ("time", "side", "margin"):
        if name in columns:
            given[name] = np.array(columns[name], np.float64)
    given["score"] = np.array(columns["score"])
    if len(member) == len(sides):
        given |= {"a": member[0::2].copy(), "b": member[1::2].copy()}
    else:
        given |= {"player": member, "ends": np.cumsum([0, *map(len, sides)])}
    table = Games([f"p{q}" for q in number], **given)
    if "family" not in columns:
        return table
    which = np.array([f for both in columns["family"] for one in both for f in one])
    words = [f"f{k}" for k in range(FAMILIES)]
    return with_role_members(table, [], [RoleColumn("family", words, which)])


def some_races(
    *, sizes: Sequence[int], ties: bool = False, cars: bool = False, seed: int = 7
) -> list[tuple[list[int], list[float], float, list[int] | None]]:
    """Contests of nine players of different strength, in two of four cars where there are some:
    who, their places, the day, their cars.
    """
    choose = random.Random(seed)
    day, found = 20_000.0, []
    for _ in range(20):
        day += choose.choice((0.0, 1.0, 7.0, 90.0))
        who = choose.sample(range(9), choose.choice(list(sizes)))
        order = sorted(who, key=lambda i: i + choose.gauss(0.0, 4.0))
        places = [float(order.index(i) + 1) for i in who]
        if ties:
            places = [float((place + 1.0) // 2.0) for place in places]
        built = [choose.randrange(4) for _ in who]
        while len(set(built)) == 1:
            built = [choose.randrange(4) for _ in who]
        found.append((who, places, day, built if cars else None))
    return found


def table_of_races(
    races: Sequence[tuple[list[int], list[float], float, list[int] | None]],
) -> Games:
    """The contests as a table."""
    number: dict[int, int] = {}
    who = [number.setdefault(q, len(number)) for one, *_ in races for q in one]
    table = Games(
        [f"p{q}" for q in number],
        start=np.cumsum([0, *(len(one) for one, *_ in races)]),
        player=np.array(who, np.uint32),
        place=np.array([place for _, places, *_ in races for place in places]),
        time=np.array([day for _, _, day, _ in races]),
    )
    cars = [car for *_, built in races for car in built or ()]
    if not cars:
        return table
    column = RoleColumn("car", [f"c{k}" for k in range(4)], np.array(cars))
    return with_role_members(table, [], [column])
