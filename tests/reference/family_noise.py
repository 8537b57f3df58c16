"""The reference cases of noise, computed and played out."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from prowess.theory.noise import (
    CHESS,
    PlayerLife,
    best_h,
    best_h_of_many_games,
    difference_deviation,
    error_figure,
    linear_difference,
    mean_slope,
    noise,
    overstretch,
    player_deviation,
    printed_transient,
    published_difference,
)
from prowess.theory.updates import kappa, largest_h
from tests.theory.played_leagues import (
    measure_errors,
    simulate_difference,
    simulate_league,
    simulate_lives,
)

SEED = 1994


def career_of(inputs: dict[str, Any]) -> PlayerLife:
    assert inputs.get("wp", "elo_logistic") == "elo_logistic"
    return PlayerLife(inputs["G"], inputs["sigma"], triangle=inputs.get("T", 0.0))


def noise_published(inputs: dict[str, Any]) -> dict[str, Any]:
    career, h = career_of(inputs), inputs["h"]
    equals = PlayerLife(inputs["G"], inputs["sigma"], difference=0.0)
    parts, parts_of_equals = noise(career, h, "published"), noise(equals, h, "published")
    best = best_h(career, "published")
    return {
        "transient": parts.transient,
        "fluctuation": parts.fluctuation,
        "total": parts.total,
        "fluctuation_equal": parts_of_equals.fluctuation,
        "total_equal": parts_of_equals.total,
        "h_opt": best,
        "h_opt_equal": best_h(equals, "published"),
        "total_at_h_opt": noise(career, best, "published").total,
        "upper_bound": largest_h(CHESS),
        "transient_eq81_as_printed": printed_transient(career, h),
    }


def noise_corrected(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["wp"] == "elo_logistic"
    h = inputs["h"]
    return {
        "sd_difference": difference_deviation(CHESS, h, 250.0),
        "sd_player_large_league": player_deviation(CHESS, h, inf, 250.0),
        "sd_player_two_player_league": player_deviation(CHESS, h, 2.0, 250.0),
    }


def noise_corrected_total(inputs: dict[str, Any]) -> dict[str, Any]:
    career = career_of(inputs)
    parts, best = noise(career, inputs["h"]), best_h(career)
    return {
        "transient": parts.transient,
        "fluctuation": parts.fluctuation,
        "total": parts.total,
        "h_opt": best,
        "total_at_h_opt": noise(career, best).total,
    }


def noise_lifetime(inputs: dict[str, Any]) -> dict[str, Any]:
    career = career_of(inputs)
    best = best_h(career, "lifetime")
    return {
        "s_bar": mean_slope(career),
        "noise": [noise(career, h, "lifetime").total for h in inputs["h"]],
        "h_opt": best,
        "noise_at_h_opt": noise(career, best, "lifetime").total,
        "h_opt_large_G": best_h_of_many_games(career),
    }


def noise_mc_difference(inputs: dict[str, Any]) -> dict[str, Any]:
    h, difference = inputs["h"], inputs["R0"]
    return {
        "sd_monte_carlo": simulate_difference(CHESS, h, difference, SEED).deviation,
        "sd_corrected": difference_deviation(CHESS, h, difference),
        "sd_linear_exact": linear_difference(CHESS, h, difference),
        "sd_published_eq91": published_difference(CHESS, h, difference),
        "bias_theory": overstretch(CHESS, h, difference),
    }


def noise_mc_league(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["true_spread"] == 0
    players, h = inputs["N"], inputs["h"]
    leagues = max(300, 6000 // players)
    errors = simulate_league(CHESS, h, np.zeros(players), SEED, leagues)
    return {
        "sd_player_monte_carlo": measure_errors(errors).deviation,
        "sd_player_first_order": player_deviation(CHESS, h, players),
    }


def noise_mc_lifetime(inputs: dict[str, Any]) -> dict[str, Any]:
    games, spread = inputs["G"], inputs["sigma"]
    # short lives differ more: as many players as keep the standard error below 1 point
    players = {35: 20000, 160: 8000, 1000: 2000}[games]
    return {
        "rms_error": [
            simulate_lives(CHESS, h, spread, games, SEED, players).deviation for h in inputs["h"]
        ]
    }


def error_figure_cases(inputs: dict[str, Any]) -> dict[str, Any]:
    players, h = inputs["N"], inputs["h"]
    claimed = players * h * kappa(CHESS) ** 2
    errors = simulate_league(CHESS, h, np.zeros(players), SEED, leagues=600)
    figures = (errors * errors).sum(axis=-1)
    return {
        "expected_sum_of_squares": error_figure(CHESS, h, players),
        "claim_bound_N_h_kappa2": claimed,
        "fraction_below_bound_mc": float((figures < claimed).mean()),
    }


FAMILIES = {
    "smith.noise_published": noise_published,
    "smith.noise_corrected": noise_corrected,
    "smith.noise_corrected_total": noise_corrected_total,
    "smith.noise_lifetime": noise_lifetime,
    "smith.noise_mc_difference": noise_mc_difference,
    "smith.noise_mc_league": noise_mc_league,
    "smith.noise_mc_lifetime": noise_mc_lifetime,
    "smith.error_figure": error_figure_cases,
}
