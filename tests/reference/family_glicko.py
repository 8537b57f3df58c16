"""Glicko's and Glicko-2's reference cases: one rating period against opponents that stand still."""

from __future__ import annotations

from typing import Any

from prowess.systems import glicko, glicko2
from tests.oracle import absorbed


def glicko_update(inputs: dict[str, Any]) -> dict[str, Any]:
    """One period by Glicko."""
    opponents = [(glicko.Rating(r, rd), score) for r, rd, score in inputs["opponents"]]
    new = absorbed(glicko.GLICKO, glicko.Rating(inputs["r"], inputs["rd"]), opponents)
    return {"r": new.rating, "rd": new.deviation}


def glicko2_update(inputs: dict[str, Any]) -> dict[str, Any]:
    """One period by Glicko-2."""
    me = glicko2.Rating(inputs["r"], inputs["rd"], inputs["vol"])
    opponents = [(glicko2.Rating(r, rd), score) for r, rd, score in inputs["opponents"]]
    new = absorbed(glicko2.GLICKO2, me, opponents, glicko2.Params(tau=inputs["tau"]))
    return {"r": new.rating, "rd": new.deviation, "vol": new.volatility}


FAMILIES = {"glicko.update": glicko_update, "glicko2.update": glicko2_update}
