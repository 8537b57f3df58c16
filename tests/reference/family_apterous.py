"""Apterous' reference cases."""

from __future__ import annotations

from typing import Any

from prowess.engine.system import Game
from prowess.systems.apterous import APTEROUS, Params, Rating, factors
from tests.oracle import absorbed, newcomer, played

P = Params()
FULL = 50.0  # games: any number from omega on


def provisional(inputs: dict[str, Any]) -> dict[str, Any]:
    """The rating after the games of one newcomer, all in one round."""
    won, lost = inputs["wins"], inputs["losses"]
    scores = [1.0] * won + [0.0] * lost
    games = [
        (Rating(rating, FULL), score)
        for rating, score in zip(inputs["opponent_ratings"], scores, strict=True)
    ]
    return {"r": absorbed(APTEROUS, newcomer(APTEROUS, P), games).rating}


def delta(inputs: dict[str, Any]) -> dict[str, Any]:
    """The four factors and the change of a full player."""
    me, him = Rating(inputs["r_me"], FULL), Rating(inputs["r_him"], inputs["games_him"])
    game = Game(score=inputs["score"], margin=inputs["margin"], length=inputs["rounds"])
    it = factors(P, me, him, game)
    after = absorbed(APTEROUS, me, [(him, game)])
    return {**it._asdict(), "delta": after.rating - me.rating}


def sequence(inputs: dict[str, Any]) -> dict[str, Any]:
    """Both players' ratings after each of a run of games."""
    state = {
        name: Rating(known["rating"], known["games"])
        for name, known in inputs.get("start", {}).items()
    }
    ratings = []
    for row in inputs["games"]:
        margin = row["margin"]
        score = 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5
        game = Game(score=score, margin=margin, length=row["rounds"])
        x = state.get(row["x"], newcomer(APTEROUS, P))
        y = state.get(row["y"], newcomer(APTEROUS, P))
        state[row["x"]], state[row["y"]] = x, y = played(APTEROUS, x, y, game)
        ratings.append([x.rating, y.rating])
    return {"ratings_after_each_game": ratings}


FAMILIES = {
    "apterous.provisional": provisional,
    "apterous.delta": delta,
    "apterous.sequence": sequence,
}
