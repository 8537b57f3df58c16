"""Checks of results against the model: form of the curve, side advantage, draws by rating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.compile.numbers import Floats
from prowess.engine.fits.comparisons import Comparisons, fit_comparisons
from prowess.engine.table import number_clusters
from prowess.engine.win_probability import CURVES, LOGISTIC, NORMAL, STOB2, STOB3, TIMESHARING
from prowess.study.diagnosis.evidence import (
    Estimate,
    best_of,
    blocks_of,
    estimate_by_parts,
    fit_curve,
    mean_by_parts,
    student_p,
)
from prowess.study.diagnosis.history import LeagueHistory, Observation, TooFew
from prowess.study.scores import mean_interval
from prowess.study.voters import describe_named, judge_voters, name_values

if TYPE_CHECKING:
    from prowess.games.games import Games


RIVALS = (LOGISTIC, NORMAL, TIMESHARING, STOB2, STOB3)
GAP_BINS = 10
INTERVAL = 0.95


def check_form(history: LeagueHistory) -> Observation:
    """Compare log-likelihoods of all curves, each with its own scale and side advantage."""
    if not history.by_difference:
        raise TooFew.of("too_few.differences", system=history.system.name)
    rows, blocks = history.judged, history.blocks
    x, score, weight = history.features[rows], history.games.score[rows], history.weight[rows]
    count = int(blocks.max()) + 1
    curves: list[dict[str, Any]] = []
    for curve in RIVALS:
        if curve == history.curve:
            continue
        loss = fit_curve(curve, x, score, weight).loss
        gain = mean_interval(history.calibration.fit.loss - loss, weight, blocks, INTERVAL)
        curves.append(
            {"curve": CURVES[curve], "better_by": gain.mean, "low": gain.low, "high": gain.high,
             "p": student_p(gain.mean, gain.deviation, count - 1) if gain.mean > 0.0 else 1.0}
        )  # fmt: skip
    best = max(curves, key=lambda one: one["better_by"])
    own = CURVES[history.curve]
    return Observation(
        calm=f"No other win curve fits these results clearly better than the {own} one.",
        alarm=(
            f"The {best['curve']} curve fits these results better than the {own} one, by "
            f"{best['better_by']:.5f} nats a game "
            f"({best['low']:.5f} to {best['high']:.5f})."
        ),
        numbers={"own": own, "scale": history.calibration.scale, "rivals": curves},
        method=(
            "log-likelihood of each curve with its own scale and side advantage, on games of "
            "established players; interval from resampled blocks of games"
        ),
        p=best_of(min(one["p"] for one in curves), len(curves)),
        size=best["better_by"],
    )


def check_gaps(history: LeagueHistory) -> Observation:
    """Compare scores of favourites with the calibrated curve, by size of the gap."""
    rows, blocks = history.judged, history.blocks
    chance, surplus = history.calibration.expected[rows], history.calibration.surplus[rows]
    turned = np.where(chance < 0.5, -1.0, 1.0)
    favourite = np.maximum(chance, 1.0 - chance)
    weight = history.weight[rows]
    deviance = _deviance(history.games.score[rows], chance)
    order = np.argsort(favourite, kind="stable")
    bins: list[dict[str, float]] = []
    for part in np.array_split(order, GAP_BINS):
        seen = mean_by_parts((turned * surplus)[part], weight[part], blocks[part])
        bins.append(
            {"expected": float(favourite[part].mean()), "surplus": seen.value,
             "deviation": seen.deviation, "deviance": float(deviance[part].mean()),
             "games": float(len(part)), "p": seen.p}
        )  # fmt: skip
    worst = min(bins, key=lambda one: one["p"])
    place = bins.index(worst)
    where = "in the tail" if place >= 8 else "among near equals" if place <= 2 else "in between"
    more = "more" if worst["surplus"] > 0.0 else "less"
    return Observation(
        calm="Favourites score what the curve expects, from even games to the widest gaps.",
        alarm=(
            f"Favourites expected to score {worst['expected']:.1%} score "
            f"{abs(worst['surplus']):.1%} {more} ({where} of the curve)."
        ),
        numbers={"bins": bins},
        method=(
            f"{GAP_BINS} bins of equal numbers of games by the calibrated forecast for the "
            "favourite, deviations over blocks of games, the worst bin judged by Bonferroni"
        ),
        p=best_of(worst["p"], GAP_BINS),
        size=abs(worst["surplus"]) / (worst["expected"] * (1.0 - worst["expected"])),
    )


def _deviance(score: Floats, chance: Floats) -> Floats:
    """Return 2 (s log(s / p) + (1 - s) log((1 - s) / (1 - p))), [n]."""
    sure = np.clip(chance, 1e-12, 1.0 - 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        won = np.where(score > 0.0, score * np.log(score / sure), 0.0)
        lost = np.where(score < 1.0, (1.0 - score) * np.log((1.0 - score) / (1.0 - sure)), 0.0)
    found: Floats = 2.0 * (won + lost)
    return found


def check_voters(games: Games, column: str, seed: int, level: float) -> Observation:
    """Look for voters whose votes agree less with the ratings of all others than chance explains.

    The values of the column are the voters.
    """
    voter, names = number_clusters(games, column), name_values(games, column)
    if len(names) < MIN_VOTERS:
        raise TooFew.of("too_few.voters", voters=len(names), least=MIN_VOTERS)
    a, b = games.a.astype(np.int64), games.b.astype(np.int64)
    ones = np.ones(len(games))
    weight = ones if games.weight is None else games.weight
    rows = Comparisons(len(games.players), a, b, games.score, ones[:, None], weight)
    prior = np.full(rows.players + 1, VOTERS_RIDGE)
    found = judge_voters(fit_comparisons(rows, ridge=prior), voter, level=1.0 - level, seed=seed)
    order = np.lexsort((found.theta, found.p)).tolist()
    named = found.bad(1.0 - level)
    bad = [names[k] for k in order if named[k]]
    some = [
        {"voter": names[k], "votes": int(found.votes[k]), "theta": float(found.theta[k]),
         "side": float(found.side[k]), "draws": float(found.draws[k]),
         "adjusted": float(found.adjusted[k])}
        for k in order[:VOTERS_NAMED]
    ]  # fmt: skip
    return Observation(
        calm=f"None of {len(names):,} voters agrees less with the others than chance explains.",
        alarm=f"{describe_named(bad, len(names))}.",
        numbers={"voters": len(names), "bad": len(bad), "some": some},
        method="votes against ratings without the voter's own, by permutation, Holm over voters",
        p=float(found.adjusted.min()),
        size=float(len(bad)),
    )


MIN_VOTERS, VOTERS_NAMED = 3, 20
VOTERS_RIDGE = 0.1  # precision of a prior: a player may have won everything
LEAST_SIDED = 200  # games with a side
ADVANTAGE_PARTS = 10  # of the judged games, for the advantage over time
LEAST_OF_PART = 20  # games with a side, in a part


def check_advantage(history: LeagueHistory) -> Observation:
    """Compare the side advantage of the calibrated curve with the system's parameter."""
    rows = history.judged
    _refuse_few(history)
    fit = history.calibration.fit
    # not divided by the scale of gaps: noise of ratings shrinks gaps, not the side advantage
    points = float(fit.theta[1]) * history.unit
    found = estimate_by_parts(points, fit.influence[:, 1] * history.unit, history.blocks)
    given = float(getattr(history.p, "advantage", 0.0))
    reach = 1.96 * found.deviation
    worth = f"The first side is worth {points:.0f} +- {reach:.0f} points"
    named = f"counts on {given:g}" if hasattr(history.p, "advantage") else "has no such setting"
    return Observation(
        calm=f"{worth}; the system {named}.",
        alarm=f"{worth}, but the system {named}.",
        numbers={
            "points": points, "low": points - reach, "high": points + reach,
            "set": given, "games": int((history.side[rows] != 0.0).sum()),
        },
        method="likelihood on the system's own curve, deviations over blocks of games",
        p=student_p(points - given, found.deviation, found.parts - 1),
        size=abs(points - given) / history.unit,
    )  # fmt: skip


