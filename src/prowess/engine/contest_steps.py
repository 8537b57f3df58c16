"""Steps of contests that a system judges as a whole: one for each contest, with the placing.

The system moves the rating by the contest, not by one opponent of the field, so no meeting has
points of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from prowess.engine.steps import ContestPlace, Step

LAST_BITS = "last bits"  # a term that no system has: arimaa has one called rounding


def join_meetings(meetings: Sequence[Step], sides: Sequence[int]) -> Step:
    """One step of the meetings of a contest, in order; terms and parts are their sums.

    `sides` are the numbers of the own side, one for each meeting: of a member of two sides, such as
    a car, the placing is that of the better side. The expected place is 1 + the sum of 1 - expected
    score over the other sides; the player shares their place with those they drew with.
    """
    first, last = meetings[0], meetings[-1]
    count = len(meetings)
    terms = _sum_by_name([step.terms for step in meetings])
    change = last.after - first.before
    settle_terms(terms, change)
    return last._replace(
        row=first.row,
        opponent="",
        opponent_rating=fsum(step.opponent_rating for step in meetings) / count,
        score=fsum(step.score for step in meetings) / count,
        expected=fsum(step.expected for step in meetings) / count,
        before=first.before,
        change=change,
        terms=terms,
        parts=_sum_by_name([step.parts for step in meetings]),
        margin=None,
        at_least=None,
        at_most=None,
        placing=min(_place_side(meetings, sides, one) for one in set(sides)),
        meetings=tuple(meetings),
    )


def _place_side(meetings: Sequence[Step], sides: Sequence[int], side: int) -> ContestPlace:
    met = [step for step, own in zip(meetings, sides, strict=True) if own == side]
    return ContestPlace(
        place=1 + sum(step.score == 0.0 for step in met),
        shared=any(step.score == 0.5 for step in met),
        of=1 + len(met),
        expected=1.0 + fsum(1.0 - step.expected for step in met),
    )


def separate_meetings(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with each contest as its meetings: one entry for each other side."""
    return tuple(each for step in steps for each in step.meetings or (step,))


def _sum_by_name(columns: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for column in columns for name in column)
    return {name: fsum(column.get(name, 0.0) for column in columns) for name in names}


def settle_terms(terms: dict[str, float], change: float) -> None:
    """Put the last bits of rounding into the largest term, so that the sum is exact.

    A change far smaller than its terms is not reached so: what is left is a term of its own.
    """
    for _ in range(8):
        error = fsum((change, *(-term for term in terms.values())))
        if error == 0.0:
            return
        largest = max(terms, key=lambda name: abs(terms[name]))
        if terms[largest] + error == terms[largest]:
            largest = LAST_BITS
        terms[largest] = terms.get(largest, 0.0) + error
