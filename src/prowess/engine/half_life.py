"""The half-life of results: a setting of every system that fits a whole table and takes weights.

A game that is t days old counts 2^(-t / half_life) games, t up to the day of the fit: `as_of`, else
the day of the last game. The weight of a table multiplies this. No game counts less than 1e-9,
the least weight that fits take (30 half-lives), so every player stays in the fit.

Source: the weights of S. A. Dixon and M. J. Coles, "Modelling Association Football Scores and
Inefficiencies in the Football Betting Market", Applied Statistics 46 (1997), exp(-xi t) with
xi = ln 2 / half_life.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from prowess.engine.system import Dynamic, Range, Unratable

if TYPE_CHECKING:
    from prowess.compile.numbers import Floats
    from prowess.games.games import Games


HALF_LIFE = "half_life"  # the name of the parameter
MAX_HALF_LIFE_DAYS = 36_525.0  # days
MIN_WEIGHT = 1e-9  # weight of a game in a fit
HALF_LIFE_DAYS = Range(0.0, MAX_HALF_LIFE_DAYS, "days; 0: age does not count")


@cache
def _extend(kind: Any) -> Any:
    """The type of parameters with a half-life at the end."""
    make: Any = namedtuple  # a type checker wants names that stand in the source
    made = make(kind.__name__, (*kind._fields, HALF_LIFE))
    made.__annotations__ = {
        **kind.__annotations__,
        HALF_LIFE: Annotated[float, HALF_LIFE_DAYS, "age at which a game counts half"],
    }
    made.__module__, made.__doc__ = kind.__module__, kind.__doc__
    made.__reduce__ = lambda values: (_restore, (kind, tuple(values)))
    return made


def _restore(kind: Any, values: tuple[Any, ...]) -> Any:
    """Build extended parameters from plain values, for pickle."""
    return _extend(kind)(*values)


def with_half_life(params: Any) -> Any:
    """The parameters of a system and a half-life, which is off; unchanged where there is one."""
    names = getattr(params, "_fields", None)  # anything but a NamedTuple is refused later
    if names is None or HALF_LIFE in names:
        return params
    return _extend(type(params))(*params, 0.0)  # type: ignore[arg-type] # a type is hashable


def why_no_half_life(system: Any) -> str:
    """Why a system has no half-life, with the remedy."""
    take = "take a system that fits the whole table by weights, such as bradley_terry or massey"
    if isinstance(system, Dynamic):
        return (
            f"{take}: {system.name} has no half_life, it plays game by game and forgets old games "
            "by its own constants"
        )
    if not system.weights:
        return f"{take}: {system.name} counts whole games, so it has no half_life"
    return f"{take}: strengths move with time in {system.name}, so it has no half_life"


def age_results(table: Games, days: float, day: float | None) -> tuple[Games, tuple[str, ...]]:
    """The table with weights that halve every so many `days`, and a note; unchanged for 0.

    `day` is the day of the fit in days since 1970, not before the last game. Raises Unratable for a
    table without dates.
    """
    if days == 0.0:
        return table, ()
    if table.time is None or day is None:
        raise Unratable.of("no_dates.half_life", days=days)
    import numpy as np

    from prowess.games.dates import format_date

    known = np.ones(len(table)) if table.weight is None else table.weight
    weight = known * weight_at_age(day - table.time, days)
    least = weight < MIN_WEIGHT
    note = (
        f"a game counts half after {days:g} days, as of {format_date(day)}: "
        f"{len(table):,} {table.unit}s weigh as much as {float(weight.sum()):.4g} new ones"
    )
    if least.any():
        note += f"; {int(least.sum()):,} of them, the oldest, count {MIN_WEIGHT:g} each, the least"
    return table.replace(weight=np.maximum(weight, MIN_WEIGHT)), (note,)


def weight_at_age(age: Floats, half_life: float) -> Floats:
    """2^(-age / half_life), [n]; ages and half-life in days."""
    import numpy as np

    with np.errstate(over="ignore"):  # a half-life near 0: old games count nothing
        weight: Floats = np.exp2(-age / half_life)
    return weight