def check_change_of_side(history: LeagueHistory) -> Observation:
    """Test whether the side advantage changes from the first game to the last."""
    rows = history.judged
    _refuse_few(history)
    time = history.games.time
    if time is None:
        when = np.linspace(-0.5, 0.5, len(history.games))
    else:
        width = float(time[-1] - time[0])
        when = ((time - time[0]) / (width or 1.0) - 0.5) * (width > 0.0)
    x = np.column_stack((history.features, history.side * when))[rows]
    fit = fit_curve(history.curve, x, history.games.score[rows], history.weight[rows])
    seen: Estimate = fit.estimate(2, history.blocks)
    spread = float(np.ptp(when[rows]))
    points = seen.value * history.unit * spread
    reach = 1.96 * seen.deviation * history.unit * spread
    detail = f"by {points:+.0f} +- {reach:.0f} points from the first judged game to the last"
    return Observation(
        calm=f"The side advantage does not clearly change ({detail}).",
        alarm=f"The side advantage changes {detail}.",
        numbers={
            "points": points, "low": points - reach, "high": points + reach,
            "parts": parts_of_time(history),
        },
        method="likelihood with a side advantage that changes evenly; blocks of games",
        p=seen.p,
        size=abs(points) / history.unit,
    )  # fmt: skip


