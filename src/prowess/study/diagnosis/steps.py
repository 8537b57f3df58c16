"""Checks of how far games move ratings: the step (K or h), and the noise of ratings.

The step is judged by forecasts with other steps and by two models of `theory.noise`. The noise is
measured by the variogram of ratings and compared with the fluctuation that chance explains.

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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.losses import log_loss
from prowess.engine.params import parameters
from prowess.engine.state import newcomer
from prowess.engine.system import Game, Range
from prowess.engine.win_probability import CURVES, slope
from prowess.study.diagnosis.evidence import (
    best_of,
    estimate_by_parts,
    mean_by_parts,
    student_p,
)
from prowess.study.diagnosis.history import ESTABLISHED, LeagueHistory, Observation, TooFew
from prowess.theory.noise import PlayerLife, best_h, player_deviation, published_difference
from prowess.theory.wp import WinProbability, find_curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
        raise TooFew("the system has no constant step such as K or h")
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
        raise TooFew("the theory does not apply: the system moves ratings by no constant h")
    who = history.appearances
    if curve.scale > STILL_SPREADING:
        raise TooFew(
            f"gaps are worth {curve.scale:.2f} times what the system says: ratings have not "
            "yet spread as far as the results do"
        )
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
        raise TooFew(
            "too few games a player for ratings to come to rest and back to where they were"
        )
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
