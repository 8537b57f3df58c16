"""The Internet chess server's reference cases."""

from __future__ import annotations

from typing import Any

from prowess.engine.system import Game
from prowess.systems.ics import ICS, Established, Params, Rating
from tests.oracle import absorbed, newcomer, played


def sequence(inputs: dict[str, Any]) -> dict[str, Any]:
    p = Params(target=inputs["target"])
    league = Established(1, inputs["established_average"])
    players = {
        name: Rating(start["rating"], start["games"]) if start["games"] else newcomer(ICS, p)
        for name, start in inputs["start"].items()
    }
    games = [("new", "est", 1), ("new", "new2", -1), ("new", "est2", 0), ("est", "est2", 1)]
    steps = []
    for one, other, outcome in games:
        game = Game(score=(outcome + 1) / 2)
        players[one], players[other] = played(ICS, players[one], players[other], game, p, league)
        ratings = [players[one].rating, players[other].rating]
        steps.append({"game": [one, other, outcome], "ratings": ratings})
    return {"steps": steps}


def established_vs_provisional(inputs: dict[str, Any]) -> dict[str, Any]:
    me, opponent = Rating(inputs["r"], 50), Rating(inputs["r_opp"], inputs["games_opp"])
    new = absorbed(ICS, me, [(opponent, inputs["score"])], league=Established())
    return {"r_new": new.rating}


FAMILIES = {
    "ics.sequence": sequence,
    "ics.established_vs_provisional": established_vs_provisional,
}
