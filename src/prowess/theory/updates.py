"""A rating system of the engine seen as wp(x) and dyn(x), so that its updates can be judged.

Two newcomers of ratings start + x / 2 and start - x / 2 play one game on neutral ground; dyn(x) is
by how much their difference grows when the first of them wins, wp(x) what the system expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prowess.engine.state import newcomer
from prowess.engine.system import Dynamic, Game
from prowess.theory.bounds import Dyn
from prowess.theory.wp import WinProbability, given


class NotAnUpdate(ValueError):
    """A system whose change after a game is not a function of the two players alone."""


def update_of(
    system: Dynamic,
    p: Any,
    known: Mapping[str, float] | None = None,
    unit: float = 100.0,
) -> tuple[WinProbability, Dyn]:
    """(wp, dyn) of a dynamic system with parameters p; `unit`: a difference that matters.

    `known` replaces what a newcomer begins with, such as {"deviation": 50}. Raises NotAnUpdate for
    a system that looks at a whole league or rates whole rounds only, and for unknown fields.
    """
    if system.league is not None or system.rounds == "period":
        why = "depends on the whole league" if system.league else "is made for whole rounds"
        raise NotAnUpdate(f"{system.name}: the change after a game {why}, not a function of x")
    fresh = newcomer(system, p)
    for name in known or {}:
        if name not in fresh._fields:
            fields = ", ".join(fresh._fields)
            raise NotAnUpdate(f"{system.name} keeps no {name!r} of a player; it keeps {fields}")
    fresh = fresh._replace(**(known or {}))

    def rated(x: float) -> Any:
        return fresh._replace(rating=fresh.rating + 0.5 * x)

    def alone(x: float) -> Any:
        return system.alone(p, rated(x))

    def wp(x: float) -> float:
        return system.expected(p, alone(x), alone(-x), Game())

    def change(x: float, score: float) -> float:
        me, mine = rated(x), alone(x)
        one = system.evidence(p, mine, alone(-x), Game(score))
        after = system.absorb(
            p, me, one if system.due is None else system.due(p, me, 1.0, mine, one)
        )
        return float(after.rating - me.rating)

    def dyn(x: float) -> float:
        return change(x, 1.0) - change(-x, 0.0)

    return given(wp, system.name, unit), dyn
