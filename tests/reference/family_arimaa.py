"""Arimaa's reference cases: single games, and the page's claims by simulation."""

from __future__ import annotations

import random
from math import sqrt
from statistics import fmean, median, pstdev
from typing import Any

from prowess.engine.numeric import LN10
from prowess.engine.system import Game
from prowess.systems.arimaa import ARIMAA, POINTS_AT_TEN_TO_ONE, Params, Rating, drift
from tests.oracle import absorbed, newcomer, played

P = Params()


def update(inputs: dict[str, Any]) -> dict[str, Any]:
    """One game."""
    me, opponent = Rating(inputs["my"], inputs["k"]), Rating(inputs["op"])
    new = absorbed(ARIMAA, me, [(opponent, inputs["won"])])
    return {"r_new": new.rating, "k_new": new.k}


def k_sequence(inputs: dict[str, Any]) -> dict[str, Any]:
    """K from game to game, until it is 30."""
    me = Rating(k=inputs["k0"])
    sequence = [me.k]
    while me.k > 30:
        me = absorbed(ARIMAA, me, [(me, 0.5)])
        sequence.append(me.k)
    return {"sequence": sequence, "games_to_30": len(sequence) - 1}


def two_players_one_wins(inputs: dict[str, Any]) -> dict[str, Any]:
    """Two newcomers meet until nothing moves; the first always wins."""
    p = P._replace(start_k=inputs["k0"], uncertainty=1 if inputs["k_fixed"] else 0)
    a = b = newcomer(ARIMAA, p)
    games = last = 0
    while games - last < 50:  # K falls for at most 70 games while ratings stand
        games += 1
        after = played(ARIMAA, a, b, Game(1.0), p)
        if (after[0].rating, after[1].rating) != (a.rating, b.rating):
            last = games
        a, b = after
    return {
        "winner": a.rating,
        "loser": b.rating,
        "difference": a.rating - b.rating,
        "k": a.k,
        "games": last,
    }


def always_against_new(inputs: dict[str, Any]) -> dict[str, Any]:
    """One player meets newcomers with always the same result, until his rating stands."""
    fresh = newcomer(ARIMAA, P)
    me = fresh
    games = last = 0
    while games - last < 50:
        games += 1
        after = absorbed(ARIMAA, me, [(fresh, inputs["result"])], P)
        if after.rating != me.rating:
            last = games
        me = after
    return {"rating": me.rating, "k": me.k, "games": last}


def weekly_growth(inputs: dict[str, Any]) -> dict[str, Any]:
    """K after so many weeks without a game."""
    return {"k": drift(P, Rating(k=inputs["k"]), inputs["weeks"]).k}


def stationary_error(inputs: dict[str, Any]) -> dict[str, Any]:
    """How far the rating is from the strength of a player whose opponents are known."""
    p = P._replace(start_k=inputs["k"], uncertainty=1)
    chance = random.Random(1)
    me = opponent = newcomer(ARIMAA, p)
    errors = []
    for game in range(200_000):
        me = absorbed(ARIMAA, me, [(opponent, float(chance.random() < 0.5))], p)
        if game > 1000:  # starts at the true strength; the spread has to build up
            errors.append(me.rating - opponent.rating)
    return {
        "sd_theory": sqrt(inputs["k"] / (2.0 * LN10 / POINTS_AT_TEN_TO_ONE)),
        "sd_mc": pstdev(errors),
        "mean_abs_mc": fmean(map(abs, errors)),
        "median_abs_mc": median(map(abs, errors)),
    }


FAMILIES = {
    "arimaa.update": update,
    "arimaa.k_sequence": k_sequence,
    "arimaa.two_players_one_wins": two_players_one_wins,
    "arimaa.always_against_new": always_against_new,
    "arimaa.weekly_growth": weekly_growth,
    "arimaa.stationary_error": stationary_error,
}
