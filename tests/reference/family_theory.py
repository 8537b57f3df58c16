"""Reference cases of the theory of win probabilities, games and updates."""

from __future__ import annotations

from typing import Any

from prowess.engine.numeric import LN10, logistic
from prowess.theory.markov import MODELS
from prowess.theory.updates import kappa, largest_spread, spread, stationary_points
from prowess.theory.wp import find_curve, tail

ELO = LN10 / 400.0


def markov(inputs: dict[str, Any]) -> dict[str, Any]:
    ours = {"deuce_wm2": "two_ahead", "best_of_3": "best_of_three", "streak_2_5": "streak"}
    x = inputs["x"]
    answer = {}
    for name in ("point", "deuce_wm2", "tennis_game", "best_of_3", "streak_2_5"):
        game = MODELS[ours.get(name, name)]()
        answer[name] = game.chances(x)[game.start]
        assert abs(answer[name] - game.win_probability()(x)) < 1e-12
    return answer


def tails(inputs: dict[str, Any]) -> dict[str, Any]:
    game = {name: MODELS[name]().tail() for name in MODELS}
    return {
        "logistic_Q": tail(find_curve("logistic")).slope,
        "timesharing_Q_natural_log": tail(find_curve("timesharing")).slope,
        "wm2": game["two_ahead"].slope,
        "tennis_game": game["tennis_game"].slope,
        "tennis_game_constant": game["tennis_game"].constant,
        "best_of_3": game["best_of_three"].slope,
        "best_of_3_constant": game["best_of_three"].constant,
        "streak_2_5": game["streak"].slope,
        "streak_constant": game["streak"].constant,
    }


def kappa_97(inputs: dict[str, Any]) -> dict[str, Any]:
    curves = {
        "logistic_Q1": find_curve("logistic"),
        "elo_scale": find_curve("logistic", ELO),
        "mosteller": find_curve("normal"),
        "timesharing_Q1": find_curve("timesharing"),
    }
    ours = {name: largest_spread(wp) for name, wp in curves.items()}
    ours["timesharing_Q1_sup"] = ours.pop("timesharing_Q1")
    ours["timesharing_Q1_at_0"] = spread(curves["timesharing_Q1"])
    kappas = {name: kappa(wp) for name, wp in curves.items()}
    return {**kappas, "corrected_player_variance_per_h": ours}


def unimodality(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["concave"] == "2*log sigma(x-10)"
    assert inputs["log_prior"] == "-log(1+(x/0.25)^2)"

    def slope(x: float) -> float:
        return 2.0 * logistic(10.0 - x) - 2.0 * x / (0.0625 + x * x)

    found = stationary_points(slope, -30.0, 30.0)
    return {"stationary_points": [x for x, _ in found], "kinds": [kind for _, kind in found]}


FAMILIES = {
    "smith.markov": markov,
    "smith.tail": tails,
    "smith.kappa_97": kappa_97,
    "smith.unimodality": unimodality,
}
