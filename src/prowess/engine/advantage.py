"""Which parameter of a system is the advantage of a side: White, the home ground."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from prowess.engine.bank import rows_of
from prowess.engine.foresight import foresee
from prowess.engine.params import Parameter, parameters, settings
from prowess.engine.state import State, initial_state
from prowess.engine.system import Dynamic, Range
from prowess.games.games import Games

if TYPE_CHECKING:
    from prowess.engine.whole_table import WholeTable
    from prowess.games.games import Games

WORD = "advantage"  # what a whole-table system calls it
APART = 0.1  # of the rating; two players who are not equal


@cache
def advantage_parameter(system: Dynamic | WholeTable) -> Parameter | None:
    """The parameter that is the advantage of a side; None where the system has none.

    Of a system that follows games it is the number that moves a forecast where a side has the
    advantage, moves it the other way for the other side, and moves nothing where none has it.
    """
    known = parameters(system)
    if not isinstance(system, Dynamic):
        return known.get(WORD)
    p = settings(system, {})
    state = initial_state(system, p, 2, {})
    state.rating[1, 0] = state.rating[1, 0] * (1.0 - APART) - APART
    for one in known.values():
        if isinstance(one.domain, Range) and one.domain.low < one.domain.high:
            other = 0.5 * (one.default + one.domain.high)
            if other == one.default:
                other = 0.5 * (one.default + one.domain.low)
            if _moves_sides_only(state, p._replace(**{one.name: other})):
                return one
    return None


def _moves_sides_only(state: State, other: Any) -> bool:
    """Whether the other parameters change a forecast just where a side has the advantage."""
    changed = replace(state, p=other)

    def difference(side: float) -> float:
        one, two = (foresee(each.system, each, None, (0, 1), side) for each in (changed, state))
        return one.expected - two.expected

    return difference(0.0) == 0.0 and difference(1.0) * difference(-1.0) < 0.0


def has_sides(table: Games) -> bool:
    """Whether a table says of some game which side had the advantage."""
    return table.pairwise and table.side is not None and bool(table.side.any())


def idle_advantage(system: Dynamic | WholeTable, p: Any, table: Games) -> tuple[str, ...]:
    """A note where an advantage is set and the table has no sides, so that it moves nothing."""
    if has_sides(table):
        return ()
    one = advantage_parameter(system)
    if one is None or not isinstance(one.domain, Range):
        return ()
    largest = max((getattr(row, one.name) for row in rows_of(p)), key=abs)
    if largest == 0.0:
        return ()
    why = (
        "the table has no sides (--sides a: the first side has it)"
        if table.pairwise
        else "contests have no sides"
    )
    return (f"{one.name} = {largest:g} moves nothing: {why}",)
