"""The reference cases of the report's static ratings: a league of three, and a newcomer."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from prowess.engine.fit import fit_table
from prowess.engine.fits.posterior import EXTREME_VALUE, HISTOGRAM, NORMAL, Prior
from prowess.engine.fits.posterior_model import exact_moments, iterate_means, posterior_model
from prowess.engine.win_probability import LOGISTIC
from prowess.games.tally import tally
from prowess.systems.maximum_a_posteriori import MAP
from tests.engine.tables import games

Q = log(10.0) / 400.0
NAMES = ("A", "B", "C")


def static(inputs: dict[str, Any]) -> dict[str, Any]:
    """Joint mean and deviation, evidence, the end of 8.1, and the mode."""
    wins = inputs["T"]
    rows = [
        (NAMES[i], NAMES[j], 1.0) for i in range(3) for j in range(3) for _ in range(wins[i][j])
    ]
    table = games(rows, NAMES)
    if inputs["prior"] == "normal":
        prior = Prior(NORMAL, float(inputs["mean"]), float(inputs["sd"]))
        chosen: dict[str, Any] = {"mean": inputs["mean"], "sd": inputs["sd"]}
    else:
        prior = Prior(EXTREME_VALUE, birth=0.0, c8=inputs["c8"], q=float(inputs.get("Q", 1)))
        chosen = {"prior": "extreme_value", "birth": 0.0, "c8": inputs["c8"]}
    b = posterior_model(tally(table), LOGISTIC, 1.0, prior)
    nobody, everybody = np.zeros(3), np.arange(3)
    joint = exact_moments(b, nobody, everybody)
    end = iterate_means(b, nobody, everybody)
    mode = fit_table(table, MAP, params={"scale": log(10.0), **chosen})
    return {
        "posterior_mean": joint.mean.tolist(),
        "posterior_sd": np.sqrt(np.diagonal(joint.covariance)).tolist(),
        "log_evidence": joint.log_evidence,
        "fixed_point_8_1": end.mean.tolist(),
        "conditional_sd_at_fixed_point": end.deviation.tolist(),
        "map": mode.column("rating").tolist(),
    }


def newcomer(inputs: dict[str, Any]) -> dict[str, Any]:
    """Somebody new against four of known rating, by three priors."""
    assert inputs["wp"] == "elo_logistic"
    names = [f"known {k}" for k in range(len(inputs["opponents"]))]
    known = {k + 1: float(rating) for k, rating in enumerate(inputs["opponents"])}
    rows = [("new", name, float(s)) for name, s in zip(names, inputs["results"], strict=True)]
    table = games(rows)
    rating = np.array([0.0, *known.values()])
    priors = {
        "normal_1622_324": Prior(NORMAL, 1622.0, 324.0),
        "ics_histogram_bin_mids": Prior(HISTOGRAM),
        "eq60_birth1000_c8_0_02": Prior(EXTREME_VALUE, birth=1000.0, c8=0.02, q=Q),
    }
    answers: dict[str, Any] = {}
    for name, prior in priors.items():
        b = posterior_model(tally(table), LOGISTIC, Q, prior, known=known)
        exact = exact_moments(b, rating, np.array([0]))
        alone = iterate_means(b, rating, np.array([0]))  # of one unknown: the same integral
        assert abs(alone.mean[0] - exact.mean[0]) < 1e-5
        answers[name] = {"mean": float(exact.mean[0]), "sd": float(exact.covariance[0, 0] ** 0.5)}
    anchors = {name: known[k + 1] for k, name in enumerate(names)}
    mode = fit_table(table, MAP, anchors=anchors, params={"mean": 1622.0, "sd": 324.0})
    answers["normal_1622_324"]["map"] = mode["new"].rating
    return answers


FAMILIES = {"smith.static": static, "smith.newcomer": newcomer}
