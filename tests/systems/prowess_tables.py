"""Seeded tables for tests of the system `prowess`, each ingredient alone and all together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from prowess.games.games import Games
from prowess.games.role_members import RoleColumn, with_role_members
from tests.systems.prowess_oracle import Play, Race

TABLES: dict[str, dict[str, Any]] = {
    "result": {},
    "draws": {"draws": True},
    "side": {"side": (1.0,)},
    "mixed and neutral side": {"side": (1.0, 0.0, -1.0)},
    "league": {"side": (1.0,), "league": True},
    "quantiles": {"margin": 12.0},
    "goals": {"margin": 1.5, "goals": True},
    "goals and draws": {"margin": 1.5, "goals": True, "draws": True},
    "quantiles and draws": {"margin": 12.0, "draws": True},
    "context": {"context": True},
    "variant": {"variant": True, "draws": True},
    "family": {"family": True},
    "all": {
        "draws": True,
        "side": (1.0, 0.0, -1.0),
        "league": True,
        "margin": 1.5,
        "goals": True,
        "context": True,
        "variant": True,
        "family": True,
    },
}
RACES: dict[str, dict[str, Any]] = {
    "two": {"sizes": (2,)},
    "two to seven": {"sizes": (2, 3, 4, 5, 6, 7)},
    "ties": {"sizes": (3, 4, 5), "ties": True},
    "cars": {"sizes": (3, 4, 5), "cars": True},
}


def some_plays(
    *,
    count: int = 40,
    players: int = 7,
    draws: bool = False,
    side: Sequence[float] = (0.0,),
    league: bool = False,
    margin: float = 0.0,
    goals: bool = False,
    context: bool = False,
    variant: bool = False,
    family: bool = False,
    seed: int = 7,
) -> list[Play]:
    """Games of players of different strength, a day or some between them, often none."""
    choose = random.Random(seed)
    strength = [choose.gauss(0.0, 1.0) for _ in range(players)]
    day, found = 20_000.0, []
    for at in range(count):
        day += choose.choice((0.0, 0.0, 1.0, 1.0, 5.0, 90.0))
        a, b = choose.sample(range(players), 2)
        gap = strength[a] - strength[b] + choose.gauss(0.0, 1.5)
        score = 0.5 if draws and abs(gap) < 0.5 else float(gap > 0.0)
        size = 1.0 + int(choose.expovariate(1.0 / margin)) if margin else 0.0
        if goals:
            size = min(size, 7.0)
        elif margin:
            size += 0.25 * choose.randrange(4)
        found.append(
            Play(
                f"p{a}",
                f"p{b}",
                score,
                day,
                choose.choice(list(side)),
                choose.choice("AB") if league else "",
                (2.0 * score - 1.0) * size if margin else None,
                choose.choice(("clay", "grass")) if context else None,
                "best of 3" if at == 0 or choose.random() < 0.7 else "best of 5",
                (f"f{a % 3}", f"f{b % 3}") if family else None,
            )
        )
        if not variant:
            found[-1].variant = ""
    return found


def some_races(
    *, sizes: Sequence[int], ties: bool = False, cars: bool = False, seed: int = 7
) -> list[Race]:
    """Contests of nine players of different strength, in two of four cars where there are some."""
    choose = random.Random(seed)
    day, found = 20_000.0, []
    for _ in range(20):
        day += choose.choice((0.0, 1.0, 7.0, 90.0))
        who = choose.sample(range(9), choose.choice(list(sizes)))
        order = sorted(who, key=lambda i: i + choose.gauss(0.0, 4.0))
        places = [float(order.index(i) + 1) for i in who]
        if ties:
            places = [float((place + 1.0) // 2.0) for place in places]
        built = [f"c{choose.randrange(4)}" for _ in who]
        while len(set(built)) == 1:
            built = [f"c{choose.randrange(4)}" for _ in who]
        found.append(Race([f"p{i}" for i in who], places, day, built if cars else None))
    return found


def table_of(plays: Sequence[Play], timed: bool = True) -> Games:
    """The games as a table."""
    number: dict[str, int] = {}
    pairs = [[number.setdefault(name, len(number)) for name in (one.a, one.b)] for one in plays]
    given: dict[str, Any] = {"facts": {}, "labels": {}}
    for name in ("league", "context", "variant"):
        words = [getattr(one, name) or "" for one in plays]
        if words[0]:
            known: dict[str, int] = {}
            ids = [known.setdefault(word, len(known)) for word in words]
            given["facts"][name] = np.array(ids, np.float64)
            given["labels"][name] = list(known)
    if any(one.side for one in plays):
        given["side"] = np.array([one.side for one in plays])
    if plays[0].margin is not None:
        given["margin"] = np.array([one.margin for one in plays], np.float64)
    if timed:
        given["time"] = np.array([one.day for one in plays])
    table = Games(
        list(number),
        a=np.array([a for a, _ in pairs], np.uint32),
        b=np.array([b for _, b in pairs], np.uint32),
        score=np.array([one.score for one in plays]),
        **given,
    )
    families = [word for one in plays for word in one.family or ()]
    if not families:
        return table
    words = sorted(set(families))
    which = np.array([words.index(word) for word in families])
    return with_role_members(table, [], [RoleColumn("family", words, which)])


def table_of_races(races: Sequence[Race]) -> Games:
    """The contests as a table."""
    number: dict[str, int] = {}
    names = [name for one in races for name in one.names]
    table = Games(
        list(dict.fromkeys(names)),
        start=np.cumsum([0, *(len(one.names) for one in races)]),
        player=np.array([number.setdefault(name, len(number)) for name in names], np.uint32),
        place=np.array([place for one in races for place in one.places]),
        time=np.array([one.day for one in races]),
    )
    cars = [car for one in races for car in one.cars or ()]
    if not cars:
        return table
    words = sorted(set(cars))
    return with_role_members(
        table, [], [RoleColumn("car", words, np.array([words.index(c) for c in cars]))]
    )
