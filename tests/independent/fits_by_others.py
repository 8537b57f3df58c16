"""Fit the example tables with other people's programs and write what they say to `fits`.

    python -m venv others
    others/bin/pip install statsmodels==0.15.0 scikit-learn==1.9.1
    others/bin/python tests/independent/fits_by_others.py

Ratings are in natural units (of q x) over the first player by name; deviations are those of that
difference, from the observed information.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
tables = import_module("fit_tables")
np: Any = import_module("numpy")


def design(rows: Any) -> tuple[list[str], Any, Any]:
    """The players by name, the matrix of +1 and -1 without the first of them, the scores."""
    names = sorted({name for a, b, *_ in rows for name in (a, b)})
    number = {name: k for k, name in enumerate(names)}
    x = np.zeros((len(rows), len(names)))
    for k, (a, b, *_) in enumerate(rows):
        x[k, number[a]] += 1.0
        x[k, number[b]] -= 1.0
    return names, x[:, 1:], np.array([row[2] for row in rows])


def said(names: list[str], values: Any, covariance: Any) -> dict[str, Any]:
    """Ratings and deviations over the first player."""
    spread = np.sqrt(np.diagonal(covariance))
    pairs = zip(values.tolist(), spread.tolist(), strict=True)
    return {name: list(pair) for name, pair in zip(names[1:], pairs, strict=True)}


def by_glm(link: str) -> dict[str, Any]:
    """A binomial model of the votes, a tie half a success, by Newton's method."""
    sm = import_module("statsmodels.api")
    names, x, score = design(tables.votes())
    family = sm.families.Binomial(getattr(sm.families.links, link)())
    model = sm.GLM(np.stack((score, 1.0 - score), axis=1), x, family=family)
    found = model.fit(method="newton", maxiter=200, tol=1e-14)
    inverse = np.linalg.inv(-model.hessian(found.params, observed=True))
    unit = 1.0 if link == "Logit" else np.sqrt(2.0)  # wp(x) = Phi(q x / sqrt 2)
    return {"players": said(names, unit * found.params, unit * unit * inverse)}


def bradley_terry() -> dict[str, Any]:
    """statsmodels, GLM, Binomial, logit link."""
    return by_glm("Logit")


def thurstone() -> dict[str, Any]:
    """statsmodels, GLM, Binomial, probit link, differences times the root of 2."""
    return by_glm("Probit")


def rao_kupper() -> dict[str, Any]:
    """statsmodels, OrderedModel, logit: its two cut points are advantage and threshold."""
    ordinal = import_module("statsmodels.miscmodels.ordinal_model")
    names, x, score = design(tables.premier_league())
    model = ordinal.OrderedModel(2.0 * score, x, distr="logit")
    found = model.fit(method="bfgs", maxiter=2000, gtol=1e-9, disp=False)
    low, high = model.transform_threshold_params(found.params)[1:3].tolist()
    k = len(names) - 1
    turn = np.eye(k + 2)  # from (low, log(high - low)) to advantage and threshold
    turn[k:, k:] = [[-1.0, -0.5 * (high - low)], [0.0, 0.5 * (high - low)]]
    covariance = turn @ np.linalg.inv(-model.hessian(found.params)) @ turn.T
    deviations = np.sqrt(np.diagonal(covariance))[k:].tolist()
    return {
        "players": said(names, found.params[:k], covariance[:k, :k]),
        "advantage": [-0.5 * (low + high), deviations[0]],
        "draw": [0.5 * (high - low), deviations[1]],
    }


def maximum_a_posteriori() -> dict[str, Any]:
    """scikit-learn, LogisticRegression with a ridge: a normal prior of sd 350 ln 10 / 400."""
    linear = import_module("sklearn.linear_model")
    rows = tables.internationals()
    names, x, score = design(rows)
    first = -x.sum(axis=1)  # the column of the first player
    x = np.hstack((first[:, None], x))
    sd = 350.0 * np.log(10.0) / 400.0
    model = linear.LogisticRegression(
        C=sd * sd, fit_intercept=False, solver="newton-cholesky", tol=1e-14, max_iter=1000
    )
    twice, won = np.vstack((x, x)), np.repeat([1, 0], len(score))
    model.fit(twice, won, sample_weight=np.concatenate((score, 1.0 - score)))
    ratings = model.coef_[0]
    chance = 1.0 / (1.0 + np.exp(-x @ ratings))
    information = (x * (chance * (1.0 - chance))[:, None]).T @ x + np.eye(len(names)) / (sd * sd)
    spread = np.sqrt(np.diagonal(np.linalg.inv(information)))
    pairs = zip(ratings.tolist(), spread.tolist(), strict=True)
    return {"players": {name: list(pair) for name, pair in zip(names, pairs, strict=True)}}


def covariates() -> dict[str, Any]:
    """statsmodels, GLM, Binomial, logit link; errors by worker, plain and by GEE's bias_reduced."""
    sm = import_module("statsmodels.api")
    rows = tables.judged_votes()
    names, x, score = design(rows)
    more = np.array([[row[3], 1.0] for row in rows])  # the covariate, and the first place
    worker = np.array([row[4] for row in rows])
    model = sm.GLM(score, np.hstack((x, more)), family=sm.families.Binomial())
    how = {"cov_type": "cluster", "cov_kwds": {"groups": worker, "use_correction": False}}
    found = model.fit(method="newton", maxiter=200, tol=1e-14, **how)
    order = np.argsort(worker, kind="stable")  # by Mancl and DeRouen
    equations = sm.GEE(
        score[order], np.hstack((x, more))[order], groups=worker[order], family=model.family
    )
    left_out = equations.fit(cov_type="bias_reduced", maxiter=200, ctol=1e-13, scale=1.0)
    k, deviations = len(names) - 1, np.sqrt(np.diagonal(found.cov_params()))
    return {
        "players": said(names, found.params[:k], found.cov_params()[:k, :k]),
        "effects": found.params[k:].tolist(),
        "effect_deviations": deviations[k:].tolist(),
        "left_out_deviations": np.sqrt(np.diagonal(left_out.cov_params())).tolist(),
    }


MADE: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "bradley_terry": (bradley_terry, "statsmodels"),
    "thurstone": (thurstone, "statsmodels"),
    "rao_kupper": (rao_kupper, "statsmodels"),
    "covariates": (covariates, "statsmodels"),
    "map": (maximum_a_posteriori, "scikit-learn"),
}


def main() -> None:
    """Write one file per fit."""
    for name in sys.argv[1:] or MADE:
        fit, program = MADE[name]
        origin = f"{program} {version(program)}, by {Path(__file__).name}: {fit.__doc__}"
        text = json.dumps({"origin": origin, **fit()}, ensure_ascii=False, indent=0) + "\n"
        (HERE / "fits" / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
