"""The Elo family's reference cases."""

from __future__ import annotations

from typing import Any

from prowess.engine.system import Dynamic, Game
from prowess.engine.win_probability import LOGISTIC, NORMAL, steepness, win_probability
from prowess.systems import elo, ratio_elo, tournament_elo
from tests.oracle import absorbed, foreseen, played


def expected(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["base"] == 10
    p = elo.Params(scale=inputs["scale"])
    a, b = elo.Rating(inputs["ra"]), elo.Rating(inputs["rb"])
    return {"ea": foreseen(elo.ELO, a, b, Game(), p), "eb": foreseen(elo.ELO, b, a, Game(), p)}


def update(inputs: dict[str, Any]) -> dict[str, Any]:
    def new(system: Dynamic, p: Any, a: Any, b: Any) -> tuple[float, float]:
        a, b = played(system, a, b, Game(score=inputs["score_a"]), p)
        return a.rating, b.rating

    ra, rb, k = inputs["ra"], inputs["rb"], inputs["k"]
    a, b = new(elo.ELO, elo.Params(k=k), elo.Rating(ra), elo.Rating(rb))
    # federation_elo with a K of each player's own is the same system
    own = [elo.FederationRating(r, k=k, best=r) for r in (ra, rb)]
    assert new(elo.FEDERATION_ELO, None, *own) == (a, b)
    return {"ra_new": a, "rb_new": b}


def tournament_average(inputs: dict[str, Any]) -> dict[str, Any]:
    # only the sum of scores is given; any scores of that sum must do
    games = len(inputs["opponents"])
    scores = [inputs["score"] / games] * games

    def after(system: Dynamic, kind: Any, p: Any) -> Any:
        met = [(kind(r), score) for r, score in zip(inputs["opponents"], scores, strict=True)]
        return absorbed(system, kind(inputs["r"]), met, p)

    averaged = after(
        tournament_elo.TOURNAMENT_ELO,
        tournament_elo.Rating,
        tournament_elo.Params(k=inputs["k"]),
    )
    single = after(elo.ELO, elo.Rating, elo.Params(k=inputs["k"]))
    return {
        "average_opponent": averaged.opposition,
        "r_new": averaged.rating,
        "r_new_individual_opponents": single.rating,
    }


def odds_100(inputs: dict[str, Any]) -> dict[str, Any]:
    logistic, normal = (
        win_probability(curve, inputs["difference"], steepness(curve, 400.0))
        for curve in (LOGISTIC, NORMAL)
    )
    return {
        "logistic_wp": logistic,
        "logistic_odds": logistic / (1 - logistic),
        "normal_wp": normal,
        "normal_odds": normal / (1 - normal),
    }


def ratio(inputs: dict[str, Any]) -> dict[str, Any]:
    p = ratio_elo.Params(k=inputs["k"])
    one, other = ratio_elo.Rating(inputs["r1"]), ratio_elo.Rating(inputs["r2"])
    new = played(ratio_elo.RATIO_ELO, one, other, Game(score=inputs["score1"]), p)
    return {
        "p1": ratio_elo.expected_score(p, one, other, Game()),
        "p2": ratio_elo.expected_score(p, other, one, Game()),
        "r1_new": new[0].rating,
        "r2_new": new[1].rating,
    }


def floor(inputs: dict[str, Any]) -> dict[str, Any]:
    assert inputs["enabled"]
    p = elo.FederationParams(floor_drop=inputs["floor_drop"])
    me = elo.FederationRating(inputs["rating"], best=inputs["best_ever"])
    return {"rating": elo.federation_absorb(p, me, elo.FederationEvidence()).rating}


FAMILIES = {
    "elo.expected": expected,
    "elo.update": update,
    "elo.tournament_average": tournament_average,
    "elo.odds_100": odds_100,
    "elo.ratio": ratio,
    "elo.floor": floor,
}
