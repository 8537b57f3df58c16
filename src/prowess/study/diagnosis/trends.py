"""Checks of ratings over time: inflation of the whole league, and learning by rating.

Inflation has two measures, because the mean also moves when the players change:

    mean      of all established players active in a span of time, and its slope over the spans
    matched   the mean change of the players who were active in two successive spans

Results alone cannot separate a league in which all players learn from one whose ratings inflate. In
a closed league that keeps the sum of ratings both measures are 0.

Learning: players rated high by luck fall back, which looks like unlearning. So players are put into
bins by their rating at one game, and the gain is counted from GAP games later. The fluid equation
(EQ 54) holds for a league in balance: the gain at a rating is the death rate D times the number of
players above, per density. Its shape, L / D, comes from the histogram of ratings, D from the best
fit to the gains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.params import BadSetting
from prowess.study.diagnosis.curve import TooFew
from prowess.study.diagnosis.findings import (
    Estimate,
    Observation,
    mean_by_parts,
    student_p,
    sum_by_parts,
)
from prowess.study.diagnosis.history import ESTABLISHED, SPANS, WARM_UP, LeagueHistory
from prowess.theory.histograms import histogram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Truths = NDArray[np.bool_]


LEAST_ACTIVE = 20  # established and active in a span
LEAST_SPANS = 4
LEVEL_MATTERS = 0.15, 0.5  # of the deviation of ratings, over the whole table


class Spans(NamedTuple):
    """The last rating of every player in every span in which they played as established."""

    rating: Floats  # [players, spans]
    active: Truths
    kept: NDArray[np.int64]  # spans after the warm-up with enough players
    deviation: float  # of ratings within a span
    years: float | None  # a span


def spans(history: LeagueHistory) -> Spans:
    """Return ratings by player and span. Raises TooFew."""
    who = history.appearances
    rating = np.zeros((len(history.final), SPANS))
    active = np.zeros(rating.shape, np.bool_)
    old = who.age >= ESTABLISHED
    rating[who.player[old], history.span[who.row[old]]] = who.after[old]  # the last one stays
    active[who.player[old], history.span[who.row[old]]] = True
    first = history.span[int(WARM_UP * len(history.games))]
    enough = (active.sum(axis=0) >= LEAST_ACTIVE) & (np.arange(SPANS) >= first)
    kept = np.flatnonzero(enough)
    if len(kept) < LEAST_SPANS:
        raise TooFew(
            f"{len(kept)} of {SPANS} spans of time have {LEAST_ACTIVE} established players, "
            f"{LEAST_SPANS} are needed"
        )
    within = rating - (rating * active).sum(axis=0) / np.maximum(active.sum(axis=0), 1)
    deviation = float(np.sqrt((within[:, kept] ** 2)[active[:, kept]].mean()))
    years = None if history.years is None else history.years / SPANS
    return Spans(rating, active, kept, deviation, years)


def slope_of_means(seen: Spans) -> Estimate:
    """Return the slope of the mean of active players, points a span; deviations over players."""
    active, rating = seen.active[:, seen.kept], seen.rating[:, seen.kept]
    count = active.sum(axis=0)
    mean = (rating * active).sum(axis=0) / count
    lever = seen.kept - np.average(seen.kept, weights=count)
    lever = lever * count / float((count * lever * lever).sum())
    influence = (lever * active * (rating - mean) / count).sum(axis=1)
    played = np.flatnonzero(active.any(axis=1))
    around = sum_by_parts(influence[played], np.arange(len(played)))
    return Estimate(float(lever @ mean), around.deviation, around.parts)


def matched_change(seen: Spans) -> Estimate:
    """Return the mean change of players active in successive spans; deviations over players."""
    later = seen.kept[np.isin(seen.kept - 1, seen.kept)]
    both = seen.active[:, later] & seen.active[:, later - 1]
    if len(later) < LEAST_SPANS - 1 or both.sum() < LEAST_ACTIVE:
        raise TooFew("too few players were active in two successive spans of time")
    change = np.where(both, seen.rating[:, later] - seen.rating[:, later - 1], 0.0)
    count = np.maximum(both.sum(axis=0), 1)
    mean = change.sum(axis=0) / count
    influence = (both * (change - mean) / count).sum(axis=1) / len(later)
    played = np.flatnonzero(both.any(axis=1))
    around = sum_by_parts(influence[played], np.arange(len(played)))
    return Estimate(float(mean.mean()), around.deviation, around.parts)


def means_by_span(history: LeagueHistory, seen: Spans) -> list[dict[str, float]]:
    """Return the mean rating of every span, with its interval and the fitted line."""
    active, rating = seen.active[:, seen.kept], seen.rating[:, seen.kept]
    count = active.sum(axis=0)
    mean = (rating * active).sum(axis=0) / count
    slope, middle = slope_of_means(seen).value, np.average(seen.kept, weights=count)
    found = []
    for k, span in enumerate(seen.kept.tolist()):
        one = mean_by_parts(rating[active[:, k], k])
        line = float(np.average(mean, weights=count) + slope * (span - middle))
        found.append(
            history.moment((span + 0.5) / SPANS)
            | {"players": int(count[k]), "rating": one.value, **one.ends, "line": line}
        )
    return found


def changes_by_span(history: LeagueHistory, seen: Spans) -> list[dict[str, float]]:
    """Return the mean change of players active in successive spans, points a year (or span)."""
    factor = 1.0 if seen.years is None else 1.0 / seen.years
    found = []
    for span in seen.kept[np.isin(seen.kept - 1, seen.kept)].tolist():
        both = seen.active[:, span] & seen.active[:, span - 1]
        if both.sum() < 2:
            continue
        one = mean_by_parts(factor * (seen.rating[both, span] - seen.rating[both, span - 1]))
        found.append(
            history.moment(span / SPANS)
            | {"players": int(both.sum()), "change": one.value, **one.ends}
        )
    return found


def check_inflation(history: LeagueHistory) -> Observation:
    """Test the slope of the mean rating of active established players."""
    seen = spans(history)
    return _format_observation(
        "inflation", "The mean rating of active established players", slope_of_means(seen), seen,
        "least squares over spans of equal time; deviations over players (whole careers)",
        {"means": means_by_span(history, seen)},
    )  # fmt: skip


def check_matched_inflation(history: LeagueHistory) -> Observation:
    """Test the mean change of the same players from span to span."""
    seen = spans(history)
    return _format_observation(
        "matched inflation", "The ratings of the same established players", matched_change(seen),
        seen, "mean change of players active in two successive spans; deviations over players",
        {"changes": changes_by_span(history, seen)},
    )  # fmt: skip


def _format_observation(
    name: str, what: str, a_span: Estimate, seen: Spans, method: str,
    more: dict[str, Any],
) -> Observation:  # fmt: skip
    unit, factor = ("span", 1.0) if seen.years is None else ("year", 1.0 / seen.years)
    value = a_span.value * factor
    low, high = (bound * factor for bound in a_span.interval())
    whole = a_span.value * (int(seen.kept[-1]) - int(seen.kept[0]))
    value, low, high = (round(number, 9) + 0.0 for number in (value, low, high))  # no -1e-15
    detail = f"{value:+.2g} points a {unit} ({low:+.2g} to {high:+.2g})"
    rises = "rise" if value > 0.0 else "fall"
    verb = rises if what.startswith("The ratings") else f"{rises}s"
    still = "do" if what.startswith("The ratings") else "does"
    return Observation(
        name=name,
        calm=f"{what} {still} not clearly rise or fall: {detail}.",
        alarm=f"{what} {verb}, by {detail}, {abs(whole):.0f} points over the table.",
        numbers={
            "slope": value, "low": low, "high": high, "unit": f"points a {unit}", "whole": whole,
            "deviation_of_ratings": seen.deviation, "spans": len(seen.kept),
            **more,
        },
        method=f"{method}; {SPANS} spans, after the warm-up",
        p=a_span.p,
        size=abs(whole) / seen.deviation,
        notice=LEVEL_MATTERS[0],
        warning=LEVEL_MATTERS[1],
    )  # fmt: skip


GAP = 60  # games until luck is forgotten: at h = 64 in chess e^-2.7 of it is left
STRETCH = 60  # games over which the gain is counted
STRIDE = 20  # games between two looks at a player
LEAST_LOOKS = 100
RATING_BINS = 6


def check_learning(history: LeagueHistory, theory: bool) -> Observation:
    """Measure the gain in points per 100 games by rating, and compare it with L / D."""
    who = history.appearances
    n, reach = len(who.player), GAP + STRETCH
    here = np.flatnonzero(
        (who.player[: n - reach] == who.player[reach:]) & (who.age[: n - reach] % STRIDE == 0)
    ) if n > reach else np.zeros(0, np.int64)  # fmt: skip
    if len(here) < LEAST_LOOKS:
        raise TooFew(f"too few players have {reach} games to measure learning")
    gain = (who.before[here + reach] - who.before[here + GAP]) * (100.0 / STRETCH)
    rating, player = who.before[here], who.player[here]
    edges = np.quantile(rating, np.linspace(0.0, 1.0, RATING_BINS + 1)[1:-1])
    place = np.searchsorted(edges, rating, side="right")
    ones = np.ones(len(here))
    bins: list[dict[str, Any]] = []
    for k in range(RATING_BINS):
        part = place == k
        if part.sum() < 10:
            continue
        seen = mean_by_parts(gain[part], ones[part], player[part])
        bins.append({"rating": float(rating[part].mean()), "gain": seen.value,
                     "deviation": seen.deviation, "looks": int(part.sum())})  # fmt: skip
    if len(bins) < 3:
        raise TooFew("ratings differ too little to measure learning by rating")
    mean = mean_by_parts(gain, ones, player)
    numbers: dict[str, Any] = {
        "gain": mean.value, "deviation": mean.deviation, "unit": "points per 100 games",
        "bins": bins,
    }  # fmt: skip
    steady = student_p(mean.value, mean.deviation, mean.parts - 1) > 0.05
    fluid = _fluid(history, theory, bins, numbers)
    fluid = "" if steady else fluid
    low, high = mean.interval()
    detail = "No learning is seen" if steady else "Players gain" if low > 0.0 else "Players lose"
    return Observation(
        name="learning by rating",
        calm=(
            f"{detail}: {mean.value:+.1f} points per 100 games ({low:+.1f} to {high:+.1f}), "
            f"{bins[0]['gain']:+.0f} at {bins[0]['rating']:.0f} and {bins[-1]['gain']:+.0f} at "
            f"{bins[-1]['rating']:.0f}{fluid}."
        ),
        alarm="",
        numbers=numbers,
        method=(
            f"gain over {STRETCH} games, from {GAP} games after the one whose rating chose the "
            "bin; deviations over players"
        ),
    )


def _fluid(
    history: LeagueHistory,
    theory: bool,
    bins: list[dict[str, Any]],
    numbers: dict[str, Any],
) -> str:
    """Fit D to the gains of the bins by EQ 54; add it to `numbers` and return text."""
    if not theory:
        return ""
    ratings = history.final[history.established]
    low, high = np.quantile(ratings, [0.05, 0.95])
    width = float(high - low) / 8.0
    if not width > 0.0:
        return ""
    try:
        bins_of_ratings = histogram(ratings[(ratings >= low) & (ratings <= high)], width)
    except BadSetting:  # an empty bin
        return ""
    rows = bins_of_ratings.rows
    at = np.interp([one["rating"] for one in bins], rows.ratings, rows.learning * width)
    gains = np.array([one["gain"] for one in bins])
    certain = np.array([1.0 / max(one["deviation"], 1e-9) ** 2 for one in bins])
    square = float((certain * at * at).sum())
    rate = Estimate(float((certain * at * gains).sum()) / square, square**-0.5, len(bins))
    left = float((certain * (gains - rate.value * at) ** 2).sum()) / (len(bins) - 1)
    for one, value in zip(bins, at.tolist(), strict=True):
        one["fluid"] = rate.value * value
    numbers |= {"death_rate": rate.value, "death_rate_deviation": rate.deviation,
                "misfit": left}  # fmt: skip
    if rate.value < 2.0 * rate.deviation:
        return "; the fluid equation would need players to gain, and they do not"
    fits = "fits" if left < 2.5 else "does not fit"
    return f"; the fluid equation {fits} with a death rate of {rate.value:.2g} per 100 games"
