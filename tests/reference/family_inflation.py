"""Reference cases of the rules against inflation."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.engine.inflation import Lifetimes


def living(names: list[str], born: dict[str, float]) -> Lifetimes:
    population = Lifetimes()
    population.grow(np.array([born[name] for name in names], dtype=np.float64))
    population.saw(np.arange(len(names)), np.zeros(len(names)))
    return population


def redistribute(inputs: dict[str, Any]) -> dict[str, Any]:
    names = list(inputs["ratings"])
    rating = np.array([inputs["ratings"][name] for name in names], dtype=np.float64)
    population = living(names, inputs["born"])
    before = float((rating - population.born)[population.alive].sum())
    population.depart_all(rating, np.array([names.index(inputs["dies"])]), day=1.0)
    after = float((rating - population.born)[population.alive].sum())
    left = {name: float(rating[k]) for k, name in enumerate(names) if population.alive[k]}
    return {"ratings": left, "invariant_before": before, "invariant_after": after}


def shift_normalise(inputs: dict[str, Any]) -> dict[str, Any]:
    rating = np.array(inputs["initial"], dtype=np.float64)
    names = [str(k) for k in range(len(rating))]
    population = living(names, dict(zip(names, inputs["initial"], strict=True)))
    population.shift_newcomers(rating, inputs["target_mean"], day=1.0)
    return {"ratings": rating.tolist()}


FAMILIES = {
    "smith.redistribute": redistribute,
    "smith.shift_normalise": shift_normalise,
}
