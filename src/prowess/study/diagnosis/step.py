"""Is the step (K, or h) the right one for this league? By forecasts, and by two models."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prowess.engine.params import parameters
from prowess.engine.state import newcomer
from prowess.engine.system import Game, Range
from prowess.study import scores
from prowess.study.diagnosis.calibrated import TooFew
from prowess.study.diagnosis.chance import best_of, mean_by_parts
from prowess.study.diagnosis.course import Course
from prowess.study.diagnosis.finding import Observation
from prowess.study.diagnosis.theory import Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMES = ("k", "h")
FACTORS = (0.25, 0.5, 1.0 / sqrt(2.0), sqrt(2.0), 2.0, 4.0)


class Step(NamedTuple):
    """The constant that says how far a game moves ratings, and the report's h that it means."""

    name: str
    value: float
    h: float


def step_of(course: Course) -> Step | None:
    """The step of a system whose games move ratings in proportion to a constant, else None.

    h moves the difference of two equals by h / 2 when one of them wins: Elo's 2 K.
    """
    system, p = course.system, course.p
    for name in NAMES:
        if name not in p._fields or not system.keeps_sum:
            continue
        value = float(getattr(p, name))
        moved = [_moved(course, p._replace(**{name: factor * value})) for factor in (1.0, 0.5)]
        if moved[0] > 0.0 and abs(moved[1] / moved[0] - 0.5) < 1e-9:
            return Step(name, value, 4.0 * moved[0])
    return None


def _moved(course: Course, p: Any) -> float:
    """Points that an old hand gains from his equal."""
    me = newcomer(course.system, p)
    if "games" in me._fields:
        me = me._replace(games=1000.0)
    side = course.system.alone(p, me)
    return float(course.system.evidence(p, side, side, Game(score=1.0))[0])


def step(course: Course, theory: Theory | None) -> Observation:
    """Play the league with other steps and compare the forecasts of the judged games."""
    now = step_of(course)
    if now is None:
        raise TooFew("the system has no constant step such as K or h")
    rows = course.judged
    score, weight = course.games.score[rows], course.weight[rows]
    own = scores.log_loss(score, course.expected[rows])
    domain = parameters(course.system)[now.name].domain
    profile: list[dict[str, float]] = [
        {"step": now.value, "log_loss": float((own * weight).sum() / weight.sum()), "gain": 0.0}
    ]
    chances = []
    for factor in FACTORS:
        value = now.value * factor
        if isinstance(domain, Range) and not domain.low < value <= domain.high:
            continue
        other = scores.log_loss(score, course.rated_again(**{now.name: value})[rows])
        gain = mean_by_parts(own - other, weight, course.blocks)
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
    told = "or beyond" if edge else "or so"
    said = ""
    if theory is not None:
        played = np.bincount(course.appearances.player, minlength=len(course.final))
        life = float((played * played).sum() / played.sum())  # of the player behind a game
        typical = float(np.sqrt((course.gap[rows] ** 2).mean()))
        per_h = now.value / now.h
        models = {k: per_h * h for k, h in theory.best_h(life, typical).items()}
        numbers |= {"games_of_a_life": life, "typical_gap": typical, "models": models}
        said = "; for players who never change " + ", ".join(
            f"{value:.2g} by the {name} model" for name, value in models.items()
        )
    return Observation(
        name="step",
        calm=f"No multiple of {now.name} = {now.value:g} would forecast clearly better{said}.",
        alarm=(
            f"{now.name} = {numbers['best']:.3g} {told} would forecast better than "
            f"{now.name} = {now.value:g}, by {best['gain']:.4f} nats a game{said}."
        ),
        numbers=numbers,
        method=(
            "log loss of forecasts of established players' games, replayed with "
            f"{len(profile) - 1} other steps; deviations over blocks of games, Bonferroni"
        ),
        p=best_of(min(chances, default=1.0), max(len(chances), 1)),
        size=best["gain"],
        notice=0.001,
        warning=0.02,
        advice=True,
    )


def _vertex(profile: list[dict[str, float]], best: dict[str, float]) -> float:
    """Where the parabola through the best step and its neighbours, over log step, is least."""
    at = profile.index(best)
    if at in (0, len(profile) - 1):
        return best["step"]
    x = np.log([profile[k]["step"] for k in (at - 1, at, at + 1)])
    y = [profile[k]["log_loss"] for k in (at - 1, at, at + 1)]
    a, b, _ = np.polyfit(x - x[1], y, 2)
    return float(best["step"] * np.exp(-0.5 * b / a)) if a > 0.0 else best["step"]
