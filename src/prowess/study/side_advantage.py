"""The side advantage that a system forecasts best with, learnt before anything is judged.

A system that takes White or the home ground for nothing loses to one that does not, whatever else
they are worth. So that a comparison is about the rest, each gets the advantage that serves it best
on the games of the warm-up, of which none is judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.engine.forecast import advantage_parameter, has_sides
from prowess.engine.system import Choice, Dynamic
from prowess.games.games import Games
from prowess.study.tuning.evaluation import Task

if TYPE_CHECKING:
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games

FITTED = "fitted"  # the word of a system that fits an advantage itself, to all games before
OPENING = 0.2  # of the warm-up only plays: everyone was new there
FEWEST = 30  # games with sides that decide; fewer decide nothing
HALVINGS = 20  # of the range, by 0.618 each: 1/15,000 of it is left


class SideAdvantage(NamedTuple):
    """What to set, and why it is not fitted where it is not; both empty: nothing to fit."""

    setting: dict[str, float | str]
    why_not: str = ""


def fit_advantage(
    table: Games,
    system: Dynamic | WholeTable,
    *,
    params: Mapping[str, Any],
    period: str | None,
    warm_up: float,
) -> SideAdvantage:
    """The side advantage with the lowest log loss on the warm-up, to three digits.

    Nothing is fitted where `params` names it, the table has no sides, or the system has no such
    parameter. A system that fits one itself is told to.
    """
    one = advantage_parameter(system)
    if one is None or one.name in params or not has_sides(table):
        return SideAdvantage({})
    if isinstance(one.domain, Choice):
        return SideAdvantage({one.name: FITTED} if FITTED in one.domain.words else {})
    if not isinstance(system, Dynamic):
        return SideAdvantage({}, "it looks at the whole table at once and is slow to fit")
    early = table.first(ceil(warm_up * len(table)))
    task = Task(early, system, period, params, "log_loss", OPENING)
    played = early.select(slice(ceil(OPENING * len(early)), None))
    sided = 0 if played.side is None else int((played.side != 0.0).sum())
    if sided < FEWEST:
        return SideAdvantage({}, f"the warm-up has {sided} games with sides, {FEWEST} are needed")

    def loss(value: float) -> float:
        return task.score({one.name: value})

    value = float(f"{lowest(loss, one.domain.low, one.domain.high):.3g}")
    if not isfinite(loss(value)):
        return SideAdvantage({}, "no value of it gives finite ratings")
    return SideAdvantage({one.name: value})


def lowest(loss: Any, low: float, high: float) -> float:
    """Where a function with one valley is lowest, by golden section."""
    part = (sqrt(5.0) - 1.0) / 2.0
    a, d = low, high
    b, c = d - part * (d - a), a + part * (d - a)
    at_b, at_c = loss(b), loss(c)
    for _ in range(HALVINGS):
        if at_b < at_c:
            d, c, at_c = c, b, at_b
            b = d - part * (d - a)
            at_b = loss(b)
        else:
            a, b, at_b = b, c, at_c
            c = a + part * (d - a)
            at_c = loss(c)
    return 0.5 * (a + d)
