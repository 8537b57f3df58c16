"""Whole tables fitted by statsmodels and scikit-learn, held against ours.

The numbers are in `fits`; `fits_by_others.py` tells how they came about.
"""

from __future__ import annotations

import json
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

from prowess.engine.fit import fit_table
from prowess.engine.fits.comparisons import Comparisons, fit_comparisons
from prowess.systems.catalogue import find
from tests.engine.tables import games
from tests.independent import fit_tables

HERE = Path(__file__).parent
NATURAL = {"logistic": log(10.0), "normal": 2.0}  # the scale on which q = 1

# name of the file: table, scale, parameters
FITS: dict[str, tuple[Any, float, dict[str, Any]]] = {
    "bradley_terry": (fit_tables.votes, NATURAL["logistic"], {}),
    "thurstone": (fit_tables.votes, NATURAL["normal"], {}),
    "rao_kupper": (
        fit_tables.premier_league,
        NATURAL["logistic"],
        {"draws": "rao_kupper", "advantage": "fitted"},
    ),
    "map": (fit_tables.internationals, 400.0, {"mean": 0.0, "sd": 350.0}),
}
CLOSE = 2e-6  # natural units; a 3,000th of a point. The other programs stop somewhere as well
ROUGH = {"rao_kupper": 3e-5}  # OrderedModel finds its information by finite differences


@pytest.mark.parametrize("name", sorted(FITS))
def test_another_program_says_the_same(name):
    """Every rating and standard error, the advantage and the draw parameter agree."""
    said = json.loads((HERE / "fits" / f"{name}.json").read_text("utf-8"))
    read, scale, params = FITS[name]
    rows = read()
    table = games([row[:3] for row in rows], side=[row[3] for row in rows])
    q = log(10.0) / scale if name == "map" else 1.0
    first = min(table.players)
    found = fit_table(
        table,
        find(name),
        params={"scale": scale} | params,
        reference=None if name == "map" else first,
    )
    zero = 0.0 if name == "map" else found[first].rating
    place = {player: k for k, player in enumerate(found.players)}
    assert set(said["players"]) | {first} == set(found.players)
    sure = ROUGH.get(name, CLOSE)
    chosen = [place[player] for player in said["players"]]
    values = np.array(list(said["players"].values()))
    assert q * (found.column("rating")[chosen] - zero) == approx(values[:, 0], abs=CLOSE)
    if name not in {"bradley_terry", "thurstone"}:  # draws are halves there: another variance
        assert q * found.column("deviation")[chosen] == approx(values[:, 1], abs=sure)
    for figure in ("advantage", "draw"):
        if figure in said:
            assert found.figures[figure] == approx(said[figure][0], abs=CLOSE)
            assert found.figures[f"{figure}_deviation"] == approx(said[figure][1], abs=sure)


def test_covariates_and_clusters_agree():
    """Ratings, effects and errors by cluster equal those of statsmodels to 1e-7."""
    said = json.loads((HERE / "fits" / "covariates.json").read_text("utf-8"))
    rows = fit_tables.judged_votes()
    names = sorted({name for a, b, *_ in rows for name in (a, b)})
    a, b = (np.searchsorted(names, [row[k] for row in rows]) for k in (0, 1))
    score, x, worker = (np.array([row[k] for row in rows]) for k in (2, 3, 4))
    both = np.stack((x, np.ones(len(rows))), axis=1)
    table = Comparisons(len(names), a, b, score, both, np.ones(len(rows)))
    found = fit_comparisons(table)
    groups = len(np.unique(worker))
    covariance = found.covariance([worker]) * (groups - 1) / groups
    own = np.diagonal(covariance)[: len(names)]
    apart = np.sqrt(own + own[0] - 2.0 * covariance[0, : len(names)])
    values = np.array([said["players"][name] for name in names[1:]])
    assert found.ratings[1:] - found.ratings[0] == approx(values[:, 0], abs=1e-7)
    assert apart[1:] == approx(values[:, 1], abs=1e-7)
    assert found.effects == approx(said["effects"], abs=1e-7)
    errors = np.sqrt(np.diagonal(covariance)[len(names) :])
    assert errors == approx(said["effect_deviations"], abs=1e-7)
    few = found.certainty([worker]).covariance * groups / (groups - 1)
    own, at = np.diagonal(few), len(names)
    apart = np.sqrt(np.append((own + own[0] - 2.0 * few[0])[1:at], own[at:]))
    assert apart == approx(said["left_out_deviations"], abs=1e-7)


def test_every_file_is_compared():
    """No file of numbers lies about unread, and each names its program and version."""
    assert {path.stem for path in (HERE / "fits").glob("*.json")} == {*FITS, "covariates"}
    for name in (*FITS, "covariates"):
        origin = json.loads((HERE / "fits" / f"{name}.json").read_text("utf-8"))["origin"]
        assert origin.split()[0] in ("statsmodels", "scikit-learn")
