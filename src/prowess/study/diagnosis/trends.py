"""Checks of ratings: inflation, learning, their distribution, the step of a game, their noise.

Inflation has two measures, because the mean also moves when the players change:

    mean      of all established players active in a span of time, and its slope over the spans
    matched   the mean change of the players who were active in two successive spans

Results alone cannot separate a league in which all players learn from one whose ratings inflate. In
a closed league that keeps the sum of ratings both measures are 0.

Learning: players rated high by luck fall back, which looks like unlearning. So players are put into
bins by their rating at one game, and the gain is counted from LUCK_GAMES games later. The fluid
equation (EQ 54) holds for a league in balance: the gain at a rating is the death rate D times
the number of players above, per density. Its shape, L / D, comes from the histogram of ratings, D
from the best fit to the gains.

Distribution: the extreme-value law of the report's learning model (EQ 60) has the birth rating of
the lowest player, Q and c8. Its likelihood is largest at c8 = n / sum(e^(Q (R - birth)) - 1); Q is
found by golden section. The distance is Kolmogorov's. Its p-value comes from samples of the fitted
law that are fitted again, because Kolmogorov's tables do not hold for fitted constants. A normal
law is treated alike.

The step (K or h), by which games move ratings, is judged by forecasts with other steps and by two
models of `theory.noise`. The noise is measured by the variogram of ratings and compared with the
fluctuation that chance explains.

Formula   V(L) = mean of (r(g + L) - r(g))^2 over games g of established players
               = 2 (1 - f^L) (s^2 - t^2 (1 - a) / (a (2 - a))) + t^2 L,   f = 1 - a
          for r' = r + a (strength - r) + chance, strength' = strength + walk:
          a = h w / 2, w the mean slope of the curve at the gaps of games
          s: deviation of a rating by chance alone; t: points by which strength walks a game
          (s^2, t^2) by least squares, V(L) weighted by (games at lag L) / L^2 (the scatter of
          V(L) grows like L)
Source    the variogram: G. Matheron, "Principles of geostatistics", Economic Geology 58 (1963).
Units     L, g: games; r, s: points; t: points per sqrt(game).
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from prowess.compile.numbers import Floats, Ids, Truths
from prowess.engine.losses import log_loss
from prowess.engine.numeric import round_step
from prowess.engine.params import BadSetting, parameters
from prowess.engine.state import newcomer
from prowess.engine.system import Game, Range
from prowess.engine.tabular import list_rows
from prowess.engine.win_probability import CURVES, slope
from prowess.study.backtest import WARM_UP_SHARE
from prowess.study.diagnosis.evidence import (
    Estimate,
    best_of,
    estimate_by_parts,
    mean_by_parts,
    student_p,
)
from prowess.study.diagnosis.history import (
    ESTABLISHED,
    TIME_SPANS,
    LeagueHistory,
    Observation,
    TooFew,
)
from prowess.theory.histograms import histogram
from prowess.theory.learning import Gompertz
from prowess.theory.noise import PlayerLife, best_h, player_deviation, published_difference
from prowess.theory.wp import WinProbability, find_curve

LEAST_ACTIVE = 20  # established and active in a span
LEAST_SPANS = 4


class Spans(NamedTuple):
    """The last rating of every player in every span in which they played as established."""

    rating: Floats  # [players, spans]
    active: Truths
    kept: Ids  # spans after the warm-up with enough players
    deviation: float  # of ratings within a span
    years: float | None  # a span


def spans(history: LeagueHistory) -> Spans:
    """Return ratings by player and span. Raises TooFew."""
    who = history.appearances
    rating = np.zeros((len(history.final), TIME_SPANS))
    active = np.zeros(rating.shape, np.bool_)
    old = who.age >= ESTABLISHED
    rating[who.player[old], history.span[who.row[old]]] = who.after[old]  # the last one stays
    active[who.player[old], history.span[who.row[old]]] = True
    first = history.span[int(WARM_UP_SHARE * len(history.games))]
    enough = (active.sum(axis=0) >= LEAST_ACTIVE) & (np.arange(TIME_SPANS, dtype=np.int64) >= first)
    kept = np.flatnonzero(enough)
    if len(kept) < LEAST_SPANS:
        raise TooFew.of(
            "too_few.spans", spans=len(kept), of=TIME_SPANS, players=LEAST_ACTIVE, least=LEAST_SPANS
        )
    within = rating - (rating * active).sum(axis=0) / np.maximum(active.sum(axis=0), 1)
    deviation = float(np.sqrt((within[:, kept] ** 2)[active[:, kept]].mean()))
    years = None if history.years is None else history.years / TIME_SPANS
    return Spans(rating, active, kept, deviation, years)


def check_inflation(history: LeagueHistory) -> Observation:
    """Test the slope of the mean rating of active established players."""
    seen = spans(history)
    active, rating = seen.active[:, seen.kept], seen.rating[:, seen.kept]
    count = active.sum(axis=0)
    mean = (rating * active).sum(axis=0) / count
    middle = np.average(seen.kept, weights=count)
    lever = (seen.kept - middle) * count
    lever = lever / float((lever * (seen.kept - middle)).sum())
    influence = (lever * active * (rating - mean) / count).sum(axis=1)
    slope = _estimate_by_player(float(lever @ mean), influence, active)
    means: list[dict[str, float]] = []
    for k, span in enumerate(seen.kept.tolist()):
        one = mean_by_parts(rating[active[:, k], k])
        line = float(np.average(mean, weights=count) + slope.value * (span - middle))
        means.append(
            history.moment((span + 0.5) / TIME_SPANS)
            | {"players": int(count[k]), "rating": one.value, **one.ends, "line": line}
        )
    return _observe_change(
        "The mean rating of active established players", "rises", "falls", slope, seen,
        "least squares over spans of equal time; deviations over players (whole careers)",
        {"means": means},
    )  # fmt: skip


def check_matched_inflation(history: LeagueHistory) -> Observation:
    """Test the mean change of the same players from span to span."""
    seen = spans(history)
    later = seen.kept[np.isin(seen.kept - 1, seen.kept)]
    both = seen.active[:, later] & seen.active[:, later - 1]
    if len(later) < LEAST_SPANS - 1 or both.sum() < LEAST_ACTIVE:
        raise TooFew.of("too_few.active")
    change = np.where(both, seen.rating[:, later] - seen.rating[:, later - 1], 0.0)
    count = np.maximum(both.sum(axis=0), 1)
    mean = change.sum(axis=0) / count
    influence = (both * (change - mean) / count).sum(axis=1) / len(later)
    factor = 1.0 if seen.years is None else 1.0 / seen.years
    changes: list[dict[str, float]] = []  # points a year (or span)
    for k, span in enumerate(later.tolist()):
        if (players := int(both[:, k].sum())) >= 2:
            mean_change = mean_by_parts(factor * change[both[:, k], k])
            row = {"players": players, "change": mean_change.value, **mean_change.ends}
            changes.append(history.moment(span / TIME_SPANS) | row)
    return _observe_change(
        "The ratings of the same established players", "rise", "fall",
        _estimate_by_player(float(mean.mean()), influence, both), seen,
        "mean change of players active in two successive spans; deviations over players",
        {"changes": changes},
    )  # fmt: skip


def _estimate_by_player(value: float, influence: Floats, active: Truths) -> Estimate:
    """Return an estimate whose independent parts are the players, of those who were active."""
    played = np.flatnonzero(active.any(axis=1))
    return estimate_by_parts(value, influence[played], np.arange(len(played), dtype=np.int64))


def _observe_change(
    what: str, rise: str, fall: str, a_span: Estimate, seen: Spans, method: str,
    more: dict[str, Any],
) -> Observation:  # fmt: skip
    """Return the observation of a change, points a span, as points a year."""
    unit, factor = ("span", 1.0) if seen.years is None else ("year", 1.0 / seen.years)
    whole = a_span.value * (int(seen.kept[-1]) - int(seen.kept[0]))
    value, low, high = (
        round(number * factor, 9) + 0.0  # no -1e-15
        for number in (a_span.value, *a_span.interval())
    )
    detail = f"{value:+.2g} points a {unit} ({low:+.2g} to {high:+.2g})"
    return Observation(
        calm=f"{what} {'do' if rise == 'rise' else 'does'} not clearly rise or fall: {detail}.",
        alarm=f"{what} {rise if value > 0.0 else fall}, by {detail}, {abs(whole):.0f} points over "
        "the table.",
        numbers={
            "slope": value, "low": low, "high": high, "unit": f"points a {unit}", "whole": whole,
            "deviation_of_ratings": seen.deviation, "spans": len(seen.kept),
            **more,
        },
        method=f"{method}; {TIME_SPANS} spans, after the warm-up",
        p=a_span.p,
        size=abs(whole) / seen.deviation,
    )  # fmt: skip


LUCK_GAMES = 60  # until luck is forgotten: at h = 64 in chess e^-2.7 of it is left
STRETCH = 60  # games over which the gain is counted
STRIDE = 20  # games between two looks at a player
LEAST_LOOKS = 100
RATING_BINS = 6


def check_learning(history: LeagueHistory) -> Observation:
    """Measure the gain in points per 100 games by rating, and compare it with L / D."""
    who = history.appearances
    n, reach = len(who.player), LUCK_GAMES + STRETCH
    here = np.flatnonzero(
        (who.player[: n - reach] == who.player[reach:]) & (who.age[: n - reach] % STRIDE == 0)
    ) if n > reach else np.zeros(0, np.int64)  # fmt: skip
    if len(here) < LEAST_LOOKS:
        raise TooFew.of("too_few.learning", games=reach)
    gain = (who.before[here + reach] - who.before[here + LUCK_GAMES]) * (100.0 / STRETCH)
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
        raise TooFew.of("too_few.bins")
    mean = mean_by_parts(gain, ones, player)
    numbers: dict[str, Any] = {
        "gain": mean.value, "deviation": mean.deviation, "unit": "points per 100 games",
        "bins": bins,
    }  # fmt: skip
    steady = student_p(mean.value, mean.deviation, mean.parts - 1) > 0.05
    fluid = _fluid(history, bins, numbers) if history.theory else ""
    fluid = "" if steady else fluid
    low, high = mean.interval()
    detail = "No learning is seen" if steady else "Players gain" if low > 0.0 else "Players lose"
    return Observation(
        calm=(
            f"{detail}: {mean.value:+.1f} points per 100 games ({low:+.1f} to {high:+.1f}), "
            f"{bins[0]['gain']:+.0f} at {bins[0]['rating']:.0f} and {bins[-1]['gain']:+.0f} at "
            f"{bins[-1]['rating']:.0f}{fluid}."
        ),
        alarm="",
        numbers=numbers,
        method=(
            f"gain over {STRETCH} games, from {LUCK_GAMES} games after the one whose rating chose "
            "the bin; deviations over players"
        ),
        size=None,
    )


def _fluid(history: LeagueHistory, bins: list[dict[str, Any]], numbers: dict[str, Any]) -> str:
    """Fit D to the gains of the bins by EQ 54; add it to `numbers` and return text."""
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


LEAST_PLAYERS = 30
BOOTSTRAP_PLAYERS = 1500  # more are thinned evenly, for the time of the bootstrap
BOOTSTRAP_DRAWS = 199
BARS = 24  # of the histogram, at most
GOLDEN = 0.5 * (sqrt(5.0) - 1.0)


def check_distribution(history: LeagueHistory) -> Observation:
    """Fit both laws to the final ratings of established players."""
    if not history.theory:
        raise TooFew.of("too_few.theory")
    ratings = np.sort(history.final[history.established])
    if len(ratings) < LEAST_PLAYERS or not ratings[-1] > ratings[0]:
        raise TooFew.of("too_few.established", players=len(ratings), least=LEAST_PLAYERS)
    kept = ratings
    if len(ratings) > BOOTSTRAP_PLAYERS:
        kept = ratings[np.linspace(0, len(ratings) - 1, BOOTSTRAP_PLAYERS).astype(np.int64)]
    rng = np.random.default_rng(history.seed)
    n = len(kept)
    birth, c8, q = (part[0] for part in extreme_value(kept[None, :]))
    law = Gompertz(float(c8), float(q), float(birth))
    apart = float(distance(law.cdf(kept)[None, :])[0])
    again = np.sort(law.quantile(rng.random((BOOTSTRAP_DRAWS, n))), axis=1)
    laws = zip(*extreme_value(again), strict=True)
    drawn = [
        float(distance(Gompertz(float(c), float(k), float(b)).cdf(row)[None, :])[0])
        for row, (b, c, k) in zip(again, laws, strict=True)
    ]
    p = (1 + sum(one >= apart for one in drawn)) / (BOOTSTRAP_DRAWS + 1)
    normal_apart, normal_p = _normal(kept, rng)
    mean, spread = float(kept.mean()), float(kept.std())
    log_normal = -n * (np.log(spread) + 0.5 * np.log(2.0 * np.pi) + 0.5)
    ahead = float(law.log_density(kept).sum() - log_normal)
    verdict = (
        f"The report's extreme-value law {'describes' if p > 0.05 else 'does not describe'} the "
        f"ratings of the {len(ratings):,} established players (distance {apart:.3f}, p = {p:.2g})"
    )
    other = f"a normal law {'does' if normal_p > 0.05 else 'does not'} (p = {normal_p:.2g})"
    return Observation(
        calm=f"{verdict}; {other}.",
        alarm="",
        numbers={
            "players": len(ratings), "c8": float(c8), "points_per_e": 1.0 / float(q),
            "birth": float(birth), "distance": apart, "p": p, "normal_mean": mean,
            "normal_deviation": spread, "normal_distance": normal_apart, "normal_p": normal_p,
            "log_likelihood_ahead": ahead, "bins": _bins(ratings, law, float(birth), mean, spread),
        },
        method=f"largest likelihood, Kolmogorov's distance, {BOOTSTRAP_DRAWS} refitted samples",
        size=None,
    )  # fmt: skip


def _bins(
    ratings: Floats, law: Gompertz, birth: float, mean: float, spread: float
) -> list[dict[str, float]]:
    """Count players between round edges, observed and by both laws."""
    from scipy.special import ndtr

    low, high = float(ratings[0]), float(ratings[-1])
    by = round_step(high - low, BARS)
    edges = np.arange(np.floor(low / by), np.floor(high / by) + 2.0, dtype=np.float64) * by
    players = np.histogram(ratings, edges)[0]
    extreme = np.where(edges > birth, law.cdf(np.maximum(edges, birth)), 0.0)
    normal = ndtr((edges - mean) / spread)
    shares = {"law": np.diff(extreme) * len(ratings), "normal": np.diff(normal) * len(ratings)}
    return list_rows({"low": edges[:-1], "high": edges[1:], "players": players, **shares})


def extreme_value(ratings: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (birth, c8, Q) of largest likelihood for each row of sorted ratings, [samples, n]."""
    birth = ratings[:, 0]
    above = ratings - birth[:, None]
    spread = above.std(axis=1)
    mean = above.mean(axis=1)

    def log_likelihood(log_q: Floats) -> Floats:
        q = np.exp(log_q)
        grown = np.expm1(np.minimum(q[:, None] * above, 600.0)).mean(axis=1)
        found: Floats = log_q - np.log(grown) + q * mean
        return found

    low, high = np.log(1e-3 / spread), np.log(20.0 / spread)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    of_left, of_right = log_likelihood(left), log_likelihood(right)
    for _ in range(30):  # to 1e-5 of Q
        lower = of_left > of_right
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        new = np.where(lower, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        value = log_likelihood(new)
        left, right = np.where(lower, new, right), np.where(lower, left, new)
        of_left, of_right = np.where(lower, value, of_right), np.where(lower, of_left, value)
    q = np.exp(0.5 * (low + high))
    return birth, 1.0 / np.expm1(np.minimum(q[:, None] * above, 600.0)).mean(axis=1), q


def distance(cdf: Floats) -> Floats:
    """Return Kolmogorov's distance, [samples], from the cdf at sorted samples, [samples, n]."""
    n = cdf.shape[1]
    steps = np.arange(n + 1, dtype=np.int64) / n
    found: Floats = np.maximum(steps[1:] - cdf, cdf - steps[:-1]).max(axis=1)
    return found


def _normal(ratings: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """Return (distance, p) of a normal law with the mean and deviation of the ratings."""
    from scipy.special import ndtr

    def apart(samples: Floats) -> Floats:
        centred = samples - samples.mean(axis=1, keepdims=True)
        return distance(ndtr(centred / samples.std(axis=1, keepdims=True)))

    own = float(apart(ratings[None, :])[0])
    drawn = apart(np.sort(rng.standard_normal((BOOTSTRAP_DRAWS, len(ratings))), axis=1))
    return own, (1 + int((drawn >= own).sum())) / (BOOTSTRAP_DRAWS + 1)


# --- steps and noise ------------------------------------------------------------------------------


STEP_NAMES = ("k", "h")
FACTORS = (0.25, 0.5, 1.0 / sqrt(2.0), sqrt(2.0), 2.0, 4.0)


class LearningStep(NamedTuple):
    """The constant that sets how far a game moves ratings, and the equivalent h of the report."""

    name: str
    value: float
    h: float


def step_of(history: LeagueHistory) -> LearningStep | None:
    """Return the step of a system whose changes are proportional to a constant, else None.

    h moves the difference of two equals by h / 2 when one of them wins: Elo's 2 K.
    """
    system, p = history.system, history.p
    for name in STEP_NAMES:
        if name not in p._fields or not system.keeps_sum:
            continue
        value = float(getattr(p, name))
        moved = [
            _gain_of_a_win(history, p._replace(**{name: factor * value})) for factor in (1.0, 0.5)
        ]
        if moved[0] > 0.0 and abs(moved[1] / moved[0] - 0.5) < 1e-9:
            return LearningStep(name, value, 4.0 * moved[0])
    return None


def _gain_of_a_win(history: LeagueHistory, p: Any) -> float:
    """Return the points that an experienced player gains by beating an equal."""
    me = newcomer(history.system, p)
    if "games" in me._fields:
        me = me._replace(games=1000.0)
    side = history.system.alone(p, me)
    return float(history.system.evidence(p, side, side, Game(score=1.0))[0])


def check_step(history: LeagueHistory) -> Observation:
    """Replay the league with other steps and compare the forecasts of the judged games."""
    now = step_of(history)
    if now is None:
        raise TooFew.of("too_few.step")
    rows = history.judged
    score, weight = history.games.score[rows], history.weight[rows]
    own = log_loss(score, history.expected[rows])
    domain = parameters(history.system)[now.name].domain
    profile: list[dict[str, float]] = [
        {"step": now.value, "log_loss": float((own * weight).sum() / weight.sum()), "gain": 0.0}
    ]
    chances = []
    for factor in FACTORS:
        value = now.value * factor
        if isinstance(domain, Range) and not domain.low < value <= domain.high:
            continue
        other = log_loss(score, history.rated_again(**{now.name: value})[rows])
        gain = mean_by_parts(own - other, weight, history.blocks)
        profile.append({"step": value, "log_loss": profile[0]["log_loss"] - gain.value,
                        "gain": gain.value, "deviation": gain.deviation})  # fmt: skip
        chances.append(gain.p if gain.value > 0.0 else 1.0)
    profile.sort(key=lambda one: one["step"])
    best = min(profile, key=lambda one: one["log_loss"])
    edge = best is profile[0] or best is profile[-1]
    numbers: dict[str, Any] = {
        "name": now.name, "set": now.value, "h": now.h, "best": _vertex(profile, best),
        "gain": best["gain"], "profile": profile,
    }  # fmt: skip
    reach = "or beyond" if edge else "or so"
    by_theory = ""
    if history.theory:
        played = np.bincount(history.appearances.player, minlength=len(history.final))
        life = float((played * played).sum() / played.sum())  # weighted by games
        typical = float(np.sqrt((history.gap[rows] ** 2).mean()))
        per_h = now.value / now.h
        life_of = PlayerLife(games=life, spread=typical, wp=_curve(history))
        models = {model: per_h * best_h(life_of, model) for model in ("corrected", "lifetime")}
        numbers |= {"games_of_a_life": life, "typical_gap": typical, "models": models}
        by_theory = "; for players who never change " + ", ".join(
            f"{value:.2g} by the {name} model" for name, value in models.items()
        )
    return Observation(
        calm=f"No multiple of {now.name} = {now.value:g} would forecast clearly better{by_theory}.",
        alarm=(
            f"{now.name} = {numbers['best']:.3g} {reach} would forecast better than "
            f"{now.name} = {now.value:g}, by {best['gain']:.4f} nats a game{by_theory}."
        ),
        numbers=numbers,
        method=(
            "log loss of forecasts of established players' games, replayed with "
            f"{len(profile) - 1} other steps; deviations over blocks of games, Bonferroni"
        ),
        p=best_of(min(chances, default=1.0), max(len(chances), 1)),
        size=best["gain"],
    )


def _vertex(profile: list[dict[str, float]], best: dict[str, float]) -> float:
    """Return the minimum of the parabola over log step through the best step and its neighbours."""
    at = profile.index(best)
    if at in (0, len(profile) - 1):
        return best["step"]
    x = np.log([profile[k]["step"] for k in (at - 1, at, at + 1)])
    y = [profile[k]["log_loss"] for k in (at - 1, at, at + 1)]
    a, b, _ = np.polyfit(x - x[1], y, 2)
    return float(best["step"] * np.exp(-0.5 * b / a)) if a > 0.0 else best["step"]


LAGS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
STILL_SPREADING = 1.2  # scale of the calibrated curve
AT_REST = 3.0  # relaxation times after which ratings are at rest: e^-3 of the start is left
LEAST_FOLLOWED = 10  # with games at the longest lag that is used


def check_noise(history: LeagueHistory) -> Observation:
    """Fit the variogram and compare s with the fluctuation of theory."""
    step, curve = step_of(history), history.calibration
    if step is None or history.period is not None:
        raise TooFew.of("too_few.constant_h")
    who = history.appearances
    if curve.scale > STILL_SPREADING:
        raise TooFew.of("too_few.spread", scale=curve.scale)
    pull = 0.5 * step.h * _mean_slope(history)
    # newcomers on the way to their strength would count as walking
    old = who.age >= max(ESTABLISHED, AT_REST / pull)
    lags, values, weights, influences = [], [], [], []
    for lag in LAGS:
        here = np.flatnonzero(old[:-lag] & (who.player[lag:] == who.player[:-lag]))
        if len(np.unique(who.player[here])) < LEAST_FOLLOWED or lag * pull > 8.0:
            break
        square = (who.before[here + lag] - who.before[here]) ** 2
        mean = float(square.mean())
        lags.append(lag)
        values.append(mean)
        weights.append(len(here) / (lag * lag))
        influences.append(np.bincount(
            who.player[here], (square - mean) / len(here), len(history.final)
        ))  # fmt: skip
    if len(lags) < 4 or lags[-1] * pull < 1.0:
        raise TooFew.of("too_few.rest")
    followed = (1.0 - pull) / (pull * (2.0 - pull))
    back = np.array([2.0 * (1.0 - (1.0 - pull) ** lag) for lag in lags])
    x = np.stack((back, np.array(lags) - followed * back), axis=1)
    solve = np.linalg.inv(x.T * weights @ x) @ (x.T * weights)
    played = np.flatnonzero(np.bincount(who.player[old], minlength=len(history.final)))
    by_player = np.array(influences)[:, played]
    around = solve @ by_player
    chance, walk = (
        estimate_by_parts(float(value), row, np.arange(len(played), dtype=np.int64))
        for value, row in zip(solve @ values, around, strict=True)
    )
    measured, drift = sqrt(max(chance.value, 0.0)), sqrt(max(walk.value, 0.0))
    rows: list[dict[str, float]] = []  # the variogram as root mean squares
    for lag, moved, row, fit in zip(
        lags, values, by_player, (x @ [chance.value, walk.value]).tolist(), strict=True
    ):
        low, high = estimate_by_parts(moved, row, np.arange(len(played), dtype=np.int64)).interval()
        rows.append({"games": lag, "moved": sqrt(moved), "low": sqrt(max(low, 0.0)),
                     "high": sqrt(high), "fitted": sqrt(max(fit, 0.0))})  # fmt: skip
    low, high = (sqrt(max(bound, 0.0)) for bound in chance.interval())
    numbers: dict[str, Any] = {
        "measured": measured, "drift": drift, "h": step.h, "pull": pull, "lags": rows,
        "low": low, "high": high,
    }  # fmt: skip
    summary = f"Chance makes ratings wander by {measured:.0f} points ({low:.0f} to {high:.0f})"
    walks = (
        f"; strengths walk by {drift:.1f} points times the root of the games played"
        if walk.p < 0.01 and drift > 0.0
        else "; strengths seem constant"
    )
    p, size, expected = None, None, nan
    if history.theory:
        wp, typical = _curve(history), float(np.abs(history.gap[history.judged]).mean())
        models = {
            "corrected": player_deviation(wp, step.h, inf, typical),
            "published": published_difference(wp, step.h, typical) / sqrt(2.0),
        }
        # the formulas are for wins and losses; draws and shares spread less: the variance of
        # scores about forecasts over that of wins and losses
        surplus, fair = curve.surplus[history.judged], curve.expected[history.judged]
        spread = float((surplus * surplus).sum() / (fair * (1.0 - fair)).sum())
        expected = models["corrected"] * sqrt(spread)
        numbers |= {"theory": models, "spread_of_scores": spread, "expected": expected}
        for one, share in zip(rows, back.tolist(), strict=True):
            one["theory"] = expected * sqrt(share)
        summary += f", theory expects {expected:.0f}"
        gap = chance.value - expected * expected
        p = student_p(gap, chance.deviation, chance.parts - 1)
        size = abs(measured / expected - 1.0)
    word = "more" if measured > expected else "less"
    return Observation(
        calm=f"{summary}{walks}.",
        alarm=f"{summary}{walks}: that is {word} than chance makes of independent games.",
        numbers=numbers,
        method=(
            "variogram of the ratings of established players at lags of "
            f"{lags[0]} to {lags[-1]} of their games, against h p q / 4 w with the measured "
            "variance of scores for p q; deviations over players"
        ),
        p=p,
        size=size,
    )


def _curve(history: LeagueHistory) -> WinProbability:
    """Return the system's curve per rating point."""
    return find_curve(CURVES[history.curve], history.q)


def _mean_slope(history: LeagueHistory) -> float:
    gap = np.abs(history.gap[history.judged])
    nodes = np.linspace(0.0, float(gap.max(initial=1.0)), 400)
    slopes = np.array([slope(history.curve, x, history.q) for x in nodes.tolist()])
    return float(np.interp(gap, nodes, slopes).mean())