def parts_of_time(history: LeagueHistory) -> list[dict[str, float]]:
    """Return the side advantage, points with intervals, in parts of equally many judged games."""
    rows = history.judged
    part = blocks_of(int(rows.sum()), ADVANTAGE_PARTS)
    side = history.side[rows][:, None] * (
        part[:, None] == np.arange(ADVANTAGE_PARTS, dtype=np.int64)
    )
    with_sides = np.abs(side).sum(axis=0) >= LEAST_OF_PART
    x = np.column_stack((history.features[rows, 0], side[:, with_sides]))
    fit = fit_curve(history.curve, x, history.games.score[rows], history.weight[rows])
    found = []
    for k, of in enumerate(np.flatnonzero(with_sides).tolist(), 1):
        here = np.flatnonzero(rows)[part == of]
        middle = int(here[len(here) // 2])
        seen = fit.estimate(k, history.blocks)
        low, high = (history.unit * end for end in seen.interval())
        dated = history.dated
        found.append(
            ({"game": float(middle)} if dated is None else {"day": float(dated[middle])})
            | {"games": len(here), "points": history.unit * seen.value, "low": low, "high": high}
        )
    return found


def _refuse_few(history: LeagueHistory) -> None:
    seen = int((history.side[history.judged] != 0.0).sum())
    if seen < LEAST_SIDED:
        raise TooFew.of("too_few.sided", games=seen, least=LEAST_SIDED)


GAP_STRATA = 20  # of games with like forecasts, because unequal players draw less
LEVEL_BINS = 8  # by mean rating, to show the slope
LEAST_DRAWS = 50  # draws, and decided games


def check_draws_by_rating(history: LeagueHistory) -> Observation:
    """Regress draws on the mean rating of both players, within strata of like forecasts."""
    rows = history.judged
    drawn = (history.games.score[rows] == 0.5).astype(np.float64)
    if min(drawn.sum(), len(drawn) - drawn.sum()) < LEAST_DRAWS:
        raise TooFew.of("too_few.judged_draws", draws=int(drawn.sum()), games=len(drawn))
    level = 0.5 * (history.rating_a[rows] + history.rating_b[rows])
    order = np.argsort(np.abs(history.calibration.expected[rows] - 0.5), kind="stable")
    stratum = np.empty(len(drawn), np.int64)
    stratum[order] = np.arange(len(drawn), dtype=np.int64) * GAP_STRATA // len(drawn)
    size = np.bincount(stratum)
    x = level - (np.bincount(stratum, level) / size)[stratum]
    y = drawn - (np.bincount(stratum, drawn) / size)[stratum]
    square = float((x * x).sum())
    if not square > 0.0:
        raise TooFew.of("too_few.levels")
    slope = float((x * y).sum()) / square
    found = estimate_by_parts(slope, x * (y - slope * x) / square, history.blocks)
    apart = 2.0 * float(level.std())
    seen = Estimate(slope * apart, found.deviation * apart, found.parts)
    low, high = seen.interval()
    bins: list[dict[str, float]] = []
    for part in np.array_split(np.argsort(level, kind="stable"), LEVEL_BINS):
        share = mean_by_parts(drawn.mean() + y[part], part=history.blocks[part])
        bins.append({"rating": float(level[part].mean()), "games": len(part),
                     "draws": share.value, **share.ends})  # fmt: skip
    trend = f"{seen.value:+.1%} ({low:+.1%} to {high:+.1%}) from weak pairs to strong ones"
    return Observation(
        calm=f"Draws, {drawn.mean():.1%} of games, do not clearly depend on strength ({trend}).",
        alarm=f"The share of draws, {drawn.mean():.1%} in all, depends on strength: {trend}, "
        f"{apart:.0f} points apart.",
        numbers={"draws": float(drawn.mean()), "change": seen.value, "low": low, "high": high,
                 "points_apart": apart, "bins": bins},
        method=(
            f"share of draws against the mean rating of the two within {GAP_STRATA} strata of "
            "games with like forecasts; from one deviation below the mean to one above"
        ),
        p=seen.p,
        size=abs(seen.value),
    )  # fmt: skip
