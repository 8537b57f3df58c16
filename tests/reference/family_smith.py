"""The reference cases of the report's win probabilities and its dynamic system."""

from __future__ import annotations

from math import log
from typing import Any

from prowess.engine.numeric import logistic
from prowess.engine.system import Game
from prowess.engine.win_probability import (
    CURVES,
    LOGISTIC,
    NORMAL,
    STOB2,
    STOB_SERIES,
    TIMESHARING,
    ahead_match,
    first_to_magnification,
    first_to_match,
    log_win_probability,
    rating_difference,
    slope,
    steepest_chord,
    steepness,
    win_probability,
    wm_probability,
)
from prowess.systems.smith import GAMES, SMITH, Params, Rating, first_h, h_bound, h_of_game
from tests.oracle import played

ELO_FORMS = {"elo_logistic": LOGISTIC, "elo_normal": NORMAL}  # 400 points


def curve_of(inputs: dict[str, Any], word: str = "model") -> tuple[int, float]:
    """The curve and its q."""
    name = inputs[word]
    if name in ELO_FORMS:
        return ELO_FORMS[name], steepness(ELO_FORMS[name], 400.0)
    curve = CURVES.index("normal" if name == "mosteller" else name)
    assert inputs.get("n", curve) in {curve, curve - STOB2 + 2}
    return curve, inputs.get("a", inputs.get("Q", 1))


def wp(inputs: dict[str, Any]) -> dict[str, Any]:
    curve, q = curve_of(inputs)
    return {"wp": [win_probability(curve, x, q) for x in inputs["x"]]}


def wp_lower_tail(inputs: dict[str, Any]) -> dict[str, Any]:
    curve, q = curve_of(inputs)
    return {"log_wp": [log_win_probability(curve, x, q) for x in inputs["x"]]}


def wp_slope_at_0(inputs: dict[str, Any]) -> dict[str, Any]:
    a = 0.7
    is_a = all(abs(slope(curve, 0.0, a) - a) < 1e-15 for curve in range(STOB2, len(CURVES)))
    return {
        "logistic": slope(LOGISTIC, 0.0, 1.0),
        "timesharing": slope(TIMESHARING, 0.0, 1.0),
        "mosteller": slope(NORMAL, 0.0, 1.0),
        "stob": "a" if is_a else "not a",
    }


def wm_n(inputs: dict[str, Any]) -> dict[str, Any]:
    won = ahead_match(wm_probability(inputs["P_first"], inputs["P_second"]), inputs["n"])
    return {"wp": won, "rating_difference_Q1": rating_difference(LOGISTIC, won, 1.0)}


def wm_rating(inputs: dict[str, Any]) -> dict[str, Any]:
    x = inputs["R"] - inputs["R_half"]
    return {"p": win_probability(LOGISTIC, x, inputs["Q"] / inputs["n"])}


def zermelo(inputs: dict[str, Any]) -> dict[str, Any]:
    x = log(inputs["V1"]) - log(inputs["V2"])
    return {"wp": logistic(x), "R1_minus_R2": x}


def stob(inputs: dict[str, Any]) -> dict[str, Any]:
    n, p = inputs["n"], inputs["p"]
    kappa = first_to_magnification(n)
    return {
        "match": first_to_match(p, n),
        "smith_type_match": ahead_match(p, n),
        "kappa": kappa,
        "alpha": log(n) / log(kappa) if n > 1 else None,
    }


def stob_series(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["a"] == 1
    series = STOB_SERIES[inputs["n"] - 2]
    letters = "bcde" if inputs["n"] == 2 else "bcd"
    named = dict(zip(letters, series[1:], strict=False))
    return {**named, "kappa": first_to_magnification(inputs["n"])}


def stob_asymptotic(inputs: dict[str, Any]) -> dict[str, Any]:
    n, a = inputs["n"], inputs["a"]
    alpha = log(n) / log(first_to_magnification(n))
    x = 40.0
    tail = log_win_probability(STOB2 + n - 2, -x, a)
    return {"alpha": alpha, "A": -(tail + log(3.0)) / (a * x) ** alpha}


def bounds(inputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "logistic_Q1": 2.0 / slope(LOGISTIC, 0.0, 1.0),
        "elo_scale": h_bound(Params()),
        "mosteller": 2.0 / slope(NORMAL, 0.0, 1.0),
        "timesharing_Q1": 2.0 / slope(TIMESHARING, 0.0, 1.0),
    }


def bound_at_x(inputs: dict[str, Any]) -> dict[str, Any]:
    curve, q = curve_of(inputs, "wp")
    x = inputs["x"]
    chord, y = steepest_chord(curve, x, q)
    return {
        "exact_eq77": 2.0 / chord,
        "y_of_max": y,
        "sufficient_eq78": x / (win_probability(curve, x, q) - 0.5),
        "sufficient_eq79": 2.0 / slope(curve, 0.0, q),
    }


def dynamic_update(inputs: dict[str, Any]) -> dict[str, Any]:
    p = Params(h=inputs["h"], curve=ELO_FORMS[inputs["wp"]])
    before = Rating(inputs["r_winner"]), Rating(inputs["r_loser"])
    winner, loser = played(SMITH, *before, Game(score=1.0), p)
    return {
        "r_winner_new": winner.rating,
        "r_loser_new": loser.rating,
        "dyn": (winner.rating - before[0].rating) + (before[1].rating - loser.rating),
    }


def h_of_games(inputs: dict[str, Any]) -> dict[str, Any]:
    p = Params(h_of=GAMES, sigma=inputs["sigma"])
    return {"C": first_h(p), "h": h_of_game(p, inputs["G1"], inputs["G2"])}


FAMILIES = {
    "smith.wp": wp,
    "smith.wp_lower_tail": wp_lower_tail,
    "smith.wp_slope_at_0": wp_slope_at_0,
    "smith.wm_n": wm_n,
    "smith.wm_rating": wm_rating,
    "smith.zermelo": zermelo,
    "smith.stob": stob,
    "smith.stob_series": stob_series,
    "smith.stob_asymptotic": stob_asymptotic,
    "smith.bounds": bounds,
    "smith.bound_at_x": bound_at_x,
    "smith.dynamic_update": dynamic_update,
    "smith.h_of_games": h_of_games,
}
