"""Do ratings rise or fall as a whole while time goes by?

Two measures, because the mean also moves when the players change:

    mean      of all established players active in a span of time, and its slope over the spans
    matched   the mean change of those who were active in two successive spans: the same people

Neither knows the truth: results cannot tell a league in which everybody learns from one whose
ratings inflate. A closed league has neither by construction, for its sum stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.chance import Estimate, mean_by_parts, summed
from prowess.study.diagnosis.course import ESTABLISHED, SPANS, WARM_UP, Course
from prowess.study.diagnosis.finding import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Truths = NDArray[np.bool_]

LEAST_PLAYERS = 20  # established and active, in a span
LEAST_SPANS = 4
MATTERS = 0.15, 0.5  # of the deviation of ratings, over the whole table


class Spans(NamedTuple):
    """The last rating of everybody in every span in which he played as an established player."""

    rating: Floats  # [players, spans]
    active: Truths
    kept: NDArray[np.int64]  # spans after the warm-up with enough players
    deviation: float  # of ratings within a span
    years: float | None  # a span


def spans(course: Course) -> Spans:
    """Ratings by player and span. Raises TooFew."""
    who = course.appearances
    rating = np.zeros((len(course.final), SPANS))
    active = np.zeros(rating.shape, np.bool_)
    old = who.age >= ESTABLISHED
    rating[who.player[old], course.span[who.row[old]]] = who.after[old]  # the last one stays
    active[who.player[old], course.span[who.row[old]]] = True
    first = course.span[int(WARM_UP * len(course.games))]
    enough = (active.sum(axis=0) >= LEAST_PLAYERS) & (np.arange(SPANS) >= first)
    kept = np.flatnonzero(enough)
    if len(kept) < LEAST_SPANS:
        raise TooFew(
            f"{len(kept)} of {SPANS} spans of time have {LEAST_PLAYERS} established players, "
            f"{LEAST_SPANS} are needed"
        )
    within = rating - (rating * active).sum(axis=0) / np.maximum(active.sum(axis=0), 1)
    deviation = float(np.sqrt((within[:, kept] ** 2)[active[:, kept]].mean()))
    years = None if course.years is None else course.years / SPANS
    return Spans(rating, active, kept, deviation, years)


def slope_of_means(seen: Spans) -> Estimate:
    """Points a span by which the mean of the active rises; deviations over players."""
    active, rating = seen.active[:, seen.kept], seen.rating[:, seen.kept]
    count = active.sum(axis=0)
    mean = (rating * active).sum(axis=0) / count
    lever = seen.kept - np.average(seen.kept, weights=count)
    lever = lever * count / float((count * lever * lever).sum())
    influence = (lever * active * (rating - mean) / count).sum(axis=1)
    played = np.flatnonzero(active.any(axis=1))
    around = summed(influence[played], np.arange(len(played)))
    return Estimate(float(lever @ mean), around.deviation, around.parts)


def matched_change(seen: Spans) -> Estimate:
    """The mean change of those active in a span and the one before; deviations over players."""
    later = seen.kept[np.isin(seen.kept - 1, seen.kept)]
    both = seen.active[:, later] & seen.active[:, later - 1]
    if len(later) < LEAST_SPANS - 1 or both.sum() < LEAST_PLAYERS:
        raise TooFew("hardly anybody was active in two successive spans of time")
    change = np.where(both, seen.rating[:, later] - seen.rating[:, later - 1], 0.0)
    count = np.maximum(both.sum(axis=0), 1)
    mean = change.sum(axis=0) / count
    influence = (both * (change - mean) / count).sum(axis=1) / len(later)
    played = np.flatnonzero(both.any(axis=1))
    around = summed(influence[played], np.arange(len(played)))
    return Estimate(float(mean.mean()), around.deviation, around.parts)


def means_by_span(course: Course, seen: Spans) -> list[dict[str, float]]:
    """The mean rating of every span, with its interval and the line through all."""
    active, rating = seen.active[:, seen.kept], seen.rating[:, seen.kept]
    count = active.sum(axis=0)
    mean = (rating * active).sum(axis=0) / count
    slope, middle = slope_of_means(seen).value, np.average(seen.kept, weights=count)
    found = []
    for k, span in enumerate(seen.kept.tolist()):
        one = mean_by_parts(rating[active[:, k], k])
        line = float(np.average(mean, weights=count) + slope * (span - middle))
        found.append(
            course.moment((span + 0.5) / SPANS)
            | {"players": int(count[k]), "rating": one.value, **one.ends, "line": line}
        )
    return found


def changes_by_span(course: Course, seen: Spans) -> list[dict[str, float]]:
    """The mean change of those active in a span and the one before, points a year (or span)."""
    factor = 1.0 if seen.years is None else 1.0 / seen.years
    found = []
    for span in seen.kept[np.isin(seen.kept - 1, seen.kept)].tolist():
        both = seen.active[:, span] & seen.active[:, span - 1]
        if both.sum() < 2:
            continue
        one = mean_by_parts(factor * (seen.rating[both, span] - seen.rating[both, span - 1]))
        found.append(
            course.moment(span / SPANS)
            | {"players": int(both.sum()), "change": one.value, **one.ends}
        )
    return found


def inflation(course: Course) -> Observation:
    """The slope of the mean rating of active established players."""
    seen = spans(course)
    return _told(
        "inflation", "The mean rating of active established players", slope_of_means(seen), seen,
        "least squares over spans of equal time; deviations over players (whole careers)",
        {"means": means_by_span(course, seen)},
    )  # fmt: skip


def matched_inflation(course: Course) -> Observation:
    """The same for the same people from span to span."""
    seen = spans(course)
    return _told(
        "matched inflation", "The ratings of the same established players", matched_change(seen),
        seen, "mean change of who is active in two successive spans; deviations over players",
        {"changes": changes_by_span(course, seen)},
    )  # fmt: skip


def _told(
    name: str, what: str, a_span: Estimate, seen: Spans, method: str,
    more: dict[str, Any],
) -> Observation:  # fmt: skip
    unit, factor = ("span", 1.0) if seen.years is None else ("year", 1.0 / seen.years)
    value = a_span.value * factor
    low, high = (bound * factor for bound in a_span.interval())
    whole = a_span.value * (int(seen.kept[-1]) - int(seen.kept[0]))
    value, low, high = (round(number, 9) + 0.0 for number in (value, low, high))  # no -1e-15
    told = f"{value:+.2g} points a {unit} ({low:+.2g} to {high:+.2g})"
    rises = "rise" if value > 0.0 else "fall"
    verb = rises if what.startswith("The ratings") else f"{rises}s"
    still = "do" if what.startswith("The ratings") else "does"
    return Observation(
        name=name,
        calm=f"{what} {still} not clearly rise or fall: {told}.",
        alarm=f"{what} {verb}, by {told}, {abs(whole):.0f} points over the table.",
        numbers={
            "slope": value, "low": low, "high": high, "unit": f"points a {unit}", "whole": whole,
            "deviation_of_ratings": seen.deviation, "spans": len(seen.kept),
            **more,
        },
        method=f"{method}; {SPANS} spans, after the warm-up",
        p=a_span.p,
        size=abs(whole) / seen.deviation,
        notice=MATTERS[0],
        warning=MATTERS[1],
    )  # fmt: skip
